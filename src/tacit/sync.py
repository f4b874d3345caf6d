"""Hand edits come in as judgements: of the home's pages, and of the lines Tacit wrote in a repository's fact file."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from tacit.errors import Refused, TacitError
from tacit.home.home import Part
from tacit.home.input import checked
from tacit.home.publish import Reading
from tacit.index import reader
from tacit.log.codec import must_decode
from tacit.log.log import MEMORY, Cursor
from tacit.model.claim import GLOBAL, Claim, Scope, Status, project_name
from tacit.model.event import HAND_EDIT, Decided, Draft, Event, Proposed, Undone
from tacit.model.hand_edits import (
    Added,
    Changed,
    Edit,
    Foresight,
    Left,
    Leftover,
    Removed,
    judged,
    latest,
    meant,
    new_claim,
    proposed,
    upheld,
)
from tacit.model.ids import ClaimId
from tacit.model.memory import Memory, recollect_one
from tacit.pages import facts, long_term
from tacit.pages import hand_edits as edits
from tacit.pages.view_store import Sides, inside, settled


@dataclass(frozen=True, slots=True)
class EditedPage:
    """A page with unread edits. `name` is how it is told to people."""

    path: str
    name: str
    scope: Scope
    sides: Sides
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """An edit in words: what it does, to which memory, with what text before and after."""

    edit: Edit
    page: str
    memory: Memory | None = None


@dataclass(frozen=True, slots=True)
class Synced:
    """What became of the edits."""

    judgements: int
    candidates: int
    left: tuple[Told, ...]


class HandEdits(Part):
    """Reading back what people changed in the pages."""

    def unread_edits(self) -> list[Told]:
        """Every edit that was not read yet. Looking changes nothing."""

        def told(connection: sqlite3.Connection) -> list[Told]:
            itself = partial(reader.memory, connection, decode=must_decode)
            return [
                Told(
                    edit,
                    page.name,
                    meant(edit, itself, latest(itself)) if isinstance(edit, Changed | Removed) else None,
                )
                for page in self._edited(connection)
                for edit in page.edits
            ]

        self._store.end_reading()
        return self._store.read(told)

    def sync(self, seen: Sequence[Told], *, vouched: bool) -> Synced:
        """Take in the edits that were seen. Those that nobody vouches for become candidates, and stay unread."""
        if vouched:
            self._store.speaker.must_be_person("vouches for hand edits", "tacit sync")
        taking = _Taking(vouched, [one.edit for one in seen])

        def decision(connection: sqlite3.Connection) -> Sequence[Draft]:
            pages = self._edited(connection)
            if [edit for page in pages for edit in page.edits] != taking.seen:
                raise Refused("the pages changed while you were reading the edits; nothing was taken in", "tacit sync")
            scope_of = partial(self._scope_of, connection)
            found = _found_before(connection, pages, scope_of) if vouched else {}
            foresight = Foresight(partial(_memory_without, connection, found), self._store.speaker.origin())
            taking.take(pages, foresight, scope_of)
            if vouched:
                self._announce(connection, taking)
            return [*(_withdrawn(claim, events) for claim, events in found.items()), *taking.drafts]

        def tell(connection: sqlite3.Connection, _events: object) -> Synced:
            if vouched:  # what was taken in is Tacit's to draw again
                self._store.conclude_reading()
                connection.execute("INSERT OR IGNORE INTO stale VALUES ('everything')")
            return taking.told()

        return self._store.change(decision, tell)

    def _announce(self, connection: sqlite3.Connection, taking: _Taking) -> None:
        keys = {self._store.home.long_term: long_term.line_id}
        copies = {
            page.path: settled(page.sides, lines, keys.get(page.path, facts.line_id)) for page, lines in taking.taken
        }
        after = Cursor(*reader.applied(connection).get(MEMORY, ()))
        self._store.noticeboard.announce(Reading(after, len(taking.drafts), copies))

    def _edited(self, connection: sqlite3.Connection) -> list[EditedPage]:
        home, project = self._store.home, self._store.project
        pages = [
            self._page(home.long_term, GLOBAL, edits.of_long_term),
            self._page(home.facts, GLOBAL, edits.of_facts),
        ]
        if project:
            pages.append(self._project_page(project.root, project.facts, self._store.scope_in(connection)))
        return [page for page in pages if page and page.edits]

    def _page(
        self, path: str, scope: Scope, read: Callable[[Sequence[str] | None, Sequence[str]], list[Edit]]
    ) -> EditedPage | None:
        sides = self._store.publisher.shelf.sides(path)
        if sides is None:
            return None
        found = tuple(_checked(edit, self._home.settings.limits_text) for edit in read(sides.base, sides.theirs))
        return EditedPage(path, os.path.relpath(path, self._store.home.root), scope, sides, found)

    def _project_page(self, root: str, path: str, scope: Scope) -> EditedPage | None:
        """Only what became of our own lines: new ones are the repository's, and a matter of trust."""
        try:
            page = self._page(inside(root, path), scope, edits.of_facts)
        except Refused:
            return None
        if page is None or page.sides.base is None:
            return None
        own = tuple(edit for edit in page.edits if not isinstance(edit, Added | Left))
        return EditedPage(path, os.path.relpath(path, root), scope, page.sides, own)

    def _scope_of(self, connection: sqlite3.Connection, page: EditedPage, edit: Edit) -> Scope:
        """A new entry is of the page's scope, or of the project that it names."""
        if isinstance(edit, Added) and edit.project:
            scopes = {entry.scope for entry in reader.entries(connection) if project_name(entry.scope) == edit.project}
            if len(scopes) == 1:
                return scopes.pop()
        return page.scope


