"""What every group of verbs works on: an open home and its settings."""

from __future__ import annotations

from tacit.recall.places import Lines
from tacit.settings import Settings
from tacit.vault.store import Store


class Verbs:
    """A group of verbs. The vault is all groups together."""

    _store: Store
    _settings: Settings
    files: dict[str, Lines]
