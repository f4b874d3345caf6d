"""Which conditions were red when somebody looked at all of them, for hooks, which have no time to look.

Hooks look up names by themselves (`work_tree.py`). What needs more files is taken from here, as long as the work tree
is as it was then: the same commit, and the same state of the file that contradicts the memory. Sentences are known by
digests, so that a note has no words of a memory.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256

from tacit.disk.files import OsDisk, make_folder, read_file, replace_file
from tacit.disk.read import file_signature
from tacit.home.git_versions import head_commit
from tacit.home.paths import HomePaths
from tacit.record import Record

_MAX_NOTES = 200
_DIGEST_CHARS = 24


class RedNote(Record):
    """A condition of a sentence, by its position, and the file that contradicts it with its signature."""

    sentence: str
    position: int
    path: str
    signature: str


def red_note(root: str, sentence: str, position: int, path: str) -> RedNote:
    return RedNote(sentence_key(sentence), position, path, _signature(root, path))


def write_red_notes(paths: HomePaths, root: str, notes: Iterable[RedNote]) -> None:
    """Replace the notes of a work tree. What cannot be written is looked up again next time."""
    kept = sorted(notes)[:_MAX_NOTES]
    file = _file(paths, root)
    with suppress(OSError):
        current = read_file(file)
        if not kept and current is None:
            return
        data = json.dumps({"head": head_commit(root), "red": [[*note] for note in kept]}).encode()
        if data != current:
            make_folder(paths.red_notes, below=paths.root)
            replace_file(OsDisk(), file, data)


def red_positions(paths: HomePaths, root: str) -> dict[str, list[int]]:
    """Return the red conditions of a work tree that is as it was, by `sentence_key`."""
    file = _file(paths, root)
    if not os.path.lexists(file):
        return {}
    found: dict[str, list[int]] = {}
    with suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
        content = json.loads(read_file(file) or b"{}")
        if content["head"] == head_commit(root):
            for note in (RedNote(*row) for row in content["red"][:_MAX_NOTES]):
                if note.signature == _signature(root, note.path):
                    found.setdefault(note.sentence, []).append(note.position)
    return found


def _file(paths: HomePaths, root: str) -> str:
    return os.path.join(paths.red_notes, sentence_key(os.path.realpath(root)))


def _signature(root: str, path: str) -> str:
    return file_signature(os.path.join(os.path.realpath(root), path)) if path else ""


def sentence_key(text: str) -> str:
    """Return what stands for a sentence, or for a folder, in a note."""
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:_DIGEST_CHARS]
