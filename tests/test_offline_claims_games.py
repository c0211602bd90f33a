"""Background statements of the sample games: those that are wrong on purpose are judged false, those that the headers confirm true, the rest unknown."""

import asyncio
from functools import cache
from pathlib import Path

import pytest

from gamecommbench.builds import BuildRequest, build
from gamecommbench.judge import Trace
from gamecommbench.offline.claims import answer_claims, answer_factuality
from gamecommbench.offline.judge import OfflineJudge
from gamecommbench.schema import Record, iter_records
from gamecommbench.steps import IdText
from gamecommbench.tace.background import judge_background
from gamecommbench.tace.claim_steps import ClaimsInput, FactualityInput
from gamecommbench.tace.knowledge import facts_of_background

SAMPLE = Path(__file__).parents[1] / "data" / "sample"


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    "Records of a sample game, built once."
    @cache
    def of(game: str) -> tuple[Record, ...]:
        out = tmp_path_factory.mktemp(game) / "records.jsonl"
        build(BuildRequest(game, [SAMPLE / game], out))
        return tuple(iter_records(out))
    return of


def background_of(records: tuple[Record, ...], words: str) -> str:
    "The background of the one match in whose commentary the words are said, or of the only match."
    found = {record.background for record in records if words.lower() in record.commentary.processed_commentary.lower()} or {record.background for record in records}
    assert len(found) == 1, f"{len(found)} matches say {words!r}"
    return found.pop()


def verdict(game: str, sentence: str, background: str) -> str:
    claim = answer_claims(ClaimsInput(game=game, sentences=[sentence], context=background)).claims[0]
    return answer_factuality(FactualityInput(game=game, claim=claim, evidence=[IdText(id=fact.id, text=fact.text()) for fact in facts_of_background(background)])).label


WRONG = [
    ("chess", "the man who entertained the Vienna opera house that night wanted a quick mate"), ("chess", "All this from an evening in 1862"), ("chess", "the Evans Gambit, our opening here"), ("chess", "when this was played in 1853"),
    ("chess", "The game was played in New York at the Rosenwald tournament of 1959"), ("chess", "Donald Byrne, the eventual winner of this game"),
    ("go", "The game was played in Edo"), ("go", "This game was played in 1862"), ("go", "The game was played in Kyoto"), ("go", "Go Seigen won the game"), ("go", "The tournament rules give White a komi of 6.5 points"), ("go", "The match was held in Tokyo"),
    ("football", "first visit to Quarry Lane"), ("football", "Castlewick line up in a 5-3-2"), ("football", "Callum Strand has been captain of Harrowmere since last season, under his coach Paula Wetherby"),
    ("football", "It is the largest audience of the season, 21,000 people"), ("football", "This February afternoon is one of the biggest"), ("football", "Tobias Renn is the referee today"),
    ("basketball", "Dunmore starts for the Ironclads tonight in place of Halloran"), ("basketball", "The Kestrels beat Lakemont when they last met"), ("basketball", "Lindqvist comes off the bench"),
    ("basketball", "Whitlock is loving his debut season here at Harbor Pavilion"),
    ("lol", "Tarnwick is on Lee Sin for Lanternfish this season"), ("lol", "Haloway brought his favourite pick, Azir"), ("lol", "This tournament is played on patch 31.5"), ("lol", "Lanternfish have been the blue side in all of their matches")]
CONFIRMED = [
    ("chess", "it's a Caro-Kann"), ("chess", "we have a Philidor Defence on the board"), ("go", "White won by two points"), ("go", "Shusaku won the game by two points"), ("go", "Lee Sedol won this game"), ("go", "The game was played in Seoul on 13 March 2016"), ("go", "This game was played in Tokyo"), ("go", "The game was played in Osaka in 1846"),
    ("go", "the man across the board, Gennan Inseki, was an 8 dan and the head of the Inoue house"),
    ("football", "It is round 24 of the Saltmarsh Premier"), ("football", "Millrace Park is nearly full"), ("football", "The club give the attendance as 18,412"), ("football", "Emil Hartwood's ninth goal of the season, all of them for his coach, Henrik Maddern"),
    ("football", "Ines Calloway has been a referee in this league for nine years"), ("basketball", "There are 17,206 at Tidewater Hall"), ("basketball", "Lakemont won the last meeting"), ("basketball", "Vance and the Kestrels lost the last meeting 104 to 97"),
    ("lol", "We are on patch 31.7"), ("lol", "Quillon opens the tournament on Jinx for Lanternfish, the blue side"), ("lol", "It is the 12th of April 2031")]
