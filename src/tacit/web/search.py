"""Search: answers of `recall` as one types, and without a query the latest memories."""

from __future__ import annotations

from starlette.responses import Response

from tacit.model.claim import Kind, Status
from tacit.search.rank import COMMAND, PAGE_KINDS
from tacit.vault.hits import Hit
from tacit.web.request import PageRequest

_PAGE_SIZE = 50
_MAX_HITS = 20
_MAX_FILTERED_HITS = 200  # that are searched for those of one status
_TIMES = {"": "any time", "1d": "today", "7d": "7 days", "30d": "30 days", "365d": "a year"}
_STATUSES = {"": "current", "pending": "candidates", "retired": "forgotten", "dismissed": "dismissed", "all": "all"}
_MEMORY_KINDS = tuple(kind.label for kind in Kind)
_FILTER_NAMES = ("kind", "project", "since", "status")


def search_page(call: PageRequest) -> Response:
    """Return the page, or only its results if `fragment` is set, for the script that fetches them."""
    query = call.value("q").strip()
    filters = {name: call.value(name) for name in _FILTER_NAMES}
    values: dict[str, object] = {"query_text": query, "filters": filters, "hits": None, "rows": (), "total": 0}
    if query:
        values["hits"] = _find_hits(call, query, filters)
    else:
        values |= _latest_memories(call, filters)
    if call.value("fragment"):
        return call.render("results.html", values)
    return call.page(
        "search.html",
        "Search",
        {
            **values,
            "kind_options": [(label, label.replace("_", " ")) for label in (*_MEMORY_KINDS, *PAGE_KINDS, COMMAND)],
            "project_options": [(name, name) for name in call.vault.queries.projects()],
            "times": _TIMES,
            "statuses": _STATUSES,
        },
    )


def _find_hits(call: PageRequest, query: str, filters: dict[str, str]) -> list[Hit]:
    status = filters["status"]
    is_filtered = status not in ("", "all")
    hits = call.vault.recall(
        query,
        limit=_MAX_FILTERED_HITS if is_filtered else _MAX_HITS,
        kind=filters["kind"] or None,
        scope=f"project:{filters['project']}" if filters["project"] else "all",
        since=filters["since"] or None,
        everything=bool(status),
        observe=False,  # every keystroke would count as a question
    )
    return [hit for hit in hits if not is_filtered or hit.status == status][:_MAX_HITS]


def _latest_memories(call: PageRequest, filters: dict[str, str]) -> dict[str, object]:
    status, page = filters["status"], call.number("page")
    rows, total = call.vault.queries.latest(
        status=None if status == "all" else status if status in _STATUSES and status else Status.ACTIVE,
        kinds=[filters["kind"]] if filters["kind"] in _MEMORY_KINDS else None,
        project=filters["project"] or None,
        limit=_PAGE_SIZE,
        offset=(page - 1) * _PAGE_SIZE,
    )
    return {
        "rows": rows,
        "total": total,
        "page_number": page,
        "page_count": max((total - 1) // _PAGE_SIZE + 1, 1),
    }
