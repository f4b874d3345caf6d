"""Seeing what a repository brought, accepting it, and taking that back: the person's part of trust."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from tacit.core import trust as core
from tacit.core.errors import Refused
from tacit.core.event import Draft, Event
from tacit.core.memory import Memory
from tacit.core.trust import Accepted, Brought, FactFile
from tacit.disk.foreign import read_foreign
from tacit.index import reader
from tacit.notes.shelf import inside
from tacit.vault import trusted
from tacit.vault.opened import Opened
from tacit.vault.project import FACTS, Project
from tacit.vault.store import must_decode


@dataclass(frozen=True, slots=True)
class Repository:
    """What the repository one stands in brought: the trust so far, lines that wait and lines that are unfit."""

    path: str
    accepted: Accepted | None
    waiting: tuple[Brought, ...] = ()
    unfit: tuple[Brought, ...] = ()
    known: int = 0
    ended: str = ""


class Trusting(Opened):
    """Trust in the repository one stands in."""

    def repository(self) -> Repository:
        """What it brought. Looking believes nothing."""
        return self._store.read(lambda connection: self._looked_at(connection)[0])

    def trust(self, seen: Repository) -> list[Memory]:
        """Accept the lines that were shown, and only as they were shown."""
        self._store.speaker.must_be_person("trusts a repository", "tacit trust")

        def decision(connection: sqlite3.Connection) -> Sequence[Draft]:
            now, there = self._looked_at(connection)
            if now.waiting != seen.waiting or there is None:
                raise Refused("the fact file changed while you were reading it; nothing was accepted", "tacit trust")
            if not now.waiting:
                return []
            before = now.accepted.trusted if now.accepted else None
            return core.trust(there, now.waiting, before, f"{FACTS} of the repository")

        def tell(connection: sqlite3.Connection, _events: Sequence[Event]) -> list[Memory]:
            claims = [line.claim.id for line in seen.waiting if line.claim]
            return [memory for claim in claims if (memory := reader.memory(connection, claim, must_decode))]

        return self._store.change(decision, tell)

    def distrust(self) -> int:
        """End the trust in it; says how many lines had been accepted."""
        self._store.speaker.must_be_person("ends the trust in a repository", "tacit trust --revoke")
        count: list[int] = []

        def decision(connection: sqlite3.Connection) -> Sequence[Draft]:
            one = trusted.standing(connection, must_decode).get(self._here().facts)
            if one is None:
                raise Refused("nothing of this repository was accepted", "tacit trust --show")
            count.append(len(one.trusted.lines))
            return core.distrust(one, trusted.operations(connection, one, must_decode), "ended by the person")

        self._store.record(decision)
        return count[0]

    def _here(self) -> Project:
        if self._store.project is None:
            raise Refused("this is no repository; trust is about what a cloned one brought", "cd into the repository")
        return self._store.project

    def _looked_at(self, connection: sqlite3.Connection) -> tuple[Repository, FactFile | None]:
        path = self._here().facts
        one = trusted.standing(connection, must_decode).get(path)
        there = self._fact_file(connection, path)
        ended = "" if one else trusted.last_end(connection, must_decode, path)
        if there is None:
            return Repository(path, one, ended=ended), None
        old = {line.sha256 for line in one.trusted.lines} if one else set()
        ours = self._store.publisher.shelf.own_hashes(path)
        foreign = [line for line in there.lines if line.sha256 not in old | ours]
        new = [line for line in foreign if line.claim and reader.entry(connection, line.claim.id) is None]
        unfit = [line for line in foreign if line.claim is None]
        known = len(foreign) - len(new) - len(unfit)
        return Repository(path, one, tuple(_once(new)), tuple(unfit), known, ended), there

    def _fact_file(self, connection: sqlite3.Connection, path: str) -> FactFile | None:
        if not os.path.lexists(path):
            return None
        inside(self._here().root, path)
        there = read_foreign(path)
        if there is None:
            raise Refused(f"{path} is no plain file of at most 4 MiB; nothing in it is believed", f"ls -l {path}")
        if there.owner != os.geteuid():
            raise Refused(f"{path} belongs to another user; nothing in it is believed", f"ls -l {path}")
        return trusted.fact_file(path, there, self._store.scope_in(connection), self._settings.limits_text)


def _once(lines: Sequence[Brought]) -> list[Brought]:
    """The same claim on two lines is accepted once."""
    return list({line.claim.id: line for line in reversed(lines) if line.claim}.values())[::-1]
