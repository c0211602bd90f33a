"""BoxComm: sentences with their classes and the punches around them, nothing lost on the way."""
import json
from pathlib import Path

import pytest

from gamecommbench.collect.boxing import BoxingSettings, Bout, bout_of, collect_boxing, punch_of
from gamecommbench.pieces import Piece, Reject, read_pieces, write_pieces
from gamecommbench.schema import BenchError

NAME = "480_O'NEIL-Ann_DOS-REIS-Eva"
SEGMENTS = [
    {"start_time": 1.0, "end_time": 4.0, "class": 3, "text": "The light flyweight final."},
    {"start_time": 5.0, "end_time": 6.0, "class": 1, "text": "Jab lands.", "words": [{"word": "Jab", "start_time": 5.0, "end_time": 5.4}, {"word": "lands."}]},
    {"start_time": 28.0, "end_time": 33.0, "class": 2, "text": "She needs to close the distance."},
    {"start_time": 40.0, "end_time": 41.0, "class": 1, "text": "Good shot!"}, {"start_time": 41.0, "end_time": 42.0, "class": 1, "text": "Good shot!"},
    {"start_time": 42.0, "end_time": 43.0, "class": 1, "text": "Good shot!"}, {"start_time": 43.0, "end_time": 44.0, "class": 1, "text": "Good shot!"},
]
PUNCHES = [
    {"distance": "long", "effect": "effective", "foul": False, "frame_begin": "200", "frame_end": "215", "name": "punching", "side": "red", "target": "head", "technique": "lstraight", "type": 1},
    {"distance": "medium", "effect": "ineffective", "foul": True, "frame_begin": "260", "frame_end": "270", "name": "punching", "side": "blue", "target": "body", "technique": "ruppercut"},
    {"distance": "long", "effect": "ineffective", "foul": False, "frame_begin": "1600", "frame_end": "1610", "name": "punching", "side": "red", "target": "head", "technique": "rhook"},
]


def put(path: Path, value) -> Path:
    "A JSON file, its folder made."
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    "The released layout with one bout."
    put(tmp_path / "asr" / "480.json", {"video_id": NAME, "fps": 50.0, "total_frames": 3000, "language": "en", "classified_segments": SEGMENTS})
    put(tmp_path / "events" / NAME / "video_event_inference_3.json", PUNCHES)
    put(tmp_path / "metadata.csv", f"video_id,video_name,video_path,fps,total_frames,language,num_segments\n480,{NAME},/far/away/{NAME}.mp4,50.0,3000,en,7\n")
    return tmp_path


def collected(paths, folder: Path, **settings) -> tuple[list[Piece], list[Reject]]:
    "Pieces and rejects apart."
    items = list(collect_boxing(paths, folder, BoxingSettings(**settings)))
    return [item for item in items if isinstance(item, Piece)], [item for item in items if isinstance(item, Reject)]


def test_sentences_become_pieces(home: Path):
    "Class, unit, window, background, punches and file of each sentence."
    pieces, rejects = collected([home], home)
    assert rejects == [] and [piece.raw for piece in pieces] == [segment["text"] for segment in SEGMENTS]  # four cries in step are no loop here
    assert [piece.units[0].category for piece in pieces] == ["background", "descriptive", "analytical"] + ["descriptive"] * 4
    assert [piece.label for piece in pieces][:3] == ["contextual", "play-by-play", "tactical"] and {piece.annotated_by for piece in pieces} == {"BoxComm"}
    jab = pieces[1]
    assert (jab.id, jab.match_id, jab.step, jab.start, jab.end) == ("boxing/480/002", "480", "2", 1.0, 6.0)
    assert jab.background.splitlines() == ["Event: 2025 World Boxing Championships", "Blue: O'Neil Ann", "Red: Dos Reis Eva"]
    assert jab.storage_file == f"{NAME}.mp4" and jab.context["video_start"] == 1.0 and jab.context["clock"] == "0:01" and jab.flags == ["times-shared"]
    assert jab.context["events"] == [
        {"time": 3.0, "side": "red", "actor": "Dos Reis Eva", "action": "punch", "object": "head", "outcome": "effective", "text": "Dos Reis Eva: left straight to the head at long range (effective)"},
        {"time": 4.2, "side": "blue", "actor": "O'Neil Ann", "action": "uppercut", "object": "body", "outcome": "ineffective",
         "text": "O'Neil Ann: right uppercut to the body at medium range (ineffective, a foul)"}]
    assert len({piece.id for piece in pieces}) == 7 and write_pieces(home / "out.jsonl", pieces) == 7 and list(read_pieces(home / "out.jsonl")) == pieces


