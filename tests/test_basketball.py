"""The basketball collector: the awkward cases, every real sample file, and inputs that people really have."""
import json
import tracemalloc
from collections import Counter
from datetime import date, datetime
from pathlib import Path

import pytest

from gamecommbench.collect.basketball import BasketballSettings, collect_basketball
from gamecommbench.collect.nba import games_in, margin_of, read_game, said_of, score_of_v2
from gamecommbench.collect.nba_events import ACTIONS, OTHER_ACTIONS, OUTCOMES, clip_window, events_of
from gamecommbench.collect.nba_clock import event_key, game_id_of, period_length, played_before, seconds_left, wall_time
from gamecommbench.collect.nba_games import background_of_game, facts_in
from gamecommbench.games import GAMES
from gamecommbench.pieces import FeedEvent, Piece, Reject
from gamecommbench.schema import BenchError
from gamecommbench.tace.knowledge import facts_of_background
from gamecommbench.templates_clip import event_sentence

GAME = "0029900001"
COLUMNS = ["GAME_ID", "EVENTNUM", "EVENTMSGTYPE", "PERIOD", "WCTIMESTRING", "PCTIMESTRING", "HOMEDESCRIPTION", "NEUTRALDESCRIPTION", "VISITORDESCRIPTION", "SCORE", "SCOREMARGIN", "PERSON1TYPE",
           "PLAYER1_ID", "PLAYER1_NAME", "PLAYER1_TEAM_ABBREVIATION", "PLAYER2_NAME", "PLAYER3_NAME"]


def row(event: int, clock: str, kind: int = 1, home: str | None = None, visitor: str | None = None, score: str | None = None, period: int = 1, game: object = GAME, **fields) -> list:
    side = {"PERSON1TYPE": 4 if home else 5, "PLAYER1_ID": 7 if home else 8, "PLAYER1_NAME": "Ann One" if home else "Bo Two", "PLAYER1_TEAM_ABBREVIATION": "ALF" if home else "BET"}
    cells = {"GAME_ID": game, "EVENTNUM": event, "EVENTMSGTYPE": kind, "PERIOD": period, "WCTIMESTRING": "8:04 PM", "PCTIMESTRING": clock, "HOMEDESCRIPTION": home, "VISITORDESCRIPTION": visitor, "SCORE": score}
    return [({name: None for name in COLUMNS} | cells | side | fields)[name] for name in COLUMNS]


def plays(*rows: list, game: object = GAME) -> dict:
    return {"resource": "playbyplay", "parameters": {"GameID": game}, "resultSets": [{"name": "PlayByPlay", "headers": COLUMNS, "rowSet": list(rows)}]}


ROWS = (row(2, "12:00", 12), row(7, "11:48", 2, visitor="MISS Two 3PT"), row(8, "11:45", 4, home="One REBOUND (Off:0 Def:1)"), row(10, "11:41", 1, home="One Dunk (2 PTS)", score="0 - 2", SCOREMARGIN="2"),
        row(14, "8:00", 1, visitor="Two Layup (2 PTS)", score="2 - 2", SCOREMARGIN="TIE"))


def written(folder: Path, **files: object) -> Path:
    "Files in a folder: name without `.json`, value."
    folder.mkdir(exist_ok=True)
    for name, value in files.items():
        (folder / f"{name}.json").write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return folder


def collected(*paths: Path, **settings) -> tuple[list[Piece], list[Reject]]:
    flow = list(collect_basketball(list(paths), paths[0].parent, BasketballSettings(**settings)))
    return [item for item in flow if isinstance(item, Piece)], [item for item in flow if isinstance(item, Reject)]


# Awkward cases

def test_nba_01(cases: dict):
    "The live feed's clock is ISO-8601."
    case = cases["nba-01"]
    left = seconds_left(case["input"], case["expected"]["period"])
    assert left == case["expected"]["seconds_left"] == seconds_left("11:58", 1) and period_length(1) - left == case["expected"]["elapsed_s"]


def test_nba_03(cases: dict):
    "Game ids keep their leading zeros."
    (video, value), = json.loads(cases["nba-03"]["input"]).items()
    game, event = event_key(value)
    assert {"gameid": game, "eventid": event} == cases["nba-03"]["expected"]


