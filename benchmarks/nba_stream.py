"""Memory and time of reading many NBA games, against bare `json.load` of the same games.

    python benchmarks/nba_stream.py [--games 10000] [--compare 300] [--form folder]

Writes play-by-play of its own (v2, some 550 rows and 150 kB a game): one file a game (`folder`), a game a line (`lines`) or one list (`list`). Then, each in a process of its own so that the
peak is its own: `stream` reads all games typed, `collect` makes a clip of each game with `collect_basketball`, `load` is `json.load` of everything at once, for `--compare` games only since
it takes about ten times the file's size. Prints peak memory, megabytes a second, and how often as long as `json.load` the stream takes for the same games. Wanted: under 300 MB for 10,000 games.
"""
import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

COLUMNS = ("GAME_ID EVENTNUM EVENTMSGTYPE EVENTMSGACTIONTYPE PERIOD WCTIMESTRING PCTIMESTRING HOMEDESCRIPTION NEUTRALDESCRIPTION VISITORDESCRIPTION SCORE SCOREMARGIN PERSON1TYPE PLAYER1_ID "
           "PLAYER1_NAME PLAYER1_TEAM_ID PLAYER1_TEAM_CITY PLAYER1_TEAM_NICKNAME PLAYER1_TEAM_ABBREVIATION PERSON2TYPE PLAYER2_ID PLAYER2_NAME PLAYER2_TEAM_ID PLAYER2_TEAM_CITY "
           "PLAYER2_TEAM_NICKNAME PLAYER2_TEAM_ABBREVIATION PERSON3TYPE PLAYER3_ID PLAYER3_NAME PLAYER3_TEAM_ID PLAYER3_TEAM_CITY PLAYER3_TEAM_NICKNAME PLAYER3_TEAM_ABBREVIATION VIDEO_AVAILABLE_FLAG").split()
ID = "0029900000"  # replaced game by game


def row_written(chance: random.Random, number: int, score: list[int]) -> list[object]:
    "One row of a made-up game."
    side, kind = chance.randrange(2), chance.choice([1, 1, 2, 2, 3, 4, 4, 5, 6, 8])
    team = [[1, "Alfa", "Aces", "ALF"], [2, "Beta", "Bees", "BET"]][side]
    player = chance.randrange(10)
    score[side] += 2 * (kind == 1)
    text = f"{'MISS ' * (kind == 2)}Player{player} {chance.randrange(1, 28)}' Driving Layup Shot ({chance.randrange(30)} PTS)"
    left = max(0, 720 - number % 137 * 5)
    said = [text, None, None] if side == 0 else [None, None, text]
    scored = [f"{score[1]} - {score[0]}", str(score[0] - score[1]) if score[0] != score[1] else "TIE"] if kind == 1 else [None, None]
    first = [4 + side, 100 + player, f"Given{player} Player{player}", *team]
    return [ID, number, kind, 1, min(4, 1 + number // 137), "8:04 PM", f"{left // 60}:{left % 60:02}", *said, *scored, *first, 0, 0, *[None] * 5, 0, 0, *[None] * 5, 1]


def game_written(seed: int) -> str:
    "A made-up game as one line of JSON."
    chance, score = random.Random(seed), [0, 0]
    rows = [row_written(chance, number, score) for number in range(548)]
    return json.dumps({"resource": "playbyplay", "parameters": {"GameID": ID, "StartPeriod": 0}, "resultSets": [{"name": "PlayByPlay", "headers": COLUMNS, "rowSet": rows}]})


def write_games(folder: Path, count: int, form: str) -> float:  # megabytes
    "Write games and the map of one video of each."
    templates = [game_written(seed) for seed in range(20)]
    games = (templates[number % 20].replace(ID, f"00299{number:05}") for number in range(count))
    if form == "folder":
        for number, game in enumerate(games):
            (folder / f"{number:05}.json").write_text(game)
    else:
        with open(folder / "games.json", "w") as file:
            file.write("[" * (form == "list"))
            for number, game in enumerate(games):
                file.write((",\n" if form == "list" else "\n") * (number > 0) + game)
            file.write("]" * (form == "list"))
    (folder.parent / "map.json").write_text(json.dumps({f"video{number}": f"00299{number:05}-7" for number in range(count)}))
    return sum(path.stat().st_size for path in folder.iterdir()) / 1e6


def texts_of(folder: Path) -> Iterator[str]:
    "The games as JSON texts, for `json.load`."
    for path in sorted(folder.iterdir()):
        text = path.read_text()
        yield from [text] if text.startswith("[") else text.splitlines()


def work(verb: str, folder: Path) -> int:
    "What one process does; returns how many games it met."
    if verb == "load":
        values = [json.loads(text) for text in texts_of(folder)]
        return sum(len(value) if isinstance(value, list) else 1 for value in values)
    if verb == "stream":
        from gamecommbench.collect.nba import games_in
        return sum(1 for path in sorted(folder.iterdir()) for game in games_in(path) if game.rows)
    from gamecommbench.collect.basketball import collect_basketball
    from gamecommbench.pieces import Piece
    return sum(isinstance(item, Piece) and bool(item.context["events"]) for item in collect_basketball([folder.parent / "map.json", folder], folder.parent))


def measured(verb: str, folder: Path) -> tuple[int, float, float]:  # games, seconds, peak MB
    "One verb in a process of its own."
    done = subprocess.run([sys.executable, __file__, "--work", verb, str(folder)], capture_output=True, text=True, check=True)
    games, seconds, peak = done.stdout.split()
    return int(games), float(seconds), float(peak)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--compare", type=int, default=300)
    parser.add_argument("--form", choices=("folder", "lines", "list"), default="folder")
    parser.add_argument("--work", nargs=2, metavar=("VERB", "FOLDER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        start = time.perf_counter()
        games = work(options.work[0], Path(options.work[1]))
        print(games, time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        return
    times: dict[str, float] = {}
    for count, verbs in ((options.compare, ("load", "stream", "collect")), (options.games, ("stream", "collect"))):
        with tempfile.TemporaryDirectory() as name:
            (folder := Path(name) / "games").mkdir()
            size = write_games(folder, count, options.form)
            for verb in verbs:
                games, seconds, peak = measured(verb, folder)
                assert games == count, f"{verb} met {games} games of {count}"
                times.setdefault(verb, seconds)
                ratio = f", {seconds / times['load']:.2f} x json.load" if count == options.compare else ""
                print(f"{verb:8} {games:6} games, {size:7.0f} MB: {seconds:6.1f} s, {size / seconds:5.1f} MB/s, peak {peak:5.0f} MB{ratio}", flush=True)


if __name__ == "__main__":
    main()
