"""What a person typed into Claude Code while it was working.

The host notes each text that is put into its queue (`enqueue`) and how it left: `remove` when the agent was given it in
the middle of its work, `dequeue` when it became a prompt of its own, which then follows as a record, `popAll` when the
person took it back into the line. A prompt of the command line goes through the queue too: its `dequeue` comes at once.
"""

from __future__ import annotations

from tacit.capture.agents.telling import Place
from tacit.record import Record


class Queued(Record):
    """A text in the queue and what it is known by."""

    key: str
    place: Place
    text: str

    @property
    def folded(self) -> str:
        return fold(self.text)


def fold(text: str) -> str:
    return " ".join(text.split())


class Queue:
    """`fresh` was put in just now, nothing has been done since; `leaving` will follow as a record; `said` was told."""

    def __init__(self) -> None:
        self._fresh: list[Queued] = []
        self._leaving: list[Queued] = []
        self._said: list[Queued] = []

    @property
    def is_empty(self) -> bool:
        return not (self._fresh or self._leaving or self._said)

    def put(self, queued: Queued) -> list[Queued]:
        """A new text; those before it are told."""
        told = self.go_on()
        self._fresh.append(queued)
        return told

    def go_on(self) -> list[Queued]:
        """The agent works on: what is in the queue was said while it did."""
        told, self._fresh = self._fresh, []
        self._said += told
        return told

    def remove(self, text: str) -> list[Queued]:
        """The agent was given a text: it is told, and no record of it will follow."""
        told = self.go_on()
        gone = [queued for queued in self._said if queued.folded == fold(text)] if text else self._said
        if gone:
            self._said.remove(gone[0])
        return told

    def dequeue(self) -> None:
        """The first text becomes a prompt of its own."""
        if not self._said and self._fresh:
            self._leaving.append(self._fresh.pop(0))

    def take_back(self) -> None:
        """The person has the texts in the line again: what was not told yet will be, if it is sent."""
        self._fresh = []

    def arrives(self, text: str) -> tuple[bool, list[Queued]]:
        """A prompt stands in the transcript: whether it was told already, and what is to be told before it."""
        arrived = fold(text)
        for known in (self._leaving, self._said, self._fresh):
            if matching := [queued for queued in known if queued.folded == arrived]:
                known.remove(matching[0])
                return known is self._said, []
        # It did not wait, so nothing waits any more.
        late = [*self._leaving, *self._fresh]
        self._fresh, self._leaving, self._said = [], [], []
        return False, late
