"""Queries of sessions: the latest first, by prefixes of ids, with their events and what was injected."""

from __future__ import annotations

import sqlite3
from itertools import count

import pytest

from tacit.index import sessions
from tacit.log.codec import must_decode
from tacit.model.claim import GLOBAL, Scope, project_scope
from tacit.model.event import Event, EventBody
from tacit.model.ids import ClaimId, claim_number
from tacit.model.observation import BriefInjected, PromptGiven, ReplyGiven, SessionSummarized, ToolUsed, session_id
from tests.index.conftest import index_of
from tests.support.events import event, numbered

APP = project_scope("example.org/app")


def said(number: int, session: str, body: EventBody | None = None, *, scope: Scope = GLOBAL) -> Event:
    return event(number, body or PromptGiven("claude", f"request {number}"), session=session)._replace(scope=scope)


def id_of(session: str) -> ClaimId:
    return session_id("claude", session)


def listed(rows: list[sessions.SessionRow]) -> list[str]:
    return [row.host_session_id for row in rows]


@pytest.fixture
def three() -> sqlite3.Connection:
    """Sessions of which the first ended last."""
    return index_of(said(1, "one"), said(2, "two", scope=APP), said(3, "three", scope=APP), said(4, "one"))


def test_sessions_are_listed_the_one_that_ended_last_first(three: sqlite3.Connection) -> None:
    assert listed(sessions.session_rows(three)) == ["one", "three", "two"]
    assert listed(sessions.session_rows(three, APP)) == ["three", "two"]
    assert listed(sessions.session_rows(three, APP, limit=1)) == ["three"]


def test_a_session_is_found_by_its_id_its_number_and_its_page(three: sqlite3.Connection) -> None:
    row = sessions.session_row(three, id_of("two"))
    assert row is not None and row.host_session_id == "two"
    assert sessions.session_row_by_number(three, claim_number(row.id)) == row
    assert sessions.session_row_by_page(three, row.page_name) == row
    assert sessions.session_row(three, id_of("unknown")) is None
    assert sessions.session_row_by_page(three, "unknown") is None


def test_a_session_of_subagents_alone_has_no_content_and_waits_for_no_judge() -> None:
    index = index_of(said(1, "asked"), said(2, "aside", ToolUsed("claude", "Bash", aside=True)))
    assert {row.host_session_id: row.has_content for row in sessions.session_rows(index)} == {
        "asked": True,
        "aside": False,
    }
    assert sessions.count_unjudged(index) == 1
    (row,) = [row for row in sessions.session_rows(index) if row.has_content]
    sessions.mark_session_learned(index, row.id, row.ended_at)
    assert sessions.count_unjudged(index) == 1
    sessions.mark_session_learned(index, row.id, "2025", "claude")
    assert sessions.count_unjudged(index) == 1
    sessions.mark_session_learned(index, row.id, row.ended_at, "claude")
    assert sessions.count_unjudged(index) == 0


def test_the_id_of_the_host_may_be_cut_anywhere_and_is_no_pattern() -> None:
    index = index_of(said(1, "50%-a"), said(2, "50_-b"), said(3, "5"))
    assert set(sessions.session_ids_with_host_prefix(index, "5")) == {id_of(name) for name in ("50%-a", "50_-b", "5")}
    assert sessions.session_ids_with_host_prefix(index, "50%") == [id_of("50%-a")]
    assert len(sessions.session_ids_with_host_prefix(index, "5", limit=2)) == 2


def test_a_short_id_is_the_shortest_prefix_that_is_unique() -> None:
    names: dict[str, str] = {}
    name = next(name for name in map(str, count()) if names.setdefault(id_of(name)[:3], name) != name)
    twins = (names[id_of(name)[:3]], name)
    index = index_of(*(said(number, twin) for number, twin in enumerate(twins, 1)))
    for twin in twins:
        short = sessions.short_id(index, id_of(twin), 2)
        assert len(short) > 3
        assert sessions.session_ids_with_prefix(index, short) == [id_of(twin)]
    assert sessions.session_ids_with_prefix(index, id_of(name)[:3]) == sorted(map(id_of, twins))


