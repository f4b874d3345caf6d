"""Files that other programs leave in a home: conflict copies of sync programs, backups of editors, copies of the index.

Sync programs keep both sides of a conflict, one of them under another name. Here copies are recognised by their names,
for the doctor, which reports them, and for a purge, which must reach them. Copies of segments are also read: see
`log/reader.py`, which recognises them by their content.
"""

import os
import re
from collections.abc import Iterable, Iterator

from tacit.disk.files import list_folder, open_plain
from tacit.log.segment import NOT_SEGMENT_SUFFIXES, SEGMENT_NAMES, is_own_segment

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


def is_stray_copy(folder: str, name: str) -> bool:
    """Return whether a name looks like a copy or backup that another program made of a file of the home.

    In the root, which other programs use too, only names that begin like ours count.
    """
    if is_index_copy(name) or (folder in _HOST_COPY_NAMES and _HOST_COPY_NAMES[folder].fullmatch(name)):
        return True
    if not folder:
        return bool(_ROOT_FILE_NAME.match(name) and _COPY_NAME.search(name))
    if folder in SEGMENT_NAMES and ".jsonl" in name and not is_own_segment(folder, name):
        return not name.endswith(NOT_SEGMENT_SUFFIXES)
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
