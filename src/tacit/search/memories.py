"""Scoring memories, pages and commands: candidates from the postings, of which the best are read word by word.

And which memory a person means who types an id or a text.
"""

from __future__ import annotations

import sqlite3
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from heapq import nsmallest

from tacit.errors import NotFoundError, RefusedError
from tacit.index import commands, postings, reader
from tacit.index.commands import StoredCommand
from tacit.index.postings import FIRST_PAGE_ID
from tacit.index.reader import MemoryRow, rows_by_doc_id
from tacit.log.codec import must_decode
from tacit.model.claim import GLOBAL, Scope, Status
from tacit.model.ids import ClaimId, is_claim_prefix
from tacit.record import Record
from tacit.search import bm25
from tacit.search.bm25 import Candidates, ParsedQuery, QueryTerm, ScoredDocument, query_from_words
from tacit.text.display import clean, clip, printable
from tacit.text.words import STEMS, normalize_text, query_terms, tokenize

TYPE_CHECKING = False

if TYPE_CHECKING:
    from tacit.model.memory import Memory

_MAX_POSTINGS = 3000  # of all terms together that are read completely; terms that do not fit are common
_MAX_COMMON_POSTINGS = 300  # of a common term, if there are no better candidates
_MAX_INTERSECTED_POSTINGS = 30_000  # of each common term, to find documents that contain several of them
_MAX_COMMON_TERMS = 3
_POSTINGS_PER_LOOKUP = 200  # that can be read in a row in the time of one lookup in the file
_POSTINGS_PER_BISECT = 20  # and in the time of one binary search
_INTERSECT_STEP = 2000  # postings that are intersected at once
_MIN_READ = 20  # documents that are read word by word
_MAX_PRIOR_LOOKUPS = 2560  # candidates whose prior weight is looked up
# Tuned with the constants of `search.bm25` (ADR 19).
_AVG_MEMORY_WORDS = 20.0
_EXTRA_WEIGHT = 0.5  # of a word in the evidence, relative to one in the sentence
_BIGRAM_WEIGHT = 0.4

# From document ids to weights between 0 and 1 by type and status; documents that the query excludes are left out.
PriorWeights = Callable[[Sequence[int]], Mapping[int, float]]
_CoarseScores = dict[int, float]


class _PostingsCache:
    """Postings of the terms of one query; a list that was read completely is not read again."""

    def __init__(self, connection: sqlite3.Connection, *, memories: bool) -> None:
        self._connection = connection
        self._memories_only = memories
        self._full_lists: dict[str, Sequence[int]] = {}

    def first_postings(self, term: QueryTerm, limit: int) -> Sequence[int]:
        """Return the first postings in memories and pages, or in memories alone."""
        doc_ids = self._full_lists.get(term.stem)
        if doc_ids is None:
            return postings.memory_postings(self._connection, term.stem, limit, memories=self._memories_only)
        return doc_ids[: min(limit, bisect_left(doc_ids, FIRST_PAGE_ID))] if self._memories_only else doc_ids[:limit]

    def stream(self, term: QueryTerm, limit: int) -> postings.PostingStream:
        """Return the same as `first_postings`, to be read step by step."""
        known = self._full_lists.get(term.stem)
        return postings.PostingStream(self._connection, term.stem, limit, memories=self._memories_only, known=known)

    def ids_with_term(self, term: QueryTerm, doc_ids: Sequence[int]) -> set[int]:
        """Return those of these sorted documents that contain a term."""
        if term.doc_freq >= len(doc_ids) * _POSTINGS_PER_LOOKUP:
            return {doc_id for doc_id in doc_ids if postings.has_term(self._connection, term.stem, doc_id)}
        full_list = postings.memory_postings(self._connection, term.stem, postings.MAX_INT64, memories=False)
        self._full_lists[term.stem] = full_list
        if term.doc_freq >= len(doc_ids) * _POSTINGS_PER_BISECT:
            return set(postings.common_ids(doc_ids, full_list))
        return set(doc_ids).intersection(full_list)


