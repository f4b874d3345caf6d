"""Purge: taking a text or a memory out of the log and of every file of the home; and setting damaged lines aside."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property

from tacit.disk.files import PRIVATE_FILE, Disk, OsDisk, link_hint, read_file, replace_file
from tacit.errors import NotFoundError, RefusedError, UsageError
from tacit.home.home import HomePart
from tacit.home.input import checked_optional_text
from tacit.home.paths import HOME_FOLDERS, OPTIONAL_FOLDERS, HomePaths
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
from tacit.model import purge as purging
from tacit.model.claim import Kind, Provenance
from tacit.model.event import ClaimDecided, ClaimProposed, Draft, Event, EventBody, EventOrigin, Verdict, local_day
from tacit.model.ids import ClaimId, is_claim_prefix
from tacit.model.observation import Fingerprint, MemoryPurged, ProjectSeen
from tacit.model.purge import MIN_TEXT_LENGTH, PurgeTarget, claims_of, make_fingerprint, purge_event
from tacit.pages import facts, long_term
from tacit.pages.long_term import HEADER, SECTIONS
from tacit.pages.view_store import SHARED_FILE_MODE, ViewStore, checked_path
from tacit.record import Record
from tacit.text.display import PURGED_MARK, clean
from tacit.text.match import LiteralMatcher, matches_any, normalize_for_match, replace_matches

# The files beside the log: which of them hold what is purged, and taking it out of those that are ours.
#
# A view and the copy of what was last written to it are changed alike, so that a hand edit stays the same edit.

_OWN_FOLDERS = ("memory", "activity", "imported", "sessions", "worklog", "evaluations", "quarantine", ".tacit")
_LOCK_SUFFIXES = (".lock", ".lock.queue")
# Dates and ids of entries are no words of a person.
_IDS_AND_DATES = r'(?m:^- \d{4}-\d\d-\d\d(?=: )| \^[0-9a-z]{12}$|"(?:id|ts)": "[^"\\]*")'
_MAX_OTHER_FILE_BYTES = 64 << 20  # another program's file in the home may be of any size
_TRANSCRIPT_FOLDERS = (".claude", ".codex", ".gemini", ".copilot", ".local/share/opencode")
_HISTORY_FILES = (".bash_history", ".zsh_history", ".local/share/fish/fish_history", ".local/share/atuin")


# What a file should hold, by its path, what it held, and the cut (its claims, and how many texts it has).
ScrubCache = dict[tuple[str, bytes, frozenset[str], int], bytes]


class ScrubbedFile(Record):
    """A file with what it should hold."""

    path: str
    data: bytes
    below: str = ""


class HomeFiles:
    """All files of a home but the log and the index, and the fact files of its projects."""

    def __init__(self, home: HomePaths, shelf: ViewStore, segments: Iterable[str], roots: Iterable[str]) -> None:
        self._paths = home
        self._view_store = shelf
        self._segment_paths = {home.path(segment) for segment in segments}
        self._fact_files = [path for root in roots if (path := _fact_file_of(root))]

    def scrub(self, cut: PurgeTarget, seen: ScrubCache | None = None) -> Iterator[ScrubbedFile]:
        """What has to be written so that nothing of the cut is left in our files. Nothing is written here.

        Pages before their copies: if only those were written, the rest would look like a hand edit. `seen` keeps what
        was searched for this cut, so that a second look costs no more than reading.
        """
        seen = {} if seen is None else seen
        kept, spool = self._paths.path(".tacit"), self._paths.path(SPOOL_FOLDER, "")
        for path in sorted([*self._list_files(ours=True), *self._fact_files], key=lambda path: path.startswith(kept)):
            if path.startswith(spool):  # whole events, which are scrubbed as such (see log/spool.py)
                continue
            data = read_file(path) or b""
            known = (path, data, cut.claims, len(cut.matchers))
            clean = seen.get(known)
            if clean is None:
                clean = seen[known] = _encode_utf8(self._scrub_text(path, _decode_utf8(data), cut))
            if clean != data:
                yield ScrubbedFile(path, clean, path[: -len(FACT_FILE) - 1] if path in self._fact_files else "")

    def strays(self) -> list[str]:
        """What an interrupted write left: temporary files, here and beside the fact files."""
        folders = {os.path.dirname(path) for path in self._fact_files}
        beside = [os.path.join(folder, name) for folder in folders for name in os.listdir(folder)]
        return [path for path in [*_regular_files(self._paths.root), *beside] if _is_temporary(path)]

    def index_copies(self) -> list[str]:
        """Copies of the index: like the index itself they are derived, and hold the text in ways nobody can scrub."""
        return list(index_copies(self._paths.root, _OWN_FOLDERS))

    def files_containing(self, cut: PurgeTarget) -> list[str]:
        """Files that still hold it: the person's own, and ours where it is put together from several parts.

        Memories that hold the words of a purged one and stay are still told in our files, as they should be.
        """
        ours = [*self._list_files(ours=True), *self._fact_files] if cut.everywhere else []
        return [
            path
            for path in [*ours, *self._list_files(ours=False)]
            if _contains_target(_decode_utf8(read_file(path) or b""), cut)
        ]

    def _list_files(self, *, ours: bool) -> Iterator[str]:
        index, copies = os.path.basename(self._paths.index), set(self.index_copies())
        for path in _regular_files(self._paths.root):
            place = os.path.relpath(path, self._paths.root)
            is_index = path in copies or (place.startswith(index) and not is_index_copy(place))
            if path in self._segment_paths or is_index or path.endswith(_LOCK_SUFFIXES):
                continue
            is_ours = place.split(os.sep)[0] in _OWN_FOLDERS or (os.sep not in place and is_stray_copy("", place))
            if is_ours is ours and (ours or os.path.getsize(path) <= _MAX_OTHER_FILE_BYTES):
                yield path

    def _scrub_text(self, path: str, text: str, cut: PurgeTarget) -> str:
        if cut.claims and path.endswith((".md", ".ndjson")):
            text = "\n".join(self._remaining_lines(path, text.split("\n"), cut))
        return replace_matches(text, cut.matchers, _IDS_AND_DATES)

    def _remaining_lines(self, path: str, lines: Sequence[str], cut: PurgeTarget) -> Iterator[str]:
        """The lines without those of purged claims. One that a person has changed is theirs, under no id."""
        base = self._last_written_lines(path)
        for line in lines:
            if _line_id(path, line) not in cut.claims:
                yield line
            elif base is not None and line not in base:
                yield re.sub(r" \^[0-9a-z]{12}$", "", line)

    def _last_written_lines(self, path: str) -> set[str] | None:
        """The lines that were written to a view last; of such a copy, every line is one."""
        copy = read_file(self._view_store.copy_path(path))
        return None if copy is None else set(_decode_utf8(copy).split("\n"))


def write_scrubbed(disk: Disk, files: Iterable[ScrubbedFile]) -> None:
    for file in files:
        mode = SHARED_FILE_MODE if file.below else PRIVATE_FILE
        replace_file(disk, file.path, file.data, mode, below=file.below)


def unreachable_places(user_folder: str, roots: Iterable[str]) -> list[str]:
    """What no purge can reach, as far as it is there. `roots` are projects with a fact file, now or before."""
    there = [os.path.join(user_folder, name) for name in (*_TRANSCRIPT_FOLDERS, *_HISTORY_FILES)]
    return [
        *(f"the history of git in {root}, if {FACT_FILE} was committed" for root in roots if _has_git_history(root)),
        *(f"{path}, where other programs keep what was said and typed" for path in there if os.path.exists(path)),
        "backups, exports and snapshots of the file system",
        "homes on other machines, until this tombstone is imported there",
    ]


def _has_git_history(root: str) -> bool:
    return os.path.exists(os.path.join(root, ".git"))


def _fact_file_of(root: str) -> str | None:
    """The fact file of a project, unless a link leads to it: never written through."""
    path = os.path.join(root, FACT_FILE)
    with suppress(RefusedError, OSError):
        return checked_path(root, path) if os.path.isfile(path) else None
    return None


def _line_id(path: str, line: str) -> ClaimId | None:
    return facts.fact_id(line) if path.endswith(".ndjson") else long_term.entry_id(line)


def _contains_target(text: str, cut: PurgeTarget) -> bool:
    return matches_any(re.sub(_IDS_AND_DATES, "", text), cut.matchers)


def _regular_files(root: str) -> Iterator[str]:
    """Every file below a folder; links are not followed."""
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


def _encode_utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


# The one destructive verb, and setting aside what cannot be read: both write segments of the log anew.
#
# A purge searches while nobody waits for it. Then it leaves a durable tombstone, writes new segments beside the old
# ones and an index of them, and puts all of that in place in one short step; until then questions are answered from
# the old state. Every other file of ours is cleaned, and the views are drawn again. Killed at any point it has lost
# nothing else, no answer shows the text any more, and running it again completes it.

_SPOOL_TIMEOUT_SECONDS = 10.0  # to wait for the log's lock, so that what was spooled can be filed


@cache
def _format_words() -> str:
    """The words our own files are written with: taking them out would take the files apart."""
    words = (
        *EVENT_TYPES,
        *(kind.label for kind in Kind),
        *(one.name for one in Provenance),
        *(field for body in (ClaimProposed, ClaimDecided, MemoryPurged) for field in body._fields),
        *HEADER,
        *SECTIONS,
        "global project: local user policy agent remember promote repeats evaluation user_direct",
        "canonical dedupe_key strength triple subject predicate object sentence summary changes worklog",
        PURGED_MARK,
    )
    return normalize_for_match("\n".join(words))


@dataclass(frozen=True, slots=True)
class PurgeRequest:
    """What a person wants gone: a text, or a memory with all its wordings."""

    texts: tuple[str, ...]
    claim: ClaimId | None = None

    @property
    def target(self) -> PurgeTarget:
        claims = frozenset({self.claim}) if self.claim else frozenset[str]()
        words = tuple(LiteralMatcher(normalize_for_match(text)) for text in self.texts)
        return PurgeTarget(words, claims, everywhere=self.claim is None)


@dataclass(frozen=True, slots=True)
class PurgeReport:
    """What a purge changes or has changed; `remains` and `beyond` only once it is done."""

    events: int
    memories: tuple[str, ...]
    damaged: int
    files: tuple[str, ...]
    similar_memories: tuple[str, ...] = ()
    remaining_files: tuple[str, ...] = ()
    unreachable: tuple[str, ...] = ()
    index_copies: tuple[str, ...] = ()  # of the index, which are removed

    @property
    def is_empty(self) -> bool:
        return not (self.events or self.damaged or self.files or self.index_copies)


class _PurgeFindings(Record):
    """What a purge finds: the log as it should be, all that is to be taken out of other files, and those files."""

    plan: PurgePlan
    target: PurgeTarget
    files: tuple[ScrubbedFile, ...]
    report: PurgeReport


class Purger(HomePart):
    """purge, and mending damaged lines."""

    @cached_property
    def _search_cache(self) -> dict[PurgeRequest, tuple[PurgeSearch, ScrubCache]]:
        """What was searched already, so that asking before a purge does not make it twice as long."""
        return {}

    def preview(self, reference: str | None = None, *, text: str | None = None) -> PurgeReport:
        """What a purge would change. Nothing is changed, and the text is told to nobody."""
        self._check_allowed()
        meant = self._parse_request(reference, text)
        found = self._search(meant).report
        if found.is_empty and not os.path.exists(self._store.paths.purge_marker):
            raise _not_found_error()
        return found

    def purge(self, reference: str | None = None, *, text: str | None = None, reason: str = "") -> PurgeReport:
        """Take it out of every file of the home, for good."""
        self._check_allowed()
        meant = self._parse_request(reference, text)
        why = checked_optional_text(reason, "the reason")
        if matches_any(why, meant.target.matchers):
            raise RefusedError("the reason holds the text itself, and the reason is kept", "say it in other words")
        # The long search, while nobody has to wait for it.
        if self._search(meant).report.is_empty and not os.path.exists(self._store.paths.purge_marker):
            raise _not_found_error()

        def work() -> tuple[PurgePlan, PurgeTarget, PurgeReport]:
            log = self._store.log
            resumed = os.path.exists(self._store.paths.purge_marker) and self._repeat_purges()
            cut = self._still_purged(log) if resumed else PurgeTarget()
            looked = self._search(meant, also=cut)
            if looked.report.is_empty and not resumed:
                self._remove_marker()
                raise _not_found_error()
            if not looked.report.is_empty:
                prints = [self._fingerprint(text) for text in meant.texts]
                self._replace_segments(self._search_cache[meant][0], lambda plan: make_tombstones(plan, prints, why))
            self._clean_files(looked.plan.before, looked.files)
            return looked.plan, looked.target, looked.report

        return self._finish(*self._store.rewrite_log(work, rebuild=False))

    def purge_again(self) -> PurgeReport:
        """Purge all that was ever purged once more: after an interruption, or when an old file was put back."""
        self._check_allowed()
        self._require_home()

        def work() -> tuple[PurgePlan, PurgeTarget, PurgeReport]:
            plan = self._repeat_purges()
            if plan is None:
                self._remove_marker()
                raise NotFoundError("nothing was ever purged from this home")
            cut = self._still_purged(self._store.log)
            files = list(self._home_files(plan.before).scrub(cut))
            self._clean_files(plan.before, files)
            return plan, cut, self._make_report(plan, PurgeRequest(()), files)

        return self._finish(*self._store.rewrite_log(work, rebuild=False))

    def mend(self) -> list[QuarantinedLine]:
        """Set aside every line of the log that cannot be read; nothing is lost, and readable lines stay as they are."""
        self._store.actor.require_person("mends the log", "tacit verify --mend")
        self._require_home()
        day = local_day(self._store.actor.origin()).isoformat()

        def work() -> list[QuarantinedLine]:
            with self._store.log.exclusive() as log:
                return [aside for segment in log.segments() for aside in quarantine_unreadable(log, segment, day)]

        return self._store.rewrite_log(work)

    # What is meant

    def _check_allowed(self) -> None:
        self._store.actor.require_person("purges", "tacit purge ID")
        self._refuse_links()

    def _refuse_links(self) -> None:
        """Refused before anything is changed where a link lies in the way: nothing is written behind it."""
        home = self._store.paths
        places = [home.path(place) for place in (*HOME_FOLDERS, *OPTIONAL_FOLDERS, *self._store.log.segments())]
        for place in places:
            if os.path.islink(place):
                raise RefusedError(
                    f"{place} is a symbolic link; a purge would not reach what lies behind it. Nothing was changed",
                    link_hint(place),
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
        """A memory by its id. Its words are not taken for an id, lest they be repeated in a message."""
        prefix = reference.strip().lstrip("^").lower()
        if not is_claim_prefix(prefix):
            raise UsageError("this is no id of a memory", "for a text: tacit purge --text '…'")
        found = self._store.read(lambda connection: reader.claim_ids_with_prefix(connection, prefix))
        if not found:
            raise NotFoundError(f"no memory has the id {prefix}", "for a text: tacit purge --text '…'")
        if len(found) > 1:
            raise RefusedError(f"{prefix} is the beginning of {len(found)} ids", "type one or two letters more")
        said = purging.claim_sentences(self._store.log.events(), found[0])
        return PurgeRequest(tuple(text for text in said if _is_purgeable(text)), found[0])

    def _fingerprint(self, text: str) -> Fingerprint:
        return make_fingerprint(text, self._store.entropy() + self._store.entropy())

    # Doing it

    def _search(self, meant: PurgeRequest, also: PurgeTarget | None = None) -> _PurgeFindings:
        """What is to be changed now, in the log and (with more to take out of them) in other files.

        No lock is needed: who goes on to change the log looks once more under its lock. What was searched before is
        not searched again.
        """
        self._store.drain_spool(_SPOOL_TIMEOUT_SECONDS, most=None)  # what waits there is searched as a part of the log
        search, seen = self._search_cache.setdefault(meant, (PurgeSearch(meant.target), {}))
        plan = search.plan(self._store.log)
        cut = _merge_targets(plan.target, also) if also else plan.target
        files = tuple(self._home_files(plan.before).scrub(cut, seen))
        return _PurgeFindings(plan, cut, files, self._make_report(plan, meant, files))

    def _replace_segments(
        self, search: PurgeSearch | TombstoneSearch, tombstones_of: Callable[[PurgePlan], list[Draft]]
    ) -> PurgePlan:
        """Leave the tombstones, then put every segment that changes in its place together with a new index."""
        with self._store.log.exclusive() as log:
            plan = search.plan(log)
            self._set_marker()
            if drafts := tombstones_of(plan):
                log.append(drafts, self._origin())
        staged = plan.stage(self._store.log)

        def commit(log: Log) -> None:
            now = search.plan(log)
            named = set(plan.changed)
            if late := [event for event in now.changed if event not in named]:  # recorded since
                log.append(tombstones_of(now.limited_to(late)), self._origin())
                now = search.plan(log)
            now.apply(
                log, {name: path for name, path in staged.items() if now.segment_data(name) == plan.segment_data(name)}
            )

        self._store.swap_segments(staged, commit)
        return plan

    def _set_marker(self) -> None:
        replace_file(OsDisk(self._store.paths.root), self._store.paths.purge_marker, b"")

    def _remove_marker(self) -> None:
        with suppress(FileNotFoundError):
            os.unlink(self._store.paths.purge_marker)

    def _repeat_purges(self) -> PurgePlan | None:
        """Take everything that tombstones speak of out of the log once more; None where there are none."""
        dead = load_tombstones(self._store.log)
        if dead is None:
            return None
        return self._replace_segments(TombstoneSearch(dead), lambda plan: list(additional_tombstones(plan, dead)))

    def _still_purged(self, log: Log) -> PurgeTarget:
        """What was ever purged and nobody has said anew since: to be taken out of other files too."""
        dead = load_tombstones(log)
        now = list(log.events())
        silent = (
            [one for one in dead.all if all(purge_event(event, one.target) is event for event in now)] if dead else []
        )
        texts = tuple(text for one in silent for text in one.target.matchers)
        return PurgeTarget(texts, frozenset(claim for one in silent for claim in one.target.claims))

    def _clean_files(self, before: Iterable[Event], files: Iterable[ScrubbedFile]) -> None:
        """Take it out of everything that is neither the log nor the index; copies of the index are removed."""
        disk, found = OsDisk(self._store.paths.root), self._home_files(before)
        for path in [*found.strays(), *found.index_copies()]:
            with suppress(FileNotFoundError):
                disk.remove(path)
        write_scrubbed(disk, files)
        Spool(self._store.log).scrub()

    def _finish(self, plan: PurgePlan, cut: PurgeTarget, found: PurgeReport) -> PurgeReport:
        """Everything is written: look once more, and let go of the mark that says we are at it."""
        remains = self._home_files(plan.before).files_containing(cut)
        self._remove_marker()
        return replace(
            found,
            remaining_files=tuple(remains),
            unreachable=tuple(unreachable_places(self._home.user_folder, self._sharing_roots(plan.before))),
        )

    # What it comes to

    def _make_report(self, plan: PurgePlan, meant: PurgeRequest, files: Iterable[ScrubbedFile]) -> PurgeReport:
        others = () if meant.claim is None else tuple(sorted(_claims_containing(plan.after, meant.target)))
        paths = tuple(file.path for file in files)
        copies = tuple(self._home_files(plan.before).index_copies())
        return PurgeReport(
            len(plan.changed), tuple(sorted(plan.gone_claims)), plan.damaged, paths, others, index_copies=copies
        )

    def _home_files(self, events: Iterable[Event]) -> HomeFiles:
        home, log, shelf = self._store.paths, self._store.log, self._store.publisher.view_store
        return HomeFiles(home, shelf, log.segments(), self._project_roots(events))

    def _project_roots(self, events: Iterable[Event]) -> list[str]:
        """Where projects lie, as far as the log tells, and the one we stand in."""
        here = [self._store.project.root] if self._store.project else []
        seen = [event.body.root for event in events if isinstance(event.body, ProjectSeen)]
        return list(dict.fromkeys([*here, *seen]))

    def _sharing_roots(self, events: Sequence[Event]) -> list[str]:
        """Where a fact file lies or lay: what was in it may have been committed, also if it is gone now."""
        scopes = {event.scope for event in events if event.is_by_user and _is_sharing(event.body)}
        seen = {event.body.root for event in events if isinstance(event.body, ProjectSeen) and event.scope in scopes}
        return [
            root
            for root in self._project_roots(events)
            if root in seen or os.path.exists(os.path.join(root, FACT_FILE))
        ]

    def _origin(self) -> EventOrigin:
        return self._store.actor.origin()


def _is_sharing(body: EventBody) -> bool:
    """Whether a judgement of the person puts something into a fact file."""
    return isinstance(body, ClaimProposed | ClaimDecided) and (not body.private or body.verdict is Verdict.SHARED)


def _text_request(text: str) -> PurgeRequest:
    wanted = clean(text).strip()
    if len(wanted) < MIN_TEXT_LENGTH:
        raise UsageError(
            f"a text to purge has at least {MIN_TEXT_LENGTH} letters: shorter ones stand in half of all words"
        )
    if not _is_purgeable(wanted):
        raise RefusedError(
            "this word is part of how Tacit writes its files, so it stands everywhere",
            "purge a longer text, or a memory by its id: tacit purge ID",
        )
    return PurgeRequest((wanted,))


def _is_purgeable(text: str) -> bool:
    return len(normalize_for_match(text)) >= MIN_TEXT_LENGTH and normalize_for_match(text) not in _format_words()


def _merge_targets(one: PurgeTarget, other: PurgeTarget) -> PurgeTarget:
    return one._replace(matchers=one.matchers + other.matchers, claims=one.claims | other.claims)


def _claims_containing(events: Iterable[Event], cut: PurgeTarget) -> set[str]:
    """The claims that hold the words of a purged one and stay."""
    return {
        claim.id for event in events for claim in claims_of(event.body) if matches_any(claim.sentence, cut.matchers)
    }


def _not_found_error() -> NotFoundError:
    return NotFoundError("no file of this home holds it", "it may be written otherwise: try a part of it")
