"""The form of an answer: one JSON object, whatever stands around it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.learn.judge.answer import ANSWER_SCHEMA, KINDS_BY_LABEL, check_answer, parse_answer
from tacit.model.claim import Kind
from tests.support.model_talk import JUDGE, LABEL, RULE, answer, asked, but


def test_an_answer_is_read() -> None:
    read = parse_answer(answer(RULE, summary="All went well."))
    assert read is not None and read.malformed == 0
    (memory,) = read.memories
    assert (memory.kind, memory.quote) == (Kind.CONSTRAINT, RULE["quote"])
    assert (memory.why, memory.everywhere) == ("only the person publishes", False)
    assert read.summaries == {LABEL: "All went well."}


@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "\n {} \n",
        "```json\n{}\n```",
        "``` \r\n{}\n  ```",
        '<think>{{maybe}} this: {"a": 1}</think>{}',
        "<thinking>hm</thinking>\n```\n{}\n```",
        "Sure! Here is what I found:\n\n{}\n\nLet me know if you need more.",
        "I looked at {all of it}. {}",
    ],
)
def test_thinking_a_fence_and_words_around_the_one_object_are_ignored(around: str) -> None:
    assert parse_answer(around.replace("{}", answer(RULE))) == parse_answer(answer(RULE))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nothing worth keeping",
        "[]",
        "{}",
        "null",
        '{"memories": {}}',
        '{"memories": "none"}',
        f"{answer()} {answer()}",
        f'{{"draft": true}} {answer(RULE)}',
        answer(RULE)[:-1],
        "{" * 5000,
        '{"a":' * 5000,
        "<think>" * 9000,
    ],
)
def test_what_is_no_answer_is_none(text: str) -> None:
    assert parse_answer(text) is None


def test_the_question_echoed_is_no_answer() -> None:
    assert parse_answer(asked().text) is None


def test_the_form_of_the_question_filled_in_with_nothing_is_not_believed() -> None:
    shown = next(line for line in asked().text.split("\n") if line.startswith('{"question"'))
    read = parse_answer(shown)
    assert read is not None and check_answer(read, asked(), JUDGE).sessions[LABEL].findings == ()


@pytest.mark.parametrize(
    "memory",
    [
        None,
        "never push",
        [],
        {},
        {"quote": "x", "statement": "y"},
        but(kind="habit"),
        but(kind=7),
        but(quote=None),
        but(statement=["Never push to main on your own."]),
    ],
)
def test_a_memory_of_another_form_is_counted_and_left_out(memory: object) -> None:
    read = parse_answer(json.dumps({"memories": [memory, RULE], "summaries": {}}))
    assert read is not None and len(read.memories) == 1 and read.malformed == 1


@pytest.mark.parametrize("left_out", ["why", "where"])
def test_what_need_not_be_said_may_be_left_out(left_out: str) -> None:
    memory = {name: value for name, value in RULE.items() if name != left_out}
    read = parse_answer(json.dumps({"memories": [memory]}))
    assert read is not None and len(read.memories) == 1


@pytest.mark.parametrize(("label", "kind"), [("Known fix", Kind.KNOWN_FIX), (" rule ", Kind.RULE)])
def test_a_kind_may_be_spelled_in_another_way(label: str, kind: Kind) -> None:
    read = parse_answer(answer(but(kind=label)))
    assert read is not None and read.memories[0].kind is kind


@pytest.mark.parametrize("summaries", [[], "fine", {LABEL: 7}, {LABEL: ["fine"]}])
def test_a_summary_that_is_no_text_is_counted_and_the_memories_stay(summaries: object) -> None:
    read = parse_answer(json.dumps({"memories": [RULE], "summaries": summaries}))
    assert read is not None and len(read.memories) == 1 and read.malformed == 1 and read.summaries == {}


@given(st.text() | st.text().map(lambda text: f'{{"memories": [{text}]}}'))
@settings(max_examples=200, deadline=None)
def test_whatever_is_answered_is_read_without_an_error(text: str) -> None:
    parse_answer(text)


def test_the_schema_asks_for_what_is_read() -> None:
    properties = ANSWER_SCHEMA["properties"]
    assert isinstance(properties, dict)
    fields = properties["memories"]["items"]["properties"]
    assert fields.keys() == RULE.keys() and fields["kind"]["enum"] == list(KINDS_BY_LABEL)


def test_every_kind_that_is_read_is_explained() -> None:
    assert all(f"- {label}: " in asked().text for label in KINDS_BY_LABEL)
