"""One person for each test, as in tests/e2e."""

from __future__ import annotations

from tests.e2e.conftest import person

__all__ = ["person"]
