"""Nothing hangs and nothing eats memory, whatever lies where a file should be. The long form is in `make chaos`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos import obstacles
from tests.chaos.obstacles import PLACES, Plant

_AT_EVERY_COMMAND = ("project/.git", "project/.git/config", ".agents/tacit.toml", ".agents/.tacit/key")
_NAMED = ("given", "given.jsonl", "given.ndjson", ".claude/CLAUDE.md", ".claude/settings.json")


def test_a_named_pipe_in_any_place_keeps_nobody_waiting(tmp_path: Path) -> None:
    found = obstacles.obstacles(tmp_path, [obstacles.pipe], readers=1)
    assert found.runs == len(PLACES)
    assert found.faults == ()


@pytest.mark.parametrize(
    "plant",
    [obstacles.silent_pipe, obstacles.zeros, obstacles.kernel_file, obstacles.sparse_file, obstacles.looping_link],
    ids=lambda plant: plant.__name__,
)
def test_nothing_else_does_where_every_command_reads_or_a_person_names_a_file(tmp_path: Path, plant: Plant) -> None:
    places = [place for place in PLACES if place.path in (*_AT_EVERY_COMMAND, *_NAMED)]
    assert obstacles.obstacles(tmp_path, [plant], places, readers=1).faults == ()
