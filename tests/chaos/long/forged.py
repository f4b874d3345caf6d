"""Rows of `make chaos` about who speaks: agents that hide, and lines that something else than Tacit wrote.

Nothing is acknowledged here, so nothing can be lost; `found` counts agents that were taken for the person, and forged
lines that were not told.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.chaos.agent_ways import detection
from tests.chaos.forged_lines import codes_ignored, forged_lines
from tests.chaos.long.rows import Result, Test, result

_LONG, _SHORT = 2000, 50  # forged lines
_HOSTS = 2  # of a quick look


def tests(short: bool) -> Iterator[Test]:
    hosts, lines = (_HOSTS, _SHORT) if short else (None, _LONG)
    yield Test("agents that hide, ways and hosts", lambda home: result(detection(Path(home), hosts)))
    yield Test("mutant: the environment alone", lambda home: result(detection(Path(home), 1, blind=True)), mutant=True)
    yield Test("forged lines", lambda home: result(forged_lines(Path(home), lines)))
    yield Test("mutant: codes are ignored", _ignored, mutant=True)


def _ignored(home: str) -> Result:
    with codes_ignored():
        return result(forged_lines(Path(home), _SHORT))