def _found_before(
    connection: sqlite3.Connection, pages: Sequence[EditedPage], scope_of: Callable[[EditedPage, Edit], Scope]
) -> dict[ClaimId, list[Event]]:
    """What an earlier reading of the same edits proposed, when nobody vouched for them, and nobody decided on since:
    one edit is one observation."""
    known = latest(partial(reader.memory, connection, decode=must_decode))
    claims = (new_claim(edit, known, scope_of(page, edit)) for page in pages for edit in page.edits)
    found: dict[ClaimId, list[Event]] = {}
    for claim in filter(None, claims):
        memory = reader.memory(connection, claim.id, must_decode)
        if memory and memory.status is Status.PENDING and not memory.heard_person:
            said = [
                one for one in reader.events_of(connection, claim.id, must_decode) if isinstance(one.body, Proposed)
            ]
            if own := [event for event in said if event.origin.actor == HAND_EDIT]:
                found[claim.id] = own
    return found


def _memory_without(
    connection: sqlite3.Connection, left_out: Mapping[ClaimId, Sequence[Event]], claim: ClaimId
) -> Memory | None:
    """A memory as it is when some of its events count no more."""
    gone = {event.id for event in left_out.get(claim, ())}
    events = reader.events_of(connection, claim, must_decode)
    return recollect_one((event for event in events if event.id not in gone), claim)


def _withdrawn(claim: ClaimId, events: Sequence[Event]) -> Draft:
    label = "what an edit proposed before you vouched for it"
    return Draft(Undone(tuple(event.id for event in events), (claim,), label), events[0].scope)


class _Taking:
    """Edits on their way in: drafts for the log, and the lines that were read."""

    def __init__(self, vouched: bool, seen: list[Edit]) -> None:
        self.seen = seen
        self.drafts: list[Draft] = []
        self.taken: list[tuple[EditedPage, set[str]]] = []
        self._vouched = vouched
        self._left: list[Told] = []
        self._spoken: dict[ClaimId, str] = {}
        self._said: dict[ClaimId, tuple[Claim, Status, str]] = {}

    def take(
        self, pages: Sequence[EditedPage], foresight: Foresight, scope_of: Callable[[EditedPage, Edit], Scope]
    ) -> None:
        """What was taken out first: the same words may stand elsewhere."""
        lines: dict[str, set[str]] = {page.path: set() for page in pages}
        found = [(page, edit) for page in pages for edit in page.edits]
        for page, edit in sorted(found, key=lambda one: not isinstance(one[1], Removed)):
            try:
                drafts = self._judged(edit, foresight, scope_of(page, edit), page.name)
            except TacitError as error:
                self._left.append(Told(Left(edit.line, error.message), page.name))
                continue
            self._hear(drafts, foresight)
            if isinstance(edit, Left):
                self._left.append(Told(edit, page.name))
            else:
                self._note(edit, drafts, foresight, page.name)
                lines[page.path] |= {edit.line, edit.was} if isinstance(edit, Changed | Leftover) else {edit.line}
        for claim, status, name in list(self._said.values()):
            self._hear(upheld(claim, status, foresight.memory(claim.id), name), foresight)
        left = {(told.page, told.edit.line) for told in self._left}
        self.taken = [(page, {line for line in lines[page.path] if (page.name, line) not in left}) for page in pages]

    def _hear(self, drafts: list[Draft], foresight: Foresight) -> None:
        self.drafts += drafts
        for draft in drafts:
            foresight.hear(draft)

    def _note(self, edit: Edit, drafts: list[Draft], foresight: Foresight, page: str) -> None:
        """What an edit says, if that holds or waits now: no other line of the page may take it away again."""
        for draft in drafts if self._vouched and isinstance(edit, Added | Changed) else []:
            assert isinstance(draft.body, Proposed | Decided)
            claim = (draft.body.instead if isinstance(draft.body, Decided) else None) or draft.body.claim
            memory = foresight.memory(claim.id)
            if memory and memory.is_live:
                self._said[claim.id] = (claim, memory.status, page)

    def _judged(self, edit: Edit, foresight: Foresight, scope: Scope, page: str) -> list[Draft]:
        if not self._vouched:
            return self._once(proposed(edit, foresight.known, scope, page))
        judge = partial(judged, edit, foresight.memory, foresight.known, scope, page)
        if isinstance(edit, Changed | Removed) and self._spoken.setdefault(edit.claim, page) != page:
            with suppress(TacitError):
                if not (drafts := judge()) or self._is_said(drafts):
                    return []
            raise Refused("edited otherwise in another page; say it once more")
        return self._once(judge())

    def _once(self, drafts: list[Draft]) -> list[Draft]:
        return [] if self._is_said(drafts) else drafts

    def _is_said(self, drafts: list[Draft]) -> bool:
        """Whether another page says the same already."""
        said = {_meaning(draft) for draft in self.drafts}
        return all(_meaning(draft) in said for draft in drafts)

    def told(self) -> Synced:
        candidates = 0 if self._vouched else len(self.drafts)
        return Synced(len(self.drafts) - candidates, candidates, tuple(self._left))


def _meaning(draft: Draft) -> tuple[object, ...]:
    """What a judgement says, wherever it was read."""
    body = draft.body
    assert isinstance(body, Proposed | Decided)
    return body.verdict, body.claim.id, body.instead and body.instead.id if isinstance(body, Decided) else None


def _checked(edit: Edit, limit: int) -> Edit:
    """An edit whose words may be recorded; what may not stays in the page, with the reason."""
    texts = [edit.text] if isinstance(edit, Added) else [edit.text, edit.evidence] if isinstance(edit, Changed) else []
    try:
        for text in texts:
            if text:
                checked(text, limit, "the text")
    except TacitError as error:
        return Left(edit.line, error.message)
    return edit
