"""Cards: candidates of several projects that say the same are decided on together; and the values to filter by."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence

from tacit.errors import RefusedError
from tacit.home.home import HomePart
from tacit.index import reader
from tacit.index.adherence import ineffective_claims
from tacit.index.reader import MemoryFilter, MemoryRow
from tacit.log.codec import must_decode
from tacit.model.claim import Status, is_project_scope, project_name
from tacit.model.ids import ClaimId
from tacit.model.memory import Memory
from tacit.model.relation import is_restatement, restatement_key
from tacit.record import Record
from tacit.search.memories import similar_memories
from tacit.text.display import clip
from tacit.text.words import normalize_text
from tacit.vault.queries import Filters, ListedMemory, agents_of_memory

_MAX_SIMILAR = 50  # memories that are compared with a candidate to find it in other projects
_HABIT_SOURCE = "habit"  # as in `learn.habits.learn`, which is too much to import for one word


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
            evidence=tuple(evidence for memory in memories for evidence in memory.evidence),
        )
        contradicts = {row.id: row for listed in self.candidates for row in listed.contradicts}
        return first._replace(memory=memory, contradicts=tuple(contradicts.values()))


def group_candidates(pending: Sequence[ListedMemory]) -> list[Card]:
    """Return the cards of candidates, in order. A card has at most one candidate of each scope, and no habits."""
    groups: list[list[ListedMemory]] = []
    by_key: dict[object, list[list[ListedMemory]]] = {}
    for listed in pending:
        claim = listed.memory.claim
        keys = (claim.key, restatement_key(claim.sentence))
        similar = (group for key in keys for group in by_key.get(key, ()))
        group = next((group for group in similar if _fits(listed, group)), None)
        if group is not None:
            group.append(listed)
            continue
        groups.append([listed])
        for key in keys:
            by_key.setdefault(key, []).append(groups[-1])
    return [Card(tuple(group)) for group in groups]


def _fits(listed: ListedMemory, group: Sequence[ListedMemory]) -> bool:
    is_other_scope = all(listed.memory.claim.scope != other.memory.claim.scope for other in group)
    return is_other_scope and is_same_lesson(listed.memory, group[0].memory)


def _may_be_same(first: str, second: str) -> bool:
    """Return whether memories with these sentences may say the same, which is cheaper to know than whether they do."""
    words = [normalize_text(sentence).rstrip(".!?… ") for sentence in (first, second)]
    return words[0] == words[1] or restatement_key(first) == restatement_key(second)


def is_same_lesson(first: Memory, second: Memory) -> bool:
    """Return whether two memories say the same. A habit is counted where it was observed, and is like no other."""
    if _HABIT_SOURCE in (first.source, second.source):
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


class ReviewCounts(Record):
    """How much waits for the person: candidates, memories that contradict each other, memories that did not help."""

    pending: int
    undecided: int
    ineffective: int


class Review(HomePart):
    """What can be reviewed in one home."""

    def cards(
        self,
        *,
        kind: str | None = None,
        filters: Filters | None = None,
        learn: bool = True,
        limit: int | None = None,
    ) -> list[Card]:
        """Return the cards of candidates that match, the most important first.

        Args:
            kind, filters: only these.
            learn: learn habits first.
            limit: look only at so many candidates, those that were touched last. All of a large home take long.

        Raises:
            UsageError, NotFoundError: a filter names nothing.
        """
        from tacit.vault.suggestions import Suggestions

        pending = Suggestions(self._home).suggestions(kind=kind, filters=filters, learn=learn, limit=limit)
        return group_candidates(pending)

    def detailed(self, card: Card) -> Card:
        """Return a card whose candidates have their reasons and the active memories that they contradict."""
        from tacit.vault.suggestions import with_reasons

        def read(connection: sqlite3.Connection) -> Card:
            return Card(
                tuple(listed if listed.counts else with_reasons(connection, listed) for listed in card.candidates)
            )

        return self._store.read(read)

    def similar(self, memory: Memory, limit: int) -> list[MemoryRow]:
        """Return the active memories and candidates that resemble a memory, the closest first."""

        def read(connection: sqlite3.Connection) -> list[MemoryRow]:
            rows = similar_memories(connection, memory.claim.sentence, 4 * limit)
            live = (Status.ACTIVE, Status.PENDING)
            return [row for row in rows if row.id != memory.id and row.status in live][:limit]

        return self._store.read(read)

    def require_pending(self, references: Sequence[str]) -> None:
        """Raise RefusedError if one of these candidates was decided on since it was shown, in a terminal for example.

        Ids that belong to no memory are left to the decision.
        """

        def read(connection: sqlite3.Connection) -> list[MemoryRow]:
            rows = (reader.memory_row(connection, ClaimId(reference)) for reference in references)
            return [row for row in rows if row is not None and row.status is not Status.PENDING]

        for row in self._store.read(read):
            status = {Status.RETIRED: "forgotten"}.get(row.status, row.status.value)
            raise RefusedError(
                f"“{clip(row.sentence, 80)}” is {status} already; nothing was changed", f"tacit show {row.id}"
            )

    def counts(self) -> ReviewCounts:
        """Return how much waits for a decision."""

        def read(connection: sqlite3.Connection) -> ReviewCounts:
            return ReviewCounts(
                reader.count_memories(connection, MemoryFilter(Status.PENDING)),
                reader.count_conflicting(connection),
                len(ineffective_claims(connection, must_decode)) if reader.has_checks(connection) else 0,
            )

        return self._store.read(read)

    def values(self, *, max_rows: int | None = None) -> CandidateValues:
        """Return by which values the candidates can be filtered. Agents are left out of more than `max_rows`."""

        def read(connection: sqlite3.Connection) -> CandidateValues:
            projects: Counter[str] = Counter()
            kinds: Counter[str] = Counter()
            for (kind, scope), number in reader.pending_by_kind_and_scope(connection).items():
                kinds[kind] += number
                if is_project_scope(scope):
                    projects[project_name(scope)] += number
            agents: Counter[str] = Counter()
            if max_rows is None or kinds.total() <= max_rows:
                rows = reader.memory_rows(connection, status=Status.PENDING)
                agents.update(agent for row in list(rows) for agent in agents_of_memory(connection, row.id))
            return CandidateValues(
                _most_frequent_first(projects), _most_frequent_first(kinds), _most_frequent_first(agents)
            )

        return self._store.read(read)


def _most_frequent_first(counts: Counter[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
