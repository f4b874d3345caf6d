"""Conflicts are resolved as `tacit conflicts` does it."""

from __future__ import annotations

from harness.person import Person

from tests.web.browsing import Browser


def test_without_conflicts_the_page_explains_the_rule(browser: Browser) -> None:
    assert "No conflicts" in browser.get("/conflicts").visible


def test_one_of_two_is_kept(person: Person, browser: Browser) -> None:
    person.tacit("add", "I prefer pnpm")
    person.tacit("add", "I prefer npm")
    page = browser.get("/conflicts")
    assert "the newest wins" in page.visible
    fields = {**page.form("keep"), "action": "keep", "id": person.id_of("I prefer pnpm")}
    after = browser.post("/conflicts", fields)
    assert "Kept: I prefer pnpm" in after.visible and "forgot: I prefer npm" in after.visible
    assert [memory["text"] for memory in person.listed()] == ["I prefer pnpm"]


def test_both_can_hold(person: Person, browser: Browser) -> None:
    person.tacit("add", "I prefer pnpm")
    person.tacit("add", "I prefer npm")
    after = browser.press(browser.get("/conflicts"), "keep_both")
    assert "Both hold" in after.visible and "No conflicts" in after.visible


def test_an_unknown_action_is_refused(person: Person, browser: Browser) -> None:
    person.tacit("add", "I prefer pnpm")
    person.tacit("add", "I prefer npm")
    fields = {**browser.get("/conflicts").form("keep"), "action": "explode"}
    assert "there is no action" in browser.post("/conflicts", fields).visible
