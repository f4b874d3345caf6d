"""What is registered with each host: which files, in which form, and what a person is warned of."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tacit.hosts import HOSTS
from tacit.hosts.registration import AGENT_TARGETS, host_files
from tacit.install import InstallContext, apply_change, write_receipts

PROGRAM = "/opt/tacit/bin/tacit"
# The file with the hooks of a host, and the fields of an entry: what runs, and for how long at most
HOOKS = {
    "claude": (".claude/settings.json", "command", "timeout", 1),
    "codex": (".codex/hooks.json", "command", "timeout", 1),
    "gemini": (".gemini/settings.json", "command", "timeout", 1000),
    "cursor": (".cursor/hooks.json", "command", "timeout", 1),
    "copilot": (".copilot/hooks/tacit.json", "bash", "timeoutSec", 1),
}
SERVERS = {
    "claude": (".claude.json", {"type": "stdio", "command": PROGRAM, "args": ["mcp"]}),
    "gemini": (".gemini/settings.json", {"command": PROGRAM, "args": ["mcp"]}),
    "cursor": (".cursor/mcp.json", {"command": PROGRAM, "args": ["mcp"]}),
    "copilot": (
        ".copilot/mcp-config.json",
        {"type": "local", "command": PROGRAM, "args": ["mcp"], "tools": ["*"]},
    ),
}


def planned(host: str, place: InstallContext) -> dict[str, Any]:
    """The JSON files that are written, by path below the folder of the user."""
    changes = AGENT_TARGETS[host].plan_install(place)
    needed = [change for change in changes if change.is_needed and not change.is_auxiliary]
    return {change.path.removeprefix(f"{place.user_folder}/"): json.loads(change.after or b"") for change in needed}


def put(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize("host", HOOKS)
def test_without_mcp_each_hook_is_a_command_of_its_event_and_nothing_else_is_written(
    place: InstallContext, host: str
) -> None:
    name, command, timeout, unit = HOOKS[host]
    files = planned(host, place)
    assert files.keys() == {name} and files[name].keys() <= {"version", "hooks"}
    is_grouped = host in ("claude", "codex", "gemini")
    assert files[name].get("version") == (None if is_grouped else 1)
    assert files[name]["hooks"].keys() == {hook.event for hook in HOSTS[host].hooks}
    for hook in HOSTS[host].hooks:
        (entry,) = files[name]["hooks"][hook.event]
        if is_grouped:
            assert entry.get("matcher", "") == hook.matcher
            (entry,) = entry["hooks"]
        others = {} if host == "cursor" else {"type": "command"} | ({"name": "tacit"} if host == "gemini" else {})
        line = entry[command]
        assert entry == {**others, command: line, timeout: hook.timeout * unit}
        assert f" {host} " in line and line.endswith(hook.event)


@pytest.mark.parametrize("host", SERVERS)
def test_the_server_is_among_those_of_the_person(place: InstallContext, tmp_path: Path, host: str) -> None:
    name, server = SERVERS[host]
    put(tmp_path, name, '{"mcpServers": {"other": {"command": "x"}}}')
    assert planned(host, place._replace(mcp=True))[name]["mcpServers"] == {"other": {"command": "x"}, "tacit": server}
    module = place._replace(mcp=True, program=("/opt/tacit/bin/python", "-m", "tacit"))
    entry = planned(host, module)[name]["mcpServers"]["tacit"]
    assert (entry["command"], entry["args"]) == ("/opt/tacit/bin/python", ["-m", "tacit", "mcp"])


def test_a_registered_server_is_updated_without_mcp(place: InstallContext, tmp_path: Path) -> None:
    name, new = SERVERS["claude"]
    put(tmp_path, name, json.dumps({"mcpServers": {"tacit": {**new, "command": "/old/tacit"}}}))
    assert planned("claude", place)[name] == {"mcpServers": {"tacit": new}}
    put(tmp_path, ".codex/config.toml", '[mcp_servers.tacit]\ncommand = "/old/tacit"\nargs = ["mcp"]\n')
    _, change, _ = AGENT_TARGETS["codex"].plan_install(place)
    assert tomllib.loads((change.after or b"").decode())["mcp_servers"]["tacit"]["command"] == PROGRAM


def test_the_server_of_codex_is_a_table_after_what_the_person_wrote(place: InstallContext, tmp_path: Path) -> None:
    config = put(tmp_path, ".codex/config.toml", 'model = "x"  # mine\n')
    _, change, _ = AGENT_TARGETS["codex"].plan_install(place._replace(mcp=True, is_home_explicit=True))
    text = (change.after or b"").decode()
    assert change.path == str(config) and text.startswith('model = "x"  # mine\n')
    server = {"command": PROGRAM, "args": ["mcp", "--home", place.home]}
    assert tomllib.loads(text) == {"model": "x", "mcp_servers": {"tacit": server}}


def test_a_home_that_was_named_is_given_to_hooks_and_server(place: InstallContext) -> None:
    files = planned("claude", place._replace(mcp=True, is_home_explicit=True))
    assert files[".claude.json"]["mcpServers"]["tacit"]["args"] == ["mcp", "--home", place.home]
    assert json.dumps(files[".claude/settings.json"]).count(f" --home {place.home}") == len(HOSTS["claude"].hooks)


@pytest.mark.parametrize(
    ("host", "variable", "folder", "files"),
    [
        ("claude", "CLAUDE_CONFIG_DIR", "/etc/claude", ["settings.json", ".claude.json"]),
        ("codex", "CODEX_HOME", "/etc/codex", ["hooks.json", "config.toml"]),
        ("gemini", "GEMINI_CLI_HOME", "/srv/kim", [".gemini/settings.json"]),
        ("copilot", "COPILOT_HOME", "/etc/copilot", ["hooks/tacit.json", "mcp-config.json"]),
        ("cursor", "HOME", "/home/kim", [".cursor/hooks.json", ".cursor/mcp.json"]),
    ],
)
def test_a_variable_moves_all_files_of_a_host(
    place: InstallContext, host: str, variable: str, folder: str, files: list[str]
) -> None:
    moved = place._replace(environment={**place.environment, "CURSOR_HOME": "/etc/cursor", variable: folder})
    assert [file.path for file in host_files(host, moved)] == [f"{folder}/{name}" for name in files]


@pytest.mark.parametrize(
    ("host", "name", "setting", "off", "on"),
    [
        (
            *("claude", ".claude/settings.json", "disableAllHooks"),
            ['{"disableAllHooks": true}', '{"disableAllHooks": true, // for now\n}'],
            ['{"disableAllHooks": false}', '{"disableAllHooks": "true"}', "{}", "{broken"],
        ),
        (
            *("codex", ".codex/config.toml", "hooks = false"),
            ["[features]\nhooks = false\n", "features.hooks = false\n"],
            ["[features]\nhooks = true\n", "[features]\nother = false\n", "features = 3\n", "hooks = false\n", "[f\n"],
        ),
        (
            *("gemini", ".gemini/settings.json", "hooksConfig"),
            ['{"hooksConfig": {"enabled": false}}'],
            ['{"hooksConfig": {"enabled": true}}', '{"hooksConfig": {"enabled": 0}}', '{"hooksConfig": false}', "{x"],
        ),
    ],
)
def test_the_person_is_warned_only_if_hooks_are_off(
    place: InstallContext, tmp_path: Path, host: str, name: str, setting: str, off: list[str], on: list[str]
) -> None:
    assert AGENT_TARGETS[host].warning(place) == ""
    for text in (*off, *on):
        put(tmp_path, name, text)
        assert (setting in AGENT_TARGETS[host].warning(place)) == (text in off), text


ALLOWED = "mcp__tacit"


@pytest.mark.parametrize(
    "theirs",
    [
        "",
        "{}\n",
        '{\n  "permissions": {}\n}\n',
        '{\n  "permissions": {\n    "allow": ["Bash(ls:*)"], // mine\n    "deny": []\n  }\n}\n',
        '{\n  "permissions": {"allow": ["mcp__tacit", "WebFetch"]}\n}\n',
    ],
)
def test_with_the_server_claude_code_is_allowed_to_use_its_tools_and_no_longer_after(
    place: InstallContext, tmp_path: Path, theirs: str
) -> None:
    if theirs:
        put(tmp_path, ".claude/settings.json", theirs)
    settings, *_ = AGENT_TARGETS["claude"].plan_install(place._replace(mcp=True))
    assert (settings.after or b"").count(ALLOWED.encode()) == 1 and settings.receipt is not None
    write_receipts(place.home, "claude", [settings.receipt])
    apply_change(settings)
    again, *_ = AGENT_TARGETS["claude"].plan_install(place)  # without --mcp: what is allowed stays
    assert again.after == settings.after
    removal, *_ = AGENT_TARGETS["claude"].plan_removal(place)
    assert removal.after == (theirs.encode() or None)


def test_without_the_server_nothing_is_allowed(place: InstallContext) -> None:
    settings, *_ = AGENT_TARGETS["claude"].plan_install(place)
    assert ALLOWED.encode() not in (settings.after or b"")


def test_hooks_and_server_are_taken_out_of_one_file_together(place: InstallContext, tmp_path: Path) -> None:
    theirs = '{\n  "theme": "dark", // mine\n  "hooks": {"AfterAgent": [{"hooks": [{"command": "say done"}]}]}\n}\n'
    put(tmp_path, ".gemini/settings.json", theirs)
    change, _ = AGENT_TARGETS["gemini"].plan_install(place._replace(mcp=True))
    assert change.receipt is not None
    write_receipts(place.home, "gemini", [change.receipt])
    apply_change(change)
    removal, _ = AGENT_TARGETS["gemini"].plan_removal(place)
    assert removal.after == theirs.encode()


def test_a_hook_and_a_version_of_the_person_stay(place: InstallContext, tmp_path: Path) -> None:
    mine = {"command": "say done"}
    put(tmp_path, ".cursor/hooks.json", json.dumps({"version": 2, "hooks": {"stop": [mine]}}))
    written = planned("cursor", place)[".cursor/hooks.json"]
    assert written["version"] == 2 and written["hooks"]["stop"][0] == mine and len(written["hooks"]["stop"]) == 2


@pytest.mark.parametrize(("host", "left"), [("cursor", {"version": 1}), ("copilot", None)])
def test_without_a_receipt_only_a_file_of_our_own_is_deleted(
    place: InstallContext, host: str, left: dict[str, int] | None
) -> None:
    hooks, *_ = AGENT_TARGETS[host].plan_install(place)
    apply_change(hooks)
    removal, *_ = AGENT_TARGETS[host].plan_removal(place)
    assert (removal.path, removal.before) == (hooks.path, hooks.after)
    assert (json.loads(removal.after) if removal.after else None) == left


def test_a_hook_that_the_person_added_to_our_own_file_stays(place: InstallContext) -> None:
    hooks, *_ = AGENT_TARGETS["copilot"].plan_install(place)
    mine = {"type": "command", "bash": "say done"}
    written = json.loads(hooks.after or b"")
    written["hooks"]["agentStop"].append(mine)
    apply_change(hooks._replace(after=json.dumps(written).encode()))
    removal, *_ = AGENT_TARGETS["copilot"].plan_removal(place)
    assert json.loads(removal.after or b"") == {"version": 1, "hooks": {"agentStop": [mine]}}
