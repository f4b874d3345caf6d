"""cognee makes a graph of what it is given, by a language model; it does not file anything without one."""

from __future__ import annotations

from bench.peers.peer import refusing

PEER = refusing("cognee", "a graph", "files texts by a language model, which needs a key and a network")
