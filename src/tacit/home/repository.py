"""What the repository one stands in brought: looked at, and not believed."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from tacit.disk.read import read_foreign
from tacit.errors import Refused
from tacit.home import trusted_files as trusted
from tacit.home.project import Project
from tacit.home.store import Store
from tacit.index import reader
from tacit.log.codec import must_decode
from tacit.model.trust import Accepted, Brought, FactFile
from tacit.pages.view_store import inside
from tacit.text.display import clean


@dataclass(frozen=True, slots=True)
class Repository:
    """The trust so far, lines that wait, lines that are unfit, and how many say what is known already."""

    path: str
    accepted: Accepted | None
    waiting: tuple[Brought, ...] = ()
    unfit: tuple[Brought, ...] = ()
    known: int = 0
    ended: str = ""


def project_of(store: Store) -> Project:
    if store.project is None:
        raise Refused("this is no repository; trust is about what a cloned one brought", "cd into the repository")
    return store.project


def look_at(store: Store, connection: sqlite3.Connection, limit: int) -> tuple[Repository, FactFile | None]:
    path = project_of(store).facts
    one = trusted.standing(connection, must_decode).get(path)
    ended = "" if one else trusted.last_end(connection, must_decode, path)
    there = _fact_file(store, connection, limit)
    if there is None:
        return Repository(path, one, ended=ended), None
    old = {line.sha256 for line in one.trusted.lines} if one else set()
    foreign = [line for line in there.lines if line.sha256 not in old | store.publisher.shelf.own_hashes(path)]
    new = [line for line in foreign if line.claim and reader.entry(connection, line.claim.id) is None]
    unfit = [line for line in foreign if line.claim is None]
    known = len(foreign) - len(new) - len(unfit)
    return Repository(path, one, tuple(_once(new)), tuple(unfit), known, ended), there


def waiting(store: Store, connection: sqlite3.Connection, limit: int) -> int:
    """How many lines of the fact file wait for a decision; none where the file cannot be looked at."""
    try:
        return len(look_at(store, connection, limit)[0].waiting)
    except Refused:
        return 0


def _fact_file(store: Store, connection: sqlite3.Connection, limit: int) -> FactFile | None:
    project = project_of(store)
    path = project.facts
    if not os.path.lexists(path):
        return None
    inside(project.root, path)
    if clean(path) != path:  # it could not be written down
        raise Refused("the folder's name is no text; nothing in it can be trusted", "give the folder another name")
    there = read_foreign(path)
    if there is None:
        raise Refused(f"{path} is no plain file of at most 4 MiB; nothing in it is believed", f"ls -l {path}")
    if there.owner != os.geteuid():
        raise Refused(f"{path} belongs to another user; nothing in it is believed", f"ls -l {path}")
    return trusted.fact_file(path, there, store.scope_in(connection), limit)


def _once(lines: Sequence[Brought]) -> list[Brought]:
    """The same claim on two lines is accepted once."""
    return list({line.claim.id: line for line in reversed(lines) if line.claim}.values())[::-1]
