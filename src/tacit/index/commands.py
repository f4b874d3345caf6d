"""Commands that a person or an agent ran, for search: each once, with its last run.

They have postings of their own. Among those of memories and messages they would change the IDF of every term (ADR 34).
"""

from __future__ import annotations

import json
import sqlite3
from array import array
from bisect import insort
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from tacit.errors import IndexUnusableError
from tacit.model import observation
from tacit.model.claim import Scope
from tacit.model.event import Event, timestamp
from tacit.model.ids import EventId, claim_number, hash_number
from tacit.record import Record
from tacit.text.words import STEMS, token_terms, tokenize

FAILED_STATUS = -2  # a transcript says that a command failed, but not with which exit status
_ID_BITS, _SAMPLED_IDS = 60, 256  # of the id of a command; to estimate how many there are
_IDS_PER_BLOCK, _ID_BYTES = 256, 8  # of a posting list, at most
_MAX_INDEXED_CHARS = 2000  # a command is found by its first characters
_STATUS_BY_OUTCOME = {
    observation.ToolOutcome.SUCCEEDED: 0,
    observation.ToolOutcome.FAILED: FAILED_STATUS,
    observation.ToolOutcome.UNKNOWN: observation.UNKNOWN_STATUS,
}
_COLUMNS = "id, actor, directory, text, scope, last_event_id, last_run_at, exit_status, session_number, segment, line"
_FEW_COMMANDS = 32  # whose postings are added to the blocks that there are, since blocks of one id are slow to read
_SELECT_COVERING_BLOCK = (
    "SELECT command_ids FROM command_postings WHERE term = ? AND first_id <= ? ORDER BY first_id DESC LIMIT 1"
)
_UPSERT_COMMAND = f"INSERT OR REPLACE INTO commands ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


class StoredCommand(Record):
    """A command in a directory, with its last run and the position of that in the log.

    `id` is a hash of actor, directory and text. `at` is "" if the time is not known, `session_number` 0 for a shell.
    """

    id: int
    actor: str
    directory: str
    text: str
    scope: Scope
    last_event: EventId
    at: str
    exit_status: int
    session_number: int
    segment: str
    line: int


def shell_execution(event: Event, segment: str, line: int) -> StoredCommand:
    """Return the run of a command in a shell."""
    body = event.body
    assert isinstance(body, observation.CommandRan)
    command = (event.origin.actor, body.directory, body.command)
    at = "" if observation.is_untimed_session(event.origin.session) else timestamp(event.at)
    return StoredCommand(_id_of(*command), *command, event.scope, event.id, at, body.status, 0, segment, line)


def agent_execution(event: Event, segment: str, line: int) -> StoredCommand | None:
    """Return the run of a command by an agent, None for other tool calls and for those that were not allowed."""
    call = event.body
    if not isinstance(call, observation.ToolUsed) or call.act is not observation.ToolAction.RAN or not call.input:
        return None
    status = _STATUS_BY_OUTCOME.get(call.outcome)
    if status is None:
        return None
    session = claim_number(observation.session_id(call.agent, event.origin.session))
    command, at = (f"agent:{call.agent}", call.directory, call.input), timestamp(event.at)
    return StoredCommand(_id_of(*command), *command, event.scope, event.id, at, status, session, segment, line)


def _id_of(actor: str, directory: str, text: str) -> int:
    return hash_number("command", f"{actor}\n{directory}\n{text}")


def latest_shell_executions(runs: Iterable[tuple[Event, str, int]]) -> list[StoredCommand]:
    """Return the last run of each command in a shell, by actor and directory. `runs` have segments and lines."""
    latest: dict[tuple[str, str, str], tuple[Event, str, int]] = {}
    for run in runs:
        event = run[0]
        body = event.body
        assert isinstance(body, observation.CommandRan)
        key = event.origin.actor, body.directory, body.command
        known = latest.get(key)
        if known is None or known[0].id < event.id:
            latest[key] = run
    return [shell_execution(*run) for run in latest.values()]


