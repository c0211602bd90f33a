"""The batch API against a server that plays it: half price, partial failures, and batches that outlive the process."""
import asyncio
import json
from pathlib import Path

import pytest

pytest.importorskip("openai", reason="openai (extra models) is not installed")

from gamecommbench.llm.batch import BatchBook
from gamecommbench.llm.errors import CallError
from gamecommbench.llm.lanes import Pace
from gamecommbench.llm.ledger import Ledger
from gamecommbench.llm.progress import Progress
from gamecommbench.llm.request import make_request
from gamecommbench.llm.scheduler import ModelClient, map_items
from gamecommbench.llm.settings import ModelSettings
from mock_endpoint import MockEndpoint


def settings_for(mock: MockEndpoint, **changes: object) -> ModelSettings:
    return ModelSettings(model="gpt-5.4-mini", api_base=mock.url, batch=True, batch_poll=0.02, **changes)


async def ask(mock: MockEndpoint, ledger: Path, count: int, stop_after: float | None = None) -> ModelClient:
    client, settings = ModelClient(ledger, progress=Progress(show=False), pace=Pace(first_wait=0.01)), settings_for(mock)
    async def one(number: int) -> str:
        request = make_request(settings.sent_model, settings.endpoint, [{"role": "user", "content": f"Question {number}"}], {"temperature": 0}, step="segment")
        return (await client.complete(request, settings)).entry.reply

    async def whole() -> list:
        return [pair async for pair in map_items(one, range(count), window=count)]
    try:
        if stop_after is None:
            assert len(await whole()) == count
        else:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(whole(), stop_after)
    finally:
        await client.close()
    return client


def rows(ledger: Path, query: str) -> list:
    with Ledger(ledger) as opened:
        return opened.database.execute(query).fetchall()


def test_one_batch_at_half_price(tmp_path: Path) -> None:
    with MockEndpoint(batch_polls=3) as mock:
        client = asyncio.run(ask(mock, tmp_path / "l.sqlite", 50))
        assert (mock.counts["batches"], mock.counts["uploads"], mock.counts["requests"]) == (1, 1, 0)
        asyncio.run(ask(mock, tmp_path / "l.sqlite", 50))
        assert mock.counts["batches"] == 1
    for prompt, completion, usd, batch in rows(tmp_path / "l.sqlite", "SELECT prompt_tokens, completion_tokens, usd, batch FROM calls"):
        assert usd == pytest.approx((prompt * 0.75e-6 + completion * 4.5e-6) / 2) and batch == "batch_1"
    assert client.account.total().calls == 50 and rows(tmp_path / "l.sqlite", "SELECT id, state FROM batches") == [("batch_1", "done")]


def test_what_failed_in_a_batch_is_asked_again_in_another(tmp_path: Path) -> None:
    with MockEndpoint(batch_failures=7) as mock:
        asyncio.run(ask(mock, tmp_path / "l.sqlite", 30))
        assert mock.counts["batches"] == 2 and len(mock.files["file-2"].splitlines()) == 7
    assert rows(tmp_path / "l.sqlite", "SELECT batch, count(*) FROM calls GROUP BY batch ORDER BY batch") == [("batch_1", 23), ("batch_2", 7)]


def test_a_batch_is_picked_up_after_the_process_is_gone(tmp_path: Path) -> None:
    with MockEndpoint(batch_polls=1000) as mock:
        asyncio.run(ask(mock, tmp_path / "l.sqlite", 20, stop_after=0.4))
        assert mock.counts["batches"] == 1 and rows(tmp_path / "l.sqlite", "SELECT state FROM batches") == [("open",)]
        mock.batch_polls = 1
        asyncio.run(ask(mock, tmp_path / "l.sqlite", 25))
        assert mock.counts["batches"] == 2 and len(mock.files["file-2"].splitlines()) == 5
    assert len(rows(tmp_path / "l.sqlite", "SELECT key FROM calls")) == 25


def test_killed_between_announcing_and_noting_the_id(tmp_path: Path) -> None:
    "The mark that travels with a batch finds it; a mark without a batch is forgotten."
    with MockEndpoint(batch_polls=1000) as mock:
        asyncio.run(ask(mock, tmp_path / "l.sqlite", 10, stop_after=0.3))
        with Ledger(tmp_path / "l.sqlite") as ledger:
            mark = mock.batches["batch_1"]["metadata"]["gamecommbench"]
            ledger.database.execute("UPDATE batches SET id = ?, state = 'announced'", (mark,))
            BatchBook(ledger).announce(settings_for(mock).endpoint, ["0" * 32])
        mock.batch_polls = 1
        asyncio.run(ask(mock, tmp_path / "l.sqlite", 10))
        assert mock.counts["batches"] == 1
    assert rows(tmp_path / "l.sqlite", "SELECT id, state FROM batches") == [("batch_1", "done")]


def test_a_provider_without_it_says_so(tmp_path: Path) -> None:
    async def run() -> None:
        settings = ModelSettings(model="zai/glm-4.7", batch=True)
        async with ModelClient(tmp_path / "l.sqlite", progress=Progress(show=False)) as client:
            await client.complete(make_request("m", "e", [{"role": "user", "content": "?"}], {}), settings)
    with pytest.raises(CallError, match="batch: true"):
        asyncio.run(run())


def test_a_refused_key_stops_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with MockEndpoint() as mock:
        monkeypatch.setattr(mock, "other", lambda *given: (401, json.dumps({"error": {"message": "Incorrect API key provided: sk-abcdefghijkl"}}).encode()))
        with pytest.raises(CallError, match="key refused") as caught:
            asyncio.run(ask(mock, tmp_path / "l.sqlite", 3))
        assert "sk-abc" not in str(caught.value)
