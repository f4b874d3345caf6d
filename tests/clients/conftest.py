"""A story for each class of tests, lived once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.clients.story import Story, told


@pytest.fixture(scope="class")
def story(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    """What the client of this class went through; the tests read what is left of it."""
    client = request.cls.client
    with told(tmp_path_factory.mktemp(client.name).resolve(), client) as lived:
        yield lived


@pytest.fixture(scope="class")
def session(story: Story) -> dict[str, Any]:
    """All runs were one session."""
    (captured,) = story.desk.sessions()
    return captured
