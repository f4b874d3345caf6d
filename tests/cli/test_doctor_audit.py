"""`tacit audit` prints findings as `file:line`, and needs no home."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.person import Person

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


@pytest.fixture
def project(person: Person) -> Path:
    root = person.folder / "shop"
    (root / ".git").mkdir(parents=True)
    (root / "Makefile").write_text("test:\n\ttrue\n")
    return root


def test_findings_name_file_and_line(person: Person, project: Path) -> None:
    (project / "AGENTS.md").write_text(f"- Line length is 100 characters.\n- Run `make deploy` first.\n- {TOKEN}\n")
    (project / "CLAUDE.md").write_text("@AGENTS.md\n\n- Line length is 88 characters.\n@docs/none.md\n")
    shown = person.tacit("audit", cwd=project, code=1).out
    assert shown.splitlines() == [
        "AGENTS.md:2: gone: the target deploy of the Makefile does not exist",
        "    “Run `make deploy` first.”",
        "AGENTS.md:3: secret: GitHub token; every host that loads the file sends it",
        "CLAUDE.md:3: contradiction with AGENTS.md:1: another value: 100 and 88",
        "    “Line length is 88 characters.”",
        "    “Line length is 100 characters.”",
        "CLAUDE.md:4: never loaded: @docs/none.md does not exist",
        "",
        shown.splitlines()[-2],
        "4 findings in 2 files.",
    ]
    assert shown.splitlines()[-2].startswith("Tokens at session start, about: ")
    assert TOKEN not in shown and TOKEN not in person.tacit("audit", "--json", cwd=project, code=1).out


def test_no_home_is_needed_or_made(person: Person, project: Path) -> None:
    (project / "AGENTS.md").write_text("- Use pnpm here.\n")
    assert "No findings in 1 file." in person.tacit("audit", str(project)).out
    assert not person.home.exists()


def test_a_folder_without_rules_says_so(person: Person, project: Path) -> None:
    assert "There are no rule files here" in person.tacit("audit", cwd=project).out


def test_a_path_that_is_no_folder_is_refused(person: Person, project: Path) -> None:
    assert "there is no folder" in person.tacit("audit", "nowhere", cwd=project, code=1).err
    assert "takes one folder" in person.tacit("audit", "a", "b", cwd=project, code=2).err


def test_an_agent_may_audit(person: Person, project: Path) -> None:
    (project / "AGENTS.md").write_text("- Use pnpm here.\n")
    assert "No findings" in person.tacit("audit", cwd=project, CLAUDECODE="1").out


def test_what_a_repository_writes_does_not_move_the_terminal(person: Person, project: Path) -> None:
    (project / "AGENTS.md").write_text("- Run `make x\x1b[2J` and `make deploy`\u202e.\n")
    shown = person.tacit("audit", cwd=project, code=None).out
    assert "\x1b" not in shown and "\u202e" not in shown


def test_memories_of_the_home_that_name_what_is_gone_are_listed(person: Person, project: Path) -> None:
    person.tacit("add", "always run `make deploy` last", cwd=project)
    memory = person.listed(cwd=project)[0]["id"]
    shown = person.tacit("audit", cwd=project, code=1).out
    assert f"memory {memory}: gone: Makefile has no target deploy; see: tacit review" in shown
    assert "No findings in 0 files, 1 outdated memory." in shown
    (listed,) = person.tacit("audit", "--json", str(project), code=1).json["outdated_memories"]
    assert (listed["id"], listed["missing"]) == (
        memory,
        [{"text": "make deploy", "reason": "Makefile has no target deploy", "commit": None, "last_change": None}],
    )
    (project / "Makefile").write_text("deploy:\n")
    assert "There are no rule files here" in person.tacit("audit", cwd=project).out


def test_a_home_that_cannot_be_opened_does_not_stop_the_audit(person: Person, project: Path) -> None:
    (project / "AGENTS.md").write_text("- Use pnpm here.\n")
    person.home.write_text("no folder")
    assert "No findings in 1 file." in person.tacit("audit", cwd=project).out
    assert "is not a folder" in person.tacit("audit", "--home", str(person.home), cwd=project, code=None).err
