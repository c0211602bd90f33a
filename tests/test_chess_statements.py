"""Sentences about chess moves against the board: labelled ones, mirrored ones, negated ones, and generated ones."""
import json
import random
import re
import time
from pathlib import Path

import chess
import pytest

from gamecommbench.offline.chess_truth import judge_statement
from gamecommbench.state.chess import ChessState, state_after
from gamecommbench.state.engine import Engine, find_engine

ROWS = [json.loads(line) for line in (Path(__file__).parent / "data" / "chess_statements.jsonl").read_text(encoding="utf-8").splitlines()]
PIECES = {1: "pawn", 2: "knight", 3: "bishop", 4: "rook", 5: "queen", 6: "king"}


def state_of(row: dict, mirrored: bool = False) -> ChessState:
    "The state that a row's moves lead to, colours swapped if asked."
    board = chess.Board(row["fen"], chess960=row.get("chess960", False)) if row.get("fen") else chess.Board()
    moves, line = [], board.copy()
    for san in row["moves"].split():
        move = line.parse_san(san) if san != "--" else chess.Move.null()
        moves.append(move)
        line.push(move)
    if mirrored:
        board = board.mirror()
        moves = [chess.Move(chess.square_mirror(m.from_square), chess.square_mirror(m.to_square), m.promotion) if m else m for m in moves]
    result = row.get("result", "*")
    return state_after(board, moves, result={"1-0": "0-1", "0-1": "1-0"}.get(result, result) if mirrored else result)


def mirrored_text(text: str) -> str:
    "The sentence about the mirrored board: colours swapped, ranks turned."
    text = re.sub(r"\b(white|black)\b", lambda hit: {"white": "black", "black": "white", "White": "Black", "Black": "White"}[hit.group()], text, flags=re.IGNORECASE)
    return re.sub(r"(?<![A-Za-z])([KQRBN]?[a-h]?[1-8]?[x-]?)?([a-h])([1-8])(?![0-9])", lambda hit: f"{hit[1] or ''}{hit[2]}{9 - int(hit[3])}", text)


@pytest.fixture(scope="module")
def engine():
    if find_engine() is None:
        yield None
        return
    with Engine() as opened:
        yield opened


def verdict(row: dict, engine=None) -> str:
    return judge_statement(row["text"], state_of(row), engine if row.get("engine") else None, row.get("context", ""), names=row.get("names")).verdict


def test_there_are_enough_of_each():
    expected = [row["expected"] for row in ROWS]
    assert len(ROWS) >= 300 and min(expected.count("true"), expected.count("false")) >= 100 and expected.count("unknown") >= 20
    assert len({row["kind"] for row in ROWS}) >= 25


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["text"][:60])
def test_labelled_sentence(row, engine):
    if row.get("engine") and engine is None:
        pytest.skip("no chess engine here")
    assert verdict(row, engine) == row["expected"]


def test_the_mirrored_board_gives_the_same_verdicts():
    wrong = []
    for row in ROWS:
        if row.get("names") or row.get("engine") or not row.get("mirrors", True) or row["kind"] == "move number" or "On move" in row["text"] or re.search(r"\d\s*\.", row["text"]) or re.search(r"(light|dark)", row["text"]) or " to move" in row["text"]:
            continue  # move numbers, square colours and ranks counted from White's side do not mirror
        text = mirrored_text(row["text"])
        found = judge_statement(text, state_of(row, mirrored=True))
        if found.verdict != row["expected"]:
            wrong.append((text, row["expected"], found))
    assert not wrong, wrong[:5]


VERBS = {"takes": "take", "captures": "capture", "attacks": "attack", "moves": "move", "pins": "pin", "forks": "fork", "castles": "castle", "promotes": "promote", "plays": "play", "gives": "give", "recaptures": "recapture"}


def negated_text(text: str) -> str | None:
    "The opposite of a plain sentence with one verb, or None."
    if re.search(r"\b(not|never|no|nothing|neither|without|instead|rather|if|and|but|can|cannot|could|may|must|threat\w*|to be|left)\b|,|n't|ing\b|!", text, re.IGNORECASE):
        return None
    hits = re.findall(r"\b(is|" + "|".join(VERBS) + r")\b", text)
    if len(hits) != 1:
        return None
    return re.sub(rf"\b{hits[0]}\b", "is not" if hits[0] == "is" else f"does not {VERBS[hits[0]]}", text)


def test_negation_turns_the_verdict():
    turned, wrong = 0, []
    for row in ROWS:
        text = negated_text(row["text"])
        if text is None or row["expected"] == "unknown" or row.get("engine"):
            continue
        found = judge_statement(text, state_of(row), names=row.get("names")).verdict
        turned += found != "unknown"
        if found == row["expected"]:
            wrong.append((text, found))
    assert not wrong and turned >= 60, (turned, wrong[:5])


