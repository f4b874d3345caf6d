"""Errors that a person can meet: each has a message, a hint and an exit code."""

from __future__ import annotations


class TacitError(Exception):
    """Base class. `hint` says what to type next."""

    exit_code = 3

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(TacitError):
    """The command line or an argument is wrong."""

    exit_code = 2


class RefusedError(TacitError):
    """The request was understood and not done: it is too long, has a secret, or makes no sense."""

    exit_code = 1


class NotFoundError(TacitError):
    """There is no such memory. The message names similar ones."""

    exit_code = 1


class ServerError(TacitError):
    """A server that the person named does not do what was asked. The home is not affected."""

    exit_code = 1


class NotAdmittedError(ServerError):
    """The server itself answered that it does not let this role in. It may be a mistake, and it may be meant."""


class ServerForbidsError(ServerError):
    """The server does not permit the role to do this."""


class ServerLimitError(ServerError):
    """The server takes no more of this kind today. What waits is sent later."""


class ServerUnreachableError(ServerError):
    """The server is down, too slow or out of reach: what waits for it is sent later."""


class RemoteError(TacitError):
    """A remote cannot be reached or does not answer as it should. The home is as it was."""

    exit_code = 1


class KeysError(RemoteError):
    """The keys of a remote were changed, and this machine cannot go on with those it has."""


class StoreError(TacitError):
    """The home cannot be read or written as promised."""


class ReadOnlyError(StoreError):
    """The home cannot be written."""

    exit_code = 4


class LockBusyError(StoreError):
    """Another process held the lock of the home for too long."""

    exit_code = 5


class IndexDamagedError(StoreError):
    """The index was found to be damaged, and was rebuilt from the log. What was asked can be asked again."""


class IndexUnusableError(Exception):
    """The index is missing, damaged or of another version, and must be rebuilt from the log."""
