"""Saved GameKnot pages: the two filed pages, pages written here in both forms, and pages that are wrong."""
import html
import json
import random
from pathlib import Path

import chess
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gamecommbench.build import build_chess
from gamecommbench.collect.gameknot import Page, group_pages, parse_page
from gamecommbench.collect.pgn_text import split_games
from gamecommbench.package import Account
from gamecommbench.schema import BenchError, Record, iter_records
from gamecommbench.state.chess import chess_state, read_main_line

Row = tuple[str, str]  # moves, comment as HTML
META = '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1">'
PLAYERS = "<div>A made-up game<br>alpha (1500) vs. beta (1432)<br>1-0<br>Chess opening: Italian game (C50)</div>"


def paginator(count: int, current: int | None) -> str:
    "The row of page numbers, which stands twice on a page; the current one is bold where the page says it."
    if count < 2:
        return ""
    cells = "".join(f"<td>{f'<b>{n}</b>' if n == current else n}</td>" for n in range(1, count + 1))
    return f'<table class="paginator"><tr><td>Pages:</td>{cells}<td>next</td></tr></table>'


def page_of(rows: list[Row], number: int | None = 1, count: int = 1, diagram: str = '<div class="cdiag_frame"></div>', head: str = META, players: str = PLAYERS, more: str = "") -> str:
    "A page of the old form: every row twice, a diagram row between."
    body = "".join(f'<tr><td style="width: 20%;"><b>{moves}</b><!-- move --></td><td>{comment}</td></tr><tr><td colspan="2">{diagram}</td></tr>'
                   f"<tr><td>{moves}<!-- move -->hidden</td><td>{comment}</td></tr>" for moves, comment in rows)
    pages = paginator(count, number)
    return f'<html><head>{head}<title>x</title></head><body>{players}{pages}<table class="dialog"><tbody>{body}</tbody></table>{pages}{more}</body></html>'


def parsed(text: str | bytes, name: str = "saved0.html") -> Page:
    return parse_page(text if isinstance(text, bytes) else text.encode("cp1252"), Path(name))


def built(folder: Path, pages: dict[str, str | bytes]) -> tuple[Account, list[Record], list[dict]]:
    "Account, records and rejections of a folder of pages."
    source, out = folder / "in", folder / "out"
    source.mkdir()
    for name, text in pages.items():
        (source / name).write_bytes(text if isinstance(text, bytes) else text.encode("cp1252"))
    account = build_chess([source], out / "records.jsonl", out / "rejects.jsonl")
    return account, list(iter_records(out / "records.jsonl")), [json.loads(line) for line in (out / "rejects.jsonl").read_text(encoding="utf-8").splitlines()]


def said(records: list[Record]) -> list[tuple[str, str, str]]:
    return [(record.game_state.step, record.game_state.label, record.commentary.processed_commentary) for record in records]


FIRST = page_of([("1. e4 e5 2. Nf3 Nc6", "Standard so far &amp; fine."), ("3. Bc4", "The Italian. Caf\xe9 chess &quot;1...e5&quot; &lt;3"), ("3... Bc5 4. c3", "")], 1, 2)
SECOND = page_of([("4... Nf6 5. O-O", "White castles -- next I show 5. d4!? as an idea (5. d4 exd4 6. cxd4)."), ("5... O-O", "")], 2, 2)
FIRST_ROWS = [("1. e4 e5 2. Nf3 Nc6", "Standard so far & fine."), ("3. Bc4", 'The Italian. Café chess "1...e5" <3'), ("3... Bc5 4. c3", "")]
SECOND_ROWS = [("4... Nf6 5. O-O", "White castles -- next I show 5. d4!? as an idea (5. d4 exd4 6. cxd4)."), ("5... O-O", "")]


# ---- the awkward cases, written anew and as filed

def test_gk_01_rows_entities_charset_and_page_count():
    page = parsed(FIRST)
    assert page.rows == FIRST_ROWS and (page.number, page.count) == (1, 2)


def test_gk_03_a_comment_on_several_plies_belongs_to_the_last(tmp_path: Path):
    _, (record,), _ = built(tmp_path, {"saved0.html": page_of([("1. e4 e5 2. Nf3 Nc6", "Standard so far")])})
    assert (record.game_state.step, record.game_state.label) == ("4", "2... Nc6") and "span:1-4" in record.origin.flags
    assert [move.uci() for move in read_main_line(tmp_path / "out" / record.game_state.storage_file)[1]] == ["e2e4", "e7e5", "g1f3", "b8c6"]


