"""The judge over models: answers that fit, corrections, failures, reruns, and every step of the paper against the mock endpoint."""
import asyncio
import json
from pathlib import Path

import pytest

import gamecommbench.prompts as prompts
from gamecommbench.judge import Trace, StepFailed
from gamecommbench.llm.errors import CallError
from gamecommbench.llm.judge import LLMJudge, _reader, _rereader, correction, make_judge
from gamecommbench.llm.ledger import Ledger
from gamecommbench.llm.progress import Progress
from gamecommbench.llm.scheduler import ModelClient, about
from gamecommbench.steps import (
    CANDIDATE_EVENTS, MATCH_COMPLETENESS, SEGMENT, CandidateEventsInput, IdText, MatchInput, ReferenceEventsInput, SegmentInput, render_step)
from gamecommbench.tace.claim_steps import CLAIMS, FACTUALITY, RELEVANCE, STEPS, Claim, ClaimsInput, FactualityInput, RelevanceInput
from gamecommbench.tace.reasoning_steps import AUDIT, EDGES, PROPOSITIONS, TRUTH, AuditInput, Edge, EdgesInput, PropositionsInput, TruthInput
from mock_endpoint import MockEndpoint, answer_of, drawer

CLAIM = Claim(claim_id="c0", source_sentence_id=0, source_sentence="Ann won here.", claim_text="Ann won here.", claim_type="match_metadata", focus_key="player")
NODES = [IdText(id="ap_0000", text="f7 is weak"), IdText(id="ap_0001", text="white attacks")]
EDGE = Edge(source_proposition_id="ap_0000", target_proposition_id="ap_0001", relation="CAUSE")
INPUTS = {
    "segment": SegmentInput(game="chess", commentary="Knight to g5. It eyes f7."),
    "reference_events": ReferenceEventsInput(game="chess", commentary="Knight to g5."),
    "candidate_events": CandidateEventsInput(game="chess", commentary="The knight jumps to g5."),
    "match_completeness": MatchInput(game="chess", ground_truth_events=["knight moves", "check"], evaluated_events=["knight jumps"]),
    "match_correctness": MatchInput(game="chess", ground_truth_events=["knight moves", "check"], evaluated_events=["knight jumps"]),
    "propositions": PropositionsInput(game="chess", commentary="It eyes f7.", sentences=[IdText(id="s0", text="It eyes f7."), IdText(id="s1", text="Black is worse.")]),
    "edges": EdgesInput(game="chess", source_proposition_id="ap_0000", propositions=NODES, candidate_ids=["ap_0001"]),
    "audit": AuditInput(game="chess", propositions=NODES, edges=[EDGE], candidate=EDGE),
    "truth": TruthInput(game="chess", commentary="It eyes f7.", propositions=NODES, edges=[EDGE], reference_events=["knight moves"], state=None),
    "claims": ClaimsInput(game="chess", sentences=["Ann won here.", "She is 20."]),
    "factuality": FactualityInput(game="chess", claim=CLAIM, evidence=[IdText(id="f1", text="Ann won in 2020")]),
    "relevance": RelevanceInput(game="chess", claim=CLAIM, descriptive_clauses=[IdText(id="d0", text="Knight to g5.")], analytical_clauses=[]),
}


@pytest.fixture(autouse=True)
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    "Prompt pages with nothing but their placeholders, so that these tests do not depend on the wording."
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "C.6.md").write_text("---\nid: C.6\nversion: 1\nmodels: []\nplaceholders: []\noutput: none\nsection: C\n---\n## User\nFive relations.\n")
    monkeypatch.setattr(prompts, "resource_folder", lambda name: folder)
    for name, step in STEPS.items():
        names = sorted({*step.data(INPUTS[name]), *step.trusted(INPUTS[name])})
        text = "\n".join(f"{one}: {{{one}}}" for one in names)
        page = f"---\nid: {step.prompt_id}\nversion: 1\nmodels: []\nplaceholders: [{', '.join(names)}]\noutput: JSON\nsection: C\n---\n## System\nJudge.\n## User\n{text}\n"
        (folder / f"{step.prompt_id}.md").write_text(page)


def judge_with(mock: MockEndpoint, ledger: Path, **changes: object) -> LLMJudge:
    client = ModelClient(ledger, progress=Progress(show=False))
    return make_judge("openai/gpt-5.4-mini", client, api_base=mock.url, **changes)


