"""A manifest is read as it was written, by machines with the ring alone."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from tacit.remotes.keys import MANIFEST_KIND, make_ring, seal
from tacit.remotes.manifest import Manifest, SegmentEntry, manifest_fields, seal_manifest, unseal_manifest

AT = datetime(2026, 3, 2, 12, 30, 1, 5, tzinfo=UTC)
MANIFEST = Manifest(
    "a" * 32,
    "laptop",
    "age1…",
    7,
    "token",
    AT,
    (SegmentEntry("b" * 32, 300, 4),),
    ("op",),
    (("c" * 32, AT),),
    ("d" * 32,),
    True,
)


def test_it_is_read_as_it_was_written() -> None:
    ring = make_ring()
    assert unseal_manifest(ring, seal_manifest(ring, MANIFEST)) == MANIFEST
    assert unseal_manifest(make_ring(), seal_manifest(ring, MANIFEST)) is None
    assert MANIFEST.seen_at("c" * 32) == AT
    assert MANIFEST.seen_at("e" * 32) is None


@pytest.mark.parametrize(
    "change",
    [
        {"machine": "../../etc"},
        {"segments": [["../x", 1, 1]]},
        {"segments": 7},
        {"at": "yesterday"},
        {"at": "2026-03-02T12:00:00"},
        {"seen": []},
        {"sequence": "x"},
    ],
)
def test_what_does_not_fit_is_no_manifest(change: dict[str, object]) -> None:
    ring = make_ring()
    data = json.dumps({**manifest_fields(MANIFEST), **change}).encode()
    assert unseal_manifest(ring, seal(ring, MANIFEST_KIND, data)) is None


def test_a_name_is_one_short_text() -> None:
    ring = make_ring()
    read = unseal_manifest(ring, seal_manifest(ring, MANIFEST._replace(name="y" * 500)))
    assert read is not None and len(read.name) <= 61
