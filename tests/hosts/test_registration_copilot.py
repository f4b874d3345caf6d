"""Copilot CLI: a file of our own for hooks, and the server among those of others."""

from __future__ import annotations

import json
from pathlib import Path

from tacit.hosts import HOSTS
from tacit.hosts.registration import AGENT_TARGETS, host_files
from tacit.install.change import InstallContext, apply_change

HOST, TARGET = HOSTS["copilot"], AGENT_TARGETS["copilot"]


def test_hooks_are_a_flat_list_per_event_with_a_bash_command(place: InstallContext) -> None:
    hooks, servers, _ = TARGET.plan_install(place)
    assert hooks.path == f"{place.user_folder}/.copilot/hooks/tacit.json" and not servers.is_needed
    written = json.loads(hooks.after or b"")
    assert written["version"] == 1 and written["hooks"].keys() == {hook.event for hook in HOST.hooks}
    for hook in HOST.hooks:
        (entry,) = written["hooks"][hook.event]
        assert entry.keys() == {"type", "bash", "timeoutSec"}
        assert (entry["type"], entry["timeoutSec"]) == ("command", hook.timeout)
        assert " copilot " in entry["bash"] and entry["bash"].endswith(hook.event)


def test_the_server_is_a_local_one_with_all_tools(place: InstallContext, tmp_path: Path) -> None:
    path = tmp_path / ".copilot" / "mcp-config.json"
    path.parent.mkdir()
    path.write_text('{"mcpServers": {"other": {"command": "x"}}}')
    _, change, _ = TARGET.plan_install(place._replace(mcp=True))
    assert change.path == str(path)
    server = {"type": "local", "command": "/opt/tacit/bin/tacit", "args": ["mcp"], "tools": ["*"]}
    assert json.loads(change.after or b"") == {"mcpServers": {"other": {"command": "x"}, "tacit": server}}


def test_the_config_variable_moves_both_files(place: InstallContext) -> None:
    moved = place._replace(environment={**place.environment, "COPILOT_HOME": "/etc/copilot"})
    assert [file.path for file in host_files("copilot", moved)] == [
        "/etc/copilot/hooks/tacit.json",
        "/etc/copilot/mcp-config.json",
    ]


def test_our_own_file_is_deleted_even_if_the_receipt_is_lost(place: InstallContext) -> None:
    hooks, *_ = TARGET.plan_install(place)
    apply_change(hooks)
    removal, *_ = TARGET.plan_removal(place)
    assert (removal.before, removal.after) == (hooks.after, None)


def test_a_hook_that_the_person_added_to_our_file_stays(place: InstallContext) -> None:
    hooks, *_ = TARGET.plan_install(place)
    mine = {"type": "command", "bash": "say done"}
    written = json.loads(hooks.after or b"")
    written["hooks"]["agentStop"].append(mine)
    apply_change(hooks._replace(after=json.dumps(written).encode()))
    removal, *_ = TARGET.plan_removal(place)
    assert json.loads(removal.after or b"") == {"version": 1, "hooks": {"agentStop": [mine]}}
