"""Every page answers, also in an empty home, and each is in the navigation or reached by a link."""

from __future__ import annotations

import pytest
from harness.example_home import END, ExampleHome
from harness.person import Person

from tacit.web.app import ROUTES
from tests.web.browsing import Browser, running_server
from tests.web.test_rendering import assert_harmless

PAGES = [route.path for route in ROUTES if route.show is not None and "{" not in route.path and route.path != "/bulk"]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_of_an_empty_home_says_what_to_do(browser: Browser, path: str) -> None:
    page = browser.get(path)
    assert_harmless(page)
    assert f'href="{path}" aria-current="page"' in page.text


def test_every_page_of_a_home_in_use_answers(person: Person) -> None:
    example = ExampleHome(person.folder)
    example.make()
    person.now = END.isoformat()
    with running_server(person) as browser:
        browser.open()
        seen: set[str] = set()
        waiting = [*PAGES]
        while waiting and len(seen) < 150:
            path = waiting.pop(0)
            if path in seen or path.startswith(("/static", "/guards?memory")):
                continue
            seen.add(path)
            answer = browser.get(path)
            assert_harmless(answer)
            links = [attributes["href"].partition("#")[0] for name, attributes in answer.elements if name == "a"]
            waiting += [link for link in links if link.startswith("/") and link not in seen]
        assert {path.split("/")[1].partition("?")[0] for path in seen} >= {"memories", "sessions", "timeline", "bulk"}


def test_an_unknown_page_is_an_error_page_in_the_frame(browser: Browser) -> None:
    page = browser.get("/nothing", 404)
    assert "There is no such page" in page.visible and "<nav" in page.text


def test_a_home_whose_settings_are_broken_says_so(person: Person, browser: Browser) -> None:
    person.tacit("add", "I prefer pnpm")
    (person.home / "tacit.toml").write_text("recall = [\n")
    assert "tacit.toml" in browser.send("GET", "/").text
