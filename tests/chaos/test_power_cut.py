"""The write protocols on a disk that is cut at any call, and the mutants that such cuts must find."""

from __future__ import annotations

import pytest

from tests.chaos.power import (
    APPEND_MUTANTS,
    REPLACE_MUTANTS,
    Plan,
    append_stories,
    failed_stories,
    replace_stories,
    torn_stories,
)

_MANY, _SOME = range(300), range(150)


def test_no_cut_loses_an_acknowledged_line(memory_home: str) -> None:
    found = append_stories(Plan(memory_home), _MANY)
    assert found.acknowledged > len(_MANY)
    assert (found.lost, found.doubled, found.unended) == (0, 0, 0)


@pytest.mark.chaos
def test_a_cut_leaves_nothing_but_sealed_fragments_where_no_sector_is_lost(memory_home: str) -> None:
    found = append_stories(Plan(memory_home, holes=False), _MANY)
    assert found.fragments > 0
    assert found.faults == 0, found


def test_a_replaced_file_is_the_old_or_the_new_one(memory_home: str) -> None:
    found = replace_stories(Plan(memory_home), _MANY)
    assert found.acknowledged > len(_MANY)
    assert found.wrong == 0


@pytest.mark.chaos
@pytest.mark.parametrize("mutant", APPEND_MUTANTS)
def test_an_append_that_leaves_out_a_step_is_caught(memory_home: str, mutant: str) -> None:
    assert failed_stories(APPEND_MUTANTS[mutant](memory_home), _SOME) >= len(_SOME) // 20


@pytest.mark.chaos
@pytest.mark.parametrize("mutant", REPLACE_MUTANTS)
def test_a_replacement_that_leaves_out_a_step_is_caught(memory_home: str, mutant: str) -> None:
    assert torn_stories(REPLACE_MUTANTS[mutant](memory_home), _SOME) >= len(_SOME) // 20
