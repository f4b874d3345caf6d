"""`memories.ndjson`: one accepted fact per line, with exactly the fields of S4, sorted by statement.

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

# Start and end of a line as Tacit writes it: most lines can be identified and sorted without parsing them.
_OWN_LINE = re.compile(r'\{"id": "([0-9a-z]{12})", "ts": ')
_DEDUPE_KEY = re.compile(r', "dedupe_key": "([^"\\]*)"\}$')
_MAX_LINE_BYTES, _MAX_TAGS = 64 * 1024, 16
FIELDS = ("id", "ts", "scope", "kind", "triple", "canonical", "strength", "source", "tags", "dedupe_key")


def fact_line(view: MemoryView) -> str:
    """Return the line of a memory."""
    memory, claim = view.memory, view.memory.claim
    tags = (*claim.tags, "conflict") if view.conflict else claim.tags
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
    """Return the lines with changed memories updated; only effective ones have a line."""
    views = list(changed)
    outdated = {view.memory.id for view in views} | set(gone)
    unchanged = [line for line in lines if fact_id(line) not in outdated]
    return sort_facts(unchanged + [fact_line(view) for view in views if view.is_effective])


def sort_facts(lines: Iterable[str]) -> list[str]:
    """Sort by statement, so that one change is one line of a diff. Unreadable lines come last, in their order."""
    return sorted((line for line in lines if line.strip()), key=_fact_sort_key)


def reconcile_fact(base: str | None, mine: str, theirs: str) -> str:
    """Return a fact that both sides may have changed: their edits of fields stay, and so do fields of their own."""
    their_fields, my_fields = parse_fact(theirs), parse_fact(mine)
    if their_fields is None or my_fields is None:
        return theirs
    base_fields = parse_fact(base or "") or {}
    edited = {
        name: value
        for name, value in their_fields.items()
        if name not in FIELDS or (name in base_fields and base_fields[name] != value)
    }
    return _encode_fact({**my_fields, **edited}) if edited else mine


def parse_foreign_facts(data: bytes, scope: Scope, limit: int) -> Iterator[FactFileLine]:
    """Yield the lines of a fact file that others wrote. Only sentences and tags are read.

    `limit` is the maximum length of a sentence. Lines that are refused have no claim but a reason.
    """
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            line_hash = sha256(line).hexdigest()
            try:
                yield FactFileLine(number, line_hash, _parse_foreign_claim(line, scope, limit))
            except ValueError as error:
                yield FactFileLine(number, line_hash, None, str(error))


def _parse_foreign_claim(line: bytes, scope: Scope, limit: int) -> Claim:
    if len(line) > _MAX_LINE_BYTES:
        raise ValueError(f"longer than {_MAX_LINE_BYTES:,} bytes")
    fields = parse_fact(line.decode("utf-8", "replace")) or {}
    sentence, tags = fields.get("canonical"), fields.get("tags")
    text = clean(sentence).strip() if isinstance(sentence, str) else ""
    if not text:
        raise ValueError("not a fact that can be read")
    if len(text) > limit:
        raise ValueError(f"longer than {limit:,} characters")
    raw_tags = [clean(tag) for tag in tags if isinstance(tag, str)][:_MAX_TAGS] if isinstance(tags, list) else []
    if kind := next(filter(None, map(secret_kind, (text, *raw_tags))), None):
        raise ValueError(f"holds a secret ({kind})")
    normalized = ("-".join(normalize_text(tag).split())[:64] for tag in raw_tags if tag)
    return claim_from(text, scope, tags=tuple(dict.fromkeys(normalized)))


def fact_id(line: str) -> ClaimId | None:
    """Return the id in a line; None if it has none."""
    if match := _OWN_LINE.match(line):
        return ClaimId(match[1])
    name = (parse_fact(line) or {}).get("id")
    return ClaimId(name) if isinstance(name, str) else None


def parse_fact(line: str) -> dict[str, Any] | None:
    """Return the fields of a line; None if it is not a JSON object."""
    if "{" not in line:  # blank lines, of which there may be many
        return None
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return fields if isinstance(fields, dict) else None


def _fact_sort_key(line: str) -> tuple[int, str, str]:
    if (start := _OWN_LINE.match(line)) and (key := _DEDUPE_KEY.search(line, max(len(line) - 4096, 0))):
        return 0, key[1], start[1]
    fields = parse_fact(line)
    return (0, str(fields.get("dedupe_key")), str(fields.get("id"))) if fields else (1, "", "")


def _encode_fact(fields: Mapping[str, object]) -> str:
    text = json.dumps(fields, ensure_ascii=False, separators=(", ", ": "))
    return escape_deceptive(text, lambda char: json.dumps(char)[1:-1])
