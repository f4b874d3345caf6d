"""Lists and numbers that are read from the index are those of sorting and counting everything."""

from __future__ import annotations

import sqlite3
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tacit.index import listings, reader, sessions
from tacit.index.listings import MemoryFilter
from tacit.log.codec import must_decode
from tacit.model.claim import GLOBAL, Kind, Provenance, Scope, Status
from tacit.model.conflict import ConflictRule
from tacit.model.event import Event, timestamp
from tacit.model.ids import ClaimId, claim_number
from tacit.model.memory import Memory, fold_memories
from tacit.vault.evidence import agents_of_memory
from tests.laws.filing import filed, indexed, logs_in_pieces
from tests.laws.strategies import SCOPES, law, logs, quick_law
from tests.laws.test_index import Pieces

_TIMES = ("2023-12-31T00:00:00.000000Z", "2024-01-01T06:00:00.000000Z", "2024-01-02T00:00:00.000000Z")
_KINDS = ("rule", "constraint", "preference", "decision", "workflow_pattern")
filters = st.builds(
    MemoryFilter,
    st.sampled_from([None, *Status]),
    st.none() | st.lists(st.sampled_from(_KINDS), max_size=2, unique=True).map(tuple),
    st.none() | st.frozensets(st.sampled_from([*SCOPES, Scope("project:unknown")]), max_size=2),
    st.sampled_from([None, None, None, "cli", "a", "a b", ""]),
    st.sampled_from([None, None, "agent", "lear"]),
    st.sampled_from([None, None, *_TIMES]),
    st.sampled_from([None, None, *_TIMES]),
    st.sampled_from([None, None, None, *Provenance]),
)


def _matches(index: sqlite3.Connection, memory: Memory, wanted: MemoryFilter) -> bool:
    agents = agents_of_memory(index, memory.id)
    at = timestamp(memory.last_at)
    return (
        wanted.status in (None, memory.status)
        and (wanted.kinds is None or memory.kind.label in wanted.kinds)
        and (wanted.scopes is None or memory.claim.scope in wanted.scopes)
        and (wanted.tag is None or wanted.tag in memory.claim.tags)
        and wanted.provenance in (None, memory.provenance)
        and (wanted.agent is None or any(f"{name}-".startswith(f"{wanted.agent}-") for name in agents))
        and (wanted.since or "") <= at < (wanted.before or "~")
    )


def _latest_first(index: sqlite3.Connection, log: list[Event], wanted: MemoryFilter) -> list[Memory]:
    known = [memory for memory in fold_memories(log).values() if _matches(index, memory, wanted)]
    return sorted(known, key=lambda memory: (memory.last_event, memory.id), reverse=True)


@law
@given(logs, filters, st.integers(0, 4), st.integers(0, 2))
def test_a_list_has_the_memories_that_match_the_latest_first(
    log: list[Event], wanted: MemoryFilter, limit: int, offset: int
) -> None:
    index = indexed(filed(log))
    expected = [claim_number(memory.id) for memory in _latest_first(index, log, wanted)]
    assert list(listings.latest_ids(index, wanted)) == expected
    assert list(listings.latest_ids(index, wanted, limit, offset)) == expected[offset : offset + limit]
    assert [claim_number(row.id) for row in listings.latest_memories(index, wanted, limit)] == expected[:limit]
    assert listings.count_memories(index, wanted) == len(expected)


@law
@given(logs, filters, st.integers(0, 4))
def test_candidates_come_with_the_surest_first_and_habits_apart(
    log: list[Event], wanted: MemoryFilter, limit: int
) -> None:
    index, wanted = indexed(filed(log)), wanted._replace(status=Status.PENDING)
    waiting = _latest_first(index, log, wanted)
    others = sorted((memory for memory in waiting if not memory.is_habit), key=lambda memory: -memory.confidence)
    expected = [claim_number(memory.id) for memory in others]
    assert list(listings.candidate_ids(index, wanted)) == expected
    assert list(listings.candidate_ids(index, wanted, limit)) == expected[:limit]
    everything = [claim_number(row.id) for row in reader.memory_rows(index)]
    assert listings.matching_candidates(index, wanted, everything) == expected
    assert listings.count_memories(index, wanted, is_habit=False) == len(expected)
    assert listings.habit_ids(index, wanted) == {claim_number(memory.id) for memory in waiting if memory.is_habit}


@law
@given(logs, st.integers(0, 8))
def test_rules_that_hold_are_counted_and_those_since_an_event_found(log: list[Event], place: int) -> None:
    index = indexed(filed(log))
    since = log[min(place, len(log) - 1)].id if log else ""
    for scope in SCOPES:
        rows = [row for row in reader.memory_rows(index) if row.scope == scope and row.status is Status.ACTIVE]
        rules = [row for row in rows if row.overruled_by is None and row.kind in (Kind.CONSTRAINT, Kind.RULE)]
        assert reader.count_rules(index, [scope]) == len(rules)
        found = reader.leading_rules(index, [scope], len(rules) + 1, since)
        assert found == [row for row in reader.leading_rules(index, [scope], len(rules) + 1) if row.last_event > since]


