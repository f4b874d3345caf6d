"""An empty index, and a project."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from harness.person import Person

from tacit.index import database


@pytest.fixture
def index() -> Iterator[sqlite3.Connection]:
    with closing(database.create_index(database.IN_MEMORY)) as connection:
        yield connection


@pytest.fixture
def project(person: Person) -> Path:
    folder = person.folder / "shop"
    (folder / ".git").mkdir(parents=True)
    return folder
