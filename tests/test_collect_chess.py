"""PGN files to records: every awkward case, every sample file, bad input, and random games that must come back whole."""
import json
import os
import random
import re
import subprocess
import sys
import tracemalloc
from collections import Counter
from pathlib import Path

import chess
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gamecommbench.build import build_chess
from gamecommbench.collect.pgn import ReadGame, read_game, variations_of
from gamecommbench.collect.pgn_text import split_games
from gamecommbench.package import Account
from gamecommbench.schema import BenchError, Record, iter_records
from gamecommbench.state.chess import chess_state, read_main_line

HEAD = '[Event "A"]\n[Result "*"]\n\n'


def built(folder: Path, content: str | bytes, name: str = "games.pgn") -> tuple[Account, list[Record], list[dict]]:
    "Account, records and rejections of one file."
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return collected(path, folder / "out")


def collected(path: Path, out: Path) -> tuple[Account, list[Record], list[dict]]:
    account = build_chess([path], out / "records.jsonl", out / "rejects.jsonl")
    return account, list(iter_records(out / "records.jsonl")), [json.loads(line) for line in (out / "rejects.jsonl").read_text(encoding="utf-8").splitlines()]


def games_of(text: str) -> list[ReadGame]:
    return [read_game(game) for game in split_games(text.splitlines())]


def sans(game: ReadGame) -> list[str]:
    return [ply.san for ply in game.plies]


def plies_of(rejections: list[dict]) -> list[tuple[int, str]]:
    "Rejected plies with the first words of their reasons."
    return [(rejection["ply"], rejection["reason"]) for rejection in rejections if rejection.get("ply") is not None]


# ---- the awkward cases, written anew so that they also run where shared/ is absent

CASES: dict[str, str | bytes] = {
    "pgn-01": HEAD + "{intro} 1. e4 {after e4} e5 ({before d5} 1... d5 {after d5}) 2. Nf3 *\n",
    "pgn-03": HEAD + "1. e4 e5 ? 2. Nf3 *\n",
    "pgn-04": '[Event "Café"]\n[White "Müller"]\n[Result "*"]\n\n1. e4 {naïve} *\n'.encode("cp1252"),
    "pgn-06": HEAD + "1. e4 e5 2. Ke3 {bad} Nc6 *\n",
    "pgn-07": HEAD + "1. e4 -- {idea} 2. d4 *\n",
    "pgn-09": HEAD + '1. e4 {never closed\n\n[Event "B"]\n[Result "*"]\n\n1. d4 *\n',
    "pgn-10": HEAD + "1. e4 {[%clk 0:10:00] strong [%cal Ge2e4]} e5 {[%eval 0.3]} *\n",
    "pgn-12": '[Event "A"]\n[SetUp "1"]\n[FEN "4k3/8/8/8/8/8/4p3/4K3 b - - 0 40"]\n[Result "*"]\n\n40... Kd7 {go} 41. Kxe2 *\n',
    "pgn-13": '[Event "?"]\n[SetUp "1"]\n[FEN "r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1"]\n\n1. O-O *\n',
    "pgn-15": HEAD + "1.e4 e5 2.Nf3! Nc6?! 3.Bc4$14 Bc5 4.0-0 Nf6 *\n",
    "pgn-16": '[Event "A"]\n[Result "1-0"]\n\n1. e4 {one} {two} e5 1-0 {trailing}\n',
}


def check_pgn_01(text, folder):
    (game,) = games_of(text)
    assert game.introduction == "intro" and [(ply.san, ply.comment) for ply in game.plies] == [("e4", "after e4"), ("e5", ""), ("Nf3", "")]
    (variation,) = variations_of(next(split_games(text.splitlines())))
    assert (variation.replaces_ply, variation.moves, variation.comment_before_first_move) == (2, [("d5", "after d5")], "before d5")
    account, records, _ = built(folder, text)
    assert (account.records, account.comments_in_variations) == (1, 2) and "Introduction: intro" in records[0].background


