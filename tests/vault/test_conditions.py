"""Memories that are not true of the work tree: with the session that changed the file, and without writing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from harness.person import Person

from tacit.home.home import Home
from tacit.vault.conditions import MemoryConditions, red_memories_as_is

RULE = "always follow docs/api.md"


@pytest.fixture
def project(person: Person) -> Path:
    root = person.repository("shop")
    (root / "docs").mkdir()
    person.tacit("add", RULE, cwd=root)
    person.wait_for_pages()
    return root


def files_of(home: Path) -> dict[Path, bytes]:
    """The files of a home, without those that SQLite makes for every reader."""
    files = (path for path in home.rglob("*") if path.is_file() and not path.name.endswith(("-wal", "-shm")))
    return {path: path.read_bytes() for path in files}


def capture_change(person: Person, project: Path, file: str) -> None:
    """Capture a session of Claude Code that writes a file."""
    session = "5c2a8f6e-1111-4222-8333-000000000001"
    common = {"sessionId": session, "cwd": str(project), "isSidechain": False, "userType": "external"}
    call = {"type": "tool_use", "id": "toolu_1", "name": "Write", "input": {"file_path": file, "content": "x"}}
    records = [
        {"type": "user", "message": {"role": "user", "content": "write the guide"}},
        {"type": "assistant", "message": {"role": "assistant", "content": [call]}},
        {
            "type": "user",
            "message": {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "ok"}],
            },
        },
    ]
    lines = [
        {**common, "uuid": f"{at:08x}-{session[9:]}", "timestamp": f"2026-03-01T10:{at:02d}:00.000Z", **record}
        for at, record in enumerate(records)
    ]
    path = person.folder / f"{session}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    person.tacit("capture", str(path))


@pytest.mark.parametrize(("sentence", "is_known"), [(RULE, True), ("always read docs/other/", False)])
def test_the_last_session_with_the_file_is_named(person: Person, project: Path, sentence: str, is_known: bool) -> None:
    person.tacit("add", sentence, cwd=project)
    capture_change(person, project, str(project / "docs" / "api.md"))
    with person.vault(cwd=project) as vault:
        outdated = {item.listed.memory.claim.sentence: item for item in MemoryConditions(vault.home).red()}
    (name,) = outdated[sentence].missing
    assert (name.last_session is not None) == is_known
    if name.last_session:
        assert name.last_session.ended_at.startswith("2026-03-01") and name.short
    shown = person.tacit("review", cwd=project).out
    assert "not so here: docs/api.md does not exist (last changed on 2026-03-01 in session " in shown


def test_memories_of_other_scopes_and_candidates_are_not_asked_about(person: Person, project: Path) -> None:
    person.tacit("add", "always read docs/none.md", "--global", cwd=project)
    person.tacit("remember", "docs/none.md has the rules", "--evidence", "seen", cwd=project)
    with person.vault(cwd=project) as vault:
        assert [item.listed.memory.claim.sentence for item in MemoryConditions(vault.home).red()] == [RULE]
    with person.vault() as vault:
        assert MemoryConditions(vault.home).red() == []


@pytest.mark.parametrize("has_index", [True, False])
def test_a_list_without_writing_into_the_home(person: Person, project: Path, has_index: bool) -> None:
    if not has_index:
        for path in person.home.glob("index.sqlite*"):
            path.unlink()
    before = files_of(person.home)
    with Home(person.home, cwd=project, environment=person.environment()) as home:
        (row,) = red_memories_as_is(home)
    assert (row.memory.sentence, [one.condition.text for one in row.verdict.red]) == (RULE, ["docs/api.md"])
    assert files_of(person.home) == before


def test_without_a_home_there_is_nothing(person: Person, tmp_path: Path) -> None:
    with Home(tmp_path / "none", cwd=tmp_path, environment=person.environment()) as home:
        assert red_memories_as_is(home) == []
    assert not (tmp_path / "none").exists()


def test_status_and_review_count_the_same(person: Person, project: Path) -> None:
    assert person.tacit("status", "--json", cwd=project).json["outdated_count"] == 1
    assert "1 memory is not true of the work tree: tacit review" in person.tacit("status", cwd=project).out
    with person.vault(cwd=project) as vault:
        assert len(MemoryConditions(vault.home).red()) == 1


def test_a_program_that_is_not_installed_here_is_no_question(person: Person) -> None:
    root = person.repository()
    person.tacit("add", "run `no-such-program up` before the tests", cwd=root)
    with person.vault(cwd=root) as vault:
        assert MemoryConditions(vault.home).red() == []
