"""What the name of a transcript tells about it. A stream may have none."""

from __future__ import annotations

import os
import re
from typing import BinaryIO

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_SAME_EVERYWHERE = frozenset(("events", "session", "transcript"))


def path_of(file: BinaryIO) -> str:
    name = getattr(file, "name", "")
    return os.fsdecode(name) if isinstance(name, str | bytes) else ""


def session_of(path: str) -> str:
    """The session that a path names: the last UUID in it, else the name of the file, or of its folder."""
    if found := _UUID.findall(path):
        return str(found[-1])
    folder, name = os.path.split(path)
    stem = os.path.splitext(name)[0]
    return os.path.basename(folder) if stem in _SAME_EVERYWHERE else stem
