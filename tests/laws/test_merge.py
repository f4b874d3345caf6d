"""Three sides of a page: what a person added, changed or took out stays so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from tacit.pages import long_term
from tacit.pages.merge import merge
from tests.laws.strategies import law

IDS = tuple(f"{number:012d}" for number in range(8))
any_lines = st.lists(st.sampled_from(("", "## Rules", "- a ^000000000001", "- b ^000000000001", "text")), max_size=8)


class Page(NamedTuple):
    """What Tacit wrote, and what a person left of it."""

    base: list[str]
    theirs: list[str]
    added: list[str]
    removed: list[str]
    changed: list[str]


def line(name: str, words: str) -> str:
    return f"- 2024-01-01: {words} ^{name}"


@st.composite
def edited_pages(draw: st.DrawFn) -> Page:
    base = ["# Title", *(line(name, "as written") for name in IDS[: draw(st.integers(0, 6))])]
    page = Page(base, [], [], [], [])
    for at, written in enumerate(base):
        if draw(st.booleans()):
            fresh = f"a line of mine, number {at}"
            page.added.append(fresh)
            page.theirs.append(fresh)
        _keep(page, written, draw(st.sampled_from(("keep", "keep", "remove", "change"))))
    return page


def _keep(page: Page, written: str, fate: str) -> None:
    if fate == "remove":
        page.removed.append(written)
    elif fate == "change" and written.startswith("- "):
        page.changed.append(written.replace("as written", "as I would say it"))
        page.theirs.append(page.changed[-1])
    else:
        page.theirs.append(written)


def merged(base: Sequence[str] | None, mine: Sequence[str], theirs: Sequence[str]) -> list[str]:
    return merge(base, mine, theirs, key=long_term.entry_id)


# What Tacit wants to write next: some of the old lines, some of them with other words, and new ones.
next_pages = st.lists(
    st.tuples(st.sampled_from(IDS), st.sampled_from(("as written", "as it is now"))), unique_by=lambda one: one[0]
).map(lambda lines: ["# Title", *(line(*one) for one in sorted(lines))])


@law
@given(any_lines, any_lines)
def test_where_nobody_edited_the_new_page_is_written_as_it_is(base: list[str], mine: list[str]) -> None:
    assert merged(base, mine, base) == mine


@law
@given(edited_pages())
def test_with_nothing_new_to_say_the_page_stays_as_the_person_left_it(page: Page) -> None:
    assert merged(page.base, page.base, page.theirs) == page.theirs


@law
@given(edited_pages(), next_pages)
def test_lines_a_person_added_or_changed_are_kept(page: Page, mine: list[str]) -> None:
    result = merged(page.base, mine, page.theirs)
    assert set(page.added) <= set(result)
    written = {long_term.entry_id(one) for one in mine}
    assert {one for one in page.changed if long_term.entry_id(one) in written} <= set(result)


@law
@given(edited_pages(), next_pages)
def test_an_entry_a_person_took_out_stays_out_while_nothing_new_is_said_of_it(page: Page, mine: list[str]) -> None:
    entries = {one for one in page.removed if one.startswith("- ")}
    assert not entries & set(merged(page.base, mine, page.theirs))


@law
@given(edited_pages(), next_pages)
def test_what_is_new_is_written_and_no_line_comes_twice(page: Page, mine: list[str]) -> None:
    result = merged(page.base, mine, page.theirs)
    untouched = set(mine) - set(page.removed) - {line(name, "as it is now") for name in IDS}
    assert untouched - {one.replace("as I would say it", "as written") for one in page.changed} <= set(result)
    known = [long_term.entry_id(one) for one in result if long_term.entry_id(one)]
    assert len(known) == len(set(known))


@law
@given(edited_pages(), next_pages)
def test_without_a_copy_of_the_last_page_nothing_of_theirs_is_lost(page: Page, mine: list[str]) -> None:
    result = merged(None, mine, page.theirs)
    assert set(page.theirs) <= set(result)
    assert {long_term.entry_id(one) for one in mine} <= {long_term.entry_id(one) for one in result}


def test_a_copied_line_that_was_reworded_is_kept_beside_its_original() -> None:
    original, copy = line(IDS[0], "as written"), line(IDS[0], "a second rule, typed over a copy of the first")
    for theirs in ([original, copy], [copy, original]):
        assert sorted(merged([original], [original], theirs)) == sorted([original, copy])
