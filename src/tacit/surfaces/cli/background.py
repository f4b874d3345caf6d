"""Work that starts after a command has answered, so that nobody waits for it."""

from __future__ import annotations

import os
import sys

from tacit.surfaces.cli.command import Call

# Verbs that record a sentence, or bring one back.
RECORDING = frozenset(("accept", "add", "edit", "note", "promote", "redo", "remember", "restore", "suggest", "undo"))
_SECONDS = 20.0


def encode_in_background(call: Call) -> None:
    """Make vectors for what was just recorded, in a process of its own that ends by itself.

    Does nothing without the extra `meaning`. Importing numpy and encoding a sentence takes a few tenths of a second,
    too long to wait for after `tacit add`; without it, what was added could be found by its words alone until the next
    `tacit improve` or `tacit reindex`.
    """
    from tacit.vault.meanings import Embeddings
    from tacit.vault.opened import Home

    if not Embeddings.can_encode():
        return
    call.close()  # neither a connection to the index nor a lock may be held by two processes
    sys.stdout.flush()
    sys.stderr.flush()
    if os.fork():
        return
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        with Home(call.value("--home")) as home:
            Embeddings(home).encode(_SECONDS)
    finally:
        os._exit(0)
