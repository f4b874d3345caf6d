"""Tacit: a local-first memory for people who work in a shell and with coding agents.

import tacit
with tacit.open() as vault:
    vault.memories.remember("Prefer recall before repeating work", evidence="user request")
    print(vault.recall("repeating work"))

What is exported here is stable. It is imported when it is first used, since hooks import this package, too.
"""

from __future__ import annotations

from os import PathLike

TYPE_CHECKING = False

if TYPE_CHECKING:
    from tacit.brief import Brief
    from tacit.errors import NotFoundError, RefusedError, StoreError, TacitError, UsageError
    from tacit.model.claim import Kind, Status
    from tacit.model.memory import Memory
    from tacit.vault import Vault
    from tacit.vault.hits import Hit
    from tacit.vault.memories import DecisionOutcome

__all__ = [
    "Brief",
    "DecisionOutcome",
    "Hit",
    "Kind",
    "Memory",
    "NotFoundError",
    "RefusedError",
    "Status",
    "StoreError",
    "TacitError",
    "UsageError",
    "Vault",
    "__version__",
    "open",
]
__version__ = "0.2.0"
_MODULES = {
    "Brief": "tacit.brief",
    "DecisionOutcome": "tacit.vault.memories",
    "Hit": "tacit.vault.hits",
    "Kind": "tacit.model.claim",
    "Memory": "tacit.model.memory",
    "Status": "tacit.model.claim",
    "Vault": "tacit.vault",
}


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module 'tacit' has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(_MODULES.get(name, "tacit.errors")), name)


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
    from tacit.vault import Vault

    return Vault(Home(home, cwd=cwd, options=StoreOptions(Following.THREAD)))
