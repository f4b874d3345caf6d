"""What the person typed and nobody proposed: the agent is told with the next prompt, once a session."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from harness.person import Person
from harness.transcripts import Claude, lines, name_of, place

from tacit.hooks import agent, dispatch
from tests.support.hook_session import text_in
from tests.support.model_desk import wait_until

LASTING = "our components all live in packages/ui and nothing else imports react directly"
TASK = "please rename the button in the footer and run the tests"
EXPLICIT = "From now on, always run the linter before you commit."
ASKED = "Nobody has proposed to remember it"


class Session:
    """One session with Claude Code, of which the hooks run as the host runs them."""

    def __init__(self, folder: Path) -> None:
        self.person = Person(folder)
        self.work = self.person.repository()
        self.person.tacit("config", "set", "autocapture.enabled", "true")
        self.talk = Claude(name_of("one"), str(self.work), datetime(2026, 3, 2, 10, tzinfo=UTC), branch="")
        self.file = place(folder, "claude", self.talk.session)

    def turn(self, prompt: str, command: str = "") -> None:
        """The person types, the agent works and stops. Everything was captured afterwards."""
        self.talk.ask(prompt)
        if command:
            self.talk.call("Bash", {"command": command})
        self.talk.reply("Done.")
        self.file.write_bytes(lines(self.talk.records))
        self.captures("Stop")

    def prompt(self, text: str = TASK, **environment: str) -> str:
        """What the agent is told with a prompt. In this process, a busy machine does not make the hook late."""
        with self.person.at(self.work, None, **environment):
            payload = json.dumps({**self.payload, "prompt": text}).encode()
            return text_in(dispatch.inject("claude", "UserPromptSubmit", payload, str(self.person.home)) or "")

    @property
    def payload(self) -> dict[str, str]:
        return {"session_id": self.talk.session, "transcript_path": str(self.file), "cwd": str(self.work)}

    def captures(self, event: str) -> None:
        """The hook that captures, and what it starts, to the end."""
        home = str(self.person.home)
        words = [sys.executable, "-I", "-S", str(agent.__file__), "claude", "capture", event, "--home", home]
        given = json.dumps(self.payload).encode()
        done = subprocess.run(words, input=given, env=self.person.environment(), capture_output=True, check=True)
        assert done.stderr == b""
        wait_until(lambda: not self.is_working())

    def is_working(self) -> bool:
        home = str(self.person.home)
        return subprocess.run(["pgrep", "-f", f"agent.py .*{home}"], capture_output=True, check=False).returncode == 0

    @property
    def notes(self) -> list[Path]:
        return list((self.person.home / ".tacit/unproposed").glob("*"))


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path)


def test_the_agent_is_told_with_the_next_prompt_and_once_a_session(session: Session) -> None:
    session.turn(f"{TASK}. {LASTING.capitalize()}")
    told = session.prompt()

    assert f"“{LASTING.capitalize()}”" in told and ASKED in told and TASK not in told
    assert ASKED not in session.prompt()
    session.turn("our styles all live in packages/css and nothing else imports sass directly")
    assert ASKED not in session.prompt()
    moments = [given["moment"] for given in session.person.tacit("injected", "--json").json]
    assert moments.count("proposal") == 1


@pytest.mark.parametrize("prompt", [TASK, "why does it fail?", EXPLICIT, "yes"])
def test_a_task_and_what_is_learned_without_help_ask_for_nothing(session: Session, prompt: str) -> None:
    session.turn(prompt)
    assert session.notes == [] and ASKED not in session.prompt()


def test_an_agent_that_proposed_is_not_asked(session: Session) -> None:
    session.turn(LASTING, command=f'tacit suggest "Components live in packages/ui." --quote "{LASTING}"')
    assert session.notes == [] and ASKED not in session.prompt()


def test_what_was_noted_holds_no_text_and_goes_after_a_week(session: Session) -> None:
    session.turn(LASTING)
    (note,) = session.notes
    assert not any(word in note.read_text() for word in LASTING.split() if len(word) > 3)
    session.captures("SessionEnd")
    assert session.notes == [note]
    forgotten = note.with_name("0" * 32)
    forgotten.write_bytes(note.read_bytes())
    os.utime(forgotten, (time.time() - 8 * 86_400,) * 2)
    session.turn(LASTING)
    assert session.notes == [note]


def test_what_was_purged_meanwhile_is_not_told(session: Session) -> None:
    session.turn(LASTING)
    session.person.tacit("purge", "--text", "packages/ui", "--yes")
    told = session.prompt()
    assert ASKED not in told and "packages/ui" not in told


def test_no_agent_is_asked_where_nothing_is_told_at_a_prompt(session: Session) -> None:
    session.turn(LASTING)
    assert session.prompt(TACIT_AUTOCAPTURE_INJECT_ON_PROMPT="off") == ""
    assert ASKED in session.prompt()


@pytest.mark.parametrize("content", [b"", b"x", b"a\nb\nc\nd", b"\xff", b"01KK\n0\n5\nabc"])
def test_a_damaged_note_is_ignored(session: Session, content: bytes) -> None:
    session.turn(LASTING)
    session.notes[0].write_bytes(content)
    assert ASKED not in session.prompt()
