"""Sessions of OpenCode: an SQLite database with the tables session, message and part; a part is a text or a tool call.

The database is opened so that nothing is written, neither to it nor beside it. OpenCode updates a row until it is done;
only then it is captured. So the cursor is not an offset but the time of an update in milliseconds: reading from there
looks at rows that were updated since.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing

from tacit.disk.read import has_tables, open_foreign_database
from tacit.hosts.normalize import EventContext, Events, PendingToolCall, TranscriptReader, TranscriptSource, event_key
from tacit.hosts.records import (
    MAX_LINE_BYTES,
    NO_TIME,
    NOT_JSON,
    TOO_LONG,
    as_list,
    as_object,
    as_string,
    content_text,
    parse_object,
    parse_timestamp,
)
from tacit.hosts.tools import lookup_tool
from tacit.model.observation import PromptKind, ToolAction, ToolOutcome

_OVERLAP_MILLISECONDS = 60_000  # a writer may be slow to commit
_SELECT_CHANGED = """
SELECT part.id FROM part JOIN message ON message.id = part.message_id JOIN session ON session.id = part.session_id
WHERE part.time_updated >= ?1 OR message.time_updated >= ?1
   OR (session.time_updated >= ?1
       AND (instr(part.data, '"status":"running"') OR instr(part.data, '"status":"pending"')))
ORDER BY part.time_created, part.id
"""
_SELECT_PART = """
SELECT part.id, part.session_id, part.time_created, part.time_updated, part.data, message.data, message.time_created,
       session.directory, session.parent_id
