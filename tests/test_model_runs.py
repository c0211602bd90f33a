"""The main job with models, against a loopback server in a process of its own: faults, kills, reruns, money, errors, report."""
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import pytest

from gamecommbench.report.html import write_report
from gamecommbench.tace.scores import Judgement

COMMAND = [sys.executable, "-c", "from gamecommbench.cli import main; main()"]
KEY = "sk-test-0123456789abcdefSECRET"
GAME = """[Event "Club evening {number}"]
[Site "Leeds"]
[White "Ann Ash"]
[Black "Ben Birch"]
[Result "1-0"]

1. e4 {{The king's pawn goes to e4 in round {number}. Ann won this game.}} e5 2. Qh5 {{The queen comes out to h5 and attacks the pawn on e5.}}
Nc6 3. Bc4 {{The bishop develops to c4. White threatens mate on f7.}} Nf6 {{The knight attacks the queen, but it is a blunder because White can mate.}} 4. Qxf7# {{Queen takes f7, checkmate.}} 1-0

"""


class Server:
    "The mock endpoint as a process."

    def __init__(self, process: subprocess.Popen, port: int) -> None:
        self.process, self.port, self.url = process, port, f"http://127.0.0.1:{port}/v1"

    def stats(self) -> dict[str, float]:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/stats") as answer:
            return json.load(answer)


@contextmanager
def serving(*options: str) -> Iterator[Server]:
    process = subprocess.Popen([sys.executable, str(Path(__file__).with_name("mock_endpoint.py")), "--seconds", "120", *options], stdout=subprocess.PIPE, text=True)
    try:
        yield Server(process, int(process.stdout.readline().split()[1]))
    finally:
        process.kill()
        process.wait()


def environment() -> dict[str, str]:
    return os.environ | {"OPENAI_API_KEY": KEY}


def arguments(place: Path, url: str, *more: str, judge: str = "openai/gpt-5.4-mini", games: int = 1, out: str = "runs/x") -> list[str]:
    pgn = place / f"games{games}.pgn"
    pgn.write_text("".join(GAME.format(number=number) for number in range(games)))
    return ["run", "--records", str(pgn), "--engine", "none", "--judge", judge, "--commentator", "openai/gpt-5.4", "--commentator", "human", "--api-base", url, "--out", out, *more]


def call(place: Path, *given: str) -> subprocess.CompletedProcess:
    done = subprocess.run([*COMMAND, *given], cwd=place, capture_output=True, text=True, env=environment(), timeout=120)
    assert KEY not in done.stdout + done.stderr and "Traceback" not in done.stderr, done.stderr
    return done


def one_line(done: subprocess.CompletedProcess) -> str:
    lines = done.stderr.strip().splitlines()
    assert done.returncode == 1 and len(lines) == 1 and lines[0].startswith("gamecommbench: "), (done.returncode, done.stderr)
    return lines[0]


def no_key_in(folder: Path) -> bool:
    return not [path for path in folder.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]


def judgements_in(folder: Path) -> list[Judgement]:
    latest = {}
    for line in (folder / "judgements.jsonl").read_text().splitlines():
        judgement = Judgement.model_validate_json(line)
        latest[judgement.record_id, judgement.commentator, judgement.branch] = judgement
    return list(latest.values())


def bill_of(done: subprocess.CompletedProcess) -> tuple[int, int, float, float, int]:
    "Calls made and answered by the ledger, dollars now and in all, the ledger's calls, as printed."
    found = re.search(r"note: ([\d,]+) calls made, ([\d,]+) answered by the ledger.*\$([\d.]+) now, \$([\d.]+) in all for the ledger's ([\d,]+) calls", done.stdout)
    assert found, done.stdout + done.stderr
    made, cached, now, whole, held = found.groups()
    return int(made.replace(",", "")), int(cached.replace(",", "")), float(now), float(whole), int(held.replace(",", ""))


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Iterator[tuple[Path, subprocess.CompletedProcess, Server]]:
    "A run that went well, and the server behind it."
    place = tmp_path_factory.mktemp("models")
    with serving("--latency", "0.01") as server:
        done = call(place, *arguments(place, server.url, "--limit", "4"))
        yield place, done, server


