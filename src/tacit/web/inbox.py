"""The inbox: cards to decide on, one at a time or many at once, and undo."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.responses import Response

from tacit.errors import TacitError, UsageError
from tacit.index.reader import MemoryRow
from tacit.model.claim import Kind, is_project_scope
from tacit.record import Record
from tacit.text.display import clip
from tacit.vault.hits import SessionQuote
from tacit.vault.listing import Filters, ListedMemory
from tacit.vault.memories import DecisionOutcome
from tacit.vault.outdated import OutdatedMemories, OutdatedMemory
from tacit.vault.review import Card
from tacit.vault.sessions import IneffectiveMemory
from tacit.web.home import week_lines
from tacit.web.rendering import MAX_NOTICE_CHARS, Notice, PageRequest, count_text, page_count, scope_name

_PAGE_SIZE = 40
_MAX_CANDIDATES = 80  # that are read for the list; the others follow when these are decided
_MAX_SIMILAR = 5
_MAX_LISTED = 8  # candidates that are shown before many are decided on
_FILTER_NAMES = ("project", "kind", "agent")


class InboxItem(Record):
    """A row of the inbox: a card with candidates, or a memory that agents did not follow or that names what is gone."""

    id: str
    sentence: str
    kind: str
    scopes: tuple[str, ...]
    at: str
    contradicts: bool = False
    card: Card | None = None
    ineffective: IneffectiveMemory | None = None
    outdated: OutdatedMemory | None = None


def inbox_page(call: PageRequest) -> Response:
    filters = {name: call.value(name) for name in _FILTER_NAMES}
    items = _load_items(call, filters)
    wanted = call.value("card")
    position = next((at for at, item in enumerate(items) if item.id == wanted), None)
    first = (position // _PAGE_SIZE if position is not None else call.number("page") - 1) * _PAGE_SIZE
    shown = items[first : first + _PAGE_SIZE]
    position = first if position is None else position
    selected = items[position] if position < len(items) else None
    quotes: list[SessionQuote] = []  # the passages that a card was learned from
    similar: list[MemoryRow] = []  # memories to merge it with
    if selected is not None and (card := selected.card) is not None:
        card = call.review.detailed(card)
        selected = selected._replace(card=card)
        quotes = [quote for claim in card.ids for quote in call.vault.search.source_quotes(claim, limit=3)]
        rows = call.review.similar(card.candidates[0].memory, _MAX_SIMILAR + len(card.ids))
        by_id = {row.id: row for row in (*card.merged.may_be_same, *rows) if row.id not in card.ids}
        similar = list(by_id.values())[:_MAX_SIMILAR]
    # What to show after this one is decided: the next, or at the end the one before.
    rest = [*items[position + 1 : position + 2], *items[max(position - 1, 0) : position]]
    return call.page(
        "inbox.html",
        "Inbox",
        items=shown,
        total=len(items),
        candidates=sum(len(item.card.candidates) for item in items if item.card),
        selected=selected,
        quotes=quotes,
        similar=similar,
        week=week_lines(call),
        is_chosen=bool(wanted),
        is_gone=bool(wanted) and selected is not None and selected.id != wanted,
        following=rest[0].id if rest else "",
        page_number=first // _PAGE_SIZE + 1,
        page_count=page_count(len(items), _PAGE_SIZE),
        filters=filters,
        values=call.review.values(max_rows=_MAX_CANDIDATES) if call.counts.pending else None,
        undecided=call.counts.undecided,
    )


def _load_items(call: PageRequest, filters: dict[str, str]) -> list[InboxItem]:
    """Return what waits: first memories that did not help, then cards. Filters are about candidates."""
    vault_filters = Filters(project=filters["project"] or None, agent=filters["agent"] or None)
    cards = call.review.cards(kind=filters["kind"] or None, filters=vault_filters, learn=False, limit=_MAX_CANDIDATES)
    if any(filters.values()):
        return [*map(_card_item, cards)]
    items: dict[str, InboxItem] = {}
    for ineffective in call.vault.adherence.ineffective():
        evidence = [*ineffective.report.violations, *ineffective.report.corrections]
        at = max((found.at for found in evidence), default="")
        item = _memory_item(ineffective.listed, at)._replace(ineffective=ineffective)
        items[item.id] = item
    for outdated in OutdatedMemories(call.vault.home).outdated():
        item = _memory_item(outdated.listed)._replace(outdated=outdated)
        items.setdefault(item.id, item)
    return [*items.values(), *map(_card_item, cards)]


def _card_item(card: Card) -> InboxItem:
    listed = card.candidates[0]
    memory = listed.memory
    sentence = listed.counts.label if listed.counts and listed.counts.steps else memory.claim.sentence
    scopes = tuple(dict.fromkeys(scope_name(other.memory.claim.scope) for other in card.candidates))
    contradicts = any(other.contradicts for other in card.candidates)
    return InboxItem(memory.id, sentence, memory.kind.label, scopes, memory.last_at.isoformat(), contradicts, card)


def _memory_item(listed: ListedMemory, at: str = "") -> InboxItem:
    memory = listed.memory
    scopes = (scope_name(memory.claim.scope),)
    return InboxItem(memory.id, memory.claim.sentence, memory.kind.label, scopes, at or memory.last_at.isoformat())


# Decisions


def decide_card(call: PageRequest) -> Response:
    """Do what a button of a card stands for, for all candidates of the card, and show the next card."""
    ids, action = call.fields("id"), call.field("action")
    if not ids:
        raise UsageError("no card was chosen")
    notice = _decide_active(call, ids[0], action) or _decide_candidates(call, ids, action)
    notice = notice._replace(back=call.field("back"))
    filters = {name: call.field(name) for name in _FILTER_NAMES}
    return call.redirect("/", notice, {"card": call.field("next"), **filters})


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
    """Decide on a memory that holds, but was not followed or names what is gone. None for an action on candidates."""
    decisions, reason = call.vault.memories, call.field("reason")
    match action:
        case "reword":
            verb, outcome = "Reworded", decisions.edit(claim, text=call.field("text"))
        case "forget":
            verb, outcome = "Forgot", decisions.forget(claim, reason=reason)
        case "forget_outdated":
            verb, outcome = "Forgot", decisions.forget(claim, reason="names what is gone")
        case "keep":
            verb, outcome = "Kept", decisions.keep(claim, reason=f"kept although {reason}")
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
    """Undo the latest operation, or the latest on one memory."""
    label = call.vault.changes.undo(call.field("id") or None)
    notice = Notice(f"Undone: {label}")
    return call.redirect_back(notice) or call.redirect("/", notice)


# Many at once

_BULK_ACTIONS = {"accept": "Accept", "dismiss": "Dismiss"}


def bulk_page(call: PageRequest) -> Response:
    """Ask before all candidates that the filters select are decided on."""
    action = call.value("action")
    if action not in _BULK_ACTIONS:
        raise UsageError("choose what to do with all of them", "go back to the inbox")
    filters = {name: call.value(name) for name in _FILTER_NAMES}
    cards = [item.card for item in _load_items(call, filters) if item.card]
    listed = [candidate for card in cards for candidate in card.candidates]
    if not listed:
        return call.redirect("/", Notice("No candidate matches any more."), filters)
    verb, ids = _BULK_ACTIONS[action], [candidate.memory.id for candidate in listed]
    title, shown = f"{verb} {count_text(len(listed), 'candidate')}", listed[:_MAX_LISTED]
    return call.page("bulk.html", title, action=action, verb=verb, filters=filters, shown=shown, ids=ids)


def decide_bulk(call: PageRequest) -> Response:
    """Decide on the candidates that the question named, as one operation."""
    ids, action = call.fields("id"), call.field("action")
    if not ids or action not in _BULK_ACTIONS:
        raise UsageError("no candidate was chosen")
    decisions = call.vault.memories
    call.review.require_pending(ids)
    if action == "accept":
        decisions.accept_all(ids)
    else:
        decisions.dismiss_all(ids, reason=call.field("reason"))
    verb = "Accepted" if action == "accept" else "Dismissed for good"
    return call.redirect("/", Notice(f"{verb}: {count_text(len(ids), 'candidate')}.", can_undo=True))
