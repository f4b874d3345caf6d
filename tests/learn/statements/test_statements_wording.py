"""What is stored is the person's own sentence, complete; what it refers to is a hint; the quote is in the prompt."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.learn.statements import MAX_STATEMENT_CHARS, word_statement
from tacit.learn.statements.sentences import prompt_sentences
from tacit.model.claim import GLOBAL, Provenance
from tacit.model.observation import PromptKind
from tacit.model.statement import claim_from
from tests.support.talking import learnt, prompt, reply, sentences


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("ok, so please never commit the .env file", "Never commit the .env file"),
        ("no, we never commit generated files here", "We never commit generated files here"),
        ("from now on run tests with `-n0 --maxfail=1`", "Run tests with `-n0 --maxfail=1`"),
        ("Never edit src/gen/api.ts by hand, it is generated.", "Never edit src/gen/api.ts by hand, it is generated."),
    ],
)
def test_the_sentence_of_the_person_is_stored_without_what_only_introduces_it(text: str, stored: str) -> None:
    assert sentences(text) == [stored]


def test_the_sentence_before_is_a_hint_and_not_a_part_of_the_quote() -> None:
    (lesson,) = learnt("You ran the review. Never do that again without my permission.")
    assert lesson.quote == "Never do that again without my permission."
    assert lesson.sentence == "Never do that again without my permission. (about: You ran the review.)"
    assert lesson.provenance is Provenance.USER_DIRECT


def test_what_the_agent_did_before_is_a_hint_of_a_model() -> None:
    (lesson,) = learnt(reply("I pushed the branch to origin."), "never do that again without asking me")
    assert lesson.sentence == "Never do that again without asking me (about: I pushed the branch to origin.)"
    assert lesson.provenance is Provenance.MODEL  # learn.accept takes only what the person typed


def test_words_with_a_rejection_name_the_call_that_was_rejected() -> None:
    (lesson,) = learnt(prompt("never run this without asking me", PromptKind.REJECTION, "rm -rf build"))
    assert "rm -rf build" in lesson.sentence


def test_a_reference_is_not_sure_enough_to_be_accepted_at_once() -> None:
    (lesson,) = learnt("good. from now on always do it that way")
    assert lesson.confidence < 0.75


def test_two_words_are_no_statement() -> None:
    assert learnt("never npm") == []


def test_a_sentence_too_long_for_a_card_makes_none() -> None:
    text = "never push to the main branch directly, " + "and neither to this one, " * 20
    (sentence,) = prompt_sentences(text)
    assert len(text) > MAX_STATEMENT_CHARS
    assert word_statement(sentence, "", "") is None


def test_a_sentence_with_a_secret_makes_none() -> None:
    (sentence,) = prompt_sentences("always log in with password=hunter2-Xk93jd82 on staging")
    assert word_statement(sentence, "", "") is None


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("never use default exports in components", "please never use default exports in components"),
        ("please always run the whole linter first", "always run the whole linter first"),
    ],
)
def test_the_same_rule_with_another_introduction_is_one_claim(first: str, second: str) -> None:
    (one,), (other,) = learnt(first), learnt(second)
    assert claim_from(one.sentence, GLOBAL).id == claim_from(other.sentence, GLOBAL).id


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
    for lesson in learnt(text):
        assert lesson.quote in text
        assert lesson.quote.strip()
        assert "\n" not in lesson.sentence
        assert 0 < lesson.confidence < 1
