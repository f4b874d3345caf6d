"""Commands that a person or an agent ran, so that a question can find them: each once, as it went the last time.

They have postings of their own. Among those of memories and messages they would change how rare every word is.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence

from tacit.model.claim import Scope
from tacit.model.event import Event, timestamp
from tacit.model.ids import EventId, claim_id, claim_number
from tacit.model.observation import UNKNOWN_STATUS, CommandRan, ToolAction, ToolOutcome, ToolUsed, session_id
from tacit.record import Record
from tacit.text.words import STEMS, tokenize

FAILED_STATUS = -2  # an agent's transcript tells that a command failed, not with which status
_MAX_INDEXED_CHARS = 2000  # characters of a command that it is found by
_STATUS_BY_OUTCOME = {ToolOutcome.SUCCEEDED: 0, ToolOutcome.FAILED: FAILED_STATUS, ToolOutcome.UNKNOWN: UNKNOWN_STATUS}
_COLUMNS = "number, actor, directory, text, scope, last, at, status, session, segment, line"
_SELECT_LAST_EVENT = "SELECT last FROM command WHERE number = ?"
_UPSERT_COMMAND = f"INSERT OR REPLACE INTO command ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_INSERT_TERM = "INSERT OR IGNORE INTO command_root VALUES (?, ?)"


class CommandExecution(Record):
    """One run of a command. `session` is the number of the agent's session, 0 in a shell; `segment` and `line` are
    where it stands in the log."""

    actor: str
    directory: str
    text: str
    scope: Scope
    event: EventId
    at: str
    status: int
    session: int
    segment: str
    line: int


class StoredCommand(Record):
    """A command as it is found: where it ran and how it went the last time."""

    number: int
    actor: str
    directory: str
    text: str
    scope: Scope
    last_event: EventId
    at: str
    status: int
    session: int
    segment: str
    line: int


def shell_execution(event: Event, segment: str, line: int) -> CommandExecution:
    """A command of a shell."""
    ran = event.body
    assert isinstance(ran, CommandRan)
    named = (event.origin.actor, ran.directory, ran.command, event.scope)
    return CommandExecution(*named, event.id, timestamp(event.at), ran.status, 0, segment, line)


def agent_execution(event: Event, segment: str, line: int) -> CommandExecution | None:
    """A command that an agent ran; nothing where the call was another, or was not allowed."""
    call = event.body
    if (
        not isinstance(call, ToolUsed)
        or call.act is not ToolAction.RAN
        or call.outcome not in _STATUS_BY_OUTCOME
        or not call.input
    ):
        return None
    session = claim_number(session_id(call.agent, event.origin.session))
    named = (f"agent:{call.agent}", call.directory, call.input, event.scope)
    return CommandExecution(
        *named, event.id, timestamp(event.at), _STATUS_BY_OUTCOME[call.outcome], session, segment, line
    )


def store_commands(connection: sqlite3.Connection, runs: Iterable[CommandExecution]) -> None:
    """Keep the latest run of each command in each directory. A run that is handed in again changes nothing."""
    latest: dict[tuple[str, str, str], CommandExecution] = {}
    for run in runs:
        key = run[:3]
        if key not in latest or latest[key].event < run.event:
            latest[key] = run
    rows: list[tuple[str | int, ...]] = []
    postings: set[tuple[str, int]] = set()
    for key, run in latest.items():
        number = claim_number(claim_id("command", "\n".join(key)))
        known = connection.execute(_SELECT_LAST_EVENT, (number,)).fetchone()
        if known is None or known[0] < run.event:
            rows.append((number, *run))
        if known is None:
            folder = run.directory.rstrip("/").rpartition("/")[2]
            postings.update((STEMS[word], number) for word in tokenize(f"{run.text[:_MAX_INDEXED_CHARS]} {folder}"))
    connection.executemany(_UPSERT_COMMAND, rows)
    connection.executemany(_INSERT_TERM, sorted(postings))


# Questions


def has_commands(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM command LIMIT 1").fetchone() is not None


def count_commands(connection: sqlite3.Connection) -> int:
    found: int = connection.execute("SELECT count(*) FROM command").fetchone()[0]
    return found


def commands_with_term(connection: sqlite3.Connection, root: str, most: int) -> list[int]:
    """The numbers of commands that hold a root."""
    query = "SELECT number FROM command_root WHERE root = ? LIMIT ?"
    return [number for (number,) in connection.execute(query, (root, most))]


def load_commands(connection: sqlite3.Connection, numbers: Sequence[int]) -> list[StoredCommand]:
    """These commands, as far as they are there."""
    query = f"SELECT {_COLUMNS} FROM command WHERE number IN (SELECT value FROM json_each(?))"
    return [StoredCommand(*row) for row in connection.execute(query, (json.dumps(list(numbers)),))]