def test_windows(home: Path):
    "Every sentence is in one window, with a unit of its own; a tie goes to the earlier window."
    pieces, rejects = collected([home], home, window=30)
    assert rejects == [] and [(piece.start, piece.end, len(piece.units)) for piece in pieces] == [(0.0, 30.0, 2), (30.0, 60.0, 5)]
    assert " ".join(piece.raw for piece in pieces) == " ".join(segment["text"] for segment in SEGMENTS)
    assert [len(piece.context["events"]) for piece in pieces] == [2, 1] and pieces[1].context["events"][0]["time"] == 2.0
    tie = dict(SEGMENTS[2], start_time=28.0, end_time=32.0)
    put(home / "asr" / "480.json", {"video_id": NAME, "fps": 50.0, "classified_segments": [tie]})
    assert collected([home], home, window=30)[0][0].start == 0.0


def test_nothing_is_lost(home: Path):
    "Segments are pieces or rejects, whatever is wrong with them, counted apart from the reader."
    broken = [dict(SEGMENTS[0], end_time=0.5), dict(SEGMENTS[0], text=""), dict(SEGMENTS[0], start_time=None), dict(SEGMENTS[0], **{"class": 9}), dict(SEGMENTS[0], **{"class": None})]
    put(home / "asr" / "480.json", json.dumps({"video_id": NAME, "classified_segments": SEGMENTS + broken}))
    put(home / "events" / NAME / "video_event_inference_3.json", [*PUNCHES, {"frame_begin": "9", "frame_end": "8"}, {"frame_begin": "x"}])
    pieces, rejects = collected([home], home)
    segments = [reject for reject in rejects if reject.place.startswith("classified_segments")]
    assert len(pieces) + len(segments) == 12 and len(segments) == 3
    assert [piece.flags for piece in pieces if not piece.units] == [["no-class"], ["no-class"]] and not any(piece.annotated_by for piece in pieces if not piece.units)
    reasons = [reject.reason for reject in rejects if reject not in segments]
    assert reasons == ["a punch event whose frames are no numbers in order"] * 2 + ["the transcript has not as many segments as the metadata says"]
    assert [reject.detail for reject in rejects][-1] == "12, expected 7" and all(reject.stage == "collect" and reject.file for reject in rejects)


def test_what_is_missing_is_told(tmp_path: Path):
    "No punches, no frame rate, no names, no video: flags and rejects, and the sentences stay."
    put(tmp_path / "asr" / "12.json", {"classified_segments": SEGMENTS[:2], "language": "fr"})
    put(tmp_path / "events" / "12_A_B" / "video_event_inference_3.json", PUNCHES)
    put(tmp_path / "events" / "13_A_B" / "video_event_inference_3.json", PUNCHES)
    put(tmp_path / "events" / "14_A_B" / "video_event_inference_3.json", [])
    put(tmp_path / "skeleton.pkl", "code")
    put(tmp_path / "asr" / "cut.json", '{"classified_segments": [')
    pieces, rejects = collected([tmp_path], tmp_path)
    assert [piece.background for piece in pieces] == ["Event: 2025 World Boxing Championships"] * 2 and pieces[0].flags == ["no-events", "no-video-file"]
    assert pieces[0].context["events"] == [] and "video_start" not in pieces[0].context
    assert sorted((reject.file, reject.reason) for reject in rejects) == [
        ("asr/cut.json", "a file that is cut off, empty or no JSON"),
        ("events/12_A_B/video_event_inference_3.json", "punch events without a frame rate: neither the transcript nor the metadata has one"),
        ("events/13_A_B/video_event_inference_3.json", "punch events of a bout without a transcript"),
        ("events/14_A_B/video_event_inference_3.json", "punch events of a bout without a transcript"),
        ("skeleton.pkl", "a pickle, which is never opened")]


