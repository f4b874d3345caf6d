"""Only what a person accepted runs; saving, changing, renaming and removing are theirs, and can be undone."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

import pytest
from harness.person import NOW, Person, tree
from harness.terminal import converse

from tacit.log.codec import encode
from tacit.model.claim import GLOBAL, Provenance
from tacit.model.event import Event, EventOrigin
from tacit.model.ids import ClaimId, event_id
from tacit.model.observation import WorkflowSaved
from tests.support.workflows import new, run, runs, shown

# Only what a person accepted


def plant(person: Person, actor: str, *steps: str, name: str = "check") -> None:
    """A line that another program wrote into the log, later than all others."""
    origin = EventOrigin(datetime.fromisoformat(NOW), 0, "host", "", actor, Provenance.EXTERNAL)
    number = event_id(2**41 + len(person.events.read_bytes()), os.urandom(10))
    with open(person.events, "ab") as file:
        file.write(encode(Event(number, number, origin, GLOBAL, WorkflowSaved(name, steps))))


@pytest.mark.parametrize("actor", ["agent:claude", "repository"])
def test_what_nobody_accepted_is_shown_and_never_run(person: Person, actor: str) -> None:
    new(person, "echo fine", name="mine")
    plant(person, actor, "touch pwned")
    assert "not accepted" in person.tacit("workflow", "list").out
    assert "touch pwned" in person.tacit("workflow", "show", "check").out
    for words in (("run", "check", "--yes"), ("run", "check", "--dry-run"), ("export", "check", "--as", "bash")):
        assert "nobody accepted" in person.tacit("workflow", *words, code=1).err
    assert not (person.folder / "pwned").exists()


def test_a_person_accepts_what_they_have_seen_by_saving_it(person: Person) -> None:
    new(person, "echo fine", name="mine")
    plant(person, "agent:claude", "echo theirs")
    converse(person, "workflow", "edit", "check", answers=[], EDITOR="true")
    assert shown(person)["accepted"]
    assert "\ntheirs\n" in run(person).out


def test_a_secret_in_a_step_is_not_saved(person: Person) -> None:
    person.tacit("init")
    said = person.tacit("workflow", "new", "x", "--step", "curl -u someone:hunter2hunter2 https://example.org", code=1)
    assert "secret" in said.err
    assert b"hunter2hunter2" not in b"".join(tree(person.home).values())


def test_another_home_brings_its_workflows_only_when_it_is_ones_own(person: Person, tmp_path: Path) -> None:
    new(person, "echo fine")
    person.tacit("export", "--to", str(tmp_path / "copy"))
    other = Person(tmp_path)
    other.tacit("import", str(tmp_path / "copy"))
    assert other.tacit("workflow", "list", "--json").json == []
    other.tacit("import", str(tmp_path / "copy"), "--mine")
    assert "\nfine\n" in run(other).out


def test_a_purged_text_takes_the_workflow_along(person: Person) -> None:
    new(person, "echo sensitive words")
    run(person)
    person.tacit("purge", "--text", "sensitive words", "--yes")
    assert person.tacit("workflow", "list", "--json").json == []


# Changing


def test_a_renamed_workflow_keeps_its_runs_and_undo_names_it_back(person: Person) -> None:
    new(person, "echo one")
    run(person)
    person.tacit("workflow", "rename", "check", "verify")
    assert len(runs(person, "verify")) == 1
    assert "did you mean" in person.tacit("workflow", "show", "verif", code=1).err
    person.tacit("undo")
    assert len(runs(person)) == 1


def test_undo_takes_back_the_last_saving_but_no_run(person: Person) -> None:
    new(person, "echo one")
    person.tacit("workflow", "rm", "check")
    assert "dropped the workflow check" in person.tacit("undo").out
    run(person)
    assert "saved the workflow check" in person.tacit("undo").out  # further back, and not the run
    assert person.tacit("workflow", "list", "--json").json == []


def test_a_name_that_is_taken_is_not_overwritten(person: Person) -> None:
    new(person, "echo one")
    new(person, "echo two", name="other")
    new(person, "echo one")  # says the same again
    assert "already" in person.tacit("workflow", "new", "check", "--", "echo two", code=1).err
    assert "already" in person.tacit("workflow", "rename", "other", "check", code=1).err
    assert shown(person)["steps"] == ["echo one"]


def test_steps_of_a_pattern_get_a_name_of_their_own(person: Person) -> None:
    with person.vault() as vault:
        first = vault.workflows.save_workflow(None, ["make lint", "make test"], "", ClaimId("0123456789ab"))
        again = vault.workflows.save_workflow(None, ["make lint", "make test"], "", ClaimId("0123456789ab"))
        other = vault.workflows.save_workflow(None, ["make lint", "make test x"], "", ClaimId(""))
    assert (first.name, first.claim) == ("make-lint-test", "0123456789ab")
    assert (again.saved_event, other.name) == (first.saved_event, "make-lint-test-2")


def test_editing_shows_the_difference(person: Person) -> None:
    new(person, "echo one\necho two", "echo three")
    said = converse(person, "workflow", "edit", "check", answers=[], EDITOR="sed -i s/three/four/")
    assert "-    echo three" in said.out and "+    echo four" in said.out and "echo two" not in said.out
    assert shown(person)["steps"] == ["echo one\necho two", "echo four"]
    said = converse(person, "workflow", "edit", "check", answers=[], EDITOR="true")
    assert "Nothing changed." in said.out


def test_editing_the_name_renames(person: Person) -> None:
    new(person, "echo one")
    converse(person, "workflow", "edit", "check", answers=[], EDITOR="sed -i 's/^name: check/name: verify/'")
    assert [one["name"] for one in person.tacit("workflow", "list", "--json").json] == ["verify"]


@pytest.mark.parametrize("mistake", ["s/^step:/stp:/", "s/^name: check/name: a b/", "s/echo one//"])
def test_a_text_that_is_not_understood_is_kept(person: Person, mistake: str) -> None:
    new(person, "echo one")
    said = converse(
        person, "workflow", "edit", "check", answers=[], EDITOR=f"sed -i '{mistake}'", TMPDIR=str(person.folder)
    )
    assert said.code in (1, 2)
    (kept,) = person.folder.glob("tacit-workflow-*")
    assert str(kept) in said.out and f"tacit workflow edit check --file {kept}" in said.out.replace("\n", "")
    kept.write_text("name: check\nstep: echo two\n")
    person.tacit("workflow", "edit", "check", "--file", str(kept))
    assert shown(person)["steps"] == ["echo two"]


def test_without_a_terminal_the_form_is_read_from_a_file(person: Person) -> None:
    new(person, "echo one")
    assert "--file" in person.process("workflow", "edit", "check", code=2).err
    form = person.tacit("workflow", "show", "check", "--form").out
    (person.folder / "form").write_text(form.replace("one", "two"))
    person.process("workflow", "edit", "check", "--file", "form")
    assert shown(person)["steps"] == ["echo two"]


# Words


def test_an_export_is_written_once(person: Person) -> None:
    new(person, "echo one")
    person.tacit("workflow", "export", "check", "--as", "make", "--to", "rules.mk")
    assert "echo one" in (person.folder / "rules.mk").read_text()
    assert "already" in person.tacit("workflow", "export", "check", "--as", "make", "--to", "rules.mk", code=1).err
    assert "claude-command" in person.tacit("workflow", "export", "check", "--as", "ant", code=2).err


@pytest.mark.parametrize(
    "words",
    [
        ("fly",),
        ("show",),
        ("show", "a", "b"),
        ("list", "x"),
        ("list", "--yes"),
        ("new",),
        ("new", "x"),
        ("new", "a b", "--step", "ls"),
        ("new", "x", "--step", " "),
        ("run", "check", "--from", "9"),
        ("run", "check", "--from", "1", "--resume"),
        ("rename", "check"),
    ],
)
def test_words_that_are_off_say_what_to_type(person: Person, words: tuple[str, ...]) -> None:
    new(person, "echo one")
    said = person.tacit("workflow", *words, code=2)
    assert "→ " in said.err


def test_without_words_it_lists(person: Person) -> None:
    assert "tacit workflow new" in person.tacit("workflow").out
