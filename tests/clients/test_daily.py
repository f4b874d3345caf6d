"""The real clients as the judge of a day: started by their own hook, once, and nothing of it stays."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.clients.apis import Body, Step
from tests.clients.desk import Desk, Run
from tests.clients.hosts import CLIENTS, Client
from tests.clients.script import Rule
from tests.clients.story import strings
from tests.support.talking import session_file

ASKS = "You judge what people told their coding agents"
HOST = "the deploy host of shop {day} is called kestrel{day}"
LASTING = "our components all live in packages/ui and nothing else imports react directly"
FIRST, SECOND, THIRD = (
    "Please say hello.",
    f"Please say something else. {LASTING.capitalize()}.",
    "Please say it again.",
)
# Keeps the key of a model of one's own from its hooks. With a login of its own it has none to keep.
WITHOUT_KEYS = ("copilot",)
PROPOSE = "Nobody has proposed to remember it"


class Day(NamedTuple):
    """A client whose person lets it judge once a day, after three sessions of its own."""

    desk: Desk
    runs: list[Run]
    requests: list[Body]


@pytest.fixture(scope="module", params=CLIENTS)
def day(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Day]:
    client: Client = CLIENTS[request.param]
    with closing(Desk(tmp_path_factory.mktemp(client.name).resolve(), client)) as desk:
        desk.move_in()
        for number in (1, 2, 3):
            past = session_file(desk.person, desk.repository, number, f"{HOST.format(day=number)}, by the way")
            desk.tacit("capture", str(past))
        _agree(desk)
        answer = {"quote": HOST.format(day=2), "statement": f"T{HOST.format(day=2)[1:]}.", "kind": "environment"}
        judged = json.dumps({"memories": [{**answer, "why": "deploying", "where": "project"}], "summaries": {}})
        said = [Rule(prompt, (Step("Hello."),)) for prompt in (FIRST, SECOND, THIRD)]
        desk.write_script([Rule(ASKS, (Step(judged),)), *said])
        runs = [desk.run(FIRST), desk.run(SECOND), desk.run(THIRD, again=True)]
        yield Day(desk, runs, desk.requests())


def _agree(desk: Desk) -> None:
    """The person agrees in the environment in which they start the client. Its hooks run where the client runs."""
    programs = desk.person.folder / "bin"
    programs.mkdir(exist_ok=True)
    program = programs / desk.client.name
    program.write_text(f'#!/bin/sh\nexec {shlex.join(desk.program)} "$@"\n')
    program.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        environment = desk.client_environment
        path = f"{programs}{os.pathsep}{environment['PATH']}"
        patch.setattr(Desk, "environment", {**environment, "PATH": path})
        desk.tacit("config", "set", "learn.agent", desk.client.name)
        desk.tacit("config", "set", "learn.when", "daily")


def _asking(requests: list[Body]) -> list[str]:
    return [sent for body in requests if ASKS in (sent := strings(body))]


def test_the_sessions_of_the_past_are_judged_once(day: Day) -> None:
    assert [run.code for run in day.runs] == [0, 0, 0]
    if day.desk.client.name in WITHOUT_KEYS:
        assert _asking(day.requests) == []
        return
    (sent,) = _asking(day.requests)
    assert all(HOST.format(day=number) in sent for number in (1, 2, 3))
    waiting = [memory["text"] for memory in day.desk.tacit("list", "--pending", "--json").json]
    assert f"T{HOST.format(day=2)[1:]}." in waiting


def test_no_session_of_the_judge_is_recorded_and_no_hook_of_it_did_anything(day: Day) -> None:
    prompts = [request for session in day.desk.sessions() for request in session["requests"]]
    assert not any(ASKS in prompt for prompt in prompts)
    assert {FIRST} <= set(prompts) and len([prompt for prompt in prompts if prompt == FIRST]) == 1
    assert not (day.desk.person.home / ".tacit/judge").exists()


def test_the_person_is_told_what_it_found_and_what_it_cost(day: Day) -> None:
    status = day.desk.tacit("status", "--json").json["daily_judge"]
    if day.desk.client.name in WITHOUT_KEYS:
        assert status["problem"].startswith("copilot is not logged in") and status["failed_count"] == 1
        return
    assert status["problem"] is None and status["tokens"] > 500
    assert (status["judge"], status["session_count"], status["suggestion_count"]) == (day.desk.client.name, 3, 1)
    state = json.loads(Path(day.desk.person.home / ".tacit/daily.json").read_bytes())
    assert state["is_told"] is True


def test_the_agent_is_asked_to_propose_what_was_said_for_good_with_the_next_prompt(day: Day) -> None:
    told = [strings(body) for body in day.runs[2].asked if PROPOSE in strings(body)]
    assert told and LASTING.capitalize() in told[0].split(PROPOSE)[0]
    assert not any(PROPOSE in strings(body) for run in day.runs[:2] for body in run.requests)
