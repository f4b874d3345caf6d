"""Gemini CLI: its hooks.

Output for the model is given at BeforeAgent only: at SessionStart it makes the host lose prompts when a session is
resumed. A line for the person may be shown at SessionStart.

PreCompress is not used, because it runs before every model call, whether anything is compressed or not.
"""

from __future__ import annotations

from collections.abc import Mapping

from tacit.hosts.protocol import (
    HookInput,
    HookKind,
    Host,
    additional_context,
    hook_kind,
    make_hooks,
    parse_common_input,
    with_system_message,
)

HOOKS = make_hooks(
    SessionStart=HookKind.START,
    BeforeAgent=HookKind.PROMPT,
    AfterAgent=HookKind.STOP,
    SessionEnd=HookKind.END,
)
_CONTEXT_START, _CONTEXT_END = "<hook_context>", "</hook_context>"


def parse_gemini_input(event: str, payload: Mapping[str, object]) -> HookInput | None:
    hook_input = parse_common_input(hook_kind(HOOKS, event), payload)
    return hook_input._replace(prompt=_strip_hook_context(hook_input.prompt)) if hook_input else None


def _strip_hook_context(prompt: str) -> str:
    """Remove what hooks have added to a prompt."""
    stripped, rest = "", prompt
    while True:
        before, opening, inner = rest.partition(_CONTEXT_START)
        _, closing, after = inner.partition(_CONTEXT_END)
        if not (opening and closing):
            return (stripped + rest).strip()
        stripped, rest = stripped + before, after


def format_gemini_output(event: str, text: str) -> str:
    return additional_context(event, text) if event == "BeforeAgent" else ""


HOST = Host("gemini", HOOKS, parse_gemini_input, format_gemini_output, add_notice=with_system_message)
