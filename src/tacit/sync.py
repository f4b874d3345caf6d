"""What people write into pages and fact files: hand edits become judgements, and foreign lines wait for trust.

Edits of the home's pages, and of our own lines in a repository's fact file, are read back by `tacit sync`. All other
lines of a repository are believed only after a person accepted them (`tacit trust`).
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial

from tacit.errors import RefusedError, TacitError
from tacit.home import repository, trusted_files
from tacit.home.git_versions import FactHistory, read_fact_history, written_since_commit
from tacit.home.home import HomePart
from tacit.home.input import checked_member, checked_text
from tacit.home.project import FACT_FILE
from tacit.home.publish import SyncJournalEntry, memory_views
from tacit.index import reader
from tacit.index.database import mark_stale
from tacit.log.codec import must_decode
from tacit.log.reader import Cursor
from tacit.log.segment import MEMORY_SEGMENT
from tacit.model.claim import GLOBAL, Claim, Scope, Status, project_name
from tacit.model.event import HAND_EDIT, ClaimDecided, ClaimProposed, Draft, Event, EventsUndone
from tacit.model.hand_edits import (
    AddedLine,
    ChangedLine,
    IgnoredLine,
    MemoryOverlay,
    PageEdit,
    RedrawnLine,
    RemovedLine,
    edited_memory,
    ensure_live,
    judge_edit,
    new_claim,
    propose_edit,
)
from tacit.model.ids import ClaimId
from tacit.model.memory import Memory, fold_memory
from tacit.model.trust import distrust_drafts, trust_drafts
from tacit.pages import facts, hand_edits, long_term
from tacit.pages.hand_edits import RepositoryVersions
from tacit.pages.merge import Side
from tacit.pages.view_store import PageVersions, checked_path, copy_with_read_edits
from tacit.record import Record

_FindEdits = Callable[[Sequence[str] | None, Sequence[str]], list[PageEdit]]
_WITHDRAWN = "what an edit proposed before you vouched for it"


class EditedPage(Record):
    """A page with unread edits. `name` is its path below the home or the project, to be shown."""

    path: str
    name: str
    scope: Scope
    versions: PageVersions
    edits: tuple[PageEdit, ...]


class UnreadEdit(Record):
    """An edit that was not read yet, its page, and the memory that it changes, if any."""

    edit: PageEdit
    page: EditedPage
    memory: Memory | None = None


class SyncResult(Record):
    """How many judgements and candidates were recorded, and the edits that were not read, with reasons."""

    judgements: int
    candidates: int
    skipped: tuple[UnreadEdit, ...]


class HandEdits(HomePart):
    """Reads what people changed in the pages."""

    def unread_edits(self) -> list[UnreadEdit]:
        """Return every edit that was not read yet. Nothing is changed."""
        with self._store.drawn_pages() as connection:
            current = partial(reader.load_memory, connection, decode=must_decode)

            def memory_of(edit: PageEdit) -> Memory | None:
                if isinstance(edit, ChangedLine | RemovedLine):
                    return edited_memory(edit, current)
                return None

            pages = self._edited_pages(connection, seen={})
            return [UnreadEdit(edit, page, memory_of(edit)) for page in pages for edit in page.edits]

    def sync(self, seen: Sequence[UnreadEdit], *, vouched: bool) -> SyncResult:
        """Record the edits of `seen`, a result of `unread_edits`. Edits that are not vouched for become candidates.

        Raise RefusedError if the pages have changed since, or if anybody but a person vouches.
        """
        if vouched:
            self._store.actor.require_person("vouches for hand edits", "tacit sync")
        edit_import = _EditImport(vouched)
        seen_pages = {item.page.path: item.page for item in seen}
        with self._store.change() as change:
            pages = self._edited_pages(change.connection, seen_pages)
            if [edit for page in pages for edit in page.edits] != [item.edit for item in seen]:
                raise RefusedError(
                    "the pages changed while you were reading the edits; nothing was taken in", "tacit sync"
                )
            scope_of = partial(self._scope_of, change.connection)
            proposals = _earlier_proposals(change.connection, pages, scope_of) if vouched else {}
            withdrawn_ids = {event.id for events in proposals.values() for event in events}

            def memory_without(claim: ClaimId) -> Memory | None:
                events = reader.events_of_claim(change.connection, claim, must_decode)
                return fold_memory((event for event in events if event.id not in withdrawn_ids), claim)

            overlay = MemoryOverlay(memory_without, self._store.actor.origin())
            edit_import.process(pages, overlay, scope_of, proposals.keys())
            if vouched:
                self._write_journal(change.connection, edit_import)
            withdrawn = [
                Draft(EventsUndone(tuple(event.id for event in events), (claim,), _WITHDRAWN), events[0].scope)
                for claim, events in proposals.items()
            ]
            change.record([*withdrawn, *edit_import.drafts])
            if vouched:
                self._store.finish_sync()
        if edit_import.stale_views and vouched:  # Tacit draws lines that were read again
            with self._store.update_index() as connection:
                mark_stale(connection, edit_import.stale_views)
        return edit_import.result()

    def conflicted_file(self) -> repository.ConflictedFile | None:
        """Return the fact file of the current project if a merge left conflict markers in it.

        Those in pages of the home are edits, as all others are.
        """
        project = self._store.project
        files = repository.conflicted_files(self._store) if project else []
        return next((file for file in files if project and file.path == project.facts), None)

    def resolve(self, shown: repository.ConflictedFile, choices: Sequence[Side | str | None]) -> None:
        """Write the chosen side of each conflict of `shown`, a result of `conflicted_file`. None leaves it.

        Raise RefusedError if the file has changed since, or if anybody but a person decides.
        """
        sides = [None if choice is None else checked_member(Side, choice, "side") for choice in choices]
        self._store.actor.require_person("resolves a conflict of a merge", "tacit sync")

        with self._store.change() as change:
            project, now = self._store.project, self.conflicted_file()
            if project is None or now is None or now.lines != shown.lines:
                raise RefusedError(
                    "the fact file changed while you were reading it; nothing was resolved", "tacit sync"
                )
            rename = partial(facts.with_own_id, scope=self._store.scope_in(change.connection))
            lines = facts.resolve_conflicts(now.lines, sides, rename)
            self._store.view_store.replace_page(now.path, lines, below=project.root)

    def _write_journal(self, connection: sqlite3.Connection, edit_import: _EditImport) -> None:
        keys = {self._store.paths.long_term: long_term.entry_id}
        copies = {
            page.path: copy_with_read_edits(page.versions, lines, keys.get(page.path, facts.fact_id))
            for page, lines in edit_import.processed_lines
        }
        after = Cursor(*reader.log_cursors(connection).get(MEMORY_SEGMENT, ()))
        self._store.sync_journal.write(SyncJournalEntry(after, len(edit_import.drafts), copies))

    def _edited_pages(self, connection: sqlite3.Connection, seen: Mapping[str, EditedPage]) -> list[EditedPage]:
        """Return the pages with edits. Those in `seen`, by path, are compared with what was read before."""
        home, project = self._store.paths, self._store.project
        pages = [
            self._read_page(home.long_term, hand_edits.long_term_edits, seen),
            self._read_page(home.facts, hand_edits.fact_edits, seen),
        ]
        if project:
            pages.append(self._read_project_page(connection, project.root, project.facts, seen))
        return [page for page in pages if page and page.edits]

    def _read_page(self, path: str, find_edits: _FindEdits, seen: Mapping[str, EditedPage]) -> EditedPage | None:
        versions, before = self._store.view_store.edited_versions(path), seen.get(path)
        if versions is None:
            return None
        if before and before.versions == versions:
            return before
        edits = self._checked_edits(find_edits(versions.base, versions.theirs))
        return EditedPage(path, os.path.relpath(path, self._store.paths.root), GLOBAL, versions, tuple(edits))

    def _read_project_page(
        self, connection: sqlite3.Connection, root: str, path: str, seen: Mapping[str, EditedPage]
    ) -> EditedPage | None:
        """Read the edits of our own lines. New lines are the repository's, and need trust."""
        if self.conflicted_file():
            return None  # first somebody has to choose
        scope = self._store.scope_in(connection)
        try:
            history = read_fact_history(root, self._home.environment)
            versions = self._store.view_store.versions(checked_path(root, path))
        except RefusedError:
            return None
        before = seen.get(path)
        if versions is None or (before and (before.versions, before.scope) == (versions, scope)):
            return before
        if history:
            edits = self._edits_since(connection, root, path, history, versions.theirs)
        elif versions.base is None:
            return None
        else:
            edits = hand_edits.fact_edits(versions.base, versions.theirs)
        own = tuple(edit for edit in self._checked_edits(edits) if not isinstance(edit, AddedLine | IgnoredLine))
        return EditedPage(path, os.path.relpath(path, root), scope, versions, own)

    def _edits_since(
        self, connection: sqlite3.Connection, root: str, path: str, history: FactHistory, theirs: Sequence[str]
    ) -> list[PageEdit]:
        """Return what was edited in a repository's file, by hand or by commits."""
        scope = self._store.scope_in(connection)
        trusts = trusted_files.active_trust(connection)
        brought = {ClaimId(line.claim) for trust in trusts.values() for line in trust.trusted.lines}
        views = memory_views(connection, sorted(brought.union(reader.shared_ids(connection, scope))))
        own = {
            view.memory.id: facts.fact_line(view)
            for view in views
            if view.memory.claim.scope == scope and view.is_effective and view.memory.is_in_fact_file
        }
        trust = trusts.get(path)
        accepted = {line.sha256 for line in trust.trusted.lines} if trust else set()
        written = written_since_commit(self._store.view_store, root, path)
        versions = RepositoryVersions(theirs, history.head, history.past_lines, written)
        return hand_edits.repository_edits(own, accepted, versions)

    def _checked_edits(self, edits: Iterable[PageEdit]) -> Iterator[PageEdit]:
        """Yield the edits; for one whose text may not be recorded, an ignored line with the reason."""
        for edit in edits:
            texts = [edit.text] if isinstance(edit, AddedLine | ChangedLine) else []
            if isinstance(edit, ChangedLine) and edit.evidence:
                texts.append(edit.evidence)
            try:
                for text in filter(None, texts):
                    checked_text(text, self._home.settings.limits_text, "the text")
            except TacitError as error:
                yield IgnoredLine(edit.line, error.message)
            else:
                yield edit

    def _scope_of(self, connection: sqlite3.Connection, page: EditedPage, edit: PageEdit) -> Scope:
        """Return the scope of the page; for a new entry that names a project, the project's if there is one such."""
        if isinstance(edit, AddedLine) and edit.project:
            scopes = {row.scope for row in reader.memory_rows(connection) if project_name(row.scope) == edit.project}
            if len(scopes) == 1:
                return scopes.pop()
        return page.scope


