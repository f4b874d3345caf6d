"""The index is a view: however it caught up with the log, it says what a rebuild and the core say."""

from __future__ import annotations

import sqlite3
from operator import attrgetter

import pytest
from hypothesis import assume, example, given

from tacit.index import conflicts, listings, postings, reader, writer
from tacit.index.compare import dump_rows
from tacit.log.codec import must_decode
from tacit.model.claim import GLOBAL, Claim, Kind, Triple
from tacit.model.decide import undo
from tacit.model.event import ClaimDecided, ClaimProposed, Event, EventBody, Verdict, timestamp
from tacit.model.ids import ClaimId
from tacit.model.memory import Memory, fold_memories
from tacit.model.observation import WorkLogged
from tacit.model.statement import claim_from
from tacit.search.rank import Query, SearchResult, search
from tacit.text.display import clean
from tests.laws.filing import filed, indexed, logs_in_pieces, noted, rulings, steps
from tests.laws.strategies import after, law, logs, quick_law, wild_texts

Pieces = tuple[list[Event], list[list[writer.IndexedEvent]]]


@law
@given(logs_in_pieces)
def test_catching_up_in_pieces_is_the_same_as_a_rebuild(both: Pieces) -> None:
    log, pieces = both
    assert list(dump_rows(indexed(*pieces))) == list(dump_rows(indexed(filed(log))))


@quick_law
@given(logs)
def test_after_each_event_the_index_is_that_of_a_rebuild(log: list[Event]) -> None:
    lines = filed(log)
    index = indexed()
    for at, line in enumerate(lines, 1):
        writer.apply_events(index, [line], [], must_decode)
        assert list(dump_rows(index)) == list(dump_rows(indexed(lines[:at])))


@quick_law
@given(logs.flatmap(steps))
def test_whatever_changed_on_a_page_is_marked_to_be_drawn_again(pieces: list[list[Event]]) -> None:
    lines = filed([event for piece in pieces for event in piece])
    index = indexed()
    heard = 0
    for piece in pieces:
        before = _drawn(index, [line.event for line in lines[:heard]])
        index.execute("DELETE FROM stale_views")
        writer.apply_events(index, lines[heard : heard + len(piece)], [], must_decode)
        heard += len(piece)
        now = _drawn(index, [line.event for line in lines[:heard]])
        assert {what for what in {*before, *now} if before.get(what) != now.get(what)} <= set(reader.stale_views(index))


def _drawn(index: sqlite3.Connection, log: list[Event]) -> dict[str, object]:
    """What the readable views are drawn from: each memory as it is noted, each page with its entries."""
    memories: dict[str, object] = {f"memory {claim}": one for claim, one in noted(log).items()}
    pages = {
        f"{kind} {day}": reader.page_events(index, kind, day, must_decode)
        for kind in ("worklog", "evaluation")
        for day in reader.page_names(index, kind)
    }
    return {**memories, **pages}


_ANEW = {(conflicts, "_MAX_CHANGES"): 1}
_LONG = {
    **{(writer, "_EVENTS_PER_CHUNK"): 3, (writer, "_CLAIMS_PER_CHUNK"): 2, (writer, "_MAX_HELD_EVENTS"): 2},
    (postings, "_MAX_GATHERED"): 20,
}


@pytest.mark.parametrize("limits", [_ANEW, _LONG], ids=["all memories compared anew", "a log not held in memory"])
@law
@given(both=logs_in_pieces)
def test_however_an_index_is_made_it_is_the_same(limits: dict[tuple[object, str], int], both: Pieces) -> None:
    log, pieces = both
    with pytest.MonkeyPatch.context() as patch:
        for (module, name), limit in limits.items():
            patch.setattr(module, name, limit)
        in_parts, at_once = indexed(*pieces), indexed(filed(log))
    assert list(dump_rows(in_parts)) == list(dump_rows(at_once)) == list(dump_rows(indexed(filed(log))))


@law
@given(logs_in_pieces)
def test_a_topic_that_becomes_too_common_counts_the_same_however_it_became_so(both: Pieces) -> None:
    log, pieces = both
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conflicts, "MAX_TOPIC_MEMORIES", 2)
        assert list(dump_rows(indexed(*pieces))) == list(dump_rows(indexed(filed(log))))