def test_nba_04(cases: dict):
    "Nulls, TIE, and the side that speaks."
    case, expected = json.loads(cases["nba-04"]["input"]), cases["nba-04"]["expected"]
    (side, text), = said_of(case)
    assert {"text": text, "side": side, "score": score_of_v2(case["SCORE"]), "margin": margin_of(case["SCOREMARGIN"])} == expected
    game = read_game(plays(row(5, "11:00", 2, visitor="MISS Young 3PT", SCOREMARGIN="TIE")))
    assert (game.rows[0].text, game.rows[0].side, game.rows[0].score, game.rows[0].margin) == ("MISS Young 3PT", "visitor", None, 0)


# Real sample files

@pytest.mark.parametrize("name, game_id, rows, periods, home, away, score", [
    ("stats_0021900001.json", "0021900001", 573, 5, "TOR", "NOP", (130, 122)), ("technical_before_period_start.json", "0022100732", 443, 4, "POR", "DAL", (112, 132)),
    ("live_0022000001.json", "0022000001", 610, 4, "BKN", "GSW", (125, 99)), ("data_0021600270.json", "0021600270", 538, 5, "OKC", "WAS", (126, 115))])
def test_real_play_by_play(shared: Path, name: str, game_id: str, rows: int, periods: int, home: str, away: str, score: tuple[int, int]):
    "Every row is read; scores, margins, sides and clocks agree with each other."
    game, = games_in(shared / "samples" / "basketball_nba_pbp" / name)
    assert (game.id, len(game.rows), game.rows[-1].period, game.home, game.away) == (game_id, rows, periods, home, away)
    assert tuple(game.score_after(game.rows[-1]).values()) == score
    assert all(one.elapsed + one.seconds_left == (720 if one.period <= 4 else 300) for one in game.rows)
    assert all(one.margin == one.score["home"] - one.score["away"] for one in game.rows if one.score and one.margin is not None)
    before = {"home": 0, "away": 0}
    for one in game.rows:
        if one.score and one.score != before and one.outcome == "made" and one.side:
            scorer = "home" if one.side == "home" else "away"
            assert one.score[scorer] > before[scorer], one
        before = one.score or before
    assert sum(one.outcome == "made" for one in game.rows) > 100 and all(isinstance(one.game_id, str) for one in game.rows)


def test_real_v2_two_things_in_a_row(shared: Path):
    "A miss and its block, a turnover and its steal are two events of two sides."
    game, = games_in(shared / "samples" / "basketball_nba_pbp" / "stats_0021900001.json")
    double = [one for one in game.rows if one.also]
    assert len(double) == 23 and not [one for one in game.rows if ";" in one.text]
    assert Counter(one.also[0] for one in double) == Counter("Steal" if "STEAL" in one.also[3] else "Block" for one in double)
    first = events_of(double[0])
    assert [(event.side, event.action, event.actor) for event in first] == [("home", "turnover", "Kyle Lowry"), ("away", "steal", "Brandon Ingram")]
    assert game.names["1628366"] == "Lonzo Ball"


def test_every_pbp_sample_gives_pieces_or_rejects(shared: Path):
    folder = shared / "samples" / "basketball_nba_pbp"
    pieces, rejects = collected(folder)
    assert {reject.file: reject.reason for reject in rejects} == {
        "video_events_asset_with_no_url_response.json": "the NBA has no video of this event", "stats_boxscore_0022100732.json": "facts about games that no clip among the inputs is of",
        "stats_gleague_02_25_2020.json": "facts about games that no clip among the inputs is of"} | dict.fromkeys(
        ["data_0021600270.json", "live_0022000001.json", "technical_before_period_start.json"], "a play-by-play of a game that no clip among the inputs is of")
    piece, = pieces
    assert (piece.id, piece.match_id, piece.label, piece.caption, piece.end) == ("0021900001-7", "0021900001", "Shot", "MISS Ball 11' Driving Floating Jump Shot", 14.916)
    assert [event["actor"] for event in piece.context["events"]] == ["Lonzo Ball", "Derrick Favors", "Derrick Favors"] and piece.context["score"] == {"home": 0, "away": 2}
    facts = {fact.key: fact.value for fact in facts_of_background(piece.background)}
    assert facts["result"] == "Result: Toronto Raptors 130 - 122 New Orleans Pelicans" and facts["date"] == "Date: 2019-10-22"
    used = {path.name for path in folder.iterdir()} - {reject.file for reject in rejects}
    assert used == {"stats_0021900001.json", "stats_summary_0021900001.json", "video_events_asset_response.json"}


