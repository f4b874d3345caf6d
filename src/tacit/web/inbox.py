"""The inbox: cards to decide on, one at a time or many at once, and undo."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from starlette.responses import Response

from tacit.errors import TacitError, UsageError
from tacit.index.reader import MemoryRow
from tacit.model.claim import Kind, is_project_scope
from tacit.text.display import clip
from tacit.vault.hits import SessionQuote
from tacit.vault.memories import DecisionOutcome
from tacit.web.home import week_lines
from tacit.web.rendering import MAX_NOTICE_CHARS, Notice, PageRequest, count_text, page_count
from tacit.web.waiting import FACETS, InboxItem, count_facets, matching

_PAGE_SIZE = 40
_MAX_SIMILAR = 5
_MAX_QUOTES = 4
_MAX_LISTED = 8  # candidates that are shown before many are decided on


def inbox_page(call: PageRequest) -> Response:
    filters = {name: call.value(name) for name in FACETS}
    items = matching(call.inbox.items, filters)
    wanted = call.value("card")
    position = next((at for at, item in enumerate(items) if item.id == wanted), None)
    first = (position // _PAGE_SIZE if position is not None else call.number("page") - 1) * _PAGE_SIZE
    shown = [_with_details(call, item) for item in items[first : first + _PAGE_SIZE]]
    selected = next((item for item in shown if item.id == wanted), shown[0] if shown else None)
    position = first if position is None else position
    quotes: list[SessionQuote] = []  # the passages that a card was learned from
    similar: list[MemoryRow] = []  # memories to merge it with
    if selected is not None and (card := selected.card) is not None:
        quotes = [quote for claim in card.ids for quote in call.vault.search.source_quotes(claim, limit=_MAX_QUOTES)][
            :_MAX_QUOTES
        ]
        rows = call.review.similar(card.candidates[0].memory, _MAX_SIMILAR + len(card.ids))
        by_id = {row.id: row for row in (*card.merged.may_be_same, *rows) if row.id not in card.ids}
        similar = list(by_id.values())[:_MAX_SIMILAR]
    # What to show after this one is decided: the next, or at the end the one before.
    rest = [*items[position + 1 : position + 2], *items[max(position - 1, 0) : position]]
    return call.page(
        "inbox.html",
        "Inbox",
        lambda: call.as_json("review", [item.asked for item in map(partial(_with_details, call), items)]),
        items=shown,
        total=f"{len(items):,}" if any(filters.values()) else call.inbox.size,
        has_more=call.inbox.has_more,
        candidates=sum(len(item.card.candidates) for item in items if item.card),
        selected=selected,
        skipped=call.visit.skipped,
        quotes=quotes,
        similar=similar,
        week=week_lines(call),
        is_chosen=bool(wanted),
        is_gone=bool(wanted) and selected is not None and selected.id != wanted,
        following=rest[0].id if rest else "",
        page_number=first // _PAGE_SIZE + 1,
        page_count=page_count(len(items), _PAGE_SIZE),
        filters=filters,
        facets=count_facets(call.inbox.items, filters),
        undecided=call.undecided,
    )


def _with_details(call: PageRequest, item: InboxItem) -> InboxItem:
    """Return a row whose card has reasons and the memories that it contradicts."""
    return item._replace(card=call.review.detailed(item.card)) if item.card else item


# Decisions


def decide_card(call: PageRequest) -> Response:
    """Do what a button of a card stands for, for all candidates of the card, and show the next card."""
    ids, action = call.fields("id"), call.field("action")
    if not ids:
        raise UsageError("no card was chosen")
    notice = _decide_active(call, ids[0], action) or _decide_candidates(call, ids, action)
    notice = notice._replace(back=call.field("back"))
    return _show_next(call, notice)


def _show_next(call: PageRequest, notice: Notice | None = None) -> Response:
    """Return to the card that the form names, with its filters."""
    filters = {name: call.field(name) for name in FACETS}
    return call.redirect("/", notice, {"card": call.field("next"), **filters})


def skip_card(call: PageRequest) -> Response:
    """Put a card at the end of the inbox until the server stops, and show the next. Nothing is recorded."""
    for card in call.fields("id")[:1]:
        call.visit.skip(card)
    return _show_next(call)


def _decide_candidates(call: PageRequest, ids: Sequence[str], action: str) -> Notice:
    """Do it, and return what was done. A candidate that was decided elsewhere meanwhile is refused."""
    decisions, hint = call.vault.memories, ""
    call.review.require_pending(ids)
    match action:
        case "accept":
            verb, outcomes = "Accepted", decisions.accept_all(ids)
            hint = _make_workflow(call, outcomes[0]) if len(outcomes) == 1 else ""
        case "accept_globally":
            verb, outcomes = "Accepted for all projects", decisions.accept_globally(ids)
        case "dismiss":
            verb, outcomes = "Dismissed for good", decisions.dismiss_all(ids, reason=call.field("reason"))
        case "edit":
            verb, outcomes = "Revised and accepted", decisions.edit_all(ids, text=call.field("text"), accept=True)
        case "merge":
            into = call.field("into_other").strip() or call.field("into")
            if not into:
                raise UsageError("choose the memory to merge it into")
            verb, outcomes = "Merged into", [decisions.merge(ids, into)]
        case _:
            raise UsageError(f"there is no action {action!r}")
    return _outcome_notice(verb, outcomes, hint)


def _decide_active(call: PageRequest, claim: str, action: str) -> Notice | None:
    """Decide on a memory that was not followed, or is not true of the work tree. None for an action on candidates."""
    decisions, reason = call.vault.memories, call.field("reason")
    match action:
        case "reword":
            verb, outcome = "Reworded", decisions.edit(claim, text=call.field("text"))
        case "forget":
            verb, outcome = "Forgot", decisions.forget(claim, reason=reason)
        case "forget_outdated":
            verb, outcome = "Forgot", decisions.forget(claim, reason="not true of the work tree")
        case "keep":
            verb, outcome = "Kept", decisions.keep(claim, reason=f"kept although {reason}")
        case "keep_tried":
            verb, outcome = "Kept", decisions.keep(claim, reason=reason)
        case "keep_despite":
            verb, outcome = "Kept", decisions.keep_despite(claim, call.fields("missing"))
        case _:
            return None
    return _outcome_notice(verb, [outcome])


def _make_workflow(call: PageRequest, outcome: DecisionOutcome) -> str:
    """Save the workflow of an accepted sequence of commands. Return what to say about it."""
    if outcome.memory.kind is not Kind.WORKFLOW_PATTERN:
        return ""
    try:
        workflow = call.vault.workflows.save_pattern(outcome.memory)
    except TacitError as error:  # the memory holds all the same
        return f"No workflow was made of it: {error.message}"
    return f"It is the workflow {workflow.name} now: tacit workflow run {workflow.name}" if workflow else ""


def _outcome_notice(verb: str, outcomes: Sequence[DecisionOutcome], hint: str = "") -> Notice:
    first = outcomes[0]
    more = f" and {len(outcomes) - 1} more" if len(outcomes) > 1 else ""
    private = is_project_scope(first.memory.claim.scope) and not first.memory.shared
    if not hint and first.overruled_by is not None:
        hint = f"It is overruled by: {clip(first.overruled_by.sentence, MAX_NOTICE_CHARS)}"
    elif not hint and first.overrules:
        hint = f"It overrules: {clip(first.overrules[0].sentence, MAX_NOTICE_CHARS)}"
    elif not hint and first.may_contradict:
        hint = f"It may contradict: {clip(first.may_contradict[0].sentence, MAX_NOTICE_CHARS)}"
    elif not hint and private and verb.startswith("Accepted"):
        hint = "It stays in your home until you share it."
    return Notice(f"{verb}: {clip(first.memory.claim.sentence, MAX_NOTICE_CHARS)}{more}", can_undo=True, hint=hint)


def undo_last(call: PageRequest) -> Response:
    """Undo what the notice was about, or without one the latest operation."""
    label = call.vault.changes.undo(operation=call.field("operation") or None)
    notice = Notice(f"Undone: {label}")
    return call.redirect_back(notice) or call.redirect("/", notice)


# Many at once

_BULK_ACTIONS = {"accept": "Accept", "dismiss": "Dismiss"}


def bulk_page(call: PageRequest) -> Response:
    """Ask before the cards that were picked, or all that the filters leave, are decided on."""
    action = call.value("action")
    if action not in _BULK_ACTIONS:
        raise UsageError("choose what to do with all of them", "go back to the inbox")
    filters = {name: call.value(name) for name in FACETS}
    picked = set(" ".join(call.values("pick")).split())
    if call.value("picked") and not picked:
        raise UsageError("no card was picked", "go back, and mark some")
    cards = [item.card for item in matching(call.inbox.items, filters) if item.card]
    listed = [other for card in cards for other in card.candidates if not picked or other.memory.id in picked]
    if not listed:
        return call.redirect("/", Notice("No candidate matches any more."), filters)
    verb, ids = _BULK_ACTIONS[action], [candidate.memory.id for candidate in listed]
    title, shown = f"{verb} {count_text(len(listed), 'candidate')}", listed[:_MAX_LISTED]
    values = {"action": action, "verb": verb, "filters": filters, "shown": shown, "ids": ids}
    return call.page("bulk.html", title, lambda: call.as_json("list", listed), **values)


def decide_bulk(call: PageRequest) -> Response:
    """Decide on the candidates that were named or picked, as one operation, and show the card after them."""
    ids, action = " ".join([*call.fields("id"), *call.fields("pick")]).split(), call.field("action")
    if not ids or action not in _BULK_ACTIONS:
        raise UsageError("no candidate was chosen")
    decisions = call.vault.memories
    call.review.require_pending(ids)
    if action == "accept":
        for outcome in decisions.accept_all(ids):
            _make_workflow(call, outcome)
    else:
        decisions.dismiss_all(ids, reason=call.field("reason"))
    verb = "Accepted" if action == "accept" else "Dismissed for good"
    return _show_next(call, Notice(f"{verb}: {count_text(len(ids), 'candidate')}.", can_undo=True))
