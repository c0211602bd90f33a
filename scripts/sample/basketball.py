"""The sample basketball game: NSVA's maps and captions, play-by-play, summary, box score, transcripts, manifest and drawn clips, made from data/sample/basketball/source/game.yaml.

    python scripts/sample/basketball.py [--out FOLDER] [--no-clips]
"""
import math
import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image, ImageDraw

from common import BANNER, HEIGHT, WIDTH, Clip, Colour, as_json, at_time, banner, blank, caption, dot, label, main, read_source

WORDS_PER_SECOND = 3.4  # of the speech
NOTE = "SIMULATED: this game was never played; teams, people, arena and words are invented for gamecommbench"
Script = dict[str, Any]


class Kind(NamedTuple):
    "What the NBA's numbers call a kind of row, and what NSVA's coarse word is."
    message: int  # EVENTMSGTYPE
    action: int = 0  # EVENTMSGACTIONTYPE
    team_acts: bool = False  # the doer is the team, not a player


KINDS = {
    "start": Kind(12), "end": Kind(13), "jump": Kind(10), "made": Kind(1, 1), "missed": Kind(2, 1), "free made": Kind(3, 12), "free missed": Kind(3, 11), "rebound": Kind(4), "turnover": Kind(5, 2),
    "bad pass": Kind(5, 1), "foul turnover": Kind(5, 37), "foul": Kind(6, 1), "shooting foul": Kind(6, 2), "technical": Kind(6, 11), "charge": Kind(6, 26), "goaltending": Kind(7, 2), "sub": Kind(8),
    "timeout": Kind(9, 1, team_acts=True)}
ROW = ("event", "at", "kind", "side", "people", "text", "other", "score")
SIDES = ("H", "A")
COLUMNS = {"H": "HOMEDESCRIPTION", "A": "VISITORDESCRIPTION"}


def script_of(source: Path) -> Script:
    "The game script; each play with its fields by name, each clip with its play and its video's name."
    script = read_source(source / "game.yaml")
    script["plays"] = [dict(zip(ROW, row)) for row in script["plays"]]
    for play in script["plays"]:
        period, clock = play["at"].split()
        minutes, seconds = clock.split(":")
        play |= {"period": int(period), "clock": clock, "left": int(minutes) * 60 + float(seconds), "points": [int(part) for part in play.get("score", "").split("-") if part]}
    plays = {play["event"]: play for play in script["plays"]}
    for number, clip in enumerate(script["clips"], 1):
        clip |= {"video": f"video{number}", "play": plays[clip["event"]]}
    return script


# --- people --------------------------------------------------------------------------------------

def people(script: Script) -> dict[str, str]:
    "Names by codes such as H15."
    return {f"{side}{number}": name for side in SIDES for group in ("starters", "bench", "inactive") for number, name in script["teams"][side][group].items()}


def player_id(code: str) -> int:
    "The number that the NBA would have for a player."
    return (9100000 if code[0] == "H" else 9200000) + int(code[1:])


def team_id(side: str) -> int:
    "The number that the NBA would have for a team."
    return 1699999901 + SIDES.index(side)


def numbered(text: str, script: Script) -> str:
    "A caption with PLAYER9100015 in place of the name, as NSVA has it."
    codes = {name: code for code, name in people(script).items()}
    return re.sub("|".join(map(re.escape, codes)), lambda name: f"PLAYER{player_id(codes[name[0]])}", text)


# --- NSVA ----------------------------------------------------------------------------------------

def actions(script: Script) -> list[str]:
    "The event actions of all clips."
    return sorted({action for clip in script["clips"] for action in clip["actions"]})


def coarse(action: str) -> str:
    "NSVA's coarse word for an event action."
    word = action.split("-")[0]
    return "Shot" if word in ("Made_Shot", "Missed_Shot") else "Timeout-Regular" if word == "Timeout" else word


def sentences(script: Script) -> list[dict[str, str]]:
    "Each clip's caption, its actions and its players."
    listed = actions(script)
    rows = []
    for clip in script["clips"]:
        told = numbered(clip["caption"], script)
        tokens = (told, " ".join(f"action{listed.index(action)}" for action in clip["actions"]), " ".join(re.findall(r"PLAYER\d+", told)))
        rows += [{"video_id": clip["video"], "caption": f"<T{task}>_{text}"} for task, text in enumerate(tokens, 1) if text]
    return rows


