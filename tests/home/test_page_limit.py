"""Pages show the memories that changed last, up to a limit, whether they are drawn anew or brought up to date."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from harness.person import Person, facts_in
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import NotFoundError, RefusedError
from tacit.home.home import Home
from tacit.home.settings import Settings
from tacit.vault import Vault
from tests.support.pages import parse_entries

LIMIT = 3
NOTE = "Only the 3 memories that changed last are shown."


@contextlib.contextmanager
def limited_vault(person: Person) -> Iterator[Vault]:
    with person.at(), Vault(Home(person.home, settings=Settings(pages_entries=LIMIT))) as vault:
        yield vault


@pytest.fixture
def vault(person: Person) -> Iterator[Vault]:
    with limited_vault(person) as vault:
        yield vault


def shown(person: Person) -> set[str]:
    return {entry.text for entry in parse_entries(person.long_term.read_text().split("\n"))}


def facts_shown(person: Person) -> set[str]:
    return {fact["canonical"] for fact in facts_in(person.facts)}


def add(vault: Vault, *names: str) -> set[str]:
    texts = [f"never use the tool {name}" for name in names]
    for text in texts:
        vault.add(text)
    return set(texts)


def test_pages_up_to_the_limit_show_everything(person: Person, vault: Vault) -> None:
    texts = add(vault, "alpha", "beta", "gamma")
    assert shown(person) == facts_shown(person) == texts
    assert "are shown" not in person.long_term.read_text()


def test_beyond_the_limit_the_latest_are_shown_and_the_page_says_so(person: Person, vault: Vault) -> None:
    add(vault, "alpha", "beta")
    latest = add(vault, "gamma", "delta", "epsilon")
    assert NOTE in person.long_term.read_text()
    assert shown(person) == facts_shown(person) == latest


def test_the_limit_is_a_setting(person: Person) -> None:
    person.home.mkdir(parents=True)
    (person.home / "tacit.toml").write_text("[pages]\nentries = 100\n")
    with person.vault() as vault:
        for number in range(101):
            vault.add(f"never use the tool number {number}")
    assert len(shown(person)) == 100
    assert "Only the 100 memories that changed last are shown." in person.long_term.read_text()


def test_what_is_not_shown_is_found_and_comes_back_when_there_is_room(person: Person, vault: Vault) -> None:
    (oldest,) = add(vault, "alpha")
    add(vault, "beta", "gamma", "delta")
    assert vault.recall(oldest)[0].text == oldest
    vault.changes.undo()
    assert oldest in shown(person)
    assert oldest in facts_shown(person)


def test_a_line_that_left_the_page_is_not_taken_for_a_removed_one(vault: Vault) -> None:
    add(vault, "alpha", "beta", "gamma", "delta")
    assert vault.hand_edits.unread_edits() == []


def test_an_edit_of_a_line_that_would_leave_the_page_stays_until_it_is_read(person: Person, vault: Vault) -> None:
    add(vault, "alpha", "beta", "gamma")
    person.long_term.write_text(person.long_term.read_text().replace("tool alpha", "old tool alpha"))
    add(vault, "delta")
    assert "never use the old tool alpha" in person.long_term.read_text()
    (unread,) = vault.hand_edits.unread_edits()
    assert vault.hand_edits.sync([unread], vouched=True).judgements
    assert vault.recall("old tool alpha")[0].text == "never use the old tool alpha"


_NAMES = st.sampled_from(["alpha", "beta", "gamma", "delta", "epsilon", "zeta"])
_ACTS = st.lists(st.tuples(st.sampled_from(["add", "forget", "undo", "remember"]), _NAMES), max_size=12)


@given(_ACTS)
@settings(max_examples=25)
def test_pages_that_are_brought_up_to_date_are_those_that_are_drawn_anew(acts: list[tuple[str, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        person = Person(Path(folder))
        with limited_vault(person) as vault:
            add(vault, "omega")
            for act, name in acts:
                _do(vault, act, name)
            drawn = person.long_term.read_bytes(), person.facts.read_bytes()
            vault.doctor.reindex()
            assert (person.long_term.read_bytes(), person.facts.read_bytes()) == drawn


def _do(vault: Vault, act: str, name: str) -> None:
    text = f"never use the tool {name}"
    if act == "add":
        vault.add(text)
    elif act == "remember":
        vault.memories.remember(text, evidence="chat")
    else:
        with suppress(NotFoundError, RefusedError):  # there is nothing left, or no such memory
            _ = vault.changes.undo() if act == "undo" else vault.memories.forget(text, by_text=True)
