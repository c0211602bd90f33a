"""Faults between us and the endpoint: all answered, none paid twice, killed and resumed, and no key in any output."""
import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gamecommbench.llm.errors import CallError
from gamecommbench.llm.lanes import Pace
from gamecommbench.llm.ledger import Ledger, LedgerError
from gamecommbench.llm.money import BudgetReached
from gamecommbench.llm.progress import Progress
from gamecommbench.llm.request import Request, make_request
from gamecommbench.llm.scheduler import ModelClient, map_items, run_sync
from gamecommbench.llm.settings import ModelSettings
from mock_endpoint import MockEndpoint

KEY = "sk-test-0123456789abcdefSECRET"
QUICK = Pace(first_wait=0.02, longest_wait=0.2)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def question(number: int, settings: ModelSettings, text: str = "Question") -> Request:
    return make_request(settings.sent_model, settings.endpoint, [{"role": "user", "content": f"{text} {number}"}], {"temperature": 0, "max_tokens": 64}, step="truth")


def settings_for(url: str, **changes: object) -> ModelSettings:
    return ModelSettings(**({"model": "gpt-5.4-mini", "api_base": url, "timeout": 1.0, "max_tokens": 64} | changes))


async def ask_all(ledger: Path, settings: ModelSettings, numbers: range, **options: object) -> list:
    client = ModelClient(ledger, progress=Progress(show=False), pace=QUICK, **options)
    try:
        return [pair async for pair in map_items(lambda number: client.complete(question(number, settings), settings), numbers, window=128)]
    finally:
        await client.close()


def test_faults_of_all_kinds_are_overcome(tmp_path: Path) -> None:
    with MockEndpoint(latency=0.01, p429=0.10, p500=0.05, p_drop=0.01, p_hang=0.005, hang=30, retry_after=0.02, seed=1) as mock:
        results = asyncio.run(ask_all(tmp_path / "l.sqlite", settings_for(mock.url, timeout=0.7), range(1500)))
        counts = mock.counts
        assert len(results) == 1500 and all(not outcome.problem for _, outcome in results)
        assert counts["repeats"] == 0 and min(counts[name] for name in ("p429", "p500", "p_drop", "p_hang")) > 0
        assert counts["requests"] <= 1.02 * (1500 + mock.injected())
        asyncio.run(ask_all(tmp_path / "l.sqlite", settings_for(mock.url), range(1500)))
        assert mock.counts["requests"] == counts["requests"]
    assert KEY not in (tmp_path / "l.sqlite").read_bytes().decode("latin-1")


def test_the_same_question_at_once_is_asked_once(tmp_path: Path) -> None:
    with MockEndpoint(latency=0.05) as mock:
        async def run() -> list:
            client, settings = ModelClient(tmp_path / "l.sqlite", progress=Progress(show=False)), settings_for(mock.url)
            tasks = [asyncio.create_task(client.complete(question(1, settings), settings)) for _ in range(20)]
            await asyncio.sleep(0.01)
            tasks[0].cancel()  # whoever made the call goes away: another takes over
            done = await asyncio.gather(*tasks, return_exceptions=True)
            await client.close()
            return done
        done = asyncio.run(run())
        assert isinstance(done[0], asyncio.CancelledError) and len({outcome.entry.reply for outcome in done[1:]}) == 1
        assert mock.counts["requests"] == 2  # the one that was cancelled, and one for all others


def test_concurrency_is_bounded_and_used(tmp_path: Path) -> None:
    with MockEndpoint(latency=0.05) as mock:
        begun = time.monotonic()
        asyncio.run(ask_all(tmp_path / "l.sqlite", settings_for(mock.url, concurrency=16), range(320)))
        assert mock.counts["most_in_flight"] == 16
        assert time.monotonic() - begun < 3 * 320 * 0.05 / 16


def test_first_records_come_first(tmp_path: Path) -> None:
    "Five chained calls a record, eight slots, forty records under way: the early ones are done long before the late ones."
    with MockEndpoint(latency=0.005) as mock:
        async def run() -> list[int]:
            client, settings = ModelClient(tmp_path / "l.sqlite", progress=Progress(show=False)), settings_for(mock.url, concurrency=8)
            async def record(number: int) -> None:
                for call in range(5):
                    await client.complete(question(10 * number + call, settings), settings)
            order = [number async for number, _ in map_items(record, range(40), window=40)]
            await client.close()
            return order
        order = asyncio.run(run())
        assert max(order.index(number) for number in range(8)) < 16 and sorted(order) == list(range(40))