def store_commands(connection: sqlite3.Connection, runs: Iterable[StoredCommand]) -> None:
    """Store the last run of each command by actor and directory. Storing a run again changes nothing."""
    latest: dict[int, StoredCommand] = {}
    for run in runs:
        known = latest.get(run.id)
        if known is None or known.last_event < run.last_event:
            latest[run.id] = run
    stored: dict[int, str] = {}  # the last event of those that are stored
    if has_commands(connection):
        query = "SELECT id, last_event_id FROM commands WHERE id IN (SELECT value FROM json_each(?))"
        stored = dict(connection.execute(query, (json.dumps(list(latest)),)))
    rows = [run for _, run in sorted(latest.items()) if run.last_event > stored.get(run.id, "")]
    connection.executemany(_UPSERT_COMMAND, rows)  # inserted fastest in order
    new = [run for run in latest.values() if run.id not in stored]
    postings = _postings(new)
    if len(new) <= _FEW_COMMANDS:
        for term, command_ids in postings.items():
            for command_id in command_ids:
                _add_to_block(connection, term, command_id)
        return
    blocks = (  # they stand beside the blocks that a term has, which are not read
        _block(term, command_ids[low : low + _IDS_PER_BLOCK])
        for term, command_ids in sorted((term, sorted(unsorted)) for term, unsorted in postings.items())
        for low in range(0, len(command_ids), _IDS_PER_BLOCK)
    )
    connection.executemany("INSERT INTO command_postings VALUES (?, ?, ?)", blocks)


def remove_commands(connection: sqlite3.Connection, runs: Iterable[StoredCommand]) -> None:
    """Remove the commands of which one of these is the last run, with their postings."""
    for run in runs:
        query = "DELETE FROM commands WHERE id = ? AND last_event_id = ?"
        is_removed = connection.execute(query, (run.id, run.last_event)).rowcount
        for term in _postings([run]) if is_removed else ():
            query = "SELECT first_id, command_ids FROM command_postings WHERE term = ? AND first_id <= ?"
            for first_id, block in connection.execute(query, (term, run.id)).fetchall():
                if run.id in (command_ids := _decode_ids([block])):
                    command_ids.remove(run.id)
                    connection.execute("DELETE FROM command_postings WHERE term = ? AND first_id = ?", (term, first_id))
                    if command_ids:
                        connection.execute("INSERT INTO command_postings VALUES (?, ?, ?)", _block(term, command_ids))


def _postings(new: Iterable[StoredCommand]) -> dict[str, list[int]]:
    """Return the ids of new commands by term."""
    postings: dict[str, list[int]] = defaultdict(list)
    stems = _TextStems()
    for run in new:
        for stem in stems[run.text[:_MAX_INDEXED_CHARS]] | stems[run.directory.rstrip("/").rpartition("/")[2]]:
            postings[stem].append(run.id)
    return postings


def _block(term: str, command_ids: Sequence[int]) -> tuple[str, int, bytes]:
    return term, command_ids[0], array("q", command_ids).tobytes()


def _add_to_block(connection: sqlite3.Connection, term: str, command_id: int) -> None:
    """Add a command to the block in whose range it is, and cut that in halves if it is full."""
    row = connection.execute(_SELECT_COVERING_BLOCK, (term, command_id)).fetchone()
    command_ids = _decode_ids(row or ())
    insort(command_ids, command_id)
    half = len(command_ids) // 2 if len(command_ids) > _IDS_PER_BLOCK else len(command_ids)
    for part in (command_ids[:half], command_ids[half:]):
        if part:
            connection.execute("INSERT OR REPLACE INTO command_postings VALUES (?, ?, ?)", _block(term, part))


class _TextStems(dict[str, frozenset[str]]):
    """The stems of command lines and names of folders. Most of them, and most of their words, come again."""

    def __init__(self) -> None:
        self._by_token: dict[str, frozenset[str]] = {}

    def __missing__(self, text: str) -> frozenset[str]:
        if text.isascii():
            self[text] = stems = frozenset().union(*map(self._of_token, text.split()))
        else:
            self[text] = stems = frozenset([STEMS[term] for term in tokenize(text)])
        return stems

    def _of_token(self, token: str) -> frozenset[str]:
        stems = self._by_token.get(token)
        if stems is None:
            self._by_token[token] = stems = frozenset([STEMS[term] for term in token_terms(token)])
        return stems