def test_gk_04_moves_in_a_comment_stay_in_it(tmp_path: Path):
    assert parsed(SECOND, "saved0_2.html").rows == SECOND_ROWS
    _, records, _ = built(tmp_path, {"saved0.html": FIRST, "saved0_2.html": SECOND})
    assert len(read_main_line(tmp_path / "out" / records[0].game_state.storage_file)[1]) == 10


@pytest.mark.parametrize("name", ["gk-01", "gk-04"])
def test_pages_as_filed(name: str, shared: Path, cases: dict[str, dict]):
    case = cases[name]
    path = shared / "samples" / "gameknot" / Path(case["input"]).name
    page = parse_page(path.read_bytes(), path)
    assert page.rows == [tuple(row) for row in case["expected"]["rows"]] and page.count == case["expected"].get("pages", 2)


def test_rows_as_filed(cases: dict[str, dict], tmp_path: Path):
    case = cases["gk-03"]
    given_input = json.loads(case["input"]) if isinstance(case["input"], str) else case["input"]
    _, (record,), _ = built(tmp_path, {"saved0.html": page_of([tuple(given_input["row"])])})
    assert int(record.game_state.step) == case["expected"]["comment_attached_to_ply"]
    board, sans = chess.Board(), []
    for move in read_main_line(tmp_path / "out" / record.game_state.storage_file)[1]:
        sans.append(board.san(move))
        board.push(move)
    assert sans == case["expected"]["plies"]


def test_every_filed_gameknot_case_is_tested(cases: dict[str, dict]):
    assert {name for name in cases if name.startswith("gk-")} == {"gk-01", "gk-03", "gk-04"}


def check_both_pages(folder: Path, account: Account, records: list[Record], rejections: list[dict]) -> None:
    "Two pages of one game hold five rows, three of them with words."
    assert (account.games, account.commented_plies, len(records), len(rejections)) == (1, 3, 3, 0)
    assert said(records) == [("4", "2... Nc6", "Standard so far & fine."), ("5", "3. Bc4", 'The Italian. Café chess "1...e5" <3'),
                             ("9", "5. O-O", "White castles -- next I show 5. d4!? as an idea (5. d4 exd4 6. cxd4).")]
    assert ["span:1-4" in records[0].origin.flags, any("span" in flag for flag in records[1].origin.flags), "span:8-9" in records[2].origin.flags] == [True, False, True]
    told = {"Event: A made-up game", "White: alpha", "Black: beta", "WhiteElo: 1500", "BlackElo: 1432", "Result: 1-0 (White won)", "Opening: Italian game", "ECO: C50"}
    assert told <= set(records[0].background.splitlines())
    assert [chess_state(record, folder).move_text for record in records] == ["2... Nc6", "3. Bc4", "5. O-O"]


def test_two_pages_become_one_game(tmp_path: Path):
    check_both_pages(tmp_path / "out", *built(tmp_path, {"saved0_2.html": SECOND, "saved0.html": FIRST}))


def test_the_filed_pages_become_one_game(shared: Path, tmp_path: Path):
    pages = sorted((shared / "samples" / "gameknot").glob("*.html"))
    assert len(pages) == 2
    check_both_pages(tmp_path / "out", *built(tmp_path, {page.name: page.read_bytes() for page in pages}))


@pytest.mark.parametrize("there, missing, n_rejected", [("saved0.html", "2", 2), ("saved0_2.html", "1", 1)])
def test_a_missing_page_is_said(there: str, missing: str, n_rejected: int, tmp_path: Path):
    account, records, rejections = built(tmp_path, {there: FIRST if there == "saved0.html" else SECOND})
    assert not records and account.commented_plies == len(rejections) == n_rejected
    assert all(f"page {missing} of 2 is missing" in rejection["reason"] and rejection["file"] == there for rejection in rejections)


# ---- grouping

def link(game: int, page: int = 0) -> str:
    return f'<a href="/annotation.pl/some-game?gm={game}{f"&amp;pg={page}" if page else ""}">here</a>'


