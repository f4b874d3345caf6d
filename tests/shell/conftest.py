"""Each test of this folder is run in every shell, unless it is about one of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.desk import Desk
from harness.person import Person

SHELLS = ("bash", "zsh", "fish")


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def desk(tmp_path: Path, shell: str) -> Iterator[Desk]:
    folder = tmp_path.resolve() / "person"
    folder.mkdir()
    desk = Desk(Person(folder), shell)
    yield desk
    desk.close()
