"""Purging, which writes segments of the log anew, and only for a person.

The index after a purge is made of the one before and the rewritten lines: the rest of the log is not read. That is done
in a copy that has no name, so that the file beside the index is without what was removed from it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from functools import cached_property, partial
from typing import TypeVar

from tacit.disk.files import OsDisk, link_hint, open_plain, read_file, replace_file
from tacit.errors import IndexUnusableError, NotFoundError, RefusedError, UsageError
from tacit.home.home import HomePart
from tacit.home.indexing import Backlog
from tacit.home.input import checked_optional_text
from tacit.home.paths import HOME_FOLDERS, OPTIONAL_FOLDERS, REMOTES_FOLDER
from tacit.home.project import FACT_FILE
from tacit.index import database, reader
from tacit.index.database import translate_sqlite_errors
from tacit.index.writer import IndexedEvent, ReplacedEvent, RewrittenLine, SegmentCursor, apply_rewritten
from tacit.log import Log
from tacit.log.codec import event_type, must_decode
from tacit.log.incoming import import_tombstones
from tacit.log.reader import Cursor, LogReader, RawLine, line_tail
from tacit.log.segment import PURGED_SEGMENT
from tacit.log.spool import Spool
from tacit.model.event import Draft
from tacit.model.ids import ClaimId
from tacit.purge.files import FilePurge, HomeFiles, ScrubbedFile, write_scrubbed
from tacit.purge.plan import (
    LogSearch,
    PurgePlan,
    SegmentEdits,
    StagedSegments,
    additional_tombstones,
    late_tombstones,
    make_tombstones,
    meet_named,
)
from tacit.purge.prints import make_fingerprint
from tacit.purge.request import PurgeRequest, add_wordings, find_memory, text_request
from tacit.purge.search import SharedRoots
from tacit.purge.tombstones import ReceivedPurges, Tombstones, load_tombstones
from tacit.record import Record

T = TypeVar("T")
_TAIL_BYTES = 64  # more than a cursor has of the last line
# Files of other programs below the user's folder.
_TRANSCRIPT_FOLDERS = (".claude", ".codex", ".gemini", ".copilot", ".local/share/opencode")
_HISTORY_FILES = (".bash_history", ".zsh_history", ".local/share/fish/fish_history", ".local/share/atuin")
_SPOOL_TIMEOUT_SECONDS = 10.0  # to wait for the log's lock, so that spooled events can be filed


class PurgeReport(Record):
    """What a purge changes or has changed.

    Attributes:
        events: how many events of the log change.
        memories: the ids of memories that are purged.
        damaged: how many unreadable lines of the log are dropped.
        files: paths of the other files that change.
        similar_memories: ids of memories that contain the words of the purged one, and stay.
        remaining_files: files that still contain it, and `unreachable` where else it may be: only after a purge.
        index_copies: copies of the index, which are removed.
    """

    events: int
    memories: tuple[str, ...]
    damaged: int
    files: tuple[str, ...]
    similar_memories: tuple[str, ...] = ()
    remaining_files: tuple[str, ...] = ()
    unreachable: tuple[str, ...] = ()
    index_copies: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not (self.events or self.damaged or self.files or self.index_copies)


class _PurgeFindings(Record):
    """The log as it should be, what is removed from other files, and the report."""

    plan: PurgePlan
    purge: FilePurge
    files: tuple[ScrubbedFile, ...]
    report: PurgeReport


class _RequestSearch(Record):
    """The search for a request, and what it removes from files, by the claims that it found to be gone."""

    log: LogSearch
    files: dict[frozenset[str], FilePurge]


class Purger(HomePart):
    """Purges of one home.

    A purge searches without a lock. Then it appends a tombstone, writes new segments and a new index beside the old
    ones, and puts them in place in one short step; until then queries are answered from the old state. Then every other
    file of ours is scrubbed, and the pages are drawn again. If it is killed at any point, nothing else is lost, no
    answer shows the text any more, and running it again completes it.
    """

    @cached_property
    def _search_cache(self) -> dict[PurgeRequest, _RequestSearch]:
        """Earlier searches, so that a preview does not make the purge after it twice as long."""
        return {}

    def preview(self, reference: str | None = None, *, text: str | None = None) -> PurgeReport:
        """Return what `purge` would change. Nothing is changed, and the text is recorded nowhere.

        Raise as `purge` does.
        """
        self._check_allowed()
        self._require_home()
        return self._require_hits(self._parse_request(reference, text))

    def purge(self, reference: str | None = None, *, text: str | None = None, reason: str = "") -> PurgeReport:
        """Remove a text, or a memory by its id, from every file of the home, for good.

        Raise RefusedError for anybody but a person, for a link in the home, and for a reason that contains the text;
        NotFoundError if no file contains it; UsageError if the text is too short, or not exactly one of both is given.
        """
        self._check_allowed()
        self._require_home()
        request = self._parse_request(reference, text)
        why = checked_optional_text(reason, "the reason")
        if request.target.texts.contains(why):
            raise RefusedError("the reason holds the text itself, and the reason is kept", "say it in other words")
        self._require_hits(request)  # the long search, while nobody has to wait for the lock
        return self._purge_request(request, why)

    def _purge_request(self, request: PurgeRequest, why: str) -> PurgeReport:
        def work() -> _PurgeFindings:
            repeated = self._repeat_purges() if self.is_interrupted else None
            findings = self._search(request, also=repeated[1] if repeated else None)
            if findings.report.is_empty and not repeated:
                self._remove_marker()
                raise _not_found_error()
            if not findings.report.is_empty:
                prints = [
                    make_fingerprint(text, self._store.entropy() + self._store.entropy()) for text in request.texts
                ]
                self._replace_segments(
                    self._search_cache[request].log,
                    lambda plan: make_tombstones(plan, prints, why),
                    is_index_current=self._store.is_index_current(),
                )
            return findings

        return self._clean_files(work)

    def erase_claims(self, claims: Sequence[ClaimId], reason: str) -> None:
        """Remove everything that the log and the pages say about claims, and leave tombstones.

        Unlike `purge`, no text is searched for: what else the person said in the same words is theirs.
        """
        self._check_allowed()
        for claim in claims:
            request = PurgeRequest((), claim)
            if not self._search(request).report.is_empty:
                self._purge_request(request, reason)

    def purge_again(self) -> PurgeReport:
        """Repeat all purges of this home: after an interruption, or when an old file was restored.

        Raise NotFoundError if nothing was ever purged, and RefusedError as `purge` does.
        """
        self._check_allowed()
        self._require_home()

        def work() -> _PurgeFindings:
            repeated = self._repeat_purges()
            if repeated is None:
                self._remove_marker()
                raise NotFoundError("nothing was ever purged from this home")
            return self._find_files(repeated[0], FilePurge([repeated[1]]))

        return self._clean_files(work)

    def purge_received(self, received: ReceivedPurges, then: Callable[[], T]) -> T:
        """Apply the tombstones that came from other machines, append what else came, and return what `then` returns.

        What was purged before is not looked for again: no purge may be interrupted. `then` appends lines from which
        these tombstones have removed what they mean. Raise RefusedError as `purge` does.
        """
        self._check_allowed()
        log, results = self._store.log, list[T]()

        def work() -> _PurgeFindings:
            if self.is_interrupted:  # by somebody else, since the sync began
                self._repeat_purges()
            is_index_current = self._store.is_index_current()
            known_ids = {event.id for event in log.tombstones()}
            self._store.mark_purge()
            import_tombstones(log, received.tombstones)
            known = Tombstones(received.tombstones)
            claim_keys = meet_named(log, known)
            if drafts := late_tombstones(log, received.tombstones, received.knew, known, claim_keys):
                log.append(drafts, self._store.actor.origin())
            new = Tombstones((event for event in log.tombstones() if event.id not in known_ids), known)
            applied = self._apply_tombstones(new, claim_keys, is_index_current=is_index_current)
            results.append(then())
            return self._find_files(applied[0], FilePurge([applied[1]]))

        self._clean_files(work)
        return results[0]

    # Checking the request

    def _check_allowed(self) -> None:
        """Raise RefusedError for anybody but a person, and if a link is in the way: nothing is written behind it."""
        self._store.actor.require_person("purges", "tacit purge ID")
        for name in (*HOME_FOLDERS, *OPTIONAL_FOLDERS, *self._store.log.segments()):
            path = self._store.paths.path(name)
            if os.path.islink(path):
                raise RefusedError(
                    f"{path} is a symbolic link; a purge would not reach what lies behind it. Nothing was changed",
                    link_hint(path),
                )

    def _parse_request(self, reference: str | None, text: str | None) -> PurgeRequest:
        """Return the request for a memory by its id, or for a text. Raise UsageError if not exactly one is given."""
        if reference is not None and text is None:
            found = self._store.read(lambda connection: find_memory(connection, reference))
            return add_wordings(self._store.log, found)
        if reference is None and text is not None:
            return text_request(text)
        raise UsageError("what should be purged?", "tacit purge ID, or tacit purge --text '…'")

    def _require_hits(self, request: PurgeRequest) -> PurgeReport:
        """Return the report of a search. Raise NotFoundError if it is empty and no purge was interrupted."""
        report = self._search(request).report
        if report.is_empty and not self.is_interrupted:
            if self._store.index_as_is() is None:
                self._store.catch_up()  # an index that an earlier version wrote may hold more than the log says
            raise _not_found_error()
        return report

    # Carrying it out

    def _search(self, request: PurgeRequest, also: Tombstones | None = None) -> _PurgeFindings:
        """Return what has to change now in the log and in other files. `also` is removed from other files too.

        No lock is needed: whoever changes the log searches once more under its lock, and what was searched before is
        cached.
        """
        self._store.drain_spool(_SPOOL_TIMEOUT_SECONDS, limit=None)  # spooled events are searched as part of the log
        if request not in self._search_cache:
            search = LogSearch(request.target, [request.claim_key] * (request.claim is not None))
            self._search_cache[request] = _RequestSearch(search, {})
        cached = self._search_cache[request]
        plan = cached.log.plan(self._store.log)
        target = plan.target
        if also:
            purge = FilePurge([target, also], everywhere=target.everywhere)
        else:
            purge = cached.files.setdefault(target.claims, FilePurge([target], everywhere=target.everywhere))
        return self._find_files(plan, purge)

    def _find_files(self, plan: PurgePlan, purge: FilePurge) -> _PurgeFindings:
        home_files = self._home_files(plan.roots)
        files = tuple(home_files.scrub(purge))
        report = PurgeReport(
            len(plan.changed),
            tuple(sorted(plan.gone_claims)),
            plan.damaged,
            tuple(file.path for file in files),
            tuple(sorted(plan.matching_claims)),
            index_copies=tuple(home_files.index_copies()),
        )
        return _PurgeFindings(plan, purge, files, report)

    def _replace_segments(
        self, search: LogSearch, tombstones_of: Callable[[PurgePlan], list[Draft]], *, is_index_current: bool
    ) -> PurgePlan:
        """Append the tombstones, then put every changed segment in place together with a new index.

        `is_index_current` says that the index was of this log before the first of these tombstones was in it.
        """
        origin = self._store.actor.origin
        with self._store.log.exclusive() as log:
            plan = search.plan(log)
            replace_file(OsDisk(self._store.paths.root), self._store.paths.purge_marker, b"")
            if drafts := tombstones_of(plan):
                log.append(drafts, origin())
        staged = plan.stage(self._store.log)

        def commit(log: Log) -> bool:
            current = search.plan(log)
            planned = set(plan.changed)
            if late := [event for event in current.changed if event not in planned]:  # recorded since
                log.append(tombstones_of(current.limited_to(late)), origin())
                current = search.plan(log)
            return current.apply(log, StagedSegments(plan, staged))

        paths = self._store.paths
        build = partial(build_rewritten, paths.index, paths.path(".tacit"), plan.segments, self._store.log)
        self._store.swap_segments(staged, commit, build if is_index_current else None)
        return plan

    @property
    def is_interrupted(self) -> bool:
        """Whether a purge began to change files and did not end."""
        return os.path.exists(self._store.paths.purge_marker)

    def _remove_marker(self) -> None:
        with suppress(FileNotFoundError):
            os.unlink(self._store.paths.purge_marker)

    def _repeat_purges(self) -> tuple[PurgePlan, Tombstones] | None:
        """Remove everything that tombstones describe from the log once more; None if there is no tombstone.

        Return also what is to be removed from other files: whatever was ever purged and not recorded anew since.
        """
        tombstones = load_tombstones(self._store.log)
        if tombstones is None:
            return None
        claim_keys = meet_named(self._store.log, tombstones)
        return self._apply_tombstones(tombstones, claim_keys, is_index_current=self._store.is_index_current())

    def _apply_tombstones(
        self, tombstones: Tombstones, claim_keys: Sequence[str] | None, *, is_index_current: bool
    ) -> tuple[PurgePlan, Tombstones]:
        """Remove from the log what these tombstones describe. Return also those to apply to other files."""
        search = LogSearch(tombstones, claim_keys)
        plan = self._replace_segments(
            search,
            lambda plan: additional_tombstones(self._store.log, plan, tombstones),
            is_index_current=is_index_current,
        )
        return plan, search.still_purged()

    def _clean_files(self, rewrite_log: Callable[[], _PurgeFindings]) -> PurgeReport:
        """Rewrite the log, write the scrubbed files, remove strays and copies of the index, and scrub the spool.

        Complete the report with what remains, once everything is written, and remove the marker.
        """

        def work() -> _PurgeFindings:
            findings = rewrite_log()
            disk, home_files = OsDisk(self._store.paths.root), self._home_files(findings.plan.roots)
            for path in [*home_files.strays(), *home_files.index_copies()]:
                with suppress(FileNotFoundError):
                    disk.remove(path)
            write_scrubbed(disk, findings.files)
            Spool(self._store.log).scrub()
            return findings

        plan, purge, _, report = self._store.rewrite_log(work, rebuild=False)
        remaining = self._home_files(plan.roots).files_containing(purge)
        self._remove_marker()
        return report._replace(
            remaining_files=tuple(remaining), unreachable=tuple(self._unreachable_places(plan.roots))
        )

    def _unreachable_places(self, roots: SharedRoots) -> list[str]:
        """Return where the text may be that no purge reaches.

        A fact file may have been committed in a project that has or had one, also if it is gone now.
        """
        others = [os.path.join(self._home.user_folder, name) for name in (*_TRANSCRIPT_FOLDERS, *_HISTORY_FILES)]
        shared = {root for scope, root in roots.seen if scope in roots.shared_scopes}
        repositories = [
            root
            for root in self._project_roots(roots)
            if root in shared or os.path.exists(os.path.join(root, FACT_FILE))
            if os.path.exists(os.path.join(root, ".git"))
        ]
        return [
            *(f"the history of git in {root}, if {FACT_FILE} was committed" for root in repositories),
            *(f"{path}, where other programs keep what was said and typed" for path in others if os.path.exists(path)),
            "backups, exports and snapshots of the file system",
            "homes on other machines, until this tombstone is imported there",
        ]

    # Files and projects of the home

    def _home_files(self, roots: SharedRoots) -> HomeFiles:
        store = self._store
        fact_files = {root: os.path.join(root, FACT_FILE) for root in self._project_roots(roots)}
        remotes, segments = store.paths.path(REMOTES_FOLDER, ""), store.log.segments()
        return HomeFiles(store.paths.root, remotes, store.view_store, segments, fact_files)

    def _project_roots(self, roots: SharedRoots) -> list[str]:
        """Return the roots of projects, as far as the log knows them, and of the current one."""
        current = [self._store.project.root] if self._store.project else []
        return list(dict.fromkeys([*current, *(root for _, root in roots.seen)]))


def _not_found_error() -> NotFoundError:
    return NotFoundError("no file of this home holds it", "it may be written otherwise: try a part of it")


# The index after a purge


def build_rewritten(
    path: str, folder: str, segments: Sequence[SegmentEdits], log: LogReader, staged: LogReader
) -> None:
    """Build an index beside the one at `path`, for a log of which lines were rewritten in `staged` files.

    `folder` is for a file without a name. Raise IndexUnusableError if the index has to be built from the whole log.
    """
    with database.temporary_files_in(folder), translate_sqlite_errors():
        with closing(database.open_for_reading(path)) as index:
            cursors = {segment: Cursor(*cursor) for segment, cursor in reader.log_cursors(index).items()}
            lines, replaced, new_cursors = _read_rewritten(log, staged, segments, cursors)
            copy = database.copy_index(index, database.TEMPORARY, staged.line_reader())
        with closing(copy):
            apply_rewritten(copy, lines, replaced, new_cursors, must_decode)
            database.write_compacted(copy, database.new_index_path(path))


def _read_rewritten(
    log: LogReader, staged: LogReader, segments: Iterable[SegmentEdits], cursors: Mapping[str, Cursor]
) -> tuple[dict[str, list[RewrittenLine]], list[ReplacedEvent], list[SegmentCursor]]:
    """Return what was rewritten of the lines before `cursors`, up to which they are indexed.

    These are its lines by segment, the events in them before and after, and how far segments go now. The segments as
    they were are in `log`, and as they will be in `staged`. The tombstones of the purge are in the log and not indexed
    yet. Raise IndexUnusableError if earlier tombstones have already hidden one of the events.
    """
    new_stones = {event.id for event in log.tombstones(cursors)}
    earlier = Tombstones(event for event in log.tombstones() if event.id not in new_stones)
    old_line, backlog = log.line_reader(), Backlog(staged, {})
    data = read_file(staged.path(PURGED_SEGMENT)) or b""
    end = data.rfind(b"\n") + 1
    purged = SegmentCursor(PURGED_SEGMENT, end, data.count(b"\n", 0, end), _tail(staged, PURGED_SEGMENT, end))
    rewritten: dict[str, list[RewrittenLine]] = {}
    replaced, new_cursors = list[ReplacedEvent](), [purged]
    for segment, edits, _ in segments:
        cursor, bytes_more, lines_more = cursors.get(segment, Cursor()), 0, 0
        for edit in edits:
            if not edit.number or edit.offset >= cursor.offset:
                break
            if edit.event is not None:
                event = must_decode(old_line(segment, edit.offset, edit.length) or b"")
                if earlier.apply(event) is not event:
                    raise IndexUnusableError("a line came back that was purged")
                line = RawLine(edit.number + lines_more, edit.offset + bytes_more, len(edit.data), edit.data[:-1])
                old = IndexedEvent(event, event_type(event.body), segment, edit.number, edit.offset, edit.length, None)
                if (new := backlog.indexed(segment, line)) is not None:
                    replaced.append(ReplacedEvent(old, new))
            growth = RewrittenLine(edit.offset, edit.number, len(edit.data) - edit.length, 0 if edit.data else -1)
            rewritten.setdefault(segment, []).append(growth)
            bytes_more, lines_more = bytes_more + growth.bytes_more, lines_more + growth.lines_more
        if segment in rewritten and segment != PURGED_SEGMENT:
            offset = cursor.offset + bytes_more
            new_cursors.append(
                SegmentCursor(segment, offset, cursor.lines + lines_more, _tail(staged, segment, offset))
            )
    return rewritten, replaced, new_cursors


def _tail(log: LogReader, segment: str, offset: int) -> str:
    """Return the end of the line that ends at `offset`, as a cursor has it."""
    with open_plain(log.path(segment)) as file:
        file.seek(max(0, offset - 1 - _TAIL_BYTES))
        return line_tail(file.read(offset - 1 - file.tell()).rpartition(b"\n")[2])
