"""One file a peer, each with a PEER. The parent reads what to install; the peer's own interpreter runs the rest."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from bench.peers.peer import Peer


def names() -> list[str]:
    return sorted(found.name for found in pkgutil.iter_modules(__path__))


def peer(module: str) -> Peer:
    found: Peer = import_module(f"{__name__}.{module}").PEER
    return found
