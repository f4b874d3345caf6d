"""Lines of commands in bulk: byte for byte what `codec.encode` makes of such events, in a fraction of the time.

A history has a hundred thousand of them, alike in all but a few fields; what was the same in the line before is not
made again. A law test compares the two.
"""

from __future__ import annotations

from datetime import date, timedelta
from functools import lru_cache
from json.encoder import encode_basestring_ascii as quoted
from zlib import crc32

from tacit.core.claim import GLOBAL
from tacit.core.event import USER
from tacit.core.ids import EventId
from tacit.core.provenance import Provenance
from tacit.log.codec import VERSION
from tacit.log.signing import Sign

_EPOCH = date(1970, 1, 1)
_MINUTE = 60_000_000
_MOST_REMEMBERED = 4096
ENVELOPE = (GLOBAL, USER, Provenance.USER_FILE)  # what these lines have in common

Around = tuple[str, int, int, str]  # directory, status, milliseconds and host of a command
_SECONDS = {second * 1_000_000: f"{second:02d}.000000" for second in range(60)}  # most histories tell no more


class CommandLines:
    """The lines of commands that the person ran in one shell."""

    def __init__(self, shell: str, sign: Sign | None = None) -> None:
        self._shell = shell
        self._sign = sign
        self._middles: dict[Around, str] = {}
        self._minute = -1
        self._session, self._tz = "", -10_000
        self._before_time = self._after_time = self._time = ""

    def line(self, name: EventId, command: str, around: Around, session: str, at: int, tz: int) -> bytes:
        """The line of a command that ran `at` so many microseconds since 1970."""
        middle = self._middles.get(around) or self._middle(around)
        if session != self._session or tz != self._tz:
            self._sit(session, tz)
        minute, rest = at // _MINUTE, at % _MINUTE
        if minute != self._minute:
            self._minute, self._time = minute, _to_the_minute(minute)
        head = (
            f'{{"actor":"{USER}","body":{{"command":{quoted(command)}{middle}{name}","op":"{name}'
            f"{self._before_time}{self._time}{_SECONDS.get(rest) or _second(rest)}{self._after_time}"
        ).encode("ascii")
        if self._sign is not None and (code := self._sign(head)):
            head += b',"m":"%s"' % code
        return head + b',"c":"%08x"}\n' % crc32(head)

    def _middle(self, around: Around) -> str:
        """From behind the command to the id; fields are in the order of their names, and what is empty is left out."""
        directory, status, milliseconds, host = around
        fields = f',"directory":{quoted(directory)}' if directory else ""
        fields += f',"milliseconds":{milliseconds}' if milliseconds else ""
        fields += f',"shell":{quoted(self._shell)}' if self._shell else ""
        fields += f',"status":{status}' if status else ""
        if len(self._middles) > _MOST_REMEMBERED:
            self._middles.clear()
        made = self._middles[around] = f'{fields}}},"host":{quoted(host)},"id":"'
        return made

    def _sit(self, session: str, tz: int) -> None:
        scope, _, provenance = ENVELOPE
        source = provenance.name.lower()
        self._session, self._tz = session, tz
        self._before_time = f'","scope":"{scope}","sess":{quoted(session)},"src":"{source}","ts":"'
        self._after_time = f'Z","type":"command.ran","tz":{tz},"v":{VERSION}'


def _to_the_minute(minutes: int) -> str:
    """Minutes since 1970 as the log writes a time, up to the seconds."""
    day, rest = divmod(minutes, 24 * 60)
    return f"{_date(day)}T{rest // 60:02d}:{rest % 60:02d}:"


@lru_cache(maxsize=64)
def _date(day: int) -> str:
    return (_EPOCH + timedelta(days=day)).isoformat()


def _second(rest: int) -> str:
    return f"{rest // 1_000_000:02d}.{rest % 1_000_000:06d}"
