"""Outcomes as sentences tell them: what counts as in, missed or saved, and what only looks like it."""

import pytest

from gamecommbench.offline.build import answer_filter, answer_gate
from gamecommbench.offline.outcomes import outcomes_of
from gamecommbench.build_steps import FilterInput, FuseInput
from gamecommbench.steps import TypedText

TOLD = {
    "": [
        "He gets a good look from the corner", "A short corner, played back to Reyes", "The scoreline flatters them", "The score is 2-1",
        "What is the score?", "It's a goal kick", "The keeper stays in goal", "They make way for the substitute", "He makes a good run down the left",
        "Marlowe plays it out wide", "Price is wide open", "He takes the short pass", "He backs him down on the left block",
        "They sit in a low block", "Good ball from Fenwick", "He has eleven goals this season", "He missed the whole of the spring",
        "Nine on the shot clock, good defense", "He scored twice last week", "The ball is good for a corner", "He hits a long ball forward",
        "It makes no difference", "It is a nice score to settle",
    ],
    "saved": [
        "That is a good save", "Saved by Veldhuis", "The keeper tips it over", "Blocked by Achebe", "He is stuffed at the rim", "With the block!",
        "Great stop from the goalkeeper", "Swatted away",
    ],
    "in": [
        "Goal!", "He scores from the edge", "Heads it home", "And it's good", "The three is good", "First one is good", "He makes both free throws",
        "Makes a 24-foot three-point jump shot", "Drains it", "He knocks it down", "Slots home past the keeper", "He puts it in the net",
        "Hits the three", "Lays it in off the glass", "He buries the three", "Dunmore knocks down the three",
    ],
    "miss": [
        "Just wide of the post", "He shoots wide", "Over the bar", "No good", "Off the back rim, no good", "He misses the free throw",
        "The jumper is short", "It comes up short", "Rims out", "It hits the crossbar", "Off the post and away", "It rattles out", "In and out",
    ],
}


@pytest.mark.parametrize("outcome, sentence", [(outcome, sentence) for outcome, sentences in TOLD.items() for sentence in sentences])
def test_outcomes(outcome: str, sentence: str):
    assert outcomes_of(sentence) == ({outcome} if outcome else set())


@pytest.mark.parametrize("caption, commentary, relevant", [
    ("Price misses a jump shot", "Price gets a good look from the elbow.", True), ("Price misses a jump shot", "Price, and it's good!", False), ("Corner for Harrow", "Okoro takes the short corner for Harrow.", True),
    ("Okoro scores.", "Okoro shoots just wide.", False), ("Okoro scores.", "Okoro was wide open.", True), ("Save by Holt", "Holt saves, a good stop.", True)])
def test_the_gate_goes_by_outcomes_alone(caption: str, commentary: str, relevant: bool):
    assert answer_gate(FuseInput(game="basketball" if "jump" in caption else "football", caption=caption, commentary=commentary)).relevant == relevant


def test_a_good_look_is_not_cut_from_a_miss():
    told = [TypedText(text="Price gets a good look here.", category="descriptive"), TypedText(text="Price drains it!", category="descriptive")]
    assert [sentence.keep for sentence in answer_filter(FilterInput(game="basketball", caption="Price misses a jump shot", sentences=told)).sentences] == [True, False]
