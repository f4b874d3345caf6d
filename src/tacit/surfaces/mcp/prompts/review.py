"""review: going through what waits for a decision, together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.surfaces.mcp.prompt import Prompt
from tacit.surfaces.mcp.schema import Given

if TYPE_CHECKING:
    from tacit.vault.reading import Listed
    from tacit.vault.vault import Vault

_MOST = 20
_ASK = """\
Walk me through the suggestions below, one at a time. For each, tell me in a sentence what it says, where it comes \
from and how often it was seen, and what you think of it: is it true, is it useful, is it said well? Then wait for my \
answer.
I decide, in my own terminal: tacit accept ID makes it hold, tacit dismiss ID turns it down for good, tacit edit ID \
--text '…' changes the words, and tacit review does all of that card by card. Show me the command with the id filled \
in. Do not run it yourself, and do not act on a suggestion that I have not accepted."""


def run(vault: Vault, _given: Given) -> str:
    from tacit.surfaces.mcp.fence import fenced

    waiting = vault.suggestions("all")
    if not waiting:
        return "Tell me that no suggestion waits for my decision."
    more = f"\n{len(waiting) - _MOST} more wait: tacit review" if len(waiting) > _MOST else ""
    return f"{_ASK}\n\n{fenced(_line(one) for one in waiting[:_MOST])}{more}"


def _line(listed: Listed) -> str:
    from tacit.surfaces.cli.words import PROVENANCE_WORDS
    from tacit.surfaces.mcp.fence import harmless
    from tacit.vault.hits import scope_label

    memory, counts = listed.memory, listed.counted
    seen = f"{counts.runs} runs in {counts.sessions} sessions" if counts else f"seen {memory.strength} times"
    marks = (
        memory.kind.label,
        harmless(scope_label(memory.claim.scope), 100),
        PROVENANCE_WORDS[memory.provenance],
        seen,
    )
    evidence = "; ".join(harmless(given.text, 200) for given in memory.evidence[:3])
    return f"- {listed.short} [{', '.join(marks)}] {harmless(memory.claim.sentence, 300)}" + (
        f" (evidence: {evidence})" if evidence else ""
    )


REVIEW = Prompt(
    name="review",
    title="Review suggestions",
    description="Go through the suggestions that wait for your decision, each with its evidence.",
    takes=(),
    run=run,
)
