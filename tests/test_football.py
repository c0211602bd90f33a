"""The football collector: the awkward cases, every real sample file, and inputs that people really have."""
import csv
import json
import unicodedata
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

from gamecommbench.collect.football import FootballSettings, collect_football
from gamecommbench.collect.football_events import MEANINGS, OTHER_ACTIONS
from gamecommbench.collect.football_match import background_xml, clip_of_path, match_of_labels
from gamecommbench.games import GAMES
from gamecommbench.pieces import FeedEvent, Piece, Reject
from gamecommbench.schema import BenchError
from gamecommbench.tace.knowledge import facts_of_background
from gamecommbench.templates_clip import event_sentence

GAME = "2099-01-02 - 18-00 Alpha FC 2 - 1 Beta United"
HEAD = {"gameHomeTeam": "Alpha FC", "gameAwayTeam": "Beta United", "gameDate": "02/01/2099 - 18:00", "score": "2 - 1", "venue": ["Example Park"], "referee": ["R. Example"], "lineup": {
    "home": {"tactic": "1-4-4-2", "players": [{"long_name": "Ann One", "hash": "a1", "shirt_number": "9", "starting": True}], "coach": [{"long_name": "Cora Home", "hash": "c1"}]},
    "away": {"players": [{"long_name": "Bo Two", "hash": "b2", "starting": False}], "coach": []}}}


def annotation(stamp: str, label: str = "corner", text: str = "A comment.", **fields) -> dict:
    half, clock = stamp.split(" - ")
    minutes, seconds = clock.split(":")
    return {"gameTime": stamp, "label": label, "description": text, "position": str((int(minutes) * 60 + int(seconds)) * 1000)} | fields


def match_folder(root: Path, annotations: list, name: str = GAME, head: dict = HEAD) -> Path:
    "A match's folder as SoccerNet lays it out, with its captions."
    folder = root / "england_epl" / "2098-2099" / name
    folder.mkdir(parents=True)
    (folder / "Labels-caption.json").write_text(json.dumps(head | {"annotations": annotations}), encoding="utf-8")
    return folder


def collected(*paths: Path, **settings) -> tuple[list[Piece], list[Reject]]:
    flow = list(collect_football(list(paths), paths[0].parent, FootballSettings(**settings)))
    return [item for item in flow if isinstance(item, Piece)], [item for item in flow if isinstance(item, Reject)]


# Awkward cases

def test_soc_01(shared: Path, cases: dict):
    "SoccerNet captions: position in ms, stoppage time, halves without a video."
    expected = cases["soc-01"]["expected"]
    pieces, rejects = collected(shared / "samples" / "soccer" / "SYNTHETIC_Labels-caption.json")
    assert len(pieces) == expected["usable"]
    assert [{"gameTime": reject.detail, "reason": reject.reason} for reject in rejects] == expected["skipped"]
    assert [pieces[2].start, pieces[2].end] == expected["annotation_index_2_window_s"] and pieces[2].context["clock"] == "47:12"


def test_soc_01_times(shared: Path):
    "An empty gt_gameTime is no time; the other two of MatchTime's are used as asked for."
    file = shared / "samples" / "soccer" / "SYNTHETIC_Labels-caption.json"
    starts = {field: [piece.start + 15 for piece in collected(file, time=field)[0]] for field in ("gt", "event_aligned", "contrastive_aligned")}
    assert starts == {"gt": [2823.0], "event_aligned": [2825.0, 190.0], "contrastive_aligned": [2822.0, 175.0]}
    _, rejects = collected(file, time="gt")
    assert len(rejects) == 4 and Counter(reject.reason for reject in rejects) == {"the time that was asked for is not annotated": 4}


def test_soc_03(cases: dict):
    "A path is split at the score, not at hyphens."
    case = cases["soc-03"]
    match, half, seconds = clip_of_path(case["input"])
    found = {"date": match.date, "time": match.time, "home": match.home.name, "home_goals": match.home_goals, "away_goals": match.away_goals, "away": match.away.name, "half": half, "seconds": seconds}
    assert found == case["expected"]


@pytest.mark.parametrize("home, away", [("Saint-Étienne", "Paris Saint-Germain"), ("Schalke 04", "1. FC Köln"), ("Hannover 96", "Mainz 05"), ("A - B", "C - D"), ("Bodø/Glimt".replace("/", " "), "Atl. Madrid")])
def test_clubs_with_hyphens_and_numbers(home: str, away: str):
    match, half, seconds = clip_of_path(f"x_2015-2016/2015-10-31 - 15-45 {home} 10 - 3 {away}/2_47_59.mp4")
    assert (match.home.name, match.home_goals, match.away_goals, match.away.name, half, seconds) == (home, 10, 3, away, 2, 47 * 60 + 59)


