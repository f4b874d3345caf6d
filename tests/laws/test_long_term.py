"""The page for people: written and read back it says nothing new, and no text breaks it."""

from __future__ import annotations

import unicodedata

from hypothesis import example, given
from hypothesis import strategies as st

from tacit.model.claim import GLOBAL, Claim, Kind, Triple
from tacit.model.event import ClaimProposed, Event, Verdict
from tacit.pages import long_term
from tacit.pages.long_term import escape, unescape
from tests.laws.filing import noted, steps
from tests.laws.strategies import after, law, logs, wild_texts
from tests.support.pages import parse_entries, render_long_term

HEADINGS = ["# Long-term memory", *(f"## {section}" for section in long_term.SECTIONS)]


def page_of(sentence: str, evidence: str = "") -> list[str]:
    """A page of one memory."""
    claim = Claim(Kind.RULE, GLOBAL, Triple("note", "says", sentence), sentence)
    return render_long_term(noted([after([], ClaimProposed(claim, Verdict.ADDED, "user_direct", evidence))]).values())


@law
@given(wild_texts)
@example("\\u{41} \\n \\( \\")
@example("````~~~~")
def test_an_escaped_text_comes_back(text: str) -> None:
    assert unescape(escape(text)) == text


@law
@given(st.text(st.characters() | st.sampled_from("\\u{}0FD8(<`")))
@example("\\u{FFFFFF}")
def test_whatever_a_person_types_can_be_unescaped(line: str) -> None:
    assert len(unescape(line)) <= len(line)


@law
@given(logs)
def test_a_page_read_back_says_just_what_was_written(log: list[Event]) -> None:
    shown = {claim: one for claim, one in noted(log).items() if long_term.section_of(one)}
    read = list(parse_entries(render_long_term(shown.values())))
    assert {entry.id: (entry.section, entry.text, entry.day) for entry in read} == {
        claim: (long_term.section_of(one), one.memory.claim.sentence, one.memory.shown_day.isoformat())
        for claim, one in shown.items()
    }
    assert len(read) == len(shown)


@law
@given(wild_texts, wild_texts)
@example("a path that ends in C:\\dir\\", "a test")
@example("a backslash at the end \\", "")
@example("the bug (seen 3 times)", "")
@example("two sides (conflict)", "a test")
@example("the verdict (overruled by the court)", "")
@example("it ends in (evidence: itself)", "as (evidence: this)")
def test_a_text_read_back_is_just_that_text(sentence: str, evidence: str) -> None:
    (entry,) = parse_entries(page_of(sentence, evidence))
    assert entry.text == sentence


@law
@given(logs)
def test_a_page_written_again_is_the_same(log: list[Event]) -> None:
    shown = noted(log)
    page = render_long_term(shown.values())
    assert long_term.update_long_term(page, shown.values()) == page
    assert long_term.update_long_term(page, []) == page
    assert render_long_term(reversed(shown.values())) == page


@law
@given(logs.flatmap(steps))
def test_a_page_kept_up_step_by_step_is_the_page_drawn_whole(pieces: list[list[Event]]) -> None:
    log: list[Event] = []
    page = render_long_term([])
    before = noted(log)
    for piece in pieces:
        log += piece
        now = noted(log)
        changed = [one for claim, one in now.items() if before.get(claim) != one]
        page, before = long_term.update_long_term(page, changed, set(before) - set(now)), now
    assert page == render_long_term(before.values())


@law
@given(logs)
def test_no_entry_breaks_out_of_its_line(log: list[Event]) -> None:
    page = render_long_term(noted(log).values())
    assert [line for line in page if line.startswith("#")] == HEADINGS
    for line in page:
        assert line.splitlines() in ([line], [])
        assert not {unicodedata.category(letter) for letter in line} & {"Cc", "Zl", "Zp", "Cs"}


@law
@given(wild_texts, wild_texts)
def test_no_entry_opens_a_fence_or_html(sentence: str, evidence: str) -> None:
    for line in page_of(sentence, evidence):
        plain = line.replace("\\\\", "")
        assert "```" not in plain and "~~~" not in plain
        assert "<" not in plain.replace("\\<", "")