def has_commands(connection: sqlite3.Connection) -> bool:
    """Whether any command is stored."""
    return connection.execute("SELECT 1 FROM commands LIMIT 1").fetchone() is not None


def count_commands(connection: sqlite3.Connection) -> int:
    """Return how many commands are stored. Many are estimated: ids are hashes, so the lowest tell their density."""
    ids = connection.execute("SELECT id FROM commands ORDER BY id LIMIT ?", (_SAMPLED_IDS,)).fetchall()
    return len(ids) if len(ids) < _SAMPLED_IDS else (_SAMPLED_IDS << _ID_BITS) // ids[-1][0]


def commands_with_term(connection: sqlite3.Connection, term: str, limit: int) -> Sequence[int]:
    """Return the lowest ids of commands that contain a term, in order. Raise IndexUnusableError if they are damaged."""
    query = "SELECT first_id, command_ids FROM command_postings WHERE term = ? ORDER BY first_id"
    ids: list[int] = []
    blocks: list[bytes] = []
    missing = limit * _ID_BYTES
    for first_id, block in connection.execute(query, (term,)):
        if missing <= 0:
            ids = sorted([*ids, *_decode_ids(blocks)])[:limit]
            if not ids or ids[-1] < first_id:
                return ids
            blocks, missing = [], _IDS_PER_BLOCK * _ID_BYTES  # blocks overlap: it is looked at again after some more
        blocks.append(block)
        missing -= len(block)
    return sorted([*ids, *_decode_ids(blocks)])[:limit]


def joined_command_postings(connection: sqlite3.Connection) -> Iterator[tuple[str, list[int]]]:
    """Yield each term with the ids of its commands, however they were cut into blocks."""
    query = "SELECT term, command_ids FROM command_postings ORDER BY term"
    for term, blocks in groupby(connection.execute(query), key=itemgetter(0)):
        yield term, sorted(_decode_ids([block for _, block in blocks]))


def _decode_ids(blocks: Sequence[bytes]) -> array[int]:
    try:
        return array("q", b"".join(blocks))
    except (TypeError, ValueError):
        raise IndexUnusableError("a posting list is damaged") from None


def commands_since(connection: sqlite3.Connection, since: str) -> Iterator[StoredCommand]:
    """Yield the commands whose last run was at `since` or later, by session and in the order of their runs."""
    query = f"SELECT {_COLUMNS} FROM commands WHERE last_run_at >= ? ORDER BY session_number, last_event_id"
    return (StoredCommand(*row) for row in connection.execute(query, (since,)))


def latest_lines(connection: sqlite3.Connection, actor: str, limit: int) -> list[tuple[str, int]]:
    """Return the texts and ids of the commands that an actor ran last, the latest first."""
    query = "SELECT text, id FROM commands WHERE actor = ? ORDER BY last_event_id DESC LIMIT ?"
    return connection.execute(query, (actor, limit)).fetchall()


def lines_after(connection: sqlite3.Connection, command_id: int, limit: int) -> list[tuple[str, EventId, str, int]]:
    """Return actor, last event, text and id of the next commands in the order of ids, which is none of time."""
    query = "SELECT actor, last_event_id, text, id FROM commands WHERE id > ? ORDER BY id LIMIT ?"
    return connection.execute(query, (command_id, limit)).fetchall()


def load_commands(connection: sqlite3.Connection, command_ids: Sequence[int]) -> list[StoredCommand]:
    """Return the commands with these ids that exist."""
    query = f"SELECT {_COLUMNS} FROM commands WHERE id IN (SELECT value FROM json_each(?))"
    return [StoredCommand(*row) for row in connection.execute(query, (json.dumps(list(command_ids)),))]
