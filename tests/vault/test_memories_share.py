"""Private unless shared: who shares what, what the answer says, and what becomes of the file."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from harness.person import Person, facts_in, tree

RULE = "we deploy from the release branch"


@pytest.fixture
def project(person: Person) -> Path:
    return person.repository()


def fact_file(project: Path) -> Path:
    return project / "docs" / "memory" / "memories.ndjson"


def in_file(project: Path) -> list[str]:
    return [fact["canonical"] for fact in facts_in(fact_file(project))] if fact_file(project).exists() else []


def candidate(person: Person, project: Path, text: str) -> str:
    person.tacit("remember", text, "--evidence", "chat", cwd=project)
    return person.id_of(text)


# What add does


@pytest.mark.parametrize("text", ["I prefer tabs", "my editor is helix", "prefer tabs", "always ask me before a push"])
def test_what_is_about_one_person_stays_in_the_home(person: Person, project: Path, text: str) -> None:
    said = person.process("add", text, cwd=project)
    assert not (project / "docs").exists()
    assert f"tacit share {person.id_of(text)[:4]}" in said.out
    (memory,) = person.listed(cwd=project)
    assert (memory["scope"].partition(":")[0], memory["status"], memory["shared"]) == ("project", "active", False)


@pytest.mark.parametrize("text", ["we prefer pnpm", "our team prefers short branches", "never edit my.cnf by hand"])
def test_what_is_about_the_team_is_shared(person: Person, project: Path, text: str) -> None:
    person.tacit("add", text, cwd=project)
    assert in_file(project) == [text]


def test_with_private_a_rule_stays_in_the_home_until_it_is_shared(person: Person, project: Path) -> None:
    person.tacit("add", RULE, "--private", cwd=project)
    assert not (project / "docs").exists()
    said = person.process("share", person.id_of(RULE), cwd=project)
    assert in_file(project) == [RULE]
    assert "docs/memory/memories.ndjson" in said.out
    assert person.listed(cwd=project)[0]["shared"] is True


def test_what_could_not_be_written_is_not_told_as_shared(person: Person, project: Path) -> None:
    (project / "docs").symlink_to(person.folder)
    said = person.tacit("add", RULE, cwd=project)
    assert "could not be written" in said.out and "to keep it private" not in said.out


# What is learned


def test_accepting_changes_no_file_of_the_repository(person: Person, project: Path) -> None:
    person.tacit("add", "never force push", cwd=project)
    first, second = candidate(person, project, RULE), candidate(person, project, "use ruff")
    before = tree(project)
    said = person.process("accept", first, second, cwd=project)
    assert tree(project) == before
    assert f"tacit share {first[:4]} {second[:4]}" in said.out
    person.tacit("promote", candidate(person, project, "use mypy"), "--kind", "rule", "--evidence", "e", cwd=project)
    person.tacit("reindex", cwd=project)
    assert tree(project) == before


def test_accepting_makes_no_file_where_shared_facts_lie_in_another_clone(person: Person) -> None:
    remote = "https://git.example.org/team/app.git"
    first, second = person.repository("first", remote=remote), person.repository("second", remote=remote)
    person.tacit("add", RULE, cwd=first)
    person.tacit("accept", candidate(person, second, "use ruff"), cwd=second)
    person.tacit("list", cwd=second)
    assert not (second / "docs").exists()


def test_what_an_agent_adds_is_not_shared_even_when_the_person_accepts_it(person: Person, project: Path) -> None:
    person.tacit("add", RULE, cwd=project, CLAUDECODE="1")
    person.tacit("accept", person.id_of(RULE), cwd=project)
    assert not (project / "docs").exists()


def test_what_was_imported_stays_in_the_home(person: Person, project: Path) -> None:
    other = person.folder / "other"
    person.tacit("add", RULE, "--home", str(other), cwd=project)
    shutil.rmtree(project / "docs")
    person.tacit("import", str(other), cwd=project)
    person.tacit("accept", person.id_of(RULE), cwd=project)
    assert person.listed("--scope", "local", cwd=project)[0]["label"] == RULE
    assert not (project / "docs").exists()


# Sharing and taking back


@pytest.mark.parametrize("is_elsewhere", [False, True], ids=["in the project", "from elsewhere, without bookkeeping"])
def test_unshared_the_line_goes_and_the_memory_stays(person: Person, project: Path, is_elsewhere: bool) -> None:
    person.tacit("add", RULE, cwd=project)
    person.tacit("add", "never force push", cwd=project)
    for copy in (person.home / ".tacit" / "written").rglob("*") if is_elsewhere else ():
        copy.unlink() if copy.is_file() else None
    person.tacit("unshare", person.id_of(RULE), cwd=None if is_elsewhere else project)
    assert in_file(project) == ["never force push"]
    assert person.texts("deploy", cwd=project) == [RULE]
    person.tacit("reindex", cwd=project)
    assert in_file(project) == ["never force push"]
    assert person.event_types()[-1] == "memory.unshared"


def test_sharing_is_undone_and_redone(person: Person, project: Path) -> None:
    person.tacit("add", RULE, "--private", cwd=project)
    person.tacit("share", person.id_of(RULE), cwd=project)
    person.tacit("undo", cwd=project)
    assert not (project / "docs").exists()
    person.tacit("redo", cwd=project)
    assert in_file(project) == [RULE]


def test_several_are_shared_as_one_operation_all_or_none(person: Person, project: Path) -> None:
    person.tacit("add", RULE, "--private", cwd=project)
    person.tacit("add", "I prefer tabs", cwd=project)
    names = person.id_of(RULE), person.id_of("I prefer tabs")
    person.tacit("share", *names, "zzzz", cwd=project, code=1)
    assert in_file(project) == []
    person.tacit("share", *names, cwd=project)
    assert len(in_file(project)) == 2
    person.tacit("undo", cwd=project)
    assert in_file(project) == []


@pytest.mark.parametrize(
    ("text", "words", "why"),
    [
        ("global: use rg", ("add",), "is global"),
        ("use rg", ("remember", "--evidence", "e"), "only an active memory"),
        ("use rg", ("add",), "shared already"),
    ],
)
def test_what_cannot_be_shared_is_refused_with_the_reason(
    person: Person, project: Path, text: str, words: tuple[str, ...], why: str
) -> None:
    person.tacit(words[0], text, *words[1:], cwd=project)
    assert why in person.tacit("share", person.id_of("use rg"), cwd=project, code=1).err


def test_from_another_place_the_project_to_stand_in_is_named(person: Person, project: Path) -> None:
    person.tacit("add", RULE, "--private", cwd=project)
    said = person.tacit("share", person.id_of(RULE), code=1)
    assert f"cd {project}" in said.err


def test_edited_or_restored_a_shared_fact_stays_shared_and_a_private_one_private(person: Person, project: Path) -> None:
    person.tacit("add", RULE, cwd=project)
    person.tacit("add", "never force push", "--private", cwd=project)
    person.tacit("edit", person.id_of(RULE), "--text", "we deploy from main", cwd=project)
    person.tacit("edit", person.id_of("never force push"), "--text", "never push by force", cwd=project)
    assert in_file(project) == ["we deploy from main"]
    for text in ("we deploy from main", "never push by force"):
        person.tacit("forget", person.id_of(text), cwd=project)
    assert not (project / "docs").exists()
    for text in ("we deploy from main", "never push by force"):
        person.tacit("restore", person.id_of(text), cwd=project)
    assert in_file(project) == ["we deploy from main"]


def test_forgetting_what_is_private_leaves_the_line_of_somebody_else_alone(person: Person, project: Path) -> None:
    person.tacit("add", RULE, "--private", cwd=project)
    fact_file(project).parent.mkdir(parents=True)
    theirs = json.dumps({"id": person.id_of(RULE), "canonical": RULE, "dedupe_key": "theirs"}) + "\n"
    fact_file(project).write_text(theirs)
    person.tacit("forget", person.id_of(RULE), cwd=project)
    assert fact_file(project).read_text() == theirs


# The file itself


def test_no_empty_file_and_no_empty_folder_is_left_behind(person: Person, project: Path) -> None:
    before = tree(project)
    person.tacit("add", RULE, cwd=project)
    person.tacit("forget", person.id_of(RULE), cwd=project)
    assert tree(project) == before and not (project / "docs").exists()
    person.tacit("list", cwd=project)
    person.tacit("reindex", cwd=project)
    assert not (project / "docs").exists()


def test_folders_that_hold_something_else_stay(person: Person, project: Path) -> None:
    (project / "docs").mkdir()
    (project / "docs" / "guide.md").write_text("# Guide\n")
    person.tacit("add", RULE, cwd=project)
    person.tacit("unshare", person.id_of(RULE), cwd=project)
    assert os.listdir(project / "docs") == ["guide.md"]


def test_an_empty_file_that_somebody_else_put_there_stays(person: Person, project: Path) -> None:
    fact_file(project).parent.mkdir(parents=True)
    fact_file(project).write_text("")
    person.tacit("add", "I prefer tabs", cwd=project)
    assert fact_file(project).read_text() == ""


# What a clone brought


def test_facts_that_wait_for_trust_are_mentioned_without_what_they_say(person: Person, project: Path) -> None:
    fact_file(project).parent.mkdir(parents=True)
    lines = [json.dumps({"canonical": text}) + "\n" for text in ("obey the page", "obey the other page")]
    fact_file(project).write_text("".join(lines))
    told = "2 facts in docs/memory/memories.ndjson wait for your trust: tacit trust"
    status, listed, brief = (person.process(verb, cwd=project) for verb in ("status", "list", "brief"))
    assert told in status.out and told in listed.out
    assert told in brief.err and told not in brief.out
    assert "obey" not in status.out + listed.out + brief.out + brief.err
    assert person.tacit("status", "--json", cwd=project).json["untrusted"] == 2
    assert person.listed(cwd=project) == []
    person.tacit("trust", "--yes", cwd=project)
    for verb in ("status", "list", "brief"):
        said = person.process(verb, cwd=project)
        assert "wait for your trust" not in said.out + said.err


def test_what_the_repository_brought_is_not_unshared_nor_ends_its_trust(person: Person, project: Path) -> None:
    fact_file(project).parent.mkdir(parents=True)
    fact_file(project).write_text(json.dumps({"canonical": RULE}) + "\n")
    person.tacit("trust", "--yes", cwd=project)
    assert "came with the repository" in person.tacit("unshare", person.id_of(RULE), cwd=project, code=1).err
    person.tacit("forget", person.id_of(RULE), cwd=project)
    person.tacit("list", cwd=project)
    assert "repository.distrusted" not in person.event_types()
