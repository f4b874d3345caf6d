"""Sessions in the index: what a session is found by, and what is written again when it gets more events."""

from __future__ import annotations

import sqlite3
from datetime import timedelta

import pytest

from tacit.index import commands, postings, reader, session_writer, sessions, writer
from tacit.index.compare import dump_rows
from tacit.index.postings import IDS_PER_SESSION, message_index, role_of, session_start_id
from tacit.index.session_writer import new_branch
from tacit.model import observation
from tacit.model.event import Event, timestamp
from tacit.model.ids import claim_number
from tests.index.conftest import add, index_of
from tests.laws.filing import filed, indexed
from tests.support.events import START, event, numbered

Body = (
    observation.PromptGiven
    | observation.ReplyGiven
    | observation.ToolUsed
    | observation.SessionSummarized
    | observation.SessionTitled
    | observation.SessionCompacted
)
NUMBER = claim_number(observation.session_id("claude", "s1"))


def talk(*bodies: Body, first: int = 1) -> list[Event]:
    """The events of one session, an hour apart."""
    return [event(number, body, session="s1") for number, body in enumerate(bodies, first)]


def at(number: int) -> str:
    return timestamp(START + timedelta(hours=number))


def prompt(text: str, branch: str = "") -> observation.PromptGiven:
    return observation.PromptGiven("claude", text, directory="/srv/app", branch=branch)


def reply(text: str) -> observation.ReplyGiven:
    return observation.ReplyGiven("claude", text)


def ran(command: str) -> observation.ToolUsed:
    return observation.ToolUsed("claude", "Bash", observation.ToolAction.RAN, command)


def edited(*files: str) -> observation.ToolUsed:
    return observation.ToolUsed(
        "claude", "Edit", observation.ToolAction.CHANGED, files=files, directory="/srv/app", change="walrus to otter"
    )


def row_of(index: sqlite3.Connection) -> sessions.SessionRow:
    (row,) = sessions.session_rows(index)
    return row


def positions(index: sqlite3.Connection, term: str) -> list[tuple[int, int]]:
    """The messages that contain a term: position and role."""
    return [(message_index(doc_id), role_of(doc_id)) for doc_id in postings.message_postings(index, term, 100).doc_ids]


def test_the_row_of_a_session_says_what_was_asked_and_changed() -> None:
    log = talk(
        prompt("Feed the Walrus"), edited("/srv/app/src/zoo.py", "README.md"), observation.SessionCompacted("claude")
    )
    row = row_of(indexed(filed([*log, *talk(reply("Done."), first=4)])))
    assert (row.id, row.agent, row.host_session_id) == (observation.session_id("claude", "s1"), "claude", "s1")
    assert (row.ended_at, row.compacted_at, row.turn_count) == (at(4), at(3), 1)
    assert (row.files, row.request_key) == (("src/zoo.py", "README.md"), "feed the walrus")


def test_the_tool_calls_between_two_replies_are_one_message_with_all_their_events() -> None:
    bodies = (
        prompt("start"),
        ran("make lint"),
        edited("/srv/app/zoo.py"),
        reply("half"),
        ran("make test"),
        reply("all"),
    )
    index = index_of(*talk(*bodies))
    first = session_start_id(START.date(), NUMBER)
    query = "SELECT doc_id, event_ids, is_reply FROM messages WHERE doc_id BETWEEN ? AND ? ORDER BY doc_id"
    messages = index.execute(query, (first, first + IDS_PER_SESSION - 1)).fetchall()
    assert [(message_index(doc_id), role_of(doc_id), events, is_reply) for doc_id, events, is_reply in messages] == [
        (0, 0, numbered(1), 0),
        (1, 1, f"{numbered(2)} {numbered(3)}", 0),
        (2, 1, numbered(4), 1),
        (3, 1, numbered(5), 0),
        (4, 1, numbered(6), 1),
    ]
    assert positions(index, "otter") == [(1, 1)]
    assert positions(index, "zoo") == [(1, 1)]