def retrieve_memories(
    connection: sqlite3.Connection,
    query: ParsedQuery,
    limit: int,
    *,
    memories: bool = False,
    prior_weights: PriorWeights | None = None,
) -> Candidates:
    """Return the best memories and pages, or memories alone. A greater `limit` also reads more postings.

    `prior_weights` are applied before candidates are cut off and for the order; returned scores are without them.
    """
    pool_size = max(limit, _MIN_READ)
    cache = _PostingsCache(connection, memories=memories)
    scores, common = _score_rare_terms(cache, query, max(_MAX_POSTINGS, 8 * limit))
    # Candidates that could still be among the best with all remaining terms get those of the common ones they have.
    remaining = sum(term.weight for term in common)
    for term in common:
        min_score = _cutoff_score(scores, pool_size) - remaining
        candidates = sorted([doc_id for doc_id, score in scores.items() if score >= min_score])
        for doc_id in cache.ids_with_term(term, candidates):
            scores[doc_id] += term.weight
        remaining -= term.weight
    if common and sum(term.weight for term in common) > _cutoff_score(scores, pool_size):
        scores = _intersect_common_terms(cache, common, pool_size) | scores
    if prior_weights:
        weights = _top_weighted_candidates(scores, pool_size, prior_weights)
    else:
        weights = dict.fromkeys(_top_candidates(scores, pool_size), 1.0)
    texts = postings.load_documents(connection, list(weights))
    scored = [_score_text(doc_id, *texts[doc_id], query) for doc_id in weights if doc_id in texts]
    scored.sort(key=lambda document: (-document.score * weights[document.doc_id], document.doc_id))
    return Candidates(scored[:limit], complete=not common and len(scores) <= limit)


def _score_rare_terms(
    cache: _PostingsCache, query: ParsedQuery, max_postings: int
) -> tuple[_CoarseScores, list[QueryTerm]]:
    """Return the coarse scores of documents with rare terms, and the common terms that were skipped."""
    scores: _CoarseScores = {}
    common = []
    for term in query.terms:
        if term.doc_freq > max_postings:
            common.append(term)
            continue
        doc_ids = cache.first_postings(term, max_postings)
        max_postings -= len(doc_ids)
        term_scores = dict.fromkeys(doc_ids, term.weight)
        for doc_id in scores.keys() & term_scores.keys():
            term_scores[doc_id] += scores[doc_id]
        scores.update(term_scores)
    return scores, common


def _intersect_common_terms(cache: _PostingsCache, common: Sequence[QueryTerm], pool_size: int) -> _CoarseScores:
    """Return documents with the rarest of the common terms; those that contain other common terms, too, come first."""
    rarest, *others = common[:_MAX_COMMON_TERMS]
    first_ids = cache.first_postings(rarest, _MAX_COMMON_POSTINGS)
    rarest_ids = cache.stream(rarest, _MAX_INTERSECTED_POSTINGS)
    shared = _intersect(rarest_ids, [cache.stream(term, _MAX_INTERSECTED_POSTINGS) for term in others], pool_size)
    tiers = [(term.weight, term_ids) for term, term_ids in zip(others, shared, strict=True)]
    if len(tiers) > 1:
        tiers.insert(0, (sum(weight for weight, _ in tiers), set.intersection(*shared)))
    scores: _CoarseScores = {}
    for weight, tier_ids in (*tiers, (0.0, first_ids)):
        if len(scores) < pool_size:
            scores = dict.fromkeys(nsmallest(_MAX_COMMON_POSTINGS, tier_ids), rarest.weight + weight) | scores
    return scores


def _intersect(rarest: postings.PostingStream, others: Sequence[postings.PostingStream], wanted: int) -> list[set[int]]:
    """Return which of the documents of the rarest term have each of the others.

    Stops once `wanted` documents have all of them, and when the others end. Works in steps, because small sets are
    faster to build and to query, and what follows need not be read.
    """
    matches: list[set[int]] = [set() for _ in others]
    in_all = 0
    while in_all < wanted and not all(other.is_at_end for other in others) and (step := rarest.take(_INTERSECT_STEP)):
        step_ids = set(step)
        in_step = step_ids
        for index, other in enumerate(others):
            new = step_ids.intersection(other.take_through(step[-1]))
            matches[index] |= new
            in_step = in_step & new
        in_all += len(in_step)
    return matches


def _cutoff_score(scores: _CoarseScores, limit: int) -> float:
    """Return the score of the last of the best documents; 0 if there are fewer."""
    ranked = sorted(scores.values(), reverse=True)
    return ranked[limit - 1] if len(ranked) >= limit else 0.0


def _top_candidates(scores: _CoarseScores, limit: int) -> list[int]:
    min_score = _cutoff_score(scores, limit)
    doc_ids = sorted([doc_id for doc_id, score in scores.items() if score >= min_score])
    doc_ids.sort(key=scores.__getitem__, reverse=True)  # stable: equal scores stay sorted by id
    return doc_ids[:limit]


