"""`memories.ndjson`: one accepted fact a line, with exactly the fields of S4, sorted by what it says.

In a repository the file is shared: lines and fields that others wrote stay as they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from tacit.core.claim import is_local
from tacit.core.event import timestamp
from tacit.core.ids import ClaimId
from tacit.core.text import escape_lies
from tacit.notes.noted import Noted

# The beginning and end of a line as we write it: most lines need no parser to be found and sorted.
_OURS = re.compile(r'\{"id": "([0-9a-z]{12})", "ts": ')
_KEY = re.compile(r', "dedupe_key": "([^"\\]*)"\}$')
FIELDS = ("id", "ts", "scope", "kind", "triple", "canonical", "strength", "source", "tags", "dedupe_key")


def fact_line(noted: Noted) -> str:
    memory, claim = noted.memory, noted.memory.claim
    tags = (*claim.tags, "conflict") if noted.conflict else claim.tags
    return _line(
        {
            "id": memory.id,
            "ts": timestamp(memory.last_at),
            "scope": "local" if is_local(claim.scope) else "global",
            "kind": claim.kind.label,
            "triple": claim.triple._asdict(),
            "canonical": claim.sentence,
            "strength": max(memory.strength, 1),
            "source": memory.source,
            "tags": tags,
            "dedupe_key": claim.key,
        }
    )


def updated(lines: Iterable[str], changed: Iterable[Noted], gone: Iterable[ClaimId] = ()) -> list[str]:
    """The lines with these memories as they are now; only facts that hold are in it."""
    now = list(changed)
    leaving = {noted.memory.id for noted in now} | set(gone)
    kept = [line for line in lines if line_id(line) not in leaving]
    return in_order(kept + [fact_line(noted) for noted in now if noted.holds])


def in_order(lines: Iterable[str]) -> list[str]:
    """By statement, so that one change is one line of a diff; what cannot be read comes last, as it came."""
    return sorted((line for line in lines if line.strip()), key=_order)


def reconciled(base: str | None, mine: str, theirs: str) -> str:
    """A fact that both sides may have changed: their edits of a field stand, and so do fields of their own."""
    ours, other, before = parsed(mine), parsed(theirs), parsed(base or "") or {}
    if ours is None or other is None:
        return theirs
    edited = {name: value for name, value in other.items() if name not in FIELDS or _edited(name, value, before)}
    return mine if not edited else _line({**ours, **edited})


def _edited(name: str, value: object, before: Mapping[str, Any]) -> bool:
    return name in before and before[name] != value


def line_id(line: str) -> ClaimId | None:
    if found := _OURS.match(line):
        return ClaimId(found[1])
    fields = parsed(line)
    found = fields.get("id") if fields else None
    return ClaimId(found) if isinstance(found, str) else None


def parsed(line: str) -> dict[str, Any] | None:
    """The fields of a line, or nothing when it is not a JSON object."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return fields if isinstance(fields, dict) else None


def _order(line: str) -> tuple[int, str, str]:
    if (ours := _OURS.match(line)) and (key := _KEY.search(line, max(len(line) - 4096, 0))):
        return 0, key[1], ours[1]
    fields = parsed(line)
    return (0, str(fields.get("dedupe_key")), str(fields.get("id"))) if fields else (1, "", "")


def _line(fields: Mapping[str, object]) -> str:
    text = json.dumps(fields, ensure_ascii=False, separators=(", ", ": "))
    return escape_lies(text, lambda sign: json.dumps(sign)[1:-1])
