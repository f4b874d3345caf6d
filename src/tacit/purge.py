"""Purging a text or a memory from the log and from every file of the home; quarantine for unreadable lines."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache, cached_property

from tacit.disk.files import PRIVATE_FILE, Disk, OsDisk, link_hint, read_file, replace_file
from tacit.errors import NotFoundError, RefusedError, UsageError
from tacit.home.home import HomePart
from tacit.home.input import checked_optional_text
from tacit.home.paths import HOME_FOLDERS, OPTIONAL_FOLDERS, REMOTES_FOLDER, HomePaths
from tacit.home.project import FACT_FILE
from tacit.index import reader
from tacit.log.codec import EVENT_TYPES
from tacit.log.log import SPOOL_FOLDER, Log
from tacit.log.rewrite import (
    PurgePlan,
    PurgeSearch,
    QuarantinedLine,
    TombstoneSearch,
    additional_tombstones,
    make_tombstones,
    quarantine_unreadable,
)
from tacit.log.spool import Spool
from tacit.log.strays import index_copies, is_index_copy, is_stray_copy
from tacit.log.tombstones import load_tombstones
from tacit.model import purge as purge_model
from tacit.model.claim import Kind, Provenance
from tacit.model.event import ClaimDecided, ClaimProposed, Draft, Event, EventBody, Verdict, local_day
from tacit.model.ids import ClaimId, is_claim_prefix
from tacit.model.observation import MemoryPurged, ProjectSeen
from tacit.model.purge import MIN_TEXT_LENGTH, PurgeTarget, claims_of, make_fingerprint, purge_event
from tacit.pages import facts, long_term
from tacit.pages.long_term import HEADER, SECTIONS
from tacit.pages.view_store import SHARED_FILE_MODE, ViewStore, checked_path
from tacit.record import Record
from tacit.text.display import PURGED_MARK, clean
from tacit.text.match import LiteralMatcher, matches_any, normalize_for_match, replace_matches

# Scrubbing of the files beside the log. A page and its copy of what was last written are changed alike, so that a hand
# edit stays the same edit.

_OWN_FOLDERS = ("memory", "activity", "imported", "sessions", "worklog", "evaluations", "quarantine", ".tacit")
_LOCK_SUFFIXES = (".lock", ".lock.queue")
# Dates and ids of entries are not a person's words.
_IDS_AND_DATES = r'(?m:^- \d{4}-\d\d-\d\d(?=: )| \^[0-9a-z]{12}$|"(?:id|ts)": "[^"\\]*")'
_MAX_OTHER_FILE_BYTES = 64 << 20  # another program's file in the home may be of any size
_TRANSCRIPT_FOLDERS = (".claude", ".codex", ".gemini", ".copilot", ".local/share/opencode")
_HISTORY_FILES = (".bash_history", ".zsh_history", ".local/share/fish/fish_history", ".local/share/atuin")


# The scrubbed bytes of a file, by its path, its bytes, and the target's claims and number of texts.
ScrubCache = dict[tuple[str, bytes, frozenset[str], int], bytes]


class ScrubbedFile(Record):
    """A file and the bytes it should have. `below` is the root of a project that links must not lead out of."""

    path: str
    data: bytes
    below: str = ""


class HomeFiles:
    """All files of a home except the log and the index, and the fact files of its projects."""

    def __init__(self, home: HomePaths, view_store: ViewStore, segments: Iterable[str], roots: Iterable[str]) -> None:
        self._paths = home
        self._view_store = view_store
        self._segment_paths = {home.path(segment) for segment in segments}
        self._fact_files = [path for root in roots if (path := _fact_file_of(root))]

    def scrub(self, target: PurgeTarget, cache: ScrubCache | None = None) -> Iterator[ScrubbedFile]:
        """Yield every file of ours that has to be written so that nothing of the target is left. Nothing is written.

        Pages come before their copies: if only the copies were written, the rest would look like a hand edit. With
        `cache`, a second pass costs no more than reading the files.
        """
        cache = {} if cache is None else cache
        copies, skipped = self._paths.path(".tacit"), (self._paths.path(SPOOL_FOLDER, ""), self._remotes)
        for path in sorted([*self._list_files(ours=True), *self._fact_files], key=lambda path: path.startswith(copies)):
            if path.startswith(skipped):  # whole events, which log/spool.py scrubs, and keys
                continue
            data = read_file(path) or b""
            key = (path, data, target.claims, len(target.matchers))
            scrubbed = cache.get(key)
            if scrubbed is None:
                text = self._scrub_text(path, _decode_utf8(data), target)
                scrubbed = cache[key] = text.encode("utf-8", "surrogateescape")
            if scrubbed != data:
                yield ScrubbedFile(path, scrubbed, path[: -len(FACT_FILE) - 1] if path in self._fact_files else "")

    def strays(self) -> list[str]:
        """Return the temporary files that interrupted writes left, in the home and beside the fact files."""
        folders = {os.path.dirname(path) for path in self._fact_files}
        beside = [os.path.join(folder, name) for folder in folders for name in os.listdir(folder)]
        return [path for path in [*_regular_files(self._paths.root), *beside] if _is_temporary(path)]

    def index_copies(self) -> list[str]:
        """Return copies of the index. They are derived, and hold text in forms that cannot be scrubbed."""
        return list(index_copies(self._paths.root, _OWN_FOLDERS))

    def files_containing(self, target: PurgeTarget) -> list[str]:
        """Return files that still contain it: the person's own, and ours where it is composed of several parts.

        If a memory is purged, our files are not searched: other memories with the same words stay.
        """
        ours = [*self._list_files(ours=True), *self._fact_files] if target.everywhere else []
        return [
            path
            for path in [*ours, *self._list_files(ours=False)]
            if matches_any(re.sub(_IDS_AND_DATES, "", _decode_utf8(read_file(path) or b"")), target.matchers)
        ]

    def _list_files(self, *, ours: bool) -> Iterator[str]:
        index, copies = os.path.basename(self._paths.index), set(self.index_copies())
        for path in _regular_files(self._paths.root):
            name = os.path.relpath(path, self._paths.root)
            is_index = path in copies or (name.startswith(index) and not is_index_copy(name))
            if path in self._segment_paths or is_index or path.endswith(_LOCK_SUFFIXES) or self._is_encrypted(path):
                continue
            is_ours = name.split(os.sep)[0] in _OWN_FOLDERS or (os.sep not in name and is_stray_copy("", name))
            if is_ours is ours and (ours or os.path.getsize(path) <= _MAX_OTHER_FILE_BYTES):
                yield path

    @property
    def _remotes(self) -> str:
        return self._paths.path(REMOTES_FOLDER, "")

    def _is_encrypted(self, path: str) -> bool:
        """Return whether a file is a key, or a copy of what is on a remote: only addresses and names are text there."""
        return path.startswith(self._remotes) and not path.endswith(".json")

    def _scrub_text(self, path: str, text: str, target: PurgeTarget) -> str:
        if target.claims and path.endswith((".md", ".ndjson")):
            text = "\n".join(self._remaining_lines(path, text.split("\n"), target))
        return replace_matches(text, target.matchers, _IDS_AND_DATES)

    def _remaining_lines(self, path: str, lines: Sequence[str], target: PurgeTarget) -> Iterator[str]:
        """Yield the lines that are not of purged claims. A line that a person changed stays, without its id."""
        id_of = facts.fact_id if path.endswith(".ndjson") else long_term.entry_id
        copy = read_file(self._view_store.copy_path(path))
        last_written = None if copy is None else set(_decode_utf8(copy).split("\n"))
        for line in lines:
            if id_of(line) not in target.claims:
                yield line
            elif last_written is not None and line not in last_written:
                yield re.sub(r" \^[0-9a-z]{12}$", "", line)


def write_scrubbed(disk: Disk, files: Iterable[ScrubbedFile]) -> None:
    """Write scrubbed files to the disk."""
    for file in files:
        mode = SHARED_FILE_MODE if file.below else PRIVATE_FILE
        replace_file(disk, file.path, file.data, mode, below=file.below)


def unreachable_places(user_folder: str, roots: Iterable[str]) -> list[str]:
    """Return where the text may be that no purge reaches. `roots` are projects that have or had a fact file."""
    others = [os.path.join(user_folder, name) for name in (*_TRANSCRIPT_FOLDERS, *_HISTORY_FILES)]
    repositories = [root for root in roots if os.path.exists(os.path.join(root, ".git"))]
    return [
        *(f"the history of git in {root}, if {FACT_FILE} was committed" for root in repositories),
        *(f"{path}, where other programs keep what was said and typed" for path in others if os.path.exists(path)),
        "backups, exports and snapshots of the file system",
        "homes on other machines, until this tombstone is imported there",
    ]


def _fact_file_of(root: str) -> str | None:
    """Return the path of a project's fact file; None if there is none, or a link leads to it."""
    path = os.path.join(root, FACT_FILE)
    with suppress(RefusedError, OSError):
        return checked_path(root, path) if os.path.isfile(path) else None
    return None


