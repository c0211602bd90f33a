"""The sample football match: what is committed is what its script makes, every moment has its clip, and enough of it survives cleaning."""
import asyncio
import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

from gamecommbench.align import align_clips, repair_openings
from gamecommbench.chains import clean_football
from gamecommbench.collect.football import collect_football
from gamecommbench.offline.judge import OfflineJudge
from gamecommbench.pieces import Piece

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "data" / "sample" / "football"
MADE = ("Labels-caption.json", "1_asr.json", "2_asr.json", "videos.csv")


@pytest.fixture(scope="module")
def pieces(tmp_path_factory: pytest.TempPathFactory) -> list[Piece]:
    "The collected pieces; nothing of the inputs is rejected."
    found = list(collect_football([SAMPLE], tmp_path_factory.mktemp("records")))
    assert not [item for item in found if not isinstance(item, Piece)]
    return found


def test_script_makes_what_is_committed(tmp_path: Path):
    "Captions, transcripts and manifest, byte by byte."
    pytest.importorskip("PIL")
    done = subprocess.run([sys.executable, str(ROOT / "scripts" / "sample" / "football.py"), "--no-clips", "--out", str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(MADE)
    for name in MADE:
        assert (tmp_path / name).read_bytes() == (SAMPLE / name).read_bytes(), f"{name} is not what scripts/sample/football.py makes: run it again"


def test_says_that_it_is_simulated():
    "In every file that could travel alone."
    for name in MADE[:3]:
        assert json.loads((SAMPLE / name).read_text(encoding="utf-8"))["note"].startswith("SIMULATED")


def test_every_moment_has_a_clip_and_every_clip_a_moment(pieces: list[Piece]):
    "The annotations, the manifest, the files and the pieces agree."
    annotations = json.loads((SAMPLE / "Labels-caption.json").read_text(encoding="utf-8"))["annotations"]
    listed = [row["file"] for row in csv.DictReader((SAMPLE / "videos.csv").open(encoding="utf-8"))]
    assert len(pieces) == len(annotations) == len(set(listed)) == 23
    assert sorted(listed) == sorted(f"clips/{path.name}" for path in (SAMPLE / "clips").iterdir())
    assert all(piece.storage_file and piece.context["video_start"] == 0 and "no-video-file" not in piece.flags for piece in pieces)


def test_clips_are_as_long_as_their_pieces(pieces: list[Piece]):
    "Decoded to the end: ten frames for each second that the record says."
    av = pytest.importorskip("av")
    for piece in pieces:
        path = SAMPLE / "clips" / Path(piece.storage_file).name
        with av.open(str(path)) as container:
            stream = container.streams.video[0]
            frames = sum(1 for _ in container.decode(stream))
            assert (stream.width, stream.height, frames) == (320, 180, round(piece.context["duration"] * 10)), path.name
            assert float(stream.duration * stream.time_base) == pytest.approx(piece.context["duration"], abs=0.05)


def test_stays_small():
    "All of data/ travels in the wheel."
    sizes = {path.name: path.stat().st_size for path in SAMPLE.rglob("*") if path.is_file()}
    assert max(size for name, size in sizes.items() if name.endswith(".mp4")) <= 40_000
    assert sum(sizes.values()) < 700_000


def test_feed_reaches_the_pieces(pieces: list[Piece]):
    "Who did what, and the score after each goal."
    goals = {piece.step: (piece.context["score"], piece.context["events"][0]["actor"]) for piece in pieces if piece.label == "goal"}
    assert goals == {"1_18_42": ({"home": 1, "away": 0}, "Emil Hartwood"), "2_16_08": ({"home": 1, "away": 1}, "Felix Marlow"), "2_38_50": ({"home": 2, "away": 1}, "Kofi Brandreth")}
    assert all(piece.context["events"] for piece in pieces)


def test_what_is_wrong_on_purpose_is_known(pieces: list[Piece]):
    "The metadata that the README's deliberate errors contradict."
    facts = pieces[0].background.splitlines()
    for line in ("Venue: Millrace Park (Harrowmere)", "Away formation: 4-4-2", "Home coach: Henrik Maddern", "Attendance: 18412", "Date: 2031-03-15", "Referee: Ines Calloway"):
        assert line in facts
    said = " ".join(utterance.text for piece in pieces for utterance in piece.utterances)
    for slip in ("Quarry Lane", "5-3-2", "coach Paula Wetherby", "21,000", "February", "Tobias Renn is the referee"):
        assert slip in said


def test_offline_cleaning_keeps_most_and_has_work(pieces: list[Piece]):
    "All three types, a repaired pair, names put right, a beginning and chatter removed, two moments dropped."
    aligned = [item for item in repair_openings([item for item in align_clips(pieces) if isinstance(item, Piece)]) if isinstance(item, Piece)]

    async def run() -> list:
        return [item async for item in clean_football(OfflineJudge(), aligned)]
    kept = {piece.step: piece for piece in asyncio.run(run()) if isinstance(piece, Piece)}
    assert len(kept) >= 14 and "1_46_02" not in kept and "2_34_20" not in kept
    assert {sentence.category for piece in kept.values() for sentence in piece.sentences} == {"descriptive", "analytical", "background"}
    assert [step for step, piece in kept.items() if "repaired" in piece.flags] == ["1_24_05", "1_24_17"]
    text = " ".join(piece.text for piece in kept.values())
    assert not any(word in text for word in ("Fennick", "Hartwod", "Marlowe", "quiz", "website", "so nearly the end of him"))
