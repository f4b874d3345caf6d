"""What counts as a success, which sessions have no times, and which bodies belong to a session."""

from __future__ import annotations

from tacit.model.observation import (
    UNKNOWN_STATUS,
    CommandRan,
    is_untimed_session,
    session_id,
)
from tacit.shell.history_lines import SessionAssigner, untimed_session_id


def test_only_a_session_that_is_named_after_its_history_is_untimed() -> None:
    assert is_untimed_session(untimed_session_id("zsh", "host/home/kim/.zsh_history"))
    names = ("", "zsh:", "4711.1700000000.123456.4242", "zsh:0123456789abc", "ZSH:0123456789ab")
    assert not any(map(is_untimed_session, (*names, SessionAssigner("zsh", []).session_at(1_700_000_000))))


def test_a_session_has_the_same_id_everywhere_and_another_one_in_another_host() -> None:
    assert session_id("claude", "7f3a") == session_id("claude", "7f3a") == "8jp5nmyx0nfa"
    assert len({session_id("claude", "7f3a"), session_id("codex", "7f3a"), session_id("claude", "7f3b")}) == 3


def test_a_command_without_a_known_status_counts_as_a_success() -> None:
    assert [CommandRan("make", status=status).is_success for status in (0, UNKNOWN_STATUS)] == [True, True]
    assert [CommandRan("make", status=status).is_success for status in (1, 130)] == [False, False]
