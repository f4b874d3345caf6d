"""Resources and prompts: the brief, sessions and accepted memories, and what a person can start their agent with."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tacit.mcp import tools
from tacit.mcp.protocol import INVALID_PARAMS, RESOURCE_NOT_FOUND, Json, RpcError
from tacit.mcp.tools import NO_MEMORIES, ClientContext, McpArguments, load_catalog, recent_sessions, session_page
from tacit.text.display import fenced_lines, harmless_line

TYPE_CHECKING = False

if TYPE_CHECKING:
    from tacit.index.reader import MemoryRow
    from tacit.mcp.tools import Property
    from tacit.vault import Vault
    from tacit.vault.listing import ListedMemory

PAGE_SIZE = 50
_MEMORY_URI, _BRIEF_URI, _SESSION_URI = "tacit://memory/", "tacit://brief", "tacit://session/"
_MAX_SESSIONS = 10
_MARKDOWN_TYPE, _TEXT_TYPE = "text/markdown", "text/plain"
_BRIEF_RESOURCE: Json = {
    "uri": _BRIEF_URI,
    "name": "brief",
    "title": "Brief",
    "description": "The few memories an agent should know here.",
    "mimeType": _TEXT_TYPE,
}


def resource_page(vault: Vault, cursor: str | None) -> Json:
    """Return the brief, the latest sessions, then memories, newest first, as `resources/list` does.

    A cursor is the last memory of a page.
    """
    memories = _accepted_memories(vault)
    resources: list[Json] = []
    if cursor is None:
        resources = [_BRIEF_RESOURCE]
        for session in recent_sessions(vault, here=True, limit=_MAX_SESSIONS):
            about = f"session with {session.agent}, {session.at[:10]}"
            resources.append(_page_resource(_SESSION_URI, session.id, session.title, about))
    elif all(cursor.partition(".")):
        memories = [memory for memory in memories if _cursor_of(memory) < cursor]
    else:
        raise RpcError(INVALID_PARAMS, "this cursor is none of ours; begin again without one")
    for row in memories[:PAGE_SIZE]:
        title = harmless_line(row.sentence, 100)
        resources.append(_page_resource(_MEMORY_URI, row.id, title, f"{row.kind.label}, {row.said_at[:10]}"))
    following = {"nextCursor": _cursor_of(memories[PAGE_SIZE - 1])} if len(memories) > PAGE_SIZE else {}
    return {"resources": resources, **following}


def _page_resource(kind: str, name: str, title: str, description: str) -> Json:
    uri = f"{kind}{name}"
    return {"uri": uri, "name": name, "title": title, "description": description, "mimeType": _MARKDOWN_TYPE}


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


def resource_content(vault: Vault, uri: str) -> Json:
    """Return the content of a resource. Raise RpcError if it does not exist."""
    from tacit.model.ids import is_claim_prefix

    if uri == _BRIEF_URI:
        return {"uri": uri, "mimeType": _TEXT_TYPE, "text": vault.brief().text or NO_MEMORIES}
    text = None
    if uri.startswith(_MEMORY_URI) and is_claim_prefix(name := uri.removeprefix(_MEMORY_URI)):
        ids = [memory.id for memory in _accepted_memories(vault) if memory.id.startswith(name)]
        text = _render_memory(vault.search.show(ids[0])) if len(ids) == 1 else None
    elif uri.startswith(_SESSION_URI) and is_claim_prefix(name := uri.removeprefix(_SESSION_URI)):
        text = session_page(vault, name)
    if text is None:
        raise RpcError(RESOURCE_NOT_FOUND, "there is no such resource", {"uri": uri[:200]})
    return {"uri": uri, "mimeType": _MARKDOWN_TYPE, "text": text}


def _render_memory(listed: ListedMemory) -> str:
    from tacit.model.claim import scope_label

    memory = listed.memory
    lines = [
        f"# {harmless_line(memory.claim.sentence)}",
        "",
        f"- kind: {memory.kind.label}",
        f"- status: {memory.status.value}{', disputed' if listed.conflict else ''}",
        f"- scope: {harmless_line(scope_label(memory.claim.scope), 100)}",
        f"- last said: {memory.said_at.date().isoformat()}",
        f"- recorded: {memory.first_at.date().isoformat()}",
        f"- observed: {memory.strength} times",
        *([f"- from the team: {harmless_line(memory.author, 200)}"] if memory.author else []),
        *(f"- evidence of {row.day.isoformat()}: {harmless_line(row.text, 500)}" for row in memory.evidence[-20:]),
    ]
    return fenced_lines(lines)


# Prompts

_MAX_TASK_CHARS = 2000
_MAX_RECAP_SESSIONS = 8
_MAX_SUGGESTIONS = 20
_RECAP_REQUEST = """\
Tell me in a few sentences what was done here lately, what is open, and what you would do next. Rely on the records \
below; where they do not tell, say so."""
_REMEMBER_REQUEST = "Look back at this session, and propose what should be kept of it. If nothing should be, say so."
_REVIEW_REQUEST = """\
Walk me through the suggestions below, one at a time. For each, tell me in a sentence what it says, where it comes \
from and how often it was seen, and what you think of it: is it true, is it useful, is it said well? Then wait for my \
answer.
I decide, in my own terminal: tacit accept ID makes it hold, tacit dismiss ID turns it down for good, tacit edit ID \
--text '…' changes the words, and tacit review does all of that card by card. Show me the command with the id filled \
in. Do not run it yourself, and do not act on a suggestion that I have not accepted."""


def render_prompt(name: str, arguments: Mapping[str, object], caller: ClientContext) -> Json:
    """Return a prompt as `prompts/get` does. Raise KeyError if there is none of this name."""
    run = PROMPTS[name]
    prompt = next(prompt for prompt in load_catalog()["prompts"] if prompt["name"] == name)
    fields = prompt.get("arguments", [])
    properties: dict[str, Property] = {
        field["name"]: {"type": "string", "description": field["description"]} for field in fields
    }
    checked = tools.check_arguments(properties, [field["name"] for field in fields if field["required"]], arguments)
    with caller.open_vault() as vault:
        text = run(vault, checked)
    message: Json = {"role": "user", "content": {"type": "text", "text": text}}
    return {"description": prompt["description"], "messages": [message]}


def run_start(vault: Vault, arguments: McpArguments) -> str:
    task = arguments.text("task")[:_MAX_TASK_CHARS].strip()
    brief = vault.brief(task=task).text.rstrip("\n") or NO_MEMORIES
    return f"{task}\n\nBefore you begin, read what is remembered here, and keep to the constraints in it:\n\n{brief}"


def run_recap(vault: Vault, _arguments: McpArguments) -> str:
    rows = recent_sessions(vault, here=True, limit=_MAX_RECAP_SESSIONS)
    if not rows:
        return "Tell me that no earlier session is recorded here, and look with recall for entries of the worklog."
    return f"{_RECAP_REQUEST}\n\n{fenced_lines(row.line for row in rows)}"


def run_remember(_vault: Vault, _arguments: McpArguments) -> str:
    from tacit.hosts.skill import GUIDANCE

    return f"{_REMEMBER_REQUEST}\n\n{GUIDANCE}"


def run_review(vault: Vault, _arguments: McpArguments) -> str:
    waiting = vault.suggestions.listing(limit=_MAX_SUGGESTIONS)
    if not waiting.total:
        return "Tell me that no suggestion waits for my decision."
    more = f"\n{waiting.total - _MAX_SUGGESTIONS} more wait: tacit review" if waiting.total > _MAX_SUGGESTIONS else ""
    return f"{_REVIEW_REQUEST}\n\n{fenced_lines(_suggestion_line(listed) for listed in waiting.entries)}{more}"


def _suggestion_line(listed: ListedMemory) -> str:
    from tacit.model.claim import scope_label
    from tacit.vault.listing import PROVENANCE_LABELS

    memory, counts = listed.memory, listed.counts
    marks = [
        memory.kind.label,
        harmless_line(scope_label(memory.claim.scope), 100),
        PROVENANCE_LABELS[memory.provenance],
        f"{counts.runs} runs in {counts.sessions} sessions" if counts else f"seen {memory.strength} times",
        *(["an agent's conclusion, no words of the person"] if listed.concluded_by else []),
    ]
    evidence = "; ".join(harmless_line(row.text, 200) for row in memory.evidence[:3])
    shown = f" (evidence: {evidence})" if evidence else ""
    return f"- {listed.short} [{', '.join(marks)}] {harmless_line(memory.claim.sentence, 300)}{shown}"


PROMPTS: dict[str, Callable[[Vault, McpArguments], str]] = {
    "start": run_start,
    "recap": run_recap,
    "remember": run_remember,
    "review": run_review,
}
