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

from tacit.disk.read import open_theirs
from tacit.errors import NotFound, Refused, TacitError, WrongUse
from tacit.home.home import Part
from tacit.model.event import Draft
from tacit.record import Record

if TYPE_CHECKING:
    from tacit.secrets.batch import Blockwise
    from tacit.shell.histories import Entry, Read
    from tacit.shell.history_lines import Ignored, Known, Setting, Tally


# Where shells keep their histories.


class HistoryFile(Record):
    """A history and the shell that wrote it; no shell where that is to be told by its content."""

    path: str
    shell: str = ""


def places(environment: Mapping[str, str], user_folder: str) -> list[HistoryFile]:
    """Every place where a history may lie, whether or not there is one. Each file once."""
    seen: dict[str, HistoryFile] = {}
    for place in _places(environment, user_folder):
        seen.setdefault(os.path.realpath(place.path), place)
    return list(seen.values())


def found(environment: Mapping[str, str], user_folder: str) -> list[HistoryFile]:
    """The histories that are there."""
    return [place for place in places(environment, user_folder) if os.path.lexists(place.path)]


def _places(environment: Mapping[str, str], user_folder: str) -> Iterator[HistoryFile]:
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

MOST = 1_000_000  # commands of one history
_LARGEST = 4 << 30  # bytes of a file that can be a history
_LARGE = 16 << 20  # bytes: a smaller file does not hold so many commands with their times
_BLOCK = 512
_HEAD = 65_536
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = 1000

# Which file, how many commands were read of it, and how far it is read, from 0 to 1.
Progress = Callable[[str, int, float], None]


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


