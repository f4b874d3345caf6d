"""Gemini CLI. Its model is told things at BeforeAgent only: a text at SessionStart makes it lose prompts when it
resumes. The person may be shown a line at SessionStart.

PreCompress is left out, because it runs before every call of the model, whether anything is compressed or not.
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
    heard = parse_common_input(hook_kind(HOOKS, event), payload)
    return heard._replace(prompt=_strip_hook_context(heard.prompt)) if heard else None


def _strip_hook_context(prompt: str) -> str:
    """A prompt without what hooks have put around it."""
    kept, rest = "", prompt
    while True:
        before, opening, inner = rest.partition(_CONTEXT_START)
        _, closing, after = inner.partition(_CONTEXT_END)
        if not (opening and closing):
            return (kept + rest).strip()
        kept, rest = kept + before, after


def format_gemini_output(event: str, text: str) -> str:
    return additional_context(event, text) if event == "BeforeAgent" else ""


HOST = Host("gemini", HOOKS, parse_gemini_input, format_gemini_output, add_notice=with_system_message)
