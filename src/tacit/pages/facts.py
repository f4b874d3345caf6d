"""`memories.ndjson`: one accepted fact a line, with exactly the fields of S4, sorted by what it says.

In a repository the file is shared: lines and fields that others wrote stay as they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any

from tacit.model.claim import Claim, Scope, is_project_scope
from tacit.model.event import timestamp
from tacit.model.ids import ClaimId
from tacit.model.statement import claim_from
from tacit.model.trust import FactFileLine
from tacit.pages.long_term import MemoryView
from tacit.secrets.redact import secret_kind
from tacit.text.display import clean, escape_deceptive
from tacit.text.words import normalize_text

# The beginning and end of a line as we write it: most lines need no parser to be found and sorted.
_OWN_LINE = re.compile(r'\{"id": "([0-9a-z]{12})", "ts": ')
_DEDUPE_KEY = re.compile(r', "dedupe_key": "([^"\\]*)"\}$')
_MAX_LINE_BYTES, _MAX_TAGS = 64 * 1024, 16
FIELDS = ("id", "ts", "scope", "kind", "triple", "canonical", "strength", "source", "tags", "dedupe_key")


def fact_line(noted: MemoryView) -> str:
    memory, claim = noted.memory, noted.memory.claim
    tags = (*claim.tags, "conflict") if noted.conflict else claim.tags
    return _encode_fact(
        {
            "id": memory.id,
            "ts": timestamp(memory.last_at),
            "scope": "local" if is_project_scope(claim.scope) else "global",
            "kind": claim.kind.label,
            "triple": claim.triple._asdict(),
            "canonical": claim.sentence,
            "strength": max(memory.strength, 1),
            "source": memory.source,
            "tags": tags,
            "dedupe_key": claim.key,
        }
    )


def update_facts(lines: Iterable[str], changed: Iterable[MemoryView], gone: Iterable[ClaimId] = ()) -> list[str]:
    """The lines with these memories as they are now; only facts that hold are in it."""
    now = list(changed)
    leaving = {noted.memory.id for noted in now} | set(gone)
    kept = [line for line in lines if fact_id(line) not in leaving]
    return sort_facts(kept + [fact_line(noted) for noted in now if noted.is_effective])


def sort_facts(lines: Iterable[str]) -> list[str]:
    """By statement, so that one change is one line of a diff; what cannot be read comes last, as it came."""
    return sorted((line for line in lines if line.strip()), key=_fact_sort_key)


def reconcile_fact(base: str | None, mine: str, theirs: str) -> str:
    """A fact that both sides may have changed: their edits of a field stand, and so do fields of their own."""
    other = parse_fact(theirs)
    ours = None if other is None else parse_fact(mine)
    if ours is None or other is None:
        return theirs
    before = parse_fact(base or "") or {}
    edited = {name: value for name, value in other.items() if name not in FIELDS or _is_edited(name, value, before)}
    return mine if not edited else _encode_fact({**ours, **edited})


def _is_edited(name: str, value: object, before: Mapping[str, Any]) -> bool:
    return name in before and before[name] != value


def parse_foreign_facts(data: bytes, scope: Scope, limit: int) -> Iterator[FactFileLine]:
    """What a fact file says that others wrote, line by line. Only its sentences and tags are read."""
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            hashed = sha256(line).hexdigest()
            try:
                yield FactFileLine(number, hashed, _parse_foreign_claim(line, scope, limit))
            except ValueError as error:
                yield FactFileLine(number, hashed, None, str(error))


def _parse_foreign_claim(line: bytes, scope: Scope, limit: int) -> Claim:
    if len(line) > _MAX_LINE_BYTES:
        raise ValueError(f"longer than {_MAX_LINE_BYTES:,} bytes")
    fields = parse_fact(line.decode("utf-8", "replace"))
    said = fields.get("canonical") if fields else None
    text = clean(said).strip() if isinstance(said, str) else ""
    if not text:
        raise ValueError("not a fact that can be read")
    if len(text) > limit:
        raise ValueError(f"longer than {limit:,} characters")
    tags = fields.get("tags") if fields else None
    words = [clean(tag) for tag in tags if isinstance(tag, str)][:_MAX_TAGS] if isinstance(tags, list) else []
    if kind := next(filter(None, map(secret_kind, (text, *words))), None):
        raise ValueError(f"holds a secret ({kind})")
    return claim_from(
        text, scope, tags=tuple(dict.fromkeys("-".join(normalize_text(tag).split())[:64] for tag in words if tag))
    )


def fact_id(line: str) -> ClaimId | None:
    if found := _OWN_LINE.match(line):
        return ClaimId(found[1])
    fields = parse_fact(line)
    found = fields.get("id") if fields else None
    return ClaimId(found) if isinstance(found, str) else None


def parse_fact(line: str) -> dict[str, Any] | None:
    """The fields of a line, or nothing when it is not a JSON object."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return fields if isinstance(fields, dict) else None


def _fact_sort_key(line: str) -> tuple[int, str, str]:
    if (ours := _OWN_LINE.match(line)) and (key := _DEDUPE_KEY.search(line, max(len(line) - 4096, 0))):
        return 0, key[1], ours[1]
    fields = parse_fact(line)
    return (0, str(fields.get("dedupe_key")), str(fields.get("id"))) if fields else (1, "", "")


def _encode_fact(fields: Mapping[str, object]) -> str:
    text = json.dumps(fields, ensure_ascii=False, separators=(", ", ": "))
    return escape_deceptive(text, lambda sign: json.dumps(sign)[1:-1])
