"""The trust in repositories that stands, compared with what lies there at every question, and ended by itself.

The record is kept in the home's log, bound to the path, the owner and the bytes of each accepted line. Nothing in a
repository can change it; what is believed was read once, when it was accepted, and is never read from the file again.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable

from tacit.disk.read import Foreign, read_foreign, signature_of
from tacit.errors import Refused
from tacit.home.project import FACTS
from tacit.index import reader
from tacit.model import trust as core
from tacit.model.claim import Provenance, Scope, Status
from tacit.model.event import POLICY, Draft, Event, Voice
from tacit.model.ids import ClaimId, EventId
from tacit.model.observation import Distrusted
from tacit.model.trust import Accepted, FactFile
from tacit.pages import facts
from tacit.pages.view_store import inside

Decode = Callable[[bytes], Event]
_NO_LIMIT = 1 << 30
_TICK = 50_000_000  # nanoseconds: more than the coarsest clock of a file system that is not from the last century
_BY_ITSELF = Voice(POLICY, Provenance.USER_DIRECT)


def standing(connection: sqlite3.Connection, decode: Decode) -> dict[str, Accepted]:
    """The trust that stands, by the path of the fact file."""
    return core.accepted(reader.trust_events(connection, decode))


def last_end(connection: sqlite3.Connection, decode: Decode, path: str) -> str:
    """When and why the trust in a file ended last."""
    ends = [
        f"{event.day.isoformat()}: {event.body.reason}"
        for event in reader.trust_events(connection, decode)
        if isinstance(event.body, Distrusted) and event.body.path == path
    ]
    return ends[-1] if ends else ""


def shaken(connection: sqlite3.Connection, decode: Decode) -> bool:
    """Whether a trusted file looks other than when it was last compared with what was accepted."""
    seen = reader.signatures(connection)
    return any(signature_of(path) != seen.get(path) for path in standing(connection, decode))


def ended(connection: sqlite3.Connection, decode: Decode) -> list[Draft]:
    """The end of every trust that no longer holds."""
    return [
        draft._replace(voice=_BY_ITSELF)
        for path, one in standing(connection, decode).items()
        if (reason := _broken(connection, one, _read(path)))
        for draft in core.distrust(one, operations(connection, one, decode), reason)
    ]


def void(connection: sqlite3.Connection, decode: Decode) -> frozenset[EventId]:
    """What must not be heard any more, where that cannot be recorded."""
    return frozenset(
        event.id
        for path, one in standing(connection, decode).items()
        if _broken(connection, one, _read(path))
        for events in operations(connection, one, decode).values()
        for event in events
    )


def remember(connection: sqlite3.Connection, decode: Decode) -> None:
    """Note how each file looks that still is what was accepted: the look and the comparison are of the same bytes."""
    connection.execute("DELETE FROM seen")
    for path, one in standing(connection, decode).items():
        there = _read(path)
        if _broken(connection, one, there):
            continue
        if there is None or _is_settled(path):
            connection.execute("INSERT INTO seen VALUES (?, ?)", (path, there.signature if there else ""))


def _is_settled(path: str) -> bool:
    """Whether the next change must look different: one within the same tick of the clock may not."""
    try:
        age = time.time_ns() - os.lstat(path).st_ctime_ns
    except OSError:
        return False
    return not 0 <= age < _TICK


def _read(path: str) -> Foreign | None:
    """The file, unless a link has come to stand in its way or it is another's."""
    root = path[: -len(FACTS) - 1]
    try:
        inside(root, path)
    except Refused:
        return None
    found = read_foreign(path) if os.path.realpath(root) == root else None
    return found if found and found.owner == os.geteuid() else None


def _broken(connection: sqlite3.Connection, one: Accepted, there: Foreign | None) -> str:
    def is_live(claim: ClaimId) -> bool:
        entry = reader.entry(connection, claim)
        return entry is not None and entry.status in (Status.ACTIVE, Status.PENDING)

    return core.broken(one.trusted, there and fact_file(one.trusted.path, there, one.event.scope, _NO_LIMIT), is_live)


def operations(connection: sqlite3.Connection, one: Accepted, decode: Decode) -> dict[EventId, list[Event]]:
    return {op: reader.operation(connection, op, decode) for op in one.operations}


def fact_file(path: str, there: Foreign, scope: Scope, limit: int) -> FactFile:
    return FactFile(path, there.owner, there.writers, tuple(facts.brought(there.data, scope, limit)))
