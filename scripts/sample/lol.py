"""The sample League of Legends match: Match-V5 and LoL Esports files, subtitles and drawn clips, made from data/sample/lol/source/match.yaml.

    python scripts/sample/lol.py [--out FOLDER] [--no-clips]
"""
import math
import re
import textwrap
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

from common import BANNER, HEIGHT, WIDTH, Clip, Colour, as_json, at_time, banner, blank, dot, label, main, read_source

NOTE = "SIMULATED: this match was never played; event, teams, players, casters and words are invented for gamecommbench"
WINDOW = 30  # seconds of game time, as `LolSettings` has it
ROLES = ("top", "jungle", "mid", "bot", "support")
SHARES = {"top": 0.21, "jungle": 0.19, "mid": 0.22, "bot": 0.24, "support": 0.14}  # of a team's gold
CREEPS = {"top": 6.9, "jungle": 5.6, "mid": 7.6, "bot": 8.1, "support": 1.1}  # a minute
LEVEL_SECONDS = {"top": 67, "jungle": 72, "mid": 64, "bot": 79, "support": 95}  # from one level to the next, growing
TEAM_IDS = {"blue": 100, "red": 200}
OTHER = {"blue": "red", "red": "blue"}
Event = dict[str, Any]
Point = tuple[float, float]  # the game's own units, 0 to 15000 from the lower left corner


def seconds_of(clock: str) -> float:
    "A clock such as 07:05.2 or -00:40 in seconds."
    minutes, seconds = clock.lstrip("-").split(":")
    return (int(minutes) * 60 + float(seconds)) * (-1 if clock.startswith("-") else 1)


def clock_of(seconds: float) -> str:
    "Seconds as the game shows them."
    return f"{int(seconds) // 60:02}:{int(seconds) % 60:02}"


# --- a game --------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Player:
    "One of the ten."
    number: int  # 1 to 10
    name: str
    tag: str
    side: str
    role: str
    champion: str  # as the game's files spell it


@dataclass
class Tally:
    "What is counted up to a moment."
    kda: dict[str, list[int]]  # kills, deaths and assists by player
    teams: dict[str, dict[str, Any]]  # towers, inhibitors, dragons and barons by side


