"""Tools that read sessions: the latest ones, and the turns of one. Their texts are fenced and clipped."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tacit.errors import NotFoundError, UsageError
from tacit.mcp.schema import Field, McpArguments, McpResult, McpTool
from tacit.record import Record
from tacit.text.display import fenced_lines, harmless_line

if TYPE_CHECKING:
    from tacit.vault.sessions import ListedSession
    from tacit.vault.vault import Vault

_MAX_FILES = 12
_MAX_LINE_CHARS, _MAX_TEXT_CHARS = 400, 20_000  # of one line of a session, and of all that are given
_MAX_RECENT_LIMIT = 20
_MAX_TURNS_AROUND = 5


class RecentSession(Record):
    """A session as an agent is shown it. None of its texts can leave a fence."""

    id: str
    agent: str
    at: str
    title: str
    outcome: str
    files: tuple[str, ...]
    scope: str

    @property
    def line(self) -> str:
        files = f"Files: {', '.join(self.files)}" if self.files else ""
        parts = [self.title, f"Outcome: {self.outcome}" if self.outcome else "", files]
        summary = " · ".join(part for part in parts if part)
        return f"- [{self.at[:16]}, {self.agent}, {self.scope}] {summary} ({self.id})"


def recent_sessions(vault: Vault, *, here: bool, limit: int) -> list[RecentSession]:
    """Return the latest sessions, newest first: of this project if `here`, else of all."""
    return [_recent_session(session) for session in vault.sessions.sessions(project=here, limit=limit)]


def session_page(vault: Vault, name: str) -> str | None:
    """Return a whole session of this project as Markdown in a fence; None if there is none of this name."""
    try:
        listed, session = vault.sessions.session(name)
    except (NotFoundError, UsageError):
        return None
    if not vault.sessions.is_of_this_project(listed):
        return None
    rest = "(The rest is left out. The person can read it with tacit session.)"
    return fenced_lines(_clipped_lines(vault.sessions.session_lines(session), rest))


def _clipped_lines(lines: Iterable[str], rest: str) -> list[str]:
    """Return harmless lines up to the limit. If some are left out, `rest` is the last line and says so."""
    clipped: list[str] = []
    size = 0
    for line in lines:
        clipped.append(harmless_line(line, _MAX_LINE_CHARS))
        size += len(clipped[-1])
        if size > _MAX_TEXT_CHARS:
            return [*clipped, rest]
    return clipped


def _recent_session(session: ListedSession) -> RecentSession:
    row = session.row
    return RecentSession(
        session.short,
        harmless_line(row.agent, 64),
        row.ended_at,
        harmless_line(row.title, 200),
        harmless_line(row.outcome, 300),
        tuple(harmless_line(file, 200) for file in row.files[:_MAX_FILES]),
        harmless_line(session.label, 100),
    )


# recent_sessions


def run_recent_sessions(vault: Vault, arguments: McpArguments) -> McpResult:
    rows = recent_sessions(vault, here=not arguments.flag("everywhere"), limit=arguments.number("limit", 5))
    if not rows:
        return McpResult("No earlier session is recorded here.", {"sessions": []})
    values = [{**row._asdict(), "files": list(row.files)} for row in rows]
    return McpResult(fenced_lines(row.line for row in rows), {"sessions": values})


SESSION_FIELDS = (
    Field("id", "string", "the id of the session", required=True),
    Field("agent", "string", "which agent it was with", required=True),
    Field("at", "string", "when", required=True),
    Field("title", "string", "what it was about", required=True),
    Field("outcome", "string", "how it ended", required=True),
    Field("files", "array", "files that were changed", required=True),
    Field("scope", "string", "global, or the project it was in", required=True),
)
RECENT_SESSIONS = McpTool(
    name="recent_sessions",
    title="Recent sessions",
    description=(
        "What the person and their agents did lately, in any agent: what was asked, how it ended, which files were "
        "changed. Use it to go on where an earlier session stopped, or when the person says last time or yesterday."
    ),
    arguments=(
        Field("everywhere", "boolean", "true for sessions of all projects, not just of this one (default false)"),
        Field(
            "limit",
            "integer",
            f"at most so many, 1 to {_MAX_RECENT_LIMIT} (default 5)",
            minimum=1,
            maximum=_MAX_RECENT_LIMIT,
        ),
    ),
    output=(Field("sessions", "array", "the sessions, the latest first", required=True, items=SESSION_FIELDS),),
    run=run_recent_sessions,
    read_only=True,
)


# open_session


def run_open_session(vault: Vault, arguments: McpArguments) -> McpResult:
    listed, session = vault.sessions.session(arguments.text("id"))
    if not arguments.flag("everywhere"):
        vault.sessions.must_be_of_this_project(listed)
    turn, around = arguments.number("turn", 1), arguments.number("around", 1)
    rest = "(The rest is left out: ask for one turn, with around 0.)"
    lines = _clipped_lines(vault.sessions.turn_lines(session, turn, around), rest)
    values = {
        "id": listed.row.id,
        "agent": harmless_line(session.agent, 64),
        "title": harmless_line(listed.row.title, 200),
        "at": listed.row.ended_at,
        "turn": turn,
        "turns": len(session.turns),
        "lines": lines,
    }
    return McpResult(fenced_lines(lines), values)


OPEN_SESSION = McpTool(
    name="open_session",
    title="Open a session",
    description=(
        "One turn of an earlier session with its neighbours: what was asked, said and done, word by word. Use it after "
        "recall, with the session and turn of an answer, when its passage is not enough."
    ),
    arguments=(
        Field("id", "string", "the id of the session, as recall or recent_sessions gave it", required=True),
        Field("turn", "integer", "the turn, as recall gave it (default 1)", minimum=1, maximum=1_000_000),
        Field(
            "around",
            "integer",
            f"turns before and after it, 0 to {_MAX_TURNS_AROUND} (default 1)",
            minimum=0,
            maximum=_MAX_TURNS_AROUND,
        ),
        Field("everywhere", "boolean", "true for a session of another project than this one (default false)"),
    ),
    output=(
        Field("id", "string", "the id of the session", required=True),
        Field("agent", "string", "which agent it was with", required=True),
        Field("title", "string", "what it was about", required=True),
        Field("at", "string", "when it ended, UTC", required=True),
        Field("turn", "integer", "the turn that was asked for", required=True),
        Field("turns", "integer", "how many turns it has", required=True),
        Field("lines", "array", "its lines, as the session's page shows them", required=True),
    ),
    run=run_open_session,
    read_only=True,
)
