"""Seeing what a repository brought, accepting it, and taking that back: the person's part of trust."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from tacit.errors import RefusedError
from tacit.home import trusted_files as trusted
from tacit.home.home import HomePart
from tacit.home.project import FACT_FILE
from tacit.home.repository import RepositoryFacts, inspect_repository, require_project
from tacit.index import reader
from tacit.log.codec import must_decode
from tacit.model import trust as core
from tacit.model.event import Draft, Event
from tacit.model.memory import Memory


class Trust(HomePart):
    """Trust in the repository one stands in."""

    def inspect(self) -> RepositoryFacts:
        """What it brought. Looking believes nothing."""
        limit = self._home.settings.limits_text
        return self._store.read(lambda connection: inspect_repository(self._store, connection, limit)[0])

    def trust(self, seen: RepositoryFacts) -> list[Memory]:
        """Accept the lines that were shown, and only as they were shown."""
        self._store.actor.require_person("trusts a repository", "tacit trust")

        def decision(connection: sqlite3.Connection) -> Sequence[Draft]:
            now, there = inspect_repository(self._store, connection, self._home.settings.limits_text)
            if now.waiting != seen.waiting or there is None:
                raise RefusedError(
                    "the fact file changed while you were reading it; nothing was accepted", "tacit trust"
                )
            if not now.waiting:
                return []
            before = now.accepted.trusted if now.accepted else None
            return core.trust_drafts(there, now.waiting, before, f"{FACT_FILE} of the repository")

        def tell(connection: sqlite3.Connection, _events: Sequence[Event]) -> list[Memory]:
            claims = [line.claim.id for line in seen.waiting if line.claim]
            return [memory for claim in claims if (memory := reader.load_memory(connection, claim, must_decode))]

        return self._store.change(decision, tell)

    def distrust(self) -> int:
        """End the trust in it; says how many lines had been accepted."""
        self._store.actor.require_person("ends the trust in a repository", "tacit trust --revoke")
        count: list[int] = []

        def decision(connection: sqlite3.Connection) -> Sequence[Draft]:
            one = trusted.active_trust(connection, must_decode).get(require_project(self._store).facts)
            if one is None:
                raise RefusedError("nothing of this repository was accepted", "tacit trust --show")
            count.append(len(one.trusted.lines))
            return core.distrust_drafts(
                one, trusted.trust_operations(connection, one, must_decode), "ended by the person"
            )

        self._store.record(decision)
        return count[0]
