"""What the repository one stands in brought: looked at, and not believed."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from tacit.disk.read import read_foreign
from tacit.errors import RefusedError
from tacit.home import trusted_files as trusted
from tacit.home.project import Project
from tacit.home.store import Store
from tacit.index import reader
from tacit.log.codec import must_decode
from tacit.model.trust import FactFile, FactFileLine, FactFileTrust
from tacit.pages.view_store import checked_path
from tacit.text.display import clean


@dataclass(frozen=True, slots=True)
class RepositoryFacts:
    """The trust so far, lines that wait, lines that are unfit, and how many say what is known already."""

    path: str
    accepted: FactFileTrust | None
    waiting: tuple[FactFileLine, ...] = ()
    invalid: tuple[FactFileLine, ...] = ()
    known_count: int = 0
    trust_ended: str = ""


def require_project(store: Store) -> Project:
    if store.project is None:
        raise RefusedError("this is no repository; trust is about what a cloned one brought", "cd into the repository")
    return store.project


def inspect_repository(
    store: Store, connection: sqlite3.Connection, limit: int
) -> tuple[RepositoryFacts, FactFile | None]:
    path = require_project(store).facts
    one = trusted.active_trust(connection, must_decode).get(path)
    ended = "" if one else trusted.last_trust_end(connection, must_decode, path)
    there = _read_fact_file(store, connection, limit)
    if there is None:
        return RepositoryFacts(path, one, trust_ended=ended), None
    old = {line.sha256 for line in one.trusted.lines} if one else set()
    foreign = [line for line in there.lines if line.sha256 not in old | store.publisher.view_store.written_hashes(path)]
    new = [line for line in foreign if line.claim and reader.memory_row(connection, line.claim.id) is None]
    unfit = [line for line in foreign if line.claim is None]
    known = len(foreign) - len(new) - len(unfit)
    return RepositoryFacts(path, one, tuple(_unique_claims(new)), tuple(unfit), known, ended), there


def count_waiting(store: Store, connection: sqlite3.Connection, limit: int) -> int:
    """How many lines of the fact file wait for a decision; none where the file cannot be looked at."""
    try:
        return len(inspect_repository(store, connection, limit)[0].waiting)
    except RefusedError:
        return 0


def _read_fact_file(store: Store, connection: sqlite3.Connection, limit: int) -> FactFile | None:
    project = require_project(store)
    path = project.facts
    if not os.path.lexists(path):
        return None
    checked_path(project.root, path)
    if clean(path) != path:  # it could not be written down
        raise RefusedError("the folder's name is no text; nothing in it can be trusted", "give the folder another name")
    there = read_foreign(path)
    if there is None:
        raise RefusedError(f"{path} is no plain file of at most 4 MiB; nothing in it is believed", f"ls -l {path}")
    if there.owner != os.geteuid():
        raise RefusedError(f"{path} belongs to another user; nothing in it is believed", f"ls -l {path}")
    return trusted.parse_fact_file(path, there, store.scope_in(connection), limit)


def _unique_claims(lines: Sequence[FactFileLine]) -> list[FactFileLine]:
    """The same claim on two lines is accepted once."""
    return list({line.claim.id: line for line in reversed(lines) if line.claim}.values())[::-1]
