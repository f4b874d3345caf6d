"""The stub itself, asked as clients ask it. This needs no client."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clients import script
from tests.clients.apis import Step
from tests.clients.desk import wait_until_gone
from tests.clients.offline import Offline
from tests.clients.script import Rule

PROMPT = "List the files."
RULES = [Rule(PROMPT, (Step(tool="run", input={"command": "ls"}), Step("There are two.")))]
_ASK = """
import sys, urllib.request
request = urllib.request.Request(sys.argv[1], sys.stdin.buffer.read(), {"Content-Type": "application/json"})
print(urllib.request.urlopen(request).read().decode())
"""
TOOLS = [{"name": "run"}]
PROMPTED: dict[str, dict[str, Any]] = {
    "/v1/messages": {"messages": [{"role": "user", "content": PROMPT}]},
    "/v1/responses": {"input": [{"role": "user", "content": [{"type": "input_text", "text": PROMPT}]}]},
    "/v1/chat/completions": {"messages": [{"role": "user", "content": PROMPT}]},
    "/v1beta/models/stub:generateContent": {"contents": [{"role": "user", "parts": [{"text": PROMPT}]}]},
}
RETURNED: dict[str, dict[str, Any]] = {
    "/v1/messages": {"role": "user", "content": [{"type": "tool_result", "content": "a b"}]},
    "/v1/responses": {"type": "function_call_output", "output": "a b"},
    "/v1/chat/completions": {"role": "tool", "content": "a b"},
    "/v1beta/models/stub:generateContent": {"role": "user", "parts": [{"functionResponse": {"response": {}}}]},
}


@pytest.fixture
def offline(tmp_path: Path) -> Iterator[Offline]:
    script.write(tmp_path / "script.json", RULES)
    offline = Offline(tmp_path)
    yield offline
    offline.close()


def ask(offline: Offline, path: str, body: dict[str, Any]) -> str:
    words = [*offline.within, sys.executable, "-c", _ASK, f"http://127.0.0.1:{offline.port}{path}"]
    return subprocess.run(words, input=json.dumps(body), capture_output=True, text=True, check=True).stdout


def going_on(path: str) -> dict[str, Any]:
    """The same request, after a tool has returned."""
    ((name, entries),) = PROMPTED[path].items()
    return {name: [*entries, RETURNED[path]]}


@pytest.mark.parametrize("path", PROMPTED)
def test_every_api_is_answered_step_by_step(offline: Offline, path: str) -> None:
    first = ask(offline, path, {**PROMPTED[path], "tools": TOOLS})
    assert '"run"' in first and "There are two." not in first
    assert "There are two." in ask(offline, path, {**going_on(path), "tools": TOOLS})


@pytest.mark.parametrize("path", PROMPTED)
def test_a_stream_ends_with_the_same_answer(offline: Offline, path: str) -> None:
    streamed = path.replace(":generate", ":streamGenerate")
    told = ask(offline, streamed, {**going_on(path), "tools": TOOLS, "stream": True})
    assert "data: " in told and "There are two." in told


def test_a_request_without_tools_calls_none(offline: Offline) -> None:
    path = "/v1/messages"
    assert '"run"' not in ask(offline, path, PROMPTED[path])


def test_every_request_is_logged(offline: Offline) -> None:
    path = "/v1/chat/completions"
    ask(offline, path, PROMPTED[path])
    (line,) = (offline.folder / "requests.jsonl").read_text().splitlines()
    assert json.loads(line)["body"] == PROMPTED[path]


def test_a_process_that_is_left_behind_is_found_and_ended(tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "600"], env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}) as sleeping:
        assert wait_until_gone(tmp_path, patience=0.2) == {sleeping.pid: "sleep 600"}
