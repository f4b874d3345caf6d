"""The coin of a trial (`model/trial.py`). Hooks that have no time for anything else compute it, too, so this imports
next to nothing."""

from __future__ import annotations

from _blake2 import blake2b


def is_treated(seed: str, agent: str, session: str) -> bool:
    """Return whether a session of an agent is told a memory on trial: for half of all names of sessions it is.

    A session without a name takes part in no trial, and is told.
    """
    if not session:
        return True
    name = f"{agent}\n{session}".encode("utf-8", "surrogatepass")
    return blake2b(name, digest_size=1, key=bytes.fromhex(seed)).digest()[0] % 2 == 1
