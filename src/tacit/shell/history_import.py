"""Importing shell histories: where they are, and taking each command once."""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import islice
from json.encoder import encode_basestring_ascii as quoted
from typing import TYPE_CHECKING, BinaryIO, cast

from tacit.disk.read import open_external
from tacit.errors import NotFoundError, RefusedError, TacitError, UsageError
from tacit.home.home import HomePart
from tacit.model.event import Draft
from tacit.record import Record

if TYPE_CHECKING:
    from tacit.secrets.batch import BatchRedactor
    from tacit.shell.history_formats import HistoryEntry, HistoryItem
    from tacit.shell.history_lines import HistoryContext, IgnoreRule, ImportStats, KnownCommands


# Where shells keep their histories.


class HistoryFile(Record):
    """A history and the shell that wrote it; no shell where that is to be told by its content."""

    path: str
    shell: str = ""


def possible_histories(environment: Mapping[str, str], user_folder: str) -> list[HistoryFile]:
    """Every place where a history may lie, whether or not there is one. Each file once."""
    seen: dict[str, HistoryFile] = {}
    for place in _default_histories(environment, user_folder):
        seen.setdefault(os.path.realpath(place.path), place)
    return list(seen.values())


def existing_histories(environment: Mapping[str, str], user_folder: str) -> list[HistoryFile]:
    """The histories that are there."""
    return [place for place in possible_histories(environment, user_folder) if os.path.lexists(place.path)]


def _default_histories(environment: Mapping[str, str], user_folder: str) -> Iterator[HistoryFile]:
    shared = environment.get("XDG_DATA_HOME") or os.path.join(user_folder, ".local", "share")
    yield HistoryFile(os.path.join(shared, "atuin", "history.db"), "atuin")
    if folder := environment.get("ZDOTDIR"):
        yield HistoryFile(os.path.join(folder, ".zsh_history"), "zsh")
    for name in (".zsh_history", ".zhistory", ".histfile"):
        yield HistoryFile(os.path.join(user_folder, name), "zsh")
    yield HistoryFile(os.path.join(shared, "fish", "fish_history"), "fish")
    yield HistoryFile(os.path.join(user_folder, ".bash_history"), "bash")
    if named := environment.get("HISTFILE"):  # of bash or zsh: what it holds will tell
        yield HistoryFile(os.path.join(user_folder, os.path.expanduser(named)))


# Taking in the histories that shells have kept: read as they are, as far as they can be read, each command once.
#
# Every history has a segment of its own below `imported/`. However large a history is, it is read in pieces; of more
# than a million commands the last million are taken.

MAX_COMMANDS = 1_000_000  # commands of one history
_MAX_FILE_BYTES = 4 << 30  # bytes of a file that can be a history
_LARGE_FILE_BYTES = 16 << 20  # bytes: a smaller file does not hold so many commands with their times
_BLOCK_SIZE = 512
_HEAD_BYTES = 65_536
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = 1000

# Which file, how many commands were read of it, and how far it is read, from 0 to 1.
ImportProgress = Callable[[str, int, float], None]


@dataclass(frozen=True, slots=True)
class ImportedHistory:
    """What came of one history; `problem` where it could not be read at all."""

    path: str
    shell: str = ""
    commands: int = 0
    new: int = 0
    sessions: int = 0
    first: datetime | None = None
    last: datetime | None = None
    untimed: int = 0
    has_times: bool = True
    unread: tuple[tuple[str, int], ...] = ()
    left_out: tuple[tuple[str, int], ...] = ()
    problem: TacitError | None = None


class _Survey(Record):
    """A first look: how many commands were counted, and the first time that can be right."""

    commands: int
    first: int | None


