"""Counts of habits by session and directory, whatever the learner finds, and queries of shell commands."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import timedelta

import pytest
from harness.person import Person

from tacit.index import database, habits
from tacit.index.habits import OccurrenceKey, RecordedCommand
from tacit.model.claim import Kind
from tacit.model.event import Event
from tacit.model.ids import EventId
from tacit.model.observation import UNKNOWN_STATUS, CommandRan
from tests.support.events import START, event, numbered
from tests.support.histories import dump_habits

COMMAND, SEQUENCE = Kind.RECURRING_COMMAND.label, Kind.WORKFLOW_PATTERN.label


def ran(number: int, command: str, directory: str = "/a", *, session: str = "s1", status: int = 0) -> Event:
    return event(number, CommandRan(command, directory, status, shell="zsh"), session=session)


def by_text(state: str, commands: Sequence[RecordedCommand]) -> tuple[str, list[list[OccurrenceKey]]]:
    """A learner: each command is a habit, and so is a command after another one. Its state is the last command."""
    seen: list[list[OccurrenceKey]] = []
    for _, _, command in commands:
        pair = [(SEQUENCE, f"{state}\n{command.command}", command.directory)] if state else []
        seen.append([(COMMAND, command.command, command.directory), *pair])
        state = command.command
    return state, seen


def learn(index: sqlite3.Connection, *events: Event) -> None:
    habits.store_shell_commands(index, events)
    habits.learn(index, by_text)


def counted(index: sqlite3.Connection, counter: str, key: str) -> tuple[int, int, str] | None:
    count = habits.habit_count(index, counter, key)
    return (count.runs, count.sessions, count.last_event) if count else None


# Learning


def test_counts_do_not_depend_on_when_the_commands_of_sessions_came() -> None:
    events = [
        ran(number, "add push tag make".split()[number * 7 % 4], f"/{number * 5 % 3}", session=f"s{number % 3}")
        for number in range(1, 31)
    ]
    whole, late, piecewise = (database.create_index(":memory:") for _ in range(3))
    learn(whole, *events)
    learn(late, *events[:9], *events[12:20])  # the rest comes late in every session, or behind it
    learn(late, *events[9:12], *events[20:])
    for number in range(0, 30, 2):
        learn(piecewise, *events[number : number + 2])
    assert list(dump_habits(late)) == list(dump_habits(piecewise)) == list(dump_habits(whole))
    for kind, key in ((COMMAND, "add"), (SEQUENCE, "push\nadd")):
        expected = habits.last_events_by_session(whole, kind, key, 10)
        assert habits.last_events_by_session(late, kind, key, 10) == expected
        assert habits.last_events_by_session(piecewise, kind, key, 10) == expected


def test_what_a_session_no_longer_has_is_last_seen_in_another_session(index: sqlite3.Connection) -> None:
    learn(index, ran(1, "add"), ran(2, "push"), ran(5, "add", session="s2"), ran(9, "push", session="s2"))
    learn(index, ran(7, "tag", session="s2"))
    assert counted(index, SEQUENCE, "add\npush") == (1, 1, numbered(2))
    by_directory = habits.habit_by_directory(index, SEQUENCE, "add\npush")
    assert [(count.runs, count.sessions, count.last_event) for count in by_directory] == [(1, 1, numbered(2))]
    assert counted(index, COMMAND, "push") == (2, 2, numbered(9))


def test_a_command_that_comes_late_makes_its_session_be_counted_anew(index: sqlite3.Connection) -> None:
    learn(index, ran(1, "add"), ran(4, "add", session="s2"))
    learn(index, ran(3, "push"))
    assert counted(index, SEQUENCE, "add\npush") == (1, 1, numbered(3))
    learn(index, ran(2, "commit"))
    assert counted(index, SEQUENCE, "add\npush") == (0, 0, "")
    assert counted(index, SEQUENCE, "commit\npush") == (1, 1, numbered(3))
    assert counted(index, COMMAND, "add") == (2, 2, numbered(4))
    assert habits.total_runs(index, COMMAND) == 4


def test_the_same_name_of_a_session_on_two_hosts_is_two_sessions(index: sqlite3.Connection) -> None:
    here, there = ran(1, "add"), ran(2, "push")
    learn(index, here, there._replace(origin=there.origin._replace(host="laptop")))
    assert counted(index, SEQUENCE, "add\npush") is None
    assert habits.activity(index).sessions == 2


def test_a_session_counts_once_however_many_directories_it_was_in(index: sqlite3.Connection) -> None:
    learn(index, ran(1, "make", "/a"), ran(2, "make", "/b"), ran(3, "make", "/b"))
    learn(index, ran(4, "make", "/c"))
    assert counted(index, COMMAND, "make") == (4, 1, numbered(4))
    by_directory = habits.habit_by_directory(index, COMMAND, "make")
    assert {count.directory: (count.runs, count.sessions) for count in by_directory} == {
        "/a": (1, 1),
        "/b": (2, 1),
        "/c": (1, 1),
    }
    assert habits.count_sessions_in(index, COMMAND, "make", ["/a", "/b"]) == 1


def test_a_learner_that_fails_counts_nothing_and_is_given_the_commands_again(index: sqlite3.Connection) -> None:
    def failing(state: str, commands: Sequence[RecordedCommand]) -> tuple[str, list[list[OccurrenceKey]]]:
        raise ZeroDivisionError

    habits.store_shell_commands(index, [ran(1, "make")])
    with pytest.raises(ZeroDivisionError):
        habits.learn(index, failing)
    assert counted(index, COMMAND, "make") is None
    habits.learn(index, by_text)
    assert counted(index, COMMAND, "make") == (1, 1, numbered(1))


# Habits


def test_frequent_habits_are_those_seen_often_enough_in_enough_sessions(index: sqlite3.Connection) -> None:
    texts = ("make", "make", "ls", "ls", "ls", "vim")
    learn(index, *(ran(number, text, session="s1") for number, text in enumerate(texts, 1)))
    learn(index, ran(10, "make", "/b", session="s2"), ran(11, "vim", session="s2"))
    frequent = habits.frequent_habits(index, COMMAND, runs=2, sessions=1, limit=10)
    assert [(habit.key, habit.runs) for habit in frequent] == [("ls", 3), ("make", 3), ("vim", 2)]
    assert [habit.key for habit in habits.frequent_habits(index, COMMAND, runs=3, sessions=2, limit=10)] == ["make"]
    assert habits.count_frequent_habits(index, COMMAND, runs=3, sessions=1) == 2
    split = habits.frequent_habits_by_directory(index, COMMAND, runs=3, sessions=2, limit=10)
    assert {(count.key, count.directory, count.runs) for count in split} == {("make", "/a", 2), ("make", "/b", 1)}


def test_longer_sequences_begin_or_end_with_the_whole_sequence(index: sqlite3.Connection) -> None:
    keys = ("add\npush", "add\npush\ntag", "pull\nadd\npush", "readd\npush\ntag", "add\npushes", "add\npush\nrare")

    def sequences(state: str, commands: Sequence[RecordedCommand]) -> tuple[str, list[list[OccurrenceKey]]]:
        return "", [[(SEQUENCE, ran.command.command, "")] for ran in commands]

    runs = [key for key in keys for _ in range(1 if key.endswith("rare") else 2)]
    habits.store_shell_commands(index, [ran(number, key) for number, key in enumerate(runs, 1)])
    habits.learn(index, sequences)
    longer = habits.longer_sequences(index, SEQUENCE, "add\npush", runs=2, sessions=1, limit=5)
    assert longer == ["add\npush\ntag", "pull\nadd\npush"]


def test_the_sessions_of_a_habit_are_listed_the_latest_first(index: sqlite3.Connection) -> None:
    learn(index, ran(1, "make", session="s1"), ran(2, "make", session="s2"), ran(3, "make", "/b", session="s1"))
    learn(index, ran(4, "ls", session="s3"))
    assert habits.last_events_by_session(index, COMMAND, "make", 10) == [numbered(3), numbered(2)]
    assert habits.session_names(index, COMMAND, "make", 10) == ["s1", "s2"]
    assert habits.session_names(index, COMMAND, "make", 1) == ["s1"]


# Commands


def test_activity_counts_a_failure_only_if_the_exit_status_is_known(index: sqlite3.Connection) -> None:
    assert habits.activity(index) == habits.Activity(0, 0, 0, 0, 0, 0)
    learn(index, ran(1, "a", status=1), ran(2, "b", "", status=UNKNOWN_STATUS), ran(3, "c", session="s2"))
    first, last = (int((START + timedelta(hours=hours)).timestamp() * 1000) for hours in (1, 3))
    assert habits.activity(index) == habits.Activity(3, 1, 2, 1, first, last)


def test_commands_are_counted_by_shell_and_by_day(index: sqlite3.Connection) -> None:
    fish = ran(3, "c")
    learn(index, ran(1, "a"), ran(20, "b"), fish._replace(body=CommandRan("c", shell="fish")))
    assert habits.commands_by_shell(index) == [("zsh", 2), ("fish", 1)]
    day = int(START.timestamp()) // 86400
    assert habits.commands_by_day(index, 0) == {day: 2, day + 1: 1}
    assert habits.commands_by_day(index, (day + 1) * 86_400_000) == {day + 1: 1}


def test_recent_commands_are_those_of_the_same_session_up_to_an_event(index: sqlite3.Connection) -> None:
    learn(index, ran(1, "a"), ran(2, "b", session="s2"), ran(3, "c"), ran(4, "d"))
    texts = [recorded.command.command for recorded in habits.recent_commands(index, numbered(3), 10)]
    assert texts == ["c", "a"]
    assert [recorded.event for recorded in habits.recent_commands(index, numbered(3), 1)] == [numbered(3)]
    assert habits.recent_commands(index, EventId("unknown"), 10) == []


# Queries over days: the day is that of the person's clock


def test_a_command_shortly_before_midnight_is_of_the_next_day_further_east(person: Person) -> None:
    history = person.folder / ".bash_history"
    history.write_text("#1772407800\nmake test\n")  # 2026-03-01 23:30 UTC, a Sunday
    person.tacit("import", "history", "--file", str(history), "--shell", "bash")
    with person.vault() as vault:
        read = vault.home.store.read
        assert read(lambda connection: habits.commands_by_day(connection, 0, 0)) == {20513: 1}
        assert read(lambda connection: habits.commands_by_day(connection, 0, 60)) == {20514: 1}
        assert read(lambda connection: habits.commands_by_hour(connection, 0, 0)) == {(6, 23): 1}
        assert read(lambda connection: habits.commands_by_hour(connection, 0, 60)) == {(0, 0): 1}
        (ran,) = read(lambda connection: habits.commands_between(connection, 0, 2**53, 10))
        assert (ran.command, ran.exit_status) == ("make test", -1)


def test_habits_of_a_folder_are_those_of_it_and_below_it(index: sqlite3.Connection) -> None:
    learn(index, ran(1, "add", "/a"), ran(2, "add", "/a/b"), ran(3, "push", "/ab"), ran(4, "tag", "/a/b"))
    found = habits.frequent_habits_below(index, COMMAND, "/a", runs=1, sessions=1, limit=9)
    assert [(one.key, one.runs) for one in found] == [("add", 2), ("tag", 1)]
    assert habits.frequent_habits_below(index, COMMAND, "/a", runs=3, sessions=1, limit=9) == []
    assert [one.key for one in habits.frequent_habits_below(index, COMMAND, "/", runs=1, sessions=1, limit=1)] == [
        "add"
    ]
