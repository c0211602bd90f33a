"""Clients of game sources against a server on this machine: real payloads, every fault, resume, dry runs, and keys that never show."""
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta, timezone
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from gamecommbench.collect.fox_client import fetch_fox, fox_wanted
from gamecommbench.collect.lol_client import fetch_lolesports, fetch_riot
from gamecommbench.collect.lol_schedule import LookupFailed, game_wanted, resolve_game
from gamecommbench.collect.lol_windows import Walk, walk_game
from gamecommbench.collect.web import Fetcher
from gamecommbench.collect.web_request import Ask, FetchError, key_headers
from gamecommbench.schema import BenchError

KEY = "RGAPI-5ecr3t-0f3a9c77"
GATEWAY = b"<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"
UNKNOWN_USER = b'{"result":101201,"uid":"0","username":""}'
FETCH_FAILED = b'{"result":-3,"resultstr":"FetchChessFromDB Failed!!"}'
Answer = tuple[object, dict[str, str], bytes]  # status or fault, headers, body


def ok(value: object) -> Answer:
    return 200, {}, value if isinstance(value, bytes) else json.dumps(value, ensure_ascii=False).encode()


class Handler(BaseHTTPRequestHandler):
    "Asks the server's script for an answer and plays it, faults included."
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(address.query, keep_blank_values=True).items()}
        with self.server.lock:
            self.server.seen.append((self.path, {name.lower(): value for name, value in self.headers.items()}, time.monotonic()))
            count = sum(path == self.path for path, _, _ in self.server.seen)
        self.play(*self.server.script(address.path, query, count))

    def play(self, what: object, headers: dict[str, str], body: bytes) -> None:
        self.close_connection = True
        if what == "hang":
            self.server.released.wait(10)
            return
        if what == "reset":  # the connection ends before a status
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            return
        self.send_response(what if isinstance(what, int) else 200)
        if what == "chunked cut":
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(b"40\r\n" + body[:10])
            return
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if what == "cut":
            self.wfile.write(body[: len(body) // 2])
            return
        if what == "trickle":
            for at in range(len(body)):
                self.wfile.write(body[at:at + 1])
                self.wfile.flush()
                if self.server.released.wait(0.1):
                    return
        else:
            self.wfile.write(body)

    def log_message(self, *details: object) -> None:
        "No log."


class Loopback(ThreadingHTTPServer):
    "A server on this machine with a script: path, query and how often it was asked -> answer."
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen: list[tuple[str, dict[str, str], float]] = []
        self.lock, self.released = threading.Lock(), threading.Event()
        self.script: Callable[[str, dict[str, str], int], Answer] = lambda path, query, count: ok({"game": path})
        self.base = f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, *details: object) -> None:
        "A client that left early is no error here."

    @property
    def paths(self) -> list[str]:
        return [path for path, _, _ in self.seen]

    def answers(self, *answers: Answer) -> None:
        "Each address gets these answers in order and stays with the last."
        self.script = lambda path, query, count: answers[min(count, len(answers)) - 1]


@pytest.fixture
def server() -> Iterator[Loopback]:
    with Loopback() as loopback:
        thread = threading.Thread(target=loopback.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        yield loopback
        loopback.released.set()
        loopback.shutdown()


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RIOT_API_KEY", "LOLESPORTS_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def waits() -> list[float]:
    "The waits of a fetcher that does not really wait."
    return []


@pytest.fixture
def quick(waits: list[float]) -> dict[str, object]:
    "Options of a fetcher for tests."
    return {"pause": 0, "jitter": 0, "sleep": waits.append, "timeout": 10}


def one(server: Loopback, tmp_path: Path, **options: object) -> tuple[bytes | None, Fetcher]:
    fetcher = Fetcher(**options)
    return fetcher.fetch(Ask(f"{server.base}/game", tmp_path / "game.json")), fetcher


# --- one payload, every fault

FAULTS = {
    "429": (429, {}, b""), "500": (500, {}, b"oops"), "502": (502, {}, GATEWAY), "503": (503, {}, b""), "gateway page": ok(GATEWAY), "empty": ok(b""), "not JSON": ok(b'{"game": '),
    "cut": ("cut", {}, b'{"game": 1, "moves": "many"}'), "chunked cut": ("chunked cut", {}, b'{"game": 1, "moves": "many"}'), "reset": ("reset", {}, b""), "hang": ("hang", {}, b""),
    "trickle": ("trickle", {}, b'{"game": 1, "moves": "many"}'), "gzip cut": (200, {"Content-Encoding": "gzip"}, b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xabV"),
    "bad UTF-8": ok(b'{"game": "\xff\xfe"}')}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_tried_again(server: Loopback, tmp_path: Path, quick: dict, waits: list[float], fault: str):
    "One fault, then the payload: two requests, one wait, the file whole."
    server.answers(FAULTS[fault], ok({"game": 1}))
    body, fetcher = one(server, tmp_path, **quick | ({"timeout": 1.0, "deadline": 1.0} if fault in ("hang", "trickle") else {}))
    assert json.loads(body) == {"game": 1} and (tmp_path / "game.json").read_bytes() == body
    assert fetcher.account.asked == 2 == len(server.seen) and waits == [1.0] and fetcher.account.complete


@pytest.mark.parametrize("fault", ["429", "503", "gateway page", "cut", "reset"])
def test_a_fault_that_stays_is_reported_by_name(server: Loopback, tmp_path: Path, quick: dict, waits: list[float], fault: str):
    "Finite tries, waits that double, a reason, and no file, not even a part of one."
    server.answers(FAULTS[fault])
    body, fetcher = one(server, tmp_path, tries=4, **quick)
    assert body is None and len(server.seen) == 4 and waits == [1.0, 2.0, 4.0] and list(tmp_path.iterdir()) == []
    kinds = {"429": "rate limited", "503": "server error", "cut": "connection lost", "reset": "connection lost"}
    assert fetcher.account.failed["game.json"].startswith(kinds.get(fault, fault) + ": ")


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 410, 422])
def test_other_refusals_are_not_tried_again(server: Loopback, tmp_path: Path, quick: dict, status: int):
    server.answers((status, {}, b'{"message": "BAD_QUERY_PARAMETER"}'))
    body, fetcher = one(server, tmp_path, **quick)
    assert body is None and len(server.seen) == 1 and f"HTTP {status}" in fetcher.account.failed["game.json"] and "BAD_QUERY" in fetcher.account.failed["game.json"]


def test_retry_after_is_kept_as_seconds_and_as_date(server: Loopback, tmp_path: Path, quick: dict, waits: list[float]):
    then = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=40), usegmt=True)
    past = format_datetime(datetime.now(timezone.utc) - timedelta(seconds=40), usegmt=True)
    server.answers((429, {"Retry-After": "17"}, b""), (503, {"Retry-After": then}, b""), (429, {"Retry-After": past}, b""), (429, {"Retry-After": "soon"}, b""), ok({}))
    body, _ = one(server, tmp_path, **quick)
    assert body == b"{}" and waits[0] == 17 and 35 <= waits[1] <= 40 and waits[2:] == [4.0, 8.0]


