"""The tools. None accepts, dismisses, forgets, purges, trusts, undoes or configures anything."""

from __future__ import annotations

from tacit.mcp.schema import McpTool
from tacit.mcp.tools.memories import BRIEF, RECALL, WHY
from tacit.mcp.tools.recording import LOG_WORK, REMEMBER, SUGGEST
from tacit.mcp.tools.sessions import OPEN_SESSION, RECENT_SESSIONS

TOOLS: dict[str, McpTool] = {
    tool.name: tool for tool in (BRIEF, RECALL, SUGGEST, REMEMBER, WHY, LOG_WORK, RECENT_SESSIONS, OPEN_SESSION)
}
