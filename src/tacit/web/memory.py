"""Memories: one with its evidence, history and relations, and those that contradict each other."""

from __future__ import annotations

from starlette.responses import Response

from tacit.errors import UsageError
from tacit.model.claim import Kind
from tacit.text.display import clip
from tacit.vault.evidence import describe_event, event_details
from tacit.web.graph import draw_graph
from tacit.web.request import Notice, PageRequest

_MAX_NOTICE_CHARS = 160


def memory_page(call: PageRequest) -> Response:
    vault = call.vault
    listed, history = vault.why(call.parameters["reference"])
    memory = listed.memory
    relations = vault.queries.relations(memory.id)
    quotes = vault.queries.source_quotes(memory.id)
    return call.page(
        "memory.html",
        clip(memory.claim.sentence, 80),
        {
            "listed": listed,
            "memory": memory,
            "history": [(entry, describe_event(entry), event_details(entry)) for entry in reversed(history)],
            "quotes": quotes,
            "relations": relations,
            "graph": draw_graph(memory, relations, quotes),
            "report": vault.adherence.report(memory.id),
            "occurrences": vault.pending.occurrences(memory) if memory.source == "habit" else (),
            "kinds": [kind.label for kind in Kind],
        },
    )


def change_memory(call: PageRequest) -> Response:
    """Edit, forget, restore, accept, dismiss or share a memory."""
    vault, reference, reason = call.vault, call.parameters["reference"], call.field("reason")
    match call.field("action"):
        case "edit":
            tags = call.field("tags").replace(",", " ").split()
            verb, outcome = (
                "Revised",
                vault.edit(reference, text=call.field("text"), kind=call.field("kind") or None, tags=tags),
            )
        case "forget":
            verb, outcome = "Forgot", vault.forget(reference, reason=reason)
        case "restore":
            verb, outcome = "Restored", vault.decisions.restore(reference, reason=reason)
        case "accept":
            verb, outcome = "Accepted", vault.accept(reference)
        case "dismiss":
            verb, outcome = "Dismissed for good", vault.dismiss(reference, reason=reason)
        case "share":
            verb, outcome = "Shared", vault.share(reference)
        case "unshare":
            verb, outcome = "Took out of the fact file", vault.decisions.unshare(reference)
        case action:
            raise UsageError(f"there is no action {action!r}")
    notice = Notice(f"{verb}: {clip(outcome.memory.claim.sentence, _MAX_NOTICE_CHARS)}", can_undo=True)
    return call.redirect(f"/memories/{outcome.memory.id}", notice)


# Contradictions

_MAX_CONFLICTS = 30


def conflicts_page(call: PageRequest) -> Response:
    queries = call.vault.queries
    undecided, decided = (queries.conflicts(_MAX_CONFLICTS, decided=is_decided) for is_decided in (False, True))
    values = {"undecided": [*undecided.entries], "decided": [*decided.entries], "total": decided.total}
    return call.page("conflicts.html", "Conflicts", values)


def resolve_conflict(call: PageRequest) -> Response:
    """Keep one of two memories and forget the other, or keep both."""
    decisions, reference = call.vault.decisions, call.field("id")
    match call.field("action"):
        case "keep":
            kept, forgotten = decisions.keep_instead(reference)
            text = f"Kept: {clip(kept.claim.sentence, 120)}"
            hint = "; ".join(f"forgot: {clip(outcome.memory.claim.sentence, 80)}" for outcome in forgotten)
        case "keep_both":
            text, hint = f"Both hold: {clip(decisions.keep(reference).memory.claim.sentence, 120)}", ""
        case action:
            raise UsageError(f"there is no action {action!r}")
    return call.redirect("/conflicts", Notice(text, can_undo=True, hint=hint))