def nsva(script: Script) -> dict[str, Any]:
    "NSVA's files by name."
    return {"videoid2gameid_eventid.json": {clip["video"]: f"{script['game']['id']}-{clip['event']}" for clip in script["clips"]},
            "ourds_description_only.json": {"note": NOTE, "sentences": sentences(script)},
            "action_list.json": actions(script), "action_list_Coarse.json": {action: coarse(action) for action in actions(script)}}


# --- the NBA's files -----------------------------------------------------------------------------

def table(name: str, *rows: dict[str, Any]) -> dict[str, Any]:
    "A result set as stats.nba.com has it."
    return {"name": name, "headers": list(rows[0]), "rowSet": [list(row.values()) for row in rows]}


def answer(resource: str, script: Script, *tables: dict[str, Any]) -> dict[str, Any]:
    "An answer of stats.nba.com."
    return {"resource": resource, "parameters": {"GameID": script["game"]["id"]}, "note": NOTE, "resultSets": list(tables)}


def _person(number: int, code: str, play: dict[str, Any], script: Script) -> dict[str, Any]:
    "The columns of one of the three people of a row."
    if not code and number == 1 and play.get("side") and not play["people"]:  # the team itself
        acts = KINDS[play["kind"]].team_acts
        return {"PERSON1TYPE": (2 if play["side"] == "H" else 3), "PLAYER1_ID": team_id(play["side"]), "PLAYER1_NAME": None, "PLAYER1_TEAM_ID": None if acts else team_id(play["side"]), "PLAYER1_TEAM_ABBREVIATION": None}
    side = code[:1]
    return {f"PERSON{number}TYPE": 4 + SIDES.index(side) if side else 0, f"PLAYER{number}_ID": player_id(code) if side else 0, f"PLAYER{number}_NAME": people(script)[code] if side else None,
            f"PLAYER{number}_TEAM_ID": team_id(side) if side else None, f"PLAYER{number}_TEAM_ABBREVIATION": script["teams"][side]["short"] if side else None}


def play_row(play: dict[str, Any], script: Script) -> dict[str, Any]:
    "A row of the play-by-play, version 2."
    side, points, kind = play.get("side", ""), play["points"], KINDS[play["kind"]]
    said = {"H": None, "A": None} | ({side: play["text"], "A" if side == "H" else "H": play.get("other") or None} if side else {})
    margin = points[0] - points[1] if points else None
    codes = [*play.get("people", []), "", "", ""][:3]
    return {"GAME_ID": script["game"]["id"], "EVENTNUM": play["event"], "EVENTMSGTYPE": kind.message, "EVENTMSGACTIONTYPE": kind.action, "PERIOD": play["period"], "WCTIMESTRING": None,
            "PCTIMESTRING": play["clock"], "HOMEDESCRIPTION": said["H"], "NEUTRALDESCRIPTION": None, "VISITORDESCRIPTION": said["A"], "SCORE": f"{points[1]} - {points[0]}" if points else None,
            "SCOREMARGIN": None if margin is None else "TIE" if margin == 0 else str(margin)} | {
                key: value for number, code in enumerate(codes, 1) for key, value in _person(number, code, play, script).items()} | {"VIDEO_AVAILABLE_FLAG": 1}


