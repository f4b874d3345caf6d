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
    """Open a home.

    Args:
        home: its folder; default: `TACIT_HOME`, else `~/.agents`.
        cwd: the folder that decides which project one stands in; default: the current one.

    Returns:
        The vault, which is a context manager.

    Raises:
        TacitError: the home or its settings cannot be read.
    """
    from tacit.home.home import Home
    from tacit.home.store import Following, StoreOptions
    from tacit.vault.vault import Vault

    return Vault(Home(home, cwd=cwd, options=StoreOptions(Following.THREAD)))