def _earlier_proposals(
    connection: sqlite3.Connection, pages: Sequence[EditedPage], scope_of: Callable[[EditedPage, PageEdit], Scope]
) -> dict[ClaimId, list[Event]]:
    """Return proposals of an earlier sync of the same edits that nobody vouched for or decided on, by claim.

    They are withdrawn, because one edit is one observation (ADR 42).
    """
    lookup = partial(reader.load_memory, connection, decode=must_decode)
    claims = (new_claim(edit, lookup, scope_of(page, edit)) for page in pages for edit in page.edits)
    proposals: dict[ClaimId, list[Event]] = {}
    for claim in filter(None, claims):
        memory = lookup(claim.id)
        if memory and memory.status is Status.PENDING and not memory.touched_by_user:
            events = reader.events_of_claim(connection, claim.id, must_decode)
            own = [e for e in events if isinstance(e.body, ClaimProposed) and e.origin.actor == HAND_EDIT]
            if own:
                proposals[claim.id] = own
    return proposals


class _EditImport:
    """Turns edits into drafts for the log, and collects the lines that were read and those that were skipped."""

    def __init__(self, vouched: bool) -> None:
        self.drafts: list[Draft] = []
        self._draft_keys: set[tuple[object, ...]] = set()
        self.processed_lines: list[tuple[EditedPage, set[str]]] = []
        self._vouched = vouched
        self._skipped: list[UnreadEdit] = []
        self.stale_views: set[str] = set()
        self._page_by_claim: dict[ClaimId, str] = {}
        self._asserted: dict[ClaimId, tuple[Claim, Status, str]] = {}

    def process(
        self,
        pages: Sequence[EditedPage],
        overlay: MemoryOverlay,
        scope_of: Callable[[EditedPage, PageEdit], Scope],
        withdrawn: Collection[ClaimId] = (),
    ) -> None:
        """Turn the edits into drafts.

        Removed lines come first, because the same words may be on another line. Then come lines whose earlier proposal
        is withdrawn: edits of other lines may refer to these memories, which must exist again.
        """

        def order(item: tuple[EditedPage, PageEdit]) -> int:
            page, edit = item
            if isinstance(edit, RemovedLine):
                return 0
            claim = new_claim(edit, overlay.memory, scope_of(page, edit)) if withdrawn else None
            return 1 if claim and claim.id in withdrawn else 2

        lines: dict[str, set[str]] = {page.path: set() for page in pages}
        edited = [(page, edit) for page in pages for edit in page.edits]
        for page, edit in sorted(edited, key=order):
            try:
                drafts = self._drafts_for(edit, overlay, scope_of(page, edit), page.name)
            except TacitError as error:
                self._skipped.append(UnreadEdit(IgnoredLine(edit.line, error.message), page))
                continue
            self._apply(drafts, overlay)
            if isinstance(edit, IgnoredLine):
                self._skipped.append(UnreadEdit(edit, page))
            else:
                self._note_assertion(edit, drafts, overlay, page.name)
                self._note_stale_views(edit, drafts)
                lines[page.path] |= (
                    {edit.line, edit.old_line} if isinstance(edit, ChangedLine | RedrawnLine) else {edit.line}
                )
        for claim, status, name in list(self._asserted.values()):
            self._apply(ensure_live(claim, status, overlay.memory(claim.id), name), overlay)
        skipped = {(item.page.name, item.edit.line) for item in self._skipped}
        self.processed_lines = [
            (page, {line for line in lines[page.path] if (page.name, line) not in skipped}) for page in pages
        ]

    def _apply(self, drafts: list[Draft], overlay: MemoryOverlay) -> None:
        self.drafts += drafts
        for draft in drafts:
            self._draft_keys.add(_draft_key(draft))
            overlay.apply(draft)

    def _note_assertion(self, edit: PageEdit, drafts: list[Draft], overlay: MemoryOverlay, page: str) -> None:
        """Remember a claim that an edit states and that is live now: no other line may take it back."""
        for draft in drafts if self._vouched and isinstance(edit, AddedLine | ChangedLine) else []:
            assert isinstance(draft.body, ClaimProposed | ClaimDecided)
            claim = (draft.body.instead if isinstance(draft.body, ClaimDecided) else None) or draft.body.claim
            memory = overlay.memory(claim.id)
            if memory and memory.is_live:
                self._asserted[claim.id] = (claim, memory.status, page)

    def _drafts_for(self, edit: PageEdit, overlay: MemoryOverlay, scope: Scope, page: str) -> list[Draft]:
        """Return the drafts of an edit. Raise TacitError if another page has another edit of the same claim."""
        if not self._vouched:
            drafts = propose_edit(edit, overlay.memory, scope, page)
            return [] if self._is_duplicate(drafts) else drafts
        judge = partial(judge_edit, edit, overlay.memory, scope, page)
        if isinstance(edit, ChangedLine | RemovedLine) and self._page_by_claim.setdefault(edit.claim, page) != page:
            with suppress(TacitError):
                if self._is_duplicate(judge()):
                    return []
            raise RefusedError("edited otherwise in another page; say it once more")
        drafts = judge()
        return [] if self._is_duplicate(drafts) else drafts

    def _is_duplicate(self, drafts: list[Draft]) -> bool:
        """Return whether another page led to the same drafts, or there are none."""
        return all(_draft_key(draft) in self._draft_keys for draft in drafts)

    def _note_stale_views(self, edit: PageEdit, drafts: list[Draft]) -> None:
        """Note what has to be drawn again. The memories that the drafts are about are drawn in any case."""
        if isinstance(edit, ChangedLine | RemovedLine):
            claim: ClaimId | None = edit.claim
        else:  # the line of a memory that was copied
            claim = long_term.entry_id(edit.line.rstrip()) or facts.fact_id(edit.line)
        if claim:
            self.stale_views.add(f"memory {claim}")
        elif not drafts:
            self.stale_views.add("everything")

    def result(self) -> SyncResult:
        candidates = 0 if self._vouched else len(self.drafts)
        return SyncResult(len(self.drafts) - candidates, candidates, tuple(self._skipped))


