"""The three-way merge of fact files: nothing is lost or invented, whoever merges what into what."""

from __future__ import annotations

import json
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tacit.pages.facts import fact_id, fact_words, merge_facts, resolve_conflicts
from tacit.pages.merge import Side, find_conflicts, split_conflicts, without_markers
from tests.laws.strategies import law

IDS = [letter * 12 for letter in "abcde"]
TEXTS = ["# a comment", '{"canonical": "a fact without an id"}', "not json", '{"id": "bbbb', "[1]"]


def fact(name: str, words: str, strength: int = 1, day: int = 1) -> str:
    ts = f"2026-03-0{day}T00:00:00.000000Z"
    fields = {"id": name, "ts": ts, "canonical": words, "strength": strength, "dedupe_key": words}
    return json.dumps(fields)


facts = st.builds(fact, st.sampled_from(IDS), st.sampled_from(["x", "y", "z"]), st.integers(1, 3), st.integers(1, 3))
versions = st.lists(facts | st.sampled_from(TEXTS), max_size=7, unique_by=lambda line: fact_id(line) or line)
torn_versions = st.builds(lambda lines, at: [line[:at] for line in lines], versions, st.integers(1, 30))


def kept(lines: list[str]) -> Counter[str]:
    return Counter(without_markers(lines))


def parts(lines: list[str], *, swapped: bool = False) -> list[str]:
    """The parts of a file in no order; the sides of conflicts may be exchanged."""
    found = split_conflicts(lines)
    order = -1 if swapped else 1
    return sorted(part if isinstance(part, str) else repr((part.ours, part.theirs)[::order]) for part in found)


@law
@given(versions, versions, versions)
def test_who_merges_makes_no_difference(base: list[str], ours: list[str], theirs: list[str]) -> None:
    one, other = merge_facts(base, ours, theirs), merge_facts(base, theirs, ours)
    assert one.conflicts == other.conflicts == len(find_conflicts(one.lines))
    assert parts(one.lines) == parts(other.lines, swapped=True)


@law
@given(versions, versions)
def test_a_merge_of_the_same_or_of_one_change_is_that(base: list[str], ours: list[str]) -> None:
    for merged in (merge_facts(base, ours, ours), merge_facts(base, ours, base), merge_facts(base, base, ours)):
        assert (kept(merged.lines), merged.conflicts) == (Counter(ours), 0)


@law
@given(versions, versions, versions)
def test_merging_again_changes_nothing(base: list[str], ours: list[str], theirs: list[str]) -> None:
    once = merge_facts(base, ours, theirs)
    if not once.conflicts:
        assert merge_facts(base, once.lines, theirs) == once
        assert merge_facts(once.lines, once.lines, once.lines) == once


@law
@given(versions | torn_versions, versions, versions)
def test_no_line_is_invented_and_no_id_stands_twice_outside_of_markers(
    base: list[str], ours: list[str], theirs: list[str]
) -> None:
    merged = merge_facts(base, ours, theirs)
    assert set(kept(merged.lines)) <= {*ours, *theirs}
    outside = [fact_id(part) for part in split_conflicts(merged.lines) if isinstance(part, str)]
    assert max(Counter(filter(None, outside)).values(), default=1) == 1


@law
@given(versions | torn_versions, versions, versions)
def test_nothing_is_lost_but_what_somebody_removed_or_replaced(
    base: list[str], ours: list[str], theirs: list[str]
) -> None:
    left = kept(merge_facts(base, ours, theirs).lines)
    for line in {*ours, *theirs} - set(base):
        words = {fact_words(other) for other in left if fact_id(other)}
        assert line in left or (fact_id(line) and fact_words(line) in words) or _is_restated(line, base, left)


def _is_restated(line: str, base: list[str], left: Counter[str]) -> bool:
    """Whether a line only restated what the base says, and the other side has new words for it."""
    old = [fact_words(other) for other in base if fact_id(other) == fact_id(line)]
    return fact_words(line) in old and fact_id(line) in map(fact_id, left)


@law
@given(versions, versions)
def test_without_a_base_that_can_be_read_both_sides_stay(ours: list[str], theirs: list[str]) -> None:
    torn = [f'{{"id": "{name}", "ts": "20' for name in IDS]
    merged = merge_facts(torn, ours, theirs)
    assert merged == merge_facts([], ours, theirs)
    for line in (*ours, *theirs):
        said = [fact_words(other) for other in merged.lines if fact_id(other)]
        assert line in merged.lines or fact_words(line) in said


@law
@given(versions, versions, versions, st.sampled_from(Side))
def test_a_choice_leaves_no_marker_and_both_leaves_every_wording(
    base: list[str], ours: list[str], theirs: list[str], side: Side
) -> None:
    merged = merge_facts(base, ours, theirs)
    resolved = resolve_conflicts(merged.lines, [side] * merged.conflicts)
    assert find_conflicts(resolved) == []
    assert set(resolved) <= set(merged.lines)
    if side is Side.BOTH:
        assert set(resolved) == set(without_markers(merged.lines))
    assert resolve_conflicts(merged.lines, []) == merged.lines
