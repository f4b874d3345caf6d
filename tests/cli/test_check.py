"""`tacit check`, and the marks of the work tree in lists and the status."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.person import Person

LINT, PYTHON, TASTE = "always run `make lint` first", "we are on Python 3.11", "prefer small functions"


@pytest.fixture
def project(person: Person) -> Path:
    root = person.repository("shop")
    (root / "Makefile").write_text("test:\n")
    (root / ".python-version").write_text("3.11.4\n")
    for sentence in (LINT, PYTHON, TASTE):
        person.tacit("add", sentence, cwd=root)
    return root


def test_red_ones_come_first_with_what_to_type_and_the_others_are_counted(person: Person, project: Path) -> None:
    shown = person.tacit("check", cwd=project, code=1).out.splitlines()
    assert shown[0].startswith("red  [") and LINT in shown[0]
    assert shown[1].strip() == "Makefile has no target lint"
    assert "tacit edit" in shown[2] and "--keep" in shown[2]
    assert shown[3] == "3 memories of this project: 1 red, 1 green, 1 unknown: tacit check --all"
    everything = person.tacit("check", "--all", cwd=project, code=1).out
    assert "green: Python 3.11" in everything and "it names nothing that a work tree could show" in everything
    one = person.tacit("check", PYTHON, cwd=project).out
    assert PYTHON in one and LINT not in one


def test_programs_get_the_verdict_with_each_condition(person: Person, project: Path) -> None:
    red, green, unknown = person.tacit("check", "--json", cwd=project, code=1).json
    assert red["work_tree"]["state"] == "red" and red["missing"][0]["reason"] == "Makefile has no target lint"
    assert green["work_tree"]["conditions"] == [{"text": "Python 3.11", "state": "green", "reason": "", "kept": False}]
    assert (unknown["text"], unknown["missing"]) == (TASTE, [])
    assert person.tacit("show", LINT, "--json", cwd=project).json["work_tree"]["state"] == "red"


def test_lists_are_marked_and_can_be_filtered(person: Person, project: Path) -> None:
    assert "rule, active, project shop, red" in person.tacit("list", cwd=project).out.replace(" shared,", "")
    for state, sentence in (("red", LINT), ("green", PYTHON), ("unknown", TASTE)):
        assert [row["text"] for row in person.tacit("list", "--check", state, "--json", cwd=project).json] == [sentence]
    assert "1 red, 1 green, 1 unknown: tacit check" in person.tacit("status", cwd=project).out


def test_what_is_kept_is_not_asked_about_again(person: Person, project: Path) -> None:
    person.tacit("check", LINT, "--keep", cwd=project)
    assert "0 red" in person.tacit("check", cwd=project).out
    (project / "Makefile").write_text("lint:\n")
    assert "2 green" in person.tacit("check", cwd=project).out
    ended = person.tacit("check", PYTHON, "--keep", cwd=project, code=2)
    assert "is not red" in ended.err


def test_an_agent_may_look_and_not_keep(person: Person, project: Path) -> None:
    person.tacit("check", cwd=project, code=1, CLAUDECODE="1")
    assert "runs tacit check" in person.tacit("check", LINT, "--keep", cwd=project, code=None, CLAUDECODE="1").err


def test_outside_of_a_project_there_is_nothing_to_look_at(person: Person) -> None:
    assert "no work tree to look at" in person.tacit("check").out


def test_a_file_is_gone_since_a_commit_and_a_version_was_set_by_one(person: Person) -> None:
    root = person.repository("shop")
    (root / "docs").mkdir()
    (root / "docs" / "api.md").write_text("x")
    (root / ".python-version").write_text("3.11.4\n")
    person.commit(root)
    person.tacit("add", "always follow docs/api.md", cwd=root)
    person.tacit("add", "we are on Python 3.11", cwd=root)
    (root / "docs" / "api.md").unlink()
    (root / ".python-version").write_text("3.13.1\n")
    person.commit(root)
    commit = person.git(root, "rev-parse", "--short", "HEAD").strip()
    told = person.tacit("check", cwd=root, code=1).out
    assert f"docs/api.md does not exist, since commit {commit} of " in told
    assert f".python-version has python 3.13.1, set by commit {commit} of " in told
