"""Read every line and say what is wrong, where, what this home did not write, and what to do. Nothing is changed."""

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

# Stands while a purge is at work; what it meant to do is in its tombstone.
PURGE_MARKER = ".tacit/purging"
_KEY_FILE = ".tacit/key"
_MAX_DECISIONS_SHOWN = 100  # decisions that are told one by one
_ACCEPT_COMMAND = "tacit verify --accept-unsigned"
_QUARANTINE_COMMAND = "tacit verify --quarantine-unsigned"
_MAX_SUMMARY_CHARS = 80  # characters of what a decision is about


class Finding(Record):
    """One thing found: where, what, what to do about it, and whether the home is unwell because of it."""

    where: str
    what: str
    mend: str
    serious: bool = True


def verify(log: Log) -> Iterator[Finding]:
    if os.path.exists(log.path(PURGE_MARKER)):
        yield Finding(PURGE_MARKER, "a purge was interrupted", "tacit purge --again")
    purged = load_tombstones(log)
    codes = _MacChecker(log)
    for segment in log.segments():
        yield from _verify_segment(log, segment, purged, codes)
    yield from codes.findings()


def unverified_decisions(log: Log) -> Iterator[UnverifiedDecision]:
    """Every decision that this home did not write, as far as that can be told."""
    codes = _MacChecker(log)
    for segment in log.segments():
        for record in log.read(segment):
            if isinstance(record.event, Event):
                codes.check(record, record.event)
    return iter(codes.decisions)


def _verify_segment(log: Log, segment: str, purged: Tombstones | None, codes: _MacChecker) -> Iterator[Finding]:
    bad: list[LogLine] = []
    sealed: set[str] = set()
    for record in log.read(segment):
        if isinstance(record.event, DamagedLine):
            bad.append(record)
            continue
        codes.check(record, record.event)
        if isinstance(record.event.body, LogSealed):
            sealed.add(record.event.body.sha256)
        elif isinstance(record.event.body, UnknownBody):
            yield _unknown_finding(record, record.event.body)
        if purged and purged.apply(record.event) is not record.event:
            yield Finding(_line_location(record), "something that was purged is back", "tacit purge --again")
    for record in bad:
        is_fragment = sha256(record.line.data).hexdigest() in sealed
        yield _fragment_finding(record) if is_fragment else _damage_finding(record, log.path(segment))
    if torn := log.torn_tail_bytes(segment):
        yield Finding(
            segment, f"{torn} bytes of an unfinished write at the end", "nothing: the next write closes it", False
        )


def _line_location(record: LogLine) -> str:
    return f"{record.segment}:{record.line.number}"


def _unknown_finding(record: LogLine, body: UnknownBody) -> Finding:
    what = f"an event this version does not know ({body.type})"
    return Finding(_line_location(record), what, "nothing: it is kept; a newer Tacit may read it", False)


def _fragment_finding(record: LogLine) -> Finding:
    what = "the rest of a write that was interrupted and never acknowledged"
    return Finding(_line_location(record), what, "nothing: it was sealed and is ignored", False)


def _damage_finding(record: LogLine, path: str) -> Finding:
    assert isinstance(record.event, DamagedLine)
    return Finding(
        _line_location(record),
        f"this line cannot be read: {record.event.reason}",
        f"all other lines are unharmed; look at it with: sed -n {record.line.number}p {quote(path)}; "
        "set it aside with: tacit verify --mend",
    )


# Lines that this home did not write


class UnverifiedDecision(Record):
    """A decision without a code, or with one that this home did not make: where it is, and what it decides."""

    segment: str
    number: int
    summary: str
    has_mac: bool