def test_every_row_of_the_samples(shared: Path):
    "With every_row, each described play of the four games is a piece."
    pieces, _ = collected(shared / "samples" / "basketball_nba_pbp", every_row=True)
    counts = Counter(piece.match_id for piece in pieces)
    v2 = json.loads((shared / "samples" / "basketball_nba_pbp" / "stats_0021900001.json").read_text())["resultSets"][0]
    described = [line for line in (dict(zip(v2["headers"], line)) for line in v2["rowSet"]) if line["HOMEDESCRIPTION"] or line["VISITORDESCRIPTION"] or line["NEUTRALDESCRIPTION"]]
    assert counts["0021900001"] == len(described) == 559 and len(counts) == 4 and len({piece.id for piece in pieces}) == len(pieces)
    boxed = next(piece for piece in pieces if piece.match_id == "0022100732")
    assert "Home: Portland Trail Blazers" in boxed.background and "Home starters: Norman Powell (F)" in boxed.background


def test_every_nsva_sample_gives_pieces_or_rejects(shared: Path):
    folder = shared / "samples" / "basketball_nsva"
    pieces, rejects = collected(folder)
    videos = json.loads((folder / "videoid2gameid_eventid_first2000.json").read_text())
    assert {piece.id: f"{piece.match_id}-{piece.step}" for piece in pieces} == videos and len(pieces) == 2000
    lines = (folder / "date_gameid_eventid_uuid_first500.tsv").read_text().splitlines()
    reasons = Counter((reject.file, reject.reason) for reject in rejects)
    assert reasons.pop(("date_gameid_eventid_uuid_first500.tsv", "no video of the map shows this event")) == len(lines) == 500
    assert {file for file, _ in reasons} == {path.name for path in folder.iterdir()} - {"videoid2gameid_eventid_first2000.json", "date_gameid_eventid_uuid_first500.tsv"}
    assert {reject.file: reject.detail for reject in rejects if reject.file.startswith(("non_overlap", "split2"))} == {"non_overlap_first2000.json": "2000 of 2000", "split2video_id_sample.json": "600 of 600"}
    assert all(piece.flags == ["no-play-by-play", "no-caption", "no-label", "no-transcript"] for piece in pieces)


def test_dates_alone_are_clips(shared: Path):
    pieces, rejects = collected(shared / "samples" / "basketball_nsva" / "date_gameid_eventid_uuid_first500.tsv")
    assert len(pieces) == 500 and not rejects and pieces[0].id == "0021800110-4" and "Date: 2018-10-31" in pieces[0].background
    assert pieces[0].context["url"].endswith("/2018/10/31/0021800110/4/75764a28-a4bd-cfe2-9ac4-03ead5e2122e_1280x720.mp4")


def test_metadata_samples(shared: Path):
    folder = shared / "samples" / "basketball_nba_pbp"
    facts = {name: facts_in(json.loads((folder / name).read_text()), name) for name in ("stats_summary_0021900001.json", "stats_boxscore_0022100732.json", "stats_gleague_02_25_2020.json")}
    assert [len(found) for found in facts.values()] == [1, 1, 7]
    summary = facts["stats_summary_0021900001.json"]["0021900001"]
    assert summary.officials == ["Tony Brown", "Eric Dalen", "Josh Tiven"] and summary.teams["TOR"].by_period == [27, 29, 32, 29, 13] and sum(summary.teams["TOR"].by_period) == summary.teams["TOR"].points
    box = facts["stats_boxscore_0022100732.json"]["0022100732"]
    assert len(box.teams["DAL"].starters) == len(box.teams["POR"].starters) == 5 and (box.teams["DAL"].points, box.teams["POR"].points) == (132, 112)
    league = facts["stats_gleague_02_25_2020.json"]["2021900490"]
    assert league.arena == "DeltaPlex Arena" and "Result: Grand Rapids Drive 116 - 83 Windy City Bulls" in background_of_game(league)


# Joining

