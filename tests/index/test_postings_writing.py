"""Adding and removing documents: the counts that scores are made of follow, and unchanged documents are left alone."""

from __future__ import annotations

import sqlite3
from datetime import date

import pytest

from tacit.index import database, postings
from tacit.index.postings import AGENT, PERSON, IndexedDocument, PostingsWriter, message_doc_id, session_start_id

ALL = 1 << 40
START = session_start_id(date(2026, 3, 1), 5)
ASKED, ANSWERED = message_doc_id(START, 0, PERSON), message_doc_id(START, 1, AGENT)


@pytest.fixture
def index() -> sqlite3.Connection:
    return database.create_index(":memory:")


@pytest.fixture
def writer(index: sqlite3.Connection) -> PostingsWriter:
    return PostingsWriter(index)


def with_term(index: sqlite3.Connection, term: str) -> list[int]:
    return list(postings.memory_postings(index, term, ALL, memories=False))


def test_nothing_is_found_before_the_changes_are_flushed(index: sqlite3.Connection, writer: PostingsWriter) -> None:
    writer.add([IndexedDocument(1, "walrus", "")], fresh=True)
    assert (with_term(index, "walru"), postings.corpus_stats(index).doc_count) == ([], 0)
    writer.flush()
    assert (with_term(index, "walru"), postings.corpus_stats(index).doc_count) == ([1], 1)


def test_a_document_is_found_by_text_and_extra_and_its_length_counts_both(
    index: sqlite3.Connection, writer: PostingsWriter
) -> None:
    writer.add([IndexedDocument(1, "walrus walruses", "otter"), IndexedDocument(2, "", "")], fresh=True)
    writer.flush()
    assert (with_term(index, "walru"), with_term(index, "otter")) == ([1], [1])
    assert postings.doc_freq(index, "walru") == 1
    assert postings.corpus_stats(index) == postings.CorpusStats(2, 1.5)


def test_the_frequencies_and_lengths_of_messages_are_kept_and_a_frequency_fits_a_byte(
    index: sqlite3.Connection, writer: PostingsWriter
) -> None:
    said = [IndexedDocument(ASKED, "walrus otter", ""), IndexedDocument(ANSWERED, "", " ".join(["walrus"] * 300))]
    writer.add(said, fresh=True)
    writer.flush()
    found = postings.message_postings(index, "walru", ALL)
    assert (list(found.doc_ids), list(found.term_freqs)) == ([ASKED, ANSWERED], [1, 255])
    assert postings.doc_lengths_between(index, ASKED, ANSWERED) == [(ASKED, 2), (ANSWERED, 300)]
    assert postings.session_length(index, START) == 302


def test_a_changed_document_is_found_by_its_new_words_alone(index: sqlite3.Connection, writer: PostingsWriter) -> None:
    writer.add([IndexedDocument(1, "walrus", ""), IndexedDocument(2, "walrus", "")], fresh=True)
    writer.flush()
    writer.add([IndexedDocument(1, "otter pup", ""), IndexedDocument(2, "walrus", "")], fresh=False)
    writer.flush()
    assert (with_term(index, "walru"), with_term(index, "otter")) == ([2], [1])
    assert postings.load_documents(index, [1]) == {1: ("otter pup", "")}
    assert postings.corpus_stats(index) == postings.CorpusStats(2, 1.5)


def test_a_document_changed_before_it_was_written_is_counted_once(
    index: sqlite3.Connection, writer: PostingsWriter
) -> None:
    writer.add([IndexedDocument(1, "walrus", "")], fresh=True)
    writer.add([IndexedDocument(1, "walrus otter", "")], fresh=False)
    writer.flush()
    assert with_term(index, "walru") == [1]
    assert postings.corpus_stats(index) == postings.CorpusStats(1, 2.0)


def test_of_removed_documents_nothing_is_left(index: sqlite3.Connection, writer: PostingsWriter) -> None:
    writer.add([IndexedDocument(1, "walrus", "otter"), IndexedDocument(ASKED, "walrus", "")], fresh=True)
    writer.flush()
    for doc_id in (1, ASKED, 7):
        writer.remove(doc_id)
    writer.flush()
    tables = ("documents", "doc_lengths", "session_lengths", "postings", "terms")
    assert [index.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables] == [0] * len(tables)
    assert postings.corpus_stats(index).doc_count == 0


def test_a_document_that_is_the_same_is_not_written_again(index: sqlite3.Connection, writer: PostingsWriter) -> None:
    writer.add([IndexedDocument(1, "walrus", "")], fresh=True)
    before = index.total_changes
    writer.add([IndexedDocument(1, "walrus", "")], fresh=False)
    assert index.total_changes == before


def test_a_flush_without_changes_counts_nothing_twice(index: sqlite3.Connection, writer: PostingsWriter) -> None:
    writer.add([IndexedDocument(1, "walrus", "")], fresh=True)
    writer.flush()
    writer.flush()
    assert (postings.doc_freq(index, "walru"), postings.corpus_stats(index).doc_count) == (1, 1)


def test_one_more_document_rewrites_one_block_of_a_long_posting_list(
    index: sqlite3.Connection, writer: PostingsWriter
) -> None:
    writer.add([IndexedDocument(2 * number, "walrus", "") for number in range(1000)], fresh=True)
    writer.flush()
    before = set(index.execute("SELECT first_doc_id, doc_ids FROM postings"))
    writer.add([IndexedDocument(777, "walrus", "")], fresh=True)
    writer.flush()
    after = set(index.execute("SELECT first_doc_id, doc_ids FROM postings"))
    assert len(before) > 10 and len(before - after) == 1
    assert with_term(index, "walru") == sorted([*range(0, 2000, 2), 777])
