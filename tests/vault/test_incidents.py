"""Incidents: what was known when an agent was corrected or a command failed, whatever is known today."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from harness.person import NOW, Person
from harness.transcripts import Claude, lines, name_of, place

from tacit.vault.replay import Replay, empty_line, summary_lines
from tests.support.hook_session import Sitting

RULE = "never commit the snapshots of the shop"
AGAIN = "No, never commit the snapshots of the shop!"
FIX = "When `git diff` fails with “ambiguous argument 'master'”, use `git diff main`."
FAILED = ("git diff master...HEAD", "fatal: ambiguous argument 'master...HEAD': unknown revision")
BEGAN = datetime.fromisoformat(NOW)


@pytest.fixture
def shop(person: Person) -> Path:
    person.repository("api")
    return person.repository("shop")


def at(person: Person, days: int) -> None:
    person.now = (BEGAN + timedelta(days=days)).isoformat()


def work(
    person: Person, days: int, *said: str, folder: str = "shop", told: bool = False, fails: Sequence[str] = ()
) -> None:
    """A session on a day: a wish, a command, and what the person says then, each answered."""
    at(person, days)
    session, where = name_of(folder, days), person.folder / folder
    if told:
        Sitting(person, session, where).start(TACIT_NOW=person.now)
    writer = Claude(session, str(where), BEGAN + timedelta(days=days))
    writer.ask(f"wish {days}")
    if fails:
        writer.call("Bash", {"command": fails[0]}, fails[1], error=True)
        writer.call("Bash", {"command": fails[0].replace("master", "main")})
    writer.reply("It is done.")
    for text in said:
        writer.ask(text)
        writer.reply("I see.")
    file = place(person.folder, "claude", session)
    file.write_bytes(lines(writer.records))
    person.now = (BEGAN + timedelta(days=days, hours=1)).isoformat()
    person.tacit("import", "transcripts", str(file))


def replay(person: Person, since: str = "1y") -> Replay:
    with person.vault() as vault:
        return vault.replays.replay(since)


def known(person: Person) -> list[str]:
    return [f"{one.kind.value} {one.answer.value}" for one in reversed(replay(person).incidents)]


def test_a_correction_is_ignored_untold_or_unremembered_by_what_held_then(person: Person, shop: Path) -> None:
    work(person, 1, RULE)  # said after work: nothing to repeat yet
    work(person, 2, AGAIN)
    person.tacit("add", RULE, cwd=shop)
    work(person, 3, AGAIN)
    work(person, 4, AGAIN, told=True)
    person.tacit("forget", person.id_of(RULE), cwd=shop)
    work(person, 5, AGAIN)
    person.tacit("restore", person.id_of(RULE), cwd=shop)
    work(person, 6, AGAIN)
    Sitting(person, name_of("shop", 6), shop).start("compact", TACIT_NOW=person.now)  # told, but only afterwards
    expected = ["unremembered", "untold", "ignored", "unremembered", "untold"]
    assert known(person) == [f"correction {answer}" for answer in expected]
    found = replay(person)
    assert found.correction_count == 6
    assert "".join(summary_lines(found)) == (
        "Of 6 corrections 5 repeat something you had said before: 1 told and ignored; 2 remembered and not told;"
        " 2 never remembered."
    )
    assert replay(person, "2026-03-06").incidents[-1].moment.text == AGAIN  # what is older is known all the same


def test_another_project_an_opposite_and_a_copied_session_repeat_nothing(person: Person, shop: Path) -> None:
    work(person, 1, RULE)
    work(person, 2, AGAIN, folder="api")
    work(person, 3, "No, always commit the snapshots of the shop!")
    copied = "No, never use tabs in the templates! Every page of the shop has been written with blanks for years."
    work(person, 4, copied)
    work(person, 5, copied)
    assert known(person) == []
    work(person, 6, "No, never use tabs in the templates!")
    assert known(person) == ["correction unremembered"]


def test_a_failure_had_a_remedy_if_a_memory_or_an_earlier_session_had_its_fix(person: Person, shop: Path) -> None:
    work(person, 1, fails=FAILED)
    work(person, 2, fails=FAILED)
    assert known(person) == ["failure unremembered"]
    (found,) = replay(person).incidents
    assert found.earlier is not None and found.earlier.text == FAILED[0] and "git diff" in found.sentence
    person.tacit("add", FIX, "--kind", "known_fix", cwd=shop)
    work(person, 3, fails=FAILED)
    assert known(person)[1:] == ["failure untold"]
    assert replay(person).failure_count == 3


def test_a_rule_that_was_told_and_broken_is_an_incident_without_a_word(person: Person, shop: Path) -> None:
    person.tacit("add", "never use npm here, use pnpm", cwd=shop)
    at(person, 1)
    session = name_of("broken")
    Sitting(person, session, shop).start(TACIT_NOW=person.now)
    writer = Claude(session, str(shop), BEGAN + timedelta(days=1))
    writer.ask("add the dependency")
    writer.call("Bash", {"command": "npm install zod"})
    writer.reply("It is done.")
    file = place(person.folder, "claude", session)
    file.write_bytes(lines(writer.records))
    at(person, 2)
    person.tacit("import", "transcripts", str(file))
    person.tacit("learn")
    assert known(person) == ["violation ignored"]
    assert "broken 1 time " in "".join(summary_lines(replay(person)))


def test_a_home_without_incidents_says_so_in_one_friendly_sentence(person: Person, shop: Path) -> None:
    assert empty_line(replay(person)).startswith("There is nothing to replay yet: sessions come with")
    work(person, 1, "thanks, that is fine")
    assert empty_line(replay(person)) == (
        "Nothing that you had said before had to be said again since 2025-03-03: 1 session, 0 corrections."
    )
    at(person, 90)
    assert empty_line(replay(person, "7d")).startswith("No session was recorded since 2026-05-24; 1 session before")


def test_a_replay_writes_nothing(person: Person, shop: Path) -> None:
    work(person, 1, RULE)
    work(person, 2, AGAIN)
    person.tacit("status")
    before = {path: path.read_bytes() for path in person.home.rglob("*.jsonl")}
    assert known(person)
    assert {path: path.read_bytes() for path in person.home.rglob("*.jsonl")} == before
