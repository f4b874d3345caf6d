"""What a shell's snippet hands over about one command, read into an observation.

A record is UTF-8, its fields ended by NUL: `tacit1`, shell, session, exit status, start in microseconds, duration in
milliseconds, directory, the line as typed, the line with its aliases written out, the line it was before it was edited.
What the shell does not know is empty. Nothing here touches a disk.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from tacit.capture.captured import Captured
from tacit.capture.unsaid import is_unsaid
from tacit.core.observation import UNKNOWN_STATUS, CommandRan
from tacit.core.text import clean, clip

MOST = 64 * 1024  # bytes of a record; the rest is not read
_FORM = "tacit1"
_FIELDS = 10
_MOST_WORD, _MOST_PATH = 128, 4096
_LONGEST = 366 * 24 * 3600 * 1000  # milliseconds: a year
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_APART = timedelta(minutes=1)  # a record is read when its command has just ended
# What these commands are given is what must not be kept.


def read_record(record: bytes, now: datetime) -> Captured | None:
    """The command of a record; nothing where there is none, or where it is not to be captured."""
    fields = record.decode("utf-8", "replace").split("\0")
    fields += [""] * (_FIELDS - len(fields))
    form, shell, session, status, start, milliseconds, directory, command, meant, planned = fields[:_FIELDS]
    if form != _FORM or _is_private(command):
        return None
    lasted = min(_number(milliseconds, 0), _LONGEST)
    ran = CommandRan(
        command=clean(command),
        directory=clip(clean(directory), _MOST_PATH),
        status=_number(status, UNKNOWN_STATUS),
        milliseconds=lasted,
        shell=clip(clean(shell), _MOST_WORD),
        meant="" if _bare(meant) == _bare(command) else clean(meant),
        planned="" if planned == command or _is_private(planned) else clean(planned),
    )
    return Captured(_began(start, now, lasted), clip(clean(session), _MOST_WORD), ran)


def is_ignored(ran: CommandRan, places: Sequence[str], patterns: Sequence[str], directories: Sequence[str]) -> bool:
    """Whether a person asked for this not to be captured. `places` are the names of the directory it ran in."""
    if any(_is_below(place, directory) for place in places for directory in directories):
        return True
    if not patterns:
        return False
    from fnmatch import fnmatchcase

    lines = [line for line in (ran.command, ran.meant, ran.planned) if line]
    return any(fnmatchcase(line, pattern) for line in lines for pattern in patterns)


def _is_private(line: str) -> bool:
    """A line that is empty, that begins with a blank, or that gives Tacit a text to take out."""
    return not line.strip() or line[0].isspace() or is_unsaid(line)


def _is_below(place: str, directory: str) -> bool:
    return (place.rstrip("/") + "/").startswith(directory.rstrip("/") + "/")


def _bare(line: str) -> str:
    """A line without what a shell changes when it only writes it out differently."""
    return "".join(line.replace(";", " ").split())


def _number(text: str, otherwise: int) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 17 else otherwise


def _began(microseconds: str, now: datetime, lasted: int) -> datetime:
    """When it began; reckoned back from now where the shell does not know, or where its clock cannot be right."""
    reckoned = now - timedelta(milliseconds=lasted)
    given = _EPOCH + timedelta(microseconds=_number(microseconds, 0))
    return given if abs(given - reckoned) <= _APART else reckoned
