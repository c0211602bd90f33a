"""Go from files to cleaned pieces: nothing said is lost silently, failures of Fox's server have reasons, and the clean games carry the records."""
import json
import random
import re
from collections import Counter
from pathlib import Path

import pytest

from gamecommbench.clean_go import GoCleaning, clean_go, off_topic
from gamecommbench.collect.go import GoSettings, collect_go, result_words
from gamecommbench.collect.sgf import read_sgf
from gamecommbench.pieces import Piece, Reject
from gamecommbench.schema import BenchError


def collected(paths: list[Path], folder: Path, settings: GoSettings = GoSettings()) -> tuple[list[Piece], list[Reject]]:
    items = list(collect_go(paths, folder, settings))
    return [item for item in items if isinstance(item, Piece)], [item for item in items if isinstance(item, Reject)]


def facts(piece: Piece) -> dict[str, str]:
    return dict(line.split(": ", 1) for line in piece.background.splitlines())


# ---- the real files

def test_real_sgf_files(shared: Path, tmp_path: Path):
    pieces, rejects = collected([shared / "samples" / "go_sgf"], tmp_path)
    assert Counter(piece.source for piece in pieces) == {"LS_vs_AG_-_G4_-_English.sgf#1": 39, "panda1.sgf#1": 1, "xmgt97.sgf#1": 1}
    assert sorted((reject.file, reject.reason) for reject in rejects) == [(f"{name}.sgf", "no move has a comment") for name in ("fox_sgf_error", "fox_sgf_works", "ogs")]
    text = (shared / "samples" / "go_sgf" / "LS_vs_AG_-_G4_-_English.sgf").read_text(encoding="utf-8")
    said = [piece for piece in pieces if piece.source.startswith("LS")]
    assert text.count("C[") - text.count("PC[") == len(said) + 1  # the root's is the introduction
    divine = next(piece for piece in said if piece.step == "78")
    assert divine.label == "W L11" and divine.raw.startswith("At last, Lee Sedol launched his attack.") and divine.storage_file == f"games/{divine.match_id}.sgf"
    assert facts(divine)["Result"] == "W+Resign (White won by resignation)" and facts(divine)["Komi"] == "7.5 points" and facts(divine)["Introduction"].startswith("Game 4 - Endurance")
    assert all(piece.modality == "sgf" and piece.game == "go" and piece.id == f"{piece.match_id}-{int(piece.step):03d}" for piece in pieces)
    assert len({piece.id for piece in pieces}) == len(pieces)


def test_real_fox_files(shared: Path, tmp_path: Path):
    pieces, rejects = collected([shared / "samples" / "go_fox"], tmp_path)
    (piece,) = pieces
    assert (piece.id, piece.label, piece.step) == ("go-1785337045010001403-001", "B Q16", "1") and piece.raw == "黑棋先占右上角。\n（自编评注，含真换行与转义 ] ）"
    told = facts(piece)
    assert told["Black"] == "柯洁 (KeJie)" and told["BlackRank"] == "9p" and told["Komi"] == "7.5 points" and told["Result"] == "B+R (Black won by resignation)" and told["Started"] == "2026-07-29T22:57:25+08:00"
    assert sorted((reject.file, reject.reason) for reject in rejects) == sorted(
        [("YHWQFetchChess_commented_payload.json", "a comment in a variation (no record by design)")] * 2 + [(f"err_{name}.json", "the server reported a failure") for name in ("fetch_failed", "unknown_user")]
        + [(f"{name}.sgf", "no move has a comment") for name in ("handicap3_AB_nodes", "handicap4_leading_black_moves", "pro_komi650_gbk_reencoded", "pro_komi650_japanese", "pro_komi650_mojibake_utf8_as_latin1")])
    (game,) = read_sgf(tmp_path / piece.storage_file)
    assert [game.label(move) for move in game.moves] == ["B Q16", "W D16", "B Q3", "W D3"] and not game.warnings


# ---- the account

def written_game(chance: random.Random, number: int) -> tuple[str, int]:
    "A random game and how many comments are in it, root included."
    points, nodes, count = [f"{a}{b}" for a in "abcdefghi" for b in "abcdefghi"], [], 0
    chance.shuffle(points)
    for ply in range(chance.randint(1, 12)):
        node = f";{'BW'[ply % 2]}[{points[ply]}]"
        if chance.random() < 0.5:
            node, count = f"{node}C[Move {ply} of game {number} is played.]", count + 1
        nodes.append(node)
        if chance.random() < 0.15:
            nodes.append(f";C[A loose word {number}.{ply}.]")
            count += 1
    if chance.random() < 0.3:
        nodes.append("(;B[ii])(;B[hh]C[Or here.])")
        count += 1
    if chance.random() < 0.2:
        nodes[0:0] = [";B[aa]", ";W[aa]"]  # cannot be played
    return f"(;GM[1]SZ[9]C[Hello.]RO[{number}]{''.join(nodes)})", count + 1