def check_pgn_03(text, folder):
    (game,) = games_of(text)
    assert sans(game) == ["e4", "e5", "Nf3"] and {ply.number: ply.nags for ply in game.plies if ply.nags} == {2: [2]} and not any(ply.comment for ply in game.plies)


def check_pgn_04(data, folder):
    _, (record,), _ = built(folder, data)
    assert {"Event: Café", "White: Müller"} <= set(record.background.splitlines()) and record.commentary.raw_commetary == "naïve"


def check_pgn_06(text, folder):
    account, records, rejections = built(folder, text)
    assert not records and account.commented_plies == 1 and not (folder / "out" / "games").exists()
    (rejection,) = rejections
    assert (rejection["file"], rejection["game"], rejection["ply"], rejection["text"]) == ("games.pgn", 1, 3, "bad")
    assert "ply 3" in rejection["reason"] and "illegal" in rejection["reason"] and "Ke3" in rejection["reason"]


def check_pgn_07(text, folder):
    (game,) = games_of(text)
    assert sans(game) == ["e4", "--", "d4"]
    _, (record,), _ = built(folder, text)
    assert record.game_state.step == "2" and "null-move" in record.origin.flags and chess_state(record, folder / "out").uci == "0000"


def check_pgn_09(text, folder):
    account, _, rejections = built(folder, text)
    assert account.games == 2 and account.games_rejected == 1
    assert {rejection["game"] for rejection in rejections} == {1} and all("comment is not closed" in rejection["reason"] and "[Event" in rejection["reason"] for rejection in rejections)
    assert sans(games_of(text)[1]) == ["d4"]


def check_pgn_10(text, folder):
    (game,) = games_of(text)
    assert game.plies[0].clock == 600.0 and [ply.said for ply in game.plies] == ["strong", ""]
    account, (record,), rejections = built(folder, text)
    assert account.commented_plies == 1 and record.game_state.step == "1" and record.commentary.processed_commentary == "strong" and not rejections
    assert record.commentary.raw_commetary == "[%clk 0:10:00] strong [%cal Ge2e4]"


def check_pgn_12(text, folder):
    (game,) = games_of(text)
    assert sans(game) == ["Kd7", "Kxe2"] and game.start.turn == chess.BLACK
    _, (record,), _ = built(folder, text)
    assert record.game_state.label == "40... Kd7" and record.game_state.step == "1"


def check_pgn_13(text, folder):
    (game,) = games_of(text)
    assert not game.plies and "illegal" in game.error and "O-O" in game.error
    account, _, (rejection,) = built(folder, text)
    assert account.games_rejected == 1 and "O-O" in rejection["reason"]


def check_pgn_15(text, folder):
    (game,) = games_of(text)
    assert sans(game) == "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O Nf6".split() and {ply.number: ply.nags for ply in game.plies if ply.nags} == {3: [1], 4: [6], 5: [14]}


def check_pgn_16(text, folder):
    (game,) = games_of(text)
    assert [ply.comment for ply in game.plies] == ["one two", "trailing"]
    _, records, _ = built(folder, text)
    assert [(record.game_state.step, record.commentary.processed_commentary) for record in records] == [("1", "one two"), ("2", "trailing")]


@pytest.mark.parametrize("name", CASES)
def test_awkward_case(name: str, tmp_path: Path):
    globals()[f"check_{name.replace('-', '_')}"](CASES[name], tmp_path)


@pytest.mark.parametrize("name", CASES)
def test_awkward_case_as_filed(name: str, tmp_path: Path, cases: dict[str, dict]):
    given_input = cases[name]["input"]
    content = bytes.fromhex(given_input["hex"]) if isinstance(given_input, dict) else given_input
    globals()[f"check_{name.replace('-', '_')}"](content, tmp_path)


def test_every_filed_pgn_case_is_tested(cases: dict[str, dict]):
    assert {name for name in cases if name.startswith("pgn-")} == set(CASES)