def test_pages_of_two_games_are_told_apart_by_id(tmp_path: Path):
    pages = {"b.html": page_of([("1. d4", "The queen's pawn.")], more=link(5)), "a2.html": page_of([("1... e5", "The same in return.")], 2, 2, more=link(4, 1)),
             "a1.html": page_of([("1. e4", "The king's pawn.")], 1, 2, more=link(4))}
    account, records, rejections = built(tmp_path, pages)
    assert account.games == 2 and not rejections and sorted(label for _, label, _ in said(records)) == ["1. d4", "1. e4", "1... e5"]


def test_a_page_saved_twice_is_used_once(tmp_path: Path):
    page = page_of([("1. e4 e5", "Both pawns meet.")], more=link(4))
    account, records, rejections = built(tmp_path, {"saved0.html": page, "saved7.html": page})
    assert (account.games, len(records), len(rejections)) == (1, 1, 0)


def test_ten_pages_are_in_the_order_of_their_numbers(tmp_path: Path):
    board, pages, chance = chess.Board(), {}, random.Random(3)
    for number in range(1, 12):
        move = chance.choice(sorted(board.legal_moves, key=str))
        pages[f"saved3{'' if number == 1 else f'_{number}'}.html"] = page_of([(f"{board.fullmove_number}{'.' if board.turn else '...'} {board.san(move)}", f"Said on page {number}.")], number, 11)
        board.push(move)
    _, records, rejections = built(tmp_path, pages)
    assert [text for _, _, text in said(records)] == [f"Said on page {number}." for number in range(1, 12)] and not rejections


@pytest.mark.parametrize("names", [  # people count from 1, the public crawler from 0
    ("saved0.html", "saved0_2.html", "saved0_3.html"),
    ("saved0.html", "saved0_1.html", "saved0_2.html")])
def test_file_names_order_pages_that_do_not_say_which_they_are(names: tuple[str, ...], tmp_path: Path):
    rows = [("1. e4 e5", "Both pawns meet."), ("2. Nf3 Nc6", "Both knights come out."), ("3. Bb5", "The Spanish bishop.")]
    account, records, rejections = built(tmp_path, {name: page_of([row], None, 3) for name, row in zip(names, rows)})
    assert not rejections and [step for step, _, _ in said(records)] == ["2", "4", "5"] and account.games == 1


def test_no_page_is_lost_where_names_and_ids_clash(tmp_path: Path):
    pages = {name: page_of([("1. e4", f"Words of {name}.")], more=link(4)) for name in ("saved0.html", "saved1.html", "saved1_1.html")}
    account, records, rejections = built(tmp_path, pages)
    assert {record.commentary.processed_commentary for record in records} | {rejection["text"] for rejection in rejections} == {f"Words of {name}." for name in pages}


# ---- what stands in a page

def test_castling_rights_come_from_the_moves(tmp_path: Path):
    pages = {"saved0.html": page_of([("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. Ke2 Nf6 5. Ke1 d6 6. O-O", "Too late to castle.")])}
    _, records, (rejection,) = built(tmp_path, pages)
    assert not records and "O-O" in rejection["reason"] and "11" in rejection["reason"] and rejection["text"] == "Too late to castle."


def test_braces_and_quotes_do_not_break_the_game(tmp_path: Path):
    players = '<div>The &quot;big&quot; one \\ two<br>al"pha (1500) vs. be]ta (1432)<br>1-0</div>'
    _, records, rejections = built(tmp_path, {"saved0.html": page_of([("1. e4", "a {brace} that } closes { early; and [Event \"x\"]"), ("1... e5", "The answer.")], players=players)})
    assert not rejections and len(records) == 2
    (game,) = split_games((tmp_path / "out" / records[0].game_state.storage_file).read_text(encoding="utf-8").splitlines())
    assert (game.tags["Event"], game.tags["White"], game.tags["Black"]) == ('The "big" one \\ two', 'al"pha', "be]ta") and not game.problem
    assert len(read_main_line(tmp_path / "out" / records[0].game_state.storage_file)[1]) == 2
    assert all(word in records[0].commentary.processed_commentary for word in ("brace", "closes", "early; and [Event \"x\"]"))


@pytest.mark.parametrize("comment, text", [
    (b"Caf\xe9 &amp; cr\xe8me", "Café & crème"), (b"one<br>two<p>three</p>", "one two three"), (b"a<script>x()</script> b<style>p {}</style><!-- no -->", "a b"),
    (b"the <b>b</b>ishop (<a href='x'>Nf3</a>), then <i>e4</i>!", "the bishop (Nf3), then e4!"), (b"It\x92s \x93fine\x94 \x96 really", "It’s “fine” – really")])