def _draft_key(draft: Draft) -> tuple[object, ...]:
    """Return what a judgement decides, whichever page it was read from."""
    body = draft.body
    assert isinstance(body, ClaimProposed | ClaimDecided)
    return body.verdict, body.claim.id, body.instead and body.instead.id if isinstance(body, ClaimDecided) else None


# Trust in a repository's fact file


class Trust(HomePart):
    """Trust in the repository of the current folder. Every method raises RefusedError if there is none."""

    def inspect(self) -> repository.RepositoryFacts:
        """Return what the repository brought. Nothing of it is believed by looking."""
        with self._store.snapshot() as connection:
            return repository.inspect_repository(self._store, connection, self._home.settings.limits_text)[0]

    def trust(self, shown: repository.RepositoryFacts) -> list[Memory]:
        """Accept the waiting lines of `shown`, the result of `inspect`, and return their memories.

        Raise RefusedError if the file has changed since, or if the actor is not a person.
        """
        self._store.actor.require_person("trusts a repository", "tacit trust")
        with self._store.change() as change:
            current, file = repository.inspect_repository(
                self._store, change.connection, self._home.settings.limits_text
            )
            if current.waiting != shown.waiting or file is None:
                raise RefusedError(
                    "the fact file changed while you were reading it; nothing was accepted", "tacit trust"
                )
            if current.waiting:
                before = current.accepted.trusted if current.accepted else None
                named = [line.claim.id for line in current.waiting if line.claim]
                loaded = reader.load_memories(change.connection, must_decode, named)
                known = {memory.id: memory.strength for memory in loaded if memory.status is Status.ACTIVE}
                change.record(trust_drafts(file, current.waiting, before, f"{FACT_FILE} of the repository", known))
            claims = [line.claim.id for line in shown.waiting if line.claim]
            memories = (reader.load_memory(change.connection, claim, must_decode) for claim in claims)
            return [memory for memory in memories if memory]

    def distrust(self) -> int:
        """End the trust in the repository and return how many lines had been accepted.

        Raise RefusedError if none was, or if the actor is not a person.
        """
        self._store.actor.require_person("ends the trust in a repository", "tacit trust --revoke")
        with self._store.change() as change:
            trust = trusted_files.active_trust(change.connection).get(repository.require_project(self._store).facts)
            if trust is None:
                raise RefusedError("nothing of this repository was accepted", "tacit trust --show")
            operations = trusted_files.trust_operations(change.connection, trust)
            change.record(distrust_drafts(trust, operations, "ended by the person"))
        return len(trust.trusted.lines)
