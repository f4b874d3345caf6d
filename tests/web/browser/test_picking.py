"""Several cards are picked and decided on together, cards are skipped, and evidence is opened, with keys alone."""

from __future__ import annotations

import re

import pytest
from harness.browser import sign_in
from harness.person import Person
from playwright.sync_api import BrowserContext, Page, expect

from tests.web.browser.visits import Visitor

COUNT = 6


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


def rows(page: Page) -> list[str]:
    return [row.get_attribute("data-id") or "" for row in page.locator("a.row").all()]


def badge(page: Page) -> str:
    count = page.locator(".pages a[href='/'] .count")
    return count.inner_text() if count.count() else "0"


def test_a_range_is_picked_with_keys_accepted_and_taken_back_with_one_undo(person: Person, inbox: Visitor) -> None:
    page, cards = inbox.page, rows(inbox.page)
    inbox.press("j")
    page.keyboard.press("x")
    for _ in range(2):
        inbox.press("Shift+J")
    expect(page.locator(".picked .number")).to_have_text("3 cards:")
    inbox.press("a")
    expect(page.locator("#notice")).to_contain_text("Accepted: 3 candidates")
    assert {card for card, status in statuses(person).items() if status == "active"} == {*cards[1:4]}
    assert (inbox.card, rows(page), badge(page)) == (cards[4], [cards[0], *cards[4:]], "3")
    page.keyboard.press("u")
    expect(page.locator("a.row")).to_have_count(COUNT)
    assert set(statuses(person).values()) == {"pending"} and badge(page) == str(COUNT)
    expect(page.locator(".pick input:checked")).to_have_count(0)


def test_shift_x_picks_from_the_first_to_here_and_escape_picks_none(person: Person, inbox: Visitor) -> None:
    page = inbox.page
    page.keyboard.press("x")
    for _ in range(3):
        inbox.press("j")
    page.keyboard.press("Shift+X")
    expect(page.locator(".pick input:checked")).to_have_count(4)
    page.keyboard.press("x")  # this one not
    expect(page.locator(".pick input:checked")).to_have_count(3)
    page.keyboard.press("Escape")
    expect(page.locator(".pick input:checked")).to_have_count(0)
    expect(page.locator(".picked")).to_be_hidden()
    card = inbox.card
    inbox.press("d")
    assert [claim for claim, status in statuses(person).items() if status == "dismissed"] == [card]


def test_a_click_with_shift_picks_a_range_and_the_button_decides(person: Person, inbox: Visitor) -> None:
    page, cards = inbox.page, rows(inbox.page)
    page.locator(".pick input").nth(1).check()
    page.locator("a.row").nth(4).click(modifiers=["Shift"])
    expect(page.locator(".pick input:checked")).to_have_count(4)
    page.get_by_role("button", name="Dismiss picked").click()
    expect(page.locator("#notice")).to_contain_text("Dismissed for good: 4 candidates")
    found = statuses(person)
    assert [found[card] for card in cards] == ["pending", *["dismissed"] * 4, "pending"]
    assert rows(page) == [cards[0], cards[5]]


def test_a_card_that_was_decided_elsewhere_keeps_the_others_undecided(person: Person, inbox: Visitor) -> None:
    page, cards = inbox.page, rows(inbox.page)
    page.keyboard.press("x")
    inbox.press("Shift+J")
    person.process("dismiss", cards[0])
    page.keyboard.press("a")
    expect(page.locator("#notice .notice-error")).to_contain_text("is dismissed already")
    assert statuses(person)[cards[1]] == "pending"


def test_a_skipped_card_comes_last_and_nothing_is_recorded(person: Person, inbox: Visitor) -> None:
    page, cards, log = inbox.page, rows(inbox.page), person.events.read_bytes()
    inbox.press("s")
    inbox.press("s")
    assert inbox.card == cards[2] and rows(page) == [*cards[2:], *cards[:2]] and badge(page) == str(COUNT)
    page.reload()
    assert rows(page) == [*cards[2:], *cards[:2]]
    for card in cards[2:]:
        assert inbox.card == card
        inbox.press("s")
    assert inbox.card == cards[0]
    assert person.events.read_bytes() == log and set(statuses(person).values()) == {"pending"}


def test_enter_opens_the_evidence_of_the_card(inbox: Visitor) -> None:
    inbox.press("j")
    card = inbox.card
    inbox.page.keyboard.press("Enter")
    expect(inbox.page).to_have_url(re.compile(f"/memories/{card}$"))
    expect(inbox.page.locator("ol.history")).to_contain_text("seen in build")


def test_a_facet_leaves_as_many_cards_as_it_says(person: Person, inbox: Visitor) -> None:
    page = inbox.page
    for name in ("shop", "site-of-the-shop-in-the-other-country"):
        with person.vault(cwd=person.repository(name)) as vault:
            vault.memories.suggest("never deploy on fridays", evidence="it failed")  # one card for both projects
            vault.memories.suggest(f"we decided to host {name} in Falkenstein", evidence="it is near")
    page.reload()
    assert badge(page) == str(COUNT + 3) == str(len(rows(page)))
    assert page.locator("#facet-project option").all_inner_texts() == [
        *("Every project", f"global ({COUNT})", "shop (2)", "site-of-the-shop-in-the-other-country (2)")
    ]
    assert inbox.wrapped() == []
    for facet in ("project", "kind"):
        options = page.locator(f"#facet-{facet} option")
        for value in [option.get_attribute("value") or "" for option in options.all()][1:]:
            page.locator(f"#facet-{facet}").select_option(value)
            expect(page).to_have_url(re.compile(f"{facet}={value}"))
            chosen = page.locator(f"#facet-{facet} option:checked")
            expect(chosen).to_have_text(re.compile(rf"\({page.locator('a.row').count()}\)$"))
            assert badge(page) == str(COUNT + 3)
        page.locator(f"#facet-{facet}").select_option("")
        expect(page.locator("a.row")).to_have_count(COUNT + 3)


def test_cards_are_picked_and_skipped_without_a_script(
    person: Person, inbox: Visitor, context_without_script: BrowserContext
) -> None:
    sign_in(context_without_script, inbox.server)
    page = Visitor(context_without_script, inbox.server).open("/")
    cards = rows(page)
    page.get_by_role("button", name="Skip").click()
    assert rows(page) == [*cards[1:], cards[0]]
    page.locator(".pick input").nth(0).check()
    page.locator(".pick input").nth(2).check()
    page.get_by_role("button", name="Accept picked").click()
    page.get_by_role("button", name="Accept 2 candidates").click()
    expect(page.locator("#notice")).to_contain_text("Accepted: 2 candidates")
    assert {card for card, status in statuses(person).items() if status == "active"} == {cards[1], cards[3]}
