"""Cards are reviewed with keys alone, undone, and decided in a terminal at the same time."""

from __future__ import annotations

import re

import pytest
from harness.person import Person
from playwright.sync_api import expect

from tests.web.browser.visits import Visitor

COUNT = 24
_KEYS = "aadaadaajdkajjakdaadaadaa"  # twenty decisions; `j` and `k` go to a neighbour and decide nothing


@pytest.fixture
def inbox(person: Person, visitor: Visitor) -> Visitor:
    with person.vault() as vault:
        for number in range(COUNT):
            text = f"the service number {number} listens on port {8000 + number}"
            vault.memories.suggest(text, evidence=f"seen in build {number}")
    visitor.open("/")
    return visitor


def statuses(person: Person) -> dict[str, str]:
    return {memory["id"]: memory["status"] for memory in person.listed("--status", "all", "--scope", "all")}


def test_twenty_cards_are_reviewed_with_keys_alone(person: Person, inbox: Visitor) -> None:
    decided: dict[str, str] = {}
    for key in _KEYS:
        if key in "ad":
            decided[inbox.card] = "active" if key == "a" else "dismissed"
        inbox.press(key)
    inbox.page.keyboard.press("e")
    field = inbox.page.locator("textarea[name=text]")
    expect(field).to_be_focused()
    inbox.page.keyboard.press("Escape")
    expect(field).to_be_hidden()
    inbox.page.keyboard.press("e")
    inbox.page.keyboard.type("every service has a port of its own")
    inbox.press("Control+Enter")
    expect(inbox.page.locator("#notice")).to_contain_text("Revised and accepted: every service has a port of its own")
    merged = inbox.card
    inbox.page.keyboard.press("m")
    expect(inbox.page.locator("input[name=into], input[name=into_other]").first).to_be_focused()
    inbox.press("Enter")
    expect(inbox.page.locator("#notice")).to_contain_text("Merged into")
    found = statuses(person)
    assert {card: found[card] for card in decided} == decided
    assert len(decided) == 20
    assert found[merged] == "retired"
    assert "every service has a port of its own" in person.texts("port of its own")


def test_undo_takes_back_the_decision_and_shows_the_card_again(person: Person, inbox: Visitor) -> None:
    first = inbox.card
    inbox.press("d")
    assert statuses(person)[first] == "dismissed"
    inbox.page.keyboard.press("u")
    expect(inbox.page.locator("#notice")).to_contain_text("Undone: dismissed")
    expect(inbox.page.locator(f'a.row[data-id="{first}"]')).to_have_count(1)
    assert statuses(person)[first] == "pending"


def test_a_card_that_is_decided_in_a_terminal_meanwhile_is_not_decided_again(person: Person, inbox: Visitor) -> None:
    card = inbox.card
    person.process("dismiss", card)
    inbox.page.keyboard.press("a")
    expect(inbox.page.locator("#notice .notice-error")).to_contain_text("is dismissed already")
    assert statuses(person)[card] == "dismissed"
    expect(inbox.page.locator(f'article.card[data-id="{card}"]')).to_have_count(0)


def test_a_card_that_is_accepted_in_a_terminal_leaves_the_list(person: Person, inbox: Visitor) -> None:
    second = inbox.page.locator("a.row").nth(1).get_attribute("data-id") or ""
    person.process("accept", second)
    inbox.press("a")
    expect(inbox.page.locator(f'a.row[data-id="{second}"]')).to_have_count(0)
    assert statuses(person)[second] == "active"


def test_the_back_button_shows_the_card_before(inbox: Visitor) -> None:
    first = inbox.card
    inbox.press("j")
    second = inbox.card
    inbox.press("j")
    inbox.page.go_back()
    expect(inbox.page.locator(f'article.card[data-id="{second}"]')).to_be_visible()
    inbox.page.go_back()
    expect(inbox.page.locator(f'article.card[data-id="{first}"]')).to_be_visible()


def test_the_focus_and_the_place_are_kept_when_another_card_is_shown(inbox: Visitor) -> None:
    page, focused = inbox.page, inbox.page.locator(":focus")
    page.get_by_role("button", name="Skip").focus()
    inbox.press("Enter")
    expect(focused).to_have_attribute("data-id", inbox.card)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('article.card') !== null")
    page.set_viewport_size({"width": 390, "height": 600})
    page.goto(f"{inbox.server.access.origin}/")
    row = page.locator("a.row").nth(20)
    row.scroll_into_view_if_needed()
    place = page.evaluate("scrollY")
    row.click()
    expect(page.locator(".inbox")).to_have_class(re.compile("is-chosen"))
    page.evaluate("document.querySelector('h2').style.height = '3000px'")
    page.evaluate("window.scrollTo(0, 2000)")
    inbox.press("a")
    assert page.evaluate("scrollY") == 0
    page.go_back()
    page.go_back()
    expect(page.locator(".to-list")).to_be_hidden()
    expect(row).to_be_in_viewport()
    assert place > 0 and page.evaluate("scrollY") == place


def test_the_keys_are_listed_and_the_list_closes_with_escape(inbox: Visitor) -> None:
    inbox.page.keyboard.press("?")
    expect(inbox.page.locator("dialog#keys")).to_be_visible()
    card = inbox.card
    inbox.page.keyboard.press("a")
    inbox.page.keyboard.press("Escape")
    expect(inbox.page.locator("dialog#keys")).to_be_hidden()
    assert inbox.card == card


def test_enter_opens_what_the_tab_key_reaches(inbox: Visitor) -> None:
    row = inbox.page.locator("a.row").nth(2)
    row.focus()
    inbox.page.keyboard.press("Enter")
    expect(inbox.page.locator(f'article.card[data-id="{row.get_attribute("data-id")}"]')).to_be_visible()
    inbox.page.get_by_role("link", name="evidence and log").focus()
    inbox.page.keyboard.press("Enter")
    expect(inbox.page).to_have_url(re.compile("/memories/"))
    expect(inbox.page.locator("ol.history")).to_contain_text("seen in build")
