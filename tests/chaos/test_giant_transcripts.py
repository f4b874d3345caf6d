"""A piece of a transcript that is too large to be held costs neither memory nor what stands around it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.giant_transcripts import PIECES, giant


@pytest.mark.parametrize("piece", PIECES)
def test_what_stands_around_a_giant_is_captured(tmp_path: Path, piece: str) -> None:
    found = giant(tmp_path / "person", piece, 24 << 20)
    assert [fault for fault in found.faults if "waited" not in fault] == []  # time is measured elsewhere
    assert found.runs > 0
