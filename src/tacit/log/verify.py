"""Read every line and say what is wrong, where, and what to do. Nothing is changed."""

import os
from collections.abc import Iterator
from hashlib import sha256
from shlex import quote
from typing import NamedTuple

from tacit.core.observation import Sealed, Unknown
from tacit.log.codec import Damaged
from tacit.log.log import Log, Record
from tacit.log.tombstones import Tombstones, tombstones

# Stands while a purge is at work; what it meant to do is in its tombstone.
UNFINISHED = ".tacit/purging"


class Finding(NamedTuple):
    """One thing found: where, what, what to do about it, and whether the home is unwell because of it."""

    where: str
    what: str
    mend: str
    serious: bool = True


def verify(log: Log) -> Iterator[Finding]:
    if os.path.exists(log.path(UNFINISHED)):
        yield Finding(UNFINISHED, "a purge was interrupted", "tacit purge --again")
    purged = tombstones(log)
    for segment in log.segments():
        yield from _verify_segment(log, segment, purged)


def _verify_segment(log: Log, segment: str, purged: Tombstones | None) -> Iterator[Finding]:
    bad: list[Record] = []
    sealed: set[str] = set()
    for record in log.read(segment):
        if isinstance(record.event, Damaged):
            bad.append(record)
            continue
        if isinstance(record.event.body, Sealed):
            sealed.add(record.event.body.sha256)
        elif isinstance(record.event.body, Unknown):
            yield _unknown(record, record.event.body)
        if purged and purged.left_of(record.event) is not record.event:
            yield Finding(_where(record), "something that was purged is back", "tacit purge --again")
    for record in bad:
        is_fragment = sha256(record.line.data).hexdigest() in sealed
        yield _fragment(record) if is_fragment else _damage(record, log.path(segment))
    if torn := log.torn_tail(segment):
        yield Finding(
            segment, f"{torn} bytes of an unfinished write at the end", "nothing: the next write closes it", False
        )


def _where(record: Record) -> str:
    return f"{record.segment}:{record.line.number}"


def _unknown(record: Record, body: Unknown) -> Finding:
    what = f"an event this version does not know ({body.type})"
    return Finding(_where(record), what, "nothing: it is kept; a newer Tacit may read it", False)


def _fragment(record: Record) -> Finding:
    what = "the rest of a write that was interrupted and never acknowledged"
    return Finding(_where(record), what, "nothing: it was sealed and is ignored", False)


def _damage(record: Record, path: str) -> Finding:
    assert isinstance(record.event, Damaged)
    return Finding(
        _where(record),
        f"this line cannot be read: {record.event.reason}",
        f"all other lines are unharmed; look at it with: sed -n {record.line.number}p {quote(path)}; "
        "set it aside with: tacit verify --mend",
    )