def test_a_run_completes_with_models_as_judge_and_commentator(finished):
    place, done, server = finished
    folder = place / "runs" / "x"
    assert done.returncode == 0, done.stderr
    scores = pl.read_parquet(folder / "scores.parquet")
    assert set(scores["commentator"]) == {"gpt-5.4", "human"} and scores["record_id"].n_unique() == 4 and not (scores["state"] == "failed").any()
    made, _, now, whole, held = bill_of(done)
    assert made == held == server.stats()["requests"] and now == whole > 0
    usage = json.loads((folder / "manifest.json").read_text())["usage"]
    assert sum(row["calls"] for row in usage) == made and abs(sum(row["usd"] for row in usage) - whole) < 1e-4
    assert {"commentary", "segment", "reference_events"} <= {row["step"] for row in usage} and {row["model"] for row in usage} == {"gpt-5.4", "gpt-5.4-mini"}
    assert no_key_in(folder)


def test_the_report_shows_prompt_reply_model_and_price_of_every_judgement(finished):
    folder = finished[0] / "runs" / "x"
    page = (folder / "report" / "index.html").read_text()
    keys = {asked["key"] for judgement in judgements_in(folder) for asked in judgement.calls}
    assert keys and all(f"prompt and reply {key[:12]}" in page for key in keys)
    parts = re.findall(r'<details class="said">.*?</details>', page, re.S)
    assert len(parts) >= len(keys) and all("raw reply" in part and re.search(r"gpt-5.4(-mini)? at http", part) and re.search(r"\$0\.\d{6}", part) for part in parts)
    assert page.count("White develops calmly here") > 4 and page.count("<td>commentary</td>") == 4  # what the model wrote, with the call behind it
    assert "is material to work on" in page and "&lt;data-" in page and "<data-" not in page


def test_a_report_with_too_much_text_names_the_keys_instead(finished, tmp_path: Path):
    folder = tmp_path / "copy"
    shutil.copytree(finished[0] / "runs" / "x", folder)
    page = write_report(folder, max_bytes=20_000).read_text()
    shown, left = page.count("<h4>raw reply</h4>"), re.findall(r"<p>gamecommbench ledger show RUN ([0-9a-f]{32})</p>", page)
    assert shown > 0 and left and f"for the first {shown} calls. {len(left)} more would make the page too large" in page
    assert "--- reply" in call(tmp_path, "ledger", "show", "copy", left[-1]).stdout


def test_a_rerun_over_the_same_ledger_asks_nobody(finished):
    place, done, server = finished
    folder, before = place / "runs" / "x", server.stats()["requests"]
    scores = (folder / "scores.parquet").read_bytes()
    again = call(place, *arguments(place, server.url, "--limit", "4", "--overwrite"))
    assert again.returncode == 0 and bill_of(again)[0] == 0 and bill_of(again)[3:] == bill_of(done)[3:]
    assert call(place, "report", "runs/x").returncode == 0
    assert server.stats()["requests"] == before and (folder / "scores.parquet").read_bytes() == scores


def test_ledger_verbs_work_on_the_run_folder(finished):
    place, done, _ = finished
    judged = next(judgement for judgement in judgements_in(place / "runs" / "x") if judgement.branch == "segmentation")
    key = judged.calls[0]["key"]
    stats, shown = call(place, "ledger", "stats", "runs/x"), call(place, "ledger", "show", "runs/x", key)
    assert stats.stdout.splitlines()[-1].split()[1] == str(bill_of(done)[4])
    assert "--- reply" in shown.stdout and "gpt-5.4-mini" in shown.stdout and judged.evidence["text"] in shown.stdout
    assert "first difference in" in call(place, "ledger", "why", "runs/x", key).stdout
    assert call(place, "ledger", "export", "runs/x", "calls.jsonl").returncode == 0
    assert len((place / "calls.jsonl").read_text().splitlines()) == bill_of(done)[4] and KEY not in (place / "calls.jsonl").read_text()
    assert "no call has" in one_line(call(place, "ledger", "show", "runs/x", "zzzz"))


