"""Who calls: always an agent, whatever the environment says. Each request opens the home afresh and lets it go."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from tacit.record import Record

if TYPE_CHECKING:  # loaded by the first call that needs memory
    from tacit.vault.speaker import Speaker
    from tacit.vault.vault import Vault

_NAME = 48
_PATIENCE = 3.0  # seconds: an agent waits for the answer, and a person for the agent


class Caller(Record):
    """A client by the name it gave, and the home it asks."""

    name: str
    home: str | None = None

    def opened(self) -> Vault:
        from tacit.vault.opened import Home
        from tacit.vault.vault import Vault

        return Vault(Home(self.home, speaking=speaker_of(self.name, os.environ)))


def speaker_of(name: str, environment: Mapping[str, str]) -> Speaker:
    """The agent of this name. The environment tells the session, the host and the clock, and never who speaks."""
    from tacit.core.text import clean, clip, show
    from tacit.vault.speaker import speaker

    known_as = clip(show(clean(name)).strip(), _NAME) or "unknown"
    return speaker(environment)._replace(actor=f"agent:{known_as}")


def wait_for_turn(vault: Vault) -> None:
    """Before a change: whoever holds the home for long is not waited for as patiently as on the command line."""
    from tacit.disk.lock import FileLock

    home = vault.home.store.home
    if os.path.isdir(home.root):
        with FileLock(home.write_lock, _PATIENCE).held():
            pass