# ---- the sample files; the numbers come from reading them

PROGRAM, WORDLESS, EMPTY, NO_MOVES, VARIANT, ILLEGAL = "written by a program", "no words", "no text left", "no moves", "is not supported", "illegal"
#                  games, refused, commented plies, records, comments in variations, rejections by reason
SAMPLES: dict[str, tuple[int, int, int, int, int, dict[str, int]]] = {
    "FWWRC.pgn": (605, 605, 0, 0, 0, {NO_MOVES: 605}),
    "anastasian-lewis.pgn": (1, 0, 0, 0, 0, {}),
    "antichess-programfox.pgn": (2, 2, 0, 0, 0, {VARIANT: 2}),
    "chessbase-empty-line.pgn": (1, 0, 0, 0, 0, {}),
    "cutechess-fischerrandom.pgn": (4, 0, 396, 0, 0, {PROGRAM: 396}),
    "kasparov-deep-blue-1997.pgn": (6, 0, 0, 0, 0, {}),
    "knightvuillaume-jannlee-zh-lichess.pgn": (1, 1, 19, 0, 0, {VARIANT: 19}),
    "molinari-bordais-1979.pgn": (1, 0, 0, 0, 0, {}),
    "nepomniachtchi-liren-game1.pgn": (1, 0, 0, 0, 0, {}),
    "scalachess_blackAbsentResult.pgn": (1, 1, 0, 0, 0, {NO_MOVES: 1}),
    "scalachess_bySmartChess.pgn": (1, 0, 22, 22, 0, {}),
    "scalachess_caissa.pgn": (1, 0, 0, 0, 0, {}),
    "scalachess_chessbaseArrows.pgn": (1, 0, 1, 1, 0, {}),
    "scalachess_chessbaseWeird.pgn": (1, 0, 8, 5, 4, {PROGRAM: 2, EMPTY: 1}),
    "scalachess_chessgamesWeirdComments.pgn": (1, 0, 11, 10, 0, {WORDLESS: 1}),
    "scalachess_commentsAndVariations.pgn": (1, 0, 18, 18, 10, {}),
    "scalachess_explorerPartialDate.pgn": (1, 0, 0, 0, 0, {}),
    "scalachess_festivalFigueira.pgn": (1, 1, 0, 0, 0, {ILLEGAL: 1}),
    "scalachess_fromChessgames.pgn": (1, 0, 0, 0, 0, {}),
    "scalachess_fromChessgamesWithEscapeChar.pgn": (1, 0, 0, 0, 0, {}),
    "scalachess_fromCrafty.pgn": (1, 0, 0, 0, 40, {}),
    "scalachess_gameWithComments.pgn": (1, 0, 0, 0, 0, {}),
    "scalachess_handwritten.pgn": (1, 0, 0, 0, 0, {}),
    "scalachess_inlineComments.pgn": (1, 0, 3, 3, 0, {}),
    "scalachess_inlineTags.pgn": (1, 0, 0, 0, 0, {}),
    "scalachess_invisibleChar.pgn": (1, 0, 1, 1, 3, {}),
    "scalachess_multipleInitalCommentsWithEmpty.pgn": (1, 0, 0, 0, 0, {}),
    "scalachess_multipleRootCommentsInVariation.pgn": (1, 0, 1, 1, 7, {}),
    "scalachess_rootCommentInVariation.pgn": (1, 0, 1, 1, 4, {}),
    "scalachess_stLouisFischerandom.pgn": (1, 0, 0, 0, 0, {}),
    "scalachess_tagsCommentsWithoutMoves2.pgn": (1, 1, 0, 0, 0, {NO_MOVES: 1}),
    "scalachess_unclosedQuote.pgn": (1, 0, 0, 0, 0, {}),
    "scalachess_unicodeResultDraw.pgn": (1, 1, 0, 0, 0, {NO_MOVES: 1}),
    "scalachess_unicodeResultWeirdDashDraw.pgn": (1, 1, 0, 0, 0, {NO_MOVES: 1}),
    "scalachess_weirdDashes.pgn": (1, 0, 0, 0, 0, {}),
    "scalachess_whiteResignsInMoves.pgn": (1, 0, 0, 0, 0, {}),
    "scalachess_whiteResignsInTags.pgn": (1, 0, 0, 0, 0, {}),
    "scalachess_withDelimitersOnNewLines.pgn": (1, 0, 0, 0, 1, {}),
    "scalachess_withGlyphAnnotations.pgn": (1, 0, 3, 0, 3, {PROGRAM: 3}),
    "scalachess_withNag.pgn": (1, 0, 22, 22, 0, {}),
    "stockfish-learning.pgn": (1, 0, 154, 0, 0, {PROGRAM: 154}),
    "uci-moves.pgn": (1, 0, 0, 0, 0, {}),
    "utf8-bom.pgn": (2, 2, 0, 0, 0, {NO_MOVES: 2}),
    "uzchesscup.pgn": (45, 45, 0, 0, 0, {NO_MOVES: 45}),
}


