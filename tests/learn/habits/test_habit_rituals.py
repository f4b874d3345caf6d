"""Pairs and triples chain into the whole ritual."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from tacit.learn.habits.habit import (
    MAX_CHAIN_STEPS,
    Families,
    SequenceCount,
    chain_parts,
    chain_sequences,
    contains,
    is_covered,
    overlaps,
    weakest_count,
)


def steps(text: str) -> Families:
    return tuple(text.split(" → "))


def counted(*sessions: str) -> dict[Families, SequenceCount]:
    """The pairs and triples of sessions that were each run five times."""
    found: dict[Families, SequenceCount] = {}
    for session in sessions:
        families = steps(session)
        for length in (2, 3):
            for at in range(len(families) - length + 1):
                part = families[at : at + length]
                before = found.get(part, SequenceCount(0, 0, ""))
                found[part] = SequenceCount(before.runs + 5, before.sessions + 5, "2026")
    return found


def chained(sequences: dict[Families, SequenceCount]) -> list[str]:
    """Longer sequences begin first, as they do when pairs of a triple are of no worth."""
    found = chain_sequences(
        sequences, lambda families, count: len(families) * count.runs if len(families) == 3 else 0.0
    )
    return [" → ".join(one.families) for one in found]


def test_triples_chain_into_the_ritual_they_are_parts_of() -> None:
    assert chained(counted("lint → test → add → commit → push")) == ["lint → test → add → commit → push"]


def test_a_ritual_has_seven_steps_at_most() -> None:
    (ritual, *_) = chained(counted(" → ".join("abcdefghij")))
    assert len(steps(ritual)) == MAX_CHAIN_STEPS == 7


def test_a_ritual_is_as_strong_as_its_weakest_triple() -> None:
    sequences = counted("a → b → c → d")
    sequences[steps("b → c → d")] = SequenceCount(4, 2, "2025")
    assert weakest_count(steps("a → b → c → d"), sequences) == SequenceCount(4, 2, "2025")


def test_what_follows_only_now_and_then_is_no_part_of_it() -> None:
    sequences = counted(*["a → b → c"] * 4, "a → b → c → d")
    assert chained(sequences) == ["a → b → c"]


def test_it_does_not_go_on_with_looking_around() -> None:
    assert chained(counted("make lint → make test → make dist → git status"))[0] == "make lint → make test → make dist"


def test_a_step_comes_once() -> None:
    (ritual,) = chained(counted("vim → make → pytest → vim → make → pytest → vim → make"))
    assert len(set(steps(ritual))) == len(steps(ritual)) == 3


def test_a_longer_ritual_takes_the_place_of_its_part_only() -> None:
    assert contains(steps("a → b → c → d"), steps("b → c → d"))
    assert not contains(steps("a → b → c → d"), steps("a → c → d"))
    assert not contains(steps("a → b → c"), steps("a → b → c"))


def test_a_decision_covers_what_is_nearly_the_same_and_not_a_ritual_around_it() -> None:
    assert is_covered(steps("b → c → d → e"), steps("a → b → c → d"))
    assert not is_covered(steps("lint → test → add → commit → push → tag"), steps("add → commit → push"))


@given(st.lists(st.lists(st.sampled_from("abcdefghi"), min_size=3, max_size=9, unique=True), min_size=1, max_size=5))
def test_rituals_share_one_step_at_most_and_every_part_was_seen(sessions: list[list[str]]) -> None:
    sequences = counted(*(" → ".join(one) for one in sessions))
    found = chain_sequences(sequences, lambda families, count: len(families) * count.runs)
    for one in found:
        assert len(set(one.families)) == len(one.families) <= MAX_CHAIN_STEPS
        assert all(part in sequences for part in chain_parts(one.families))
    assert not any(overlaps(one.families, other.families) for one, other in combinations(found, 2))
