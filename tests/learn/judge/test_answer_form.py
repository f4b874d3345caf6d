"""Only an answer of the form that was asked for is one."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.learn.llm.check import check_answer
from tacit.learn.llm.prompt import ANSWER_SCHEMA, KINDS_BY_LABEL, build_prompt, parse_answer
from tacit.model.claim import Kind
from tests.support.model_talk import RULE, answer, but, shown


def test_an_answer_is_read() -> None:
    read = parse_answer(answer(RULE))
    assert read is not None and read.malformed == 0
    (claimed,) = read.claims
    assert (claimed.kind, claimed.evidence, claimed.confidence) == (Kind.CONSTRAINT, ("e1",), 0.9)


@pytest.mark.parametrize(
    "around",
    ["{}", "  {}\n", "```json\n{}\n```", "```\n{}\n```", "<think>\nThe user {{says}} …\n</think>\n\n{}"],
)
def test_thinking_and_a_fence_around_an_answer_are_taken_off(around: str) -> None:
    assert parse_answer(around.format(answer(RULE))) == parse_answer(answer(RULE))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Sure! Here are the memories.",
        "Here you are: " + answer(RULE),
        answer(RULE) + "\nIs there anything else?",
        answer(RULE)[:-1],
        json.dumps([RULE]),
        json.dumps(RULE),
        json.dumps({"memories": RULE}),
        json.dumps({"memories": [], "note": "and more"}),
        "null",
        "[" * 100_000,
        '{"memories":' * 5_000,
        "9" * 10_000,
        "\x00\ud800",
    ],
)
def test_what_is_no_answer_is_none(text: str) -> None:
    assert parse_answer(text) is None


def test_the_prompt_echoed_is_no_answer() -> None:
    asked = build_prompt(shown())
    assert parse_answer(asked) is None
    example = asked[asked.index('{"memories": [{') :].split("\n")[0]
    read = parse_answer(example)
    assert read is not None and len(read.claims) == 1  # the example is of the form that is asked for,
    assert check_answer(read, shown()).findings == ()  # and nobody who repeats it is believed
    assert read.summary and check_answer(read, shown()).summary == ""


@pytest.mark.parametrize(
    "claim",
    [
        {},
        {**RULE, "more": 1},
        {key: RULE[key] for key in RULE if key != "quote"},
        but(type="habit"),
        but(type="recurring_command"),
        but(type=["rule"]),
        but(content=None),
        but(evidence="e1"),
        but(evidence=[]),
        but(evidence=[1]),
        but(quote=7),
        but(confidence="high"),
        but(confidence=True),
        but(confidence=1.01),
        but(confidence=-0.1),
        but(confidence=float("nan")),
        but(confidence=float("inf")),
    ],
)
def test_a_memory_of_another_form_is_counted_and_left_out(claim: dict[str, object]) -> None:
    read = parse_answer(answer(claim, RULE))
    assert read is not None and len(read.claims) == 1 and read.malformed == 1


@given(st.text(max_size=200) | st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["memories", *RULE]), inner),
).map(json.dumps))  # fmt: skip
@settings(max_examples=200, deadline=None)
def test_whatever_is_answered_is_read_without_an_error(text: str) -> None:
    parse_answer(text)


def test_an_answer_without_a_summary_is_one_all_the_same() -> None:
    read = parse_answer(answer(RULE))
    assert read is not None and read.summary == ""
    read = parse_answer(answer(RULE, summary="It is done."))
    assert read is not None and (read.summary, read.malformed) == ("It is done.", 0)


@pytest.mark.parametrize("summary", [7, True, ["It is done."], {"text": "It is done."}])
def test_a_summary_that_is_no_text_is_counted_and_the_claims_stay(summary: object) -> None:
    read = parse_answer(answer(RULE, summary=summary))
    assert read is not None and len(read.claims) == 1 and (read.summary, read.malformed) == ("", 1)


def test_the_schema_asks_for_what_is_read() -> None:
    assert ANSWER_SCHEMA["required"] == list(ANSWER_SCHEMA["properties"]) == ["memories", "summary"]  # type: ignore[call-overload]
    items = ANSWER_SCHEMA["properties"]["memories"]["items"]  # type: ignore[index]
    assert items["required"] == list(items["properties"]) and set(items["required"]) == set(RULE)


def test_every_kind_that_is_read_is_asked_for() -> None:
    assert all(f"\n- {kind}: " in build_prompt(shown()) for kind in KINDS_BY_LABEL)
