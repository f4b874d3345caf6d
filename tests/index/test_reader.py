"""Queries of memories, pages, trust and counts: what they leave out, and in which order they answer."""

from __future__ import annotations

from itertools import count

import pytest

from tacit.errors import IndexUnusableError
from tacit.index import reader
from tacit.index.postings import AGENT, message_doc_id, page_doc_id, session_start_id
from tacit.log.codec import must_decode
from tacit.model import observation
from tacit.model.claim import GLOBAL, Claim, Kind, Scope, Status, project_scope
from tacit.model.decide import undo
from tacit.model.event import ClaimDecided, EventBody, Verdict
from tacit.model.ids import ClaimId, claim_number
from tests.index.conftest import index_of
from tests.laws.filing import filed, indexed
from tests.support.events import START, added, event, numbered, proposed, says

APP = project_scope("example.org/app")
NPM, PNPM = says("use npm"), says("use pnpm")
OFTEN, CONSTRAINT, OLDER, NEWER = (
    says("tests run on every push", kind=Kind.RULE),
    says("never feed the walrus"),
    says("wash the otter", kind=Kind.RULE),
    says("sort imports", kind=Kind.RULE),
)


def ids(rows: list[reader.MemoryRow]) -> list[ClaimId]:
    return [row.id for row in rows]


def similar(count_: int) -> list[Claim]:
    """Claims whose ids begin with the same three characters."""
    by_prefix: dict[str, list[Claim]] = {}
    for number in count():
        claim = says(f"note {number}")
        group = by_prefix.setdefault(claim.id[:3], [])
        group.append(claim)
        if len(group) == count_:
            return sorted(group, key=lambda each: each.id)
    raise AssertionError


# Rows of memories


def test_memories_are_listed_by_status_and_by_kind_in_the_order_of_their_ids() -> None:
    index = index_of(added(OLDER), proposed(NEWER), added(CONSTRAINT))
    assert ids(list(reader.memory_rows(index))) == sorted(claim.id for claim in (OLDER, NEWER, CONSTRAINT))
    assert ids(list(reader.memory_rows(index, status=Status.PENDING))) == [NEWER.id]
    assert ids(list(reader.decided_rows_of_kind(index, Kind.CONSTRAINT))) == [CONSTRAINT.id]
    assert ids(list(reader.decided_rows_of_kind(index, NEWER.kind))) == [OLDER.id]
    assert reader.memory_row(index, says("unknown").id) is None


def test_the_leading_memories_are_constraints_then_the_strongest_then_the_newest_rules() -> None:
    fact = says("the walrus lives in the zoo")
    index = index_of(added(OFTEN, "a"), added(OFTEN, "b"), added(fact), added(CONSTRAINT), added(OLDER), added(NEWER))
    order = [CONSTRAINT.id, OFTEN.id, NEWER.id, OLDER.id, fact.id]
    assert ids(reader.leading_memories(index, [GLOBAL], 10)) == order
    assert ids(reader.leading_memories(index, [GLOBAL, APP], 2)) == order[:2]
    assert ids(reader.leading_rules(index, [GLOBAL], 10)) == order[:4]
    assert ids(reader.leading_rules(index, [GLOBAL], 10, since=numbered(4))) == [NEWER.id, OLDER.id]
    assert reader.count_rules(index, [GLOBAL, APP]) == 4


def test_what_is_overruled_pending_or_of_another_scope_never_leads() -> None:
    index = index_of(added(NPM), added(PNPM), proposed(OLDER), added(says("sort imports", APP)))
    assert ids(reader.leading_memories(index, [GLOBAL], 10)) == [PNPM.id]
    assert reader.count_rules(index, [GLOBAL]) == 1


