"""SGF as it is found: the awkward cases, damage of many kinds, encodings, and the reader against sgfmill where both can read a file."""
import io
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamecommbench.collect.goban import IllegalMove, sgf_of_point
from gamecommbench.collect.sgf import Move, SgfGame, game_of_tree, komi_points, read_sgf, replay, start_of
from gamecommbench.collect.sgf_text import decode_sgf, sgf_texts
from gamecommbench.collect.sgf_tree import read_trees
from gamecommbench.collect.sgf_write import sgf_of_game
from gamecommbench.schema import BenchError


def games_of(data: bytes) -> list[SgfGame]:
    "The games of some bytes."
    found: list[SgfGame] = []
    for part in sgf_texts(io.BytesIO(data)):
        for index, tree in enumerate(read_trees(part.text), len(found) + 1):
            found.append(game_of_tree(tree, index, part.encoding, part.warnings))
    return found


def game_of(text: str) -> SgfGame:
    (game,) = games_of(text.encode())
    return game


def points(game: SgfGame) -> list[str]:
    return [sgf_of_point(move.point, game.size) for move in game.moves]


def turns(game: SgfGame) -> list[list[str]]:
    return [[move.colour, sgf_of_point(move.point, game.size)] for move in game.moves]


# ---- the awkward cases

SGF_CASES = ["sgf-01", "sgf-03", "sgf-04", "sgf-05b", "sgf-05c", "sgf-05e", "sgf-05f", "sgf-07", "sgf-08", "sgf-10", "sgf-11", "sgf-13", "sgf-14", "sgf-16", "sgf-17", "sgf-19", "sgf-20"]
CHECKS = {  # from a case's "expected" to what our reader says
    "PB": lambda game: game.info["PB"], "US": lambda game: game.info["US"], "SZ": lambda game: game.size, "C": lambda game: game.introduction, "encoding_used": lambda game: game.encoding,
    "komi_points": lambda game: game.komi, "handicap": lambda game: game.handicap, "mainline": points, "or_moves": points, "comment_1": lambda game: game.moves[0].comment,
    "setup_black": lambda game: [sgf_of_point(point, game.size) for point in game.setup.black]}


@pytest.mark.parametrize("name", SGF_CASES)
def test_awkward_case(name: str, cases: dict[str, dict]):
    case = cases[name]
    data = bytes.fromhex(case["input"]["hex"]) if isinstance(case["input"], dict) else case["input"].encode()
    games, expected = games_of(data), case["expected"]
    game = games[0]
    assert not game.problem
    for key, value in expected.items():
        if key in CHECKS:
            assert CHECKS[key](game) == value, key
        elif key == "moves":
            assert (turns(game) if isinstance(value[0], list) else points(game)) == value
        elif key == "warning":
            assert value in game.warnings
        elif key == "games":
            assert len(games) == value
        elif key == "variations_at_ply_2":
            (tree,) = read_trees(data.decode())
            assert [node["W"][0] for after, node in tree.forks if after == 2] == value
        elif key == "moves_min":
            assert len(game.moves) >= value
        elif key == "status" and "or_moves" not in expected:
            assert "value swallowed a move" in game.warnings
        else:
            assert key == "status", f"{key} is not checked"


def test_every_case_of_the_area_is_listed(cases: dict[str, dict]):
    assert sorted(name for name, case in cases.items() if case["area"] == "sgf") == SGF_CASES


# ---- encodings

SENTENCES = {
    "gb18030": ("黑棋先占右上角，白棋应该先手打吃。", "GBK"), "cp950": ("黑棋先佔右上角，白棋應該先手打吃。", "Big5"), "cp932": ("白は右上の隅を守りました。この手は厚い。", "Shift_JIS"),
    "cp949": ("흑이 귀를 지키는 수는 두터운 수였다.", "EUC-KR"), "euc_jp": ("白は右上の隅を守りました。この手は厚い。", "EUC-JP"), "cp1252": ("Müller spielt größer als nötig, voilà.", "ISO-8859-1")}


