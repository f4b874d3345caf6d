"""From what a person types to the memory they mean: an id, a prefix of one, or its text."""

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
_MIN_SPELLING_SIMILARITY = 0.8  # ratio of `difflib.SequenceMatcher`


def resolve_memory(connection: sqlite3.Connection, reference: str, scope: Scope) -> Memory:
    """Return the memory with this id, id prefix or text.

    Raises:
        NotFoundError: there is none; the error suggests similar memories.
        RefusedError: several ids begin with this prefix.
    """
    claim = _claim_by_id(connection, reference) or _claim_by_text(connection, reference, scope)
    if claim is None:
        raise _not_found(connection, reference)
    memory = reader.load_memory(connection, claim, must_decode)
    assert memory is not None
    return memory


def memory_with_text(connection: sqlite3.Connection, text: str, scope: Scope) -> Memory:
    """Return the memory with exactly this text. Raise NotFoundError if there is none."""
    claim = _claim_by_text(connection, text, scope)
    memory = claim and reader.load_memory(connection, claim, must_decode)
    if not memory:
        raise _not_found(connection, text)
    return memory


def _claim_by_id(connection: sqlite3.Connection, reference: str) -> ClaimId | None:
    prefix = reference.strip().lstrip("^").lower()
    if not is_claim_prefix(prefix):
        return None
    ids = reader.claim_ids_with_prefix(connection, prefix)
    if len(ids) > 1:
        raise RefusedError(
            f"{prefix} is the beginning of {len(ids)} ids: {', '.join(ids)}", "type one or two letters more"
        )
    return ids[0] if ids else None


def _claim_by_text(connection: sqlite3.Connection, text: str, scope: Scope) -> ClaimId | None:
    """Prefer active and pending memories, then those of this scope, then global ones."""
    normalized = normalize_text(clean(text))

    def preference(memory: MemoryRow) -> tuple[bool, int, str]:
        distance = [scope, GLOBAL].index(memory.scope) if memory.scope in (scope, GLOBAL) else 2
        return memory.status not in (Status.ACTIVE, Status.PENDING), distance, memory.id

    candidates = similar_memories(connection, clean(text), 512)
    same = [memory for memory in candidates if normalize_text(memory.sentence) == normalized]
    return min(same, key=preference).id if same else None


def _similar_spellings(connection: sqlite3.Connection, text: str) -> list[MemoryRow]:
    """Return active and pending memories that differ from a text by a few letters, such as a typo; nearest first."""
    from difflib import get_close_matches

    by_text = {
        normalize_text(memory.sentence): memory
        for memory in reader.memory_rows(connection)
        if memory.status in (Status.ACTIVE, Status.PENDING)
        and abs(len(memory.sentence) - len(text)) <= len(text) // 4 + 1
    }
    matches = get_close_matches(normalize_text(text), by_text, n=_MAX_SUGGESTIONS, cutoff=_MIN_SPELLING_SIMILARITY)
    return [by_text[match] for match in matches]


def _not_found(connection: sqlite3.Connection, reference: str) -> NotFoundError:
    text = clean(reference)
    similar = (*_similar_spellings(connection, text), *similar_memories(connection, text, _MAX_SUGGESTIONS))
    suggestions = [
        f"{reader.short_id(connection, name)}: {clip(printable(sentence), 80)}"
        for name, sentence in list({memory.id: memory.sentence for memory in similar}.items())[:_MAX_SUGGESTIONS]
    ]
    hint = "did you mean " + "; ".join(suggestions) if suggestions else "tacit list"
    return NotFoundError(f"no memory is or says “{clip(printable(text), 80)}”", hint)
