"""The law of folding is tried on the log of the home."""

from __future__ import annotations

import pytest
from harness.person import Person

from tacit.model.memory import fold_memories
from tacit.vault.checks import views
from tests.support.findings import findings


def test_a_fold_that_depends_on_the_order_of_lines_is_told(home: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "fold_memories", lambda events: dict(fold_memories(list(events)[:2])))
    found = [str(one["what"]) for one in findings(home)]
    assert "the order of lines changes what is remembered" in found
    assert "the index and the log disagree on what is remembered" in found
