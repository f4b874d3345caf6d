"""What comes first (S14): tags, constraints, relevance, kind, strength, recency; ties by id."""

from __future__ import annotations

from itertools import permutations

from tacit.model.claim import Kind, Rankable, brief_key, display_key

TAGS = frozenset({"js", "build"})


def entry(
    name: str,
    kind: Kind = Kind.RULE,
    *,
    tags: tuple[str, ...] = (),
    strength: int = 1,
    last: str = "1",
    relevance: float = 0.0,
) -> Rankable:
    return Rankable(name, kind, tags, strength, last, relevance)


# Each is worth more than the next, for one reason only.
IN_ORDER = (
    entry("two tags", Kind.PREFERENCE, tags=("js", "build")),
    entry("one tag", Kind.PREFERENCE, tags=("js", "other")),
    entry("a constraint", Kind.CONSTRAINT, tags=("other",)),
    entry("about the task", Kind.PREFERENCE, relevance=0.9),
    entry("a little about the task", Kind.PREFERENCE, relevance=0.2),
    entry("a strong rule", strength=3),
    entry("a new rule", last="2"),
    entry("a rule"),
    entry("a rule, later by id"),
    entry("a convention", Kind.CONVENTION, strength=9, last="9"),
    entry("a preference", Kind.PREFERENCE, strength=99, last="9"),
)


def test_a_brief_is_chosen_by_tags_constraints_relevance_kind_strength_and_recency() -> None:
    backwards = IN_ORDER[::-1]
    assert sorted(backwards, key=lambda one: brief_key(one, TAGS)) == list(IN_ORDER)


def test_without_tags_a_constraint_comes_first() -> None:
    first = min(IN_ORDER, key=lambda one: brief_key(one, frozenset()))
    assert first.id == "a constraint"


def test_a_brief_is_read_by_kind_strength_and_recency() -> None:
    expected = [
        entry("a constraint", Kind.CONSTRAINT),
        entry("a strong rule", strength=3),
        entry("a new rule", last="2"),
        entry("a rule"),
        entry("b rule"),
        entry("a preference", Kind.PREFERENCE, strength=9, relevance=1.0, tags=("js",)),
    ]
    for order in permutations(expected):
        assert sorted(order, key=display_key) == expected
