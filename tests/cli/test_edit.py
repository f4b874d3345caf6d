"""Commands that change memories: what they change, and what the person is told."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest
from harness.person import Person, facts_in

from tacit.cli.edit import edit_text
from tacit.errors import RefusedError, UsageError

FACTS = "docs/memory/memories.ndjson"


@pytest.fixture
def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Standard input is a terminal."""
    ours, theirs = os.openpty()
    with open(theirs) as terminal:
        monkeypatch.setattr("sys.stdin", terminal)
        yield
    os.close(ours)


def memory(person: Person, text: str) -> dict[str, object]:
    found: dict[str, object] = person.tacit("show", text, "--json").json
    return found


def test_other_words_make_another_statement_that_inherits_strength(person: Person) -> None:
    for _ in range(2):
        person.tacit("add", "deploy from main")
    told = person.tacit("edit", person.id_of("deploy from main"), "deploy", "from", "staging").out
    assert told == f"Revised (global, rule) [{memory(person, 'deploy from staging')['short']}]: deploy from staging\n"
    assert memory(person, "deploy from staging")["strength"] == 2
    assert [one["label"] for one in person.listed()] == ["deploy from staging"]


def test_kind_and_tags_change_without_the_words(person: Person) -> None:
    person.tacit("add", "deploy from main", "--tag", "old")
    before = person.id_of("deploy from main")
    person.tacit("edit", before, "--kind", "decision", "--tag", "ops", "--tag", "ci")
    after = memory(person, "deploy from main")
    assert (after["id"], after["kind"], after["tags"]) == (before, "decision", ["ops", "ci"])


def test_a_memory_is_merged_into_another(person: Person) -> None:
    person.tacit("add", "use tabs")
    person.tacit("add", "use tabs for indenting")
    told = person.tacit("edit", person.id_of("use tabs for indenting"), "--into", person.id_of("use tabs")).out
    assert told.startswith("Merged into (global, rule) [") and memory(person, "use tabs")["strength"] == 2
    assert [one["label"] for one in person.listed()] == ["use tabs"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "tacit edit wants ID [TEXT]"),
        (("use tabs", "more", "--text", "words"), "the text was given twice"),
        (("use tabs",), "what should it say?"),
        (("use tabs", "--kind", "wish"), "no such kind: 'wish'"),
    ],
)
def test_an_edit_that_says_nothing_clear_is_refused(person: Person, words: tuple[str, ...], message: str) -> None:
    person.tacit("add", "use tabs")
    assert message in person.tacit("edit", *words, code=2).err


def test_the_editor_of_the_person_may_replace_the_file_which_is_gone_afterwards(
    on_terminal: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script, seen = tmp_path / "editor.sh", tmp_path / "seen"
    script.write_text(f'echo "$1" >{seen}; sed s/main/staging/ "$1" >"$1.new"; mv "$1.new" "$1"\n')
    monkeypatch.setenv("EDITOR", "false")
    monkeypatch.setenv("VISUAL", f"sh '{script}'")
    assert edit_text("deploy from main") == "deploy from staging"
    assert not Path(seen.read_text().strip()).exists()


def test_an_editor_that_fails_changes_nothing(on_terminal: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", "false")
    with pytest.raises(RefusedError, match="nothing was changed"):
        edit_text("deploy from main")


def test_without_a_terminal_no_editor_is_opened() -> None:
    with pytest.raises(UsageError, match="what should it say"):
        edit_text("deploy from main")


def test_a_memory_is_forgotten_by_its_text_which_is_no_id_and_restored(person: Person) -> None:
    person.tacit("add", "use tabs")
    short = memory(person, "use tabs")["short"]
    assert "no memory is or says" in person.tacit("forget", "--text", str(short), "--reason", "x", code=1).err
    told = person.tacit("forget", "--text", "use tabs", "--reason", "we moved on").out
    undo = f"  take it back: tacit undo   or later: tacit restore {short}\n"
    assert told == f"Memory pruned or revised: use tabs\n{undo}" and person.listed() == []
    told = person.tacit("restore", "--text", "use tabs", "--reason", "we moved back").out
    assert told == f"Restored (global, rule) [{short}]: use tabs\n"


def test_the_fact_file_follows_what_is_shared_and_the_person_is_told(person: Person) -> None:
    work = person.repository()
    person.tacit("add", "use tabs", "--private", cwd=work)
    assert f"  shared in {FACTS};" in person.tacit("share", "use tabs", cwd=work).out
    assert f"  also in {FACTS}\n" in person.tacit("edit", "use tabs", "--text", "use 2 tabs", cwd=work).out
    assert [fact["canonical"] for fact in facts_in(work / FACTS)] == ["use 2 tabs"]
    assert f"  taken out of {FACTS}, too\n" in person.tacit("forget", "use 2 tabs", "--reason", "x", cwd=work).out
    assert f"  also in {FACTS}\n" in person.tacit("restore", "use 2 tabs", cwd=work).out
    told = person.tacit("share", "--remove", "use 2 tabs", cwd=work).out
    assert f"  no longer in {FACTS}; commit that file if it was committed before\n" in told
    assert not (work / FACTS).exists() or facts_in(work / FACTS) == []


def test_a_worklog_entry_needs_a_task_and_a_summary(person: Person) -> None:
    for name, value in (("--task", ""), ("--task", "   "), ("--summary", ""), ("--summary", "   ")):
        given = {"--task": "T-1", "--summary": "done"} | {name: value}
        error, hint = person.tacit("log", *chain.from_iterable(given.items()), code=2).err.splitlines()
        assert error == f"tacit: {name} is empty" and "tacit log --task" in hint
    assert not (person.home / "worklog").exists()
    told = person.tacit("log", "--task", "T-1", "--summary", "done", "--next", "the docs").out.splitlines()
    assert told[0] == "Logged: T-1: done"
    person.wait_for_pages()
    assert "the docs" in Path(told[1].strip()).read_text()


def test_the_steps_that_undo_and_redo_would_take_are_listed(person: Person) -> None:
    person.tacit("add", "use tabs")
    person.tacit("add", "deploy from main")
    assert person.tacit("undo").out == "Undone: added: deploy from main\n  bring it back: tacit redo\n"
    told = person.tacit("undo", "--list").out.splitlines()
    assert told[0] == "tacit undo takes these back, one each time:" and told[1].endswith("added: use tabs")
    assert told[2:] == ["tacit redo brings these back, one each time:", "  1  added: deploy from main"]
    assert person.tacit("redo").out == "Redone: added: deploy from main\n  take it back: tacit undo\n"
    latest, _ = person.tacit("undo", "--list", "--json").json
    assert latest["memory_ids"] == [person.id_of("deploy from main")] and latest["actor"] == "user"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("undo", "--json"), "--json goes with --list"),
        (("undo", "--list", "x"), "takes no words"),
        (("undo", "x", "y"), "tacit undo wants [ID]"),
        (("redo", "x"), "takes no words"),
    ],
)
def test_undo_and_redo_refuse_words_that_they_would_ignore(
    person: Person, words: tuple[str, ...], message: str
) -> None:
    assert message in person.tacit(*words, code=2).err


def test_with_a_text_an_id_is_no_reference(person: Person) -> None:
    person.tacit("add", "deploy from main")
    found = person.id_of("deploy from main")
    person.tacit("forget", found, "--reason", "x")
    person.tacit("restore", "--text", found, code=1)
    person.tacit("restore", "--text", "deploy from main")
    assert [one["label"] for one in person.listed()] == ["deploy from main"]
