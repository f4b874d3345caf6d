"""open_session: what was said and done around an answer of recall."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.surfaces.mcp.schema import Field, Given
from tacit.surfaces.mcp.tool import Told, Tool

if TYPE_CHECKING:
    from tacit.vault.vault import Vault

_MOST = 5
_LINE, _ALL = 400, 20_000  # characters


def run(vault: Vault, given: Given) -> Told:
    from tacit.surfaces.mcp.fence import fenced, harmless

    listed, session = vault.sessions.session(given.text("id"))
    if not given.flag("everywhere"):
        vault.sessions.must_be_of_this_project(listed)
    turn, around = given.number("turn", 1), given.number("around", 1)
    told: list[str] = []
    size = 0
    for line in vault.sessions.session_part_lines(session, turn, around):
        told.append(harmless(line, _LINE))
        size += len(told[-1])
        if size > _ALL:
            told.append("(The rest is left out: ask for one turn, with around 0.)")
            break
    values = {
        "id": listed.row.id,
        "agent": harmless(session.agent, 64),
        "title": harmless(session.title, 200),
        "at": listed.row.at,
        "turn": turn,
        "turns": len(session.turns),
        "lines": told,
    }
    return Told(fenced(told), values)


OPEN_SESSION = Tool(
    name="open_session",
    title="Open a session",
    description=(
        "One turn of an earlier session with its neighbours: what was asked, said and done, word by word. Use it after "
        "recall, with the session and turn of an answer, when its passage is not enough."
    ),
    takes=(
        Field("id", "string", "the id of the session, as recall or recent_sessions gave it", required=True),
        Field("turn", "integer", "the turn, as recall gave it (default 1)", least=1, most=1_000_000),
        Field("around", "integer", f"turns before and after it, 0 to {_MOST} (default 1)", least=0, most=_MOST),
        Field("everywhere", "boolean", "true for a session of another project than this one (default false)"),
    ),
    gives=(
        Field("id", "string", "the id of the session", required=True),
        Field("agent", "string", "which agent it was with", required=True),
        Field("title", "string", "what it was about", required=True),
        Field("at", "string", "when it ended, UTC", required=True),
        Field("turn", "integer", "the turn that was asked for", required=True),
        Field("turns", "integer", "how many turns it has", required=True),
        Field("lines", "array", "its lines, as the session's page shows them", required=True),
    ),
    run=run,
    reads=True,
)
