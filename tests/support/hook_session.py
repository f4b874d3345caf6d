"""A session with an agent, seen from its hooks: what it is told at each moment. The hooks run in this process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from harness.person import Person
from harness.transcripts import name_of

from tacit.hooks import dispatch


class Names(NamedTuple):
    """What a host calls its moments and what it says at them."""

    start: str
    prompt: str
    session: str = "session_id"


NAMES = {
    "claude": Names("SessionStart", "UserPromptSubmit"),
    "codex": Names("SessionStart", "UserPromptSubmit"),
    "gemini": Names("", "BeforeAgent"),
    "copilot": Names("sessionStart", "userPromptSubmitted", "sessionId"),
    "opencode": Names("session.start", "chat.message"),
    "cursor": Names("sessionStart", "", "conversation_id"),
}


class Sitting:
    """One session of one host in one folder."""

    def __init__(self, person: Person, session: str, cwd: Path, host: str = "claude") -> None:
        self.person, self.session, self.cwd, self.host = person, session, cwd, host
        self.transcript = ""
        self._names = NAMES[host]

    def start(self, source: str = "startup", **environment: str) -> str:
        return self._told(self._names.start, {"source": source}, environment)

    def ask(self, prompt: str, **environment: str) -> str:
        return self._told(self._names.prompt, {"prompt": prompt}, environment)

    def helper(self) -> str:
        """What a subagent is told when it starts."""
        return self._told("SubagentStart", {"agent_id": "a1", "agent_type": "Explore"}, {})

    def _told(self, event: str, more: dict[str, object], environment: dict[str, str]) -> str:
        roots = {"workspace_roots": [str(self.cwd)]} if self.host == "cursor" else {}
        common = {self._names.session: self.session, "cwd": str(self.cwd), "transcript_path": self.transcript}
        payload = json.dumps({**common, **roots, **more}).encode()
        with self.person.at(self.cwd, **environment):
            out = dispatch.inject(self.host, event, payload, None)
        return text_in(out or "")


def sitting(person: Person, name: str = "one", host: str = "claude", folder: str = "work") -> Sitting:
    return Sitting(person, name_of(name), person.folder / folder, host)


def text_in(out: str | bytes) -> str:
    """The text that reaches the model, whatever the host's answer looks like."""
    if not out:
        return ""
    answer: dict[str, Any] = json.loads(out)
    if set(answer) <= {"systemMessage", "notice"}:
        return ""  # a line for the person alone
    inner = answer.get("hookSpecificOutput", answer)
    found = [inner[name] for name in ("additionalContext", "additional_context", "context") if name in inner]
    assert len(found) == 1, answer
    return str(found[0])
