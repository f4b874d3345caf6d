"""What the writers of these tests record: events of chosen sizes, each telling who wrote it and which one it is."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from datetime import UTC, datetime

from tacit.disk.files import Disk, OsDisk
from tacit.disk.lock import FileLock, Lock
from tacit.home.paths import HomePaths
from tacit.log.log import Log
from tacit.log.signing import LineSigner, load_key
from tacit.model.claim import GLOBAL, Claim, Kind, Provenance, Triple
from tacit.model.event import USER, ClaimProposed, Draft, Event, EventOrigin, Verdict
from tacit.model.observation import RecallAsked, WorkLogged
from tacit.purge.tombstones import load_tombstones

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
