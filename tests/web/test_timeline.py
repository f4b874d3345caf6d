"""What was done: days, sessions, habits and workflows, and what memory was worth."""

from __future__ import annotations

import pytest
from harness.person import Person
from harness.transcripts import Claude, lines, name_of, place

from tests.support.hook_session import Sitting
from tests.web.browsing import Answer, Browser
from tests.web.sessions import write_session

# The timeline: days with sessions and commands, and what was injected


def test_the_last_busy_day_is_shown_with_its_sessions_and_turns(person: Person, browser: Browser) -> None:
    session = write_session(person, "please fix the tests", "and the documents")
    page = browser.get("/timeline")
    assert "1 session" in page.text and f'href="/sessions/{session}?turn=2#turn-2"' in page.text
    assert "src/main.py" in page.visible and "Monday, 2 March 2026" in page.visible
    assert page.text.count('<rect class="heat') == 48 * 7


def test_a_day_without_anything_says_so(person: Person, browser: Browser) -> None:
    write_session(person, "please fix the tests")
    assert "Nothing was recorded on this day" in browser.get("/timeline?day=2026-02-20").visible


# The page of a session: turns, calls, files and what was injected


def test_turns_show_prompts_replies_calls_and_files(person: Person, browser: Browser) -> None:
    session = write_session(person, "please fix the tests", "and the documents", reply="Both are fixed.")
    page = browser.get(f"/sessions/{session}?turn=2")
    for text in ("please fix the tests", "and the documents", "Both are fixed.", "make test", "src/main.py", "Turn 2"):
        assert text in page.visible
    assert 'class="turn is-target" id="turn-2"' in page.text


def test_long_runs_of_calls_are_folded_with_their_number_and_names(person: Person, browser: Browser) -> None:
    def session(name: str, calls: int) -> Answer:
        writer = Claude(name_of(name), str(person.folder))
        writer.ask(f"please look at the {name}")
        for number in range(calls):
            writer.call(
                "Read" if number % 3 else "Bash", {"file_path": f"part{number}", "command": "ls"}, error=number == 1
            )
        writer.reply("That is all.")
        file = place(person.folder, "claude", name_of(name))
        file.write_bytes(lines(writer.records))
        person.tacit("import", "transcripts", str(file))
        with person.vault() as vault:
            return browser.get(f"/sessions/{vault.sessions.session(name_of(name))[0].row.id}")

    page = session("importer", 9)
    assert "9 tool calls: Read 6, Bash 3 failed 1" in page.visible
    assert page.text.count('<details class="run">') == 1 and page.text.count('<details class="call">') == 9
    assert "tool calls:" not in session("exporter", 4).visible


def test_an_event_chooses_its_turn(person: Person, browser: Browser) -> None:
    session = write_session(person, "one thing", "another thing")
    with person.vault() as vault:
        turn = vault.sessions.session(session)[1].turns[1]
    assert 'class="turn is-target" id="turn-2"' in browser.get(f"/sessions/{session}?event={turn.event}").text


def test_long_sessions_are_paginated(person: Person, browser: Browser) -> None:
    session = write_session(person, *(f"request number {number}" for number in range(1, 26)))
    assert "request number 25" not in browser.get(f"/sessions/{session}").visible.partition("Turn 1")[2]
    assert "Turn 25" in browser.get(f"/sessions/{session}?turn=25").visible
    assert "Page 2 of 2" in browser.get(f"/sessions/{session}?page=2").visible


# Habits and workflows: what is run where and when, edited and exported


@pytest.fixture
def with_workflow(person: Person, browser: Browser) -> Browser:
    person.tacit("workflow", "new", "check", "--", "make lint", "make test")
    return browser


def test_a_workflow_is_listed_and_edited(person: Person, with_workflow: Browser) -> None:
    assert "make lint" in with_workflow.get("/habits").visible
    page = with_workflow.get("/habits/check")
    fields = {**page.form("save"), "action": "save", "name": "verify", "directory": ""}
    after = with_workflow.post("/habits/check", {**fields, "step": ["make lint", "", "make all"]})
    assert "Saved the workflow verify" in after.visible
    assert person.tacit("workflow", "show", "verify", "--json").json["steps"] == ["make lint", "make all"]


def test_a_workflow_that_was_changed_meanwhile_is_not_overwritten(person: Person, with_workflow: Browser) -> None:
    page = with_workflow.get("/habits/check")
    with person.vault() as vault:
        seen = vault.workflows.workflow("check")
        vault.workflows.change_workflow(seen, name="check", steps=["make other"], directory="")
    fields = {**page.form("save"), "action": "save", "name": "check", "directory": "", "step": ["rm -rf build"]}
    assert "was changed meanwhile" in with_workflow.post("/habits/check", fields).visible
    assert person.tacit("workflow", "show", "check", "--json").json["steps"] == ["make other"]


def test_a_workflow_is_exported_and_removed(person: Person, with_workflow: Browser) -> None:
    assert "check:" in with_workflow.get("/habits/check?as=make").visible
    assert "there is no format" in with_workflow.get("/habits/check?as=cobol", 400).visible
    after = with_workflow.press(with_workflow.get("/habits/check"), "remove")
    assert "Removed the workflow check" in after.visible
    assert person.tacit("workflow", "list", "--json").json == []


def test_commands_are_counted_by_hour(person: Person, browser: Browser) -> None:
    history = person.folder / ".bash_history"
    history.write_text("".join(f"#{1772440000 + 60 * number}\nmake test\n" for number in range(5)))
    person.tacit("import", "history", "--file", str(history), "--shell", "bash")
    page = browser.get("/habits")
    assert "make test" in page.visible and page.text.count("heat-4") == 1


# What memory was worth, by week


def test_what_was_told_is_counted_and_plotted(person: Person, browser: Browser) -> None:
    person.tacit("add", "never run the build repeatedly because it is heavy")
    assert "heavy" in Sitting(person, "session-1", person.folder).start(TACIT_NOW=person.now)
    write_session(person, "please fix the tests")
    page = browser.get("/value")
    assert "2026-03-02 1 1 0 0" in page.visible
    assert page.text.count("<svg") >= 4 and "Told most" in page.visible