def test_the_memories_that_lost_are_those_that_this_one_overruled() -> None:
    index = index_of(added(NPM), added(PNPM), added(OLDER))
    winner, loser = reader.memory_row(index, PNPM.id), reader.memory_row(index, NPM.id)
    assert winner and loser and loser.overruled_by == PNPM.id
    assert reader.memories_overruled_by(index, winner) == [loser]
    assert reader.memories_overruled_by(index, loser) == []


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, {PNPM: "active", OLDER: "pending"}),
        ({"everything": True}, {NPM: "active", PNPM: "active", OLDER: "pending", CONSTRAINT: "retired"}),
        ({"kind": "rule", "since": "2024-03-01T15:00:00.000000Z"}, {OLDER: "pending"}),
        ({"scopes": [APP]}, {}),
        ({"scopes": [APP, GLOBAL], "kind": "constraint", "everything": True}, {CONSTRAINT: "retired"}),
    ],
)
def test_the_statuses_of_memories_are_filtered(filters: dict[str, object], expected: dict[Claim, str]) -> None:
    retired = ClaimDecided(CONSTRAINT, Verdict.RETIRED)
    index = index_of(added(NPM), added(PNPM), proposed(OLDER), added(CONSTRAINT), retired)
    doc_ids = [claim_number(claim.id) for claim in (NPM, PNPM, OLDER, CONSTRAINT)]
    statuses = reader.memory_statuses(index, doc_ids, **filters)  # type: ignore[arg-type]
    assert statuses == {claim_number(claim.id): status for claim, status in expected.items()}


def test_a_short_id_is_the_shortest_prefix_that_no_neighbour_has() -> None:
    claims = similar(2)
    index = index_of(*map(added, claims))
    for claim in claims:
        short = reader.short_id(index, claim.id, 2)
        assert len(short) >= 4
        assert reader.claim_ids_with_prefix(index, short) == [claim.id]
        assert reader.claim_ids_with_prefix(index, short[:-1]) == [each.id for each in claims]
    assert reader.claim_ids_with_prefix(index, claims[0].id[:3], 1) == [claims[0].id]
    assert reader.short_id(index_of(added(NPM)), NPM.id) == NPM.id[:4]


def test_documents_are_memories_pages_or_the_turn_that_a_message_belongs_to() -> None:
    entry = event(2, observation.WorkLogged("", "read the code"))
    asked, replied = (
        event(3, observation.PromptGiven("claude", "why?"), session="s"),
        event(4, observation.ReplyGiven("claude", "So."), session="s"),
    )
    index = index_of(event(1, added(NPM)), entry, asked, replied)
    reply = message_doc_id(
        session_start_id(START.date(), claim_number(observation.session_id("claude", "s"))), 1, AGENT
    )
    wanted = [claim_number(NPM.id), page_doc_id(entry.id), reply, 7]
    rows = reader.rows_by_doc_id(index, wanted)
    assert rows[wanted[0]] == reader.memory_row(index, NPM.id)
    pages = [rows[doc_id] for doc_id in wanted[1:3]]
    assert [(page.event, page.kind) for page in pages if isinstance(page, reader.PageRow)] == [
        (entry.id, "worklog"),
        (asked.id, "session"),
    ]
    assert wanted[3] not in rows


# Folded memories


def test_a_memory_is_loaded_from_its_events_alone_or_with_all_others() -> None:
    index = index_of(added(NPM, "said so"), proposed(OLDER), added(NPM, "again"))
    memory = reader.load_memory(index, NPM.id, must_decode)
    assert memory is not None and memory.strength == 2
    assert {each.id: each for each in reader.load_memories(index, must_decode)}[NPM.id] == memory
    assert [each.id for each in reader.events_of_claim(index, NPM.id, must_decode)] == [numbered(1), numbered(3)]
    logged = reader.logged_events_of_claim(index, NPM.id, must_decode)
    assert [(each.event.id, each.line) for each in logged] == [(numbered(1), 1), (numbered(3), 3)]
    assert reader.load_memory(index, says("unknown").id, must_decode) is None


def test_an_event_that_is_referred_to_and_missing_is_damage() -> None:
    index = index_of(added(NPM))
    index.execute("DELETE FROM events")
    with pytest.raises(IndexUnusableError):
        reader.load_memory(index, NPM.id, must_decode)


# Counts


def test_memories_are_counted_by_status_and_active_or_pending_ones_by_kind() -> None:
    index = index_of(added(NPM), proposed(OLDER), added(CONSTRAINT), proposed(says("prefer tea")))
    assert reader.count_by(index, "status") == {"active": 2, "pending": 2}
    assert reader.count_by(index, "kind", Status.ACTIVE) == {"rule": 1, "constraint": 1}
    assert reader.count_by(index, "kind", Status.PENDING) == {"rule": 1, "preference": 1}


