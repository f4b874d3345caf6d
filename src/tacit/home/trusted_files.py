"""Trust in the fact files of repositories: ended when a file becomes another user's, or something else than a file.

The record of a trust is in the home's log, bound to the path, the owner and the bytes of each accepted line. Nothing in
a repository can change it. What is believed was read once, when it was accepted, and is never read from the file again.
"""

from __future__ import annotations

import os
import sqlite3
import time

from tacit.disk.read import ForeignFile, file_signature, read_foreign
from tacit.errors import RefusedError
from tacit.home.project import FACT_FILE
from tacit.index import reader
from tacit.log.codec import must_decode
from tacit.model import trust as trust_model
from tacit.model.claim import Provenance
from tacit.model.event import POLICY, Attribution, Draft, Event
from tacit.model.ids import EventId
from tacit.model.observation import RepositoryDistrusted
from tacit.model.trust import FactFileTrust
from tacit.pages.view_store import checked_path

_CLOCK_TICK_NS = 50_000_000  # more than the coarsest clock of any file system in use
_POLICY_ATTRIBUTION = Attribution(POLICY, Provenance.USER_DIRECT)


def active_trust(connection: sqlite3.Connection) -> dict[str, FactFileTrust]:
    """Return the current trust by the path of the fact file."""
    return trust_model.current_trust(reader.trust_events(connection, must_decode))


def last_trust_end(connection: sqlite3.Connection, path: str) -> str:
    """Return when and why the trust in a file last ended, "" if it never did."""
    ends = [
        f"{event.day.isoformat()}: {event.body.reason}"
        for event in reader.trust_events(connection, must_decode)
        if isinstance(event.body, RepositoryDistrusted) and event.body.path == path
    ]
    return ends[-1] if ends else ""


def is_trust_stale(connection: sqlite3.Connection) -> bool:
    """Return whether the signature of a trusted file differs from when the file was last compared."""
    saved = reader.fact_file_signatures(connection)
    return any(file_signature(path) != saved.get(path) for path in active_trust(connection))


def broken_trust_drafts(connection: sqlite3.Connection) -> list[Draft]:
    """Return the events that end every trust that no longer holds."""
    return [
        draft._replace(attribution=_POLICY_ATTRIBUTION)
        for path, trust in active_trust(connection).items()
        if (reason := _broken_reason(trust, _read_own_file(path)))
        for draft in trust_model.distrust_drafts(trust, trust_operations(connection, trust), reason)
    ]


def distrusted_event_ids(connection: sqlite3.Connection) -> frozenset[EventId]:
    """Return the events of every trust that no longer holds, for a home in which its end cannot be recorded."""
    return frozenset(
        event.id
        for path, trust in active_trust(connection).items()
        if _broken_reason(trust, _read_own_file(path))
        for events in trust_operations(connection, trust).values()
        for event in events
    )


def save_file_signatures(connection: sqlite3.Connection) -> None:
    """Store the signature of each file that still is what was accepted. Signature and content are of one read."""
    connection.execute("DELETE FROM fact_files")
    for path, trust in active_trust(connection).items():
        file = _read_own_file(path)
        if _broken_reason(trust, file):
            continue
        if file is None or _is_past_clock_tick(path):
            connection.execute("INSERT INTO fact_files VALUES (?, ?)", (path, file.signature if file else ""))


def _is_past_clock_tick(path: str) -> bool:
    """Return whether the next change will alter the signature. One within the same clock tick may not."""
    try:
        age = time.time_ns() - os.lstat(path).st_ctime_ns
    except OSError:
        return False
    return not 0 <= age < _CLOCK_TICK_NS


def _read_own_file(path: str) -> ForeignFile | None:
    """Return the file; None if there is a link in its path or it belongs to another user."""
    root = path[: -len(FACT_FILE) - 1]
    try:
        checked_path(root, path)
    except RefusedError:
        return None
    file = read_foreign(path) if os.path.realpath(root) == root else None
    return file if file and file.owner == os.geteuid() else None


def _broken_reason(trust: FactFileTrust, file: ForeignFile | None) -> str:
    """Return why a trust ended, "" if it holds. It holds while there is no file: another branch may have none."""
    if file:
        return trust_model.trust_problem(trust.trusted, file.owner, file.writers)
    return "the file cannot be read, or is another user's" if os.path.lexists(trust.trusted.path) else ""


def trust_operations(connection: sqlite3.Connection, trust: FactFileTrust) -> dict[EventId, list[Event]]:
    return {op: reader.operation_events(connection, op, must_decode) for op in trust.operations}
