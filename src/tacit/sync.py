"""Hand edits come in as judgements: of the home's pages, and of the lines Tacit wrote in a repository's fact file."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from tacit.errors import RefusedError, TacitError
from tacit.home.home import HomePart
from tacit.home.input import checked_text
from tacit.home.publish import SyncJournalEntry
from tacit.index import reader
from tacit.log.codec import must_decode
from tacit.log.log import MEMORY_SEGMENT, Cursor
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
    latest_lookup,
    new_claim,
    propose_edit,
)
from tacit.model.ids import ClaimId
from tacit.model.memory import Memory, fold_memory
from tacit.pages import facts, long_term
from tacit.pages import hand_edits as edits
from tacit.pages.view_store import PageVersions, checked_path, copy_with_read_edits


@dataclass(frozen=True, slots=True)
class EditedPage:
    """A page with unread edits. `name` is how it is told to people."""

    path: str
    name: str
    scope: Scope
    versions: PageVersions
    edits: tuple[PageEdit, ...]


@dataclass(frozen=True, slots=True)
class UnreadEdit:
    """An edit in words: what it does, to which memory, with what text before and after."""

    edit: PageEdit
    page: str
    memory: Memory | None = None


@dataclass(frozen=True, slots=True)
class SyncResult:
    """What became of the edits."""

    judgements: int
    candidates: int
    skipped: tuple[UnreadEdit, ...]


class HandEdits(HomePart):
    """Reading back what people changed in the pages."""

    def unread_edits(self) -> list[UnreadEdit]:
        """Every edit that was not read yet. Looking changes nothing."""

        def told(connection: sqlite3.Connection) -> list[UnreadEdit]:
            itself = partial(reader.load_memory, connection, decode=must_decode)
            return [
                UnreadEdit(
                    edit,
                    page.name,
                    edited_memory(edit, itself, latest_lookup(itself))
                    if isinstance(edit, ChangedLine | RemovedLine)
                    else None,
                )
                for page in self._edited_pages(connection)
                for edit in page.edits
            ]

        self._store.finish_interrupted_sync()
        return self._store.read(told)

    def sync(self, seen: Sequence[UnreadEdit], *, vouched: bool) -> SyncResult:
        """Take in the edits that were seen. Those that nobody vouches for become candidates, and stay unread."""
        if vouched:
            self._store.actor.require_person("vouches for hand edits", "tacit sync")
        taking = _EditImport(vouched, [one.edit for one in seen])

        def decision(connection: sqlite3.Connection) -> Sequence[Draft]:
            pages = self._edited_pages(connection)
            if [edit for page in pages for edit in page.edits] != taking.seen:
                raise RefusedError(
                    "the pages changed while you were reading the edits; nothing was taken in", "tacit sync"
                )
            scope_of = partial(self._scope_of, connection)
            found = _earlier_proposals(connection, pages, scope_of) if vouched else {}
            foresight = MemoryOverlay(partial(_memory_without, connection, found), self._store.actor.origin())
            taking.process(pages, foresight, scope_of, found.keys())
            if vouched:
                self._write_journal(connection, taking)
            return [*(_withdrawal(claim, events) for claim, events in found.items()), *taking.drafts]

        def tell(connection: sqlite3.Connection, _events: object) -> SyncResult:
            if vouched:  # what was taken in is Tacit's to draw again
                self._store.finish_sync()
                connection.execute("INSERT OR IGNORE INTO stale VALUES ('everything')")
            return taking.result()

        return self._store.change(decision, tell)

    def _write_journal(self, connection: sqlite3.Connection, taking: _EditImport) -> None:
        keys = {self._store.paths.long_term: long_term.entry_id}
        copies = {
            page.path: copy_with_read_edits(page.versions, lines, keys.get(page.path, facts.fact_id))
            for page, lines in taking.processed_lines
        }
        after = Cursor(*reader.log_cursors(connection).get(MEMORY_SEGMENT, ()))
        self._store.sync_journal.write(SyncJournalEntry(after, len(taking.drafts), copies))

    def _edited_pages(self, connection: sqlite3.Connection) -> list[EditedPage]:
        home, project = self._store.paths, self._store.project
        pages = [
            self._read_page(home.long_term, GLOBAL, edits.long_term_edits),
            self._read_page(home.facts, GLOBAL, edits.fact_edits),
        ]
        if project:
            pages.append(self._read_project_page(project.root, project.facts, self._store.scope_in(connection)))
        return [page for page in pages if page and page.edits]

    def _read_page(
        self, path: str, scope: Scope, read: Callable[[Sequence[str] | None, Sequence[str]], list[PageEdit]]
    ) -> EditedPage | None:
        sides = self._store.publisher.view_store.edited_versions(path)
        if sides is None:
            return None
        found = tuple(_checked_edit(edit, self._home.settings.limits_text) for edit in read(sides.base, sides.theirs))
        return EditedPage(path, os.path.relpath(path, self._store.paths.root), scope, sides, found)

    def _read_project_page(self, root: str, path: str, scope: Scope) -> EditedPage | None:
        """Only what became of our own lines: new ones are the repository's, and a matter of trust."""
        try:
            page = self._read_page(checked_path(root, path), scope, edits.fact_edits)
        except RefusedError:
            return None
        if page is None or page.versions.base is None:
            return None
        own = tuple(edit for edit in page.edits if not isinstance(edit, AddedLine | IgnoredLine))
        return EditedPage(path, os.path.relpath(path, root), scope, page.versions, own)

    def _scope_of(self, connection: sqlite3.Connection, page: EditedPage, edit: PageEdit) -> Scope:
        """A new entry is of the page's scope, or of the project that it names."""
        if isinstance(edit, AddedLine) and edit.project:
            scopes = {
                entry.scope for entry in reader.memory_rows(connection) if project_name(entry.scope) == edit.project
            }
            if len(scopes) == 1:
                return scopes.pop()
        return page.scope


