"""The command line of each client, and what is read from what it prints."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from harness.secret_examples import written

from tacit.learn.judge import client_judge
from tacit.learn.judge.answer import CheckedAnswer
from tacit.learn.judge.clients import CLIENTS, ClientCommand, ClientOutput, ClientSetup, JudgeReply
from tests.support.fake_client import FakeClient
from tests.support.model_desk import ROOT, Desk, is_running, wait_until
from tests.support.model_talk import RULE, answer, asked, findings

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


# A client in a process of its own: whatever it does, there is one clear sentence, and nothing is left running


@pytest.fixture
def client(tmp_path: Path) -> FakeClient:
    return FakeClient(tmp_path / "bin")


def ask(
    desk: Desk, client: FakeClient, *, agent: str = "claude", **more: str
) -> tuple[JudgeReply, CheckedAnswer | None]:
    environment = {"PATH": f"{client.folder}{os.pathsep}{os.environ['PATH']}", **more}
    return desk.vault(**environment).ask(asked(), client_judge(agent))


def test_a_client_is_asked_in_an_empty_private_folder_that_is_gone_afterwards(desk: Desk, client: FakeClient) -> None:
    client.answers(answer(RULE))
    reply, checked = ask(desk, client)
    assert reply.problem == "" and len(findings(checked)) == 1
    (call,) = client.calls
    assert call["question"] == asked().text and call["judge"] == "1"
    assert call["cwd"].startswith(f"{desk.home}/.tacit/") and call["listed"] == [] and call["mode"] == 0o700
    assert not os.path.exists(call["cwd"]) and not (desk.home / ".tacit/judge").exists()
    assert not any(asked().mark.encode() in data for data in desk.kept().values())  # the question is not on the disk


def test_a_client_that_hangs_is_killed_with_its_children(desk: Desk, client: FakeClient) -> None:
    start_child = "child = subprocess.Popen(['sleep', '600'])\nopen(folder + '/child', 'w').write(str(child.pid))"
    client.does(f"{start_child}\ntime.sleep(600)")
    start = time.monotonic()
    reply, checked = ask(desk, client, TACIT_MODEL_TIMEOUT="2")
    assert checked is None and reply.is_failure and time.monotonic() - start < 20
    assert reply.problem == "claude did not answer within 2 s; to wait longer: tacit config set model.timeout 8"
    processes = (client.calls[0]["pid"], int((client.folder / "child").read_text()))
    wait_until(lambda: not any(map(is_running, processes)))
    assert not (desk.home / ".tacit/judge").exists()


def test_a_client_whose_child_keeps_the_pipes_open_is_not_waited_for(desk: Desk, client: FakeClient) -> None:
    client.answers(answer(RULE))
    client.does((client.folder / "does.py").read_text() + "\nsubprocess.Popen(['sleep', '600'])")
    start = time.monotonic()
    reply, checked = ask(desk, client)
    assert reply.problem == "" and len(findings(checked)) == 1 and time.monotonic() - start < 20


def test_a_client_that_does_not_read_its_question_may_answer(desk: Desk, client: FakeClient) -> None:
    (client.folder / "deaf").touch()
    client.answers(answer(RULE))
    assert len(findings(ask(desk, client)[1])) == 1


@pytest.mark.parametrize(
    ("does", "problem"),
    [
        ("", "claude answered nothing"),
        ("print(json.dumps(dict(is_error=False, result='  ')))", "claude answered nothing"),
        ("print('x' * 10_000_000)", "claude answered with more than 12,000 characters"),
        ("while True: print('x' * 1000)", "claude answered with more than 12,000 characters"),
        ("print(json.dumps(dict(result='x' * 13_000)))", "claude answered with more than 12,000 characters"),
        ("print(json.dumps(dict(result='Nothing to keep.')))", "claude did not answer in the form it was asked for"),
        ("print(json.dumps(dict(result=question)))", "claude did not answer in the form it was asked for"),
        ("print('API Error: 500'); sys.exit(1)", "claude failed with exit status 1: API Error: 500"),
        ("print('quota', file=sys.stderr); sys.exit(3)", "claude failed with exit status 3: quota"),
        ("sys.exit(2)", "claude failed with exit status 2: it said nothing"),
        ("os.kill(os.getpid(), 9)", "claude failed with exit status -9: it said nothing"),
    ],
)
def test_a_client_that_fails_is_told_of_in_one_sentence(
    desk: Desk, client: FakeClient, does: str, problem: str
) -> None:
    client.does(does)
    reply, checked = ask(desk, client)
    assert checked is None and reply.is_failure
    assert reply.problem.startswith(problem) and "\n" not in reply.problem
    assert '"failures": 1' in (desk.home / ".tacit/model.json").read_text()


@pytest.mark.parametrize(
    "does",
    [
        "print(json.dumps(dict(is_error=True, result='Not logged in · Please run /login'))); sys.exit(1)",
        "print('No API key was found', file=sys.stderr); sys.exit(41)",
    ],
)
def test_a_client_without_a_login_is_no_failure_and_costs_nothing(desk: Desk, client: FakeClient, does: str) -> None:
    client.does(does)
    reply, _ = ask(desk, client)
    assert reply.problem.startswith("claude is not logged in or has no key: ") and reply.problem.endswith(
        "; type: claude"
    )
    assert not reply.is_failure and desk.vault().budget().spent == 0


def test_what_a_client_says_of_an_error_is_shown_without_secrets_and_control_characters(
    desk: Desk, client: FakeClient
) -> None:
    client.does(f"print('\\x1b[31mno: {written('ghp_<a36>')}'); sys.exit(1)")
    problem = ask(desk, client)[0].problem
    assert "no: " in problem and "ghp_" not in problem and "\x1b" not in problem


def test_a_folder_that_a_killed_process_left_is_replaced(desk: Desk, client: FakeClient) -> None:
    left = desk.home / ".tacit/judge/tacit-judge-folder"
    left.mkdir(parents=True)
    (left / "AGENTS.md").write_text("obey")
    ask(desk, client)
    assert client.calls[0]["listed"] == [] and not left.exists()


def test_a_link_in_the_place_of_the_folder_is_not_followed(desk: Desk, client: FakeClient, tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.mkdir()
    (target / "file").touch()
    (desk.home / ".tacit").mkdir(parents=True)
    (desk.home / ".tacit/judge").symlink_to(target)
    reply, checked = ask(desk, client)
    assert checked is None and reply.problem.startswith("no judge was asked: ")
    assert desk.vault().budget().spent == 0  # nothing was sent
    assert (target / "file").exists() and client.calls == []


def test_gemini_is_not_asked_where_it_would_ignore_that_it_gets_no_tools(desk: Desk, tmp_path: Path) -> None:
    client = FakeClient(tmp_path / "bin", "gemini")
    client.does("print(json.dumps(dict(response='{\"memories\": []}')))")
    desk.home.mkdir()
    desk.home.chmod(0o775)
    reply, checked = ask(desk, client, agent="gemini")
    assert checked is None and not reply.is_failure and client.calls == []
    assert reply.problem.endswith(f"; type: chmod go-w {desk.home}")
    reply, checked = ask(desk, client, agent="gemini", GEMINI_API_KEY="x")  # then it has a home of its own
    assert checked is not None and len(client.calls) == 1


def test_a_relative_entry_of_the_path_names_no_client(
    desk: Desk, client: FakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(client.folder)
    assert desk.vault(PATH=".").installed_clients() == []
    assert desk.vault(PATH=str(client.folder)).installed_clients() == ["claude"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_client_does_not_outlive_a_command_that_is_stopped(desk: Desk, client: FakeClient, number: int) -> None:
    client.does("time.sleep(600)")
    script = (
        # A shell without job control lets programs in the background ignore SIGINT: perhaps these tests, and so this.
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "import sys; from tests.support.model_talk import asked; from tacit.home.home import Home;"
        "from tacit.learn.judge import Judging, client_judge;"
        "Judging(Home(sys.argv[1], cwd=sys.argv[1])).ask(asked(), client_judge('claude'))"
    )
    environment = {**desk.models, "PATH": f"{client.folder}{os.pathsep}{os.environ['PATH']}", "HOME": str(desk.llm)}
    asking = subprocess.Popen([sys.executable, "-c", script, str(desk.home)], env=environment, cwd=ROOT)
    wait_until(lambda: bool(client.calls))
    asking.send_signal(number)
    assert asking.wait(30) != 0
    wait_until(lambda: not is_running(client.calls[0]["pid"]))
    assert not (desk.home / ".tacit/judge").exists()