class _MacChecker:
    """The codes of all lines. Where the key is not the one they were made with, only lines without one are told."""

    def __init__(self, log: Log) -> None:
        self._signer = log.signer
        self._baseline = log.signer.read_baseline() if log.signer else None
        key = log.signer.key_id if log.signer else ""
        self._has_key = bool(key)
        self._is_other_key = self._baseline is not None and self._baseline.key != key
        self._is_baseline_valid = self._baseline is not None and (self._baseline.is_valid or self._is_other_key)
        self._signed_segments: set[str] = set()  # segments in which a code was found that holds
        self.decisions: list[UnverifiedDecision] = []
        self._other_lines = self._unchecked_lines = self._unsigned_lines = 0

    def check(self, record: LogLine, event: Event) -> None:
        """Sort one line. Without a baseline to rely on, codes are asked for from the first on that holds."""
        if self._signer is None or (self._is_baseline_valid and self._baseline and self._is_before_baseline(record)):
            return
        content, code = split_mac(record.line.data)
        if code and (not self._has_key or self._is_other_key):
            self._unchecked_lines += 1
        elif code and self._signer.verifies(content, code):
            self._signed_segments.add(record.segment)
        elif self._is_baseline_valid or record.segment in self._signed_segments:
            self._add_unverified(record, event, bool(code))
        else:
            self._unsigned_lines += 1

    def _is_before_baseline(self, record: LogLine) -> bool:
        assert self._baseline is not None
        return record.line.offset < self._baseline.end_of(record.segment)

    def _add_unverified(self, record: LogLine, event: Event, has_code: bool) -> None:
        if decides := _describe_decision(event):
            self.decisions.append(UnverifiedDecision(record.segment, record.line.number, decides, has_code))
        else:
            self._other_lines += 1

    def findings(self) -> Iterator[Finding]:
        yield from self._key_findings()
        for one in self.decisions[:_MAX_DECISIONS_SHOWN]:
            why = "its code does not fit" if one.has_mac else "it has no code"
            what = f"a decision that this home did not write ({why}): {one.summary}"
            yield Finding(
                f"{one.segment}:{one.number}",
                what,
                f"set it aside with: {_QUARANTINE_COMMAND}; or, if it is yours: {_ACCEPT_COMMAND}",
            )
        if (more := len(self.decisions) - _MAX_DECISIONS_SHOWN) > 0:
            yield Finding("the log", f"{more:,} more decisions that this home did not write", _QUARANTINE_COMMAND)
        if self._other_lines:
            what = f"{self._other_lines:,} other lines that this home did not write; they decide nothing"
            yield Finding("the log", what, f"nothing; or, if they are yours: {_ACCEPT_COMMAND}", False)

    def _key_findings(self) -> Iterator[Finding]:
        """What is wrong with the key or the baseline, once, however many lines it concerns."""
        if self._unchecked_lines and self._baseline is None:
            lines = f"{self._unchecked_lines:,} lines"
            what = f"{lines} carry the code of another home, as in an export; nothing checks them here"
            yield Finding(BASELINE_FILE, what, "nothing: the next write takes them as they are", False)
        elif self._unchecked_lines and not self._has_key:
            yield Finding(
                _KEY_FILE,
                f"the key is missing or damaged: {self._unchecked_lines:,} lines cannot be checked",
                _restore_hint(),
            )
        elif self._unchecked_lines:
            what = f"this is not the key that {self._unchecked_lines:,} lines were signed with: they cannot be checked"
            yield Finding(_KEY_FILE, what, _restore_hint())
        elif self._signed_segments and self._baseline is None and (self._unsigned_lines or self.decisions):
            what = "how far the log went before lines were signed is not noted any more"
            yield Finding(BASELINE_FILE, what, f"look at the log, then: {_ACCEPT_COMMAND}")
        elif self._baseline is not None and not self._is_baseline_valid:
            what = "something else than Tacit changed how far the log went before lines were signed"
            yield Finding(BASELINE_FILE, what, f"look at the log, then: {_ACCEPT_COMMAND}")


def _restore_hint() -> str:
    return f"put {_KEY_FILE} back from a backup; or, if all lines are yours: {_ACCEPT_COMMAND}"


def _describe_decision(event: Event) -> str:
    """What an event makes active, takes away, trusts or purges; empty where it decides nothing."""
    match event.body:
        case ClaimProposed(verdict=Verdict.ADDED, claim=claim) | ClaimDecided(claim=claim):
            about = claim.sentence
        case EventsUndone(label=label):
            about = label
        case RepositoryTrusted(path=path) | RepositoryDistrusted(path=path):
            about = path
        case WorkflowSaved(name=name) | WorkflowDropped(name=name):
            about = name
        case MemoryPurged(reason=reason):
            about = reason
        case _:
            return ""
    return (
        f"{event_type(event.body)} by {clip(event.origin.actor, _MAX_SUMMARY_CHARS)}: {clip(about, _MAX_SUMMARY_CHARS)}"
    )