@pytest.mark.parametrize("seed", range(6))
def test_every_comment_is_in_the_account(seed: int, tmp_path: Path):
    "Comments counted by a pattern = pieces + rejects with words + introductions, whatever becomes of the games."
    chance = random.Random(seed)
    games = [written_game(chance, number) for number in range(40)]
    path = tmp_path / "games.sgf"
    path.write_text("\n".join(text for text, _ in games))
    pieces, rejects = collected([path], tmp_path / "out")
    said = re.findall(r"C\[([^\]]+)\]", path.read_text())
    assert len(said) == sum(count for _, count in games)
    accounted = Counter([piece.raw for piece in pieces] + [reject.text for reject in rejects if reject.text])
    assert accounted == Counter(text for text in said if text != "Hello.") + Counter({"Hello.": accounted["Hello."]})
    refused = {reject.place.split(",")[0] for reject in rejects if reject.reason == "a move on a point that is taken"}
    assert accounted["Hello."] == len(refused)  # of a refused game the introduction is a reject, too
    assert {reject.place.split(",")[0] for reject in rejects} | {f"game {piece.source.split('#')[1]}" for piece in pieces} == {f"game {number}" for number in range(1, 41)}
    assert len(list((tmp_path / "out" / "games").iterdir())) == len({piece.match_id for piece in pieces})


def test_duplicate_games_and_stable_ids(tmp_path: Path):
    (tmp_path / "in").mkdir()
    text = "(;GM[1]SZ[9]PB[Ann];B[ee]C[The centre.];W[cc]C[A corner.])"
    (tmp_path / "in" / "a.sgf").write_text(text)
    (tmp_path / "in" / "b.sgf").write_text(f"\n{text.replace(';W', ' ; W')}")
    (tmp_path / "in" / "c.sgf").write_text(text.replace("Ann", "Eve"))
    pieces, rejects = collected([tmp_path / "in"], tmp_path / "out")
    assert Counter(piece.source for piece in pieces) == {"a.sgf#1": 2, "c.sgf#1": 2} and [(reject.file, reject.reason, reject.detail) for reject in rejects] == [("b.sgf", "the same game as another", "a.sgf#1")] * 2
    again, _ = collected([tmp_path / "in" / "b.sgf"], tmp_path / "other")
    assert {piece.id for piece in again} < {piece.id for piece in pieces}


def test_games_written_are_no_input(tmp_path: Path):
    (tmp_path / "a.sgf").write_text("(;GM[1]SZ[9];B[ee]C[The centre.])")
    first, _ = collected([tmp_path], tmp_path)
    second, rejects = collected([tmp_path], tmp_path)
    assert first == second and len(first) == 1 and not rejects


# ---- Fox's replies

def reply(text: str, chessid: object = "17", **more: object) -> str:
    return json.dumps({"result": 0, "chessid": chessid, "chess": text, **more})


@pytest.mark.parametrize("content, reason", [
    ('{"result":-3,"resultstr":"FetchChessFromDB Failed!!"}', "the server reported a failure"), ('{"result":"101201"}', "the server reported a failure"), ("<html>502</html>", "a web page instead of the server's reply"), ("", "the file is empty"),
    ('{"result":0,"chessid":"1","chess":""}', "the reply's 'chess' is empty"), ('{"result":0,"chessid":"1","chess":null}', "the reply's 'chess' is empty"), ('{"result":0,"chessid":"1","chess":"none"}', "the reply's 'chess' is no SGF"),
    ('{"result":0,"chessid":"1","chess":"a (b) c"}', "the reply's 'chess' is no SGF"), ('{"result":0,"chess":"(;GM[1', "not JSON"), ('{"name":"x"}', "not a reply of the server"), ("[1, 2]", "not a reply of the server"),
    (reply("(;SZ[9];B[ee]C[\ud83d])"), "the reply is not UTF-8")])
@pytest.mark.parametrize("named", [True, False])
def test_replies_without_a_game(content: str, reason: str, named: bool, tmp_path: Path):
    path = tmp_path / "in" / "reply.json"
    path.parent.mkdir()
    path.write_text(content)
    pieces, rejects = collected([path if named else path.parent], tmp_path / "out")
    assert not pieces and {(reject.file, reject.reason) for reject in rejects} == {("reply.json", reason)}


