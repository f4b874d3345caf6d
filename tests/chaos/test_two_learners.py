"""Whoever learns at the same time as others: each thing is suggested once, as strong as it was said often.

The long form is in `make chaos`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tacit.learn import sessions
from tests.chaos.two_learners import two_learners


def test_several_that_learn_at_once_suggest_each_thing_once(tmp_path: Path) -> None:
    found = two_learners(tmp_path, rounds=1)

    assert found.faults == ()
    assert found.acknowledged == 4


@pytest.mark.chaos
def test_a_learner_that_does_not_know_what_it_said_already_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "_is_proposal_from", lambda _event, _row: False)

    assert two_learners(tmp_path, rounds=1).faults
