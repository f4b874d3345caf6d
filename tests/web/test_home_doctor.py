"""The checks run when they are asked for."""

from __future__ import annotations

from harness.person import Person

from tests.web.browsing import Browser


def test_counts_are_shown_and_checks_are_offered(person: Person, browser: Browser) -> None:
    person.tacit("add", "I prefer pnpm")
    page = browser.get("/doctor").visible
    assert "1 memory" in page and "Check everything" in page


def test_findings_say_what_to_type(person: Person, browser: Browser) -> None:
    person.tacit("add", "I prefer pnpm")
    with person.events.open("ab") as file:
        file.write(b"no line of ours\n")
    page = browser.get("/doctor?run=1").visible
    assert "to mend" in page and "tacit doctor --mend" in page
