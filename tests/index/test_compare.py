"""An index is the same as a fresh one if every row is, and not if any row of any table differs."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tacit.index import database, writer
from tacit.index.compare import dump_rows, has_same_answers
from tacit.log.codec import must_decode
from tacit.model.claim import GLOBAL
from tacit.model.event import ClaimProposed, EventBody, Verdict
from tacit.model.observation import BriefInjected, CommandRan, PromptGiven, RecallAsked, WorkLogged
from tacit.model.statement import claim_from
from tests.laws.filing import filed, indexed
from tests.support.events import event, history

BODIES: tuple[EventBody, ...] = (
    ClaimProposed(claim_from("use pnpm", GLOBAL), Verdict.ADDED, "user_direct", "he said so"),
    ClaimProposed(claim_from("never use pnpm", GLOBAL), Verdict.ADDED, "user_direct"),
    WorkLogged("build", "built it"),
    PromptGiven("claude", "please build the thing"),
)


def made(path: str) -> sqlite3.Connection:
    connection = database.create_index(path)
    writer.apply_events(connection, filed([event(at, body) for at, body in enumerate(BODIES, 1)]), [], must_decode)
    return connection


@pytest.fixture
def path(tmp_path: Path) -> str:
    made(str(tmp_path / "index.sqlite")).close()
    return str(tmp_path / "index.sqlite")


def is_same(path: str, attached: str) -> bool:
    with closing(made(database.TEMPORARY)) as fresh, closing(sqlite3.connect(path)) as stored:
        return has_same_answers(stored, attached, fresh)


@pytest.mark.parametrize("is_attached", [True, False])
def test_the_same_log_gives_the_same_answers_however_postings_are_cut(path: str, is_attached: bool) -> None:
    attached = path if is_attached else os.path.dirname(path)
    assert is_same(path, attached)
    with closing(sqlite3.connect(path)) as stored:
        cut = "INSERT INTO postings SELECT term, max(first_doc_id) + 7, x'', x'' FROM postings WHERE term = 'pnpm'"
        assert stored.execute(cut).rowcount == 1  # a block without any
        stored.commit()
    assert is_same(path, attached)


CHANGES = (
    "DELETE FROM events WHERE id = (SELECT max(id) FROM events)",
    "UPDATE memories SET sentence = sentence || '!' WHERE doc_id = (SELECT max(doc_id) FROM memories)",
    "UPDATE memories SET kept_event_id = '' WHERE doc_id = (SELECT max(doc_id) FROM memories)",
    "DELETE FROM opposed_pairs",
    "UPDATE documents SET text = 'other'",
    "UPDATE session_events SET line = line + 1",
    "DELETE FROM postings WHERE term = 'pnpm'",
    "UPDATE meta SET value = value + 1 WHERE name = 'doc_count'",
    "INSERT INTO project_roots (scope, root) VALUES ('project:x', '/x')",
)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("is_attached", [True, False])
def test_any_other_row_is_noticed(path: str, change: str, is_attached: bool) -> None:
    with closing(sqlite3.connect(path)) as stored:
        assert stored.execute(change).rowcount > 0
        stored.commit()
    assert not is_same(path, path if is_attached else os.path.dirname(path))


def test_a_dump_of_the_answers_leaves_out_what_may_lag_behind() -> None:
    lagging: tuple[EventBody, ...] = (RecallAsked("a", 1), CommandRan("make"), BriefInjected((), 3))
    some, every = (indexed(filed(history(*bodies))) for bodies in (BODIES, BODIES + lagging))
    assert list(dump_rows(some, answers_only=True)) == list(dump_rows(every, answers_only=True))
    assert list(dump_rows(some)) != list(dump_rows(every))
