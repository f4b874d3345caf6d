"""Decisions in the log that this home did not write: setting them aside, or vouching for all that is there."""

from __future__ import annotations

import os
from collections.abc import Sequence

from tacit.core.errors import NotFound
from tacit.core.event import local_day
from tacit.log.log import Log
from tacit.log.rewrite import Aside, set_lines_aside
from tacit.log.verify import Unvouched, unvouched_decisions
from tacit.vault.opened import Opened


class Vouching(Opened):
    """What a person does about lines without a code of their home."""

    def unvouched(self) -> list[Unvouched]:
        """Every decision that this home did not write."""
        return list(unvouched_decisions(self._store.log))

    def quarantine_unsigned(self) -> list[Aside]:
        """Move these decisions to quarantine/, byte for byte; all other lines stay. Index and views are made again."""
        self._must_be_person_of_a_home("sets lines aside", "tacit verify --quarantine-unsigned")
        day = local_day(self._store.speaker.origin()).isoformat()

        def work() -> list[Aside]:
            with self._store.log.alone() as log:
                return [aside for one in _by_segment(log) for aside in set_lines_aside(log, *one, day)]

        return self._store.remade(work)

    def accept_unsigned(self) -> int:
        """Let everything that is in the log now count as this home's; how many decisions that were not are so now."""
        self._must_be_person_of_a_home("vouches for lines", "tacit verify --accept-unsigned")
        with self._store.log.alone() as log:
            found = sum(1 for _ in unvouched_decisions(log))
            if log.signing is not None:
                log.signing.put(log.sizes())
        return found

    def _must_be_person_of_a_home(self, what: str, type_it: str) -> None:
        self._store.speaker.must_be_person(what, type_it)
        if not os.path.isdir(self._store.home.root):
            raise NotFound(f"there is no home at {self._store.home.root}", "tacit init")


def _by_segment(log: Log) -> Sequence[tuple[str, set[int]]]:
    numbers: dict[str, set[int]] = {}
    for one in unvouched_decisions(log):
        numbers.setdefault(one.segment, set()).add(one.number)
    return list(numbers.items())
