"""Gemini CLI: hooks and the server in one file of settings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tacit.hosts import HOSTS
from tacit.hosts.registration import AGENT_TARGETS, host_files
from tacit.install.change import InstallContext, apply_change, write_receipts

HOST, TARGET = HOSTS["gemini"], AGENT_TARGETS["gemini"]
THEIRS = '{\n  "theme": "dark", // mine\n  "hooks": {"AfterAgent": [{"hooks": [{"command": "say done"}]}]}\n}\n'


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    path = tmp_path / ".gemini" / "settings.json"
    path.parent.mkdir()
    return path


def test_timeouts_are_milliseconds(place: InstallContext) -> None:
    change, _ = TARGET.plan_install(place)
    written = json.loads(change.after or b"")
    assert written.keys() == {"hooks"} and written["hooks"].keys() == {hook.event for hook in HOST.hooks}
    for hook in HOST.hooks:
        (entry,) = written["hooks"][hook.event][0]["hooks"]
        assert (entry["type"], entry["name"], entry["timeout"]) == ("command", "tacit", hook.timeout * 1000)
        assert " gemini " in entry["command"] and entry["command"].endswith(hook.event)


def test_the_server_is_in_the_same_file(place: InstallContext, settings: Path) -> None:
    change, _ = TARGET.plan_install(place._replace(mcp=True))
    written = json.loads(change.after or b"")
    assert change.path == str(settings) and written.keys() == {"hooks", "mcpServers"}
    assert written["mcpServers"] == {"tacit": {"command": "/opt/tacit/bin/tacit", "args": ["mcp"]}}


def test_hooks_and_server_are_taken_out_together(place: InstallContext, settings: Path) -> None:
    settings.write_text(THEIRS)
    change, _ = TARGET.plan_install(place._replace(mcp=True))
    assert change.receipt is not None
    write_receipts(place.home, "gemini", [change.receipt])
    apply_change(change)
    removal, _ = TARGET.plan_removal(place)
    assert removal.after == THEIRS.encode()


def test_the_config_variable_names_the_folder_above_the_one_of_gemini(place: InstallContext) -> None:
    moved = place._replace(environment={**place.environment, "GEMINI_CLI_HOME": "/srv/kim"})
    assert [file.path for file in host_files("gemini", moved)] == ["/srv/kim/.gemini/settings.json"]


@pytest.mark.parametrize(
    ("text", "is_off"),
    [
        ('{"hooksConfig": {"enabled": false}}', True),
        ('{"hooksConfig": {"enabled": true}}', False),
        ('{"hooksConfig": {"enabled": 0}}', False),
        ('{"hooksConfig": false}', False),
        ('{"enabled": false}', False),
        ("{broken", False),
    ],
)
def test_the_person_is_warned_only_if_hooks_are_off(
    place: InstallContext, settings: Path, text: str, is_off: bool
) -> None:
    settings.write_text(text)
    assert ("hooksConfig" in TARGET.warning(place)) == is_off


def test_nothing_is_warned_of_without_settings(place: InstallContext) -> None:
    assert TARGET.warning(place) == ""
