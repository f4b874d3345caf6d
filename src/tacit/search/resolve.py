"""From what a person types to the memory they mean: an id, the beginning of one, or its words."""

from __future__ import annotations

import sqlite3

from tacit.errors import NotFoundError, RefusedError
from tacit.index import reader
from tacit.index.reader import MemoryRow
from tacit.log.codec import must_decode
from tacit.model.claim import GLOBAL, Scope, Status
from tacit.model.ids import ClaimId, is_claim_prefix
from tacit.model.memory import Memory
from tacit.search.memories import similar_memories
from tacit.text.display import clean, clip, printable
from tacit.text.words import normalize_text

_MAX_SUGGESTIONS = 3
_MIN_SPELLING_SIMILARITY = 0.8  # of all letters of two texts, so many are the same and in the same order


def resolve_memory(connection: sqlite3.Connection, reference: str, scope: Scope) -> Memory:
    """The memory with this id, id prefix or text."""
    claim = _claim_by_id(connection, reference) or _claim_by_text(connection, reference, scope)
    if claim is None:
        raise _not_found(connection, reference)
    memory = reader.load_memory(connection, claim, must_decode)
    assert memory is not None
    return memory


def memory_with_text(connection: sqlite3.Connection, text: str, scope: Scope) -> Memory:
    """The memory that says just this."""
    claim = _claim_by_text(connection, text, scope)
    memory = claim and reader.load_memory(connection, claim, must_decode)
    if not memory:
        raise _not_found(connection, text)
    return memory


def _claim_by_id(connection: sqlite3.Connection, reference: str) -> ClaimId | None:
    prefix = reference.strip().lstrip("^").lower()
    if not is_claim_prefix(prefix):
        return None
    found = reader.claim_ids_with_prefix(connection, prefix)
    if len(found) > 1:
        raise RefusedError(
            f"{prefix} is the beginning of {len(found)} ids: {', '.join(found)}", "type one or two letters more"
        )
    return found[0] if found else None


def _claim_by_text(connection: sqlite3.Connection, text: str, scope: Scope) -> ClaimId | None:
    """Live memories before forgotten ones, this project's before global ones before those of others."""
    wanted = normalize_text(clean(text))
    same = [
        entry for entry in similar_memories(connection, clean(text), 512) if normalize_text(entry.sentence) == wanted
    ]
    if not same:
        return None
    return min(same, key=lambda entry: _preference_key(entry, scope)).id


def _preference_key(entry: MemoryRow, scope: Scope) -> tuple[bool, int, str]:
    live = entry.status.value in ("active", "pending")
    return (not live, [scope, GLOBAL].index(entry.scope) if entry.scope in (scope, GLOBAL) else 2, entry.id)


def _similar_spellings(connection: sqlite3.Connection, text: str) -> list[MemoryRow]:
    """Live memories whose text differs from this one by a few letters, such as a typing error, the nearest first."""
    from difflib import get_close_matches

    wanted = normalize_text(text)
    by_text = {
        normalize_text(entry.sentence): entry
        for entry in reader.memory_rows(connection)
        if entry.status in (Status.ACTIVE, Status.PENDING)
        and abs(len(entry.sentence) - len(text)) <= len(text) // 4 + 1
    }
    return [
        by_text[near]
        for near in get_close_matches(wanted, by_text, n=_MAX_SUGGESTIONS, cutoff=_MIN_SPELLING_SIMILARITY)
    ]


def _not_found(connection: sqlite3.Connection, reference: str) -> NotFoundError:
    text = clean(reference)
    found = {
        entry.id: entry
        for entry in (*_similar_spellings(connection, text), *similar_memories(connection, text, _MAX_SUGGESTIONS))
    }
    near = [
        f"{reader.short_id(connection, entry.id)}: {clip(printable(entry.sentence), 80)}"
        for entry in list(found.values())[:_MAX_SUGGESTIONS]
    ]
    shown = clip(printable(text), 80)
    if near:
        return NotFoundError(f"no memory is or says “{shown}”", "did you mean " + "; ".join(near))
    return NotFoundError(f"no memory is or says “{shown}”", "tacit list")
