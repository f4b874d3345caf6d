"""Queries on a home: recall, brief, lists of memories, one memory and what it rests on, conflicts."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from itertools import islice

from tacit.errors import IndexUnusableError, NotFoundError, StoreError, UsageError
from tacit.home.home import HomePart
from tacit.index import reader
from tacit.index.database import translate_sqlite_errors
from tacit.log.codec import must_decode
from tacit.model.claim import GLOBAL, Kind, Provenance, Status, is_project_scope, project_name, scope_label
from tacit.model.event import Draft
from tacit.model.observation import BriefInjected, RecallAsked
from tacit.record import Record
from tacit.secrets import redacted
from tacit.text.display import clean, clip
from tacit.vault import listing
from tacit.vault.listing import FilterParser, Filters, ListedMemory, Listing

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from tacit.brief import Brief
    from tacit.index.listings import MemoryFilter
    from tacit.index.reader import MemoryRow
    from tacit.model.conflict import Ruling
    from tacit.model.ids import ClaimId
    from tacit.model.memory import Memory
    from tacit.search.rank import Query
    from tacit.vault.evidence import MemoryConflict, MemoryEvent, MemoryRelations
    from tacit.vault.hits import Hit, SessionQuote

_COMMAND_EVENT = "command.ran"
_MAX_LEADING = 200  # memories that a brief without task and tags is chosen from


class LatestFilter(Record):
    """Which memories to list, the latest first. `project` may be `global`; `source` is the name of a provenance."""

    status: Status | str | None = Status.ACTIVE
    kinds: tuple[Kind | str, ...] | None = None
    project: str | None = None
    source: str | None = None
    since: str | None = None


class Search(HomePart):
    """Queries on one home. None of them changes a memory."""

    # Recall

    def recall(
        self,
        query: str,
        *,
        limit: int | None = None,
        kind: Kind | str | None = None,
        scope: str | None = None,
        since: str | None = None,
        as_of: str | None = None,
        everything: bool = False,
        observe: bool = True,
    ) -> list[Hit]:
        """Search memories, sessions, commands and the worklog.

        Args:
            query: words, or a question.
            limit: how many hits at most; default: the setting `recall.limit`.
            kind: only this kind of memory or page.
            scope: `local`, `global`, `all` or `project:NAME`; default: the current project and global, or all outside
                of a project.
            since: only what was touched since this time, as people type it: `7d`, `yesterday`, `2026-11-15`.
            as_of: answer as the home was at this time.
            everything: also what was dismissed, forgotten or overruled.
            observe: record the question, so that `evaluate` can count questions without an answer.

        Returns:
            Hits, the best first. An agent gets no candidates.

        Raises:
            UsageError: a limit, kind, scope or time that does not exist.
            NotFoundError: a project that is not known.
        """
        from tacit.search.rank import Query

        kind_name = listing.checked_kind_name(kind)
        if limit is None:
            limit = self._home.settings.recall_limit
        if limit < 1:
            raise UsageError("--limit must be at least 1")
        parser = FilterParser(self._home)
        until = None if as_of is None else parser.time(as_of, end_of_day=True)
        past = self._store.snapshot() if until is None else closing(self._store.indexer.in_memory_index(until))
        with past as connection:
            is_person = self._store.actor.is_person
            scopes = parser.scopes(connection, scope)
            search_query = Query(
                clean(query),
                limit,
                kind_name,
                scopes,
                parser.time(since),
                everything,
                accepted_only=not is_person,  # an agent gets no candidate before the person has accepted it
                folders=parser.folders(connection, scope) if scopes is not None else (),
                by_person=is_person,
            )
            hits = self._answers(connection, search_query)
        if observe and until is None:
            self._store.observe(Draft(RecallAsked(redacted(clip(clean(query), 200)), len(hits)), self._store.scope()))
        return hits

    def _answers(self, connection: sqlite3.Connection, query: Query) -> list[Hit]:
        from tacit.search.rank import search
        from tacit.vault.hits import HitBuilder

        results = search(connection, query, must_decode)
        if not results and reader.has_lost_postings(connection):
            raise IndexUnusableError("its tables disagree")
        return HitBuilder(self._home).build(connection, results)

    def recall_like(self, reference: str, *, limit: int | None = None) -> list[Hit]:
        """Return what resembles a memory, without the memory itself.

        Raise NotFoundError if there is no such memory.
        """
        memory = self.show(reference).memory
        if limit is None:
            limit = self._home.settings.recall_limit
        hits = self.recall(memory.claim.sentence, limit=limit + 1, observe=False)
        return [hit for hit in hits if hit.id != memory.id][:limit]

    def index_new_commands(self) -> None:
        """Index the commands that ran since the last catch-up. Only recall of commands waits for that."""
        index = self._store.index_as_is()
        if index is None:
            return
        with suppress(IndexUnusableError, StoreError), translate_sqlite_errors():
            if next(self._store.indexer.unindexed_events(index, _COMMAND_EVENT), None) is not None:
                self._store.catch_up()

    # Brief

    def brief(self, *, task: str = "", tags: Sequence[str] = (), observe: bool = True) -> Brief:
        """Compose what an agent should know before a task: at most seven memories, standing rules first.

        Args:
            task: what is to be done, in words; memories that are relevant to it come first.
            tags: prefer memories with these tags.
            observe: record which memories the brief has.
        """
        from tacit.brief import BriefLimits, compose_brief, is_standing_rule
        from tacit.home.input import checked_tags
        from tacit.inject.checks import missing_names, without_outdated
        from tacit.search.rank import relevance

        with self._store.snapshot() as connection:
            scopes = self._store.scopes_in(connection)
            only_leading = not tags and not task  # then nothing below the leading memories can be chosen
            leading = reader.leading_memories(connection, scopes, _MAX_LEADING if only_leading else -1)
            rules_read = sum(map(is_standing_rule, leading))
            shares = relevance(connection, clean(task)) if task else {}
            if shares and reader.has_checks(connection):
                from tacit.index.adherence import adjusted_relevance

                shares = adjusted_relevance(connection, leading, shares)
            missing = missing_names(leading, self._home)
            brief = compose_brief(
                without_outdated(leading, missing),
                tags=frozenset(checked_tags(tags)),
                relevance=shares,
                nonce=self._store.entropy().hex(),
                limits=BriefLimits(self._home.settings.brief_entries, self._home.settings.brief_tokens),
                unread=reader.count_rules(connection, scopes) - rules_read if only_leading else 0,
                missing=missing,
            )
        if observe and brief.entries:
            body = BriefInjected(tuple(brief.ids), brief.tokens, redacted(clip(clean(task), 200)))
            self._store.observe(Draft(body, self._store.scope()))
        return brief

    @property
    def scope_text(self) -> str:
        """The scopes that a brief is chosen from, in words."""
        current = self._store.scope()
        return f"{scope_label(current)} and global" if is_project_scope(current) else "global"

    # Lists

    def listing(
        self,
        *,
        status: Status | str | None = Status.ACTIVE,
        kind: Kind | str | None = None,
        scope: str | None = None,
        tag: str | None = None,
        filters: Filters | None = None,
        limit: int | None = None,
    ) -> Listing[ListedMemory]:
        """List memories, the latest first. The first `limit` are loaded, or all, and all are counted.

        Args:
            status: a `Status` or its value: active, pending, retired or dismissed; `None` for all.
            kind, scope, tag: only these.
            filters: by project, agent and age. With a project, `scope` is `all` by default.
            limit: how many are loaded at most.

        Raises:
            UsageError, NotFoundError: a filter that names nothing.
        """
        from tacit.index import listings

        with self._store.snapshot() as connection:
            wanted = FilterParser(self._home).memory_filter(
                connection, status=status, kind=kind, scope=scope, filters=filters
            )
            wanted = wanted._replace(tag=tag)
            doc_ids, total = listings.latest_ids(connection, wanted, limit), listings.count_memories(connection, wanted)
            listing.must_agree(doc_ids, total, limit)
        return Listing(self.load_memories(doc_ids), total)

    def load_memories(self, doc_ids: Sequence[int]) -> Iterator[ListedMemory]:
        """Yield memories by their doc ids, in the given order. Those that were removed meanwhile are left out."""
        return listing.load_in_chunks(self._store, doc_ids, listing.load_chunk)

    def latest(
        self,
        *,
        status: Status | str | None = Status.ACTIVE,
        kinds: Sequence[Kind | str] | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> tuple[list[MemoryRow], int]:
        """Return a part of the memories, the latest first, and how many there are.

        Raise UsageError if a filter names nothing.
        """
        return self.latest_of(LatestFilter(status, None if kinds is None else tuple(kinds)), limit, offset)

    def latest_of(self, wanted: LatestFilter, limit: int, offset: int = 0) -> tuple[list[MemoryRow], int]:
        """Return a part of the memories that match, the latest first, and how many there are.

        Raise UsageError or NotFoundError if a filter names nothing.
        """
        from tacit.index import listings

        with self._store.snapshot() as connection:
            memories = self._memory_filter(connection, wanted)
            rows = listings.latest_memories(connection, memories, limit, offset)
            return rows, listings.count_memories(connection, memories)

    def facets(self, wanted: LatestFilter) -> dict[str, dict[str, int]]:
        """Return by status, kind, project and source how many memories would match with each value instead."""
        from tacit.index import listings

        with self._store.snapshot() as connection:

            def count(column: str, **free: None) -> dict[Any, int]:
                memories = self._memory_filter(connection, wanted._replace(**free))
                return listings.count_values(connection, memories, column)

            projects: Counter[str] = Counter()
            for scope, number in count("scope", project=None).items():
                projects[project_name(scope) if is_project_scope(scope) else GLOBAL] += number
            sources = count("provenance", source=None).items()
            return {
                "status": count("status", status=None),
                "kind": count("kind", kinds=None),
                "project": projects,
                "source": {Provenance(value).name.lower(): number for value, number in sources},
            }

    def _memory_filter(self, connection: sqlite3.Connection, wanted: LatestFilter) -> MemoryFilter:
        from tacit.home.input import checked_status
        from tacit.index.listings import MemoryFilter

        parser, kinds = FilterParser(self._home), wanted.kinds
        names = None if kinds is None else tuple(name for kind in kinds if (name := listing.checked_kind_name(kind)))
        project = wanted.project or ""
        scope = project if project == GLOBAL else f"project:{project}" if project else "all"
        scopes, since = parser.scopes(connection, scope), parser.time(wanted.since)
        sources = {source.name.lower(): source for source in Provenance}
        if wanted.source and wanted.source not in sources:
            raise UsageError(f"no such source: {wanted.source!r}", f"one of {', '.join(sources)}")
        source = sources.get(wanted.source or "")
        return MemoryFilter(checked_status(wanted.status), names, scopes, since=since, provenance=source)

    def projects(self) -> list[str]:
        """Return the names of all projects that have memories."""
        scopes = self._store.read(reader.all_scopes)
        return sorted({project_name(scope) for scope in scopes if is_project_scope(scope)})

    # One memory

    def show(self, reference: str, *, by_text: bool = False) -> ListedMemory:
        """Return one memory by its id, a prefix of the id or its text; with `by_text` by its text alone.

        Raise NotFoundError if there is none, UsageError if the reference fits several.
        """
        from tacit.vault.evidence import with_basis

        with self._store.snapshot() as connection:
            memory = self._find(connection, reference, by_text=by_text)
            events = reader.events_of_claim(connection, memory.id, must_decode)
            return with_basis(listing.load_entry(connection, memory.id), events)

    def meant(self, reference: str) -> ClaimId:
        """Return the memory that a person means to look at: as for `show`, or the only one with all these words.

        Raise NotFoundError if there is none, or several have them.
        """
        from tacit.search.memories import only_match

        with self._store.snapshot() as connection:
            try:
                return self._find(connection, reference).id
            except NotFoundError:
                if (match := only_match(connection, reference)) is None:
                    raise
                return match

    def why(self, reference: str) -> tuple[ListedMemory, list[MemoryEvent]]:
        """Return a memory and the events it was folded from, in order, each with its line in the log.

        Raise NotFoundError if there is none.
        """
        from tacit.vault.evidence import load_history, with_basis

        with self._store.snapshot() as connection:
            memory = self._find(connection, reference)
            history = load_history(connection, self._store.log, memory.id)
            return with_basis(listing.load_entry(connection, memory.id), [entry.event for entry in history]), history

    def source_quotes(self, reference: str, *, limit: int = 10) -> list[SessionQuote]:
        """Return the passages of sessions that a memory was learned from, each with its session and turn.

        Raise NotFoundError if there is no such memory.
        """
        from tacit.vault.evidence import source_ids
        from tacit.vault.hits import HitBuilder

        with self._store.snapshot() as connection:
            sources = source_ids(connection, self._find(connection, reference).id)[:limit]
            builder = HitBuilder(self._home)
            quotes = (builder.source_quote(connection, source) for source in sources)
            return [quote for quote in quotes if quote is not None]

    def relations(self, reference: str) -> MemoryRelations:
        """Return the memories that one replaced, overrules or contradicts, and those that do so to it.

        Raise NotFoundError if there is no such memory.
        """
        from tacit.vault.evidence import load_relations

        with self._store.snapshot() as connection:
            row = reader.memory_row(connection, self._find(connection, reference).id)
            assert row is not None
            return load_relations(connection, row)

    def _find(self, connection: sqlite3.Connection, reference: str, *, by_text: bool = False) -> Memory:
        from tacit.search.memories import memory_with_text, resolve_memory

        find = memory_with_text if by_text else resolve_memory
        return find(connection, clean(reference), self._store.scope_in(connection))

    # Conflicts

    def conflicts(self, limit: int | None = None, *, decided: bool | None = None) -> Listing[MemoryConflict]:
        """List pairs of active memories that contradict each other: all, or only those that a rule decided or not."""
        from tacit.index import listings
        from tacit.vault.evidence import load_conflicts

        with self._store.snapshot() as connection:
            rulings = [*islice(listings.rulings(connection, decided), limit)]
            total = listings.count_rulings(connection, decided)
        return Listing(listing.load_in_chunks(self._store, rulings, load_conflicts), total)

    def rulings(self) -> list[Ruling]:
        """Return all rulings between active memories."""
        from tacit.index import listings

        return self._store.read(lambda connection: [*listings.rulings(connection)])

    def load_rulings(self, rulings: Sequence[Ruling]) -> list[MemoryConflict]:
        """Return rulings with their memories."""
        from tacit.vault.evidence import load_conflicts

        return self._store.read(lambda connection: load_conflicts(connection, rulings)) if rulings else []

    def conflicts_of(self, claim: ClaimId) -> list[MemoryConflict]:
        """Return the conflicts of one memory."""
        from tacit.index import listings

        return self.load_rulings(self._store.read(lambda connection: listings.rulings_of(connection, claim)))