def test_captions_labels_and_players(tmp_path: Path):
    "NSVA's sentence with names, its coarse label, the row and its neighbours, the clip's own transcript."
    sentences = [{"video_id": "video2", "caption": text} for text in ("<T1>_PLAYER7 dunks after PLAYER9 .", "<T2>_action1 action0", "<T3>_PLAYER7")]
    folder = written(tmp_path / "in", map={"video1": f"{GAME}-7", "video2": f"{GAME}-10"}, plays=plays(*ROWS), captions={"sentences": sentences}, action_list=["Block", "Made_Shot-Dunk_Shot"],
                     coarse={"Block": "Block", "Made_Shot-Dunk_Shot": "Shot"}, video2={"segments": [{"start": 0.5, "end": 3.25, "text": "All the way!"}]}, split={"train": ["video2"], "test": ["video1"]})
    (miss, dunk), rejects = collected(folder)
    assert not rejects
    assert (dunk.caption, dunk.label, dunk.context["actions"], dunk.flags) == ("Ann One dunks after PLAYER9 .", "Shot", ["Made_Shot-Dunk_Shot", "Block"], ["anonymized"])
    assert [utterance.text for utterance in dunk.utterances] == ["All the way!"] and (dunk.start, dunk.end, dunk.period) == (0.0, 3.25, "1")
    assert [event["text"] for event in dunk.context["events"]] == ["One Dunk (2 PTS)", "MISS Two 3PT", "One REBOUND (Off:0 Def:1)"] and dunk.context["score"] == {"home": 2, "away": 0}
    assert (miss.caption, miss.label, miss.flags, miss.start) == ("MISS Two 3PT", "Shot", ["caption:play-by-play", "no-transcript"], None) and miss.context["clock"] == "Q1 11:48"
    assert [event["text"] for event in collected(folder, before=0, after=0)[0][1].context["events"]] == ["One Dunk (2 PTS)"]


def test_manifest(tmp_path: Path):
    folder = written(tmp_path / "in", map={"video1": f"{GAME}-7", "video2": f"{GAME}-10"}, plays=plays(*ROWS))
    (folder / "videos.csv").write_text(f"clip,file,duration_s\n{GAME}-7,nsva/a.mp4,9.5\n")
    (piece,), (reject,) = collected(folder)
    assert (piece.storage_file, piece.end) == ("nsva/a.mp4", 9.5) and reject.reason == "the clip's video is not in the manifest" and reject.place == "video2"


def test_videos_beside_their_manifest_records_elsewhere(tmp_path: Path):
    "A relative file is meant from the manifest's folder, and told as the records' folder sees it; what is not there stays as written."
    folder = written(tmp_path / "in", map={"video1": f"{GAME}-7", "video2": f"{GAME}-10"}, plays=plays(*ROWS))
    (folder / "clips").mkdir()
    (folder / "clips" / "a.mp4").write_bytes(b"")
    (folder / "videos.csv").write_text("clip,file,duration_s\nvideo1,clips/a.mp4,9.5\nvideo2,clips/b.mp4,9.5\n")
    records = tmp_path / "out" / "july"
    pieces = [item for item in collect_basketball([folder], records) if isinstance(item, Piece)]
    assert [piece.storage_file for piece in pieces] == ["../../in/clips/a.mp4", "clips/b.mp4"] and (records / pieces[0].storage_file).resolve().is_file()


def test_files_for_people(tmp_path: Path):
    "Passed over in a folder, refused where they are named."
    folder = written(tmp_path / "in", map={"video1": f"{GAME}-7"}, plays=plays(*ROWS))
    for name in ("README.md", "game.yaml", "make.py"):
        (folder / name).write_text("{}")
    assert not collected(folder)[1]
    with pytest.raises(BenchError, match="game.yaml"):
        collected(folder / "game.yaml")


def test_every_action_is_of_the_registry_and_can_be_told(shared: Path):
    "Actions and outcomes are keys of the registry but for three, and every kind has its sentence; in the four real games as well."
    game = GAMES["basketball"]
    given = [(action, outcome) for action in [*ACTIONS.values(), "technical"] for outcome in (("in", "missed") if action in ("shot", "free throw") else ("",))]
    others = {action for action, _ in given} - set(game.events)
    assert others == OTHER_ACTIONS == {"period start", "period end", "replay review"} and set(OUTCOMES.values()) <= set(game.outcomes)
    for action, outcome in given:
        assert action in others or event_sentence(FeedEvent(action=action, outcome=outcome, actor="Ann One", team="ALF"), "basketball"), (action, outcome)
    found = Counter((event.action, event.outcome) for path in ("stats_0021900001", "live_0022000001", "technical_before_period_start") for one in games_in(shared / "samples" / "basketball_nba_pbp" / f"{path}.json")
                    for row in one.rows for event in events_of(row))
    assert set(found) <= set(given) and found["technical", ""] >= 1 and found["shot", "in"] > 100 and found["substitution", ""] > 100


