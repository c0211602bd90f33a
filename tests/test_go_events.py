"""Two ways of telling one Go move match, and two moves do not, through the offline judge's match steps."""
import asyncio
from pathlib import Path

import pytest

from gamecommbench.collect.goban import Board
from gamecommbench.collect.sgf import read_sgf
from gamecommbench.games import StateContext
from gamecommbench.offline.go import go_frame, go_resolved, landing_point
from gamecommbench.offline.judge import OfflineJudge
from gamecommbench.state.go import go_context, state_after
from gamecommbench.steps import MATCH_COMPLETENESS, MATCH_CORRECTNESS, REFERENCE_EVENTS, MatchInput, ReferenceEventsInput

SAMPLE = Path(__file__).parents[1] / "data" / "sample" / "go"


def context(game: str, ply: int) -> StateContext:
    [found] = read_sgf(SAMPLE / f"{game}.sgf")
    return go_context(state_after(Board(19), found.moves[:ply]))


def ask(step, inputs):
    answer = asyncio.run(OfflineJudge().ask(step, inputs))
    assert not answer.failure, answer.failure
    return answer.value


SAME = [
    ("Black plays Q16", "Black takes the star point at Q16"), ("White wedges in at L11", "White plays L11"), ("White captures eight stones at T10", "With T10 White takes eight black stones off the board"),
    ("Black captures the stone on G3 with G4", "Black plays G4 and takes a stone"), ("Black jumps from C4 to E4", "Black makes a one-space jump to E4"), ("White approaches at R5", "White plays R5 against the stone on Q3"),
    ("White puts five black stones in atari", "Five black stones are in atari"), ("Black gives atari to the stone on K9", "Black puts a white stone in atari"), ("Black attaches to the stone on D4 with E4", "Black plays E4"),
    ("White connects at R4", "White links up at R4"), ("Black takes the ko at R2", "Black retakes the ko with R2"), ("White invades the corner at C3", "White plays the 3-3 point at C3"), ("White captures one stone", "White takes a black stone"),
    ("Black opens on the 3-3 point", "Black takes the 3-3 point"), ("Black plays tengen", "Black takes tengen"), ("The white stone on M13 is captured", "Black captures a white stone"), ("White passes", "White passes here"),
    ("White haned at E5", "White plays the hane at E5"), ("Black cuts at J9", "Black plays J9, cutting"), ("White extends from O12 to O13", "White plays O13")]
OTHER = [
    ("Black plays Q16", "White plays Q16"), ("Black plays Q16", "Black plays D4"), ("White wedges in at L11", "White wedges in at K11"), ("White captures eight stones at T10", "Black captures eight stones at T10"),
    ("Black captures the stone on G3 with G4", "White captures the stone on G3 with G4"), ("Black jumps from C4 to E4", "Black jumps from C4 to C6"), ("White puts five black stones in atari", "Five white stones are in atari"),
    ("White captures one stone", "White gives atari"), ("White captures one stone", "White connects"), ("Black attaches to the stone on D4 with E4", "Black attaches to the stone on D4 with D5"), ("White connects at R4", "White cuts at R6"),
    ("Black takes the ko at R2", "White takes the ko at R1"), ("White captures one stone", "White does not capture anything"), ("White passes", "Black passes"), ("Black plays K10", "Black passes"), ("White invades the corner at C3", "Black invades the corner at R17"),
    ("Black gives atari to the stone on K9", "White gives atari"), ("The white stone on M13 is captured", "White captures a stone"), ("White resigns", "White plays K4"), ("White extends from O12 to O13", "White extends from O13 to O12")]


@pytest.mark.parametrize("first, second", SAME)
def test_one_move_told_twice_matches(first: str, second: str):
    for one, two in ((first, second), (second, first)):
        inputs = MatchInput(game="go", ground_truth_events=[one], evaluated_events=[two])
        assert ask(MATCH_COMPLETENESS, inputs).matches == [0] and ask(MATCH_CORRECTNESS, inputs).matches == [0], (go_frame(one), go_frame(two))


@pytest.mark.parametrize("first, second", OTHER)
def test_two_moves_do_not_match(first: str, second: str):
    for one, two in ((first, second), (second, first)):
        inputs = MatchInput(game="go", ground_truth_events=[one], evaluated_events=[two])
        assert ask(MATCH_COMPLETENESS, inputs).matches == [None] and ask(MATCH_CORRECTNESS, inputs).matches == [None], (go_frame(one), go_frame(two))


@pytest.mark.parametrize("text", [
    "The hall is silent.", "White has captured more stones, 10 to 2.", "Black must extend now", "The enclosure is modest but honest", "White may not retake the ko at R1 at once", "Neither side has captured more stones than the other",
    "Most professionals dislike this contact play", "Black threatens to cut at K10", "If White cuts, Black connects", "He never needed very much in the first place", "The game took place in Seoul", "White should have played L10", "No stones have been captured so far"])
def test_what_did_not_happen_is_no_event(text: str):
    assert not go_frame(text)


@pytest.mark.parametrize("text, point", [
    ("White captures two stones from A11", "A11"), ("Black captures the stone on G3", ""), ("Black captures one stone, F12, with E12", "E12"), ("White jumps from H4 to K4", "K4"), ("White connects E8 with E10", ""), ("Black drops a stone at C4 between B4 and D4", "C4"),
    ("Black plays L9, a knight's move from M11", "L9"), ("White puts the stone on O14 in atari", ""), ("Black separates O4 from Q4 with P4", "P4"), ("two black stones on R7 and R8 have one liberty left, at Q8", "")])
def test_the_point_where_the_stone_lands(text: str, point: str):
    assert landing_point(text) == point


def test_the_board_adds_side_and_point():
    wedge = context("alphago_2016", 78)
    events = ask(REFERENCE_EVENTS, ReferenceEventsInput(game="go", commentary="He wedges in between the black stones. Black plays K11.", state=wedge)).events
    assert events == ["He wedges in between the black stones [White plays L11]", "Black plays K11"]
    assert ask(MATCH_CORRECTNESS, MatchInput(game="go", ground_truth_events=events, evaluated_events=["White plays L11", "White plays L12", "Black plays L11"])).matches == [0, None, None]
    assert go_resolved("White may not retake the ko", wedge) == "White may not retake the ko"
