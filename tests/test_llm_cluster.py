"""A local Dask cluster: the same results as the local loop, one ledger, and a worker killed midway."""
import asyncio
import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

distributed = pytest.importorskip("distributed", reason="distributed (extra cluster) is not installed")

from gamecommbench.llm.cluster import map_cluster, open_part
from gamecommbench.llm.ledger import Ledger
from gamecommbench.llm.progress import Progress
from gamecommbench.llm.request import make_request
from gamecommbench.llm.scheduler import ModelClient, map_items, run_sync
from gamecommbench.llm.settings import ModelSettings
from mock_endpoint import MockEndpoint


def work(items: list[tuple[str, int]], part: Path, ledger: Path) -> list[str]:
    "Ask one question for each item."
    async def one_part() -> list[str]:
        client, answers = ModelClient(open_part(part, ledger), progress=Progress(show=False)), {}
        settings = ModelSettings(model="gpt-5.4-mini", api_base=items[0][0], concurrency=4)

        async def ask(item: tuple[str, int]) -> str:
            request = make_request(settings.sent_model, "mock", [{"role": "user", "content": f"Question {item[1]}"}], {"temperature": 0})
            return (await client.complete(request, settings)).entry.reply
        async for item, reply in map_items(ask, items, window=8):
            answers[item] = reply
        await client.close()
        return [answers[item] for item in items]
    return run_sync(one_part)


def calls(ledger: Path) -> int:
    with Ledger(ledger) as opened:
        return len(opened)


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parent), *sys.path]))
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as made:
        yield made


def test_same_results_one_ledger_and_a_killed_worker(tmp_path: Path, cluster) -> None:
    with MockEndpoint(latency=0.03) as mock:
        items = [(mock.url, number) for number in range(240)]
        alone = work(items[:40], tmp_path / "alone.sqlite", tmp_path / "none.sqlite")
        assert map_cluster(work, items[:40], tmp_path / "l.sqlite", cluster)[:40] == alone
        assert calls(tmp_path / "l.sqlite") == 40 and sorted(file.name for file in tmp_path.glob("l*")) == ["l.sqlite"]
        before, repeats = mock.counts["requests"], mock.counts["repeats"]
        victim = next(iter(cluster.workers.values())).pid

        def kill() -> None:
            while mock.counts["requests"] < before + 60:
                time.sleep(0.005)
            os.kill(victim, signal.SIGKILL)
        killer = threading.Thread(target=kill)
        killer.start()
        done = map_cluster(work, items, tmp_path / "l.sqlite", cluster)
        killer.join()
        assert len(done) == 240 and done[:40] == alone and calls(tmp_path / "l.sqlite") == 240
        assert mock.counts["repeats"] - repeats <= 4  # what the victim had in flight
        asked = mock.counts["requests"]
        assert map_cluster(work, items, tmp_path / "l.sqlite", cluster) == done and mock.counts["requests"] == asked