def test_transcripts_by_event_and_uuid(tmp_path: Path):
    folder = written(tmp_path / "in", map={"video1": f"{GAME}-7", "video2": f"{GAME}-10"}, plays=plays(*ROWS), **{f"{GAME}-7": [{"start": 0, "end": 2, "text": "By event."}],
                     "75764a28-a4bd": {"language": "es", "segments": [{"start": 0, "end": 2, "text": "Por uuid."}]}, "video9": [{"start": 0, "end": 2, "text": "Nobody's."}]})
    (folder / "dates.txt").write_text(f"2098/10/31\t{GAME}\t10\t75764a28-a4bd\n")
    pieces, (reject,) = collected(folder)
    assert [piece.utterances[0].text for piece in pieces] == ["By event.", "Por uuid."] and "language:es" in pieces[1].flags
    assert (reject.file, reject.reason) == ("video9.json", "a transcript that no clip among the inputs asks for") and "Date: 2098-10-31" in pieces[1].background


def test_event_without_a_row(tmp_path: Path):
    (piece,), rejects = collected(written(tmp_path / "in", map={"video1": f"{GAME}-9"}, plays=plays(*ROWS)))
    assert not rejects and piece.flags == ["no-row", "no-caption", "no-label", "no-transcript"] and piece.context["events"] == []


def test_two_plays_of_one_game_and_reversed_maps(tmp_path: Path):
    folder = written(tmp_path / "in", map={f"{GAME}-7": "video1"}, a=plays(*ROWS), b=plays(*ROWS), overlap={f"{GAME}-7": False})
    (piece,), (reject,) = collected(folder)
    assert piece.id == "video1" and "overlaps" in piece.flags and reject.reason == "another play-by-play of the same game is among the inputs"


def test_v3_and_overtime():
    "v3 says the side; its scores are empty on rows that do not score; overtime lasts five minutes."
    actions = [{"actionNumber": 3, "clock": "PT04M58.00S", "period": 6, "teamTricode": "BET", "location": "v", "actionType": "Made Shot", "subType": "Layup", "scoreHome": "100", "scoreAway": "102",
                "description": "Two Layup (2 PTS)", "playerNameI": "B. Two", "shotResult": "Made"},
               {"actionNumber": 4, "clock": "PT04M50.00S", "period": 6, "teamTricode": "ALF", "location": "h", "actionType": "", "scoreHome": "", "scoreAway": "", "description": "One BLOCK (1 BLK)"}]
    game = read_game({"game": {"gameId": GAME, "actions": actions}})
    assert [(one.side, one.action, one.score) for one in game.rows] == [("visitor", "Shot", {"home": 100, "away": 102}), ("home", "Block", None)] and (game.home, game.away) == ("ALF", "BET")
    assert played_before(6) + game.rows[0].elapsed == 4 * 720 + 300 + 2 and events_of(game.rows[0])[0].clock == "OT2 4:58" and clip_window(game.rows[0], 10, 5) == (0.0, 7.0)
    assert game.score_after(game.rows[1]) == {"home": 100, "away": 102}


def test_wall_clock_needs_a_date():
    with pytest.raises(BenchError, match="clock without a date"):
        wall_time("8:04 PM")
    times = [wall_time("11:59 PM", date(2099, 1, 1))]
    for text in ("12:01 AM", "12:28 AM"):
        times.append(wall_time(text, date(2099, 1, 1), after=times[-1]))
    assert times == [datetime(2099, 1, 1, 23, 59), datetime(2099, 1, 2, 0, 1), datetime(2099, 1, 2, 0, 28)]


# Damage and oddities

@pytest.mark.parametrize("value, words", [(21801071, "leading zeros"), ("21801071", "leading zeros"), (21801071.0, "leading zeros"), ("", "no game id"), (None, "no game id"), ("00218010711", "no game id")])
def test_ids_read_as_numbers(value: object, words: str):
    with pytest.raises(BenchError, match=words):
        game_id_of(value)


@pytest.mark.parametrize("value, words", [
    (plays(row(7, "11:48", visitor="x"), row(8, "11:40", visitor="x", game="0029900002")), "2 games"), (plays(row(7, "11:48", game=29900001)), "leading zeros"), (plays(game=29900001), "leading zeros"),
    (plays(row(7, "12:48")), "more than the 720 s"), (plays(row(7, "11:48", period=5)), "more than the 300 s"), (plays(row(7, "noon")), "no game clock"), (plays(["0029900001", 7]), "without what a row needs"),
    ({"game": {"gameId": 29900001, "actions": []}}, "leading zeros"), ({"game": {"gameId": GAME, "actions": [{"clock": "PT1M0S"}]}}, "without what a row needs"), ({"annotations": []}, "SoccerNet"), ([], "empty list")])
