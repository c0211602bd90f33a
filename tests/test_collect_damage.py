"""What a PGN parser passes over in silence, labels worked out the short way, and builds that fail at their very end."""
import os
import random
import tempfile
from pathlib import Path

import chess
import pytest

from gamecommbench.build import build_chess
from gamecommbench.collect.pgn import read_game
from gamecommbench.collect.pgn_text import split_games
from gamecommbench.package import Harvest, harvest
from gamecommbench.schema import BenchError

HEAD = '[Event "A"]\n[Result "*"]\n\n'


def harvests_of(text: str) -> list[Harvest]:
    seen: dict[str, str] = {}
    return [harvest(game, "games.pgn", seen) for game in split_games(text.splitlines())]


def said(found: Harvest) -> list[tuple[str, str]]:
    return [(record.game_state.label, record.commentary.processed_commentary) for record in found.records]


# ---- semicolons, remarks to the file, games without tags

@pytest.mark.parametrize("moves, expected", [
    ("1. e4 e5 ; the {open} game; of old\n2. Nf3 *", [("1... e5", "the (open) game; of old")]),
    ("1. e4 e5\n; a line of its own\n2. Nf3 *", [("1... e5", "a line of its own")]),
    ("1. e4 {brace; not a line} e5 *", [("1. e4", "brace; not a line")]),
    ("1. e4 {one\n\n% two\n; three\n[four]} e5 *", [("1. e4", "one % two ; three [four]")]),
    ("1. e4 {first}\n% hidden {remark}\ne5 {second words} *", [("1. e4", "first"), ("1... e5", "second words")]),
    ("1. e4 (1. d4 {other} (1. c4)) {after both} e5 *", [("1. e4", "after both")]),
    ("1. e4 e5 {The last word.} White resigns 1-0", [("1... e5", "The last word.")]),
    ("1. ♘f3 ♞f6 {Knights first.} *", [("1... Nf6", "Knights first.")]),
    ("1. e4 Z0 {a null move} 2. d4 *", [("1... --", "a null move")]),
    ("e2e4 e7e5 {written as UCI} g1f3 *", [("1... e5", "written as UCI")])])
def test_words_reach_their_ply(moves: str, expected: list[tuple[str, str]]):
    (found,) = harvests_of(HEAD + moves + "\n")
    assert said(found) == expected and not found.rejections


def test_remarks_to_the_file_are_no_games():
    (found,) = harvests_of("; exported by hand\n% and again\n\n" + HEAD + "1. e4 {The first words.} *\n\n; the end\n")
    assert said(found) == [("1. e4", "The first words.")] and not found.introduction


@pytest.mark.parametrize("between", ["\n\n", "\n", "\n\n\n; the next one\n\n"])
def test_games_without_tags_are_told_apart(between: str):
    games = harvests_of(between.join(("1. e4 {King's pawn.} e5 1-0", "1. d4 {Queen's pawn.} 0-1 {over}", "1. c4 {English.} *")))
    assert [said(game) for game in games] == [[("1. e4", "King's pawn.")], [("1. d4", "Queen's pawn. over")], [("1. c4", "English.")]]


# ---- damage that would leave a wrong main line

@pytest.mark.parametrize("moves, reason", [
    ("1. e4 {fine} e5 (1... d5 2. exd5 2. Nf3 {good} *", "bracket is not closed"),
    ("1. e4 {fine} e5 2. d4) exd4 *", "was not opened"),
    ("(1. d4 {no}) 1. e4 {fine} *", "before the first move"),
    ("1. e4 {a {nested} note on Nf3} e5 *", "brace is closed"),
    ("1. e4 {fine} e5 2. Sf3 {gut} *", "'Sf3'"),
    ("1. e4 {fine} e5 2. Lxb5 *", "'Lxb5'"),
    ("1. e4 {fine} e5 2. Qh", "middle of a move"),
    ("1. e4 {fine} e5 2.", "middle of a move")])
def test_damage_refuses_the_game(moves: str, reason: str):
    (found,) = harvests_of(HEAD + moves + "\n")
    assert not found.records and reason in found.refused and [rejection.ply for rejection in found.rejections] == found.count.plies


@pytest.mark.parametrize("moves", ["1. e4 {fine} e5 2. Qh5", "1. e4 {fine} e5 2. Ke2 Black resigns", "1. e4 {fine} (=) e5 *", "1. e4 {fine} +- e5 1-0"])
def test_what_only_looks_damaged_is_read(moves: str):
    (found,) = harvests_of(HEAD + moves + "\n")
    assert said(found) == [("1. e4", "fine")]


# ---- labels

@pytest.mark.parametrize("chess960", [False, True])
def test_labels_are_the_ones_that_the_board_gives(chess960: bool):
    chance = random.Random(7)
    for number in range(40):
        start = chess.Board.from_chess960_pos(chance.randrange(960)) if chess960 else chess.Board()
        board, words, expected = start.copy(), [], []
        for _ in range(chance.randint(1, 120)):
            if not (legal := sorted(board.legal_moves, key=str)):
                break
            move = chance.choice([move for move in legal if board.is_castling(move) or move.promotion] or legal)
            san = board.san(move)
            expected.append(f"{board.fullmove_number}{'.' if board.turn else '...'} {san}")
            words.append(chance.choice((san, board.lan(move) if not board.is_castling(move) else san, san.replace("x", ""), san.rstrip("+#"))) + " {word}")
            board.push(move)
        tags = f'[Variant "Chess960"]\n[FEN "{start.fen()}"]\n\n' if chess960 else "\n"
        for every_ply in (True, False):
            game = read_game(next(split_games((tags + " ".join(words) + " *").splitlines())), every_ply)
            assert game.error == "" and [ply.label for ply in game.plies] == expected


# ---- builds that fail

def build_refused(folder: Path) -> BenchError:
    (folder / "games.pgn").write_text(HEAD + "1. e4 {The first words.} *\n")
    with pytest.raises(BenchError, match="cannot be written") as caught:
        build_chess([folder / "games.pgn"], folder / "new" / "records.jsonl")
    assert "\n" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize("module, name", [(tempfile, "mkdtemp"), (tempfile, "mkstemp"), (os, "replace")])
def test_no_permission_leaves_nothing(module, name: str, tmp_path: Path, monkeypatch):
    def deny(*arguments, **options):
        raise PermissionError(13, "Permission denied")
    monkeypatch.setattr(module, name, deny)
    assert "permission denied" in str(build_refused(tmp_path))
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["games.pgn"]


def test_games_are_taken_back_where_the_records_cannot_take_their_name(tmp_path: Path, monkeypatch):
    replace = os.replace

    def deny_records(source, target):
        if str(target).endswith("records.jsonl"):
            raise OSError(28, "No space left on device")
        replace(source, target)
    monkeypatch.setattr(os, "replace", deny_records)
    assert "no space left" in str(build_refused(tmp_path))
    assert not list(tmp_path.rglob("*.part")) and [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["games.pgn"]
