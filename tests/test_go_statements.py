"""Sentences about Go moves against the board: labelled ones, mirrored ones, generated ones with false twins, and the template's."""
import json
import random
import re
from functools import lru_cache
from pathlib import Path

import pytest

from gamecommbench.collect.goban import Board, name_of_point, point_of_name
from gamecommbench.collect.sgf import Move, read_sgf
from gamecommbench.games import StateContext
from gamecommbench.offline.go_truth import judge_go_statement
from gamecommbench.state.go import GoState, go_context, state_after
from gamecommbench.templates_go import move_sentences, prisoners_sentence

ROWS = [json.loads(line) for line in (Path(__file__).parent / "data" / "go_statements.jsonl").read_text(encoding="utf-8").splitlines()]
SAMPLE = Path(__file__).parents[1] / "data" / "sample" / "go"
GAMES = ("shusaku_1846", "meijin_1933", "alphago_2016")


@lru_cache(maxsize=None)
def moves_of(game: str) -> tuple[Move, ...]:
    [found] = read_sgf(SAMPLE / f"{game}.sgf")
    return tuple(found.moves)


@lru_cache(maxsize=None)
def state_of(game: str, ply: int, turned: str = "") -> GoState:
    "The state of a move of the sample, with colours swapped or the board mirrored if asked."
    moves = [Move(move.ply, move.colour, move.point) for move in moves_of(game)[:ply]]
    if turned == "colours":
        moves = [Move(move.ply, "BW"[move.colour == "B"], move.point) for move in moves]
    if turned == "mirror":
        moves = [Move(move.ply, move.colour, move.point // 19 * 19 + 18 - move.point % 19) for move in moves]
    return state_after(Board(19), moves)


def context(row: dict, turned: str = "") -> StateContext:
    return go_context(state_of(row["game"], row["ply"], turned))


def swapped(text: str, pairs: dict[str, str]) -> str:
    "A text with words swapped, capitals kept."
    both = pairs | {other: word for word, other in pairs.items()}
    return re.sub(rf"(?i)\b(?:{'|'.join(both)})\b", lambda match: both[match[0].lower()].capitalize() if match[0][0].isupper() else both[match[0].lower()], text)


def mirrored(text: str) -> str:
    "A text about the board with left and right changed."
    def turned(match: re.Match[str]) -> str:
        point = point_of_name(match[0], 19)
        return name_of_point(point // 19 * 19 + 18 - point % 19, 19)
    return re.sub(r"\b[A-HJ-T](?:1\d|[1-9])\b", turned, re.sub(r"(?<!liberty )\b(left|right)\b(?! (?:at|with|on|of)\b)", lambda match: {"left": "right", "right": "left"}[match[1]], text))


def test_there_are_enough_of_each():
    expected, own = [row["expected"] for row in ROWS], [row for row in ROWS if row["kind"] != "commentary"]
    assert len(ROWS) >= 450 and len(own) >= 250 and min(expected.count(verdict) for verdict in ("true", "false", "unknown")) >= 60
    assert len({row["kind"] for row in ROWS}) >= 15 and sum("read" in row for row in ROWS) <= len(own) // 8


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["text"][:60])
def test_labelled_sentence(row: dict):
    "As labelled; `read` marks what the board decides and the reader does not: there it must keep silent."
    assert judge_go_statement(row["text"], context(row)).verdict == row.get("read", row["expected"])


def test_the_other_colours_and_the_other_side_give_the_same_verdicts():
    wrong = []
    for row in ROWS:
        first = row.get("read", row["expected"])
        for turned, text in (("colours", swapped(row["text"], {"black": "white"})), ("mirror", mirrored(row["text"]))):
            found = judge_go_statement(text, context(row, turned))
            if found.verdict != first:
                wrong.append((turned, text, first, found))
    assert not wrong, wrong[:5]


@pytest.mark.parametrize("game", GAMES)
def test_the_template_is_right_everywhere(game: str):
    "Every sentence that the template commentator has for any move of the sample is judged true."
    for ply in range(1, len(moves_of(game)) + 1):
        state = state_of(game, ply)
        for text in (*move_sentences(state), prisoners_sentence(state)):
            found = judge_go_statement(text, go_context(state))
            assert found.verdict == "true", (ply, text, found)


def twin(text: str, state: GoState, generator: random.Random) -> str:
    "A false twin of a template's sentence: another point, another number or the other side."
    if match := re.search(r"\b[A-HJ-T]\d+\b", text):
        stones = {stone for chain in state.atari for stone in chain.stones} | {state.standard, state.ko}
        other = next(name for name in iter(lambda: name_of_point(generator.randrange(361), 19), "") if name not in stones)
        return text.replace(match[0], other, 1)
    if match := re.search(r"\b(one|two|three|four|five|six|seven|eight)\b", text):
        return text.replace(match[0], "eleven", 1).replace("stone ", "stones ").replace("stone.", "stones.")
    return swapped(text, {"black": "white"}) if re.search(r"(?i)\b(?:black|white)\b", text) else "Both sides have captured nine stones."


@pytest.mark.parametrize("game", GAMES)
def test_false_twins_are_never_true(game: str):
    "A changed point, number or side makes nearly every sentence false, and none true."
    generator, verdicts = random.Random(19), []
    for ply in range(1, len(moves_of(game)) + 1, 2):
        state = state_of(game, ply)
        for text in (*move_sentences(state), prisoners_sentence(state)):
            found = judge_go_statement(twin(text, state, generator), go_context(state))
            verdicts.append(found.verdict)
            assert found.verdict != "true", (ply, twin(text, state, generator), found)
    assert verdicts.count("false") >= 0.98 * len(verdicts)


@pytest.mark.parametrize("text, verdict", [
    ("Black does not capture {two} stones.", None), ("White should capture {two} stones.", "unknown"), ("If Black captures {two} stones, White is lost.", "unknown"), ("Perhaps Black captures {two} stones.", "unknown"),
    ("Black captures {two} stones or lets them live.", "unknown"), ("After Black captures {two} stones, White plays elsewhere.", "unknown")])
def test_denials_and_moods(text: str, verdict: str | None):
    taken = go_context(state_of("meijin_1933", 135))  # Black captures two
    assert judge_go_statement(text.replace("{two}", "two"), taken).verdict == (verdict or "false")
    assert judge_go_statement(text.replace("{two}", "three"), taken).verdict == (verdict or "true")


def test_names_are_sides():
    wedge, names = go_context(state_of("alphago_2016", 78)), {"lee": "white", "sedol": "white", "alphago": "black"}
    assert judge_go_statement("Lee Sedol wedges in at L11.", wedge, names).verdict == "true"
    assert judge_go_statement("AlphaGo wedges in at L11.", wedge, names).verdict == "false"
    assert judge_go_statement("AlphaGo wedges in at L11.", wedge).verdict == "unknown"