def test_a_slow_down_is_heeded(tmp_path: Path) -> None:
    with MockEndpoint(mode="always_429", retry_after=0.05) as mock:
        with pytest.raises(CallError, match="deadline of 1 s") as caught:
            asyncio.run(ask_all(tmp_path / "l.sqlite", settings_for(mock.url, deadline=1.0, concurrency=8), range(4)))
        assert caught.value.kind == "rate limited" and mock.counts["requests"] < 4 * 25


def test_a_server_that_only_fails_is_given_up(tmp_path: Path) -> None:
    with MockEndpoint(mode="always_500") as mock:
        with pytest.raises(CallError, match="given up after 4 tries"):
            asyncio.run(ask_all(tmp_path / "l.sqlite", settings_for(mock.url, tries=4), range(1)))
        assert mock.counts["requests"] == 4


def test_a_server_that_fails_everybody_ends_the_run(tmp_path: Path) -> None:
    with MockEndpoint(mode="always_500") as mock:
        async def run() -> list:
            client, settings = ModelClient(tmp_path / "l.sqlite", progress=Progress(show=False), pace=QUICK), settings_for(mock.url, tries=2, concurrency=2)
            done = await asyncio.gather(*(client.complete(question(number, settings), settings) for number in range(300)), return_exceptions=True)
            await client.close()
            return done
        done = asyncio.run(run())
        assert sum(not error.stops for error in done) == 4 and "5 calls in a row" in str(done[-1])
        assert mock.counts["requests"] < 320


def test_a_server_that_goes_away_in_the_middle(tmp_path: Path) -> None:
    with MockEndpoint(latency=0.02) as mock:
        settings = settings_for(mock.url, tries=3, concurrency=8)

        async def run() -> None:
            work = asyncio.create_task(ask_all(tmp_path / "l.sqlite", settings, range(400)))
            while mock.counts["answered"] < 40:
                await asyncio.sleep(0.005)
            mock._loop.call_soon_threadsafe(mock.close)
            await work
        begun = time.monotonic()
        with pytest.raises(CallError, match="(?i)what was answered is kept") as caught:
            asyncio.run(run())
        assert caught.value.stops and time.monotonic() - begun < 6
    with Ledger(tmp_path / "l.sqlite") as ledger:
        assert len(ledger) >= 40


def test_a_server_that_is_still_loading_is_waited_for(tmp_path: Path) -> None:
    with MockEndpoint(fail_first=3) as mock:
        assert len(asyncio.run(ask_all(tmp_path / "l.sqlite", settings_for(mock.url), range(1)))) == 1


def test_no_server_at_all(tmp_path: Path) -> None:
    begun = time.monotonic()
    with pytest.raises(CallError, match="endpoint down|is the server running") as caught:
        asyncio.run(ask_all(tmp_path / "l.sqlite", settings_for("http://127.0.0.1:9/v1"), range(500)))
    assert caught.value.stops and "\n" not in str(caught.value) and time.monotonic() - begun < 5


def test_replies_that_are_no_json(tmp_path: Path) -> None:
    with MockEndpoint(mode="not_json") as mock:
        with pytest.raises(CallError, match="not JSON"):
            asyncio.run(ask_all(tmp_path / "l.sqlite", settings_for(mock.url, tries=2), range(1)))


def test_a_refused_key_is_said_once_and_never_shown(tmp_path: Path) -> None:
    with MockEndpoint(mode="key_refused") as mock:
        mock.keep_bodies = True
        with pytest.raises(CallError) as caught:
            asyncio.run(ask_all(tmp_path / "l.sqlite", settings_for(mock.url), range(300)))
        assert mock.keys[0] == KEY  # it was sent, and echoed in the error
        assert KEY not in str(caught.value) and "OPENAI_API_KEY" in str(caught.value) and mock.counts["requests"] <= 32