def test_an_estimate_asks_nobody(finished):
    place, _, server = finished
    before = server.stats()["requests"]
    done = call(place, *arguments(place, server.url, "--limit", "4", "--estimate", out="runs/none"))
    steps = {line.split()[0]: int(line.split()[2].replace(",", "")) for line in done.stdout.splitlines()[1:] if "openai/" in line}
    assert steps["commentary"] == 4 and steps["reference_events"] == 4 and steps["segment"] >= 4 and re.search(r"^all .*0\.\d{4}", done.stdout, re.M)
    assert server.stats()["requests"] == before and not (place / "runs" / "none").exists()


def test_models_are_tried_in_a_line(finished):
    place, _, server = finished
    good = call(place, "models", "test", "openai/gpt-5.4-mini", "--api-base", server.url)
    assert good.returncode == 0 and len(good.stdout.splitlines()) == 1 and "openai/gpt-5.4-mini" in good.stdout
    bad = call(place, "models", "test", "openai/gpt-5.4-mini", "--api-base", "http://127.0.0.1:9/v1")
    assert bad.returncode == 1 and len(bad.stdout.splitlines()) == 1 and "no connection" in bad.stdout


def test_injected_faults_are_all_answered_and_nothing_is_paid_twice(tmp_path: Path):
    with serving("--latency", "0.005", "--p429", "0.1", "--p500", "0.05", "--p-malformed", "0.05") as server:
        done, stats = call(tmp_path, *arguments(tmp_path, server.url, games=2)), server.stats()
    assert done.returncode == 0, done.stderr
    made = bill_of(done)[0]
    assert min(stats["p429"], stats["p500"], stats["p_malformed"]) > 0 and stats["repeats"] == 0
    assert stats["answered"] == made and stats["requests"] == made + stats["p429"] + stats["p500"]  # a malformed reply is an answer, asked about again
    assert not [judgement for judgement in judgements_in(tmp_path / "runs" / "x") if judgement.state == "failed"] and no_key_in(tmp_path / "runs")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal as Unix has it")
def test_progress_is_shown_on_a_terminal_and_an_interrupt_is_one_line(tmp_path: Path):
    import fcntl
    import pty
    import struct
    import termios
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 160, 0, 0))
    with serving("--latency", "0.1") as server:
        given = arguments(tmp_path, server.url, "--concurrency", "2")
        process = subprocess.Popen([*COMMAND, *given], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=slave, env=environment())
        os.close(slave)
        shown, sent = b"", False
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:  # how a closed terminal reads
                break
            shown += part
            if not sent and b"judging" in shown and server.stats()["requests"] > 16:
                process.send_signal(signal.SIGINT)
                sent = True
        text = shown.decode()
        assert process.wait() == 1 and "gpt-5.4 writes" in text and re.search(r"\d+ calls, \d+ cached, 0 failed, \d+ in flight", text) and "Traceback" not in text
        assert "interrupted; what was finished is kept, go on with --resume" in text.splitlines()[-1]
        assert call(tmp_path, *given, "--resume").returncode == 0 and server.stats()["repeats"] <= 2


@pytest.mark.parametrize("share", [0.25, 0.5, 0.75])
def test_a_killed_run_goes_on(tmp_path: Path, share: float):
    concurrency = 8
    with serving("--latency", "0.03") as server:
        given = arguments(tmp_path, server.url, "--concurrency", str(concurrency), games=3)
        process = subprocess.Popen([*COMMAND, *given], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())
        deadline = time.monotonic() + 30
        while server.stats()["requests"] < share * 120 and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        before = server.stats()
        assert 0 < before["requests"] and not (tmp_path / "runs" / "x" / "scores.parquet").exists()
        done, stats = call(tmp_path, *given, "--resume"), server.stats()
    assert done.returncode == 0, done.stderr
    assert stats["repeats"] <= concurrency and bill_of(done)[0] == stats["requests"] - before["requests"]
    made, _, now, whole, held = bill_of(done)
    assert held > made and whole > now  # what the killed run paid is in the bill
    usage = json.loads((tmp_path / "runs" / "x" / "manifest.json").read_text())["usage"]
    assert sum(row["calls"] for row in usage) == held == stats["requests"] - stats["repeats"]


