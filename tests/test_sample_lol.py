"""The League of Legends sample is what its maker makes of its source, and gives records."""
import json
import os
import sys
from collections import Counter
from pathlib import Path

import pytest

from gamecommbench.builds import BuildRequest, build
from gamecommbench.collect.lol import collect_lol
from gamecommbench.pieces import EMPTY, Piece
from gamecommbench.schema import Record, iter_records

ROOT = Path(__file__).parents[1]
SAMPLE, MAKERS = ROOT / "data" / "sample" / "lol", ROOT / "scripts" / "sample"
GAMES = ("SIM1_4600011", "114600012")


@pytest.fixture(scope="module")
def maker():
    "The script and what it shares with the other makers, by names that no other test uses."
    pytest.importorskip("PIL", reason="the makers draw with Pillow")
    sys.path.insert(0, str(MAKERS))
    try:
        import common
        import lol
    finally:
        sys.path.remove(str(MAKERS))
    return lol, common


@pytest.fixture(scope="module")
def pieces() -> dict[str, Piece]:
    return {item.id: item for item in collect_lol([SAMPLE], ROOT) if isinstance(item, Piece)}


@pytest.fixture(scope="module")
def records(tmp_path_factory) -> list[Record]:
    out = tmp_path_factory.mktemp("lol") / "records.jsonl"
    build(BuildRequest("lol", [SAMPLE], out))
    return list(iter_records(out))


def test_the_committed_files_are_what_the_script_makes(maker):
    made = maker[0].texts(SAMPLE / "source")
    assert len(made) == 13
    for name, text in made.items():
        assert (SAMPLE / name).read_text(encoding="utf-8") == text, f"{name}: run scripts/sample/lol.py again"


def test_no_file_is_left_from_an_earlier_source(maker):
    made = set(maker[0].texts(SAMPLE / "source")) | {clip.file for clip in maker[0].clips(SAMPLE / "source")}
    there = {path.relative_to(SAMPLE).as_posix() for path in SAMPLE.rglob("*") if path.is_file()}
    assert there - made == {"README.md", "source/match.yaml"}
    assert made <= there


def test_the_clips_are_as_long_as_their_windows_at_three_times_the_speed(maker, pieces):
    pytest.importorskip("av", reason="clips are read with PyAV")
    lol, common = maker
    clips = lol.clips(SAMPLE / "source")
    assert len(clips) >= 24
    for clip in clips:
        length, piece = common.length_of(SAMPLE / clip.file), pieces[Path(clip.file).stem]
        assert length.seconds == pytest.approx((piece.end - piece.start) / lol.SPEED, abs=0.11), clip.file
        assert length.frames == round(clip.seconds * common.FPS)
        assert (length.width, length.height) == (common.WIDTH, common.HEIGHT)


def test_small_enough_for_the_wheel():
    sizes = {path: path.stat().st_size for path in SAMPLE.rglob("*") if path.is_file()}
    assert sum(sizes.values()) < 900_000
    assert all(size <= 30_000 for path, size in sizes.items() if path.suffix == ".mp4")


def test_everything_says_that_it_is_simulated():
    for path in SAMPLE.rglob("*.json"):
        if path.name != "offsets.json":  # which may hold games alone
            assert json.loads(path.read_text(encoding="utf-8"))["note"].startswith("SIMULATED"), path.name
    for path in (*SAMPLE.rglob("*.srt"), *SAMPLE.rglob("*.vtt")):
        assert "SIMULATED" in path.read_text(encoding="utf-8")[:200], path.name


def test_records_survive_the_offline_chain(records):
    spoken = [record for record in records if EMPTY not in record.origin.flags]
    assert len(spoken) >= 25
    assert set(Counter(record.origin.match_id for record in spoken)) == set(GAMES)
    kinds = Counter(unit.category for record in spoken for unit in record.commentary.commentary_category)
    assert min(kinds[kind] for kind in ("descriptive", "analytical", "background")) >= 10
    assert sum("off-topic-removed" in record.origin.flags for record in spoken) >= 3
    told = " ".join(record.commentary.processed_commentary for record in spoken).lower()
    assert not any(word in told for word in ("sponsor", "subscribe", "stream", "twitter", "<i>", "&amp;", "simulated"))


