"""Which agent runs this command, told by what agents put into the environment of the commands they run.

An agent that hides cannot be told from a person; what this protects from is an honest agent that was misled.
"""

from collections.abc import Mapping
from typing import NamedTuple


class Sign(NamedTuple):
    """A variable that an agent sets, and the one that holds its session."""

    variable: str
    agent: str
    session: str = ""


SIGNS = (
    Sign("CLAUDECODE", "claude", "CLAUDE_CODE_SESSION_ID"),
    Sign("CODEX_THREAD_ID", "codex", "CODEX_THREAD_ID"),
    Sign("CODEX_SANDBOX", "codex"),
    Sign("CODEX_SANDBOX_NETWORK_DISABLED", "codex"),
    Sign("GEMINI_CLI", "gemini", "GEMINI_SESSION_ID"),
    Sign("CURSOR_AGENT", "cursor"),
    Sign("OPENCODE", "opencode"),
    Sign("COPILOT_CLI", "copilot"),
    Sign("AI_AGENT", ""),
)


class Agent(NamedTuple):
    name: str
    session: str


def find_agent(environment: Mapping[str, str]) -> Agent | None:
    for sign in SIGNS:
        if value := environment.get(sign.variable):
            return Agent(sign.agent or value, environment.get(sign.session, "") if sign.session else "")
    return None
