"""`tacit review`, `accept`, `dismiss` and `promote`: decide on candidates, and on memories that need a decision."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from tacit.cli import cards, output
from tacit.cli.add import KINDS, conflict_lines, echo_conflicts
from tacit.cli.commands import JSON_OPTION, Invocation, Option, command
from tacit.cli.output import JsonObject, ask, ask_choice, echo, echo_lines, echo_wrapped, pluralize, utc_timestamp, warn
from tacit.cli.show import ask_conflicts
from tacit.errors import TacitError, UsageError
from tacit.model.claim import Kind, is_project_scope, project_name
from tacit.model.memory import Memory
from tacit.record import Record
from tacit.text.display import one_line, printable
from tacit.vault import Vault
from tacit.vault.conditions import RedMemory
from tacit.vault.memories import DecisionOutcome
from tacit.vault.review import Card, CardListing, Review
from tacit.vault.sessions import IneffectiveMemory

TYPE_CHECKING = False

if TYPE_CHECKING:
    from tacit.vault.listing import ListedMemory
    from tacit.vault.trials import TrialReport

RED_TITLE = "not true of the work tree"
_MAX_SEARCHED = 20  # memories that are searched for in other projects after a decision


@command(
    "ID…",
    "tacit accept 7k2m 9qwx",
    Option("--kind", "KIND", f"file them under another kind: {KINDS}"),
    Option("--evidence", "TEXT", "what convinced you"),
    Option("--global", help="for all projects, together with candidates of other projects that say the same"),
)
def run_accept(call: Invocation) -> None:
    """Make candidates active: from now on they are in briefs. All of them or none; one tacit undo takes all back.
    They stay in your home: to put one into the project's fact file, tacit share.
    """
    decisions = call.vault.memories
    accept = decisions.accept_globally if call.flag("--global") else decisions.accept_all
    outcomes = accept(call.args, kind=call.value("--kind"), evidence=call.text_value("--evidence"))
    for outcome in outcomes:
        echo(cards.outcome_line("Accepted", outcome))
        echo_conflicts(outcome)
        _show_effect(call.vault, outcome.memory)
    _echo_same_candidates(call, outcomes)
    memories = [(outcome.short, outcome.memory) for outcome in outcomes]
    private = [short for short, memory in memories if is_project_scope(memory.claim.scope) and not memory.shared]
    if private:
        echo(f"  private: in your home only; to share with the project: tacit share {' '.join(private)}")


def _echo_same_candidates(call: Invocation, outcomes: Sequence[DecisionOutcome]) -> None:
    """Print which candidates of other projects say the same as those that were decided on."""
    others = {
        other.id: (short, other)
        for outcome in outcomes[:_MAX_SEARCHED]
        for short, other in call.vault.memories.same_candidates(outcome.memory)
    }
    if others:
        names = ", ".join(dict.fromkeys(cards.scope_text(other) for _, other in others.values()))
        shorts = " ".join(short for short, _ in others.values())
        echo(f"  the same waits in {printable(names)}: tacit {call.command.name} {shorts}")


def _show_effect(vault: Vault, memory: Memory) -> None:
    """Make a workflow of an accepted sequence of commands; print what corrects a word that the person misspells."""
    if memory.claim.kind is Kind.WORKFLOW_PATTERN:
        from tacit.cli.workflow import make_workflow

        make_workflow(vault, memory)
    elif alias := vault.suggestions.correcting_alias(memory) if memory.claim.kind is Kind.PREFERENCE else "":
        echo(f"  for your shell: {printable(alias)}")


@command("ID…", 'tacit dismiss 7k2m --reason "only true for this task"', Option("--reason", "TEXT", "why not"))
def run_dismiss(call: Invocation) -> None:
    """Turn candidates down. They are never suggested again, whatever is observed, until you say so yourself.
    All of them or none; one tacit undo takes all back.
    """
    outcomes = call.vault.memories.dismiss_all(call.args, reason=call.text_value("--reason"))
    for outcome in outcomes:
        echo(cards.outcome_line("Dismissed for good", outcome))
    _echo_same_candidates(call, outcomes)


@command(
    "ID",
    'tacit promote 7k2m --kind pattern --evidence "seen in three sessions"',
    Option("--text", "TEXT", "the candidate that says just this, instead of an id"),
    Option("--kind", "KIND", f"one of {KINDS}", required=True),
    Option("--evidence", "TEXT", "what shows it", required=True),
)
def run_promote(call: Invocation) -> None:
    """Accept a candidate under a kind, with evidence. A text that is no candidate yet becomes one first."""
    outcome = call.vault.memories.promote(
        call.text(), kind=call.value("--kind") or Kind.PATTERN, evidence=call.text_value("--evidence")
    )
    echo(cards.outcome_line("Promoted", outcome))
    echo_conflicts(outcome)


_KEYS = "a accept · e edit · d dismiss · m merge · s skip · q quit"
_GROUP_KEYS = "a accept in each · g accept for all projects · e edit · d dismiss · m merge · s skip · q quit"
_MAX_LISTED = 5  # candidates that are shown before all are dismissed
_FILTER_NAMES = ("--project", "--kind", "--agent")


@command(
    "",
    'tacit review --kind preference --project shop --dismiss --reason "one-off orders"',
    cards.KIND_OPTION,
    *cards.FILTER_OPTIONS,
    *cards.LIMIT_OPTIONS,
    Option("--doubtful", help="what you may have said, and what is not suggested because it may be meant otherwise"),
    Option("--dismiss", help="dismiss all candidates that the other options select, as one operation"),
    Option("--reason", "TEXT", "with --dismiss: why not"),
    Option("--yes", help="with --dismiss: do not ask"),
    JSON_OPTION,
)
def run_review(call: Invocation) -> None:
    """Go through the candidates, card by card: accept, edit, dismiss, merge or skip. Keys that you typed before a
    card was shown decide nothing. Without a terminal: a list. Candidates of several projects that say the same
    are one card: a accepts it in each of them, g for all projects. One tacit undo takes a card back.
    Before the candidates come memories whose trial has ended, and those that agents were told and violated in two
    sessions, or that you corrected: reword, guard, forget or keep them. So do memories that five sessions were
    told and that had to do with none, and memories of the project that name a file, script, target, program or
    branch that is not in the work tree: reword, forget or keep them. A name that you keep is not asked about
    again.
    --dismiss turns down everything that the filters select, after one question; one tacit undo takes all back.
    --doubtful shows sentences of sessions that no judge has read. They look like rules and are not suggested,
    because too few of them are. Nothing counts them: they are looked for when you ask.
    """
    if call.flag("--doubtful"):
        _review_doubtful(call)
        return
    example, is_dismissing = f"for example: {call.command.example}", call.flag("--dismiss")
    call.require_with(("--reason", "--yes"), "--dismiss", example)
    call.only_one(("--dismiss", "--json"), example, "exclude each other")
    # Without --limit, --dismiss is about all.
    limit = call.number("--limit") if is_dismissing else cards.list_limit(call)
    kind, filters = call.value("--kind"), cards.parse_filters(call)
    listing = Review(call.vault.home).listing(kind=kind, filters=filters, limit=limit, with_details=not is_dismissing)
    if is_dismissing and listing.total:
        _dismiss_cards(call, list(listing.entries))
        return
    is_filtered = any(call.flag(option.name) for option in (cards.KIND_OPTION, *cards.FILTER_OPTIONS))
    counts: list[int] = []
    shown = _counted(listing.entries, counts)
    if call.flag("--json"):
        active = [] if is_filtered else active_cards(call.vault)
        output.echo_json_list(chain((card.json for card in active), map(card_json, shown)))
        if not listing.total and not active:
            warn("\n".join(_nothing_lines(call)))
    elif not _show_active(call.vault, is_filtered=is_filtered, has_candidates=bool(listing.total)):
        return
    elif not listing.total:
        echo_lines(_nothing_lines(call))
    else:
        if listing.card_total not in (None, listing.total):
            echo(f"{pluralize(listing.total, 'candidate')} on {pluralize(listing.card_total, 'card')}")
        _review_cards(call.vault, shown, listing)
    cards.echo_remaining(call, sum(counts), listing.total, "candidate")


def _review_cards(vault: Vault, shown: Iterable[Card], listing: CardListing) -> None:
    """Ask about each card at a terminal, else print it with the commands that decide on it."""
    if sys.stdin.isatty():
        decided = _ask_decisions(vault, shown, listing.card_total)
        echo(f"Decided {decided} of {pluralize(listing.total, 'candidate')}. tacit undo takes back the latest.")
    else:
        for at, card in enumerate(shown, 1):
            _echo_candidates(card, at, listing.card_total)


_DOUBTFUL_KEYS = "a accept · d dismiss · s skip · q quit"


def _review_doubtful(call: Invocation) -> None:
    """Show what sessions state doubtfully, card by card, and ask about it at a terminal."""
    allowed = {"--doubtful", *(option.name for option in (*cards.LIMIT_OPTIONS, JSON_OPTION))}
    if others := [name for name in call.values if name not in allowed]:
        raise UsageError(f"--doubtful and {others[0]} exclude each other", "tacit review --doubtful")
    results = islice(call.vault.learning.doubtful_statements(), cards.list_limit(call))
    if call.flag("--json"):
        from tacit.cli.learn import conclusion_json

        output.echo_json_list(map(conclusion_json, results))
        return
    at = 0
    for at, result in enumerate(results, 1):
        lesson, session = result.lesson, result.session
        where = f"project {project_name(result.claim.scope)}" if is_project_scope(result.claim.scope) else "global"
        echo(f"── {at}, doubtful ── {lesson.kind.label}, {printable(where)}")
        echo_wrapped(output.bold(f"   “{printable(result.claim.sentence)}”"))
        echo_wrapped(f"   you said: {printable(one_line(lesson.quote, 300))}")
        echo(printable(f"   {session.agent}, {session.ended_at[:10]}, session {session.id[:4]}"))
        if not sys.stdin.isatty():
            continue
        answer = ask_choice(_DOUBTFUL_KEYS)
        if answer is None:
            return
        if answer != "s":
            outcome = call.vault.memories.decide_on_doubtful(result, accept=answer == "a")
            echo("   " + cards.outcome_line("Accepted" if answer == "a" else "Dismissed for good", outcome))
            echo_conflicts(outcome)
    if not at:
        echo("Nothing doubtful in the sessions that no judge has read.")
    elif not sys.stdin.isatty():
        echo("To decide on them, in a terminal: tacit review --doubtful")


def _counted(shown: Iterable[Card], counts: list[int]) -> Iterator[Card]:
    """Yield cards, and note of each how many candidates it has."""
    for card in shown:
        counts.append(len(card.candidates))
        yield card


def _show_active(vault: Vault, *, is_filtered: bool, has_candidates: bool) -> bool:
    """Show what is about memories that hold: conflicts, then cards. Return whether to go on with the candidates."""
    is_asking = sys.stdin.isatty()
    if is_asking:
        ask_conflicts(vault)
    elif undecided := vault.status().undecided:
        echo(f"{pluralize(undecided, 'contradiction')} for you to decide on: tacit conflicts")
    active = [] if is_filtered else active_cards(vault)
    if is_asking:
        if not _ask_active_cards(vault, active):
            return False
        from tacit.cli.learn import judge_notice

        if notice := judge_notice(vault):
            echo_wrapped(notice)
    else:
        for at, card in enumerate(active, 1):
            _echo_active_card(card, at, len(active))
            short = card.listed.short
            guard = f"   tacit guard on {short}" if card.may_guard else ""
            echo(f'   tacit edit {short} --text "…"{guard}   tacit forget {short}')
    return has_candidates or not active


def _nothing_lines(call: Invocation) -> Iterator[str]:
    """Yield the lines for an empty result. If a filter is the reason, they say which values it could have."""
    filters = [option.name for option in (cards.KIND_OPTION, *cards.FILTER_OPTIONS) if call.flag(option.name)]
    values = Review(call.vault.home).values() if filters else None
    if values is None or not values.kinds:
        yield "Nothing to review."
        return
    yield f"No candidate matches {' '.join(f'{name} {printable(call.all_values(name)[-1])}' for name in filters)}."
    for name, counts in zip(_FILTER_NAMES, values, strict=True):
        if name in filters:
            known = ", ".join(f"{printable(value)} ({count})" for value, count in counts)
            yield f"  {name[2:]}s with candidates: {known or 'none'}"


def _dismiss_cards(call: Invocation, dismissed: Sequence[Card]) -> None:
    """Dismiss all candidates of these cards as one operation, once the person has confirmed it."""
    listed = [candidate for card in dismissed for candidate in card.candidates]
    count = pluralize(len(listed), "candidate")
    if not call.flag("--yes") and sys.stdin.isatty():
        for candidate in listed[:_MAX_LISTED]:
            cards.echo_memory(candidate, "- ")
        if len(listed) > _MAX_LISTED:
            echo(f"… and {len(listed) - _MAX_LISTED} more")
    refusal = UsageError(f"{count} would be dismissed, and nobody is there to confirm it", "add --yes")
    if call.agrees(f"Dismiss {count} for good?", refusal):
        ids = [candidate.memory.id for candidate in listed]
        call.vault.memories.dismiss_all(ids, reason=call.text_value("--reason"))
        echo(f"Dismissed {count} for good. To take all of it back: tacit undo {listed[0].short}")


# Candidates, card by card


def _echo_candidates(card: Card, at: int, of: int | None) -> None:
    """Print the candidates that a card has, and the commands that decide on all of them."""
    echo_wrapped(*cards.card_lines(card.merged, at, of, cards.card_scopes(card)))
    shorts = " ".join(listed.short for listed in card.candidates)
    echo(f"   tacit accept {shorts}   tacit dismiss {shorts}")
    if len(card.candidates) > 1:
        echo(f"   for all projects: tacit accept {card.merged.short} --global")


def _ask_decisions(vault: Vault, shown: Iterable[Card], total: int | None) -> int:
    """Show cards and ask for each. Return how many candidates were decided on."""
    decided = 0
    for at, card in enumerate(shown, 1):
        echo_wrapped(*cards.card_lines(card.merged, at, total, cards.card_scopes(card)))
        is_decided = _ask_decision(vault, card)
        if is_decided is None:
            break
        decided += len(card.candidates) if is_decided else 0
    return decided


def _ask_decision(vault: Vault, card: Card) -> bool | None:
    """Ask until the card is decided. Return True then, False if it is skipped, None to stop."""
    while answer := ask_choice(_KEYS if len(card.candidates) == 1 else _GROUP_KEYS):
        if answer == "s":
            return False
        try:
            _apply_answer(vault, card, answer)
            return True
        except (TacitError, EOFError) as error:
            echo(f"   {printable(str(error) or 'nothing was typed')}")
    return None


def _apply_answer(vault: Vault, card: Card, answer: str) -> None:
    """Do what a key stands for, for all candidates of a card."""
    memory, decisions = card.candidates[0].memory, vault.memories
    outcomes: Sequence[DecisionOutcome]
    match answer:
        case "a":
            verb, outcomes = "Accepted", decisions.accept_all(card.ids)
        case "g":
            verb, outcomes = "Accepted", decisions.accept_globally(card.ids)
        case "d":
            verb, outcomes = "Dismissed for good", decisions.dismiss_all(card.ids)
        case "e":
            verb, text = "Revised and accepted", _ask_text(memory)
            outcomes = decisions.edit_all(card.ids, text=text, accept=True)
        case _:
            same = card.merged.may_be_same
            default = f" (empty: {same[0].id[:6]})" if same else ""
            into = ask(f"   merge into which id{default} > ").strip() or (same[0].id if same else "")
            verb, outcomes = "Merged into", [decisions.merge(card.ids, into)]
    for outcome in outcomes:
        echo("   " + cards.outcome_line(verb, outcome))
        echo_conflicts(outcome)
    if answer == "a":
        _show_effect(vault, memory)


def _ask_text(memory: Memory) -> str:
    """Return the sentence that is typed instead of that of a memory, or written in the person's editor."""
    from tacit.cli.edit import edit_text

    return ask("   new text (empty: your editor) > ").strip() or edit_text(memory.claim.sentence)


