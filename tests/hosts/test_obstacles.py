"""Whoever installed hooks that will not run is told so, and why."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from harness.person import Person

from tacit.hosts import obstacles
from tests.support.codex_review import trust_hooks


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which an administrator puts settings."""
    folder = tmp_path / "etc"
    folder.mkdir()
    monkeypatch.setattr(obstacles, "_SYSTEM_FOLDER", str(folder))
    monkeypatch.setattr(obstacles, "_CLAUDE_SYSTEM_FOLDER", "claude-code")
    monkeypatch.setattr(obstacles, "_GEMINI_SYSTEM_FOLDER", "gemini-cli")
    return folder


def put(path: Path, text: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize("name", ["managed-settings.json", "managed-settings.d/10-hooks.json"])
@pytest.mark.parametrize("key", ["disableAllHooks", "allowManagedHooksOnly"])
def test_what_an_administrator_forbids_in_claude_code_is_named(system: Path, name: str, key: str) -> None:
    managed = put(system / "claude-code" / name, json.dumps({key: True}))
    told = obstacles.claude_obstacle("/nowhere/settings.json")
    assert managed in told and key in told
    put(Path(managed), json.dumps({key: False}))
    assert obstacles.claude_obstacle("/nowhere/settings.json") == ""


def test_an_administrator_of_codex_or_gemini_is_named_too(system: Path) -> None:
    put(system / "codex" / "requirements.toml", "allow_managed_hooks_only = true\n")
    assert "administrator" in obstacles.codex_obstacle("/nowhere/hooks.json", "/nowhere/config.toml")
    put(system / "codex" / "requirements.toml", "[features]\nhooks = false\n")
    assert "administrator" in obstacles.codex_obstacle("/nowhere/hooks.json", "/nowhere/config.toml")
    off = '{"hooksConfig": {"enabled": false}}'
    elsewhere = put(system / "elsewhere.json", off)
    assert obstacles.gemini_obstacle("/nowhere", {}) == ""
    assert elsewhere in obstacles.gemini_obstacle("/nowhere", {"GEMINI_CLI_SYSTEM_SETTINGS_PATH": elsewhere})
    assert put(system / "gemini-cli" / "settings.json", off) in obstacles.gemini_obstacle("/nowhere", {})


def test_a_plugin_beside_the_hooks_is_named(system: Path, tmp_path: Path) -> None:
    settings = put(tmp_path / "settings.json", '{"enabledPlugins": {"other@x": true, "tacit@shelf": true}}')
    assert "tacit@shelf" in obstacles.claude_obstacle(settings)
    put(Path(settings), '{"enabledPlugins": {"other@x": true, "tacit@shelf": false}}')
    assert obstacles.claude_obstacle(settings) == ""


# Codex runs only what the person has reviewed


def shown(person: Person) -> str:
    (line,) = [line for line in person.tacit("install").out.splitlines() if line.split()[:1] == ["codex"]]
    return line


def test_hooks_that_were_not_reviewed_are_told_of_until_they_are(person: Person, system: Path) -> None:
    told = person.tacit("install", "codex", "--yes").out
    assert re.search(r"Codex does not run all \d+ hooks of Tacit until you review them", told) and "/hooks" in told
    assert "until you review them" in shown(person)
    assert "until you review them" in person.tacit("doctor", "--quick", code=None).out
    trust_hooks(person)
    assert shown(person).split() == ["codex", "installed"]
    assert "until you review" not in person.tacit("doctor", "--quick", code=None).out


def test_a_hook_that_changed_since_or_was_turned_off_is_counted(person: Person, system: Path) -> None:
    person.tacit("install", "codex", "--yes")
    hooks, config = (person.folder / ".codex" / name for name in ("hooks.json", "config.toml"))
    trust_hooks(person)
    value: Any = json.loads(hooks.read_text())
    value["hooks"]["SessionStart"][0]["hooks"][0]["timeout"] += 1
    hooks.write_text(json.dumps(value))
    assert "Codex does not run 1 of " in obstacles.codex_obstacle(str(hooks), str(config))
    trust_hooks(person)
    assert obstacles.codex_obstacle(str(hooks), str(config)) == ""
    config.write_text(config.read_text() + "enabled = false\n")
    assert "turned off in Codex" in obstacles.codex_obstacle(str(hooks), str(config))


def test_hooks_of_others_are_not_counted(system: Path, tmp_path: Path) -> None:
    hooks = put(tmp_path / "hooks.json", '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say"}]}]}}')
    assert obstacles.codex_obstacle(hooks, "/nowhere/config.toml") == ""