# Real sample files: the numbers are counted from the files themselves

def test_every_sample_file_gives_pieces_or_rejects(shared: Path):
    "Whatever stands in the sample folder is a piece or a reject, counted independently."
    folder = shared / "samples" / "soccer"
    rows = {}
    for name in ("unisoccer_MatchTime_classification_test_sample.json", "unisoccer_SoccerNet-v2_classification_test_sample.json"):
        rows[name] = len(json.loads((folder / name).read_text(encoding="utf-8")))
    for name in ("unisoccer_inference_sample_head.csv", "matchtime_inference_sample_head.csv"):
        with open(folder / name, encoding="utf-8", newline="") as file:
            rows[name] = sum(1 for _ in csv.DictReader(file))
    rows["SYNTHETIC_Labels-caption.json"] = len(json.loads((folder / "SYNTHETIC_Labels-caption.json").read_text(encoding="utf-8"))["annotations"])
    assert rows == {"unisoccer_MatchTime_classification_test_sample.json": 217, "unisoccer_SoccerNet-v2_classification_test_sample.json": 600, "unisoccer_inference_sample_head.csv": 119,
                    "matchtime_inference_sample_head.csv": 119, "SYNTHETIC_Labels-caption.json": 5}
    pieces, rejects = collected(folder)
    found = Counter(piece.source.partition("#")[0] for piece in pieces) + Counter(reject.file for reject in rejects if reject.place)
    assert found == rows
    whole = {reject.file: reject.reason for reject in rejects if not reject.place}
    assert set(whole) == {path.name for path in folder.iterdir()} - set(rows)
    assert whole["SYNTHETIC_results_dense_captioning.json"].startswith("predicted captions are candidates")
    assert "half" in whole["sn_echoes_1_asr_excerpt.json"] and whole["matchtime_scores.csv"] == "a table of scores holds no commentary"
    assert len({piece.id for piece in pieces}) == len(pieces) == 1053
    assert all(isinstance(piece.id, str) and piece.match_id and piece.end > piece.start >= 0 and piece.end - piece.start <= 30 for piece in pieces)


@pytest.mark.parametrize("name, pieces, rejected, raw", [("unisoccer_MatchTime_classification_test_sample.json", 217, 0, 217), ("unisoccer_SoccerNet-v2_classification_test_sample.json", 600, 0, 0),
                                                         ("unisoccer_inference_sample_head.csv", 119, 0, 119), ("matchtime_inference_sample_head.csv", 119, 0, 119)])
def test_each_sample_file(shared: Path, name: str, pieces: int, rejected: int, raw: int):
    found, rejects = collected(shared / "samples" / "soccer" / name)
    assert (len(found), len(rejects), sum(bool(piece.raw) for piece in found)) == (pieces, rejected, raw)
    tokens = sum("anonymized" in piece.flags for piece in found)
    assert tokens == sum("[" in piece.raw for piece in found)
    if name.startswith("unisoccer_MatchTime"):
        first = found[0]
        assert first.label == first.caption == "clearance" and first.raw.startswith("Jese (Paris SG) gets on the end") and (first.start, first.end, first.period) == (2601.0, 2631.0, "2")
        assert first.match_id == "europe_uefa-champions-league/2016-2017/2016-11-23 - 22-45 Arsenal 2 - 2 Paris SG" and first.storage_file == first.id
    if name.startswith("matchtime"):
        assert Counter(piece.label for piece in found)["goal"] == 8 and not any("predicted" in json.dumps(piece.model_dump()) for piece in found)


@pytest.mark.parametrize("name", ["SYNTHETIC_results_dense_captioning.json", "matchtime_scores.csv", "sn_echoes_1_asr_excerpt.json"])
def test_a_named_file_that_is_no_source_is_an_error(shared: Path, name: str):
    with pytest.raises(BenchError, match=name):
        collected(shared / "samples" / "soccer" / name)


def test_echoes_transcript_joins_by_its_folder(shared: Path, tmp_path: Path):
    "The real transcript in a match folder is tied to the match, and its slip has been mended by the reader."
    name = "2016-02-03 - 22-45 Watford 0 - 0 Chelsea"
    folder = tmp_path / "england_epl" / "2015-2016" / name
    folder.mkdir(parents=True)
    (folder / "1_asr.json").write_bytes((shared / "samples" / "soccer" / "sn_echoes_1_asr_excerpt.json").read_bytes())
    rows = [{"video": f"england_epl_2015-2016/{name}/1_08_20.mp4", "caption": "corner", "comments_text": "Watford win a corner."}]
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    pieces, _ = collected(tmp_path)
    assert len(pieces) == 1 and pieces[0].caption == "Watford win a corner." and pieces[0].raw == ""
    assert pieces[0].utterances[0].text == "just too close to the goalkeeper" and all(utterance.overlap(485, 515) > 0 for utterance in pieces[0].utterances)


