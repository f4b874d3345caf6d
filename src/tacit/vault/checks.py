"""Checks of a home, which `tacit doctor` runs.

Each check reads, compares, and yields findings that say what to type. A check repairs nothing.
"""

from __future__ import annotations

import fcntl
import os
import re
import sqlite3
import stat
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import cached_property
from shlex import quote

from tacit.disk.files import closing_fd, link_hint, open_plain, read_file
from tacit.disk.lock import FileLock
from tacit.errors import IndexUnusableError, LockBusyError, StoreError, TacitError
from tacit.guard import RULE_FILE, load_rules
from tacit.home.home import Home
from tacit.home.paths import HOME_FOLDERS, OPTIONAL_FOLDERS, PAGE_FOLDERS
from tacit.home.publish import render_page
from tacit.home.repository import conflicted_files, inspect_repository
from tacit.home.rule_files import late_answers
from tacit.home.settings import Settings
from tacit.home.store import Store
from tacit.index import database, reader
from tacit.index.compare import has_same_answers
from tacit.index.database import translate_sqlite_errors
from tacit.install.merge_driver import ATTRIBUTE_FILE, driver_state
from tacit.log.codec import damage_reason, decode, must_decode
from tacit.log.reader import Cursor, LogReader, read_blocks
from tacit.log.segment import MAX_EVENT_BYTES, PURGED_SEGMENT, SPOOL_FOLDER
from tacit.log.spool import Spool
from tacit.log.verify import PURGE_MARKER, Finding, verify
from tacit.model.event import Event, timestamp
from tacit.model.ids import EventId, event_milliseconds
from tacit.model.memory import fold_memories
from tacit.pages import facts
from tacit.purge.files import is_stray_copy
from tacit.purge.tombstones import load_tombstones
from tacit.text.display import clip
from tacit.vault.conditions import red_memories
from tacit.vault.status import remote_states, team_summary

_MIN_FREE_BYTES = 64 * 1024 * 1024
_NETWORK_FILE_SYSTEMS = ("nfs", "cifs", "smb", "9p", "fuse", "afs", "lustre", "ceph", "glusterfs")
_MOUNTS = "/proc/self/mounts"
# Files beside the index: those of SQLite, the name of the current file, and what an interrupted rebuild leaves.
_INDEX_SUFFIXES = ("-wal", "-shm", "-journal", "-file", ".new", ".new-wal", ".new-shm", ".new-journal")
_LOCK_WAIT_SECONDS = 2.0
# The write-ahead log of older versions can lose a page when two connections reset it at once. Ours never do (every
# write and checkpoint happens under one lock), so this is for the person's other programs.
_WAL_FIXED_VERSIONS = ((3, 44, 6), (3, 50, 7), (3, 51, 3))
_MAX_CLOCK_SKEW = timedelta(minutes=5)
_MAX_UNIX_SECONDS = 253_402_300_799  # the end of the year 9999: anybody may give a file a name
_TAIL_BYTES = 64 * 1024
_TIME = re.compile(rb'"ts":"([0-9TZ:.-]{27})","type":"')
_REINDEX = "tacit doctor --reindex"
_REPORT_HINT = "this should never happen; keep a copy (tacit export --to DIR) and report it"
_MAX_MEMORIES_FOLDED = 1_000
_MAX_SENTENCE_CHARS = 80


