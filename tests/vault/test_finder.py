"""While somebody types, commands are found by any part of their line, the latest first, each once."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.person import Person
from hypothesis import given
from hypothesis import strategies as st

from tacit.vault import finder
from tacit.vault.finder import CommandLines, Finder, kind_of
from tacit.vault.hits import Hit
from tests.support.talking import capture

LINES = st.lists(st.text(st.sampled_from("ab Bß\n"), max_size=6), max_size=12)


@given(LINES, LINES, st.lists(st.text(st.sampled_from("abß"), min_size=1, max_size=3), max_size=3), st.integers(1, 8))
def test_lines_are_found_by_all_words_in_their_order(
    first: list[str], more: list[str], words: list[str], limit: int
) -> None:
    lines = CommandLines()
    lines.extend((text, at) for at, text in enumerate(first))
    lines.extend((text, len(first) + at) for at, text in enumerate(more))
    every = first + more
    folded = [word.casefold() for word in words]
    wanted = [at for at, text in enumerate(every) if all(word in text.casefold() for word in folded)]
    distinct = [at for at in wanted if every[at] not in every[:at]]
    assert lines.find(folded, limit) == distinct[:limit]


@pytest.fixture
def project(person: Person) -> Path:
    folder = person.folder / "shop"
    folder.mkdir()
    return folder


def kinds(hits: list[Hit]) -> list[str]:
    return sorted(map(kind_of, hits))


def ran(person: Person, *commands: str, start: int = 1_772_000_000) -> None:
    file = person.folder / "history"
    file.write_text("".join(f": {start + at}:0;{line}\n" for at, line in enumerate(commands)))
    person.tacit("import", "history", "--file", str(file), "--shell", "zsh")


def commands_of(search: Finder, query: str) -> list[str]:
    return [hit.text for hit in search.find_commands(query)]


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_all_commands_are_found_once_they_are_loaded_whatever_the_pieces(
    person: Person, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(finder, "_FIRST_LINES", 2)
    monkeypatch.setattr(finder, "_LINES_PER_PIECE", size)
    ran(person, *(f"make part{number}" for number in range(9)), "make part3")
    latest = ["make part3", "make part8", "make part7", "make part6", "make part5"]
    with person.vault() as vault:
        search = Finder(vault.home)
        assert commands_of(search, "MAKE") == latest[:2]
        for _ in search.load():
            assert commands_of(search, "make")[:2] == latest[:2]
        assert commands_of(search, "make")[:5] == latest and len(commands_of(search, "art make")) == 9
        assert commands_of(search, "part4") == ["make part4"]


def test_ones_own_commands_come_before_those_of_agents(person: Person, project: Path) -> None:
    ran(person, "git diff old", start=1_600_000_000)
    capture(person, project, 2, "Mend it.", fixed=True)
    with person.vault() as vault:
        search = Finder(vault.home)
        list(search.load())
        assert commands_of(search, "git diff") == ["git diff old", "git diff main...HEAD", "git diff master...HEAD"]


def test_a_word_that_is_being_typed_is_finished_for_sessions_and_memories(person: Person, project: Path) -> None:
    capture(person, project, 2, "Why does the importer restart at night?")
    person.tacit("add", "the importer runs on worker-47")
    with person.vault() as vault:
        search = Finder(vault.home)
        for query in ("impo", "at night impo", "importer"):
            assert kinds(search.find_answers(query)) == ["memory", "session"], query
        assert search.find_answers("impo ") == []  # a word that is whole
        assert kinds(search.find_answers("impo", "session")) == ["session"]
        assert kinds(search.find_answers("impo", "memory")) == ["memory"]


def test_what_was_forgotten_or_is_an_entry_of_the_worklog_is_no_answer(person: Person) -> None:
    person.tacit("add", "the importer runs on worker-47")
    person.tacit("log", "--task", "importer", "--summary", "the importer works")
    with person.vault() as vault:
        assert kinds(Finder(vault.home).find_answers("importer")) == ["memory"]
    person.tacit("forget", "the importer runs on worker-47", "--reason", "r", "--evidence", "e")
    with person.vault() as vault:
        assert Finder(vault.home).find_answers("importer") == []


def test_asking_while_one_types_is_not_recorded_as_a_question(person: Person) -> None:
    person.tacit("add", "the importer runs on worker-47")
    before = {path: path.read_bytes() for path in person.home.rglob("*.jsonl")}
    with person.vault() as vault:
        assert Finder(vault.home).find_answers("importer")
    assert {path: path.read_bytes() for path in person.home.rglob("*.jsonl")} == before
