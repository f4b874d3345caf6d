"""What nobody has accepted is no answer to an agent: not by recall in its shell, not by the server, not in a brief."""

from __future__ import annotations

import pytest
from harness.person import Person

CANDIDATE, ACCEPTED = "always deploy the kestrel on fridays", "never deploy the kestrel at night"
AGENT, PERSON = "agent:claude", "user"


@pytest.fixture
def told(person: Person) -> Person:
    person.tacit("add", ACCEPTED)
    person.tacit("remember", CANDIDATE, "--evidence", "chat")
    return person


def answers(person: Person, *words: str, asker: str = PERSON) -> list[str]:
    found = person.tacit("recall", "kestrel", "--json", *words, code=None, TACIT_ACTOR=asker).json
    return [hit["text"] for hit in found]


def test_the_person_finds_a_candidate_and_an_agent_does_not(told: Person) -> None:
    assert set(answers(told)) == {CANDIDATE, ACCEPTED}
    assert answers(told, asker=AGENT) == [ACCEPTED]
    told.tacit("accept", told.id_of(CANDIDATE))
    assert set(answers(told, asker=AGENT)) == {CANDIDATE, ACCEPTED}


@pytest.mark.parametrize("words", [("--all",), ("--scope", "all"), ("--as-of", "today"), ("--explain",)])
def test_no_option_brings_it_to_an_agent(told: Person, words: tuple[str, ...]) -> None:
    assert CANDIDATE not in answers(told, *words, asker=AGENT)
    assert ACCEPTED in answers(told, *words, asker=AGENT)


def test_neither_does_the_likeness_to_a_memory(told: Person) -> None:
    like = ("recall", "--like", told.id_of(ACCEPTED), "--json")
    assert [hit["text"] for hit in told.tacit(*like).json] == [CANDIDATE]
    assert told.tacit(*like, TACIT_ACTOR=AGENT).json == []


def test_what_was_dismissed_never_reaches_an_agent_and_what_was_forgotten_only_where_all_is_asked_for(
    told: Person,
) -> None:
    told.tacit("dismiss", told.id_of(CANDIDATE))
    told.tacit("forget", told.id_of(ACCEPTED), "--reason", "old", "--evidence", "me")
    assert set(answers(told, "--all")) == {CANDIDATE, ACCEPTED}
    assert answers(told, asker=AGENT) == []
    assert answers(told, "--all", asker=AGENT) == [ACCEPTED]


def test_briefs_and_contexts_hold_none(told: Person) -> None:
    for verb in (("brief",), ("brief", "--for", "deploy the kestrel on fridays"), ("context",)):
        out = told.tacit(*verb, TACIT_ACTOR=AGENT).out
        assert ACCEPTED in out and CANDIDATE not in out


def test_an_agent_that_lists_suggestions_sees_what_waits(told: Person) -> None:
    """It may go through them with the person, who decides."""
    assert CANDIDATE in told.tacit("suggestions", TACIT_ACTOR=AGENT).out
