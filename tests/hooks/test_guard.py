"""The hook before a tool call, started as a host starts it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from harness.person import Person

from tacit.hooks import agent
from tacit.hooks.guard import decide
from tests.chaos.strace import need_strace

RULE = "never run npm here, use pnpm"


@pytest.fixture
def person(tmp_path: Path) -> Person:
    person = Person(tmp_path)
    person.repository("shop", remote="git@example.org:kim/shop.git")
    switch_on(person, RULE)
    return person


def switch_on(person: Person, sentence: str, *options: str) -> str:
    person.tacit("add", sentence, cwd=person.folder / "shop")
    person.tacit("guard", "on", person.id_of(sentence), "--yes", *options, cwd=person.folder / "shop")
    return person.id_of(sentence)


def payload(person: Person, command: str = "", path: str = "", folder: str = "shop", session: str = "s") -> bytes:
    given = {"file_path": path} if path else {"command": command}
    call = {"session_id": session, "cwd": str(person.folder / folder), "tool_name": "Edit" if path else "Bash"}
    return json.dumps({**call, "tool_input": given}).encode()


def decided(person: Person, command: str = "", **more: str) -> dict[str, str]:
    """What the hook answers to a call, nothing if it is allowed."""
    with person.at():
        answer = decide("claude", payload(person, command, **more), str(person.home))
    output: dict[str, str] = json.loads(answer)["hookSpecificOutput"] if answer else {}
    return output


def reason(person: Person, command: str = "", **more: str) -> str:
    return decided(person, command, **more).get("permissionDecisionReason", "")


def hook(
    person: Person, data: bytes, *words: str, cwd: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-I", "-S", *words, agent.__file__, "claude", "guard", "PreToolUse"]
    command += ["--home", str(person.home)]
    environment = {**person.environment(), **variables}
    return subprocess.run(command, input=data, env=environment, cwd=cwd, capture_output=True, check=False)


def test_a_read_that_stalls_allows_the_call_and_is_no_failure(person: Person) -> None:
    need_strace()
    rules = str(person.home / ".tacit" / "guard.json")
    stalled = ["strace", "-qq", "-o", "/dev/null", "-P", rules, "-e", "inject=read:delay_enter=1500000:when=2"]
    command = [sys.executable, "-I", "-S", agent.__file__, "claude", "guard", "PreToolUse", "--home", str(person.home)]
    data = payload(person, "npm install")
    done = subprocess.run([*stalled, *command], input=data, env=person.environment(), capture_output=True, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_violation_is_asked_about_with_rule_time_replacement_and_code(person: Person) -> None:
    done = hook(person, payload(person, "cd src; sudo npm install"))
    assert (done.returncode, done.stderr) == (0, b"")
    output: dict[str, Any] = json.loads(done.stdout)["hookSpecificOutput"]
    assert output["permissionDecision"] == "ask"
    told = output["permissionDecisionReason"]
    assert told.startswith(
        f"The call breaks a rule of this person [{person.id_of(RULE)[:6]}]: “{RULE}” (said on 2026-03-02)."
    )
    assert "It runs `npm install`. Run `pnpm install` instead." in told
    assert "once and within ten minutes, in a terminal of their own: tacit guard allow " in told


@pytest.mark.parametrize(
    "command", ["pnpm install", "ls", "echo 'npm install'", "git commit -m 'drop npm'", "cd /tmp && npm i", "npm 'x"]
)
def test_other_calls_are_allowed_without_a_word(person: Person, command: str) -> None:
    done = hook(person, payload(person, command))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize(
    ("command", "instead"),
    [
        ("npm i -D zod", "pnpm add -D zod"),
        ("npm ci", "pnpm install"),
        ("npm run build", "pnpm run build"),
        ("npm uninstall zod", "pnpm remove zod"),
    ],
)
def test_what_to_run_instead_comes_with_its_arguments(person: Person, command: str, instead: str) -> None:
    assert f"Run `{instead}` instead." in reason(person, command)


def test_a_command_within_another_keeps_its_arguments(person: Person) -> None:
    switch_on(person, "use `uv run pytest` instead of `pytest`")
    assert "Run `uv run pytest -q tests` instead." in reason(person, "pytest -q tests")


def test_a_call_in_another_project_is_allowed(person: Person) -> None:
    person.repository("other")
    assert reason(person, "npm i") and not reason(person, "npm i", folder="other")


def test_a_call_without_a_needle_imports_nothing(person: Person) -> None:
    done = hook(person, payload(person, "ls -la"), "-X", "importtime")
    assert done.stdout == b""
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}
    assert loaded and not [name for name in loaded if name.startswith("tacit") or name in ("re", "json", "enum")]


@pytest.mark.parametrize(
    "data", [b"", b"npm", b'{"npm": 1}', b"[" * 100_000 + b"npm", b'{"tool_input": {"command": "npm \\ud800"}}']
)
def test_input_that_is_not_understood_is_allowed(person: Person, data: bytes) -> None:
    done = hook(person, data)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_rule_file_that_is_damaged_missing_or_of_others_stops_nothing(person: Person) -> None:
    path = person.home / ".tacit" / "guard.json"
    content = path.read_bytes()
    for data in (b"", b"npm", content[:-20], b'{"needles": ["npm"],\n"rules": [{"kind": "x"}]}'):
        path.write_bytes(data)
        assert hook(person, payload(person, "npm i")).stdout == b""
    path.write_bytes(content)
    path.chmod(0o622)
    assert hook(person, payload(person, "npm i")).stdout == b""
    path.chmod(0o600)
    assert hook(person, payload(person, "npm i")).stdout
    path.unlink()
    assert hook(person, payload(person, "npm i")).stdout == b""


def test_a_memory_that_is_forgotten_stops_nothing(person: Person) -> None:
    person.tacit("forget", person.id_of(RULE), "--reason", "changed", "--evidence", "e", cwd=person.folder / "shop")
    person.wait_for_pages()
    assert reason(person, "npm i") == ""


def test_a_home_whose_index_cannot_be_read_is_still_guarded(person: Person) -> None:
    for path in person.home.glob("index.sqlite*"):
        path.unlink()
    told = reason(person, "npm i")
    assert RULE not in told and "It runs `npm i`." in told


def test_a_permission_lets_the_same_call_through_once(person: Person) -> None:
    code = reason(person, "npm i").rsplit(" ", 1)[1]
    with person.vault() as vault:
        vault.guard.allow(code)
    assert reason(person, "npm t") and reason(person, "npm i") == "" and reason(person, "npm i")


def test_a_required_command_is_remembered_for_the_session_until_it_is_needed_again(person: Person) -> None:
    switch_on(person, "run make test before committing")
    assert "Before `git commit`, run `make test`." in reason(person, "git commit -m x")
    assert reason(person, "make test") == ""
    assert reason(person, "git commit -m x", session="another")
    assert reason(person, "git commit -m x") == ""
    assert reason(person, "git commit -m y")


def test_an_edit_of_a_protected_file_is_stopped(person: Person) -> None:
    switch_on(person, "never edit migrations/ by hand")
    inside = str(person.folder / "shop" / "migrations" / "1.sql")
    told = reason(person, path=inside)
    assert f"It would change {inside}, which is protected: leave it as it is, or ask the person." in told
    assert reason(person, path=str(person.folder / "shop" / "a.sql")) == ""
    assert reason(person, "rm migrations/1.sql")


def test_a_warning_stops_nothing_and_has_no_code(person: Person) -> None:
    switch_on(person, "never run yarn", "--warn")
    output = decided(person, "yarn")
    assert output.keys() == {"hookEventName", "additionalContext"}
    assert "was not stopped" in output["additionalContext"] and "guard allow" not in output["additionalContext"]


def test_the_strictest_rule_decides(person: Person) -> None:
    switch_on(person, "never use sudo", "--deny")
    output = decided(person, "npm i; sudo ls")
    assert output["permissionDecision"] == "deny" and "never use sudo" in output["permissionDecisionReason"]


def test_a_repository_and_its_variables_switch_nothing_on_or_off(person: Person) -> None:
    shop, rules = person.folder / "shop", person.home / ".tacit" / "guard.json"
    (shop / ".tacit").mkdir()
    (shop / ".tacit" / "guard.json").write_bytes(rules.read_bytes().replace(b"npm", b"ls "))
    for text, is_stopped in (("ls ", False), ("npm i", True)):
        done = hook(person, payload(person, text), cwd=shop, TACIT_HOME=str(shop), TACIT_GUARD="off")
        assert done.returncode == 0 and bool(done.stdout) == is_stopped
    assert os.listdir(shop / ".tacit") == ["guard.json"]
