"""The coin of a trial: half of all sessions, the same for everybody who computes it."""

from __future__ import annotations

from tacit.model.coin import is_treated

SEED, OTHER = "0123456789abcdef0123", "fedcba98765432100123"


def test_half_of_all_sessions_are_told_and_another_seed_tells_others() -> None:
    names = [f"session {number}" for number in range(2000)]
    told, others = ({name for name in names if is_treated(seed, "claude", name)} for seed in (SEED, OTHER))
    assert 900 < len(told) < 1100 and 400 < len(told & others) < 600


def test_the_coin_is_the_one_that_is_documented() -> None:
    """Another program may check it: FORMAT.md says how, with these sessions."""
    assert [is_treated(SEED, "claude", name) for name in ("a", "b", "c", "d")] == [False, False, True, False]


def test_a_session_without_a_name_takes_no_part() -> None:
    assert is_treated(SEED, "claude", "") and is_treated(OTHER, "codex", "")
