"""Resources and prompts: the brief, sessions and accepted memories, and what a person can start their agent with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tacit.mcp.protocol import INVALID_PARAMS, RESOURCE_NOT_FOUND, Json, RpcError
from tacit.mcp.schema import Field, McpArguments, McpPrompt
from tacit.record import Record

if TYPE_CHECKING:
    from tacit.index.reader import MemoryRow
    from tacit.vault.listing import ListedMemory
    from tacit.vault.vault import Vault


PAGE_SIZE = 50
_MEMORY_URI, _BRIEF_URI, _SESSION_URI = "tacit://memory/", "tacit://brief", "tacit://session/"
_MAX_SESSIONS = 10
_MARKDOWN_TYPE, _TEXT_TYPE = "text/markdown", "text/plain"
TEMPLATES: list[Json] = [
    {
        "uriTemplate": f"{_MEMORY_URI}{{id}}",
        "name": "memory",
        "title": "A memory",
        "description": "One memory that the person accepted: what it says, its kind, its evidence and dates.",
        "mimeType": _MARKDOWN_TYPE,
    },
    {
        "uriTemplate": f"{_SESSION_URI}{{id}}",
        "name": "session",
        "title": "A session",
        "description": "What was asked and done in an earlier session, and how it ended.",
        "mimeType": _MARKDOWN_TYPE,
    },
]
_BRIEF_RESOURCE: Json = {
    "uri": _BRIEF_URI,
    "name": "brief",
    "title": "Brief",
    "description": "The few memories an agent should know here.",
    "mimeType": _TEXT_TYPE,
}


class ResourcePage(Record):
    """A page of resources, and the cursor of the next one."""

    resources: list[Json]
    next_cursor: str | None


def resource_page(vault: Vault, cursor: str | None) -> ResourcePage:
    """Return the brief, the latest sessions, then memories, newest first. A cursor is the last memory of a page."""
    memories = _accepted_memories(vault)
    if cursor is None:
        first = [_BRIEF_RESOURCE, *_session_resources(vault)]
    else:
        first, memories = [], memories[_index_after(memories, cursor) :]
    shown = memories[:PAGE_SIZE]
    following = _cursor_of(shown[-1]) if len(memories) > PAGE_SIZE else None
    return ResourcePage([*first, *(_memory_resource(memory) for memory in shown)], following)


def resource_content(vault: Vault, uri: str) -> Json:
    """Return the content of a resource. Raise RpcError if it does not exist."""
    if uri == _BRIEF_URI:
        from tacit.mcp.tools.memories import NO_MEMORIES

        return {"uri": uri, "mimeType": _TEXT_TYPE, "text": vault.brief().text or NO_MEMORIES}
    text = None
    if uri.startswith(_MEMORY_URI):
        text = _memory_text(vault, uri.removeprefix(_MEMORY_URI))
    elif uri.startswith(_SESSION_URI):
        text = _session_text(vault, uri.removeprefix(_SESSION_URI))
    if text is None:
        raise RpcError(RESOURCE_NOT_FOUND, "there is no such resource", {"uri": uri[:200]})
    return {"uri": uri, "mimeType": _MARKDOWN_TYPE, "text": text}


# Memories


def _accepted_memories(vault: Vault) -> list[MemoryRow]:
    """Return memories of the current project and global ones, newest first; not those of enclosing projects."""
    from tacit.home.home import current_folder
    from tacit.model.claim import GLOBAL

    context = vault.contexts.context(current_folder())
    scopes = (context.scopes[0], GLOBAL)
    rows = (*context.directories, *context.commands, *context.memories)
    return sorted((row for row in rows if row.scope in scopes), key=_cursor_of, reverse=True)


def _cursor_of(row: MemoryRow) -> str:
    """Return the position of a memory in the order, whatever is recorded meanwhile."""
    return f"{row.last_event}.{row.id}"


def _index_after(memories: Sequence[MemoryRow], cursor: str) -> int:
    event, dot, claim = cursor.partition(".")
    if not (dot and event and claim):
        raise RpcError(INVALID_PARAMS, "this cursor is none of ours; begin again without one")
    return next((index for index, memory in enumerate(memories) if _cursor_of(memory) < cursor), len(memories))


def _memory_resource(row: MemoryRow) -> Json:
    from tacit.text.display import harmless_line

    return {
        "uri": f"{_MEMORY_URI}{row.id}",
        "name": row.id,
        "title": harmless_line(row.sentence, 100),
        "description": f"{row.kind.label}, {row.at[:10]}",
        "mimeType": _MARKDOWN_TYPE,
    }


def _memory_text(vault: Vault, name: str) -> str | None:
    """Return a listed memory as Markdown, by its id or a prefix of it; None if there is none."""
    from tacit.model.ids import is_claim_prefix

    ids = (
        [entry.id for entry in _accepted_memories(vault) if entry.id.startswith(name)] if is_claim_prefix(name) else []
    )
    return _render_memory(vault.show(ids[0])) if len(ids) == 1 else None


def _render_memory(listed: ListedMemory) -> str:
    from tacit.model.claim import scope_label
    from tacit.text.display import fenced_lines, harmless_line

    memory = listed.memory
    lines = [
        f"# {harmless_line(memory.claim.sentence)}",
        "",
        f"- kind: {memory.kind.label}",
        f"- status: {memory.status.value}{', disputed' if listed.conflict else ''}",
        f"- scope: {harmless_line(scope_label(memory.claim.scope), 100)}",
        f"- first said: {memory.first_at.date().isoformat()}",
        f"- last said: {memory.last_at.date().isoformat()}",
        f"- observed: {memory.strength} times",
        *([f"- from the team: {harmless_line(memory.author, 200)}"] if memory.author else []),
        *(
            f"- evidence of {evidence.day.isoformat()}: {harmless_line(evidence.text, 500)}"
            for evidence in memory.evidence[-20:]
        ),
    ]
    return fenced_lines(lines)


# Sessions


def _session_resources(vault: Vault) -> list[Json]:
    from tacit.mcp.tools.sessions import recent_sessions

    return [
        {
            "uri": f"{_SESSION_URI}{row.id}",
            "name": row.id,
            "title": row.title,
            "description": f"session with {row.agent}, {row.at[:10]}",
            "mimeType": _MARKDOWN_TYPE,
        }
        for row in recent_sessions(vault, here=True, limit=_MAX_SESSIONS)
    ]


def _session_text(vault: Vault, name: str) -> str | None:
    from tacit.mcp.tools.sessions import session_page
    from tacit.model.ids import is_claim_prefix

    return session_page(vault, name) if is_claim_prefix(name) else None


# Prompts

# recap

_MAX_RECAP_SESSIONS = 8
_RECAP_REQUEST = """\
Tell me in a few sentences what was done here lately, what is open, and what you would do next. Rely on the records \
below; where they do not tell, say so."""


def run_recap(vault: Vault, _arguments: McpArguments) -> str:
    from tacit.mcp.tools.sessions import recent_sessions
    from tacit.text.display import fenced_lines

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


# remember

_REMEMBER_REQUEST = "Look back at this session, and propose what should be kept of it. If nothing should be, say so."


def run_remember(_vault: Vault, _arguments: McpArguments) -> str:
    from tacit.hosts.skill import GUIDANCE

    return f"{_REMEMBER_REQUEST}\n\n{GUIDANCE}"


REMEMBER = McpPrompt(
    name="remember",
    title="Remember",
    description="Let your agent propose what to keep of this session. You decide.",
    arguments=(),
    run=run_remember,
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
    from tacit.text.display import fenced_lines

    waiting = vault.pending.listing(limit=_MAX_SUGGESTIONS)
    if not waiting.total:
        return "Tell me that no suggestion waits for my decision."
    more = f"\n{waiting.total - _MAX_SUGGESTIONS} more wait: tacit review" if waiting.total > _MAX_SUGGESTIONS else ""
    return f"{_REVIEW_REQUEST}\n\n{fenced_lines(_suggestion_line(listed) for listed in waiting.entries)}{more}"


def _suggestion_line(listed: ListedMemory) -> str:
    from tacit.model.claim import scope_label
    from tacit.text.display import harmless_line
    from tacit.vault.listing import PROVENANCE_LABELS

    memory, counts = listed.memory, listed.counts
    seen = f"{counts.runs} runs in {counts.sessions} sessions" if counts else f"seen {memory.strength} times"
    marks = (
        memory.kind.label,
        harmless_line(scope_label(memory.claim.scope), 100),
        PROVENANCE_LABELS[memory.provenance],
        seen,
        *(["an agent's conclusion, no words of the person"] if listed.concluded_by else []),
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
    from tacit.mcp.tools.memories import NO_MEMORIES

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


PROMPTS: dict[str, McpPrompt] = {prompt.name: prompt for prompt in (START, RECAP, REMEMBER, REVIEW)}