def test_no_key_for_openai_itself(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(CallError, match="set the environment variable OPENAI_API_KEY"):
        asyncio.run(ask_all(tmp_path / "l.sqlite", ModelSettings(model="openai/gpt-5.4-mini"), range(1)))


def test_usage_that_is_not_reported_is_estimated(tmp_path: Path) -> None:
    with MockEndpoint(mode="no_usage") as mock:
        (_, outcome), = asyncio.run(ask_all(tmp_path / "l.sqlite", settings_for(mock.url), range(1)))
        assert outcome.entry.prompt_tokens > 0 and outcome.entry.completion_tokens > 0 and outcome.entry.usd > 0


def test_a_budget_stops_cleanly_and_is_never_overrun(tmp_path: Path) -> None:
    with MockEndpoint(latency=0.005) as mock:
        with pytest.raises(BudgetReached, match="larger --budget"):
            asyncio.run(ask_all(tmp_path / "l.sqlite", settings_for(mock.url), range(500), budget=0.003))
        with Ledger(tmp_path / "l.sqlite") as ledger:
            spent = ledger.database.execute("SELECT total(usd) FROM calls").fetchone()[0]
            assert 0.002 < spent <= 0.003 and len(ledger) == mock.counts["answered"]
        assert len(asyncio.run(ask_all(tmp_path / "l.sqlite", settings_for(mock.url), range(500), budget=1))) == 500
        assert mock.counts["repeats"] == 0


def test_a_full_disk_ends_the_run(tmp_path: Path) -> None:
    with MockEndpoint() as mock:
        async def run() -> None:
            client, settings = ModelClient(tmp_path / "l.sqlite", progress=Progress(show=False)), settings_for(mock.url)
            client.ledger.database.execute("PRAGMA max_page_count = 12")
            try:
                async for _ in map_items(lambda number: client.complete(question(number, settings, "x" * 3000), settings), range(100), window=4):
                    pass
            finally:
                client.ledger._pending.clear()
                await client.close()
        with pytest.raises(LedgerError, match="the disk is full"):
            asyncio.run(run())
        assert mock.counts["requests"] < 30


def test_from_within_a_running_loop(tmp_path: Path) -> None:
    with MockEndpoint() as mock:
        settings = settings_for(mock.url)
        async def cell() -> int:
            inside = await ask_all(tmp_path / "l.sqlite", settings, range(3))
            return len(inside) + len(run_sync(lambda: ask_all(tmp_path / "l.sqlite", settings, range(5))))
        assert asyncio.run(cell()) == 8 and mock.counts["requests"] == 5


PROGRAM = """
import asyncio, sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from test_llm_faults import ask_all, settings_for
asyncio.run(ask_all(Path({ledger!r}), settings_for({url!r}, concurrency=32), range({count})))
"""


def stats(url: str) -> dict:
    from urllib.request import urlopen
    return json.load(urlopen(url.removesuffix("/v1") + "/stats"))


def test_killed_three_times_and_resumed(tmp_path: Path) -> None:
    "kill -9 at a quarter, half and three quarters: what was paid twice is at most what was in flight."
    count, concurrency = 800, 32
    server = subprocess.Popen([sys.executable, Path(__file__).parent / "mock_endpoint.py", "--latency", "0.04", "--seconds", "120"], stdout=subprocess.PIPE, text=True)
    try:
        url = f"http://127.0.0.1:{server.stdout.readline().split()[1]}/v1"
        program = PROGRAM.format(tests=str(Path(__file__).parent), ledger=str(tmp_path / "l.sqlite"), url=url, count=count)
        for share in (0.25, 0.5, 0.75):
            before = stats(url)["repeats"]
            run = subprocess.Popen([sys.executable, "-c", program])
            while stats(url)["answered"] < share * count:
                assert run.poll() is None and time.sleep(0.005) is None
            run.send_signal(signal.SIGKILL)
            run.wait()
            time.sleep(0.1)
            assert stats(url)["repeats"] - before <= concurrency
        before = stats(url)["repeats"]
        subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
        last = stats(url)
        assert last["repeats"] - before <= concurrency and last["repeats"] <= 3 * concurrency
    finally:
        server.kill()
        server.wait()
    with Ledger(tmp_path / "l.sqlite") as ledger:
        assert len(ledger) == count


def test_no_key_in_any_output(tmp_path: Path) -> None:
    "A whole process, with its ledger and both its streams, against a server that echoes the key."
    for mode in ("key_refused", ""):
        with MockEndpoint(mode=mode) as mock:
            program = PROGRAM.format(tests=str(Path(__file__).parent), ledger=str(tmp_path / f"l{mode}.sqlite"), url=mock.url.replace("//", f"//user:{KEY}@"), count=20)
            run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=os.environ | {"OPENAI_API_KEY": KEY})
            assert (run.returncode == 0) == (mode == "")
            everything = run.stdout + run.stderr + "".join(file.read_bytes().decode("latin-1") for file in tmp_path.iterdir())
            assert KEY not in everything and "SECRET" not in everything
