"""Conversations in an index in memory, and questions to them. Nothing here ranks: that is Tacit's part."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from tacit.core.text import words
from tacit.index import store
from tacit.index.lists import Lists, Wording
from tacit.index.parts import first_number, number_of, run_of
from tacit.recall.retrieving import asked
from tacit.recall.talks import in_sessions


class Message(NamedTuple):
    """Something said by one of two, numbered 0 and 1; `name` is what the set calls it."""

    name: str
    voice: int
    text: str


class Shelf:
    """Conversations by name."""

    def __init__(self) -> None:
        self._connection = store.create(":memory:")
        self._messages: dict[int, str] = {}
        self._conversations: dict[int, str] = {}

    def add(self, name: str, day: date, messages: Sequence[Message]) -> None:
        first = first_number(day, zlib.crc32(name.encode()))
        assert first not in self._conversations
        self._conversations[first] = name
        rows = []
        for place, message in enumerate(messages):
            number, said = number_of(first, place, message.voice), " ".join(words(message.text))
            self._messages[number] = message.name
            rows.append(Wording(number, said, "") if message.voice == 0 else Wording(number, "", said))
        lists = Lists(self._connection)
        lists.put(rows, fresh=True)
        lists.settle()

    def messages(self, question: str, voice: int | None, most: int) -> list[str]:
        """The names of the messages that answer best."""
        found = in_sessions(self._connection, asked(self._connection, question), lambda _run: voice, most)
        return [self._messages[one.number] for one in found.scored[:most]]

    def conversations(self, question: str, most: int) -> list[str]:
        """The names of the conversations that answer best."""
        found = in_sessions(self._connection, asked(self._connection, question), lambda _run: None, most)
        return list(dict.fromkeys(self._conversations[run_of(one.number)] for one in found.scored))[:most]
