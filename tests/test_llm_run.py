"""TACE judged by a model: a whole evaluation against the mock endpoint, killed, resumed, rerun without a call, and estimated before."""
import asyncio
import signal
import subprocess
import sys
import time
from pathlib import Path

from gamecommbench.llm.estimate import EstimateJudge
from gamecommbench.llm.judge import make_judge
from gamecommbench.llm.ledger import Ledger
from gamecommbench.llm.ledger_reports import show_text
from gamecommbench.llm.money import estimate_text
from gamecommbench.llm.progress import Progress
from gamecommbench.llm.scheduler import ModelClient, about, map_items
from gamecommbench.llm.settings import load_config
from gamecommbench.schema import Candidate, Record
from gamecommbench.tace.evaluate import judge_record
from gamecommbench.tace.scores import Judgement
from mock_endpoint import MockEndpoint
from test_llm_faults import stats

TEXTS = ("Knight to g5. It eyes f7, because the bishop helps.", "White castles, and the rook joins. Ann won here in 2020.", "Black takes on e4 and is better.")


def records(count: int) -> list[tuple[Record, list[Candidate]]]:
    "Small records with two commentaries each."
    made = []
    for number in range(count):
        text = f"{TEXTS[number % 3]} That was move {number}."
        record = Record.model_validate({
            "No": f"r{number}", "background": "White: Ann\nBlack: Ben\nEvent: Open", "game_state": {"modality": "pgn", "storage_file": f"g{number % 4}.pgn", "step": number},
            "commentary": {"raw_commetary": text, "processed_commentary": text, "commentary_category": [{"No": 1, "content": text, "category": 1}]}})
        made.append((record, [Candidate(No=record.No, commentator=name, text=f"{TEXTS[(number + shift) % 3]} {name} says so of move {number}.") for shift, name in enumerate(("one", "two"))]))
    return made


async def evaluate_all(ledger: Path, url: str, count: int) -> tuple[list[Judgement], ModelClient]:
    async with ModelClient(ledger, progress=Progress(show=False)) as client:
        judge = make_judge("openai/gpt-5.4-mini", client, api_base=url)

        async def one(work: tuple[Record, list[Candidate]]) -> list[Judgement]:
            with about(record=work[0].No):
                return [judgement async for group in judge_record(judge, work[0], None, work[1]) for judgement in group]
        found = [judgement async for _, group in map_items(one, records(count)) for judgement in group]
        return sorted(found, key=lambda judgement: (judgement.record_id, judgement.commentator, judgement.branch)), client


def test_an_evaluation_its_evidence_and_its_rerun(tmp_path: Path) -> None:
    with MockEndpoint(p429=0.05, p_malformed=0.03, retry_after=0.01, seed=2) as mock:
        first, client = asyncio.run(evaluate_all(tmp_path / "l.sqlite", mock.url, 8))
        asked = mock.counts["requests"]
        assert mock.counts["repeats"] == 0 and {judgement.state for judgement in first} <= {"scored", "not_applicable"}
        second, again = asyncio.run(evaluate_all(tmp_path / "l.sqlite", mock.url, 8))
        assert mock.counts["requests"] == asked
    assert [judgement.metrics for judgement in first] == [judgement.metrics for judgement in second]
    total = again.account.total()
    assert total.calls == 0 and total.usd == 0 and abs(total.usd_before - client.account.total().usd) < 1e-9
    calls = [call for judgement in first for call in judgement.calls]
    call = next(call for call in calls if call["step"] == "segment")
    page = show_text(tmp_path / "l.sqlite", call["key"])
    assert "--- user" in page and "--- reply" in page and "model: gpt-5.4-mini" in page and f"usd: {call['usd']}" in page
    assert all(call["model"] == "openai/gpt-5.4-mini" and call["usd"] > 0 for call in calls)


PROGRAM = """
import asyncio, sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from test_llm_run import evaluate_all
found, _ = asyncio.run(evaluate_all(Path({ledger!r}), {url!r}, 40))
print(len(found))
"""


def test_killed_at_half_and_resumed(tmp_path: Path) -> None:
    server = subprocess.Popen([sys.executable, Path(__file__).parent / "mock_endpoint.py", "--latency", "0.03", "--seconds", "60"], stdout=subprocess.PIPE, text=True)
    try:
        url = f"http://127.0.0.1:{server.stdout.readline().split()[1]}/v1"
        program = PROGRAM.format(tests=str(Path(__file__).parent), ledger=str(tmp_path / "l.sqlite"), url=url)
        run = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.DEVNULL)
        while stats(url)["answered"] < 150:
            assert run.poll() is None and time.sleep(0.005) is None
        run.send_signal(signal.SIGKILL)
        run.wait()
        assert int(subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout) == 40 * 9
        assert stats(url)["repeats"] <= 32  # the concurrency
        before = stats(url)["requests"]
        subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
        assert stats(url)["requests"] == before
    finally:
        server.kill()
        server.wait()


def test_an_estimate_sends_nothing_and_counts_what_is_answered(tmp_path: Path) -> None:
    from gamecommbench.offline.judge import OfflineJudge

    async def walk(ledger: Ledger | None) -> EstimateJudge:
        judge = EstimateJudge(load_config("openai/gpt-5.4-mini", api_base="http://127.0.0.1:9/v1"), OfflineJudge(None), ledger)
        for record, candidates in records(4):
            async for _ in judge_record(judge, record, None, candidates):
                pass
        return judge
    rows = asyncio.run(walk(None)).rows()
    assert {"segment", "reference_events", "candidate_events"} <= {row.step for row in rows}
    assert all(row.calls and 0 < row.usd < row.worst_usd for row in rows) and next(row.calls for row in rows if row.step == "segment") == 8
    assert "Nothing was sent" in estimate_text(rows)
    with MockEndpoint() as mock:
        asyncio.run(evaluate_all(tmp_path / "l.sqlite", mock.url, 4))
        with Ledger(tmp_path / "l.sqlite") as ledger:
            judge = EstimateJudge(load_config("openai/gpt-5.4-mini", api_base=mock.url), OfflineJudge(None), ledger)
            for record, candidates in records(4):
                asyncio.run(_walk_one(judge, record, candidates))
    assert judge.n_cached >= 8 and "segment" not in {row.step for row in judge.rows()}


async def _walk_one(judge: EstimateJudge, record: Record, candidates: list[Candidate]) -> None:
    async for _ in judge_record(judge, record, None, candidates):
        pass
