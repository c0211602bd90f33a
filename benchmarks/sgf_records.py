"""SGF to games played on a board against bare sgfmill (`Sgf_game.from_bytes` and a replay on its board), in one interleaved run: the ratio of their throughputs.

    python benchmarks/sgf_records.py [FILE.sgf ...] [--repeats 7] [--rounds 30]

Without files it writes its own games, random ones with captures: annotated (a comment on every third move, a variation on every fifth), dense (a comment on every move) and bare.
Each side reads the same bytes from memory and plays the main line; ours also settles the encoding, mends damage, and notes komi, handicap, comments and warnings.
A third figure is the whole collector, from the file to pieces and clean SGF files on the disk, against the same bare replay. Prints a line a file: the median of the paired ratios;
1.0 means as fast as sgfmill, 0.8 is the least that is wanted. Files that sgfmill cannot read are named and left out. Needs sgfmill, which the package itself does not use.
"""
import argparse
import io
import itertools
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from sgfmill import boards, sgf

from gamecommbench.collect.go import collect_go
from gamecommbench.collect.goban import EMPTY, Board, sgf_of_point
from gamecommbench.collect.sgf import game_of_tree
from gamecommbench.collect.sgf_text import sgf_texts
from gamecommbench.collect.sgf_tree import read_trees

WORDS = "Black White the stone takes aims at a thin shape and now threatens to cut after which sente is better because the corner counts more than influence".split()


def game_written(seed: int, comment_every: int, variation_every: int, n_moves: int = 220) -> str:  # 0: none
    "A random game as SGF; moves lie near the one before, so that stones are captured."
    chance, board, nodes, point = random.Random(seed), Board(19), [], 180
    for ply in range(n_moves):
        stone = "XO"[ply % 2]
        near = [p for p in range(361) if board.cells[p] == EMPTY and abs(p // 19 - point // 19) + abs(p % 19 - point % 19) < 5]
        point = chance.choice(near or [p for p in range(361) if board.cells[p] == EMPTY])
        board.play(stone, point)
        node = f";{'BW'[ply % 2]}[{sgf_of_point(point, 19)}]"
        if comment_every and ply % comment_every == 0:
            node += f"C[{' '.join(chance.choices(WORDS, k=chance.randint(6, 40)))}.]"
        nodes.append(node)
    body = "\n".join(nodes)
    if variation_every:  # SGF nests the rest of the game in the first branch
        body = ""
        for ply in range(n_moves - 1, -1, -1):
            body = nodes[ply] + (f"\n({body})\n(;{'WB'[ply % 2]}[aa]C[instead])" if body and ply % variation_every == 0 else "\n" + body)
    return f"(;GM[1]FF[4]CA[UTF-8]SZ[19]PB[A]PW[B]KM[6.5]RE[?]\n{body})\n"


def read_bare(data: bytes) -> int:
    "Moves that sgfmill reads and plays."
    game = sgf.Sgf_game.from_bytes(data)
    board, count = boards.Board(game.get_size()), 0
    for node in game.get_main_sequence():
        black, white, empty = node.get_setup_stones()
        if black or white or empty:
            board.apply_setup(black, white, empty)
        colour, move = node.get_move()
        if colour:
            count += 1
            if move:
                board.play(*move, colour)
    return count


def read_ours(data: bytes) -> int:
    "Moves that the collector's reader reads and plays."
    (part,) = sgf_texts(io.BytesIO(data))
    (game,) = (game_of_tree(tree, 1, part.encoding, part.warnings) for tree in read_trees(part.text))
    return len(game.moves)


def seconds(work: Callable[[], object], rounds: int) -> float:
    "How long some rounds of a work take."
    start = time.perf_counter()
    for _ in range(rounds):
        work()
    return time.perf_counter() - start


def measured(name: str, data: bytes, repeats: int, rounds: int) -> str:
    "One line of result."
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.sgf"
        path.write_bytes(data)
        moves, reading, collecting, outs = read_bare(data), [], [], itertools.count()
        works = [lambda: read_bare(data), lambda: read_ours(data), lambda: sum(1 for _ in collect_go([path], Path(folder) / str(next(outs))))]
        for number in range(repeats):
            order = works if number % 2 == 0 else works[::-1]
            times = {id(work): seconds(work, rounds) for work in order}
            bare, ours, whole = (times[id(work)] for work in works)
            reading.append(bare / ours)
            collecting.append(bare / whole)
    return (f"{name}: reading and replaying at {statistics.median(reading):.2f} of sgfmill's throughput ({min(reading):.2f} to {max(reading):.2f}), collecting to files at "
            f"{statistics.median(collecting):.2f} ({moves} moves, {len(data) / 1e3:.0f} kB, {repeats} x {rounds} rounds)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--rounds", type=int, default=30)
    options = parser.parse_args()
    inputs = {path.name: path.read_bytes() for path in options.files} or {
        name: game_written(seed, *every).encode() for seed, (name, every) in enumerate({"annotated": (3, 5), "dense": (1, 0), "bare": (0, 0)}.items())}
    for name, data in inputs.items():
        try:
            read_bare(data)
        except ValueError as error:
            print(f"{name}: left out, sgfmill cannot read it ({error})")
            continue
        print(measured(name, data, options.repeats, options.rounds), flush=True)


if __name__ == "__main__":
    main()
