"""Lines of commands of a shell, of which a history has a hundred thousand: a fast encoder and decoder, and an appender
for imports that writes all lines or none.

The decoder takes apart what this version writes for a command with one expression. Every other line, and every line in
which something is unusual, is left to `codec.decode`. Property tests compare encoder and decoder with `codec`.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from datetime import date, timedelta
from functools import lru_cache
from json import JSONDecoder
from json.encoder import encode_basestring_ascii as encode_string
from zlib import crc32

from tacit.disk.files import PRIVATE_FILE, Disk, OsDisk, make_folder, open_plain, write_all
from tacit.log import Log
from tacit.log.codec import FORMAT_VERSION, PROVENANCE_BY_NAME, DamagedLine, decode, parse_time
from tacit.log.signing import SignLine
from tacit.model.claim import GLOBAL, Provenance, Scope
from tacit.model.event import USER, Event, EventOrigin
from tacit.model.ids import EventId
from tacit.model.observation import CommandRan

_EPOCH = date(1970, 1, 1)
_MICROSECONDS_PER_MINUTE = 60_000_000
_MAX_CACHED_CONTEXTS = 4096
IMPORT_ENVELOPE = (GLOBAL, USER, Provenance.USER_FILE)  # scope, actor and provenance of these lines

CommandContext = tuple[str, int, int, str]  # directory, status, milliseconds and host of a command
_WHOLE_SECONDS = {second * 1_000_000: f"{second:02d}.000000" for second in range(60)}  # as most histories have them
_CHUNK_BYTES = 1 << 20


_PLAIN = r'[^"\\\x00-\x1f]*'  # a JSON string without escapes
_QUOTED = rf"{_PLAIN}(?:\\.{_PLAIN})*"
_INTEGER = r"0|-?[1-9]\d{0,14}"
_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_COMMAND_LINE = re.compile(
    rf'\{{"actor":"({_PLAIN})","body":\{{"command":"({_QUOTED})"(?:,"directory":"({_PLAIN})")?'
    rf'(?:,"milliseconds":({_INTEGER}))?(?:,"shell":"({_PLAIN})")?(?:,"status":({_INTEGER}))?\}},'
    rf'"host":"({_PLAIN})","id":"({_UUID})","op":"\8","scope":"({_PLAIN})","sess":"({_PLAIN})","src":"({_PLAIN})",'
    rf'"ts":"({_PLAIN})","type":"command\.ran","tz":({_INTEGER}),"v":{FORMAT_VERSION}'
    rf'(?:,"m":"{_PLAIN}")?,"c":"([0-9a-f]{{8}})"\}}'
)
_CHECKSUM_BYTES = len(',"c":"01234567"}')
_JSON_DECODER = JSONDecoder()


def decode_line(line: bytes) -> Event | DamagedLine:
    """Return the event of a line (without its line feed), as `codec.decode` does."""
    try:
        match = _COMMAND_LINE.fullmatch(line.decode("ascii"))
        event = _decode_match(match, crc32(line[:-_CHECKSUM_BYTES])) if match else None
    except (ValueError, KeyError, OverflowError):
        event = None
    return event or decode(line)


def _decode_match(match: re.Match[str], checksum: int) -> Event | None:
    (
        actor, command, directory, milliseconds, shell, status,
        host, event_id, scope, session, source, at, utc_offset, digits,
    ) = match.groups()  # fmt: skip
    if int(digits, 16) != checksum:
        return None
    if "\\" in command:
        if "\\u" in command:  # perhaps half of a character
            return None
        command = _JSON_DECODER.decode(f'"{command}"')
    body = CommandRan(command, directory or "", int(status or 0), int(milliseconds or 0), shell or "")
    origin = EventOrigin(parse_time(at), int(utc_offset), host, session, actor, PROVENANCE_BY_NAME[source])
    return Event(EventId(event_id), EventId(event_id), origin, Scope(scope), body)


class CommandEncoder:
    """Encodes commands that the person ran in one shell.

    The lines are byte for byte those of `codec.encode`, in a fraction of the time (a property test compares them). A
    history has a hundred thousand commands that differ in a few fields, so parts that are equal to the line before are
    not made again.
    """

    def __init__(self, shell: str, sign: SignLine | None = None) -> None:
        self._shell = shell
        self._sign = sign
        self._encoded_contexts: dict[CommandContext, str] = {}
        self._minute = -1
        self._session, self._tz = "", -10_000
        self._before_time = self._after_time = self._minute_text = ""

    def encode(self, event_id: EventId, command: str, context: CommandContext, session: str, at: int, tz: int) -> bytes:
        """Return the line of a command that ran at `at`, in microseconds since 1970."""
        middle = self._encoded_contexts.get(context) or self._encode_context(context)
        if session != self._session or tz != self._tz:
            scope, _, provenance = IMPORT_ENVELOPE
            self._session, self._tz, source = session, tz, provenance.name.lower()
            self._before_time = f'","scope":"{scope}","sess":{encode_string(session)},"src":"{source}","ts":"'
            self._after_time = f'Z","type":"command.ran","tz":{tz},"v":{FORMAT_VERSION}'
        minute, rest = at // _MICROSECONDS_PER_MINUTE, at % _MICROSECONDS_PER_MINUTE
        if minute != self._minute:
            day, minutes = divmod(minute, 24 * 60)
            self._minute_text = f"{_format_date(day)}T{minutes // 60:02d}:{minutes % 60:02d}:"
            self._minute = minute
        head = (
            f'{{"actor":"{USER}","body":{{"command":{encode_string(command)}{middle}{event_id}","op":"{event_id}'
            f"{self._before_time}{self._minute_text}"
            f"{_WHOLE_SECONDS.get(rest) or f'{rest // 1_000_000:02d}.{rest % 1_000_000:06d}'}{self._after_time}"
        ).encode("ascii")
        if self._sign is not None and (mac := self._sign(head)):
            head += b',"m":"%s"' % mac
        return head + b',"c":"%08x"}\n' % crc32(head)

    def _encode_context(self, context: CommandContext) -> str:
        """Return the part between command and id. Fields are sorted by name; empty ones are left out."""
        directory, status, milliseconds, host = context
        fields = f',"directory":{encode_string(directory)}' if directory else ""
        fields += f',"milliseconds":{milliseconds}' if milliseconds else ""
        fields += f',"shell":{encode_string(self._shell)}' if self._shell else ""
        fields += f',"status":{status}' if status else ""
        if len(self._encoded_contexts) > _MAX_CACHED_CONTEXTS:
            self._encoded_contexts.clear()
        encoded = self._encoded_contexts[context] = f'{fields}}},"host":{encode_string(host)},"id":"'
        return encoded


@lru_cache(maxsize=64)
def _format_date(day: int) -> str:
    return (_EPOCH + timedelta(days=day)).isoformat()


class BulkAppender:
    """Appends any number of lines to a segment, all of them or none. The caller holds the home's lock.

    The old lines are copied to a temporary file, which gets the new ones as they come and replaces the segment at the
    end: memory stays small however many there are, and a crash leaves the old segment. The file is created with the
    first lines.
    """

    def __init__(self, log: Log, segment: str, disk: Disk | None = None) -> None:
        self._log = log
        self._path = log.path(segment)
        self._disk = disk or OsDisk(log.path("").rstrip(os.sep))
        folder, name = os.path.split(self._path)
        self._temporary = os.path.join(folder, f".{name}.tacit-new")
        self._fd: int | None = None

    def write(self, lines: list[bytes]) -> None:
        if lines:
            if self._fd is None:
                self._fd = self._open_temporary()
            write_all(self._disk, self._fd, b"".join(lines))

    def commit(self) -> None:
        """Make the new segment durable and replace the old one."""
        if self._fd is None:
            return
        self._disk.sync_data(self._fd)
        self._disk.close(self._fd)
        self._fd = None
        with self._log.exclusive():
            self._disk.rename(self._temporary, self._path)
        self._disk.sync_folder(os.path.dirname(self._path))

    def abort(self) -> None:
        """Leave the segment as it was. Does nothing after `commit`."""
        if self._fd is not None:
            self._disk.close(self._fd)
            self._fd = None
            self._disk.remove(self._temporary)

    def _open_temporary(self) -> int:
        """Return the descriptor of a new temporary file with the lines that the segment has."""
        folder = os.path.dirname(self._path)
        make_folder(folder, below=os.path.dirname(folder))
        self._log.begin_signing()
        with suppress(FileNotFoundError):  # left by a crash
            self._disk.remove(self._temporary)
        fd = self._disk.open(self._temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
        last = b"\n"
        with suppress(FileNotFoundError), open_plain(self._path) as file:
            while chunk := file.read(_CHUNK_BYTES):
                write_all(self._disk, fd, chunk)
                last = chunk[-1:]
        if last != b"\n":
            write_all(self._disk, fd, b"\n")
        return fd
