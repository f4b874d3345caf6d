"""A vector has the number that the words of its text have, and meaning adds to what words found as it should."""

from __future__ import annotations

import sqlite3
from datetime import date
from pathlib import Path

import pytest

from tacit.index.postings import message_doc_id, session_start_id
from tacit.search import semantic
from tacit.search.bm25 import ScoredDocument
from tacit.search.semantic import rerank_memories, rerank_messages
from tests.chaos import test_network as plain
from tests.support.events import START

# What meaning adds; a vector of these tests is one byte, and says in hundredths how near it is


def measure(kept: bytes) -> list[float]:
    return [byte / 100 for byte in kept]


def put(index: sqlite3.Connection, rows: dict[int, int]) -> None:
    values = [(number, b"", bytes([near])) for number, near in rows.items()]
    index.executemany("INSERT INTO vectors VALUES (?, ?, ?)", values)


def order(nearer: list[semantic.RerankedDocument]) -> list[int]:
    return [one.scored.doc_id for one in nearer]


def test_of_two_that_words_cannot_tell_apart_the_nearer_one_comes_first(index: sqlite3.Connection) -> None:
    put(index, {1: 20, 2: 60, 3: 10, 4: 10})
    assert order(rerank_memories(index, [ScoredDocument(1, 5.0), ScoredDocument(2, 5.0)], measure)) == [2, 1]


def test_words_decide_against_a_little_nearness(index: sqlite3.Connection) -> None:
    put(index, {1: 40, 2: 60, 3: 10, 4: 0})
    assert order(rerank_memories(index, [ScoredDocument(1, 9.0), ScoredDocument(2, 3.0)], measure)) == [1, 2]


def test_what_has_no_vector_counts_as_usual(index: sqlite3.Connection) -> None:
    put(index, {1: 20, 2: 10})
    (first, second) = rerank_memories(index, [ScoredDocument(1, 5.0), ScoredDocument(7, 5.0)], measure)
    assert (first.scored.doc_id, first.boost > 0) == (1, True)
    assert (second.scored, second.boost) == (ScoredDocument(7, 5.0), 0.0)


def test_without_a_common_word_only_what_is_really_near_is_found(index: sqlite3.Connection) -> None:
    put(index, {1: 10, 2: 24, 3: 12})
    assert rerank_memories(index, [], measure) == []
    put(index, {4: 50, 5: 45, 6: 30})
    assert order(rerank_memories(index, [], measure)) == [4, 5]  # the last is far behind


def test_a_message_is_near_by_what_stands_around_it(index: sqlite3.Connection) -> None:
    one, other = (session_start_id(START.date(), session) for session in (1, 2))
    among = [message_doc_id(one, place, place % 2) for place in range(5)]
    apart = [message_doc_id(other, place, place % 2) for place in range(5)]
    put(index, dict(zip(among, (20, 20, 10, 20, 20), strict=True)))
    put(index, dict(zip(apart, (0, 0, 10, 0, 0), strict=True)))
    found = rerank_messages(index, [ScoredDocument(apart[2], 5.0), ScoredDocument(among[2], 5.0)], measure)
    assert order(found) == [among[2], apart[2]]


def test_of_very_many_only_those_that_words_found_are_compared(
    index: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(semantic, "MAX_COMPARED", 3)
    put(index, {1: 10, 2: 10, 3: 10, 8: 60, 9: 60})
    assert order(rerank_memories(index, [ScoredDocument(8, 1.0)], measure)) == [8]
    late, old = session_start_id(START.date(), 1), session_start_id(date(2020, 1, 1), 2)
    put(index, {message_doc_id(run, place, 0): 60 for run in (late, old) for place in range(3)})
    by_words = ScoredDocument(message_doc_id(old, 1, 0), 1.0)
    assert set(order(rerank_messages(index, [by_words], measure))) >= {by_words.doc_id}
    assert message_doc_id(old, 2, 0) not in order(rerank_messages(index, [], measure))


# With the extra, too, no command opens a socket, and none starts a thread, or a process but the one that encodes


_PR_SET_CHILD_SUBREAPER = 36
_WALK = """
import ctypes, io, os, sys
assert ctypes.CDLL(None).prctl({subreaper}, 1, 0, 0, 0) == 0  # what a command leaves behind is ours to wait for
sys.path.append({packages!r})
from tacit.surfaces.cli import main
for words in ("init", "add we-release-never", "reindex", "recall version", "improve", "recall release", "doctor"):
    sys.stdin = io.StringIO()
    main(words.split())
    if words.startswith("add"):
        os.wait()  # for the one that encodes
assert "numpy" in sys.modules
"""


def test_encoding_and_comparing_open_no_socket_and_start_nothing_else(tmp_path: Path, packages: Path) -> None:
    calls = plain._trace(_WALK.format(packages=str(packages), subreaper=_PR_SET_CHILD_SUBREAPER), tmp_path)
    assert plain._NETWORK.findall(calls) == []
    assert len(plain._STARTED.findall(calls)) == 3  # the one that was started here, and two forks to encode after `add`
