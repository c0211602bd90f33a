"""Prices, settings, the trial of a model, free text, estimates, and litellm where it is installed."""
import asyncio
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from gamecommbench.llm.errors import CallError, error_of, redact
from gamecommbench.llm.money import prompt_bound, prompt_estimate, price_of, read_prices, require_price
from gamecommbench.llm.models import test_config as check_config
from gamecommbench.llm.models import test_model as check
from gamecommbench.llm.progress import Progress
from gamecommbench.llm.scheduler import ModelClient, about
from gamecommbench.llm.settings import ModelSettings, call_parameters, load_config
from gamecommbench.llm.text import generate_text
from gamecommbench.schema import BenchError
from mock_endpoint import MODES, MockEndpoint


def test_a_good_model_in_one_line() -> None:
    with MockEndpoint() as mock:
        report = check("openai/gpt-5.4-mini", api_base=mock.url)
    assert report.usable and report.reports_usage and "$0.75 in and $4.5 out" in report.line() and "\n" not in report.line()


@pytest.mark.parametrize("mode, words", [
    ("no_usage", "reports no usage"), ("always_malformed", "does not obey a schema"), ("schema_unsupported", "does not answer"), ("key_refused", "key refused"),
    ("model_unknown", "model unknown"), ("parameter_unsupported", "temperature"), ("context_too_long", "context too long"), ("cut", "cut at the token limit"), ("not_json", "not JSON")])
def test_what_is_wrong_with_a_model(mode: str, words: str) -> None:
    with MockEndpoint(mode=mode) as mock:
        line = check("openai/mine", api_base=mock.url, tries=1).line()
    assert words in line and "\n" not in line and ("no price is known" in line or "does not answer" in line)


def test_an_endpoint_without_schemas_still_answers() -> None:
    class Plain(MockEndpoint):
        def chat(self, raw: bytes, key: str) -> tuple:
            self.mode = "schema_unsupported" if b"json_schema" in raw else ""
            return super().chat(raw, key)
    with Plain(reply='{"piece": "knight"}') as mock:
        report = check("openai/mine", api_base=mock.url)
    assert report.answers and not report.obeys_schema and "schema: object" in report.line()


def test_every_model_of_a_config_is_tried_once(tmp_path: Path) -> None:
    (tmp_path / "two.yaml").write_text("default: {model: openai/a}\nsteps: {truth: {model: openai/b}, audit: {model: openai/b, max_tokens: 9}}\n")
    with MockEndpoint() as mock:
        reports = check_config(tmp_path / "two.yaml", api_base=mock.url)
        assert [report.model for report in reports] == ["openai/a", "openai/b"] and mock.counts["requests"] == 2


def test_the_papers_roles() -> None:
    paper = load_config("paper")
    roles = {step: paper.for_step(step).model for step in ("segment", "reference_events", "candidate_events", "match_completeness", "match_correctness", "edges", "truth", "factuality")}
    assert roles == {"segment": "openai/gpt-5.4-mini", "reference_events": "openai/gpt-5.4", "candidate_events": "openai/gpt-5.4-mini", "match_completeness": "zai/glm-4.7",
                     "match_correctness": "zai/glm-4.7", "edges": "openai/gpt-5.4-mini", "truth": "openai/gpt-5.4-mini", "factuality": "openai/gpt-5.4-mini"}
    for settings in (paper.default, *paper.steps.values()):
        assert settings.temperature == 0 and price_of(settings.model) and call_parameters(settings).keys() & {"reasoning_effort", "thinking"}


@pytest.mark.parametrize("text", ["default: 3", "- a", "default: {model: m, tempreature: 0}", "default: {model: m}\nsteps: {truth: 4}", "default: {model: m}\nnames: x", "a: [", ""])
def test_a_config_that_is_wrong_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "wrong.yaml").write_text(text)
    with pytest.raises(BenchError, match="wrong.yaml") as caught:
        load_config(tmp_path / "wrong.yaml")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["models: {a: {input: 1}}", "models: {a: {input: .nan, output: 1}}", "models: {a: {input: -1, output: 1}}", "models: {a: 3}", "x: 1", "["])
def test_a_price_list_that_is_wrong_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "prices.yaml").write_text(text)
    with pytest.raises(BenchError, match="prices.yaml"):
        read_prices(tmp_path / "prices.yaml")


def test_prices_of_the_users_come_first(tmp_path: Path) -> None:
    (tmp_path / "prices.yaml").write_text("models: {gpt-5.4-mini: {input: 1, output: 2}, mine: {input: 0, output: 0}}")
    assert price_of("openai/gpt-5.4-mini", tmp_path / "prices.yaml").input == 1 and price_of("openai/gpt-5.4-mini").input == 0.75
    assert require_price("openai/mine", prices=tmp_path / "prices.yaml").usd(10, 10) == 0
    with pytest.raises(BenchError, match="--allow-unpriced"):
        require_price("openai/mine")


