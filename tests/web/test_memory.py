"""The page of a memory: evidence down to lines of the log, connections, and changes."""

from __future__ import annotations

from harness.person import Person

from tests.web.browsing import Browser
from tests.web.sessions import write_session

RULE = "use pnpm for packages"


def test_the_history_names_lines_of_the_log(person: Person, browser: Browser) -> None:
    person.tacit("add", RULE)
    page = browser.get(f"/memories/{person.id_of(RULE)}")
    assert RULE in page.visible and "memory.added" in page.visible
    assert "~/.agents/memory/events.jsonl:1" in page.visible


def test_what_a_session_taught_is_quoted_with_its_turn(person: Person, browser: Browser) -> None:
    session = write_session(person, "please fix the tests", "from now on always run make lint before you commit")
    person.tacit("learn")
    (card,) = person.listed("--pending")
    page = browser.get(f"/memories/{card['id']}")
    assert f'href="/sessions/{session}?turn=2#turn-2"' in page.text
    assert "from now on always run make lint" in page.visible
    assert "concluded from" in page.visible and "learned from session" in page.visible
    assert f'href="/sessions/{session}?turn=2#turn-2"' in browser.get("/").text


def test_a_memory_is_edited_forgotten_and_restored(person: Person, browser: Browser) -> None:
    person.tacit("add", RULE)
    page = browser.get(f"/memories/{person.id_of(RULE)}")
    edited = browser.press(page, "edit", text="use pnpm everywhere", kind="rule", tags="tools, js")
    assert "Revised: use pnpm everywhere" in edited.visible and edited.path.startswith("/memories/")
    assert RULE in edited.visible  # it is what this one replaced
    assert person.listed()[0]["tags"] == ["tools", "js"]
    forgotten = browser.press(browser.get(edited.path.partition("?")[0]), "forget")
    assert "Forgot" in forgotten.visible and person.listed() == []
    restored = browser.press(forgotten._replace(path=forgotten.path.partition("?")[0]), "restore")
    assert "Restored" in restored.visible and len(person.listed()) == 1


def test_a_contradiction_is_a_connection(person: Person, browser: Browser) -> None:
    person.tacit("add", "I prefer pnpm")
    person.tacit("add", "I prefer npm")
    page = browser.get(f"/memories/{person.id_of('I prefer npm')}")
    assert "overrules" in page.visible and "<svg" in page.text and "<table>" in page.text


def test_a_memory_that_does_not_exist_is_an_error_page(browser: Browser) -> None:
    assert browser.get("/memories/zzzz", 404).status == 404


def test_a_wrong_kind_is_refused_with_a_notice(person: Person, browser: Browser) -> None:
    person.tacit("add", RULE)
    page = browser.get(f"/memories/{person.id_of(RULE)}")
    after = browser.press(page, "edit", text=RULE, kind="nonsense")
    assert "no such kind" in after.visible
