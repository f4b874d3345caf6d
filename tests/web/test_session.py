"""The page of a session: turns, calls, files and what was injected."""

from __future__ import annotations

from harness.person import Person

from tests.web.browsing import Browser
from tests.web.sessions import write_session


def test_turns_show_prompts_replies_calls_and_files(person: Person, browser: Browser) -> None:
    session = write_session(person, "please fix the tests", "and the documents", reply="Both are fixed.")
    page = browser.get(f"/sessions/{session}?turn=2")
    for text in ("please fix the tests", "and the documents", "Both are fixed.", "make test", "src/main.py", "Turn 2"):
        assert text in page.visible
    assert 'class="turn is-target" id="turn-2"' in page.text


def test_an_event_chooses_its_turn(person: Person, browser: Browser) -> None:
    session = write_session(person, "one thing", "another thing")
    with person.vault() as vault:
        turn = vault.sessions.session(session)[1].turns[1]
    assert 'class="turn is-target" id="turn-2"' in browser.get(f"/sessions/{session}?event={turn.event}").text


def test_long_sessions_are_paginated(person: Person, browser: Browser) -> None:
    session = write_session(person, *(f"request number {number}" for number in range(1, 26)))
    assert "request number 25" not in browser.get(f"/sessions/{session}").visible.partition("Turn 1")[2]
    assert "Turn 25" in browser.get(f"/sessions/{session}?turn=25").visible
    assert "Page 2 of 2" in browser.get(f"/sessions/{session}?page=2").visible


def test_a_session_that_does_not_exist_is_an_error_page(browser: Browser) -> None:
    assert "there is no session" in browser.get("/sessions/zzzz", 404).visible
