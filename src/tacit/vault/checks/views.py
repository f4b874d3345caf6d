"""Checks of what follows from the log: the index, the folded memories and the pages, compared with fresh ones."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing

from tacit.disk.files import read_file
from tacit.errors import IndexUnusableError
from tacit.home.paths import PAGE_FOLDERS
from tacit.home.publish import render_page
from tacit.home.store import Store
from tacit.index import database, reader
from tacit.index.compare import has_same_answers
from tacit.index.database import translate_sqlite_errors
from tacit.log.codec import must_decode
from tacit.log.verify import Finding
from tacit.model.memory import fold_memories
from tacit.pages import facts
from tacit.vault.checks import Examination

_REINDEX = "tacit doctor --reindex"
_REPORT_HINT = "this should never happen; keep a copy (tacit export --to DIR) and report it"
_MAX_MEMORIES_FOLDED = 1_000


def check_index(exam: Examination) -> Iterator[Finding]:
    """The index, compared with a fresh replay of the log."""
    stored = _open_stored_index(exam.store)
    if isinstance(stored, Finding):
        yield stored
        return
    path = exam.store.paths.index
    with closing(stored):
        if what := _index_problem(stored, path, exam.fresh_index):
            yield Finding(path, what, _REINDEX)


def check_index_state(exam: Examination) -> Iterator[Finding]:
    """Whether the index can be opened, and is of this log. It is not read as a whole."""
    stored = _open_stored_index(exam.store)
    if isinstance(stored, Finding):
        yield stored
        return
    with closing(stored):
        if not exam.store.indexer.is_index_of_log(stored):
            yield Finding(exam.store.paths.index, "the index is of another log", _REINDEX)


def _open_stored_index(store: Store) -> sqlite3.Connection | Finding:
    """Return the index as it is on disk, or what is wrong with it."""
    try:
        with translate_sqlite_errors():
            return database.open_for_reading(store.paths.index, store.log.line_reader())
    except IndexUnusableError as error:
        return Finding(store.paths.index, f"the index cannot be used: {error}", _REINDEX)


def _index_problem(stored: sqlite3.Connection, path: str, fresh: sqlite3.Connection) -> str:
    try:
        with translate_sqlite_errors():
            if stored.execute("PRAGMA quick_check").fetchone() != ("ok",):
                return "the index is damaged"
            return "" if has_same_answers(stored, path, fresh) else "the index is not what the log says"
    except IndexUnusableError:
        return "the index is damaged"


def check_laws(exam: Examination) -> Iterator[Finding]:
    """The law of folding, tried on this log: events in any order and repeated fold into the same memories.

    In a long log it is tried on some memories, which stand for all: it is a law of the program, not of the home.
    """
    fresh = exam.fresh_index
    claims = reader.memory_ids(fresh)
    claims = claims[:: max(1, -(-len(claims) // _MAX_MEMORIES_FOLDED))]
    by_claim = [reader.events_of_claim(fresh, claim, must_decode) for claim in claims]
    events = list({event.id: event for events in by_claim for event in events}.values())
    memories = fold_memories(events)
    repeated = fold_memories([*reversed(events), *events])
    if any(memories.get(claim) != repeated.get(claim) for claim in claims):
        yield Finding(exam.store.paths.root, "the order of lines changes what is remembered", _REPORT_HINT)
    if any(memories.get(claim) != reader.load_memory(fresh, claim, must_decode) for claim in claims):
        yield Finding(exam.store.paths.root, "the index and the log disagree on what is remembered", _REPORT_HINT)


def check_views(exam: Examination) -> Iterator[Finding]:
    """The readable pages, compared with fresh ones, and hand edits that were not read yet."""
    store = exam.store
    for path, lines in _fresh_views(store, exam.fresh_index):
        yield from _compare_view(store, path, lines)


def _fresh_views(store: Store, fresh: sqlite3.Connection) -> Iterator[tuple[str, list[str]]]:
    yield store.paths.long_term, store.publisher.long_term_page(fresh)
    current = store.view_store.current_lines(store.paths.facts)
    # The order of an earlier version is no fault.
    yield store.paths.facts, facts.sort_facts(store.publisher.fact_page(fresh), current)
    for kind in PAGE_FOLDERS:
        for day in reader.page_names(fresh, kind):
            yield store.paths.page(kind, day), render_page(fresh, kind, day, store.options.max_turn_chars)


def _compare_view(store: Store, path: str, lines: list[str]) -> Iterator[Finding]:
    data = read_file(path)
    if data is None:
        what = "something is in the way of this view" if os.path.lexists(path) else "this view is missing"
        yield Finding(path, what, _REINDEX)
    elif data != "".join(line + "\n" for line in lines).encode():
        if store.view_store.edited_versions(path) is None:
            yield Finding(path, "drawn before what the log says now", _REINDEX)
        else:
            hint = "tacit sync" if path in (store.paths.long_term, store.paths.facts) else ""
            yield Finding(path, "edited by hand; Tacit keeps that", hint, False)
