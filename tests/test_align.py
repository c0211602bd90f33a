"""Sentences of speech, the clip that each utterance goes to, and sentences torn at a clip's edge."""
import random

import pytest
from hypothesis import given, settings, strategies as st

from gamecommbench.align import LEFT_WITH_NOTHING, NOTHING_SAID, SAID_ELSEWHERE, align_clips, repair_openings
from gamecommbench.pieces import Piece, Reject
from gamecommbench.sentences import is_incomplete_opening, sentences_of
from gamecommbench.transcript import Utterance, between


def clip(name: str, start: float | None, end: float | None, *said: tuple[float, float, str], **fields) -> Piece:
    "A clip of one match."
    fields = {"game": "basketball", "match_id": "m", "period": "1", "modality": "video", "source": f"clips.json#{name}", "step": name} | fields
    return Piece(id=name, start=start, end=end, utterances=[Utterance(start=a, end=b, text=text) for a, b, text in said], **fields)


def told(items) -> list[str]:
    "What came of each clip."
    return [f"{item.id}: {item.text}" if isinstance(item, Piece) else f"{item.place}! {item.reason}" for item in items]


# --- sentences --------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("text", "expected"), [
    ("St. Louis lead 2.5 to 1 with 11.4 sec. left. Dr. J watches... Unbelievable!", ["St. Louis lead 2.5 to 1 with 11.4 sec. left.", "Dr. J watches...", "Unbelievable!"]),
    ("GOAL!!! Mr. Smith wins it.", ["GOAL!!!", "Mr. Smith wins it."]),
    ("He is 6 ft. 5 in. tall. No. 10 it is.", ["He is 6 ft. 5 in. tall.", "No. 10 it is."]),
    ("J. R. Smith, the U.S. star, vs. Utah. Good?! Yes.", ["J. R. Smith, the U.S. star, vs. Utah.", "Good?!", "Yes."]),
    ("no marks at all", ["no marks at all"]),
    ("", []),
])
def test_sentences(text: str, expected: list[str]):
    "Abbreviations, decimals, units and cries."
    assert list(sentences_of(text)) == expected


def test_sentence_case(cases: dict[str, dict]):
    "asr-07 as it stands."
    assert list(sentences_of(cases["asr-07"]["input"])) == cases["asr-07"]["expected"]


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="abcAB .!?,'\"\n0123456789-…$()", max_size=120))
def test_no_letter_is_lost(text: str):
    "Sentences are slices of the text, in order, and hold all of it but white space."
    sentences = sentences_of(text)
    assert "".join("".join(sentences).split()) == "".join(text.split())
    at = 0
    for sentence in sentences:
        at = text.index(sentence, at) + len(sentence)


@pytest.mark.parametrize(("previous", "sentence", "expected"), [
    ("Curry brings it up and", "hits the three.", True), ("Curry brings it up and", "Thompson hits the three.", True), ("Curry brings it up", "hits the three.", True),
    ("Curry brings it up,", "Thompson hits.", True), ("What a shot!", "and another.", False), ("Wait...", "there it is.", True), ("Wait...", "There it is.", False), ("", "and scores", False),
    ("a couple of straight shots", "obviously suited to her", False), ("he is working for the", "left hand", True), ("She says \"stop!\"", "he goes on", False), ("Corner to City", "I think so.", False)])
def test_incomplete_openings(previous: str, sentence: str, expected: bool):
    "Only what the two texts show; in doubt, no."
    assert is_incomplete_opening(sentence, previous) is expected


# --- one utterance, one clip --------------------------------------------------------------------------------------------

def test_most_overlap_wins_and_ties_go_to_the_earlier():
    "Whatever order the clips come in."
    edge, tie = (28.0, 33.0, "Edge."), (38.0, 42.0, "Tie.")
    clips = [clip("a", 20, 30, (21, 22, "One."), edge), clip("b", 30, 40, edge, (34, 35, "Two."), tie), clip("c", 40, 50, tie, (45, 46, "Three."))]
    expected = {"a": "One.", "b": "Edge. Two. Tie.", "c": "Three."}
    for order in (clips, clips[::-1]):
        assert {item.id: item.raw for item in align_clips(order)} == expected
    assert [item.id for item in align_clips(clips[::-1])] == ["c", "b", "a"]


def test_matches_periods_and_games_are_apart():
    "The same seconds of another half, match or game are another time."
    said = (1.0, 2.0, "Corner.")
    clips = [clip("a", 0, 5, said), clip("b", 0, 5, said, period="2"), clip("c", 0, 5, said, match_id="n"), clip("d", 0, 5, said, game="football"), clip("e", 0, 5, said)]
    assert told(align_clips(clips)) == ["a: Corner.", "b: Corner.", "c: Corner.", "d: Corner.", f"e! {SAID_ELSEWHERE}"]


