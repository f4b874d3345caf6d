"""Gemini CLI, with the hooks that `tacit install gemini` puts there."""

from __future__ import annotations

from tests.clients.contract import ClientContract
from tests.clients.hosts import gemini
from tests.clients.story import Story


class TestGemini(ClientContract):
    client = gemini.CLIENT

    def test_the_person_is_shown_once_that_suggestions_wait(self, story: Story) -> None:
        assert "Tacit: 1 suggestion waits for you." in story.first.err
        assert "suggestion waits" not in "".join(run.err for run in story.runs[1:])
