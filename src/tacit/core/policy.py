"""Whose proposals are active without asking: only what a person said directly."""

from __future__ import annotations

from tacit.core.event import Provenance


def adopts(provenance: Provenance) -> bool:
    """Whether an `add` from this source needs no one's accept. A model's `add` is a suggestion."""
    return provenance is Provenance.USER_DIRECT
