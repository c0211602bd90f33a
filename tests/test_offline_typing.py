"""Types, clauses and subjects of units in games other than chess: labelled units, an allowed number of errors, and sentences that were once read wrongly."""

import csv
from collections import Counter
from pathlib import Path

import pytest

from gamecommbench.offline.events import event_clauses
from gamecommbench.offline.judge import frame_reader
from gamecommbench.offline.text import units
from gamecommbench.offline.typing import type_unit
from gamecommbench.steps import letters

UNITS = [tuple(row.values()) for row in csv.DictReader((Path(__file__).parent / "data" / "typed_units.tsv").open(encoding="utf-8"), delimiter="\t")]
ALLOWED = {("first", "go"): 2, ("first", "football"): 4, ("first", "basketball"): 4, ("first", "lol"): 5, ("second", "go"): 3, ("second", "football"): 3, ("second", "basketball"): 3, ("second", "lol"): 2}


def test_batches_are_large_enough_and_of_all_types():
    sizes = Counter((batch, game) for batch, game, _, _ in UNITS)
    assert set(sizes) == set(ALLOWED)
    assert all(size >= (60 if batch == "first" else 30) for (batch, _), size in sizes.items())
    assert {category for _, _, category, _ in UNITS} == {"descriptive", "analytical", "background"}


@pytest.mark.parametrize("batch, game", sorted(ALLOWED))
def test_few_units_are_typed_wrongly(batch, game):
    wrong = [(category, type_unit(unit, game).category, unit) for b, g, category, unit in UNITS if (b, g) == (batch, game) and type_unit(unit, game).category != category]
    assert len(wrong) <= ALLOWED[batch, game], wrong


@pytest.mark.parametrize("game, category, unit", [
    ("football", "background", "Dunmore starts for the Ironclads in place of Halloran"), ("basketball", "background", "Dunmore starts for the Ironclads in place of Halloran"),
    ("basketball", "background", "Lindqvist comes off the bench tonight"), ("basketball", "background", "Vance and the Kestrels lost the last meeting"),
    ("basketball", "descriptive", "And it goes back to Vance"), ("basketball", "descriptive", "Off the back rim, no good"),
    ("basketball", "analytical", "Terrific anticipation"), ("basketball", "analytical", "no answer for Achebe on the glass"), ("basketball", "analytical", "Corrigan was on his heels"),
    ("football", "descriptive", "It's 1:0"), ("football", "descriptive", "Marlowe lost the ball"), ("football", "analytical", "He lost the plot there, a terrible challenge"),
    ("lol", "descriptive", "and Cinderel was there from the river"), ("lol", "descriptive", "The Herald charges down the mid lane"), ("lol", "descriptive", "Lumenna finds Odelle"),
    ("lol", "analytical", "A 1500 gold lead is not enough to siege"), ("lol", "descriptive", "He hits level six"),
    ("chess", "background", "Still, Donald Byrne, the eventual winner of this game, keeps looking for tricks."), ("chess", "analytical", "Too optimistic, I'd say, because his king is on e8")])
def test_known_sentences(game, category, unit):
    assert type_unit(unit, game).category == category


@pytest.mark.parametrize("sentence, cut", [
    ("Black plays P10?! and everybody gasps.", ["Black plays P10?!", "and everybody gasps."]), ("With 23. R3 the corner is alive.", ["With 23. R3 the corner is alive."]),
    ("White hanes at R17, Black blocks at S17, and White connects.", ["White hanes at R17,", "Black blocks at S17,", "and White connects."]), ("The sequence R14–R13–Q13 is joseki.", ["The sequence R14–R13–Q13 is joseki."]),
    ("It's 2-1 now – and they deserve it.", ["It's 2-1 now –", "and they deserve it."]), ("45+2 minutes played, 88:14 on the clock.", ["45+2 minutes played, 88:14 on the clock."]),
    ("Vance misses, Achebe gets the rebound and puts it back in!", ["Vance misses,", "Achebe gets the rebound", "and puts it back in!"]), ("In Paris, Morphy plays quickly.", ["In Paris, Morphy plays quickly."]),
    ("He's got the flash, he's safe.", ["He's got the flash,", "he's safe."]), ("Bishop takes f7 check, a bold sacrifice, and these two have met nine times before.", ["Bishop takes f7 check,", "a bold sacrifice,", "and these two have met nine times before."]),
    ("What a move by Price, and they can't stop him.", ["What a move by Price,", "and they can't stop him."]), ("Marlowe, Petrov and Reyes wait.", ["Marlowe, Petrov and Reyes wait."])])
def test_clauses_of_spoken_play(sentence: str, cut: list[str]):
    assert units(sentence) == cut
    assert letters("".join(cut)) == letters(sentence)


@pytest.mark.parametrize("game, text, events", [
    ("basketball", "Dunmore makes a three-point jump shot, assisted by Isaiah Corrigan. and finds Dunmore in the corner.", ["Dunmore makes a three-point jump shot, assisted by Isaiah Corrigan", "Finds Dunmore in the corner"]),
    ("basketball", "Petrossian comes off the screen and lobs it up to the rim.", ["Petrossian lobs it up to the rim"]), ("football", "Noel Cardew (Harrowmere Town) cuts inside from the left and shoots from 20 metres.", ["Noel Cardew (Harrowmere Town) cuts inside from the left", "Noel Cardew shoots from 20 metres"]),
    ("football", "The goalkeeper comes out and punches it clear.", ["The goalkeeper punches it clear"]), ("go", "White hanes at R17 and cuts at S18.", ["White hanes at R17", "White cuts at S18"]), ("chess", "The e-pawn steps forward and kicks the queen.", ["The e-pawn kicks the queen"])])
def test_subjects_are_carried_over(game: str, text: str, events: list[str]):
    found = event_clauses(text, frame_reader(game))
    assert [event for event in found if event in events] == events
