"""The inbox decides what `tacit review` decides, one card at a time or many at once."""

from __future__ import annotations

import pytest
from harness.person import Person

from tests.web.browsing import Browser, running_server

FIRST, SECOND, THIRD = "use pnpm for packages", "tests run with make", "deploys need a second pair of eyes"


@pytest.fixture
def waiting(person: Person, browser: Browser) -> Browser:
    for number, text in enumerate((FIRST, SECOND, THIRD)):
        now = f"2026-03-02T11:0{number}:00+00:00"
        person.tacit("add", "--candidate", text, "--evidence", f"seen in build {number}", now=now)
    return browser


def statuses(person: Person) -> dict[str, str]:
    return {memory["text"]: memory["status"] for memory in person.listed("--status", "all", "--scope", "all")}


def test_the_first_card_is_shown_with_its_evidence(waiting: Browser) -> None:
    page = waiting.get("/").visible
    assert all(text in page for text in (FIRST, SECOND, THIRD))
    assert "seen in build" in page and "1 observation" in page


def test_accept_moves_on_to_the_next_card_and_undo_takes_it_back(person: Person, waiting: Browser) -> None:
    page = waiting.get(f"/?card={person.id_of(SECOND)}")
    after = waiting.press(page, "accept")
    assert f"Accepted: {SECOND}" in after.visible
    assert statuses(person)[SECOND] == "active"
    assert f"card={person.id_of(SECOND)}" not in after.path
    undone = waiting.post("/undo", after.form("undo"))
    assert "Undone: accepted" in undone.visible
    assert f"card={person.id_of(SECOND)}" in undone.path  # back to the card
    assert statuses(person)[SECOND] == "pending"


def test_a_notice_is_shown_once(person: Person, waiting: Browser) -> None:
    after = waiting.press(waiting.get("/"), "dismiss")
    assert "Dismissed for good" in after.visible
    assert "Dismissed for good" not in waiting.get(after.path).visible
    assert list(statuses(person).values()).count("dismissed") == 1


def test_edit_revises_and_accepts(person: Person, waiting: Browser) -> None:
    page = waiting.get(f"/?card={person.id_of(FIRST)}")
    waiting.press(page, "edit", text="use pnpm for all packages")
    assert statuses(person)["use pnpm for all packages"] == "active"


def test_merge_moves_the_evidence(person: Person, waiting: Browser) -> None:
    page = waiting.get(f"/?card={person.id_of(FIRST)}")
    after = waiting.press(page, "merge", into_other=person.id_of(SECOND))
    assert f"Merged into: {SECOND}" in after.visible
    assert FIRST not in waiting.get("/").visible


def test_a_card_that_was_decided_elsewhere_is_refused_with_a_notice(person: Person, waiting: Browser) -> None:
    page = waiting.get(f"/?card={person.id_of(FIRST)}")
    person.tacit("dismiss", person.id_of(FIRST))
    after = waiting.press(page, "accept")
    assert "notice-error" in after.text
    assert "is dismissed already" in after.visible
    assert "decided already" in after.visible  # the address still names the card
    assert statuses(person)[FIRST] == "dismissed"


def test_an_unknown_action_is_refused(person: Person, waiting: Browser) -> None:
    page = waiting.get("/")
    after = waiting.post("/", {**page.form("accept"), "action": "explode"})
    assert "there is no action" in after.visible
    assert set(statuses(person).values()) == {"pending"}


def test_all_candidates_of_a_kind_are_decided_after_one_question(person: Person, waiting: Browser) -> None:
    kinds = {memory["text"]: memory["kind"] for memory in person.listed("--pending")}
    chosen = [text for text, kind in kinds.items() if kind == kinds[FIRST]]
    question = waiting.get(f"/bulk?action=dismiss&kind={kinds[FIRST]}")
    assert all(text in question.visible for text in chosen)
    after = waiting.press(question, "dismiss", reason="noise")
    assert "Dismissed for good" in after.visible
    assert {text for text, status in statuses(person).items() if status == "dismissed"} == set(chosen)
    waiting.post("/undo", after.form("undo"))
    assert set(statuses(person).values()) == {"pending"}


def test_filters_keep_the_other_cards_away(person: Person, waiting: Browser) -> None:
    work = person.repository("shop")
    person.tacit("add", "--candidate", "the shop has a staging server", "--evidence", "x", cwd=work)
    page = waiting.get("/?project=shop").visible
    assert "the shop has a staging server" in page and FIRST not in page
    assert "No candidate matches" in waiting.get("/?kind=known_fix").visible


def test_a_memory_that_names_what_is_gone_is_a_card_until_it_is_kept(person: Person) -> None:
    shop = person.repository("shop")
    (shop / "docs").mkdir()
    person.tacit("add", "the deploy steps are in docs/deploy.md", cwd=shop)
    with running_server(person, folder=shop) as browser:
        browser.open()
        page = browser.get("/")
        assert "Not in the work tree docs/deploy.md" in page.visible
        assert '<span class="count">1</span>' in page.text  # the badge
        after = browser.press(page, "keep_despite")
        assert "Kept: the deploy steps" in after.visible and "Nothing to review" in after.visible
        assert 'class="count"' not in after.text
        assert "docs/deploy.md" in browser.post("/undo", after.form("undo")).visible


@pytest.mark.parametrize("path", ["/", "/bulk"])
@pytest.mark.parametrize("action", ["accept", "dismiss"])
def test_what_is_the_id_of_no_card_is_told_and_changes_nothing(
    person: Person, waiting: Browser, path: str, action: str
) -> None:
    before = statuses(person)
    fields = {name: value for name, value in waiting.get("/").form("accept").items() if name == "form_token"}
    for reference in ("", "!!", "no id at all", "z" * 12, "z" * 13, "٣" * 12, "日本"):
        answer = waiting.post(path, {**fields, "id": [reference], "action": [action]})
        assert answer.status in (400, 404), reference
        assert statuses(person) == before, reference
