"""Every target by its name."""

from __future__ import annotations

from tacit.core.errors import WrongUse
from tacit.surfaces.install import bash, fish, zsh
from tacit.surfaces.install.target import Target

TARGETS = {target.name: target for target in (bash.TARGET, zsh.TARGET, fish.TARGET)}


def target(name: str, verb: str) -> Target:
    if name not in TARGETS:
        raise WrongUse(
            f"tacit {verb} knows no {name!r}", f"one of: {', '.join(f'tacit {verb} {one}' for one in TARGETS)}"
        )
    return TARGETS[name]
