"""Purging a text or a memory from the log and from every file of the home; quarantine for unreadable lines."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property, partial

from tacit.disk.files import PRIVATE_FILE, Disk, OsDisk, link_hint, open_plain, read_file, replace_file
from tacit.errors import NotFoundError, RefusedError, UsageError
from tacit.home.home import HomePart
from tacit.home.input import checked_optional_text
from tacit.home.paths import HOME_FOLDERS, OPTIONAL_FOLDERS, REMOTES_FOLDER, HomePaths
from tacit.home.project import FACT_FILE
from tacit.index import reader
from tacit.log.codec import EVENT_TYPES, decode, must_decode
from tacit.log.log import Log
from tacit.log.purge_plan import PurgeSearch, additional_tombstones, make_tombstones
from tacit.log.rewrite import PurgePlan, QuarantinedLine, StagedSegments, quarantine_unreadable
from tacit.log.search import SharedRoots, claim_word, lines_with_claims, read_blocks, read_torn_tail
from tacit.log.segment import SPOOL_FOLDER
from tacit.log.spool import Spool
from tacit.log.strays import index_copies, is_index_copy, is_stray_copy
from tacit.log.tombstone_search import TombstoneSearch
from tacit.log.tombstones import load_tombstones
from tacit.model import purge as purge_model
from tacit.model.claim import Kind, Provenance
from tacit.model.event import ClaimDecided, ClaimProposed, Draft, Event, local_day
from tacit.model.fingerprint import FingerprintSearch, make_fingerprint
from tacit.model.ids import ClaimId, is_claim_prefix
from tacit.model.observation import MemoryPurged
from tacit.model.purge import MIN_TEXT_LENGTH, PurgeTarget
from tacit.pages import facts, long_term
from tacit.pages.long_term import HEADER, SECTIONS
from tacit.pages.view_store import SHARED_FILE_MODE, ViewStore, checked_path
from tacit.record import Record
from tacit.text.display import PURGED_MARK, clean
from tacit.text.match import LiteralMatcher, TextMatcher, matches_any, normalize_for_match, replace_matches
from tacit.text.scrub import Scrubber

# Scrubbing of the files beside the log. A page and its copy of what was last written are changed alike, so that a hand
# edit stays the same edit.

_OWN_FOLDERS = ("memory", "activity", "imported", "sessions", "worklog", "evaluations", "quarantine", ".tacit")
_LOCK_SUFFIXES = (".lock", ".lock.queue")
# Dates and ids of entries are not a person's words.
_IDS_AND_DATES = r'(?m:^- \d{4}-\d\d-\d\d(?=: )| \^[0-9a-z]{12}$|"(?:id|ts)": "[^"\\]*")'
_MAX_OTHER_FILE_BYTES = 64 << 20  # another program's file in the home may be of any size
_TRANSCRIPT_FOLDERS = (".claude", ".codex", ".gemini", ".copilot", ".local/share/opencode")
_HISTORY_FILES = (".bash_history", ".zsh_history", ".local/share/fish/fish_history", ".local/share/atuin")


_LARGE_FILE_BYTES = 64 << 10  # such files are searched in blocks, smaller ones as a whole, which takes longer
_MAX_WORDS_UNKNOWN = 64  # of a text of which only the fingerprint is known, at most so many words are in its lines
_CLAIM_ID = re.compile(rb"[0-9a-hjkmnp-tv-z]{12}")


class ScrubbedFile(Record):
    """A file and the bytes it should have, in blocks. `below` is the root of a project that no link may lead out of."""

    path: str
    blocks: Callable[[], Iterable[bytes]]
    below: str = ""


# What has to be written, by the path of a file, its state, and the target's claims and number of texts.
_FileState = tuple[int, int, int]
PrintSearches = dict[tuple[TextMatcher, ...], FingerprintSearch]
ScrubCache = dict[tuple[str, _FileState, frozenset[str], int], "ScrubbedFile | None"]


class HomeFiles:
    """All files of a home except the log and the index, and the fact files of its projects."""

    def __init__(
        self,
        home: HomePaths,
        view_store: ViewStore,
        segments: Iterable[str],
        roots: Iterable[str],
        prints: PrintSearches | None = None,
    ) -> None:
        self._paths = home
        self._prints: PrintSearches = {} if prints is None else prints
        self._view_store = view_store
        self._segment_paths = {home.path(segment) for segment in segments}
        self._fact_files = [path for root in roots if (path := _fact_file_of(root))]

    def scrub(self, target: PurgeTarget, cache: ScrubCache | None = None) -> Iterator[ScrubbedFile]:
        """Yield every file of ours that has to be written so that nothing of the target is left. Nothing is written.

        Pages come before their copies: if only the copies were written, the rest would look like a hand edit. With
        `cache`, files that did not change since the last time are not read again.
        """
        cache = {} if cache is None else cache
        copies, skipped = self._paths.path(".tacit"), (self._paths.path(SPOOL_FOLDER, ""), self._remotes)
        scrubber = self._scrubber(target)
        for path in sorted([*self._list_files(ours=True), *self._fact_files], key=lambda path: path.startswith(copies)):
            if path.startswith(skipped):  # whole events, which log/spool.py scrubs, and keys
                continue
            key = (path, _state_of(path), target.claims, len(target.matchers))
            if key not in cache:
                cache[key] = self._scrub_file(path, target, scrubber)
            if (file := cache[key]) is not None:
                yield file

    def _scrub_file(self, path: str, target: PurgeTarget, scrubber: Scrubber) -> ScrubbedFile | None:
        """Return a file with its new content; None if it stays as it is."""
        below = path[: -len(FACT_FILE) - 1] if path in self._fact_files else ""
        doomed = self._lines_to_remove(path, target)
        if _state_of(path)[0] <= _LARGE_FILE_BYTES:
            data = read_file(path) or b""
            text = _decode_utf8(data)
            if not doomed and not scrubber.may_contain(text):
                return None
            kept = "\n".join(_remaining_lines(text.split("\n"), doomed))
            scrubbed = scrubber.replace_all(kept).encode("utf-8", "surrogateescape")
            return ScrubbedFile(path, lambda: (scrubbed,), below) if scrubbed != data else None
        blocks = partial(_scrubbed_blocks, path, doomed, scrubber)
        return None if _same_content(path, blocks()) else ScrubbedFile(path, blocks, below)

    def _scrubber(self, target: PurgeTarget) -> Scrubber:
        """Return what replaces the texts of a target. Fingerprints are looked for in each text first."""
        if not target.fingerprints:
            return Scrubber(lambda _text: _literal_matchers(target), _replace_words)
        search = self._prints.setdefault(target.matchers, FingerprintSearch(target.fingerprints))

        def known_texts(text: str) -> list[LiteralMatcher]:
            search.learn([text])
            return _literal_matchers(target.known())

        return Scrubber(known_texts, _replace_words, span=_MAX_WORDS_UNKNOWN)

    def _lines_to_remove(self, path: str, target: PurgeTarget) -> dict[str, str | None]:
        """Return the lines of purged claims, and what is left of each: a line that a person changed, without its id."""
        if not (target.claims and path.endswith((".md", ".ndjson"))):
            return {}
        claims = {claim.encode("ascii") for claim in target.claims}
        id_of = facts.fact_id if path.endswith(".ndjson") else long_term.entry_id
        doomed = {
            line
            for lines in _line_blocks(path, lambda data: not claims.isdisjoint(_CLAIM_ID.findall(data)))
            for line in lines
            if id_of(line) in target.claims
        }
        if not doomed:
            return {}
        copy, wanted = self._view_store.copy_path(path), {line.encode("utf-8", "surrogateescape") for line in doomed}
        if not os.path.isfile(copy):
            return dict.fromkeys(doomed)
        written = {line for lines in _line_blocks(copy, lambda data: data in wanted) for line in lines}
        return {line: None if line in written else re.sub(r" \^[0-9a-z]{12}$", "", line) for line in doomed}

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
        scrubber = self._scrubber(target)
        return [path for path in [*ours, *self._list_files(ours=False)] if _contains(path, scrubber)]

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


def _replace_words(text: str, matchers: Iterable[TextMatcher]) -> str:
    return replace_matches(text, matchers, _IDS_AND_DATES)


def _literal_matchers(target: PurgeTarget) -> list[LiteralMatcher]:
    return [matcher for matcher in target.matchers if isinstance(matcher, LiteralMatcher)]


def _state_of(path: str) -> _FileState:
    """Return size, inode and time of change of a file."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return 0, 0, 0
    return status.st_size, status.st_ino, status.st_mtime_ns


