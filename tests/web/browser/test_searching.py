"""Search as one types, the session at the turn that matched, and everything without a script."""

from __future__ import annotations

import re

from harness.browser import sign_in
from harness.person import Person
from playwright.sync_api import BrowserContext, Route, expect

from tests.web.browser.visits import Visitor
from tests.web.sessions import write_session

ASKED = [f"please change part {number} of the importer" for number in range(1, 12)]
RULE = "the importer keeps its cache for a week"


def fill(person: Person) -> str:
    """Add a memory, a candidate and a session. Return the id of the session."""
    person.tacit("add", RULE)
    person.tacit("add", "--candidate", "imports run at night", "--evidence", "the crontab")
    return write_session(person, *ASKED, "the zebra crossing is painted wrongly, look at it")


def test_answers_follow_the_typing_and_open_the_session_at_the_turn(person: Person, visitor: Visitor) -> None:
    session = fill(person)
    page = visitor.open("/")
    page.keyboard.press("/")
    page.keyboard.type("cache")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/search\?q=cache"))
    expect(page.locator("#results")).to_contain_text(RULE)
    page.locator("#query").fill("")
    page.locator("#query").press_sequentially("zebra crossing", delay=15)
    hit = page.locator(".hit").first
    expect(hit).to_contain_text("painted wrongly")
    expect(hit.locator("mark").first).to_be_visible()
    expect(page).to_have_url(re.compile(r"q=zebra"))
    hit.get_by_role("link").first.click()
    expect(page).to_have_url(re.compile(rf"/sessions/{session}\?turn={len(ASKED) + 1}"))
    expect(page.locator(f"#turn-{len(ASKED) + 1}")).to_be_in_viewport()
    page.go_back()
    expect(page.locator("#query")).to_have_value("zebra crossing")
    expect(page.locator("#results")).to_contain_text("painted wrongly")


def test_answers_that_arrive_during_a_click_do_not_swallow_it(person: Person, visitor: Visitor) -> None:
    session = fill(person)
    page = visitor.open("/search?q=zebra")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/search?*fragment=1*", hold)
    with page.expect_request("**/search?*fragment=1*"):
        page.locator("#query").fill("zebra crossing")
    page.locator(".hit").first.get_by_role("link").first.hover()
    page.mouse.down()
    with page.expect_response("**/search?*fragment=1*"):
        held[0].continue_()
    page.wait_for_timeout(100)  # the answer is there and would be drawn
    page.mouse.up()
    expect(page).to_have_url(re.compile(rf"/sessions/{session}\?turn={len(ASKED) + 1}"))


def test_j_and_k_walk_through_the_answers(person: Person, visitor: Visitor) -> None:
    fill(person)
    page = visitor.open("/search?q=importer")
    page.locator("#query").press("Escape")
    page.keyboard.press("j")
    expect(page.locator(".hit").first.locator("a").first).to_be_focused()
    page.keyboard.press("j")
    page.keyboard.press("k")
    expect(page.locator(".hit").first.locator("a").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/(memories|sessions)/"))


def test_everything_works_without_a_script(
    person: Person, visitor: Visitor, context_without_script: BrowserContext
) -> None:
    fill(person)
    sign_in(context_without_script, visitor.server)
    other = Visitor(context_without_script, visitor.server)
    page = other.open("/")
    page.locator("article.card").get_by_role("button", name="Accept").first.click()
    expect(page.locator("#notice")).to_contain_text("Accepted: imports run at night")
    page.locator("#notice").get_by_role("button", name="Undo").click()
    expect(page.locator("#notice")).to_contain_text("Undone: accepted")
    page.locator("#find").fill("cache")
    page.locator("#find").press("Enter")
    page.get_by_role("link", name=RULE).click()
    page.locator("summary", has_text="Edit").click()
    page.locator("textarea[name=text]").fill("the importer keeps its cache for a day")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#notice")).to_contain_text("Revised: the importer keeps its cache for a day")
    other.check()
    assert person.texts("cache") == ["the importer keeps its cache for a day"]
