"""Segments: which one an event goes to, taking secrets out of it, and appending so that an acknowledged line survives.

Memory operations are in one segment, observations in one segment per month. To append: lock, seal a torn tail, one
write, sync, acknowledge. Acknowledged lines survive kill -9 and power loss, and are never truncated or rewritten.
Lines of an append that failed are removed, since the caller is told that nothing was recorded.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Container, Sequence

from tacit.disk.files import Disk, link_error, make_folder, open_fd, replace_file, write_all
from tacit.disk.lock import is_read_only_error, read_only_error
from tacit.errors import StoreError
from tacit.log.codec import decode, encode, id_in_line, is_truncated
from tacit.log.signing import SignLine
from tacit.model import observation
from tacit.model.event import ClaimDecided, ClaimProposed, Event, EventBody, EventOrigin, EventsUndone
from tacit.model.ids import EventId
from tacit.record import Record

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

SecretDigest = Callable[[str], str]
MEMORY_SEGMENT = "memory/events.jsonl"
# Tombstones have a segment of their own, so that restoring an old copy of another segment does not remove them.
PURGED_SEGMENT = "memory/purged.jsonl"
ACTIVITY_FOLDER, IMPORTED_FOLDER = "activity", "imported"
SPOOL_FOLDER = ".tacit/spool"  # holds no segment, but events that have to wait for one
# Events of transcripts have segments of their own: their ids are derived from their content and come in any order.
_AGENTS_SUFFIX = "-agents.jsonl"
# So have spooled commands, which get their ids before they are appended.
_LATE_SUFFIX = "-late.jsonl"
# Of other machines of the person, what is no judgement has a segment of its own, for the same reason.
_RECEIVED_PREFIX, _RECEIVED_ACTIVITY_SUFFIX = f"{IMPORTED_FOLDER}/machine-", "-activity.jsonl"
# The folders that hold segments, with the names that Tacit gives.
SEGMENT_NAMES = {
    "memory": re.compile(r"(?:events|purged)\.jsonl"),
    "imported": re.compile(
        r"(?:(?:\d{4}-\d\d-\d\d|history-[a-z]+)-[0-9a-f]{12}|machine-[0-9a-f]{32}(?:-activity)?)\.jsonl"
    ),
    "activity": re.compile(r"\d{4}-\d\d(?:-agents|-late)?\.jsonl"),
}
# Views, and files that an interrupted write left: they are no copies of acknowledged lines.
NOT_SEGMENT_SUFFIXES = (".md", ".ndjson", ".tacit-new", ".suspect")
# What goes to the segment of memories.
MEMORY_BODIES = (
    ClaimProposed,
    ClaimDecided,
    EventsUndone,
    observation.EvaluationCreated,
    observation.RepositoryTrusted,
    observation.RepositoryDistrusted,
    observation.WorkflowSaved,
    observation.WorkflowDropped,
    observation.TrialStarted,
    observation.TrialEnded,
    observation.TrialChecked,  # machines share it, but not the sessions
)

# A torn line is closed with this control character and a line feed. So a line that ends with a line feed alone is one
# that Tacit wrote whole: if it cannot be read, somebody damaged it since, and it is never taken for a torn one.
_CANCEL = b"\x18"
_TAIL_BYTES = 8192
_MAX_TAIL_BYTES = _TAIL_BYTES * 8**3  # 4 MiB: more than any sequence of torn writes
MAX_EVENT_BYTES = 256 * 1024
_DISK_FULL_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def is_own_segment(folder: str, name: str) -> bool:
    """Return whether a file in a folder of the log has a name that Tacit gives."""
    return SEGMENT_NAMES[folder].fullmatch(name) is not None


def segment_for(body: EventBody, origin: EventOrigin) -> str:
    """Return the segment of an event: judgements and evaluations go to memory, the rest to activity by month."""
    if isinstance(body, observation.MemoryPurged):
        return PURGED_SEGMENT
    if isinstance(body, MEMORY_BODIES):
        return MEMORY_SEGMENT
    return _activity_segment(origin, _AGENTS_SUFFIX if isinstance(body, observation.TRANSCRIPT_TYPES) else ".jsonl")


def received_segment(machine: str, *, activity: bool = False) -> str:
    """Return the segment of judgements that another machine sent, or that of everything else."""
    return f"{_RECEIVED_PREFIX}{machine}{_RECEIVED_ACTIVITY_SUFFIX if activity else '.jsonl'}"


def late_segment(origin: EventOrigin) -> str:
    """Return the segment of a spooled command."""
    return _activity_segment(origin, _LATE_SUFFIX)


def has_ordered_ids(segment: str) -> bool:
    """Return whether the last id in a segment of ours is its greatest one."""
    return not segment.endswith((_AGENTS_SUFFIX, _LATE_SUFFIX, _RECEIVED_ACTIVITY_SUFFIX))


def is_of_judgements(segment: str) -> bool:
    """Return whether a segment may hold memories: it is none of activity alone."""
    return not segment.startswith((f"{ACTIVITY_FOLDER}/", f"{IMPORTED_FOLDER}/history-")) and not segment.endswith(
        _RECEIVED_ACTIVITY_SUFFIX
    )


def _activity_segment(origin: EventOrigin, suffix: str) -> str:
    return f"{ACTIVITY_FOLDER}/{origin.at.year:04d}-{origin.at.month:02d}{suffix}"


# The last redaction before the disk. Commands refuse secrets earlier and say so; what comes here was captured.

_EVENTS_PER_BLOCK = 32  # events that are searched together
_MAX_NAME_CHARS = 200  # of texts that come again and again
# They hold only ids, hashes and paths that Tacit computed itself.
_SAFE_BODIES = (
    observation.LogSealed,
    observation.MemoryChecked,
    observation.TrialStarted,
    observation.TrialEnded,
    observation.TrialChecked,
    observation.MemoryPurged,
    observation.PurgedStub,
    observation.UnknownBody,
    observation.RepositoryTrusted,
    observation.RepositoryDistrusted,
)


def redact_body(body: EventBody, digest: SecretDigest | None = None) -> EventBody:
    """Return the body with each secret in its texts replaced by its kind, and its `digest` if that is given."""
    if isinstance(body, _SAFE_BODIES) or (isinstance(body, observation.BriefInjected) and not body.task):
        return body
    from tacit.secrets import redacted, secret_kind  # its tables would slow down the start of a session

    if not secret_kind("\n".join(_strings_in(body))):
        return body
    if isinstance(body, EventsUndone):
        return body._replace(label=redacted(body.label, digest))
    result: EventBody = _redact_strings(body, digest)
    return result


def redact_events(events: Sequence[Event], digest: SecretDigest | None = None) -> list[Event]:
    """Redact many events. Texts are searched in blocks: if the joined texts hold no secret, none of them does."""
    blocks = (events[start : start + _EVENTS_PER_BLOCK] for start in range(0, len(events), _EVENTS_PER_BLOCK))
    harmless: set[str] = set()
    return [event for block in blocks for event in _redact_block(block, digest, harmless)]


def _redact_block(events: Sequence[Event], digest: SecretDigest | None, harmless: set[str]) -> list[Event]:
    """Redact some events. `harmless` are texts in which nothing was found: names of tools, files and folders."""
    if len(events) <= 1:
        return [event._replace(body=redact_body(event.body, digest)) for event in events]
    from tacit.secrets import secret_kind

    texts = {text: None for event in events for text in _strings_in(event.body)}
    if new := [text for text in texts if text not in harmless]:
        if secret_kind("\n".join(new)):
            half = len(events) // 2
            return [*_redact_block(events[:half], digest, harmless), *_redact_block(events[half:], digest, harmless)]
        harmless.update([text for text in new if len(text) <= _MAX_NAME_CHARS])
    return list(events)


def _strings_in(value: Any) -> list[str]:
    """Return the texts of a body, in order. It is called for each line that comes in, so it does not call itself."""
    found, rest = [], [value]
    while rest:
        part = rest.pop()
        if isinstance(part, str):
            found.append(part)
        elif isinstance(part, tuple):
            rest.extend(reversed(part))
    return found


def _redact_strings(value: Any, digest: SecretDigest | None) -> Any:
    if isinstance(value, str):
        from tacit.secrets import redacted

        return redacted(value, digest)
    if isinstance(value, tuple):
        parts = [_redact_strings(part, digest) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


# Appending


class Fragment(Record):
    """What an interrupted write left: it was never acknowledged. `data` may end with what closes it."""

    offset: int
    data: bytes

    @property
    def closed(self) -> bytes:
        """The line that the fragment is once it is closed, without the line feed."""
        return self.data.removesuffix(_CANCEL) + _CANCEL

    def seal(self) -> observation.LogSealed:
        from hashlib import sha256

        return observation.LogSealed(self.offset, len(self.closed), sha256(self.closed).hexdigest())


class SegmentTail(Record):
    """The end of a segment: the last readable id, whether a line feed is missing, and fragments without a seal."""

    size: int
    last_id: EventId | None
    lacks_newline: bool
    fragments: tuple[Fragment, ...]

    @property
    def closing(self) -> bytes:
        """What has to be written before the next line."""
        if not self.lacks_newline:
            return b""
        torn = [one for one in self.fragments if one.offset + len(one.data) == self.size]
        return torn[0].closed[len(torn[0].data) :] + b"\n" if torn else b"\n"


class AppendResult(Record):
    """The events that were written to a segment, where their lines begin, and how many bytes were written."""

    events: Sequence[Event]
    offset: int
    length: int


# Returns the events to write, given the last id of the segment and seals for its fragments.
ComposeEvents = Callable[[EventId | None, Sequence[observation.LogSealed]], Sequence[Event]]


def append(
    disk: Disk, path: str, compose: ComposeEvents, *, durable: bool, sign: SignLine | None = None
) -> AppendResult:
    """Write the events that `compose` returns, signed. On return they are written, and durable if `durable` is set.

    Raise StoreError on failure. Then the segment holds none of them, or the message says that it may.
    """
    try:
        return _write_events(disk, path, compose, durable, sign)
    except OSError as error:
        if is_read_only_error(error):
            raise read_only_error(path) from error
        what = f"{path} could not be written: {error.strerror}; nothing was recorded"
        explained = link_error(error) or StoreError(what, "tacit doctor")
        if error.errno in _DISK_FULL_ERRORS:
            what = f"no room to write {path} ({error.strerror}); nothing was recorded"
            explained = StoreError(what, "free some space, then try again")
        raise explained from error


def _write_events(disk: Disk, path: str, compose: ComposeEvents, durable: bool, sign: SignLine | None) -> AppendResult:
    folder = os.path.dirname(path)
    make_folder(folder, below=os.path.dirname(folder))
    with open_fd(disk, path, os.O_RDWR | os.O_APPEND | os.O_CREAT) as fd:
        tail = read_tail(disk, fd)
        if tail.size == 0:  # a new file's name must be as durable as its first line
            disk.sync_folder(folder)
        events = compose(tail.last_id, [fragment.seal() for fragment in tail.fragments])
        lines = [encode(event, sign) for event in events]
        if any(len(line) > MAX_EVENT_BYTES for line in lines):
            raise ValueError(f"an event is larger than {MAX_EVENT_BYTES} bytes")
        data = tail.closing + b"".join(lines)
        try:
            write_all(disk, fd, data)
            if durable:
                _make_durable(disk, fd, path, data)
        except OSError as error:
            roll_back(disk, path, tail.size, len(data), error)
            raise
    return AppendResult(events, tail.size, len(data))


def roll_back(disk: Disk, path: str, offset: int, length: int, cause: Exception) -> None:
    """Remove the lines of an append that failed. The caller still holds the lock, so nobody has appended since.

    The segment is opened again by its name, because a rewrite after a failed sync may have replaced the file.
    Raise StoreError if that fails, too: then the lines may be in the log although they were refused.
    """
    try:
        with open_fd(disk, path, os.O_RDWR) as fd:
            if offset < disk.size(fd) <= offset + length:
                disk.truncate(fd, offset)
                disk.sync_data(fd)
    except OSError as error:
        raise StoreError(
            f"{path} could not be written as it should ({cause}), and what was written could not be taken back "
            f"({error.strerror}): it may be recorded although it failed",
            "look for it before you try again: tacit recall …; then: tacit doctor",
        ) from cause


def _make_durable(disk: Disk, fd: int, path: str, data: bytes) -> None:
    """Sync the file, which ends with `data`.

    After a failed sync the system marks the lost pages clean, so another sync would prove nothing. Instead the whole
    file is written again, to another place on the disk.
    """
    try:
        disk.sync_data(fd)
    except OSError as error:
        whole = disk.read_at(fd, disk.size(fd), 0)
        if not whole.endswith(data):
            raise
        replace_file(disk, suspect_path(path), f"{error.strerror or error}\n".encode())
        replace_file(disk, path, whole)


def suspect_path(path: str) -> str:
    """Return the path of the file that records a failed sync of a segment."""
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name}.suspect")


def is_sealed(line: bytes, hashes: Container[str]) -> bool:
    """Return whether a line is a fragment that a seal describes, given the hashes in the seals of its segment."""
    from hashlib import sha256

    lines = (line, line.removesuffix(b"\r"))  # saved with CRLF since
    return any(sha256(one).hexdigest() in hashes for one in lines)


def read_tail(disk: Disk, fd: int) -> SegmentTail:
    """Read a segment backwards up to its last readable event that is not a seal."""
    size = disk.size(fd)
    span = _TAIL_BYTES
    while True:
        start = max(size - span, 0)
        lines = disk.read_at(fd, size - start, start).split(b"\n")
        tail = _parse_tail(size, start, lines)
        if tail is not None:
            return tail
        if span >= _MAX_TAIL_BYTES:  # nothing that Tacit wrote: `tacit doctor --log` reports it, and it stays as it is
            return SegmentTail(size, None, lines[-1] != b"", ())
        span *= 8


def _parse_tail(size: int, start: int, lines: list[bytes]) -> SegmentTail | None:
    """Return the tail of a segment from its lines after `start`; None if more lines have to be read.

    Only the last line can have been torn, and lines before it that an append closed which was torn itself. So the
    search goes back to the last event that is not a seal, and the offsets in the seals say which fragments are sealed.
    """
    fragments: list[Fragment] = []
    sealed: set[int] = set()
    last: EventId | None = None
    offset = size
    for line in reversed(lines if start == 0 else lines[1:]):  # the first may be incomplete
        offset -= len(line)
        event_id = id_in_line(line)
        if event_id is not None:
            last = last or event_id
            event = decode(line) if b'"type":"log.sealed"' in line else None
            if not isinstance(event, Event) or not isinstance(event.body, observation.LogSealed):
                break
            sealed.add(event.body.offset)
        elif line and is_truncated(line) and (offset + len(line) == size or line.endswith(_CANCEL)):
            # A line that has its ending was not torn but damaged later, so it is not sealed.
            fragments.append(Fragment(offset, line))
        offset -= 1  # the line feed before it
    else:
        if start > 0:
            return None
    unsealed = [fragment for fragment in reversed(fragments) if fragment.offset not in sealed]
    return SegmentTail(size, last, lines[-1] != b"", tuple(unsealed))
