"""Vectors: each belongs to the exact text it was made from, and goes when that text goes."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from tacit.index import database, postings, sessions, vectors
from tacit.index.postings import FIRST_PAGE_ID, session_start_id
from tacit.index.reader import embedding_model
from tacit.index.vectors import MAX_TEXT_CHARS, EmbeddingText, StoredVector, hash_text
from tacit.log.codec import must_decode
from tacit.model.decide import undo
from tacit.model.event import ClaimDecided, Event, EventBody, Verdict
from tacit.model.ids import claim_number
from tacit.model.observation import PromptGiven, ReplyGiven, SessionSummarized, ToolAction, ToolUsed, session_id
from tacit.text.words import tokenize
from tests.index.conftest import add, index_of
from tests.support.events import START, added, event, proposed, says

WALRUS, OTTER = says("feed the walrus"), says("wash the otter")


def said(number: int, text: str, session: str = "s1") -> Event:
    return event(number, PromptGiven("claude", text), session=session)


def made(texts: Sequence[EmbeddingText]) -> list[StoredVector]:
    """A vector for each text, which is its first eight bytes."""
    return [StoredVector(doc_id, hash_text(text), text.encode()[:8].ljust(8)) for doc_id, text in texts]


def missing(index: sqlite3.Connection, limit: int = 100) -> list[str]:
    return [text for _, text in vectors.texts_without_vector(index, must_decode, limit)]


def embed_all(index: sqlite3.Connection) -> None:
    vectors.use_model(index, "mini")
    texts = vectors.texts_without_vector(index, must_decode, 100)
    assert vectors.store_vectors(index, made(texts), must_decode) == len(texts)
    vectors.mark_complete_sessions(index, must_decode, 100)


def test_a_hash_covers_the_part_of_a_text_that_is_embedded() -> None:
    text = "x" * MAX_TEXT_CHARS
    assert hash_text(text) == hash_text(text + "y")
    assert hash_text(text) != hash_text("y" + text[1:])
    assert hash_text("\ud800") != hash_text("")


# Texts to embed


def test_memories_come_before_messages_and_of_both_the_latest_first() -> None:
    log = [event(1, added(WALRUS)), event(2, proposed(OTTER)), said(3, "one", "s1"), said(4, "two", "s2")]
    log += [event(5, added(says("a secret"))), event(6, ClaimDecided(says("a secret"), Verdict.RETIRED))]
    index = index_of(*log)
    assert missing(index) == [OTTER.sentence, WALRUS.sentence, "two", "one"]
    assert missing(index, limit=3) == [OTTER.sentence, WALRUS.sentence, "two"]
    assert missing(index, limit=1) == [OTTER.sentence]


def test_messages_have_the_ids_by_which_search_finds_their_words() -> None:
    bodies: tuple[EventBody, ...] = (
        ReplyGiven("claude", "hello without a request"),
        PromptGiven("claude", "please start"),
        ToolUsed("claude", "Bash", ToolAction.RAN, "make lint"),
        ToolUsed("claude", "Bash", ToolAction.RAN, "make test"),
        ReplyGiven("claude", "halfway through"),
        ReplyGiven("claude", "  "),
        PromptGiven("claude", "continue"),
        SessionSummarized("claude", "everything was tested", "gpt", "2030"),
    )
    index = index_of(*(event(number, body, session="s1") for number, body in enumerate(bodies, 1)))
    texts = vectors.texts_without_vector(index, must_decode, 100)
    assert [text for _, text in texts] == [
        "hello without a request",
        "please start",
        "halfway through",
        "continue",
        "everything was tested",
    ]
    documents = postings.load_documents(index, [doc_id for doc_id, _ in texts])
    assert [" ".join(documents[doc_id]).split() for doc_id, _ in texts] == [tokenize(text) for _, text in texts]


def test_a_session_that_has_all_its_vectors_is_complete_until_it_goes_on() -> None:
    index = index_of(said(1, "one", "s1"), said(2, "two", "s2"))
    (_, one) = vectors.texts_without_vector(index, must_decode, 100)
    vectors.store_vectors(index, made([one]), must_decode)
    vectors.mark_complete_sessions(index, must_decode, 100)
    complete = [number for (number,) in index.execute("SELECT session_number FROM embedded_sessions")]
    assert complete == [claim_number(session_id("claude", "s1"))]
    add(index, said(3, "three", "s1"))
    assert missing(index) == ["three", "two"]


# Changes


def test_a_vector_whose_text_changed_or_went_meanwhile_is_not_stored() -> None:
    index = index_of(event(1, added(WALRUS)), said(2, "one"))
    texts = vectors.texts_without_vector(index, must_decode, 100)
    stale = [vector._replace(text_hash=hash_text("another")) for vector in made(texts)]
    assert vectors.store_vectors(index, stale, must_decode) == 0
    assert vectors.store_vectors(index, made([EmbeddingText(7, "unknown"), EmbeddingText(-7, "x")]), must_decode) == 0
    add(index, event(3, added(OTTER)), event(4, ClaimDecided(OTTER, Verdict.RETIRED)))
    gone = EmbeddingText(claim_number(OTTER.id), OTTER.sentence)
    assert vectors.store_vectors(index, made([gone]), must_decode) == 0
    assert vectors.store_vectors(index, made(texts), must_decode) == vectors.count_vectors(index) == 2


def test_another_model_begins_without_vectors_and_the_same_model_keeps_them() -> None:
    index = index_of(event(1, added(WALRUS)), said(2, "one"))
    embed_all(index)
    vectors.use_model(index, "mini")
    assert (vectors.count_vectors(index), missing(index)) == (2, [])
    vectors.use_model(index, "large")
    assert (embedding_model(index), vectors.count_vectors(index)) == ("large", 0)
    assert missing(index) == [WALRUS.sentence, "one"]


def test_the_vector_of_a_memory_goes_when_it_is_retired_or_undone_and_stays_when_it_is_confirmed() -> None:
    first, second = event(1, added(WALRUS)), event(2, added(OTTER))
    index = index_of(first, second)
    embed_all(index)
    add(index, event(3, added(WALRUS, "said again")))
    assert vectors.count_vectors(index) == 2
    add(index, event(4, ClaimDecided(WALRUS, Verdict.RETIRED)))
    assert vectors.count_vectors(index) == 1
    add(index, event(5, undo([second], "add").body))
    assert vectors.count_vectors(index) == 0


def test_a_message_that_comes_late_keeps_only_the_vectors_whose_place_and_text_are_the_same() -> None:
    index = index_of(said(1, "one"), said(5, "two"), said(6, "three"))
    embed_all(index)
    add(index, said(3, "in between"))
    assert missing(index) == ["in between", "two", "three"]
    assert vectors.count_vectors(index) == 1


# Queries


def test_memories_beyond_the_limit_are_returned_if_they_are_asked_for() -> None:
    index = database.create_index(":memory:")
    rows = [(number, b"", b"%d" % number) for number in (1, 2, 3, 4, -5)]
    index.executemany("INSERT INTO vectors VALUES (?, ?, ?)", rows)
    assert vectors.memory_vectors(index, [], 10) == ([1, 2, 3, 4], b"1234")
    assert vectors.memory_vectors(index, [4, -5, FIRST_PAGE_ID], 2) == ([1, 2, 4], b"124")


def test_messages_are_the_latest_and_the_whole_sessions_of_those_asked_for() -> None:
    index = database.create_index(":memory:")
    early, late = session_start_id(START.date(), 2), session_start_id(START.date(), 9)
    rows = [(start + place, b"", b"v") for start in (early, late) for place in (0, 3)]
    index.executemany("INSERT INTO vectors VALUES (?, ?, ?)", [*rows, (1, b"", b"m")])
    assert vectors.message_vectors(index, [late + 7], 1).doc_ids == [late, late + 3]
    assert vectors.message_vectors(index, [], 2).doc_ids == [late, late + 3]
    assert vectors.message_vectors(index, [early + 7, 1], 2).doc_ids == [late, late + 3, early, early + 3]
    assert vectors.message_vectors(index, [], 10) == ([late, late + 3, early, early + 3], b"vvvv")


# Rebuild


def stored_at(path: Path, log: Sequence[Event]) -> None:
    """A finished index with a vector for each text."""
    new = database.new_index_path(str(path))
    connection = database.create_index(new)
    add(connection, *log)
    embed_all(connection)
    database.finish_index(connection, new)
    database.replace_index(str(path))


def test_a_rebuild_copies_the_vectors_whose_text_is_still_there(tmp_path: Path) -> None:
    log = [event(1, added(WALRUS)), event(2, added(OTTER)), said(3, "one"), said(4, "two")]
    stored_at(tmp_path / "index.sqlite", log)
    with closing(index_of(log[0], log[2], said(4, "purged"))) as rebuilt:
        vectors.copy_vectors(str(tmp_path / "index.sqlite"), rebuilt, must_decode)
        assert (embedding_model(rebuilt), vectors.count_vectors(rebuilt)) == ("mini", 2)
        assert missing(rebuilt) == ["purged"]
        (row,) = sessions.session_rows(rebuilt)
        start = session_start_id(START.date(), claim_number(row.id))
        assert vectors.message_vectors(rebuilt, [], 10) == ([start], b"one     ")


def test_a_rebuild_copies_nothing_from_an_index_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    stored_at(path, [event(1, added(WALRUS))])
    path.write_bytes(b"\xff" * path.stat().st_size)
    with closing(index_of(event(1, added(WALRUS)))) as rebuilt:
        for unreadable in (path, tmp_path / "missing.sqlite"):
            vectors.copy_vectors(str(unreadable), rebuilt, must_decode)
            assert (embedding_model(rebuilt), vectors.count_vectors(rebuilt)) == ("", 0)
