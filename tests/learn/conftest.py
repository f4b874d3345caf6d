"""What tests of learners start from: somebody's repository, and models that can be asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.person import Person

from tests.support.model_desk import Desk


@pytest.fixture
def project(person: Person) -> Path:
    folder = person.folder / "shop"
    (folder / ".git").mkdir(parents=True)
    return folder


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    folder = tmp_path / "desk"
    folder.mkdir()
    return Desk(folder)