def _regular_files(root: str) -> Iterator[str]:
    """Yield every file below a folder. Links are not followed."""
    for folder, _, names in os.walk(root):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if os.path.isfile(path) and not os.path.islink(path):
                yield path


def _is_temporary(path: str) -> bool:
    name = os.path.basename(path)
    return name.startswith(".") and name.endswith(".tacit-new")


def _decode_utf8(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


# The purge itself

_SPOOL_TIMEOUT_SECONDS = 10.0  # to wait for the log's lock, so that spooled events can be filed


@cache
def _format_words() -> str:
    """Return the words that our own files are written with. Purging one of them would destroy the files."""
    words = (
        *EVENT_TYPES,
        *(kind.label for kind in Kind),
        *(provenance.name for provenance in Provenance),
        *(field for body in (ClaimProposed, ClaimDecided, MemoryPurged) for field in body._fields),
        *HEADER,
        *SECTIONS,
        "global project: local user policy agent remember promote repeats evaluation user_direct",
        "canonical dedupe_key strength triple subject predicate object sentence summary changes worklog",
        PURGED_MARK,
    )
    return normalize_for_match("\n".join(words))


class PurgeRequest(Record):
    """What a person wants to purge: a text, or a memory with all its wordings."""

    texts: tuple[str, ...]
    claim: ClaimId | None = None

    @property
    def target(self) -> PurgeTarget:
        claims = frozenset({self.claim}) if self.claim else frozenset[str]()
        matchers = tuple(LiteralMatcher(normalize_for_match(text)) for text in self.texts)
        return PurgeTarget(matchers, claims, everywhere=self.claim is None)


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
    """The log as it should be, what is removed from other files, those files, and the report."""

    plan: PurgePlan
    target: PurgeTarget
    files: tuple[ScrubbedFile, ...]
    report: PurgeReport


class Purger(HomePart):
    """Purges, and quarantines unreadable lines. Both write segments of the log anew, and only for a person.

    A purge searches without a lock. Then it appends a tombstone, writes new segments and a new index beside the old
    ones, and puts them in place in one short step; until then queries are answered from the old state. Then every other
    file of ours is scrubbed, and the pages are drawn again. If it is killed at any point, nothing else is lost, no
    answer shows the text any more, and running it again completes it.
    """

    @cached_property
    def _search_cache(self) -> dict[PurgeRequest, tuple[PurgeSearch, ScrubCache]]:
        """Earlier searches, so that a preview does not make the purge after it twice as long."""
        return {}

    def preview(self, reference: str | None = None, *, text: str | None = None) -> PurgeReport:
        """Return what `purge` would change. Nothing is changed, and the text is recorded nowhere.

        Raise as `purge` does.
        """
        self._check_allowed()
        return self._require_hits(self._parse_request(reference, text))

    def purge(self, reference: str | None = None, *, text: str | None = None, reason: str = "") -> PurgeReport:
        """Remove a text, or a memory by its id, from every file of the home, for good.

        Raise RefusedError for anybody but a person, for a link in the home, and for a reason that contains the text;
        NotFoundError if no file contains it; UsageError if the text is too short, or not exactly one of both is given.
        """
        self._check_allowed()
        request = self._parse_request(reference, text)
        why = checked_optional_text(reason, "the reason")
        if matches_any(why, request.target.matchers):
            raise RefusedError("the reason holds the text itself, and the reason is kept", "say it in other words")
        self._require_hits(request)  # the long search, while nobody has to wait for the lock
        return self._purge_request(request, why)

    def _purge_request(self, request: PurgeRequest, why: str) -> PurgeReport:
        def work() -> tuple[PurgePlan, PurgeTarget, PurgeReport]:
            log = self._store.log
            resumed = self._is_interrupted() and self._repeat_purges()
            findings = self._search(request, also=self._still_purged(log) if resumed else PurgeTarget())
            if findings.report.is_empty and not resumed:
                self._remove_marker()
                raise _not_found_error()
            if not findings.report.is_empty:
                prints = [
                    make_fingerprint(text, self._store.entropy() + self._store.entropy()) for text in request.texts
                ]
                self._replace_segments(self._search_cache[request][0], lambda plan: make_tombstones(plan, prints, why))
            self._clean_files(findings.plan.before, findings.files)
            return findings.plan, findings.target, findings.report

        return self._finish(*self._store.rewrite_log(work, rebuild=False))

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

        def work() -> tuple[PurgePlan, PurgeTarget, PurgeReport]:
            plan = self._repeat_purges()
            if plan is None:
                self._remove_marker()
                raise NotFoundError("nothing was ever purged from this home")
            target = self._still_purged(self._store.log)
            files = list(self._home_files(plan.before).scrub(target))
            self._clean_files(plan.before, files)
            return plan, target, self._make_report(plan, PurgeRequest(()), files)

        return self._finish(*self._store.rewrite_log(work, rebuild=False))

    def mend(self) -> list[QuarantinedLine]:
        """Move every unreadable line of the log to a file of its own, and return these. Readable lines do not change.

        Raise RefusedError for anybody but a person.
        """
        self._store.actor.require_person("mends the log", "tacit doctor --mend")
        self._require_home()
        day = local_day(self._store.actor.origin()).isoformat()

        def work() -> list[QuarantinedLine]:
            with self._store.log.exclusive() as log:
                return [line for segment in log.segments() for line in quarantine_unreadable(log, segment, day)]

        return self._store.rewrite_log(work)

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

    def _require_home(self) -> None:
        if not os.path.isdir(self._store.paths.root):
            raise NotFoundError(f"there is no home at {self._store.paths.root}", "tacit init")

    def _parse_request(self, reference: str | None, text: str | None) -> PurgeRequest:
        self._require_home()
        if (reference is None) == (text is None):
            raise UsageError("what should be purged?", "tacit purge ID, or tacit purge --text '…'")
        return self._memory_request(reference) if reference is not None else _text_request(text or "")

    def _memory_request(self, reference: str) -> PurgeRequest:
        """Return the request for a memory by its id. Words are not looked up, so that no message repeats them."""
        prefix = reference.strip().lstrip("^").lower()
        if not is_claim_prefix(prefix):
            raise UsageError("this is no id of a memory", "for a text: tacit purge --text '…'")
        ids = self._store.read(lambda connection: reader.claim_ids_with_prefix(connection, prefix))
        if not ids:
            raise NotFoundError(f"no memory has the id {prefix}", "for a text: tacit purge --text '…'")
        if len(ids) > 1:
            raise RefusedError(f"{prefix} is the beginning of {len(ids)} ids", "type one or two letters more")
        sentences = purge_model.claim_sentences(self._store.log.events(), ids[0])
        return PurgeRequest(tuple(text for text in sentences if _is_purgeable(text)), ids[0])

    def _require_hits(self, request: PurgeRequest) -> PurgeReport:
        """Return the report of a search. Raise NotFoundError if it is empty and no purge was interrupted."""
        report = self._search(request).report
        if report.is_empty and not self._is_interrupted():
            raise _not_found_error()
        return report

    # Carrying it out

    def _search(self, request: PurgeRequest, also: PurgeTarget | None = None) -> _PurgeFindings:
        """Return what has to change now in the log and in other files. `also` is removed from other files too.

        No lock is needed: whoever changes the log searches once more under its lock, and what was searched before is
        cached.
        """
        self._store.drain_spool(_SPOOL_TIMEOUT_SECONDS, limit=None)  # spooled events are searched as part of the log
        search, cache = self._search_cache.setdefault(request, (PurgeSearch(request.target), {}))
        plan = search.plan(self._store.log)
        target = plan.target
        if also:
            matchers, claims = target.matchers + also.matchers, target.claims | also.claims
            target = target._replace(matchers=matchers, claims=claims)
        files = tuple(self._home_files(plan.before).scrub(target, cache))
        return _PurgeFindings(plan, target, files, self._make_report(plan, request, files))

    def _replace_segments(
        self, search: PurgeSearch | TombstoneSearch, tombstones_of: Callable[[PurgePlan], list[Draft]]
    ) -> PurgePlan:
        """Append the tombstones, then put every changed segment in place together with a new index."""
        origin = self._store.actor.origin
        with self._store.log.exclusive() as log:
            plan = search.plan(log)
            replace_file(OsDisk(self._store.paths.root), self._store.paths.purge_marker, b"")
            if drafts := tombstones_of(plan):
                log.append(drafts, origin())
        staged = plan.stage(self._store.log)

        def commit(log: Log) -> None:
            current = search.plan(log)
            planned = set(plan.changed)
            if late := [event for event in current.changed if event not in planned]:  # recorded since
                log.append(tombstones_of(current.limited_to(late)), origin())
                current = search.plan(log)
            unchanged = {
                name: path for name, path in staged.items() if current.segment_data(name) == plan.segment_data(name)
            }
            current.apply(log, unchanged)

        self._store.swap_segments(staged, commit)
        return plan

    def _is_interrupted(self) -> bool:
        return os.path.exists(self._store.paths.purge_marker)

    def _remove_marker(self) -> None:
        with suppress(FileNotFoundError):
            os.unlink(self._store.paths.purge_marker)

    def _repeat_purges(self) -> PurgePlan | None:
        """Remove everything that tombstones describe from the log once more; None if there is no tombstone."""
        tombstones = load_tombstones(self._store.log)
        if tombstones is None:
            return None
        search = TombstoneSearch(tombstones)
        return self._replace_segments(search, lambda plan: list(additional_tombstones(plan, tombstones)))

    def _still_purged(self, log: Log) -> PurgeTarget:
        """Return what was ever purged and was not recorded anew since, to be removed from other files too."""
        tombstones = load_tombstones(log)
        events = list(log.events())
        targets = [
            tombstone.target
            for tombstone in (tombstones.all if tombstones else ())
            if all(purge_event(event, tombstone.target) is event for event in events)
        ]
        matchers = tuple(matcher for target in targets for matcher in target.matchers)
        return PurgeTarget(matchers, frozenset(claim for target in targets for claim in target.claims))

    def _clean_files(self, before: Iterable[Event], files: Iterable[ScrubbedFile]) -> None:
        """Write the scrubbed files, remove strays and copies of the index, and scrub the spool."""
        disk, home_files = OsDisk(self._store.paths.root), self._home_files(before)
        for path in [*home_files.strays(), *home_files.index_copies()]:
            with suppress(FileNotFoundError):
                disk.remove(path)
        write_scrubbed(disk, files)
        Spool(self._store.log).scrub()

    def _finish(self, plan: PurgePlan, target: PurgeTarget, report: PurgeReport) -> PurgeReport:
        """Complete the report with what remains, once everything is written, and remove the marker."""
        remaining = self._home_files(plan.before).files_containing(target)
        self._remove_marker()
        return report._replace(
            remaining_files=tuple(remaining),
            unreachable=tuple(unreachable_places(self._home.user_folder, self._sharing_roots(plan.before))),
        )

    # The report

    def _make_report(self, plan: PurgePlan, request: PurgeRequest, files: Iterable[ScrubbedFile]) -> PurgeReport:
        matchers = request.target.matchers
        similar = {
            claim.id
            for event in (plan.after if request.claim is not None else ())
            for claim in claims_of(event.body)
            if matches_any(claim.sentence, matchers)
        }
        return PurgeReport(
            len(plan.changed),
            tuple(sorted(plan.gone_claims)),
            plan.damaged,
            tuple(file.path for file in files),
            tuple(sorted(similar)),
            index_copies=tuple(self._home_files(plan.before).index_copies()),
        )

    def _home_files(self, events: Iterable[Event]) -> HomeFiles:
        paths, log, view_store = self._store.paths, self._store.log, self._store.publisher.view_store
        return HomeFiles(paths, view_store, log.segments(), self._project_roots(events))

    def _project_roots(self, events: Iterable[Event]) -> list[str]:
        """Return the roots of projects, as far as the log knows them, and of the current one."""
        current = [self._store.project.root] if self._store.project else []
        seen = [event.body.root for event in events if isinstance(event.body, ProjectSeen)]
        return list(dict.fromkeys([*current, *seen]))

    def _sharing_roots(self, events: Sequence[Event]) -> list[str]:
        """Return the roots that have or had a fact file. It may have been committed, also if it is gone now."""
        scopes = {event.scope for event in events if event.is_by_user and _is_sharing(event.body)}
        seen = {event.body.root for event in events if isinstance(event.body, ProjectSeen) and event.scope in scopes}
        return [
            root
            for root in self._project_roots(events)
            if root in seen or os.path.exists(os.path.join(root, FACT_FILE))
        ]


def _is_sharing(body: EventBody) -> bool:
    """Return whether a judgement of the person puts something into a fact file."""
    return isinstance(body, ClaimProposed | ClaimDecided) and (not body.private or body.verdict is Verdict.SHARED)


def _text_request(text: str) -> PurgeRequest:
    cleaned = clean(text).strip()
    if len(cleaned) < MIN_TEXT_LENGTH:
        raise UsageError(
            f"a text to purge has at least {MIN_TEXT_LENGTH} letters: shorter ones stand in half of all words"
        )
    if not _is_purgeable(cleaned):
        raise RefusedError(
            "this word is part of how Tacit writes its files, so it stands everywhere",
            "purge a longer text, or a memory by its id: tacit purge ID",
        )
    return PurgeRequest((cleaned,))


def _is_purgeable(text: str) -> bool:
    return len(normalize_for_match(text)) >= MIN_TEXT_LENGTH and normalize_for_match(text) not in _format_words()


def _not_found_error() -> NotFoundError:
    return NotFoundError("no file of this home holds it", "it may be written otherwise: try a part of it")
