"""Every error a person can meet: what happened, what to type next, and the exit code."""

from __future__ import annotations

# Every error a person can meet: what happened, what to type next, and the exit code.
#
# TacitError
# ├── WrongUse          2  the words of the call are off
# ├── Refused           1  understood, and not done (too long, a secret, a decision that makes no sense)
# ├── NotFound          1  no such memory; near ones are named
# └── StoreUnwell       3  the home cannot be read or written as promised
#     ├── ReadOnly      4  the home does not take writes
#     └── LockBusy      5  another process held the home for too long


class TacitError(Exception):
    """Base of all; `hint` says what to type next."""

    exit_code = 3

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(TacitError):
    exit_code = 2


class RefusedError(TacitError):
    exit_code = 1


class NotFoundError(TacitError):
    exit_code = 1


class StoreError(TacitError):
    exit_code = 3


class ReadOnlyError(StoreError):
    exit_code = 4


class LockBusyError(StoreError):
    exit_code = 5


class IndexUnusableError(Exception):
    """The index is missing, of another version, or damaged: it must be rebuilt from the log."""
