"""What was found when somebody looked at all conditions of a work tree, for hooks, which have no time to look.

Hooks look up names by themselves (`work_tree.py`). What needs more files is taken from here, as long as the work tree
is as it was then: the same commit, and the same state of the file that contradicts the memory. Paths that no commit
ever had are noted, too, so that nobody asks git again. Sentences and paths are known by digests: a note has no words of
a memory.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from zlib import crc32

from tacit.disk.files import OsDisk, make_folder, read_file, replace_file
from tacit.disk.read import file_signature
from tacit.errors import TacitError
from tacit.home.paths import HomePaths
from tacit.home.project import head_commit
from tacit.record import Record

_MAX_NOTES = 200


class RedNote(Record):
    """A sentence that is red, what of it (such as "the version"), and the file that contradicts it, below the root."""

    sentence: str
    what: str
    path: str


class Notes(Record):
    """What is known of a work tree: what is red by the digest of its sentence, if the work tree is as it was; digests
    of paths that no commit ever had; and whether HEAD is at the commit that it was at."""

    red: Mapping[str, Sequence[str]] = {}
    never: frozenset[str] = frozenset()
    is_current: bool = False


def write_notes(paths: HomePaths, root: str, red: Iterable[RedNote], never: Iterable[str]) -> None:
    """Replace the notes of a work tree. What cannot be written is looked up again next time."""
    rows = [[digest(note.sentence), note.what, note.path, _signature(root, note.path)] for note in red]
    content = {"head": head_commit(root), "red": sorted(rows)[:_MAX_NOTES]}
    content["never"] = sorted({*map(digest, never)})[:_MAX_NOTES]
    file = _file(paths, root)
    with suppress(OSError, TacitError):
        current = read_file(file)
        data = json.dumps(content).encode()
        if data != current and (rows or content["never"] or current is not None):
            make_folder(paths.red_notes, below=paths.root)
            replace_file(OsDisk(), file, data)


def read_notes(paths: HomePaths, root: str) -> Notes:
    """Return the notes of a work tree; none if there are none, or they cannot be read."""
    file = _file(paths, root)
    if not os.path.lexists(file):
        return Notes()
    with suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
        content = json.loads(read_file(file) or b"{}")
        is_current, red = content["head"] == head_commit(root), dict[str, list[str]]()
        for sentence, what, path, signature in content["red"][:_MAX_NOTES] if is_current else ():
            if signature == _signature(root, path):
                red.setdefault(sentence, []).append(str(what))
        return Notes(red, frozenset(content["never"]), is_current)
    return Notes()


def digest(text: str) -> str:
    """Return what stands for a text in a note."""
    data = text.encode("utf-8", "surrogateescape")
    return f"{crc32(data):08x}{len(data):x}"  # hashlib takes longer to import than all else here


def _file(paths: HomePaths, root: str) -> str:
    return os.path.join(paths.red_notes, digest(os.path.realpath(root)))


def _signature(root: str, path: str) -> str:
    return file_signature(os.path.join(os.path.realpath(root), path)) if path else ""
