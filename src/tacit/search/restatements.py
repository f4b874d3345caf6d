"""Find the memories that may say the same as a statement, by the rarest of the words that they must share.

Comparing a candidate with all others would take as long as there are others. What is found here is compared afterwards:
see `tacit.contradiction.profile.is_restatement`.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable

from tacit.contradiction.profile import restatement_words
from tacit.index import postings
from tacit.model.ids import claim_id, claim_number
from tacit.text.words import STEMS, token_terms

# Words that are looked up. One of three may have another stem, because words are compared by their beginnings.
_RAREST = 3
_MAX_POSTINGS = 5000  # memories with a word; one that is more common tells nothing


def possible_restatements(connection: sqlite3.Connection, sentence: str) -> set[int]:
    """Return the doc ids of memories that have at least two of three words of a statement, and of its rarest words."""
    stems = {STEMS[token_terms(word)[0]] for word in restatement_words(sentence)}
    by_frequency = sorted((postings.doc_freq(connection, stem), stem) for stem in stems)
    rarest = [stem for doc_freq, stem in by_frequency if 0 < doc_freq <= _MAX_POSTINGS][:_RAREST]
    found: Counter[int] = Counter()
    for stem in rarest:
        found.update(postings.memory_postings(connection, stem, _MAX_POSTINGS, memories=True))
    doc_ids = [doc_id for doc_id, number in found.items() if number >= _needed(len(rarest))]
    documents = postings.load_documents(connection, doc_ids)
    return {
        doc_id
        for doc_id, (text, _) in documents.items()
        if len(stems.intersection(map(STEMS.__getitem__, text.split()))) >= _needed(len(stems))
    }


def _needed(number: int) -> int:
    """Return how many of so many words a restatement must have with the same stem."""
    return number - number // _RAREST


def same_claims(scopes: Iterable[str], key: str) -> set[int]:
    """Return the doc ids that a claim with this key has in each of the scopes."""
    return {claim_number(claim_id(scope, key)) for scope in scopes}
