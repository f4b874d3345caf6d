"""Habits and workflows: what is run where and when, edited and exported."""

from __future__ import annotations

import pytest
from harness.person import Person

from tests.web.browsing import Browser


@pytest.fixture
def with_workflow(person: Person, browser: Browser) -> Browser:
    person.tacit("workflow", "new", "check", "--", "make lint", "make test")
    return browser


def test_an_empty_home_says_how_to_record_commands(browser: Browser) -> None:
    assert "tacit import history" in browser.get("/habits").visible


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
