"""`tacit replay`: each line ends with a command that opens its evidence, or that does something about it."""

from __future__ import annotations

import re
from pathlib import Path
from shlex import split

import pytest
from harness.person import Person

from tests.support.talking import capture

RULE = "never commit the snapshots of the shop"


@pytest.fixture
def shop(person: Person) -> Path:
    root = person.repository("shop")
    person.now = "2026-03-20T12:00:00+00:00"
    for day in (3, 5, 7):
        capture(person, root, day, "make the pictures again", f"No, {RULE}!")
    return root


def test_every_line_opens_its_evidence_and_says_what_to_do(person: Person, shop: Path) -> None:
    said = person.tacit("replay", cwd=shop).out
    assert "Of 3 corrections 2 repeat something you had said before: 2 never remembered." in said
    assert said.count(f"“{RULE}”") == 1  # what was not remembered stands once above all of its lines
    for command in re.findall(r": tacit (sessions .+)$", said, re.MULTILINE):
        assert RULE in person.tacit(*split(command)).out
    assert len(re.findall("tacit sessions", said)) == 3 and "  said before, 2026-03-03" in said
    (keep,) = re.findall(r"to keep it.*: tacit (.+)$", said, re.MULTILINE)
    person.tacit(*split(keep), cwd=shop)
    assert "remembered since: tacit why" in person.tacit("replay", cwd=shop).out


def test_programs_get_the_counts_and_the_places(person: Person, shop: Path) -> None:
    found = person.tacit("replay", "--limit", "1", "--json").json
    assert (found["correction_count"], found["unremembered_count"], found["ignored_count"]) == (3, 2, 0)
    (incident,) = found["incidents"]
    assert (incident["turn"], incident["earlier"]["turn"], incident["remembered"]) == (2, 2, None)
    assert "… and 1 more line. To see all: tacit replay --all" in person.tacit("replay", "--limit", "1").out


def test_an_empty_home_gets_one_sentence_and_a_time_to_come_an_error(person: Person) -> None:
    assert person.tacit("replay").out.startswith("There is nothing to replay yet")
    assert "in the future" in person.tacit("replay", "--since", "2030-01-01", code=2).err