@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize("encoding", SENTENCES)
def test_encoding_is_recognised(encoding: str, declared: bool):
    sentence, label = SENTENCES[encoding]
    text = f"(;GM[1]SZ[19]{f'CA[{label}]' if declared else ''};B[pd]C[{sentence}])"
    (game,) = games_of(text.encode(encoding))
    assert (game.moves[0].comment, game.encoding, game.warnings) == (sentence, encoding, [])


@pytest.mark.parametrize("encoding, sentence", [(encoding, sentence) for encoding, (sentence, _) in SENTENCES.items()])
@pytest.mark.parametrize("label", ["UTF-8", "Klingon"])
def test_a_false_ca_does_not_mislead(encoding: str, sentence: str, label: str):
    (game,) = games_of(f"(;GM[1]SZ[19]CA[{label}];B[pd]C[{sentence}])".encode(encoding))
    assert game.moves[0].comment == sentence and ("CA names another encoding than the file has" in game.warnings) == (label == "UTF-8")


@pytest.mark.parametrize("label", ["GBK", "Big5", "ISO-8859-1", "EUC-KR"])
def test_utf8_under_another_name(label: str):
    (game,) = games_of(f"(;GM[1]SZ[19]CA[{label}]PB[柯洁];B[pd])".encode())
    assert (game.info["PB"], game.encoding) == ("柯洁", "utf-8") and game.warnings == ["CA names another encoding than the file has"]


def test_trail_bytes_that_look_like_syntax():
    "In GBK 俓 is 82 5C and 俔 is 82 5D: a backslash and a closing bracket for whoever reads brackets first."
    text = "(;GM[1]SZ[19]C[俓俔好棋的一手，黑棋好];B[pd]C[俔])"
    (game,) = games_of(text.encode("gb18030"))
    assert (game.introduction, game.moves[0].comment, game.warnings) == ("俓俔好棋的一手，黑棋好", "俔", [])


