"""Links, pipes and folders where files should be: nothing outside is written. The long form is in `make chaos`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos import linked_home, planted
from tests.chaos.planted import Plant
from tests.chaos.races import OUTSIDE, race

_READ = ("tacit.toml", "index.sqlite", "index.sqlite-wal", "memory/events.jsonl", "memory/long-term.md")


@pytest.mark.parametrize("plant", [planted.link, planted.hard_link, planted.pipe], ids=lambda plant: plant.__name__)
def test_what_is_planted_leads_nowhere_and_keeps_nobody_waiting(tmp_path: Path, plant: Plant) -> None:
    found = planted.planted(tmp_path, plant, verbs=("add",))
    assert found.runs == len(planted.PLACES)
    assert found.faults == ()


def test_a_pipe_keeps_no_question_waiting(tmp_path: Path) -> None:
    assert planted.planted(tmp_path, planted.pipe, verbs=("recall",), places=_READ).faults == ()


def test_no_folder_of_a_home_that_is_a_link_is_written_through(tmp_path: Path) -> None:
    some = ("recorder", "add", "purge", "doctor")
    places = ("activity", ".tacit", "memory", "tacit.toml")
    assert linked_home.sweep(tmp_path, only=lambda place: place in places, sorts=some).faults == ()


def test_nothing_behind_a_link_for_notes_is_thrown_away(tmp_path: Path) -> None:
    places = (".tacit/pending", ".tacit/unfinished")
    assert linked_home.sweep(tmp_path, only=lambda place: place in places, sorts=("hooks",)).faults == ()


@pytest.mark.chaos
def test_folders_that_are_followed_are_caught(tmp_path: Path) -> None:
    assert any(linked_home.CHANGED in fault for fault in linked_home.followed(tmp_path).faults)


@pytest.mark.chaos
def test_links_that_are_followed_are_caught(tmp_path: Path) -> None:
    temporary = ("memory/.long-term.md.tacit-new",)
    found = planted.planted(tmp_path, planted.hard_link, verbs=("add",), places=temporary, mutant="links_followed")
    assert any("somebody else's file was changed" in fault for fault in found.faults)


def test_folders_swapped_for_links_while_tacit_writes_lead_nowhere() -> None:
    found = race(40)
    assert found.acknowledged > 0
    assert found.lost == 0
    assert found.faults == ()


def test_a_file_is_replaced_in_its_own_folder_whatever_takes_its_place() -> None:
    found = race(500, files=True)
    assert found.acknowledged > 0
    assert found.faults == ()


@pytest.mark.chaos
def test_paths_that_are_believed_are_caught() -> None:
    assert any(OUTSIDE in fault for fault in race(20_000, files=True, followed=True).faults)
