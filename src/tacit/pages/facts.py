"""`memories.ndjson`: one accepted fact a line, with exactly the fields of S4, sorted by what it says.

In a repository the file is shared: lines and fields that others wrote stay as they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any

from tacit.model.claim import Claim, Scope, is_local
from tacit.model.event import timestamp
from tacit.model.ids import ClaimId
from tacit.model.statement import claim_from
from tacit.model.trust import Brought
from tacit.pages.long_term import Noted
from tacit.secrets.redact import secret_kind
from tacit.text.display import clean, escape_lies
from tacit.text.words import fold

# The beginning and end of a line as we write it: most lines need no parser to be found and sorted.
_OURS = re.compile(r'\{"id": "([0-9a-z]{12})", "ts": ')
_KEY = re.compile(r', "dedupe_key": "([^"\\]*)"\}$')
_LONGEST, _MOST_TAGS = 64 * 1024, 16
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
    other = parsed(theirs)
    ours = None if other is None else parsed(mine)
    if ours is None or other is None:
        return theirs
    before = parsed(base or "") or {}
    edited = {name: value for name, value in other.items() if name not in FIELDS or _edited(name, value, before)}
    return mine if not edited else _line({**ours, **edited})


def _edited(name: str, value: object, before: Mapping[str, Any]) -> bool:
    return name in before and before[name] != value


def brought(data: bytes, scope: Scope, limit: int) -> Iterator[Brought]:
    """What a fact file says that others wrote, line by line. Only its sentences and tags are read."""
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            hashed = sha256(line).hexdigest()
            try:
                yield Brought(number, hashed, _brought_claim(line, scope, limit))
            except ValueError as error:
                yield Brought(number, hashed, None, str(error))


def _brought_claim(line: bytes, scope: Scope, limit: int) -> Claim:
    if len(line) > _LONGEST:
        raise ValueError(f"longer than {_LONGEST:,} bytes")
    fields = parsed(line.decode("utf-8", "replace"))
    said = fields.get("canonical") if fields else None
    text = clean(said).strip() if isinstance(said, str) else ""
    if not text:
        raise ValueError("not a fact that can be read")
    if len(text) > limit:
        raise ValueError(f"longer than {limit:,} characters")
    tags = fields.get("tags") if fields else None
    words = [clean(tag) for tag in tags if isinstance(tag, str)][:_MOST_TAGS] if isinstance(tags, list) else []
    if kind := next(filter(None, map(secret_kind, (text, *words))), None):
        raise ValueError(f"holds a secret ({kind})")
    return claim_from(text, scope, tags=tuple(dict.fromkeys("-".join(fold(tag).split())[:64] for tag in words if tag)))


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