def random_state(generator: random.Random) -> ChessState:
    "A move from a random game, with nothing before it known."
    while True:
        board = chess.Board()
        for _ in range(generator.randint(4, 90)):
            moves = list(board.legal_moves)
            if not moves:
                break
            captures = [move for move in moves if board.is_capture(move)]
            board.push(generator.choice(captures if captures and generator.random() < 0.4 else moves))
        moves = list(board.legal_moves)
        if moves:
            board = chess.Board(board.fen())
            return state_after(board, [generator.choice(moves)])


def true_sentences(state: ChessState, generator: random.Random) -> list[tuple[str, str]]:
    "Sentences that python-chess says are true, each with a false twin."
    board, after, move = state.before(), state.after(), state.move()
    if board.is_castling(move) or move.promotion or board.is_en_passant(move):
        return []
    side, other = ("White", "Black") if board.turn else ("Black", "White")
    piece, start, target = PIECES[board.piece_type_at(move.from_square)], chess.square_name(move.from_square), chess.square_name(move.to_square)
    wrong_piece = generator.choice([name for name in PIECES.values() if name != piece])
    wrong_square = generator.choice([name for name in chess.SQUARE_NAMES if name not in (start, target)])
    pairs = [(f"{side} moves the {piece} from {start} to {target}.", f"{other} moves the {piece} from {start} to {target}."),
             (f"The {piece} goes to {target}.", f"The {piece} goes to {wrong_square}."), (f"{side}'s {piece} leaves {start} for {target}.", f"{side}'s {wrong_piece} leaves {start} for {target}."),
             (f"The {piece} on {start} moves to {target}.", f"The {wrong_piece} on {start} moves to {target}."), (f"{board.san(move)} is played.", f"The {wrong_piece} is moved to {target}."),
             (f"A {piece} moves.", f"A {wrong_piece} moves.")]
    taken = board.piece_type_at(move.to_square)
    if taken:
        wrong_taken = generator.choice([name for name in PIECES.values() if name not in (PIECES[taken], "king")])
        pairs += [(f"{side} captures the {PIECES[taken]} on {target}.", f"{side} captures the {wrong_taken} on {target}."), (f"The {PIECES[taken]} on {target} is taken by the {piece}.", f"The {PIECES[taken]} on {wrong_square} is taken by the {piece}.")]
    pairs.append((f"{side} captures nothing.", f"{side} captures a piece.") if not taken else (f"The {piece} takes on {target}.", f"The {piece} does not take on {target}."))
    pairs.append(("It is check.", "It is not check.") if after.is_check() else ("It is not check.", "It is check."))
    square = generator.choice(list(after.piece_map()))
    name, colour = PIECES[after.piece_type_at(square)], "White" if after.color_at(square) else "Black"
    hit = [s for s in chess.SquareSet(after.attacks_mask(square)) if after.color_at(s) == (not after.color_at(square))]
    for victim in hit[:1]:
        pairs.append((f"The {name} on {chess.square_name(square)} attacks the {PIECES[after.piece_type_at(victim)]} on {chess.square_name(victim)}.",
                      f"The {name} on {chess.square_name(square)} does not attack the {PIECES[after.piece_type_at(victim)]} on {chess.square_name(victim)}."))
    number = len(after.pieces(chess.PAWN, after.color_at(square)))
    pairs.append((f"{colour} has {number} pawns.", f"{colour} has {number + 1} pawns.") if number > 1 else (f"{colour} has a {name}.", f"{colour} has nine {name}s."))
    empty = generator.choice([s for s in chess.SQUARES if not after.piece_at(s)])
    pairs.append((f"{colour}'s {name} stands on {chess.square_name(square)}.", f"{colour}'s {name} stands on {chess.square_name(empty)}."))
    return pairs


def test_generated_sentences():
    generator, wrong, count = random.Random(7), [], 0
    for _ in range(150):
        state = random_state(generator)
        for true, false in true_sentences(state, generator):
            for text, expected in ((true, "true"), (false, "false")):
                found, count = judge_statement(text, state), count + 1
                if found.verdict != expected:
                    wrong.append((text, expected, found, state.fen_before, state.san))
    assert count > 2000 and not wrong, (len(wrong), wrong[:6])


def test_speed():
    rows = [row for row in ROWS if not row.get("engine")]
    states = [state_of(row) for row in rows]
    start = time.process_time()
    for row, state in zip(rows, states):
        judge_statement(row["text"], state, names=row.get("names"))
    assert (time.process_time() - start) / len(rows) < 0.01  # under 1 ms on a quiet machine; ten times that on a busy one


@pytest.mark.parametrize("text", ["", "   ", "!!!", "?", "the the the", "♘♘♘", "e4 e5 Nf3 Nc6", "a" * 3000, "and " * 200, "1. e4 {x} (1. d4) $1", "takes takes takes", "the on of with", "Rd8 " * 50, "\x00\ud7ff", "它吃了马"])
def test_nonsense_is_never_true_and_never_breaks(text):
    state = state_after(chess.Board(), [chess.Move.from_uci("g1f3")])
    assert judge_statement(text, state).verdict != "true"
