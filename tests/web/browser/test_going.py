"""Every page is reached with two keys or a dialog, from everywhere; checks show how far they are and can be left."""

from __future__ import annotations

import fcntl
import json
import re
from urllib.parse import urljoin

import pytest
from harness.person import Person
from playwright.sync_api import expect

from tests.web.browser.visits import Visitor
from tests.web.sessions import write_session

GOES = {
    **{"i": "/", "h": "/", "m": "/search", "s": "/timeline", "w": "/habits", "v": "/value", "c": "/conflicts"},
    **{"t": "/trust", "g": "/guards", "d": "/doctor", "e": "/settings"},
}


def test_g_and_a_letter_go_to_a_page_and_the_help_lists_them(visitor: Visitor) -> None:
    page = visitor.open("/settings")
    for key, path in GOES.items():
        page.keyboard.press("Escape")  # the page to search on begins in its field
        page.keyboard.press("g")
        page.keyboard.press(key)
        expect(page).to_have_url(f"{visitor.server.access.origin}{path}")
        expect(page.locator("main")).to_have_attribute("data-page", path)
    page.keyboard.press("?")
    listed = page.locator("#keys dt").all_inner_texts()
    assert {f"g {key}" for key in GOES} <= {" ".join(text.split()) for text in listed}


def test_g_in_a_field_is_a_letter_and_alone_it_does_nothing(person: Person, visitor: Visitor) -> None:
    with person.vault() as vault:
        vault.memories.suggest("the service listens on port 8000", evidence="seen")
    page = visitor.open("/search")
    page.locator("#query").press_sequentially("gs")
    expect(page).to_have_url(re.compile("/search"))
    page.goto(f"{visitor.server.access.origin}/")
    page.keyboard.press("g")
    page.wait_for_timeout(1700)
    page.keyboard.press("s")  # too late: it skips, as alone
    expect(page.locator(".chip", has_text="skipped")).to_be_visible()


@pytest.mark.parametrize("key", ["Control+k", "Meta+k"])
def test_a_dialog_opens_in_a_field_and_goes_to_a_page(visitor: Visitor, key: str) -> None:
    page = visitor.open("/search")
    page.locator("#query").press("x")
    page.keyboard.press(key)
    expect(page.locator("#wanted")).to_be_focused()
    page.keyboard.type("hab")
    expect(page.locator("#palette .targets li:visible")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/habits$"))


def test_the_dialog_finds_what_is_searched(person: Person, visitor: Visitor) -> None:
    person.tacit("add", "the importer keeps its cache for a week")
    page = visitor.open("/trust")
    address = page.url
    page.keyboard.press("Control+k")
    page.keyboard.type("importer")
    link = page.locator("#found a", has_text="keeps its cache")
    expect(link).to_be_visible()
    assert page.url == address
    page.keyboard.press("ArrowDown")
    expect(link).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(page.locator("#wanted")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#palette")).to_be_hidden()
    page.keyboard.press("Control+k")
    expect(page.locator("#wanted")).to_have_value("")
    page.keyboard.type("importer cache")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/search\?q=importer"))


def test_checks_show_how_far_they_are_and_can_be_left(person: Person, visitor: Visitor) -> None:
    person.tacit("add", "I prefer pnpm")
    with (person.home / ".tacit" / "capturing.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # a check waits two seconds for it
        page = visitor.open("/doctor")
        page.get_by_role("link", name="Check everything").click()
        expect(page.locator(".is-running")).to_contain_text("Checking")
        page.goto(f"{visitor.server.access.origin}/search")  # other pages are answered meanwhile
        expect(page.locator("#results")).to_contain_text("I prefer pnpm")
        page.goto(f"{visitor.server.access.origin}/doctor")
        expect(page.locator(".is-running")).to_contain_text("the locks", ignore_case=True)
        expect(page.locator("#findings")).to_be_visible(timeout=30_000)  # without a reload
    expect(page.locator("#checks")).to_contain_text("another process has held it")
    expect(page.get_by_role("link", name="Check again")).to_be_visible()


def test_every_page_links_to_its_json_also_after_a_change(person: Person, visitor: Visitor) -> None:
    person.tacit("add", "I prefer pnpm")
    with person.vault() as vault:
        for text in ("tests run with make", "deploys need two people"):
            vault.memories.suggest(text, evidence="seen")
    page = visitor.open("/")

    def linked() -> list[str]:
        href = page.locator(".side a.json").get_attribute("href") or ""
        answer = page.request.get(urljoin(visitor.server.access.origin, href))
        assert answer.headers["content-type"] == "application/json"
        return [entry["text"] for entry in json.loads(answer.text())]

    first = linked()
    assert len(first) == 2
    visitor.press("a")
    assert linked() == first[1:]
    expect(page.locator(".side a.json")).to_have_attribute("href", re.compile(f"card={visitor.card}"))
    page.goto(f"{visitor.server.access.origin}/search")
    page.locator("#query").press_sequentially("pnpm")
    expect(page).to_have_url(re.compile("q=pnpm"))
    expect(page.locator(".side a.json")).to_have_attribute("href", re.compile("q=pnpm.*format=json"))
    assert linked() == ["I prefer pnpm"]


def test_markdown_of_a_session_is_shown_and_loads_and_runs_nothing(person: Person, visitor: Visitor) -> None:
    reply = (
        "## What I did\n\n1. ran **make** with `-j2`\n2. read [the docs](https://evil.example/x)\n\n"
        "![pixel](http://evil.example/p.png) <img src=http://evil.example/q.png onerror=alert(1)>\n"
        "[click](javascript:alert(1))\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nalert('<b>')\n```\n"
    )
    session = write_session(person, "please fix the zebra importer", reply=reply)
    page = visitor.open(f"/sessions/{session}")
    said = page.locator(".say:not(.say-person) .said").last
    expect(said.locator("h3")).to_have_text("What I did")
    expect(said.locator("li")).to_have_count(2)
    expect(said.locator("li strong")).to_have_text("make")
    expect(said.locator("li code")).to_have_text("-j2")
    expect(said.locator("td")).to_have_text(["1", "2"])
    expect(said.locator("pre")).to_have_text("alert('<b>')")
    expect(said).to_contain_text("the docs (https://evil.example/x)")
    expect(said).to_contain_text("click (javascript:alert(1))")
    expect(said.locator("a, img, script")).to_have_count(0)
    page = visitor.open("/search?q=zebra+importer+make")
    expect(page.locator(".hit").first).to_contain_text("zebra")
    visitor.check()  # nothing was asked for elsewhere, and the policy had nothing to refuse
