"""Guards are planned, switched on and off."""

from __future__ import annotations

from harness.person import Person

from tests.web.browsing import Browser

RULE = "never use npm here, use pnpm"


def test_without_guards_the_page_says_how_to_make_one(browser: Browser) -> None:
    assert "No rule stops an agent" in browser.get("/guards").visible


def test_a_guard_is_shown_before_it_is_switched_on(person: Person, browser: Browser) -> None:
    person.tacit("add", RULE)
    page = browser.get(f"/guards?memory={person.id_of(RULE)}")
    assert "Switch on a guard?" in page.visible and "It would have stopped 0 commands" in page.visible
    after = browser.press(page, "on", decision="deny")
    assert "Switched on" in after.visible
    assert [guard["decision"] for guard in person.tacit("guard", "list", "--json").json] == ["deny"]
    assert "Switched off" in browser.press(browser.get("/guards"), "off").visible
    assert person.tacit("guard", "list", "--json").json == []


def test_a_memory_that_cannot_be_a_guard_is_an_error_page(person: Person, browser: Browser) -> None:
    person.tacit("add", "be kind to reviewers")
    assert browser.get(f"/guards?memory={person.id_of('be kind to reviewers')}", 409).status == 409


def test_a_wrong_decision_is_refused(person: Person, browser: Browser) -> None:
    person.tacit("add", RULE)
    page = browser.get(f"/guards?memory={person.id_of(RULE)}")
    assert "there is no decision" in browser.press(page, "on", decision="explode").visible
