"""Every tool, one file each. None accepts, dismisses, forgets, purges, trusts, undoes or configures anything."""

from __future__ import annotations

from tacit.surfaces.mcp.tool import Tool
from tacit.surfaces.mcp.tools.brief import BRIEF
from tacit.surfaces.mcp.tools.log_work import LOG_WORK
from tacit.surfaces.mcp.tools.open_session import OPEN_SESSION
from tacit.surfaces.mcp.tools.recall import RECALL
from tacit.surfaces.mcp.tools.recent_sessions import RECENT_SESSIONS
from tacit.surfaces.mcp.tools.remember import REMEMBER
from tacit.surfaces.mcp.tools.suggest import SUGGEST
from tacit.surfaces.mcp.tools.why import WHY

TOOLS: dict[str, Tool] = {
    tool.name: tool for tool in (BRIEF, RECALL, SUGGEST, REMEMBER, WHY, LOG_WORK, RECENT_SESSIONS, OPEN_SESSION)
}
