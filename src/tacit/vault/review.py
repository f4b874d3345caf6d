"""Cards: candidates of several projects that say the same are decided on together; and the values to filter by."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from tacit.contradiction.profile import is_restatement, restatement_key
from tacit.errors import RefusedError
from tacit.home.home import HomePart
from tacit.index import reader
from tacit.index.listings import MemoryFilter, matching_candidates
from tacit.index.reader import MemoryRow
from tacit.log.codec import must_decode
from tacit.model.claim import Kind, Status, is_project_scope, project_name
from tacit.model.ids import ClaimId, claim_number, is_claim_id
from tacit.model.memory import HABIT_SOURCE, Memory
from tacit.record import Record
from tacit.search.memories import similar_memories
from tacit.search.restatements import possible_restatements, same_claims
from tacit.text.display import clip
from tacit.text.words import normalize_text
from tacit.vault.evidence import agents_of_memory
from tacit.vault.listing import FilterParser, Filters, ListedMemory, Listing, load_chunk

_MAX_GROUPED = 500  # candidates of which each is compared with all others; of more, with those that share rare words
_MAX_SIMILAR = 50  # memories that are compared with a candidate to find it in other projects


class Card(Record):
    """One lesson to decide on: the candidate that is shown, and those of other projects that say the same."""

    candidates: tuple[ListedMemory, ...]

    @property
    def ids(self) -> list[ClaimId]:
        return [listed.memory.id for listed in self.candidates]

    @property
    def merged(self) -> ListedMemory:
        """The first candidate with the strength, evidence and contradictions of all of them."""
        first, *others = self.candidates
        if not others:
            return first
        memories = [listed.memory for listed in self.candidates]
        memory = first.memory._replace(
            strength=sum(memory.strength for memory in memories),
            sessions=frozenset[str]().union(*(memory.sessions for memory in memories)),
            claimed=max(memory.confidence for memory in memories),
            provenance=min(memory.provenance for memory in memories),
            said_at=max(memory.said_at for memory in memories),
            evidence=tuple(evidence for memory in memories for evidence in memory.evidence),
        )
        contradicts = {row.id: row for listed in self.candidates for row in listed.contradicts}
        same = {row.id: row for listed in self.candidates for row in listed.may_be_same if row.id not in self.ids}
        return first._replace(memory=memory, contradicts=tuple(contradicts.values()), may_be_same=tuple(same.values()))


def group_candidates(pending: Sequence[ListedMemory]) -> list[Card]:
    """Return the cards of candidates, in order. A card has at most one candidate of each scope, and no habits."""
    groups: list[list[ListedMemory]] = []
    by_key: dict[object, list[list[ListedMemory]]] = {}
    for listed in pending:
        claim = listed.memory.claim
        keys = (claim.key, restatement_key(claim.sentence))
        for group in (group for key in keys for group in by_key.get(key, ())):
            is_other_scope = all(claim.scope != other.memory.claim.scope for other in group)
            if is_other_scope and is_same_lesson(listed.memory, group[0].memory):
                group.append(listed)
                break
        else:
            groups.append([listed])
            for key in keys:
                by_key.setdefault(key, []).append(groups[-1])
    return [Card(tuple(group)) for group in groups]


def _may_be_same(first: str, second: str) -> bool:
    """Return whether memories with these sentences may say the same, which is cheaper to know than whether they do."""
    words = [normalize_text(sentence).rstrip(".!?… ") for sentence in (first, second)]
    return words[0] == words[1] or restatement_key(first) == restatement_key(second)


def is_same_lesson(first: Memory, second: Memory) -> bool:
    """Return whether two memories say the same. A habit is counted where it was observed, and is like no other."""
    if HABIT_SOURCE in (first.source, second.source):
        return False
    return first.claim.key == second.claim.key or is_restatement(first.claim.sentence, second.claim.sentence)


def same_candidates(connection: sqlite3.Connection, memory: Memory) -> list[Memory]:
    """Return the candidates of other scopes that say the same as a memory, the oldest first."""
    sentence = memory.claim.sentence
    rows = (
        row
        for row in similar_memories(connection, sentence, _MAX_SIMILAR)
        if row.status is Status.PENDING and row.scope != memory.claim.scope and _may_be_same(row.sentence, sentence)
    )
    loaded = (reader.load_memory(connection, row.id, must_decode) for row in rows)
    same = [other for other in loaded if other and is_same_lesson(other, memory)]
    return sorted(same, key=lambda other: other.first_event)


class CandidateValues(Record):
    """The projects, kinds and agents of all candidates, each with the number of candidates, the most first."""

    projects: tuple[tuple[str, int], ...]
    kinds: tuple[tuple[str, int], ...]
    agents: tuple[tuple[str, int], ...]


class CardListing(Listing[Card]):
    """The first cards, or all. `total` is the number of candidates. `card_total` is the number of cards, None if there
    are too many candidates to know it."""

    def __init__(self, entries: Iterable[Card], total: int, card_total: int | None) -> None:
        super().__init__(entries, total)
        self.card_total = card_total


def _related_candidates(
    connection: sqlite3.Connection, wanted: MemoryFilter, listed: ListedMemory
) -> list[ListedMemory]:
    """Return the candidates that may say the same as one, or as one of those, in the order of their cards."""
    scopes = {scope for _, scope in reader.pending_by_kind_and_scope(connection)}
    found, queue = {listed.memory.id: listed}, [listed.memory]
    while queue:
        claim = queue.pop().claim
        same, key = same_claims(scopes, claim.key), restatement_key(claim.sentence)
        doc_ids = (same | possible_restatements(connection, claim.sentence)) - set(map(claim_number, found))
        rows = reader.rows_by_doc_id(connection, matching_candidates(connection, wanted, sorted(doc_ids)))
        # Those that `group_candidates` compares with each other.
        alike = [
            doc_id
            for doc_id, row in rows.items()
            if isinstance(row, MemoryRow) and (doc_id in same or restatement_key(row.sentence) == key)
        ]
        for other in load_chunk(connection, alike):
            found[other.memory.id] = other
            queue.append(other.memory)
    by_number = {claim_number(claim): other for claim, other in found.items()}
    order = matching_candidates(connection, wanted, list(by_number)) if len(found) > 1 else by_number
    return [by_number[doc_id] for doc_id in order]


class Review(HomePart):
    """What can be reviewed in one home."""

    def cards(self, limit: int) -> CardListing:
        """Return the cards of the first candidates, the most important first. Nothing is learned, and no details."""
        from tacit.vault.suggestions import Suggestions

        pending = Suggestions(self._home).listing(learn=False, limit=limit, with_details=False)
        cards = group_candidates(list(pending.entries))
        return CardListing(cards, pending.total, len(cards) if pending.total <= limit else None)

    def listing(
        self,
        *,
        kind: Kind | str | None = None,
        filters: Filters | None = None,
        limit: int | None = None,
        with_details: bool = True,
    ) -> CardListing:
        """List the cards of candidates that match, the most important first, after learning habits.

        The first `limit` cards are made, or all. With `with_details`, their candidates have reasons and contradictions.

        Raises:
            UsageError, NotFoundError: a filter names nothing.
        """
        from tacit.vault.suggestions import Suggestions

        def read_candidates(max_candidates: int | None, *, learn: bool) -> Listing[ListedMemory]:
            return Suggestions(self._home).listing(
                kind=kind, filters=filters, learn=learn, limit=max_candidates, with_details=False
            )

        first = read_candidates(_MAX_GROUPED, learn=True)
        if first.total <= _MAX_GROUPED:
            grouped = group_candidates(list(first.entries))
            cards: Iterable[Card] = islice(grouped, limit)
            card_total: int | None = len(grouped)
        else:
            cards = islice(self._large_listing(read_candidates, limit, kind, filters), limit)
            card_total = None
        return CardListing(map(self.detailed, cards) if with_details else cards, first.total, card_total)

    def _large_listing(
        self,
        read_candidates: Callable[..., Listing[ListedMemory]],
        limit: int | None,
        kind: Kind | str | None,
        filters: Filters | None,
    ) -> Iterator[Card]:
        """Yield the cards of more candidates than can be compared with each other: those that `group_candidates` makes.

        Cards depend on each other only if their candidates may say the same. So the candidates that are reached from
        one of them in this way, by its words, are grouped together, and the others need not be loaded.
        """
        with self._store.snapshot() as connection:
            wanted = FilterParser(self._home).memory_filter(
                connection, status=Status.PENDING, kind=kind, scope="all", filters=filters
            )
        cards: dict[ClaimId, Card] = {}  # by the first candidate of each
        grouped: set[ClaimId] = set()
        # Further candidates are read if so many of the first belong to cards that there are too few cards.
        sizes = [None] if limit is None else [size * limit for size in (2, 40)] + [None]
        done = 0
        for size in sizes:
            listing = read_candidates(size, learn=False)
            for listed in islice(listing.entries, done, None):
                done += 1
                if listed.counts is not None:  # a habit is like no other
                    yield Card((listed,))
                    continue
                if listed.memory.id not in grouped:
                    with self._store.snapshot() as connection:
                        related = _related_candidates(connection, wanted, listed)
                    new_cards = group_candidates(related)
                    cards |= {card.ids[0]: card for card in new_cards}
                    grouped.update(claim for card in new_cards for claim in card.ids)
                if listed.memory.id in cards:  # else it belongs to an earlier card
                    yield cards[listed.memory.id]
            if done >= listing.total:
                return

    def detailed(self, card: Card) -> Card:
        """Return a card whose candidates have their reasons and the active memories that they contradict."""
        from tacit.vault.suggestions import with_reasons

        with self._store.snapshot() as connection:
            return Card(
                tuple(listed if listed.counts else with_reasons(connection, listed) for listed in card.candidates)
            )

    def similar(self, memory: Memory, limit: int) -> list[MemoryRow]:
        """Return the active memories and candidates that resemble a memory, the closest first."""
        with self._store.snapshot() as connection:
            rows = similar_memories(connection, memory.claim.sentence, 4 * limit)
            live = (Status.ACTIVE, Status.PENDING)
            return [row for row in rows if row.id != memory.id and row.status in live][:limit]

    def require_pending(self, references: Sequence[str]) -> None:
        """Raise RefusedError if one of these candidates was decided on since it was shown, in a terminal for example.

        What is the id of no memory is left to the decision.
        """
        claims = [ClaimId(reference) for reference in references if is_claim_id(reference)]
        with self._store.snapshot() as connection:
            rows = [reader.memory_row(connection, claim) for claim in claims]
        for row in (row for row in rows if row is not None and row.status is not Status.PENDING):
            status = {Status.RETIRED: "forgotten"}.get(row.status, row.status.value)
            raise RefusedError(
                f"“{clip(row.sentence, 80)}” is {status} already; nothing was changed", f"tacit show {row.id}"
            )

    def values(self) -> CandidateValues:
        """Return by which values the candidates can be filtered."""
        with self._store.snapshot() as connection:
            projects: Counter[str] = Counter()
            kinds: Counter[str] = Counter()
            for (kind, scope), number in reader.pending_by_kind_and_scope(connection).items():
                kinds[kind] += number
                if is_project_scope(scope):
                    projects[project_name(scope)] += number
            rows = list(reader.memory_rows(connection, status=Status.PENDING))
            agents = Counter(agent for row in rows for agent in agents_of_memory(connection, row.id))
            return CandidateValues(
                _most_frequent_first(projects), _most_frequent_first(kinds), _most_frequent_first(agents)
            )


def _most_frequent_first(counts: Counter[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
