"""Who speaks, when and where: read from the environment once, handed down as values."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from tacit.core.errors import Refused, WrongUse
from tacit.core.event import USER, Origin
from tacit.core.provenance import Provenance
from tacit.core.text import clean, clip, show
from tacit.record import Record
from tacit.vault.agents import find_agent

Clock = Callable[[], datetime]


class Speaker(Record):
    """Makes the origin of an operation. An actor other than the person speaks with a model's authority.

    `sign` says what an agent was recognised by; it is shown where something is refused, and not recorded.
    """

    clock: Clock
    actor: str = USER
    session: str = ""
    host: str = ""
    sign: str = ""

    @property
    def is_person(self) -> bool:
        return self.actor == USER

    def must_be_person(self, what: str, type_it: str) -> None:
        """Decisions are the person's; an agent is told what to ask for, and a person why they were taken for one."""
        if not self.is_person:
            known_by = f" ({show(self.sign)})" if self.sign else ""
            elsewhere = ", in a terminal that no agent started" if self.sign else ""
            raise Refused(
                f"only a person {what}, and this is {show(self.actor)}{known_by}",
                f"ask them to type{elsewhere}: {type_it}",
            )

    def origin(self) -> Origin:
        now = self.clock()
        offset = now.utcoffset()
        return Origin(
            at=now.astimezone(UTC),
            tz=int(offset.total_seconds() // 60) if offset else 0,
            host=self.host,
            session=self.session,
            actor=self.actor,
            provenance=Provenance.USER_DIRECT if self.is_person else Provenance.MODEL,
        )


def speaker(environment: Mapping[str, str]) -> Speaker:
    """`TACIT_NOW` fixes the clock, `TACIT_ACTOR` names an agent, `TACIT_SESSION` its session.

    A command that an agent runs is the agent's, whatever it calls itself and whichever variables it removed: nobody
    becomes the person by a variable.
    """
    fixed, agent = environment.get("TACIT_NOW"), find_agent(environment)
    named = environment.get("TACIT_ACTOR") or USER
    return Speaker(
        clock=_fixed(fixed) if fixed else _wall_clock,
        actor=clip(clean(f"agent:{agent.name}" if agent and named == USER else named), 64),
        session=clip(clean(environment.get("TACIT_SESSION") or (agent.session if agent else "")), 128),
        host=clip(clean(os.uname().nodename), 64),
        sign=clip(clean(agent.sign), 160) if agent and named == USER else "",
    )


def _wall_clock() -> datetime:
    return datetime.now(UTC).astimezone()


def _fixed(text: str) -> Clock:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise WrongUse(f"TACIT_NOW is not a time: {text!r}", "TACIT_NOW=2026-01-31T12:00:00Z tacit …") from None
    aware = moment if moment.tzinfo else moment.astimezone()
    return lambda: aware
