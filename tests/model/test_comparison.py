"""When the arms of a trial differ, when they do not, and when it is too early to say."""

from __future__ import annotations

import pytest

from tacit.model.comparison import ArmCounts, compare, ending_of
from tacit.model.trial import Ending


def ended(told: tuple[int, int], withheld: tuple[int, int], sessions: int = 0, most: int = 200) -> Ending | None:
    """How a trial ends: each arm as sessions that went badly, of those in which the memory applied."""
    (bad, applied), (other_bad, other) = told, withheld
    return ending_of(ArmCounts(applied, bad), ArmCounts(other, other_bad), sessions, most)


def test_few_sessions_say_nothing_however_clear_they_look() -> None:
    assert compare(ArmCounts(9, 0), ArmCounts(10, 10), 200) is None
    assert ended((0, 9), (10, 10)) is None


def test_what_is_followed_only_when_it_is_told_helps_and_the_other_way_round_it_harms() -> None:
    assert ended((1, 20), (15, 20)) is Ending.HELPS
    assert ended((15, 20), (1, 20)) is Ending.HARMS
    assert ended((6, 20), (10, 20)) is None


def test_arms_that_are_alike_make_no_difference_once_there_are_enough_sessions() -> None:
    assert ended((1, 20), (1, 20)) is None
    assert ended((3, 60), (3, 60)) is Ending.NO_DIFFERENCE
    assert ended((30, 60), (30, 60)) is None  # half of them: chance alone moves such shares too far


def test_the_interval_narrows_with_sessions_and_is_the_mirror_image_of_the_other_arms() -> None:
    first, later = compare(ArmCounts(15, 3), ArmCounts(15, 9), 200), compare(ArmCounts(60, 12), ArmCounts(60, 36), 200)
    mirrored = compare(ArmCounts(60, 36), ArmCounts(60, 12), 200)
    assert first and later and mirrored
    assert first.low < later.low < later.estimate < later.high < first.high
    assert (mirrored.low, mirrored.high) == (-later.high, -later.low)


def test_a_trial_gives_up_after_its_greatest_number_of_sessions() -> None:
    assert ended((50, 99), (40, 100)) is None
    assert ended((50, 100), (40, 100)) is Ending.UNDECIDED
    assert ended((0, 1), (0, 1), sessions=999) is None
    assert ended((0, 1), (0, 1), sessions=1000) is Ending.UNDECIDED


def test_agents_that_avoid_what_a_memory_is_about_are_no_harm() -> None:
    """Told never to force-push, agents push less: three of four sessions that push at all then do it wrongly."""
    told, withheld = ArmCounts(4, 3), ArmCounts(56, 28)
    found = compare(told, withheld, 200)
    assert found and found.is_of_all and found.low > 0
    alike = compare(ArmCounts(28, 3), ArmCounts(32, 28), 200)
    assert alike and not alike.is_of_all


@pytest.mark.parametrize("most", [40, 200, 600])
def test_the_interval_stays_within_what_a_difference_can_be(most: int) -> None:
    for told, withheld in (((0, 30), (30, 30)), ((0, 1), (40, 40)), ((0, 300), (0, 300))):
        found = compare(ArmCounts(*told[::-1]), ArmCounts(*withheld[::-1]), most)
        if found:
            assert -1 <= found.low <= found.estimate <= found.high <= 1
