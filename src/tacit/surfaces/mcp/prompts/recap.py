"""recap: what was done here lately."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.surfaces.mcp.prompt import Prompt
from tacit.surfaces.mcp.schema import Given

if TYPE_CHECKING:
    from tacit.vault.vault import Vault

_SESSIONS = 8
_ASK = """\
Tell me in a few sentences what was done here lately, what is open, and what you would do next. Rely on the records \
below; where they do not tell, say so."""


def run(vault: Vault, _given: Given) -> str:
    from tacit.surfaces.mcp.fence import fenced
    from tacit.surfaces.mcp.recent import recent

    rows = recent(vault, here=True, limit=_SESSIONS)
    if not rows:
        return "Tell me that no earlier session is recorded here, and look with recall for entries of the worklog."
    return f"{_ASK}\n\n{fenced(row.line for row in rows)}"


RECAP = Prompt(
    name="recap",
    title="Recap",
    description="What you and your agents did here lately, and what is open.",
    takes=(),
    run=run,
)
