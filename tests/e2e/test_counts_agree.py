"""How much waits for the person is the same number wherever it is said."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from harness.person import Person
from harness.transcripts import name_of

from tacit.home.home import Home
from tacit.hooks import dispatch
from tacit.hooks.recorder import record_command
from tacit.shell import CapturedCommand
from tests.support.shellwork import lines
from tests.support.talking import capture
from tests.web.browsing import running_server

# What is said in sessions of three projects, and proposed; no two of these say the same.
SAID = {
    "shop": ("From now on, always run the linter before you commit.", "never rename the otter by hand"),
    "api": ("From now on, always bake the bread before noon.",),
    "docs": (),
}


@pytest.fixture
def shop(person: Person) -> Path:
    """A home with suggestions in several projects, a question, and a repository that brought two facts."""
    person.now = "2026-05-20T12:00:00+00:00"
    for name, texts in SAID.items():
        root = person.repository(name)
        for day, text in enumerate(texts, 1):
            capture(person, root, day + 2 * len(name), text)
    person.tacit("learn")
    person.tacit("note", "tests run with pytest -n 8", cwd=person.folder / "docs")
    person.tacit("add", "reply in German", "--global")
    person.tacit("note", "answer me in German", cwd=person.folder / "docs")  # it may be the same in other words
    for text in ("Team A owns the billing service", "Team B owns the billing service"):
        person.tacit("add", text, cwd=person.folder / "api")  # nobody knows whether they contradict each other
    facts = person.folder / "shop" / "docs" / "memory" / "memories.ndjson"
    facts.parent.mkdir(parents=True)
    colleague = Person(person.folder / "colleague")
    colleague.folder.mkdir()
    theirs = colleague.repository("shop")
    for text in ("deploys happen on Tuesdays", "the cart is called basket"):
        colleague.tacit("add", text, cwd=theirs)
    facts.write_bytes((theirs / "docs" / "memory" / "memories.ndjson").read_bytes())
    return person.folder / "shop"


def notice(person: Person, cwd: Path) -> str:
    """The line that a person is shown when a session with an agent begins."""
    payload = {"session_id": name_of("one"), "cwd": str(cwd), "source": "startup"}
    with person.at(cwd):
        told = json.loads(dispatch.inject("claude", "SessionStart", json.dumps(payload).encode(), None) or "{}")
    return str(told["systemMessage"])


def number(pattern: str, text: str) -> int:
    found = re.search(pattern, text)
    assert found, text
    return int(found[1])


def said_of_candidates(person: Person, cwd: Path) -> dict[str, int]:
    """How many candidates wait, by each surface that says so."""

    def printed(*words: str) -> str:
        return person.tacit(*words, cwd=cwd).out

    def as_json(*words: str) -> Any:
        return person.tacit(*words, "--json", cwd=cwd).json

    cards = [card for card in as_json("review") if card["card"] == "candidate"]
    return {
        "tacit": number(r"active, (\d+) candidates?", printed()),
        "status": number(r"(\d+) candidates? to decide", printed("status")),
        "status --json": as_json("status")["pending"],
        "list --pending": number(r"1 of (\d+)", printed("list", "--pending")),
        "list --pending --json": len(as_json("list", "--pending")),
        "review --json": sum(1 + len(card["others"]) for card in cards),
        "week": number(r"Waiting +(\d+) candidates?", printed("week")),
        "week --json": as_json("week")["pending"],
        "notice": number(r"(\d+) suggestions?", notice(person, cwd)),
    }


def test_candidates_of_several_projects_are_as_many_everywhere(person: Person, shop: Path) -> None:
    for folder in (shop, person.folder / "docs", person.folder):
        said = said_of_candidates(person, folder)
        assert set(said.values()) == {5}, said
    with running_server(person) as browser:
        browser.open()
        page = browser.get("/").text
    assert number(r'href="/"[^>]*>.*?class="count">(\d+)<', page.replace("\n", " ")) == 5


def test_the_same_lesson_of_two_projects_is_two_candidates_on_one_card(person: Person, shop: Path) -> None:
    person.tacit("note", "tests run with pytest -n 8", cwd=shop)
    said = said_of_candidates(person, shop)
    assert set(said.values()) == {6}, said
    review = person.tacit("review", cwd=shop).out
    assert "6 candidates on 5 cards" in review and "── 5 of 5 ──" in review


def test_untrusted_facts_and_conflicts_are_as_many_everywhere(person: Person, shop: Path) -> None:
    status, week = (person.tacit(name, "--json", cwd=shop).json for name in ("status", "week"))
    assert status["untrusted"] == week["untrusted"] == 2
    assert "brought 2 facts" in person.tacit(cwd=shop).out
    assert len(person.tacit("trust", "--json", cwd=shop).json["waiting"]) == 2
    assert "2 facts of this repository" in notice(person, shop)
    conflicts = person.tacit("conflicts", "--json").json
    open_ones = [conflict for conflict in conflicts if conflict["winner"] is None]
    assert status["undecided"] == week["undecided"] == len(open_ones) == 1


def test_what_the_shell_says_is_about_all_candidates_not_only_those_of_commands(person: Person) -> None:
    person.tacit("note", "tests run with pytest -n 8")
    ritual = ("make lint", "make test", "git push")
    notice = person.home / ".tacit" / "notice"
    with person.at(), Home(person.home, cwd=person.folder) as home:
        for line in (line for day in range(6) for line in lines(f"day {day}", *ritual, start=day * 24 * 60)):
            learned = person.home / ".tacit" / "learned"
            if learned.exists():
                os.utime(learned, (0, 0))  # it learns at most once a minute
            record_command(home, CapturedCommand(line.at, line.session, line.ran))
    assert number(r"tacit: (\d+) suggestions, `tacit review`", notice.read_text()) == waiting(person) > 1
    history = person.folder / "history"
    stamps = (1_780_000_000 + 90_000 * day + 60 * at for day in range(6) for at in range(3))
    told = zip(stamps, ("cargo fmt", "cargo test", "git push") * 6, strict=True)
    history.write_text("".join(f": {stamp}:0;{command}\n" for stamp, command in told))
    printed = person.tacit("import", "history", "--file", str(history), "--shell", "zsh").out
    assert number(r"(\d+) suggestions to decide on: tacit review", printed) == waiting(person)


def waiting(person: Person) -> int:
    return len(person.tacit("list", "--pending", "--json").json)
