"""What the writers of these tests record, and what a log holds, compared with what was acknowledged.

Each event tells who wrote it and which one it is. The audit counts; the tests say which counts must be nought.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from hashlib import sha256
from typing import NamedTuple

from tacit.disk.files import Disk, OsDisk
from tacit.disk.lock import FileLock, Lock
from tacit.home.paths import HomePaths
from tacit.log import Log
from tacit.log.codec import DamagedLine
from tacit.log.reader import RawLine
from tacit.log.signing import LineSigner, load_key
from tacit.log.verify import verify
from tacit.model.claim import GLOBAL, Claim, Kind, Provenance, Triple
from tacit.model.event import USER, ClaimProposed, Draft, Event, EventOrigin, Verdict
from tacit.model.observation import LogSealed, RecallAsked, WorkLogged
from tacit.purge.tombstones import load_tombstones
from tests.chaos.outcome import Outcome

SMALL = (1, 3_000)
LARGE = (1_000, 200_000)
_WORDS = [letter * length for letter in "abcdefghijklmnop" for length in (3, 40, 400)]
_POOL = " ".join(random.Random(1).choices(_WORDS, k=4_000))  # long words: these tests are not about searching
_LOCK_SECONDS = 60.0


def open_log(
    home: str,
    *,
    disk: Disk | None = None,
    lock: Lock | None = None,
    entropy: Callable[[], bytes] = lambda: os.urandom(10),
) -> Log:
    """The real log of a home, as the vault puts it together, unless a part is given. It signs where there is a key."""
    place = HomePaths(home)
    signing = LineSigner(home, OsDisk(), lambda _make: load_key(place.key, make=False))
    return Log(
        home,
        disk or OsDisk(),
        lock or FileLock(place.log_lock, _LOCK_SECONDS),
        entropy,
        signer=signing,
        load_purges=load_tombstones,
    )


def origin(session: str, at: datetime | None = None) -> EventOrigin:
    return EventOrigin(at or datetime.now(UTC), 0, "host", session, USER, Provenance.USER_DIRECT)


def text_of(rng: random.Random, sizes: tuple[int, int]) -> str:
    size = rng.randint(*sizes)
    start = rng.randrange(len(_POOL) - size)
    return _POOL[start : start + size]


def judgement(name: str, text: str) -> Draft:
    """A memory operation; `name` makes it a claim of its own."""
    claim = Claim(Kind.RULE, GLOBAL, Triple("note", "says", name), text)
    return Draft(ClaimProposed(claim, Verdict.ADDED, "user_direct"), GLOBAL)


def everything(name: str, text: str) -> list[Draft]:
    """One operation over both segments: a judgement, work that was done, a question nobody waits for."""
    return [judgement(name, text), Draft(WorkLogged(name, text), GLOBAL), Draft(RecallAsked(name, 1), GLOBAL)]


def operation(rng: random.Random, name: str, text: str) -> list[Draft]:
    """Mostly one judgement, now and then something else or everything."""
    drafts = everything(name, text)
    return rng.choices([drafts[:1], drafts[1:2], drafts[2:], drafts], weights=[6, 2, 1, 1])[0]


def name_of(event: Event) -> str:
    """The name given to `judgement`."""
    assert isinstance(event.body, ClaimProposed)
    return event.body.claim.triple.object


class Audit(NamedTuple):
    """`found` counts readable events; a fragment is an unreadable line that a seal describes exactly."""

    acknowledged: int = 0
    found: int = 0
    lost: int = 0
    doubled: int = 0
    fragments: int = 0
    unreadable: int = 0
    loose_seals: int = 0
    disordered: int = 0
    unended: int = 0
    serious: int = 0

    @property
    def faults(self) -> tuple[str, ...]:
        """One for each thing that must never be there."""
        wrong = ("lost", "doubled", "unreadable", "loose_seals", "disordered", "unended", "serious")
        return tuple(name for name in wrong for _ in range(getattr(self, name)))

    def outcome(self, runs: int, note: str = "", *more: str) -> Outcome:
        """Of so many runs, with these faults as well."""
        return Outcome(runs, self.acknowledged, self.lost, (*self.faults, *more), note)

    def __add__(self, other: object) -> Audit:
        """Both together, count by count."""
        assert isinstance(other, Audit)
        return Audit(*(one + two for one, two in zip(self, other, strict=True)))


NOTHING = Audit()


def audit(log: Log, acknowledged: Iterable[str]) -> Audit:
    """Read every line of every segment."""
    promised, held, counts = list(acknowledged), Counter[str](), Counter[str]()
    for name in log.segments():
        _count(log, name, held, counts)
    return Audit(
        acknowledged=len(promised),
        found=held.total(),
        lost=sum(1 for name in promised if not held[name]),
        doubled=sum(1 for count in held.values() if count > 1),
        serious=sum(1 for finding in verify(log) if finding.serious),
        **counts,
    )


def _count(log: Log, name: str, held: Counter[str], counts: Counter[str]) -> None:
    """One segment, read once, and then once more where seals point."""
    bad: list[RawLine] = []
    seals: list[LogSealed] = []
    last = ""
    for record in log.read(name):
        if isinstance(record.event, DamagedLine):
            bad.append(record.line)
            continue
        counts["disordered"] += record.event.id <= last
        last = record.event.id
        if isinstance(record.event.body, LogSealed):
            seals.append(record.event.body)
        else:
            held[last] += 1
    true = [seal for seal in seals if _is_true(log.path(name), seal)]
    fragments = sum(1 for line in bad if any(_covers(seal, line) for seal in true))
    counts["fragments"] += fragments
    counts["unreadable"] += len(bad) - fragments
    counts["loose_seals"] += len(seals) - len(true)
    # Bytes that follow the last line feed are a write that was never acknowledged.
    counts["unended"] += log.size(name) > max((line.end for line in log.lines(name)), default=0)


def events(log: Log, segment: str) -> list[Event]:
    """The readable events of a segment, in the order of the file."""
    return [record.event for record in log.read(segment) if not isinstance(record.event, DamagedLine)]


def _is_true(path: str, seal: LogSealed) -> bool:
    """Whether the bytes it speaks of are there, just as it says."""
    with open(path, "rb") as file:
        file.seek(seal.offset)
        fragment = file.read(seal.length)
    return len(fragment) == seal.length and sha256(fragment).hexdigest() == seal.sha256


def _covers(seal: LogSealed, line: RawLine) -> bool:
    return seal.offset <= line.offset and line.end - 1 <= seal.offset + seal.length
