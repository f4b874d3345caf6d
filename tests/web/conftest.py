"""A running server on a small home, and a browser that has its cookie."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from harness.person import Person

from tests.web.browsing import Browser, running_server


@pytest.fixture
def browser(person: Person) -> Iterator[Browser]:
    """A person's browser after it was opened, on a home that is still empty."""
    with running_server(person) as browser:
        browser.open()
        yield browser