FROM part JOIN message ON message.id = part.message_id JOIN session ON session.id = part.session_id WHERE part.id = ?
"""
_SELECT_LAST_PROMPTS = """
SELECT session_id, max(time_created) FROM message WHERE instr(data, '"role":"user"') GROUP BY session_id
"""
_SELECT_TITLES = """
SELECT id, title, time_updated, directory FROM session WHERE time_updated >= ? AND parent_id IS NULL ORDER BY id
"""
_DEFAULT_TITLE_PREFIXES = ("New session - ", "Child session - ")
_DAMAGED = "damaged in the database"
_ERROR_PHRASES = {
    ToolOutcome.REJECTED: ("rejected permission", "user dismissed", "the user rejected", "prevents you from using"),
    ToolOutcome.UNKNOWN: ("aborted", "cancelled"),
}


class _PartRow:
    """A part with its message and session. `last_prompts` has the time of the last prompt of each session."""

    def __init__(self, values: tuple[object, ...], last_prompts: dict[str, int]) -> None:
        part_id, session, created, updated, data, message, message_created, folder, parent = values
        self.id, self.parent = as_string(part_id), as_string(parent)
        self.updated = updated if isinstance(updated, int) else 0
        self.part, self.message = parse_object(data) or {}, parse_object(message) or {}
        self.size = len(data) if isinstance(data, str) else 0
        self.has_later_prompt = (
            isinstance(message_created, int) and last_prompts.get(as_string(session), 0) > message_created
        )
        directory = as_string(as_object(self.message.get("path")).get("cwd")) or as_string(folder)
        self.context = EventContext(parse_timestamp(created) or NO_TIME, self.parent or as_string(session), directory)
        self.key = event_key(self.id, self.context, content_text(self.part.get("text")))


class _OpenCodeReader(TranscriptReader):
    agent = "opencode"
    skipped_types = frozenset("step-start step-finish snapshot patch reasoning file agent retry subtask".split())

    def read(self, offset: int) -> Events:
        self.stats.cursor = offset
        try:
            is_in_use = any(os.path.exists(self.path + suffix) for suffix in ("-wal", "-journal"))
            with closing(open_foreign_database(self.path, MAX_LINE_BYTES, is_in_use=is_in_use)) as connection:
                if not has_tables(connection, "part", "message", "session"):
                    self.stats.damaged[_DAMAGED] += 1
                    return
                for row in self._changed_rows(connection, offset):
                    self.stats.cursor = max(self.stats.cursor, row.updated - _OVERLAP_MILLISECONDS)
                    yield from self._read_row(row)
                yield from self._read_titles(connection, offset)
        except (sqlite3.Error, UnicodeDecodeError):  # SQLite's message about a damaged file may not be UTF-8
            self.stats.damaged[_DAMAGED] += 1

    def _changed_rows(self, connection: sqlite3.Connection, since: int) -> Iterator[_PartRow]:
        """Yield the rows that were updated since. They are read one by one: a too large or damaged row affects no
        other."""
        last_prompts = {
            as_string(session): at for session, at in connection.execute(_SELECT_LAST_PROMPTS) if isinstance(at, int)
        }
        for (part_id,) in connection.execute(_SELECT_CHANGED, (since,)).fetchall():
            self.stats.records += 1
            try:
                values = connection.execute(_SELECT_PART, (part_id,)).fetchone()
            except (sqlite3.Error, UnicodeDecodeError) as error:
                self.stats.damaged[TOO_LONG if isinstance(error, sqlite3.DataError) else _DAMAGED] += 1
                continue
            if values is not None:
                row = _PartRow(values, last_prompts)
                self.stats.bytes_read += row.size
                yield row

    def _read_row(self, row: _PartRow) -> Events:
        kind = as_string(row.part.get("type"))
        match kind:
            case "text":
                text, part, message = as_string(row.part.get("text")), row.part, row.message
                is_hidden = (
                    part.get("synthetic") is True or part.get("ignored") is True or message.get("summary") is True
                )
                is_done = "end" in as_object(part.get("time")) or "completed" in as_object(message.get("time"))
                if is_hidden or row.parent:
                    self.stats.skipped["text of the host"] += 1
                elif message.get("role") == "user":
                    inner = text[1:-1]  # `opencode run "a b"` records its prompt with quotes
                    is_quoted = len(text) > 2 and f'"{inner}"' == text and '"' not in inner.replace('\\"', "")
                    yield from self.prompt(row.key, row.context, inner.replace('\\"', '"') if is_quoted else text)
                elif is_done or row.has_later_prompt:
                    yield from self.reply(row.key, row.context, text)
            case "tool":
                yield from self._read_tool(row)
            case "compaction":
                yield from self.compaction(row.key, row.context)
            case "":
                self.stats.damaged[NOT_JSON] += 1
            case _:
                self.count_other(kind)

    def _read_titles(self, connection: sqlite3.Connection, since: int) -> Events:
        """Emit titles of sessions updated since. The host does not say who gave them. Old databases have none."""
        try:
            rows = connection.execute(_SELECT_TITLES, (since,)).fetchall()
        except sqlite3.OperationalError:
            return
        for session, title, updated, directory in rows:
            text, at = as_string(title), parse_timestamp(updated)
            if at is not None and not text.startswith(_DEFAULT_TITLE_PREFIXES):
                yield from self.title(EventContext(at, as_string(session), as_string(directory)), text, timeless=True)

    def _read_tool(self, row: _PartRow) -> Events:
        state = as_object(row.part.get("state"))
        tool, status = as_string(row.part.get("tool")), as_string(state.get("status"))
        key = event_key(row.part.get("callID"), row.context, row.id)
        call = PendingToolCall(key, tool, state.get("input"), row.context, bool(row.parent))
        if status == "completed":
            exit_code = as_object(state.get("metadata")).get("exit")
            has_failed = isinstance(exit_code, int) and exit_code != 0
            outcome = ToolOutcome.FAILED if has_failed else ToolOutcome.SUCCEEDED
            yield from self.tool_use(call, as_string(state.get("output")), outcome)
            if lookup_tool(call.tool).act is not ToolAction.ASKED or call.is_subagent:
                return
            # What the person chose or wrote when the agent asked
            questions = map(as_object, as_list(as_object(state.get("input")).get("questions")))
            answers = as_list(as_object(state.get("metadata")).get("answers"))
            for index, (question, answer) in enumerate(zip(questions, answers, strict=False)):
                text = ", ".join(filter(None, map(as_string, as_list(answer)))) or as_string(answer)
                key, about = f"{call.key}#answer{index}", as_string(question.get("question"))
                yield from self.prompt(key, call.context, text, PromptKind.ANSWER, about, index + 1)
        elif status == "error":
            error = as_string(state.get("error"))
            phrases = ((phrase, outcome) for outcome, phrases in _ERROR_PHRASES.items() for phrase in phrases)
            lower = error.lower()[:400]
            outcome = next((outcome for phrase, outcome in phrases if phrase in lower), ToolOutcome.FAILED)
            yield from self.tool_use(call, error, outcome)
        elif row.has_later_prompt:
            yield from self.unanswered_call(call)


SOURCE = TranscriptSource(
    "opencode",
    "XDG_DATA_HOME",
    ".local/share",
    ("opencode/opencode.db",),
    {"opencode*.db": re.compile(rb"\ASQLite format 3\0")},
    _OpenCodeReader,
    has_byte_offsets=False,
)
