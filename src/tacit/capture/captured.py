"""One command that somebody ran, wherever we learned of it."""

from __future__ import annotations

from datetime import datetime

from tacit.core.observation import CommandRan
from tacit.record import Record


class Captured(Record):
    """The command, when it began (UTC), and the terminal or history it belongs to."""

    at: datetime
    session: str
    ran: CommandRan
