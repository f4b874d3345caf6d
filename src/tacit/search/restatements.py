"""Memories that say the same as a statement, or may.

What plainly says the same is found by the rarest of the words that both must share; what only may, by its meaning.
Comparing a statement with all others would take as long as there are others, so what is found is compared afterwards:
see `contradiction.profile` and `contradiction.resemblance`. A judge is told what may be meant.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence

from tacit.index import postings, reader
from tacit.index.reader import MemoryRow, rows_by_doc_id
from tacit.log.codec import must_decode
from tacit.model.claim import GLOBAL, PERSONAL_KINDS, Scope, Status
from tacit.model.ids import claim_id, claim_number
from tacit.search.memories import similar_memories
from tacit.text.words import STEMS, token_terms

TYPE_CHECKING = False

if TYPE_CHECKING:
    from tacit.model.claim import Claim

# Words that are looked up. One of three may have another stem, because words are compared by their beginnings.
_RAREST = 3
_MAX_SIMILAR = 20  # memories that a claim is compared with
_MAX_NEAR, _MAX_NEAR_SHOWN = 10, 2  # memories that are near in meaning to a claim
_MAX_COMPARED_OF_SCOPE, _MAX_TEXTS = 200, 60  # memories, and texts that they are compared with
_MIN_ROUGH_SIMILARITY = 0.25  # of a memory to a text with which it shares no word
_MAX_WORD_POSTINGS = 5000  # memories with a word; one that is more common tells nothing


def possible_restatements(connection: sqlite3.Connection, sentence: str) -> set[int]:
    """Return the doc ids of memories that have at least two of three words of a statement, and of its rarest words."""
    from tacit.contradiction.profile import restatement_words  # a question needs none of it

    stems = {STEMS[token_terms(word)[0]] for word in restatement_words(sentence)}
    by_frequency = sorted((postings.doc_freq(connection, stem), stem) for stem in stems)
    # Of three words, a restatement has at least two with the same stem.
    rarest = [stem for doc_freq, stem in by_frequency if 0 < doc_freq <= _MAX_WORD_POSTINGS][:_RAREST]
    found: Counter[int] = Counter()
    for stem in rarest:
        found.update(postings.memory_postings(connection, stem, _MAX_WORD_POSTINGS, memories=True))
    doc_ids = [doc_id for doc_id, number in found.items() if number >= len(rarest) - len(rarest) // _RAREST]
    documents = postings.load_documents(connection, doc_ids)
    return {
        doc_id
        for doc_id, (text, _) in documents.items()
        if len(stems.intersection(map(STEMS.__getitem__, text.split()))) >= len(stems) - len(stems) // _RAREST
    }


def restated_claim(connection: sqlite3.Connection, claim: Claim, is_wanted: Callable[[MemoryRow], bool]) -> Claim:
    """Return the claim of a wanted memory that plainly says the same, if there is one, else the claim itself."""
    if reader.memory_row(connection, claim.id) is not None:
        return claim
    from tacit.contradiction.profile import is_restatement

    for row in similar_memories(connection, claim.sentence, _MAX_SIMILAR):
        if is_wanted(row) and is_restatement(row.sentence, claim.sentence):
            memory = reader.load_memory(connection, row.id, must_decode)
            return memory.claim if memory else claim
    return claim


def near_memories(connection: sqlite3.Connection, claim: Claim) -> list[MemoryRow]:
    """Return memories that may say the same as a claim in other words, the nearest first.

    They hold or wait where it does; what it contradicts is no such memory.
    """
    from tacit.contradiction import relate
    from tacit.contradiction.resemblance import MIN_SIMILARITY, may_say_the_same
    from tacit.search.semantic import nearest_memories, text_similarity

    rows = rows_by_doc_id(connection, nearest_memories(connection, claim_number(claim.id), MIN_SIMILARITY, _MAX_NEAR))
    return [
        row
        for row in rows.values()
        if isinstance(row, MemoryRow)
        and row.status in (Status.ACTIVE, Status.PENDING)
        and row.overruled_by is None
        and (row.scope == claim.scope or GLOBAL in (row.scope, claim.scope))
        and not relate(row.sentence, claim.sentence).is_noticed
        and may_say_the_same(row.sentence, claim.sentence, text_similarity)
    ][:_MAX_NEAR_SHOWN]


def memories_near_texts(
    connection: sqlite3.Connection, scopes: Collection[Scope], texts: Sequence[str]
) -> list[MemoryRow]:
    """Return memories that hold in some projects or everywhere, or wait there, the nearest to one of the texts first.

    They share a word with it, or are near in meaning. Commands that are counted are left out.
    """
    from tacit.contradiction.polarity import content_stems
    from tacit.index.vectors import load_vectors
    from tacit.meaning import cached_table
    from tacit.search.semantic import rough_similarity

    projects = sorted({*scopes} - {GLOBAL})
    rows = reader.leading_memories(connection, [*projects, GLOBAL], _MAX_COMPARED_OF_SCOPE)
    rows += reader.waiting_memories(connection, projects, _MAX_COMPARED_OF_SCOPE)
    rows = [row for row in rows if row.kind not in PERSONAL_KINDS]
    table = cached_table() if rows else None
    compared = [(content_stems(text), table.encode(text) if table else b"") for text in texts[:_MAX_TEXTS]]
    stored = load_vectors(connection, [claim_number(row.id) for row in rows])
    nearness: dict[MemoryRow, float] = {}
    for row in rows:
        stems, vector = content_stems(row.sentence), stored.get(claim_number(row.id), b"")
        near = max((rough_similarity(vector, other) for _, other in compared), default=0.0)
        shared = max((len(stems & others) for others, _ in compared), default=0)
        if shared or near >= _MIN_ROUGH_SIMILARITY:
            nearness[row] = near + shared / max(len(stems), 1)
    return sorted(nearness, key=lambda row: (-nearness[row], row.id))


def same_claims(scopes: Iterable[str], key: str) -> set[int]:
    """Return the doc ids that a claim with this key has in each of the scopes."""
    return {claim_number(claim_id(scope, key)) for scope in scopes}