def test_a_wait_that_is_too_long_leaves_the_host_alone(server: Loopback, tmp_path: Path, quick: dict, waits: list[float]):
    server.answers((429, {"Retry-After": "3600"}, b""))
    fetcher = Fetcher(**quick)
    for number in range(3):
        fetcher.fetch(Ask(f"{server.base}/{number}", tmp_path / f"{number}.json"))
    assert len(server.seen) == 1 and waits == [] and list(fetcher.account.not_asked) == ["1.json", "2.json"] and "3600 s" in fetcher.account.not_asked["1.json"]


def test_a_wait_holds_for_the_next_payload_too(server: Loopback, tmp_path: Path, quick: dict, waits: list[float]):
    "Where the tries are used up, the host's wait still comes before anything else is asked of it."
    server.script = lambda path, query, count: (429, {"Retry-After": "7"}, b"") if path == "/1" else ok({})
    fetcher = Fetcher(tries=1, **quick)
    for number in (1, 2):
        fetcher.fetch(Ask(f"{server.base}/{number}", tmp_path / f"{number}.json"))
    assert len(waits) == 1 and 6 < waits[0] <= 7 and fetcher.account.saved == 1


def test_a_host_that_is_down_is_not_hammered(server: Loopback, tmp_path: Path, quick: dict):
    server.answers((503, {}, b""))
    fetcher = Fetcher(tries=2, give_up=3, **quick)
    for number in range(50):
        fetcher.fetch(Ask(f"{server.base}/{number}", tmp_path / f"{number}.json"))
    account = fetcher.account
    assert len(server.seen) == account.asked == 6 and len(account.failed) == 3 and len(account.not_asked) == 47 and not account.complete


def test_missing_games_do_not_stop_a_host(server: Loopback, tmp_path: Path, quick: dict):
    server.answers((404, {}, b""))
    fetcher = Fetcher(**quick)
    for number in range(9):
        fetcher.fetch(Ask(f"{server.base}/{number}", tmp_path / f"{number}.json"))
    assert len(server.seen) == 9 and not fetcher.account.not_asked


def test_nobody_listens(tmp_path: Path, quick: dict):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        fetcher = Fetcher(tries=2, **quick)
        assert fetcher.fetch(Ask(f"http://127.0.0.1:{taken.getsockname()[1]}/", tmp_path / "x.json")) is None
    assert fetcher.account.failed["x.json"].startswith("connection lost: the connection to 127.0.0.1 was lost (connection refused)")


def test_pauses_between_requests_to_a_host(server: Loopback, tmp_path: Path):
    "Real time, measured at the server; a mapping gives a host its own pause."
    for pause in (0.15, {"127.0.0.1": 0.15}):
        server.seen.clear()
        fetcher = Fetcher(pause=pause)
        for number in range(3):
            fetcher.fetch(Ask(f"{server.base}/{number}", tmp_path / f"{number}.json"), refresh=True)
        times = [when for _, _, when in server.seen]
        assert all(after - before > 0.12 for before, after in zip(times, times[1:]))


