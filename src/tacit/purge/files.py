"""The files of a home beside its log: scrubbing them of what is purged, and finding what still contains it.

A page and its copy of what was last written are changed alike, so that a hand edit stays the same edit.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial

from tacit.disk.files import PRIVATE_FILE, Disk, open_plain, read_file, replace_file
from tacit.errors import RefusedError
from tacit.log.reader import read_blocks, read_torn_tail
from tacit.log.segment import SPOOL_FOLDER
from tacit.log.strays import index_copies, is_index_copy, is_stray_copy
from tacit.pages import facts, long_term
from tacit.pages.view_store import SHARED_FILE_MODE, ViewStore, checked_path
from tacit.purge.fingerprint import FingerprintSearch
from tacit.purge.match import LiteralMatcher, TextMatcher, replace_matches
from tacit.purge.remains import PurgeTarget
from tacit.purge.scrub import Scrubber
from tacit.record import Record

_OWN_FOLDERS = ("memory", "activity", "imported", "sessions", "worklog", "evaluations", "quarantine", ".tacit")
_INDEX_FILE = "index.sqlite"
_LOCK_SUFFIXES = (".lock", ".lock.queue")
# Dates and ids of entries are not a person's words.
_IDS_AND_DATES = r'(?m:^- \d{4}-\d\d-\d\d(?=: )| \^[0-9a-z]{12}$|"(?:id|ts)": "[^"\\]*")'
_MAX_OTHER_FILE_BYTES = 64 << 20  # another program's file in the home may be of any size
_LARGE_FILE_BYTES = 64 << 10  # such files are searched in blocks, smaller ones as a whole, which takes longer
_MAX_WORDS_UNKNOWN = 64  # of a text of which only the fingerprint is known, at most so many words are in its lines
_CLAIM_ID = re.compile(rb"[0-9a-hjkmnp-tv-z]{12}")


class ScrubbedFile(Record):
    """A file and the bytes it should have, in blocks. `below` is the root of a project that no link may lead out of."""

    path: str
    blocks: Callable[[], Iterable[bytes]]
    below: str = ""


# What has to be written, by the path of a file, its state, and the target's claims and number of texts.
_FileState = tuple[int, int, int]
FingerprintSearches = dict[tuple[TextMatcher, ...], FingerprintSearch]
ScrubCache = dict[tuple[str, _FileState, frozenset[str], int], "ScrubbedFile | None"]


class HomeFiles:
    """All files of a home except the log and the index, and the fact files of its projects.

    Args:
        root: the home.
        remotes: the folder of its keys and of copies of what is on remotes.
        fact_files: the fact files by the roots of their projects.
        searches: kept by the caller for the next time.
    """

    def __init__(
        self,
        root: str,
        remotes: str,
        view_store: ViewStore,
        segments: Iterable[str],
        fact_files: Mapping[str, str],
        searches: FingerprintSearches,
    ) -> None:
        self._root = root
        self._remotes = remotes
        self._searches = searches
        self._view_store = view_store
        self._segment_paths = {os.path.join(root, segment) for segment in segments}
        self._roots = {path: below for below, file in fact_files.items() if (path := _fact_file_of(below, file))}

    def scrub(self, target: PurgeTarget, cache: ScrubCache | None = None) -> Iterator[ScrubbedFile]:
        """Yield every file of ours that has to be written so that nothing of the target is left. Nothing is written.

        Pages come before their copies: if only the copies were written, the rest would look like a hand edit. With
        `cache`, files that did not change since the last time are not read again.
        """
        cache = {} if cache is None else cache
        copies, skipped = (
            os.path.join(self._root, ".tacit"),
            (os.path.join(self._root, SPOOL_FOLDER, ""), self._remotes),
        )
        scrubber = self._scrubber(target)
        for path in sorted([*self._list_files(ours=True), *self._roots], key=lambda path: path.startswith(copies)):
            if path.startswith(skipped):  # whole events, which log/spool.py scrubs, and keys
                continue
            key = (path, _state_of(path), target.claims, len(target.matchers))
            if key not in cache:
                cache[key] = self._scrub_file(path, target, scrubber)
            if (file := cache[key]) is not None:
                yield file

    def _scrub_file(self, path: str, target: PurgeTarget, scrubber: Scrubber) -> ScrubbedFile | None:
        """Return a file with its new content; None if it stays as it is."""
        below = self._roots.get(path, "")
        doomed = self._lines_to_remove(path, target)
        if _state_of(path)[0] <= _LARGE_FILE_BYTES:
            data = read_file(path) or b""
            text = _decode_utf8(data)
            if not doomed and not scrubber.may_contain(text):
                return None
            kept = "\n".join(_remaining_lines(text.split("\n"), doomed))
            scrubbed = scrubber.replace_all(kept).encode("utf-8", "surrogateescape")
            return ScrubbedFile(path, lambda: (scrubbed,), below) if scrubbed != data else None
        blocks = partial(_scrubbed_blocks, path, doomed, scrubber)
        return None if _same_content(path, blocks()) else ScrubbedFile(path, blocks, below)

    def _scrubber(self, target: PurgeTarget) -> Scrubber:
        """Return what replaces the texts of a target. Fingerprints are looked for in each text first."""
        if not target.fingerprints:
            return Scrubber(lambda _text: _literal_matchers(target), _replace_words)
        search = self._searches.setdefault(target.matchers, FingerprintSearch(target.fingerprints))

        def known_texts(text: str) -> list[LiteralMatcher]:
            search.learn([text])
            return _literal_matchers(target.known())

        return Scrubber(known_texts, _replace_words, span=_MAX_WORDS_UNKNOWN)

    def _lines_to_remove(self, path: str, target: PurgeTarget) -> dict[str, str | None]:
        """Return the lines of purged claims, and what is left of each: a line that a person changed, without its id."""
        if not (target.claims and path.endswith((".md", ".ndjson"))):
            return {}
        claims = {claim.encode("ascii") for claim in target.claims}
        id_of = facts.fact_id if path.endswith(".ndjson") else long_term.entry_id
        doomed = {
            line
            for lines in _line_blocks(path, lambda data: not claims.isdisjoint(_CLAIM_ID.findall(data)))
            for line in lines
            if id_of(line) in target.claims
        }
        if not doomed:
            return {}
        copy, wanted = self._view_store.copy_path(path), {line.encode("utf-8", "surrogateescape") for line in doomed}
        if not os.path.isfile(copy):
            return dict.fromkeys(doomed)
        written = {line for lines in _line_blocks(copy, lambda data: data in wanted) for line in lines}
        return {line: None if line in written else re.sub(r" \^[0-9a-z]{12}$", "", line) for line in doomed}

    def strays(self) -> list[str]:
        """Return the temporary files that interrupted writes left, in the home and beside the fact files."""
        folders = {os.path.dirname(path) for path in self._roots}
        beside = [os.path.join(folder, name) for folder in folders for name in os.listdir(folder)]
        return [path for path in [*_regular_files(self._root), *beside] if _is_temporary(path)]

    def index_copies(self) -> list[str]:
        """Return copies of the index. They are derived, and hold text in forms that cannot be scrubbed."""
        return list(index_copies(self._root, _OWN_FOLDERS))

    def files_containing(self, target: PurgeTarget) -> list[str]:
        """Return files that still contain it: the person's own, and ours where it is composed of several parts.

        If a memory is purged, our files are not searched: other memories with the same words stay.
        """
        ours = [*self._list_files(ours=True), *self._roots] if target.everywhere else []
        scrubber = self._scrubber(target)
        return [path for path in [*ours, *self._list_files(ours=False)] if _contains(path, scrubber)]

    def _list_files(self, *, ours: bool) -> Iterator[str]:
        copies = set(self.index_copies())
        for path in _regular_files(self._root):
            name = os.path.relpath(path, self._root)
            is_index = path in copies or (name.startswith(_INDEX_FILE) and not is_index_copy(name))
            if path in self._segment_paths or is_index or path.endswith(_LOCK_SUFFIXES) or self._is_encrypted(path):
                continue
            is_ours = name.split(os.sep)[0] in _OWN_FOLDERS or (os.sep not in name and is_stray_copy("", name))
            if is_ours is ours and (ours or os.path.getsize(path) <= _MAX_OTHER_FILE_BYTES):
                yield path

    def _is_encrypted(self, path: str) -> bool:
        """Return whether a file is a key, or a copy of what is on a remote: only addresses and names are text there."""
        return path.startswith(self._remotes) and not path.endswith(".json")


def _replace_words(text: str, matchers: Iterable[TextMatcher]) -> str:
    return replace_matches(text, matchers, _IDS_AND_DATES)


def _literal_matchers(target: PurgeTarget) -> list[LiteralMatcher]:
    return [matcher for matcher in target.matchers if isinstance(matcher, LiteralMatcher)]


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


def _remaining_lines(lines: Iterable[str], doomed: Mapping[str, str | None]) -> Iterator[str]:
    for line in lines:
        if (left := doomed.get(line, line)) is not None:
            yield left


def _scrubbed_blocks(path: str, doomed: Mapping[str, str | None], scrubber: Scrubber) -> Iterator[bytes]:
    """Yield the new content of a large file."""
    kept = (list(_remaining_lines(lines, doomed)) for lines in _line_blocks(path))
    separator = b""
    for lines in scrubber.replace(kept):
        if lines:
            yield separator + "\n".join(lines).encode("utf-8", "surrogateescape")
            separator = b"\n"


def _same_content(path: str, blocks: Iterable[bytes]) -> bool:
    with open_plain(path) as file:
        return all(file.read(len(block)) == block for block in blocks) and not file.read(1)


def _contains(path: str, scrubber: Scrubber) -> bool:
    if _state_of(path)[0] > _LARGE_FILE_BYTES:
        return scrubber.contains(
            re.sub(_IDS_AND_DATES, "", "\n".join(lines)).split("\n") for lines in _line_blocks(path)
        )
    return scrubber.contains_any(re.sub(_IDS_AND_DATES, "", _decode_utf8(read_file(path) or b"")))


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


def _is_temporary(path: str) -> bool:
    name = os.path.basename(path)
    return name.startswith(".") and name.endswith(".tacit-new")


def _decode_utf8(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