def _line_blocks(path: str, is_wanted: Callable[[bytes], bool] | None = None) -> Iterator[list[str]]:
    """Yield the lines of a file in blocks, only some of them if wanted. What is behind the last line feed is a line."""
    end = 0
    try:
        for block in read_blocks(path):
            yield [_decode_utf8(line) for line in block.lines if is_wanted is None or is_wanted(line)]
            end = block.end
        rest = read_torn_tail(path, end)
    except FileNotFoundError:
        return
    if is_wanted is None or is_wanted(rest):
        yield [_decode_utf8(rest)]


def _remaining_lines(lines: Iterable[str], doomed: Mapping[str, str | None]) -> Iterator[str]:
    for line in lines:
        if (left := doomed.get(line, line)) is not None:
            yield left


def _scrubbed_blocks(path: str, doomed: Mapping[str, str | None], scrubber: Scrubber) -> Iterator[bytes]:
    """Yield the new content of a large file."""
    kept = (list(_remaining_lines(lines, doomed)) for lines in _line_blocks(path))
    separator = b""
    for lines in scrubber.replace(kept):
        if lines:
            yield separator + "\n".join(lines).encode("utf-8", "surrogateescape")
            separator = b"\n"


def _same_content(path: str, blocks: Iterable[bytes]) -> bool:
    with open_plain(path) as file:
        return all(file.read(len(block)) == block for block in blocks) and not file.read(1)


