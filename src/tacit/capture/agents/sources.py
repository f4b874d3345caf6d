"""Every host whose transcripts can be read, and which files are transcripts."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from tacit.capture.agents import claude, codex, copilot, gemini, opencode
from tacit.capture.agents.heard import Source

# The order in which they are asked: those that say most plainly what they are come first.
_ALL = (opencode.SOURCE, codex.SOURCE, copilot.SOURCE, gemini.SOURCE, claude.SOURCE)
SOURCES = {source.name: source for source in sorted(_ALL)}
HEAD = 65_536  # bytes of a file from which it is told what it is
_NAMES = (".jsonl", ".json", ".db")


def source_of(path: str, head: bytes) -> Source | None:
    """The host that wrote a file, by its name and its first bytes."""
    return next((source for source in _ALL if source.recognises(path, head)), None)


def transcripts(path: str) -> Iterator[str]:
    """The files under a path that may be transcripts, in the order of their names. Links are not followed."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return
    if stat.S_ISREG(mode):
        if path.endswith(_NAMES):
            yield path
    elif stat.S_ISDIR(mode):
        for name in _names(path):
            yield from transcripts(os.path.join(path, name))


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
