"""claude-mem keeps what a language model says of an agent's session; texts cannot be handed to it as they are."""

from __future__ import annotations

from bench.peers.peer import refusing

PEER = refusing(
    "claude-mem", "words and vectors", "keeps what a language model makes of sessions; needs a subscription or a key"
)