def test_every_sample_is_listed(shared: Path):
    assert {path.name for path in (shared / "samples" / "chess_pgn").glob("*.pgn")} == set(SAMPLES)


@pytest.mark.parametrize("name", SAMPLES)
def test_sample_gives_what_stands_in_it(name: str, shared: Path, tmp_path: Path):
    games, refused, commented, n_records, in_variations, reasons = SAMPLES[name]
    account, records, rejections = collected(shared / "samples" / "chess_pgn" / name, tmp_path)
    assert (account.games, account.games_rejected, account.commented_plies, account.comments_in_variations) == (games, refused, commented, in_variations)
    assert len(records) == account.records == n_records and commented == n_records + len(plies_of(rejections))
    told = Counter(next((reason for reason in reasons if reason in rejection["reason"]), rejection["reason"]) for rejection in rejections)
    assert told == Counter(reasons) and all(rejection["file"] == name and rejection["game"] for rejection in rejections)
    for record in records:  # every written file reads back, and the ply is the one that the label names
        state = chess_state(record, tmp_path)
        assert state.move_text == record.game_state.label and record.origin.source.startswith(f"{name}#") and record.commentary.processed_commentary


# how many plies the last move's number gives; the `PlyCount` tag says it elsewhere
PLIES = {"chessbase-empty-line.pgn": 134, "nepomniachtchi-liren-game1.pgn": 97, "scalachess_bySmartChess.pgn": 65, "scalachess_caissa.pgn": 41,
         "scalachess_explorerPartialDate.pgn": 128, "scalachess_fromCrafty.pgn": 68, "scalachess_handwritten.pgn": 139, "scalachess_inlineComments.pgn": 85,
         "scalachess_stLouisFischerandom.pgn": 51, "scalachess_weirdDashes.pgn": 74, "scalachess_withDelimitersOnNewLines.pgn": 33, "scalachess_withGlyphAnnotations.pgn": 19,
         "scalachess_multipleInitalCommentsWithEmpty.pgn": 2, "scalachess_multipleRootCommentsInVariation.pgn": 1, "scalachess_rootCommentInVariation.pgn": 1,
         "scalachess_chessbaseArrows.pgn": 1}


@pytest.mark.parametrize("name", [name for name, (_, refused, *_) in SAMPLES.items() if not refused])
def test_sample_main_lines_are_whole(name: str, shared: Path):
    text = (shared / "samples" / "chess_pgn" / name).read_text(encoding="utf-8-sig")
    for game in games_of(text):
        expected = len(text.split("\n\n")[1].split()) - 1 if name == "uci-moves.pgn" else PLIES.get(name) or int(game.tags["PlyCount"])
        assert len(game.plies) == expected and not game.error


