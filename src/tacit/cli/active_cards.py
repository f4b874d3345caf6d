"""Cards of `tacit review` about memories that hold: agents do not follow them, or they name what is gone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tacit.cli.add import conflict_lines
from tacit.cli.adherence import adherence_json, adherence_lines
from tacit.cli.cards import outcome_line, scope_text
from tacit.cli.json_output import JsonObject, memory_json, utc_timestamp
from tacit.cli.output import ask, bold, cyan, echo, echo_wrapped
from tacit.errors import TacitError
from tacit.record import Record
from tacit.text.display import printable

if TYPE_CHECKING:
    from tacit.model.memory import Memory
    from tacit.vault.adherence import IneffectiveMemory
    from tacit.vault.listing import ListedMemory
    from tacit.vault.outdated import MissingName, OutdatedMemory
    from tacit.vault.vault import Vault

NOT_FOLLOWED, MISSING = "not followed", "missing"  # what a card asks about, in JSON


class CardAnswer(Record):
    """An answer to a card: what it is called, and the function that does it and returns the line to print.

    `is_final` says that the memory is another one, or none, afterwards.
    """

    label: str
    apply: Callable[[], str]
    is_final: bool = False


class ActiveCard(Record):
    """A memory that holds and needs a decision. `commands` decide on it without a terminal; `answers` are by key."""

    title: str
    listed: ListedMemory
    lines: tuple[str, ...]
    commands: tuple[str, ...]
    answers: Mapping[str, CardAnswer]
    json: JsonObject


def active_cards(vault: Vault) -> list[ActiveCard]:
    """Return a card for each memory that agents were told and did not follow, then for each that names what is gone."""
    from tacit.vault.outdated import OutdatedMemories

    not_followed = (_not_followed_card(vault, item) for item in vault.adherence.ineffective())
    return [*not_followed, *(_missing_card(vault, item) for item in OutdatedMemories(vault.home).outdated())]


def echo_active_cards(cards: Sequence[ActiveCard]) -> None:
    """Print cards with the commands that decide on each."""
    for at, card in enumerate(cards, 1):
        _echo_card(card, at, len(cards))
        echo(f"   {'   '.join(card.commands)}")


def ask_active_cards(cards: Sequence[ActiveCard]) -> bool:
    """Ask about each card. Return False if the person wants to stop."""
    decided: set[str] = set()
    for at, card in enumerate(cards, 1):
        claim = card.listed.memory.id
        if claim in decided:
            continue
        _echo_card(card, at, len(cards))
        answer = _ask_card(card)
        if answer is None:
            return False
        if answer in card.answers and card.answers[answer].is_final:
            decided.add(claim)
    return True


def card_json(listed: ListedMemory, card: str, others: Sequence[JsonObject] = ()) -> JsonObject:
    """Return a card as JSON. `card` says what it asks about."""
    return {**memory_json(listed), "card": card, "others": list(others), "adherence": None, "missing": []}


def _echo_card(card: ActiveCard, at: int, of: int) -> None:
    listed = card.listed
    where = printable(scope_text(listed.memory))
    echo(f"── {at} of {of}, {card.title} ── {cyan(f'[{listed.short}]')} {listed.memory.kind.label}, {where}")
    echo_wrapped(bold(f"   “{printable(listed.memory.claim.sentence)}”"))
    for line in card.lines:
        echo(f"   {line}")


def _ask_card(card: ActiveCard) -> str | None:
    """Ask until a card is decided or skipped. Return the key of the answer, "" if it is skipped, None to stop."""
    labels = " · ".join(f"{key} {answer.label}" for key, answer in card.answers.items())
    while True:
        try:
            key = ask(f"   {labels} · s skip · q quit > ").strip().lower()[:1]
            if key in ("q", "s", ""):
                return None if key == "q" else ""
            if key in card.answers:
                echo(f"   {card.answers[key].apply()}")
                return key
        except EOFError:
            return None
        except TacitError as error:
            echo(f"   {printable(error.message)}")


# Told but not followed


def _not_followed_card(vault: Vault, item: IneffectiveMemory) -> ActiveCard:
    memory, short = item.listed.memory, item.listed.short

    def guard() -> str:
        vault.decisions.keep(memory.id, reason="to be guarded")
        return f"To have it enforced, type: tacit guard on {short}"

    def keep() -> str:
        return outcome_line("Kept", vault.decisions.keep(memory.id, reason="kept although not followed"))

    return ActiveCard(
        "told but not followed",
        item.listed,
        tuple(adherence_lines(item.report)),
        (f'tacit edit {short} --text "…"', f"tacit guard on {short}", f"tacit forget {short}"),
        {
            "r": _reword_answer(vault, memory),
            "g": CardAnswer("guard", guard),
            "f": _forget_answer(vault, memory, "told and not followed"),
            "k": CardAnswer("keep as it is", keep),
        },
        {**card_json(item.listed, NOT_FOLLOWED), "adherence": adherence_json(item.report)},
    )


# Naming what is gone


def _missing_card(vault: Vault, item: OutdatedMemory) -> ActiveCard:
    memory, short = item.listed.memory, item.listed.short

    def keep() -> str:
        names = [name.text for name in item.missing]
        return outcome_line("Kept", vault.decisions.keep_despite(memory.id, names))

    return ActiveCard(
        "names what is gone",
        item.listed,
        tuple(_missing_lines(item.missing)),
        (f'tacit edit {short} --text "…"', f"tacit forget {short}"),
        {
            "r": _reword_answer(vault, memory),
            "f": _forget_answer(vault, memory, "names what is gone"),
            "k": CardAnswer("keep as it is", keep),
        },
        {**card_json(item.listed, MISSING), "missing": [_missing_json(name) for name in item.missing]},
    )


def _missing_lines(missing: Sequence[MissingName]) -> Iterator[str]:
    for name in missing:
        session = name.last_session
        last = f" (last changed on {session.ended_at[:10]} in session {name.short})" if session else ""
        yield f"not in this work tree: {printable(name.text)}{last}"


def _missing_json(name: MissingName) -> JsonObject:
    session = name.last_session
    last_change = {"session": session.id, "at": utc_timestamp(session.ended_at)} if session else None
    return {"text": name.text, "last_change": last_change}


# Answers of both


def _reword_answer(vault: Vault, memory: Memory) -> CardAnswer:
    def reword() -> str:
        from tacit.cli.edit import edit_text

        text = ask("   new text (empty: your editor) > ").strip() or edit_text(memory.claim.sentence)
        outcome = vault.edit(memory.id, text=text)
        return "\n".join([outcome_line("Reworded", outcome), *conflict_lines(outcome)])

    return CardAnswer("reword", reword, is_final=True)


def _forget_answer(vault: Vault, memory: Memory, reason: str) -> CardAnswer:
    return CardAnswer("forget", lambda: outcome_line("Forgot", vault.forget(memory.id, reason=reason)), is_final=True)