def summary(script: Script) -> dict[str, Any]:
    "The game's summary, version 2: officials, who is injured, points by period, the last meeting."
    game, teams, last = script["game"], script["teams"], script["game"]["last_meeting"]
    guest = "A" if last["home"] == "H" else "H"
    lines = [{"GAME_DATE_EST": f"{game['date']}T00:00:00", "GAME_ID": game["id"], "TEAM_ID": team_id(side), "TEAM_ABBREVIATION": teams[side]["short"], "TEAM_CITY_NAME": teams[side]["city"],
              "TEAM_NICKNAME": teams[side]["name"], "TEAM_WINS_LOSSES": "-".join(map(str, teams[side]["record"])), **{f"PTS_QTR{number}": points for number, points in enumerate(game["periods"][side], 1)},
              "PTS": sum(game["periods"][side])} for side in SIDES]
    header = {"GAME_DATE_EST": f"{game['date']}T00:00:00", "GAME_ID": game["id"], "GAME_STATUS_TEXT": "Final", "GAMECODE": f"{game['date'].replace('-', '')}/{teams['A']['short']}{teams['H']['short']}",
              "HOME_TEAM_ID": team_id("H"), "VISITOR_TEAM_ID": team_id("A"), "SEASON": "2030"}
    officials = [dict(zip(("FIRST_NAME", "LAST_NAME"), name.split())) for name in game["officials"]]
    inactive = [dict(zip(("FIRST_NAME", "LAST_NAME"), name.split())) | {"TEAM_ID": team_id(side), "TEAM_ABBREVIATION": teams[side]["short"]} for side in SIDES for name in teams[side]["inactive"].values()]
    meeting = {"GAME_ID": game["id"], "LAST_GAME_DATE_EST": f"{last['date']}T00:00:00"} | {
        f"LAST_GAME_{place}_{key}": value for place, side in (("HOME_TEAM", last["home"]), ("VISITOR_TEAM", guest))
        for key, value in (("CITY", teams[side]["city"]), ("NAME", teams[side]["name"]), ("POINTS", last["points"][side]))}
    return answer("boxscoresummary", script, table("GameSummary", header), table("Officials", *officials), table("InactivePlayers", *inactive),
                  table("GameInfo", {"GAME_DATE": game["date"], "ATTENDANCE": game["attendance"]}), table("LineScore", *lines), table("LastMeeting", meeting))


def _team(side: str, script: Script) -> dict[str, Any]:
    team, periods = script["teams"][side], script["game"]["periods"][side]
    listed = [{"personId": player_id(f"{side}{number}"), "name": name, "jerseyNum": str(number), "starter": str(int(group == "starters")), "played": str(int(group != "inactive"))}
              for group in ("starters", "bench", "inactive") for number, name in team[group].items()]
    return {"teamId": team_id(side), "teamCity": team["city"], "teamName": team["name"], "teamTricode": team["short"], "score": sum(periods),
            "periods": [{"period": number, "score": points} for number, points in enumerate(periods, 1)], "players": listed}


def boxscore(script: Script) -> dict[str, Any]:
    "The game's box score as the live feed has it: arena, line-ups, result."
    game = script["game"]
    return {"note": NOTE, "game": {"gameId": game["id"], "gameEt": f"{game['date']}T19:30:00-05:00", "gameStatusText": "Final", "attendance": game["attendance"],
                                   "arena": {"arenaName": game["arena"], "arenaCity": game["city"]}, "officials": [{"name": name} for name in game["officials"]],
                                   "homeTeam": _team("H", script), "awayTeam": _team("A", script)}}


# --- speech --------------------------------------------------------------------------------------

def speech(clip: dict[str, Any]) -> list[dict[str, Any]]:
    "What is said in a clip; a sentence lasts as long as its words take, or until the next begins or the clip ends."
    stops = [start for start, _ in clip["said"][1:]] + [clip["seconds"]]
    return [{"start": start, "end": round(min(start + len(text.split()) / WORDS_PER_SECOND, stop), 1), "text": text} for (start, text), stop in zip(clip["said"], stops)]


def manifest(script: Script) -> str:
    "Which file shows which clip."
    return "\n".join(["clip,file,duration_s", *(f"{clip['video']},clips/{clip['video']}.mp4,{clip['seconds']:g}" for clip in script["clips"])]) + "\n"


def texts(source: Path) -> dict[str, str]:
    "The sample's text files."
    script = script_of(source)
    game_id = script["game"]["id"]
    values = {f"nsva/{name}": value for name, value in nsva(script).items()} | {
        f"playbyplay_{game_id}.json": answer("playbyplay", script, table("PlayByPlay", *(play_row(play, script) for play in script["plays"]))),
        f"summary_{game_id}.json": summary(script), f"boxscore_{game_id}.json": boxscore(script)} | {
            f"transcripts/{clip['video']}.json": {"note": NOTE, "language": "en", "segments": speech(clip)} for clip in script["clips"]}
    return {name: as_json(value) for name, value in values.items()} | {"videos.csv": manifest(script)}


