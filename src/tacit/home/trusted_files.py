"""The trust in repositories that stands, compared with what lies there at every question, and ended by itself.

The record is kept in the home's log, bound to the path, the owner and the bytes of each accepted line. Nothing in a
repository can change it; what is believed was read once, when it was accepted, and is never read from the file again.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable

from tacit.disk.read import ForeignFile, file_signature, read_foreign
from tacit.errors import RefusedError
from tacit.home.project import FACT_FILE
from tacit.index import reader
from tacit.model import trust as core
from tacit.model.claim import Provenance, Scope, Status
from tacit.model.event import POLICY, Attribution, Draft, Event
from tacit.model.ids import ClaimId, EventId
from tacit.model.observation import RepositoryDistrusted
from tacit.model.trust import FactFile, FactFileTrust
from tacit.pages import facts
from tacit.pages.view_store import checked_path

Decode = Callable[[bytes], Event]
_NO_TEXT_LIMIT = 1 << 30
_CLOCK_TICK_NS = (
    50_000_000  # nanoseconds: more than the coarsest clock of a file system that is not from the last century
)
_POLICY_ATTRIBUTION = Attribution(POLICY, Provenance.USER_DIRECT)


def active_trust(connection: sqlite3.Connection, decode: Decode) -> dict[str, FactFileTrust]:
    """The trust that stands, by the path of the fact file."""
    return core.current_trust(reader.trust_events(connection, decode))


def last_trust_end(connection: sqlite3.Connection, decode: Decode, path: str) -> str:
    """When and why the trust in a file ended last."""
    ends = [
        f"{event.day.isoformat()}: {event.body.reason}"
        for event in reader.trust_events(connection, decode)
        if isinstance(event.body, RepositoryDistrusted) and event.body.path == path
    ]
    return ends[-1] if ends else ""


def is_trust_stale(connection: sqlite3.Connection, decode: Decode) -> bool:
    """Whether a trusted file looks other than when it was last compared with what was accepted."""
    seen = reader.fact_file_signatures(connection)
    return any(file_signature(path) != seen.get(path) for path in active_trust(connection, decode))


def broken_trust_drafts(connection: sqlite3.Connection, decode: Decode) -> list[Draft]:
    """The end of every trust that no longer holds."""
    return [
        draft._replace(attribution=_POLICY_ATTRIBUTION)
        for path, one in active_trust(connection, decode).items()
        if (reason := _broken_reason(connection, one, _read_own_file(path)))
        for draft in core.distrust_drafts(one, trust_operations(connection, one, decode), reason)
    ]


def distrusted_event_ids(connection: sqlite3.Connection, decode: Decode) -> frozenset[EventId]:
    """What must not be heard any more, where that cannot be recorded."""
    return frozenset(
        event.id
        for path, one in active_trust(connection, decode).items()
        if _broken_reason(connection, one, _read_own_file(path))
        for events in trust_operations(connection, one, decode).values()
        for event in events
    )


def save_file_signatures(connection: sqlite3.Connection, decode: Decode) -> None:
    """Note how each file looks that still is what was accepted: the look and the comparison are of the same bytes."""
    connection.execute("DELETE FROM seen")
    for path, one in active_trust(connection, decode).items():
        there = _read_own_file(path)
        if _broken_reason(connection, one, there):
            continue
        if there is None or _is_past_clock_tick(path):
            connection.execute("INSERT INTO seen VALUES (?, ?)", (path, there.signature if there else ""))


def _is_past_clock_tick(path: str) -> bool:
    """Whether the next change must look different: one within the same tick of the clock may not."""
    try:
        age = time.time_ns() - os.lstat(path).st_ctime_ns
    except OSError:
        return False
    return not 0 <= age < _CLOCK_TICK_NS


def _read_own_file(path: str) -> ForeignFile | None:
    """The file, unless a link has come to stand in its way or it is another's."""
    root = path[: -len(FACT_FILE) - 1]
    try:
        checked_path(root, path)
    except RefusedError:
        return None
    found = read_foreign(path) if os.path.realpath(root) == root else None
    return found if found and found.owner == os.geteuid() else None


def _broken_reason(connection: sqlite3.Connection, one: FactFileTrust, there: ForeignFile | None) -> str:
    def is_live(claim: ClaimId) -> bool:
        entry = reader.memory_row(connection, claim)
        return entry is not None and entry.status in (Status.ACTIVE, Status.PENDING)

    return core.trust_problem(
        one.trusted, there and parse_fact_file(one.trusted.path, there, one.event.scope, _NO_TEXT_LIMIT), is_live
    )


def trust_operations(connection: sqlite3.Connection, one: FactFileTrust, decode: Decode) -> dict[EventId, list[Event]]:
    return {op: reader.operation_events(connection, op, decode) for op in one.operations}


def parse_fact_file(path: str, there: ForeignFile, scope: Scope, limit: int) -> FactFile:
    return FactFile(path, there.owner, there.writers, tuple(facts.parse_foreign_facts(there.data, scope, limit)))