@dataclass
class Game:
    "A game of the script."
    script: dict[str, Any]
    told: dict[str, Any]
    events: list[Event] = field(init=False)

    def __post_init__(self) -> None:
        self.events = [event | {"second": seconds_of(event["at"])} for event in self.told["events"]]
        self.first, self.end = seconds_of(self.told["first"]), seconds_of(self.told["end"])
        self.started = datetime.fromisoformat(self.told["started"])

    @cached_property
    def players(self) -> list[Player]:
        "Blue first, top to support."
        found = []
        for side in TEAM_IDS:
            team = self.script["teams"][self.told[side]]
            found += [Player(len(found) + at, name, team["tag"], side, role, self.told["champions"][name]) for at, (role, name) in enumerate(team["players"].items(), 1)]
        return found

    @cached_property
    def number(self) -> dict[str, int]:
        "A player's number by name."
        return {player.name: player.number for player in self.players}

    def player(self, name: str) -> Player:
        "A player by name."
        return self.players[self.number[name] - 1]

    @property
    def pauses(self) -> list[Event]:
        "When the clock stood still."
        return [event for event in self.events if "pause" in event]

    def recorded(self, clock: float) -> float:
        "The second of the recording at which the clock shows a time."
        return clock + self.told["recording"] + sum(event["pause"] for event in self.pauses if event["second"] < clock)

    def wall(self, clock: float) -> datetime:
        "When the clock showed a time."
        return self.started + timedelta(seconds=clock + sum(event["pause"] for event in self.pauses if event["second"] < clock))

    def tally(self, clock: float) -> Tally:
        "What was counted before a moment."
        before = self.told.get("before", {})
        kda = {player.name: list(before.get("kda", {}).get(player.name, (0, 0, 0))) for player in self.players}
        nothing = {"towers": 0, "inhibitors": 0, "dragons": [], "barons": 0}
        teams = {side: {key: list(value) if isinstance(value, list) else value for key, value in before.get(side, nothing).items()} for side in TEAM_IDS}
        for event in self.events:
            if event["second"] < clock:
                count(event, kda, teams, self)
        return Tally(kda, teams)

    def kills(self, side: str, clock: float) -> int:
        "A side's kills before a moment."
        kda = self.tally(clock).kda
        return sum(kda[player.name][0] for player in self.players if player.side == side)

    def team_gold(self, side: str, clock: float) -> float:
        "A side's gold, in straight lines between the minutes."
        rows = self.told["gold"][side]
        at = min((clock - self.first // 60 * 60) / 60, len(rows) - 1.0)
        return rows[int(at)] + (at % 1) * (rows[min(int(at) + 1, len(rows) - 1)] - rows[int(at)])

    def gold(self, clock: float) -> dict[str, int]:
        "Every player's gold; together a side's."
        found = {}
        for side in TEAM_IDS:
            own, total = [player for player in self.players if player.side == side], round(self.team_gold(side, clock))
            found |= {player.name: round(SHARES[player.role] * total) for player in own[:-1]}
            found[own[-1].name] = total - sum(found[player.name] for player in own[:-1])
        return found

    def creeps(self, player: Player, clock: float) -> int:
        "Minions and monsters killed."
        return round(CREEPS[player.role] * max(0.0, clock - 65) / 60)


def count(event: Event, kda: dict[str, list[int]], teams: dict[str, dict[str, Any]], game: Game) -> None:
    "Add an event to what is counted."
    if "kill" in event:
        for at, names in enumerate(([event["by"]], [event["kill"]], event.get("with", []))):
            for name in names:
                kda[name][at] += 1
    elif "turret" in event or "inhibitor" in event:
        teams[OTHER[event["of"]]]["towers" if "turret" in event else "inhibitors"] += 1
    elif "monster" in event:
        kind, team = event["monster"].split(), teams[game.player(event["by"]).side]
        if kind[-1] == "dragon":
            team["dragons"].append(kind[0])
        team["barons"] += kind[-1] == "baron"


def level_seconds(player: Player) -> list[float]:  # for level 1, 2, …
    "When a player reaches each level."
    late = 3 if player.side == "red" else 0
    return [0.0] + [round(30 + late + LEVEL_SECONDS[player.role] * step ** 1.1, 1) for step in range(1, 18)]


def level(player: Player, clock: float) -> int:
    "A player's level."
    return sum(second <= clock for second in level_seconds(player))


def respawn(player: Player, clock: float) -> float:
    "Seconds until a player who dies is back."
    return 8.0 + 2.0 * level(player, clock)


def games(source: Path) -> list[Game]:
    "The games of the script."
    script = read_source(source / "match.yaml")
    return [Game(script, told) for told in script["games"]]


# --- places --------------------------------------------------------------------------------------

BASES: dict[str, Point] = {"blue": (700, 700), "red": (14200, 14200)}
PITS: dict[str, Point] = {"dragon": (9866, 4414), "baron": (5007, 10471), "herald": (5007, 10471), "grub": (5007, 10471)}
TURRETS: dict[str, dict[str, Point]] = {
    "blue": {"top outer": (981, 10441), "top inner": (1512, 6699), "top base": (1169, 4287), "mid outer": (5846, 6396), "mid inner": (5048, 4812), "mid base": (3651, 3696),
             "bot outer": (10504, 1029), "bot inner": (6919, 1483), "bot base": (4281, 1253), "mid nexus": (1958, 2040)},
    "red": {"top outer": (4318, 13875), "top inner": (7943, 13411), "top base": (10481, 13650), "mid outer": (8955, 8510), "mid inner": (9767, 10113), "mid base": (11134, 11207),
            "bot outer": (13866, 4505), "bot inner": (13327, 8226), "bot base": (13624, 10572), "mid nexus": (12830, 12850)}}
INHIBITORS: dict[str, dict[str, Point]] = {"blue": {"top": (1171, 3571), "mid": (3203, 3208), "bot": (3452, 1236)}, "red": {"top": (11261, 13676), "mid": (11598, 11667), "bot": (13604, 11316)}}
LANES: dict[str, dict[str, Point]] = {"blue": {"top": (1500, 12300), "mid": (6900, 7000), "bot": (11900, 1700), "support": (12400, 2300)},
                                      "red": {"top": (2500, 13500), "mid": (7900, 8000), "bot": (13300, 3000), "support": (12800, 2200)}}
CAMPS: dict[str, list[Point]] = {"blue": [(3800, 7900), (2200, 8400), (6900, 5400), (7700, 4000), (8400, 2700)], "red": [(11000, 7000), (12700, 6400), (8000, 9500), (7100, 10800), (6400, 12200)]}


def place_of(event: Event, script: dict[str, Any]) -> Point:
    "Where an event happens."
    if "near" in event:
        return tuple(script["places"][event["near"]])
    if "monster" in event:
        return PITS[event["monster"].split()[-1]]
    if "inhibitor" in event:
        return INHIBITORS[event["of"]][event["inhibitor"]]
    return TURRETS[event["of"]][event.get("turret") or f"{event['plate']} outer"]


def standing(player: Player, clock: float) -> Point:
    "Where a player is when nothing calls: in the lane, or from camp to camp."
    if player.role == "jungle":
        camps, (stop, walked) = CAMPS[player.side], divmod(clock / 26, 1)
        there_and_back = [*camps, *camps[-2:0:-1]]
        return at_time([(at, *there_and_back[int(stop + at) % len(there_and_back)]) for at in (0, 1)], max(0.0, walked * 2.6 - 1.6))
    x, y = LANES[player.side][player.role]
    swing = math.sin(clock / 7 + player.number * 1.7)
    return x + 420 * swing, y + 420 * math.cos(clock / 9 + player.number)


def _deaths(game: Game, player: Player) -> list[float]:
    return [event["second"] for event in game.events if event.get("kill") == player.name]


def away(game: Game, player: Player, clock: float) -> bool:
    "Whether a player is dead."
    return any(death <= clock < death + respawn(player, death) for death in _deaths(game, player))


def _busy(game: Game, player: Player, calls: list[Event]) -> list[tuple[float, float]]:
    "From when to when a player is called away from the usual places; between two calls close to each other nobody goes back."
    spans = [(event["second"] - 16, event["second"] + 16) for event in calls]
    joined = [(first[1], second[0]) for first, second in zip(spans, spans[1:]) if second[0] - first[1] < 12]
    return spans + joined + [(death, death + respawn(player, death) + 20) for death in _deaths(game, player)]


def way_of(game: Game, player: Player) -> list[tuple[float, float, float]]:
    "A player's track through the game."
    calls = [event for event in game.events if player.name in (event.get("kill"), event.get("by"), *event.get("with", []))]
    dead, busy = [(death, death + respawn(player, death)) for death in _deaths(game, player)], _busy(game, player, calls)
    around = 2 * math.pi * player.number / 10
    rows = [(float(clock), *standing(player, clock)) for clock in range(max(60, int(game.first)), int(game.end) + 10, 4) if not any(start <= clock <= end for start, end in busy)]
    for event in calls:
        x, y = place_of(event, game.script)
        x, y = x + 1000 * math.cos(around), y + 1000 * math.sin(around)
        rows += [(event["second"] - 2.0, x, y), (event["second"] + 2.0, x + 120, y - 90)]
    rows += [(end, *BASES[player.side]) for _, end in dead]
    rows += [] if game.first else [(0.0, *BASES[player.side]), (15.0, *BASES[player.side])]
    return sorted(row for row in rows if not any(start < row[0] < end for start, end in dead))


# --- Match-V5 ------------------------------------------------------------------------------------

MONSTERS = {"baron": "BARON_NASHOR", "herald": "RIFTHERALD", "grub": "HORDE"}
DRAGONS = {"infernal": "FIRE_DRAGON", "cloud": "AIR_DRAGON", "mountain": "EARTH_DRAGON", "ocean": "WATER_DRAGON", "hextech": "HEXTECH_DRAGON", "chemtech": "CHEMTECH_DRAGON"}


def _at(event: Event, game: Game) -> dict[str, Any]:
    "What all of Riot's events of a script's event share."
    x, y = place_of(event, game.script)
    helpers = {"assistingParticipantIds": [game.number[name] for name in event["with"]]} if event.get("with") else {}
    return helpers | {"killerId": game.number[event["by"]], "position": {"x": round(x), "y": round(y)}, "timestamp": round(event["second"] * 1000)}


def _kill(event: Event, game: Game) -> list[Event]:
    "A kill, and what was special about it."
    shared, killer, second = _at(event, game), game.player(event["by"]), event["second"]
    kills = [other for other in game.events if "kill" in other and other["second"] <= second]
    chain = [other for other in kills if other["by"] == event["by"]]
    length = 1
    while length < len(chain) and chain[-length]["second"] - chain[-length - 1]["second"] <= 10:
        length += 1
    special = [{"killType": "KILL_FIRST_BLOOD"}] * (len(kills) == 1) + [{"killType": "KILL_MULTI", "multiKillLength": length}] * (length > 1)
    special += [{"killType": "KILL_ACE"}] * all(away(game, player, second) for player in game.players if player.side != killer.side)
    plain = {key: shared[key] for key in ("killerId", "position", "timestamp")}
    return [{**shared, "victimId": game.number[event["kill"]], "type": "CHAMPION_KILL"}, *({**words, **plain, "type": "CHAMPION_SPECIAL_KILL"} for words in special)]


def riot_events(event: Event, game: Game) -> list[Event]:
    "A script's event as the timeline has it."
    if "kill" in event:
        return _kill(event, game)
    if "pause" in event:
        stamp, wall = round(event["second"] * 1000), round(game.wall(event["second"]).timestamp() * 1000)
        return [{"realTimestamp": wall + 1000 * after, "timestamp": stamp, "type": kind} for kind, after in (("PAUSE_START", 0), ("PAUSE_END", event["pause"]))]
    shared = _at(event, game)
    if "monster" in event:
        kind, team = event["monster"].split(), {"killerTeamId": TEAM_IDS[game.player(event["by"]).side]}
        names = {"monsterSubType": DRAGONS[kind[0]], "monsterType": "DRAGON"} if kind[-1] == "dragon" else {"monsterType": MONSTERS[kind[-1]]}
        return [{**shared, **team, **names, "type": "ELITE_MONSTER_KILL"}]
    lane, *tower = (event.get("turret") or event.get("inhibitor") or event["plate"]).split()
    where = {"laneType": f"{lane.upper()}_LANE", "teamId": TEAM_IDS[event["of"]]}
    if "plate" in event:
        return [{**shared, **where, "type": "TURRET_PLATE_DESTROYED"}]
    kind = {"buildingType": "TOWER_BUILDING", "towerType": f"{tower[0].upper()}_TURRET"} if tower else {"buildingType": "INHIBITOR_BUILDING"}
    return [{**shared, **where, **kind, "type": "BUILDING_KILL"}]


def _timeline_events(game: Game) -> list[Event]:
    "All events of a game."
    found = [{"realTimestamp": round(game.started.timestamp() * 1000), "timestamp": 0, "type": "PAUSE_END"}]
    found += [row for event in game.events for row in riot_events(event, game)]
    found += [{"level": at, "participantId": player.number, "timestamp": round(second * 1000), "type": "LEVEL_UP"}
              for player in game.players for at, second in enumerate(level_seconds(player), 1) if at > 1 and second < game.end]
    found.append({"gameId": int(game.told["id"].split("_")[1]), "realTimestamp": round(game.wall(game.end).timestamp() * 1000), "timestamp": round(game.end * 1000), "type": "GAME_END",
                  "winningTeam": TEAM_IDS[game.told["winner"]]})
    return sorted(found, key=lambda row: row["timestamp"])


def timeline(game: Game) -> dict[str, Any]:
    "The timeline, with the fields that matter here."
    events, ways, frames, before = _timeline_events(game), {player.name: way_of(game, player) for player in game.players}, [], -1
    for clock in [*range(0, int(game.end), 60), game.end]:
        stamp = round(clock * 1000 + (clock < game.end) * clock // 60 * 7)  # frames drift a little, as real ones do
        gold, people = game.gold(clock), {}
        for player in game.players:
            x, y = at_time(ways[player.name], clock)
            jungle = player.role == "jungle"
            people[str(player.number)] = {"jungleMinionsKilled": game.creeps(player, clock) * jungle, "level": level(player, clock), "minionsKilled": game.creeps(player, clock) * (not jungle),
                                          "participantId": player.number, "position": {"x": round(x), "y": round(y)}, "totalGold": gold[player.name]}
        frames.append({"events": [row for row in events if before < row["timestamp"] <= stamp], "participantFrames": people, "timestamp": stamp})
        before = stamp
    people = [{"participantId": player.number, "puuid": f"simulated-{player.name}"} for player in game.players]
    return {"metadata": {"dataVersion": "2", "matchId": game.told["id"], "participants": [one["puuid"] for one in people]},
            "info": {"frameInterval": 60000, "gameId": int(game.told["id"].split("_")[1]), "participants": people, "frames": frames}, "note": NOTE, "simulated": True}


def _participant(game: Game, player: Player) -> dict[str, Any]:
    kills, deaths, assists = game.tally(game.end).kda[player.name]
    position = {"jungle": "JUNGLE", "mid": "MIDDLE", "bot": "BOTTOM", "support": "UTILITY"}.get(player.role, "TOP")
    return {"participantId": player.number, "teamId": TEAM_IDS[player.side], "puuid": f"simulated-{player.name}", "riotIdGameName": f"{player.tag} {player.name}", "championName": player.champion,
            "teamPosition": position, "champLevel": level(player, game.end), "kills": kills, "deaths": deaths, "assists": assists, "goldEarned": game.gold(game.end)[player.name],
            "gameEndedInEarlySurrender": False, "win": player.side == game.told["winner"]}


def match(game: Game) -> dict[str, Any]:
    "The match file, with the fields that matter here."
    milliseconds = lambda moment: round(moment.timestamp() * 1000)
    platform, number = game.told["id"].split("_")
    objectives = {side: {"baron": {"kills": team["barons"]}, "champion": {"kills": game.kills(side, game.end)}, "dragon": {"kills": len(team["dragons"])},
                         "inhibitor": {"kills": team["inhibitors"]}, "tower": {"kills": team["towers"]}} for side, team in game.tally(game.end).teams.items()}
    info = {"gameCreation": milliseconds(game.started - timedelta(seconds=90)), "gameDuration": round(game.end), "gameEndTimestamp": milliseconds(game.wall(game.end)), "gameId": int(number),
            "gameMode": "CLASSIC", "gameStartTimestamp": milliseconds(game.started), "gameType": "CUSTOM_GAME", "gameVersion": game.script["patch"], "mapId": 11, "platformId": platform,
            "participants": [_participant(game, player) for player in game.players],
            "teams": [{"objectives": objectives[side], "teamId": TEAM_IDS[side], "win": side == game.told["winner"]} for side in TEAM_IDS]}
    people = [f"simulated-{player.name}" for player in game.players]
    return {"metadata": {"dataVersion": "2", "matchId": game.told["id"], "participants": people}, "info": info, "note": NOTE, "simulated": True}


# --- LoL Esports ---------------------------------------------------------------------------------

FEED_STEP = 10  # seconds from one frame to the next; the feed itself has a frame a second
ITEMS = {"top": [3068, 3047, 3075], "jungle": [3071, 3111, 3053], "mid": [6655, 3020, 3157], "bot": [6672, 3006, 3031], "support": [3190, 3117, 3109]}


def _stamp(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%S}.000Z"


def _figures(game: Game, player: Player, clock: float, tally: Tally) -> dict[str, Any]:
    kills, deaths, assists = tally.kda[player.name]
    most = 600 + 105 * level(player, clock)
    fights = any(player.name in (event.get("by"), *event.get("with", [])) and 0 <= clock - event["second"] < 12 for event in game.events if "kill" in event)
    health = 0 if away(game, player, clock) else most * (3 + player.number % 4) // 10 if fights else most
    return {"participantId": player.number, "totalGold": game.gold(clock)[player.name], "level": level(player, clock), "kills": kills, "deaths": deaths, "assists": assists,
            "creepScore": game.creeps(player, clock), "currentHealth": health, "maxHealth": most}


def frame(game: Game, clock: float) -> dict[str, Any]:
    "A frame of the live feed."
    tally, teams = game.tally(clock + 0.5), {}
    for side, team in tally.teams.items():
        people = [_figures(game, player, clock, tally) for player in game.players if player.side == side]
        teams[f"{side}Team"] = {"totalGold": sum(one["totalGold"] for one in people), "inhibitors": team["inhibitors"], "towers": team["towers"], "barons": team["barons"],
                                "totalKills": sum(one["kills"] for one in people), "dragons": team["dragons"], "participants": people}
    return {"rfc460Timestamp": _stamp(game.wall(clock)), "gameState": "finished" if clock >= game.end else "in_game"} | teams


def metadata(game: Game) -> dict[str, Any]:
    "The line-ups as every window repeats them."
    sides = {f"{side}TeamMetadata": {"esportsTeamId": game.script["teams"][game.told[side]]["id"], "participantMetadata": [
        {"participantId": player.number, "summonerName": f"{player.tag} {player.name}", "championId": player.champion, "role": {"bot": "bottom"}.get(player.role, player.role)}
        for player in game.players if player.side == side]} for side in TEAM_IDS}
    return {"patchVersion": game.script["patch"], **sides}


def windows(game: Game) -> dict[str, dict[str, Any]]:
    "The saved windows of the live feed, by file name."
    clocks = [*range(int(game.first), int(game.end), FEED_STEP), game.end]
    found = {}
    for start in range(int(game.first), int(game.end) + 1, WINDOW):
        frames = [frame(game, clock) for clock in clocks if start <= clock < start + WINDOW]
        found[f"window_{game.wall(start):%Y%m%dT%H%M%SZ}.json"] = {"esportsGameId": game.told["id"], "esportsMatchId": game.script["match"], "gameMetadata": metadata(game), "frames": frames,
                                                                   "note": NOTE, "simulated": True}
    return found


def details(game: Game) -> dict[str, Any]:
    "Items at the beginning and a minute later."
    rows = [{"rfc460Timestamp": _stamp(game.wall(clock)), "participants": [
        {"participantId": player.number, "level": level(player, clock), "items": ITEMS[player.role][:2 + (clock > game.first and player.side == "blue")]} for player in game.players]}
        for clock in (game.first, game.first + 60)]
    return {"frames": rows, "note": NOTE, "simulated": True}


def catalogue(script: dict[str, Any]) -> dict[str, Any]:
    "The event as LoL Esports' catalogue tells it."
    teams = [{"id": team["id"], "name": name, "code": team["tag"]} for name, team in script["teams"].items()]
    numbered = [{"number": game["number"], "id": game["id"].split("_")[-1], "state": "completed"} for game in script["games"]]
    event = {"id": script["match"], "type": "match", "league": {"name": script["event"]}, "match": {"teams": teams, "games": numbered}}
    return {"data": {"event": event}, "note": NOTE, "simulated": True}


# --- subtitles -----------------------------------------------------------------------------------

def cues(game: Game) -> list[tuple[float, float, str, str]]:  # from, to (seconds of the recording), who, text
    "The subtitles."
    found = []
    for cue in game.told["said"]:
        start = game.recorded(seconds_of(cue["at"])) + cue.get("paused", 0)
        found.append((start, start + cue["for"], cue.get("who", ""), cue["text"]))
    return sorted(found)


def _time(second: float, mark: str) -> str:
    return f"{int(second) // 3600:02}:{int(second) // 60 % 60:02}:{int(second) % 60:02}{mark}{round(second % 1 * 1000):03}"


def _wrapped(text: str) -> str:
    return "\n".join(row for line in text.split("\n") for row in textwrap.wrap(line, 46))


def srt(game: Game) -> str:
    "The subtitles as SubRip."
    return "\n".join(f"{number}\n{_time(start, ',')} --> {_time(end, ',')}\n{_wrapped(text)}\n" for number, (start, end, _, text) in enumerate(cues(game), 1))


def vtt(game: Game) -> str:
    "The subtitles as WebVTT, with the casters' names."
    blocks = [f"{_time(start, '.')} --> {_time(end, '.')}\n<v {who}>{_wrapped(text)}" for start, end, who, text in cues(game)]
    return "\n\n".join(["WEBVTT\nLanguage: en", f"NOTE {NOTE}", *blocks]) + "\n"


# --- files ---------------------------------------------------------------------------------------

def _folder(game: Game) -> str:
    return f"game{game.told['number']}/"


def _texts_of(game: Game) -> dict[str, str]:
    name, folder = game.told["id"], _folder(game)
    if game.told["source"] == "match-v5":
        return {f"{folder}{name}.json": as_json(match(game)), f"{folder}{name}_timeline.json": as_json(timeline(game)), f"{folder}{name}.srt": srt(game)}
    feed = {f"{folder}{file}": as_json(window) for file, window in windows(game).items()}
    saved = sorted(windows(game))
    walk = {"game_id": name, "ended": "finished", "windows": len(saved), "first": saved[0], "last": saved[-1], "note": NOTE}
    return feed | {f"{folder}details_{game.wall(game.first):%Y%m%dT%H%M%SZ}.json": as_json(details(game)), f"{folder}walk.json": as_json(walk), f"{folder}{name}.vtt": vtt(game)}


def texts(source: Path) -> dict[str, str]:
    "The sample's text files."
    found = [text for game in games(source) for text in _texts_of(game).items()]
    script = read_source(source / "match.yaml")
    offsets = {game.told["id"]: {"vod_offset_s": game.told["recording"]} | ({"start": _stamp(game.started)} if game.told["source"] == "lolesports" else {}) for game in games(source)}
    return dict(found) | {f"catalogue/getEventDetails_{script['match']}.json": as_json(catalogue(script)), "offsets.json": as_json(offsets)}


# --- clips ---------------------------------------------------------------------------------------

SPEED = 3  # seconds of the game in a second of a clip
SPAN = HEIGHT - BANNER  # pixels of the map's side
GROUND, LANE, WATER, INK = (36, 52, 40), (86, 84, 70), (38, 66, 92), (205, 210, 205)
SIDES: dict[str, Colour] = {"blue": (84, 148, 245), "red": (236, 88, 78)}


def _pixel(x: float, y: float) -> Point:
    return 3 + x / 15000 * (SPAN - 6), HEIGHT - 3 - y / 15000 * (SPAN - 6)


def _line(pen: ImageDraw.ImageDraw, points: list[Point], colour: Colour, width: int) -> None:
    pen.line([_pixel(*point) for point in points], fill=colour, width=width)


def _building(pen: ImageDraw.ImageDraw, place: Point, colour: Colour, size: int) -> None:
    x, y = map(round, _pixel(*place))
    pen.rectangle((x - size, y - size, x + size, y + size), outline=colour)


def map_at(game: Game, clock: float) -> Image.Image:
    "The map with what still stands."
    image, pen = blank((22, 24, 30))
    pen.rectangle((0, BANNER, SPAN, HEIGHT), fill=GROUND)
    _line(pen, [(1200, 13800), (4700, 10000), (7500, 7500), (10000, 4800), (13800, 1200)], WATER, 9)
    for lane in ([(900, 900), (1000, 12000), (2800, 14000), (14100, 14100)], [(900, 900), (14100, 14100)], [(900, 900), (12000, 1000), (14000, 2800), (14100, 14100)]):
        _line(pen, lane, LANE, 4)
    fallen = {(event["of"], event.get("turret") or f"inhibitor {event['inhibitor']}") for event in game.events if ("turret" in event or "inhibitor" in event) and event["second"] <= clock
              and event.get("turret") != "mid nexus"}
    for side, colour in SIDES.items():
        for name, place in TURRETS[side].items():
            if (side, name) not in fallen:
                _building(pen, place, colour, 1)
        for name, place in INHIBITORS[side].items():
            if (side, f"inhibitor {name}") not in fallen:
                dot(pen, *_pixel(*place), GROUND, 2, edge=colour)
        dot(pen, *_pixel(*{"blue": (1600, 1600), "red": (13400, 13400)}[side]), GROUND, 4, edge=colour)
    return image


def _spoken(champion: str) -> str:
    "A champion's name as people write it."
    return {"Kaisa": "Kai'Sa", "KSante": "K'Sante"}.get(champion) or re.sub(r"(?<=[a-z])(?=[A-Z])", " ", champion)


def line_of(event: Event, game: Game) -> tuple[str, Colour]:
    "An event in a few letters, and its side's colour."
    if "pause" in event:
        return "pause", INK
    by = game.player(event["by"])
    what = event.get("kill") or event.get("monster") or (f"{event['plate']} plate" if "plate" in event else f"{event['turret']} turret" if "turret" in event else f"{event['inhibitor']} inhibitor")
    return f"{clock_of(event['second'])} {by.name} > {what}", SIDES[by.side]


def _panel(pen: ImageDraw.ImageDraw, game: Game, clock: float) -> None:
    "What stands beside the map: gold, towers and dragons, who is who, and what just happened."
    left, tally = SPAN + 6, game.tally(clock + 0.01)
    for side, x in (("blue", left), ("red", left + 76)):
        team, colour = tally.teams[side], SIDES[side]
        label(pen, x, 22, f"{game.team_gold(side, clock) / 1000:.1f}k gold", colour, anchor="lm")
        label(pen, x, 33, f"{team['towers']} towers {len(team['dragons'])} drakes", colour, 8, anchor="lm")
        for row, player in enumerate(player for player in game.players if player.side == side):
            label(pen, x, 48 + 19 * row, f"{player.role[0].upper()} {player.name}", (110, 110, 110) if away(game, player, clock) else INK, anchor="lm")
            label(pen, x + 9, 57 + 19 * row, _spoken(player.champion), colour, 8, anchor="lm")
    recent = [event for event in game.events if clock - 30 <= event["second"] <= clock][-3:]
    for row, event in enumerate(recent):
        text, colour = line_of(event, game)
        label(pen, left, 148 + 10 * row, text, colour, 8, anchor="lm")


def clip_of(game: Game, start: int) -> Clip:
    "The clip of a window, three times as fast as the game."
    ways = {player.name: way_of(game, player) for player in game.players}
    end = min(start + WINDOW, game.end)
    tags = [game.script["teams"][game.told[side]]["tag"] for side in TEAM_IDS]

    def picture(after: float) -> Image.Image:
        clock = start + SPEED * after
        image = map_at(game, clock)
        pen = ImageDraw.Draw(image)
        for player in game.players:
            if not away(game, player, clock):
                x, y = _pixel(*at_time(ways[player.name], clock))
                dot(pen, x, y, SIDES[player.side], 4, edge=(12, 12, 12))
                label(pen, x + 0.5, y, player.role[0].upper(), (0, 0, 0), 8)
        _panel(pen, game, clock)
        banner(pen, f"{clock_of(clock)}  x{SPEED}", f"{tags[0]} {game.kills('blue', clock + 0.01)} - {game.kills('red', clock + 0.01)} {tags[1]}")
        return image
    return Clip(f"{_folder(game)}clips/{game.told['id']}-{start:05d}.mp4", round((end - start) / SPEED, 1), picture, quality=35)


def spoken_windows(game: Game) -> list[int]:  # their first seconds
    "The windows in which something is said for longer than an exclamation."
    said = [(seconds_of(cue["at"]), cue["for"]) for cue in game.told["said"] if "paused" not in cue]
    return sorted({int(start // WINDOW) * WINDOW for start, length in said if length >= 8 and game.first <= start < game.end})


def clips(source: Path) -> list[Clip]:
    "The clips of all windows with commentary."
    return [clip_of(game, start) for game in games(source) for start in spoken_windows(game)]


if __name__ == "__main__":
    main("lol", texts, clips)
