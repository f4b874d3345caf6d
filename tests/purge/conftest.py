"""A person in whose home a secret was planted everywhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.person import Person

from tests.support.planting import plant

SECRET = "Hunter q999x magic word"


@pytest.fixture
def project(person: Person) -> Path:
    return person.repository()


@pytest.fixture
def planted(person: Person, project: Path) -> Person:
    plant(person, project, SECRET, 1)
    return person
