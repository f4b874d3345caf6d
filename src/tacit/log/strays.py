"""Files that other programs leave in a home: conflict copies of sync programs, backups of editors, copies of the index.

Sync programs keep both sides of a conflict, one of them under another name. Such a copy of a segment may hold events
that are nowhere else, so it is read like a segment. It is recognised by its content, not by its name: every program has
names of its own, in every language. Nothing is ever appended to it.
"""

import os
import re
from collections.abc import Iterable, Iterator

from tacit.disk.files import list_folder, open_plain
from tacit.log.codec import id_in_line

# The folders that hold segments, with the names that Tacit gives.
_SEGMENT_NAMES = {
    "memory": re.compile(r"(?:events|purged)\.jsonl"),
    "imported": re.compile(
        r"(?:(?:\d{4}-\d\d-\d\d|history-[a-z]+)-[0-9a-f]{12}|machine-[0-9a-f]{32}(?:-activity)?)\.jsonl"
    ),
    "activity": re.compile(r"\d{4}-\d\d(?:-agents|-late)?\.jsonl"),
}
# Views, and files that an interrupted write left: they are no copies of acknowledged lines.
_NOT_SEGMENT_SUFFIXES = (".md", ".ndjson", ".tacit-new", ".suspect")
_HEAD_BYTES, _MAX_LINE_BYTES = 64 * 1024, 512 * 1024  # bytes to read; a line has at most 256 KiB
_COPY_NAME = re.compile(
    r"\.sync-conflict-\d{8}-\d{6}"  # Syncthing
    r"|[(\[][^()\[\]]*[ck]onfli[ck]t[^()\[\]]*[)\]]"  # Dropbox, Nextcloud, pCloud: "conflicted copy", "in Konflikt …"
    r"|[^ ] \(?\d{1,3}\)?(?:\.[a-z]+)?\Z"  # iCloud, Google Drive: "events 2.jsonl", "events (1).jsonl"
    r"|~\Z|\A#.*#\Z|\A\.#|\.sw[a-p]\Z|\.(?:bak|backup|orig|old|save|rej)\d*\Z",  # editors and patch
    re.IGNORECASE,
)
# OneDrive appends the name of the machine. (In folders of pages, files of a person may well have such names.)
_HOST_COPY_NAMES = {"": re.compile(r"(?:tacit|AGENTS)-.+"), "memory": re.compile(r"(?:long-term|memories)-.+")}
_INDEX_NAME = re.compile(r"[.#]*index\b.*\.sqlite", re.IGNORECASE)
_OWN_INDEX_NAME = re.compile(r"index\.sqlite(?:\.new)?(?:-wal|-shm|-journal|-file)?")
_ROOT_FILE_NAME = re.compile(r"[.#]*(?:index|tacit|AGENTS)\b", re.IGNORECASE)
_SIDECAR_SUFFIX = re.compile(r"-(?:wal|shm|journal|file)\Z")  # files that SQLite keeps beside a database
# The `PRAGMA application_id` of an index, and its offset in the header of the file.
APPLICATION_ID, _ID_AT = 0x54414349, 68
_DATABASE_MAGIC = (b"SQLite format 3\0", b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83", b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7")


def is_own_segment(folder: str, name: str) -> bool:
    """Return whether a file in a folder of the log has a name that Tacit gives."""
    return _SEGMENT_NAMES[folder].fullmatch(name) is not None


def stray_segments(home: str) -> Iterator[str]:
    """Yield `folder/name` of each copy of a segment: it begins with lines of events whose checksums match."""
    for folder in _SEGMENT_NAMES:
        for name in list_folder(os.path.join(home, folder)):
            own_or_view = is_own_segment(folder, name) or name.endswith(_NOT_SEGMENT_SUFFIXES)
            if not own_or_view and _has_events(os.path.join(home, folder, name)):
                yield f"{folder}/{name}"


def _has_events(path: str) -> bool:
    try:
        with open_plain(path) as file:
            data = file.read(_HEAD_BYTES)
            if b"\n" not in data:
                data += file.read(_MAX_LINE_BYTES)
    except OSError:  # a link, a folder, a named pipe, or deleted meanwhile
        return False
    return any(id_in_line(line) for line in data.split(b"\n"))


def is_stray_copy(folder: str, name: str) -> bool:
    """Return whether a name looks like a copy or backup that another program made of a file of the home.

    In the root, which other programs use too, only names that begin like ours count.
    """
    if is_index_copy(name) or (folder in _HOST_COPY_NAMES and _HOST_COPY_NAMES[folder].fullmatch(name)):
        return True
    if not folder:
        return bool(_ROOT_FILE_NAME.match(name) and _COPY_NAME.search(name))
    if folder in _SEGMENT_NAMES and ".jsonl" in name and not is_own_segment(folder, name):
        return not name.endswith(_NOT_SEGMENT_SUFFIXES)
    return bool(_COPY_NAME.search(name))


def is_index_copy(name: str) -> bool:
    return bool(_INDEX_NAME.match(name)) and not _OWN_INDEX_NAME.fullmatch(name)


def index_copies(home: str, folders: Iterable[str]) -> Iterator[str]:
    """Yield the paths of copies of the index and of the files that SQLite keeps beside it: they hold its content."""
    for folder in ("", *folders):
        for name in list_folder(os.path.join(home, folder)):
            path = os.path.join(home, folder, name)
            if is_index_copy(name):
                if name.endswith(("-shm", "-file")) or _header(path).startswith(_DATABASE_MAGIC):
                    yield path
            elif ".sqlite" in name and not _OWN_INDEX_NAME.fullmatch(name) and _is_index(_SIDECAR_SUFFIX.sub("", path)):
                yield path


def _is_index(path: str) -> bool:
    """Return whether a database has the application id of an index, whatever its name is."""
    header = _header(path)
    return (
        header.startswith(_DATABASE_MAGIC[0]) and int.from_bytes(header[_ID_AT : _ID_AT + 4], "big") == APPLICATION_ID
    )


def _header(path: str) -> bytes:
    try:
        with open_plain(path) as file:
            return file.read(100)
    except OSError:
        return b""
