"""Memories and which of their views become stale, and the pages of the worklog and of evaluations."""

from __future__ import annotations

import sqlite3

from tacit.index import postings, reader, writer
from tacit.log.codec import must_decode
from tacit.model.claim import GLOBAL, Claim, Kind, Provenance
from tacit.model.decide import undo
from tacit.model.event import Event, EventBody, EventsUndone
from tacit.model.memory import claims_of_event
from tacit.model.observation import EvaluationCreated, EvaluationScore, WorkLogged
from tests.laws.filing import filed, indexed
from tests.support.events import added, event, history, numbered, proposed, says

NPM, PNPM = says("use npm"), says("use pnpm")


def index_of(*said: EventBody) -> sqlite3.Connection:
    return indexed(filed(history(*said)))


def add(index: sqlite3.Connection, *events: Event) -> list[str]:
    """Apply events to an index and return the views that became stale."""
    index.execute("DELETE FROM stale_views")
    writer.apply_events(index, filed(events), [], must_decode)
    return reader.stale_views(index)


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
    index = indexed(filed([event(9, learned, "learner:talk", provenance=Provenance.USER_DIRECT)]))
    assert reader.claims_by_source_event(index, [NPM.id]) == {numbered(7): NPM.id, numbered(8): NPM.id}


# Pages


def test_an_entry_of_the_worklog_is_titled_with_its_task_and_found_by_all_it_says() -> None:
    index = index_of(
        WorkLogged("PROJ-7", "fed the walrus", "buckets", "it is full", "feed the otter"), WorkLogged("", "x")
    )
    titles = [title for (title,) in index.execute("SELECT title FROM pages ORDER BY event_id")]
    assert titles == ["PROJ-7: fed the walrus", "x"]
    assert [postings.doc_freq(index, term) for term in ("walru", "bucket", "full", "otter")] == [1, 1, 1, 1]


def test_of_the_evaluations_of_one_day_the_latest_is_shown_whichever_arrives_last() -> None:
    def evaluation(number: int, day: str, points: int) -> Event:
        return event(number, EvaluationCreated(day, (EvaluationScore("recall", points, "because"),)))

    older, newer, other = (
        evaluation(*told) for told in ((1, "2024-03-01", 0), (2, "2024-03-01", 2), (3, "2024-03-02", 1))
    )
    index = indexed(filed([newer]))
    assert add(index, older, other) == ["evaluation 2024-03-01", "evaluation 2024-03-02"]
    assert reader.page_events(index, "evaluation", "2024-03-01", must_decode) == [newer]
    assert reader.count_pages(index, "evaluation") == 2
    shown = index.execute("SELECT title FROM pages WHERE event_id = ?", (newer.id,)).fetchone()[0]
    assert shown == "Evaluation of 2024-03-01: 2 of 2 points"


def test_an_entry_of_the_worklog_is_hidden_only_by_an_undo_that_counts() -> None:
    entry = event(1, WorkLogged("", "read the code"))
    index = indexed(filed([entry]))
    by_another = event(2, undo([entry], "log").body, "agent:claude")
    add(index, by_another)
    assert reader.count_pages(index, "worklog") == 1
    assert add(index, event(3, undo([entry], "log").body)) == ["worklog 2024-03-01"]
    assert reader.count_pages(index, "worklog") == 0


def test_the_day_of_a_worklog_entry_is_the_local_one() -> None:
    entry = event(11, WorkLogged("", "read the code"))
    late = entry._replace(origin=entry.origin._replace(utc_offset_minutes=120))
    assert reader.page_names(indexed(filed([late])), "worklog") == ["2024-03-02"]
