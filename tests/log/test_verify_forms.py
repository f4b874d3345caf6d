"""A line whose form is recognised can be decoded, and is what Tacit writes for its event."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.log.codec import decode, encode, is_encoding_of, with_checksum
from tacit.log.verify import known_form
from tacit.model.claim import GLOBAL
from tacit.model.event import ClaimProposed, Event, Verdict
from tacit.model.statement import claim_from
from tests.laws.strategies import law, logs
from tests.support.events import event


@law
@given(logs)
def test_the_form_of_every_proposal_that_tacit_writes_is_plain(log: list[Event]) -> None:
    for said in log:
        line = encode(said).rstrip(b"\n")
        form = known_form(line)
        if b"\\ud" in line:
            continue
        assert form is not None and form.event == said.id
        if form.is_plain:
            assert is_encoding_of(said, line)
        if isinstance(said.body, ClaimProposed) and b"\\u007f" not in line and said.body.confidence in (0, 0.5, 1):
            assert form.is_plain


LINE = encode(event(1, ClaimProposed(claim_from("use pnpm", GLOBAL), Verdict.ADDED, "user_direct", "he said so")))


@given(st.integers(0, len(LINE) - 20), st.binary(max_size=3), st.integers(0, 2))
def test_what_is_plain_can_be_decoded_whatever_was_changed(at: int, put: bytes, removed: int) -> None:
    record = LINE[: LINE.rfind(b',"c":')]
    changed = record[:at] + put + record[at + removed :]
    line = with_checksum(changed + b"}").rstrip(b"\n")
    form = known_form(line)
    if form is not None and form.is_plain:
        read = decode(line)
        assert isinstance(read, Event) and is_encoding_of(read, line)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ts", "2026-02-30T12:00:00.000000Z"),
        ("ts", "2026-02-29T12:00:00.000000Z"),
        ("ts", "2100-02-29T12:00:00.000000Z"),
        ("ts", "2026-13-01T12:00:00.000000Z"),
        ("tz", "60"),
        ("src", "somebody"),
        ("v", 2),
        ("id", "not an id"),
        ("type", "memory.dreamt"),
    ],
)
def test_a_field_that_does_not_fit_is_no_known_form(name: str, value: object) -> None:
    fields = {**json.loads(LINE), name: value}
    fields.pop("c")
    record = json.dumps(fields, sort_keys=True, separators=(",", ":")).encode()
    assert known_form(with_checksum(record).rstrip(b"\n")) is None


@pytest.mark.parametrize("day", ["2024-02-29", "2000-02-29", "2026-12-31", "2026-04-30"])
def test_the_last_day_of_a_month_is_a_day(day: str) -> None:
    moved = re.sub(rb'"ts":"[0-9-]{10}', b'"ts":"%s' % day.encode(), LINE[: LINE.rfind(b',"c":')])
    form = known_form(with_checksum(moved + b"}").rstrip(b"\n"))
    assert form is not None and form.is_plain
