"""What an edit changed, as `old → new` in a few words: the lines that differ, not those around them.

Secrets are looked for before anything is cut away: a line of a key alone does not look like one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

from tacit.capture.agents.shape import Object, listing, mapping, string
from tacit.capture.agents.tools import PATCHED, Tool
from tacit.core.conversation import Act
from tacit.core.redaction import redacted
from tacit.core.text import clean

_OLD = ("old_string", "oldString", "old_str", "old_source")
_NEW = ("new_string", "newString", "new_str", "new_source", "insert_text", "content", "file_text")
_PATCH = ("patch", "patchText", "input", "command")
_LOOKED_AT = 8000  # characters of each side
_ARROW, _BETWEEN = " → ", " · "
_FEWEST = 12  # characters that are worth showing of one side
_BLANKS = re.compile(r"\s+")


def excerpt(tool: Tool, given: object, limit: int) -> str:
    """At most `limit` characters of what a call took out and put in; nothing of calls that change no file."""
    if tool.act is not Act.CHANGED:
        return ""
    edits = list(_patched(given) if tool is PATCHED else _edited(mapping(given)))
    told = ""
    for old, new in edits:
        room = limit - len(told) - (len(_BETWEEN) if told else 0)
        one = _shown(*_differing(_plain(old), _plain(new)), room)
        if not one:
            continue
        told = f"{told}{_BETWEEN}{one}" if told else one
        if limit - len(told) < 2 * _FEWEST:
            break
    return told


def _edited(fields: Object) -> Iterator[tuple[str, str]]:
    """The old and the new text of each edit of a call."""
    if fields.get("command") == "view":  # an editor that also shows files
        return
    for edit in [fields, *map(mapping, listing(fields.get("edits")))]:
        old, new = _first(edit, _OLD), _first(edit, _NEW)
        if old or new:
            yield old, new


def _patched(given: object) -> Iterator[tuple[str, str]]:
    """The lines that each hunk of a patch takes out and puts in."""
    text = given if isinstance(given, str) else _first(mapping(given), _PATCH)
    old: list[str] = []
    new: list[str] = []
    for line in [*text[:_LOOKED_AT].split("\n"), "@@"]:
        if line.startswith(("@@", "***", "--- ", "+++ ")):
            if old or new:
                yield "\n".join(old), "\n".join(new)
            old, new = [], []
        elif line.startswith("-"):
            old.append(line[1:])
        elif line.startswith("+"):
            new.append(line[1:])


def _first(fields: Object, names: tuple[str, ...]) -> str:
    return next((text for name in names if (text := string(fields.get(name)))), "")


def _plain(text: str) -> str:
    return redacted(clean(text[:_LOOKED_AT]))


def _differing(old: str, new: str) -> tuple[str, str]:
    """Two texts without the lines that they begin and end with alike."""
    before, after = old.split("\n"), new.split("\n")
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False)))
    before, after = before[alike:], after[alike:]
    ends = zip(reversed(before), reversed(after), strict=False)
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], ends))
    return "\n".join(before[: len(before) - alike]), "\n".join(after[: len(after) - alike])


def _shown(old: str, new: str, room: int) -> str:
    """Both sides on one line; what one does not need the other may have."""
    old, new = _BLANKS.sub(" ", old).strip(), _BLANKS.sub(" ", new).strip()
    room -= len(_ARROW)
    if old == new or room < 2 * _FEWEST:
        return ""
    if not old or not new:
        return f"{'−' if old else '+'} {_cut(old or new, room)}"
    half = room // 2
    first = min(len(old), max(half, room - len(new)))
    return f"{_cut(old, first)}{_ARROW}{_cut(new, room - first)}"


def _cut(text: str, room: int) -> str:
    """The beginning of a text, up to a blank where there is one."""
    if len(text) <= room:
        return text
    blank = text.rfind(" ", room // 2, room)
    return (text[:blank] if blank > 0 else text[: room - 1]).rstrip() + "…"
