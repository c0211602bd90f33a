"""Go states: replayed from the clean games, against sgfmill's board, with errors that name the record and the ply."""
import random
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from gamecommbench.collect.go import collect_go
from gamecommbench.collect.goban import EMPTY, OTHER, Board, IllegalMove, board_of_rows, name_of_point, point_of_name, point_of_sgf, sgf_of_point
from gamecommbench.collect.sgf import Change, Move
from gamecommbench.pieces import Piece
from gamecommbench.schema import BenchError, Commentary, GameState, Record
from gamecommbench.state.go import go_context, go_state, state_after, state_of_context
from gamecommbench.state.go_drawing import drawing_title, go_drawing


def record_of(piece: Piece) -> Record:
    return Record(No=piece.id, game_state=GameState(modality="sgf", storage_file=piece.storage_file, step=piece.step), commentary=Commentary(raw_commetary=piece.raw, processed_commentary=piece.raw))


def test_names_of_points():
    for size in (2, 9, 19, 25):
        for point in range(size * size):
            assert point_of_sgf(sgf_of_point(point, size), size) == point == point_of_name(name_of_point(point, size), size)
    assert name_of_point(point_of_sgf("pd", 19), 19) == "Q16" and point_of_name("I3", 19) is None and point_of_name("T20", 19) is None


