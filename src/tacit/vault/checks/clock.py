"""The clock: what is recorded next is put behind the last event, but its date would be wrong."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from tacit.core.event import timestamp
from tacit.core.observation import Purged
from tacit.log.log import PURGED
from tacit.log.verify import Finding
from tacit.vault.store import Store

_MAY_DIFFER = timedelta(minutes=5)


def check(store: Store) -> Iterator[Finding]:
    now = store.speaker.origin().at
    latest = max((event.at for event in store.log.events()), default=now)
    if latest - now > _MAY_DIFFER:
        what = f"the last event is of {timestamp(latest)}, the clock says {timestamp(now)}"
        yield Finding("the clock", what, "date; set the clock. The order of events does not depend on it", False)
    purges = [event.at for event in store.log.events() if isinstance(event.body, Purged)]
    if purges and max(purges) - now > _MAY_DIFFER:
        what = f"a purge is dated {timestamp(max(purges))}; until then, what it purged is left out of commands you run"
        yield Finding(PURGED, what, "nothing: all other commands are recorded as they are", False)
