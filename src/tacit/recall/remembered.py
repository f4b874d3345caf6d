"""Memories by their words alone, without pages and sessions: a prompt waits for this and nothing else."""

from __future__ import annotations

import sqlite3

from tacit.core.text import query_words
from tacit.index.reader import Entry, numbered
from tacit.recall.elsewhere import elsewhere
from tacit.recall.retrieving import Question, question_of


def memories(connection: sqlite3.Connection, question: Question, limit: int) -> list[tuple[Entry, float]]:
    """Those that hold most of what is asked, the best first, and how well each answers."""
    scored = elsewhere(connection, question, limit, memories=True).scored if question.words else []
    there = numbered(connection, [one.number for one in scored])
    found = ((there.get(one.number), one.score) for one in scored)
    return [(entry, score) for entry, score in found if isinstance(entry, Entry)]


def memories_like(connection: sqlite3.Connection, text: str, limit: int) -> list[Entry]:
    """Those that share most words with a text."""
    return [entry for entry, _ in memories(connection, question_of(connection, query_words(text)), limit)]
