"""What a person changed, told from what lies there: nothing where nobody edited, nothing twice, nothing that raises."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tacit.model.hand_edits import AddedLine, ChangedLine, IgnoredLine, PageEdit, RedrawnLine, RemovedLine
from tacit.pages import facts, hand_edits, long_term
from tacit.pages.merge import LineKey, base_with_read_edits, base_with_unread_edits, merge
from tests.laws.filing import noted
from tests.laws.strategies import law, logs, wild_texts
from tests.support.pages import render_long_term

Read = Callable[[Sequence[str] | None, Sequence[str]], list[PageEdit]]
Lines = st.SearchStrategy[list[str]]
IDS = tuple(f"{number:012d}" for number in range(5))
HEADINGS = tuple(f"## {section}" for section in long_term.SECTIONS[::3])
bullets = st.builds(
    lambda words, name, tail: f"- {words}{name}{tail}",
    st.sampled_from(("2026-01-01: use pnpm", "use npm", "2026-01-01: I prefer tabs (evidence: a talk)", "")),
    st.sampled_from(("", *(f" ^{name}" for name in IDS))),
    st.sampled_from(("", "", "\r", " ")),
)
own = st.sampled_from(("", "my own words", "### Style", "<<<<<<< HEAD", "=======", ">>>>>>> branch", "* be kind"))
any_page = st.lists(st.sampled_from(HEADINGS) | bullets | own | wild_texts, max_size=12)
drawn_facts = st.builds(
    lambda name, text: f'{{"id": "{name}", "ts": "2026", "canonical": "{text}", "tags": []}}',
    st.sampled_from(IDS),
    st.sampled_from(("use pnpm", "use npm", "I prefer tabs")),
)
any_facts = st.lists(
    drawn_facts | wild_texts | st.sampled_from(("{}", "[1]", '{"canonical": 7}', "[" * 2000)), max_size=8
)


def drawn(page: Sequence[str]) -> list[str]:
    """As Tacit may have drawn it: every heading and every id once, and nothing else."""
    below: dict[str, list[str]] = {heading: [] for heading in HEADINGS}
    heading, seen = HEADINGS[0], set()
    for line in page:
        name = long_term.entry_id(line)
        heading = line if line in below else heading
        if line.startswith("- ") and name and name not in seen and long_term.parse_entry("", line):
            seen.add(name)
            below[heading].append(line)
    return [line for heading, lines in below.items() for line in (heading, *lines)]


def drawn_file(lines: Sequence[str]) -> list[str]:
    return list({facts.fact_id(line): line for line in lines if line.startswith('{"id"')}.values())


@law
@given(logs)
def test_a_page_that_nobody_edited_has_no_edits(log: list[object]) -> None:
    shown = noted(log).values()  # type: ignore[arg-type]
    page, file = render_long_term(shown), facts.update_facts([], shown)
    assert hand_edits.long_term_edits(page, page) == []
    assert hand_edits.fact_edits(file, file) == []


each_file = pytest.mark.parametrize(
    ("read", "key", "lines", "as_drawn"),
    [
        (hand_edits.long_term_edits, long_term.entry_id, any_page, drawn),
        (hand_edits.fact_edits, facts.fact_id, any_facts, drawn_file),
    ],
    ids=["page", "fact file"],
)


@each_file
@law
@given(data=st.data())
def test_any_file_can_be_read(
    read: Read, key: LineKey, lines: Lines, as_drawn: Callable[[list[str]], list[str]], data: st.DataObject
) -> None:
    base, theirs = data.draw(lines), data.draw(lines)
    for before in (None, base):
        for edit in read(before, theirs):
            assert edit.line in {*theirs, *(before or ())}


def test_a_page_of_oddities_can_be_read() -> None:
    assert hand_edits.long_term_edits([], ["- \\u{110000}", "-  ^000000000000", "#", "- (evidence: "])


def read_lines(found: Sequence[PageEdit]) -> set[str]:
    """What `tacit sync` calls read: every edit but those that stay as they are."""
    left = {edit.line for edit in found if isinstance(edit, IgnoredLine)}
    before = {edit.old_line for edit in found if isinstance(edit, ChangedLine | RedrawnLine)}
    return ({edit.line for edit in found} | before) - left


@each_file
@law
@given(data=st.data())
def test_what_was_read_is_not_read_again(
    read: Read, key: LineKey, lines: Lines, as_drawn: Callable[[list[str]], list[str]], data: st.DataObject
) -> None:
    base, theirs = as_drawn(data.draw(lines)), data.draw(lines)
    found = read(base, theirs)
    taken = read_lines(found)
    again = read(base_with_read_edits(base, theirs, taken, key=key), theirs)
    left = {edit.line for edit in found if isinstance(edit, IgnoredLine)}
    assert [edit for edit in again if not isinstance(edit, IgnoredLine | RedrawnLine) and edit.line not in left] == []


def _said(found: Sequence[PageEdit]) -> set[tuple[object, ...]]:
    """Of edits what they say, without the lines that Tacit draws anew."""
    said: set[tuple[object, ...]] = set()
    for edit in found:
        match edit:
            case AddedLine(text=text, kind=kind, is_active=holds):
                said.add(("added", text, kind, holds))
            case ChangedLine(claim=claim, text=text, kind=kind, status=status):
                said.add(("changed", claim, text, kind, status))
            case RemovedLine(claim=claim):
                said.add(("removed", claim))
    return said


@law
@given(any_page.map(drawn), any_page)
@example(
    drawn(["- 0 ^000000000000"]),
    ["## Project Conventions", "- 00 ^000000000000", "## Constraints", "- 00 ^000000000000"],
)
def test_drawing_a_page_again_says_no_more_and_no_less(base: list[str], theirs: list[str]) -> None:
    found = hand_edits.long_term_edits(base, theirs)
    for _ in range(3):
        merged = merge(base, base, theirs, key=long_term.entry_id)
        base, theirs = base_with_unread_edits(base, base, theirs, key=long_term.entry_id), merged
        assert _said(hand_edits.long_term_edits(base, theirs)) == _said(found)


@law
@given(any_page.map(drawn), any_page.map(drawn), any_page)
def test_what_a_person_typed_is_still_there_whatever_is_drawn(
    base: list[str], mine: list[str], theirs: list[str]
) -> None:
    merged = merge(base, mine, theirs, key=long_term.entry_id)
    typed = {line for line in theirs if line not in base and line.strip() and not line.startswith("#")}
    assert typed <= set(merged)
