"""Conversations in an index in memory, and questions to them. Nothing here ranks: that is Tacit's part.

Each question is asked twice: by words alone, and by meaning as well.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from tacit.index import database
from tacit.index.postings import IndexedDocument, PostingsWriter, message_doc_id, session_start_id, start_id_of
from tacit.index.vectors import write_vectors
from tacit.search.bm25 import ScoredDocument, query_from_words
from tacit.search.semantic import query_meaning, rerank_messages
from tacit.search.sessions import retrieve_messages
from tacit.text.words import query_terms, tokenize


class Message(NamedTuple):
    """Something said by one of two speakers, 0 and 1; `name` is what the set calls it. `branch` is set where the work
    on it begins."""

    name: str
    speaker: int
    text: str
    branch: str = ""


class Answers(NamedTuple):
    """Names, the best first: by words, and by meaning as well."""

    by_words: list[str]
    by_meaning: list[str]


class Corpus:
    """Conversations by name."""

    def __init__(self) -> None:
        self._connection = database.create_index(":memory:")
        self._messages: dict[int, str] = {}
        self._conversations: dict[int, str] = {}

    def add(self, name: str, day: date, messages: Sequence[Message]) -> None:
        first = session_start_id(day, zlib.crc32(name.encode()))
        assert first not in self._conversations
        self._conversations[first] = name
        rows = []
        for place, message in enumerate(messages):
            number, said = message_doc_id(first, place, message.speaker), " ".join(tokenize(message.text))
            self._messages[number] = message.name
            branch = " ".join(tokenize(message.branch))
            rows.append(
                IndexedDocument(number, said, branch) if message.speaker == 0 else IndexedDocument(number, "", said)
            )
            write_vectors(self._connection, {number: message.text})
        lists = PostingsWriter(self._connection)
        lists.add(rows, fresh=True)
        lists.flush()

    def messages(self, question: str, speaker: int | None, most: int) -> Answers:
        """The messages that answer best."""
        return Answers(
            *([self._messages[one.doc_id] for one in found[:most]] for found in self._found(question, speaker, most))
        )

    def conversations(self, question: str, most: int) -> Answers:
        """The conversations that answer best."""
        return Answers(
            *(
                list(dict.fromkeys(self._conversations[start_id_of(one.doc_id)] for one in found))[:most]
                for found in self._found(question, None, most)
            )
        )

    def _found(
        self, question: str, speaker: int | None, most: int
    ) -> tuple[list[ScoredDocument], list[ScoredDocument]]:
        query = query_from_words(self._connection, query_terms(question), tokenize(question))
        found = retrieve_messages(self._connection, query, speaker, most).scored
        meaning = query_meaning(question)
        if meaning is None:
            return found, found
        return found, [one.scored for one in rerank_messages(self._connection, found, query, meaning)]