@pytest.mark.parametrize(
    ("branch", "before", "name"),
    [
        ("fix-walrus", "", "fix-walrus"),
        ("fix-walrus", "fix-walrus", ""),
        ("fix-walrus", "other", "fix-walrus"),
        ("main", "", ""),
        ("HEAD", "fix-walrus", ""),
        ("", "", ""),
    ],
)
def test_a_branch_is_named_where_work_on_it_begins_unless_it_is_a_main_branch(
    branch: str, before: str, name: str
) -> None:
    assert new_branch(branch, before) == name


def test_a_prompt_is_found_by_the_branch_with_which_work_on_it_begins() -> None:
    log = talk(prompt("one", "main"), prompt("two", "fix-walrus"), prompt("three", "fix-walrus"))
    assert positions(index_of(*log), "walru") == [(1, 0)]


def test_a_session_that_goes_on_is_written_again_and_its_commands_are_found() -> None:
    index = index_of(*talk(prompt("feed the walrus")))
    add(index, *talk(ran("make walrus"), reply("The walrus is fed."), first=2))
    row = row_of(index)
    assert (row.ended_at, row.turn_count) == (at(3), 1)
    assert reader.stale_views(index) == [f"session {row.page_name}"]
    assert positions(index, "walru") == [(0, 0), (1, 1), (2, 1)]
    assert postings.corpus_stats(index).doc_count == 3
    assert len(commands.commands_with_term(index, "walru", 10)) == 1


def test_an_event_of_an_earlier_day_that_comes_late_moves_the_session_and_leaves_nothing_behind() -> None:
    later, earlier = talk(prompt("feed the walrus"), first=30), talk(prompt("feed the otter"))
    index = indexed(filed(later))
    old = row_of(index).page_name
    add(index, *earlier)
    new = row_of(index).page_name
    assert (old[:10], new[:10]) == ("2024-03-02", "2024-03-01")
    assert reader.stale_views(index) == [f"session {new}", f"session {old}"]
    assert reader.count_pages(index, "session") == postings.doc_freq(index, "feed") == 2
    assert list(dump_rows(index)) == list(dump_rows(indexed(filed(earlier), filed(later))))


def test_a_session_of_which_not_all_events_are_held_is_read_from_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    events = talk(
        prompt("walrus"), ran("make test"), reply("otter"), observation.SessionSummarized("claude", "done", "m", at(3))
    )
    expected = list(dump_rows(indexed(filed(events))))
    monkeypatch.setattr(session_writer, "_MAX_HELD_EVENTS", 0)
    monkeypatch.setattr(writer, "_EVENTS_PER_CHUNK", 2)
    assert list(dump_rows(indexed(filed(events)))) == expected


def test_a_repeated_event_changes_nothing() -> None:
    log = talk(prompt("feed the walrus"), reply("Done."))
    index = index_of(*log)
    before = list(dump_rows(index))
    add(index, *log)
    assert list(dump_rows(index)) == before
    assert reader.stale_views(index) == []


def test_the_summary_of_a_model_is_the_outcome_until_the_session_goes_on() -> None:
    summary = observation.SessionSummarized("claude", "The walrus was fed by hand.", "gpt", at(2))
    index = index_of(*talk(prompt("feed it"), reply("Done."), summary))
    assert (row_of(index).outcome, row_of(index).model) == (summary.text, "gpt")
    assert positions(index, "walru") == [(2, 1)]
    add(index, *talk(prompt("and the otter"), first=4))
    assert row_of(index).outcome != summary.text
    assert row_of(index).model == ""
    assert positions(index, "walru") == [(3, 1)]


def test_what_a_model_summarized_counts_as_learned_even_if_nothing_else_is_known_of_the_session() -> None:
    summary = observation.SessionSummarized("claude", "", "gpt", at(2))
    index = index_of(*talk(summary))
    assert sessions.session_rows(index) == []
    assert sessions.learned_sessions(index, "gpt") == {(observation.session_id("claude", "s1"), at(2))}
    assert sessions.learned_sessions(index, "another") == set()


def test_a_title_that_comes_alone_waits_for_its_session() -> None:
    index = index_of(*talk(observation.SessionTitled("claude", "Walrus care")))
    assert sessions.session_rows(index) == []
    add(index, *talk(prompt("feed it"), first=2))
    assert row_of(index).title == "Walrus care"
