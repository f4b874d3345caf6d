"""tacit recall."""

from __future__ import annotations

from tacit.core.errors import WrongUse
from tacit.core.text import show
from tacit.surfaces.cli.command import JSON, Call, Command, Option
from tacit.surfaces.cli.words import STATUS_WORDS, say, say_json
from tacit.vault.reading import Hit


def run(call: Call) -> int:
    hits = _hits(call)
    if call.flag("--json"):
        say_json([hit._asdict() for hit in hits])
    else:
        say(f"Recall Results ({len(hits)})")
        for hit in hits:
            say(hit_lines(hit))
            if call.flag("--explain"):
                say(f"    why: {show(hit.why)}")
        if not hits:
            say("- No matches.")
    return 0 if hits else 1


def _hits(call: Call) -> list[Hit]:
    if like := call.value("--like"):
        if call.words or call.value("--query"):
            raise WrongUse("--like takes an id and no query", f"tacit recall --like {like}")
        return call.questions.recall_like(like, limit=call.number("--limit"))
    return call.questions.recall(
        _query(call),
        limit=call.number("--limit"),
        kind=call.value("--kind"),
        scope=call.value("--scope"),
        since=call.value("--since"),
        as_of=call.value("--as-of"),
        everything=call.flag("--all"),
    )


def _query(call: Call) -> str:
    """Any text is a query, also an empty one; only no text at all is a mistake."""
    given = call.value("--query")
    return call.text() if given is None and not call.words else " ".join([*([given] if given else []), *call.words])


def hit_lines(hit: Hit) -> str:
    marks = [hit.kind, STATUS_WORDS.get(hit.status, hit.status), show(hit.scope), hit.at[:10]]
    if hit.conflict:
        marks.append("conflict")
    if hit.overruled_by:
        marks.append(f"overruled by {hit.overruled_by}")
    name = f"[{hit.id}] " if hit.id else ""
    return f"- {name}{show(hit.text)}\n    {', '.join(marks)}\n    {show(hit.path)}:{hit.line}"


COMMAND = Command(
    name="recall",
    words="QUERY",
    help=(
        "Search memories, candidates, sessions, the worklog and evaluations. Any text is a query; words are enough.\n"
        "In a project you see its memories and the global ones, elsewhere all. Exit code 1 when nothing matches."
    ),
    example='tacit recall "implementation work"',
    run=run,
    options=(
        Option("--query", "TEXT", "the query, where it cannot be given as words"),
        Option("--limit", "N", "at most so many answers (default 10)"),
        Option("--kind", "KIND", "only this kind: constraint, rule, …, worklog, evaluation, session"),
        Option("--scope", "SCOPE", "local, global or all"),
        Option("--since", "TIME", "only what was said since, for example 7d or 2026-11-15"),
        Option("--as-of", "TIME", "as memory was then, for example yesterday"),
        Option("--all", help="also what was forgotten, dismissed or overruled"),
        Option("--like", "ID", "more like this memory, instead of a query"),
        Option("--explain", help="what matched, and what it weighed"),
        JSON,
    ),
    any_words=True,
)
