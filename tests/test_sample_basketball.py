"""The sample basketball game: what is committed is what its script makes, every event has its clip, and enough of it survives cleaning."""
import asyncio
import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

from gamecommbench.align import align_clips, repair_openings
from gamecommbench.chains import clean_basketball
from gamecommbench.collect.basketball import collect_basketball
from gamecommbench.offline.judge import OfflineJudge
from gamecommbench.pieces import FeedEvent, Piece

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "data" / "sample" / "basketball"
FOR_PEOPLE = {"README.md", "source/game.yaml"}


@pytest.fixture(scope="module")
def pieces() -> list[Piece]:
    "The collected pieces, as records beside the sample would have them; nothing of the inputs is rejected."
    found = list(collect_basketball([SAMPLE], SAMPLE))
    assert not [item for item in found if not isinstance(item, Piece)]
    return found


@pytest.fixture(scope="module")
def rows() -> list[dict]:
    "The play-by-play by column."
    table = json.loads((SAMPLE / "playbyplay_9923000017.json").read_text(encoding="utf-8"))["resultSets"][0]
    return [dict(zip(table["headers"], row)) for row in table["rowSet"]]


def test_script_makes_what_is_committed(tmp_path: Path):
    "Every text file, byte by byte, and no other."
    pytest.importorskip("PIL")
    done = subprocess.run([sys.executable, str(ROOT / "scripts" / "sample" / "basketball.py"), "--no-clips", "--out", str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    made = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    kept = {path.relative_to(SAMPLE).as_posix() for path in SAMPLE.rglob("*") if path.suffix != ".mp4" and path.is_file()}
    assert made == kept - FOR_PEOPLE
    for name in sorted(made):
        assert (tmp_path / name).read_bytes() == (SAMPLE / name).read_bytes(), f"{name} is not what scripts/sample/basketball.py makes: run it again"


def test_says_that_it_is_simulated():
    "In every file whose form has room for it."
    bare = {"videoid2gameid_eventid.json", "action_list.json", "action_list_Coarse.json"}
    named = [path for path in SAMPLE.rglob("*.json") if path.name not in bare]
    assert len(named) == 30
    for path in named:
        assert json.loads(path.read_text(encoding="utf-8"))["note"].startswith("SIMULATED")


def test_every_clip_has_caption_transcript_and_file(pieces: list[Piece]):
    "Names in the captions, words to each, no flag, a file each."
    listed = [row["file"] for row in csv.DictReader((SAMPLE / "videos.csv").open(encoding="utf-8"))]
    assert len(pieces) == len(set(listed)) == 26
    assert sorted(listed) == sorted(f"clips/{path.name}" for path in (SAMPLE / "clips").iterdir()) == sorted(piece.storage_file for piece in pieces)
    for piece in pieces:
        assert piece.caption and "PLAYER" not in piece.caption and piece.label and not piece.flags
        assert piece.utterances and all(0 <= said.start < said.end <= piece.end for said in piece.utterances)


def test_speech_is_as_fast_as_people_speak(pieces: list[Piece]):
    "At most four words a second while somebody speaks."
    rates = {piece.id: max(len(said.text.split()) / (said.end - said.start) for said in piece.utterances) for piece in pieces}
    assert max(rates.values()) <= 4.0, {clip: rate for clip, rate in rates.items() if rate > 4.0}


def test_context_and_background(pieces: list[Piece]):
    "The feed's events, the score after them, and what is known of the game."
    for piece in pieces:
        events = [FeedEvent.model_validate(event) for event in piece.context["events"]]
        assert events[0].clock == piece.context["clock"] and events[0].side in ("home", "away") and set(piece.context["score"]) == {"home", "away"}
        keys = [line.split(":")[0] for line in piece.background.splitlines()]
        assert {"Date", "Arena", "Referee", "Home", "Away", "Result", "Previous meeting", "Home starters", "Away bench"} <= set(keys)
        assert "NBA" not in piece.background
    assert {event["action"] for piece in pieces for event in piece.context["events"]} >= {"shot", "free throw", "rebound", "turnover", "steal", "block", "foul", "violation", "substitution", "timeout", "jump ball"}


def test_scores_add_up(rows: list[dict]):
    "No score falls, none rises by less than its row made, neighbours agree, and the periods make the result."
    score, ends = (0, 0), [(0, 0)]  # home, away
    for row in rows:
        worth = {1: 3 if "3PT" in f"{row['HOMEDESCRIPTION']}{row['VISITORDESCRIPTION']}" else 2, 3: 1}.get(row["EVENTMSGTYPE"], 0)
        if row["SCORE"]:
            away, home = map(int, row["SCORE"].split(" - "))
            side = 0 if row["HOMEDESCRIPTION"] else 1
            made = tuple(now - before for now, before in zip((home, away), score))
            assert min(made) >= 0 and (row["EVENTMSGTYPE"] == 13 or made[side] >= worth > 0), row
            assert row["SCOREMARGIN"] == ("TIE" if home == away else str(home - away))
            score = (home, away)
            ends += [score] * (row["EVENTMSGTYPE"] == 13)
        else:
            assert not worth or "MISS" in f"{row['HOMEDESCRIPTION']}{row['VISITORDESCRIPTION']}", f"a basket without a score: {row}"
    periods = [[now - before for now, before in zip(end, start)] for start, end in zip(ends, ends[1:])]
    game = json.loads((SAMPLE / "boxscore_9923000017.json").read_text(encoding="utf-8"))["game"]
    for number, side in enumerate(("homeTeam", "awayTeam")):
        assert [period["score"] for period in game[side]["periods"]] == [period[number] for period in periods]
        assert game[side]["score"] == score[number] == sum(period[number] for period in periods)


def test_clips_are_as_long_as_their_pieces(pieces: list[Piece]):
    "Decoded to the end: ten frames for each second that the record says; small, and of the size that is told."
    av = pytest.importorskip("av")
    for piece in pieces:
        path = SAMPLE / piece.storage_file
        with av.open(str(path)) as container:
            stream = container.streams.video[0]
            assert (stream.codec_context.name, stream.width, stream.height) == ("h264", 320, 180)
            assert sum(1 for _ in container.decode(stream)) == round(10 * piece.context["duration"]), piece.id
        assert path.stat().st_size <= 35_000 and 6 <= piece.context["duration"] <= 10
    assert sum(path.stat().st_size for path in SAMPLE.rglob("*") if path.is_file()) < 800_000


async def _cleaned(pieces: list[Piece]) -> list:
    return [item async for item in clean_basketball(OfflineJudge(), pieces)]


def test_enough_survives_the_offline_chain(pieces: list[Piece]):
    "The gate turns the two clips away that speak of other plays, a torn sentence is whole again, and at least 13 records stay."
    aligned = list(repair_openings(align_clips(pieces)))
    assert all(isinstance(item, Piece) for item in aligned)
    repaired = {item.id: item.text for item in aligned if "repaired" in item.flags}
    assert set(repaired) == {"video5", "video6"} and "coming from the weak side" in repaired["video5"]
    done = asyncio.run(_cleaned(aligned))
    kept = {item.id: item.text for item in done if isinstance(item, Piece)}
    assert len(kept) >= 13
    gone = {reject.place: reject.reason for reject in done if not isinstance(reject, Piece)}
    assert {place for place, reason in gone.items() if "another play" in reason} == {"video10", "video17"}
    everything = " ".join(kept.values())
    assert "drums" not in everything and "into the double team" not in everything and "Lindquist" not in everything and "Lindqvist takes the charge" in everything
    for wrong in ("Dunmore starts", "Kestrels beat Lakemont", "off the bench", "Harbor Pavilion"):
        assert wrong in everything
