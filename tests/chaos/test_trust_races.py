"""A fact file that is rewritten while it is looked at: only what was shown is believed. Longer in `make chaos`."""

from __future__ import annotations

import pytest

from tests.chaos.apart import folder_in_memory
from tests.chaos.trust_races import races


def test_only_what_was_shown_is_believed() -> None:
    with folder_in_memory() as folder:
        found = races(folder, 50)
    assert found.acknowledged > 0, "nothing was ever accepted: this shows nothing"
    assert found.faults == ()


@pytest.mark.chaos
def test_accepting_what_lies_there_is_caught() -> None:
    """The mutant looks again after the yes. On a busy machine the attacker may need more tries to come between."""
    with folder_in_memory() as folder:
        assert any(races(folder / str(trial), 500, careless=True).faults for trial in range(8))
