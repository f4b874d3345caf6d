"""A figure of the digest is the same in words, as JSON and on the page, and opens the sessions that it counts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from shlex import split
from typing import Any

import pytest
from harness.person import NOW, Person
from harness.transcripts import Claude, lines, name_of, place

from tacit.hosts.tool_calls import STOP_PREFIX
from tests.support.hook_session import Sitting
from tests.web.browsing import Browser, running_server

RULE, ADDED = "Use pnpm instead of npm for this project", "never use pip here, use uv"
BEGAN = datetime.fromisoformat(NOW)
OUTCOMES = ("told", "spared", "followed", "violated", "stopped")


def work(person: Person, name: str, hours: int, *calls: str, correction: str = "", told: bool = True) -> str:
    """A session that is told what holds, runs these commands and is captured. A call that ends with ! is stopped."""
    folder, session, began = person.folder / "shop", name_of(name), BEGAN + timedelta(hours=hours)
    if told:
        Sitting(person, session, folder).start(TACIT_NOW=began.isoformat())
    writer = Claude(session, str(folder), began)
    writer.ask(f"what {name} is about")
    for line in calls:
        stop = f"{STOP_PREFIX}{person.id_of(RULE)[:6]}]: “{RULE}”." if line.endswith("!") else ""
        writer.call("Bash", {"command": line.rstrip("!")}, stop or "done", error=bool(stop))
    writer.reply("That is done.")
    if correction:
        writer.ask(correction)
        writer.reply("I see.")
    file = place(person.folder, "claude", session)
    file.write_bytes(lines(writer.records))
    now = (began + timedelta(minutes=30)).isoformat()
    person.tacit("import", "transcripts", str(file), now=now)
    person.tacit("learn", now=now)
    return session


@pytest.fixture
def page(person: Person) -> Iterator[Browser]:
    """A rule that came from a correction and one that was added, and sessions that did this or that with them."""
    shop = person.repository("shop")
    work(person, "first", 0, "npm install zod", correction=f"no, {RULE.lower()}", told=False)
    person.tacit("accept", person.id_of(RULE), cwd=shop, now=(BEGAN + timedelta(hours=1)).isoformat())
    person.tacit("add", ADDED, cwd=shop, now=(BEGAN + timedelta(hours=1)).isoformat())
    work(person, "second", 2, "pnpm add zod", "uv add rich")
    work(person, "third", 3, "npm install zod")
    work(person, "fourth", 4, "npm install zod!", "pnpm add zod")
    work(person, "fifth", 5, "uv add rich")
    person.now = (BEGAN + timedelta(days=1)).isoformat()
    Sitting(person, "not captured", shop).start(TACIT_NOW=person.now)
    person.now = (BEGAN + timedelta(days=2)).isoformat()
    with running_server(person) as browser:
        browser.open()
        yield browser


def counted(sessions: list[dict[str, Any]]) -> int:
    return sum(len(session["memories"]) for session in sessions)


def test_each_figure_is_the_same_everywhere_and_opens_what_it_counts(person: Person, page: Browser) -> None:
    digest = person.tacit("week", "--json").json
    figures = {outcome: digest[f"{'injected' if outcome == 'told' else outcome}_count"] for outcome in OUTCOMES}
    assert figures == {"told": 10, "spared": 1, "followed": 3, "violated": 1, "stopped": 1}

    printed = {line.split()[0].lower(): line for line in person.tacit("week").out.splitlines()}
    week = person.tacit("status", "--json").json["week"]
    value = json.loads(page.get("/value?format=json").text)["weeks"][-1]
    links = [attributes.get("href", "") for name, attributes in page.get("/value").elements if name == "a"]
    folded = page.get("/").text
    for outcome, figure in figures.items():
        name = "injected" if outcome == "told" else outcome
        text, _, command = printed[outcome].rpartition(": tacit ")
        assert re.search(rf"\s{figure} ", text), text
        assert value[name] == figure and week.get(f"{name}_count", figure) == figure
        listed = person.tacit(*split(command), "--json").json
        number = len(listed) if outcome == "spared" else counted(listed)
        assert number == figure, outcome
        (link,) = [link for link in links if f"result={outcome}&since=2026-03-02" in link][:1]
        shown = json.loads(page.get(f"{link}&format=json").text)
        assert [one["id"] for one in shown] == [one["id"] for one in listed]
        (link,) = re.findall(rf'href="(/sessions\?result={outcome}[^"]*)"', folded)
        assert json.loads(page.get(f"{link.replace('&amp;', '&')}&format=json").text) == shown
    assert f"{len(person.tacit('sessions', '--since', '7d', '--json').json)}" == f"{value['sessions']}" == "5"


def test_a_rate_is_of_what_could_be_checked(person: Person, page: Browser) -> None:
    assert "Followed  3 of 5 times (60%), most often" in person.tacit("week").out
    assert re.search(r" 3 60% 1 1 ", page.get("/value").visible)


def test_the_sessions_of_a_figure_name_the_memories_and_are_limited_to_one(person: Person, page: Browser) -> None:
    shown = person.tacit("sessions", "--result", "followed", "--memory", person.id_of(RULE)).out
    assert "what second is about" in shown and "what fifth is about" not in shown
    assert f"followed: {person.id_of(RULE)}  {RULE}" in shown and ADDED not in shown
    assert "(the session is not here)" in person.tacit("sessions", "--result", "told").out
    assert "what fifth is about" in page.get("/sessions?result=followed").visible
    for result in ("told", "followed"):
        assert person.tacit("sessions", "--result", result, "--before", "2026-03-02", "--json").json == []


def test_wrong_questions_say_what_to_type(person: Person, tmp_path: Path) -> None:
    for words in (
        ("week", "--since", "2027-01-01"),
        ("replay", "--since", "2027-01-01"),
        ("sessions", "--result", "liked"),
        ("sessions", "--memory", "abc"),
        ("sessions", "--result", "told", "--project", str(tmp_path)),
    ):
        said = person.tacit(*words, code=2)
        assert "→" in said.err or "tacit sessions" in said.err, said.err
    assert "in the future" in person.tacit("week", "--since", "2027-01-01", code=2).err
