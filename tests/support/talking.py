"""Short ways to write conversations down in tests."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from harness.person import Person
from harness.transcripts import Claude, Turn, lines, name_of, place

from tacit.learn import Lesson, SessionEvent
from tacit.learn.statements import doubtful_statements, learn_statements
from tacit.model.ids import EventId
from tacit.model.observation import ConversationBody, PromptGiven, PromptKind, ReplyGiven


def prompt(text: str, how: PromptKind = PromptKind.TYPED, about: str = "") -> PromptGiven:
    return PromptGiven("claude", text, how, about)


def reply(text: str) -> ReplyGiven:
    return ReplyGiven("claude", text)


def conversation(*bodies: ConversationBody) -> list[SessionEvent]:
    return [SessionEvent(EventId(f"e{place}"), body) for place, body in enumerate(bodies)]


def learnt(*bodies: ConversationBody | str) -> list[Lesson]:
    """What is learnt of these; plain texts are prompts."""
    return learn_statements(conversation(*(prompt(body) if isinstance(body, str) else body for body in bodies)))


def doubted(*texts: str) -> list[str]:
    """What these prompts state doubtfully."""
    return [lesson.sentence for lesson in doubtful_statements(conversation(*map(prompt, texts)))]


def sentences(*bodies: ConversationBody | str) -> list[str]:
    return [one.sentence for one in learnt(*bodies)]


def session_file(person: Person, project: Path, day: int, *turns: str | Turn, fixed: bool = False) -> Path:
    """Write a session with Claude Code of this day in March. At the end of a `fixed` one a failed command is mended."""
    teller = Claude(name_of(day), str(project), datetime(2026, 3, day, 10, tzinfo=UTC), branch="")
    for turn in turns:
        asked = Turn(turn) if isinstance(turn, str) else turn
        teller.ask(asked.asked)
        teller.reply(asked.reply)
    if fixed:
        error = "fatal: ambiguous argument 'master...HEAD'"
        teller.call("Bash", {"command": "git diff master...HEAD"}, error, error=True)
        teller.call("Bash", {"command": "git diff main...HEAD"})
    file = place(person.folder, "claude", teller.session)
    file.write_bytes(lines(teller.records))
    return file


def capture(person: Person, project: Path, day: int, *turns: str | Turn, fixed: bool = False) -> None:
    person.tacit("capture", str(session_file(person, project, day, *turns, fixed=fixed)))
