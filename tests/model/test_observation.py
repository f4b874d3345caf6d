"""What counts as a success, which sessions have no times, and which bodies belong to a session."""

from __future__ import annotations

import pytest

from tacit.model.observation import (
    UNKNOWN_STATUS,
    CommandRan,
    is_untimed_session,
    session_id,
)
from tacit.shell.history_lines import SessionAssigner, untimed_session_id


def test_a_session_is_untimed_if_it_is_named_after_its_history_instead_of_a_second() -> None:
    assert is_untimed_session(untimed_session_id("zsh", "host/home/kim/.zsh_history"))
    assert not is_untimed_session(SessionAssigner("zsh", []).session_at(1_700_000_000))


@pytest.mark.parametrize(
    "session", ["", "zsh:", "4711.1700000000.123456.4242", "zsh:0123456789abc", "ZSH:0123456789ab"]
)
def test_a_session_of_the_recorder_or_with_another_name_is_not_untimed(session: str) -> None:
    assert not is_untimed_session(session)


def test_a_session_has_the_same_id_everywhere_and_another_one_in_another_host() -> None:
    assert session_id("claude", "7f3a") == session_id("claude", "7f3a") == "8jp5nmyx0nfa"
    assert len({session_id("claude", "7f3a"), session_id("codex", "7f3a"), session_id("claude", "7f3b")}) == 3


@pytest.mark.parametrize(("status", "is_success"), [(0, True), (UNKNOWN_STATUS, True), (1, False), (130, False)])
def test_a_command_without_a_known_status_counts_as_a_success(status: int, is_success: bool) -> None:
    assert CommandRan("make", status=status).is_success is is_success
