"""Every target by its name."""

from __future__ import annotations

from tacit.core.errors import WrongUse
from tacit.surfaces.install import bash, claude, codex, copilot, cursor, fish, gemini, opencode, zsh
from tacit.surfaces.install.target import Target

_SHELLS = (bash.TARGET, zsh.TARGET, fish.TARGET)
_AGENTS = (claude.TARGET, codex.TARGET, gemini.TARGET, cursor.TARGET, opencode.TARGET, copilot.TARGET)
TARGETS = {target.name: target for target in (*_SHELLS, *_AGENTS)}


def target(name: str, verb: str) -> Target:
    if name not in TARGETS:
        raise WrongUse(
            f"tacit {verb} knows no {name!r}", f"one of: {', '.join(f'tacit {verb} {one}' for one in TARGETS)}"
        )
    return TARGETS[name]
