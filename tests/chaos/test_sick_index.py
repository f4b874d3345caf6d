"""A damaged index is found out and made again. The long form is in `make chaos`."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tacit.home.home import Home
from tacit.model.observation import WorkLogged
from tacit.vault.vault import Vault
from tests.chaos import mutants
from tests.chaos.sick_index import CAUGHT, HARMS, PAGE, page_lost, sick_index


def test_a_damaged_index_answers_as_before_and_costs_no_event(tmp_path: Path) -> None:
    found = sick_index(tmp_path, variants=2 * len(HARMS))
    assert found.faults == ()


@pytest.mark.chaos
def test_no_page_is_lost_without_notice(tmp_path: Path) -> None:
    pages = 92  # somewhat more than it has
    found = sick_index(tmp_path, variants=pages, harms=tuple(page_lost(page) for page in range(pages)))
    assert found.faults == ()


def test_no_words_spill_to_where_a_loss_is_not_seen(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Vault(Home(home, cwd=tmp_path, environment={"HOME": str(tmp_path)})) as vault:
        for number in range(100):
            vault.memories.log(WorkLogged(f"T-{number}", f"{'ä' * 200} walrus {number}"))
        vault.doctor.reindex()
    length = "length(CAST(term AS BLOB)) + length(doc_ids) + length(term_freqs)"
    with closing(sqlite3.connect(home / "index.sqlite")) as connection:
        sizes = [size for (size,) in connection.execute(f"SELECT {length} FROM postings WHERE length(term) = 64")]
    assert len(sizes) > 1  # a list of more than one block, of a term as long as there is
    assert max(sizes) < PAGE // 4 - 50  # what a row of such a table has room for within a page


@pytest.mark.chaos
def test_an_index_whose_damage_nobody_looks_for_is_caught(tmp_path: Path) -> None:
    with mutants.no_wellness():
        found = sick_index(tmp_path, variants=len(HARMS))
    assert found.faults


@pytest.mark.chaos
def test_an_index_that_lies_would_be_seen(tmp_path: Path) -> None:
    """What no look at the file can tell apart; it is the doctor who compares it with the log."""
    found = sick_index(tmp_path, variants=1, harms=(_lie,))
    assert any(CAUGHT in fault for fault in found.faults)


def _lie(index: Path, _rng: random.Random) -> None:
    with closing(sqlite3.connect(index)) as connection:
        connection.execute("UPDATE memories SET last_event_id = id")
        connection.commit()