def test_comment_cells_read_as_a_browser_shows_them(comment: bytes, text: str):
    page = page_of([("1. e4", "HERE")]).encode("cp1252").replace(b"HERE", comment)
    assert parse_page(page, Path("saved0.html")).rows == [("1. e4", text)]


@pytest.mark.parametrize("head", [META, '<meta charset="utf-8">', ""])
def test_pages_saved_anew_in_utf8_are_read_whatever_they_declare(head: str):
    assert parsed(page_of([("1. e4", "Züge – naïve “quotes”")], head=head).encode("utf-8")).rows == [("1. e4", "Züge – naïve “quotes”")]


def test_tables_inside_cells_are_no_rows(tmp_path: Path):
    labels = '<div class="cdiag_frame"><table class="boardlabel"><tr><td>a</td><td>b</td></tr></table></div>'
    page = parsed(page_of([(f"1. e4 e5<!-- move -->{labels}", "Both pawns meet."), ("2. Nf3", "See <table><tr><td>this</td><td>line</td></tr></table>")]))
    assert page.rows == [("1. e4 e5", "Both pawns meet."), ("2. Nf3", "See this line")]


# ---- boards

def old_board(board: chess.Board) -> str:
    "As the public crawler read it: 64 divs from a1 to a8, b1 …; the picture's offset on the sprite sheet says the piece."
    tops, squares = {chess.KING: 0, chess.QUEEN: -30, chess.ROOK: -60, chess.KNIGHT: -90, chess.BISHOP: -120, chess.PAWN: -150}, []
    for file in range(8):
        for rank in range(8):
            piece = board.piece_at(chess.square(file, rank))
            picture = f'<img src="set.png" style="position: absolute; left: {0 if piece.color else -30}px; top: {tops[piece.piece_type]}px;">' if piece else ""
            squares.append(f'<div style="position: absolute; left: {30 * file}px; top: {30 * (7 - rank)}px;">{picture}</div>')
    return f'<div class="cdiag_frame"><div id="board">{"".join(squares)}</div></div>'


def new_board(board: chess.Board) -> str:
    return f'<div data-chess-diagram="{" ".join(board.fen().split()[:4])}|||last=e7e5"></div>'


def after(*sans: str) -> chess.Board:
    board = chess.Board()
    for san in sans:
        board.push_san(san)
    return board


@pytest.mark.parametrize("diagram", [old_board, new_board])
def test_boards_of_both_forms_are_read(diagram):
    board = after("e4", "e5", "Nf3", "Nc6")
    assert parsed(page_of([("1. e4 e5 2. Nf3 Nc6", "x y z")], diagram=diagram(board))).boards == [board.board_fen()]


@pytest.mark.parametrize("diagram", [old_board, new_board])
def test_boards_check_the_moves(diagram, tmp_path: Path):
    (tmp_path / "right").mkdir()
    (tmp_path / "wrong").mkdir()
    rows = [("1. e4 e5", "Both pawns meet.")]
    account, records, _ = built(tmp_path / "right", {"saved0.html": page_of(rows, diagram=diagram(after("e4", "e5")))})
    assert len(records) == 1 and account.games_rejected == 0
    _, records, (rejection,) = built(tmp_path / "wrong", {"saved0.html": page_of(rows, diagram=diagram(after("d4", "d5")))})
    assert not records and rejection["ply"] == 2 and "diagram" in rejection["reason"] and after("d4", "d5").board_fen() in rejection["reason"]


def test_empty_diagrams_say_nothing(tmp_path: Path):
    _, records, rejections = built(tmp_path, {"saved0.html": page_of([("1. e4", "The king's pawn.")], diagram='<div class="cdiag_frame"><div id="board">' + "<div></div>" * 64 + "</div></div>")})
    assert len(records) == 1 and not rejections


# ---- the newer form: exported PGN, ids in links

EXPORT = '[Event "Demo"]\n[White "Ann"]\n[Black "Ben"]\n[Result "1-0"]\n[Annotator "Ann"]\n\n1. e4 {Best by &quot;test&quot;.} e5 {It meets.} 1-0'


