"""One person for each test."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.person import Person


@pytest.fixture
def person(tmp_path: Path) -> Person:
    """Somebody with an empty folder of their own and no home of Tacit yet."""
    folder = tmp_path / "person"
    folder.mkdir()
    return Person(folder)
