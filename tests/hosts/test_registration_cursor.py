"""Cursor: hooks and servers, each in a file that others use, too."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tacit.hosts import HOSTS
from tacit.hosts.registration import AGENT_TARGETS, host_files
from tacit.install.change import InstallContext, apply_change

HOST, TARGET = HOSTS["cursor"], AGENT_TARGETS["cursor"]
MINE = {"command": "say done"}


@pytest.fixture
def hooks_file(tmp_path: Path) -> Path:
    path = tmp_path / ".cursor" / "hooks.json"
    path.parent.mkdir()
    return path


def test_hooks_are_a_flat_list_per_event_with_nothing_but_command_and_timeout(place: InstallContext) -> None:
    hooks, servers = TARGET.plan_install(place)
    assert hooks.path == f"{place.user_folder}/.cursor/hooks.json" and not servers.is_needed
    written = json.loads(hooks.after or b"")
    assert written["version"] == 1 and written["hooks"].keys() == {hook.event for hook in HOST.hooks}
    for hook in HOST.hooks:
        (entry,) = written["hooks"][hook.event]
        assert entry.keys() == {"command", "timeout"} and entry["timeout"] == hook.timeout
        assert " cursor " in entry["command"] and entry["command"].endswith(hook.event)


def test_a_hook_and_a_version_of_the_person_stay(place: InstallContext, hooks_file: Path) -> None:
    hooks_file.write_text(json.dumps({"version": 2, "hooks": {"stop": [MINE]}}))
    hooks, _ = TARGET.plan_install(place)
    written = json.loads(hooks.after or b"")
    assert written["version"] == 2 and written["hooks"]["stop"][0] == MINE and len(written["hooks"]["stop"]) == 2


def test_without_a_receipt_the_file_and_its_version_stay_because_others_use_it(
    place: InstallContext, hooks_file: Path
) -> None:
    hooks, _ = TARGET.plan_install(place)
    apply_change(hooks)
    removal, _ = TARGET.plan_removal(place)
    assert removal.path == str(hooks_file) and json.loads(removal.after or b"") == {"version": 1}


def test_the_server_has_the_plain_form(place: InstallContext) -> None:
    _, change = TARGET.plan_install(place._replace(mcp=True, program=("/opt/tacit/bin/python", "-m", "tacit")))
    assert change.path == f"{place.user_folder}/.cursor/mcp.json"
    server = {"command": "/opt/tacit/bin/python", "args": ["-m", "tacit", "mcp"]}
    assert json.loads(change.after or b"") == {"mcpServers": {"tacit": server}}


def test_only_the_folder_of_the_user_decides_where_files_are(place: InstallContext) -> None:
    moved = place._replace(environment={"HOME": "/home/kim", "CURSOR_HOME": "/etc/cursor"})
    assert [file.path for file in host_files("cursor", moved)] == [
        "/home/kim/.cursor/hooks.json",
        "/home/kim/.cursor/mcp.json",
    ]
