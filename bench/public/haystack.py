"""What every set is read into: conversations with their sessions and messages, and questions about them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import NamedTuple


class Message(NamedTuple):
    """Something said by one of two speakers, 0 and 1; `name` is what the set calls it. `branch` is set where the work
    on it begins."""

    name: str
    speaker: int
    text: str
    branch: str = ""


class Session(NamedTuple):
    name: str
    day: date
    messages: list[Message]

    @property
    def text(self) -> str:
        return "\n".join(message.text for message in self.messages)


class Question(NamedTuple):
    """`sessions` and `messages` hold the answer; a set may name only one kind."""

    text: str
    parts: tuple[str, ...]
    """The parts of the set that it belongs to, each a row of the table."""
    sessions: frozenset[str] = frozenset()
    messages: frozenset[str] = frozenset()
    speaker: int | None = None
    """Whose words are asked for by name."""
    later: frozenset[str] | None = None
    """Sessions that were not there yet on the day of the question, if it has one."""


class Haystack(NamedTuple):
    sessions: list[Session]
    questions: list[Question]

    def messages(self) -> Iterator[Message]:
        for session in self.sessions:
            yield from session.messages

    def session_of(self) -> dict[str, str]:
        return {message.name: session.name for session in self.sessions for message in session.messages}
