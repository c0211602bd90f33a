"""League of Legends: matches, timelines and live payloads become windows; nothing is lost without a word; broken files stop nothing."""
import copy
import json
import random
import shutil
from collections import Counter
from pathlib import Path

import pytest

from gamecommbench.align_lol import align_lol
from gamecommbench.collect.lol import LolSettings, collect_lol
from gamecommbench.collect.lol_changes import changes_of
from gamecommbench.collect.lol_events import building_sides, dragon_name, feed_event, killer_of
from gamecommbench.collect.lol_live import LiveGame
from gamecommbench.collect.lol_match import duration_of, match_background, read_match, read_timeline, usable_frames
from gamecommbench.collect.lol_snapshot import Player, PlayerState, Snapshot, TeamState, UnusableGame, step_boundary_change
from gamecommbench.offline.clip_words import kinds_in
from gamecommbench.pieces import Piece, Reject
from gamecommbench.schema import BenchError
from gamecommbench.tace.knowledge import facts_of_background

NAMES = ("Ada", "Ben", "Cleo", "Dov", "Eve", "Fox", "Gil", "Hana", "Ivo", "Jun")
CHAMPIONS = ("KSante", "MasterYi", "Ahri", "Jhin", "Zyra", "Camille", "LeeSin", "Viktor", "Kaisa", "Rakan")
ROLES = ("TOP", "JUNGLE", "MIDDLE", "BOTTOM", "UTILITY")


# ---- invented games

def match_of(number: int, seconds: int, **info) -> dict:
    people = [{"participantId": n + 1, "teamId": 100 if n < 5 else 200, "riotIdGameName": NAMES[n], "championName": CHAMPIONS[n], "teamPosition": ROLES[n % 5], "kills": 0,
               "gameEndedInEarlySurrender": False} for n in range(10)]
    return {"metadata": {"matchId": f"XX1_{number}"}, "info": {"gameCreation": 1700000000000, "gameDuration": seconds, "gameEndTimestamp": 1700000000000 + seconds * 1000,
                                                               "gameMode": "CLASSIC", "gameVersion": "14.3.1.9", "participants": people, "teams": [{"teamId": 200, "win": True}]} | info}