async def ask(mock: MockEndpoint, ledger: Path, names: list[str], **changes: object) -> list:
    judge = judge_with(mock, ledger, **changes)
    try:
        with about(record="r1", commentator="template"):
            return await asyncio.gather(*(judge.ask(STEPS[name], INPUTS[name]) for name in names))
    finally:
        await judge.client.close()


def test_every_step_is_answered_and_a_rerun_calls_nobody(tmp_path: Path) -> None:
    with MockEndpoint() as mock:
        first = asyncio.run(ask(mock, tmp_path / "l.sqlite", list(STEPS)))
        assert [answer.failure for answer in first] == [""] * len(STEPS)
        asked = mock.counts["requests"]
        second = asyncio.run(ask(mock, tmp_path / "l.sqlite", list(STEPS)))
        assert mock.counts["requests"] == asked == len(STEPS)
    assert [answer.value for answer in first] == [answer.value for answer in second]
    assert all(answer.call.cached for answer in second) and not any(answer.call.cached for answer in first)
    call = first[0].call
    assert (call.step, call.prompt_id, call.model, call.attempts) == ("segment", "C.1", "openai/gpt-5.4-mini", 1)
    assert call.usd > 0 and call.prompt_tokens > 0 and call.prompt_hash
    with Ledger(tmp_path / "l.sqlite") as ledger:
        entry = ledger.get(call.key)
        assert (entry.record, entry.commentator, entry.usd) == ("r1", "template", call.usd)


def test_a_wrong_answer_is_asked_again_with_the_error(tmp_path: Path) -> None:
    def reply(body: dict) -> str:
        return '{"reasoning": "", "matches": [0, null]}' if len(body["messages"]) > 2 else '{"reasoning": "", "matches": [0, 5]}'
    with MockEndpoint(reply=reply) as mock:
        mock.keep_bodies = True
        answer, = asyncio.run(ask(mock, tmp_path / "l.sqlite", ["match_completeness"]))
        assert answer.value.matches == [0, None] and answer.call.attempts == 2
        assert "index 5 out of range" in mock.bodies[1]["messages"][-1]["content"]
        assert mock.bodies[1]["messages"][-2] == {"role": "assistant", "content": '{"reasoning": "", "matches": [0, 5]}'}
    with Ledger(tmp_path / "l.sqlite") as ledger:
        kept = [row[0] for row in ledger.database.execute("SELECT parsed FROM calls ORDER BY answered")]
    assert len(kept) == 2 and sorted(kept)[0] == "" and "index 5" in sorted(kept)[1]


def test_three_wrong_answers_are_a_failure_that_stays(tmp_path: Path) -> None:
    with MockEndpoint(reply="I would rather not.") as mock:
        for _ in range(2):
            answer, = asyncio.run(ask(mock, tmp_path / "l.sqlite", ["truth"]))
            assert answer.value is None and "after 3 attempts: there is no JSON object" in answer.failure
        assert mock.counts["requests"] == 3


@pytest.mark.parametrize("mode, words", [("cut", "cut at the token limit of 1024"), ("filtered_reply", "filter"), ("context_too_long", "context too long"),
                                         ("content_filtered", "content filtered")])
def test_what_fails_one_call_alone(tmp_path: Path, mode: str, words: str) -> None:
    with MockEndpoint(mode=mode) as mock:
        answer, = asyncio.run(ask(mock, tmp_path / "l.sqlite", ["segment"]))
        assert answer.value is None and words in answer.failure and "\n" not in answer.failure
        assert mock.counts["requests"] == 1
        with pytest.raises(StepFailed, match="segment"):
            asyncio.run(_through_trace(mock, tmp_path / "l.sqlite"))


async def _through_trace(mock: MockEndpoint, ledger: Path) -> None:
    judge = judge_with(mock, ledger)
    try:
        await Trace(judge).ask(SEGMENT, INPUTS["segment"])
    finally:
        await judge.client.close()


@pytest.mark.parametrize("mode, kind", [("key_refused", "key refused"), ("model_unknown", "model unknown"), ("schema_unsupported", "schema unsupported"),
                                        ("parameter_unsupported", "parameter unsupported"), ("quota", "quota used up")])
def test_what_stops_a_run(tmp_path: Path, mode: str, kind: str) -> None:
    with MockEndpoint(mode=mode) as mock:
        with pytest.raises(CallError) as caught:
            asyncio.run(ask(mock, tmp_path / "l.sqlite", ["segment"]))
        assert caught.value.kind == kind and "\n" not in str(caught.value) and mock.counts["requests"] == 1
    with MockEndpoint() as mock:  # resumable: the same ledger, a better day
        assert asyncio.run(ask(mock, tmp_path / "l.sqlite", ["segment"]))[0].value is not None


