"""Settings, the doctor, trust in a repository, and guards."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from harness.person import Person

from tests.web.browsing import Answer, Browser, running_server

# Settings are changed as `tacit config` does it


def change(browser: Browser, key: str, value: str, action: str = "set") -> str:
    fields = {**browser.get("/settings").form("set"), "key": key, "value": value, "action": action}
    return browser.post("/settings", fields).visible


def test_a_setting_is_changed_and_reset(person: Person, browser: Browser) -> None:
    assert "recall.limit is '20'" in change(browser, "recall.limit", "20")
    assert person.tacit("config", "get", "recall.limit").out.split()[0] == "20"
    assert "recall.limit is '10'" in change(browser, "recall.limit", "", "unset")


def test_a_list_has_one_entry_a_line(person: Person, browser: Browser) -> None:
    change(browser, "shell.ignore", "ls*\r\ncd *, and more\r\n")
    with person.vault() as vault:
        assert vault.configuration.setting("shell.ignore").value == ("ls*", "cd *, and more")


def test_a_wrong_value_and_an_unknown_setting_are_refused(person: Person, browser: Browser) -> None:
    person.tacit("add", "I prefer pnpm")
    assert "recall.limit" in change(browser, "recall.limit", "many")
    assert "no such setting" in change(browser, "no.such", "1")
    assert person.tacit("config", "get", "recall.limit").out.split()[0] == "10"


# The checks run when they are asked for


def test_counts_are_shown_and_checks_are_offered(person: Person, browser: Browser) -> None:
    person.tacit("add", "I prefer pnpm")
    page = browser.get("/doctor").visible
    assert "1 memory" in page and "Check everything" in page


def test_findings_say_what_to_type(person: Person, browser: Browser) -> None:
    person.tacit("add", "I prefer pnpm")
    with person.events.open("ab") as file:
        file.write(b"no line of ours\n")
    assert browser.get("/doctor?run=1", 303).headers["location"] == "/doctor"
    page = checked(browser).visible
    assert "to mend" in page and "tacit doctor --mend" in page
    assert json.loads(browser.get("/doctor?format=json").text)[0]["serious"] is True
    assert "Check again" in page and "to mend" in browser.get("/doctor").visible  # it waits for those who come back


def checked(browser: Browser) -> Answer:
    """Ask for the state of the checks until they are done, as the script of the page does."""
    deadline = time.monotonic() + 30
    while 'class="panel is-running"' in (fragment := browser.get("/doctor?fragment=1")).text:
        assert "Checking" in fragment.visible and "<html" not in fragment.text
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return fragment


# Facts of a repository are believed only as they were shown


@pytest.fixture
def clone(person: Person, tmp_path: Path) -> Path:
    """A repository with a fact that somebody else shared."""
    other = tmp_path / "other"
    other.mkdir()
    author = Person(other)
    source = author.repository("shop", remote="git@example.org:kim/shop.git")
    author.tacit("add", "the shop deploys on fridays", cwd=source)
    facts = (source / "docs" / "memory" / "memories.ndjson").read_bytes()
    root = person.repository("shop", remote="git@example.org:kim/shop.git")
    (root / "docs" / "memory").mkdir(parents=True)
    (root / "docs" / "memory" / "memories.ndjson").write_bytes(facts)
    return root


@pytest.fixture
def inside(person: Person, clone: Path) -> Iterator[Browser]:
    with running_server(person, folder=clone) as browser:
        browser.open()
        yield browser


def test_what_is_shown_is_accepted_and_revoked(person: Person, inside: Browser, clone: Path) -> None:
    page = inside.get("/trust")
    assert "the shop deploys on fridays" in page.visible
    after = inside.press(page, "trust")
    assert "Accepted 1 fact" in after.visible
    assert person.texts("deploys", cwd=clone) == ["the shop deploys on fridays"]
    assert "No longer trusted: 1 line" in inside.press(inside.get("/trust"), "revoke").visible


def test_a_file_that_changed_meanwhile_is_not_accepted(person: Person, inside: Browser, clone: Path) -> None:
    page = inside.get("/trust")
    facts = clone / "docs" / "memory" / "memories.ndjson"
    facts.write_text(facts.read_text().replace("fridays", "sundays"))
    after = inside.press(page, "trust")
    assert "changed while you were reading" in after.visible
    assert person.texts("deploys", cwd=clone) == []


# Guards are planned, switched on and off


RULE = "never use npm here, use pnpm"


def test_a_guard_is_shown_before_it_is_switched_on(person: Person, browser: Browser) -> None:
    person.tacit("add", RULE)
    page = browser.get(f"/guards?memory={person.id_of(RULE)}")
    assert "Switch on a guard?" in page.visible and "It would have stopped 0 commands" in page.visible
    after = browser.press(page, "on", decision="deny")
    assert "Switched on" in after.visible
    assert [guard["decision"] for guard in person.tacit("guard", "list", "--json").json] == ["deny"]
    assert "Switched off" in browser.press(browser.get("/guards"), "off").visible
    assert person.tacit("guard", "list", "--json").json == []


def test_a_memory_that_cannot_be_a_guard_is_an_error_page(person: Person, browser: Browser) -> None:
    person.tacit("add", "be kind to reviewers")
    assert browser.get(f"/guards?memory={person.id_of('be kind to reviewers')}", 409).status == 409


def test_a_wrong_decision_is_refused(person: Person, browser: Browser) -> None:
    person.tacit("add", RULE)
    page = browser.get(f"/guards?memory={person.id_of(RULE)}")
    assert "there is no decision" in browser.press(page, "on", decision="explode").visible


# The week on the first screen


def test_the_first_screen_tells_what_the_week_brought_with_links_that_work(person: Person, browser: Browser) -> None:
    assert "Last seven days" not in browser.get("/").visible
    person.tacit("add", "never use <b>npm</b> here")
    person.tacit("add", "I prefer tabs")
    person.tacit("forget", "I prefer tabs")
    person.tacit("note", "use pnpm")
    page = browser.get("/")
    assert (
        "Last seven days: learned 1, forgotten 1"
        " Learned 1 memory: “never use <b>npm</b> here” Forgotten 1 memory: “I prefer tabs”" in page.visible
    )
    week = page.text.partition("Last seven days")[2].partition("</details>")[0]
    links = re.findall(r'<dt><a href="([^"]+)"', week)
    assert len(links) == 2 and all(browser.get(unescape(link)).status == 200 for link in links)
    assert "I prefer tabs" in browser.get(unescape(links[1])).visible
