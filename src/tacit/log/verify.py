"""Checking a log: damaged lines, purged content that came back, and lines that this home did not write.

Each finding says where it is and what to do. Nothing is changed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import sha256
from shlex import quote

from tacit.log.codec import DamagedLine, event_type, split_mac
from tacit.log.log import Log, LogLine
from tacit.log.signing import BASELINE_FILE
from tacit.log.tombstones import Tombstones, load_tombstones
from tacit.model.event import ClaimDecided, ClaimProposed, Event, EventsUndone, Verdict
from tacit.model.observation import (
    LogSealed,
    MemoryPurged,
    RepositoryDistrusted,
    RepositoryTrusted,
    UnknownBody,
    WorkflowDropped,
    WorkflowSaved,
)
from tacit.record import Record
from tacit.text.display import clip

PURGE_MARKER = ".tacit/purging"  # exists while a purge runs; its tombstone says what it removes
_KEY_FILE = ".tacit/key"
_MAX_DECISIONS_SHOWN = 100
_ACCEPT_COMMAND = "tacit doctor --accept-unsigned"
_QUARANTINE_COMMAND = "tacit doctor --quarantine-unsigned"
_MAX_SUMMARY_CHARS = 80


class Finding(Record):
    """One finding: where, what, what to do about it, and whether it is a fault of the home."""

    where: str
    what: str
    mend: str
    serious: bool = True


def verify(log: Log) -> Iterator[Finding]:
    """Read every line of a log and yield what was found."""
    if os.path.exists(log.path(PURGE_MARKER)):
        yield Finding(PURGE_MARKER, "a purge was interrupted", "tacit purge --again")
    tombstones = load_tombstones(log)
    checker = _MacChecker(log)
    for segment in log.segments():
        yield from _verify_segment(log, segment, tombstones, checker)
    yield from checker.findings()


def unverified_decisions(log: Log) -> Iterator[UnverifiedDecision]:
    """Return every decision that this home did not write, as far as its key and baseline can tell."""
    checker = _MacChecker(log)
    for segment in log.segments():
        for log_line in log.read(segment):
            if isinstance(log_line.event, Event):
                checker.check(log_line, log_line.event)
    return iter(checker.decisions)


def _verify_segment(log: Log, segment: str, tombstones: Tombstones | None, checker: _MacChecker) -> Iterator[Finding]:
    damaged: list[tuple[LogLine, DamagedLine]] = []
    sealed: set[str] = set()
    for log_line in log.read(segment):
        event = log_line.event
        if isinstance(event, DamagedLine):
            damaged.append((log_line, event))
            continue
        checker.check(log_line, event)
        if isinstance(event.body, LogSealed):
            sealed.add(event.body.sha256)
        elif isinstance(event.body, UnknownBody):
            what = f"an event this version does not know ({event.body.type})"
            yield Finding(_location(log_line), what, "nothing: it is kept; a newer Tacit may read it", False)
        if tombstones and tombstones.apply(event) is not event:
            yield Finding(_location(log_line), "something that was purged is back", "tacit purge --again")
    for log_line, damage in damaged:
        if sha256(log_line.line.data).hexdigest() in sealed:
            what = "the rest of a write that was interrupted and never acknowledged"
            yield Finding(_location(log_line), what, "nothing: it was sealed and is ignored", False)
        else:
            command = f"sed -n {log_line.line.number}p {quote(log.path(segment))}"
            yield Finding(
                _location(log_line),
                f"this line cannot be read: {damage.reason}",
                f"all other lines are unharmed; look at it with: {command}; set it aside with: tacit doctor --mend",
            )
    if torn := log.torn_tail_bytes(segment):
        yield Finding(
            segment, f"{torn} bytes of an unfinished write at the end", "nothing: the next write closes it", False
        )


def _location(log_line: LogLine) -> str:
    return f"{log_line.segment}:{log_line.line.number}"


# Lines that this home did not write


class UnverifiedDecision(Record):
    """A decision without a MAC, or with one that this home did not make: its line, and what it decides."""

    segment: str
    number: int
    summary: str
    has_mac: bool


class _MacChecker:
    """Checks the MACs of all lines. If the key is not the one they were made with, only missing MACs are reported."""

    def __init__(self, log: Log) -> None:
        self._signer = log.signer
        self._baseline = log.signer.read_baseline() if log.signer else None
        key = log.signer.key_id if log.signer else ""
        self._has_key = bool(key)
        self._is_other_key = self._baseline is not None and self._baseline.key != key
        self._is_baseline_valid = self._baseline is not None and (self._baseline.is_valid or self._is_other_key)
        self._signed_segments: set[str] = set()  # segments in which a correct MAC was found
        self.decisions: list[UnverifiedDecision] = []
        self._other_lines = self._unchecked_lines = self._unsigned_lines = 0

    def check(self, log_line: LogLine, event: Event) -> None:
        """Classify one line. Without a valid baseline, MACs are required after the first correct one of a segment."""
        if self._signer is None:
            return
        if (
            self._is_baseline_valid
            and self._baseline
            and log_line.line.offset < self._baseline.end_of(log_line.segment)
        ):
            return
        content, mac = split_mac(log_line.line.data)
        if mac and (not self._has_key or self._is_other_key):
            self._unchecked_lines += 1
        elif mac and self._signer.verifies(content, mac):
            self._signed_segments.add(log_line.segment)
        elif not self._is_baseline_valid and log_line.segment not in self._signed_segments:
            self._unsigned_lines += 1
        elif summary := _describe_decision(event):
            self.decisions.append(UnverifiedDecision(log_line.segment, log_line.line.number, summary, bool(mac)))
        else:
            self._other_lines += 1

    def findings(self) -> Iterator[Finding]:
        yield from self._key_findings()
        for decision in self.decisions[:_MAX_DECISIONS_SHOWN]:
            why = "its code does not fit" if decision.has_mac else "it has no code"
            yield Finding(
                f"{decision.segment}:{decision.number}",
                f"a decision that this home did not write ({why}): {decision.summary}",
                f"set it aside with: {_QUARANTINE_COMMAND}; or, if it is yours: {_ACCEPT_COMMAND}",
            )
        if (more := len(self.decisions) - _MAX_DECISIONS_SHOWN) > 0:
            yield Finding("the log", f"{more:,} more decisions that this home did not write", _QUARANTINE_COMMAND)
        if self._other_lines:
            what = f"{self._other_lines:,} other lines that this home did not write; they decide nothing"
            yield Finding("the log", what, f"nothing; or, if they are yours: {_ACCEPT_COMMAND}", False)

    def _key_findings(self) -> Iterator[Finding]:
        """Yield what is wrong with the key or the baseline, once for all lines."""
        lines = f"{self._unchecked_lines:,} lines"
        if self._unchecked_lines and self._baseline is None:
            what = f"{lines} carry the code of another home, as in an export; nothing checks them here"
            yield Finding(BASELINE_FILE, what, "nothing: the next write takes them as they are", False)
        elif self._unchecked_lines:
            what = f"this is not the key that {lines} were signed with: they cannot be checked"
            if not self._has_key:
                what = f"the key is missing or damaged: {lines} cannot be checked"
            restore = f"put {_KEY_FILE} back from a backup; or, if all lines are yours: {_ACCEPT_COMMAND}"
            yield Finding(_KEY_FILE, what, restore)
        elif self._signed_segments and self._baseline is None and (self._unsigned_lines or self.decisions):
            what = "how far the log went before lines were signed is not noted any more"
            yield Finding(BASELINE_FILE, what, f"look at the log, then: {_ACCEPT_COMMAND}")
        elif self._baseline is not None and not self._is_baseline_valid:
            what = "something else than Tacit changed how far the log went before lines were signed"
            yield Finding(BASELINE_FILE, what, f"look at the log, then: {_ACCEPT_COMMAND}")


def _describe_decision(event: Event) -> str:
    """Return what an event activates, removes, trusts or purges; "" if it decides nothing."""
    match event.body:
        case ClaimProposed(verdict=Verdict.ADDED, claim=claim) | ClaimDecided(claim=claim):
            topic = claim.sentence
        case (
            EventsUndone(label=topic)
            | RepositoryTrusted(path=topic)
            | RepositoryDistrusted(path=topic)
            | WorkflowSaved(name=topic)
            | WorkflowDropped(name=topic)
            | MemoryPurged(reason=topic)
        ):
            pass
        case _:
            return ""
    actor = clip(event.origin.actor, _MAX_SUMMARY_CHARS)
    return f"{event_type(event.body)} by {actor}: {clip(topic, _MAX_SUMMARY_CHARS)}"
