"""PGN to records against bare `chess.pgn.read_game` on the same file, in one run: the ratio of their throughputs.

    python benchmarks/pgn_records.py [FILE.pgn ...] [--games 300] [--repeats 5] [--folder .]

Without files it writes its own games, random legal ones: annotated (a comment on every third ply, a variation on every fifth), dense (a comment on every second ply, no
variation) and uncommented. Variations cost read_game more than the build, which skips them; records cost only the build, so dense files without variations are its worst case.
A file is repeated under changed tags until it holds enough games, so that no game is a duplicate of another. Both sides read the file from disk, in turn; building includes writing
records, rejections and one PGN a game. Prints a line a file: the median of the paired ratios; 1.0 means as fast as reading alone, 0.8 is the least that is wanted.

A build of a thousand games makes a thousand files, and what a new file costs is the disk's affair: from 0.01 ms to 1 ms. On ext4 it depends on what was deleted just before: for some
seconds a freed inode is not used again, and each new file walks past all of them, so that a benchmark that clears up after each repeat measures its own clearing up. Hence everything
is kept until the end. The line also says what making as many empty files took in the same folder, just after each build. `--folder` chooses the place; without it, the system's folder
for temporary files.
"""
import argparse
import logging
import random
import statistics
import tempfile
import time
from pathlib import Path

import chess
import chess.pgn

from gamecommbench.build import build_chess
from gamecommbench.collect.pgn_text import decode_pgn, split_games
from gamecommbench.package import pgn_of

WORDS = "White Black the knight takes aims at a weak square and now threatens to win material after which endgame is better because king safety counts more than pawn structure".split()


def game_written(seed: int, comment_every: int, variation_every: int, plies: int = 80) -> str:  # 0: none
    "A random legal game as PGN."
    chance, board, words = random.Random(seed), chess.Board(), []
    for ply in range(plies):
        moves = sorted(board.legal_moves, key=str)
        if not moves:
            break
        move, other = chance.choice(moves), chance.choice(moves)
        number = f"{board.fullmove_number}{'.' if board.turn else '...'}"
        words.append(f"{number} {board.san(move)}")
        if comment_every and ply % comment_every == 0:
            words.append("{" + " ".join(chance.choices(WORDS, k=chance.randint(6, 40))) + ".}")
        if variation_every and ply % variation_every == 0:
            words.append(f"({number} {board.san(other)} {{instead}})")
        board.push(move)
    return f'[Event "Game {seed}"]\n[White "A"]\n[Black "B"]\n[Result "*"]\n\n' + "\n".join(" ".join(words[n:n + 8]) for n in range(0, len(words), 8)) + " *\n"


def enlarged(text: str, n_games: int) -> str:
    "The usable games of a text over and over, each with a Round of its own."
    games = [game for game in split_games(text.splitlines()) if game.moves and not game.problem]
    copies = []
    for number in range(n_games):
        game = games[number % len(games)]
        copies.append(pgn_of(type(game)(number, 1, game.tags | {"Round": str(number)}, game.moves)))
    return "\n".join(copies)


def seconds_reading(path: Path) -> float:
    "How long python-chess takes to read every game."
    start = time.perf_counter()
    with open(path, encoding="utf-8") as file:
        while chess.pgn.read_game(file) is not None:
            pass
    return time.perf_counter() - start


def seconds_making_files(count: int, place: Path) -> float:
    "How long the disk takes for empty files, as many as a build writes."
    folder = tempfile.mkdtemp(dir=place)
    start = time.perf_counter()
    for number in range(count):
        open(f"{folder}/{number}.pgn", "wb").close()
    return time.perf_counter() - start


def seconds_building(path: Path, place: Path) -> tuple[float, int, int]:
    "How long the build takes, how many records it writes, and how many games."
    folder = Path(tempfile.mkdtemp(dir=place))
    start = time.perf_counter()
    account = build_chess([path], folder / "records.jsonl")
    seconds = time.perf_counter() - start
    return seconds, account.records, len(list(folder.glob("games/*.pgn")))


def measured(name: str, text: str, repeats: int, place: Path) -> str:
    "One line of result."
    path = place / f"{name}.games.pgn"
    path.write_text(text, encoding="utf-8")
    ratios, making, records, n_files = [], [], 0, 0
    for number in range(repeats):
        first = seconds_reading(path) if number % 2 == 0 else None
        building, records, n_files = seconds_building(path, place)
        ratios.append((first or seconds_reading(path)) / building)
        making.append(seconds_making_files(n_files, place) / building)
    n_games = sum(1 for _ in split_games(text.splitlines()))
    return (f"{name}: PGN to records at {statistics.median(ratios):.2f} of read_game's throughput "
            f"(median of {repeats}, {min(ratios):.2f} to {max(ratios):.2f}; {n_games} games, {records} records, {len(text) / 1e6:.1f} MB; "
            f"making {n_files} empty files takes {statistics.median(making):.0%} of the build's time)")


def main() -> None:
    logging.getLogger("chess.pgn").setLevel(logging.CRITICAL)  # it logs every illegal move
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--games", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--folder", help="where the files of both sides lie")
    options = parser.parse_args()
    texts = {path.name: decode_pgn(path.read_bytes(), str(path))[0] for path in options.files} or {
        name: "\n".join(game_written(seed, *every) for seed in range(40)) for name, every in (("annotated", (3, 5)), ("dense", (2, 0)), ("uncommented", (0, 0)))}
    with tempfile.TemporaryDirectory(dir=options.folder) as place:
        for name, text in texts.items():
            print(measured(name, enlarged(text, options.games), options.repeats, Path(place)), flush=True)


if __name__ == "__main__":
    main()
