"""The sample football match: captions, transcripts, manifest and drawn clips, made from data/sample/football/source/match.yaml.

    python scripts/sample/football.py [--out FOLDER] [--no-clips]
"""
import re
from functools import cache
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

from common import BANNER, HEIGHT, WIDTH, Clip, Colour, as_json, at_time, banner, blank, caption, dot, label, main, read_source

BEFORE = AFTER = 15.0  # seconds of a clip around its moment, as football's data sets cut them and `FootballSettings` has them
WORDS_PER_SECOND = 2.7  # of the speech
NOTE = "SIMULATED: this match was never played; clubs, people, ground and words are invented for gamecommbench"
Script = dict[str, Any]


def script_of(source: Path) -> Script:
    "The match script, each event with its half and second."
    script = read_source(source / "match.yaml")
    for event in script["events"]:
        half, minutes, seconds = map(int, re.findall(r"\d+", event["time"]))
        event |= {"half": half, "second": minutes * 60 + seconds, "clip": f"{half}_{minutes:02}_{seconds:02}"}
    return script


def span_of(event: dict[str, Any]) -> tuple[float, float]:  # seconds in the half
    "From when to when an event's clip runs."
    return max(0.0, event["second"] - BEFORE), event["second"] + AFTER


# --- captions ------------------------------------------------------------------------------------

def _people(script: Script) -> dict[str, str]:
    "Codes such as H11, and the players' names."
    return {f"{side}{number}": name for side, team in script["teams"].items() for number, name in (team["players"] | team["substitutes"]).items()}


def tokenised(text: str, script: Script) -> str:
    "A caption with codes in place of names, as SoccerNet's `identified` has it."
    sides = {script["teams"][side]["name"]: word for side, word in (("H", "home"), ("A", "away"))}
    tokens = {name: f"[PLAYER_{code}]" for code, name in _people(script).items()} | {name: f"[TEAM_{side}]" for name, side in sides.items()} | {script["match"]["referee"]: "[REFEREE]"}
    return re.sub("|".join(map(re.escape, tokens)), lambda name: tokens[name[0]], text)


def annotation(event: dict[str, Any], script: Script) -> dict[str, Any]:
    "An event as SoccerNet's caption files have it."
    identified = tokenised(event["text"], script)
    return {"gameTime": event["time"], "label": event["label"], "description": event["text"], "identified": identified, "anonymized": re.sub(r"_\w+\]", "]", identified),
            "important": str(event.get("important", False)).lower(), "position": str(event["second"] * 1000), "visibility": "shown"}


def _listed(side: str, number: int, name: str, starting: bool) -> dict[str, Any]:
    first, *last = name.split()
    return {"long_name": name, "short_name": f"{first[0]}. {' '.join(last)}", "name": last[-1], "hash": f"{side}{number}", "shirt_number": str(number), "starting": starting}


def lineup(side: str, team: dict[str, Any]) -> dict[str, Any]:
    "A team's players and coach."
    first, *last = team["coach"].split()
    players = [_listed(side, number, name, starting) for starting, group in ((True, "players"), (False, "substitutes")) for number, name in team[group].items()]
    return {"tactic": team["tactic"], "players": players, "coach": [{"long_name": team["coach"], "short_name": f"{first[0]}. {' '.join(last)}", "name": last[-1]}]}


def labels(script: Script) -> dict[str, Any]:
    "The whole of Labels-caption.json."
    match, home, away = script["match"], script["teams"]["H"], script["teams"]["A"]
    return {"note": NOTE, "simulated": True, "UrlLocal": match["folder"], "gameHomeTeam": home["name"], "gameAwayTeam": away["name"], "gameDate": match["date"], "score": match["score"],
            "round": match["round"], "venue": [match["venue"]], "attendance": [match["attendance"]], "referee": [match["referee"]],
            "lineup": {"home": lineup("H", home), "away": lineup("A", away)}, "annotations": [annotation(event, script) for event in script["events"]]}


# --- speech --------------------------------------------------------------------------------------

