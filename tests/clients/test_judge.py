"""The real clients as judges: the question reaches the model without tools and memories, and no session comes of it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.clients.apis import Body, Step
from tests.clients.desk import MEMORIES, RULE, Desk
from tests.clients.hosts import CLIENTS, Client
from tests.clients.script import Rule
from tests.clients.story import strings

PROMPT = "please say hello; by the way, the deploy host of the shop is called kestrel"
QUOTE = "the deploy host of the shop is called kestrel"
STATEMENT = "The deploy host of the shop is called kestrel."
ASKS = "You judge what people told their coding agents"
# Where a client keeps the question although it is told not to; docs/guides/judge.md says so.
LEFT = {"copilot": (".copilot/session-state/", ".copilot/session-store.db")}
TOOLS = {"codex": {"request_user_input"}}


class Judged(NamedTuple):
    """A client that had one session with the person and was then asked to judge it."""

    desk: Desk
    name: str
    done: subprocess.CompletedProcess[str]
    requests: list[Body]


@pytest.fixture(scope="module", params=CLIENTS)
def judged(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judged]:
    client: Client = CLIENTS[request.param]
    with closing(Desk(tmp_path_factory.mktemp(client.name).resolve(), client)) as desk:
        desk.move_in()
        memory = {"quote": QUOTE, "statement": STATEMENT, "kind": "environment", "why": "deploying", "where": "project"}
        answer = json.dumps({"memories": [memory], "summaries": {}})
        desk.write_script([Rule(ASKS, (Step(answer),)), Rule(PROMPT, (Step("Hello."),))])
        assert desk.run(PROMPT).code == 0
        before = len(desk.requests())
        done = learn(desk, "--agent", client.name)
        desk.settle()
        yield Judged(desk, client.name, done, desk.requests()[before:])


def learn(desk: Desk, *words: str) -> subprocess.CompletedProcess[str]:
    """`tacit learn` where the client is on PATH."""
    programs = desk.person.folder / "bin"
    programs.mkdir(exist_ok=True)
    program = programs / desk.client.name
    program.write_text(f'#!/bin/sh\nexec {shlex.join(desk.command)} "$@"\n')
    program.chmod(0o755)
    environment = {**desk.client_environment, "TACIT_MODEL_TIMEOUT": "100"}
    return subprocess.run(
        [Path(sys.executable).with_name("tacit"), "learn", *words],
        cwd=desk.repository,
        env={**environment, "PATH": f"{programs}{os.pathsep}{environment['PATH']}"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )


def test_the_client_answers_and_its_answer_is_believed(judged: Judged) -> None:
    assert judged.done.returncode == 0
    assert f"{judged.name} judged 1 session: 1 memory for about" in judged.done.stderr
    assert f"environment: {STATEMENT}" in judged.done.stdout


def test_the_question_reached_the_model_alone(judged: Judged) -> None:
    asking = [body for body in judged.requests if ASKS in strings(body)]
    assert len(asking) == 1
    sent = strings(asking[0])
    assert QUOTE in sent and "</sessions " in sent
    # The person's own memories are told as what is known already, and in no other way.
    known = [memory for memory in (*MEMORIES, RULE) if f'{{"known": "{memory}"' in sent]
    assert "The staging database is called kestrel" in known
    assert all(sent.count(memory) == (memory in known) for memory in (*MEMORIES, RULE))
    assert not any("tacit-memory" in strings(body) for body in judged.requests)


def test_the_client_had_no_tools(judged: Judged) -> None:
    offered = {name for body in judged.requests for name in _tool_names(body)}
    assert offered <= TOOLS.get(judged.name, set())


def test_no_hook_ran_and_no_session_was_captured(judged: Judged) -> None:
    (session,) = judged.desk.sessions()
    assert session["requests"] == [PROMPT]
    assert ASKS not in judged.desk.recorded()
    assert {given["agent"] for given in judged.desk.tacit("injected", "--json").json} <= {judged.name}
    assert not (judged.desk.person.home / ".tacit" / "judge").exists()


def test_importing_all_transcripts_does_not_bring_the_judges_session(judged: Judged) -> None:
    judged.desk.tacit("import", "transcripts", code=None)
    assert len(judged.desk.sessions()) == 1 and ASKS not in judged.desk.recorded()


def test_the_question_stays_only_where_the_guide_says(judged: Judged) -> None:
    folder = judged.desk.person.folder
    found = []
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink() and ASKS.encode() in path.read_bytes():
            found.append(str(path.relative_to(folder)))
    allowed = LEFT.get(judged.name, ())
    assert [path for path in found if not path.startswith(allowed or ("\0",))] == []


def _tool_names(body: Body) -> list[str]:
    names = []
    for tool in body.get("tools") or ():
        named = tool.get("function", tool)
        names += [entry["name"] for entry in named.get("functionDeclarations", [named]) if "name" in entry]
    return names