# --- clips ---------------------------------------------------------------------------------------

SCALE = 3.0  # pixels a foot
BASKET = (25.0, 5.25)
LEFT, TOP = (WIDTH - 50 * SCALE) / 2, BANNER + 5
WOOD, LINE, PAINT, BALL, FLOOR = (204, 164, 112), (250, 244, 232), (182, 132, 84), (240, 96, 24), (38, 42, 52)
SPOTS = {  # where the five in attack stand: guard, guard, forward, forward, center
    "half": [(25, 30), (41, 25), (8, 21), (44, 8), (18, 9)], "break": [(16, 34), (38, 30), (10, 22), (40, 20), (26, 24)],
    "free": [(16, 30), (35, 30), (33, 16), (17, 9), (33, 9)], "tip": [(12, 40), (38, 40), (14, 30), (38, 31), (24, 44)]}
GUARDED = {"half": 0.3, "break": 0.4, "free": 0.12, "tip": -0.12}  # how far on the way to the basket the man in defence stands


def _pixel(x: float, y: float) -> tuple[float, float]:
    return LEFT + x * SCALE, TOP + y * SCALE


@cache
def _court() -> Image.Image:
    "The empty half court, seen from above."
    image, pen = blank(FLOOR)
    box = lambda x0, y0, x1, y1, **looks: pen.rectangle((*_pixel(x0, y0), *_pixel(x1, y1)), **looks)
    ring = lambda x, y, radius, start, end: pen.arc((*_pixel(x - radius, y - radius), *_pixel(x + radius, y + radius)), start, end, fill=LINE)
    box(0, 0, 50, 47, fill=WOOD, outline=LINE)
    box(17, 0, 33, 19, fill=PAINT, outline=LINE)
    ring(25, 19, 6, 0, 180)
    ring(25, 47, 6, 180, 360)
    bend = math.degrees(math.acos(22 / 23.75))
    ring(*BASKET, 23.75, bend, 180 - bend)
    for x in (3, 47):
        pen.line((*_pixel(x, 0), *_pixel(x, 14.2)), fill=LINE)
    pen.line((*_pixel(22, 4), *_pixel(28, 4)), fill=LINE, width=2)
    ring(*BASKET, 1.2, 0, 360)
    return image


def spells(way: list[list[Any]], who: str) -> list[tuple[float, float]]:
    "From when to when a player has the ball."
    found: list[tuple[float, float]] = []
    for number, row in enumerate(way):
        mine, before = row[3:] == [who], number > 0 and way[number - 1][3:] == [who]
        if mine:
            found = [*found[:-1], (found[-1][0], row[0])] if before else [*found, (row[0], row[0])]
    return found


def player_at(
    time: float,  # seconds of the clip
    place: tuple[float, float],
    way: list[list[Any]],  # the ball's
    held: list[tuple[float, float]],
    restless: float = 0.9,  # feet that a player strays from the place
) -> tuple[float, float]:
    "Where a player is: with the ball while it is theirs, on the way there or back a little before and after, else about their place."
    x, y = place[0] + restless * math.sin(0.8 * time + place[1]), place[1] + restless * math.cos(0.7 * time + place[0])
    track = [row[:3] for row in way]
    for start, end in held:
        share = max(0.0, 1.0 - max(start - time, time - end, 0.0) / 2.5)
        there = at_time(track, min(max(time, start), end))
        x, y = x + share * (there[0] - x), y + share * (there[1] - y)
    return min(max(x, 0.8), 49.2), min(max(y, 0.8), 47.5)


def line_ups(clip: dict[str, Any], script: Script) -> dict[str, list[str]]:
    "Codes of the ten on court."
    chosen = clip.get("lineup", {})
    return {side: [f"{side}{number}" for number in chosen.get(side, script["teams"][side]["starters"])] for side in SIDES}