# Joining

def test_transcript_makes_the_comment_the_caption(tmp_path: Path):
    "With speech for the half, the written comment is the caption; without, it is the commentary and is told to nobody."
    folder = match_folder(tmp_path, [annotation("1 - 47:12", "soccer-ball", "Ann One (Alpha FC) scores."), annotation("2 - 10:00", "y-card", "Bo Two (Beta United) is booked."), annotation("2 - 12:00", "", "A lull.")])
    (folder / "1_asr.json").write_text(json.dumps({"segments": {"0": [2800, 2817, "Before."], "1": [2816, 2820, "One shoots!"], "2": [2847, 2850, "After."]}}))
    (goal, card, lull), rejects = collected(tmp_path)
    assert not rejects and [utterance.text for utterance in goal.utterances] == ["One shoots!"]
    assert (goal.caption, goal.label, goal.raw) == ("Ann One (Alpha FC) scores.", "goal", "") and goal.context["events"][0]["actor"] == "Ann One"
    assert (card.caption, card.raw) == ("yellow card", "Bo Two (Beta United) is booked.") and "written-commentary" in card.flags
    assert card.context["events"] == [{"time": 15.0, "clock": "10:00", "action": "card", "outcome": "yellow card"}]
    assert (lull.caption, lull.context["events"]) == ("", []) and "no-label" in lull.flags
    assert "Bo Two (Beta United) is booked" not in json.dumps(card.context)
    assert [piece.raw for piece in collected(tmp_path, written=False)[0]] == ["", "", ""]
    assert [utterance.text for utterance in collected(tmp_path, margin=2)[0][0].utterances] == ["Before.", "One shoots!", "After."]


def test_subtitles_and_other_languages(tmp_path: Path):
    folder = match_folder(tmp_path, [annotation("1 - 00:10"), annotation("2 - 00:10")])
    (folder / "1_asr.srt").write_text("1\n00:00:05,000 --> 00:00:08,000\nHere we go.\n")
    (folder / "2_asr.json").write_text(json.dumps({"language": "de", "segments": [{"start": 1, "end": 4, "text": "Los geht es."}]}))
    pieces, rejects = collected(tmp_path)
    assert not rejects and [piece.utterances[0].text for piece in pieces] == ["Here we go.", "Los geht es."]
    assert [piece.flags for piece in pieces] == [["no-video-file", "score-uncertain"], ["no-video-file", "language:de", "score-uncertain"]]  # 2 - 1, and no goal in the labels


def test_accents_and_spaces_do_not_part_a_match_from_its_transcript(tmp_path: Path):
    "Rows in composed letters, a folder in decomposed ones, as macOS writes them."
    name = "2099-01-02 - 18-00 Saint-Étienne 2 - 1 Málaga"
    folder = tmp_path / "asr" / "france_ligue-1" / "2098-2099" / unicodedata.normalize("NFD", name)
    folder.mkdir(parents=True)
    (folder / "1_asr.json").write_text(json.dumps([{"start": 0, "end": 4, "text": "Hello."}]))
    (tmp_path / "rows.json").write_text(json.dumps([{"video": f"france_ligue-1_2098-2099/{name}/1_00_05.mp4", "caption": "corner"}]), encoding="utf-8")
    pieces, rejects = collected(tmp_path)
    assert not rejects and pieces[0].utterances[0].text == "Hello."


def test_manifest(tmp_path: Path):
    "Clips are tied to files; offsets shift, lengths cut, and what is not in the manifest is told."
    match_folder(tmp_path, [annotation("1 - 00:05"), annotation("1 - 47:12"), annotation("1 - 48:00"), annotation("2 - 01:00")])
    (tmp_path / "videos.jsonl").write_text(json.dumps({"match": f"england_epl/2098-2099/{GAME}", "half": 1, "file": str(tmp_path.resolve() / "v" / "1.mkv"), "duration_s": 2850, "offset_s": 10}) + "\n")
    flow = list(collect_football([tmp_path], tmp_path))
    pieces, rejects = [item for item in flow if isinstance(item, Piece)], [item for item in flow if isinstance(item, Reject)]
    assert [(piece.start, piece.end, piece.storage_file, piece.context["video_start"]) for piece in pieces] == [(10.0, 30.0, "v/1.mkv", 10.0), (2827.0, 2850.0, "v/1.mkv", 2827.0)]
    assert [piece.context["events"][0]["time"] for piece in pieces] == [5.0, 15.0] and pieces[1].context["duration"] == 23.0
    assert [reject.reason for reject in rejects] == ["the moment lies after the end of its video", "the clip's video is not in the manifest"]


