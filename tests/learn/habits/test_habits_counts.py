"""Learning command by command is learning from the whole history: in any pieces, in any order, counted by hand."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.index import database, habits, writer
from tacit.learn.habits import CommandTrail, detect_habits, detect_in_session
from tacit.learn.habits.corrections import KEY_SEPARATOR
from tacit.learn.habits.habit import LINE_COUNTER, HabitKey, HabitTally
from tacit.log.codec import must_decode
from tacit.model.claim import GLOBAL, Kind, Provenance
from tacit.model.event import Event, EventOrigin
from tacit.model.ids import event_id
from tacit.model.observation import UNKNOWN_STATUS, CommandRan
from tests.support.histories import dump_habits
from tests.support.shellwork import Line, counted, lines

COMMANDS = (
    *("git add .", "git commit -m x", "git push", "git psuh", "make test", "make lint && make test"),
    *("ls", "cd src", "npm t", "npm test | tail", "vim a", "", "# nothing", "echo 'unclosed"),
)
line = st.builds(
    Line,
    st.sampled_from(("one", "two", "three")),
    st.integers(0, 400),
    st.tuples(st.sampled_from(COMMANDS), st.sampled_from(("", "/a", "/b/c")), st.sampled_from((0, 0, 1))).map(
        lambda told: CommandRan(*told)
    ),
)
histories = st.lists(line, max_size=40, unique_by=lambda one: (one.session, one.minute))


def event(one: Line) -> Event:
    origin = EventOrigin(one.at, 0, "host", one.session, "user", Provenance.USER_DIRECT)
    name = event_id(int(one.at.timestamp() * 1000), one.session.encode().ljust(10, b"_"))
    return Event(name, name, origin, GLOBAL, one.ran)


def filed(index: sqlite3.Connection, history: Sequence[Line]) -> None:
    events = [event(one) for one in history]
    writer.apply_events(
        index, [writer.IndexedEvent(one, "command.ran", "a", 1, 0, 0, b"") for one in events], [], must_decode
    )


def learned(*pieces: Sequence[Line]) -> sqlite3.Connection:
    index = database.create_index(":memory:")
    for piece in pieces:
        filed(index, piece)
        habits.learn(index, detect_in_session)
    return index


def tallies(index: sqlite3.Connection) -> dict[HabitKey, HabitTally]:
    kinds = (Kind.PREFERRED_CWD, Kind.RECURRING_COMMAND, Kind.WORKFLOW_PATTERN, Kind.PREFERENCE)
    every = {kind: habits.frequent_habits(index, kind.label, runs=1, sessions=1, limit=1_000_000) for kind in kinds}
    found = [(HabitKey(kind, one.key), one) for kind, own in every.items() for one in own]
    return {key: HabitTally(key, one.runs, one.sessions) for key, one in found}


@settings(max_examples=150, deadline=None)
@given(histories)
def test_it_is_what_a_person_with_a_pencil_would_count(history: list[Line]) -> None:
    assert tallies(learned(history)) == counted(history)


@settings(max_examples=150, deadline=None)
@given(histories, st.lists(st.integers(0, 40), max_size=6), st.randoms())
def test_in_pieces_and_in_any_order_it_is_the_same(history: list[Line], cuts: list[int], dice: random.Random) -> None:
    whole = list(dump_habits(learned(history)))
    ordered = sorted(history, key=lambda one: one.minute)
    shuffled = dice.sample(history, len(history))
    for told in (ordered, shuffled):
        ends = sorted({0, *cuts, len(told)})
        pieces = [told[start:end] for start, end in pairwise(ends)]
        assert list(dump_habits(learned(*pieces))) == whole


def test_hearing_it_twice_changes_nothing() -> None:
    history = [Line("one", at, CommandRan(command)) for at, command in enumerate(COMMANDS)]
    assert list(dump_habits(learned(history, history))) == list(dump_habits(learned(history)))


@pytest.mark.parametrize("batch", [1, 3, 1000])
def test_however_many_are_taken_in_at_a_time(batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    history = [Line(f"s{at % 4}", 200 - at, CommandRan(COMMANDS[at % 6])) for at in range(60)]
    whole = list(dump_habits(learned(history)))
    monkeypatch.setattr(habits, "_BATCH_SIZE", batch)
    assert list(dump_habits(learned(history))) == whole


# What the learners see in a session, command by command


def seen(history: list[Line], kind: Kind | str) -> list[str]:
    trail, found = CommandTrail(), list[str]()
    for line in history:
        trail, more = detect_habits(trail, int(line.at.timestamp() * 1000), line.ran)
        found += [
            key.replace(KEY_SEPARATOR, " → ")
            for one, key, _ in more
            if one == (kind if isinstance(kind, str) else kind.label)
        ]
    return found


def sequences(*commands: str) -> list[str]:
    return seen(lines("s", *commands), Kind.WORKFLOW_PATTERN)


def test_pairs_and_triples_are_seen_in_order() -> None:
    assert sequences("git add .", "git commit -m x", "git push") == [
        "git add → git commit",
        "git commit → git push",
        "git add → git commit → git push",
    ]


def test_the_parts_of_a_chain_are_a_sequence() -> None:
    assert sequences("make lint && make test") == ["make lint → make test"]


@pytest.mark.parametrize(
    "commands",
    [
        ("git status", "git status", "git status"),
        ("git status -s", "git status", "git status --short"),
        ("make", "cd src", "make", "ls", "make"),
    ],
)
def test_a_command_repeated_is_no_workflow(commands: tuple[str, ...]) -> None:
    assert sequences(*commands) == []


def test_to_and_fro_is_no_triple() -> None:
    assert sequences("vim a", "make test", "vim a") == ["vim → make test", "make test → vim"]


def test_looking_around_in_between_changes_nothing() -> None:
    assert sequences("make lint", "ls", "cd src", "make test") == ["make lint → make test"]


def test_what_failed_is_not_there() -> None:
    history = [*lines("s", "make lint"), *lines("s", "make test", start=1, status=2), *lines("s", "git push", start=2)]
    assert seen(history, Kind.WORKFLOW_PATTERN) == ["make lint → git push"]
    assert seen(history, Kind.RECURRING_COMMAND) == ["make lint", "git push"]
    assert len(seen(history, Kind.PREFERRED_CWD)) == 2


def test_a_history_that_does_not_tell_how_commands_ended_counts() -> None:
    history = lines("s", "make lint", "make test", status=UNKNOWN_STATUS)
    assert seen(history, Kind.RECURRING_COMMAND) == ["make lint", "make test"]


def test_after_a_long_pause_nothing_follows_from_what_was_before() -> None:
    history = [*lines("s", "make lint"), *lines("s", "make test", start=31)]
    assert seen(history, Kind.WORKFLOW_PATTERN) == []


def test_aliases_count_for_what_they_mean() -> None:
    history = [Line("s", 0, CommandRan("gst", meant="git status"))]
    assert seen(history, Kind.RECURRING_COMMAND) == ["git status"]


def substituted(*told: tuple[str, int]) -> list[str]:
    history = [Line("s", at, CommandRan(command, status=status)) for at, (command, status) in enumerate(told)]
    return seen(history, Kind.PREFERENCE)


@pytest.mark.parametrize(
    ("wrong", "right", "found"),
    [
        ("git psuh origin main", "git push origin main", "git psuh → git push"),
        ("grep -rn todo src", "rg -rn todo src", "grep → rg"),
        ("pytest test", "pytest tests", "pytest test → pytest tests"),
        ("pyhton", "python", "pyhton → python"),
    ],
)
def test_a_correction_is_seen(wrong: str, right: str, found: str) -> None:
    assert substituted((wrong, 1), (right, 0)) == [found]
    assert substituted((wrong, 1), ("ls", 0), (right, 0)) == [found]


@pytest.mark.parametrize(
    "told",
    [
        [("git psuh", 1), ("git push", 1)],
        [("git psuh", 0), ("git push", 0)],
        [("git psuh", 1), ("make", 0), ("git push", 0)],
        [("make test", 2), ("make test", 0)],
        [("make test", 2), ("make lint test", 0)],
        [("git commit -m a -n", 1), ("git push -m b -n", 0)],
        [("cd aap", 1), ("cd app", 0)],
        [("vim", 1), ("git", 0)],
    ],
    ids=str,
)
def test_what_is_no_correction_is_not(told: list[tuple[str, int]]) -> None:
    assert substituted(*told) == []


@pytest.mark.parametrize(
    ("told", "found"),
    [
        (("dokcer ps", "docker ps"), ["dokcer → docker"]),
        (("claer", "clear"), ["claer → clear"]),
        (("git stauts -s", "git status -s"), ["git stauts → git status"]),
        (("dokcer ps", "make", "docker ps"), []),
        (("vim a1", "vim a2"), []),
        (("vi notes", "vim notes"), []),
        (("grep todo src", "rg todo src"), []),
        (("git push origin mian", "git push origin main"), []),
    ],
    ids=str,
)
def test_where_nobody_knows_what_failed_only_a_misspelled_name_is_a_correction(
    told: tuple[str, ...], found: list[str]
) -> None:
    assert seen(lines("s", *told, status=UNKNOWN_STATUS), Kind.PREFERENCE) == found
    assert seen(lines("s", *told), Kind.PREFERENCE) == [], "all of them went well"


def test_another_file_is_no_correction() -> None:
    assert substituted(("python train.py", 1), ("python tests.py", 0)) == []
    assert substituted(("tar -xf old.tar", 1), ("tar -xf new.tar", 0)) == []
    assert substituted(("tar -xf a.tar", 1), ("tar -xjf a.tar", 0)) == ["tar -xf → tar -xjf"]


def test_the_command_is_counted_and_its_line_if_the_arguments_say_something() -> None:
    history = lines("s", "git add -A", "cd docs && rsync -ru . web:/srv/www", "make release")
    assert seen(history, LINE_COUNTER) == ["rsync -ru . web:/srv/www", "make release"]
    assert seen(history, Kind.RECURRING_COMMAND) == ["git add", "rsync", "make release"]


def test_a_recalled_line_that_was_edited_is_a_correction() -> None:
    history = [Line("s", 0, CommandRan("rg todo src", planned="grep todo src"))]
    assert seen(history, Kind.PREFERENCE) == ["grep → rg"]