def positions(clip: dict[str, Any], script: Script, time: float) -> dict[str, tuple[float, float]]:
    "Where the ten are: the attack in its places, each in defence between his man and the basket."
    way, courts, share = clip["ball"], line_ups(clip, script), GUARDED[clip["spots"]]
    attack, defence = (courts["H"], courts["A"]) if clip["attack"] == "H" else (courts["A"], courts["H"])
    found = {code: player_at(time, place, way, spells(way, code)) for code, place in zip(attack, SPOTS[clip["spots"]])}
    for code, man in zip(defence, attack):
        x, y = found[man]
        found[code] = player_at(time, (x + share * (BASKET[0] - x), y + share * (BASKET[1] - y) - 1), way, spells(way, code), restless=0.4)
    return found


def score_before(play: dict[str, Any], script: Script) -> list[int]:
    "The score just before a play: what it made is taken off, else the last one said."
    if play["points"] and play["kind"] in ("made", "free made"):
        worth = 1 if play["kind"] == "free made" else 3 if "3PT" in play["text"] else 2
        return [points - worth * (side == play["side"]) for side, points in zip(SIDES, play["points"])]
    said = [row["points"] for row in script["plays"][:script["plays"].index(play)] if row["points"]]
    return said[-1] if said else [0, 0]


def clock_at(clip: dict[str, Any], time: float) -> str:
    "What the clock shows; it stands still where the play is stopped."
    play = clip["play"]
    left = play["left"] if clip.get("stopped") else max(0.0, min(720.0, play["left"] + clip["when"] - time))
    minutes, seconds = divmod(left, 60)
    return f"Q{play['period']} {int(minutes)}:{int(seconds):02}" if left >= 60 else f"Q{play['period']} {left:.1f}"


def _names(pen: ImageDraw.ImageDraw, courts: dict[str, list[str]], holder: str, script: Script) -> None:
    "The ten names beside the court, that of the ball's holder bright."
    for side, x, anchor in (("H", 4, "lm"), ("A", WIDTH - 4, "rm")):
        label(pen, x, 28, script["teams"][side]["name"], tuple(script["teams"][side]["shirt"]), 10, anchor)
        for number, code in enumerate(courts[side]):
            text = f"{code[1:]} {people(script)[code].split()[-1]}"
            label(pen, x, 46 + 14 * number, text, (255, 255, 255) if code == holder else (150, 156, 170), anchor=anchor)


def clip_of(script: Script, clip: dict[str, Any]) -> Clip:
    "The clip of an event."
    way, courts, play = clip["ball"], line_ups(clip, script), clip["play"]
    before, after = score_before(play, script), play["points"] or score_before(play, script)
    home, away = (script["teams"][side]["short"] for side in SIDES)

    def picture(time: float) -> Image.Image:
        image = _court().copy()
        pen = ImageDraw.Draw(image)
        for code, place in positions(clip, script, time).items():
            x, y = _pixel(*place)
            dot(pen, x, y, tuple(script["teams"][code[0]]["shirt"]), radius=5, edge=(24, 26, 30))
            label(pen, x, y, code[1:], (16, 18, 24), size=8)
        x, y = _pixel(*at_time([row[:3] for row in way], time))
        last = next((row for row in reversed(way) if row[0] <= time), way[0])
        holder = last[3] if len(last) > 3 else ""
        dot(pen, x + (5 if holder else 0), y + (4 if holder else 0), BALL, radius=3, edge=(32, 14, 4))
        points = after if time >= clip["when"] else before
        banner(pen, clock_at(clip, time), f"{home} {points[0]}-{points[1]} {away}")
        caption(pen, f"{holder[1:]} {people(script)[holder]} ({script['teams'][holder[0]]['short']})" if holder else "")
        _names(pen, courts, holder, script)
        return image
    return Clip(f"clips/{clip['video']}.mp4", clip["seconds"], picture, quality=31)


def clips(source: Path) -> list[Clip]:
    "The clips of all events."
    script = script_of(source)
    return [clip_of(script, clip) for clip in script["clips"]]


if __name__ == "__main__":
    main("basketball", texts, clips)