def _top_weighted_candidates(scores: _CoarseScores, limit: int, prior_weights: PriorWeights) -> dict[int, float]:
    """Return the prior weights of the candidates with the best weighted scores.

    Looks at half as many more than wanted, and at still more while the query excludes too many of them.
    """
    pool_size = limit + limit // 2
    while True:
        candidates = _top_candidates(scores, pool_size)
        weights = prior_weights(candidates)
        wanted = [doc_id for doc_id in candidates if weights.get(doc_id)]
        if len(wanted) >= limit or len(candidates) < pool_size or pool_size >= _MAX_PRIOR_LOOKUPS:
            wanted.sort(key=lambda doc_id: -scores[doc_id] * weights[doc_id])
            return {doc_id: weights[doc_id] for doc_id in wanted[:limit]}
        pool_size *= 4


def _score_text(doc_id: int, text: str, extra: str, query: ParsedQuery) -> ScoredDocument:
    stems, extra_stems = [STEMS[word] for word in text.split()], [STEMS[word] for word in extra.split()]
    counts, words = [], []
    for term in query.terms:
        if count := stems.count(term.stem) + _EXTRA_WEIGHT * extra_stems.count(term.stem):
            counts.append((term.weight, count))
            words.append(term.word)
    score = bm25.score_document(counts, (len(stems) + _EXTRA_WEIGHT * len(extra_stems)) / _AVG_MEMORY_WORDS)
    return ScoredDocument(doc_id, score + _BIGRAM_WEIGHT * bm25.score_bigrams(stems, query), tuple(words))


def matching_memories(connection: sqlite3.Connection, query: ParsedQuery, limit: int) -> list[tuple[MemoryRow, float]]:
    """Return the best memories with their scores, without pages and sessions: prompts wait for this."""
    scored = retrieve_memories(connection, query, limit, memories=True).scored if query.terms else []
    rows = rows_by_doc_id(connection, [document.doc_id for document in scored])
    return [(row, document.score) for document in scored if isinstance(row := rows.get(document.doc_id), MemoryRow)]


def similar_memories(connection: sqlite3.Connection, text: str, limit: int) -> list[MemoryRow]:
    """Return the memories that share the most words with a text."""
    return [row for row, _ in matching_memories(connection, query_from_words(connection, query_terms(text)), limit)]


# Commands (ADR 34)

_MAX_COMMAND_POSTINGS = 4000  # of one term
# Of the question, by term weight, for a command that is asked for; and else, since many words are found in a long one.
_MIN_ASKED_COVERAGE, _MIN_COVERAGE = 0.5, 0.75
_MAX_COMMANDS_LOADED = 200
# Words with which people ask for a command. They are not searched for in commands.
_COMMAND_QUESTION_STEMS = frozenset(
    STEMS[word] for word in "command run ran running line shell terminal typed type".split()
)


class CommandMatch(Record):
    """A command, the share of the question that it contains (0 to 1), and those words of the question."""

    command: StoredCommand
    coverage: float
    terms: tuple[str, ...]


def is_command_question(words: Sequence[str]) -> bool:
    """Return whether a question asks for a command."""
    return any(STEMS[word] in _COMMAND_QUESTION_STEMS for word in words)


def matching_commands(
    connection: sqlite3.Connection,
    words: Sequence[str],
    limit: int,
    is_wanted: Callable[[StoredCommand], bool],
    *,
    asked: bool,
) -> list[CommandMatch]:
    """Return the commands that contain most of the question, each command line once; ties: the latest first.

    Where no command is asked for, one needs more of the words.
    """
    words_by_stem = {stem: word for word in reversed(words) if (stem := STEMS[word]) not in _COMMAND_QUESTION_STEMS}
    if not words_by_stem or not commands.has_commands(connection):
        return []
    total = commands.count_commands(connection)
    ids_by_stem = {
        stem: dict.fromkeys(commands.commands_with_term(connection, stem, _MAX_COMMAND_POSTINGS))
        for stem in words_by_stem
    }
    weights = {stem: bm25.idf(len(ids), total) for stem, ids in ids_by_stem.items()}
    total_weight = sum(weights.values())
    min_coverage = _MIN_ASKED_COVERAGE if asked else _MIN_COVERAGE
    coverage: dict[int, float] = defaultdict(float)
    for stem, ids in ids_by_stem.items():
        for command_id in ids:
            coverage[command_id] += weights[stem] / total_weight
    best = sorted(
        (command_id for command_id, share in coverage.items() if share >= min_coverage),
        key=lambda command_id: -coverage[command_id],
    )
    loaded = filter(is_wanted, commands.load_commands(connection, best[:_MAX_COMMANDS_LOADED]))
    matches: dict[str, CommandMatch] = {}
    for command in sorted(loaded, key=lambda command: (coverage[command.id], command.last_event), reverse=True):
        if command.text not in matches:
            own_words = (word for stem, word in words_by_stem.items() if command.id in ids_by_stem[stem])
            matches[command.text] = CommandMatch(command, coverage[command.id], tuple(own_words))
    return list(matches.values())[:limit]


