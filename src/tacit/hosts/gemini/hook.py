"""Gemini CLI. Its model is told things at BeforeAgent only: a text at SessionStart makes it lose prompts when it
resumes. The person may be shown a line at SessionStart.

PreCompress is left out, because it runs before every call of the model, whether anything is compressed or not.
"""

from __future__ import annotations

from collections.abc import Mapping

from tacit.hosts.protocol import Host, Moment, Told, additional_context, hooks, moment_of, system_message, told

HOOKS = hooks(
    SessionStart=Moment.START,
    BeforeAgent=Moment.PROMPT,
    AfterAgent=Moment.STOP,
    SessionEnd=Moment.END,
)
_OPENING, _CLOSING = "<hook_context>", "</hook_context>"


def read(event: str, payload: Mapping[str, object]) -> Told | None:
    heard = told(moment_of(HOOKS, event), payload)
    return heard._replace(prompt=_own_words(heard.prompt)) if heard else None


def _own_words(prompt: str) -> str:
    """A prompt without what hooks have put around it."""
    kept, rest = "", prompt
    while True:
        before, opening, inner = rest.partition(_OPENING)
        _, closing, after = inner.partition(_CLOSING)
        if not (opening and closing):
            return (kept + rest).strip()
        kept, rest = kept + before, after


def say(event: str, text: str) -> str:
    return additional_context(event, text) if event == "BeforeAgent" else ""


HOST = Host("gemini", HOOKS, read, say, notify=system_message)