def test_the_exported_pgn_serves_where_there_are_no_rows(tmp_path: Path):
    text = f'<html><head><link rel="canonical" href="https://gameknot.com/annotation.pl/demo?gm=78"></head><body>{new_board(after("e4"))}<textarea id="pgn_code">{EXPORT}</textarea></body></html>'
    assert parsed(text).game_id == "78" and parsed(text).exported.startswith("[Event")
    _, records, rejections = built(tmp_path, {"saved1.html": text})
    assert said(records) == [("1", "1. e4", 'Best by "test".'), ("2", "1... e5", "It meets.")] and not rejections
    assert {"Event: Demo", "Annotator: Ann"} <= set(records[0].background.splitlines())
    assert '[GameId "78"]' in (tmp_path / "out" / records[0].game_state.storage_file).read_text(encoding="utf-8")


def test_rows_and_exported_pgn_together_give_one_game(tmp_path: Path):
    account, records, _ = built(tmp_path, {"saved1.html": page_of([("1. e4 e5", "Both pawns meet.")], players="", more=f'{link(78)}<textarea id="pgn_code">{EXPORT}</textarea>')})
    assert account.games == 1 and said(records) == [("2", "1... e5", "Both pawns meet.")] and "Event: Demo" in records[0].background


def test_links_to_other_games_do_not_name_this_one():
    assert parsed(page_of([("1. e4", "x y z")], more=link(79) + link(80))).game_id == ""
    assert parsed(page_of([("1. e4", "x y z")], head='<link rel="canonical" href="https://gameknot.com/annotation.pl/demo?gm=78">', more=link(79))).game_id == "78"


# ---- pages that are wrong

@pytest.mark.parametrize("content", [b"", b"<html><body>404 Not Found</body></html>", b"\x00\x01\x02", b"<table class='dialog'></table>", b"plain words"])
def test_a_page_without_a_game_is_one_line(content: bytes, tmp_path: Path):
    (tmp_path / "saved100.html").write_bytes(content)
    with pytest.raises(BenchError) as caught:
        build_chess([tmp_path / "saved100.html"], tmp_path / "new" / "records.jsonl")
    assert "saved100.html" in str(caught.value) and "\n" not in str(caught.value) and not (tmp_path / "new").exists()


def test_a_page_without_a_game_does_not_cost_the_others(tmp_path: Path):
    account, records, (rejection,) = built(tmp_path, {"saved100.html": "<html><body>404 Not Found</body></html>", "saved0.html": page_of([("1. e4", "The king's pawn.")])})
    assert len(records) == 1 and rejection["file"] == "saved100.html" and account.files == 2


def test_illegal_moves_on_a_page_reject_it_ply_by_ply(tmp_path: Path):
    account, records, rejections = built(tmp_path, {"saved0.html": page_of([("1. e4 e5", "Both pawns meet."), ("2. Ke3", "Too far."), ("2... Nc6", "The knight comes out.")])})
    assert not records and [(r["ply"], r["text"]) for r in rejections] == [(2, "Both pawns meet."), (3, "Too far."), (4, "The knight comes out.")] and account.commented_plies == 3
    assert all("Ke3" in r["reason"] and "ply 3" in r["reason"] for r in rejections)


# ---- random games through HTML and back

COMMENTS = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp"), exclude_characters="\ufeff\u200b\u200e\u200f\u2060"), max_size=40)


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10**6), comments=st.lists(COMMENTS, min_size=1, max_size=12))
def test_random_pages_keep_moves_and_text(seed: int, comments: list[str], tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    board, moves, rows, chance, expected = chess.Board(), [], [], random.Random(seed), {}
    for comment in comments:
        words = []
        for _ in range(chance.randint(1, 3)):
            if legal := sorted(board.legal_moves, key=str):
                moves.append(chance.choice(legal))
                words.append(f"{board.fullmove_number}{'.' if board.turn else '...'} {board.san(moves[-1])}")
                board.push(moves[-1])
        if words:
            rows.append((" ".join(words), html.escape(comment)))
            if plain := " ".join(comment.replace("{", "(").replace("}", ")").split()):
                expected[len(moves)] = plain
    account, records, rejections = built(folder, {"saved0.html": page_of(rows, head='<meta charset="utf-8">').encode("utf-8")})
    commands = {ply for ply, text in expected.items() if "[%" in text}
    kept = {int(record.game_state.step): record.commentary.raw_commetary for record in records} | {r["ply"]: r["text"] for r in rejections if r.get("ply")}
    assert {ply: text for ply, text in kept.items() if ply not in commands} == {ply: text for ply, text in expected.items() if ply not in commands}
    for record in records:
        assert list(read_main_line(folder / "out" / record.game_state.storage_file)[1]) == moves
