"""The Go sample: legal moves, a record for each comment, and statements about captures, atari, kos and points that are true on the board."""
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from gamecommbench.builds import BuildRequest, build
from gamecommbench.collect.goban import Board
from gamecommbench.collect.sgf import SgfGame, read_sgf
from gamecommbench.schema import Record, iter_records
from gamecommbench.state.go import GoState, go_state, state_after

SAMPLE = Path(__file__).parents[1] / "data" / "sample" / "go"
FILES = {"shusaku_1846": (325, 16, "B+2"), "meijin_1933": (252, 16, "W+2"), "alphago_2016": (180, 18, "W+R")}
NUMBERS = {word: number for number, word in enumerate("no one two three four five six seven eight".split())}


def game(name: str) -> SgfGame:
    [found] = read_sgf(SAMPLE / f"{name}.sgf")
    return found


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> tuple[Path, list[Record]]:
    out = tmp_path_factory.mktemp("go") / "records.jsonl"
    build(BuildRequest("go", [SAMPLE], out))
    return out, list(iter_records(out))


@pytest.mark.parametrize("name", FILES)
def test_every_move_is_legal_and_every_file_is_whole(name: str):
    found, (moves, comments, result) = game(name), FILES[name]
    assert not found.problem and not found.warnings and not found.loose_comments and not found.side_comments
    assert (len(found.moves), sum(move.comment is not None for move in found.moves), found.info["RE"]) == (moves, comments, result)
    assert [move.colour for move in found.moves] == ["BW"[n % 2] for n in range(moves)]
    board, forbidden = Board(19), None
    for move in found.moves:
        assert move.point is not None and move.point != forbidden, f"{name}: ply {move.ply} retakes a ko at once"
        played = board.play("XO"[move.colour == "W"], move.point)
        assert not played.suicide
        forbidden = played.ko
    assert {path.stem for path in SAMPLE.glob("*.sgf")} == set(FILES)


def test_every_comment_becomes_a_record(built):
    out, records = built
    assert len(records) == sum(comments for _, comments, _ in FILES.values())
    assert [json.loads(line)["file"] for line in (out.parent / "rejects.jsonl").read_text(encoding="utf-8").splitlines()] == ["README.md"]
    said = {(found.info["PB"], str(move.ply)): move.comment for found in map(game, FILES) for move in found.moves if move.comment}
    for record in records:
        black = re.search(r"^Black: (.+)$", record.background, re.M)[1]
        assert said[black, record.game_state.step] == record.commentary.processed_commentary
        assert 1 <= len(re.findall(r"[.!?](?:\s|$)", record.commentary.processed_commentary)) <= 5
    kinds = Counter(unit.category for record in records for unit in record.commentary.commentary_category)
    assert min(kinds[kind] for kind in ("descriptive", "analytical", "background")) >= 20


def the_move(state: GoState, text: str) -> list[str]:
    "What the first sentence of a comment says wrongly of captures, atari and the point; empty where nothing is wrong."
    wrong, first = [], re.split(r"(?<=[.;:])\s", text)[0]
    if (match := re.match(r"(?:This is move \d+|(Black|White) \w+)", first)) and match[1]:
        wrong += [] if match[1].lower() == state.side else [f"{match[1]} does not move"]
    if match := re.search(r"\bplays ([A-T]\d+)", first):
        wrong += [] if match[1] == state.standard else [f"the move is {state.standard}"]
    if match := re.search(r"captures (?:(one|two|three|four|eight) stones?|the stone on (\w+))", first):
        right = len(state.captured) == NUMBERS[match[1]] if match[1] else state.captured == [match[2]]
        wrong += [] if right else [f"captured are {state.captured}"]
    if match := re.search(r"(?:(one|two|five) \w+ stones in|(?:another|stone on \w+) in|gives) atari(?:(?: on| to the stone on) (\w+))?", first):
        sizes, named = [chain.size for chain in state.atari], [stone for chain in state.atari for stone in chain.stones]
        right = bool(sizes) and (not match[1] or NUMBERS[match[1]] in sizes) and (not match[2] or match[2] in named)
        wrong += [] if right else [f"in atari are {named}"]
    return wrong + ([] if not re.search(r"\bko\b", first) or state.ko else ["no ko"])


def test_what_is_said_of_the_move_is_true(built):
    out, records = built
    states = {record.No: go_state(record, out.parent) for record in records}
    wrong = [(record.No, found) for record in records if (found := the_move(states[record.No], record.commentary.processed_commentary))]
    assert not wrong
    assert sum(bool(state.captured) for state in states.values()) >= 15 and sum(bool(state.ko) for state in states.values()) >= 3


def test_the_deliberate_errors_are_listed():
    readme, said = (SAMPLE / "README.md").read_text(encoding="utf-8"), {name: {str(move.ply): move.comment for move in game(name).moves if move.comment} for name in FILES}
    rows = re.findall(r"^\| `(\w+)\.sgf` \| (\d+) \| ([^|]+) \| (\w\w) \"?([^|\"]+)\"? \|$", readme, re.M)
    assert len(rows) == 6
    for name, ply, statement, header, value in rows:
        assert statement.lower() in said[name][ply].lower(), (name, ply)
        assert game(name).info[header] == value.strip()


def test_states_by_other_eyes():
    "The position after the last move has the stones that captures leave."
    for name, (moves, _, _) in FILES.items():
        state = state_after(Board(19), game(name).moves)
        assert sum(row.count("X") + row.count("O") for row in state.rows_after) == moves - sum(state.captures.values())
    assert json.dumps(state.captures) == '{"black": 2, "white": 11}'
