"""Conversations in an index in memory, and questions to them. Nothing here ranks: that is Tacit's part.

With a model every message gets its vector; each question is then asked twice, by words and by meaning as well.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from tacit.index import database as store
from tacit.index.doc_ids import first_number, number_of, run_of
from tacit.index.postings_writer import Lists, Wording
from tacit.search.bm25 import Scored, asked
from tacit.search.semantic import Meaning, nearer_messages
from tacit.search.sessions import in_sessions
from tacit.text.words import words


class Message(NamedTuple):
    """Something said by one of two, numbered 0 and 1; `name` is what the set calls it. `beside` is a branch, where the
    work on it begins."""

    name: str
    voice: int
    text: str
    beside: str = ""


class Answers(NamedTuple):
    """Names, the best first: by words, and by meaning as well, where there is a model."""

    by_words: list[str]
    by_meaning: list[str]


class Shelf:
    """Conversations by name."""

    def __init__(self, meaning: Meaning | None = None) -> None:
        self._meaning = meaning
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
            beside = " ".join(words(message.beside))
            rows.append(Wording(number, said, beside) if message.voice == 0 else Wording(number, "", said))
            if self._meaning:
                row = (number, b"", self._meaning.vector(message.text))
                self._connection.execute("INSERT INTO vector VALUES (?, ?, ?)", row)
        lists = Lists(self._connection)
        lists.put(rows, fresh=True)
        lists.settle()

    def messages(self, question: str, voice: int | None, most: int) -> Answers:
        """The messages that answer best."""
        return Answers(
            *([self._messages[one.number] for one in found[:most]] for found in self._found(question, voice, most))
        )

    def conversations(self, question: str, most: int) -> Answers:
        """The conversations that answer best."""
        return Answers(
            *(
                list(dict.fromkeys(self._conversations[run_of(one.number)] for one in found))[:most]
                for found in self._found(question, None, most)
            )
        )

    def _found(self, question: str, voice: int | None, most: int) -> tuple[list[Scored], list[Scored]]:
        found = in_sessions(self._connection, asked(self._connection, question), lambda _run: voice, most).scored
        if self._meaning is None:
            return found, []
        meaning, vector = self._meaning, self._meaning.vector(question)
        nearer = nearer_messages(self._connection, found, lambda kept: meaning.closenesses(vector, kept))
        return found, [one.scored for one in nearer]
