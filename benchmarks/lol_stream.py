"""Memory and throughput of League of Legends' collector over a folder of Match-V5 games.

    python benchmarks/lol_stream.py [--games 10000] [--sample 60] [--repeats 5] [--lines] [--where FOLDER]

Games are invented and of Riot's size: ten players, a frame a minute with every field, some 1,600 events, about 0.9 MB for match and timeline, subtitles every four seconds. They are written
into a temporary folder first (10,000 games take about 9 GB; it is removed at the end); with --lines into one JSON Lines file, all matches before all timelines. A process of its own collects
them and tells the peak of its resident memory; 300 MB is the most that is wanted. Throughput is measured on --sample games, with the files in the cache: processor seconds of reading the files (json.load
of matches and timelines, and the same with the subtitles parsed) against seconds of collecting them, in turn; printed are the medians of the paired ratios.
"""
import argparse
import json
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from gamecommbench.collect.lol import collect_lol
from gamecommbench.collect.subtitles import read_subtitles
from gamecommbench.pieces import Piece

ID, MINUTES = "XX1_0000000000", 30
CHAMPIONS = ("KSante", "MasterYi", "Ahri", "Jhin", "Zyra", "Camille", "LeeSin", "Viktor", "Kaisa", "Rakan")
ROLES = ("TOP", "JUNGLE", "MIDDLE", "BOTTOM", "UTILITY")
STATS = ("abilityHaste abilityPower armor armorPen armorPenPercent attackDamage attackSpeed bonusArmorPenPercent bonusMagicPenPercent ccReduction cooldownReduction health healthMax healthRegen "
         "lifesteal magicPen magicPenPercent magicResist movementSpeed omnivamp physicalVamp power powerMax powerRegen spellVamp").split()
DAMAGE = [f"{kind}Damage{what}" for kind in ("magic", "physical", "total", "true") for what in ("Done", "DoneToChampions", "Taken")]


def match_text(chance: random.Random) -> str:
    "A match file; some hundred fields a player."
    people = [{"participantId": n + 1, "teamId": 100 if n < 5 else 200, "riotIdGameName": f"Player {n}", "championName": CHAMPIONS[n], "teamPosition": ROLES[n % 5], "kills": chance.randint(0, 12),
               "gameEndedInEarlySurrender": False, **{f"figure{k}": chance.randint(0, 99999) for k in range(120)}} for n in range(10)]
    return json.dumps({"metadata": {"dataVersion": "2", "matchId": ID, "participants": ["p" * 78] * 10}, "info": {
        "gameCreation": 1700000000000, "gameDuration": MINUTES * 60, "gameEndTimestamp": 1700001800000, "gameMode": "CLASSIC", "gameVersion": "14.3.1.9", "participants": people,
        "teams": [{"teamId": 100, "win": True}, {"teamId": 200, "win": False}]}}, separators=(",", ":"))


def event(chance: random.Random, stamp: int) -> dict:
    "One of a timeline's events, kinds in a real game's proportions."
    kind = chance.choices(("ITEM_PURCHASED", "SKILL_LEVEL_UP", "WARD_PLACED", "LEVEL_UP", "ITEM_DESTROYED", "CHAMPION_KILL", "BUILDING_KILL", "ELITE_MONSTER_KILL"), (30, 20, 20, 18, 20, 5, 1, 1))[0]
    killer, victim = chance.randint(1, 5), chance.randint(6, 10)
    hits = [{"basic": False, "magicDamage": chance.randint(0, 500), "name": "Ahri", "participantId": killer, "physicalDamage": 3, "spellName": "ahriq", "spellSlot": 0, "trueDamage": 0, "type": "OTHER"}
            for _ in range(12)] if kind == "CHAMPION_KILL" else []
    more = {"CHAMPION_KILL": {"killerId": killer, "victimId": victim, "assistingParticipantIds": [1], "victimDamageDealt": hits, "victimDamageReceived": hits},
            "BUILDING_KILL": {"killerId": killer, "teamId": 200, "buildingType": "TOWER_BUILDING", "towerType": "OUTER_TURRET", "laneType": "TOP_LANE"},
            "ELITE_MONSTER_KILL": {"killerId": killer, "killerTeamId": 100, "monsterType": "DRAGON", "monsterSubType": "FIRE_DRAGON"}}
    return {"type": kind, "timestamp": stamp, "participantId": killer, "level": 1 + stamp // 120000, "itemId": 3078, **more.get(kind, {})}


def timeline_text(chance: random.Random) -> str:
    "A timeline file."
    frames = []
    for minute in range(MINUTES + 1):
        people = {str(n): {"championStats": {name: chance.randint(0, 999) for name in STATS}, "currentGold": 300, "damageStats": {name: chance.randint(0, 99999) for name in DAMAGE},
                           "goldPerSecond": 0, "jungleMinionsKilled": minute, "level": 1 + minute // 2, "minionsKilled": minute * 6, "participantId": n, "position": {"x": 5000, "y": 5000},
                           "timeEnemySpentControlled": 9, "totalGold": 500 + minute * 400, "xp": minute * 500} for n in range(1, 11)}
        stamps = sorted(chance.randint((minute - 1) * 60000, minute * 60000) for _ in range(54 if minute else 0))
        frames.append({"events": [event(chance, stamp) for stamp in stamps], "participantFrames": people, "timestamp": minute * 60000 + minute * 20})
    return json.dumps({"metadata": {"dataVersion": "2", "matchId": ID, "participants": ["p" * 78] * 10}, "info": {"frameInterval": 60000, "frames": frames, "gameId": 0}}, separators=(",", ":"))


def subtitles() -> str:
    def stamp(second: int) -> str:
        return f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02},000"
    return "\n".join(f"{at}\n{stamp(at)} --> {stamp(at + 3)}\nThey group in the river and look for number {at}.\n" for at in range(1, MINUTES * 60, 4))


