"""A home of three lines."""

from __future__ import annotations

import pytest
from harness.person import Person

TEXTS = ("never force push", "always sign commits", "always name the ticket")


@pytest.fixture
def three(person: Person) -> Person:
    with person.vault() as vault:
        for text in TEXTS:
            vault.add(text)
    return person