def test_manifest_of_single_clips(tmp_path: Path):
    clip = f"england_epl_2098-2099/{GAME}/1_03_07.mp4"
    (tmp_path / "rows.json").write_text(json.dumps([{"video": clip, "caption": "corner", "comments_text": "A corner."}]))
    (tmp_path / "clips.csv").write_text(f'clip,file,duration_s\n"{clip}",clips/a.mp4,30\n')
    (piece,), rejects = collected(tmp_path)
    assert not rejects and (piece.storage_file, piece.context["video_start"], piece.start, piece.end) == ("clips/a.mp4", 0.0, 172.0, 202.0)


def test_metadata_of_captions_reaches_rows_of_another_data_set(tmp_path: Path):
    match_folder(tmp_path, [])
    (tmp_path / "rows.json").write_text(json.dumps([{"video": f"england_epl_2098-2099/{GAME}/1_03_07.mp4", "caption": "corner"}]))
    (piece,), rejects = collected(tmp_path)
    assert not rejects and piece.match_id == f"england_epl/2098-2099/{GAME}" and "Venue: Example Park" in piece.background and "Ann One" in piece.context["background_xml"]


def test_background_gives_facts(tmp_path: Path):
    "The knowledge base reads teams, venue, referee and result from the lines."
    match_folder(tmp_path, [annotation("1 - 00:05")])
    (piece,), _ = collected(tmp_path)
    facts = {fact.key: fact.value for fact in facts_of_background(piece.background)}
    assert facts["result"] == "Result: Alpha FC 2 - 1 Beta United" and facts["venue"] == "Venue: Example Park" and facts["date"] == "Date: 2099-01-02"
    assert any(fact.subject == "Alpha FC" and "Cora Home" in fact.value for fact in facts_of_background(piece.background))


def test_background_xml_is_escaped():
    match = match_of_labels(HEAD | {"UrlLocal": GAME, "venue": ["Park <1> & \"Co\" \x07"], "gameHomeTeam": "A & B <FC>"})
    root = ElementTree.fromstring(background_xml(match))
    assert root.findtext("venue").strip() == 'Park <1> & "Co"' and root.find("team").get("name") == "A & B <FC>" and root.findtext("referee") == "R. Example"


def test_tokens_are_filled_or_flagged(tmp_path: Path):
    rows = [annotation("1 - 01:00", text="", identified="[PLAYER_a1] ([TEAM_]) beats [PLAYER_b2]; [REFEREE] waves on."), annotation("1 - 02:00", text="", identified="", anonymized="[PLAYER] ([TEAM]) shoots."),
            annotation("1 - 03:00", text="", identified="[PLAYER_zz] falls.")]
    match_folder(tmp_path, rows)
    pieces, _ = collected(tmp_path)
    assert [piece.raw for piece in pieces] == ["Ann One (Alpha FC) beats Bo Two; R. Example waves on.", "[PLAYER] ([TEAM]) shoots.", "[PLAYER_zz] falls."]
    assert ["anonymized" in piece.flags for piece in pieces] == [False, True, True]


def test_labels_of_soccernet_v2(tmp_path: Path):
    "Labels without comments: the side is the label's own, and what was not shown is flagged."
    match_folder(tmp_path, [{"gameTime": "1 - 04:37", "label": "Yellow->red card", "position": "277500", "team": "away", "visibility": "not shown"}, {"gameTime": "1 - 05:00", "label": "Kick-off", "position": "300000"}])
    (card, start), rejects = collected(tmp_path)
    assert not rejects and card.label == card.caption == "second yellow card" and "not-shown" in card.flags and card.start == 262.5
    told = {"time": 15.0, "clock": "04:37", "side": "away", "team": "Beta United", "action": "card"}
    assert card.context["events"] == [told | {"outcome": "yellow card"}, told | {"outcome": "red card"}]
    assert (start.label, start.context["events"], start.raw) == ("kick-off", [{"time": 15.0, "clock": "05:00", "action": "kick-off"}], "")


