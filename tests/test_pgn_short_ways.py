"""The short ways of reading and writing chess games give what the long ways give: moves, boards, plies, lines of JSON, languages."""
import io
import random
import re

import chess
import chess.pgn
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamecommbench import clean
from gamecommbench.collect import pgn, pgn_moves, pgn_text
from gamecommbench.package import row_line, row_of
from gamecommbench.schema import Record, dump_line

PROPERTY = settings(max_examples=300, deadline=None, derandomize=True)


def random_moves(seed: int, plies: int) -> list[chess.Move]:
    "A legal game in which castling, promotion and en passant are no rarities."
    chance, board = random.Random(seed), chess.Board()
    for _ in range(plies):
        legal = sorted(board.legal_moves, key=str)
        if not legal:
            break
        special = [move for move in legal if board.is_castling(move) or move.promotion or board.is_en_passant(move)]
        board.push(chance.choice(special if special and chance.random() < 0.5 else legal))
    return board.move_stack


def everything(board: chess.Board) -> tuple:
    return (board.fen(), board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings, board.occupied, *board.occupied_co,
            board.promoted, board.castling_rights, board.ep_square)


# ---- one move

@pytest.mark.parametrize("seed", range(25))
def test_a_short_move_leaves_the_board_as_a_push_does(seed: int):
    short, full, n_short = chess.Board(), chess.Board(), 0
    for move in random_moves(seed, 160):
        token = full.san(move).rstrip("+#")
        found = pgn_moves.short_move(short, token)
        if found:
            assert found == move
            pgn_moves.play_short(short, move, pgn_moves.SHORT[token][0])
            n_short += 1
        else:
            short.push(move)
        full.push(move)
        assert everything(short) == everything(full)
    assert n_short > len(full.move_stack) / 2


@pytest.mark.parametrize("seed", range(12))
def test_the_short_way_finds_only_what_python_chess_finds(seed: int):
    board, n_found = chess.Board(), 0
    for move in random_moves(seed, 60):
        for token in pgn_moves.SHORT:
            found = pgn_moves.short_move(board, token)
            if found:
                assert board.parse_san(token) == found  # legal, and the only one
                n_found += 1
        board.push(move)
    assert n_found > 500


@pytest.mark.parametrize("fen, token", [
    ("4k3/4r3/8/8/8/8/4N3/4K3 w - - 0 1", "Nc3"),  # pinned
    ("4k3/8/8/8/8/8/8/N3K1N1 w - - 0 1", "Nd4"),  # out of reach
    ("4k3/8/8/8/8/2N5/8/4K1N1 w - - 0 1", "Ne2"),  # two can
    ("4k3/4r3/8/8/8/8/8/R3K3 w - - 0 1", "Ra2"),  # leaves a check standing
    ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6"),  # en passant
    ("4k3/8/8/8/8/4p3/4P3/4K3 w - - 0 1", "e4"),  # jumps a pawn
    ("4k3/8/8/8/8/8/4r3/4K2R w K - 0 1", "Kf2"),  # into check
    ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "Kg1"),  # castling is not written so
    ("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1", "e4")])  # the other side's
def test_the_short_way_leaves_what_takes_more_than_two_looks(fen: str, token: str):
    assert pgn_moves.short_move(chess.Board(fen), token) is None


@pytest.mark.parametrize("moves, san", [
    ("1. f3 e5 2. g4 Qh4", "Qh4#"),  # mate by a short move, not marked by the writer
    ("1. f3 e5 2. g3 Qh4 3. gxh4", "gxh4"),
    ("1. f3 e5 2. g4 Qh4+", "Qh4#"),  # marked as a check alone
    ("1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7", "Qxf7#"),
    ("1. e4 f6 2. Qh5", "Qh5+"),  # a check, no mate
    ("1. e4 e5 2. f4 exf4 3. Nf3 f6 4. Bc4 f5 5. O-O fxe4 6. Nd4 Ke7 7. d3 Kf6 8. Qe1 e3 9. Rxf4", "Rxf4+"),
    ("1. d4 f5 2. e4 fxe4 3. f3 exf3 4. Nxf3 d6 5. Bd3 Kf7 6. O-O", "O-O"),
    ("1. f4 e5 2. fxe5 Ke7 3. Nh3 Ke6 4. e3 Kf5 5. Be2 a6 6. O-O", "O-O+")])  # castling gives check
def test_check_and_mate_are_marked_as_the_board_has_them(moves: str, san: str):
    text = f"{moves} {{words}} *"
    game = next(pgn_text.split_games(text.splitlines()))
    expected = chess.pgn.read_game(io.StringIO(text)).end()
    assert expected.san() == san  # python-chess agrees with what is asked here
    for every_ply in (False, True):
        last = pgn.read_game(game, every_ply).plies[-1]
        assert last.san == san and last.label.endswith(f" {san}")