@law
@given(logs_in_pieces)
def test_counters_are_what_counting_gives_however_the_index_caught_up(both: Pieces) -> None:
    index = indexed(*both[1])
    rows = list(reader.memory_rows(index))
    assert reader.count_by(index, "status") == Counter(row.status.value for row in rows)
    active = Counter(row.kind.label for row in rows if row.status is Status.ACTIVE)
    assert reader.count_by(index, "kind", Status.ACTIVE) == active
    pending = [row for row in rows if row.status is Status.PENDING]
    assert reader.pending_by_kind_and_scope(index) == Counter((row.kind.label, row.scope) for row in pending)
    assert reader.count_by(index, "kind", Status.PENDING) == Counter(row.kind.label for row in pending)
    assert reader.all_scopes(index) == sorted({row.scope for row in rows})
    for scope in (*SCOPES, Scope("project:unknown")):
        assert reader.is_scope_used(index, scope) == any(row.scope == scope for row in rows)
        assert reader.is_scope_used(index, scope, Status.PENDING) == any(row.scope == scope for row in pending)
    habits = [memory for row in rows if (memory := reader.load_memory(index, row.id, must_decode)) and memory.is_habit]
    assert reader.count_habits(index) == Counter(memory.status.value for memory in habits)
    for status in Status:
        claims = [memory.id for memory in habits if memory.status is status]
        assert reader.habit_claims(index, status) == claims
    query = "SELECT name, sum(amount) FROM metrics GROUP BY name"
    assert reader.usage_metrics(index) == dict(index.execute(query).fetchall())
    assert sessions.count_injections(index) == len(sessions.injection_events(index, must_decode))
    assert set(reader.decided_rows_of_kind(index, Kind.RULE)) == {
        row for row in rows if row.kind is Kind.RULE and row.status is not Status.PENDING
    }


@law
@given(logs_in_pieces)
def test_rulings_are_what_the_memories_say_that_they_rule_on(both: Pieces) -> None:
    index = indexed(*both[1])
    ruled = list(listings.rulings(index))
    rows = {row.id: row for row in reader.memory_rows(index)}
    undecided = [ruling for ruling in ruled if ruling.rule is ConflictRule.UNDECIDED]
    asked, decided = ([each for each in ruled if each.rule.is_open is is_open] for is_open in (True, False))
    assert {claim for ruling in undecided for claim in (ruling.winner, ruling.loser)} == {
        claim for claim, row in rows.items() if row.is_conflicting
    }
    assert {ruling.loser for ruling in decided} == {claim for claim, row in rows.items() if row.overruled_by}
    overruled = {(row.overruled_by, claim) for claim, row in rows.items() if row.overruled_by}
    assert overruled <= {(ruling.winner, ruling.loser) for ruling in decided}
    assert list(listings.rulings(index, False)) == asked and list(listings.rulings(index, True)) == decided
    assert listings.count_rulings(index) == len(ruled)
    assert listings.count_rulings(index, decided=False) == len(asked)
    for claim in rows:
        assert listings.rulings_of(index, claim) == [each for each in ruled if claim in (each.winner, each.loser)]


@quick_law
@given(logs_in_pieces, st.sampled_from([None, *SCOPES]), st.integers(0, 3))
def test_sessions_that_asked_the_same_are_one_entry(both: Pieces, scope: Scope | None, limit: int) -> None:
    index = indexed(*both[1])
    rows = [row for row in sessions.session_rows(index, scope) if row.has_content]
    counts = Counter((row.scope, row.request_key) for row in rows)
    seen: set[tuple[Scope, str]] = set()
    expected: list[tuple[ClaimId, int]] = []
    for row in rows:
        key = (row.scope, row.request_key)
        if not row.request_key:
            expected.append((row.id, 0))
        elif key not in seen:
            seen.add(key)
            expected.append((row.id, counts[key] - 1))
    numbers = [(claim_number(session), others) for session, others in expected]
    assert sessions.listed_sessions(index, scope) == numbers
    assert sessions.listed_sessions(index, scope, limit) == numbers[:limit]
    assert sessions.count_sessions(index, scope, grouped=True) == len(numbers)
    assert sessions.listed_sessions(index, scope, grouped=False) == [(claim_number(row.id), 0) for row in rows]
    assert sessions.count_sessions(index, scope) == len(rows)


def test_an_index_without_events_has_empty_lists() -> None:
    index = indexed()
    assert list(listings.latest_ids(index, MemoryFilter(scopes=frozenset((GLOBAL,))))) == []
    assert (
        list(listings.candidate_ids(index, MemoryFilter())) == []
        and listings.count_memories(index, MemoryFilter()) == 0
    )
    assert list(listings.rulings(index)) == [] and sessions.listed_sessions(index) == []
