"""Tombstones: which events a purge reaches in this log, in a restored copy, and in lines from elsewhere."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from tacit.log.codec import encode
from tacit.log.segment import PURGED_SEGMENT
from tacit.model.event import Event, EventBody
from tacit.model.observation import MemoryPurged, PurgedStub, RecallAsked, WorkLogged
from tacit.purge.prints import make_fingerprint
from tacit.purge.tombstones import Tombstones, load_tombstones
from tacit.text.display import PURGED_MARK
from tests.chaos.logs import open_log
from tests.support.events import START, added, event, numbered, says

TEXT = "blue heron"
CLAIM = says("the blue heron is the codename")
PRINT = make_fingerprint(TEXT, bytes(range(16)))
LATER = 9  # the number of the purge


def purge(number: int = LATER, *, op: int | None = None, **fields: object) -> Event:
    made = event(number, MemoryPurged(**fields))  # type: ignore[arg-type]
    return made._replace(op=numbered(op or number))


def logged(number: int) -> Event:
    return event(number, WorkLogged("T-1", f"told {TEXT} to Kim"))


def summary_of(body: EventBody) -> str:
    assert isinstance(body, WorkLogged)
    return body.summary


def put(home: Path, segment: str, *events: Event) -> None:
    path = home / segment
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"".join(map(encode, events)))


def test_a_named_event_loses_the_text_whenever_it_was_written() -> None:
    stones = Tombstones([purge(events=(numbered(3), numbered(12)), prints=(PRINT,))])
    for number in (3, 12):
        assert summary_of(stones.apply(logged(number)).body) == f"told {PURGED_MARK} to Kim"
        assert summary_of(stones.apply_fully(logged(number)).body) == f"told {PURGED_MARK} to Kim"


def test_an_event_that_is_not_named_is_compared_only_where_all_texts_are() -> None:
    stones = Tombstones([purge(events=(numbered(3),), prints=(PRINT,))])
    assert stones.apply(logged(4)) == logged(4)
    assert summary_of(stones.apply_fully(logged(4)).body) == f"told {PURGED_MARK} to Kim"


def test_a_purged_claim_is_a_stub_in_old_lines_and_may_be_said_again() -> None:
    stones = Tombstones([purge(claims=(CLAIM.id,))])
    old, new = event(4, added(CLAIM)), event(12, added(CLAIM))
    for apply in (stones.apply, stones.apply_fully):
        assert apply(old).body == PurgedStub("memory.added")
        assert apply(new) is new


def test_the_bound_of_a_tombstone_is_the_event_it_names_else_its_own_id() -> None:
    own = Tombstones([purge(claims=(CLAIM.id,))]).all[0]
    named = Tombstones([purge(claims=(CLAIM.id,), before=numbered(6))]).all[0]
    assert [own.applies_to(logged(number)) for number in (5, 6, 8, 9)] == [True, True, True, False]
    assert [named.applies_to(logged(number)) for number in (5, 6, 8, 9)] == [True, False, False, False]


def test_a_purge_that_takes_several_lines_is_one_tombstone_with_the_id_of_the_first() -> None:
    parts = [
        purge(11, op=LATER, claims=(CLAIM.id,), prints=(PRINT,)),
        purge(LATER, op=LATER, events=(numbered(3),), prints=(PRINT,)),
        purge(13, events=(numbered(4),)),
    ]
    first, second = Tombstones([logged(1), *parts]).all
    assert (first.id, second.id) == (numbered(LATER), numbered(13))
    assert (first.body.events, first.body.claims, first.body.prints) == ((numbered(3),), (CLAIM.id,), (PRINT,))
    assert not first.applies_to(logged(10))


def test_parts_with_another_bound_are_tombstones_of_their_own() -> None:
    parts = [purge(9, op=9, claims=(CLAIM.id,)), purge(10, op=9, before=numbered(6), claims=(CLAIM.id,))]
    assert [stone.body.before for stone in Tombstones(parts).all] == ["", numbered(6)]


def test_in_lines_from_elsewhere_deletion_wins_whatever_their_time() -> None:
    stones = Tombstones([purge(claims=(CLAIM.id,), prints=(PRINT,))])
    left = stones.filter_import(logged(12))
    assert left is not None and summary_of(left.body) == f"told {PURGED_MARK} to Kim"
    assert stones.filter_import(event(12, added(CLAIM))) is None
    assert stones.rejects(logged(12)) and stones.rejects(event(12, added(CLAIM)))


def test_lines_from_elsewhere_that_hold_nothing_purged_come_as_they_are() -> None:
    stones = Tombstones([purge(claims=(CLAIM.id,), prints=(PRINT,))])
    for body in (RecallAsked("grey heron", 1), PurgedStub("memory.added")):
        assert stones.filter_import(event(2, body)) == event(2, body)
        assert not stones.rejects(event(2, body))


def test_a_log_without_a_purge_has_no_tombstones(tmp_path: Path) -> None:
    put(tmp_path, "memory/events.jsonl", event(1, added(says('never write "type":"memory.purged"'))))
    assert load_tombstones(open_log(str(tmp_path))) is None
    put(tmp_path, PURGED_SEGMENT, logged(1))
    assert load_tombstones(open_log(str(tmp_path))) is None


@pytest.mark.parametrize(("hours", "ids"), [(None, [2, 5]), (2, [2, 5]), (3, [5]), (6, [])])
def test_tombstones_can_be_read_from_a_time_on(tmp_path: Path, hours: int | None, ids: list[int]) -> None:
    put(tmp_path, PURGED_SEGMENT, purge(2, prints=(PRINT,)), purge(5, prints=(PRINT,)))
    since = None if hours is None else START + timedelta(hours=hours)
    found = load_tombstones(open_log(str(tmp_path)), since)
    assert (found is None) is (not ids)
    assert not found or [stone.id for stone in found.all] == list(map(numbered, ids))


def test_a_tombstone_in_a_copy_that_a_sync_program_left_holds_too(tmp_path: Path) -> None:
    put(tmp_path, "memory/purged (conflicted copy).jsonl", purge(events=(numbered(3),), prints=(PRINT,)))
    found = load_tombstones(open_log(str(tmp_path)))
    assert found is not None
    assert found.apply(logged(3)) != logged(3)
