"""Fifteen questions about one record, as a judge is asked them: one of each step, and the steps that are asked several times several times."""
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from gamecommbench.llm.judge import step_request
from gamecommbench.llm.ledger import Ledger, entry_of
from gamecommbench.llm.settings import JudgeConfig
from gamecommbench.steps import (
    CANDIDATE_EVENTS, MATCH_COMPLETENESS, MATCH_CORRECTNESS, REFERENCE_EVENTS, SEGMENT, CandidateEventsInput, IdText, MatchInput, ReferenceEventsInput, SegmentInput, Step,
    StepInput, render_step)
from gamecommbench.tace.claim_steps import CLAIMS, FACTUALITY, RELEVANCE, Claim, ClaimsInput, FactualityInput, RelevanceInput
from gamecommbench.tace.reasoning_steps import AUDIT, EDGES, PROPOSITIONS, TRUTH, AuditInput, Edge, EdgesInput, PropositionsInput, TruthInput

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from mock_endpoint import answer_of, drawer

SENTENCES = ("Knight to g5 in move {number}.", "It eyes f7, because the bishop helps and the queen may join.", "Black is a little better after castling.", "Ann won here in 2020.")
GAME = {"game": "chess"}


def questions(number: int) -> Iterator[tuple[Step, StepInput]]:
    "The questions about the record with this number; every record's are different."
    sentences = [sentence.format(number=number) for sentence in SENTENCES]
    text, context = " ".join(sentences), "White: Ann\nBlack: Ben"
    events = {"ground_truth_events": [f"the knight goes to g5 in move {number}", "the bishop helps", "black castles"], "evaluated_events": ["the knight jumps to g5", f"check in move {number}"]}
    nodes = [IdText(id=f"ap_{index:04d}", text=said) for index, said in enumerate((f"f7 is weak in move {number}", "the bishop helps", "the queen may join", "black is better"))]
    edges = [Edge(source_proposition_id=f"ap_{index:04d}", target_proposition_id=f"ap_{index + 1:04d}", relation="CAUSE") for index in range(2)]
    claim = Claim(claim_id="c0", source_sentence_id=0, source_sentence=sentences[3], claim_text=f"Ann won at move {number}.", claim_type="match_metadata", focus_key="player")
    yield SEGMENT, SegmentInput(commentary=text, **GAME)
    yield REFERENCE_EVENTS, ReferenceEventsInput(commentary=sentences[0], background=context, **GAME)
    yield CANDIDATE_EVENTS, CandidateEventsInput(commentary=sentences[0], **GAME)
    yield MATCH_COMPLETENESS, MatchInput(**events, **GAME)
    yield MATCH_CORRECTNESS, MatchInput(**events, **GAME)
    yield PROPOSITIONS, PropositionsInput(commentary=text, sentences=[IdText(id=f"s{index}", text=said) for index, said in enumerate(sentences[1:3])], **GAME)
    for index in range(3):
        yield EDGES, EdgesInput(source_proposition_id=nodes[index].id, propositions=nodes, candidate_ids=[node.id for node in nodes[index + 1:]], **GAME)
    for edge in edges:
        yield AUDIT, AuditInput(propositions=nodes, edges=edges, candidate=edge, **GAME)
    yield TRUTH, TruthInput(commentary=text, propositions=nodes, edges=edges, reference_events=events["ground_truth_events"], **GAME)
    yield CLAIMS, ClaimsInput(sentences=sentences[3:], descriptive_clauses=sentences[:1], analytical_clauses=sentences[1:3], context=context, **GAME)
    yield FACTUALITY, FactualityInput(claim=claim, evidence=[IdText(id="f1", text="White: Ann"), IdText(id="f2", text="Ann won in 2020")], **GAME)
    yield RELEVANCE, RelevanceInput(claim=claim, descriptive_clauses=[IdText(id="d0", text=sentences[0])], analytical_clauses=[IdText(id="a0", text=sentences[1])], **GAME)


async def fill(ledger: Path, config: JudgeConfig, n_records: int) -> None:
    "Write down answers to the questions about so many records, as a first run would have: valid ones, made up."
    with Ledger(ledger) as kept:
        for number in range(n_records):
            for step, inputs in questions(number):
                rendered, schema, settings = render_step(step, inputs), step.schema(inputs), config.for_step(step.name)
                request = step_request(step, rendered, schema, settings)
                reply = json.dumps(answer_of(schema, rendered.user, drawer(request.key.encode())))
                kept.put(request, entry_of(request, reply, "stop", "", len(request.sent) // 4, 30, 0, 0.001, record=f"r{number}", commentator="model"))
        await kept.committed()