@pytest.mark.parametrize("seed, size", [(1, 5), (2, 7), (3, 9)])
def test_board_against_sgfmill(seed: int, size: int):
    "Random play with captures, kos and suicides: the same stones and the same ko point after each move."
    theirs, ours, chance, captured = pytest.importorskip("sgfmill.boards").Board(size), Board(size), random.Random(seed), 0
    for number in range(2000):
        free = [point for point in range(size * size) if ours.cells[point] == EMPTY]
        point, stone = chance.choice(free), "XO"[number % 2]
        played = ours.play(stone, point)
        ko = theirs.play(size - 1 - point // size, point % size, "bw"[number % 2])
        captured += len(played.captured)
        assert (None if ko is None else (size - 1 - ko[0]) * size + ko[1]) == played.ko
        assert ours.cells == [{"b": "X", "w": "O", None: "."}[theirs.get(row, column)] for row in reversed(range(size)) for column in range(size)]
    assert captured > 100


def test_real_game(shared: Path, tmp_path: Path):
    "The state of every comment on a real game: counts agree with the moves, and move 78 is where everyone remembers it."
    pieces = [item for item in collect_go([shared / "samples" / "go_sgf" / "LS_vs_AG_-_G4_-_English.sgf"], tmp_path) if isinstance(item, Piece)]
    for piece in pieces:
        state = go_state(record_of(piece), tmp_path)
        assert state.move_text() == piece.label and state.ply == int(piece.step) == len(state.moves)
        after = sum(row.count("X") + row.count("O") for row in state.rows_after)
        assert after == state.ply - sum(state.captures.values())
        assert state_of_context(go_context(state)) == state
    divine = go_state(record_of(next(piece for piece in pieces if piece.step == "78")), tmp_path, history_plies=2)
    assert (divine.side, divine.sgf, divine.standard, divine.recent, divine.result, divine.komi) == ("white", "ki", "L11", ["W F16", "B F17"], "W+Resign", 7.5)
    text = go_context(divine).text()
    assert "Current move (ply 78): W L11 (SGF coord=ki, standard=L11)" in text and text.count("\n") == 23 and divine.rows_before[8][10] == "." and divine.rows_after[8][10] == "O"


@pytest.mark.parametrize("rows, stone, name, captured, ko, liberties, atari", [
    (["XO.", "...", "..."], "O", "A2", ["A3"], "", ["A3", "C3", "B2", "A1"], []),  # a corner stone falls
    ([".XO..", "X..O.", ".XO..", ".....", "....."], "O", "B4", [], "", ["C4"], []),  # inside a ko's mouth
    (["..X.", ".XOX", "..X.", "...."], "X", "B4", [], "", ["A4"], []),
    (["XX.O", "OO.O", "....", "...."], "X", "C4", [], "", ["C3"], [])])
def test_what_a_move_does(rows: list[str], stone: str, name: str, captured: list[str], ko: str, liberties: list[str], atari: list[str]):
    start = board_of_rows(rows)
    state = state_after(start, [Move(1, "B" if stone == "X" else "W", point_of_name(name, start.size))])
    assert (state.captured, state.ko) == (captured, ko) and state.standard == name
    stones, free = state.after().group(state.point())
    assert state.liberties == [name_of_point(point, start.size) for point in sorted(free)] and state.group == [name_of_point(point, start.size) for point in sorted(stones)]
    for found in state.atari:
        assert state.after().group(point_of_name(found.stones[0], start.size))[1] == {point_of_name(found.liberty, start.size)}


def test_atari_by_hand():
    state = state_after(board_of_rows([".....", ".XOO.", "..XX.", ".....", "....."]), [Move(1, "B", point_of_name("C5", 5)), Move(2, "W", point_of_name("A1", 5)), Move(3, "B", point_of_name("E4", 5))])
    assert [(found.stones, found.liberty) for found in state.atari] == [(["C4", "D4"], "D5")]
    taken = state_after(board_of_rows([".....", ".XOO.", "..XX.", ".....", "....."]), [*(Move(n, "B", point_of_name(name, 5)) for n, name in enumerate(("C5", "E4", "D5"), 1))])
    assert taken.captured == ["C4", "D4"] and taken.captures == {"black": 2, "white": 0} and not taken.ko


def test_suicide_passes_and_set_up():
    start = board_of_rows([".O.", "O..", "..."])
    drowned = state_after(start, [Move(1, "B", 0)])
    assert drowned.suicide and drowned.captured == ["A3"] and drowned.captures == {"black": 0, "white": 1} and drowned.rows_after == start.rows() and drowned.liberties == []
    passed = state_after(start, [Move(1, "W", None)])
    assert (passed.sgf, passed.standard, passed.move_text(), passed.point()) == ("pass", "pass", "W pass", None) and passed.rows_after == passed.rows_before
    changed = state_after(start, [Move(1, "W", None), Move(2, "B", 4, before=Change(black=[8], empty=[1]))])
    assert changed.rows_before == ["...", "O..", "..X"] and changed.moves == ["W pass", "AB cc", "AE ba", "B bb"]


def test_illegal_moves_name_the_ply():
    with pytest.raises(IllegalMove, match=r"ply 3 \(W ee\) is illegal: E5 is taken already"):
        state_after(Board(9), [Move(1, "B", 40), Move(2, "W", 41), Move(3, "W", 40)])
    with pytest.raises(ValueError):
        state_after(Board(9), [])


def test_errors_name_the_record(tmp_path: Path):
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "a.sgf").write_text("(;GM[1]SZ[9];B[ee];W[ee])")
    (tmp_path / "games" / "b.sgf").write_text("no game")
    def broken(storage_file: str, step: str) -> str:
        record = Record(No="r1", game_state=GameState(modality="sgf", storage_file=storage_file, step=step), commentary=Commentary(raw_commetary="x", processed_commentary="x"))
        with pytest.raises(BenchError) as error:
            go_state(record, tmp_path)
        return str(error.value)
    assert go_state(Record(No="r1", game_state=GameState(modality="sgf", storage_file="games/a.sgf", step="1"), commentary=Commentary(raw_commetary="x", processed_commentary="x")), tmp_path).standard == "E5"
    assert "record r1: ply 2 (W ee) is illegal: E5 is taken already" in broken("games/a.sgf", "2") and "ply 9 is outside the game of 2 moves" in broken("games/a.sgf", "9") and "is not a ply" in broken("games/a.sgf", "x")
    assert "b.sgf" in broken("games/b.sgf", "1") and "no such game file" in broken("games/none.sgf", "1")


@pytest.mark.parametrize("size", [2, 5, 9, 13, 19, 25])
def test_drawing_is_well_formed(size: int):
    chance, board, moves = random.Random(size), Board(size), []
    for ply in range(1, 60):
        free = [point for point in range(size * size) if board.cells[point] == EMPTY]
        point = chance.choice(free) if ply % 7 else None
        moves.append(Move(ply, "BW"[ply % 2], point))
        if point is not None:
            board.play("XO"[ply % 2], point)
        state = state_after(Board(size), moves)
        tree = ElementTree.fromstring(go_drawing(go_context(state)))
        name = "{http://www.w3.org/2000/svg}"
        assert tree.find(f"{name}title").text == drawing_title(state)
        radii = [circle.get("r") for circle in tree.iter(f"{name}circle")]
        assert radii.count(".47") == sum(row.count("X") + row.count("O") for row in state.rows_after) and radii.count(".38") == len(state.captured) and radii.count(".24") == (point is not None and not state.suicide)
    assert OTHER["X"] == "O"
