"""Many lines at once, for imports: lines of commands encoded fast, and segments that grow by all of them or none."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import date, timedelta
from functools import lru_cache
from json.encoder import encode_basestring_ascii as quoted
from zlib import crc32

from tacit.disk.files import PRIVATE_FILE, Disk, OsDisk, make_folder, open_plain, write_all
from tacit.log.codec import FORMAT_VERSION
from tacit.log.log import Log
from tacit.log.signing import SignLine
from tacit.model.claim import GLOBAL, Provenance
from tacit.model.event import USER
from tacit.model.ids import EventId

# Lines of commands in bulk: byte for byte what `codec.encode` makes of such events, in a fraction of the time.
#
# A history has a hundred thousand of them, alike in all but a few fields; what was the same in the line before is not
# made again. A law test compares the two.

_EPOCH = date(1970, 1, 1)
_MICROSECONDS_PER_MINUTE = 60_000_000
_MAX_CACHED_CONTEXTS = 4096
IMPORT_ENVELOPE = (GLOBAL, USER, Provenance.USER_FILE)  # what these lines have in common

CommandContext = tuple[str, int, int, str]  # directory, status, milliseconds and host of a command
_WHOLE_SECONDS = {second * 1_000_000: f"{second:02d}.000000" for second in range(60)}  # most histories tell no more


class CommandEncoder:
    """The lines of commands that the person ran in one shell."""

    def __init__(self, shell: str, sign: SignLine | None = None) -> None:
        self._shell = shell
        self._sign = sign
        self._encoded_contexts: dict[CommandContext, str] = {}
        self._minute = -1
        self._session, self._tz = "", -10_000
        self._before_time = self._after_time = self._minute_text = ""

    def encode(self, name: EventId, command: str, around: CommandContext, session: str, at: int, tz: int) -> bytes:
        """The line of a command that ran `at` so many microseconds since 1970."""
        middle = self._encoded_contexts.get(around) or self._encode_context(around)
        if session != self._session or tz != self._tz:
            self._set_session(session, tz)
        minute, rest = at // _MICROSECONDS_PER_MINUTE, at % _MICROSECONDS_PER_MINUTE
        if minute != self._minute:
            self._minute, self._minute_text = minute, _format_minute(minute)
        head = (
            f'{{"actor":"{USER}","body":{{"command":{quoted(command)}{middle}{name}","op":"{name}'
            f"{self._before_time}{self._minute_text}"
            f"{_WHOLE_SECONDS.get(rest) or _format_second(rest)}{self._after_time}"
        ).encode("ascii")
        if self._sign is not None and (code := self._sign(head)):
            head += b',"m":"%s"' % code
        return head + b',"c":"%08x"}\n' % crc32(head)

    def _encode_context(self, around: CommandContext) -> str:
        """From behind the command to the id; fields are in the order of their names, and what is empty is left out."""
        directory, status, milliseconds, host = around
        fields = f',"directory":{quoted(directory)}' if directory else ""
        fields += f',"milliseconds":{milliseconds}' if milliseconds else ""
        fields += f',"shell":{quoted(self._shell)}' if self._shell else ""
        fields += f',"status":{status}' if status else ""
        if len(self._encoded_contexts) > _MAX_CACHED_CONTEXTS:
            self._encoded_contexts.clear()
        made = self._encoded_contexts[around] = f'{fields}}},"host":{quoted(host)},"id":"'
        return made

    def _set_session(self, session: str, tz: int) -> None:
        scope, _, provenance = IMPORT_ENVELOPE
        source = provenance.name.lower()
        self._session, self._tz = session, tz
        self._before_time = f'","scope":"{scope}","sess":{quoted(session)},"src":"{source}","ts":"'
        self._after_time = f'Z","type":"command.ran","tz":{tz},"v":{FORMAT_VERSION}'


def _format_minute(minutes: int) -> str:
    """Minutes since 1970 as the log writes a time, up to the seconds."""
    day, rest = divmod(minutes, 24 * 60)
    return f"{_format_date(day)}T{rest // 60:02d}:{rest % 60:02d}:"


@lru_cache(maxsize=64)
def _format_date(day: int) -> str:
    return (_EPOCH + timedelta(days=day)).isoformat()


def _format_second(rest: int) -> str:
    return f"{rest // 1_000_000:02d}.{rest % 1_000_000:06d}"


# A segment that gets more lines at its end, all of them or none.
#
# The old lines are copied and the new ones written behind them as they come, to a file beside it that takes its place
# when everything is on the disk: memory stays small however much there is, and a crash leaves the old segment.

_CHUNK_BYTES = 1 << 20


class BulkAppender:
    """Only while nobody else changes the home. Nothing is made before there is something to write."""

    def __init__(self, log: Log, segment: str, disk: Disk | None = None) -> None:
        self._log = log
        self._path = log.path(segment)
        self._disk = disk or OsDisk(log.path("").rstrip(os.sep))
        folder, name = os.path.split(self._path)
        self._temporary = os.path.join(folder, f".{name}.tacit-new")
        self._fd: int | None = None

    def write(self, lines: list[bytes]) -> None:
        if lines:
            write_all(self._disk, self._open_temporary(), b"".join(lines))

    def commit(self) -> None:
        """Make it durable and put it in its place."""
        if self._fd is None:
            return
        self._disk.sync_data(self._fd)
        self._close()
        with self._log.exclusive():
            self._disk.rename(self._temporary, self._path)
        self._disk.sync_folder(os.path.dirname(self._path))

    def abort(self) -> None:
        """Leave everything as it was; after `finish` there is nothing left to do."""
        if self._fd is not None:
            self._close()
            self._disk.remove(self._temporary)

    def _close(self) -> None:
        if self._fd is not None:
            self._disk.close(self._fd)
            self._fd = None

    def _open_temporary(self) -> int:
        if self._fd is None:
            folder = os.path.dirname(self._path)
            make_folder(folder, below=os.path.dirname(folder))
            self._log.begin_signing()
            with suppress(FileNotFoundError):  # what a crash left is of no use
                self._disk.remove(self._temporary)
            self._fd = self._disk.open(self._temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
            self._copy_existing(self._fd)
        return self._fd

    def _copy_existing(self, fd: int) -> None:
        last = b"\n"
        with suppress(FileNotFoundError), open_plain(self._path) as file:
            while chunk := file.read(_CHUNK_BYTES):
                write_all(self._disk, fd, chunk)
                last = chunk[-1:]
        if last != b"\n":
            write_all(self._disk, fd, b"\n")
