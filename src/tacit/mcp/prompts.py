"""The prompts that a person can start their agent with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.mcp.schema import Field, McpArguments, McpPrompt

if TYPE_CHECKING:
    from tacit.vault.queries import ListedMemory
    from tacit.vault.vault import Vault


# recap

_MAX_RECAP_SESSIONS = 8
_RECAP_REQUEST = """\
Tell me in a few sentences what was done here lately, what is open, and what you would do next. Rely on the records \
below; where they do not tell, say so."""


def run_recap(vault: Vault, _arguments: McpArguments) -> str:
    from tacit.mcp.tools import recent_sessions
    from tacit.text.fence import fenced_lines

    rows = recent_sessions(vault, here=True, limit=_MAX_RECAP_SESSIONS)
    if not rows:
        return "Tell me that no earlier session is recorded here, and look with recall for entries of the worklog."
    return f"{_RECAP_REQUEST}\n\n{fenced_lines(row.line for row in rows)}"


RECAP = McpPrompt(
    name="recap",
    title="Recap",
    description="What you and your agents did here lately, and what is open.",
    arguments=(),
    run=run_recap,
)


# review

_MAX_SUGGESTIONS = 20
_REVIEW_REQUEST = """\
Walk me through the suggestions below, one at a time. For each, tell me in a sentence what it says, where it comes \
from and how often it was seen, and what you think of it: is it true, is it useful, is it said well? Then wait for my \
answer.
I decide, in my own terminal: tacit accept ID makes it hold, tacit dismiss ID turns it down for good, tacit edit ID \
--text '…' changes the words, and tacit review does all of that card by card. Show me the command with the id filled \
in. Do not run it yourself, and do not act on a suggestion that I have not accepted."""


def run_review(vault: Vault, _arguments: McpArguments) -> str:
    from tacit.text.fence import fenced_lines

    waiting = vault.suggestions("all")
    if not waiting:
        return "Tell me that no suggestion waits for my decision."
    more = f"\n{len(waiting) - _MAX_SUGGESTIONS} more wait: tacit review" if len(waiting) > _MAX_SUGGESTIONS else ""
    return (
        f"{_REVIEW_REQUEST}\n\n{fenced_lines(_suggestion_line(listed) for listed in waiting[:_MAX_SUGGESTIONS])}{more}"
    )


def _suggestion_line(listed: ListedMemory) -> str:
    from tacit.model.claim import scope_label
    from tacit.text.fence import harmless_line
    from tacit.vault.labels import PROVENANCE_LABELS

    memory, counts = listed.memory, listed.counts
    seen = f"{counts.runs} runs in {counts.sessions} sessions" if counts else f"seen {memory.strength} times"
    marks = (
        memory.kind.label,
        harmless_line(scope_label(memory.claim.scope), 100),
        PROVENANCE_LABELS[memory.provenance],
        seen,
    )
    evidence = "; ".join(harmless_line(arguments.text, 200) for arguments in memory.evidence[:3])
    return f"- {listed.short} [{', '.join(marks)}] {harmless_line(memory.claim.sentence, 300)}" + (
        f" (evidence: {evidence})" if evidence else ""
    )


REVIEW = McpPrompt(
    name="review",
    title="Review suggestions",
    description="Go through the suggestions that wait for your decision, each with its evidence.",
    arguments=(),
    run=run_review,
)


# start

_MAX_TASK_CHARS = 2000


def run_start(vault: Vault, arguments: McpArguments) -> str:
    from tacit.mcp.tools import NO_MEMORIES

    task = arguments.text("task")[:_MAX_TASK_CHARS].strip()
    brief = vault.brief(task=task).text.rstrip("\n") or NO_MEMORIES
    return f"{task}\n\nBefore you begin, read what is remembered here, and keep to the constraints in it:\n\n{brief}"


START = McpPrompt(
    name="start",
    title="Start a task",
    description="Begin a task with the memories that bear on it.",
    arguments=(Field("task", "string", "what is to be done", required=True),),
    run=run_start,
)


PROMPTS: dict[str, McpPrompt] = {prompt.name: prompt for prompt in (START, RECAP, REVIEW)}