def test_soccer_replay(tmp_path: Path):
    folder = tmp_path / "italy_serie-a_2098-2099" / "2099-02-06_alpha-beta"
    folder.mkdir(parents=True)
    file = {"match_information": {"timestamp": "2099-02-06 21:00:00", "score": "1 - 2", "home_team": "Alpha FC", "away_team": "Beta United"}, "referee_information": {"name": "R. Example"},
            "player_information": [{"Full Name": "Bo Two", "players_number": "4", "Role": "Midfielder"}], "event_descriptions": [
                {"half": 1, "time_stamp": "00:16", "comments_type": "start of game(half)", "comments_text": "Off we go."}, {"half": 3, "time_stamp": "00:16", "comments_text": "Extra time."},
                {"half": 2, "time_stamp": "late", "comments_text": "?"}, None]}
    (folder / "annotations.json").write_text(json.dumps(file))
    (piece,), rejects = collected(tmp_path)
    assert (piece.id, piece.label, piece.start, piece.end) == ("italy_serie-a/2098-2099/2099-02-06_alpha-beta/1_00_16", "start of half game", 1.0, 31.0)
    assert "Result: Alpha FC 1 - 2 Beta United" in piece.background and "4 Bo Two" in piece.background and "Event: Italy Serie A" in piece.background
    assert [reject.reason for reject in rejects] == ["half 3 has no video file", "the row says no time in a half", "an event is no object"]


# What happened, in the registry's words

def captioned(root: Path, annotations: list, head: dict = HEAD) -> tuple[list[Piece], list[Reject]]:
    "Pieces of a match whose halves were both spoken about, so that the comments are captions."
    folder = match_folder(root, annotations, head=head)
    for half in "12":
        (folder / f"{half}_asr.json").write_text(json.dumps([{"start": 0, "end": 4, "text": "Hello."}]))
    return collected(root)


def test_every_action_is_of_the_registry_and_can_be_told():
    "Actions and outcomes are keys of the registry but for four, and every kind has its sentence."
    game = GAMES["football"]
    given = [*MEANINGS.values(), ("cross", "saved"), ("shot", "blocked"), ("shot", "woodwork"), ("penalty", "saved"), ("penalty", "woodwork"), ("card", "red card")]
    others = {action for action, _ in given if action} - set(game.events)
    assert others == OTHER_ACTIONS == {"out of play", "possession", "VAR check", "added time"}
    for action, outcome in given:
        assert not outcome or outcome in game.outcomes, outcome
        assert not action or action in others or event_sentence(FeedEvent(action=action, outcome=outcome, actor="Ann One", team="Alpha FC"), "football"), (action, outcome)
    assert event_sentence(FeedEvent(action="goal", outcome="own goal", actor="Bo Two", team="Beta United"), "football") == "Bo Two of Beta United scores an own goal."


def test_every_action_of_the_samples_is_of_the_registry(shared: Path):
    "In the real files too, with and without comments."
    pieces, _ = collected(shared / "samples" / "soccer")
    actions = {event["action"] for piece in pieces for event in piece.context["events"]}
    outcomes = {event.get("outcome", "") for piece in pieces for event in piece.context["events"]}
    assert actions <= set(GAMES["football"].events) | OTHER_ACTIONS and outcomes <= set(GAMES["football"].outcomes) | {""} and len(actions) > 12


@pytest.mark.parametrize("label, text, events", [
    ("soccer-ball", "Ann One (Alpha FC) fires home.", [("home", "Ann One", "goal", "", "in")]),
    ("soccer-ball-own", "Bo Two (Beta United) puts it past his own goalkeeper.", [("away", "Bo Two", "goal", "", "own goal")]),
    ("shots off target", "Ann One (Alpha FC) shoots wide of the post.", [("home", "Ann One", "shot", "", "missed")]),
    ("shots off target", "Ann One (Alpha FC) hits the crossbar.", [("home", "Ann One", "shot", "", "woodwork")]),
    ("shots on target", "The shot of Ann One (Alpha FC) is blocked.", [("home", "Ann One", "shot", "", "blocked")]),
    ("saved by goal-keeper", "Ann One (Alpha FC) shoots, and the goalkeeper saves.", [("home", "Ann One", "shot", "", "saved")]),
    ("y-card", "Bo Two (Beta United) is booked.", [("away", "Bo Two", "card", "", "yellow card")]),
    ("r-card", "Bo Two (Beta United) is sent off.", [("away", "Bo Two", "card", "", "red card")]),
    ("foul", "Bo Two (Beta United) trips Ann One.", [("away", "Bo Two", "foul", "Ann One", "")]),
    ("foul lead to penalty", "Bo Two (Beta United) trips Ann One.", [("away", "Bo Two", "foul", "Ann One", ""), ("home", "", "penalty", "", "")]),
    ("penalty-missed", "Ann One (Alpha FC) takes it, and the keeper saves.", [("home", "Ann One", "penalty", "", "saved")]),
    ("substitution", "Bo Two comes on for Cy Four.", [("away", "Bo Two", "substitution", "Cy Four", "")]),
    ("substitution", "Bo Two replaces Cy Four.", [("away", "Bo Two", "substitution", "Cy Four", "")]),
    ("substitution", "Cy Four is replaced by Bo Two.", [("away", "Bo Two", "substitution", "Cy Four", "")]),
    ("substitution", "Cy Four goes off, and Bo Two comes on.", [("away", "Bo Two", "substitution", "Cy Four", "")]),
    ("clearance", "Bo Two (Beta United) clears.", [("away", "Bo Two", "clearance", "", "")]), ("clearance", "A shot by Ann One (Alpha FC) is cleared.", [("", "", "clearance", "", "")]),
    ("corner", "Beta United win a corner.", [("away", "", "corner", "", "")]), ("corner", "Beta United concede a corner.", [("", "", "corner", "", "")]),
    ("throw-in", "A throw-in for Alpha FC.", [("home", "", "throw-in", "", "")]), ("free kick", "Ann One (Alpha FC) takes the free kick.", [("home", "Ann One", "free kick", "", "")]),
    ("offside", "Bo Two (Beta United) is offside.", [("away", "Bo Two", "offside", "", "")]), ("end of game (half)", "The half is over.", [("", "", "whistle", "", "half over")]),
    ("start of game (half)", "Alpha FC kick off.", [("home", "", "kick-off", "", "")]), ("injury", "Ann One (Alpha FC) is okay to go on.", [("", "", "injury", "", "")])])
