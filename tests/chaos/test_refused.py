"""What was refused is not in the log, and an index that fails refuses nothing. The long form is in `make chaos`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.refused import REFUSED, refused


@pytest.mark.parametrize("verb", ["add", "log"])
def test_a_fault_at_any_call_leaves_no_line_that_was_refused(tmp_path: Path, verb: str) -> None:
    found = refused(tmp_path, verb, most=3)
    assert found.faults == ()
    assert found.acknowledged, "every command was refused: this shows nothing"


@pytest.mark.chaos
def test_a_log_that_takes_nothing_back_is_caught(tmp_path: Path) -> None:
    found = refused(tmp_path, "add", on="memory/events.jsonl", mutant="keeps_refused")
    assert any(REFUSED in fault for fault in found.faults)
