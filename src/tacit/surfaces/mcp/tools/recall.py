"""recall: a question to memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.surfaces.mcp.schema import Field, Given
from tacit.surfaces.mcp.tool import KINDS, Told, Tool

if TYPE_CHECKING:
    from tacit.vault.hits import Hit
    from tacit.vault.vault import Vault

_MOST = 50
_ANSWER = 400  # characters of what a turn came to
_LONGEST = 4096  # characters of a question that are looked at


def run(vault: Vault, given: Given) -> Told:
    from tacit.surfaces.mcp.fence import fenced

    hits = vault.recall(
        given.text("query")[:_LONGEST],
        limit=given.number("limit", 10),
        kind=given.text_or_none("kind"),
        scope=given.text_or_none("scope"),
        since=given.text_or_none("since"),
    )
    if not hits:
        return Told("Nothing is remembered about this.", {"answers": []})
    return Told(fenced(_line(hit) for hit in hits), {"answers": [_values(hit) for hit in hits]})


def _line(hit: Hit) -> str:
    from tacit.surfaces.mcp.fence import harmless
    from tacit.vault.hits import scope_label

    said = hit.said
    marks = [hit.kind, harmless(scope_label(hit.scope), 100), hit.at[:10]]
    if hit.conflict:
        marks.append("disputed")
    if said is None or hit.kind != "session":
        where = _ran(hit) if hit.kind == "command" else f" ({hit.short})"
        return f"- [{', '.join(marks)}] {harmless(hit.text)}{where}"
    marks.append(f"said by {harmless(said.speaker, 64) or 'the person'}")
    then = f" … {harmless(said.answer, _ANSWER)}" if said.answer else ""
    later = f" Later, in turn {said.later_turn}: {harmless(said.later, _ANSWER)}" if said.later else ""
    return f"- [{', '.join(marks)}] {harmless(hit.passage)}{then} (session {said.short}, turn {said.turn}){later}"


def _ran(hit: Hit) -> str:
    from tacit.surfaces.mcp.fence import harmless

    ended = "outcome unknown" if hit.exit_status is None else "failed" if hit.exit_status else "went well"
    return f" (in {harmless(hit.directory, 200) or 'an unknown folder'}, {ended})"


def _values(hit: Hit) -> dict[str, object]:
    from tacit.surfaces.mcp.fence import harmless
    from tacit.vault.hits import scope_label

    said = hit.said
    values: dict[str, object] = {
        "id": hit.short,
        "kind": hit.kind,
        "status": hit.status,
        "scope": harmless(scope_label(hit.scope), 100),
        "text": harmless(hit.text),
        "passage": harmless(hit.passage),
        "at": hit.at,
        "relevance": hit.relevance,
        "path": hit.path,
        "line": hit.line,
    }
    if said is not None:
        values |= {"speaker": harmless(said.speaker, 64) or "you", "session": said.session, "turn": said.turn}
        values |= {"answer": harmless(said.answer, _ANSWER)} if said.answer else {}
        if said.later:
            values |= {"later": harmless(said.later, _ANSWER), "later_turn": said.later_turn}
    if hit.kind == "command":
        values |= {"directory": harmless(hit.directory, 400)}
        values |= {} if hit.exit_status is None else {"exit_status": hit.exit_status}
    return values


ANSWER = (
    Field("id", "string", "the short id of a memory or session; of another record, its event", required=True),
    Field("kind", "string", "what kind of memory or record it is", required=True),
    Field("status", "string", "active: a memory the person accepted; recorded: a record", required=True),
    Field("scope", "string", "global, or the project it holds in", required=True),
    Field("text", "string", "what is remembered; of a session, what was asked in that turn", required=True),
    Field("passage", "string", "what answers: of a session, the lines that match", required=True),
    Field("at", "string", "when it was said last, UTC", required=True),
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
RECALL = Tool(
    name="recall",
    title="Search memory",
    description=(
        "Search what the person and earlier sessions left: rules, decisions, fixes, preferences, the worklog, what was "
        "said in sessions, commands that agents ran. Use it before you decide or build something that may have been "
        "decided or built before, and when the person refers to an earlier time. Any words are a query; a few telling "
        "ones are best. In a project you see its memories and the global ones. open_session shows more around the "
        "passage of a session. Candidates that nobody has accepted are not among the answers."
    ),
    takes=(
        Field("query", "string", "the words to look for", required=True),
        Field("limit", "integer", f"at most so many answers, 1 to {_MOST} (default 10)", least=1, most=_MOST),
        Field("kind", "string", "only this kind", choices=(*KINDS, "worklog", "evaluation", "session", "command")),
        Field("scope", "string", "this project only, global only, or all projects", choices=("local", "global", "all")),
        Field("since", "string", "only what was said since: 7d, 2 weeks ago, 2026-11-15"),
    ),
    gives=(Field("answers", "array", "the answers, the best first", required=True, each=ANSWER),),
    run=run,
    reads=True,
)