def test_jitter_lengthens_waits_a_little(server: Loopback, tmp_path: Path, quick: dict, waits: list[float]):
    server.answers((503, {}, b""), (503, {}, b""), ok({}))
    one(server, tmp_path, **quick | {"jitter": 0.5})
    assert 1.0 < waits[0] <= 1.5 and 2.0 < waits[1] <= 3.0


def test_the_agent_names_the_project_and_proxies_are_not_used_here(server: Loopback, tmp_path: Path, quick: dict, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    body, _ = one(server, tmp_path, **quick)
    assert body and server.seen[0][1]["user-agent"].startswith("gamecommbench/")


def test_a_compressed_payload_is_unpacked(server: Loopback, tmp_path: Path, quick: dict):
    import gzip
    server.answers((200, {"Content-Encoding": "gzip"}, gzip.compress(b'{"game": 5}')))
    assert one(server, tmp_path, **quick)[0] == b'{"game": 5}' == (tmp_path / "game.json").read_bytes()


def test_a_damaged_file_is_asked_again_and_a_whole_one_is_not(server: Loopback, tmp_path: Path, quick: dict):
    (tmp_path / "game.json").write_bytes(b'{"game": ')
    one(server, tmp_path, **quick)
    body, fetcher = one(server, tmp_path, **quick)
    assert len(server.seen) == 1 and body == (tmp_path / "game.json").read_bytes() and (fetcher.account.asked, fetcher.account.present) == (0, 1)


def test_a_folder_that_cannot_be_written_is_one_clear_line(server: Loopback, tmp_path: Path, quick: dict):
    (tmp_path / "out").write_text("a file")
    with pytest.raises(BenchError, match="cannot be (written|read)"):
        Fetcher(**quick).fetch(Ask(f"{server.base}/game", tmp_path / "out" / "game.json"))


@pytest.mark.parametrize("address", ["file:///etc/passwd", "ftp://example.org", "example.org", "http://", "http://me:secret@example.org", "http://example.org/a b"])
def test_addresses_that_are_none(address: str, tmp_path: Path):
    for fetch in (lambda: fetch_fox(["1"], tmp_path, base=address), lambda: fetch_riot(["EUW1_1"], tmp_path, base=address), lambda: fetch_lolesports(["4711001"], tmp_path, feed=address)):
        with pytest.raises(BenchError, match="is no address") as caught:
            fetch()
        assert "secret" not in str(caught.value)


# --- keys

def test_a_key_never_shows(server: Loopback, tmp_path: Path, quick: dict, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]):
    "The server quotes the key in every way it can; files, names, account, progress and output stay clean."
    monkeypatch.setenv("RIOT_API_KEY", KEY + "\n")
    quotes = json.dumps({"status": {"message": f"{'this is a long story ' * 5}{KEY}"}}).encode()  # an excerpt would cut the key in two
    faults = [(500, {}, quotes), (429, {"Retry-After": KEY}, quotes), (200, {}, f"<title>{KEY}</title>".encode()), (200, {}, f"{KEY}{{".encode()), ("cut", {}, quotes),
              (200, {}, json.dumps({"info": {}, "metadata": {"matchId": KEY}}).encode()), (404, {}, quotes)]
    ends = [(302, {"Location": f"http://{KEY}.example.org/"}, b""), (403, {}, quotes)]
    lines: list[str] = []
    for number, answers in enumerate([*([fault] for fault in faults), *([end] for end in ends)]):
        server.answers(*answers)
        account = fetch_riot([f"EUW1_{number}"], tmp_path, base=server.base, progress=lines.append, tries=2, **quick)
        lines += [*account.lines(), repr(account)]
        assert account.failed
    server.answers(ok({"metadata": {"matchId": "EUW1_99"}, "info": {}}))
    lines += fetch_riot(["EUW1_99"], tmp_path, base=server.base, progress=lines.append, **quick).lines()
    assert all(headers["x-riot-token"] == KEY for _, headers, _ in server.seen) and not any(KEY in path for path in server.paths)
    said = "\n".join(lines) + "".join(capfd.readouterr())
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) == 2 and "[key]" in said
    for text in (said, *(str(path) for path in files), *(path.read_text() for path in files)):
        assert "5ecr3t" not in text.lower() and "rgapi" not in text.lower()


def test_a_missing_key_is_one_clear_line_and_no_request(server: Loopback, tmp_path: Path, quick: dict):
    account = fetch_riot(["EUW1_1", "EUW1_2"], tmp_path, base=server.base, **quick)
    assert server.seen == [] and account.asked == 0 and len(account.failed) + len(account.not_asked) == 4
    assert account.failed == {"EUW1_1.json": "key missing: 127.0.0.1 needs a key: set the environment variable RIOT_API_KEY"}
    account = fetch_lolesports(["BFX vs NS, 2026-08-27"], tmp_path, catalogue=server.base, feed=server.base, **quick)
    assert server.seen == [] and "LOLESPORTS_API_KEY" in account.failed["getSchedule_all"]


