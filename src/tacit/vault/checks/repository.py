"""The repository one stands in: facts it brought that wait for a decision."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from tacit.core.errors import TacitError
from tacit.log.verify import Finding
from tacit.settings import Settings
from tacit.vault.repository.brought import look_at
from tacit.vault.store import Store


def check(store: Store) -> Iterator[Finding]:
    if store.project is None:
        return
    try:
        with closing(store.fresh_index()) as fresh:
            found = look_at(store, fresh, Settings().limits_text)[0]
    except TacitError as error:
        yield Finding(store.project.facts, error.message, error.hint or "tacit trust --show", False)
        return
    if found.waiting:
        what = f"{len(found.waiting)} facts of the repository wait for your decision; none is believed"
        yield Finding(found.path, what, "tacit trust --show", False)
