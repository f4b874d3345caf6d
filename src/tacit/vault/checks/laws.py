"""The laws that hold for every log, tried on this one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from tacit.core.event import Event
from tacit.core.memory import recollect
from tacit.core.observation import Unknown
from tacit.index import reader
from tacit.log.codec import is_line_of
from tacit.log.log import LogLine
from tacit.log.tombstones import tombstones
from tacit.log.verify import Finding
from tacit.vault.filing import must_decode
from tacit.vault.store import Store

_REPORT = "this should never happen; keep a copy (tacit export --to DIR) and report it"


def check(store: Store) -> Iterator[Finding]:
    records = [record for segment in store.log.segments() for record in store.log.read(segment)]
    events = [record.event for record in records if isinstance(record.event, Event)]
    yield from _lines_come_back(records)
    purged = tombstones(store.log)
    yield from _memories_agree(store, [purged.left_of(event) for event in events] if purged else events)


def _lines_come_back(records: list[LogLine]) -> Iterator[Finding]:
    """What is read and written again is the same line, byte for byte."""
    for record in records:
        event = record.event
        if isinstance(event, Event) and not isinstance(event.body, Unknown) and not is_line_of(event, record.line.data):
            what = "written by another program in another form; it can be read"
            yield Finding(f"{record.segment}:{record.line.number}", what, "nothing: it counts as it stands", False)


def _memories_agree(store: Store, events: list[Event]) -> Iterator[Finding]:
    """In any order, however often, and through the index: the same memories."""
    memories = recollect(events)
    if recollect([*reversed(events), *events]) != memories:
        yield Finding(store.home.root, "the order of lines changes what is remembered", _REPORT)
    with closing(store.fresh_index()) as fresh:
        if {memory.id: memory for memory in reader.memories(fresh, must_decode)} != memories:
            yield Finding(store.home.root, "the index and the log disagree on what is remembered", _REPORT)
