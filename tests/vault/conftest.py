"""A home with memories, an entry of the worklog and an evaluation, for the doctor and its checks."""

from __future__ import annotations

import pytest
from harness.person import Person


@pytest.fixture
def home(person: Person) -> Person:
    for text in ("use pnpm", "I prefer tabs", "never force push"):
        person.tacit("add", text)
    person.tacit("log", "--task", "t", "--summary", "moved the cache")
    person.tacit("evaluate")
    person.wait_for_pages()
    return person
