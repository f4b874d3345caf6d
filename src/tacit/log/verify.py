"""Read every line and say what is wrong, where, what this home did not write, and what to do. Nothing is changed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import sha256
from shlex import quote

from tacit.log.codec import Damaged, parted, type_of
from tacit.log.log import Log, LogLine
from tacit.log.signing import BASELINE
from tacit.log.tombstones import Tombstones, tombstones
from tacit.model.event import Decided, Event, Proposed, Undone, Verdict
from tacit.model.observation import Distrusted, Purged, Sealed, Trusted, Unknown, WorkflowDropped, WorkflowSaved
from tacit.record import Record
from tacit.text.display import clip

# Stands while a purge is at work; what it meant to do is in its tombstone.
UNFINISHED = ".tacit/purging"
_KEY = ".tacit/key"
_MOST_TOLD = 100  # decisions that are told one by one
_VOUCH = "tacit verify --accept-unsigned"
_QUARANTINE = "tacit verify --quarantine-unsigned"
_SAID = 80  # characters of what a decision is about


class Finding(Record):
    """One thing found: where, what, what to do about it, and whether the home is unwell because of it."""

    where: str
    what: str
    mend: str
    serious: bool = True


def verify(log: Log) -> Iterator[Finding]:
    if os.path.exists(log.path(UNFINISHED)):
        yield Finding(UNFINISHED, "a purge was interrupted", "tacit purge --again")
    purged = tombstones(log)
    codes = _Codes(log)
    for segment in log.segments():
        yield from _verify_segment(log, segment, purged, codes)
    yield from codes.findings()


def unvouched_decisions(log: Log) -> Iterator[Unvouched]:
    """Every decision that this home did not write, as far as that can be told."""
    codes = _Codes(log)
    for segment in log.segments():
        for record in log.read(segment):
            if isinstance(record.event, Event):
                codes.look_at(record, record.event)
    return iter(codes.decisions)


def _verify_segment(log: Log, segment: str, purged: Tombstones | None, codes: _Codes) -> Iterator[Finding]:
    bad: list[LogLine] = []
    sealed: set[str] = set()
    for record in log.read(segment):
        if isinstance(record.event, Damaged):
            bad.append(record)
            continue
        codes.look_at(record, record.event)
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


def _where(record: LogLine) -> str:
    return f"{record.segment}:{record.line.number}"


def _unknown(record: LogLine, body: Unknown) -> Finding:
    what = f"an event this version does not know ({body.type})"
    return Finding(_where(record), what, "nothing: it is kept; a newer Tacit may read it", False)


def _fragment(record: LogLine) -> Finding:
    what = "the rest of a write that was interrupted and never acknowledged"
    return Finding(_where(record), what, "nothing: it was sealed and is ignored", False)


def _damage(record: LogLine, path: str) -> Finding:
    assert isinstance(record.event, Damaged)
    return Finding(
        _where(record),
        f"this line cannot be read: {record.event.reason}",
        f"all other lines are unharmed; look at it with: sed -n {record.line.number}p {quote(path)}; "
        "set it aside with: tacit verify --mend",
    )


# Lines that this home did not write


class Unvouched(Record):
    """A decision without a code, or with one that this home did not make: where it is, and what it decides."""

    segment: str
    number: int
    decides: str
    has_code: bool


class _Codes:
    """The codes of all lines. Where the key is not the one they were made with, only lines without one are told."""

    def __init__(self, log: Log) -> None:
        self._signing = log.signing
        self._baseline = log.signing.baseline() if log.signing else None
        key = log.signing.key_name if log.signing else ""
        self._has_key = bool(key)
        self._is_other_key = self._baseline is not None and self._baseline.key != key
        self._ends_hold = self._baseline is not None and (self._baseline.holds or self._is_other_key)
        self._began: set[str] = set()  # segments in which a code was found that holds
        self.decisions: list[Unvouched] = []
        self._others = self._unchecked = self._older = 0

    def look_at(self, record: LogLine, event: Event) -> None:
        """Sort one line. Without a baseline to rely on, codes are asked for from the first on that holds."""
        if self._signing is None or (self._ends_hold and self._baseline and self._is_older(record)):
            return
        content, code = parted(record.line.data)
        if code and (not self._has_key or self._is_other_key):
            self._unchecked += 1
        elif code and self._signing.verifies(content, code):
            self._began.add(record.segment)
        elif self._ends_hold or record.segment in self._began:
            self._tell(record, event, bool(code))
        else:
            self._older += 1

    def _is_older(self, record: LogLine) -> bool:
        assert self._baseline is not None
        return record.line.offset < self._baseline.end(record.segment)

    def _tell(self, record: LogLine, event: Event, has_code: bool) -> None:
        if decides := _decides(event):
            self.decisions.append(Unvouched(record.segment, record.line.number, decides, has_code))
        else:
            self._others += 1

    def findings(self) -> Iterator[Finding]:
        yield from self._of_key()
        for one in self.decisions[:_MOST_TOLD]:
            why = "its code does not fit" if one.has_code else "it has no code"
            what = f"a decision that this home did not write ({why}): {one.decides}"
            yield Finding(
                f"{one.segment}:{one.number}", what, f"set it aside with: {_QUARANTINE}; or, if it is yours: {_VOUCH}"
            )
        if (more := len(self.decisions) - _MOST_TOLD) > 0:
            yield Finding("the log", f"{more:,} more decisions that this home did not write", _QUARANTINE)
        if self._others:
            what = f"{self._others:,} other lines that this home did not write; they decide nothing"
            yield Finding("the log", what, f"nothing; or, if they are yours: {_VOUCH}", False)

    def _of_key(self) -> Iterator[Finding]:
        """What is wrong with the key or the baseline, once, however many lines it concerns."""
        if self._unchecked and self._baseline is None:
            what = (
                f"{self._unchecked:,} lines carry the code of another home, as in an export; nothing checks them here"
            )
            yield Finding(BASELINE, what, "nothing: the next write takes them as they are", False)
        elif self._unchecked and not self._has_key:
            yield Finding(
                _KEY, f"the key is missing or damaged: {self._unchecked:,} lines cannot be checked", _restore()
            )
        elif self._unchecked:
            what = f"this is not the key that {self._unchecked:,} lines were signed with: they cannot be checked"
            yield Finding(_KEY, what, _restore())
        elif self._began and self._baseline is None and (self._older or self.decisions):
            what = "how far the log went before lines were signed is not noted any more"
            yield Finding(BASELINE, what, f"look at the log, then: {_VOUCH}")
        elif self._baseline is not None and not self._ends_hold:
            what = "something else than Tacit changed how far the log went before lines were signed"
            yield Finding(BASELINE, what, f"look at the log, then: {_VOUCH}")


def _restore() -> str:
    return f"put {_KEY} back from a backup; or, if all lines are yours: {_VOUCH}"


def _decides(event: Event) -> str:
    """What an event makes active, takes away, trusts or purges; empty where it decides nothing."""
    match event.body:
        case Proposed(verdict=Verdict.ADDED, claim=claim) | Decided(claim=claim):
            about = claim.sentence
        case Undone(label=label):
            about = label
        case Trusted(path=path) | Distrusted(path=path):
            about = path
        case WorkflowSaved(name=name) | WorkflowDropped(name=name):
            about = name
        case Purged(reason=reason):
            about = reason
        case _:
            return ""
    return f"{type_of(event.body)} by {clip(event.origin.actor, _SAID)}: {clip(about, _SAID)}"
