"""Every form of every learner is found in its example, and the example is learnt."""

from __future__ import annotations

from functools import partial

import pytest

from tacit.learn import load_data
from tacit.learn.statements.normalise import prompt_sentences
from tacit.learn.statements.patterns import (
    StatementForm,
    find_forms,
    find_structure,
    statement_forms,
    statement_signals,
)
from tacit.model.claim import Kind
from tests.support.talking import learnt

ROWS = [(group, form) for group, forms in statement_forms().items() for form in forms]


@pytest.mark.parametrize(("group", "form"), ROWS, ids=lambda one: getattr(one, "name", one))
def test_a_form_is_found_in_its_example_and_the_example_is_learnt(group: str, form: StatementForm) -> None:
    find = find_structure if group == "structure" else partial(find_forms, group)
    found = {match.form.name for phrase in prompt_sentences(form.example) for match in find(phrase)}
    assert form.name in found
    (one, *_) = learnt(form.example)
    assert one.quote in form.example


@pytest.mark.parametrize(
    ("group", "row"), [(group, row) for group, rows in load_data("statements/signals.toml").items() for row in rows]
)
def test_a_signal_is_found_in_its_example(group: str, row: dict[str, str]) -> None:
    found = [signal.name for signal in statement_signals()[group] if signal.pattern.search(row["example"])]
    assert row["name"] in (found[:1] if group in ("objects", "impersonal") else found)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("never run the migrations on the server", Kind.CONSTRAINT),
        ("don't do amplify deploys, I can do that", Kind.CONSTRAINT),
        ("Ask me before you change the public API", Kind.CONSTRAINT),
        ("we decided on vitest, not jest, for the web app", Kind.DECISION),
        ("let's use httpx instead of requests here", Kind.DECISION),
        ("I'd rather have small modules than one big file", Kind.PREFERENCE),
        ("we use conventional commits in this repo", Kind.CONVENTION),
        ("every route must have a test of its own", Kind.CONVENTION),
        ("I'm on Fedora 40 with Wayland", Kind.ENVIRONMENT),
        ("we removed the cache on purpose, it hid bugs", Kind.DECISION),
        ("controllers talk to services, only repositories touch the database", Kind.CONVENTION),
    ],
)
def test_what_is_learnt_has_the_kind_it_was_said_as(text: str, kind: Kind) -> None:
    assert [one.kind for one in learnt(text)] == [kind]


@pytest.mark.parametrize(
    "text",
    [
        "from now on, please run the tests with one worker only",
        "let me handle git, you just change the code",
        "I will run terraform myself in another window",
        "alwasy use absolute imports in this project",
        "Test your work yourself before you report back to me",
        "payments are not part of the MVP",
        "the staging server is at https://staging.example.com",
        "you don't have to ask me before you run the tests",
        "uhh we decided on utils, not schema, for the parser, wth?",
        "all database access goes through the repository layer",
    ],
)
def test_what_holds_on_is_learnt_in_many_wordings(text: str) -> None:
    assert len(learnt(text)) == 1