def write_games(folder: Path, n_games: int, lines: bool) -> None:
    "That many games, copies of ten under ids of their own."
    chance = random.Random(7)
    templates = [(match_text(chance), timeline_text(chance)) for _ in range(min(10, n_games))]
    said, names = subtitles(), [f"XX1_{number + 1:010}" for number in range(n_games)]
    for number, name in enumerate(names):
        place = folder / f"{number // 1000:03}"
        place.mkdir(exist_ok=True)
        (place / f"{name}.srt").write_text(said, encoding="utf-8")
        if not lines:
            for text, ending in zip(templates[number % len(templates)], ("", "_timeline")):
                (place / f"{name}{ending}.json").write_text(text.replace(ID, name, 1), encoding="utf-8")
    if lines:
        with open(folder / "games.jsonl", "w", encoding="utf-8") as file:
            for which in (0, 1):
                file.writelines(templates[number % len(templates)][which].replace(ID, name, 1) + "\n" for number, name in enumerate(names))


def collect(folder: Path) -> tuple[int, int, float]:
    "Pieces, rejects, seconds of processor time."
    start, counts = time.process_time(), [0, 0]
    for item in collect_lol([folder], folder / "out"):
        counts[not isinstance(item, Piece)] += 1
    return *counts, time.process_time() - start


def load(folder: Path) -> tuple[float, float]:
    "Seconds of json.load over the matches and timelines, and of that with parsing the subtitles."
    start = time.process_time()
    for path in sorted(folder.rglob("*.json")):
        with open(path, encoding="utf-8") as file:
            json.load(file)
    loaded = time.process_time() - start
    for path in sorted(folder.rglob("*.srt")):
        read_subtitles(path)
    return loaded, time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=10000)
    parser.add_argument("--sample", type=int, default=60)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--lines", action="store_true", help="one JSON Lines file instead of a folder of files")
    parser.add_argument("--where", type=Path, help="where the games are written, instead of the system's temporary folder")
    parser.add_argument("--collect", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.collect:
        pieces, rejects, seconds = collect(options.collect)
        print(f"{pieces} pieces, {rejects} rejects in {seconds:.0f} s; peak of resident memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
        return
    folder = Path(tempfile.mkdtemp(dir=options.where))
    try:
        (folder / "sample").mkdir()
        write_games(folder / "sample", options.sample, lines=False)
        times = [(*load(folder / "sample"), collect(folder / "sample")[2]) for _ in range(options.repeats)]
        for name, at in (("json.load", 0), ("json.load with subtitles parsed", 1)):
            ratios = [one[at] / one[2] for one in times]
            print(f"throughput {statistics.median(ratios):.2f} of {name} (median of {options.repeats}, {min(ratios):.2f} to {max(ratios):.2f}; {options.sample} games)", flush=True)
        shutil.rmtree(folder / "sample")
        write_games(folder, options.games, options.lines)
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e9
        print(f"{options.games} games, {size:.1f} GB: ", end="", flush=True)
        subprocess.run([sys.executable, __file__, "--collect", str(folder)], check=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
