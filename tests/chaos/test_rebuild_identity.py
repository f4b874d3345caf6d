"""The index may be deleted at any time: what is made again from the log is what was kept all along."""

from __future__ import annotations

import random

import pytest

from tests.chaos.apart import apart
from tests.chaos.rebuild import compare, filed, folded, index_of, open_store
from tests.chaos.workload import VERBS, Plan, live


def test_the_kept_index_equals_a_fresh_rebuild(memory_home: str) -> None:
    done = apart(live, Plan(memory_home, f"{memory_home}-project", processes=4, operations=30))
    assert set(done) == set(VERBS), "a workload in which a verb never works shows little"
    found = compare(memory_home)
    assert found.same_rows
    assert found.same_answers
    assert found.memories > 20
    assert found.answered > 100


@pytest.mark.chaos
def test_an_index_that_missed_one_event_is_told_apart(memory_home: str) -> None:
    apart(live, Plan(memory_home, f"{memory_home}-project", processes=1, operations=50, seed=2))
    entries = list(filed(open_store(memory_home)))
    whole = index_of(entries)
    assert index_of(entries) == whole
    for missed in random.Random(1).sample(folded(entries), 10):
        assert index_of(entries, left_out=missed) != whole
        assert index_of(entries, unheard=missed) != whole


def test_what_one_process_undoes_breaks_no_answer_of_another(memory_home: str) -> None:
    verbs = ("add", "undo", "list", "remember")
    done = apart(live, Plan(memory_home, f"{memory_home}-project", processes=6, operations=20, verbs=verbs))
    assert set(done) == set(verbs)
