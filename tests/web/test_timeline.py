"""The timeline: days with sessions and commands, and what was injected."""

from __future__ import annotations

from harness.person import Person

from tests.web.browsing import Browser
from tests.web.sessions import write_session


def test_an_empty_home_says_how_to_record(browser: Browser) -> None:
    assert "Nothing was recorded yet" in browser.get("/timeline").visible


def test_the_last_busy_day_is_shown_with_its_sessions_and_turns(person: Person, browser: Browser) -> None:
    session = write_session(person, "please fix the tests", "and the documents")
    page = browser.get("/timeline")
    assert "1 session" in page.text and f'href="/sessions/{session}?turn=2#turn-2"' in page.text
    assert "src/main.py" in page.visible and "Monday, 2 March 2026" in page.visible
    assert page.text.count('<rect class="heat') == 48 * 7


def test_a_day_without_anything_says_so(person: Person, browser: Browser) -> None:
    write_session(person, "please fix the tests")
    assert "Nothing was recorded on this day" in browser.get("/timeline?day=2026-02-20").visible


def test_a_wrong_day_is_an_error_page(browser: Browser) -> None:
    assert "is no day" in browser.get("/timeline?day=tomorrow", 400).visible