def test_windows_with_commentary_have_their_clip(records):
    for record in records:
        if EMPTY not in record.origin.flags:
            assert record.game_state.storage_file.endswith(".mp4"), record.origin.source


def test_the_feed_says_what_the_script_says(pieces):
    fight = pieces["SIM1_4600011-00930"]
    assert [(event["actor"], event["action"], event["object"], event.get("outcome", "")) for event in fight.context["events"] if event["action"] != "reach"] == [
        ("Jinx (LNF Quillon)", "kill", "Lee Sin (NGL Cinderel)", ""), ("Jinx (LNF Quillon)", "kill", "Kai'Sa (NGL Vexley)", "double kill"),
        ("Sejuani (LNF Tarnwick)", "take", "cloud dragon", ""), ("Jinx (LNF Quillon)", "kill", "Viktor (NGL Haloway)", "triple kill")]
    assert fight.context["score"] == {"blue": 8, "red": 3} and fight.context["gold"] == {"blue": 32400, "red": 27000}
    assert {event["team"] for event in fight.context["events"] if event["side"] == "blue"} == {"Lanternfish"}
    assert {"Event: Tideway Invitational, game 1", "Patch: 31.7", "Date: 2031-04-12", "Blue: Lanternfish", "Red: Northgale", "Result: Blue won (Lanternfish)",
            "Score: Lanternfish 14, Northgale 4 (kills at the end)", "Blue mid: Ahri (LNF Lumenna)"} <= set(fight.background.splitlines())
    live = pieces["114600012-01440"]
    assert live.context["score"] == {"blue": 13, "red": 9} and "Red dragons 1 → 2 (infernal)" in live.context["change"]
    assert [(event["team"], event.get("actor", ""), event["action"], event["object"]) for event in live.context["events"] if event["action"] != "reach"] == [
        ("Lanternfish", "", "take", "infernal dragon"), ("Northgale", "Azir (NGL Haloway)", "kill", "Braum (LNF Mossop)"), ("Northgale", "Xayah (NGL Vexley)", "kill", "Vi (LNF Tarnwick)")]
    assert {"Event: Tideway Invitational, game 2", "Blue: Northgale", "Red: Lanternfish"} <= set(live.background.splitlines())


def test_what_is_said_in_the_pause_belongs_to_no_window(pieces):
    said = [utterance.text for piece in pieces.values() for utterance in piece.utterances]
    assert not any("keyboard" in text for text in said)
    after = next(utterance for utterance in pieces["SIM1_4600011-00600"].utterances if utterance.text.startswith("Tarnwick kills Cinderel"))
    assert after.start == 609.0  # 45 seconds later in the recording
    assert os.path.basename(pieces["SIM1_4600011-00600"].storage_file) == "SIM1_4600011-00600.mp4"


def test_the_feeds_counts_give_back_the_scripts_events(maker, pieces):
    "Game 2 comes from frames alone; every kill, dragon, Baron and building of its script is an event, and nothing else is."
    game = next(game for game in maker[0].games(SAMPLE / "source") if game.told["id"] == "114600012")
    side = lambda event: game.player(event["by"]).side
    wanted = Counter()
    for event in game.events:
        if "kill" in event:
            wanted[side(event), "kill", event["by"], event["kill"]] += 1
        else:
            monster = {"infernal dragon": "infernal dragon", "baron": "Baron Nashor"}.get(event.get("monster"))
            wanted[side(event), "take" if monster else "destroy", "", monster or ("turret" if "turret" in event else "inhibitor")] += 1
    name = lambda told: told.rpartition(" ")[2].rstrip(")") if "(" in told else told
    found = Counter((event["side"], event["action"], name(event.get("actor", "")), name(event.get("object", ""))) for piece in pieces.values() if piece.match_id == "114600012"
                    for event in piece.context["events"] if event["action"] not in ("reach", "end"))
    assert found == wanted


def test_no_source_is_rejected_but_for_what_was_said_outside_the_games():
    rejects = [item for item in collect_lol([SAMPLE], ROOT) if not isinstance(item, Piece)]
    assert {reject.reason for reject in rejects} == {"subtitles outside the game's time"} and len(rejects) == 2
