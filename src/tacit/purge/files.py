"""The files of a home beside its log: scrubbing them of what is purged, and finding what still contains it.

A page and its copy of what was last written are changed alike, so that a hand edit stays the same edit.

Other programs leave files in a home, too: sync programs keep both sides of a conflict, editors make backups. These are
recognised by their names, for a purge, which must reach them, and for the doctor, which reports them. Copies of
segments are also read: see `log/reader.py`, which recognises them by their content.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial

from tacit.disk.files import PRIVATE_FILE, Disk, list_folder, open_plain, replace_file
from tacit.errors import RefusedError
from tacit.log.reader import read_blocks, read_torn_tail
from tacit.log.segment import NOT_SEGMENT_SUFFIXES, SEGMENT_NAMES, SPOOL_FOLDER, is_own_segment
from tacit.pages import facts, long_term
from tacit.pages.view_store import SHARED_FILE_MODE, ViewStore, checked_path
from tacit.purge.matcher import TextFinder
from tacit.purge.search import Purge
from tacit.record import Record

_OWN_FOLDERS = ("memory", "activity", "imported", "sessions", "worklog", "evaluations", "quarantine", ".tacit")
_INDEX_FILE = "index.sqlite"
_LOCK_SUFFIXES = (".lock", ".lock.queue")
# Dates and ids of entries are not a person's words.
_IDS_AND_DATES = r'(?m:^- \d{4}-\d\d-\d\d(?=: )| \^[0-9a-z]{12}$|"(?:id|ts)": "[^"\\]*")'
_MAX_OTHER_FILE_BYTES = 64 << 20  # another program's file in the home may be of any size
_MAX_WORDS_UNKNOWN = 64
# Bytes that were taken for letters may be a text in ways that one line does not show.
_BYTES_AS_LETTERS = re.compile("[\0\ufffd\ud800-\udfff]")
_CLAIM_ID = re.compile(rb"[0-9a-hjkmnp-tv-z]{12}")


class ScrubbedFile(Record):
    """A file and the bytes it should have, in blocks. `below` is the root of a project that no link may lead out of."""

    path: str
    blocks: Callable[[], Iterable[bytes]]
    below: str = ""


_FileState = tuple[int, int, int]


class FilePurge:
    """What is removed from files: texts, and lines of claims. It remembers what was found in files that stay as they
    are, so keep it for the next search of them.

    Args:
        purges: what is removed, together.
        everywhere: also where it is part of another memory.
    """

    def __init__(self, purges: Sequence[Purge], *, everywhere: bool = True) -> None:
        self._purges = purges
        self.everywhere = everywhere
        self.claims = frozenset(claim for purge in purges for claim in purge.claims)
        # Of a text of which only the fingerprint is known, at most so many words are in its lines.
        self._max_words = _MAX_WORDS_UNKNOWN if any(purge.has_unknown for purge in purges) else 1
        self._finders: dict[tuple[str, ...], tuple[TextFinder, TextFinder]] = {}
        self.scrubbed: dict[tuple[str, _FileState], ScrubbedFile | None] = {}

    def replace(self, blocks: Iterable[list[str]]) -> Iterator[list[str]]:
        """Yield lines, given in blocks, with every match replaced.

        A match may span lines, because any run of blanks is one blank. So the last lines of a block are kept back until
        the next block is there, and a line with a word of a text is searched together with its neighbours.
        """
        kept: list[str] = []
        for block in blocks:
            lines = kept + block
            for start, end, finder in reversed(self._windows(lines)):
                lines[start:end] = finder.replace_matches("\n".join(lines[start:end]), _IDS_AND_DATES).split("\n")
            cut = self._reach(lines, len(lines), -1)
            kept = lines[cut:]
            yield lines[:cut]
        yield kept

    def is_in(self, blocks: Iterable[list[str]]) -> bool:
        """Return whether lines, given in blocks, contain a text."""
        kept: list[str] = []
        for block in blocks:
            lines = kept + block
            if any(finder.contains("\n".join(lines[start:end])) for start, end, finder in self._windows(lines)):
                return True
            kept = lines[self._reach(lines, len(lines), -1) :]
        return False

    def _windows(self, lines: list[str]) -> list[tuple[int, int, TextFinder]]:
        """Return from where to where lines have to be searched, and with what."""
        for purge in self._purges:
            purge.learn(["\n".join(lines)])
        known = tuple(text for purge in self._purges for text in purge.texts.texts)
        if known not in self._finders:  # of texts, and of the longest word of each
            self._finders[known] = TextFinder(known), TextFinder(max(text.split(), key=len) for text in known)
            self._max_words = max([self._max_words, *(text.count(" ") + 1 for text in known)])
        finder, words = self._finders[known]
        found = words.matching(set(lines)) if finder.texts else set()
        windows: list[tuple[int, int, TextFinder]] = []
        for index, line in enumerate(lines):
            if line in found or (finder.texts and _BYTES_AS_LETTERS.search(line)):
                start, end = self._reach(lines, index, -1), self._reach(lines, index + 1, 1)
                if windows and start <= windows[-1][1]:
                    start = windows.pop()[0]
                windows.append((start, end, finder))
        return windows

    def _reach(self, lines: list[str], index: int, step: int) -> int:
        """Return how far a match may reach up or down: over as many lines as the text has words, empty ones apart."""
        words = self._max_words
        while words and (index > 0 if step < 0 else index < len(lines)):
            words -= bool(lines[index - 1 if step < 0 else index].strip())
            index += step
        return index


class HomeFiles:
    """All files of a home except the log and the index, and the fact files of its projects.

    Args:
        root: the home.
        remotes: the folder of its keys and of copies of what is on remotes.
        fact_files: the fact files by the roots of their projects.
    """

    def __init__(
        self, root: str, remotes: str, view_store: ViewStore, segments: Iterable[str], fact_files: Mapping[str, str]
    ) -> None:
        self._root = root
        self._remotes = remotes
        self._view_store = view_store
        self._segment_paths = {os.path.join(root, segment) for segment in segments}
        self._roots = {path: below for below, file in fact_files.items() if (path := _fact_file_of(below, file))}

    def scrub(self, purge: FilePurge) -> Iterator[ScrubbedFile]:
        """Yield every file of ours that has to be written so that nothing of a purge is left. Nothing is written.

        Pages come before their copies: if only the copies were written, the rest would look like a hand edit. Files
        that did not change since the last time are not read again.
        """
        copies = os.path.join(self._root, ".tacit")
        skipped = (os.path.join(self._root, SPOOL_FOLDER, ""), self._remotes)
        for path in sorted([*self._list_files(ours=True), *self._roots], key=lambda path: path.startswith(copies)):
            if path.startswith(skipped):  # whole events, which log/spool.py scrubs, and keys
                continue
            key = (path, _state_of(path))
            if key not in purge.scrubbed:
                try:
                    blocks = partial(_scrubbed_blocks, path, self._lines_to_remove(path, purge), purge)
                    with open_plain(path) as old:
                        is_same = all(old.read(len(block)) == block for block in blocks()) and not old.read(1)
                except FileNotFoundError:  # somebody who draws pages has moved it into its place
                    continue
                purge.scrubbed[key] = None if is_same else ScrubbedFile(path, blocks, self._roots.get(path, ""))
            if (file := purge.scrubbed[key]) is not None:
                yield file

    def _lines_to_remove(self, path: str, purge: FilePurge) -> dict[str, str | None]:
        """Return the lines of purged claims, and what is left of each: a line that a person changed, without its id."""
        if not (purge.claims and path.endswith((".md", ".ndjson"))):
            return {}
        claims = {claim.encode("ascii") for claim in purge.claims}
        id_of = facts.fact_id if path.endswith(".ndjson") else long_term.entry_id
        doomed = {
            line
            for lines in _line_blocks(path, lambda data: not claims.isdisjoint(_CLAIM_ID.findall(data)))
            for line in lines
            if id_of(line) in purge.claims
        }
        if not doomed:
            return {}
        copy, wanted = self._view_store.copy_path(path), {line.encode("utf-8", "surrogateescape") for line in doomed}
        if not os.path.isfile(copy):
            return dict.fromkeys(doomed)
        left_of = _left_of_fact if path.endswith(".ndjson") else _left_of_entry
        written = {line for lines in _line_blocks(copy, lambda data: data in wanted) for line in lines}
        return {line: None if line in written else left_of(line, purge) for line in doomed}

    def strays(self) -> list[str]:
        """Return the temporary files that interrupted writes left, in the home and beside the fact files."""
        folders = {os.path.dirname(path) for path in self._roots}
        beside = [os.path.join(folder, name) for folder in folders for name in os.listdir(folder)]
        names = ((os.path.basename(path), path) for path in [*_regular_files(self._root), *beside])
        return [path for name, path in names if name.startswith(".") and name.endswith(".tacit-new")]

    def index_copies(self) -> list[str]:
        """Return copies of the index. They are derived, and hold text in forms that cannot be scrubbed."""
        return list(index_copies(self._root, _OWN_FOLDERS))

    def files_containing(self, purge: FilePurge) -> list[str]:
        """Return files that still contain it: the person's own, and ours where it is composed of several parts.

        If a memory is purged, our files are not searched: other memories with the same words stay.
        """
        ours = [*self._list_files(ours=True), *self._roots] if purge.everywhere else []
        containing = []
        for path in [*ours, *self._list_files(ours=False)]:
            with suppress(FileNotFoundError):  # it may have been moved into its place since it was listed
                blocks = (re.sub(_IDS_AND_DATES, "", "\n".join(lines)).split("\n") for lines in _line_blocks(path))
                if purge.is_in(blocks):
                    containing.append(path)
        return containing

    def _list_files(self, *, ours: bool) -> Iterator[str]:
        copies = set(self.index_copies())
        for path in _regular_files(self._root):
            name = os.path.relpath(path, self._root)
            is_index = path in copies or (name.startswith(_INDEX_FILE) and not is_index_copy(name))
            # Of a key, and of a copy of what is on a remote, only addresses and names are text.
            is_encrypted = path.startswith(self._remotes) and not path.endswith(".json")
            if path in self._segment_paths or is_index or is_encrypted or path.endswith(_LOCK_SUFFIXES):
                continue
            is_ours = name.split(os.sep)[0] in _OWN_FOLDERS or (os.sep not in name and is_stray_copy("", name))
            if is_ours is ours and (ours or _state_of(path)[0] <= _MAX_OTHER_FILE_BYTES):
                yield path


# What is left of a line with a purged id that Tacit did not write last: a person's words without the id


def _left_of_entry(line: str, _purge: FilePurge) -> str:
    return re.sub(r" \^[0-9a-z]{12}$", "", line)


def _left_of_fact(line: str, purge: FilePurge) -> str | None:
    """Nothing is left of a fact that still says what is purged: it was only stated again, or the record of what was
    written is incomplete."""
    fact = facts.parse_fact(line) or {}
    return None if purge.is_in([[str(fact.get("canonical"))]]) else facts.without_statement(line)


def _state_of(path: str) -> _FileState:
    """Return size, inode and time of change of a file."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return 0, 0, 0
    return status.st_size, status.st_ino, status.st_mtime_ns


