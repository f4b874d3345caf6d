"""Who speaks, when and where: read from the environment once, handed down as values."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from tacit.core.errors import WrongUse
from tacit.core.event import USER, Origin, Provenance
from tacit.core.text import clean, clip

Clock = Callable[[], datetime]


class Speaker(NamedTuple):
    """Makes the origin of an operation. An actor other than the person speaks with a model's authority."""

    clock: Clock
    actor: str = USER
    session: str = ""
    host: str = ""

    def origin(self) -> Origin:
        now = self.clock()
        offset = now.utcoffset()
        return Origin(
            at=now.astimezone(UTC),
            tz=int(offset.total_seconds() // 60) if offset else 0,
            host=self.host,
            session=self.session,
            actor=self.actor,
            provenance=Provenance.USER_DIRECT if self.actor == USER else Provenance.MODEL,
        )


def speaker(environment: Mapping[str, str]) -> Speaker:
    """`TACIT_NOW` fixes the clock, `TACIT_ACTOR` names an agent, `TACIT_SESSION` its session."""
    fixed = environment.get("TACIT_NOW")
    return Speaker(
        clock=_fixed(fixed) if fixed else _wall_clock,
        actor=clip(clean(environment.get("TACIT_ACTOR") or USER), 64),
        session=clip(clean(environment.get("TACIT_SESSION") or ""), 128),
        host=clip(clean(os.uname().nodename), 64),
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