def test_a_refused_key_ends_it(server: Loopback, tmp_path: Path, quick: dict, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RIOT_API_KEY", KEY)
    server.answers((403, {}, b'{"status": {"message": "Forbidden", "status_code": 403}}'))
    account = fetch_riot([f"EUW1_{number}" for number in range(20)], tmp_path, base=server.base, **quick)
    assert len(server.seen) == 1 and account.failed["EUW1_0.json"].startswith("key refused: HTTP 403") and len(account.not_asked) == 39


@pytest.mark.parametrize(("key", "url", "kind"), [("two words", "https://example.org", "key missing"), ("na\u00efve", "https://example.org", "key missing"), ("a\r\nb: c", "https://example.org", "key missing"),
                                                  ("good", "http://example.org/x", "key withheld"), ("good", "http://localhost.example.org/x", "key withheld")])
def test_keys_that_are_not_sent(key: str, url: str, kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("RIOT_API_KEY", key)
    with pytest.raises(FetchError) as caught:
        key_headers(Ask(url, tmp_path / "x", keys={"X-Riot-Token": "RIOT_API_KEY"}))
    assert caught.value.kind == kind and key not in str(caught.value)


def test_a_redirect_is_not_followed(server: Loopback, tmp_path: Path, quick: dict, monkeypatch: pytest.MonkeyPatch):
    "A key in a header would travel to the other host."
    monkeypatch.setenv("RIOT_API_KEY", KEY)
    with Loopback() as other:
        threading.Thread(target=other.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        server.answers((302, {"Location": f"{other.base}/elsewhere"}, b""))
        account = fetch_riot(["EUW1_1"], tmp_path, base=server.base, **quick)
        assert other.seen == [] and account.failed["EUW1_1.json"].startswith("moved: ")
        other.shutdown()


# --- Fox

def fox_game(chessid: str) -> bytes:
    return json.dumps({"result": 0, "chessid": chessid, "flag": 1, "chess": "(;GM[1]FF[4]\\r\\nSZ[19]KM[375];B[pd]C[黑])"}, ensure_ascii=False).encode()


class FoxGames:
    "A user with many games; `cursor` says which parameter pages, if any."

    def __init__(self, number: int, cursor: str = "lastCode") -> None:
        self.ids, self.cursor = [str(1785337045010001403 - n) for n in range(number)], cursor

    def __call__(self, path: str, query: dict[str, str], count: int) -> Answer:
        if path.endswith("YHWQFetchChessList"):
            after = self.ids.index(query[self.cursor]) + 1 if self.cursor in query else 0
            rows = [{"chessid": chessid, "commenttype": index % 2} for index, chessid in enumerate(self.ids)][after:after + min(200, int(query["fetchnum"]))]
            return ok({"result": 0, "dstuid": query["dstuid"], "chesslist": rows})
        if path.endswith("QueryUserInfoPanel"):
            return ok({"result": 0, "uid": "6757425"} if query["username"] == "柯洁" else UNKNOWN_USER)
        return ok(fox_game(query["chessid"]))


def test_fox_pages_by_the_last_chessid(server: Loopback, tmp_path: Path, quick: dict):
    server.script = games = FoxGames(430)
    account = fetch_fox(["柯洁"], tmp_path, base=server.base, users_base=server.base, **quick)
    lists = [path for path in server.paths if "List" in path]
    assert len(lists) == 3 and f"lastCode={games.ids[199]}" in lists[1] and "type=1" in lists[0] and "fetchnum=200" in lists[0]
    assert {path.stem for path in tmp_path.glob("*.json")} == set(games.ids) and account.complete and account.saved == 434


def test_fox_says_when_the_server_does_not_page(server: Loopback, tmp_path: Path, quick: dict):
    server.script = FoxGames(430, cursor="nothing")
    account = fetch_fox(["6757425"], tmp_path, base=server.base, **quick)
    assert len(list(tmp_path.glob("*.json"))) == 200 and len([path for path in server.paths if "List" in path]) == 2
    assert account.notes == ["list of 6757425: the server repeats its page, so only the newest 200 games can be had"]


def test_fox_limit_and_commented_only(server: Loopback, tmp_path: Path, quick: dict):
    server.script = games = FoxGames(30)
    fetch_fox(["6757425"], tmp_path, base=server.base, limit=4, commented_only=True, **quick)
    assert sorted(path.stem for path in tmp_path.glob("*.json")) == sorted(games.ids[1:8:2])


def test_fox_errors_in_disguise(server: Loopback, tmp_path: Path, quick: dict):
    "HTTP 200 with a result, a gateway page for good, another game than asked for, a game without moves."
    games = {"11": ok(FETCH_FAILED), "12": ok(GATEWAY), "13": ok(fox_game("99")), "14": ok({"result": 0, "chessid": "14", "chess": ""}), "15": ok([1]), "16": ok(fox_game("16"))}
    server.script = lambda path, query, count: ok(UNKNOWN_USER) if "username" in query else games[query["chessid"]]
    account = fetch_fox(["Nobody", *(f"game:{chessid}" for chessid in games)], tmp_path, base=server.base, users_base=server.base, tries=3, **quick)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["16.json"]
    assert {label: why.partition(":")[0] for label, why in account.failed.items()} == {
        "user Nobody": "source refused", "11.json": "source refused", "12.json": "gateway page", "13.json": "other payload", "14.json": "no game", "15.json": "unexpected payload"}
    assert "101201" in account.failed["user Nobody"] and "FetchChessFromDB Failed!!" in account.failed["11.json"] and "502 Bad Gateway" in account.failed["12.json"]
    counts = Counter(path.partition("chessid=")[2] for path in server.paths)
    assert (counts["11"], counts["12"], counts["14"], counts["15"], counts["16"]) == (3, 3, 1, 1, 1)


def test_fox_chessids_are_text_and_never_paths(server: Loopback, tmp_path: Path, quick: dict):
    rows = [{"chessid": chessid} for chessid in ("../../evil", 1.785337045010001403e18, None, True, "17\n", 1785337045010001403, "1785337045010001404")]
    server.script = lambda path, query, count: ok({"result": 0, "chesslist": rows}) if "List" in path else ok(fox_game(query["chessid"]))
    account = fetch_fox(["4711"], tmp_path / "out", base=server.base, **quick)
    files = [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.json")]
    assert sorted(files) == ["out/1785337045010001403.json", "out/1785337045010001404.json", "out/lists/4711_1.json"] and "left out: 5" in account.notes[0]


def test_fox_a_storm_of_faults_loses_nothing(server: Loopback, tmp_path: Path, quick: dict):
    "Every address fails once, each in another way; all games arrive whole."
    games, faults = FoxGames(40), list(FAULTS[name] for name in FAULTS if name not in ("hang", "trickle"))
    order: dict[str, int] = {}

    def script(path: str, query: dict[str, str], count: int) -> Answer:
        number = order.setdefault(f"{path}{query}", len(order))
        return faults[number % len(faults)] if count == 1 else games(path, query, count)
    server.script = script
    account = fetch_fox(["6757425"], tmp_path, base=server.base, **quick)
    assert account.complete and account.asked == 2 * 41 and {path.stem for path in tmp_path.glob("*.json")} == set(games.ids)
    assert all(path.read_bytes() == fox_game(path.stem) for path in tmp_path.glob("*.json"))


def test_fox_resumes_after_a_kill(server: Loopback, tmp_path: Path, quick: dict):
    "A process is killed while a payload is on its way: whole files only, and the next run asks for the rest alone."
    games, half = FoxGames(12), threading.Event()

    def script(path: str, query: dict[str, str], count: int) -> Answer:
        if query.get("chessid") == games.ids[5] and count == 1:
            half.set()
            return "trickle", {}, fox_game(games.ids[5])
        return games(path, query, count)
    server.script = script
    code = f"from gamecommbench.collect.fox_client import fetch_fox; fetch_fox(['6757425'], {str(tmp_path)!r}, base={server.base!r}, pause=0)"
    process = subprocess.Popen([sys.executable, "-c", code])
    assert half.wait(30)
    time.sleep(0.3)
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    assert {path.stem for path in tmp_path.glob("*.json")} == set(games.ids[:5])
    before = len(server.seen)
    account = fetch_fox(["6757425"], tmp_path, base=server.base, **quick)
    assert [path.partition("chessid=")[2] for path in server.paths[before:]] == games.ids[5:]
    assert account.complete and (account.present, account.saved) == (6, 7) and {path.stem for path in tmp_path.glob("*.json")} == set(games.ids)


@pytest.mark.parametrize("text", ["0", "", "game:abc", "user:柯洁", "user:0"])
def test_fox_texts_that_mean_nothing(text: str):
    with pytest.raises(BenchError, match="no user or game"):
        fox_wanted(text)


def test_fox_real_payloads(server: Loopback, tmp_path: Path, quick: dict, shared: Path):
    "The list and the game that the server really sent, kept byte for byte; its real errors by name."
    samples = shared / "samples" / "go_fox"
    game, listed = (samples / "YHWQFetchChess_commented_payload.json").read_bytes(), (samples / "YHWQFetchChessList_response.json").read_bytes()
    failed, unknown = (samples / "err_fetch_failed.json").read_bytes(), (samples / "err_unknown_user.json").read_bytes()
    server.script = lambda path, query, count: ok(listed if "List" in path else unknown if "username" in query else game if query["chessid"] == "1785337045010001403" else failed)
    account = fetch_fox(["6757425", "Nobody", "1785337045010001499"], tmp_path, base=server.base, users_base=server.base, commented_only=True, **quick)
    assert (tmp_path / "1785337045010001403.json").read_bytes() == game and (tmp_path / "lists" / "6757425_1.json").read_bytes() == listed
    assert sorted(account.failed) == ["1785337045010001499.json", "user Nobody"] and all(why.startswith("source refused") for why in account.failed.values())


# --- LoL Esports and Riot

BEGIN = datetime(2026, 8, 27, 8, 30, 2, tzinfo=timezone.utc)
TEAMS = [{"id": "1", "name": "BNK FEARX", "code": "BFX"}, {"id": "2", "name": "Nongshim RedForce", "code": "NS"}]


def event(match_id: str, start: str, teams: list[dict] = TEAMS, **more: object) -> dict:
    return {"startTime": start, "state": "completed", "type": "match", "match": {"id": match_id, "teams": teams} | more}


def details_of(*states: str) -> list[dict]:
    return [{"number": number, "id": f"47110{number:02d}", "state": state, "teams": [{"id": "1", "side": "red"}, {"id": "2", "side": "blue"}]} for number, state in enumerate(states, 1)]


class Esports:
    "A catalogue of weekly matches in three pages, and a feed with one game of 75 seconds."

    def __init__(self, states: tuple[str, ...] = ("completed", "completed", "unneeded"), finishes: bool = True, paused: range = range(0)) -> None:
        self.states, self.moments, self.finishes = states, [BEGIN + timedelta(seconds=n) for n in range(0, 75, 3) if n not in paused], finishes
        weeks = [event(f"4711{week:03d}", f"{date(2026, 8, 6) + timedelta(weeks=week)}T07:00:00Z") for week in range(9)]
        self.pages = {"": (weeks[3:6], "older", "newer"), "older": (weeks[:3], "", ""), "newer": (weeks[6:], "", "")}

    def __call__(self, path: str, query: dict[str, str], count: int) -> Answer:
        if path.endswith("getSchedule"):
            events, older, newer = self.pages[query.get("pageToken", "")]
            return ok({"data": {"schedule": {"pages": {"older": older or None, "newer": newer or None}, "events": [*events, {"type": "show", "startTime": "2026-01-01T00:00:00Z"}]}}})
        if path.endswith("getEventDetails"):
            return ok({"data": {"event": {"id": query["id"], "match": {"teams": TEAMS, "games": details_of(*self.states)}}}})
        if path.endswith("getLeagues"):
            return ok({"data": {"leagues": [{"id": "77", "slug": "lck", "name": "LCK"}]}})
        return self.feed(path, query)

    def feed(self, path: str, query: dict[str, str]) -> Answer:
        at = datetime.fromisoformat(query["startingTime"]) if "startingTime" in query else BEGIN - timedelta(seconds=2)
        if at.second % 10 or at.microsecond:
            return 400, {}, b'{"message": "BAD_QUERY_PARAMETER"}'
        found = [moment for moment in self.moments if at <= moment < at + timedelta(seconds=10)]
        frames = [{"rfc460Timestamp": moment.isoformat().replace("+00:00", "Z"), "gameState": "finished" if self.finishes and moment == self.moments[-1] else "in_game"} for moment in found]
        return ok({"esportsGameId": "4711001", "frames": frames} if "window" in path else {"frames": frames}) if frames else (204, {}, b"")


def lol(server: Loopback, quick: dict) -> dict[str, object]:
    return {"catalogue": server.base, "feed": server.base} | quick


def test_lol_a_game_by_its_teams(server: Loopback, tmp_path: Path, quick: dict, monkeypatch: pytest.MonkeyPatch):
    "An older page of the schedule, the details, the first frames, then windows to the end; a second run asks for nothing."
    monkeypatch.setenv("LOLESPORTS_API_KEY", KEY)
    server.script = Esports()
    account = fetch_lolesports(["nongshim redforce vs bfx, 2026-08-13"], tmp_path, league="LCK", **lol(server, quick))
    calls = [path.partition("?")[0].strip("/").partition("/")[0] for path in server.paths]
    assert calls[:5] == ["getLeagues", "getSchedule", "getSchedule", "getEventDetails", "window"] and calls.count("window") == 9 and calls.count("details") == 2
    assert account.complete and "Nongshim RedForce (blue)" in account.notes[0]
    frames = [frame for path in sorted((tmp_path / "4711001").glob("window_*.json")) for frame in json.loads(path.read_bytes())["frames"]]
    assert len(frames) == 25 and frames[-1]["gameState"] == "finished" and json.loads((tmp_path / "4711001" / "walk.json").read_text())["ended"] == "finished"
    before = len(server.seen)
    assert fetch_lolesports(["NS vs BFX, 2026-08-13"], tmp_path, league="LCK", **lol(server, quick)).complete and len(server.seen) == before
    assert all(headers["x-api-key"] == KEY for _, headers, _ in server.seen)


def test_lol_newer_pages_and_stale_details(server: Loopback, tmp_path: Path, quick: dict, monkeypatch: pytest.MonkeyPatch):
    "Details that were taken before the game are asked anew, once."
    monkeypatch.setenv("LOLESPORTS_API_KEY", KEY)
    server.script = Esports(states=("unstarted",))
    first = fetch_lolesports(["BFX vs NS, 2026-09-24"], tmp_path, **lol(server, quick))
    assert "not played" in str(first.failed) and "pageToken=newer" in server.paths[1] and len(server.seen) == 3
    server.script = Esports()
    second = fetch_lolesports(["BFX vs NS, 2026-09-24"], tmp_path, **lol(server, quick))
    assert second.complete and sum("getEventDetails" in path for path in server.paths) == 2


def test_lol_a_walk_without_an_end_stops(server: Loopback, tmp_path: Path, quick: dict):
    server.script = Esports(finishes=False)
    account = fetch_lolesports(["4711001"], tmp_path, quiet=4, details_every=0, **lol(server, quick))
    assert len(server.seen) == 1 + 8 + 4 and "no new frames" in account.notes[0] and json.loads((tmp_path / "4711001" / "walk.json").read_text())["ended"] == "quiet"
    assert not any("x-api-key" in headers for _, headers, _ in server.seen)


def test_lol_a_pause_is_walked_through(server: Loopback, tmp_path: Path, quick: dict):
    server.script = Esports(paused=range(18, 57))
    account = fetch_lolesports(["4711001"], tmp_path, quiet=4, details_every=1, **lol(server, quick))
    assert account.complete and account.notes == [] and json.loads((tmp_path / "4711001" / "window_20260827T083030Z.json").read_text()) == {"frames": []}


def test_lol_a_failing_window_ends_the_walk_and_the_next_run_goes_on(server: Loopback, tmp_path: Path, quick: dict):
    feed = Esports()
    server.script = lambda path, query, count: (503, {}, b"") if query.get("startingTime", "").startswith("2026-08-27T08:30:30") and count < 4 else feed(path, query, count)
    first = fetch_lolesports(["4711001"], tmp_path, tries=2, **lol(server, quick))
    assert list(first.failed) == ["4711001/window_20260827T083030Z"] and "run again" in first.notes[0]
    before = len(server.seen)
    second = fetch_lolesports(["4711001"], tmp_path, tries=2, **lol(server, quick))
    assert second.complete and second.present == 5 and not any("08%3A30%3A20" in path for path in server.paths[before:])


def test_lol_a_running_game_is_left_a_minute_behind(server: Loopback, tmp_path: Path, quick: dict):
    server.script = Esports()
    walk = Walk(Fetcher(**quick), "4711001", tmp_path / "4711001", server.base, details_every=0, now=lambda: BEGIN + timedelta(seconds=80))
    assert walk_game(walk) == "running" and max(walk.folder.glob("window_*")).name == "window_20260827T083020Z.json"
    walk.now = lambda: BEGIN + timedelta(hours=1)
    assert walk_game(walk) == "finished"


def test_lol_games_without_statistics(server: Loopback, tmp_path: Path, quick: dict):
    for answer, kind in (((204, {}, b""), "no content"), (ok({"esportsGameId": "4711001", "frames": []}), "no frames"), ((404, {}, b""), "not found"), (ok(GATEWAY), "gateway page")):
        server.answers(answer)
        account = fetch_lolesports(["4711001"], tmp_path / kind, tries=2, **lol(server, quick))
        assert account.failed["4711001/first"].startswith(kind) and "stopped" not in account.failed
    server.answers(ok({"esportsGameId": "5", "frames": []}))
    assert fetch_lolesports(["4711001"], tmp_path / "other", tries=2, **lol(server, quick)).failed["4711001/first"].startswith("other payload")


def test_lol_catalogue_errors_in_disguise(server: Loopback, tmp_path: Path, quick: dict, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LOLESPORTS_API_KEY", KEY)
    catalogue = Esports()
    for number, (answer, kind) in enumerate([(ok({"errors": [{"message": "Invalid id"}]}), "source refused: Invalid id"), (ok({"data": {"event": None}}), "not found"), (ok(GATEWAY), "gateway page")]):
        server.script = lambda path, query, count: answer if path.endswith("Details") else catalogue(path, query, count)
        account = fetch_lolesports(["BFX vs NS, 2026-08-27"], tmp_path / str(number), tries=2, **lol(server, quick))
        assert account.failed["getEventDetails_4711003"].startswith(kind) and not account.complete


def test_lol_real_windows(server: Loopback, tmp_path: Path, quick: dict, shared: Path):
    "The real window and details, kept byte for byte; the sample holds one frame, so the walk ends by patience."
    samples = shared / "samples" / "lol"
    window, details = (next(samples.glob(f"livestats_{kind}_*.json")).read_bytes() for kind in ("window", "details"))
    server.script = lambda path, query, count: ok(window if "window" in path else details)
    game_id = json.loads(window)["esportsGameId"]
    account = fetch_lolesports([game_id], tmp_path, quiet=3, **lol(server, quick))
    assert account.failed == {} and (tmp_path / game_id / "window_20260827T083000Z.json").read_bytes() == window
    assert (tmp_path / game_id / "details_20260827T083000Z.json").read_bytes() == details and all("window" in path or "details" in path for path in server.paths)


def test_riot_real_matches(server: Loopback, tmp_path: Path, quick: dict, shared: Path, monkeypatch: pytest.MonkeyPatch):
    "A match, a remake, a timeline and an aborted game's timeline, byte for byte."
    monkeypatch.setenv("RIOT_API_KEY", KEY)
    bodies = {name: (shared / "samples" / "lol" / f"match_v5_{name}.json").read_bytes() for name in ("match", "match_remake", "timeline_trimmed", "timeline_abort_unexpected")}
    ids = {name: json.loads(body).get("metadata", {}).get("matchId", "BR1_1") for name, body in bodies.items()}
    files = {f"/lol/match/v5/matches/{ids[name]}" + ("/timeline" if "timeline" in name else ""): bodies[name] for name in bodies}
    server.script = lambda path, query, count: ok(files[path]) if path in files else (404, {}, b'{"status":{"message":"Data not found - match file not found","status_code":404}}')
    account = fetch_riot(ids.values(), tmp_path, region="americas", base=server.base, **quick)
    for name, body in bodies.items():
        assert (tmp_path / f"{ids[name]}{'_timeline' if 'timeline' in name else ''}.json").read_bytes() == body
    assert len(account.failed) == 4 and all("Data not found" in why for why in account.failed.values())


def test_riot_regions_and_ids(tmp_path: Path):
    account = fetch_riot(["KR_1", "EUW1_2", "XX9_3"], tmp_path, region="europe", dry=True)
    assert len(account.planned) == 4 and "region='asia'" in account.failed["KR_1"]
    for ids, region in ((["../x"], "europe"), (["EUW1_1"], "moon")):
        with pytest.raises(BenchError, match="no match id|no region"):
            fetch_riot(ids, tmp_path, region=region, dry=True)


# --- dry runs

def test_dry_runs_send_nothing_and_write_nothing(server: Loopback, tmp_path: Path, quick: dict):
    "No key is needed either; the addresses are those that a real run asks first."
    out = tmp_path / "out"
    fox = fetch_fox(["6757425", "柯洁", "1785337045010001403"], out, dry=True, base=server.base, users_base=server.base, **quick)
    riot = fetch_riot(["EUW1_1"], out, dry=True, base=server.base, **quick)
    esports = fetch_lolesports(["4711001", "BFX vs NS, 2026-08-27"], out, dry=True, **lol(server, quick))
    assert server.seen == [] and not out.exists() and not any(account.asked or account.failed for account in (fox, riot, esports))
    assert len(fox.planned) == 3 and [url.removeprefix(server.base) for url in riot.planned] == ["/lol/match/v5/matches/EUW1_1", "/lol/match/v5/matches/EUW1_1/timeline"]
    assert esports.planned == [f"{server.base}/window/4711001", f"{server.base}/getSchedule?hl=en-US"]


def test_a_dry_run_knows_what_is_there(server: Loopback, tmp_path: Path, quick: dict):
    server.script = games = FoxGames(5)
    fetch_fox(["6757425"], tmp_path, base=server.base, limit=2, **quick)
    before = len(server.seen)
    account = fetch_fox(["6757425"], tmp_path, dry=True, base=server.base, **quick)
    assert len(server.seen) == before and account.present == 3 and [url.partition("chessid=")[2] for url in account.planned] == games.ids[2:]


# --- looking games up, without any server

def test_resolve_game_says_what_is_wrong():
    games = {"games": details_of("completed", "inProgress", "unneeded")}
    events = [event("1", "2026-08-27T07:00:00Z", **games), event("2", "2026-08-28T07:00:00Z"), event("3", "2026-08-29T01:00:00+09:00"), {"type": "show"}]
    found = resolve_game(events, ("BFX", "nongshim  redforce"), date(2026, 8, 27), 2)
    assert (found.game_id, found.match_id, found.state, found.blue, found.red) == ("4711002", "1", "inProgress", "Nongshim RedForce", "BNK FEARX")
    wrong = {("NS", "BFX", 27, 3): "not played", ("NS", "BFX", 27, 9): "none found", ("NS", "T1", 27, 1): "none found", ("NS", "BFX", 26, 1): "none found",
             ("NS", "NS", 27, 1): "none found", ("", "NS", 27, 1): "none found", ("NS", "BFX", 28, 1): "ambiguous", ("NS", "BFX", 29, 1): "none found"}
    for (one_team, other, day, number), kind in wrong.items():
        with pytest.raises(LookupFailed) as caught:
            resolve_game(events, (one_team, other), date(2026, 8, day), number)
        assert caught.value.kind == kind and "\n" not in str(caught.value)
    with pytest.raises(LookupFailed, match="2026-08-27, 2026-08-28"):  # 01:00 in Seoul is the day before in UTC
        resolve_game(events, ("NS", "BFX"), date(2026, 8, 26))


@pytest.mark.parametrize("text", ["", "4711", "BFX NS 2026-08-27", "BFX vs NS", "BFX vs NS, 27.8.2026", "BFX vs NS, 2026-02-30"])
def test_texts_that_name_no_game(text: str):
    with pytest.raises(BenchError, match="is no game"):
        game_wanted(text)


def test_a_start_belongs_to_one_game(tmp_path: Path):
    with pytest.raises(BenchError, match="a start belongs to one game"):
        fetch_lolesports(["4711001", "4711002"], tmp_path, start="2026-08-27T08:30:00Z", dry=True)
    planned = fetch_lolesports("4711001", tmp_path, start="2026-08-27T10:30:17+02:00", dry=True).planned
    assert planned == ["https://feed.lolesports.com/livestats/v1/window/4711001?startingTime=2026-08-27T08%3A30%3A10.000Z"]


def test_no_key_is_written_in_the_package():
    "The package knows the names of keys, never a key."
    sources = "".join(path.read_text(encoding="utf-8") for path in (Path(__file__).parents[1] / "gamecommbench" / "collect").glob("*.py"))
    assert "RIOT_API_KEY" in sources and not [word for word in ("RGAPI-", "0TvQ") if word in sources] and os.environ.get("RIOT_API_KEY") is None
