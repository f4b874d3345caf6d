"""Applying events: each once and all or none, with how far the log was read."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tacit.errors import IndexUnusableError
from tacit.index import commands, habits, postings, reader, writer
from tacit.index.compare import dump_rows
from tacit.index.writer import IndexedEvent, SegmentCursor
from tacit.log.codec import event_type, must_decode
from tacit.model import observation
from tacit.model.claim import GLOBAL, Claim, Kind, Provenance
from tacit.model.decide import undo
from tacit.model.event import Event, EventsUndone
from tacit.model.memory import claims_of_event
from tests.index.conftest import add, index_of
from tests.laws.filing import filed, indexed
from tests.support.events import added, event, numbered, proposed, says

NPM = says("use npm")
SEGMENT = "memory/events.jsonl"


def cursor(offset: int) -> SegmentCursor:
    return SegmentCursor(SEGMENT, offset, offset // 100, "tail")


def entry_of(one: Event) -> IndexedEvent:
    (entry,) = filed([one])
    return entry


@pytest.mark.parametrize(
    ("one", "operation", "is_background"),
    [
        (event(1, added(NPM)), None, False),
        (event(2, added(NPM))._replace(op=numbered(1)), numbered(1), False),
        (event(1, proposed(NPM), "learner:habit"), None, True),
        (event(1, proposed(NPM), "learner:talk"), None, True),
        (event(1, proposed(NPM), "agent:claude"), None, False),
    ],
)
def test_the_row_of_an_event_names_its_operation_and_whether_a_background_learner_wrote_it(
    one: Event, operation: str | None, is_background: bool
) -> None:
    row = IndexedEvent(one, event_type(one.body), SEGMENT, 7, 500, 80, None).row
    assert row == (one.id, operation, event_type(one.body), is_background, SEGMENT, 7, 500, 80, None)


def test_how_far_the_log_was_read_is_stored_with_the_events() -> None:
    index = indexed()
    writer.apply_events(index, filed([event(1, added(NPM))]), [cursor(100)], must_decode)
    writer.apply_events(index, [], [cursor(300)], must_decode)
    assert reader.log_cursors(index) == {SEGMENT: (300, 3, "tail")}


def test_cursors_may_be_filled_while_the_events_are_read() -> None:
    cursors: list[SegmentCursor] = []

    def entries() -> Iterator[IndexedEvent]:
        yield entry_of(event(1, added(NPM)))
        cursors.append(cursor(100))

    index = indexed()
    writer.apply_events(index, entries(), cursors, must_decode)
    assert reader.log_cursors(index) == {SEGMENT: (100, 1, "tail")}


def test_a_failure_leaves_the_index_as_it_was() -> None:
    def failing() -> Iterator[SegmentCursor]:
        yield cursor(100)
        raise IndexUnusableError("a line cannot be read")

    index = index_of(event(1, added(NPM)))
    before = list(dump_rows(index))
    with pytest.raises(IndexUnusableError):
        more = [event(2, added(says("use pnpm"))), event(3, observation.CommandRan("make"))]
        writer.apply_events(index, filed(more), failing(), must_decode)
    assert list(dump_rows(index)) == before
    assert not index.in_transaction


def test_memories_pages_and_messages_are_found_by_their_words() -> None:
    log = [event(1, added(says("feed the walrus"))), event(2, observation.WorkLogged("", "fed a walrus"))]
    index = index_of(*log, event(3, observation.PromptGiven("claude", "which walrus?"), session="s1"))
    assert len(postings.memory_postings(index, "walru", 10, memories=False)) == 2
    assert len(postings.message_postings(index, "walru", 10).doc_ids) == 1


def test_events_that_are_applied_again_among_new_ones_count_once() -> None:
    old = [
        event(1, added(NPM, "said so")),
        event(2, observation.WorkLogged("", "x")),
        event(3, observation.RecallAsked("a", 0)),
        event(4, observation.CommandRan("make"), session="s1"),
        event(5, observation.PromptGiven("claude", "why?"), session="s2"),
    ]
    log = [*old, event(6, added(NPM, "said again"))]
    assert list(dump_rows(indexed(filed(old), filed(log)))) == list(dump_rows(index_of(*log)))


def test_all_commands_are_found_and_habits_are_learned_only_from_those_of_the_person() -> None:
    mine, theirs = (
        event(1, observation.CommandRan("make lint")),
        event(2, observation.CommandRan("make test"), "agent:claude"),
    )
    index = index_of(mine, theirs)
    assert len(commands.commands_with_term(index, "make", 10)) == 2
    assert habits.activity(index).commands == 1


def test_an_event_of_an_unknown_type_has_no_effect() -> None:
    index = indexed()
    before = list(dump_rows(index))
    unknown = IndexedEvent(event(1, observation.UnknownBody("future.event")), "future.event", SEGMENT, 1, 0, 0, None)
    writer.apply_events(index, [unknown], [], must_decode)
    assert list(dump_rows(index)) == before


def test_the_leading_memories_are_read_from_an_sql_index_without_sorting() -> None:
    index = index_of(event(1, added(NPM)))
    queries: list[str] = []
    index.set_trace_callback(queries.append)
    assert reader.leading_memories(index, [GLOBAL], 5) and reader.leading_rules(index, [GLOBAL], 5)
    index.set_trace_callback(None)
    for query in queries:
        plan = " ".join(row[3] for row in index.execute(f"EXPLAIN QUERY PLAN {query}"))
        assert "memories_importance" in plan and "TEMP B-TREE" not in plan


# Memories and which of their views become stale, and the pages of the worklog and of evaluations


PNPM = says("use pnpm")


# Memories


def test_many_new_memories_at_once_make_every_view_stale() -> None:
    claims = [Claim(Kind.RULE, GLOBAL, says("x").triple._replace(object=f"{n}"), f"word{n}") for n in range(501)]
    assert reader.stale_views(index_of(*map(added, claims))) == ["everything"]


def test_a_memory_whose_events_were_all_undone_is_gone_until_the_undo_is_undone() -> None:
    index = index_of(added(says("feed the walrus")))
    first = event(1, added(says("feed the walrus")))
    taken_back = event(2, undo([first], "add").body)
    assert claims_of_event(taken_back) == [says("feed the walrus").id]
    add(index, taken_back)
    assert list(reader.memory_rows(index)) == []
    assert postings.doc_freq(index, "walru") == 0
    add(index, event(3, undo([taken_back], "undo").body))
    assert [row.id for row in reader.memory_rows(index)] == [says("feed the walrus").id]
    assert postings.doc_freq(index, "walru") == 1


def test_an_undo_that_arrives_before_its_target_counts() -> None:
    index = indexed(filed([event(2, EventsUndone((numbered(1),), (NPM.id,)))]))
    add(index, event(1, added(NPM)))
    assert list(reader.memory_rows(index)) == []


def test_a_memory_is_found_by_its_tags_kind_and_evidence_too() -> None:
    index = index_of(added(says("use pnpm", tags=("walrus",)), "the otter said so"))
    assert [postings.doc_freq(index, term) for term in ("pnpm", "walru", "rule", "otter")] == [1, 1, 1, 1]


def test_a_claim_learned_from_a_session_is_linked_to_the_events_it_was_learned_from() -> None:
    learned = proposed(NPM)._replace(events=(numbered(7), numbered(8)))
    index = index_of(event(9, learned, "learner:talk", provenance=Provenance.USER_DIRECT))
    assert reader.claims_by_source_event(index, [NPM.id]) == {numbered(7): NPM.id, numbered(8): NPM.id}


# Pages


def test_an_entry_of_the_worklog_is_titled_with_its_task_and_found_by_all_it_says() -> None:
    index = index_of(
        observation.WorkLogged("PROJ-7", "fed the walrus", "buckets", "it is full", "feed the otter"),
        observation.WorkLogged("", "x"),
    )
    titles = [title for (title,) in index.execute("SELECT title FROM pages ORDER BY event_id")]
    assert titles == ["PROJ-7: fed the walrus", "x"]
    assert [postings.doc_freq(index, term) for term in ("walru", "bucket", "full", "otter")] == [1, 1, 1, 1]


def test_of_the_evaluations_of_one_day_the_latest_is_shown_whichever_arrives_last() -> None:
    def evaluation(number: int, day: str, points: int) -> Event:
        return event(
            number, observation.EvaluationCreated(day, (observation.EvaluationScore("recall", points, "because"),))
        )

    older, newer, other = (
        evaluation(*told) for told in ((1, "2024-03-01", 0), (2, "2024-03-01", 2), (3, "2024-03-02", 1))
    )
    index = index_of(newer)
    assert add(index, older, other) == ["evaluation 2024-03-01", "evaluation 2024-03-02"]
    assert reader.page_events(index, "evaluation", "2024-03-01", must_decode) == [newer]
    assert reader.count_pages(index, "evaluation") == 2
    shown = index.execute("SELECT title FROM pages WHERE event_id = ?", (newer.id,)).fetchone()[0]
    assert shown == "Evaluation of 2024-03-01: 2 of 2 points"


def test_an_entry_of_the_worklog_is_hidden_only_by_an_undo_that_counts() -> None:
    entry = event(1, observation.WorkLogged("", "read the code"))
    index = index_of(entry)
    by_another = event(2, undo([entry], "log").body, "agent:claude")
    add(index, by_another)
    assert reader.count_pages(index, "worklog") == 1
    assert add(index, event(3, undo([entry], "log").body)) == ["worklog 2024-03-01"]
    assert reader.count_pages(index, "worklog") == 0


def test_the_day_of_a_worklog_entry_is_the_local_one() -> None:
    entry = event(11, observation.WorkLogged("", "read the code"))
    late = entry._replace(origin=entry.origin._replace(utc_offset_minutes=120))
    assert reader.page_names(index_of(late), "worklog") == ["2024-03-02"]