class Examination:
    """What the checks of one run share: the home, and a fresh index of the log, which is built when it is needed."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.store = home.store

    @cached_property
    def fresh_index(self) -> sqlite3.Connection:
        """An index that was just made from the log. What the stored index and the views say is compared with it."""
        return self.store.indexer.temporary_index()

    def close(self) -> None:
        if "fresh_index" in self.__dict__:
            self.fresh_index.close()


Check = Callable[[Examination], Iterator[Finding]]


# Files of the home, and the machine they are on


def check_files(exam: Examination) -> Iterator[Finding]:
    """The files of Tacit: permissions, owners, links, leftovers. Files of other programs are not checked."""
    home = exam.store.paths
    # The home itself may be a link, but nothing in it.
    yield from _check_permissions(os.path.realpath(home.root) if os.path.islink(home.root) else home.root)
    links: list[str] = []
    for folder in (*HOME_FOLDERS, *OPTIONAL_FOLDERS):
        path = home.path(folder)
        if path.startswith(tuple(links)):
            continue  # files behind a link are not ours
        if os.path.islink(path):
            links.append(path + os.sep)
            yield from _check_permissions(path)
        elif os.path.isdir(path):
            yield from _check_permissions(path)
            for name in sorted(os.listdir(path)):
                yield from _check_file(os.path.join(path, name))
    if os.path.islink(home.settings):
        what = "a symbolic link; it is read, but `tacit config set` does not write through it"
        yield Finding(home.settings, what, f"write settings by hand in {quote(os.path.realpath(home.settings))}", False)
    else:
        yield from _check_file(home.settings)
    for path in (home.index, *(f"{home.index}{suffix}" for suffix in _INDEX_SUFFIXES), home.path("AGENTS.md")):
        yield from _check_file(path)
    if os.path.exists(f"{home.index}.new"):
        yield Finding(f"{home.index}.new", "left by a rebuild that was interrupted", "tacit doctor --reindex", False)


def _check_file(path: str) -> Iterator[Finding]:
    if os.path.islink(path) or (os.path.lexists(path) and not os.path.isdir(path)):
        yield from _check_permissions(path)
        if path.endswith(".tacit-new"):
            yield Finding(path, "left by a write that was interrupted", f"rm {quote(path)}", False)


def _check_permissions(path: str) -> Iterator[Finding]:
    status = os.lstat(path)
    if stat.S_ISLNK(status.st_mode):
        yield link_finding(path)
        return
    is_folder = stat.S_ISDIR(status.st_mode)
    if status.st_uid != os.geteuid():
        yield Finding(path, "it belongs to another user", f"chown {os.geteuid()} {quote(path)}")
    if status.st_mode & 0o077:
        yield Finding(path, "others can read or write it", f"chmod {'700' if is_folder else '600'} {quote(path)}")
    if not is_folder and status.st_nlink > 1:
        copy = f"cp -p {quote(path)} {quote(path + '.copy')} && mv {quote(path + '.copy')} {quote(path)}"
        yield Finding(path, "it has a second name elsewhere (a hard link)", copy)


def check_writable(exam: Examination) -> Iterator[Finding]:
    """Whether something can be recorded: the folders and segments of the home can be written."""
    home, log = exam.store.paths, exam.store.log
    paths = [home.root, *map(home.path, HOME_FOLDERS), *(log.path(segment) for segment in log.own_segments())]
    refused = [path for path in paths if os.path.exists(path) and not os.access(path, os.W_OK)]
    if home.root in refused and os.statvfs(home.root).f_flag & os.ST_RDONLY:
        what = "its disk can only be read: nothing can be recorded"
        yield Finding(home.root, what, f"mount it so that it can be written; which one it is: df {quote(home.root)}")
        return
    for path in refused:
        yield Finding(path, "it cannot be written", f"chmod u+w {quote(path)}")


def link_finding(path: str) -> Finding:
    return Finding(path, "a symbolic link; Tacit does not write through one", link_hint(path))


def check_locks(exam: Examination) -> Iterator[Finding]:
    """The locks: a process that holds one for long blocks all others."""
    home = exam.store.paths
    for path in (home.write_lock, home.log_lock, home.capture_lock, home.injection_lock):
        if os.path.exists(path) and not _can_lock(path):
            what = f"another process has held it for {_LOCK_WAIT_SECONDS:g} s"
            yield Finding(path, what, f"fuser -v {quote(path)}", False)


def _can_lock(path: str) -> bool:
    """Return whether a lock is free within the wait. The file is opened as it is, and nothing is created."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return True  # `check_files` reports it
    with closing_fd(fd):
        deadline = time.monotonic() + _LOCK_WAIT_SECONDS
        while time.monotonic() < deadline:
            try:
                fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
                return True
            except BlockingIOError:
                time.sleep(0.01)
        return False


def check_guard(exam: Examination) -> Iterator[Finding]:
    """The rules of the guard. A file that hooks cannot use stops nothing."""
    path = exam.store.paths.path(RULE_FILE)
    try:
        load_rules(exam.store.paths.root)
    except (OSError, ValueError, KeyError, TypeError) as error:
        yield Finding(path, f"the guard stops nothing: {error}", f"rm {quote(path)}, then tacit guard on ID again")


