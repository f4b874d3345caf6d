"""At the start of a session the person is shown that suggestions wait; the model is told nothing of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from harness.person import Person
from harness.transcripts import name_of

from tacit.hooks import dispatch
from tests.support.hook_session import Sitting, text_in

RULE, SUGGESTION = "never run npm here, use pnpm", "always bake the bread before noon"
LINE = "Tacit: 1 suggestion waits for you. In a terminal of your own, type: tacit review"
# Event, and where the line for the person stands in the answer.
SHOWN = {
    "claude": ("SessionStart", "systemMessage"),
    "codex": ("SessionStart", "systemMessage"),
    "gemini": ("SessionStart", "systemMessage"),
    "opencode": ("session.start", "notice"),
}


@pytest.fixture
def person(tmp_path: Path) -> Person:
    one = Person(tmp_path)
    work = one.repository("work", remote="git@example.org:kim/work.git")
    one.tacit("add", RULE, cwd=work)
    return one


def suggested(person: Person, *texts: str) -> None:
    for text in texts:
        person.tacit("remember", text, "--evidence", "chat", cwd=person.folder / "work")


def answer(person: Person, host: str = "claude", source: str = "startup", **environment: str) -> dict[str, Any]:
    """The whole answer of the hook at the start of a session."""
    work = person.folder / "work"
    payload = {"session_id": name_of("one"), "sessionId": name_of("one"), "cwd": str(work), "source": source}
    event = SHOWN.get(host, ("sessionStart",))[0]
    with person.at(work, **environment):
        out = dispatch.inject(host, event, json.dumps(payload).encode(), None)
    found: dict[str, Any] = json.loads(out) if out else {}
    return found


@pytest.mark.parametrize("host", sorted(SHOWN))
def test_the_person_is_shown_that_suggestions_wait_and_the_model_is_not(person: Person, host: str) -> None:
    suggested(person, SUGGESTION)
    told = answer(person, host)

    assert told.pop(SHOWN[host][1]) == LINE
    assert "suggestion" not in json.dumps(told) and SUGGESTION not in json.dumps(told)
    assert (RULE in json.dumps(told)) == (host != "gemini")


def test_facts_of_a_clone_that_wait_for_trust_are_counted_and_not_told(person: Person, tmp_path: Path) -> None:
    facts = person.folder / "work/docs/memory/memories.ndjson"
    (tmp_path / "other").mkdir()
    other = Person(tmp_path / "other")
    work = other.repository("work", remote="git@example.org:kim/work.git")
    other.tacit("add", "deploy on Fridays only", cwd=work)
    facts.write_bytes((work / "docs/memory/memories.ndjson").read_bytes())

    told = answer(person)
    assert told["systemMessage"] == (
        "Tacit: 1 fact of this repository waits for you. In a terminal of your own, type: tacit trust"
    )
    assert "Fridays" not in json.dumps(told)
    suggested(person, SUGGESTION)
    assert "1 suggestion and 1 fact of this repository wait for you" in answer(person)["systemMessage"]


def test_a_host_that_is_told_nothing_at_its_start_is_told_the_rule_with_the_first_prompt(person: Person) -> None:
    suggested(person, SUGGESTION)
    assert set(answer(person, "gemini")) == {"systemMessage"}

    assert RULE in Sitting(person, name_of("one"), person.folder / "work", "gemini").ask("hello")


@pytest.mark.parametrize("host", [*sorted(SHOWN), "copilot", "cursor"])
def test_nothing_is_shown_when_nothing_waits(person: Person, host: str) -> None:
    assert "suggestion" not in json.dumps(answer(person, host))


@pytest.mark.parametrize("host", ["copilot", "cursor"])
def test_a_host_that_shows_no_such_line_gets_none(person: Person, host: str) -> None:
    suggested(person, SUGGESTION)

    assert "suggestion" not in json.dumps(answer(person, host))


@pytest.mark.parametrize("source", ["resume", "clear", "compact"])
def test_a_session_that_goes_on_does_not_show_it_again(person: Person, source: str) -> None:
    suggested(person, SUGGESTION)

    assert "systemMessage" not in answer(person, source=source)


def test_no_prompt_shows_it(person: Person) -> None:
    suggested(person, SUGGESTION)
    payload = {"session_id": name_of("one"), "cwd": str(person.folder / "work"), "prompt": "hello"}
    with person.at(person.folder / "work"):
        out = dispatch.inject("claude", "UserPromptSubmit", json.dumps(payload).encode(), None) or ""

    assert RULE in text_in(out) and "systemMessage" not in json.loads(out)


def test_it_counts_what_the_review_shows_wherever_it_was_suggested(person: Person) -> None:
    suggested(person, SUGGESTION, "always close the gate")
    person.tacit("remember", "always feed the cat", "--evidence", "chat")

    assert answer(person)["systemMessage"].startswith("Tacit: 3 suggestions wait for you.")
    assert len(person.tacit("suggestions", "--json").json) == 3
    person.tacit("dismiss", person.id_of(SUGGESTION))
    assert answer(person)["systemMessage"].startswith("Tacit: 2 suggestions wait for you.")


def test_it_can_be_turned_off_and_a_variable_does_not_turn_it_on_again(person: Person) -> None:
    suggested(person, SUGGESTION)
    assert "systemMessage" not in answer(person, TACIT_AGENTS_NOTICE="off")
    person.tacit("config", "set", "agents.notice", "false")

    assert "systemMessage" not in answer(person)
    assert "systemMessage" not in answer(person, TACIT_AGENTS_NOTICE="1")


def test_it_is_shown_where_nothing_is_told_at_the_start(person: Person) -> None:
    suggested(person, SUGGESTION)

    assert answer(person, TACIT_AUTOCAPTURE_INJECT_ON_START="off") == {"systemMessage": LINE}


def test_a_folder_that_is_left_out_and_settings_that_cannot_be_read_show_nothing(person: Person) -> None:
    suggested(person, SUGGESTION)
    person.tacit("config", "set", "agents.ignore_directories", str(person.folder / "work"))
    assert answer(person) == {}
    (person.home / "tacit.toml").write_text("[agents\n")

    assert answer(person) == {}
