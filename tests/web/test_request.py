"""Notices are shown once, and addresses are of our own pages."""

from __future__ import annotations

from harness.person import Person

from tacit.web.request import Notice, Notices, page_address
from tests.web.browsing import Browser


def test_a_notice_is_taken_once_and_old_ones_are_dropped() -> None:
    notices = Notices()
    first = notices.add(Notice("first"))
    last = [notices.add(Notice(str(number))) for number in range(100)][-1]
    assert notices.take(first) is None
    assert notices.take(last) == Notice("99") and notices.take(last) is None


def test_an_address_leaves_out_what_is_empty() -> None:
    assert page_address("/", {"card": "a b", "project": "", "kind": None}) == "/?card=a+b"
    assert page_address("/habits/a?b", {}) == "/habits/a%3Fb"


def test_a_form_cannot_lead_to_another_site(person: Person, browser: Browser) -> None:
    person.tacit("add", "I prefer pnpm")
    fields = {"form_token": browser.server.access.form_token}
    for back in ("//evil.example/", "http://evil.example/", "javascript:alert(1)", ""):
        person.tacit("add", f"rule about {len(back)} things")
        answer = browser.post("/undo", {**fields, "back": back})
        assert answer.status == 200 and answer.path.startswith("/?notice=")
