"""Rows of `make chaos` about erasing: T31, T17, and kills while purging.

`found` counts forms of a purged text that are still somewhere, and whatever else was harmed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tacit.model.claim import GLOBAL
from tacit.model.event import Verdict
from tacit.model.statement import claim_from
from tacit.purge.files import HomeFiles
from tacit.purge.tombstones import Tombstones
from tests.chaos import strays
from tests.chaos.long.rows import Result, Test
from tests.chaos.outcome import Outcome
from tests.chaos.purge_kill import mend_kill, purge_kill
from tests.laws import deletion
from tests.laws.strategies import STATEMENTS, law
from tests.support import planting

_IN_ONE_HOME = 10


@dataclass(frozen=True, slots=True)
class Size:
    """How much of each: interleavings for each of four laws, kills spread over the system calls of each command."""

    secrets: int
    interleavings: int
    kills: int


LONG = Size(secrets=200, interleavings=2_500, kills=200)
SHORT = Size(secrets=4, interleavings=100, kills=4)


def tests(short: bool) -> Iterator[Test]:
    size = SHORT if short else LONG
    yield Test("T31 purge proof", partial(_planted, size.secrets))
    yield Test("T31 copies of sync programs", partial(_copies, size.kills))
    yield Test("T31 mutant: pages are not cleaned", _pages_left, mutant=True)
    yield from _interleavings(size.interleavings)
    yield Test("T31 kills while purging", partial(_killed, purge_kill, size.kills))
    yield Test("T05 kills while setting aside", partial(_killed, mend_kill, size.kills))


# T31


def _planted(count: int, home: str) -> Result:
    wrong: list[str] = []
    for start in range(0, count, _IN_ONE_HOME):
        folder = Path(home) / str(start)
        folder.mkdir(parents=True)
        wrong += planting.story(folder, range(start, min(start + _IN_ONE_HOME, count)))
    places = len(planting._PLACES)
    return Result(count, count, 0, len(wrong), wrong[0] if wrong else f"each in {places} sorts of files, 44 forms each")


def _pages_left(home: str) -> Result:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(HomeFiles, "scrub", lambda _self, _target, _cache=None: iter(()))
        Path(home).mkdir()
        return Result(1, 1, 0, len(planting.story(Path(home), range(1))))


def _copies(kills: int, home: str) -> Result:
    found = strays.purge_reaches_copies(Path(home), strays.NAMES[:2] if kills < LONG.kills else strays.NAMES)
    note = found.faults[0] if found.faults else "each name of a copy, beside every sort of file"
    return Result(found.runs, found.acknowledged, 0, len(found.faults), note)


# T17


def _interleavings(count: int) -> Iterator[Test]:
    yield Test("T17 old copies of lines", partial(_stories, count, deletion.old_copies_change_nothing))
    yield Test("T17 stale machines", partial(_stories, count, deletion.stale_hosts_bring_nothing_back))
    yield Test("T17 what is not meant stays", partial(_stories, count, deletion.what_is_not_meant_stays))
    yield Test("T17 forgotten and dismissed", partial(_stories, count, _settled, _CLAIMS, _VERDICTS))
    yield Test("T17 mutant: tombstones unheard", partial(_unheard, count), mutant=True)


_CLAIMS = st.sampled_from(STATEMENTS).map(lambda text: claim_from(text, GLOBAL))
_VERDICTS = st.sampled_from((Verdict.RETIRED, Verdict.DISMISSED))
_settled = deletion.settled_by_a_person_stays_settled


def _stories(count: int, check: Callable[..., None], *more: st.SearchStrategy[object] | str, note: str = "") -> Result:
    """The last of `more` is the home, which nothing is written to."""
    strategies = [one for one in more if not isinstance(one, str)]
    every = settings(law, max_examples=count, database=None, phases=(Phase.generate,), report_multiple_bugs=False)
    try:
        every(given(deletion.stories, *strategies)(check))()
    except AssertionError as error:
        return Result(count, count, 1, 1, note or str(error)[:80].replace("\n", " "))
    return Result(count, count, 0, 0, "0 resurrected")


def _unheard(count: int, home: str) -> Result:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Tombstones, "apply", lambda _self, event: event)
        return _stories(count, deletion.old_copies_change_nothing, home, note="it came back")


# Kills


def _killed(sweep: Callable[..., Outcome], most: int, home: str) -> Result:
    Path(home).mkdir()
    found = sweep(Path(home), most=most)
    return Result(
        found.runs,
        found.acknowledged,
        found.lost,
        len(found.faults),
        found.faults[0] if found.faults else "spread over the whole command",
    )