def test_a_session_is_loaded_from_its_events_with_their_lines(three: sqlite3.Connection) -> None:
    row = sessions.session_row(three, id_of("one"))
    assert row is not None
    assert sessions.load_session(three, row, must_decode).requests == ["request 1", "request 4"]
    logged = sessions.logged_events_of_session(three, row, must_decode)
    assert [(each.event.id, each.line) for each in logged] == [(numbered(1), 1), (numbered(4), 4)]


def test_events_are_returned_in_the_order_in_which_they_were_asked_for(three: sqlite3.Connection) -> None:
    asked = [numbered(number) for number in (3, 9, 1)]
    assert [each.event.id for each in sessions.logged_events(three, asked, must_decode)] == [numbered(3), numbered(1)]
    assert sessions.known_events(three, asked) == {numbered(1), numbered(3)}


def test_the_agents_of_events_are_those_of_their_sessions() -> None:
    index = index_of(said(1, "one"), said(2, "two", ReplyGiven("codex", "Yes.")), said(3, "two"))
    assert sessions.agents_of(index, [numbered(1), numbered(2), numbered(9)]) == {"claude", "codex"}
    assert sessions.agents_of(index, []) == set()


def test_a_session_is_learned_from_once_for_each_model_and_again_when_it_went_on() -> None:
    index = index_of(said(1, "one", SessionSummarized("claude", "All done.", "gpt", "2024")))
    sessions.mark_session_learned(index, id_of("one"), "2025")
    sessions.mark_session_learned(index, id_of("one"), "2026")
    assert sessions.learned_sessions(index, "gpt") == {(id_of("one"), "2024")}
    assert sessions.learned_sessions(index) == {(id_of("one"), "2024"), (id_of("one"), "2026")}


def test_choices_are_those_of_other_sessions_of_the_same_scope_on_the_same_subject() -> None:
    index = index_of(said(1, "one"), said(2, "two"), said(3, "other", scope=APP))
    for number, session in enumerate(("one", "two", "other"), 1):
        chosen = [sessions.SessionChoice(subject, "pnpm", numbered(number)) for subject in ("manager", "runner")]
        sessions.save_session_choices(index, id_of(session), chosen)
    row = sessions.session_row(index, id_of("one"))
    assert row is not None
    expected = {id_of("two"): [sessions.SessionChoice("manager", "pnpm", numbered(2))]}
    assert sessions.choices_of_other_sessions(index, row, ["manager"]) == expected
    sessions.save_session_choices(index, id_of("two"), [])
    assert sessions.choices_of_other_sessions(index, row, ["manager", "runner"]) == {}


def test_injections_of_a_session_or_of_all_are_listed_the_latest_first() -> None:
    log = [said(number, session, BriefInjected((), number)) for number, session in ((1, "one"), (2, "two"), (3, "one"))]
    index = index_of(*log)
    assert sessions.injection_events(index, must_decode) == log[::-1]
    assert sessions.injection_events(index, must_decode, "one") == [log[2], log[0]]
    assert sessions.injection_events(index, must_decode, "one", limit=1) == [log[2]]


def test_the_events_of_a_session_come_in_the_order_in_which_they_happened_whatever_their_ids() -> None:
    """Ids of hosts that change times on resumption say nothing of the order; at one time, that of the log counts."""
    first, second, third = (said(1, "one", PromptGiven("claude", text)) for text in ("first", "second", "third"))
    later = said(2, "one", PromptGiven("claude", "fourth"))
    ids = (9, 4, 7, 1)
    log = [one._replace(id=numbered(number)) for one, number in zip((first, second, third, later), ids, strict=True)]
    index = index_of(*log)
    (row,) = sessions.session_rows(index)
    found = [logged.event.body for logged in sessions.logged_events_of_session(index, row, must_decode)]
    assert [body.text for body in found if isinstance(body, PromptGiven)] == ["first", "second", "third", "fourth"]
