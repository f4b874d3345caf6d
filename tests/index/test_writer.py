"""Applying events: each once and all or none, with how far the log was read."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tacit.errors import IndexUnusableError
from tacit.index import commands, habits, postings, reader, writer
from tacit.index.compare import dump_rows
from tacit.index.writer import IndexedEvent, SegmentCursor
from tacit.log.codec import event_type, must_decode
from tacit.model.claim import GLOBAL, project_scope
from tacit.model.event import Event
from tacit.model.observation import CommandRan, ProjectSeen, PromptGiven, RecallAsked, UnknownBody, WorkLogged
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

    index = indexed(filed([event(1, added(NPM))]))
    before = list(dump_rows(index))
    with pytest.raises(IndexUnusableError):
        more = [event(2, added(says("use pnpm"))), event(3, CommandRan("make"))]
        writer.apply_events(index, filed(more), failing(), must_decode)
    assert list(dump_rows(index)) == before
    assert not index.in_transaction


def test_memories_pages_and_messages_are_found_by_their_words() -> None:
    log = [event(1, added(says("feed the walrus"))), event(2, WorkLogged("", "fed a walrus"))]
    index = indexed(filed([*log, event(3, PromptGiven("claude", "which walrus?"), session="s1")]))
    assert len(postings.memory_postings(index, "walru", 10, memories=False)) == 2
    assert len(postings.message_postings(index, "walru", 10).doc_ids) == 1


def test_events_that_are_applied_again_among_new_ones_count_once() -> None:
    old = [
        event(1, added(NPM, "said so")),
        event(2, WorkLogged("", "x")),
        event(3, RecallAsked("a", 0)),
        event(4, CommandRan("make"), session="s1"),
        event(5, PromptGiven("claude", "why?"), session="s2"),
    ]
    log = [*old, event(6, added(NPM, "said again"))]
    assert list(dump_rows(indexed(filed(old), filed(log)))) == list(dump_rows(indexed(filed(log))))


def test_all_commands_are_found_and_habits_are_learned_only_from_those_of_the_person() -> None:
    mine, theirs = event(1, CommandRan("make lint")), event(2, CommandRan("make test"), "agent:claude")
    index = indexed(filed([mine, theirs]))
    assert len(commands.commands_with_term(index, "make", 10)) == 2
    assert habits.activity(index).commands == 1


def test_a_query_without_hits_is_counted_as_missed_and_a_repeated_event_once() -> None:
    entries = filed([event(1, RecallAsked("a", 0)), event(2, RecallAsked("b", 2))])
    assert reader.usage_metrics(indexed(entries, entries)) == {"asked": 2, "missed": 1}


def test_a_directory_belongs_to_the_project_of_its_event() -> None:
    app = project_scope("example.org/app")
    index = indexed(filed([event(1, ProjectSeen("/srv/app"))._replace(scope=app)]))
    assert reader.project_roots(index, app) == ["/srv/app"]


def test_an_event_of_an_unknown_type_has_no_effect() -> None:
    index = indexed()
    before = list(dump_rows(index))
    unknown = IndexedEvent(event(1, UnknownBody("future.event")), "future.event", SEGMENT, 1, 0, 0, None)
    writer.apply_events(index, [unknown], [], must_decode)
    assert list(dump_rows(index)) == before


def test_the_leading_memories_are_read_from_an_sql_index_without_sorting() -> None:
    index = indexed(filed([event(1, added(NPM))]))
    queries: list[str] = []
    index.set_trace_callback(queries.append)
    assert reader.leading_memories(index, [GLOBAL], 5) and reader.leading_rules(index, [GLOBAL], 5)
    index.set_trace_callback(None)
    for query in queries:
        plan = " ".join(row[3] for row in index.execute(f"EXPLAIN QUERY PLAN {query}"))
        assert "memories_importance" in plan and "TEMP B-TREE" not in plan
