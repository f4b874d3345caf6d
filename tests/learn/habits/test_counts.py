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
from tacit.learn.habits import detect_in_session
from tacit.learn.habits.habit import HabitKey, HabitTally
from tacit.log.codec import must_decode
from tacit.model.claim import GLOBAL, Kind, Provenance
from tacit.model.event import Event, EventOrigin
from tacit.model.ids import event_id
from tacit.model.observation import CommandRan
from tests.support.histories import dump_habits
from tests.support.shellwork import Line, counted

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
    found = [one for kind in kinds for one in habits.frequent_habits(index, kind, runs=1, sessions=1, limit=1_000_000)]
    return {
        HabitKey(one.kind, one.key): HabitTally(HabitKey(one.kind, one.key), one.runs, one.sessions) for one in found
    }


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
