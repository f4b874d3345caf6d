"""recent_sessions: what was done lately."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.surfaces.mcp.schema import Field, Given
from tacit.surfaces.mcp.tool import Told, Tool

if TYPE_CHECKING:
    from tacit.vault.vault import Vault

_MOST = 20


def run(vault: Vault, given: Given) -> Told:
    from tacit.surfaces.mcp.fence import fenced
    from tacit.surfaces.mcp.recent import recent

    rows = recent(vault, here=not given.flag("everywhere"), limit=given.number("limit", 5))
    if not rows:
        return Told("No earlier session is recorded here.", {"sessions": []})
    values = [{**row._asdict(), "files": list(row.files)} for row in rows]
    return Told(fenced(row.line for row in rows), {"sessions": values})


SESSION = (
    Field("id", "string", "the id of the session", required=True),
    Field("agent", "string", "which agent it was with", required=True),
    Field("at", "string", "when", required=True),
    Field("title", "string", "what it was about", required=True),
    Field("outcome", "string", "how it ended", required=True),
    Field("files", "array", "files that were changed", required=True),
    Field("scope", "string", "global, or the project it was in", required=True),
)
RECENT_SESSIONS = Tool(
    name="recent_sessions",
    title="Recent sessions",
    description=(
        "What the person and their agents did lately, in any agent: what was asked, how it ended, which files were "
        "changed. Use it to go on where an earlier session stopped, or when the person says last time or yesterday."
    ),
    takes=(
        Field("everywhere", "boolean", "true for sessions of all projects, not just of this one (default false)"),
        Field("limit", "integer", f"at most so many, 1 to {_MOST} (default 5)", least=1, most=_MOST),
    ),
    gives=(Field("sessions", "array", "the sessions, the latest first", required=True, each=SESSION),),
    run=run,
    reads=True,
)