# From what a person types to the memory they mean: an id, a prefix of one, or its text

_LIVE = (Status.ACTIVE, Status.PENDING)
_MAX_SUGGESTIONS = 3
_MIN_SPELLING_SIMILARITY = 0.8  # ratio of `difflib.SequenceMatcher`


def resolve_memory(connection: sqlite3.Connection, reference: str, scope: Scope) -> Memory:
    """Return the memory with this id, id prefix or text.

    Raises:
        NotFoundError: there is none; the error suggests similar memories.
        RefusedError: several ids begin with this prefix.
    """
    prefix = reference.strip().lstrip("^").lower()
    ids = reader.claim_ids_with_prefix(connection, prefix) if is_claim_prefix(prefix) else []
    if len(ids) > 1:
        raise RefusedError(
            f"{prefix} is the beginning of {len(ids)} ids: {', '.join(ids)}", "type one or two letters more"
        )
    claim = ids[0] if ids else _claim_by_text(connection, reference, scope)
    if claim is None:
        raise _not_found(connection, reference)
    memory = reader.load_memory(connection, claim, must_decode)
    assert memory is not None
    return memory


def only_match(connection: sqlite3.Connection, text: str) -> ClaimId | None:
    """Return the only memory that holds or waits and has all words of a text; None if there are none or several."""
    stems = {STEMS[word] for word in query_terms(clean(text))}
    live = [row for row in similar_memories(connection, clean(text), 512) if row.status in _LIVE]
    matches = [row.id for row in live if stems <= {STEMS[word] for word in tokenize(row.sentence)}]
    return matches[0] if len(matches) == 1 else None


def memory_with_text(connection: sqlite3.Connection, text: str, scope: Scope) -> Memory:
    """Return the memory with exactly this text. Raise NotFoundError if there is none."""
    claim = _claim_by_text(connection, text, scope)
    memory = claim and reader.load_memory(connection, claim, must_decode)
    if not memory:
        raise _not_found(connection, text)
    return memory


def _claim_by_text(connection: sqlite3.Connection, text: str, scope: Scope) -> ClaimId | None:
    """Prefer active and pending memories, then those of this scope, then global ones."""
    normalized = normalize_text(clean(text))

    def preference(memory: MemoryRow) -> tuple[bool, int, str]:
        distance = [scope, GLOBAL].index(memory.scope) if memory.scope in (scope, GLOBAL) else 2
        return memory.status not in _LIVE, distance, memory.id

    candidates = similar_memories(connection, clean(text), 512)
    same = [memory for memory in candidates if normalize_text(memory.sentence) == normalized]
    return min(same, key=preference).id if same else None


def _not_found(connection: sqlite3.Connection, reference: str) -> NotFoundError:
    """Return an error that suggests memories with a typo less, nearest first, then those that share words."""
    from difflib import get_close_matches

    text = clean(reference)
    by_text = {
        normalize_text(memory.sentence): memory
        for memory in reader.memory_rows(connection)
        if memory.status in _LIVE and abs(len(memory.sentence) - len(text)) <= len(text) // 4 + 1
    }
    matches = get_close_matches(normalize_text(text), by_text, n=_MAX_SUGGESTIONS, cutoff=_MIN_SPELLING_SIMILARITY)
    similar = (*map(by_text.__getitem__, matches), *similar_memories(connection, text, _MAX_SUGGESTIONS))
    suggestions = [
        f"{reader.short_id(connection, name)}: {clip(printable(sentence), 80)}"
        for name, sentence in list({memory.id: memory.sentence for memory in similar}.items())[:_MAX_SUGGESTIONS]
    ]
    hint = "did you mean " + "; ".join(suggestions) if suggestions else "tacit list"
    return NotFoundError(f"no memory is or says “{clip(printable(text), 80)}”", hint)