def test_clips_without_words_and_pieces_with_words_of_their_own():
    "A clip with nothing is rejected; a turn or a caption that has its text passes; an utterance beside every clip goes to the nearest."
    turn = Piece(id="t", game="chess", match_id="g", modality="pgn", source="a.pgn#1", step="3", raw="White castles.")
    clips = [clip("a", 0, 5), turn, clip("b", 0, 5, (6, 7, "Near.")), clip("c", 9, 12, (6, 7, "Near.")), clip("d", None, None, (1, 2, "Untimed."), match_id="other")]
    results = list(align_clips(clips))
    assert told(results) == [f"a! {NOTHING_SAID}", "t: White castles.", "b: Near.", f"c! {SAID_ELSEWHERE}", "d: Untimed."]
    assert results[0].stage == "align" and results[0].file == "clips.json" and results[3].detail == "Near."


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**6))
def test_every_utterance_stands_once(seed: int):
    "Random clips over a random transcript: the account adds up, and no utterance that a clip listed is lost or doubled."
    chance = random.Random(seed)
    said, at = [], 0.0
    for number in range(chance.randrange(1, 25)):
        length = chance.uniform(0.2, 6)
        said.append(Utterance(start=at, end=at + length, text=f"w{number}."))
        at += length + chance.choice([0, 0, 1.5])
    clips = []
    for number in range(chance.randrange(1, 12)):
        start = chance.uniform(0, at)
        end = start + chance.uniform(1, 15)
        clips.append(clip(str(number), start, end).changed(utterances=between(said, start, end)))
    results = list(align_clips(clips))
    kept = [item for item in results if isinstance(item, Piece)]
    listed = {utterance.text for piece in clips for utterance in piece.utterances}
    assert len(results) == len(clips) and sorted(u.text for piece in kept for u in piece.utterances) == sorted(listed)
    for piece in kept:
        for utterance in piece.utterances:
            best = max(utterance.overlap(other.start, other.end) for other in clips)
            assert utterance.overlap(piece.start, piece.end) == best
        assert piece.raw == piece.text == " ".join(u.text for u in sorted(piece.utterances, key=lambda u: u.start))


# --- torn sentences -----------------------------------------------------------------------------------------------------

TORN = (("a", 20.0, 30.0, (26, 30, "Curry brings it up and")), ("b", 30.0, 40.0, (30, 36, "hits the three. What a shot!")))


def test_repair_case(cases: dict[str, dict]):
    "asr-06 as it stands."
    first, second = cases["asr-06"]["input"]["clips"]
    clips = [clip(first["id"], first["end"] - 5, first["end"], (first["end"] - 5, first["end"], first["text"])),
             clip(second["id"], second["start"], second["start"] + 5, (second["start"], second["start"] + 5, second["text"]))]
    assert {item.id: item.text for item in repair_openings(align_clips(clips))} == cases["asr-06"]["expected"]


def test_a_torn_sentence_is_made_whole():
    "In whichever order the clips come; raw stays, both are flagged."
    for order in (TORN, TORN[::-1]):
        results = {item.id: item for item in repair_openings(align_clips([clip(*row) for row in order]))}
        assert (results["a"].text, results["b"].text) == ("Curry brings it up and hits the three.", "What a shot!")
        assert (results["a"].raw, results["b"].raw) == ("Curry brings it up and", "hits the three. What a shot!")
        assert results["a"].flags == results["b"].flags == ["repaired"]


@pytest.mark.parametrize("fields", [{"period": "2"}, {"match_id": "n"}])
def test_other_matches_and_periods_are_no_neighbours(fields: dict):
    "Nothing goes over the edge of a period or a match, nor over a gap."
    results = list(repair_openings(align_clips([clip(*TORN[0]), clip(*TORN[1], **fields)])))
    assert [item.text for item in results] == [item.raw for item in results] and not any(item.flags for item in results)
    far = clip("b", 31.5, 41.5, (31.5, 36, "hits the three. What a shot!"))
    assert not any(item.flags for item in repair_openings(align_clips([clip(*TORN[0]), far])))
    assert all(item.flags for item in repair_openings(align_clips([clip(*TORN[0]), far]), gap=2.0))


def test_a_sentence_over_three_clips():
    "A clip left with nothing is a rejection, and the sentence goes on into the clip that began it."
    clips = [clip("a", 0, 4, (0, 4, "He looks for the")), clip("b", 4, 8, (4, 8, "far post, where the")), clip("c", 8, 12, (8, 12, "captain waits. Over!"))]
    results = list(repair_openings(align_clips(clips)))
    assert told(results) == ["a: He looks for the far post, where the captain waits.", f"b! {LEFT_WITH_NOTHING}", "c: Over!"]
    assert results[1].text == "far post, where the"


def test_another_judge_decides_and_is_asked_once_a_pair():
    "The function gets what was said before and the sentence; its word holds, even against the words."
    clips = [clip("a", 0, 4, (0, 4, "Goal!")), clip("b", 4, 8, (4, 8, "Off the bar. It counts.")), clip("c", 8, 12, (8, 12, "Restart."))]
    asked = []

    def judge(previous: str, sentence: str) -> bool:
        asked.append((previous, sentence))
        return sentence == "Off the bar."
    assert told(repair_openings(align_clips(clips), decide=judge)) == ["a: Goal! Off the bar.", "b: It counts.", "c: Restart."]
    assert asked == [("Goal!", "Off the bar."), ("It counts.", "Restart.")]


def test_captions_and_turns_take_no_part():
    "Released captions and board games' turns stay as they are, between the clips."
    caption = clip("x", 30, 40, raw="and a caption.", text="and a caption.")
    turn = Piece(id="t", game="chess", match_id="g", modality="pgn", source="a.pgn#1", step="3", raw="and so on.", text="and so on.")
    results = list(repair_openings([*align_clips([clip(*TORN[0])]), caption, turn]))
    assert told(results) == ["a: Curry brings it up and", "x: and a caption.", "t: and so on."] and not any(isinstance(item, Reject) for item in results)
