"""Tools that read memories: brief, recall and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.mcp.schema import KINDS, Field, McpArguments, McpResult, McpTool
from tacit.text.display import fenced_lines, harmless_line

if TYPE_CHECKING:
    from tacit.model.claim import Scope
    from tacit.vault.evidence import MemoryEvent
    from tacit.vault.hits import Hit
    from tacit.vault.vault import Vault

NO_MEMORIES = "Nothing is remembered here yet."
_MAX_RECALL_LIMIT = 50
_MAX_ANSWER_CHARS = 400
_MAX_QUERY_CHARS = 4096
_MAX_EVENTS = 40  # of a history, the latest


# brief


def run_brief(vault: Vault, arguments: McpArguments) -> McpResult:
    brief = vault.brief(task=arguments.text("task")[:4096], tags=arguments.texts("tags")[:20])
    entries = [
        {"id": memory.id, "kind": memory.kind.label, "text": harmless_line(memory.sentence), "at": memory.at}
        for memory in brief.entries
    ]
    return McpResult(brief.text.rstrip("\n") or NO_MEMORIES, {"entries": entries})


ENTRY_FIELDS = (
    Field("id", "string", "the id of the memory", required=True),
    Field("kind", "string", "what kind of memory it is", required=True),
    Field("text", "string", "what it says", required=True),
    Field("at", "string", "when it was said last, UTC", required=True),
)
BRIEF = McpTool(
    name="brief",
    title="What to know before a task",
    description=(
        "At most seven memories that matter here: first the person's standing rules, which apply to all work, then "
        "notes, chosen for the task when you name it. All of them were accepted by the person. Call it once at the "
        "beginning of a task, unless a brief is in your context already."
    ),
    arguments=(
        Field("task", "string", "what the work is about, in a sentence"),
        Field("tags", "array", "prefer memories with these tags"),
    ),
    output=(Field("entries", "array", "the memories in the order to read them", required=True, items=ENTRY_FIELDS),),
    run=run_brief,
    read_only=True,
)


# recall


def run_recall(vault: Vault, arguments: McpArguments) -> McpResult:
    hits = vault.recall(
        arguments.text("query")[:_MAX_QUERY_CHARS],
        limit=arguments.number("limit", 10),
        kind=arguments.text_or_none("kind"),
        scope=arguments.text_or_none("scope"),
        since=arguments.text_or_none("since"),
    )
    if not hits:
        return McpResult("Nothing is remembered about this.", {"answers": []})
    return McpResult(fenced_lines(_hit_line(hit) for hit in hits), {"answers": [_hit_values(hit) for hit in hits]})


def _hit_line(hit: Hit) -> str:
    quote = hit.quote
    marks = [hit.kind, _scope_text(hit.scope), *([hit.at[:10]] if hit.at else [])]
    if hit.conflict:
        marks.append("disputed")
    if quote is None or hit.kind != "session":
        where = _command_suffix(hit) if hit.kind == "command" else f" ({hit.short})"
        return f"- [{', '.join(marks)}] {harmless_line(hit.text)}{where}"
    marks.append(f"said by {harmless_line(quote.speaker, 64) or 'the person'}")
    answer = f" … {harmless_line(quote.answer, _MAX_ANSWER_CHARS)}" if quote.answer else ""
    later = (
        f" Later, in turn {quote.later_turn}: {harmless_line(quote.later, _MAX_ANSWER_CHARS)}" if quote.later else ""
    )
    return (
        f"- [{', '.join(marks)}] {harmless_line(hit.passage)}{answer} (session {quote.short}, turn {quote.turn}){later}"
    )


def _command_suffix(hit: Hit) -> str:
    ended = "outcome unknown" if hit.exit_status is None else "failed" if hit.exit_status else "went well"
    return f" (in {harmless_line(hit.directory, 200) or 'an unknown folder'}, {ended})"


def _hit_values(hit: Hit) -> dict[str, object]:
    quote = hit.quote
    values: dict[str, object] = {
        "id": hit.short,
        "kind": hit.kind,
        "status": hit.status,
        "scope": _scope_text(hit.scope),
        "text": harmless_line(hit.text),
        "passage": harmless_line(hit.passage),
        "at": hit.at,
        "relevance": hit.relevance,
        "path": hit.path,
        "line": hit.line,
    }
    if quote is not None:
        values |= {"speaker": harmless_line(quote.speaker, 64) or "you", "session": quote.session, "turn": quote.turn}
        values |= {"answer": harmless_line(quote.answer, _MAX_ANSWER_CHARS)} if quote.answer else {}
        if quote.later:
            values |= {"later": harmless_line(quote.later, _MAX_ANSWER_CHARS), "later_turn": quote.later_turn}
    if hit.kind == "command":
        values |= {"directory": harmless_line(hit.directory, 400)}
        values |= {} if hit.exit_status is None else {"exit_status": hit.exit_status}
    return values


ANSWER_FIELDS = (
    Field("id", "string", "the short id of a memory or session; of another record, its event", required=True),
    Field("kind", "string", "what kind of memory or record it is", required=True),
    Field("status", "string", "active: a memory the person accepted; recorded: a record", required=True),
    Field("scope", "string", "global, or the project it holds in", required=True),
    Field("text", "string", "what is remembered; of a session, what was asked in that turn", required=True),
    Field("passage", "string", "what answers: of a session, the lines that match", required=True),
    Field("at", "string", "when it was said last, UTC; empty if that is not known", required=True),
    Field("relevance", "number", "how well it fits, from 0 to 1", required=True),
    Field("path", "string", "the file in which it stands", required=True),
    Field("line", "integer", "the line of that file", required=True),
    Field("speaker", "string", "who said the passage: an agent, or you for the person"),
    Field("session", "string", "the id of the session it was said in, for open_session"),
    Field("turn", "integer", "the turn of that session, for open_session"),
    Field("answer", "string", "what the turn came to, where the passage does not tell"),
    Field("later", "string", "what a later turn of the session came to say of the same; it may overrule the passage"),
    Field("later_turn", "integer", "that turn, for open_session"),
    Field("directory", "string", "of a command: where it ran"),
    Field("exit_status", "integer", "of a command: its exit status, -2 where it failed with an unknown one"),
)
RECALL = McpTool(
    name="recall",
    title="Search memory",
    description=(
        "Search what the person and earlier sessions left: rules, decisions, fixes, preferences, the worklog, what was "
        "said in sessions, commands that agents ran. Use it before you decide or build something that may have been "
        "decided or built before, and when the person refers to an earlier time. Any words are a query; a few telling "
        "ones are best. In a project you see its memories and the global ones. open_session shows more around the "
        "passage of a session. Candidates that nobody has accepted are not among the answers."
    ),
    arguments=(
        Field("query", "string", "the words to look for", required=True),
        Field(
            "limit",
            "integer",
            f"at most so many answers, 1 to {_MAX_RECALL_LIMIT} (default 10)",
            minimum=1,
            maximum=_MAX_RECALL_LIMIT,
        ),
        Field("kind", "string", "only this kind", choices=(*KINDS, "worklog", "evaluation", "session", "command")),
        Field("scope", "string", "this project only, global only, or all projects", choices=("local", "global", "all")),
        Field("since", "string", "only what was said since: 7d, 2 weeks ago, 2026-11-15"),
    ),
    output=(Field("answers", "array", "the answers, the best first", required=True, items=ANSWER_FIELDS),),
    run=run_recall,
    read_only=True,
)


# why


def run_why(vault: Vault, arguments: McpArguments) -> McpResult:
    listed, reasons = vault.why(arguments.text("id")[:400])
    events = [_event_values(reason) for reason in reasons[-_MAX_EVENTS:]]
    memory = listed.memory
    author = f", from the team: {harmless_line(memory.author, 200)}" if memory.author else ""
    about = f"{memory.kind.label}, {memory.status.value}{author}"
    head = f"[{listed.short}] {harmless_line(memory.claim.sentence)} ({about})"
    values: dict[str, object] = {
        "id": listed.short,
        "text": harmless_line(memory.claim.sentence),
        "kind": memory.kind.label,
        "status": memory.status.value,
        "scope": _scope_text(listed.memory.claim.scope),
        "confidence": memory.confidence,
        "observations": memory.strength,
        "events": events,
    }
    return McpResult(fenced_lines([head, *(_event_line(event) for event in events)]), values)


def _event_values(reason: MemoryEvent) -> dict[str, str]:
    from tacit.vault.evidence import describe_event, event_details

    description = describe_event(reason) + (", undone" if reason.undone else "")
    details = {label: harmless_line(text, 500) for label, text in event_details(reason)}
    origin = reason.event.origin
    return {
        "at": origin.at.isoformat(),
        "actor": harmless_line(origin.actor, 64),
        "what": harmless_line(description, 100),
        **details,
    }


def _event_line(event: dict[str, str]) -> str:
    more = "; ".join(f"{label}: {event[label]}" for label in ("instead", "evidence", "reason") if label in event)
    return f"- {event['at'][:16]} {event['actor']}: {event['what']}" + (f"; {more}" if more else "")


EVENT_FIELDS = (
    Field("at", "string", "when, UTC", required=True),
    Field("actor", "string", "who said it: user, or an agent", required=True),
    Field("what", "string", "what was said: proposed, accepted, forgotten, …", required=True),
    Field("evidence", "string", "the evidence that was given"),
    Field("reason", "string", "the reason that was given"),
    Field("instead", "string", "the sentence that took its place"),
)
WHY = McpTool(
    name="why",
    title="Why something is remembered",
    description=(
        "The history of one memory: who said it when, with which evidence, and who accepted it. Use it before you rely "
        "on a memory that surprises you, that seems outdated, or that contradicts what you see."
    ),
    arguments=(Field("id", "string", "the id of a memory, as brief and recall give it", required=True),),
    output=(
        Field("id", "string", "the short id", required=True),
        Field("text", "string", "what it says", required=True),
        Field("kind", "string", "what kind of memory it is", required=True),
        Field("status", "string", "pending, active, dismissed or retired", required=True),
        Field("scope", "string", "global, or the project it holds in", required=True),
        Field("confidence", "number", "from 0 to 1", required=True),
        Field("observations", "integer", "how often it was observed", required=True),
        Field("events", "array", "its history, the oldest first", required=True, items=EVENT_FIELDS),
    ),
    run=run_why,
    read_only=True,
)


def _scope_text(scope: Scope) -> str:
    from tacit.model.claim import scope_label

    return harmless_line(scope_label(scope), 100)
