"""Import of shell histories: where they are, and appending each of their commands once.

Every history has its own segment below `imported/`. It is read in blocks, however large it is. Of more than a million
commands the last million are imported.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import islice
from json.encoder import encode_basestring_ascii as encode_string
from typing import BinaryIO, cast

from tacit.disk.read import open_external
from tacit.errors import NotFoundError, RefusedError, TacitError, UsageError
from tacit.home.capture_policy import ignore_filter
from tacit.home.home import HomePart
from tacit.log.command_lines import BulkAppender
from tacit.log.signing import secret_digest
from tacit.purge.tombstones import load_tombstones
from tacit.record import Record
from tacit.secrets import BatchRedactor
from tacit.shell import history_lines
from tacit.shell.history_formats import (
    FORMATS,
    HistoryEntry,
    HistoryItem,
    SkippedEntry,
    detect_shell,
    is_plausible_time,
)
from tacit.shell.history_lines import HistoryContext, HistoryConverter, ImportedHistory, KnownCommands


class HistoryFile(Record):
    """A history and the shell that wrote it; "" if its content has to say so."""

    path: str
    shell: str = ""


def possible_histories(environment: Mapping[str, str], user_folder: str) -> list[HistoryFile]:
    """Return the files that may be histories, existing or not, each once."""
    data_home = environment.get("XDG_DATA_HOME") or os.path.join(user_folder, ".local", "share")
    zsh_folder, other = environment.get("ZDOTDIR"), environment.get("HISTFILE")
    candidates = (
        HistoryFile(os.path.join(data_home, "atuin", "history.db"), "atuin"),
        *([HistoryFile(os.path.join(zsh_folder, ".zsh_history"), "zsh")] if zsh_folder else ()),
        *(HistoryFile(os.path.join(user_folder, name), "zsh") for name in (".zsh_history", ".zhistory", ".histfile")),
        HistoryFile(os.path.join(data_home, "fish", "fish_history"), "fish"),
        HistoryFile(os.path.join(user_folder, ".bash_history"), "bash"),
        # Of bash or zsh; its content will say so
        *([HistoryFile(os.path.join(user_folder, os.path.expanduser(other)))] if other else ()),
    )
    files: dict[str, HistoryFile] = {}
    for file in candidates:
        files.setdefault(os.path.realpath(file.path), file)
    return list(files.values())


MAX_COMMANDS = 1_000_000  # of one history
_MAX_FILE_BYTES = 4 << 30
_LARGE_FILE_BYTES = 16 << 20  # a smaller file cannot contain MAX_COMMANDS with their times
_BLOCK_SIZE = 512
_HEAD_BYTES = 65_536
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

ImportProgress = Callable[[str, int, float], None]  # path, commands so far, progress from 0 to 1


class HistoryImport(HomePart):
    """Finds and imports shell histories."""

    def find_histories(self) -> list[HistoryFile]:
        """Return the histories that exist."""
        files = possible_histories(os.environ, self._home.user_folder)
        return [file for file in files if os.path.lexists(file.path)]

    def history_paths(self) -> list[str]:
        """Return the paths at which histories are looked for."""
        return [file.path for file in possible_histories(os.environ, self._home.user_folder)]

    def import_history(
        self,
        files: Sequence[HistoryFile],
        *,
        dry_run: bool = False,
        progress: ImportProgress = lambda _path, _commands, _share: None,
    ) -> list[ImportedHistory]:
        """Import what is new in these histories; a dry run only says what that is.

        The result of a file that cannot be read has a problem; the others are imported nevertheless. What the settings
        exclude from capture is not imported either.

        Raises:
            RefusedError: the actor is an agent.
        """
        if dry_run or not files:
            return [self._import_file(file, dry_run, progress) for file in files]
        self._store.actor.require_person("imports a history", "tacit import history")
        with self._store.change():  # for its lock: commands are appended in bulk
            return [self._import_file(file, dry_run, progress) for file in files]

    def _import_file(self, file: HistoryFile, dry_run: bool, progress: ImportProgress) -> ImportedHistory:
        try:
            with _open_history(file.path) as stream:
                shell = file.shell or detect_shell(file.path, stream.read(_HEAD_BYTES))
                if shell is None:
                    raise UsageError(
                        f"it cannot be told which shell wrote {file.path}",
                        f"say so: tacit import history --file {file.path} --shell zsh (or bash, fish, atuin)",
                    )
                return self._import_entries(_OpenHistory(file.path, shell, stream), dry_run, progress)
        except OSError as error:
            problem: TacitError = RefusedError(
                f"{file.path} could not be read to its end: {error.strerror or error}", f"ls -l {file.path}"
            )
        except TacitError as error:
            problem = error
        return ImportedHistory(file.path, file.shell, problem=problem)

    def _import_entries(self, history: _OpenHistory, dry_run: bool, progress: ImportProgress) -> ImportedHistory:
        log = self._store.log
        stats = ImportedHistory(history.path, history.shell)
        known = KnownCommands(log, history.segment)
        key = self._store.paths.key
        # Different secrets are told apart by a digest. A dry run creates no key for it.
        may_mark = not dry_run or os.path.exists(key)
        redactor = BatchRedactor((lambda secret: secret_digest(key, secret)) if may_mark else None)
        origin = self._store.actor.origin()
        now = (origin.at - _EPOCH) // timedelta(microseconds=1)
        commands, untimed, stats.has_times = _survey_history(history, now)
        too_early = max(commands - MAX_COMMANDS, 0)
        if too_early:
            stats.left_out[history_lines.TOO_EARLY] = too_early
        skipped = max(_count_known(islice(history.entries(), untimed), known, redactor), too_early)
        stats.commands = skipped - too_early
        session = history_lines.untimed_session_id(history.shell, f"{origin.host}{history.path_digest}")
        converter = HistoryConverter(
            HistoryContext(history.shell, origin.host, now, session, known.count),
            known,
            redactor,
            load_tombstones(log),
            ignore_filter(self._home.settings, self._home.user_folder),
            None if dry_run else log.sign,
            history_lines.DirectoryTracker(self._home.user_folder, os.path.isdir),
            stats,
        )
        appender = BulkAppender(log, history.segment)
        try:
            for block in _entry_blocks(history.entries(), stats, skipped):
                lines = converter.new_lines(block)
                if not dry_run:
                    appender.write(lines)
                progress(history.path, stats.commands, history.progress())
            appender.commit()
        finally:
            appender.abort()
        return stats


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
        self._stream.seek(0)
        return FORMATS[self.shell].read(self._stream)

    def progress(self) -> float:
        return min(self._stream.tell() / self.size, 1.0) if self.size else 1.0


def _entry_blocks(entries: Iterator[HistoryItem], stats: ImportedHistory, skipped: int) -> Iterator[list[HistoryEntry]]:
    """Yield the commands after the first `skipped`, in blocks. Entries that are not commands are counted."""
    while block := list(islice(entries, _BLOCK_SIZE)):
        commands = cast("list[HistoryEntry]", block)
        if SkippedEntry in set(map(type, block)):  # rare, and faster than looking at each entry
            for entry in block:
                if isinstance(entry, SkippedEntry):
                    (stats.left_out if entry.is_hidden else stats.unread)[entry.reason] += 1
            commands = [entry for entry in block if not isinstance(entry, SkippedEntry)]
        count = min(skipped, len(commands))
        skipped -= count
        yield commands[count:] if count else commands


def _survey_history(history: _OpenHistory, now: int) -> tuple[int, int, bool]:
    """Return how many commands there are, how many entries before the first plausible time, and whether there is one.

    It is read up to that time, and to the end only if there is none or if a large file may have too many commands.
    Those of other files are not counted: 0.
    """
    commands = untimed = 0
    has_times = False
    for entry in history.entries():
        if not isinstance(entry, SkippedEntry):
            commands += 1
            has_times = has_times or is_plausible_time(entry.at, now)
        if has_times and history.size <= _LARGE_FILE_BYTES:
            return 0, untimed, has_times
        untimed += not has_times
    return commands, untimed, has_times


# Commands without times


def _count_known(entries: Iterator[HistoryItem], known: KnownCommands, redactor: BatchRedactor) -> int:
    """Return how many of these commands are in the log already: up to where the last known ones are found among them.

    A history only loses its start, so they cannot have moved towards its end. If some of them are gone, as with bash's
    `erasedups`, fewer of them have to match.
    """
    if not known.count:
        return 0
    texts = (entry.command for entry in entries if not isinstance(entry, SkippedEntry))
    hashes, dropped = array("q"), 0  # of the commands as they would be stored; how many of the first were dropped
    while block := list(islice(texts, _BLOCK_SIZE)):
        hashes.extend(hash(encode_string(text)) for text in redactor.redact(block))
        if len(hashes) > 2 * MAX_COMMANDS:
            del hashes[:MAX_COMMANDS]
            dropped += MAX_COMMANDS
    if not known.tail and known.session_spans:  # an earlier version gave them the first time in the history
        return dropped + len(hashes)
    tail = array("q", known.tail)
    while tail:
        for end in range(min(known.count - dropped, len(hashes)), len(tail) - 1, -1):
            if hashes[end - 1] == tail[-1] and hashes[end - len(tail) : end] == tail:
                return dropped + end
        tail = tail[(len(tail) + 1) // 2 :]
    return 0


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