def check_disk(exam: Examination) -> Iterator[Finding]:
    """The disk: free space, and a file system with reliable locks and appends."""
    root = exam.store.paths.root
    status = os.statvfs(root)
    free = status.f_bavail * status.f_frsize
    if free < _MIN_FREE_BYTES:
        yield Finding(root, f"only {free // 1024:,} KiB are free on its disk", f"df -h {root}; free some space")
    if status.f_files and not status.f_favail:
        yield Finding(root, "its disk can hold no more files", f"df -i {root}; delete some files")
    kind = file_system(root)
    if kind.startswith(_NETWORK_FILE_SYSTEMS):
        what = f"it is on a network file system ({kind}), where two machines can write at once unseen"
        yield Finding(root, what, "keep the home on a local disk: TACIT_HOME=…, then tacit import OLD --mine", False)


def file_system(path: str) -> str:
    """Return the type of the file system that a path is on; "" if the system does not say."""
    try:
        with open(_MOUNTS, encoding="utf-8", errors="surrogateescape") as file:
            mounts = [line.split(" ")[1:3] for line in file]
    except OSError:
        return ""
    path = os.path.realpath(path).rstrip("/") + "/"
    points = [(point.replace("\\040", " "), kind) for point, kind in mounts]
    matching = [(len(point), kind) for point, kind in points if path.startswith(point.rstrip("/") + "/")]
    return max(matching, default=(0, ""))[1]


def check_sqlite(_exam: Examination) -> Iterator[Finding]:
    """Known bugs of the version of SQLite."""
    if not has_wal_fix(sqlite3.sqlite_version_info):
        yield Finding(
            f"SQLite {sqlite3.sqlite_version}",
            "its write-ahead log has a known race between two writers; Tacit never has two",
            "nothing for Tacit; update SQLite for other programs that share databases",
            False,
        )


def check_token_vectors(_exam: Examination) -> Iterator[Finding]:
    """The table that finds other words. Without it, words alone decide."""
    from tacit.meaning import TABLE_FILE, TableError, open_table

    try:
        open_table().verify()
    except TableError as error:
        what = f"{error}; other words than those of a memory do not find it"
        yield Finding(TABLE_FILE, what, f"install Tacit again, then: {_REINDEX}", False)


def has_wal_fix(version: tuple[int, ...]) -> bool:
    if version < (3, 7, 0) or version >= _WAL_FIXED_VERSIONS[-1]:
        return True
    return any(version[:2] == fixed[:2] and version >= fixed for fixed in _WAL_FIXED_VERSIONS)


# The log


def check_lines(exam: Examination) -> Iterator[Finding]:
    """Every line of the log, and whether the disk ever refused to keep one."""
    log = exam.store.log
    yield from verify(log, forms=True)
    for segment in log.segments():
        if marker := log.suspect_file(segment):
            what = "the disk once refused to keep what was written; it was written afresh elsewhere"
            yield Finding(segment, what, f"check the disk (dmesg, smartctl), then: rm {quote(marker)}")


def check_ends(exam: Examination) -> Iterator[Finding]:
    """The last lines of each segment: a write that failed leaves its traces there."""
    log = exam.store.log
    for segment in log.segments():
        with open_plain(log.path(segment)) as file:
            file.seek(max(log.size(segment) - _TAIL_BYTES, 0))
            lines = file.read().split(b"\n")
        whole = lines[1:-1] if log.size(segment) > _TAIL_BYTES else lines[:-1]
        if any(line.strip() and damage_reason(line) for line in whole):
            yield Finding(
                segment, "a line near its end is damaged, or was cut off by a crash", "tacit doctor --log", False
            )


def check_purge(exam: Examination) -> Iterator[Finding]:
    """A purge that was interrupted."""
    if os.path.exists(exam.store.paths.purge_marker):
        yield Finding(PURGE_MARKER, "a purge was interrupted", "tacit purge --again")


def check_clock(exam: Examination) -> Iterator[Finding]:
    """The clock. Events stay in order if it is wrong, but their dates are wrong."""
    store = exam.store
    now = store.actor.origin().at
    latest = max(_future_times(store.log, now + _MAX_CLOCK_SKEW), default=now)
    if latest > now:
        what = f"the last event is of {timestamp(latest)}, the clock says {timestamp(now)}"
        yield Finding("the clock", what, "date; set the clock. The order of events does not depend on it", False)
    tombstones = load_tombstones(store.log, since=now + _MAX_CLOCK_SKEW)
    if tombstones and latest > now:
        what = f"a purge is dated {timestamp(latest)}; until then, what it purged is left out of commands you run"
        yield Finding(PURGED_SEGMENT, what, "nothing: all other commands are recorded as they are", False)