def _earlier_proposals(
    connection: sqlite3.Connection, pages: Sequence[EditedPage], scope_of: Callable[[EditedPage, PageEdit], Scope]
) -> dict[ClaimId, list[Event]]:
    """What an earlier reading of the same edits proposed, when nobody vouched for them, and nobody decided on since:
    one edit is one observation."""
    known = latest_lookup(partial(reader.load_memory, connection, decode=must_decode))
    claims = (new_claim(edit, known, scope_of(page, edit)) for page in pages for edit in page.edits)
    found: dict[ClaimId, list[Event]] = {}
    for claim in filter(None, claims):
        memory = reader.load_memory(connection, claim.id, must_decode)
        if memory and memory.status is Status.PENDING and not memory.touched_by_user:
            said = [
                one
                for one in reader.events_of_claim(connection, claim.id, must_decode)
                if isinstance(one.body, ClaimProposed)
            ]
            if own := [event for event in said if event.origin.actor == HAND_EDIT]:
                found[claim.id] = own
    return found


def _memory_without(
    connection: sqlite3.Connection, left_out: Mapping[ClaimId, Sequence[Event]], claim: ClaimId
) -> Memory | None:
    """A memory as it is when some of its events count no more."""
    gone = {event.id for event in left_out.get(claim, ())}
    events = reader.events_of_claim(connection, claim, must_decode)
    return fold_memory((event for event in events if event.id not in gone), claim)


def _withdrawal(claim: ClaimId, events: Sequence[Event]) -> Draft:
    label = "what an edit proposed before you vouched for it"
    return Draft(EventsUndone(tuple(event.id for event in events), (claim,), label), events[0].scope)