def test_what_samples_say_in_particular(shared: Path, tmp_path: Path):
    samples = shared / "samples" / "chess_pgn"
    _, _, (rejection,) = collected(samples / "scalachess_festivalFigueira.pgn", tmp_path / "a")
    assert "ply 114" in rejection["reason"] and "Re1" in rejection["reason"]
    _, (record,), _ = collected(samples / "scalachess_invisibleChar.pgn", tmp_path / "b")
    assert (record.game_state.label, record.game_state.step) == ("10. O-O", "19") and any("de" in flag for flag in record.origin.flags)
    assert "Introduction: A40: Verschiedene (seltene) Antworten auf 1.d4" in record.background
    _, records, rejections = collected(samples / "scalachess_chessbaseWeird.pgn", tmp_path / "c")
    assert [(r.game_state.step, r.game_state.label) for r in records] == [("23", "12. Rc1"), ("27", "14. Ne5"), ("67", "34. Be4"), ("83", "42. Rxc4"), ("90", "45... Kxd6")]
    assert records[2].commentary.processed_commentary == "aiming for Qh7+." and [ply for ply, _ in plies_of(rejections)] == [25, 43, 115]
    _, records, _ = collected(samples / "scalachess_inlineComments.pgn", tmp_path / "d")
    assert [r.game_state.label for r in records] == ["3. Bb5", "3... a6", "17. dxe5"] and records[1].commentary.raw_commetary == "this is an inline comment"
    assert any(line.startswith("Result: 1/2-1/2 (") for line in records[0].background.splitlines())


def test_headers_become_background(tmp_path: Path):
    tags = '[Event "Club"]\n[Site "?"]\n[Date "????.??.??"]\n[Round "-"]\n[White "Ann \\"Ace\\" Ash"]\n[Black "Ben"]\n[Result "1-0"]\n[WhiteElo "1500"]\n[BlackElo ""]\n[TimeControl "-"]\n\n'
    _, (record,), _ = built(tmp_path, tags + "1. e4 {A good start.} 1-0\n")
    lines = record.background.splitlines()
    assert {"Event: Club", 'White: Ann "Ace" Ash', "Black: Ben", "Result: 1-0 (White won)", "WhiteElo: 1500"} <= set(lines)
    assert not [line for line in lines if line.split(":")[0] in ("Site", "Date", "Round", "BlackElo", "TimeControl")]


# ---- files as people have them

@pytest.mark.parametrize("variant", ["Antichess", "Crazyhouse", "Atomic", "Three-check", "King of the Hill", "Horde", "Racing Kings"])
def test_other_variants_are_rejected_by_name(variant: str, tmp_path: Path):
    account, records, (rejection,) = built(tmp_path, f'[Variant "{variant}"]\n\n1. e4 {{Good words.}} *\n')
    assert not records and rejection["ply"] == 1 and variant in rejection["reason"] and account.games_rejected == 1


@pytest.mark.parametrize("variant", ["Chess960", "chess 960", "fischerandom", "Fischerandom"])
@pytest.mark.parametrize("rights", ["KQkq", "HAha"])
def test_chess960_castles(variant: str, rights: str, tmp_path: Path):
    text = f'[Variant "{variant}"]\n[FEN "rbnnqkbr/pppppppp/8/8/8/8/PPPPPPPP/RBNNQKBR w {rights} - 0 1"]\n\n1. f3 f6 2. Bf2 Bf7 3. O-O {{The king is safe now.}} *\n'
    _, (record,), _ = built(tmp_path, text)
    state = chess_state(record, tmp_path / "out")
    assert record.game_state.label == "3. O-O" and state.chess960 and state.after().king(chess.WHITE) == chess.G1


@pytest.mark.parametrize("dash", "\u2010\u2011\u2012\u2013\u2212-")
def test_dashes_and_zeros_castle(dash: str):
    (game,) = games_of(f"1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O{dash}O Nf6 5. d3 0{dash}0 1/2{dash}1/2")
    assert sans(game)[6] == "O-O" and sans(game)[9] == "O-O" and not game.error


