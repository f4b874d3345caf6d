"""What memory was worth, by week."""

from __future__ import annotations

from harness.person import Person

from tests.support.hook_session import Sitting
from tests.web.browsing import Browser
from tests.web.sessions import write_session


def test_without_sessions_the_page_says_what_it_will_show(browser: Browser) -> None:
    assert "Nothing was told yet" in browser.get("/value").visible


def test_what_was_told_is_counted_and_plotted(person: Person, browser: Browser) -> None:
    person.tacit("add", "never run the build repeatedly because it is heavy")
    assert "heavy" in Sitting(person, "session-1", person.folder).start(TACIT_NOW=person.now)
    write_session(person, "please fix the tests")
    page = browser.get("/value")
    assert "2026-03-02 1 1 0 0" in page.visible
    assert page.text.count("<svg") >= 4 and "Told most" in page.visible
