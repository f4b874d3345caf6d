"""Codex: hooks as JSON, the server as a TOML table, and the review that a person has to do."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from tacit.hosts import HOSTS
from tacit.hosts.registration import AGENT_TARGETS, host_files
from tacit.install.change import InstallContext

HOST, TARGET = HOSTS["codex"], AGENT_TARGETS["codex"]


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / ".codex" / "config.toml"
    path.parent.mkdir()
    return path


def test_hooks_are_written_as_claude_code_has_them(place: InstallContext) -> None:
    hooks, servers, _ = TARGET.plan_install(place)
    written = json.loads(hooks.after or b"")["hooks"]
    assert hooks.path == f"{place.user_folder}/.codex/hooks.json" and not servers.is_needed
    assert written.keys() == {hook.event for hook in HOST.hooks}
    for hook in HOST.hooks:
        (entry,) = written[hook.event][0]["hooks"]
        assert (entry["type"], entry["timeout"]) == ("command", hook.timeout)
        assert " codex " in entry["command"] and entry["command"].endswith(hook.event)


def test_the_server_is_a_table_after_what_the_person_wrote(place: InstallContext, config: Path) -> None:
    config.write_text('model = "x"  # mine\n')
    _, change, _ = TARGET.plan_install(place._replace(mcp=True, is_home_explicit=True))
    text = (change.after or b"").decode()
    assert change.path == str(config) and text.startswith('model = "x"  # mine\n')
    server = {"command": "/opt/tacit/bin/tacit", "args": ["mcp", "--home", place.home]}
    assert tomllib.loads(text) == {"model": "x", "mcp_servers": {"tacit": server}}


def test_a_registered_server_is_updated_without_mcp(place: InstallContext, config: Path) -> None:
    config.write_text('[mcp_servers.tacit]\ncommand = "/old/tacit"\nargs = ["mcp"]\n')
    _, change, _ = TARGET.plan_install(place)
    assert tomllib.loads((change.after or b"").decode())["mcp_servers"]["tacit"]["command"] == "/opt/tacit/bin/tacit"


def test_the_config_variable_moves_both_files(place: InstallContext) -> None:
    moved = place._replace(environment={**place.environment, "CODEX_HOME": "/etc/codex"})
    assert [file.path for file in host_files("codex", moved)] == ["/etc/codex/hooks.json", "/etc/codex/config.toml"]


@pytest.mark.parametrize(
    ("text", "is_off"),
    [
        ("[features]\nhooks = false\n", True),
        ("features.hooks = false\n", True),
        ("[features]\nhooks = true\n", False),
        ("[features]\nother = false\n", False),
        ("features = 3\n", False),
        ("hooks = false\n", False),
        ("[features\n", False),
    ],
)
def test_the_person_is_warned_only_if_hooks_are_off(
    place: InstallContext, config: Path, text: str, is_off: bool
) -> None:
    config.write_text(text)
    assert ("hooks = false" in TARGET.warning(place)) == is_off


def test_nothing_is_warned_of_without_a_configuration(place: InstallContext) -> None:
    assert TARGET.warning(place) == ""


def test_the_next_step_says_how_hooks_are_reviewed() -> None:
    assert "/hooks" in TARGET.next_step and "trust" in TARGET.next_step
