"""The command line of each client, and what is read from what it prints."""

from __future__ import annotations

import json
import os
from itertools import pairwise
from typing import Any

import pytest

from tacit.learn.judge.clients import CLIENTS, ClientCommand, ClientOutput, ClientSetup

QUESTION = "Which of these?"


def command(name: str, **changes: Any) -> ClientCommand:
    setup = ClientSetup(f"/usr/bin/{name}", QUESTION, "/home/x/.agents/.tacit/judge")
    return CLIENTS[name].command(setup._replace(**changes))


@pytest.mark.parametrize("name", CLIENTS)
def test_the_question_goes_to_standard_input_and_into_no_argument(name: str) -> None:
    made = command(name)
    assert made.stdin == QUESTION and QUESTION not in " ".join(made.argv)
    assert made.argv[0] == f"/usr/bin/{name}"
    assert all(not os.path.isabs(path) and ".." not in path for path in made.files)


@pytest.mark.parametrize("name", CLIENTS)
def test_a_model_is_passed_on_only_if_it_is_named(name: str) -> None:
    assert "big-model" in command(name, model="big-model").argv
    if name != "gemini":  # would ask a model which model to ask
        assert not {"--model", "-m"} & set(command(name).argv)


def test_claude_reads_no_settings_and_has_no_tools() -> None:
    argv = command("claude").argv
    for option, value in (("--setting-sources", ""), ("--tools", ""), ("--output-format", "json")):
        assert argv[argv.index(option) + 1] == value
    assert {"-p", "--strict-mcp-config", "--no-session-persistence", "--disable-slash-commands"} <= set(argv)


def test_codex_keeps_nothing_and_gets_the_users_provider_without_its_keys() -> None:
    config = {
        "model": "gpt-x",
        "model_provider": "mine",
        "model_providers": {"mine": {"base_url": "http://h/v1", "experimental_bearer_token": "s3cret", "env_key": "K"}},
        "mcp_servers": {"x": {}},
    }
    argv = command("codex", config=config).argv
    assert {"--ephemeral", "--ignore-user-config", "--ignore-rules", "read-only"} <= set(argv) and argv[-1] == "-"
    overrides = [after for word, after in pairwise(argv) if word == "-c"]
    assert {'model="gpt-x"', 'model_provider="mine"', 'model_providers.mine.base_url="http://h/v1"'} <= set(overrides)
    assert 'model_providers.mine.env_key="K"' in overrides and "s3cret" not in " ".join(argv)
    named = command("codex", config=config, model="other").argv
    assert 'model="gpt-x"' not in named


@pytest.mark.parametrize(
    "config", [{"model": 7, "model_provider": ["x"]}, {"model_provider": "a b\n"}, {"model_providers": "x"}]
)
def test_settings_of_another_form_are_not_passed_on(config: dict[str, object]) -> None:
    assert command("codex", config=config).argv == command("codex").argv


def test_gemini_with_a_key_has_a_home_of_its_own() -> None:
    made = command("gemini", environment={"GEMINI_API_KEY": "k"})
    assert made.environment["GEMINI_CLI_HOME"] == "/home/x/.agents/.tacit/judge"
    settings = json.loads(made.files[".gemini/settings.json"])
    assert settings["security"]["auth"]["selectedType"] == "gemini-api-key" and "k" not in made.environment.values()


def test_gemini_with_a_login_keeps_its_home_and_gets_settings_of_the_system() -> None:
    made = command("gemini")
    assert "GEMINI_CLI_HOME" not in made.environment
    path = made.environment["GEMINI_CLI_SYSTEM_SETTINGS_PATH"]
    settings = json.loads(made.files[os.path.basename(path)])
    assert settings["hooksConfig"] == {"enabled": False} and settings["tools"] == {"core": ["none"]}


def test_servers_of_the_user_are_switched_off_where_no_option_does_it_for_all() -> None:
    argv = command("copilot", config={"mcpServers": {"docs": {}, "--allow-all": {}}}).argv
    assert argv[argv.index("--disable-mcp-server") + 1] == "docs" and "--allow-all" not in argv
    content = json.loads(command("opencode", config={"mcp": {"docs": {}}}).environment["OPENCODE_CONFIG_CONTENT"])
    assert content["mcp"] == {"docs": {"enabled": False}} and content["agent"]["judge"]["tools"] == {"*": False}


CODEX_EVENTS = '{"type":"thread.started"}\n{"type":"item.completed","item":{"type":"agent_message","text":"A"}}\n'
OPENCODE_EVENTS = '{"type":"step_start"}\n{"type":"text","part":{"text":"A"}}\n{"type":"text","part":{"text":"B"}}\n'


@pytest.mark.parametrize(
    ("name", "printed", "output"),
    [
        ("claude", '{"type":"result","is_error":false,"result":"A"}', ClientOutput("A")),
        (
            "claude",
            '{"is_error":true,"subtype":"success","result":"Not logged in"}',
            ClientOutput(error="Not logged in"),
        ),
        ("claude", "API Error: 500", ClientOutput(error="API Error: 500")),
        ("codex", CODEX_EVENTS, ClientOutput("A")),
        ("codex", '{"type":"error","message":"no"}\n', ClientOutput(error="no")),
        ("codex", '{"type":"turn.failed","error":{"message":"no"}}\n', ClientOutput(error="no")),
        ("codex", "", ClientOutput()),
        ("gemini", '{"session_id":"x","response":"A","stats":{}}', ClientOutput("A")),
        ("gemini", '{"error":{"type":"Error","message":"no"}}', ClientOutput(error="no")),
        ("gemini", "", ClientOutput()),
        ("copilot", "  A\n", ClientOutput("A")),
        ("opencode", OPENCODE_EVENTS, ClientOutput("AB")),
        ("opencode", '{"type":"error","error":{"name":"no"}}\n', ClientOutput(error='{"name": "no"}')),
    ],
)
def test_the_answer_is_read_from_what_a_client_prints(name: str, printed: str, output: ClientOutput) -> None:
    assert command(name).answer_from(printed) == output


@pytest.mark.parametrize("name", CLIENTS)
@pytest.mark.parametrize("printed", ["[" * 9000, "null\n7\n[]", "\ud800", '{"result": 7}\n{"item": []}'])
def test_whatever_a_client_prints_is_read_without_an_error(name: str, printed: str) -> None:
    command(name).answer_from(printed)


def test_settings_that_are_passed_on_are_looked_for_where_the_client_looks() -> None:
    paths = {name: client.config_path({"CODEX_HOME": "/c"}, "/home/x") for name, client in CLIENTS.items()}
    assert paths == {
        "claude": "",
        "codex": "/c/config.toml",
        "gemini": "",
        "copilot": "/home/x/.copilot/mcp-config.json",
        "opencode": "/home/x/.config/opencode/opencode.json",
    }