def _line_blocks(path: str, is_wanted: Callable[[bytes], bool] | None = None) -> Iterator[list[str]]:
    """Yield the lines of a file in blocks, only some of them if wanted. What is behind the last line feed is a line."""
    end = 0
    try:
        for block in read_blocks(path):
            yield [_decode_utf8(line) for line in block.lines if is_wanted is None or is_wanted(line)]
            end = block.end
        rest = read_torn_tail(path, end)
    except FileNotFoundError:
        return
    if is_wanted is None or is_wanted(rest):
        yield [_decode_utf8(rest)]


def _scrubbed_blocks(path: str, doomed: Mapping[str, str | None], purge: FilePurge) -> Iterator[bytes]:
    """Yield the new content of a file."""
    kept = ([left for line in lines if (left := doomed.get(line, line)) is not None] for lines in _line_blocks(path))
    separator = b""
    for lines in purge.replace(kept):
        if lines:
            yield separator + "\n".join(lines).encode("utf-8", "surrogateescape")
            separator = b"\n"


def write_scrubbed(disk: Disk, files: Iterable[ScrubbedFile]) -> None:
    """Write scrubbed files to the disk."""
    for file in files:
        mode = SHARED_FILE_MODE if file.below else PRIVATE_FILE
        replace_file(disk, file.path, file.blocks(), mode, below=file.below)


def _fact_file_of(root: str, path: str) -> str | None:
    """Return the path of a project's fact file; None if there is none, or a link leads to it."""
    with suppress(RefusedError, OSError):
        return checked_path(root, path) if os.path.isfile(path) else None
    return None


def _regular_files(root: str) -> Iterator[str]:
    """Yield every file below a folder. Links are not followed."""
    for folder, _, names in os.walk(root):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if os.path.isfile(path) and not os.path.islink(path):
                yield path


def _decode_utf8(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


# Files that other programs leave in a home

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
            elif ".sqlite" in name and not _OWN_INDEX_NAME.fullmatch(name):  # an index by any other name has the id
                header = _header(_SIDECAR_SUFFIX.sub("", path))
                application_id = int.from_bytes(header[_ID_AT : _ID_AT + 4], "big")
                if header.startswith(_DATABASE_MAGIC[0]) and application_id == APPLICATION_ID:
                    yield path


def _header(path: str) -> bytes:
    try:
        with open_plain(path) as file:
            return file.read(100)
    except OSError:
        return b""
