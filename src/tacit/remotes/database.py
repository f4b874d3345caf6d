"""A PostgreSQL database as a remote: a table of encrypted files."""

from __future__ import annotations

from tacit.errors import UsageError
from tacit.remotes.transport import Transport


def check_url(url: str) -> None:
    raise UsageError(url)


def DatabaseTransport(url: str) -> Transport:
    raise UsageError(url)