def timeline_of(number: int, seconds: int, events: list[dict] = ()) -> dict:
    stamps = [*(minute * 60000 + minute * 11 for minute in range(seconds // 60 + 1)), seconds * 1000]
    frames = [{"timestamp": stamp, "events": [event for event in events if before < event["timestamp"] <= stamp],
               "participantFrames": {str(n): {"totalGold": 500 + stamp // 200 * n // 10, "level": 1 + stamp // 120000, "minionsKilled": stamp // 10000} for n in range(1, 11)}}
              for before, stamp in zip([-1, *stamps], stamps)]
    return {"metadata": {"matchId": f"XX1_{number}"}, "info": {"frameInterval": 60000, "frames": frames}}


def kill(second: float, killer: int, victim: int, *assists: int) -> dict:
    return {"type": "CHAMPION_KILL", "timestamp": int(second * 1000), "killerId": killer, "victimId": victim, "assistingParticipantIds": list(assists)}


EVENTS = [kill(41, 3, 7, 5), kill(70, 0, 8), kill(130, 8, 3, 9, 10), {"type": "GAME_END", "timestamp": 185000, "winningTeam": 200}]


def window_of(stamps: list[str], states: list[str] | None = None, game: str = "77001", kills: int = 0, level: int = 1) -> dict:
    def people(numbers):
        return [{"participantId": n, "totalGold": 500, "level": level, "kills": kills if n == 1 else 0, "deaths": 0, "assists": 0, "creepScore": 0, "currentHealth": 600, "maxHealth": 600}
                for n in numbers]
    def side(numbers, dragons=()):
        return {"totalGold": 2500, "inhibitors": 0, "towers": 0, "barons": 0, "totalKills": kills if 1 in numbers else 0, "dragons": list(dragons), "participants": people(numbers)}
    frames = [{"rfc460Timestamp": stamp, "gameState": state, "blueTeam": side(range(1, 6)), "redTeam": side(range(6, 11))} for stamp, state in zip(stamps, states or ["in_game"] * len(stamps))]
    teams = {f"{name}TeamMetadata": {"esportsTeamId": f"9{at}", "participantMetadata": [
        {"participantId": n + 1, "summonerName": f"{tag} {NAMES[n]}", "championId": CHAMPIONS[n], "role": ROLES[n % 5].lower()} for n in range(at * 5, at * 5 + 5)]}
        for at, (name, tag) in enumerate((("blue", "ABC"), ("red", "XYZ")))}
    return {"esportsGameId": game, "esportsMatchId": "77000", "gameMetadata": {"patchVersion": "16.1.1", **teams}, "frames": frames}


def srt(*cues: tuple[float, float, str]) -> str:
    def stamp(second: float) -> str:
        return f"{int(second) // 3600:02}:{int(second) // 60 % 60:02}:{int(second) % 60:02},{round(second % 1 * 1000):03}"
    return "\n".join(f"{number}\n{stamp(start)} --> {stamp(end)}\n{text}\n" for number, (start, end, text) in enumerate(cues, 1))


CUES = srt((38, 43, "Cleo finds Gil, first blood!"), (44, 46, "What a start."), (128, 133, "Hana answers."), (170, 176, "That is the game."))


def lay(folder: Path, files: dict[str, object]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return folder


def collected(paths, out: Path, **settings) -> tuple[list[Piece], list[Reject]]:
    flow = list(collect_lol(paths if isinstance(paths, list) else [paths], out, LolSettings(**settings)))
    return [item for item in flow if isinstance(item, Piece)], [item for item in flow if isinstance(item, Reject)]


def reasons(rejects: list[Reject]) -> Counter:
    return Counter(reject.reason for reject in rejects)


# ---- the awkward cases

def test_duration_in_milliseconds_or_seconds(cases):
    case = cases["lol-01"]
    assert [duration_of(info) for info in json.loads(case["input"])] == case["expected"]


def test_aborted_game(cases, shared):
    case = cases["lol-03"]
    data = json.loads((shared / "cases" / case["input"]).resolve().read_text())
    with pytest.raises(UnusableGame) as error:
        read_timeline(data)
    assert f"skip: {error.value.detail}" == case["expected"]["status"] and len(usable_frames(data["info"])) == case["expected"]["frames"]


def test_remake(cases, shared):
    case = cases["lol-04"]
    data = json.loads((shared / "cases" / case["input"]).resolve().read_text())
    with pytest.raises(UnusableGame) as error:
        read_match(data)
    assert error.value.reason == "the game was a remake" and error.value.detail == f"{case['expected']['gameDuration_s']} s" and duration_of(data["info"]) == 203


def test_who_lost_the_building(cases):
    case = cases["lol-06"]
    event = json.loads(case["input"])
    assert dict(zip(("losing_team", "winning_team"), building_sides(event))) | {"killer": killer_of(event, {})} == case["expected"]


# ---- the real samples, numbers as read from the files

def test_samples_as_they_lie(shared, tmp_path):
    "No two files of Match-V5 are of one game: the timeline alone gives pieces with players by number, and each other file's reject says what is missing or wrong."
    pieces, rejects = collected(shared / "samples" / "lol", tmp_path)
    assert {piece.match_id for piece in pieces} == {"BR1_2627644190"} and all("no-match" in piece.flags for piece in pieces)
    assert any(event["action"] == "kill" and event["actor"].startswith(("Blue", "Red")) for piece in pieces for event in piece.context.get("events", []))
    assert {reject.file: reject.reason for reject in rejects} == {
        "match_v5_match.json": "a match without its timeline", "match_v5_match_remake.json": "the game was a remake", "match_v5_timeline_abort_unexpected.json": "the game was aborted",
        "match_v5_timeline_trimmed.json": "the source tells nothing of its time",  # the frames that were trimmed away
        "livestats_window_real_LCK_2026-08-27.json": "the feed has a single moment of the game, and nothing tells when the game began"}
    assert next(reject.detail for reject in rejects if "window" in reject.file).endswith("2 files")  # the details beside it


def test_sample_match(shared):
    match = read_match(json.loads((shared / "samples/lol/match_v5_match.json").read_text()))
    assert (match.id, match.duration, match.patch, match.winner, match.kills) == ("BR1_2627563488", 1865, "12.21", "blue", {"blue": 36, "red": 27})
    assert match.players[1].long == "Blue's K'Sante (summonerName-1, top)" and match.players[9].long == "Red's Kai'Sa (summonerName-9, bot)"
    facts = {fact.text(): fact.key for fact in facts_of_background(match_background(match))}
    assert facts["Date: 2022-11-11"] == "date" and facts["Result: Blue won"] == "result" and facts["Score: Blue 36, Red 27 (kills at the end)"] == "score"


@pytest.fixture
def sample_game(shared, tmp_path) -> Path:
    "The trimmed real timeline under the real match's line-up, which is made to carry its id."
    match = json.loads((shared / "samples/lol/match_v5_match.json").read_text())
    match["metadata"]["matchId"] = "BR1_2627644190"
    match["info"]["gameDuration"] = 1672
    folder = lay(tmp_path / "in", {"BR1_2627644190.json": match, "BR1_2627644190.srt": srt(*((at, at + 4, f"Words at {at}.") for at in range(5, 1680, 15)))})
    shutil.copy(shared / "samples/lol/match_v5_timeline_trimmed.json", folder / "BR1_2627644190_timeline.json")
    return folder


def test_sample_timeline(sample_game, tmp_path):
    pieces, rejects = collected(sample_game, tmp_path / "out", vod_offset_s=0.0)
    by_start = {piece.start: piece for piece in pieces}
    at_480 = by_start[450.0]
    assert at_480.context["score"] == {"blue": 8, "red": 12}
    assert at_480.context["gold"] == {"blue": 14454, "red": 15940} and at_480.context["gold_clock"] == "08:00"
    assert at_480.context["snapshots"]["end"]["teams"]["blue"]["kda"][1] == 13  # one of them by nobody's hand
    texts = [event["text"] for piece in pieces for event in piece.context["events"]]
    assert sum(" kills " in text for text in texts) == 37 and sum("no champion gets the kill" in text for text in texts) == 1
    assert any(event["text"].startswith("Red's Camille (summonerName-6, top) takes the infernal dragon, assisted by ") for event in by_start[390.0].context["events"])
    assert "Red's Viktor (summonerName-8, mid) kills Blue's Twitch (summonerName-4, bot), assisted by Camille (summonerName-6) (triple kill)" in texts
    assert any(text.startswith("Blue's minions destroy Red's top outer turret, assisted by Twitch (summonerName-4) and Zyra") for text in texts)
    assert pieces[-1].end == 1672.807 and pieces[-1].context["events"][-1]["outcome"] == "red wins"


def test_sample_gaps_are_rejected(sample_game, tmp_path):
    "Frames 9 to 19 and 23 to 26 are missing in the file: windows of that time are rejected with what was said, later ones say that their tally is short."
    pieces, rejects = collected(sample_game, tmp_path / "out")
    gaps = [reject for reject in rejects if reject.reason == "the source tells nothing of its time"]
    assert {reject.detail for reject in gaps} == {"nothing from 08:00 to 19:00", "nothing from 22:00 to 26:00"} and all("Words at" in reject.text for reject in gaps)
    assert len(pieces) + len(gaps) == 56  # 1672.807 s in half minutes
    assert all(("tally-after-gap" in piece.flags) == (piece.start > 480) for piece in pieces) and all("no-vod-offset" in piece.flags for piece in pieces)


def test_sample_live(shared, tmp_path):
    folder = lay(tmp_path / "in", {"117030752644841578.srt": srt((1500, 1510, "Two cloud drakes for Nongshim.")),
                                   "offsets.json": {"117030752644841578": {"vod_offset_s": 0, "start": "2026-08-27T08:05:00Z"}}})
    for name in ("window", "details"):
        shutil.copy(shared / f"samples/lol/livestats_{name}_real_LCK_2026-08-27.json", folder)
    pieces, rejects = collected(folder, tmp_path / "out")
    assert len(pieces) == 1 and not rejects
    piece = pieces[0]
    assert (piece.start, piece.end, piece.match_id) == (1500.0, 1509.879, "117030752644841578") and piece.flags == ["feed-not-finished", "no-start-snapshot"]
    assert piece.context["score"] == {"blue": 6, "red": 16} and piece.context["gold"] == {"blue": 40523, "red": 48664} and piece.context["patch"] == "16.16"
    teams = piece.context["snapshots"]["end"]["teams"]
    assert teams["red"]["dragons"] == ["infernal", "cloud", "cloud"] and teams["blue"]["kda"] == [6, 16, 9] and teams["red"]["kda"] == [16, 6, 41]
    assert "Blue: BFX" in piece.background and "Red: NS" in piece.background and "Blue top: Jayce (BFX Clear)" in piece.background
    window, details = (json.loads((folder / f"livestats_{name}_real_LCK_2026-08-27.json").read_text()) for name in ("window", "details"))
    game = LiveGame("1", [window], [details])
    states = {state.player.number: state for state in game.snapshots([0.0])[0].players}
    assert game.flags == ["no-game-start", "feed-not-finished"] and states[1].items == (1055, 3047, 3161, 3134, 3364, 1037) and states[3].items is None
    assert states[2].health == 1563 and states[8].player.champion == "Orianna"


# ---- invented games, whole

def test_a_game_in_a_folder(tmp_path):
    folder = lay(tmp_path / "in", {"XX1_5/match.json": match_of(5, 185), "XX1_5/timeline.json": timeline_of(5, 185, EVENTS), "XX1_5/subtitles.srt": CUES, "offsets.json": {"XX1_5": 0}})
    pieces, rejects = collected(folder, tmp_path / "out")
    assert not rejects and [(piece.start, piece.end) for piece in pieces] == [(0, 30), (30, 60), (60, 90), (90, 120), (120, 150), (150, 180), (180, 185)]
    assert [piece.context["score"] for piece in pieces][1:5] == [{"blue": 1, "red": 0}, {"blue": 1, "red": 0}, {"blue": 1, "red": 0}, {"blue": 1, "red": 1}]
    assert pieces[2].context["events"][0]["action"] == "die" and pieces[2].context["events"][0]["time"] == 10.0
    aligned = list(align_lol(pieces))
    assert [item.raw if isinstance(item, Piece) else item.reason for item in aligned] == [
        "nothing was said about its time", "Cleo finds Gil, first blood!", *["nothing was said about its time"] * 2, "Hana answers.", "That is the game.", "nothing was said about its time"]
    assert [len(item.utterances) for item in aligned if isinstance(item, Piece)] == [1, 1, 1]


def test_all_subtitles_of_a_window(tmp_path):
    folder = lay(tmp_path / "in", {"XX1_5/match.json": match_of(5, 185), "XX1_5/timeline.json": timeline_of(5, 185, EVENTS), "XX1_5/subtitles.srt": CUES})
    pieces, _ = collected(folder, tmp_path / "out", reference="all", window_s=60)
    assert next(item.raw for item in align_lol(pieces) if isinstance(item, Piece)) == "Cleo finds Gil, first blood! What a start."
    assert pieces[0].flags == ["no-vod-offset", "reference:all"]


def test_offset_and_pause_move_the_subtitles(tmp_path):
    pause = [{"type": "PAUSE_START", "timestamp": 100000, "realTimestamp": 1700000100000}, {"type": "PAUSE_END", "timestamp": 100000, "realTimestamp": 1700000400000}]
    files = {"XX1_5/match.json": match_of(5, 185), "XX1_5/timeline.json": timeline_of(5, 185, [*EVENTS[:2], *pause, *EVENTS[2:]]),
             "XX1_5/subtitles.srt": srt((60, 63, "Welcome."), (640, 643, "Kill."), (900, 905, "While they wait."), (1030, 1033, "Hana answers."), (2000, 2003, "Bye."))}
    pieces, rejects = collected(lay(tmp_path / "in", files), tmp_path / "out", vod_offset_s={"XX1_5": 600.0})
    said = {utterance.text: (utterance.start, piece.start) for piece in pieces for utterance in piece.utterances}
    assert said == {"Kill.": (40.0, 30.0), "Hana answers.": (130.0, 120.0)}
    assert [reject.detail for reject in rejects] == ["1 before the game, 1 in pauses, 1 after it"]
    cut, _ = collected(tmp_path / "in", tmp_path / "out", vod_offset_s=600.0, vod_has_pauses=False)
    assert {utterance.text for piece in cut for utterance in piece.utterances} == {"Kill."}


def test_live_windows_in_any_order_with_pause_and_repeats(tmp_path):
    stamps = [f"2026-01-05T12:{second // 60:02}:{second % 60:02}.000Z" for second in range(0, 200, 5)]
    states = ["paused" if 40 <= second < 100 else "in_game" for second in range(0, 195, 5)] + ["finished"]
    first, second = window_of(stamps[:25], states[:25]), window_of(stamps[20:] + stamps[-1:], states[20:] + ["finished"], kills=2)
    files = {"77001/window_2.json": second, "77001/window_1.json": first, "77001/window_3.json": {"frames": []}, "77001/subtitles.vtt": "WEBVTT\n\n01:42.000 --> 01:44.000\nBack.\n",
             "77001/walk.json": {"game_id": "77001", "ended": "running"}, "offsets.json": {"77001": 0},
             "catalogue/getEventDetails_77000.json": {"data": {"event": {"league": {"name": "Lake League"}, "match": {
                 "teams": [{"id": "90", "name": "Anglers"}, {"id": "91", "name": "Xylophones"}], "games": [{"id": "77001", "number": 2}]}}}}}
    pieces, rejects = collected(lay(tmp_path / "in", files), tmp_path / "out")
    assert not rejects and [(piece.start, piece.end) for piece in pieces] == [(0, 30), (30, 60), (60, 90), (90, 120), (120, 135)]  # 195 s less 60 paused
    assert [utterance.start for utterance in pieces[1].utterances] == [42.0] and pieces[0].flags == ["feed-not-whole"]
    assert pieces[1].context["events"] == [{"time": 10.0, "clock": "00:40", "action": "pause", "text": "The game is paused"}]
    assert any(line == "Blue kills 0 → 2" for piece in pieces for line in piece.context["change"])
    assert pieces[0].background.splitlines()[0] == "Event: Lake League, game 2" and "Blue: Anglers" in pieces[0].background


def test_one_recording_for_two_games(tmp_path):
    files = {f"XX1_{n}.json": match_of(n, 185) for n in (5, 6)} | {f"XX1_{n}_timeline.json": timeline_of(n, 185, EVENTS) for n in (5, 6)}
    files |= {"series.srt": srt((140, 143, "Game one."), (1140, 1143, "Game two.")),
              "offsets.json": {"XX1_5": {"vod_offset_s": 100, "subtitles": "series.srt"}, "6": {"vod_offset_s": 1100, "subtitles": "series.srt"}}}
    pieces, rejects = collected(lay(tmp_path / "in", files), tmp_path / "out")
    assert {(piece.match_id, utterance.text) for piece in pieces for utterance in piece.utterances} == {("XX1_5", "Game one."), ("XX1_6", "Game two.")}
    assert reasons(rejects) == {"subtitles outside the game's time": 2}


@pytest.mark.parametrize("form", ["list", "lines", "pairs"])
def test_many_games_in_one_file(tmp_path, form):
    matches, timelines = [match_of(n, 95) for n in range(20, 24)], [timeline_of(n, 95, EVENTS[:2]) for n in range(20, 24)]
    files = {"list": {"all.json": [*matches, *reversed(timelines)]},
             "lines": {"m.jsonl": "\n".join(map(json.dumps, matches)), "t.jsonl": "\n\n".join(map(json.dumps, timelines))},
             "pairs": {"both.jsonl": "\n".join(json.dumps({"match": m, "timeline": t}) for m, t in zip(matches, timelines))}}[form]
    pieces, rejects = collected(lay(tmp_path / "in", files | {f"subs/XX1_{n}.en.srt": CUES for n in range(20, 24)}), tmp_path / "out")
    assert Counter(piece.match_id for piece in pieces) == {f"XX1_{n}": 4 for n in range(20, 24)} and len({piece.id for piece in pieces}) == 16
    assert reasons(rejects) == {"subtitles outside the game's time": 4}


def test_nothing_is_lost_silently(tmp_path):
    "Every file of a mixed folder is in a piece or a reject; subtitles are counted one by one."
    files = {"a/XX1_5.json": match_of(5, 185), "a/XX1_5_timeline.json": timeline_of(5, 185, EVENTS), "a/XX1_5.srt": CUES, "a/XX1_5.de.srt": CUES,
             "b/XX1_6.json": match_of(6, 185), "b/XX1_6.srt": CUES, "c/XX1_7_timeline.json": timeline_of(7, 185), "d/XX1_8.json": match_of(8, 185), "d/XX1_8_timeline.json": timeline_of(8, 185),
             "e/stray.srt": CUES, "f/details_1.json": {"frames": [{"rfc460Timestamp": "2026-01-05T12:00:00Z", "participants": []}]}, "g/empty.json": "", "h/cut.json": '{"metadata": {"matchId": "X',
             "i/nba.json": {"resultSets": []}, "j/error.json": "<html>503</html>", "k/list.json": [], "l/again.json": match_of(5, 185), "m/arena.json": match_of(9, 900) }
    files["m/arena.json"]["info"]["participants"][0]["teamId"] = 0
    pieces, rejects = collected(lay(tmp_path / "in", files), tmp_path / "out")
    told = {reject.file for reject in rejects} | {piece.source.split("#")[0] for piece in pieces} | {"a/XX1_5_timeline.json", "a/XX1_5.srt", "d/XX1_8_timeline.json"}
    assert told == set(files)
    assert {utterance.text for piece in pieces for utterance in piece.utterances} == {"Cleo finds Gil, first blood!", "What a start.", "Hana answers.", "That is the game."}
    by_file = {reject.file: reject.reason for reject in rejects}
    assert "d/XX1_8.json" not in by_file and by_file["e/stray.srt"] == "subtitles without a match or live feed" and by_file["b/XX1_6.srt"] == "its game gives no pieces"
    assert by_file["a/XX1_5.de.srt"] == "another subtitle file of the game was taken"
    assert by_file["m/arena.json"] == "the game has no blue and red side" and by_file["l/again.json"] == "the match stands in another file already"


def test_named_file_that_is_none(tmp_path):
    lay(tmp_path, {"nba.json": {"resultSets": []}, "offsets.json": {"1": "soon"}})
    with pytest.raises(BenchError, match="not a file of League of Legends .*NBA"):
        collected(tmp_path / "nba.json", tmp_path / "out")
    with pytest.raises(BenchError, match="no such file"):
        collected(tmp_path / "gone", tmp_path / "out")


def _spoiled(value, chance: random.Random):
    "The value with one thing somewhere inside gone or of another type."
    if not value:
        return value
    value = copy.deepcopy(value)
    inner, above = value, []
    while isinstance(inner, (dict, list)) and inner and (not above or chance.random() < 0.85):
        key = chance.choice(list(inner)) if isinstance(inner, dict) else chance.randrange(len(inner))
        above.append((inner, key))
        inner = inner[key]
    holder, key = above[-1]
    if isinstance(holder, dict) and chance.random() < 0.4:
        del holder[key]
    else:
        holder[key] = chance.choice([None, "x", -1, [], {}, 10**20, 1.5, True])
    return value


@pytest.mark.parametrize("seed", range(60))
def test_spoiled_documents_stop_nothing(tmp_path, seed):
    "Whatever is missing or of another type in one document, the other game comes through, and the spoiled one is told or survives."
    chance = random.Random(seed)
    documents = {"XX1_5.json": match_of(5, 185), "XX1_5_timeline.json": timeline_of(5, 185, EVENTS), "77001/window.json": window_of([f"2026-01-05T12:0{minute}:00Z" for minute in range(4)]),
                 "77001/details.json": {"frames": [{"rfc460Timestamp": "2026-01-05T12:00:00Z", "participants": [{"participantId": 1, "items": [1]}]}]}}
    name = chance.choice(list(documents))
    for _ in range(3):
        documents[name] = _spoiled(documents[name], chance)
    files = documents | {"XX1_5.srt": CUES, "77001/s.srt": CUES, "XX1_6.json": match_of(6, 185), "XX1_6_timeline.json": timeline_of(6, 185, EVENTS), "XX1_6.srt": CUES}
    pieces, rejects = collected(lay(tmp_path / "in", files), tmp_path / "out")
    assert sum(piece.match_id == "XX1_6" for piece in pieces) == 7
    for file in ("XX1_5", "77001/"):
        assert any(piece.source.startswith(file) for piece in pieces) or any(reject.file.startswith(file) for reject in rejects)


def test_change_needs_two_snapshots():
    game = LiveGame("77001", [window_of(["2026-01-05T12:00:00Z", "2026-01-05T12:00:40Z"])])
    assert step_boundary_change(None, game.snapshots([0.0])[0]) == [] == step_boundary_change(*game.snapshots([0.0, 30.0]))


@pytest.mark.parametrize("form", ["segments", "list", "lines"])
def test_recognised_speech_instead_of_subtitles(tmp_path, form):
    rows = [{"start": 40.5, "end": 43.0, "text": "Cleo finds Gil."}, {"start": 129.0, "end": 132.0, "text": "Hana answers."}]
    said = {"segments": {"asr.json": {"segments": rows}}, "list": {"asr.json": rows}, "lines": {"asr.jsonl": "\n".join(map(json.dumps, rows))}}[form]
    files = {"XX1_5/match.json": match_of(5, 185), "XX1_5/timeline.json": timeline_of(5, 185, EVENTS)} | {f"XX1_5/{name}": content for name, content in said.items()}
    pieces, rejects = collected(lay(tmp_path / "in", files), tmp_path / "out")
    assert not rejects and [(piece.start, [one.text for one in piece.utterances]) for piece in pieces if piece.utterances] == [(30.0, ["Cleo finds Gil."]), (120.0, ["Hana answers."])]


def test_offset_that_cannot_be_read(tmp_path):
    files = {"XX1_5.json": match_of(5, 185), "XX1_5_timeline.json": timeline_of(5, 185, EVENTS), "XX1_5.srt": CUES, "offsets.json": {"XX1_5": {"vod_offset_s": "soon"}}}
    pieces, rejects = collected(lay(tmp_path / "in", files), tmp_path / "out")
    assert [(reject.reason, "vod_offset_s" in reject.detail) for reject in rejects] == [("a sidecar that cannot be read", True)] and all("no-vod-offset" in piece.flags for piece in pieces)
    with pytest.raises(BenchError, match="offsets.json"):
        collected(tmp_path / "in" / "offsets.json", tmp_path / "out")


# ---- who plays

def tagged(match: dict, blue: str = "ABC", red: str = "XYZ") -> dict:
    "The match with the players' names as professionals bear them."
    for one in match["info"]["participants"]:
        one["riotIdGameName"] = f"{blue if one['teamId'] == 100 else red} {one['riotIdGameName']}"
    return match


def catalogue_of(*games: dict) -> dict:
    return {"data": {"event": {"league": {"name": "Lake League"}, "match": {
        "teams": [{"id": "91", "name": "Anglers", "code": "ABC"}, {"id": "92", "name": "Xylophones", "code": "XYZ"}], "games": list(games)}}}}


PLAIN, TAGGED = match_of(5, 185), tagged(match_of(5, 185))
SWAPPED = {"id": "5", "number": 3, "teams": [{"id": "92", "side": "blue"}, {"id": "91", "side": "red"}]}


@pytest.mark.parametrize("match, more, told", [
    (PLAIN, {}, (None, None, None)),
    (TAGGED, {}, (None, "ABC", "XYZ")),
    (tagged(match_of(5, 185), "ABC", "Sir"), {}, (None, "ABC", None)),
    (tagged(match_of(5, 185), "ABC", "ABC"), {}, (None, None, None)),
    (TAGGED, {"event.json": catalogue_of({"id": "5", "number": 3})}, ("Lake League, game 3", "Anglers", "Xylophones")),
    (TAGGED, {"event.json": catalogue_of({"id": "6", "number": 4})}, (None, "Anglers", "Xylophones")),
    (PLAIN, {"event.json": catalogue_of({"id": "5", "number": 3})}, ("Lake League, game 3", None, None)),
    (PLAIN, {"event.json": catalogue_of(SWAPPED)}, ("Lake League, game 3", "Xylophones", "Anglers")),
    (TAGGED, {"offsets.json": {"XX1_5": {"event": "Pond Cup", "red": "Pikes"}}}, ("Pond Cup", "ABC", "Pikes")),
    (TAGGED, {"offsets.json": {"5": {"red": "Pikes"}}, "event.json": catalogue_of(SWAPPED)}, ("Lake League, game 3", "Xylophones", "Pikes")),
])
def test_who_plays(tmp_path, match, more, told):
    "Sidecar before catalogue before the players' tags; where nothing tells a team, no line and no team is made up."
    files = {"XX1_5.json": copy.deepcopy(match), "XX1_5_timeline.json": timeline_of(5, 185, EVENTS), **more}
    pieces, rejects = collected(lay(tmp_path / "in", files), tmp_path / "out")
    facts = dict(line.split(": ", 1) for line in pieces[0].background.splitlines())
    assert (facts.get("Event"), facts.get("Blue"), facts.get("Red")) == told and not rejects
    teams = dict(zip(("blue", "red"), told[1:]))
    events = [event for piece in pieces for event in piece.context["events"]]
    assert {(event["side"], event.get("team")) for event in events} == {(side, teams[side]) for side in ("blue", "red")}
    assert facts["Result"] == ("Red won (" + told[2] + ")" if told[2] else "Red won")


def test_live_feed_without_a_catalogue_has_the_tags(tmp_path):
    files = {"77001/window.json": window_of([f"2026-01-05T12:00:{second:02}Z" for second in range(0, 60, 10)]), "offsets.json": {"77001": {"blue": "Anglers"}}}
    pieces, _ = collected(lay(tmp_path / "in", files), tmp_path / "out")
    assert {"Blue: Anglers", "Red: XYZ"} <= set(pieces[0].background.splitlines()) and "Result" not in pieces[0].background


# ---- what the live feed's counts prove

TEN = [Player(n + 1, "blue" if n < 5 else "red", CHAMPIONS[n], NAMES[n], ROLES[n % 5].lower()) for n in range(10)]


def played(clock: float, kills: Counter, deaths: Counter, assists: Counter, **more: TeamState) -> Snapshot:
    states = [PlayerState(player, kills[player.number], deaths[player.number], assists[player.number], level=9) for player in TEN]
    teams = [more.get(side, TeamState(kills=sum(state.kills for state in states if state.player.side == side))) for side in ("blue", "red")]
    return Snapshot(clock, *teams, states)


def random_fights(chance: random.Random, step: float) -> tuple[list[tuple[float, int, int]], list[Snapshot]]:
    "Kills (clock, killer or 0, victim) of an invented game, and its frames."
    truth = sorted((round(chance.uniform(1, 299), 2), chance.choice((0, *range(1, 6))), chance.randint(6, 10)) if chance.random() < 0.5 else
                   (round(chance.uniform(1, 299), 2), chance.choice((0, *range(6, 11))), chance.randint(1, 5)) for _ in range(30))
    frames = []
    for number in range(int(300 / step) + 1):
        before = [kill for kill in truth if kill[0] <= number * step]
        frames.append(played(number * step, Counter(killer for _, killer, _ in before), Counter(victim for *_, victim in before), Counter()))
    return truth, frames


@pytest.mark.parametrize("step", [0.5, 5.0, 30.0])
@pytest.mark.parametrize("seed", range(8))
def test_named_kills_of_the_feed_are_true(seed, step):
    "Every kill with killer and victim happened in its step, each killer's kills and everybody's deaths are told, none twice."
    truth, frames = random_fights(random.Random(seed), step)
    found = changes_of(frames)
    short = {player.short: player.number for player in TEN}
    left = Counter((killer, victim) for _, killer, victim in truth)
    for clock, event in found:
        if event.action == "kill" and event.object:
            pair = short[event.actor], short[event.object]
            assert left[pair] and any((killer, victim) == pair and clock - 2 * step <= second <= clock + step for second, killer, victim in truth), (clock, event.text)
            left[pair] -= 1
    kills = Counter(short[event.actor] for _, event in found if event.action == "kill")
    deaths = Counter(short[event.object or event.actor] for _, event in found if event.object or event.action == "die")
    assert kills == Counter(killer for _, killer, _ in truth if killer) and deaths == Counter(victim for *_, victim in truth)
    if step == 0.5:
        assert sum(bool(event.object) for _, event in found) >= 0.8 * sum(bool(killer) for _, killer, _ in truth)


def test_a_team_that_has_more_kills_than_its_players():
    "As when a player is missing in the frames: the team has the kill, nobody is named."
    none = Counter()
    found = changes_of([played(100, none, none, none), played(101, none, none, none, blue=TeamState(kills=1))])
    assert [(event.side, event.actor, event.action, event.object, event.text) for _, event in found] == [("blue", "", "kill", "", "Blue take a kill")]


def test_nothing_is_told_across_a_hole_or_a_rewind():
    none, one = Counter(), Counter({1: 1})
    assert changes_of([played(100, none, none, none), played(200, one, none, none)]) == []
    rewound = [played(100, one, Counter({7: 1}), none), played(101, none, none, none), played(102, none, none, none), played(103, one, Counter({7: 1}), none)]
    assert [(clock, event.object) for clock, event in changes_of(rewound)] == [(103, "LeeSin (Gil)")]


def test_live_events_and_score_agree(tmp_path):
    "A window's kills among its events are the growth of its score."
    pieces = [item for item in collect_lol([Path(__file__).parents[1] / "data/sample/lol"], tmp_path) if isinstance(item, Piece) and item.match_id == "114600012"]
    assert len(pieces) == 5
    for before, after in zip(pieces, pieces[1:]):
        for side in ("blue", "red"):
            kills = sum(event["action"] == "kill" and event["side"] == side for event in after.context["events"])
            assert kills == after.context["score"][side] - before.context["score"][side], after.id


# ---- the registry's words

MONSTERS = {"BARON_NASHOR": "baron", "RIFTHERALD": "herald", "HORDE": "grubs", "ATAKHAN": "atakhan", "DRAGON": "dragon"}
DRAGONS = ("FIRE", "AIR", "EARTH", "WATER", "HEXTECH", "CHEMTECH", "ELDER")


def objects() -> list[tuple[str, str]]:
    "Every object of the collector's that is no player, with the kind of thing it is."
    people = {player.number: player for player in TEN}
    building = {"type": "BUILDING_KILL", "timestamp": 1, "killerId": 1, "teamId": 200, "buildingType": "TOWER_BUILDING"}
    riots = [({"type": "ELITE_MONSTER_KILL", "timestamp": 1, "killerId": 1, "killerTeamId": 100, "monsterType": kind}, thing) for kind, thing in MONSTERS.items()]
    riots += [(riots[-1][0] | {"monsterSubType": f"{kind}_DRAGON"}, "elder" if kind == "ELDER" else "dragon") for kind in DRAGONS]
    riots += [({"type": "DRAGON_SOUL_GIVEN", "timestamp": 1, "teamId": 100, "name": name}, "dragon") for name in ("Infernal", "Cloud", "Mountain", "Ocean", "Hextech", "Chemtech")]
    for lane in ("TOP_LANE", "MID_LANE", "BOT_LANE", None):
        riots += [(building | {"laneType": lane, "towerType": f"{tower}_TURRET"}, "turret") for tower in ("OUTER", "INNER", "BASE", "NEXUS", "")]
        riots += [(building | {"laneType": lane, "buildingType": "INHIBITOR_BUILDING"}, "inhibitor"), (building | {"laneType": lane, "type": "TURRET_PLATE_DESTROYED"}, "plate")]
    found = [(feed_event(event, people).object, thing) for event, thing in riots]
    none = Counter()
    live = changes_of([played(1, none, none, none), played(2, none, none, none, blue=TeamState(towers=1, inhibitors=1, barons=1, dragons=("infernal", "elder")))])
    return [*found, *((event.object, thing) for (_, event), thing in zip(live, ("dragon", "elder", "baron", "turret", "inhibitor"), strict=True))]


@pytest.mark.parametrize("object, thing", sorted(set(objects())))
def test_objects_have_the_registrys_words(object, thing):
    assert thing in kinds_in(object, "lol", "things")


def test_names_of_objects():
    assert {"void grub", "Rift Herald", "Baron Nashor", "infernal dragon", "elder dragon", "top outer turret", "mid inhibitor", "bot turret plate"} <= {name for name, _ in objects()}
    assert dragon_name("unknown") == "dragon"