# ---- whole games

DAMAGE = ["{a word}", "{}", "{ }", "{ x }", "{[%clk 0:01:00]}", "{two\nlines}", "{two\n\nlines}", "{", "}", "(", ")", "(1. d4 (1. c4 {x}) {no} e5)", ";\n", "\n \n", "?!?", "$6", "1-0", "½-½", "Z0", "0-0", "e.p.",
          "\n[x]\n", "\n% gone\n", "Sf3", "P@e4", "White resigns", "12", "...", "+-", "+--", "\u200b", "0000", "++", "{(}", "\t", "\x0b", "Kg1", "e8=Q", "exd6"]


def written(seed: int, damage: float) -> str:
    chance, board, words = random.Random(seed), chess.Board(), ['[Event "A"]\n[Result "*"]\n\n']
    for move in random_moves(seed, chance.randint(1, 90)):
        words.append(chance.choice((f"{board.fullmove_number}{'.' if board.turn else '...'} ", f"{board.fullmove_number}.", "")) + board.san(move) + chance.choice(("", "", "!", "?!")))
        words += [chance.choice(("{words here}", "{ spaced }", "{[%clk 0:01:00]}", "{[%eval 0.1] both }", "(1. e4 {v} e5)"))] * (chance.random() < 0.5)
        words += [chance.choice(DAMAGE)] * (chance.random() < damage)
        board.push(move)
    return " ".join([*words, "*"])


@pytest.mark.parametrize("damage, least", [(0, 120), (0.01, 60), (0.1, 5)])
def test_a_walked_game_is_the_game_that_python_chess_reads(damage: float, least: int):
    n_walked = 0
    for seed in range(120):
        for game in pgn_text.split_games(written(seed, damage).splitlines()):
            walked = None if game.problem else pgn._walked(game)
            if walked:
                n_walked += 1
                read = chess.pgn.read_game(io.StringIO(pgn._parsable(game)), Visitor=pgn._Commented)
                assert (walked.moves, walked.plies, walked.introduction, walked.error) == (read.moves, read.plies, read.introduction, read.error)
    assert n_walked >= least


@PROPERTY
@given(st.lists(st.sampled_from(["1", "/", "2", "-", "0", "O", "o", "+", " ", "1/2", "-1/2", "O-O", "{", "}", ";", "½", "♘", "e4", "#", "‑"]), max_size=12).map("".join))
def test_text_that_does_not_look_unusual_is_plain_already(text: str):
    if not pgn_text._UNUSUAL.search(text):
        castled = pgn_text._CASTLING.sub(lambda match: "O-O-O" if match[1] else "O-O", text.translate(pgn_text._PLAIN))
        assert re.sub(r"\S+", lambda match: pgn_text._RESULTS.get(match[0], match[0]), re.sub(r"1/2\s*-\s*1/2", "1/2-1/2", castled)) == text


# ---- records

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=60)


@PROPERTY
@given(number=st.integers(1, 1200), san=st.sampled_from(["e4", "--", "Qxf7#"]), comment=TEXT, text=TEXT, background=TEXT, source=TEXT, flags=st.lists(TEXT, max_size=2))
def test_a_row_is_written_as_its_record_is(number: int, san: str, comment: str, text: str, background: str, source: str, flags: list[str]):
    row = row_of(pgn.Ply(number, chess.Move.null(), san, f"1. {san}", comment), text, "chess-0a", background, source, flags)
    record = Record.model_validate(row)
    assert row_line(row).decode() == dump_line(record) and record.model_dump(exclude_none=True) == row


# ---- languages

FUNCTION_WORDS = sorted(set().union(*clean._FUNCTION_WORDS.values()))


@PROPERTY
@given(st.lists(st.sampled_from(FUNCTION_WORDS) | st.sampled_from(["Nf3", "É", "Über", "_a", "x²", "ß", "İ", "—", "d’Or", "...", "Мат"]), max_size=24), st.sampled_from([" ", ", ", "-", "\n"]))
def test_the_language_is_the_one_that_a_full_count_gives(words: list[str], between: str):
    text = between.join(words)
    found = re.findall(r"[^\W\d_]+", text.lower())
    hits = {name: sum(word in known for word in found) for name, known in clean._FUNCTION_WORDS.items()}
    best = max(hits, key=hits.get)
    far = sum(character > "\u024f" for character in text if character.isalpha()) > sum(map(str.isalpha, text)) / 2
    assert clean.language_of(text) == ("other" if far else best if len(found) >= 5 and hits[best] > hits["en"] and hits[best] >= 2 else "en")
