"""Search shows what `tacit recall` answers, and without a query the latest memories."""

from __future__ import annotations

from harness.person import Person

from tests.web.browsing import Browser
from tests.web.sessions import write_session


def test_an_empty_home_says_how_to_add_a_memory(browser: Browser) -> None:
    assert "tacit add" in browser.get("/search").visible


def test_a_memory_is_found_and_linked(person: Person, browser: Browser) -> None:
    person.tacit("add", "never run the build repeatedly because it is heavy")
    memory = person.id_of("never run the build repeatedly because it is heavy")
    page = browser.get("/search?q=heavy+build")
    assert f'href="/memories/{memory}"' in page.text and "1 answer" in page.visible


def test_the_passage_of_a_session_is_marked_and_opens_at_its_turn(person: Person, browser: Browser) -> None:
    session = write_session(person, "the total in checkout is off by one cent")
    page = browser.get("/search?q=checkout+cent")
    assert "<mark>checkout</mark>" in page.text
    assert f'href="/sessions/{session}?turn=1#turn-1"' in page.text


def test_a_fragment_has_only_the_results(person: Person, browser: Browser) -> None:
    person.tacit("add", "I prefer pnpm")
    fragment = browser.get("/search?q=pnpm&fragment=1").text
    assert "I prefer pnpm" in fragment and "<html" not in fragment


def test_questions_are_not_recorded(person: Person, browser: Browser) -> None:
    person.tacit("add", "I prefer pnpm")
    browser.get("/search?q=pnpm&fragment=1")
    with person.vault() as vault:
        assert vault.status().asked == 0


def test_memories_are_listed_by_status(person: Person, browser: Browser) -> None:
    person.tacit("add", "I prefer pnpm")
    person.tacit("add", "use tabs in makefiles")
    person.tacit("forget", person.id_of("I prefer pnpm"))
    assert "I prefer pnpm" not in browser.get("/search").visible
    assert "I prefer pnpm" in browser.get("/search?status=retired").visible
    assert "I prefer pnpm" in browser.get("/search?q=pnpm&status=retired").visible
    assert "I prefer pnpm" not in browser.get("/search?q=pnpm").visible


def test_a_project_can_be_searched_alone(person: Person, browser: Browser) -> None:
    for name in ("shop", "site"):
        person.tacit("add", "--private", f"deploy the {name} on fridays", cwd=person.repository(name))
    page = browser.get("/search?q=deploy&project=shop").visible
    assert "deploy the shop" in page and "deploy the site" not in page


def test_lists_are_paginated(person: Person, browser: Browser) -> None:
    with person.vault() as vault:
        for number in range(55):
            vault.add(f"rule number {number} is about topic{number}")
    assert "55 memories" in browser.get("/search").visible
    assert browser.get("/search").text.count('class="hit"') == 50
    assert browser.get("/search?page=2").text.count('class="hit"') == 5


def test_a_filter_that_does_not_exist_is_an_error_page(browser: Browser) -> None:
    assert "no such kind" in browser.get("/search?q=x&kind=nonsense", 400).visible
