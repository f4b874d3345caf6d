"""Claude Code: where its settings and servers are, and what is registered there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tacit.hosts import HOSTS
from tacit.hosts.registration import AGENT_TARGETS, host_files
from tacit.install.change import InstallContext

HOST, TARGET = HOSTS["claude"], AGENT_TARGETS["claude"]


def planned(place: InstallContext) -> dict[str, object]:
    """The configuration files that are written, by path below the folder of the user."""
    changes = [change for change in TARGET.plan_install(place) if change.is_needed and not change.is_auxiliary]
    return {change.path.removeprefix(place.user_folder): json.loads(change.after or b"") for change in changes}


def test_without_mcp_only_the_settings_are_written(place: InstallContext) -> None:
    assert planned(place).keys() == {"/.claude/settings.json"}


def test_each_hook_is_a_command_in_a_group_of_its_event(place: InstallContext) -> None:
    settings = planned(place)["/.claude/settings.json"]
    assert isinstance(settings, dict) and settings["hooks"].keys() == {hook.event for hook in HOST.hooks}
    for hook in HOST.hooks:
        (group,) = settings["hooks"][hook.event]
        (entry,) = group["hooks"]
        assert (entry["type"], entry["timeout"]) == ("command", hook.timeout)
        assert " claude " in entry["command"] and entry["command"].endswith(hook.event)
        assert group.get("matcher", "") == hook.matcher


def test_the_server_goes_into_a_file_beside_the_folder_of_the_settings(place: InstallContext) -> None:
    server = {"type": "stdio", "command": "/opt/tacit/bin/tacit", "args": ["mcp"]}
    assert planned(place._replace(mcp=True))["/.claude.json"] == {"mcpServers": {"tacit": server}}


def test_a_registered_server_is_updated_without_mcp(place: InstallContext, tmp_path: Path) -> None:
    old = {"type": "stdio", "command": "/old/tacit", "args": ["mcp"]}
    (tmp_path / ".claude.json").write_text(json.dumps({"mcpServers": {"tacit": old}}))
    new = {**old, "command": "/opt/tacit/bin/tacit"}
    assert planned(place)["/.claude.json"] == {"mcpServers": {"tacit": new}}


def test_the_config_variable_moves_settings_and_servers_into_one_folder(place: InstallContext) -> None:
    moved = place._replace(environment={**place.environment, "CLAUDE_CONFIG_DIR": "/etc/claude"})
    assert [file.path for file in host_files("claude", moved)] == [
        "/etc/claude/settings.json",
        "/etc/claude/.claude.json",
    ]


def test_a_home_that_was_named_is_given_to_hooks_and_server(place: InstallContext) -> None:
    files = planned(place._replace(mcp=True, is_home_explicit=True))
    settings, servers = files["/.claude/settings.json"], files["/.claude.json"]
    assert isinstance(settings, dict) and isinstance(servers, dict)
    assert servers["mcpServers"]["tacit"]["args"] == ["mcp", "--home", place.home]
    assert json.dumps(settings).count(f" --home {place.home}") == len(HOST.hooks)


@pytest.mark.parametrize(
    ("settings", "is_off"),
    [
        ('{"disableAllHooks": true}', True),
        ('{"disableAllHooks": true, // for now\n}', True),
        ('{"disableAllHooks": false}', False),
        ('{"disableAllHooks": "true"}', False),
        ("{}", False),
        ("{broken", False),
    ],
)
def test_the_person_is_warned_only_if_hooks_are_off(
    place: InstallContext, tmp_path: Path, settings: str, is_off: bool
) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text(settings)
    assert ("disableAllHooks" in TARGET.warning(place)) == is_off


def test_nothing_is_warned_of_without_settings(place: InstallContext) -> None:
    assert TARGET.warning(place) == ""