@law
@given(logs)
def test_the_index_holds_the_memories_that_the_core_recollects(log: list[Event]) -> None:
    index, known = indexed(filed(log)), fold_memories(log)
    assert {claim: reader.load_memory(index, claim, must_decode) for claim in known} == known
    columns = attrgetter(*"id scope kind status sentence tags strength last_event at".split())
    assert sorted(map(columns, reader.memory_rows(index))) == sorted(map(_as_row, known.values()))


def _as_row(memory: Memory) -> tuple[object, ...]:
    claim = memory.claim
    at = timestamp(memory.last_at)
    row = (claim.scope, claim.kind, memory.status, claim.sentence, claim.tags, memory.strength, memory.last_event, at)
    return (memory.id, *row)


@law
@given(logs)
def test_the_index_rules_on_every_question_as_the_core_does(log: list[Event]) -> None:
    ruled = rulings(fold_memories(log).values())
    for entry in reader.memory_rows(indexed(filed(log))):
        assert (entry.overruled_by, entry.is_conflicting) == ruled[entry.id]


def test_a_conflict_that_a_newer_answer_settled_is_over() -> None:
    log: list[Event] = []
    for text, actor in (("use npm", "user"), ("use pnpm", "agent"), ("use yarn", "user")):
        log.append(after(log, ClaimProposed(claim_from(text, GLOBAL), Verdict.ADDED, "user_direct"), actor))
        if actor == "agent":
            log.append(after(log, ClaimDecided(claim_from(text, GLOBAL), Verdict.ACCEPTED)))
            assert listings.count_rulings(indexed(filed(log)), decided=False) == 1
    assert listings.count_rulings(indexed(filed(log)), decided=False) == 0


NPM, PNPM = claim_from("use npm", GLOBAL), claim_from("use pnpm", GLOBAL)


@pytest.mark.parametrize("way", ["forget", "keep", "reword", "undo"])
def test_an_overruled_memory_holds_again_when_its_winner_is_gone(way: str) -> None:
    log = [after([], ClaimProposed(NPM, Verdict.ADDED, "user_direct"))]
    log.append(after(log, ClaimProposed(PNPM, Verdict.ADDED, "user_direct")))
    index = indexed(filed(log))
    assert _overruled(index) == {NPM.id: PNPM.id}
    bodies: dict[str, EventBody] = {
        "forget": ClaimDecided(PNPM, Verdict.RETIRED),
        "keep": ClaimDecided(PNPM, Verdict.KEPT),
        "reword": ClaimDecided(PNPM, Verdict.REVISED, instead=claim_from("read the manual", GLOBAL)),
        "undo": undo(log[-1:], "the last thing").body,
    }
    log.append(after(log, bodies[way]))
    writer.apply_events(index, filed(log)[-1:], [], must_decode)
    assert _overruled(index) == {}


def _overruled(index: sqlite3.Connection) -> dict[ClaimId, ClaimId]:
    return {entry.id: entry.overruled_by for entry in reader.memory_rows(index) if entry.overruled_by}


def test_an_undone_worklog_entry_leaves_its_page_and_comes_back() -> None:
    log = [after([], WorkLogged("PROJ-1", "read the code"))]
    index = indexed(filed(log))
    for shown in (0, 1, 0, 1):
        log.append(after(log, undo(log[-1:], "the last thing").body))
        index.execute("DELETE FROM stale_views")
        writer.apply_events(index, filed(log)[-1:], [], must_decode)
        assert reader.count_pages(index, "worklog") == shown
        assert reader.stale_views(index) == [f"worklog {log[0].day}"]
        assert list(dump_rows(index)) == list(dump_rows(indexed(filed(log))))


def _index_of(sentence: str) -> tuple[ClaimId, list[SearchResult]]:
    claim = Claim(Kind.RULE, GLOBAL, Triple("note", "says", sentence), sentence)
    index = indexed(filed([after([], ClaimProposed(claim, Verdict.ADDED, "user_direct"))]))
    found = [match for token in sentence.split() for match in search(index, Query(token, everything=True))]
    return claim.id, found


@law
@given(wild_texts.map(clean))
@example('a "quoted" OR (word*) NEAR/2 ^x -y {z}: \'')
def test_a_text_is_found_by_each_of_its_words(sentence: str) -> None:
    visible = [token for token in sentence.split() if token.isprintable()]
    assume(visible and len(visible) == len(sentence.split()))
    claim, found = _index_of(sentence)
    assert [match.item.id for match in found if isinstance(match.item, reader.MemoryRow)] == [claim] * len(visible)