def test_events(tmp_path: Path, label: str, text: str, events: list):
    "Who did what to whom, as far as label and comment say."
    (piece,), _ = captioned(tmp_path, [annotation("1 - 10:00", label, text)])
    assert [tuple(event.get(name, "") for name in ("side", "actor", "action", "object", "outcome")) for event in piece.context["events"]] == events
    assert all(event["text"] == text and event.get("team", "") == {"home": "Alpha FC", "away": "Beta United", "": ""}[event.get("side", "")] for event in piece.context["events"])


def test_other_rows_that_are_told_in_full(tmp_path: Path):
    "A card eight seconds after a foul is told with the foul's clip; a corner is not, nor is a card of another half."
    rows = [annotation("1 - 10:00", "foul", "Bo Two (Beta United) trips Ann One."), annotation("1 - 10:08", "y-card", "Bo Two (Beta United) is booked."), annotation("1 - 10:09", "corner", "Alpha FC win a corner."),
            annotation("2 - 10:01", "y-card", "Ann One (Alpha FC) is booked.")]
    pieces, _ = captioned(tmp_path, rows)
    assert [[(event["action"], event["time"]) for event in piece.context["events"]] for piece in pieces] == [[("foul", 15.0), ("card", 23.0)], [("card", 15.0)], [("corner", 15.0), ("card", 14.0)], [("card", 15.0)]]


def test_other_rows_do_not_leak_what_is_to_be_written(tmp_path: Path):
    "Without speech the comments are the commentary: no word of them stands in any context."
    match_folder(tmp_path, [annotation("1 - 10:00", "foul", "Bo Two (Beta United) trips Ann One."), annotation("1 - 10:08", "y-card", "Bo Two (Beta United) is booked.")])
    pieces, _ = collected(tmp_path)
    assert all("trips" not in json.dumps(piece.context["events"]) and "Bo Two" not in json.dumps(piece.context["events"]) for piece in pieces) and len(pieces[0].context["events"]) == 2


GOALS = [annotation("1 - 10:00", "soccer-ball", "Ann One (Alpha FC) scores."), annotation("2 - 05:00", "own-goal", "Ann One (Alpha FC) turns it into her own net."), annotation("2 - 30:00", "soccer-ball", "Bo Two (Beta United)?! No, it is in by accident. It's 2:1.")]
CORNERS = [annotation(stamp, "corner", f"Corner {stamp}.") for stamp in ("1 - 00:10", "1 - 09:50", "1 - 40:00", "2 - 10:00", "2 - 44:00")]


def scores(pieces: list[Piece]) -> list[tuple[int, int] | None]:
    return [tuple(piece.context["score"].values()) if piece.context.get("score") else None for piece in pieces]


@pytest.mark.parametrize("spoken", [True, False])
def test_score_after_every_clip(tmp_path: Path, spoken: bool):
    "Counted by side through both halves; a goal within the clip counts; what a comment states goes before the count."
    pieces, _ = captioned(tmp_path, [*CORNERS, *GOALS]) if spoken else collected(match_folder(tmp_path, [*CORNERS, *GOALS]))
    assert scores(pieces) == [(0, 0), (1, 0), (1, 0), (1, 1), (2, 1), (1, 0), (1, 1), (2, 1)] and not any("score-uncertain" in piece.flags for piece in pieces)


