"""Somebody with a past sets up: what they said before and had to say again, until a guard says it for them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from harness.transcripts import Claude, lines, name_of

from tests.lives import steps
from tests.lives.machine import make_world
from tests.lives.test_agents import Agent, _Clock
from tests.lives.world import Person, World

RULE = "Use pnpm instead of npm for this project"


@pytest.fixture
def world() -> Iterator[World]:
    made = make_world("ann")
    yield made
    if not made.failed:
        steps.look(made.people[0])
        steps.everything(made.people[0])


def _past(who: Person, name: str, days: int, wish: str, line: str, correction: str) -> None:
    """A session before Tacit came: a wish, what the agent ran, and what the person said to that."""
    teller = Claude(name_of(name), str(who.work))
    teller.clock = _Clock(timedelta(days=days))
    teller.ask(wish)
    teller.call("Bash", {"command": line})
    teller.reply("It is installed.")
    teller.ask(correction)
    teller.reply("Sorry, I have done it again.")
    path = who.folder / ".claude/projects/work" / f"{teller.session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    who.write(path, lines(teller.records).decode())


def test_what_was_said_twice_is_seen_at_set_up_told_ignored_and_stopped(world: World) -> None:
    (ann,) = world.people
    _past(ann, "first", 20, "The shop has to show dates.", "npm install date-fns", f"No, {RULE.lower()}")
    _past(ann, "second", 9, "The shop has to send mails.", "npm install nodemailer", "I told you, pnpm and not npm.")

    answer = ann.tacit("setup", "--yes").out
    sentence = "Of 2 corrections 1 repeats something you had said before: 1 never remembered."
    assert sentence in answer.replace("\n ", "") and "tacit replay --since 5y" in answer
    (before,) = ann.json("replay")["incidents"]
    assert (before["what"], before["known"]) == ("correction", "unremembered")
    assert "I told you" in before["text"] and RULE.lower() in before["earlier"]["text"].lower()
    assert "npm install date-fns" in ann.tacit("sessions", before["earlier"]["short"]).out

    # Accepted, told, and not followed
    ann.mind.note_all(row["text"] for row in ann.quietly(lambda: ann.json("suggestions", "--all")))
    steps.decide(ann, "accept", RULE)
    third = Agent(ann, "third")
    assert RULE in third.told
    third.ask("The shop has to print bills.")
    assert third.run("npm install pdfkit")
    third.ask("no, not npm, pnpm!")
    third.end()
    now, before = ann.json("replay")["incidents"]
    assert (now["known"], now["remembered"]["text"]) == ("ignored", RULE)
    assert before["known"] == "unremembered"  # whatever is remembered now
    told = ann.tacit("replay").out
    assert "1 told and ignored; 1 never remembered" in told
    assert f"tacit guard on {now_short(told)}" in told and f"remembered since: tacit why {now_short(told)}" in told

    # A guard stops it, and the digest says so
    ann.tacit("guard", "on", ann.id_of(RULE), "--yes")
    assert "a guard stops it now" in ann.tacit("replay").out
    fourth = Agent(ann, "fourth")
    fourth.ask("The shop has to read bar codes.")
    assert not fourth.run("npm install zxing")
    fourth.end()
    assert len(ann.json("replay")["incidents"]) == 2
    (stopped,) = [line for line in ann.tacit("week").out.splitlines() if line.startswith("Stopped")]
    assert RULE in stopped


def now_short(told: str) -> str:
    return told.partition("tacit guard on ")[2].split()[0]