OPEN = [
    ("go", "He went on to win nineteen castle games in a row"), ("go", "It was whispered that a pupil, Maeda Nobuaki, had found the move"), ("football", "Harrowmere Town have not lost at home in 2031"), ("football", "Marlow came to Castlewick from Fernley Vale two years ago"),
    ("football", "That is Felix Marlow's seventh goal of the season"), ("lol", "Quillon started his career as a support four years ago"), ("lol", "Lanternfish have not lost a match in this league since last summer"),
    ("lol", "Haloway plays his favourite champion here, Azir, with whom Northgale won their last four matches")]


@pytest.mark.parametrize("wanted, game, sentence", [("false", *row) for row in WRONG] + [("true", *row) for row in CONFIRMED] + [("unknown", *row) for row in OPEN])
def test_statements_of_the_samples(records, wanted: str, game: str, sentence: str):
    assert verdict(game, f"{sentence}.", background_of(records(game), sentence)) == wanted


def test_a_contradiction_is_found_by_way_of_retrieval(records):
    [background] = {record.background for record in records("football")}
    units = ["Tobias Renn is the referee today", "Castlewick line up in a 5-3-2", "Marlow came to Castlewick from Fernley Vale two years ago"]
    judged = asyncio.run(judge_background(Trace(OfflineJudge()), "football", units, facts_of_background(background), [], []))
    assert [claim.factuality for claim in judged.claims] == ["false", "false", "unknown"]


LOL = "Blue: Northgale\nRed: Lanternfish\nBlue mid: Ahri (NGL Faye)\nBlue bot: Miss Fortune (NGL Ludo)\nRed jungler: Lee Sin (LNF Moss)\nPatch: 15.2\nResult: Red won"
MATCH = ("Event: Harbour Cup\nRound: 3\nDate: 2031-11-18\nHome: Harrow Rovers\nAway: Leyton Town\nHome players: 1 Ida Holt, 9 Jan Okoro\nHome substitutes: 12 Rui Dias\nAway players: 4 Kai Strand\nHome coach: Ivo Lund\nAway coach: Eva Marr\n"
         "Previous meeting: 2031-02-07, Leyton Town 2 - 0 Harrow Rovers\nResult: Harrow Rovers 2 - 1 Leyton Town")
GO = "Black: Ito Ren\nWhite: Mori Kei\nBlackRank: 4d\nWhiteRank: 7d\nHandicap: 2\nKomi: 0.5 points\nDate: 1921-04-02\nResult: B+R (Black won by resignation)"


@pytest.mark.parametrize("game, background, sentence, wanted", [
    ("lol", LOL, "Faye is on Ahri.", "true"), ("lol", LOL, "Ludo plays Jinx today.", "false"), ("lol", LOL, "Ludo is on Miss Fortune for the blue side.", "true"), ("lol", LOL, "Moss is on Lee Sin for the blue side.", "false"),
    ("lol", LOL, "Faye plays in the top lane today.", "false"), ("lol", LOL, "Faye has played Ahri in every game this split.", "true"), ("lol", LOL, "Moss has a ninety percent win rate.", "unknown"), ("lol", LOL, "Northgale are on the red side.", "false"),
    ("lol", LOL, "Patch 15.2 is new.", "true"), ("lol", LOL, "They are undefeated this split.", "unknown"),
    ("football", MATCH, "Dias starts on the bench.", "true"), ("football", MATCH, "Dias starts for Rovers tonight.", "false"), ("football", MATCH, "Okoro starts for Rovers.", "true"), ("football", MATCH, "Strand is on the bench.", "false"),
    ("football", MATCH, "Town won the last meeting in February.", "true"), ("football", MATCH, "Rovers won the last meeting.", "false"), ("football", MATCH, "Town won the last meeting 3-0.", "false"), ("football", MATCH, "Town won the last meeting in May.", "false"),
    ("football", MATCH, "It is the third round of the cup.", "true"), ("football", MATCH, "This is round five.", "false"), ("football", MATCH, "They meet on the 18th of November, and it is the 18th today.", "true"), ("football", MATCH, "It is the 20th of November.", "false"),
    ("football", MATCH, "Okoro was born in May.", "unknown"), ("football", MATCH, "Marr coaches Town.", "true"), ("football", MATCH, "Town's coach is Ivo Lund.", "false"), ("football", MATCH, "Rovers have won six in a row.", "unknown"), ("football", MATCH, "Okoro has nine goals this season.", "unknown"),
    ("go", GO, "Mori is a 7 dan.", "true"), ("go", GO, "Ito is a 7 dan.", "false"), ("go", GO, "It is a two-stone game.", "unknown"), ("go", GO, "It is a 3 stone handicap.", "false"), ("go", GO, "Komi is 0.5.", "true"), ("go", GO, "White won the game.", "false"),
    ("go", GO, "This game was played in April 1921.", "true"), ("go", GO, "This game was played in June 1921.", "false")])
def test_backgrounds_as_collectors_write_them(game: str, background: str, sentence: str, wanted: str):
    assert verdict(game, sentence, background) == wanted