def test_chessid_is_text_and_no_path(tmp_path: Path):
    for name, chessid in (("a", "1785337045010001403"), ("b", 1785337045010001404), ("c", "../../etc/x")):
        (tmp_path / f"{name}.json").write_text(reply(f"(;SZ[9]PB[{name}];B[ee]C[The centre.])", chessid))
    pieces, _ = collected([tmp_path / f"{name}.json" for name in "abc"], tmp_path / "out")
    assert [piece.match_id for piece in pieces][:2] == ["go-1785337045010001403", "go-1785337045010001404"] and re.fullmatch(r"go-[0-9a-f]{12}", pieces[2].match_id)
    assert len(list((tmp_path / "out" / "games").iterdir())) == 3


def test_lists_enrich_and_tell_what_is_missing(tmp_path: Path):
    entry = {"chessid": "17", "blacknick": "甲", "blackenname": "Jia", "whitenick": "乙", "title": "A cup", "winner": 2, "point": 350, "rule": 0, "komi": 650, "starttime": "2026-07-29 22:57:25"}
    (tmp_path / "list.json").write_text(json.dumps({"result": 0, "chesslist": [entry, entry | {"chessid": "18", "title": "Another"}, entry | {"chessid": "19"}]}))
    (tmp_path / "game.json").write_text(reply("(;SZ[9]PB[甲];B[ee]C[The centre.])"))
    (tmp_path / "18.sgf").write_text("(;SZ[9]EV[Mine];B[cc]C[A corner.])")
    pieces, rejects = collected([tmp_path], tmp_path / "out")
    by_id = {piece.match_id: facts(piece) for piece in pieces}
    assert by_id["go-17"] == {"Event": "A cup", "Date": "2026-07-29", "Black": "甲 (Jia)", "White": "乙", "Komi": "6.5 points", "Rules": "Japanese", "Result": "W+3.5 (White won by 3.5 points)", "Started": "2026-07-29T22:57:25+08:00"}
    assert by_id["go-18"]["Event"] == "Mine" and [(reject.file, reject.place, reject.reason) for reject in rejects] == [("list.json", "19", "listed, but its game is not among the inputs")]
    assert not collected([tmp_path], tmp_path / "out", GoSettings(unseen_games=False))[1]


def test_json_lines_of_replies(tmp_path: Path):
    path = tmp_path / "replies.jsonl"
    path.write_text("\n".join([reply("(;SZ[9];B[ee]C[One.])", "1"), reply("(;SZ[9];B[ee]C[Two.])", "2"), '{"result":-3}', "", "{cut", reply("(;SZ[9];B[ee]C[Five.])", "5")]))
    pieces, rejects = collected([path], tmp_path / "out")
    assert [piece.raw for piece in pieces] == ["One.", "Two.", "Five."] and [reject.place for reject in rejects] == ["line 3", "line 5"]


# ---- inputs

