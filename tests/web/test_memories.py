"""Search, the page of a memory, and contradictions."""

from __future__ import annotations

import re

from harness.person import Person

from tests.web.browsing import Browser
from tests.web.sessions import write_session

# Search shows what `tacit recall` answers, and without a query the latest memories


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


def test_a_fragment_has_only_the_results_and_no_question_is_recorded(person: Person, browser: Browser) -> None:
    person.tacit("add", "I prefer pnpm")
    fragment = browser.get("/search?q=pnpm&fragment=1").text
    assert "I prefer pnpm" in fragment and "<html" not in fragment
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


def test_numbers_of_choices_are_those_of_the_list_that_they_lead_to(person: Person, browser: Browser) -> None:
    shop = person.repository("shop")
    for text in ("I prefer pnpm", "never push to main", "we decided to use PostgreSQL 16"):
        person.tacit("add", text)
    person.tacit("add", "--private", "never deploy the shop on fridays", cwd=shop)
    person.tacit("add", "--candidate", "tests run with make", "--evidence", "seen", cwd=shop)
    person.tacit("forget", person.id_of("I prefer pnpm"))
    person.tacit("add", "the server listens on port 8000", CLAUDECODE="1")  # an agent's words are a candidate
    seen = 0
    for start in ("/search?", "/search?project=shop&", "/search?status=all&", "/search?status=pending&source=model&"):
        page = browser.get(start.rstrip("&?"))
        for name in ("kind", "project", "status", "source"):
            select = re.search(rf'(?s)<select name="{name}">(.*?)</select>', page.text)
            assert select is not None
            for value, number in re.findall(r'<option value="(\w*)"[^>]*>[^<]*\((\d+)\)', select[1]):
                others = re.sub(rf"{name}=[a-z_]*&", "", start)
                assert browser.get(f"{others}{name}={value}").text.count('class="hit"') == int(number), (
                    start,
                    name,
                    value,
                )
                seen += 1
    assert seen > 40


def test_lists_are_paginated(person: Person, browser: Browser) -> None:
    with person.vault() as vault:
        for number in range(55):
            vault.add(f"rule number {number} is about topic{number}")
    assert "55 memories" in browser.get("/search").visible
    assert browser.get("/search").text.count('class="hit"') == 50
    assert browser.get("/search?page=2").text.count('class="hit"') == 5


# The page of a memory: evidence down to lines of the log, connections, and changes


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


def test_a_wrong_kind_is_refused_with_a_notice(person: Person, browser: Browser) -> None:
    person.tacit("add", RULE)
    page = browser.get(f"/memories/{person.id_of(RULE)}")
    after = browser.press(page, "edit", text=RULE, kind="nonsense")
    assert "no such kind" in after.visible


# Conflicts are resolved as `tacit conflicts` does it


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


def test_a_list_that_the_filters_leave_empty_does_not_say_that_there_are_no_memories(
    person: Person, browser: Browser
) -> None:
    assert "No memories yet" in browser.get("/search").visible
    person.tacit("add", "I prefer pnpm")
    page = browser.get("/search?kind=decision").visible
    assert "No memory matches" in page and "No memories yet" not in page
