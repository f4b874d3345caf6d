"""Tacit: a local-first memory for people who work in a shell and with coding agents.

import tacit
with tacit.open() as vault:
    vault.remember("Prefer recall before repeating work", evidence="user request")
    print(vault.recall("repeating work"))
"""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING

from tacit.version import __version__

if TYPE_CHECKING:
    from tacit.vault.vault import Vault

__all__ = ["__version__", "open"]


def open(home: str | PathLike[str] | None = None, *, cwd: str | PathLike[str] | None = None) -> Vault:  # noqa: A001
    """Open a home (default: `TACIT_HOME`, else `~/.agents`); every verb is a method of what comes back."""
    from tacit.vault.vault import Vault

    return Vault(home, cwd=cwd)
