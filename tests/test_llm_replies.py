"""Replies: every awkward case, and that no cut-off reply is ever read as a whole one."""
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamecommbench.llm.replies import ReplyError, escape_inner_quotes, json_spans, number_between, parse_reply, strict_json
from gamecommbench.schema import category_of
from gamecommbench.steps import MATCH_COMPLETENESS, Invalid, MatchInput, validate_answer
from gamecommbench.tace.reasoning_steps import verdict_of


@pytest.mark.parametrize("name", ["llm-01", "llm-02", "llm-05", "llm-17"])
def test_whole_values(cases: dict, name: str) -> None:
    assert parse_reply(cases[name]["input"]) == cases[name]["expected"]


def test_cut_reply_is_an_error(cases: dict) -> None:
    with pytest.raises(ReplyError, match="truncated"):
        parse_reply(cases["llm-04"]["input"])


def test_unescaped_quotes(cases: dict) -> None:
    assert parse_reply(cases["llm-07"]["input"])["label"] == cases["llm-07"]["expected"]["label"]


def test_not_finite(cases: dict) -> None:
    with pytest.raises(ReplyError, match="not a finite number"):
        parse_reply(cases["llm-08"]["input"])


def test_label_types(cases: dict) -> None:
    rows = parse_reply(cases["llm-10"]["input"])
    assert [verdict_of(row["label"]) for row in rows[:3]] == ["true", "true", "false"]
    assert verdict_of(rows[3]["label"]) not in ("true", "false", "unknown")


def test_match_indexes(cases: dict) -> None:
    row = parse_reply(cases["llm-11"]["input"])
    inputs = MatchInput(game="chess", ground_truth_events=["a"] * row["ground_truth"], evaluated_events=["b"] * row["evaluated"])
    with pytest.raises(Invalid, match="index 5 out of range"):
        validate_answer(MATCH_COMPLETENESS, inputs, {"matches": row["matches"]})


def test_scale_is_never_guessed(cases: dict) -> None:
    value = parse_reply(cases["llm-13"]["input"])
    assert number_between(value, 0, 1) == cases["llm-13"]["expected"]["on_0_to_1"]
    with pytest.raises(ReplyError, match="out of 1..10"):
        number_between(value, 1, 10)


def test_score_out_of_scale(cases: dict) -> None:
    with pytest.raises(ReplyError, match="out of 0..10"):
        number_between(parse_reply(cases["llm-14"]["input"])["score"], 0, 10)


def test_category_ids(cases: dict) -> None:
    values = [row["category"] for row in parse_reply(cases["llm-16"]["input"])]
    assert [category_of(value) for value in values[:4]] == ["descriptive", "analytical", "background", "descriptive"]
    with pytest.raises(ValueError):
        category_of(values[4])


TEXTS = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=12)
VALUES = st.recursive(st.none() | st.booleans() | st.integers(-99, 99) | TEXTS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4), max_leaves=12)


@settings(max_examples=150, deadline=None)
@given(VALUES.filter(lambda value: isinstance(value, (dict, list)) and value))
def test_whole_is_read_and_every_cut_is_refused(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False)
    assert parse_reply(text) == value
    assert parse_reply("<think>hm</think>```json\n" + text + "\n```") == value
    for length in range(1, len(text)):
        with pytest.raises(ReplyError):
            parse_reply(text[:length])


@settings(max_examples=100, deadline=None)
@given(VALUES.filter(lambda value: isinstance(value, (dict, list))))
def test_sound_json_is_left_alone(value: object) -> None:
    text = json.dumps({"value": value})
    assert strict_json(escape_inner_quotes(text)) == {"value": value}


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet='{}[]",:\\ a1tn\n`<>/', max_size=40))
def test_any_text_gives_a_value_or_a_reply_error(text: str) -> None:
    json_spans(text)
    try:
        parse_reply(text)
    except ReplyError as error:
        assert "\n" not in str(error)


def test_thinking_without_an_end_and_quotes_of_tags() -> None:
    with pytest.raises(ReplyError, match="inside its thinking block"):
        parse_reply('<think> {"score": 1}')
    assert parse_reply('draft {"score": 1} </think> {"score": 2}') == {"score": 2}


def test_a_later_cut_value_is_not_replaced_by_an_earlier_one() -> None:
    with pytest.raises(ReplyError, match="truncated"):
        parse_reply('Example: {"score": 1}. Mine: {"score": ')