def speech(script: Script, half: int) -> list[tuple[float, float, str]]:  # start, end, text
    "What is said in a half; a sentence lasts as long as its words take, or until the next begins."
    said = [(round(event["second"] + after, 1), text) for event in script["events"] if event["half"] == half for after, text in event["said"]]
    said = sorted(said + [(float(start), text) for start, text in script["elsewhere"][half]])
    starts = [start for start, _ in said[1:]] + [float("inf")]
    return [(start, round(min(start + len(text.split()) / WORDS_PER_SECOND, following), 1), text) for (start, text), following in zip(said, starts)]


def transcript(script: Script, half: int) -> dict[str, Any]:
    "A half's speech in the form of SoccerNet-Echoes."
    return {"note": NOTE, "language": "en", "segments": {str(number): list(row) for number, row in enumerate(speech(script, half))}}


def manifest(script: Script) -> str:
    "Which file shows which clip."
    rows = [f"{script['match']['folder']}/{event['clip']},clips/{event['clip']}.mp4,{span_of(event)[1] - span_of(event)[0]:g}" for event in script["events"]]
    return "\n".join(["clip,file,duration_s", *rows]) + "\n"


def texts(source: Path) -> dict[str, str]:
    "The sample's text files."
    script = script_of(source)
    return {"Labels-caption.json": as_json(labels(script)), "1_asr.json": as_json(transcript(script, 1)), "2_asr.json": as_json(transcript(script, 2)), "videos.csv": manifest(script)}


# --- clips ---------------------------------------------------------------------------------------

LENGTH, BREADTH = 105.0, 68.0  # metres
SCALE = 2.18  # pixels a metre
LEFT, TOP = (WIDTH - LENGTH * SCALE) / 2, BANNER + (HEIGHT - BANNER - 13 - BREADTH * SCALE) / 2
STEPS = 5  # a second: players move less often than the ball, which makes the files smaller
GRASS, CHALK, BALL = (52, 116, 64), (206, 224, 206), (255, 255, 255)
Touch = tuple[float, float, float, str]  # second of the half, x, y, who has the ball ("" for nobody)
Stay = tuple[float, float, tuple[float, float] | None]  # from, to (seconds of the half), the spot (None: with the ball)


def _pixel(x: float, y: float) -> tuple[float, float]:
    return LEFT + x * SCALE, TOP + y * SCALE


@cache
def _pitch() -> Image.Image:
    "The empty pitch, seen from above."
    image, pen = blank(GRASS)
    box = lambda x0, y0, x1, y1: pen.rectangle((*_pixel(x0, y0), *_pixel(x1, y1)), outline=CHALK)
    box(0, 0, LENGTH, BREADTH)
    for goal, inwards in ((0.0, 1), (LENGTH, -1)):
        for depth, breadth in ((16.5, 40.3), (5.5, 18.3), (-2.0, 7.3)):
            box(*sorted((goal, goal + inwards * depth))[:1], (BREADTH - breadth) / 2, *sorted((goal, goal + inwards * depth))[1:], (BREADTH + breadth) / 2)
    pen.line((*_pixel(LENGTH / 2, 0), *_pixel(LENGTH / 2, BREADTH)), fill=CHALK)
    pen.ellipse((*_pixel(LENGTH / 2 - 9.15, BREADTH / 2 - 9.15), *_pixel(LENGTH / 2 + 9.15, BREADTH / 2 + 9.15)), outline=CHALK)
    return image


def touches(script: Script, half: int) -> list[Touch]:
    "The ball's way through a half."
    rows = [(event["second"] + row[0], float(row[1]), float(row[2]), row[3] if len(row) > 3 else "") for event in script["events"] if event["half"] == half for row in event["ball"]]
    return sorted(rows)


def spells(way: list[Touch], who: str) -> list[tuple[float, float]]:
    "From when to when a player has the ball."
    found: list[tuple[float, float]] = []
    for number, (time, _, _, holder) in enumerate(way):
        if holder == who and number and way[number - 1][3] == who and found:
            found[-1] = (found[-1][0], time)
        elif holder == who:
            found.append((time, time))
    return found


def stays_of(script: Script, half: int, way: list[Touch], who: str) -> list[Stay]:
    "Where a player has to be, with the ball or as the script says without it."
    also = [(event["second"] + row[0], event["second"] + row[1], (row[2], row[3])) for event in script["events"] if event["half"] == half for row in event.get("also", []) if row[4] == who]
    return [*((start, end, None) for start, end in spells(way, who)), *also]


