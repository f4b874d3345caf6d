"""What to say where a shell without the snippet was expected to have it."""

from __future__ import annotations

from tacit.core.errors import Refused


def no_snippet(verb: str) -> Refused:
    return Refused(
        f"this shell has not loaded Tacit, so there is nothing to {verb} here",
        f'eval "$(tacit hook bash)" (or zsh; for fish: tacit hook fish | source), then: tacit {verb}',
    )
