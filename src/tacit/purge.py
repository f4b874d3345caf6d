"""Purge: taking a text or a memory out of the log and of every file of the home; and setting damaged lines aside."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property

from tacit.disk.files import PRIVATE_FILE, Disk, OsDisk, instead_of_link, read_file, replace_file
from tacit.errors import NotFound, Refused, WrongUse
from tacit.home.home import Part
from tacit.home.input import checked_optional
from tacit.home.paths import FOLDERS, SOMETIMES, HomePaths
from tacit.home.project import FACTS
from tacit.index import reader
from tacit.log.codec import EVENT_TYPES
from tacit.log.log import SPOOL, Log
from tacit.log.rewrite import Aside, Plan, Search, SearchAgain, graves, more_graves, set_aside
from tacit.log.spool import Spool
from tacit.log.strays import index_copies, is_index_copy, is_left
from tacit.log.tombstones import tombstones
from tacit.model import purge as purging
from tacit.model.claim import Kind, Provenance
from tacit.model.event import Body, Decided, Draft, Event, Origin, Proposed, Verdict, local_day
from tacit.model.ids import ClaimId, is_claim_prefix
from tacit.model.observation import Print, ProjectSeen, Purged
from tacit.model.purge import LEAST, Cut, claims_of, print_of, purged
from tacit.pages import facts, long_term
from tacit.pages.long_term import HEADER, SECTIONS
from tacit.pages.view_store import SHARED_FILE, Shelf, inside
from tacit.record import Record
from tacit.text.display import MARK, clean
from tacit.text.match import Words, holds, plain, scrub

# The files beside the log: which of them hold what is purged, and taking it out of those that are ours.
#
# A view and the copy of what was last written to it are changed alike, so that a hand edit stays the same edit.

_OURS = ("memory", "activity", "imported", "sessions", "worklog", "evaluations", "quarantine", ".tacit")
_LOCKS = (".lock", ".lock.queue")
# Dates and ids of entries are no words of a person.
_STRUCTURE = r'(?m:^- \d{4}-\d\d-\d\d(?=: )| \^[0-9a-z]{12}$|"(?:id|ts)": "[^"\\]*")'
_MOST = 64 << 20  # another program's file in the home may be of any size
_SESSIONS = (".claude", ".codex", ".gemini", ".copilot", ".local/share/opencode")
_HISTORIES = (".bash_history", ".zsh_history", ".local/share/fish/fish_history", ".local/share/atuin")


# What a file should hold, by its path, what it held, and the cut (its claims, and how many texts it has).
Seen = dict[tuple[str, bytes, frozenset[str], int], bytes]


class Scrubbed(Record):
    """A file with what it should hold."""

    path: str
    data: bytes
    below: str = ""


class Files:
    """All files of a home but the log and the index, and the fact files of its projects."""

    def __init__(self, home: HomePaths, shelf: Shelf, segments: Iterable[str], roots: Iterable[str]) -> None:
        self._home = home
        self._shelf = shelf
        self._logs = {home.path(segment) for segment in segments}
        self._facts = [path for root in roots if (path := _facts_of(root))]

    def scrubbed(self, cut: Cut, seen: Seen | None = None) -> Iterator[Scrubbed]:
        """What has to be written so that nothing of the cut is left in our files. Nothing is written here.

        Pages before their copies: if only those were written, the rest would look like a hand edit. `seen` keeps what
        was searched for this cut, so that a second look costs no more than reading.
        """
        seen = {} if seen is None else seen
        kept, spool = self._home.path(".tacit"), self._home.path(SPOOL, "")
        for path in sorted([*self._files(ours=True), *self._facts], key=lambda path: path.startswith(kept)):
            if path.startswith(spool):  # whole events, which are scrubbed as such (see log/spool.py)
                continue
            data = read_file(path) or b""
            known = (path, data, cut.claims, len(cut.texts))
            clean = seen.get(known)
            if clean is None:
                clean = seen[known] = _encoded(self._without(path, _decoded(data), cut))
            if clean != data:
                yield Scrubbed(path, clean, path[: -len(FACTS) - 1] if path in self._facts else "")

    def strays(self) -> list[str]:
        """What an interrupted write left: temporary files, here and beside the fact files."""
        folders = {os.path.dirname(path) for path in self._facts}
        beside = [os.path.join(folder, name) for folder in folders for name in os.listdir(folder)]
        return [path for path in [*_regular(self._home.root), *beside] if _is_temporary(path)]

    def index_copies(self) -> list[str]:
        """Copies of the index: like the index itself they are derived, and hold the text in ways nobody can scrub."""
        return list(index_copies(self._home.root, _OURS))

    def remains(self, cut: Cut) -> list[str]:
        """Files that still hold it: the person's own, and ours where it is put together from several parts.

        Memories that hold the words of a purged one and stay are still told in our files, as they should be.
        """
        ours = [*self._files(ours=True), *self._facts] if cut.everywhere else []
        return [path for path in [*ours, *self._files(ours=False)] if _still(_decoded(read_file(path) or b""), cut)]

    def _files(self, *, ours: bool) -> Iterator[str]:
        index, copies = os.path.basename(self._home.index), set(self.index_copies())
        for path in _regular(self._home.root):
            place = os.path.relpath(path, self._home.root)
            is_index = path in copies or (place.startswith(index) and not is_index_copy(place))
            if path in self._logs or is_index or path.endswith(_LOCKS):
                continue
            is_ours = place.split(os.sep)[0] in _OURS or (os.sep not in place and is_left("", place))
            if is_ours is ours and (ours or os.path.getsize(path) <= _MOST):
                yield path

    def _without(self, path: str, text: str, cut: Cut) -> str:
        if cut.claims and path.endswith((".md", ".ndjson")):
            text = "\n".join(self._left(path, text.split("\n"), cut))
        return scrub(text, cut.texts, _STRUCTURE)

    def _left(self, path: str, lines: Sequence[str], cut: Cut) -> Iterator[str]:
        """The lines without those of purged claims. One that a person has changed is theirs, under no id."""
        base = self._base(path)
        for line in lines:
            if _line_id(path, line) not in cut.claims:
                yield line
            elif base is not None and line not in base:
                yield re.sub(r" \^[0-9a-z]{12}$", "", line)

    def _base(self, path: str) -> set[str] | None:
        """The lines that were written to a view last; of such a copy, every line is one."""
        copy = read_file(self._shelf.copy_of(path))
        return None if copy is None else set(_decoded(copy).split("\n"))


def put(disk: Disk, files: Iterable[Scrubbed]) -> None:
    for file in files:
        mode = SHARED_FILE if file.below else PRIVATE_FILE
        replace_file(disk, file.path, file.data, mode, below=file.below)


def beyond(user_folder: str, roots: Iterable[str]) -> list[str]:
    """What no purge can reach, as far as it is there. `roots` are projects with a fact file, now or before."""
    there = [os.path.join(user_folder, name) for name in (*_SESSIONS, *_HISTORIES)]
    return [
        *(f"the history of git in {root}, if {FACTS} was committed" for root in roots if _has_history(root)),
        *(f"{path}, where other programs keep what was said and typed" for path in there if os.path.exists(path)),
        "backups, exports and snapshots of the file system",
        "homes on other machines, until this tombstone is imported there",
    ]


def _has_history(root: str) -> bool:
    return os.path.exists(os.path.join(root, ".git"))


def _facts_of(root: str) -> str | None:
    """The fact file of a project, unless a link leads to it: never written through."""
    path = os.path.join(root, FACTS)
    with suppress(Refused, OSError):
        return inside(root, path) if os.path.isfile(path) else None
    return None


def _line_id(path: str, line: str) -> ClaimId | None:
    return facts.line_id(line) if path.endswith(".ndjson") else long_term.line_id(line)


def _still(text: str, cut: Cut) -> bool:
    return holds(re.sub(_STRUCTURE, "", text), cut.texts)


def _regular(root: str) -> Iterator[str]:
    """Every file below a folder; links are not followed."""
    for folder, _, names in os.walk(root):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if os.path.isfile(path) and not os.path.islink(path):
                yield path


def _is_temporary(path: str) -> bool:
    name = os.path.basename(path)
    return name.startswith(".") and name.endswith(".tacit-new")


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


# The one destructive verb, and setting aside what cannot be read: both write segments of the log anew.
#
# A purge searches while nobody waits for it. Then it leaves a durable tombstone, writes new segments beside the old
# ones and an index of them, and puts all of that in place in one short step; until then questions are answered from
# the old state. Every other file of ours is cleaned, and the views are drawn again. Killed at any point it has lost
# nothing else, no answer shows the text any more, and running it again completes it.

_SPOOL_SECONDS = 10.0  # to wait for the log's lock, so that what was spooled can be filed


@cache
def _own_words() -> str:
    """The words our own files are written with: taking them out would take the files apart."""
    words = (
        *EVENT_TYPES,
        *(kind.label for kind in Kind),
        *(one.name for one in Provenance),
        *(field for body in (Proposed, Decided, Purged) for field in body._fields),
        *HEADER,
        *SECTIONS,
        "global project: local user policy agent remember promote repeats evaluation user_direct",
        "canonical dedupe_key strength triple subject predicate object sentence summary changes worklog",
        MARK,
    )
    return plain("\n".join(words))


@dataclass(frozen=True, slots=True)
class Meant:
    """What a person wants gone: a text, or a memory with all its wordings."""

    texts: tuple[str, ...]
    claim: ClaimId | None = None

    @property
    def cut(self) -> Cut:
        claims = frozenset({self.claim}) if self.claim else frozenset[str]()
        words = tuple(Words(plain(text)) for text in self.texts)
        return Cut(words, claims, everywhere=self.claim is None)


@dataclass(frozen=True, slots=True)
class Purge:
    """What a purge changes or has changed; `remains` and `beyond` only once it is done."""

    events: int
    memories: tuple[str, ...]
    damaged: int
    files: tuple[str, ...]
    others: tuple[str, ...] = ()
    remains: tuple[str, ...] = ()
    beyond: tuple[str, ...] = ()
    copies: tuple[str, ...] = ()  # of the index, which are removed

    @property
    def nothing(self) -> bool:
        return not (self.events or self.damaged or self.files or self.copies)


class _Looked(Record):
    """What a purge finds: the log as it should be, all that is to be taken out of other files, and those files."""

    plan: Plan
    cut: Cut
    files: tuple[Scrubbed, ...]
    found: Purge


class Purger(Part):
    """purge, and mending damaged lines."""

    @cached_property
    def _searches(self) -> dict[Meant, tuple[Search, Seen]]:
        """What was searched already, so that asking before a purge does not make it twice as long."""
        return {}

    def to_purge(self, reference: str | None = None, *, text: str | None = None) -> Purge:
        """What a purge would change. Nothing is changed, and the text is told to nobody."""
        self._may_purge()
        meant = self._meant(reference, text)
        found = self._look(meant).found
        if found.nothing and not os.path.exists(self._store.home.purging):
            raise _nothing_found()
        return found

    def purge(self, reference: str | None = None, *, text: str | None = None, reason: str = "") -> Purge:
        """Take it out of every file of the home, for good."""
        self._may_purge()
        meant = self._meant(reference, text)
        why = checked_optional(reason, "the reason")
        if holds(why, meant.cut.texts):
            raise Refused("the reason holds the text itself, and the reason is kept", "say it in other words")
        # The long search, while nobody has to wait for it.
        if self._look(meant).found.nothing and not os.path.exists(self._store.home.purging):
            raise _nothing_found()

        def work() -> tuple[Plan, Cut, Purge]:
            log = self._store.log
            resumed = os.path.exists(self._store.home.purging) and self._complete()
            cut = self._silent(log) if resumed else Cut()
            looked = self._look(meant, also=cut)
            if looked.found.nothing and not resumed:
                self._end()
                raise _nothing_found()
            if not looked.found.nothing:
                prints = [self._print(text) for text in meant.texts]
                self._replace_segments(self._searches[meant][0], lambda plan: graves(plan, prints, why))
            self._clean(looked.plan.before, looked.files)
            return looked.plan, looked.cut, looked.found

        return self._told(*self._store.remade(work, rebuild=False))

    def purge_again(self) -> Purge:
        """Purge all that was ever purged once more: after an interruption, or when an old file was put back."""
        self._may_purge()
        self._must_have_home()

        def work() -> tuple[Plan, Cut, Purge]:
            plan = self._complete()
            if plan is None:
                self._end()
                raise NotFound("nothing was ever purged from this home")
            cut = self._silent(self._store.log)
            files = list(self._files(plan.before).scrubbed(cut))
            self._clean(plan.before, files)
            return plan, cut, self._found(plan, Meant(()), files)

        return self._told(*self._store.remade(work, rebuild=False))

    def mend(self) -> list[Aside]:
        """Set aside every line of the log that cannot be read; nothing is lost, and readable lines stay as they are."""
        self._store.speaker.must_be_person("mends the log", "tacit verify --mend")
        self._must_have_home()
        day = local_day(self._store.speaker.origin()).isoformat()

        def work() -> list[Aside]:
            with self._store.log.alone() as log:
                return [aside for segment in log.segments() for aside in set_aside(log, segment, day)]

        return self._store.remade(work)

    # What is meant

    def _may_purge(self) -> None:
        self._store.speaker.must_be_person("purges", "tacit purge ID")
        self._must_reach_everything()

    def _must_reach_everything(self) -> None:
        """Refused before anything is changed where a link lies in the way: nothing is written behind it."""
        home = self._store.home
        places = [home.path(place) for place in (*FOLDERS, *SOMETIMES, *self._store.log.segments())]
        for place in places:
            if os.path.islink(place):
                raise Refused(
                    f"{place} is a symbolic link; a purge would not reach what lies behind it. Nothing was changed",
                    instead_of_link(place),
                )

    def _must_have_home(self) -> None:
        if not os.path.isdir(self._store.home.root):
            raise NotFound(f"there is no home at {self._store.home.root}", "tacit init")

    def _meant(self, reference: str | None, text: str | None) -> Meant:
        self._must_have_home()
        if (reference is None) == (text is None):
            raise WrongUse("what should be purged?", "tacit purge ID, or tacit purge --text '…'")
        return self._of_memory(reference) if reference is not None else _of_text(text or "")

    def _of_memory(self, reference: str) -> Meant:
        """A memory by its id. Its words are not taken for an id, lest they be repeated in a message."""
        prefix = reference.strip().lstrip("^").lower()
        if not is_claim_prefix(prefix):
            raise WrongUse("this is no id of a memory", "for a text: tacit purge --text '…'")
        found = self._store.read(lambda connection: reader.ids_beginning(connection, prefix))
        if not found:
            raise NotFound(f"no memory has the id {prefix}", "for a text: tacit purge --text '…'")
        if len(found) > 1:
            raise Refused(f"{prefix} is the beginning of {len(found)} ids", "type one or two letters more")
        said = purging.wordings(self._store.log.events(), found[0])
        return Meant(tuple(text for text in said if _is_telling(text)), found[0])

    def _print(self, text: str) -> Print:
        return print_of(text, self._store.entropy() + self._store.entropy())

    # Doing it

    def _look(self, meant: Meant, also: Cut | None = None) -> _Looked:
        """What is to be changed now, in the log and (with more to take out of them) in other files.

        No lock is needed: who goes on to change the log looks once more under its lock. What was searched before is
        not searched again.
        """
        self._store.file_spooled(_SPOOL_SECONDS, most=None)  # what waits there is searched as a part of the log
        search, seen = self._searches.setdefault(meant, (Search(meant.cut), {}))
        plan = search.plan(self._store.log)
        cut = _both(plan.cut, also) if also else plan.cut
        files = tuple(self._files(plan.before).scrubbed(cut, seen))
        return _Looked(plan, cut, files, self._found(plan, meant, files))

    def _replace_segments(self, search: Search | SearchAgain, tombstones_of: Callable[[Plan], list[Draft]]) -> Plan:
        """Leave the tombstones, then put every segment that changes in its place together with a new index."""
        with self._store.log.alone() as log:
            plan = search.plan(log)
            self._begin()
            if drafts := tombstones_of(plan):
                log.append(drafts, self._origin())
        staged = plan.stage(self._store.log)

        def commit(log: Log) -> None:
            now = search.plan(log)
            named = set(plan.changed)
            if late := [event for event in now.changed if event not in named]:  # recorded since
                log.append(tombstones_of(now.only(late)), self._origin())
                now = search.plan(log)
            now.carry_out(log, {name: path for name, path in staged.items() if now.data(name) == plan.data(name)})

        self._store.swap(staged, commit)
        return plan

    def _begin(self) -> None:
        replace_file(OsDisk(self._store.home.root), self._store.home.purging, b"")

    def _end(self) -> None:
        with suppress(FileNotFoundError):
            os.unlink(self._store.home.purging)

    def _complete(self) -> Plan | None:
        """Take everything that tombstones speak of out of the log once more; None where there are none."""
        dead = tombstones(self._store.log)
        if dead is None:
            return None
        return self._replace_segments(SearchAgain(dead), lambda plan: list(more_graves(plan, dead)))

    def _silent(self, log: Log) -> Cut:
        """What was ever purged and nobody has said anew since: to be taken out of other files too."""
        dead = tombstones(log)
        now = list(log.events())
        silent = [one for one in dead.all if all(purged(event, one.cut) is event for event in now)] if dead else []
        texts = tuple(text for one in silent for text in one.cut.texts)
        return Cut(texts, frozenset(claim for one in silent for claim in one.cut.claims))

    def _clean(self, before: Iterable[Event], files: Iterable[Scrubbed]) -> None:
        """Take it out of everything that is neither the log nor the index; copies of the index are removed."""
        disk, found = OsDisk(self._store.home.root), self._files(before)
        for path in [*found.strays(), *found.index_copies()]:
            with suppress(FileNotFoundError):
                disk.remove(path)
        put(disk, files)
        Spool(self._store.log).scrub()

    def _told(self, plan: Plan, cut: Cut, found: Purge) -> Purge:
        """Everything is written: look once more, and let go of the mark that says we are at it."""
        remains = self._files(plan.before).remains(cut)
        self._end()
        return replace(
            found, remains=tuple(remains), beyond=tuple(beyond(self._home.user_folder, self._sharing(plan.before)))
        )

    # What it comes to

    def _found(self, plan: Plan, meant: Meant, files: Iterable[Scrubbed]) -> Purge:
        others = () if meant.claim is None else tuple(sorted(_holding(plan.after, meant.cut)))
        paths = tuple(file.path for file in files)
        copies = tuple(self._files(plan.before).index_copies())
        return Purge(len(plan.changed), tuple(sorted(plan.gone)), plan.damaged, paths, others, copies=copies)

    def _files(self, events: Iterable[Event]) -> Files:
        home, log, shelf = self._store.home, self._store.log, self._store.publisher.shelf
        return Files(home, shelf, log.segments(), self._roots(events))

    def _roots(self, events: Iterable[Event]) -> list[str]:
        """Where projects lie, as far as the log tells, and the one we stand in."""
        here = [self._store.project.root] if self._store.project else []
        seen = [event.body.root for event in events if isinstance(event.body, ProjectSeen)]
        return list(dict.fromkeys([*here, *seen]))

    def _sharing(self, events: Sequence[Event]) -> list[str]:
        """Where a fact file lies or lay: what was in it may have been committed, also if it is gone now."""
        scopes = {event.scope for event in events if event.by_person and _shares(event.body)}
        seen = {event.body.root for event in events if isinstance(event.body, ProjectSeen) and event.scope in scopes}
        return [root for root in self._roots(events) if root in seen or os.path.exists(os.path.join(root, FACTS))]

    def _origin(self) -> Origin:
        return self._store.speaker.origin()


def _shares(body: Body) -> bool:
    """Whether a judgement of the person puts something into a fact file."""
    return isinstance(body, Proposed | Decided) and (not body.private or body.verdict is Verdict.SHARED)


def _of_text(text: str) -> Meant:
    wanted = clean(text).strip()
    if len(wanted) < LEAST:
        raise WrongUse(f"a text to purge has at least {LEAST} letters: shorter ones stand in half of all words")
    if not _is_telling(wanted):
        raise Refused(
            "this word is part of how Tacit writes its files, so it stands everywhere",
            "purge a longer text, or a memory by its id: tacit purge ID",
        )
    return Meant((wanted,))


def _is_telling(text: str) -> bool:
    return len(plain(text)) >= LEAST and plain(text) not in _own_words()


def _both(one: Cut, other: Cut) -> Cut:
    return one._replace(texts=one.texts + other.texts, claims=one.claims | other.claims)


def _holding(events: Iterable[Event], cut: Cut) -> set[str]:
    """The claims that hold the words of a purged one and stay."""
    return {claim.id for event in events for claim in claims_of(event.body) if holds(claim.sentence, cut.texts)}


def _nothing_found() -> NotFound:
    return NotFound("no file of this home holds it", "it may be written otherwise: try a part of it")