def _future_times(log: LogReader, limit: datetime) -> Iterator[datetime]:
    """Yield the times of events after `limit`. Other lines are not decoded."""
    after = timestamp(limit).encode("ascii")
    for segment in log.segments():
        for block in read_blocks(log.path(segment)):
            for line in block.lines if max(_TIME.findall(b"\n".join(block.lines)), default=b"") > after else ():
                event = decode(line) if any(time > after for time in _TIME.findall(line)) else None
                if isinstance(event, Event) and event.at > limit:
                    yield event.at


def check_spool(exam: Examination) -> Iterator[Finding]:
    """Commands that wait in the spool, and commands that were lost, with the reason."""
    store = exam.store
    spool = Spool(store.log)
    if names := spool.waiting():
        seconds = min(event_milliseconds(EventId(names[0])) // 1000, _MAX_UNIX_SECONDS)
        since = timestamp(datetime.fromtimestamp(seconds, UTC))
        verb = "waits" if len(names) == 1 else "wait"
        what = f"{_commands_text(len(names))} since {since} {verb} to be appended to the log: {_spool_reason(store)}"
        yield Finding(SPOOL_FOLDER, what, "nothing: the next command that can append files them", False)
    if (dropped := spool.dropped()) and dropped.commands:
        verb = "is" if dropped.commands == 1 else "are"
        what = f"{_commands_text(dropped.commands)} could not be recorded and {verb} lost, "
        when = f"since {dropped.first}, the last at {dropped.last}: {dropped.reason}"
        yield Finding(SPOOL_FOLDER, what + when, f"when you have seen this: rm {quote(spool.counter_path)}")


def _commands_text(count: int) -> str:
    return f"{count:,} command{'s' * (count != 1)}"


def _spool_reason(store: Store) -> str:
    """Return why commands wait in the spool, as far as that can be seen now."""
    try:
        with FileLock(store.paths.log_lock, 0).acquire():
            pass
    except LockBusyError:
        return "another process holds the log's lock"
    except (StoreError, OSError):
        return "the log's lock cannot be had"
    status = os.statvfs(store.paths.root)
    return "the disk is full" if status.f_bavail * status.f_frsize < MAX_EVENT_BYTES else "the log could not be written"


def check_strays(exam: Examination) -> Iterator[Finding]:
    """Copies that sync programs and editors left in the home. Those with events are read; all are named."""
    store = exam.store
    strays = store.log.strays()
    known: set[EventId] = set()
    if strays:
        known = {event_id for segment in store.log.own_segments() for event_id in store.log.ids(segment, Cursor())}
    for segment in strays:
        ids = set(store.log.ids(segment, Cursor()))
        path = store.paths.path(segment)
        if new := len(ids - known):
            what = f"a copy that another program left; it is read: {new} of its {len(ids)} events stand nowhere else"
            yield Finding(path, what, "nothing: it counts; keep it", False)
        else:
            what = "a copy that another program left; all of its events stand in our own files too"
            yield Finding(path, what, f"rm {quote(path)}", False)
        known |= ids
    read = {store.paths.path(segment) for segment in strays}
    for folder in ("", *HOME_FOLDERS, *OPTIONAL_FOLDERS):
        yield from _unread_copies(store.paths.path(folder).rstrip(os.sep), folder, read)


def _unread_copies(folder_path: str, folder: str, read: set[str]) -> Iterator[Finding]:
    if (os.path.islink(folder_path) and folder) or not os.path.isdir(folder_path):
        return
    for name in sorted(os.listdir(folder_path)):
        path = os.path.join(folder_path, name)
        if is_stray_copy(folder, name) and path not in read and os.path.isfile(path) and not os.path.islink(path):
            what = "a copy or backup that another program left; it is not read"
            yield Finding(path, what, f"rm {quote(path)}, or to keep it elsewhere: mv {quote(path)} ~/", False)


# What follows from the log: the index, the folded memories and the pages, compared with fresh ones


def check_index(exam: Examination) -> Iterator[Finding]:
    """The index, compared with a fresh replay of the log."""
    path = exam.store.paths.index

    def problem(stored: sqlite3.Connection) -> str:
        try:
            with translate_sqlite_errors():
                if stored.execute("PRAGMA quick_check").fetchone() != ("ok",):
                    return "the index is damaged"
                return "" if has_same_answers(stored, path, exam.fresh_index) else "the index is not what the log says"
        except IndexUnusableError:
            return "the index is damaged"

    yield from _check_stored_index(exam.store, problem)


def check_index_state(exam: Examination) -> Iterator[Finding]:
    """Whether the index can be opened, and is of this log. It is not read as a whole."""
    what, is_of_log = "the index is of another log", exam.store.indexer.is_index_of_log
    yield from _check_stored_index(exam.store, lambda stored: "" if is_of_log(stored) else what)


def _check_stored_index(store: Store, problem: Callable[[sqlite3.Connection], str]) -> Iterator[Finding]:
    """Report what is wrong with the index as it is on disk. `problem` returns it, or "", for one that can be opened."""
    try:
        with translate_sqlite_errors():
            stored = database.open_for_reading(store.paths.index, store.log.line_reader())
    except IndexUnusableError as error:
        yield Finding(store.paths.index, f"the index cannot be used: {error}", _REINDEX)
        return
    with closing(stored):
        if what := problem(stored):
            yield Finding(store.paths.index, what, _REINDEX)


def check_laws(exam: Examination) -> Iterator[Finding]:
    """The law of folding, tried on this log: events in any order and repeated fold into the same memories.

    In a long log it is tried on some memories, which stand for all: it is a law of the program, not of the home.
    """
    fresh = exam.fresh_index
    claims = reader.memory_ids(fresh)
    claims = claims[:: max(1, -(-len(claims) // _MAX_MEMORIES_FOLDED))]
    by_claim = [reader.events_of_claim(fresh, claim, must_decode) for claim in claims]
    events = list({event.id: event for events in by_claim for event in events}.values())
    memories = fold_memories(events)
    repeated = fold_memories([*reversed(events), *events])
    if any(memories.get(claim) != repeated.get(claim) for claim in claims):
        yield Finding(exam.store.paths.root, "the order of lines changes what is remembered", _REPORT_HINT)
    if any(memories.get(claim) != reader.load_memory(fresh, claim, must_decode) for claim in claims):
        yield Finding(exam.store.paths.root, "the index and the log disagree on what is remembered", _REPORT_HINT)


def check_views(exam: Examination) -> Iterator[Finding]:
    """The readable pages, compared with fresh ones, and hand edits that were not read yet."""
    store, fresh = exam.store, exam.fresh_index
    yield from _compare_view(store, store.paths.long_term, store.publisher.long_term_page(fresh))
    current = store.view_store.current_lines(store.paths.facts)
    # The order of an earlier version is no fault.
    yield from _compare_view(store, store.paths.facts, facts.sort_facts(store.publisher.fact_page(fresh), current))
    for kind in PAGE_FOLDERS:
        for day in reader.page_names(fresh, kind):
            page = render_page(fresh, kind, day, store.options.max_turn_chars)
            yield from _compare_view(store, store.paths.page(kind, day), page)


def _compare_view(store: Store, path: str, lines: list[str]) -> Iterator[Finding]:
    data = read_file(path)
    if data is None:
        what = "something is in the way of this view" if os.path.lexists(path) else "this view is missing"
        yield Finding(path, what, _REINDEX)
    elif data != "".join(line + "\n" for line in lines).encode():
        if store.view_store.edited_versions(path) is None:
            yield Finding(path, "drawn before what the log says now", _REINDEX)
        else:
            hint = "tacit sync" if path in (store.paths.long_term, store.paths.facts) else ""
            yield Finding(path, "edited by hand; Tacit keeps that", hint, False)


# What is shared with others: the current repository, its fact file and work tree, and the team


def check_repository(exam: Examination) -> Iterator[Finding]:
    """The current repository: facts of it that wait for a decision."""
    store = exam.store
    if store.project is None:
        return
    try:
        repository = inspect_repository(store, exam.fresh_index, Settings().limits_text)[0]
    except TacitError as error:
        yield Finding(store.project.facts, error.message, error.hint or "tacit trust --show", False)
        return
    if repository.waiting:
        what = f"{len(repository.waiting)} facts of the repository wait for your decision; none is believed"
        yield Finding(repository.path, what, "tacit trust --show", False)


def check_conflicts(exam: Examination) -> Iterator[Finding]:
    """Fact files in which a merge left conflict markers."""
    for file in conflicted_files(exam.store):
        yield Finding(file.path, file.summary, "tacit sync")


def check_merge_driver(exam: Examination) -> Iterator[Finding]:
    """The merge driver that the current repository names: whether this clone has it, and whether it can be run."""
    store = exam.store
    if store.project is None:
        return
    state = driver_state(store.project.root, os.environ)
    path = os.path.join(store.project.root, ATTRIBUTE_FILE)
    if state.is_named and not state.command:
        what = "it names a merge driver that this clone does not have; git merges the fact file line by line"
        yield Finding(path, what, "tacit init", False)
    elif state.is_named and state.missing_program:
        what = f"the merge driver it names starts {state.missing_program}, which is no longer there"
        yield Finding(path, what, "tacit init, or to take it out: tacit init --no-merge-driver", False)


def check_references(exam: Examination) -> Iterator[Finding]:
    """Memories of the current project that are not true of its work tree. Agents are told so, or not told them."""
    if exam.store.project is None:
        return
    for checked in red_memories(exam.fresh_index, exam.home):
        memory = checked.memory
        what = f"“{clip(memory.sentence, _MAX_SENTENCE_CHARS)}” is not true of this work tree: {checked.verdict.why}"
        hint = f'tacit edit {memory.id} "…", or tacit forget {memory.id}'
        yield Finding(f"memory {memory.id}", what, hint, False)


def check_team(exam: Examination) -> Iterator[Finding]:
    """What waits for the team's server, as this home knows it. The server is not asked."""
    team = team_summary(exam.home)
    if team is None:
        return
    if not team.server:
        yield Finding("the team", team.problem, "tacit team leave")
        return
    last = f"last sync {team.synced_at[:10] or 'never'}"
    if team.problem:
        yield Finding("the team", f"the server could not be asked ({last}): {team.problem}", "tacit sync", False)
    if team.queued:
        yield Finding("the team", f"{team.queued} wait to be sent ({last})", "tacit sync", False)
    if team.unpurged:
        what = f"{team.unpurged} purged here, and not confirmed by the server"
        yield Finding("the team", what, "tacit sync; tacit team says which", False)


def check_remotes(exam: Examination) -> Iterator[Finding]:
    """Keys that this machine did not get, and files of other machines that are damaged or lost on remotes, as this home
    knows it. No remote is asked."""
    now = exam.home.store.actor.clock()
    for name, state in remote_states(exam.home):
        where = f"the remote {name}"
        if isinstance(state, StoreError):
            yield Finding(where, state.message, state.hint or "tacit sync")
            continue
        if error := state.keys_error():
            yield Finding(where, error.message, error.hint or "tacit sync")
        names = {peer.manifest.machine: peer.manifest.name for peer in state.peers}
        for machine, count in Counter(fault.machine for fault in state.faults if fault.is_loss(now)).items():
            files = f"{count} {'file' if count == 1 else 'files'} of {names.get(machine, machine[:8])}"
            yield Finding(where, f"{files} damaged or lost", "tacit sync there, then here")


def check_late_answers(exam: Examination) -> Iterator[Finding]:
    """Hooks that had to tell the standing rules from a file, because the machine was too busy for the rest."""
    if text := late_answers(exam.store.paths).text:
        yield Finding(exam.store.paths.late_answers, text, "tacit injected", False)


CHECKS: tuple[Check, ...] = (
    *(check_lines, check_files, check_writable, check_strays, check_index, check_views, check_laws, check_locks),
    *(check_spool, check_disk, check_clock, check_repository, check_conflicts, check_merge_driver, check_guard),
    *(check_references, check_sqlite, check_token_vectors, check_team, check_remotes, check_late_answers),
)
# They read no file as a whole.
QUICK_CHECKS: tuple[Check, ...] = (
    *(check_purge, check_ends, check_files, check_writable, check_index_state, check_locks, check_spool, check_disk),
    *(check_guard, check_sqlite, check_team, check_remotes, check_late_answers),
)
# They do not apply to a home in which nothing was recorded yet.
VIEW_CHECKS = (check_index, check_views, check_index_state)
