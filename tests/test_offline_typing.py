"""Types of units in games other than chess: labelled units, an allowed number of errors, and sentences that were once typed wrongly."""

import csv
from collections import Counter
from pathlib import Path

import pytest

from gamecommbench.offline.typing import type_unit

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