@pytest.mark.parametrize("text", ["The knight jumps to g5.", "马跳到 g5，盯住 f7。", "e4 e5 2. Nf3 Nc6 3. Bb5 a6", "{}[]" * 50])
def test_the_bound_is_above_the_estimate(text: str) -> None:
    messages = [{"role": "user", "content": text}]
    assert 0 < prompt_estimate(messages) <= prompt_bound(messages)


def test_free_text_with_its_evidence(tmp_path: Path) -> None:
    with MockEndpoint() as mock:
        settings = ModelSettings(model="openai/gpt-5.4-mini", api_base=mock.url)
        mock.keep_bodies = True

        async def run() -> object:
            async with ModelClient(tmp_path / "l.sqlite", progress=Progress(show=False)) as client:
                with about(record="r1", commentator="gpt"):
                    return await generate_text([{"role": "user", "content": "Comment."}], settings, client, prompt_hash="abc")
        first, again = asyncio.run(run()), asyncio.run(run())
        assert first.text == again.text != "" and again.call.cached and first.call.usd > 0 and mock.counts["requests"] == 1
        sent = mock.bodies[0]
        assert (sent["temperature"], sent["max_tokens"], sent["reasoning_effort"]) == (0, 1024, "none") and "response_format" not in sent


@pytest.mark.parametrize("mode, cut, failure", [("cut", True, ""), ("filtered_reply", False, "filter"), ("context_too_long", False, "context too long")])
def test_free_text_that_is_cut_or_refused(tmp_path: Path, mode: str, cut: bool, failure: str) -> None:
    with MockEndpoint(mode=mode) as mock:
        async def run() -> object:
            async with ModelClient(tmp_path / "l.sqlite", allow_unpriced=True, progress=Progress(show=False)) as client:
                return await generate_text([{"role": "user", "content": "Comment."}], ModelSettings(model="m", api_base=mock.url), client)
        text = asyncio.run(run())
        assert text.cut == cut and failure in text.failure and (text.text is None) == bool(failure)


def test_every_kind_of_refusal_is_one_line_without_keys() -> None:
    for mode, (status, body) in MODES.items():
        if status != 200:
            error = error_of(status, str(body).replace("'", '"').replace("{key}", "sk-proj-abcdefgh12345678"), {}, "m", "https://e/v1")
            assert "\n" not in str(error) and "abcdefgh" not in str(error), mode
    assert redact("Bearer abc123 and gsk_abcdefghijklmnop") == "[key] and [key]"


def test_without_the_extra_the_message_says_what_to_install() -> None:
    program = ("import sys, asyncio; sys.modules['aiohttp'] = None\nfrom gamecommbench.llm.transport import endpoint_for\nfrom gamecommbench.llm.settings import ModelSettings\n"
               "from gamecommbench.schema import BenchError\ntry: endpoint_for(ModelSettings(model='m', api_base='http://127.0.0.1:1/v1'))\nexcept BenchError as error: print(error)")
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "aiohttp is not installed; pip install 'gamecommbench[models]'"


@pytest.mark.skipif(not find_spec("litellm"), reason="litellm (extra models) is not installed")
def test_other_providers_through_litellm(tmp_path: Path) -> None:
    "litellm in a process of its own, pointed at the mock endpoint: an answer with its price, and a refused key in one line."
    program = """
import asyncio, sys
from pathlib import Path
from gamecommbench.llm.scheduler import ModelClient
from gamecommbench.llm.settings import ModelSettings
from gamecommbench.llm.text import generate_text
from gamecommbench.schema import BenchError
async def run():
    async with ModelClient(Path(sys.argv[1])) as client:
        made = await generate_text([{"role": "user", "content": "Comment."}], ModelSettings(model="zai/glm-4.7", key_env="ZAI_API_KEY"), client)
        print(made.text, made.call.usd > 0, made.failure)
try: asyncio.run(run())
except BenchError as error: print("refused:", error)
"""
    for mode, words in (("", "White develops"), ("key_refused", "key refused (401")):
        with MockEndpoint(mode=mode) as mock:
            mock.keep_bodies = True
            environment = os.environ | {"ZAI_API_KEY": "sk-secret-0123456789", "ZAI_API_BASE": mock.url, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
            run = subprocess.run([sys.executable, "-c", program, str(tmp_path / f"l{mode}.sqlite")], capture_output=True, text=True, env=environment, timeout=120)
            assert words in run.stdout, run.stdout + run.stderr
            assert "0123456789" not in run.stdout + run.stderr and mock.counts["requests"] == 1
            assert mock.bodies[0]["model"] == "glm-4.7" and mock.bodies[0]["thinking"] == {"type": "disabled"}
