"""A person, and a person in whose home a secret was planted everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.person import Person

from tests.chaos.apart import folder_in_memory
from tests.support.planting import plant

SECRET = "Hunter q999x magic word"


@pytest.fixture
def person() -> Iterator[Person]:
    """In memory: planting writes much, and none of this is about surviving a crash."""
    with folder_in_memory() as folder:
        (folder / "person").mkdir()
        yield Person(folder / "person")


@pytest.fixture
def project(person: Person) -> Path:
    return person.repository()


@pytest.fixture
def planted(person: Person, project: Path) -> Person:
    plant(person, project, SECRET, 1)
    return person
