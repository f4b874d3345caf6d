"""Lists of a home: the first entries are those of the whole list, and what is loaded does not grow with the home."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest
from harness.person import Person
from harness.vocabulary import sentence

import tacit
from tacit.errors import IndexDamagedError
from tacit.model.claim import GLOBAL, Provenance, Scope, Status, project_scope
from tacit.model.event import ClaimDecided, ClaimProposed, Event, EventOrigin, Verdict
from tacit.model.ids import event_id
from tacit.model.memory import Memory, fold_memories
from tacit.model.statement import claim_from
from tacit.vault import Vault, listing, review
from tacit.vault.listing import Filters, ListedMemory
from tacit.vault.review import Review, group_candidates
from tests.support.events import START, write_home

SCOPES = (GLOBAL, *(project_scope(f"example.org/{name}") for name in ("shop", "blog", "docs")))
# What people say again in other words, in another project.
RESTATEMENTS = (
    ("always run the linter before a commit", "Always run linters before commits."),
    ("the deployment of the billing service needs two reviewers", "deployments of billing services need two reviewers"),
    ("never push to main", "Never push to main!"),
    ("use pnpm", "Use pnpm."),
    ("keep the migration scripts in the tools folder", "keep migration scripts in the tools folder"),
    ("never restart the broker while the importer is running", "never restart brokers while the importer is running"),
)


def _said(random: Random) -> str:
    return random.choice(random.choice(RESTATEMENTS)) if random.random() < 0.5 else sentence(random)


def random_log(seed: int, events: int = 120) -> list[Event]:
    """Proposals of agents, some of them repeated, in other words or in another project, some decided on."""
    random = Random(seed)
    log: list[Event] = []
    for number in range(1, events):
        claim = claim_from(_said(random), random.choice(SCOPES))
        agent = random.choice(("agent", "claude-code", "codex"))
        name = event_id(number, random.randbytes(10))
        by_user = random.random() < 0.1
        who, how = ("user", Provenance.USER_DIRECT) if by_user else (agent, Provenance.MODEL)
        origin = EventOrigin(START + timedelta(hours=number), 0, "host", f"s{number % 7}", who, how)
        verdict = random.choice((Verdict.ACCEPTED, Verdict.DISMISSED)) if by_user else Verdict.PROPOSED
        confidence = random.choice((0.0, 0.0, 0.7))
        body = (
            ClaimDecided(claim, verdict)
            if by_user
            else ClaimProposed(claim, verdict, "remember", "e", confidence=confidence)
        )
        log.append(Event(name, name, origin, claim.scope, body))
    return log


@pytest.fixture(params=range(4))
def log(request: pytest.FixtureRequest) -> list[Event]:
    return random_log(request.param)


@pytest.fixture
def vault(tmp_path: Path, log: list[Event]) -> Iterator[Vault]:
    with tacit.open(write_home(tmp_path / "home", log), cwd=tmp_path) as opened:
        yield opened


def _ordered(log: list[Event], status: Status) -> list[Memory]:
    known = [memory for memory in fold_memories(log).values() if memory.status is status]
    return sorted(known, key=lambda memory: (memory.last_event, memory.id), reverse=True)


def _cards_of_all(log: list[Event], scope: Scope | None = None) -> list[list[str]]:
    """The cards of all candidates in order, made by comparing each with all others."""
    waiting = sorted(_ordered(log, Status.PENDING), key=lambda memory: -memory.confidence)
    listed = [ListedMemory("", memory, None, False) for memory in waiting if scope in (None, memory.claim.scope)]
    return [[str(claim) for claim in card.ids] for card in group_candidates(listed)]


def test_the_first_entries_are_those_of_all(vault: Vault, log: list[Event], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "_CHUNK_SIZE", 7)
    for status in Status:
        expected = [memory.id for memory in _ordered(log, status)]
        for limit in (1, 10, 1000):
            listed = vault.search.listing(status=status, scope="all", limit=limit)
            assert [entry.memory.id for entry in listed.entries] == expected[:limit]
            assert listed.total == len(expected)
        assert [entry.memory.id for entry in vault.search.listing(status=status, scope="all")] == expected


def test_suggestions_are_sorted_by_confidence_and_then_the_latest_come_first(vault: Vault, log: list[Event]) -> None:
    expected = sorted(_ordered(log, Status.PENDING), key=lambda memory: -memory.confidence)
    for limit in (1, 20, 1000):
        listed = vault.suggestions.listing(limit=limit)
        assert [entry.memory for entry in listed.entries] == expected[:limit] and listed.total == len(expected)
    assert [entry.memory for entry in vault.suggestions.listing()] == expected


@pytest.mark.parametrize("compared", [0, 500])
def test_cards_of_many_candidates_are_those_of_comparing_each_with_all(
    vault: Vault, log: list[Event], compared: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(review, "_MAX_GROUPED", compared)
    expected = _cards_of_all(log)
    assert any(len(ids) > 1 for ids in expected)
    for limit in (1, 12, None):
        cards = Review(vault.home).listing(limit=limit)
        assert [card.ids for card in cards.entries] == expected[:limit]
        assert cards.total == sum(map(len, expected)) and cards.card_total == (len(expected) if compared else None)


def test_filtered_cards_are_of_what_matches(vault: Vault, log: list[Event], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(review, "_MAX_GROUPED", 0)
    cards = Review(vault.home).listing(filters=Filters(project="shop"))
    assert [card.ids for card in cards.entries] == _cards_of_all(log, SCOPES[1])


def test_what_is_removed_meanwhile_is_left_out(vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "_CHUNK_SIZE", 2)
    listed = vault.search.listing(status=Status.PENDING, scope="all")
    entries = iter(listed.entries)
    first = next(entries)
    with tacit.open(tmp_path / "home", cwd=tmp_path) as other:
        last = [*other.search.listing(status=Status.PENDING, scope="all")][-1].memory
        with other.home.store.update_index() as connection:
            connection.execute("DELETE FROM memories WHERE id = ?", (last.id,))
    ids = {first.memory.id, *(entry.memory.id for entry in entries)}
    assert len(ids) == listed.total - 1 and last.id not in ids


def test_an_index_with_fewer_memories_than_counted_is_rebuilt(vault: Vault, log: list[Event], tmp_path: Path) -> None:
    """Damage that SQLite does not notice: rows are gone, and the counters say otherwise."""
    waiting = [memory.id for memory in _ordered(log, Status.PENDING)]
    assert vault.status().pending == len(waiting)
    vault.close()
    with sqlite3.connect(tmp_path / "home" / "index.sqlite") as connection:
        connection.execute("DELETE FROM memories WHERE status = 'pending'")
    connection.close()
    with tacit.open(tmp_path / "home", cwd=tmp_path) as again:
        with pytest.raises(IndexDamagedError, match="made again from the log"):
            again.search.listing(status=Status.PENDING, scope="all")
        assert [listed.memory.id for listed in again.search.listing(status=Status.PENDING, scope="all")] == waiting


def test_the_doctor_compares_the_counters_with_the_log(person: Person) -> None:
    person.tacit("add", "use pnpm")
    person.tacit("doctor")
    for change in (
        "UPDATE memory_counts SET memory_count = 2",
        "DELETE FROM memory_counts",
        "INSERT INTO rulings VALUES (1, 0, 1, 2, 'NEWEST')",
        "INSERT INTO session_groups VALUES ('global', 1, 1, '2026', 1)",
    ):
        with sqlite3.connect(person.home / "index.sqlite") as connection:
            connection.execute(change)
        connection.close()
        assert "the index is not what the log says" in person.tacit("doctor", code=None).out
        person.tacit("doctor", "--reindex", code=None)
    assert person.tacit("status", "--json").json["active"] == 1