class HistoryImport(HomePart):
    """import history."""

    def find_histories(self, environment: Mapping[str, str] | None = None) -> list[HistoryFile]:
        """The histories that are there."""

        return existing_histories(os.environ if environment is None else environment, self._home.user_folder)

    def history_paths(self, environment: Mapping[str, str] | None = None) -> list[str]:
        """Where histories are looked for."""

        given = os.environ if environment is None else environment
        return [place.path for place in possible_histories(given, self._home.user_folder)]

    def import_history(
        self,
        files: Sequence[HistoryFile],
        *,
        dry_run: bool = False,
        progress: ImportProgress = lambda _path, _commands, _share: None,
        ignored: IgnoreRule | None = None,
    ) -> list[ImportedHistory]:
        """Take in what is new of these histories, or only tell what that would be. Files that cannot be read come
        back with their problem; the others are taken in all the same."""
        told: list[ImportedHistory] = []
        leave_out = ignored or self._ignore_rule()

        def work(_connection: object = None) -> list[Draft]:
            told.extend(self._import_file(file, dry_run, progress, leave_out) for file in files)
            return []

        if dry_run:
            work()
        elif files:
            self._store.actor.require_person("imports a history", "tacit import history")
            self._store.record(work)
        return told

    def _ignore_rule(self) -> IgnoreRule | None:
        """What a person asked not to be captured is not taken from a history either."""
        from tacit.home.capture_policy import ignore_filter
        from tacit.model.observation import CommandRan

        left_out = ignore_filter(self._home.settings, self._home.user_folder)
        return None if left_out is None else lambda command, directory: left_out(CommandRan(command, directory))

    def _import_file(
        self, file: HistoryFile, dry_run: bool, progress: ImportProgress, ignored: IgnoreRule | None
    ) -> ImportedHistory:
        try:
            with _open_history(file.path) as stream:
                shell = file.shell or _require_shell(file.path, stream)
                return self._import_entries(_OpenHistory(file.path, shell, stream), dry_run, progress, ignored)
        except OSError as error:
            problem: TacitError = RefusedError(
                f"{file.path} could not be read to its end: {error.strerror or error}", f"ls -l {file.path}"
            )
        except TacitError as error:
            problem = error
        return ImportedHistory(file.path, file.shell, problem=problem)

    def _import_entries(
        self, history: _OpenHistory, dry_run: bool, progress: ImportProgress, ignored: IgnoreRule | None
    ) -> ImportedHistory:
        from tacit.log.bulk import BulkAppender
        from tacit.log.tombstones import load_tombstones
        from tacit.secrets.batch import BatchRedactor
        from tacit.shell.history_lines import TOO_EARLY, DirectoryTracker, HistoryConverter, KnownCommands

        log = self._store.log
        known = KnownCommands(log, history.segment)
        guard = BatchRedactor(self._secret_marker(dry_run))
        setting, skipped, earlier = self._history_context(history, known, guard)
        directories = DirectoryTracker(self._home.user_folder, os.path.isdir)
        intake = HistoryConverter(
            setting, known, guard, load_tombstones(log), ignored, None if dry_run else log.sign, directories
        )
        intake.stats.commands = skipped - earlier
        if earlier:
            intake.stats.left_out[TOO_EARLY] = earlier
        grown = BulkAppender(log, history.segment)
        try:
            for block in _entry_blocks(history.entries(), intake.stats, skipped):
                lines = intake.new_lines(block)
                if not dry_run:
                    grown.write(lines)
                progress(history.path, intake.stats.commands, history.progress())
            grown.commit()
        finally:
            grown.abort()
        return _import_result(history, intake.stats, has_times=not setting.step)

    def _secret_marker(self, dry_run: bool) -> Callable[[str], str] | None:
        """What tells equal secrets from others; a look makes no key."""
        from tacit.home.key import secret_digest

        path = self._store.paths.key
        return None if dry_run and not os.path.exists(path) else lambda secret: secret_digest(path, secret)

    def _history_context(
        self, history: _OpenHistory, known: KnownCommands, guard: BatchRedactor
    ) -> tuple[HistoryContext, int, int]:
        """The setting of a history, how many of its commands to pass over, and how many of these for being too many."""
        from tacit.shell.history_formats import SECOND
        from tacit.shell.history_lines import HistoryContext

        origin = self._store.actor.origin()
        now = (origin.at - _EPOCH) // timedelta(microseconds=1)
        survey = _survey_history(history, now)
        earlier = max(survey.commands - MAX_COMMANDS, 0)
        if survey.first is not None:
            start = (survey.first // SECOND - 1) * SECOND
            return HistoryContext(history.shell, origin.host, now, start), earlier, earlier
        first_new = _count_known(history.entries(), known, guard) if known.count else 0
        passed = max(first_new, earlier)
        return _untimed_context(history, origin.host, now, known, survey.commands - passed), passed, earlier


class _OpenHistory:
    """An open history, which can be read more than once."""

    def __init__(self, path: str, shell: str, stream: BinaryIO) -> None:
        self.path = path
        self.shell = shell
        self.path_digest = sha256(os.fsencode(os.path.realpath(path))).hexdigest()[:12]
        self.segment = f"imported/history-{shell}-{self.path_digest}.jsonl"
        status = os.fstat(stream.fileno())
        self.modified_at = status.st_mtime_ns // 1000
        self.size = status.st_size
        self._stream = stream

    def entries(self) -> Iterator[HistoryItem]:
        from tacit.shell.history_formats import FORMATS

        self._stream.seek(0)
        return FORMATS[self.shell].read(self._stream)

    def progress(self) -> float:
        return min(self._stream.tell() / self.size, 1.0) if self.size else 1.0


def _entry_blocks(entries: Iterator[HistoryItem], tally: ImportStats, skipped: int) -> Iterator[list[HistoryEntry]]:
    """The commands behind those that are passed over, some at a time; what is no command is counted."""
    from tacit.shell.history_formats import SkippedEntry

    while block := list(islice(entries, _BLOCK_SIZE)):
        commands = cast("list[HistoryEntry]", block)
        if SkippedEntry in set(map(type, block)):  # seldom, and looked at sooner than one by one
            tally.count_skipped(entry for entry in block if isinstance(entry, SkippedEntry))
            commands = [entry for entry in block if not isinstance(entry, SkippedEntry)]
        passed = min(skipped, len(commands))
        skipped -= passed
        yield commands[passed:] if passed else commands


def _survey_history(history: _OpenHistory, now: int) -> _Survey:
    """Read until a time is found; to the end where there is none, or where commands have to be counted."""
    from tacit.shell.history_formats import SkippedEntry, is_plausible_time

    commands, first = 0, None
    for entry in history.entries():
        if isinstance(entry, SkippedEntry):
            continue
        commands += 1
        if first is None and is_plausible_time(entry.at, now):
            first = entry.at
            if history.size <= _LARGE_FILE_BYTES:
                return _Survey(0, first)
    return _Survey(commands, first)


# Histories without times


def _untimed_context(history: _OpenHistory, host: str, now: int, known: KnownCommands, new: int) -> HistoryContext:
    """One session, and the commands a millisecond apart up to the last change of the file."""
    from tacit.shell.history_formats import SECOND
    from tacit.shell.history_lines import HistoryContext, untimed_session_id

    start = min(history.modified_at, now) - new * _MILLISECOND
    after = max(start, (known.last_second + 1) * SECOND if known.count else 0)
    session = untimed_session_id(history.shell, f"{host}{history.path_digest}")
    return HistoryContext(history.shell, host, now, after, _MILLISECOND, session, known.count)


def _count_known(entries: Iterator[HistoryItem], known: KnownCommands, guard: BatchRedactor) -> int:
    """How many commands of a history are in the log already: up to where the last of them stand in it now.

    A history loses its beginning, so that is no farther back than it was. Where some of them are gone, as with bash's
    `erasedups`, fewer have to do.
    """
    found, passed = _command_hashes(entries, guard)
    tail = array("q", known.tail)
    while tail:
        for end in range(min(known.count - passed, len(found)), len(tail) - 1, -1):
            if found[end - 1] == tail[-1] and found[end - len(tail) : end] == tail:
                return passed + end
        tail = tail[(len(tail) + 1) // 2 :]
    return 0


def _command_hashes(entries: Iterator[HistoryItem], guard: BatchRedactor) -> tuple[array[int], int]:
    """The hashes of all commands as they would be stored, and how many early ones had to be let go."""
    from tacit.shell.history_formats import SkippedEntry

    texts = (entry.command for entry in entries if not isinstance(entry, SkippedEntry))
    found, passed = array("q"), 0
    while block := list(islice(texts, _BLOCK_SIZE)):
        found.extend(hash(quoted(text)) for text in guard.redact(block))
        if len(found) > 2 * MAX_COMMANDS:
            del found[:MAX_COMMANDS]
            passed += MAX_COMMANDS
    return found, passed


# Files


def _open_history(path: str) -> BinaryIO:
    try:
        return open_external(path, _MAX_FILE_BYTES)
    except FileNotFoundError:
        raise NotFoundError(f"there is no file {path}", f"ls -l {os.path.dirname(path) or '.'}") from None
    except IsADirectoryError:
        raise RefusedError(f"{path} is a folder; a history is a file", f"ls -l {path}") from None
    except OSError as error:
        raise RefusedError(f"{path} cannot be read: {error.strerror}", f"ls -l {path}") from None


def _require_shell(path: str, stream: BinaryIO) -> str:
    from tacit.shell.history_formats import detect_shell

    shell = detect_shell(path, stream.read(_HEAD_BYTES))
    if shell is None:
        raise UsageError(
            f"it cannot be told which shell wrote {path}",
            f"say so: tacit import history --file {path} --shell zsh (or bash, fish, atuin)",
        )
    return shell


def _import_result(history: _OpenHistory, tally: ImportStats, *, has_times: bool) -> ImportedHistory:
    done = ImportedHistory(history.path, history.shell, tally.commands, tally.new, len(tally.sessions) or 1)
    return replace(
        done,
        first=_to_datetime(tally.first) if has_times else None,
        last=_to_datetime(tally.last) if has_times else None,
        untimed=tally.untimed,
        has_times=has_times,
        unread=tuple(tally.unread.most_common()),
        left_out=tuple(tally.left_out.most_common()),
    )


def _to_datetime(at: int) -> datetime | None:
    return _EPOCH + timedelta(microseconds=at) if at else None
