"""One command that somebody ran, wherever we learned of it."""

from datetime import datetime
from typing import NamedTuple

from tacit.core.observation import CommandRan


class Captured(NamedTuple):
    """The command, when it began (UTC), and the terminal or history it belongs to."""

    at: datetime
    session: str
    ran: CommandRan
