"""One session: its turns with prompts, replies, tool calls and files, what was injected and whether it was followed."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.responses import Response

from tacit.model.observation import ReplyGiven
from tacit.model.recap import session_outcome
from tacit.model.session import Turn
from tacit.record import Record
from tacit.vault.sessions import InjectionRecord
from tacit.web.request import PageRequest

_TURNS_PER_PAGE = 20


class ShownTurn(Record):
    """A turn, and what was injected before it."""

    turn: Turn
    injections: tuple[InjectionRecord, ...]


def session_page(call: PageRequest) -> Response:
    listed, session = call.vault.sessions.session(call.parameters["reference"])
    turns = session.turns
    chosen = call.number("turn", default=0) or _turn_of_event(turns, call.value("event"))
    page = (chosen - 1) // _TURNS_PER_PAGE + 1 if 0 < chosen <= len(turns) else call.number("page")
    first = (page - 1) * _TURNS_PER_PAGE
    injections = call.vault.sessions.injected(session=listed.row.id, limit=500)
    return call.page(
        "session.html",
        listed.row.title,
        {
            "listed": listed,
            "session": session,
            "outcome": session_outcome(turns),
            "turns": _with_injections(turns, injections)[first : first + _TURNS_PER_PAGE],
            "chosen": chosen,
            "results": call.vault.adherence.results_of_session(listed.row.id),
            "page_number": page,
            "page_count": max((len(turns) - 1) // _TURNS_PER_PAGE + 1, 1),
            "is_reply": lambda step: isinstance(step, ReplyGiven),
        },
    )


def _turn_of_event(turns: Sequence[Turn], event: str) -> int:
    """Return the number of the turn that an event belongs to, 0 if there is none. Ids are in the order of time."""
    return max((turn.number for turn in turns if turn.event <= event), default=0)


def _with_injections(turns: Sequence[Turn], injections: Sequence[InjectionRecord]) -> list[ShownTurn]:
    """Return each turn with the injections up to its end that no earlier turn has."""
    waiting = sorted(injections, key=lambda injection: injection.event.id)
    shown = []
    for number, turn in enumerate(turns, 1):
        is_last = number == len(turns)
        own = [injection for injection in waiting if is_last or injection.event.at <= turn.ended_at]
        waiting = waiting[len(own) :]
        shown.append(ShownTurn(turn, tuple(own)))
    return shown
