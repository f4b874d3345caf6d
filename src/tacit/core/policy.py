"""Whose word holds without asking: what a person said directly, or vouched for."""

from __future__ import annotations

from tacit.core.event import POLICY, REPOSITORY
from tacit.core.provenance import Provenance


def adopts(provenance: Provenance) -> bool:
    """Whether an `add` from this source needs no one's accept. A model's `add` is a suggestion."""
    return provenance is Provenance.USER_DIRECT


def decides_alone(actor: str, provenance: Provenance) -> bool:
    """Whether somebody other than the person makes something active: rules a person set and repositories a person
    trusts, and those only on what comes from the person's own words or files."""
    return actor in (POLICY, REPOSITORY) and provenance >= Provenance.USER_FILE
