"""The files of a patch as `apply_patch` takes it."""

from __future__ import annotations

import re

_FILE = re.compile(r"^\*\*\* (?:Add File|Update File|Delete File|Move to): (.{1,4096})$", re.MULTILINE)


def patched_files(patch: str) -> tuple[str, ...]:
    """The files that a patch adds, updates, deletes or moves, each once."""
    return tuple(dict.fromkeys(found[1].strip() for found in _FILE.finditer(patch)))
