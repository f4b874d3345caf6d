"""Memories: search as one types, one with its evidence, history and relations, and those that contradict each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from starlette.responses import Response

from tacit.errors import UsageError
from tacit.index.reader import MemoryRow
from tacit.model.claim import GLOBAL, Kind, Status
from tacit.search.rank import COMMAND, PAGE_KINDS
from tacit.text.display import clip
from tacit.vault.evidence import describe_event, event_details
from tacit.vault.hits import Hit
from tacit.vault.search import LatestFilter
from tacit.web.charts import draw_graph
from tacit.web.rendering import MAX_NOTICE_CHARS, Notice, PageRequest, facet_label, page_count
from tacit.web.waiting import sorted_facet

# Search: answers of `recall`, and without a query the latest memories

_PAGE_SIZE = 50
_MAX_HITS = 20
_MAX_FILTERED_HITS = 200  # that are searched for those of one status
_TIMES = {"": "any time", "1d": "today", "7d": "7 days", "30d": "30 days", "365d": "a year"}
_STATUSES = {"": "current", "pending": "candidates", "retired": "forgotten", "dismissed": "dismissed", "all": "all"}
_MEMORY_KINDS = tuple(kind.label for kind in Kind)
_FILTER_NAMES = ("kind", "project", "since", "status", "source")


def search_page(call: PageRequest) -> Response:
    """Return the page, or only its results if `fragment` is set, for the script that fetches them."""
    query = call.value("q").strip()
    filters = {name: call.value(name) for name in _FILTER_NAMES}
    values: dict[str, object] = {"query_text": query, "filters": filters, "hits": None, "rows": (), "total": 0}
    if query:
        hits = _find_hits(call, query, filters)
        data = partial(call.as_json, "recall", hits)
        values["hits"] = hits
    else:
        wanted = _wanted(filters)
        page = call.number("page")
        rows, total = call.vault.search.latest_of(wanted, _PAGE_SIZE, (page - 1) * _PAGE_SIZE)
        data = partial(_listed_json, call, rows)
        checked = _tree_states(call, rows)
        values |= {
            "rows": rows,
            "states": checked,
            "total": total,
            "page_number": page,
            "page_count": page_count(total, _PAGE_SIZE),
        }
    if call.value("fragment"):
        return call.render("results.html", values)
    values |= {"choices": _choices(call, filters, None if query else call.vault.search.facets(_wanted(filters)))}
    return call.page("search.html", "Search", data, **values)


def _tree_states(call: PageRequest, rows: Sequence[MemoryRow]) -> dict[str, str]:
    """Return what the work tree says of the active ones among memories, by id: red or green."""
    checked = call.vault.conditions.check(row for row in rows if row.status is Status.ACTIVE)
    return {claim: one.state.value for claim, one in checked.items() if one.conditions}


def _listed_json(call: PageRequest, rows: Sequence[MemoryRow]) -> object:
    return call.as_json("list", call.vault.conditions.marked(call.vault.search.show(row.id) for row in rows))


def _wanted(filters: Mapping[str, str]) -> LatestFilter:
    """Return which memories are listed without a query."""
    status = {"": Status.ACTIVE, "all": None}.get(filters["status"], filters["status"])
    kinds = (filters["kind"],) if filters["kind"] else None
    return LatestFilter(status, kinds, filters["project"] or None, filters["source"] or None, filters["since"] or None)


def _choices(
    call: PageRequest, filters: Mapping[str, str], counts: Mapping[str, Mapping[str, int]] | None
) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """Return the fields to choose by, with their options: what a query can find, or what lists have, with numbers."""
    if counts is None:
        kinds = [(label, label.replace("_", " ")) for label in (*_MEMORY_KINDS, *PAGE_KINDS, COMMAND)]
        projects = [(name, name) for name in (*call.vault.search.projects(), GLOBAL)]
        statuses, more = [*_STATUSES.items()], []
    else:
        kinds, projects, sources = (_numbered(name, filters, counts[name]) for name in ("kind", "project", "source"))
        of_status = {**counts["status"], "": counts["status"].get("active", 0), "all": sum(counts["status"].values())}
        statuses = [(value, f"{label} ({of_status.get(value, 0):,})") for value, label in _STATUSES.items()]
        more = [("source", "Source", [("", "all"), *sources])]
    return [
        ("kind", "Kind", [("", "everything"), *kinds]),
        ("project", "Project", [("", "all"), *projects]),
        ("since", "When", [*_TIMES.items()]),
        ("status", "Status", statuses),
        *more,
    ]


def _numbered(name: str, filters: Mapping[str, str], counts: Mapping[str, int]) -> list[tuple[str, str]]:
    options = sorted_facet(name, filters[name], counts).options
    return [(value, f"{facet_label(value, name)} ({number:,})") for value, number in options]


def _find_hits(call: PageRequest, query: str, filters: Mapping[str, str]) -> list[Hit]:
    status, project = filters["status"], filters["project"]
    is_filtered = status not in ("", "all")
    hits = call.vault.search.recall(
        query,
        limit=_MAX_FILTERED_HITS if is_filtered else _MAX_HITS,
        kind=filters["kind"] or None,
        scope=project if project == GLOBAL else f"project:{project}" if project else "all",
        since=filters["since"] or None,
        everything=bool(status),
        observe=False,  # every keystroke would count as a question
    )
    return [hit for hit in hits if not is_filtered or hit.status == status][:_MAX_HITS]


# One memory


def memory_page(call: PageRequest) -> Response:
    vault = call.vault
    found, history = vault.search.why(call.parameters["reference"])
    (listed,) = vault.conditions.marked([found])
    memory = listed.memory
    quotes, report = vault.search.source_quotes(memory.id), vault.adherence.report(memory.id)
    trial = vault.trials.latest(memory.id)
    occurrences = vault.suggestions.occurrences(memory) if memory.source == "habit" else []
    return call.page(
        "memory.html",
        clip(memory.claim.sentence, 80),
        lambda: call.as_json("why", listed, history, occurrences, report, trial),
        listed=listed,
        memory=memory,
        history=[(entry, describe_event(entry), event_details(entry)) for entry in reversed(history)],
        quotes=quotes,
        graph=draw_graph(memory, vault.search.relations(memory.id), quotes),
        report=report,
        trial=trial,
        occurrences=occurrences,
        kinds=_MEMORY_KINDS,
    )


def change_memory(call: PageRequest) -> Response:
    """Edit, forget, restore, accept, dismiss or share a memory."""
    vault, reference, reason = call.vault, call.parameters["reference"], call.field("reason")
    match call.field("action"):
        case "edit":
            kind, tags = call.field("kind") or None, call.field("tags").replace(",", " ").split()
            verb, outcome = "Revised", vault.memories.edit(reference, text=call.field("text"), kind=kind, tags=tags)
        case "forget":
            verb, outcome = "Forgot", vault.memories.forget(reference, reason=reason)
        case "restore":
            verb, outcome = "Restored", vault.memories.restore(reference, reason=reason)
        case "accept":
            verb, outcome = "Accepted", vault.memories.accept(reference)
        case "dismiss":
            verb, outcome = "Dismissed for good", vault.memories.dismiss(reference, reason=reason)
        case "share":
            verb, outcome = "Shared", vault.memories.share(reference)
        case "unshare":
            verb, outcome = "Took out of the fact file", vault.memories.unshare(reference)
        case action:
            raise UsageError(f"there is no action {action!r}")
    notice = Notice(f"{verb}: {clip(outcome.memory.claim.sentence, MAX_NOTICE_CHARS)}", can_undo=True)
    return call.redirect(f"/memories/{outcome.memory.id}", notice)


# Contradictions

_MAX_CONFLICTS = 30


def conflicts_page(call: PageRequest) -> Response:
    queries = call.vault.search
    undecided, decided = (queries.conflicts(_MAX_CONFLICTS, decided=is_decided) for is_decided in (False, True))
    entries = {"undecided": [*undecided.entries], "decided": [*decided.entries]}
    shown, total = [*entries["undecided"], *entries["decided"]], undecided.total + decided.total
    return call.page(
        "conflicts.html",
        "Conflicts",
        lambda: call.as_json("conflicts", shown),
        **entries,
        total=total,
        rest=total - len(shown),
    )


def resolve_conflict(call: PageRequest) -> Response:
    """Keep one of two memories and forget the other, or keep both."""
    decisions, reference = call.vault.memories, call.field("id")
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
