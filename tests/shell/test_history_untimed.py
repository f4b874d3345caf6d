"""Commands whose history does not say when they ran: they count as uses, and no day, hour or recency is made up."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from harness.person import Person

from tacit.log.codec import decode, encode
from tacit.model.event import Event
from tacit.model.ids import event_milliseconds
from tacit.vault.timeline import Timeline
from tests.shell.test_history_import import commands, events, extended, imported, keep

NOW = datetime.fromisoformat("2026-03-02T12:00:00+00:00")
UNTIMED = [f"make target{number % 7}" for number in range(200)]
DAY = 86_400


def seconds_ago(days: float) -> int:
    return int((NOW - timedelta(days=days)).timestamp())


def bash(texts: list[str], *timed: tuple[int, str]) -> bytes:
    return b"".join(f"{text}\n".encode() for text in texts) + b"".join(
        f"#{at}\n{text}\n".encode() for at, text in timed
    )


@pytest.fixture
def untimed(person: Person) -> Person:
    keep(person, bash(UNTIMED), ".bash_history")
    imported(person)
    return person


def test_they_have_the_order_of_the_history_and_a_time_that_nobody_takes_for_one(untimed: Person) -> None:
    assert commands(untimed) == UNTIMED
    assert {event["ts"][:10] for event in events(untimed)} == {"1970-01-01"}
    assert max(event_milliseconds(event["id"]) for event in events(untimed)) < DAY * 1000


def test_no_day_no_hour_and_no_week_has_them(untimed: Person) -> None:
    with untimed.vault() as vault:
        assert sum(day.commands for day in Timeline(vault.home).days(30)) == 0
        assert sum(hour.commands for hour in Timeline(vault.home).hours(30)) == 0
        stats = vault.suggestions.statistics()
    assert stats.used.activity.commands == len(UNTIMED)
    assert (stats.first, stats.last) == ("", "")
    assert sum(week.commands for week in stats.weeks) == 0
    assert "1970" not in untimed.tacit("stats").out


def test_they_are_found_without_a_time(untimed: Person) -> None:
    (hit,) = [hit for hit in untimed.recalled("target3") if hit["kind"] == "command"]
    assert hit["at"] is None
    said = untimed.tacit("recall", "target3").out
    assert "nobody knows when" in said and "1970" not in said
    assert not [hit for hit in untimed.recalled("target3", "--since", "2000-01-01") if hit["kind"] == "command"]


def test_they_count_as_uses(untimed: Person) -> None:
    keep(untimed, extended([(seconds_ago(days), "make target3") for days in (5, 4, 3)]))
    imported(untimed)
    with untimed.vault() as vault:
        (frequent,) = [one for one in vault.suggestions.statistics().used.commands if one.key == "make target3"]
        days = Timeline(vault.home).days(30)
    assert frequent.runs == UNTIMED.count("make target3") + 3
    assert sum(day.commands for day in days) == 3


def test_a_known_time_counts_as_the_last_one(untimed: Person) -> None:
    keep(untimed, extended([(seconds_ago(90), "make target3")]))
    imported(untimed)
    (hit,) = [hit for hit in untimed.recalled("target3") if hit["kind"] == "command"]
    assert hit["at"].startswith("2025-12-02")


def test_what_ran_lately_is_suggested_before_what_nobody_knows_the_time_of(person: Person) -> None:
    steps = ["./prepare.sh", "./deploy.sh", "./announce.sh"]
    runs = [(seconds_ago(days) + 60 * at, step) for days in (9, 7, 5, 3, 1) for at, step in enumerate(steps)]
    keep(person, extended(runs))
    others = [f"./old{number % 3}.sh" for number in range(3000)]
    keep(person, bash(others), ".bash_history")
    imported(person)
    assert "deploy.sh" in person.tacit("suggestions", "--json").json[0]["label"]
    evidence = [card["evidence"] for card in person.tacit("suggestions", "--json").json if "old" in card["label"]]
    assert evidence and all("history without timestamps" in one for (one,) in evidence)


def test_the_last_day_of_a_habit_is_the_last_that_is_known(person: Person) -> None:
    keep(person, extended([(seconds_ago(100 - day), "./deploy.sh") for day in range(12)]))
    keep(person, bash(["./deploy.sh", "ls"] * 50), ".bash_history")
    imported(person)
    (card,) = person.tacit("suggestions", "--json").json
    assert card["evidence"] == ["62 runs in 13 sessions, the last on 2025-12-03"]


def test_what_comes_before_the_first_time_of_a_history_has_none_either(person: Person) -> None:
    timed = [(seconds_ago(2), "git status"), (seconds_ago(1), "git push")]
    path = keep(person, bash(UNTIMED, *timed), ".bash_history")
    said = imported(person).out
    assert "202 commands, 202 new, in 2 sessions, from 2026-02-28 to 2026-03-01" in said
    assert "200 before the first time in it: no day is known" in said
    with person.vault() as vault:
        assert [day.commands for day in Timeline(vault.home).days(30) if day.commands] == [1, 1]
    assert commands(person) == [*UNTIMED, "git status", "git push"]
    assert "nothing new" in imported(person).out
    path.write_bytes(bash(UNTIMED[50:], *timed, (seconds_ago(0.5), "git pull")))
    assert ", 1 new" in imported(person).out


def test_a_history_that_has_times_from_now_on_comes_in_once(untimed: Person) -> None:
    path = untimed.folder / ".bash_history"
    path.write_bytes(bash([*UNTIMED, "ls"], (seconds_ago(1), "git status")))
    assert ", 2 new" in imported(untimed).out
    assert sorted(commands(untimed)) == sorted([*UNTIMED, "ls", "git status"])


def test_the_same_commands_of_two_histories_are_all_there(untimed: Person) -> None:
    other = keep(untimed, bash(UNTIMED), "backup/.bash_history")
    assert ", 200 new" in imported(untimed, "--file", str(other), "--shell", "bash").out


def test_what_was_purged_does_not_come_back_with_a_history_without_times(untimed: Person) -> None:
    path = untimed.folder / ".bash_history"
    path.write_bytes(bash([*UNTIMED, "curl zanzibar.example"]))
    imported(untimed)
    untimed.tacit("purge", "--text", "zanzibar.example", "--yes")
    later = str(keep(untimed, path.read_bytes(), "copy/.bash_history"))
    said = imported(untimed, "--file", later, "--shell", "bash", now="2026-03-09T12:00:00+00:00").out
    assert "1 purged before" in said
    assert untimed.recalled("zanzibar") == []


def test_an_index_made_again_says_the_same(untimed: Person) -> None:
    untimed.wait_for_pages()
    before = untimed.tacit("stats").out.splitlines()[:3], untimed.recalled("target3")
    untimed.tacit("doctor", "--reindex")
    untimed.wait_for_pages()
    assert (untimed.tacit("stats").out.splitlines()[:3], untimed.recalled("target3")) == before
    assert untimed.tacit("doctor").code == 0


def test_commands_that_an_earlier_version_dated_by_the_file_have_no_day(person: Person) -> None:
    """Their session says that their history had no times."""
    keep(person, bash(["make test"] * 3), ".bash_history")
    imported(person)
    (segment,) = (person.home / "imported").glob("*.jsonl")
    lines = []
    for event in map(decode, segment.read_bytes().splitlines()):
        assert isinstance(event, Event)
        lines.append(encode(event._replace(origin=event.origin._replace(at=NOW))))  # the day of the import
    segment.write_bytes(b"".join(lines))
    person.tacit("doctor", "--reindex")
    with person.vault() as vault:
        assert sum(day.commands for day in Timeline(vault.home).days(30)) == 0
        assert vault.suggestions.statistics().first == ""