def test_score_that_contradicts_the_result(tmp_path: Path):
    "A goal without its label: none is given, but for a goal that states its own, and the pieces say so."
    pieces, _ = captioned(tmp_path, [*CORNERS, *GOALS], head=HEAD | {"score": "3 - 1"})
    assert scores(pieces) == [None] * 7 + [(2, 1)] and [("score-uncertain" in piece.flags) for piece in pieces] == [True] * 7 + [False]


def test_score_of_lists(tmp_path: Path):
    "Rows of a list are counted too where they make the result; a list without a result is not believed."
    rows = [{"video": f"england_epl_2098-2099/{GAME}/{half}_{clock}.mp4", "caption": label, "comments_text": text} for half, clock, label, text in (
        (1, "10_00", "goal", "Ann One (Alpha FC) scores."), (1, "20_00", "goal", "Bo Two (Beta United) scores."), (2, "10_00", "goal", "Ann One (Alpha FC) scores."), (2, "44_00", "corner", "A corner."))]
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    assert scores(collected(tmp_path)[0]) == [(1, 0), (1, 1), (2, 1), (2, 1)]
    (tmp_path / "rows.json").write_text(json.dumps([row | {"video": row["video"].replace(GAME, "2099-01-02_alpha-beta")} for row in rows]))
    assert scores(collected(tmp_path)[0]) == [None] * 4


# Where videos lie

def test_videos_beside_their_manifest_records_elsewhere(tmp_path: Path):
    "A relative file is meant from the manifest's folder, and told as the records' folder sees it; what is not there stays as written."
    match_folder(tmp_path / "data", [annotation("1 - 10:00"), annotation("2 - 10:00")])
    (tmp_path / "data" / "videos" / "clips").mkdir(parents=True)
    (tmp_path / "data" / "videos" / "clips" / "1.mkv").write_bytes(b"")
    (tmp_path / "data" / "videos" / "videos.csv").write_text(f'match,half,file\n{GAME},1,clips/1.mkv\n{GAME},2,clips/2.mkv\n')
    records = tmp_path / "out" / "july"
    pieces = [item for item in collect_football([tmp_path / "data"], records) if isinstance(item, Piece)]
    assert [piece.storage_file for piece in pieces] == ["../../data/videos/clips/1.mkv", "clips/2.mkv"] and (records / pieces[0].storage_file).resolve().is_file()


def test_clips_shorter_than_the_window(tmp_path: Path):
    "A clip's own file with a length: start, end and the event's second follow it; with an offset too; without a length the window stands."
    match_folder(tmp_path, [annotation("1 - 10:00"), annotation("1 - 20:00"), annotation("1 - 30:00"), annotation("1 - 00:04")])
    ids = [f"england_epl/2098-2099/{GAME}/{clock}" for clock in ("1_10_00", "1_20_00", "1_30_00", "1_00_04")]
    (tmp_path / "videos.csv").write_text("clip,file,duration_s,offset_s\n" + "".join(f'"{name}",{number}.mp4,{rest}\n' for number, (name, rest) in enumerate(zip(ids, ("12,", "12,9", ",", "10,6")))))
    pieces, rejects = collected(tmp_path)
    assert not rejects and [(piece.start, piece.end, piece.context["duration"], piece.context["video_start"], piece.context["events"][0]["time"]) for piece in pieces] == [
        (594.0, 606.0, 12.0, 0.0, 6.0), (1191.0, 1203.0, 12.0, 0.0, 9.0), (1785.0, 1815.0, 30.0, 0.0, 15.0), (0.0, 8.0, 8.0, 2.0, 4.0)]


# Damage and oddities

@pytest.mark.parametrize("name", ["README", "readme.txt", "LICENSE.json", "notes.md", "match.yaml", "match.yml", "make.py", "make.ipynb"])
def test_files_for_people(tmp_path: Path, name: str):
    "In a folder passed over without a word; named, refused in one line."
    match_folder(tmp_path, [annotation("1 - 00:05")])
    (tmp_path / name).write_text("{}")
    pieces, rejects = collected(tmp_path)
    assert len(pieces) == 1 and not rejects
    with pytest.raises(BenchError, match=name) as error:
        collected(tmp_path / name)
    assert "\n" not in str(error.value)


def test_same_moment_twice(tmp_path: Path):
    clip = f"england_epl_2098-2099/{GAME}/1_03_07.mp4"
    rows = [{"video": clip, "caption": "corner"}, {"video": clip, "caption": "clearance"}, {"video": clip, "caption": "corner"}, {"video": clip, "caption": ""}]
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    pieces, rejects = collected(tmp_path)
    assert [piece.id for piece in pieces] == [clip, f"{clip}#2"]
    assert [reject.reason for reject in rejects] == ["the same moment with the same words stands twice", "a row with neither a label nor a comment"]


