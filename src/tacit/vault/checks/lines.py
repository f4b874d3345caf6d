"""The log: every line, and whether the disk ever refused to keep one."""

from __future__ import annotations

from collections.abc import Iterator
from shlex import quote

from tacit.log.verify import Finding, verify
from tacit.vault.store import Store


def check(store: Store) -> Iterator[Finding]:
    yield from verify(store.log)
    for segment in store.log.segments():
        if note := store.log.suspicion(segment):
            what = "the disk once refused to keep what was written; it was written afresh elsewhere"
            yield Finding(segment, what, f"check the disk (dmesg, smartctl), then: rm {quote(note)}")
