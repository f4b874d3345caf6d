"""A manifest is read as it was written, by those with its keys alone, and tells of a machine only what is certain."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from tacit.remotes.keys import MANIFEST_KIND, make_ring, seal
from tacit.remotes.manifests import (
    Manifest,
    SegmentEntry,
    manifest_fields,
    report_machine,
    seal_manifest,
    unseal_manifest,
)

OWN = "c" * 32
AT = datetime(2026, 3, 2, 12, 30, 1, 5, tzinfo=UTC)
SEGMENTS, SEEN = (SegmentEntry("b" * 32, 300, 4),), ((OWN, AT),)
MANIFEST = Manifest("a" * 32, "laptop", "age1…", 7, "token", AT, SEGMENTS, ("op",), SEEN, ("d" * 32,), True)


def test_it_is_read_as_it_was_written() -> None:
    ring = make_ring()
    assert unseal_manifest(ring, seal_manifest(ring, MANIFEST)) == MANIFEST
    assert unseal_manifest(make_ring(), seal_manifest(ring, MANIFEST)) is None


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
        {"sequences": 7},
        {"wanted": {"laptop": 7}},
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


@pytest.mark.parametrize(
    ("written", "seen", "seconds"),
    [
        (timedelta(), None, 0),
        (timedelta(minutes=-3), None, 0),
        (timedelta(days=-90), None, 0),  # off for months, as far as anybody can tell
        (timedelta(hours=9), None, 9 * 3600),
        (timedelta(hours=-9), timedelta(minutes=-10), -9 * 3600 + 600),
        (timedelta(hours=-9), timedelta(hours=-10), 0),
    ],
)
def test_a_clock_differs_only_where_it_is_certain(written: timedelta, seen: timedelta | None, seconds: int) -> None:
    manifest = MANIFEST._replace(at=AT + written, seen=((OWN, AT + seen),) if seen is not None else ())
    assert report_machine(manifest, OWN, (), AT).clock_seconds == seconds


def test_purges_that_it_does_not_name_are_unconfirmed() -> None:
    manifest = MANIFEST._replace(purges=("a", "b"))
    assert report_machine(manifest, OWN, ("a", "b"), AT).unconfirmed == 0
    assert report_machine(manifest, OWN, ("a", "c", "d"), AT).unconfirmed == 2