class _EditImport:
    """Edits on their way in: drafts for the log, and the lines that were read."""

    def __init__(self, vouched: bool, seen: list[PageEdit]) -> None:
        self.seen = seen
        self.drafts: list[Draft] = []
        self.processed_lines: list[tuple[EditedPage, set[str]]] = []
        self._vouched = vouched
        self._skipped: list[UnreadEdit] = []
        self._page_by_claim: dict[ClaimId, str] = {}
        self._asserted: dict[ClaimId, tuple[Claim, Status, str]] = {}

    def process(
        self,
        pages: Sequence[EditedPage],
        foresight: MemoryOverlay,
        scope_of: Callable[[EditedPage, PageEdit], Scope],
        withdrawn: Collection[ClaimId] = (),
    ) -> None:
        """Turn the edits into drafts.

        Removed lines come first, because the same words may stand elsewhere. Then come lines whose earlier proposal is
        withdrawn: what other lines say of these memories needs them to be there again.
        """

        def order(item: tuple[EditedPage, PageEdit]) -> int:
            page, edit = item
            if isinstance(edit, RemovedLine):
                return 0
            claim = new_claim(edit, foresight.latest, scope_of(page, edit)) if withdrawn else None
            return 1 if claim and claim.id in withdrawn else 2

        lines: dict[str, set[str]] = {page.path: set() for page in pages}
        found = [(page, edit) for page in pages for edit in page.edits]
        for page, edit in sorted(found, key=order):
            try:
                drafts = self._drafts_for(edit, foresight, scope_of(page, edit), page.name)
            except TacitError as error:
                self._skipped.append(UnreadEdit(IgnoredLine(edit.line, error.message), page.name))
                continue
            self._apply(drafts, foresight)
            if isinstance(edit, IgnoredLine):
                self._skipped.append(UnreadEdit(edit, page.name))
            else:
                self._note_assertion(edit, drafts, foresight, page.name)
                lines[page.path] |= (
                    {edit.line, edit.old_line} if isinstance(edit, ChangedLine | RedrawnLine) else {edit.line}
                )
        for claim, status, name in list(self._asserted.values()):
            self._apply(ensure_live(claim, status, foresight.memory(claim.id), name), foresight)
        left = {(told.page, told.edit.line) for told in self._skipped}
        self.processed_lines = [
            (page, {line for line in lines[page.path] if (page.name, line) not in left}) for page in pages
        ]

    def _apply(self, drafts: list[Draft], foresight: MemoryOverlay) -> None:
        self.drafts += drafts
        for draft in drafts:
            foresight.apply(draft)

    def _note_assertion(self, edit: PageEdit, drafts: list[Draft], foresight: MemoryOverlay, page: str) -> None:
        """What an edit says, if that holds or waits now: no other line of the page may take it away again."""
        for draft in drafts if self._vouched and isinstance(edit, AddedLine | ChangedLine) else []:
            assert isinstance(draft.body, ClaimProposed | ClaimDecided)
            claim = (draft.body.instead if isinstance(draft.body, ClaimDecided) else None) or draft.body.claim
            memory = foresight.memory(claim.id)
            if memory and memory.is_live:
                self._asserted[claim.id] = (claim, memory.status, page)

    def _drafts_for(self, edit: PageEdit, foresight: MemoryOverlay, scope: Scope, page: str) -> list[Draft]:
        if not self._vouched:
            return self._unless_duplicate(propose_edit(edit, foresight.latest, scope, page))
        judge = partial(judge_edit, edit, foresight.memory, foresight.latest, scope, page)
        if isinstance(edit, ChangedLine | RemovedLine) and self._page_by_claim.setdefault(edit.claim, page) != page:
            with suppress(TacitError):
                if not (drafts := judge()) or self._is_duplicate(drafts):
                    return []
            raise RefusedError("edited otherwise in another page; say it once more")
        return self._unless_duplicate(judge())

    def _unless_duplicate(self, drafts: list[Draft]) -> list[Draft]:
        return [] if self._is_duplicate(drafts) else drafts

    def _is_duplicate(self, drafts: list[Draft]) -> bool:
        """Whether another page says the same already."""
        said = {_draft_key(draft) for draft in self.drafts}
        return all(_draft_key(draft) in said for draft in drafts)

    def result(self) -> SyncResult:
        candidates = 0 if self._vouched else len(self.drafts)
        return SyncResult(len(self.drafts) - candidates, candidates, tuple(self._skipped))


def _draft_key(draft: Draft) -> tuple[object, ...]:
    """What a judgement says, wherever it was read."""
    body = draft.body
    assert isinstance(body, ClaimProposed | ClaimDecided)
    return body.verdict, body.claim.id, body.instead and body.instead.id if isinstance(body, ClaimDecided) else None


def _checked_edit(edit: PageEdit, limit: int) -> PageEdit:
    """An edit whose words may be recorded; what may not stays in the page, with the reason."""
    texts = (
        [edit.text]
        if isinstance(edit, AddedLine)
        else [edit.text, edit.evidence]
        if isinstance(edit, ChangedLine)
        else []
    )
    try:
        for text in texts:
            if text:
                checked_text(text, limit, "the text")
    except TacitError as error:
        return IgnoredLine(edit.line, error.message)
    return edit
