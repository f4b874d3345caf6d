"""From what a person types to the memory they mean: an id, the beginning of one, or its words."""

from __future__ import annotations

import sqlite3

from tacit.errors import NotFound, Refused
from tacit.index import reader
from tacit.index.reader import Entry
from tacit.log.codec import must_decode
from tacit.model.claim import GLOBAL, Scope, Status
from tacit.model.ids import ClaimId, is_claim_prefix
from tacit.model.memory import Memory
from tacit.search.memories import memories_like
from tacit.text.display import clean, clip, show
from tacit.text.words import fold

_NEAR = 3
_SPELLED_LIKE = 0.8  # of all letters of two texts, so many are the same and in the same order


def meant(connection: sqlite3.Connection, reference: str, scope: Scope) -> Memory:
    """The memory with this id, id prefix or text."""
    claim = _by_id(connection, reference) or _by_text(connection, reference, scope)
    if claim is None:
        raise _unknown(connection, reference)
    memory = reader.memory(connection, claim, must_decode)
    assert memory is not None
    return memory


def with_text(connection: sqlite3.Connection, text: str, scope: Scope) -> Memory:
    """The memory that says just this."""
    claim = _by_text(connection, text, scope)
    memory = claim and reader.memory(connection, claim, must_decode)
    if not memory:
        raise _unknown(connection, text)
    return memory


def _by_id(connection: sqlite3.Connection, reference: str) -> ClaimId | None:
    prefix = reference.strip().lstrip("^").lower()
    if not is_claim_prefix(prefix):
        return None
    found = reader.ids_beginning(connection, prefix)
    if len(found) > 1:
        raise Refused(
            f"{prefix} is the beginning of {len(found)} ids: {', '.join(found)}", "type one or two letters more"
        )
    return found[0] if found else None


def _by_text(connection: sqlite3.Connection, text: str, scope: Scope) -> ClaimId | None:
    """Live memories before forgotten ones, this project's before global ones before those of others."""
    wanted = fold(clean(text))
    same = [entry for entry in memories_like(connection, clean(text), 512) if fold(entry.sentence) == wanted]
    if not same:
        return None
    return min(same, key=lambda entry: _nearness(entry, scope)).id


def _nearness(entry: Entry, scope: Scope) -> tuple[bool, int, str]:
    live = entry.status.value in ("active", "pending")
    return (not live, [scope, GLOBAL].index(entry.scope) if entry.scope in (scope, GLOBAL) else 2, entry.id)


def _spelled_like(connection: sqlite3.Connection, text: str) -> list[Entry]:
    """Live memories whose text differs from this one by a few letters, such as a typing error, the nearest first."""
    from difflib import get_close_matches

    wanted = fold(text)
    by_text = {
        fold(entry.sentence): entry
        for entry in reader.entries(connection)
        if entry.status in (Status.ACTIVE, Status.PENDING)
        and abs(len(entry.sentence) - len(text)) <= len(text) // 4 + 1
    }
    return [by_text[near] for near in get_close_matches(wanted, by_text, n=_NEAR, cutoff=_SPELLED_LIKE)]


def _unknown(connection: sqlite3.Connection, reference: str) -> NotFound:
    text = clean(reference)
    found = {entry.id: entry for entry in (*_spelled_like(connection, text), *memories_like(connection, text, _NEAR))}
    near = [
        f"{reader.short_id(connection, entry.id)}: {clip(show(entry.sentence), 80)}"
        for entry in list(found.values())[:_NEAR]
    ]
    shown = clip(show(text), 80)
    if near:
        return NotFound(f"no memory is or says “{shown}”", "did you mean " + "; ".join(near))
    return NotFound(f"no memory is or says “{shown}”", "tacit list")