def card_json(asked: Card | IneffectiveMemory | RedMemory | TrialReport) -> JsonObject:
    """Return a card as JSON. `card` says what it asks about."""
    if isinstance(asked, Card | IneffectiveMemory | RedMemory):
        return {**_card_fields(asked), "trial": None}
    from tacit.cli.trial import trial_json

    common = {**cards.memory_json(asked.listed), "others": [], "adherence": None, "missing": []}
    return {**common, "card": "tried", "trial": trial_json(asked)}


def _card_fields(asked: Card | IneffectiveMemory | RedMemory) -> JsonObject:
    if isinstance(asked, Card):
        first, *others = asked.candidates
        references = [cards.reference_json(other.memory.claim) for other in others]
        return {**cards.memory_json(first), "card": "candidate", "others": references, "adherence": None, "missing": []}
    common = {**cards.memory_json(asked.listed), "others": []}
    if isinstance(asked, IneffectiveMemory):
        what = "of no use" if asked.is_idle else "not followed"
        return {**common, "card": what, "adherence": cards.adherence_json(asked.report), "missing": []}
    names = [
        {
            "text": name.text,
            "reason": name.why,
            "commit": name.commit and {"hash": name.commit.commit, "day": name.commit.day, "text": name.commit.subject},
            "last_change": name.last_session
            and {"session": name.last_session.id, "at": utc_timestamp(name.last_session.ended_at)},
        }
        for name in asked.missing
    ]
    return {**common, "card": "missing", "adherence": None, "missing": names}