@pytest.mark.parametrize("codec", ["latin-1", "cp1252"])
def test_mojibake_is_mended_and_told(codec: str):
    text = "(;GM[1]SZ[19]PB[André];B[pd]C[Œuvre, don’t])" if codec == "cp1252" else "(;GM[1]SZ[19]PB[柯洁];B[pd]C[好棋])"
    (game,) = games_of(text.encode().decode(codec).encode())
    assert game_of(text).moves == game.moves and game.warnings == ["UTF-8 read as Latin-1, mended"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_marks_and_wide_letters(encoding: str):
    (game,) = games_of("(;GM[1]SZ[19]PB[柯洁];B[pd];W[dd];B[pp];W[dp])".encode(encoding))
    assert game.info["PB"] == "柯洁" and len(game.moves) == 4


def test_files_of_several_encodings_and_large_files():
    joined = b"\n".join(f"(;GM[1]SZ[19]PB[柯洁]C[黑棋先占右上角];B[pd]C[{encoding}])".encode(encoding) for encoding in ("utf-8", "gb18030", "utf-8"))
    assert [(game.index, game.info["PB"], game.introduction) for game in games_of(joined)] == [(number, "柯洁", "黑棋先占右上角") for number in (1, 2, 3)]
    many = b"".join(b"(;GM[1]SZ[9]RO[%d];B[ee]C[a (;GM[1] of words\\]);W[cc])\n" % number for number in range(3000))
    parts = list(sgf_texts(io.BytesIO(many), block_size=20_000))
    assert len(parts) > 3 and max(len(part.text) for part in parts) < 60_000
    games = [game_of_tree(tree) for part in parts for tree in read_trees(part.text)]
    assert [game.info["RO"] for game in games] == [str(number) for number in range(3000)] and all(len(game.moves) == 2 for game in games)


# ---- damage

@pytest.mark.parametrize("text, warning", [
    ("(;SZ[19]US[Abe[3d]]PB[x];B[pd];W[dd])", "unescaped ]"), ("(;SZ[19];B[pd]C[see [a]; then (b [c]) fine];W[dd])", "unescaped ]"), ("(;SZ[19];B[pd]C[open;W[dd])", "value swallowed a move"),
    ("(;SZ[19];B[pd]C[open;C[next]W[dd])", "value swallowed a move"), ("(;SZ[19];B[pd];W[dd]C[no end", "a value is not closed"), ("(;SZ[19];B[pd];W[dd]", "missing ')'"), ("(;SZ[19];B[pd];W[dd]))", "extra ')'"),
    ("(;SZ[19];B[pd]);W[dd])", "extra ')'"), ("(SZ[19];B[pd];W[dd])", "missing ';'"), ("(;SZ[19];B[pd];W[dd])\x1a\x00end", "trailing bytes"), ("Dear (all),\n\n(;SZ[19];B[pd];W[dd])", "text before the tree"),
    ("(;SiZe[19];Black[pd];White[dd])", "old names of properties"), ("(;SZ[19];b[pd];w[dd])", "lower-case names of properties"), ("(;SZ[19];B[pd]C[one]C[two];W[dd])", "a property twice in a node"),
    ("(;SZ[19];B[pd]W[dd])", "two moves in a node"), ("(;GM[1];B[pd];W[dd])", "no board size, 19 taken"), ("(;SZ[19:19]KM[six];B[pd];W[dd])", "komi is no number"), ("(;SZ[19];B[pd] oops ;W[dd])", "unreadable text left out")])
def test_damage_is_mended_and_told(text: str, warning: str):
    game = game_of(text)
    assert points(game) == ["pd", "dd"] and not game.problem and warning in game.warnings


@pytest.mark.parametrize("text, problem", [
    ("(;SZ[19];B[pd];W[dd];B[dd]C[a])", "a move on a point that is taken"), ("(;SZ[9];B[pd]C[a])", "a point beyond the board"), ("(;SZ[9:19];B[ee])", "the board is not square"), ("(;SZ[99];B[ee])", "the board is not of 2 to 25 lines"),
    ("(;SZ[0];B[ee])", "the board is not of 2 to 25 lines"), ("(;GM[2]SZ[8];B[ee])", "the game is not Go"), ("(;SZ[19];B[pd][dd])", "two moves of one colour in a node"), ("(;SZ[19];B[pd](;W[dd]);W[dp])", "moves stand after a closed variation"),
    ("(;SZ[19]C[only words])", "no moves"), ("(;SZ[19]AB[zz];B[pd])", "a point beyond the board")])
def test_what_cannot_be_trusted_says_why(text: str, problem: str):
    game = game_of(text)
    assert game.problem == problem
    assert len(game.refused) == (1 if "C[a]" in text or "only words" in text else 0)


def test_an_open_game_before_another():
    first, second = games_of(b"(;GM[1]SZ[19];B[pd];W[dd]C[the end]\n(;GM[1]SZ[9];B[ee])")
    assert points(first) == ["pd", "dd"] and first.warnings == ["missing ')'"] and first.variations == 0 and points(second) == ["ee"]


@pytest.mark.parametrize("value, rules, expected", [
    ("375", "Chinese", 7.5), ("375", "", 7.5), ("650", "Japanese", 6.5), ("550", "Japanese", 5.5), ("750", "Chinese", 7.5), ("350", "Chinese", 7.0), ("3.75", "Chinese", 7.5), ("2.75", "Chinese", 5.5), ("7.5", "Chinese", 7.5), ("0", "Chinese", 0),
    ("0.5", "", 0.5), ("-5.5", "", -5.5), ("6.50", "", 6.5), ("6,5", "", 6.5), ("6.5目", "", 6.5), ("3又3/4子", "", 7.5), ("5.", "", 5.0), ("", "", None), ("x", "", None), ("nan", "", None)])
def test_komi(value: str, rules: str, expected: float | None):
    assert komi_points(value, rules) == expected


@pytest.mark.parametrize("text, handicap, stones, komi, moves", [
    ("(;SZ[19]KM[0]HA[2]AP[foxwq];AB[dd];AB[pd];W[dm];B[cn])", 2, ["dd", "pd"], 0, ["dm", "cn"]), ("(;SZ[19]KM[375]HA[0]AP[foxwq];B[pd];B[dd];W[dm])", 2, ["pd", "dd"], 0, ["dm"]),
    ("(;SZ[19]KM[0.5]HA[2]AB[dd][pd];W[dm])", 2, ["dd", "pd"], 0.5, ["dm"]), ("(;SZ[19]KM[0.5]AB[dd][pd];W[dm])", 2, ["dd", "pd"], 0.5, ["dm"]), ("(;SZ[19]KM[0.5]HA[2];B[dd];B[pd];W[dm])", 2, ["dd", "pd"], 0.5, ["dm"]),
    ("(;SZ[19]KM[375]HA[0]AP[foxwq];B[pd];W[dd])", 0, [], 7.5, ["pd", "dd"]), ("(;SZ[19]KM[6.5];B[pd];B[dd];W[dm])", 0, [], 6.5, ["pd", "dd", "dm"]), ("(;SZ[9]AB[aa:ba]AW[cc];B[ee])", 0, ["aa", "ba"], None, ["ee"])])
def test_handicap(text: str, handicap: int, stones: list[str], komi: float | None, moves: list[str]):
    game = game_of(text)
    assert (game.handicap, [sgf_of_point(point, game.size) for point in game.setup.black], game.komi, points(game)) == (handicap, stones, komi, moves)
    assert [move.ply for move in game.moves] == list(range(1, len(moves) + 1))


def test_passes():
    assert points(game_of("(;SZ[19];B[tt];W[])")) == ["pass", "pass"] and points(game_of("(;SZ[21];B[tt])")) == ["tt"]
    assert points(game_of("(;SZ[9];B[tt];W[ee])")) == ["pass", "ee"]


# ---- round trips and properties

TEXTS = st.text(alphabet=st.sampled_from("ab 字\\[]();:\n"), max_size=12)


@given(st.lists(st.tuples(st.integers(0, 80), st.one_of(st.none(), TEXTS)), max_size=30), TEXTS)
@settings(max_examples=150, deadline=None)
def test_clean_sgf_reads_as_the_same_game(moves: list[tuple[int, str | None]], name: str):
    "Whatever the comments hold, a written game is read back as it was, with no warning."
    seen: set[int] = set()
    kept = [pair for pair in moves if not (pair[0] in seen or seen.add(pair[0]))]
    game = SgfGame(1, 9, {"PB": " ".join(name.split())}, 6.5, moves=[Move(ply, "BW"[ply % 2], point, comment) for ply, (point, comment) in enumerate(kept, 1)])
    try:
        replay(start_of(game), game.moves)
    except IllegalMove:
        return
    (again,) = games_of(sgf_of_game(game).encode())
    assert again.moves == game.moves and (again.info.get("PB") or "") == game.info["PB"] and again.komi == 6.5
    assert not set(again.warnings) - {"a move takes off its own stones", "a ko is retaken at once"}


@given(st.text(alphabet=st.sampled_from("(;)[]\\BWCAE aptd\n\r19nZS好"), max_size=60))
@settings(max_examples=400, deadline=None)
def test_no_text_breaks_the_reader(text: str):
    "It reads, or it says that there is no game; it never hangs and never fails otherwise."
    try:
        games = games_of(text.encode())
    except BenchError:
        return
    assert games and all(game.problem or game.moves for game in games)


@given(st.integers(0, 10_000), st.sampled_from("[]();\\"), st.booleans())
@settings(max_examples=200, deadline=None)
def test_one_wrong_character_is_survived(place: int, character: str, insert: bool):
    text = "(;GM[1]FF[4]SZ[9]PB[Ann];B[ee]C[good (really)];W[cc](;B[gg]C[b: [x\\]];W[cg];B[gc])(;B[gf]C[no]))"
    place %= len(text)
    games = games_of((text[:place] + character + text[place + (not insert):]).encode())
    assert games and all(game.problem or game.moves for game in games)


# ---- the real files

COMMENTED = {"LS_vs_AG_-_G4_-_English.sgf": (180, 39), "fox_sgf_error.sgf": (186, 0), "fox_sgf_works.sgf": (92, 0), "ogs.sgf": (113, 0), "panda1.sgf": (204, 1), "xmgt97.sgf": (60, 1), "handicap3_AB_nodes.sgf": (2, 0),
             "handicap4_leading_black_moves.sgf": (4, 0), "pro_komi650_gbk_reencoded.sgf": (187, 0), "pro_komi650_japanese.sgf": (187, 0), "pro_komi650_mojibake_utf8_as_latin1.sgf": (187, 0)}


@pytest.mark.parametrize("name", COMMENTED)
def test_real_file(name: str, shared: Path):
    "Moves and comments as counted by eye and by plain patterns over the bytes."
    path = next((shared / "samples").glob(f"go_*/{name}"))
    (game,) = read_sgf(path)
    assert not game.problem and (len(game.moves), sum(move.comment is not None for move in game.moves)) == COMMENTED[name]
    played = len(re.findall(rb";\s*(?:B|W|Black|White)\[|(?<=\])\s*(?:Black|White)\[", path.read_bytes()))
    assert len(game.moves) == played - (4 if "leading" in name else 0)


def test_the_three_encodings_of_one_game(shared: Path):
    plain, gbk, twice = (next(read_sgf(shared / "samples" / "go_fox" / f"pro_komi650_{name}.sgf")) for name in ("japanese", "gbk_reencoded", "mojibake_utf8_as_latin1"))
    assert plain.moves == gbk.moves == twice.moves and plain.komi == gbk.komi == twice.komi == 6.5
    assert plain.info == twice.info and gbk.info == plain.info | {"PB": "金恩持"} and gbk.encoding == "gb18030" and "UTF-8 read as Latin-1, mended" in twice.warnings


def test_against_sgfmill(shared: Path):
    "Where sgfmill reads a real file, both have the same moves and end on the same board."
    boards, sgf = pytest.importorskip("sgfmill.boards"), pytest.importorskip("sgfmill.sgf")
    compared = 0
    for path in sorted((shared / "samples").glob("go_*/*.sgf")):
        if "handicap" in path.name:
            continue  # sgfmill plays Fox's handicap stones as moves
        theirs, ours = sgf.Sgf_game.from_bytes(path.read_bytes()), next(read_sgf(path))
        board, moves = boards.Board(theirs.get_size()), []
        for node in theirs.get_main_sequence():
            board.apply_setup(*node.get_setup_stones())
            colour, move = node.get_move()
            if colour:
                moves.append((colour.upper(), None if move is None else (theirs.get_size() - 1 - move[0]) * theirs.get_size() + move[1]))
                if move:
                    board.play(*move, colour)
        ended = start_of(ours)
        replay(ended, ours.moves)
        assert moves == [(move.colour, move.point) for move in ours.moves], path.name
        assert ended.rows() == ["".join({"b": "X", "w": "O", None: "."}[board.get(row, column)] for column in range(ours.size)) for row in reversed(range(ours.size))]
        compared += 1
    assert compared == 9


def test_not_sgf(tmp_path: Path):
    for name, data in (("empty.sgf", b" \n"), ("page.sgf", b"<html></html>"), ("letter.sgf", b"Dear Sir"), ("brackets.sgf", b"a (b); c"), ("picture.sgf", bytes(range(256)) * 4)):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(BenchError, match=name):
            list(read_sgf(tmp_path / name))
    assert decode_sgf(b"\xff\xfe\xff").text


@pytest.mark.parametrize("damage", ["]" * 40_000, "[" * 40_000, ";" * 40_000, "(;" * 20_000, "(" * 40_000, ")" * 40_000, "x]" * 20_000, "];" * 3_000, " " * 40_000 + "[", "C[a];B[" * 3_000, "\\" * 40_001, "(;B[aa]" * 5_000, "a [b] c; (d) " * 3_000])
def test_much_damage_is_read_in_time(damage: str):
    "No pattern of damage takes more than a few seconds, alone or in a comment."
    import time
    start = time.monotonic()
    for text in (f"(;GM[1]SZ[9];B[ee]{damage};W[cc])", f"(;GM[1]SZ[9];B[ee]C[good{damage}];W[cc])"):
        games = games_of(text.encode())
        assert games and (games[0].problem or games[0].moves)
    assert time.monotonic() - start < 20
