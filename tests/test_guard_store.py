"""The files of the guard."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tacit import guard
from tacit.commandline.patterns import ForbidsCommand, ProtectsFiles, RequiresBefore, parse_patterns
from tacit.guard import GuardRule, load_rules, save_rules, take_permission, was_run

NPM, PNPM = parse_patterns("npm install -g"), parse_patterns("pnpm")
RULE = GuardRule("a" * 12, ForbidsCommand(NPM, PNPM), guard.Decision.DENY, "project:x", "said on 2026-11-03")
PROTECT = GuardRule("b" * 12, ProtectsFiles(("migrations/",)))
ORDER = GuardRule("c" * 12, RequiresBefore(NPM, PNPM), guard.Decision.WARN)


@pytest.fixture
def home(tmp_path: Path) -> str:
    (tmp_path / ".tacit").mkdir()
    return str(tmp_path)


def test_rules_are_read_as_they_were_written(home: str) -> None:
    assert load_rules(home) == []
    save_rules(home, [RULE, PROTECT, ORDER])
    assert load_rules(home) == [RULE, PROTECT, ORDER]
    assert Path(home, ".tacit/guard.json").stat().st_mode & 0o777 == 0o600
    save_rules(home, [])
    assert load_rules(home) == [] and not Path(home, ".tacit/guard.json").exists()


def test_a_file_of_another_version_is_read_without_what_is_not_known(home: str) -> None:
    save_rules(home, [ORDER])
    path = Path(home, ".tacit/guard.json")
    path.write_text(path.read_text().replace('"kind":', '"is_vague": true, "kind":'))
    assert "is_vague" in path.read_text() and load_rules(home) == [ORDER]


def test_a_file_that_others_can_write_or_a_link_is_not_read(home: str, tmp_path: Path) -> None:
    save_rules(home, [RULE])
    path = Path(home, ".tacit/guard.json")
    path.chmod(0o666)
    with pytest.raises(PermissionError):
        load_rules(home)
    path.chmod(0o600)
    path.rename(tmp_path / "elsewhere.json")
    path.symlink_to(tmp_path / "elsewhere.json")
    with pytest.raises(OSError, match=r"symbolic|many"):
        load_rules(home)


def test_a_permission_holds_for_one_call_of_that_kind(home: str) -> None:
    code = guard.stop_call(home, RULE, "npm i")
    assert code == guard.stop_call(home, RULE, "npm i") != guard.stop_call(home, RULE, "npm t")
    stopped = guard.find_stopped(home, code)
    assert stopped and stopped.rule == RULE.id
    assert not take_permission(home, RULE, "npm i")
    guard.allow_call(home, stopped)
    assert guard.find_stopped(home, code) is None
    assert not take_permission(home, RULE, "npm t") and not take_permission(home, PROTECT, "npm i")
    assert take_permission(home, RULE, "npm i")
    assert not take_permission(home, RULE, "npm i")


def test_codes_and_permissions_end_after_ten_minutes(home: str) -> None:
    code = guard.stop_call(home, RULE, "npm i")
    stopped = guard.find_stopped(home, code)
    assert stopped
    guard.allow_call(home, stopped)
    old = time.time() - guard.ALLOW_SECONDS - 1
    for path in Path(home, ".tacit/guard").iterdir():
        os.utime(path, (old, old))
    assert not take_permission(home, RULE, "npm i")


@pytest.mark.parametrize("code", ["", "../key", "zzzzzz", "a/b", "x" * 300])
def test_a_code_that_was_not_given_is_not_found(home: str, code: str) -> None:
    assert guard.find_stopped(home, code) is None


def test_a_required_command_counts_in_its_session(home: str) -> None:
    guard.mark_run(home, RULE, "one", ran=True)
    assert was_run(home, RULE, "one") and not was_run(home, RULE, "two") and not was_run(home, PROTECT, "one")
    guard.mark_run(home, RULE, "one", ran=False)
    assert not was_run(home, RULE, "one")


def test_no_words_of_a_call_are_stored(home: str) -> None:
    guard.stop_call(home, RULE, "npm i --token hunter2")
    assert "hunter2" not in "".join(path.read_text() for path in Path(home, ".tacit/guard").iterdir())