def test_what_is_no_go(tmp_path: Path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "game.pgn").write_text('[Event "x"]\n\n1. e4 {fine} *\n')
    (tmp_path / "in" / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    pieces, rejects = collected([tmp_path / "in"], tmp_path / "out")
    assert not pieces and [(reject.file, reject.reason) for reject in rejects] == [("game.pgn", "neither an SGF nor a reply of Fox's server"), ("picture.png", "neither an SGF nor a reply of Fox's server")]
    for path in (tmp_path / "in" / "game.pgn", tmp_path / "none.sgf"):
        with pytest.raises(BenchError, match=path.name):
            collected([path], tmp_path / "out")
    (tmp_path / "empty").mkdir()
    with pytest.raises(BenchError, match="no file in this folder"):
        collected([tmp_path / "empty"], tmp_path / "out")


@pytest.mark.parametrize("value, words", [("B+R", "B+R (Black won by resignation)"), ("w+resign", "W+resign (White won by resignation)"), ("W+T", "W+T (White won on time)"), ("B+F", "B+F (Black won by forfeit)"), ("W+0.5", "W+0.5 (White won by 0.5 points)"),
                                          ("W+0", "W+0 (White won)"), ("B+", "B+ (Black won)"), ("0", "Draw"), ("Void", "Void (no result)"), ("?", ""), ("", ""), ("黑中盘胜", "B+R (Black won by resignation)"), ("白胜1又3/4子", "白胜1又3/4子")])
def test_results_in_words(value: str, words: str):
    assert result_words(value) == words


# ---- cleaning

def piece_of(raw: str, step: int = 1, match: str = "go-1") -> Piece:
    return Piece(id=f"{match}-{step}", game="go", match_id=match, modality="sgf", source="a.sgf#1", step=str(step), raw=raw)


@pytest.mark.parametrize("raw, part", [
    ("", "no text"), (" \n ", "no text"), ("!?...", "no words"), ("Move 12: B Q16\nScore: B+1.2\nWin rate: B 55.3%\nEstimated point loss: 0.8", "program"), ("黑棋 胜率: 53.2% (+0.3%)\n(KataGo / 1.2k 计算量)", "program"), ("Black winrate: 53.2%", "program"),
    ("AI Sensei: analysis at https://ai-sensei.com/game/1", "program"), ("https://example.org", "link"), ("关注我的公众号获取更多棋谱", "advert"), ("Subscribe to my channel!", "advert"), ("hi", "chatter"), ("大家好", "chatter"), ("谢谢！再见", "chatter"),
    ("ann[9D]: hi", "chatter"), ("player2 12k : gg", "chatter"), ("Fox", "client"), ("Game chats will be available in SGF downloads once the game has finished.\n", "client"), ("0:34", "program")])
def test_what_is_dropped(raw: str, part: str):
    (item,) = clean_go([piece_of(raw)])
    assert isinstance(item, Reject) and part in item.reason and item.stage == "clean"


@pytest.mark.parametrize("raw", [
    "Good.", "好", "好棋！", "R4", "Thanks to this move White lives.", "Hello kitty is what we call this shape.", "The win rate was 55%.", "White 78 is the divine move.", "Black: a bold choice.", "Move 37 changed Go.", "W: the only answer is E5",
    "teacher [5d]: Too slow.\nteacher [5d]: Black should cut.", "Visit the corner with R17.", "这手棋太缓，黑棋应该抢占大场。", "갈라치는 수가 좋았다.", "白の手厚い一手。", "Fox plays the fuseki of the year."])
def test_what_is_kept(raw: str):
    (item,) = clean_go([piece_of(raw)])
    assert isinstance(item, Piece) and item.text and off_topic(raw) is None


def test_the_real_comments_survive_cleaning(shared: Path, tmp_path: Path):
    pieces, _ = collected([shared / "samples" / "go_sgf"], tmp_path)
    items = list(clean_go(pieces))
    dropped = [item for item in items if isinstance(item, Reject)]
    assert len(items) == 41 and [(item.file, item.reason) for item in dropped] == [("panda1.sgf", "off topic: greeting or chatter")]
    assert all("\n" not in item.text and item.raw for item in items if isinstance(item, Piece))


def test_duplicates(tmp_path: Path):
    texts = [("A good move.", 1, "go-1"), ("a good  move!", 2, "go-1"), ("A good move.", 1, "go-2")]
    items = list(clean_go(piece_of(*text) for text in texts))
    assert [isinstance(item, Piece) for item in items] == [True, False, True] and items[1].detail == "at ply 1"
    many = list(clean_go((piece_of("Brought to you by a very fine editor.", 1, f"go-{number}") for number in range(6)), GoCleaning(boilerplate_games=4)))
    assert [isinstance(item, Piece) for item in many] == [True] * 4 + [False] * 2


def test_another_judge_of_the_topic():
    items = list(clean_go([piece_of("Black cuts.", 1), piece_of("My cat sleeps.", 2)], topic=lambda text: "off topic: the judge said so" if "cat" in text else None))
    assert isinstance(items[0], Piece) and items[1].reason == "off topic: the judge said so"


def test_languages_and_left_out_lines():
    chinese, mixed = clean_go([piece_of("黑棋先占右上角，这一手很好。", 1), piece_of("bob [4d]: hi\nteacher [5d]: Black should cut here.\nWin rate: B 55.3%", 2)])
    assert chinese.flags == ["language:other"] and mixed.text == "Black should cut here." and mixed.flags == ["lines-left-out", "speaker-left-out"]


@pytest.mark.parametrize("text", ["哈" * 400 + "x", "ㅋ" * 400 + "x", "ha" * 400 + "x", "gg " * 400 + "x!", "-." * 2000 + "x", "a" * 5000 + ":", "12 / " * 1000 + "x", "1,1," * 1000 + "x", "12" + " " * 5000 + "x", "Black" + " " * 5000 + "x", "Black: 1, " * 300 + "x"])
def test_rules_answer_in_time(text: str):
    import time
    start = time.monotonic()
    off_topic(text)
    assert time.monotonic() - start < 5