class HistoryImport(Part):
    """import history."""

    def histories(self, environment: Mapping[str, str] | None = None) -> list[HistoryFile]:
        """The histories that are there."""

        return found(os.environ if environment is None else environment, self._home.user_folder)

    def history_places(self, environment: Mapping[str, str] | None = None) -> list[str]:
        """Where histories are looked for."""

        given = os.environ if environment is None else environment
        return [place.path for place in places(given, self._home.user_folder)]

    def import_history(
        self,
        files: Sequence[HistoryFile],
        *,
        dry_run: bool = False,
        progress: Progress = lambda _path, _commands, _share: None,
        ignored: Ignored | None = None,
    ) -> list[ImportedHistory]:
        """Take in what is new of these histories, or only tell what that would be. Files that cannot be read come
        back with their problem; the others are taken in all the same."""
        told: list[ImportedHistory] = []
        leave_out = ignored or self._ignored()

        def work(_connection: object = None) -> list[Draft]:
            told.extend(self._taken(file, dry_run, progress, leave_out) for file in files)
            return []

        if dry_run:
            work()
        elif files:
            self._store.speaker.must_be_person("imports a history", "tacit import history")
            self._store.record(work)
        return told

    def _ignored(self) -> Ignored | None:
        """What a person asked not to be captured is not taken from a history either."""
        from tacit.home.capture_policy import ignoring
        from tacit.model.observation import CommandRan

        left_out = ignoring(self._home.settings, self._home.user_folder)
        return None if left_out is None else lambda command, directory: left_out(CommandRan(command, directory))

    def _taken(self, file: HistoryFile, dry_run: bool, progress: Progress, ignored: Ignored | None) -> ImportedHistory:
        try:
            with _opened(file.path) as stream:
                shell = file.shell or _shell_of(file.path, stream)
                return self._read(_History(file.path, shell, stream), dry_run, progress, ignored)
        except OSError as error:
            problem: TacitError = Refused(
                f"{file.path} could not be read to its end: {error.strerror or error}", f"ls -l {file.path}"
            )
        except TacitError as error:
            problem = error
        return ImportedHistory(file.path, file.shell, problem=problem)

    def _read(self, history: _History, dry_run: bool, progress: Progress, ignored: Ignored | None) -> ImportedHistory:
        from tacit.log.bulk import Grown
        from tacit.log.tombstones import tombstones
        from tacit.secrets.batch import Blockwise
        from tacit.shell.history_lines import EARLIER, Directories, Intake, Known

        log = self._store.log
        known = Known(log, history.segment)
        guard = Blockwise(self._mark_of(dry_run))
        setting, skipped, earlier = self._setting(history, known, guard)
        directories = Directories(self._home.user_folder, os.path.isdir)
        intake = Intake(setting, known, guard, tombstones(log), ignored, None if dry_run else log.sign, directories)
        intake.tally.commands = skipped - earlier
        if earlier:
            intake.tally.left_out[EARLIER] = earlier
        grown = Grown(log, history.segment)
        try:
            for block in _blocks(history.entries(), intake.tally, skipped):
                lines = intake.lines(block)
                if not dry_run:
                    grown.write(lines)
                progress(history.path, intake.tally.commands, history.share())
            grown.finish()
        finally:
            grown.abandon()
        return _told(history, intake.tally, has_times=not setting.step)

    def _mark_of(self, dry_run: bool) -> Callable[[str], str] | None:
        """What tells equal secrets from others; a look makes no key."""
        from tacit.home.key import mark

        path = self._store.home.key
        return None if dry_run and not os.path.exists(path) else lambda secret: mark(path, secret)

    def _setting(self, history: _History, known: Known, guard: Blockwise) -> tuple[Setting, int, int]:
        """The setting of a history, how many of its commands to pass over, and how many of these for being too many."""
        from tacit.shell.histories import SECOND
        from tacit.shell.history_lines import Setting

        origin = self._store.speaker.origin()
        now = (origin.at - _EPOCH) // timedelta(microseconds=1)
        survey = _survey(history, now)
        earlier = max(survey.commands - MOST, 0)
        if survey.first is not None:
            start = (survey.first // SECOND - 1) * SECOND
            return Setting(history.shell, origin.host, now, start), earlier, earlier
        first_new = _end_of_known(history.entries(), known, guard) if known.count else 0
        passed = max(first_new, earlier)
        return _in_order(history, origin.host, now, known, survey.commands - passed), passed, earlier


class _History:
    """An open history, which can be read more than once."""

    def __init__(self, path: str, shell: str, stream: BinaryIO) -> None:
        self.path = path
        self.shell = shell
        self.name = sha256(os.fsencode(os.path.realpath(path))).hexdigest()[:12]
        self.segment = f"imported/history-{shell}-{self.name}.jsonl"
        status = os.fstat(stream.fileno())
        self.changed = status.st_mtime_ns // 1000
        self.size = status.st_size
        self._stream = stream

    def entries(self) -> Iterator[Read]:
        from tacit.shell.histories import FORMATS

        self._stream.seek(0)
        return FORMATS[self.shell].read(self._stream)

    def share(self) -> float:
        return min(self._stream.tell() / self.size, 1.0) if self.size else 1.0


def _blocks(entries: Iterator[Read], tally: Tally, skipped: int) -> Iterator[list[Entry]]:
    """The commands behind those that are passed over, some at a time; what is no command is counted."""
    from tacit.shell.histories import Unread

    while block := list(islice(entries, _BLOCK)):
        commands = cast("list[Entry]", block)
        if Unread in set(map(type, block)):  # seldom, and looked at sooner than one by one
            tally.count(entry for entry in block if isinstance(entry, Unread))
            commands = [entry for entry in block if not isinstance(entry, Unread)]
        passed = min(skipped, len(commands))
        skipped -= passed
        yield commands[passed:] if passed else commands


def _survey(history: _History, now: int) -> _Survey:
    """Read until a time is found; to the end where there is none, or where commands have to be counted."""
    from tacit.shell.histories import Unread, is_possible

    commands, first = 0, None
    for entry in history.entries():
        if isinstance(entry, Unread):
            continue
        commands += 1
        if first is None and is_possible(entry.at, now):
            first = entry.at
            if history.size <= _LARGE:
                return _Survey(0, first)
    return _Survey(commands, first)


# Histories without times


def _in_order(history: _History, host: str, now: int, known: Known, new: int) -> Setting:
    """One session, and the commands a millisecond apart up to the last change of the file."""
    from tacit.shell.histories import SECOND
    from tacit.shell.history_lines import Setting, untimed_session

    start = min(history.changed, now) - new * _MILLISECOND
    after = max(start, (known.last + 1) * SECOND if known.count else 0)
    session = untimed_session(history.shell, f"{host}{history.name}")
    return Setting(history.shell, host, now, after, _MILLISECOND, session, known.count)


def _end_of_known(entries: Iterator[Read], known: Known, guard: Blockwise) -> int:
    """How many commands of a history are in the log already: up to where the last of them stand in it now.

    A history loses its beginning, so that is no farther back than it was. Where some of them are gone, as with bash's
    `erasedups`, fewer have to do.
    """
    found, passed = _hashes(entries, guard)
    tail = array("q", known.tail)
    while tail:
        for end in range(min(known.count - passed, len(found)), len(tail) - 1, -1):
            if found[end - 1] == tail[-1] and found[end - len(tail) : end] == tail:
                return passed + end
        tail = tail[(len(tail) + 1) // 2 :]
    return 0


def _hashes(entries: Iterator[Read], guard: Blockwise) -> tuple[array[int], int]:
    """The hashes of all commands as they would be stored, and how many early ones had to be let go."""
    from tacit.shell.histories import Unread

    texts = (entry.command for entry in entries if not isinstance(entry, Unread))
    found, passed = array("q"), 0
    while block := list(islice(texts, _BLOCK)):
        found.extend(hash(quoted(text)) for text in guard.cleaned(block))
        if len(found) > 2 * MOST:
            del found[:MOST]
            passed += MOST
    return found, passed


# Files


def _opened(path: str) -> BinaryIO:
    try:
        return open_theirs(path, _LARGEST)
    except FileNotFoundError:
        raise NotFound(f"there is no file {path}", f"ls -l {os.path.dirname(path) or '.'}") from None
    except IsADirectoryError:
        raise Refused(f"{path} is a folder; a history is a file", f"ls -l {path}") from None
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}", f"ls -l {path}") from None


def _shell_of(path: str, stream: BinaryIO) -> str:
    from tacit.shell.histories import shell_of

    shell = shell_of(path, stream.read(_HEAD))
    if shell is None:
        raise WrongUse(
            f"it cannot be told which shell wrote {path}",
            f"say so: tacit import history --file {path} --shell zsh (or bash, fish, atuin)",
        )
    return shell


def _told(history: _History, tally: Tally, *, has_times: bool) -> ImportedHistory:
    done = ImportedHistory(history.path, history.shell, tally.commands, tally.new, len(tally.sessions) or 1)
    return replace(
        done,
        first=_moment(tally.first) if has_times else None,
        last=_moment(tally.last) if has_times else None,
        untimed=tally.untimed,
        has_times=has_times,
        unread=tuple(tally.unread.most_common()),
        left_out=tuple(tally.left_out.most_common()),
    )


def _moment(at: int) -> datetime | None:
    return _EPOCH + timedelta(microseconds=at) if at else None
