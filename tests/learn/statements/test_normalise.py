"""What is stored can stand alone, keeps names whole, says what was meant, and its quote is in the prompt."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.model.claim import GLOBAL
from tacit.model.observation import PromptKind
from tacit.model.statement import claim_from
from tests.support.talking import learnt, prompt, reply, sentences


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ok, so please never commit the .env file", "Never commit the .env file"),
        ("Remember to use the validators of the project", "Use the validators of the project"),
        ("from now on run tests with `-n0 --maxfail=1`", "Run tests with `-n0 --maxfail=1`"),
        ("I told you not to touch src/gen/api.ts by hand", "Never touch src/gen/api.ts by hand"),
        ("(we use go-git in other places for that)", "We use go-git in other places for that"),
        ("no, we don't commit generated files here", "We don't commit generated files here"),
    ],
)
def test_what_only_introduces_a_rule_is_left_out(text: str, said: str) -> None:
    assert sentences(text) == [said]


def test_a_no_that_is_meant_is_not_taken_for_an_answer() -> None:
    assert sentences("no more default exports please, named exports only") == [
        "No more default exports please, named exports only"
    ]


def test_a_rule_that_points_at_the_sentence_before_brings_it_along() -> None:
    text = "You ran the review. Never do that again on your own."
    (one,) = learnt(text)
    assert one.quote == text
    assert "the review" in one.sentence


def test_a_rule_that_points_at_the_turn_before_names_it() -> None:
    (one,) = learnt(reply("I pushed the branch to origin."), "never do that again without asking")
    assert "I pushed the branch to origin." in one.sentence
    assert one.quote == "never do that again without asking"


def test_words_with_a_rejection_name_the_call_that_was_turned_down() -> None:
    (one,) = learnt(prompt("never run this without asking me", PromptKind.REJECTION, "rm -rf build"))
    assert "rm -rf build" in one.sentence


def test_words_with_a_rejection_weigh_more() -> None:
    text = "don't push the branch to the fork"
    assert learnt(text) == []
    assert len(learnt(prompt(text, PromptKind.REJECTION, "git push fork"))) == 1


def test_too_few_words_are_no_thought() -> None:
    assert learnt("never use npm") == []


def test_a_short_sentence_is_told_with_its_neighbour() -> None:
    assert sentences("I don't want scaling of the text. I prefer truncation.") == [
        "I don't want scaling of the text. I prefer truncation."
    ]


def test_of_a_very_long_sentence_the_clause_is_quoted() -> None:
    text = "please look at the audit, " + "and at this one, " * 20 + "never push to the main branch directly, thanks"
    (one,) = learnt(text)
    assert one.quote in text
    assert len(one.quote) < 260
    assert "never push to the main branch directly" in one.quote


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("never use default exports in components", "we don't use default exports in components"),
        ("Avoid using default exports in components", "please never use default exports in components"),
        ("let's always run the whole linter first", "you should always run the whole linter first"),
        ("I prefer pnpm for the web packages", "I'd prefer using pnpm for the web packages"),
    ],
)
def test_the_same_rule_said_differently_is_one_claim(one: str, other: str) -> None:
    (first,), (second,) = learnt(one), learnt(other)
    assert claim_from(first.sentence, GLOBAL).id == claim_from(second.sentence, GLOBAL).id


def test_a_wish_against_something_is_not_read_as_a_wish_for_it() -> None:
    against, wish = claim_from("I don't want tailwind here", GLOBAL), claim_from("I want tailwind here", GLOBAL)
    assert against.triple.predicate == "does not want"
    assert against.id != wish.id


WORDS = st.sampled_from(
    [
        *"never always we use I prefer don't commit the .env file instead of it that 必ず こと v1.2 e.g.".split(),
        *'.,?!\n-`"()',
    ]
)


@settings(max_examples=250, deadline=None)
@given(st.lists(WORDS, max_size=40).map(" ".join))
def test_every_quote_is_a_part_of_the_prompt(text: str) -> None:
    for one in learnt(text):
        assert one.quote in text
        assert one.quote.strip()
        assert "\n" not in one.sentence
        assert 0 < one.confidence < 1
