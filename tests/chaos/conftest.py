"""Where these tests work."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chaos.apart import folder_in_memory


@pytest.fixture
def home(disk_path: Path) -> str:
    return str(disk_path / "home")


@pytest.fixture
def memory_home() -> Iterator[str]:
    """A home on a file system in memory, where a kill tears a write most often."""
    with folder_in_memory() as folder:
        yield str(folder / "home")