def test_a_scope_is_used_by_memories_and_shares_what_the_person_shared_and_is_not_overruled() -> None:
    def shared(text: str, scope: Scope) -> EventBody:
        return added(says(text, scope))._replace(private=False)

    other = project_scope("example.org/other")
    index = index_of(shared("use npm", APP), proposed(says("use npm", other)))
    assert reader.all_scopes(index) == [APP, other]
    assert reader.is_scope_used(index, other) and not reader.is_scope_used(index, GLOBAL)
    assert not reader.is_scope_used(index, other, Status.ACTIVE)
    assert reader.shared_ids(index, APP) == [says("use npm", APP).id] and not reader.shared_ids(index, other)
    assert not reader.shared_ids(index_of(shared("use npm", APP), added(says("use pnpm", APP))), APP)


def test_usage_is_summed_over_queries_and_briefs() -> None:
    index = index_of(
        observation.RecallAsked("a", 3),
        observation.RecallAsked("b", 0),
        observation.BriefInjected((), 40),
        observation.BriefInjected((), 2),
    )
    assert reader.usage_metrics(index) == {"asked": 2, "missed": 1, "briefs": 2, "tokens": 42}


# Pages, trust, operations


def test_pages_are_named_by_their_day_and_sessions_by_their_own_page() -> None:
    logged, later = event(1, observation.WorkLogged("", "one")), event(30, observation.WorkLogged("", "two"))
    index = index_of(later, logged, event(2, observation.PromptGiven("claude", "why?"), session="s"))
    assert reader.page_names(index, "worklog") == ["2024-03-01", "2024-03-02"]
    assert reader.page_names(index, "session") == [f"2024-03-01-claude-{observation.session_id('claude', 's')}"]
    assert reader.page_events(index, "worklog", "2024-03-02", must_decode) == [later]


def test_an_entry_that_was_undone_is_on_no_page() -> None:
    entry = event(1, observation.WorkLogged("", "one"))
    index = index_of(entry, event(2, undo([entry], "log").body))
    assert reader.count_pages(index, "worklog") == 0
    assert reader.page_names(index, "worklog") == []
    assert reader.page_events(index, "worklog", "2024-03-01", must_decode) == []
    assert reader.rows_by_doc_id(index, [page_doc_id(entry.id)]) == {}


def test_events_about_trust_come_with_all_undos_and_an_undo_alone_is_none() -> None:
    trusted, entry = (
        event(1, observation.RepositoryTrusted("/app/facts", 0, 0, ())),
        event(2, observation.WorkLogged("", "x")),
    )
    undone = event(3, undo([entry], "log").body)
    index = index_of(undone, trusted, entry)
    assert reader.has_trust_events(index)
    assert reader.trust_events(index, must_decode) == [trusted, undone]
    assert reader.trust_events(index_of(entry, undone), must_decode) == []


def test_the_events_of_an_operation_are_its_first_and_those_that_name_it() -> None:
    first, second = (event(number, added(says(f"note {number}")))._replace(op=numbered(1)) for number in (1, 2))
    index = index_of(second, first, event(3, added(NPM)))
    assert reader.operation_events(index, numbered(1), must_decode) == [first, second]


def test_the_directories_of_a_project_are_sorted_and_its_own() -> None:
    seen = [
        event(number, observation.ProjectSeen(root))._replace(scope=APP)
        for number, root in ((1, "/b"), (2, "/a"), (3, "/b"))
    ]
    index = indexed(filed(seen))
    assert reader.project_roots(index, APP) == ["/a", "/b"]
    assert reader.project_roots(index, GLOBAL) == []


# The index itself


def test_memories_without_any_postings_are_a_loss_and_an_empty_index_is_not() -> None:
    assert not reader.has_lost_postings(index_of())
    index = index_of(added(NPM))
    assert not reader.has_lost_postings(index)
    index.execute("DELETE FROM postings")
    assert reader.has_lost_postings(index)