def test_inputs_that_are_none(tmp_path: Path):
    "A file that was named is an error of one line; the same in a folder, and a second transcript of a bout, are rejects."
    wrong = put(tmp_path / "x" / "game.json", {"resultSets": []})
    with pytest.raises(BenchError, match="resultSets.*supported: BoxComm") as caught:
        list(collect_boxing([wrong], tmp_path))
    assert "\n" not in str(caught.value)
    with pytest.raises(BenchError, match="no such file"):
        list(collect_boxing([tmp_path / "none"], tmp_path))
    put(tmp_path / "x" / "a" / "5.json", {"classified_segments": SEGMENTS})
    put(tmp_path / "x" / "b" / "5.json", {"classified_segments": SEGMENTS})
    put(tmp_path / "x" / "c" / "notes.json", {"classified_segments": SEGMENTS})
    pieces, rejects = collected([tmp_path / "x"], tmp_path)
    assert len(pieces) == 7 and [reject.reason for reject in rejects] == [
        "another file of this kind for the same bout is among the inputs", "nothing says which bout the file is of: expected its number in the file's or the folder's name",
        "none of the formats that boxing is read from"]


def test_splits_and_own_videos(home: Path):
    "Training and evaluation by number; a video among the inputs is named as the records' folder sees it."
    put(home / "asr" / "33.json", {"classified_segments": SEGMENTS})
    put(home / "videos" / "33_A_B.mp4", "")
    train, rejects = collected([home], home, split="train", event="")
    assert {piece.match_id for piece in train} == {"33"} and {piece.storage_file for piece in train} == {"videos/33_A_B.mp4"} and "a bout of the other split" in [reject.reason for reject in rejects]
    assert train[0].background == ""
    evaluation, _ = collected([home], home, split="eval")
    assert {piece.match_id for piece in evaluation} == {"480"}
    assert [piece.match_id for piece in collected([home], home)[0]] == ["33"] * 7 + ["480"] * 7


def test_bouts_and_punches():
    "Names by corner, and rows that name nothing."
    assert bout_of({"video_id": 482, "video_name": "482_O'ROURKE-Aoife_WANG-Lina"}).boxers == {"blue": "O'Rourke Aoife", "red": "Wang Lina"}
    assert bout_of({"video_id": "499_A_B", "fps": 0}).fps is None and bout_of({"video_id": None}) is None and bout_of({}) is None
    assert Bout(id="1", name="final.mp4").boxers == {} and Bout(id="1", name="1_A").boxers == {}
    assert punch_of({"frame_begin": "97", "frame_end": "104"}, 30.0).start == 3.233 and punch_of("x", 30.0) is None


def test_real_samples(shared: Path, tmp_path: Path):
    "Ten sentences and ten punches of bout 478 with the metadata of all forty: numbers read by eye."
    folder = shared / "samples" / "boxing_boxcomm"
    pieces, rejects = collected([folder], tmp_path)
    assert len(pieces) == 10 and [piece.units[0].category for piece in pieces] == [
        "background", "background", "analytical", "descriptive", "background", "background", "background", "analytical", "analytical", "analytical"]
    assert [(reject.file, reject.detail) for reject in rejects] == [("asr_478_first10.json", "10, expected 139")]
    first, third = pieces[0], pieces[2]
    assert first.background.splitlines()[1:] == ["Blue: Lutsaikhan Altantsetseg", "Red: Minakshi Minakshi"]
    assert first.storage_file == "478_LUTSAIKHAN-Altantsetseg_MINAKSHI-Minakshi.mp4" and (first.start, first.end) == (0.0, 4.739)
    assert first.context["events"][0]["time"] == 3.233 and first.context["events"][0]["text"] == "Minakshi Minakshi: right hook to the head at medium range (ineffective)"
    assert (third.start, third.end) == (6.567, 15.873) and len(third.context["events"]) == 8
