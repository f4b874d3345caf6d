"""The watch over trusted repositories, as every question keeps it. Where nobody trusts any, that is one look."""

from __future__ import annotations

import sqlite3

from tacit.core.event import Draft
from tacit.core.ids import EventId
from tacit.index import reader
from tacit.vault.filing import must_decode


def shaken(connection: sqlite3.Connection) -> bool:
    """Whether a fact file that was trusted may have changed."""
    if not reader.anyone_trusted(connection):
        return False
    from tacit.vault.repository import trusted

    return trusted.shaken(connection, must_decode)


def ended(connection: sqlite3.Connection) -> list[Draft]:
    """The end of the trust in files that changed, to be recorded before anybody is told what they said."""
    if not reader.anyone_trusted(connection):
        return []
    from tacit.vault.repository import trusted

    return trusted.ended(connection, must_decode)


def void(connection: sqlite3.Connection) -> frozenset[EventId]:
    """What counts no longer, where the end of a trust cannot be recorded."""
    if not reader.anyone_trusted(connection):
        return frozenset()
    from tacit.vault.repository import trusted

    return trusted.void(connection, must_decode)


def remember(connection: sqlite3.Connection) -> None:
    """How trusted files look now."""
    if reader.anyone_trusted(connection):
        from tacit.vault.repository import trusted

        trusted.remember(connection, must_decode)
