"""`tacit review`, `accept`, `dismiss` and `promote`: decide on candidates."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from tacit.cli.active_cards import ActiveCard, active_cards, ask_active_cards, card_json, echo_active_cards
from tacit.cli.add import KINDS, echo_conflicts
from tacit.cli.cards import (
    FILTER_OPTIONS,
    KIND_OPTION,
    LIMIT_OPTIONS,
    card_lines,
    card_scopes,
    echo_group,
    echo_memory,
    echo_remaining,
    list_limit,
    outcome_line,
    parse_filters,
    scope_text,
)
from tacit.cli.commands import JSON_OPTION, Command, Invocation, Option
from tacit.cli.json_output import JsonObject, memory_reference
from tacit.cli.output import ask, confirm, echo, echo_json_list, echo_wrapped, pluralize, warn
from tacit.cli.show import ask_conflicts
from tacit.errors import TacitError, UsageError
from tacit.model.claim import Kind, is_project_scope
from tacit.model.memory import Memory
from tacit.text.display import printable
from tacit.vault.decisions import DecisionOutcome
from tacit.vault.review import Card, CardListing, Review
from tacit.vault.vault import Vault

# tacit accept

_MAX_SEARCHED = 20  # memories that are searched for in other projects after a decision


def run_accept(call: Invocation) -> int:
    call.require_args()
    decisions = call.vault.decisions
    accept = decisions.accept_globally if call.flag("--global") else decisions.accept_all
    outcomes = accept(call.args, kind=call.value("--kind"), evidence=call.text_value("--evidence"))
    for outcome in outcomes:
        echo(outcome_line("Accepted", outcome))
        echo_conflicts(outcome)
        _make_workflow(call.vault, outcome.memory)
    _echo_same_candidates(call, outcomes)
    memories = [(outcome.short, outcome.memory) for outcome in outcomes]
    private = [short for short, memory in memories if is_project_scope(memory.claim.scope) and not memory.shared]
    if private:
        echo(f"  private: in your home only; to share with the project: tacit share {' '.join(private)}")
    return 0


def _echo_same_candidates(call: Invocation, outcomes: Sequence[DecisionOutcome]) -> None:
    """Print which candidates of other projects say the same as those that were decided on."""
    others = {
        other.id: (short, other)
        for outcome in outcomes[:_MAX_SEARCHED]
        for short, other in call.vault.decisions.same_candidates(outcome.memory)
    }
    if others:
        names = ", ".join(dict.fromkeys(scope_text(other) for _, other in others.values()))
        shorts = " ".join(short for short, _ in others.values())
        echo(f"  the same waits in {printable(names)}: tacit {call.command.name} {shorts}")


def _make_workflow(vault: Vault, memory: Memory) -> None:
    """Make a workflow of an accepted sequence of commands."""
    if memory.claim.kind is Kind.WORKFLOW_PATTERN:
        from tacit.cli.workflow import make_workflow

        make_workflow(vault, memory)


ACCEPT = Command(
    name="accept",
    usage="ID…",
    help=(
        "Make candidates active: from now on they are in briefs. All of them or none; one tacit undo takes all back.\n"
        "They stay in your home: to put one into the project's fact file, tacit share."
    ),
    example="tacit accept 7k2m 9qwx",
    run=run_accept,
    options=(
        Option("--kind", "KIND", f"file them under another kind: {KINDS}"),
        Option("--evidence", "TEXT", "what convinced you"),
        Option("--global", help="for all projects, together with candidates of other projects that say the same"),
    ),
)


# tacit dismiss


def run_dismiss(call: Invocation) -> int:
    call.require_args()
    outcomes = call.vault.decisions.dismiss_all(call.args, reason=call.text_value("--reason"))
    for outcome in outcomes:
        echo(outcome_line("Dismissed for good", outcome))
    _echo_same_candidates(call, outcomes)
    return 0


DISMISS = Command(
    name="dismiss",
    usage="ID…",
    help=(
        "Turn candidates down. They are never suggested again, whatever is observed, until you say so yourself.\n"
        "All of them or none; one tacit undo takes all back."
    ),
    example='tacit dismiss 7k2m --reason "only true for this task"',
    run=run_dismiss,
    options=(Option("--reason", "TEXT", "why not"),),
)


# tacit promote


def run_promote(call: Invocation) -> int:
    outcome = call.vault.decisions.promote(
        call.text(), kind=call.value("--kind") or Kind.PATTERN, evidence=call.text_value("--evidence")
    )
    echo(outcome_line("Promoted", outcome))
    echo_conflicts(outcome)
    return 0


PROMOTE = Command(
    name="promote",
    usage="ID",
    help="Accept a candidate under a kind, with evidence. A text that is no candidate yet becomes one first.",
    example='tacit promote 7k2m --kind pattern --evidence "seen in three sessions"',
    run=run_promote,
    options=(
        Option("--text", "TEXT", "the candidate that says just this, instead of an id"),
        Option("--kind", "KIND", f"one of {KINDS}", required=True),
        Option("--evidence", "TEXT", "what shows it", required=True),
    ),
)


# tacit review

_KEY_HELP = "a accept · e edit · d dismiss · m merge · s skip · q quit"
_GROUP_KEY_HELP = "a accept in each · g accept for all projects · e edit · d dismiss · m merge · s skip · q quit"
_MAX_LISTED = 5  # candidates that are shown before all are dismissed
_FILTER_NAMES = ("--project", "--kind", "--agent")


def run_review(call: Invocation) -> int:
    call.refuse_args()
    _check_dismiss_options(call)
    vault = call.vault
    cards = _list_cards(call)
    is_filtered = any(call.flag(option.name) for option in (KIND_OPTION, *FILTER_OPTIONS))
    if call.flag("--json"):
        return _print_json(call, cards, [] if is_filtered else active_cards(vault))
    if call.flag("--dismiss") and cards.total:
        return _dismiss_cards(call, list(cards.entries))
    if sys.stdin.isatty():
        ask_conflicts(vault)
    elif undecided := vault.status().undecided:
        memories = pluralize(undecided, "memory contradicts", "memories contradict")
        echo(f"{memories} another, or may do so; see: tacit conflicts")
    active = [] if is_filtered else active_cards(vault)
    if not _show_active(vault, active) or (active and not cards.total):
        return 0
    if not cards.total:
        echo("\n".join(_nothing_lines(call)))
        return 0
    shown = _CardCounter(cards.entries)
    if not sys.stdin.isatty():
        for at, card in enumerate(shown, 1):
            echo_group(card, at, cards.card_total)
    else:
        decided = _ask_decisions(vault, shown, cards.card_total)
        echo(f"Decided {decided} of {pluralize(cards.total, 'candidate')}. tacit undo takes back the latest.")
    echo_remaining(call, shown.candidates, cards.total, "candidate")
    return 0


def _list_cards(call: Invocation) -> CardListing:
    """Return the cards to show, or those that --dismiss is about: all of them without --limit."""
    is_dismissing = call.flag("--dismiss")
    limit = call.number("--limit") if is_dismissing else list_limit(call)
    return Review(call.vault.home).listing(
        kind=call.value("--kind"), filters=parse_filters(call), limit=limit, with_details=not is_dismissing
    )


class _CardCounter:
    """Yields cards, and counts their candidates."""

    def __init__(self, cards: Iterable[Card]) -> None:
        self._cards = cards
        self.candidates = 0

    def __iter__(self) -> Iterator[Card]:
        for card in self._cards:
            self.candidates += len(card.candidates)
            yield card


def _print_json(call: Invocation, cards: CardListing, active: Sequence[ActiveCard]) -> int:
    shown = _CardCounter(cards.entries)
    echo_json_list(chain((card.json for card in active), map(_card_json, shown)))
    if not cards.total and not active:
        warn("\n".join(_nothing_lines(call)))
    echo_remaining(call, shown.candidates, cards.total, "candidate")
    return 0


def _show_active(vault: Vault, cards: Sequence[ActiveCard]) -> bool:
    """Show the cards about memories that hold, and ask about them at a terminal. Return False to stop."""
    if not sys.stdin.isatty():
        echo_active_cards(cards)
        return True
    if not ask_active_cards(cards):
        return False
    from tacit.cli.learn import judge_notice

    if notice := judge_notice(vault):
        echo_wrapped(notice)
    return True


def _card_json(card: Card) -> JsonObject:
    others = [memory_reference(listed.memory) for listed in card.candidates[1:]]
    return card_json(card.candidates[0], "candidate", others)


def _nothing_lines(call: Invocation) -> Iterator[str]:
    """Yield the lines for an empty result. If a filter is the reason, they say which values it could have."""
    filters = [option.name for option in (KIND_OPTION, *FILTER_OPTIONS) if call.flag(option.name)]
    values = Review(call.vault.home).values() if filters else None
    if values is None or not values.kinds:
        yield "Nothing to review."
        return
    yield f"No candidate matches {' '.join(f'{name} {printable(call.all_values(name)[-1])}' for name in filters)}."
    for name, counts in zip(_FILTER_NAMES, values, strict=True):
        if name in filters:
            known = ", ".join(f"{printable(value)} ({count})" for value, count in counts)
            yield f"  {name[2:]}s with candidates: {known or 'none'}"


# Dismissing all of them


def _check_dismiss_options(call: Invocation) -> None:
    for name in ("--reason", "--yes"):
        if call.flag(name) and not call.flag("--dismiss"):
            raise UsageError(f"{name} goes with --dismiss", f"for example: {_DISMISS_EXAMPLE}")
    if call.flag("--dismiss") and call.flag("--json"):
        raise UsageError("--dismiss and --json exclude each other", f"for example: {_DISMISS_EXAMPLE}")


def _dismiss_cards(call: Invocation, cards: Sequence[Card]) -> int:
    """Dismiss all candidates of these cards as one operation, once the person has confirmed it."""
    listed = [candidate for card in cards for candidate in card.candidates]
    count = pluralize(len(listed), "candidate")
    if not call.flag("--yes"):
        if not sys.stdin.isatty():
            raise UsageError(f"{count} would be dismissed, and nobody is there to confirm it", "add --yes")
        for candidate in listed[:_MAX_LISTED]:
            echo_memory(candidate, "- ")
        if len(listed) > _MAX_LISTED:
            echo(f"… and {len(listed) - _MAX_LISTED} more")
        if not confirm(f"Dismiss {count} for good?"):
            echo("Nothing was changed.")
            return 0
    call.vault.decisions.dismiss_all([candidate.memory.id for candidate in listed], reason=call.text_value("--reason"))
    echo(f"Dismissed {count} for good. To take all of it back: tacit undo {listed[0].short}")
    return 0


# Card by card


def _ask_decisions(vault: Vault, cards: Iterable[Card], total: int | None) -> int:
    """Show cards and ask for each. Return how many candidates were decided on."""
    decided = 0
    for at, card in enumerate(cards, 1):
        for line in card_lines(card.merged, at, total, card_scopes(card)):
            echo_wrapped(line)
        is_decided = _ask_decision(vault, card)
        if is_decided is None:
            break
        decided += len(card.candidates) if is_decided else 0
    return decided


def _ask_decision(vault: Vault, card: Card) -> bool | None:
    """Ask until the card is decided. Return True then, False if it is skipped, None to stop."""
    keys = _KEY_HELP if len(card.candidates) == 1 else _GROUP_KEY_HELP
    while True:
        try:
            answer = ask(f"   {keys} > ").strip().lower()[:1]
        except EOFError:
            return None
        if answer in ("q", "s", ""):
            return None if answer == "q" else False
        try:
            if _apply_answer(vault, card, answer):
                return True
        except (TacitError, EOFError) as error:
            echo(f"   {printable(str(error) or 'nothing was typed')}")
            continue
        echo(f"   {keys}")


def _apply_answer(vault: Vault, card: Card, answer: str) -> bool:
    """Do what a key stands for, for all candidates of a card. Return False if it stands for nothing."""
    memory, decisions = card.candidates[0].memory, vault.decisions
    match answer:
        case "a":
            _echo_outcomes("Accepted", decisions.accept_all(card.ids))
            _make_workflow(vault, memory)
        case "g" if len(card.candidates) > 1:
            _echo_outcomes("Accepted", decisions.accept_globally(card.ids))
        case "d":
            _echo_outcomes("Dismissed for good", decisions.dismiss_all(card.ids))
        case "e":
            from tacit.cli.edit import edit_text

            text = ask("   new text (empty: your editor) > ").strip() or edit_text(memory.claim.sentence)
            _echo_outcomes("Revised and accepted", decisions.edit_all(card.ids, text=text, accept=True))
        case "m":
            into = ask("   merge into which id > ").strip()
            _echo_outcomes("Merged into", [decisions.merge(card.ids, into)])
        case _:
            return False
    return True


def _echo_outcomes(verb: str, outcomes: Sequence[DecisionOutcome]) -> None:
    for outcome in outcomes:
        echo("   " + outcome_line(verb, outcome))
        echo_conflicts(outcome)


_DISMISS_EXAMPLE = 'tacit review --kind preference --project shop --dismiss --reason "one-off orders"'
REVIEW = Command(
    name="review",
    usage="",
    help=(
        "Go through the candidates, card by card: accept, edit, dismiss, merge or skip. Keys that you typed before a\n"
        "card was shown decide nothing. Without a terminal: a list. Candidates of several projects that say the same\n"
        "are one card: a accepts it in each of them, g for all projects. One tacit undo takes a card back.\n"
        "Before the candidates come memories that agents were told and violated in two sessions, or that you\n"
        "corrected: reword, guard, forget or keep them. So do memories of the project that name a file, script,\n"
        "target, program or branch that is not in the work tree: reword, forget or keep them. A name that you keep is\n"
        "not asked about again.\n"
        "--dismiss turns down everything that the filters select, after one question; one tacit undo takes all back."
    ),
    example=_DISMISS_EXAMPLE,
    run=run_review,
    options=(
        KIND_OPTION,
        *FILTER_OPTIONS,
        *LIMIT_OPTIONS,
        Option("--dismiss", help="dismiss all candidates that the other options select, as one operation"),
        Option("--reason", "TEXT", "with --dismiss: why not"),
        Option("--yes", help="with --dismiss: do not ask"),
        JSON_OPTION,
    ),
)
