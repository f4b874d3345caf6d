"""Codex: its hooks, in the protocol of Claude Code. `transcript_path` may be null; SessionEnd has one second."""

from __future__ import annotations

from tacit.hosts.protocol import CLAUDE_HOOKS, Host, format_claude_output, parse_claude_input, with_system_message

HOST = Host("codex", CLAUDE_HOOKS, parse_claude_input, format_claude_output, add_notice=with_system_message)