# Cards about memories that hold: agents do not follow them, or the work tree says otherwise

_ACTIVE_KEYS = "r reword · g guard · f forget · k keep as it is · s skip · q quit"
_KEYS_WITHOUT_GUARD = "r reword · f forget · k keep as it is · s skip · q quit"


class ActiveCard(Record):
    """A memory that holds and needs a decision; `reason` is recorded with it, `kept` if it is kept.

    `missing` is what it says that is not true of the work tree, if it is about that. A guard helps only one that was
    not followed.
    """

    title: str
    listed: ListedMemory
    lines: tuple[str, ...]
    json: JsonObject
    reason: str
    missing: tuple[str, ...] = ()
    may_guard: bool = False
    kept: str = ""


def active_cards(vault: Vault) -> list[ActiveCard]:
    """Return a card for each trial that ended, then for each memory that agents were told and did not follow, then for
    each that is red."""
    found = [
        ActiveCard(
            report.title, report.listed, tuple(report.lines), card_json(report), report.reason, kept=report.reason
        )
        for report in vault.trials.waiting()
    ]
    for item in vault.adherence.ineffective():
        lines, json = tuple(cards.adherence_lines(item.report)), card_json(item)
        found.append(ActiveCard(item.title, item.listed, lines, json, item.reason, may_guard=not item.is_idle))
    for red in vault.conditions.red():
        texts = []
        for name in red.missing:
            since = f", {name.since}" if name.commit else ""
            last = ""
            if session := name.last_session:
                last = f" (last changed on {session.ended_at[:10]} in session {name.short})"
            texts.append(f"not so here: {printable(f'{name.why}{since}')}{last}")
        missing = tuple(name.text for name in red.missing)
        found.append(ActiveCard(RED_TITLE, red.listed, tuple(texts), card_json(red), RED_TITLE, missing))
    return found


