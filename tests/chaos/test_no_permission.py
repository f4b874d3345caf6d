"""What may not be written is not written, and said so; what may be read is read. The long form is in `make chaos`."""

from __future__ import annotations

import pytest

from tests.chaos.no_permission import DENIALS, denied, is_root


@pytest.mark.parametrize("verb", ["recall", "add"])
def test_without_rights_questions_are_answered_and_changes_refused(verb: str) -> None:
    found = denied(verbs=[verb])
    assert found.runs == len(DENIALS)
    assert found.faults == ()


@pytest.mark.chaos
@pytest.mark.skipif(not is_root(), reason="only root can do what nobody may")
def test_somebody_whom_nothing_is_denied_to_is_caught() -> None:
    assert any("not refused" in fault for fault in denied(verbs=["add"], as_root=True).faults)
