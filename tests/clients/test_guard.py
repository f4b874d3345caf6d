"""The real clients with a guard: a planted violation does not run, and the next request knows why."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.clients.apis import Step
from tests.clients.desk import RULE, Desk, Run
from tests.clients.hosts import CLAUDE, CLIENTS, Client
from tests.clients.script import Rule
from tests.clients.story import strings
from tests.clients.terminal import Terminal

PROMPT = "please install the packages of the shop"


class Guarded(NamedTuple):
    """A client that tried what a rule forbids, then something harmless, and was taken out again."""

    desk: Desk
    run: Run
    before: Any
    after: Any


@pytest.fixture(scope="module", params=CLIENTS)
def guarded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    client: Client = CLIENTS[request.param]
    with closing(Desk(tmp_path_factory.mktemp(client.name).resolve(), client)) as desk:
        before = desk.settings()
        desk.move_in()
        desk.tacit("add", RULE)
        (rule,) = [one["id"] for one in desk.tacit("list", "--json").json if one["text"] == RULE]
        desk.tacit("guard", "on", rule, "--yes")
        steps = (
            client.ran("touch stopped.txt; cd . && env CI=1 npm install"),
            client.ran("touch ran.txt; echo 'no npm install here' # npm install"),
            Step("Nothing was installed."),
        )
        desk.write_script([Rule(PROMPT, steps)])
        run = desk.run(PROMPT)
        desk.tacit("uninstall", client.name, "--yes")
        yield Guarded(desk, run, before, desk.settings())


def test_the_violation_does_not_run_and_the_harmless_call_does(guarded: Guarded) -> None:
    assert guarded.run.code == 0
    assert not (guarded.desk.repository / "stopped.txt").exists()
    assert (guarded.desk.repository / "ran.txt").exists()


def test_the_next_request_says_which_rule_and_what_to_do(guarded: Guarded) -> None:
    told = next(body for body in guarded.run.asked if "tacit guard allow" in strings(body))
    text = strings(told)
    assert f"“{RULE}”" in text and "Run `pnpm" in text
    assert "It runs `npm install`." in text


def test_the_stopped_call_is_captured_as_one_that_did_not_run(guarded: Guarded) -> None:
    (session,) = guarded.desk.sessions()
    calls = [(call["input"], call["outcome"], call["result"]) for turn in session["turns"] for call in turn["calls"]]
    assert [call[1:] for call in calls if "npm install" in call[0] and "stopped.txt" in call[0]] == [("stopped", "")]
    assert "breaks a rule of this person" not in guarded.desk.recorded()


def test_nothing_is_left_after_the_uninstallation(guarded: Guarded) -> None:
    assert guarded.after == guarded.before, json.dumps([str(guarded.before), str(guarded.after)])


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """Claude Code with a guard."""
    with closing(Desk(tmp_path.resolve(), CLAUDE)) as desk:
        desk.move_in()
        desk.tacit("add", RULE)
        (rule,) = [one["id"] for one in desk.tacit("list", "--json").json if one["text"] == RULE]
        desk.tacit("guard", "on", rule, "--yes")
        desk.write_script([Rule(PROMPT, (desk.client.ran("touch stopped.txt; npm --offline"), Step("That is all.")))])
        yield desk


def test_the_person_allows_one_call_and_no_second_one(desk: Desk) -> None:
    code = strings(desk.run(PROMPT).asked[-1]).partition("tacit guard allow ")[2][:6]
    controller, terminal = pty.openpty()
    command = [str(Path(sys.executable).with_name("tacit")), "guard", "allow", code]
    allowed = subprocess.run(command, cwd=desk.repository, env=desk.environment, stdin=terminal, check=False)
    os.close(terminal)
    os.close(controller)
    assert allowed.returncode == 0 and not (desk.repository / "stopped.txt").exists()
    desk.run(PROMPT)
    assert (desk.repository / "stopped.txt").exists()
    (desk.repository / "stopped.txt").unlink()
    desk.run(PROMPT)
    assert not (desk.repository / "stopped.txt").exists()


def test_at_a_terminal_the_person_is_asked_with_the_reason(desk: Desk) -> None:
    with Terminal(desk) as terminal:
        terminal.type_when("accept edits on", PROMPT)
        terminal.type_when("breaks a rule of this person", "1")
        terminal.type_when("That is all.", "/exit")
        terminal.wait_for_the_end()
    assert (desk.repository / "stopped.txt").exists()