def _echo_active_card(card: ActiveCard, at: int, of: int) -> None:
    listed = card.listed
    where = printable(cards.scope_text(listed.memory))
    echo(f"── {at} of {of}, {card.title} ── {output.cyan(f'[{listed.short}]')} {listed.memory.kind.label}, {where}")
    echo_wrapped(output.bold(f"   “{printable(listed.memory.claim.sentence)}”"))
    for line in card.lines:
        echo(f"   {line}")


def _ask_active_cards(vault: Vault, active: Sequence[ActiveCard]) -> bool:
    """Ask about each card. Return False if the person wants to stop."""
    decided: set[str] = set()  # memories that are others, or none, since a card before
    for at, card in enumerate(active, 1):
        if card.listed.memory.id in decided:
            continue
        _echo_active_card(card, at, len(active))
        while (key := ask_choice(_ACTIVE_KEYS if card.may_guard else _KEYS_WITHOUT_GUARD)) not in (None, "s"):
            try:
                echo(f"   {_apply_active_answer(vault, card, key)}")
                break
            except EOFError:
                return False
            except TacitError as error:
                echo(f"   {printable(error.message)}")
        if key is None:
            return False
        if key in ("r", "f"):
            decided.add(card.listed.memory.id)
    return True


def _apply_active_answer(vault: Vault, card: ActiveCard, key: str | None) -> str:
    """Do what a key of a card stands for. Return what to print."""
    memory, decisions = card.listed.memory, vault.memories
    match key:
        case "r":
            outcome = decisions.edit(memory.id, text=_ask_text(memory))
            return "\n".join([cards.outcome_line("Reworded", outcome), *conflict_lines(outcome)])
        case "f":
            return cards.outcome_line("Forgot", decisions.forget(memory.id, reason=card.reason))
        case "g":
            decisions.keep(memory.id, reason="to be guarded")
            return f"To have it enforced, type: tacit guard on {card.listed.short}"
    if card.missing:
        return cards.outcome_line("Kept", decisions.keep_despite(memory.id, list(card.missing)))
    return cards.outcome_line("Kept", decisions.keep(memory.id, reason=card.kept or f"kept although {card.reason}"))
