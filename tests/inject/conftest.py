"""Who is told something: somebody with a repository."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.person import Person


@pytest.fixture
def person(tmp_path: Path) -> Person:
    folder = tmp_path / "person"
    folder.mkdir()
    one = Person(folder)
    one.repository("work", remote="git@example.org:kim/work.git")
    return one
