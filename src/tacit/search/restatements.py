"""Find the memories that may say the same as a statement, by the rarest of the words that they must share.

Comparing a candidate with all others would take as long as there are others. What is found here is compared afterwards:
see `tacit.model.relation.is_restatement`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from tacit.index import postings
from tacit.model.ids import claim_id, claim_number
from tacit.model.relation import restatement_prefixes

_MAX_LISTS = 3  # lists of postings that are intersected
_MAX_POSTINGS = 20_000  # of all words with a prefix; words that are more common tell nothing
_PREFIX_END = "\U0010ffff"


def possible_restatements(connection: sqlite3.Connection, sentence: str) -> set[int]:
    """Return the doc ids of memories that contain the rarest words of a statement, in any form.

    They are few if the words are rare. The memory of the statement itself is among them.
    """
    by_prefix = [_terms_with_prefix(connection, prefix) for prefix in restatement_prefixes(sentence)]
    rarest = sorted((terms for terms in by_prefix if terms), key=lambda terms: sum(terms.values()))[:_MAX_LISTS]
    if not rarest or sum(rarest[0].values()) > _MAX_POSTINGS:
        return set()
    lists = [
        {
            doc_id
            for term in terms
            for doc_id in postings.memory_postings(connection, term, _MAX_POSTINGS, memories=True)
        }
        for terms in rarest
        if sum(terms.values()) <= _MAX_POSTINGS
    ]
    return set.intersection(*lists)


def _terms_with_prefix(connection: sqlite3.Connection, prefix: str) -> dict[str, int]:
    """Return the terms that begin with a prefix, each with the number of documents that contain it."""
    query = "SELECT term, doc_freq FROM terms WHERE term >= ? AND term < ?"
    return dict(connection.execute(query, (prefix, prefix + _PREFIX_END)).fetchall())


def same_claims(scopes: Iterable[str], key: str) -> set[int]:
    """Return the doc ids that a claim with this key has in each of the scopes."""
    return {claim_number(claim_id(scope, key)) for scope in scopes}
