"""The daily judge, from the hook that starts it: once a day, with consent, where the person agreed, and never twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from harness.person import Person
from harness.transcripts import name_of

from tacit.hooks import agent
from tests.support.fake_client import FakeClient
from tests.support.model_desk import is_running, wait_until
from tests.support.talking import session_file

NOW = "2026-03-20T12:00:00+00:00"
PLAIN = "the deploy host of shop {day} is called kestrel{day}, by the way"
DAY_SECONDS = 24 * 3600
EVIL = "https://models.evil.example"


class Desk:
    """A person with three finished sessions, who let claude judge them once a day."""

    def __init__(self, folder: Path, *, agreed: bool = True) -> None:
        self.person = Person(folder)
        self.person.now = NOW
        self.project = folder / "shop"
        (self.project / ".git").mkdir(parents=True)
        self.client = FakeClient(folder / "bin")
        self.path = f"{self.client.folder}{os.pathsep}{os.environ['PATH']}"
        self.capture(1, 2, 3)
        if agreed:
            self.set("learn.agent", "claude")
            self.set("learn.when", "daily")

    def set(self, *words: str, **environment: str) -> None:
        self.person.tacit("config", "set", *words, cwd=None, now=None, code=0, PATH=self.path, **environment)

    def capture(self, *days: int) -> None:
        for day in days:
            file = session_file(self.person, self.project, day, PLAIN.format(day=day))
            self.person.tacit("capture", str(file))

    def answers(self, day: int) -> None:
        name = f"the deploy host of shop {day} is called kestrel{day}"
        memory = {"quote": name, "statement": f"{name[0].upper()}{name[1:]}.", "kind": "environment"}
        self.client.answers({"memories": [{**memory, "why": "deploying", "where": "project"}], "summaries": {}})

    def hook(self, waits: bool = True, /, event: str = "SessionStart", **environment: str) -> dict[str, Any]:
        """The hook that Claude Code runs when a session begins. Return what it printed, when nothing runs any more."""
        done = subprocess.run(
            self.hook_words(event),
            input=self.payload(event),
            env=self.environment(**environment),
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        if waits:
            self.settle()
        answer: dict[str, Any] = json.loads(done.stdout or b"{}")
        return answer

    def hook_words(self, event: str = "SessionStart") -> list[str]:
        home = ("--home", str(self.person.home))
        return [sys.executable, "-I", "-S", str(agent.__file__), "claude", "inject", event, *home]

    def payload(self, event: str = "SessionStart") -> bytes:
        started = {"session_id": name_of(30), "cwd": str(self.project), "source": "startup", "prompt": "hello"}
        return json.dumps({**started, "hook_event_name": event}).encode()

    def environment(self, **environment: str) -> dict[str, str]:
        return self.person.environment(**{"PATH": self.path, **environment})

    def settle(self) -> None:
        """Wait until neither a hook nor what it started works for this home.

        A process that is about to run another program has no command line for a moment, so it is looked for again.
        """
        for _ in range(4):
            wait_until(lambda: not self.processes())
            time.sleep(0.1)

    def processes(self) -> list[int]:
        home = str(self.person.home).encode()
        found = []
        for place in Path("/proc").iterdir():
            if place.name.isdecimal() and int(place.name) != os.getpid():
                try:
                    words = (place / "cmdline").read_bytes()
                except OSError:
                    continue
                if home in words and (b"agent.py" in words or b"--quiet" in words):
                    found.append(int(place.name))
        return found

    @property
    def state_file(self) -> Path:
        return self.person.home / ".tacit" / "daily.json"

    @property
    def state(self) -> dict[str, Any]:
        state: dict[str, Any] = json.loads(self.state_file.read_bytes())
        return state

    def is_next_day(self) -> None:
        earlier = time.time() - DAY_SECONDS
        os.utime(self.state_file, (earlier, earlier))

    @property
    def pending(self) -> list[str]:
        return [memory["label"] for memory in self.person.tacit("list", "--pending", "--json").json]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path.resolve() / "person")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> None:
    (tmp_path / "person").mkdir()


def test_a_session_that_begins_has_the_others_judged_once_a_day_and_the_next_one_says_so(desk: Desk) -> None:
    desk.answers(2)
    assert "systemMessage" not in desk.hook()

    (call,) = desk.client.calls
    assert all(PLAIN.format(day=day) in call["question"] for day in (1, 2, 3))
    assert desk.pending == ["The deploy host of shop 2 is called kestrel2."]
    spent = desk.state["receipt"]["tokens"]
    told = desk.hook()["systemMessage"]
    assert told.splitlines()[0] == f"Tacit: claude judged 3 sessions: 1 suggestion, {spent:,} tokens"
    assert "1 suggestion waits for you" in told
    assert "judged" not in desk.hook()["systemMessage"]
    assert len(desk.client.calls) == 1

    desk.capture(4, 5, 6)
    desk.is_next_day()
    desk.hook()
    assert len(desk.client.calls) == 2
    assert "kestrel1" not in desk.client.calls[1]["question"] and "kestrel6" in desk.client.calls[1]["question"]


def test_only_the_start_of_a_session_asks(desk: Desk) -> None:
    desk.hook(event="UserPromptSubmit")
    assert desk.client.calls == []


def test_nobody_is_asked_without_consent(tmp_path: Path) -> None:
    desk = Desk(tmp_path.resolve() / "person", agreed=False)
    desk.hook()
    desk.set("learn.agent", "claude")
    desk.hook()
    assert desk.client.calls == []
    desk.person.tacit("learn", "--quiet", PATH=desk.path)
    assert desk.client.calls == []


def test_settings_that_came_with_a_home_are_no_consent_on_this_machine(desk: Desk) -> None:
    desk.state_file.unlink()
    desk.state_file.with_name("daily.env").unlink()
    desk.hook()
    desk.person.tacit("learn", "--quiet", PATH=desk.path)
    assert desk.client.calls == []


def test_two_finished_sessions_are_not_worth_a_question_and_are_looked_at_again_in_an_hour(desk: Desk) -> None:
    desk.hook()
    desk.capture(4, 5)
    desk.is_next_day()
    desk.hook()
    assert len(desk.client.calls) == 1
    assert 18 * 3600 < time.time() - desk.state_file.stat().st_mtime < 20 * 3600


def test_a_session_that_goes_on_is_not_judged_yet(desk: Desk) -> None:
    desk.person.now = "2026-03-03T10:30:00+00:00"
    desk.set("learn.when", "daily")
    desk.hook()
    assert desk.client.calls == []


def test_a_judge_is_asked_in_the_environment_in_which_the_person_agreed(desk: Desk, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    desk.client.does(f"open({str(seen)!r}, 'w').write(json.dumps(dict(os.environ)))")
    desk.set("learn.when", "daily", COMPANY_PROXY="https://models.example.com", OPENAI_API_KEY="sk-mine")
    other = FakeClient(tmp_path / "node_modules")
    path = f"{other.folder}{os.pathsep}{desk.path}"
    theirs = {"ANTHROPIC_BASE_URL": EVIL, "CLAUDE_CONFIG_DIR": str(tmp_path), "OPENAI_API_KEY": "sk-theirs"}
    desk.hook(True, PATH=path, COMPANY_PROXY="https://models.example.com", **theirs)

    assert other.calls == [] and len(desk.client.calls) == 1
    environment = json.loads(seen.read_text())
    assert environment["COMPANY_PROXY"] == "https://models.example.com" and environment["PATH"] == desk.path
    assert not {"ANTHROPIC_BASE_URL", "CLAUDE_CONFIG_DIR", "OPENAI_API_KEY"} & set(environment)
    assert environment["TACIT_JUDGE"] == "1"


def test_no_value_of_a_variable_is_kept(desk: Desk) -> None:
    desk.set("learn.when", "daily", OPENAI_API_KEY="sk-mine-and-long-0123456789")
    kept = desk.state_file.with_name("daily.env").read_text()
    assert "OPENAI_API_KEY" in kept and "sk-mine" not in kept


def test_a_variable_that_turns_the_judge_off_is_heeded(desk: Desk) -> None:
    desk.hook(TACIT_LEARN_AGENT="")
    desk.hook(TACIT_LEARN_WHEN="")
    assert desk.client.calls == []


def test_of_many_sessions_that_begin_at_once_one_asks(desk: Desk) -> None:
    desk.client.does("time.sleep(1); print(json.dumps(dict(type='result', result='{\"memories\": []}')))")
    words, environment = desk.hook_words(), desk.environment()
    hooks = [
        subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environment) for _ in "12345"
    ]
    for hook in hooks:
        hook.communicate(desk.payload())
    desk.settle()
    assert len(desk.client.calls) == 1


def test_who_is_killed_while_it_asks_leaves_no_client_and_does_not_ask_again_on_that_day(desk: Desk) -> None:
    desk.client.does("time.sleep(600)")
    for day in (1, 2, 3):
        desk.is_next_day()
        desk.hook(False)
        wait_until(lambda: len(desk.client.calls) == day)  # noqa: B023
        (judging,) = [pid for pid in desk.processes() if b"--quiet" in Path(f"/proc/{pid}/cmdline").read_bytes()]
        os.kill(judging, signal.SIGKILL)
        wait_until(lambda: not is_running(desk.client.calls[-1]["pid"]))
        desk.settle()
        assert desk.state["is_asking"]
        desk.hook()
        assert len(desk.client.calls) == day

    desk.is_next_day()
    desk.hook()
    assert len(desk.client.calls) == 3
    told = desk.hook()["systemMessage"]
    assert "claude could not be asked what is worth remembering: the process that asked was ended" in told
    assert "It is not asked again; type: tacit config set learn.when daily" in told


@pytest.mark.parametrize("delay", [0.02, 0.1, 0.2, 0.3, 0.45, 0.6])
def test_whenever_it_is_killed_the_next_day_goes_on_and_learns_everything_once(desk: Desk, delay: float) -> None:
    desk.answers(2)
    words = [sys.executable, "-I", "-m", "tacit", "--home", str(desk.person.home), "learn", "--quiet"]
    judging = subprocess.Popen(words, env=desk.environment())
    time.sleep(delay)
    judging.kill()
    judging.wait()
    wait_until(lambda: not any(is_running(call["pid"]) for call in desk.client.calls))
    desk.hook()
    desk.capture(4, 5, 6)  # some of the first three may be judged already
    desk.is_next_day()
    desk.hook()

    assert desk.pending == ["The deploy host of shop 2 is called kestrel2."]
    # One call if it was killed after it had noted that it asks, and before it did.
    assert 1 <= len(desk.client.calls) <= 3 and not desk.state["is_asking"]
    assert not (desk.person.home / ".tacit/judge").exists()


def test_after_three_failures_nobody_is_asked_until_the_person_agrees_again(desk: Desk) -> None:
    desk.client.answers("I would rather not.")
    for _ in range(4):
        desk.is_next_day()
        (desk.person.home / ".tacit" / "model.json").unlink(missing_ok=True)  # a pause after failures ends in an hour
        desk.hook()
    assert len(desk.client.calls) == 3 and desk.state["failures"] == 3

    desk.answers(1)
    desk.set("learn.when", "daily")
    desk.hook()
    assert len(desk.client.calls) == 4 and desk.state["failures"] == 0
    assert desk.pending == ["The deploy host of shop 1 is called kestrel1."]


def test_a_client_that_does_not_answer_in_time_is_ended(desk: Desk) -> None:
    desk.client.does("time.sleep(600)")
    desk.hook(TACIT_MODEL_TIMEOUT="1")
    (call,) = desk.client.calls
    assert not is_running(call["pid"])
    assert "did not answer within 1 s" in desk.state["receipt"]["problem"]


def test_a_budget_that_is_spent_is_no_failure_and_is_tried_again_in_an_hour(desk: Desk) -> None:
    desk.hook(TACIT_MODEL_TOKENS_PER_DAY="1000")
    assert desk.client.calls == [] and desk.state["failures"] == 0
    assert 18 * 3600 < time.time() - desk.state_file.stat().st_mtime < 20 * 3600


def test_a_rebuilt_index_does_not_have_the_same_sessions_judged_again(desk: Desk) -> None:
    desk.hook()
    for path in desk.person.home.glob("index.sqlite*"):
        path.unlink()
    desk.person.tacit("status")
    desk.is_next_day()
    desk.hook()
    assert len(desk.client.calls) == 1


def test_a_session_that_is_too_long_for_a_few_questions_does_not_keep_the_others_waiting(desk: Desk) -> None:
    lines = [f"our rule number {number} is that port {number} is never used for the shop" for number in range(1200)]
    prompts = [". ".join(lines[at : at + 40]) + "." for at in range(0, len(lines), 40)]
    desk.person.tacit("capture", str(session_file(desk.person, desk.project, 10, *prompts)))
    desk.hook()
    (call,) = desk.client.calls
    assert "kestrel3" in call["question"] and "port 7" not in call["question"]


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"failures": "many"}', b'{"receipt": 5}', b"\xff\0"])
def test_a_damaged_state_begins_anew(desk: Desk, content: bytes) -> None:
    desk.state_file.write_bytes(content)
    desk.is_next_day()
    desk.answers(1)
    desk.hook()
    assert len(desk.pending) == 1 and desk.state["failures"] == 0
    desk.state_file.with_name("daily.env").write_bytes(content)
    desk.is_next_day()
    desk.capture(4, 5, 6)
    desk.hook()
    assert len(desk.client.calls) == 1
