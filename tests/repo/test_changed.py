"""`make check` runs the tests of what changed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from harness.changed import changed_files, main, package_tests, related_tests


def _git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=me", "-c", "user.email=me@example.org", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


@pytest.mark.parametrize(
    ("paths", "tests"),
    [
        (["src/tacit/search/ranking.py"], ["tests/search"]),
        (["src/tacit/learn/fixes/never.toml"], ["tests/learn"]),
        (["src/tacit/errors.py"], ["tests/test_errors.py"]),
        (["tests/repo/test_changed.py"], ["tests/repo/test_changed.py"]),
        (["tests/repo/test_gone.py"], ["tests/repo"]),
        (["tests/chaos/kills.py"], ["tests/chaos"]),
        (["src/tacit/text/display.py", "tests/text/test_display.py"], ["tests/text"]),
        (["tests/support/events.py", "README.md", "bench/README.md"], []),
    ],
)
def test_a_changed_file_has_the_tests_of_its_package(paths: list[str], tests: list[str]) -> None:
    assert related_tests(paths) == tests


def test_every_package_has_tests_of_its_own_or_is_tested_through_others() -> None:
    source = Path(__file__).parents[2] / "src" / "tacit"
    packages = {path.name for path in source.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert {package for package in packages if not package_tests(package)} <= {"surfaces"}


def test_what_changed_since_the_branch_left_main_is_found(tmp_path: Path) -> None:
    _git(tmp_path, "init")
    (tmp_path / "old").write_text("1")
    _git(tmp_path, "add", ".")
    _git(tmp_path, "commit", "-m", "old")
    _git(tmp_path, "checkout", "-b", "feature")
    (tmp_path / "committed").write_text("1")
    _git(tmp_path, "add", ".")
    _git(tmp_path, "commit", "-m", "new")
    (tmp_path / "old").write_text("2")
    (tmp_path / "untracked").write_text("1")
    assert changed_files(tmp_path) == ["committed", "old", "untracked"]


def test_a_package_that_does_not_exist_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["no_such_package"]) == 2
    assert "no_such_package" in capsys.readouterr().err