def test_games_without_a_blank_line_between_are_told_apart(tmp_path: Path):
    account, records, _ = built(tmp_path, '[Event "A"]\n[Result "1-0"]\n\n1. e4 {Words in A.} 1-0\n[Event "B"]\n[Result "0-1"]\n1. d4 {Words in B.} 0-1\n')
    assert account.games == 2 and ["Event: A" in records[0].background, "Event: B" in records[1].background] == [True, True]


def test_percent_lines_and_delimiters_are_no_text(tmp_path: Path):
    _, (record,), _ = built(tmp_path, '[pgn]\n%youpi\n[Event "A"]\n\n% a remark {\n1. e4\n% {another}\ne5 {Both pawns meet.}\n*\n[/pgn]\n')
    assert record.game_state.label == "1... e5" and record.commentary.raw_commetary == "Both pawns meet."


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_encodings_and_line_ends(encoding: str, newline: str, tmp_path: Path):
    _, (record,), _ = built(tmp_path, (HEAD + "1. e4 {Schöne Züge – naïve, the dash is kept.} *\n").replace("\n", newline).encode(encoding))
    assert record.commentary.processed_commentary == "Schöne Züge – naïve, the dash is kept."


def test_the_same_game_twice_is_a_duplicate_wherever_it_stands(tmp_path: Path):
    one, two = HEAD + "1. e4 {The first words.} *\n\n", HEAD + "1. d4 {The other words.} *\n\n"
    account, records, (rejection,) = built(tmp_path, one + two + one)
    assert len(records) == 2 and rejection["game"] == 3 and "games.pgn#1" in rejection["reason"] and account.commented_plies == 3
    (tmp_path / "more").mkdir()
    _, again, _ = built(tmp_path / "more", two + one, "renamed.pgn")
    assert {record.No for record in again} == {record.No for record in records}


def test_ids_are_of_the_promised_form(tmp_path: Path):
    _, (record,), _ = built(tmp_path, HEAD + "1. e4 e5 2. Nf3 {The knight comes out.} *\n")
    assert re.fullmatch(r"chess-[0-9a-f]{12}-003", record.No) and record.game_state.storage_file == f"games/{record.match_id}.pgn" and record.game_state.modality == "pgn"
    assert record.commentary.commentary_category == [] and record.origin.game == "chess" and record.origin.source == "games.pgn#1"


def test_comments_after_an_illegal_move_are_accounted_for(tmp_path: Path):
    account, records, rejections = built(tmp_path, HEAD + "1. e4 {one word} e5 2. Ke3 {two words} Nc6 {three words} (2... d6 {not counted}) 3. Nf3 {four words} *\n")
    assert not records and [(r["ply"], r["text"]) for r in rejections] == [(1, "one word"), (3, "two words"), (4, "three words"), (5, "four words")]
    assert account.commented_plies == account.rejected_plies == 4 and account.comments_in_variations == 1


@pytest.mark.parametrize("ending", ["2. Nf3 {cut off in a com", "2. N", "2. Nf3 (2. d4 {x}"])
def test_a_truncated_game_is_rejected(ending: str, tmp_path: Path):
    account, records, rejections = built(tmp_path, HEAD + "1. e4 {The first words.} e5 " + ending)
    assert not records and account.games_rejected == 1 and account.commented_plies == len(plies_of(rejections)) >= 1


def test_an_error_in_a_variation_does_not_cost_the_game(tmp_path: Path):
    account, (record,), rejections = built(tmp_path, HEAD + "1. e4 e5 (1... Ke4 {impossible}) 2. Nf3 {The knight comes out.} *\n")
    assert record.game_state.label == "2. Nf3" and not rejections and account.comments_in_variations == 1


# ---- bad input: one line each, nothing left behind

