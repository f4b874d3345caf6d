"""The fact file that the repository of the current folder brought: what it says, before anything of it is believed."""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress

from tacit.disk.read import read_foreign
from tacit.errors import RefusedError
from tacit.home import trusted_files
from tacit.home.project import Project
from tacit.home.store import Store
from tacit.index import reader
from tacit.log.codec import must_decode
from tacit.model.claim import Claim, Status
from tacit.model.ids import ClaimId
from tacit.model.memory import KindSource
from tacit.model.trust import FactFile, FactFileLine, FactFileTrust
from tacit.pages import facts
from tacit.pages.merge import MergeConflict, find_conflicts, has_conflict_markers
from tacit.pages.view_store import checked_path, decode_lines
from tacit.record import Record
from tacit.text.display import clean


class RepositoryFacts(Record):
    """The fact file of a repository.

    Attributes:
        path: the path of the fact file.
        accepted: the current trust in the file, if any.
        waiting: lines that wait for a decision.
        invalid: lines that hold no acceptable claim.
        known_count: how many lines state claims that are known already.
        trust_ended: when and why an earlier trust ended.
    """

    path: str
    accepted: FactFileTrust | None
    waiting: tuple[FactFileLine, ...] = ()
    invalid: tuple[FactFileLine, ...] = ()
    known_count: int = 0
    trust_ended: str = ""

    @property
    def fingerprint(self) -> str:
        """A hash of the lines that wait, so that exactly what was shown can be accepted later."""
        from hashlib import sha256

        return sha256("\n".join((self.path, *(line.sha256 for line in self.waiting))).encode()).hexdigest()


def require_project(store: Store) -> Project:
    """Return the project of the current folder. Raise RefusedError if there is none."""
    if store.project is None:
        raise RefusedError("this is no repository; trust is about what a cloned one brought", "cd into the repository")
    return store.project


def inspect_repository(
    store: Store, connection: sqlite3.Connection, limit: int
) -> tuple[RepositoryFacts, FactFile | None]:
    """Return the state of the fact file and its content (None if there is no file).

    `limit` is the length of a text in characters above which a line is invalid. Raise RefusedError if the current
    folder is in no repository, or if the file must not be read.
    """
    path = require_project(store).facts
    trust = trusted_files.active_trust(connection).get(path)
    ended = "" if trust else trusted_files.last_trust_end(connection, path)
    file = _read_fact_file(store, connection, limit)
    if file is None:
        return RepositoryFacts(path, trust, trust_ended=ended), None
    accepted = {line.sha256 for line in trust.trusted.lines} if trust else set()
    written = store.view_store.written_hashes(path)
    foreign = [line for line in file.lines if line.sha256 not in accepted | written]
    new = [line for line in foreign if line.claim and _says_something_new(connection, line.claim)]
    invalid = [line for line in foreign if line.claim is None]
    known = len(foreign) - len(new) - len(invalid)
    first_of_each = {line.claim.id: line for line in reversed(new) if line.claim}  # the first line of each claim
    return RepositoryFacts(path, trust, tuple(first_of_each.values())[::-1], tuple(invalid), known, ended), file


def _says_something_new(connection: sqlite3.Connection, claim: Claim) -> bool:
    """Return whether a line states a claim that is unknown here, or makes something else of it than what holds.

    Its words and tags count if they hold by the word of a repository alone, its kind if no person named one.
    """
    memory = reader.load_memory(connection, claim.id, must_decode)
    if memory is None or memory.status is not Status.ACTIVE:
        return memory is None
    if memory.kind is not claim.kind and memory.kind_source is not KindSource.STATED_BY_PERSON:
        return True
    is_reworded = memory.claim.sentence != claim.sentence or not set(claim.tags) <= set(memory.claim.tags)
    return is_reworded and not memory.touched_by_user


def shared_strengths(store: Store, connection: sqlite3.Connection, limit: int) -> dict[ClaimId, int]:
    """Return how often the fact file of the current project says that each claim was stated; {} if it has none."""
    try:
        file = _read_fact_file(store, connection, limit) if store.project else None
    except RefusedError:
        return {}
    strengths: dict[ClaimId, int] = {}
    for line in file.lines if file else ():
        if line.claim:
            strengths[line.claim.id] = max(line.strength, strengths.get(line.claim.id, 0))
    return strengths


def count_waiting(store: Store, connection: sqlite3.Connection, limit: int) -> int:
    """Return how many lines of the fact file wait for a decision, 0 if the file must not be read."""
    try:
        return len(inspect_repository(store, connection, limit)[0].waiting)
    except RefusedError:
        return 0


class ConflictedFile(Record):
    """A fact file with conflict markers of a merge. `name` is its path below the project or the home."""

    path: str
    name: str
    conflicts: tuple[MergeConflict, ...]
    lines: tuple[str, ...]

    @property
    def summary(self) -> str:
        """A sentence without its end, and without any text of the file."""
        if not self.conflicts:
            return f"{self.name} has a conflict marker that a merge left"
        number = "a conflict" if len(self.conflicts) == 1 else f"{len(self.conflicts)} conflicts"
        return f"{self.name} has {number} that a merge left; both sides are read"


def conflicted_files(store: Store) -> list[ConflictedFile]:
    """Return the fact files of the current project and of the home that have conflict markers."""
    places = [(store.paths.root, store.paths.facts)]
    if store.project is not None:
        places.insert(0, (store.project.root, store.project.facts))
    found = []
    for root, path in places:
        with suppress(RefusedError):
            file = read_foreign(checked_path(root, path))
            if file is not None and has_conflict_markers(file.data):
                lines = decode_lines(file.data)
                name = os.path.relpath(path, root)
                found.append(ConflictedFile(path, name, tuple(find_conflicts(lines)), tuple(lines)))
    return found


def _read_fact_file(store: Store, connection: sqlite3.Connection, limit: int) -> FactFile | None:
    project = require_project(store)
    path = project.facts
    if not os.path.lexists(path):
        return None
    checked_path(project.root, path)
    if clean(path) != path:  # it could not be written to the log
        raise RefusedError("the folder's name is no text; nothing in it can be trusted", "give the folder another name")
    file = read_foreign(path)
    if file is None:
        raise RefusedError(f"{path} is no plain file of at most 4 MiB; nothing in it is believed", f"ls -l {path}")
    if file.owner != os.geteuid():
        raise RefusedError(f"{path} belongs to another user; nothing in it is believed", f"ls -l {path}")
    lines = facts.parse_foreign_facts(file.data, store.scope_in(connection), limit)
    return FactFile(path, file.owner, file.writers, tuple(lines))
