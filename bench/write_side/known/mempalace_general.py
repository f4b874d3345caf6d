"""MemPalace with `--extract general`: of a session it keeps what it takes for a decision, a preference or the like."""

from __future__ import annotations

from functools import partial

from bench.peers.known.mempalace import PEER
from bench.write_side.cases import ASKED, PAIRED
from bench.write_side.known.mempalace import MemPalace
from bench.write_side.memory import Known

MEMORY = Known(
    f"{PEER.name} (general)",
    partial(MemPalace, extract="general"),
    "mempalace",
    dict.fromkeys((*PAIRED, *ASKED), f"as {PEER.name}"),
)