def player_at(
    time: float,  # second of the half
    place: tuple[float, float],  # where the player stands when the ball is in the middle
    way: list[Touch],
    stays: list[Stay],
) -> tuple[float, float]:
    "Where a player is: at their stays, on the way there or back just before and after, else in the team's shape, which follows the ball."
    track = [row[:3] for row in way]
    around = [at_time(track, time + step) for step in (-3.0, -1.5, 0.0, 1.5, 3.0)]
    ball_x, ball_y = (sum(point[axis] for point in around) / len(around) for axis in (0, 1))
    goalkeeper = place[0] < 8 or place[0] > 97
    x, y = place[0] + (0.06 if goalkeeper else 0.42) * (ball_x - LENGTH / 2), place[1] + (0.08 if goalkeeper else 0.24) * (ball_y - BREADTH / 2)
    x = x if goalkeeper else min(max(x, 8.0), LENGTH - 8.0)
    for start, end, spot in stays:
        away = max(start - time, time - end, 0.0)
        share = max(0.0, 1.0 - away / 4.0)
        if share > 0:
            there = spot or at_time(track, min(max(time, start), end))
            x, y = x + share * (there[0] - x), y + share * (there[1] - y)
    return min(max(x, -1.0), LENGTH + 1.0), min(max(y, -0.5), BREADTH + 0.5)


def in_own_half(
    x: float,
    on_the_left: bool,  # whether the player's own half is the left one
    time: float,  # second of the half
) -> float:
    "The same, but at a kick-off no further forward than the rules allow, and after it no further than one can run."
    line = LENGTH / 2 + max(0.0, time - 1.0) * 6.0
    return min(x, line) if on_the_left else max(x, LENGTH - line)


def score_at(script: Script, half: int, second: float) -> str:
    "The score board at a second of a half."
    goals = [event["goal"] for event in script["events"] if event.get("goal") and (event["half"], event["second"] + 1) <= (half, second)]
    return f"{script['teams']['H']['short']} {goals.count('H')} - {goals.count('A')} {script['teams']['A']['short']}"


def _holder(script: Script, way: list[Touch], time: float) -> str:
    "Whom the line at the foot names: who has the ball, or had it a moment ago."
    last = next((row for row in reversed(way) if row[0] <= time and row[3]), None)
    if last is None or time - max((end for start, end in spells(way, last[3]) if start <= time), default=-9.0) > 2.0:
        return ""
    return f"{last[3][1:]} {_people(script)[last[3]]} ({script['teams'][last[3][0]]['short']})"


def _placed(script: Script, half: int) -> list[tuple[str, Colour, tuple[float, float]]]:
    "Every player with shirt and place; the teams change ends after the break."
    turned = half == 2
    return [(f"{side}{number}", tuple(team["shirt"]), (LENGTH - x, BREADTH - y) if turned else (x, y)) for side, team in script["teams"].items() for number, (x, y) in team["places"].items()]


def clip_of(script: Script, event: dict[str, Any]) -> Clip:
    "The clip of an event."
    half, (start, end) = event["half"], span_of(event)
    way, placed = touches(script, half), _placed(script, half)
    stays = {who: stays_of(script, half, way, who) for who, _, _ in placed}

    def picture(after: float) -> Image.Image:
        time = start + after
        image = _pitch().copy()
        pen = ImageDraw.Draw(image)
        for who, shirt, place in placed:
            x, y = player_at(int(time * STEPS) / STEPS, place, way, stays[who])
            dot(pen, *_pixel(in_own_half(x, (who[0] == "H") == (half == 1), time), y), shirt, edge=(24, 28, 24))
        dot(pen, *_pixel(*at_time([row[:3] for row in way], time)), BALL, radius=2, edge=(0, 0, 0))
        banner(pen, f"{half}H {int(time) // 60:02}:{int(time) % 60:02}", score_at(script, half, time))
        caption(pen, _holder(script, way, time))
        return image
    return Clip(f"clips/{event['clip']}.mp4", end - start, picture, quality=39)


def clips(source: Path) -> list[Clip]:
    "The clips of all events."
    script = script_of(source)
    return [clip_of(script, event) for event in script["events"]]


if __name__ == "__main__":
    main("football", texts, clips)