def test_wrong_play_by_play(value: object, words: str):
    with pytest.raises(BenchError, match=words) as error:
        read_game(value, "game.json")
    assert str(error.value).startswith("game.json: ") and "\n" not in str(error.value)


def test_a_wrong_game_in_a_folder_is_a_reject(tmp_path: Path):
    "Others are read; the clips of the wrong one come without play-by-play. Named, it is an error."
    folder = written(tmp_path / "in", map={"video1": f"{GAME}-7", "video2": "0029900002-7"}, good=plays(*ROWS), mixed=plays(row(7, "11:48", visitor="x", game="0029900002"), row(8, "11:40", visitor="x")))
    pieces, (reject,) = collected(folder)
    assert [piece.id for piece in pieces] == ["video1", "video2"] and "no-play-by-play" in pieces[1].flags
    assert (reject.file, reject.reason) == ("mixed.json", "a play-by-play that cannot be read") and "2 games" in reject.detail
    with pytest.raises(BenchError, match="mixed.json"):
        collected(folder / "map.json", folder / "mixed.json")


def test_map_entries_that_are_wrong(tmp_path: Path):
    folder = written(tmp_path / "in", map={"video1": f"{GAME}-7", "video2": 29900001, "video3": "29900001-7", "video4": GAME, "video5": None})
    pieces, rejects = collected(folder)
    assert [piece.id for piece in pieces] == ["video1"] and [reject.place for reject in rejects] == ["video2", "video3", "video4", "video5"]


@pytest.mark.parametrize("data", [b"", b"{", b'{"video1": "00', b"\xff\xfe\x00", b'{"a": Infinity}', b"<html>"])
def test_damaged_files(tmp_path: Path, data: bytes):
    folder = written(tmp_path / "in", map={"video1": f"{GAME}-7"})
    (folder / "damaged.json").write_bytes(data)
    pieces, rejects = collected(folder)
    assert len(pieces) == 1 and [(reject.file, reject.reason) for reject in rejects] == [("damaged.json", "a file that is cut off, empty or no JSON")]
    with pytest.raises(BenchError, match="damaged.json"):
        collected(folder / "damaged.json")


def test_cut_play_by_play(tmp_path: Path):
    text = json.dumps(plays(*ROWS))
    folder = written(tmp_path / "in", map={"video1": f"{GAME}-7"}, plays=text[:-30])
    pieces, (reject,) = collected(folder)
    assert len(pieces) == 1 and "no-play-by-play" in pieces[0].flags and "cut off" in reject.detail


@pytest.mark.parametrize("form", ["list", "lines"])
def test_many_games_in_one_file_take_the_memory_of_one(tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch):
    "Games in one file are read one at a time: with a small window, the peak is a fraction of the file."
    monkeypatch.setattr("gamecommbench.collect.inputs._PIECE", 1 << 14)
    one = json.dumps(plays(*(row(event, "11:48", visitor="MISS Two 3PT " * 20) for event in range(10))))
    texts = [one.replace(GAME, f"00299{number:05}") for number in range(500)]
    (tmp_path / "games.json").write_text("[" + ",\n".join(texts) + "]" if form == "list" else "\n".join(texts))
    size = (tmp_path / "games.json").stat().st_size
    tracemalloc.start()
    assert sum(len(game.rows) for game in games_in(tmp_path / "games.json")) == 5000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < size / 5 and size > 2e6, (peak, size)
    written(tmp_path, map={"video7": "0029900123-8"})
    pieces, rejects = collected(tmp_path)
    assert len(pieces) == 1 and pieces[0].context["events"] and len(rejects) == 499


def test_resultsets_first_is_still_play_by_play(tmp_path: Path):
    "A file is told by its content even where the telling key comes last."
    value = dict(reversed(plays(*ROWS).items()))
    pieces, rejects = collected(written(tmp_path / "in", map={"video1": f"{GAME}-7"}, plays=value))
    assert not rejects and pieces[0].context["events"]


def test_a_football_file_is_told(tmp_path: Path):
    folder = written(tmp_path / "in", captions={"annotations": []})
    with pytest.raises(BenchError, match="SoccerNet captions, football"):
        collected(folder / "captions.json")
