"""One person for each test, and two projects with a session in each."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.person import Person

from tests.support.mcp_client import LYING, captured


@pytest.fixture
def two(person: Person) -> tuple[Path, Path]:
    """Two projects with a session in each."""
    here, elsewhere = person.repository("here"), person.repository("elsewhere")
    captured(person, here, "make the lexer faster", "The lexer is twice as fast now.")
    captured(person, elsewhere, f"paint the shed, {LYING}", "The shed is red.")
    return here, elsewhere