def test_schema_in_words_for_servers_without(tmp_path: Path) -> None:
    with MockEndpoint(reply='{"events": ["knight moves"]}') as mock:
        mock.keep_bodies = True
        for form in ("object", "none"):
            answer, = asyncio.run(ask(mock, tmp_path / "l.sqlite", ["candidate_events"], schema=form))
            assert answer.value.events == ["knight moves"]
        assert [body.get("response_format") for body in mock.bodies] == [{"type": "json_object"}, None]
        assert all('"events"' in body["messages"][0]["content"] for body in mock.bodies)


def test_malformed_replies_are_all_corrected(tmp_path: Path) -> None:
    with MockEndpoint(p_malformed=0.05, p429=0.05, seed=3, retry_after=0.01) as mock:
        async def run() -> list:
            judge = judge_with(mock, tmp_path / "l.sqlite")
            inputs = [MatchInput(game="chess", ground_truth_events=[f"event {n}", "check"], evaluated_events=["jump"]) for n in range(200)]
            try:
                return await asyncio.gather(*(judge.ask(MATCH_COMPLETENESS, one) for one in inputs))
            finally:
                await judge.client.close()
        answers = asyncio.run(run())
        assert all(answer.value for answer in answers) and mock.counts["p_malformed"] > 3
        assert mock.counts["requests"] <= 1.02 * (200 + mock.injected()) and mock.counts["repeats"] == 0


def test_replicates_and_seeds_are_asked_anew(tmp_path: Path) -> None:
    with MockEndpoint() as mock:
        async def run(**changes: object) -> None:
            client = ModelClient(tmp_path / "l.sqlite", progress=Progress(show=False))
            judge = make_judge("openai/gpt-5.4-mini", client, api_base=mock.url, **changes)
            await judge.ask(SEGMENT, INPUTS["segment"])
            await client.close()
        for changes in ({}, {"replicate": 1}, {"replicate": 2}, {"seed": 7}, {"replicate": 1}):
            asyncio.run(run(**changes))
        assert mock.counts["requests"] == 4


def test_a_correction_without_a_reply_has_no_empty_turn() -> None:
    assert [message["role"] for message in correction([{"role": "user", "content": "?"}], " ", "the reply is empty", 2)] == ["user", "user"]


@pytest.mark.parametrize("name", list(STEPS))
def test_an_answer_is_read_out_of_the_ledger_as_it_was_read_at_first(name: str) -> None:
    "The short way of reading what was valid before comes to the same value, and the same complaint, as the whole way."
    def outcome(read: object, text: str) -> object:
        try:
            return read(text)
        except ValueError as problem:
            return str(problem)
    step, inputs, valid = STEPS[name], INPUTS[name], 0
    for number in range(8):
        answer = json.dumps(answer_of(step.schema(inputs), render_step(step, inputs).user, drawer(f"{number}".encode())))
        for text in (answer, f"<think>so</think>{answer}", f"```json\n{answer}\n```", json.dumps(next(iter(json.loads(answer).values()))), answer.replace("0", "9"), answer.replace("0", "0.0")):
            first, again = outcome(_reader(step, inputs), text), outcome(_rereader(step, inputs), text)
            assert first == again
            valid += isinstance(first, step.output)
    assert valid >= 3


def test_published_forms_of_reply_are_read():
    "A.3's triplets, A.5's and A.4's box, A.7's list of ids: what the paper's own wording asks for, should a prompt pack use it."
    from gamecommbench.build_steps import FILTER, FUSE, GATE, SELECT, Entrant, FilterInput, FuseInput, SelectInput
    from gamecommbench.llm.judge import _reader
    from gamecommbench.steps import TypedText

    two = FuseInput(game="basketball", caption="Mensah makes a three.", commentary="From downtown!")
    assert _reader(GATE, two)("It tells of the shot, so \\boxed{true}").relevant is True
    assert _reader(FUSE["football"], two)("\\boxed{Mensah, from downtown!}").narrative == "Mensah, from downtown!"
    filtered = FilterInput(game="football", caption="Okafor scores.", sentences=[TypedText(text="Okafor!", category=1)])
    assert _reader(FILTER, filtered)('Part 1: Analysis. It fits.\nPart 2: JSON.\n[["Okafor!", 1, true]]').sentences[0].keep
    three = SelectInput(game="basketball", commentaries=[Entrant(id=name, text=name) for name in "abc"])
    assert _reader(SELECT, three)('[Selection Phase]\n["c", "a"]').selected == ["c", "a"]