def _contains(path: str, scrubber: Scrubber) -> bool:
    if _state_of(path)[0] > _LARGE_FILE_BYTES:
        return scrubber.contains(
            re.sub(_IDS_AND_DATES, "", "\n".join(lines)).split("\n") for lines in _line_blocks(path)
        )
    return scrubber.contains_any(re.sub(_IDS_AND_DATES, "", _decode_utf8(read_file(path) or b"")))


def write_scrubbed(disk: Disk, files: Iterable[ScrubbedFile]) -> None:
    """Write scrubbed files to the disk."""
    for file in files:
        mode = SHARED_FILE_MODE if file.below else PRIVATE_FILE
        replace_file(disk, file.path, file.blocks(), mode, below=file.below)


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
    claim_key: str = ""

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


class _RepeatedPurges(Record):
    """What purges changed in the log when they were repeated, and what is to be removed from other files, too.

    That is whatever was ever purged and was not recorded anew since.
    """

    plan: PurgePlan
    still_purged: PurgeTarget


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

    @cached_property
    def _print_searches(self) -> PrintSearches:
        """Searches for fingerprints, which remember what they searched."""
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
            resumed = self._repeat_purges() if self.is_interrupted else None
            findings = self._search(request, also=resumed.still_purged if resumed else PurgeTarget())
            if findings.report.is_empty and not resumed:
                self._remove_marker()
                raise _not_found_error()
            if not findings.report.is_empty:
                prints = [
                    make_fingerprint(text, self._store.entropy() + self._store.entropy()) for text in request.texts
                ]
                self._replace_segments(self._search_cache[request][0], lambda plan: make_tombstones(plan, prints, why))
            self._clean_files(findings.plan.roots, findings.files)
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
            repeated = self._repeat_purges()
            if repeated is None:
                self._remove_marker()
                raise NotFoundError("nothing was ever purged from this home")
            plan, target = repeated
            files = list(self._home_files(plan.roots).scrub(target))
            self._clean_files(plan.roots, files)
            return plan, target, self._make_report(plan, files)

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
        memory = self._store.read(lambda connection: reader.load_memory(connection, ids[0], must_decode))
        key = memory.claim.key if memory else ""
        sentences = purge_model.claim_sentences(self._events_of_claim(key), ids[0])
        return PurgeRequest(tuple(text for text in sentences if _is_purgeable(text)), ids[0], key)

    def _events_of_claim(self, key: str) -> Iterator[Event]:
        """Yield the events that may be about the claim with this key."""
        log, words = self._store.log, [claim_word(key)] if claim_word(key) else None
        for segment in log.segments():
            for line in lines_with_claims(log, segment, words):
                if isinstance(event := decode(line.data), Event):
                    yield event

    def _require_hits(self, request: PurgeRequest) -> PurgeReport:
        """Return the report of a search. Raise NotFoundError if it is empty and no purge was interrupted."""
        report = self._search(request).report
        if report.is_empty and not self.is_interrupted:
            raise _not_found_error()
        return report

    # Carrying it out

    def _search(self, request: PurgeRequest, also: PurgeTarget | None = None) -> _PurgeFindings:
        """Return what has to change now in the log and in other files. `also` is removed from other files too.

        No lock is needed: whoever changes the log searches once more under its lock, and what was searched before is
        cached.
        """
        self._store.drain_spool(_SPOOL_TIMEOUT_SECONDS, limit=None)  # spooled events are searched as part of the log
        if request not in self._search_cache:
            self._search_cache[request] = (
                PurgeSearch(request.target, [request.claim_key] * (request.claim is not None)),
                {},
            )
        search, cache = self._search_cache[request]
        plan = search.plan(self._store.log)
        target = plan.target
        if also:
            matchers, claims = target.matchers + also.matchers, target.claims | also.claims
            target = target._replace(matchers=matchers, claims=claims)
        files = tuple(self._home_files(plan.roots).scrub(target, cache))
        return _PurgeFindings(plan, target, files, self._make_report(plan, files))

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
            current.apply(log, StagedSegments(plan, staged))

        self._store.swap_segments(staged, commit)
        return plan

    @property
    def is_interrupted(self) -> bool:
        """Whether a purge began to change files and did not end."""
        return os.path.exists(self._store.paths.purge_marker)

    def _remove_marker(self) -> None:
        with suppress(FileNotFoundError):
            os.unlink(self._store.paths.purge_marker)

    def _repeat_purges(self) -> _RepeatedPurges | None:
        """Remove everything that tombstones describe from the log once more; None if there is no tombstone."""
        tombstones = load_tombstones(self._store.log)
        if tombstones is None:
            return None
        search = TombstoneSearch(tombstones)
        plan = self._replace_segments(
            search, lambda plan: list(additional_tombstones(self._store.log, plan, tombstones))
        )
        return _RepeatedPurges(plan, search.still_purged())

    def _clean_files(self, roots: SharedRoots, files: Iterable[ScrubbedFile]) -> None:
        """Write the scrubbed files, remove strays and copies of the index, and scrub the spool."""
        disk, home_files = OsDisk(self._store.paths.root), self._home_files(roots)
        for path in [*home_files.strays(), *home_files.index_copies()]:
            with suppress(FileNotFoundError):
                disk.remove(path)
        write_scrubbed(disk, files)
        Spool(self._store.log).scrub()

    def _finish(self, plan: PurgePlan, target: PurgeTarget, report: PurgeReport) -> PurgeReport:
        """Complete the report with what remains, once everything is written, and remove the marker."""
        remaining = self._home_files(plan.roots).files_containing(target)
        self._remove_marker()
        return report._replace(
            remaining_files=tuple(remaining),
            unreachable=tuple(unreachable_places(self._home.user_folder, self._sharing_roots(plan.roots))),
        )

    # The report

    def _make_report(self, plan: PurgePlan, files: Iterable[ScrubbedFile]) -> PurgeReport:
        return PurgeReport(
            len(plan.changed),
            tuple(sorted(plan.gone_claims)),
            plan.damaged,
            tuple(file.path for file in files),
            tuple(sorted(plan.matching_claims)),
            index_copies=tuple(self._home_files(plan.roots).index_copies()),
        )

    def _home_files(self, roots: SharedRoots) -> HomeFiles:
        paths, log, view_store = self._store.paths, self._store.log, self._store.publisher.view_store
        return HomeFiles(paths, view_store, log.segments(), self._project_roots(roots), self._print_searches)

    def _project_roots(self, roots: SharedRoots) -> list[str]:
        """Return the roots of projects, as far as the log knows them, and of the current one."""
        current = [self._store.project.root] if self._store.project else []
        return list(dict.fromkeys([*current, *(root for _, root in roots.seen)]))

    def _sharing_roots(self, roots: SharedRoots) -> list[str]:
        """Return the roots that have or had a fact file. It may have been committed, also if it is gone now."""
        shared = {root for scope, root in roots.seen if scope in roots.shared_scopes}
        return [
            root
            for root in self._project_roots(roots)
            if root in shared or os.path.exists(os.path.join(root, FACT_FILE))
        ]


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
