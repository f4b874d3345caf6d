"""Git runs in the repository it is given, starts no program of that repository, and has a deadline."""

from __future__ import annotations

from pathlib import Path

from harness.person import Person

from tacit.disk.read import run_git


def test_variables_do_not_lead_to_another_repository(person: Person) -> None:
    one, other = person.repository("one"), person.repository("other")
    environment = {**person.environment(), "GIT_DIR": str(other / ".git"), "GIT_WORK_TREE": str(other)}
    done = run_git(str(one), environment, "rev-parse", "--show-toplevel")
    assert done is not None and done.stdout.strip() == str(one.resolve())


def test_without_git_or_in_time_there_is_no_answer(person: Person, tmp_path: Path) -> None:
    root = str(person.repository())
    assert run_git(root, {"PATH": str(tmp_path)}, "status") is None
    slow = tmp_path / "git"
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    assert run_git(root, {"PATH": f"{tmp_path}:/usr/bin:/bin"}, "status", seconds=0.2) is None


def test_a_monitor_of_the_repository_is_not_started(person: Person) -> None:
    root, touched = person.repository(), person.folder / "touched"
    program = person.folder / "monitor"
    program.write_text(f"#!/bin/sh\ntouch {touched}\n")
    program.chmod(0o755)
    person.git(root, "config", "core.fsmonitor", str(program))
    done = run_git(str(root), person.environment(), "status")
    assert done is not None and done.returncode == 0
    assert not touched.exists()