def test_a_budget_stops_in_a_line_and_a_larger_one_goes_on(tmp_path: Path):
    with serving("--latency", "0.01") as server:
        given = arguments(tmp_path, server.url, "--limit", "5")
        line = one_line(call(tmp_path, *given, "--budget", "0.02"))
        paid = server.stats()["requests"]
        assert "the budget of $0.02 is reached" in line and paid > 0
        usage = json.loads((tmp_path / "runs" / "x" / "manifest.json").read_text())["usage"]
        assert sum(row["calls"] for row in usage) == paid and sum(row["usd"] for row in usage) <= 0.02
        assert "is reached" in one_line(call(tmp_path, *given, "--budget", "0.02", "--resume"))  # the folder's budget, not the session's
        done = call(tmp_path, *given, "--budget", "5", "--resume")
        assert done.returncode == 0 and bill_of(done)[4] == server.stats()["requests"] and server.stats()["repeats"] == 0


def test_a_model_without_a_price_is_refused_until_it_has_one(tmp_path: Path):
    with serving() as server:
        given = arguments(tmp_path, server.url, "--limit", "1", judge="openai/mine")
        assert "openai/mine: no price is known" in one_line(call(tmp_path, *given)) and not (tmp_path / "runs" / "x").exists() and server.stats()["requests"] == 0
        (tmp_path / "prices.yaml").write_text("models:\n  openai/mine: {input: 1000, output: 1000}\n")
        priced = call(tmp_path, *given, "--prices", "prices.yaml")
        assert priced.returncode == 0 and bill_of(priced)[2] > 1
        unpriced = call(tmp_path, *arguments(tmp_path, server.url, "--limit", "1", "--allow-unpriced", judge="openai/mine", out="runs/y"))
        assert unpriced.returncode == 0 and "calls have no price" in unpriced.stdout


@pytest.mark.parametrize("mode, words", [
    ("key_refused", "key refused (401"), ("model_unknown", "model unknown (404"), ("schema_unsupported", "set `schema: object`"), ("quota", "quota used up")])
def test_what_no_call_can_get_past_stops_the_run_in_a_line(tmp_path: Path, mode: str, words: str):
    with serving("--mode", mode) as server:
        assert words in one_line(call(tmp_path, *arguments(tmp_path, server.url, "--limit", "2")))
    assert no_key_in(tmp_path / "runs")


def test_an_endpoint_that_is_down_stops_the_run_in_a_line(tmp_path: Path):
    with socket.socket() as taken:  # a port where nobody listens
        taken.bind(("127.0.0.1", 0))
        line = one_line(call(tmp_path, *arguments(tmp_path, f"http://127.0.0.1:{taken.getsockname()[1]}/v1", "--limit", "2")))
    assert "no connection" in line and "is the server running?" in line


@pytest.mark.parametrize("mode, words", [("context_too_long", "use a model with a larger context"), ("cut", "cut at the token limit"), ("content_filtered", "content filtered")])
def test_what_concerns_one_call_fails_its_scores_with_a_reason(tmp_path: Path, mode: str, words: str):
    with serving("--mode", mode) as server:
        given = arguments(tmp_path, server.url, "--limit", "2")
        given.remove("openai/gpt-5.4"), given.remove("--commentator")
        done = call(tmp_path, *given)
    assert done.returncode == 3 and "scores failed" in done.stderr
    failed = pl.read_parquet(tmp_path / "runs" / "x" / "scores.parquet").filter(pl.col("state") == "failed")
    assert len(failed) and failed["value"].null_count() == len(failed) and failed["reason"].str.contains(words, literal=True).all()
    assert words in (tmp_path / "runs" / "x" / "report" / "index.html").read_text() and no_key_in(tmp_path / "runs")