@pytest.mark.parametrize("data", [b"", b"{", b'[{"video": ', b"\xff\xfe\x00", b'{"annotations": [NaN]}', b"\x7fELF\x00"])
def test_damaged_files(tmp_path: Path, data: bytes):
    "In a folder a reject and the rest is read; named, an error of one line."
    match_folder(tmp_path, [annotation("1 - 00:05")])
    (tmp_path / "damaged.json").write_bytes(data)
    pieces, rejects = collected(tmp_path)
    assert len(pieces) == 1 and [(reject.file, reject.reason) for reject in rejects] == [("damaged.json", "a file that is cut off, empty or no JSON")]
    with pytest.raises(BenchError, match="damaged.json") as error:
        collected(tmp_path / "damaged.json")
    assert "\n" not in str(error.value)


def test_rows_before_the_cut_are_kept(tmp_path: Path):
    "A list that is cut off in a folder gives the rows before the cut and a reject."
    clip = f"england_epl_2098-2099/{GAME}/1_03_0"
    (tmp_path / "rows.json").write_text(json.dumps([{"video": f"{clip}{n}.mp4", "caption": "corner"} for n in range(5)])[:-40])
    pieces, rejects = collected(tmp_path)
    assert len(pieces) == 4 and rejects[-1].file == "rows.json" and "cut off" in rejects[-1].detail


@pytest.mark.parametrize("row", [None, 7, {"caption": "goal"}, {"video": None, "caption": "goal"}, {"video": "clip.mp4", "caption": "goal"}, {"video": f"a_2098-2099/{GAME}/3_00_00.mp4", "caption": "goal"},
                                 {"video": f"a_2098-2099/{GAME}/1_00_99.mp4", "caption": "goal"}, {"video": ["x"], "caption": "goal"}])
def test_wrong_rows_are_rejects(tmp_path: Path, row: object):
    good = {"video": f"a_2098-2099/{GAME}/1_00_30.mp4", "caption": "goal"}
    (tmp_path / "rows.json").write_text(json.dumps([good, row]))
    pieces, rejects = collected(tmp_path)
    assert len(pieces) == len(rejects) == 1 and rejects[0].place == "row 1" and rejects[0].stage == "collect"


def test_wrong_annotations_are_rejects(tmp_path: Path):
    match_folder(tmp_path, [annotation("1 - 00:05"), "note", {"label": "goal"}, {"gameTime": 5}, annotation("1 - 00:07", position="soon"), annotation("1 - 00:09", label=None, description=None)])
    pieces, rejects = collected(tmp_path)
    assert len(pieces) == 1 and len(rejects) == 5


def test_a_manifest_that_is_no_text(tmp_path: Path):
    match_folder(tmp_path, [annotation("1 - 00:05")])
    (tmp_path / "videos.csv").write_bytes(b"match,half,file\na,1,\xff\xfe\n")
    pieces, rejects = collected(tmp_path)
    assert not pieces and {reject.reason for reject in rejects} == {"a file that cannot be used", "the clip's video is not in the manifest"}
    with pytest.raises(BenchError, match="videos.csv: a file that cannot be used"):
        collected(tmp_path / "videos.csv")


def test_a_caption_file_without_a_match(tmp_path: Path):
    (tmp_path / "captions.json").write_text(json.dumps({"annotations": [annotation("1 - 00:05")]}))
    with pytest.raises(BenchError, match="nothing names the match"):
        collected(tmp_path / "captions.json")
    assert collected(tmp_path)[1][0].reason == "a file that cannot be used"


def test_transcripts_that_belong_nowhere(tmp_path: Path):
    folder = match_folder(tmp_path, [annotation("1 - 00:05")])
    speech = json.dumps([{"start": 0, "end": 4, "text": "Hello."}])
    (folder / "1_asr.json").write_text(speech)
    (folder / "1_large.json").write_text(speech)
    (folder / "2_asr.json").write_text(speech)
    (folder / "interview.json").write_text(speech)
    _, rejects = collected(tmp_path)
    assert sorted(reject.reason for reject in rejects) == ["a transcript that no clip among the inputs asks for", "another transcript of the same recording is among the inputs",
                                                           "nothing says which half of which match a transcript is of: expected MATCH FOLDER/1_asr.json"]


def test_a_path_that_is_not_there():
    with pytest.raises(BenchError, match="no such file or folder"):
        list(collect_football([Path("nowhere")], Path(".")))


def test_a_basketball_file_is_told(tmp_path: Path):
    (tmp_path / "game.json").write_text(json.dumps({"resultSets": []}))
    with pytest.raises(BenchError, match="NBA statistics, basketball"):
        collected(tmp_path / "game.json")
