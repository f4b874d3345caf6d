"""The readable pages, against a fresh drawing, and hand edits that nobody has read yet."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing

from tacit.core.claim import GLOBAL
from tacit.disk.replace import read_file
from tacit.index import reader
from tacit.log.verify import Finding
from tacit.notes import facts, long_term
from tacit.vault.filing import must_decode
from tacit.vault.home import PAGES
from tacit.vault.publish import drawn
from tacit.vault.store import Store


def check(store: Store) -> Iterator[Finding]:
    with closing(store.fresh_index()) as fresh:
        for path, lines in _drawn(store, fresh):
            yield from _compared(store, path, lines)


def _drawn(store: Store, fresh: sqlite3.Connection) -> Iterator[tuple[str, list[str]]]:
    notes = store.publisher.all_noted(fresh)
    yield store.home.long_term, long_term.render(notes)
    yield store.home.facts, facts.updated([], [noted for noted in notes if noted.memory.claim.scope == GLOBAL])
    for kind in PAGES:
        for day in reader.page_days(fresh, kind):
            yield store.home.page(kind, day), drawn(fresh, kind, day, must_decode, store.turn)


def _compared(store: Store, path: str, lines: list[str]) -> Iterator[Finding]:
    there = read_file(path)
    if there is None:
        what = "something is in the way of this view" if os.path.lexists(path) else "this view is missing"
        yield Finding(path, what, "tacit reindex")
    elif there != "".join(line + "\n" for line in lines).encode():
        edited = store.publisher.shelf.sides(path) is not None
        can_be_read = edited and path in (store.home.long_term, store.home.facts)
        what = "edited by hand; Tacit keeps that" if edited else "drawn before what the log says now"
        mend = "tacit sync" if can_be_read else "" if edited else "tacit reindex"
        yield Finding(path, what, mend, serious=not edited)