def refused(folder: Path, *inputs: Path, out: Path | None = None) -> str:
    "The one line that a build stops with."
    with pytest.raises(BenchError) as caught:
        build_chess(list(inputs), out or folder / "new" / "records.jsonl")
    assert "\n" not in str(caught.value) and not (folder / "new").exists()
    return str(caught.value)


@pytest.mark.parametrize("name, content, word", [
    ("empty.pgn", b"", "empty"), ("blank.pgn", b" \n\n", "empty"), ("bom.pgn", b"\xef\xbb\xbf", "empty"), ("diary.pgn", b"Dear diary, I lost again.\n", "not a PGN"),
    ("page.pgn", b"<html><body></body></html>", "not a PGN"), ("picture.pgn", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00", "binary"), ("odd.pgn", b'[Event "\x81\x8d"]\n\n1. e4 *\n', "UTF-8")])
def test_files_that_are_no_pgn(name: str, content: bytes, word: str, tmp_path: Path):
    (tmp_path / name).write_bytes(content)
    message = refused(tmp_path, tmp_path / name)
    assert name in message and word in message


def test_names_that_lead_nowhere(tmp_path: Path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "notes.txt").write_text("1. e4 *")
    assert "missing.pgn" in refused(tmp_path, tmp_path / "missing.pgn")
    assert "folder" in refused(tmp_path, tmp_path / "folder")


def test_existing_output_is_kept(tmp_path: Path):
    built(tmp_path, HEAD + "1. e4 {The first words.} *\n")
    before = (tmp_path / "out" / "records.jsonl").read_bytes()
    with pytest.raises(BenchError, match="exists"):
        build_chess([tmp_path / "games.pgn"], tmp_path / "out" / "records.jsonl")
    assert (tmp_path / "out" / "records.jsonl").read_bytes() == before


def test_a_bad_file_in_a_folder_does_not_cost_the_others(tmp_path: Path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "bad.pgn").write_bytes(b"\x00\x01\x02")
    (folder / "good.PGN").write_text(HEAD + "1. e4 {The first words.} *\n")
    account, records, rejections = collected(folder, tmp_path / "out")
    assert len(records) == 1 and [r["file"] for r in rejections] == ["bad.pgn"] and account.files == 2


def test_output_in_an_impossible_place(tmp_path: Path):
    (tmp_path / "games.pgn").write_text(HEAD + "1. e4 {The first words.} *\n")
    (tmp_path / "file").write_text("not a folder")
    assert "cannot be written" in refused(tmp_path, tmp_path / "games.pgn", out=tmp_path / "file" / "records.jsonl")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_no_permission(tmp_path: Path):
    (tmp_path / "games.pgn").write_text(HEAD + "1. e4 {The first words.} *\n")
    (tmp_path / "shut").mkdir(mode=0o500)
    assert "cannot be written" in refused(tmp_path, tmp_path / "games.pgn", out=tmp_path / "shut" / "records.jsonl")


def test_a_disk_that_is_full(tmp_path: Path):
    "The system itself refuses to let a file grow beyond 20 kB."
    (tmp_path / "games.pgn").write_text("".join(f'[Event "{n}"]\n\n1. e4 {{{"many words " * 20}}} *\n\n' for n in range(200)))
    program = ("import resource, sys; from gamecommbench.build import build_chess; from gamecommbench.schema import BenchError\n"
               "resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))\n"
               "try: build_chess([sys.argv[1]], sys.argv[2])\nexcept BenchError as error: print(error)")
    done = subprocess.run([sys.executable, "-B", "-c", program, str(tmp_path / "games.pgn"), str(tmp_path / "new" / "records.jsonl")], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "cannot be written" in done.stdout and len(done.stdout.splitlines()) == 1, done.stderr
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == ["games.pgn"]


def test_an_interrupt_leaves_nothing_half_written(tmp_path: Path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.pgn").write_text(f'[Event "{name}"]\n\n1. e4 {{The first words.}} *\n')

    def stop(name: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_chess([tmp_path / "a.pgn", tmp_path / "b.pgn"], tmp_path / "new" / "records.jsonl", progress=stop)
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == ["a.pgn", "b.pgn"]


def test_memory_stays_flat(tmp_path: Path):
    def peak(n_games: int) -> int:
        path = tmp_path / f"{n_games}.pgn"
        path.write_text("".join(f'[Event "{n}"]\n\n1. e4 {{{"many words " * 150}}} e5 *\n\n' for n in range(n_games)))
        tracemalloc.start()
        build_chess([path], tmp_path / str(n_games) / "records.jsonl")
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    peak(50)  # what is loaded once
    small, large = peak(100), peak(1600)
    assert large - small < 1_000_000, f"sixteen times the games take {large - small} bytes more"


# ---- random games come back whole

def random_game(seed: int, n_plies: int) -> tuple[chess.Board, list[chess.Move]]:
    chance, board, moves = random.Random(seed), chess.Board(), []
    while len(moves) < n_plies and (legal := sorted(board.legal_moves, key=str)):
        moves.append(chance.choice(legal))
        board.push(moves[-1])
    return chess.Board(), moves


WORDS = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp"), exclude_characters="}<&"), min_size=1, max_size=40)
ROUND_TRIP = settings(max_examples=80, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])


@ROUND_TRIP
@given(seed=st.integers(0, 10**6), comments=st.lists(WORDS | st.none(), min_size=1, max_size=24))
def test_random_games_keep_moves_and_text(seed: int, comments: list[str | None], tmp_path_factory):
    folder = tmp_path_factory.mktemp("game")
    board, moves = random_game(seed, len(comments))
    words, expected = [], {}
    for ply, (move, comment) in enumerate(zip(moves, comments), 1):
        words.append(f"{board.fullmove_number}{'.' if board.turn else '...'} {board.san(move)}")
        if comment is not None:
            words.append("{" + comment + "}")
            if plain := " ".join(re.sub(r"\[%[^\]]*\]", " ", comment).split()):
                expected[ply] = plain
        board.push(move)
    account, records, rejections = built(folder, HEAD + " ".join(words) + " *\n")
    kept = {int(record.game_state.step): " ".join(re.sub(r"\[%[^\]]*\]", " ", record.commentary.raw_commetary).split()) for record in records}
    dropped = {rejection["ply"]: rejection["text"] for rejection in rejections}
    assert kept | dropped == expected and not kept.keys() & dropped.keys() and account.commented_plies == len(expected)
    for record in records:
        _, read, _ = read_main_line(folder / "out" / record.game_state.storage_file)
        assert list(read) == moves


JUNK = st.sampled_from(["{a word}", "{}", "{[%clk 0:01:00]}", "{", "}", "(", ")", "(1. d4 {no})", "; to the end {\n", "\n", "\n\n", "!?", "$6", "1-0", "½-½", "--", "Z0", "O‑O", "Nf3!N",
                       "e.p.", "e4e5", "[x]", "%", "\n% gone\n", "…", "Sf3", "♘f3", "P@e4", "White resigns", "12...", "\\", '"', "[Event \"B\"]", "\n[Event \"C\"]\n\n"])


@ROUND_TRIP
@given(seed=st.integers(0, 10**6), junk=st.lists(st.none() | JUNK, min_size=1, max_size=16))
def test_damaged_games_are_accounted_for(seed: int, junk: list[str | None], tmp_path_factory):
    board, moves = random_game(seed, len(junk))
    words = []
    for ply, (move, extra) in enumerate(zip(moves, junk), 1):
        words += [board.san(move), "{said at %d}" % ply] + ([extra] if extra else [])
        board.push(move)
    account, records, rejections = built(tmp_path_factory.mktemp("game"), HEAD + " ".join(words) + "\n")
    assert account.commented_plies == len(records) + len(plies_of(rejections))
