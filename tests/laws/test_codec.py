"""One event, one line: what was written is read, and a line that was changed is not believed."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.log.codec import DamagedLine, decode, encode
from tacit.model import observation as seen
from tacit.model.claim import GLOBAL, Claim, Kind, Provenance, Scope, Triple
from tacit.model.event import ClaimDecided, ClaimProposed, Event, EventBody, EventOrigin, EventsUndone, Verdict
from tacit.model.ids import EventId, event_id
from tacit.model.session import Adherence
from tacit.model.trial import Apart, Ending, TrialOutcome
from tests.laws.strategies import DECISIONS, PROPOSALS, claims, law, logs, scopes, wild_texts

some_text = st.text(min_size=1, max_size=20)
words = st.lists(wild_texts, max_size=3).map(tuple)
ids = st.builds(event_id, st.integers(0, 2**48 - 1), st.binary(min_size=10, max_size=10))
claim_ids = claims.map(lambda claim: claim.id)
named_claims = st.lists(claim_ids, max_size=3).map(tuple)
counts = st.integers(0, 2**40)
moments = st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999), timezones=st.just(UTC))
bodies: st.SearchStrategy[EventBody] = st.one_of(
    st.builds(
        ClaimProposed,
        claims,
        st.sampled_from(PROPOSALS),
        some_text,
        wild_texts,
        wild_texts,
        st.floats(0, 1),
        carried_strength=counts,
    ),
    st.builds(
        ClaimDecided,
        claims,
        st.sampled_from(DECISIONS),
        wild_texts,
        wild_texts,
        st.none() | claims,
        st.booleans(),
        counts,
        words,
    ),
    st.builds(EventsUndone, st.lists(ids, min_size=1, max_size=3).map(tuple), named_claims, wild_texts),
    st.builds(seen.WorkLogged, wild_texts, some_text, wild_texts, wild_texts, wild_texts),
    st.builds(
        seen.EvaluationCreated,
        st.dates().map(date.isoformat),
        st.lists(st.builds(seen.EvaluationScore, wild_texts, st.integers(0, 2), wild_texts), max_size=3).map(tuple),
    ),
    st.builds(
        seen.CommandRan, wild_texts, wild_texts, st.integers(-1, 255), counts, wild_texts, wild_texts, wild_texts
    ),
    st.builds(seen.WorkflowSaved, wild_texts, words, wild_texts, wild_texts),
    st.builds(seen.WorkflowDropped, wild_texts),
    st.builds(
        seen.WorkflowRan,
        wild_texts,
        st.lists(st.builds(seen.StepRan, wild_texts, st.integers(-1, 255), counts), max_size=3).map(tuple),
        wild_texts,
        counts,
        st.booleans(),
    ),
    st.builds(seen.RecallAsked, wild_texts, counts),
    st.builds(seen.BriefInjected, words, counts, wild_texts, tried=words),
    st.builds(
        seen.MemoryChecked,
        *[claim_ids] * 2,
        st.sampled_from(Adherence).map(lambda result: result.value),
        ids | st.just(EventId("")),
        ids | st.just(EventId("")),
    ),
    st.builds(seen.TrialStarted, claim_ids, st.just("0123456789abcdef0123"), counts),
    st.builds(seen.TrialEnded, claim_ids, ids, st.sampled_from(Ending).map(str)),
    st.builds(
        seen.TrialChecked,
        claim_ids,
        ids,
        claim_ids,
        st.booleans(),
        st.sampled_from(TrialOutcome).map(str),
        *[ids | st.just(EventId(""))] * 2,
        st.sampled_from(Apart).map(str),
        *[counts] * 3,
    ),
    st.builds(seen.ProjectSeen, some_text),
    st.builds(seen.LogSealed, counts, counts, some_text),
    st.builds(seen.UnknownBody, some_text.map("future.".__add__)),
)
offsets = st.integers(-1439, 1439)
origins = st.builds(EventOrigin, moments, offsets, *[wild_texts] * 3, st.sampled_from(Provenance))
events = st.builds(Event, ids, ids, origins, st.one_of(scopes, wild_texts.map(Scope)), bodies)


def event_of(body: EventBody) -> Event:
    name = event_id(1, bytes(10))
    origin = EventOrigin(datetime(2024, 1, 1, tzinfo=UTC), 0, "", "", "", Provenance.EXTERNAL)
    return Event(name, name, origin, GLOBAL, body)


@law
@given(events)
def test_what_was_written_is_read(event: Event) -> None:
    read = decode(encode(event).removesuffix(b"\n"))
    assert isinstance(read, Event) and type(read.body) is type(event.body)
    assert read == event


@law
@given(logs)
def test_every_event_of_a_log_is_one_line_that_any_json_reader_takes(log: list[Event]) -> None:
    data = b"".join(encode(event) for event in log)
    lines = data.split(b"\n")
    assert lines.pop() == b""
    assert [decode(line) for line in lines] == log
    for line in lines:
        assert line.isascii() and line.decode().isprintable()
        fields = list(json.loads(line))
        assert fields == [*sorted(fields[:-1]), "c"]


EMPTY = Claim(Kind.RULE, GLOBAL, Triple("", "", ""), "")
EMPTY_BODIES: tuple[EventBody, ...] = (
    *(ClaimProposed(EMPTY, verdict, "") for verdict in PROPOSALS),
    *(ClaimDecided(EMPTY, verdict) for verdict in DECISIONS),
    ClaimDecided(EMPTY, Verdict.REVISED, instead=EMPTY),
    EventsUndone((), ()),
    seen.WorkLogged("", ""),
    seen.EvaluationCreated("2024-01-31", ()),
    seen.CommandRan(""),
    seen.WorkflowSaved("", ()),
    seen.WorkflowDropped(""),
    seen.WorkflowRan("", ()),
    seen.RecallAsked("", 0),
    seen.BriefInjected((), 0),
    seen.MemoryChecked("0123456789ab", "0123456789ab"),
    seen.TrialStarted("0123456789ab", "0123456789abcdef0123", 0),
    seen.TrialEnded("0123456789ab", event_id(1, bytes(10)), ""),
    seen.TrialChecked("0123456789ab", event_id(1, bytes(10)), "0123456789ab"),
    seen.ProjectSeen(""),
    seen.LogSealed(0, 0, ""),
)


@pytest.mark.parametrize("body", EMPTY_BODIES, ids=lambda body: type(body).__name__)
def test_an_event_with_empty_fields_is_read_as_it_was_written(body: EventBody) -> None:
    event = event_of(body)
    assert decode(encode(event).removesuffix(b"\n")) == event


@law
@given(events, st.data())
def test_a_flipped_bit_is_noticed(event: Event, data: st.DataObject) -> None:
    line = encode(event).removesuffix(b"\n")
    at = data.draw(st.integers(0, 8 * len(line) - 1))
    assert isinstance(decode(_flipped(line, at)), DamagedLine)


FEW_LINES = (
    event_of(seen.WorkLogged("PROJ-1", "summary")),
    event_of(ClaimProposed(EMPTY._replace(sentence="use 日本", tags=("t",)), Verdict.ADDED, "x", "e")),
    event_of(EventsUndone((EventId("one"),), ("0123456789ab",), "three")),
)


@pytest.mark.parametrize("event", FEW_LINES, ids=lambda event: type(event.body).__name__)
def test_every_single_flipped_bit_of_a_line_is_noticed(event: Event) -> None:
    line = encode(event).removesuffix(b"\n")
    believed = [at for at in range(8 * len(line)) if not isinstance(decode(_flipped(line, at)), DamagedLine)]
    assert believed == []


@law
@given(events, st.data())
def test_a_line_cut_short_is_noticed(event: Event, data: st.DataObject) -> None:
    line = encode(event).removesuffix(b"\n")
    end = data.draw(st.integers(0, len(line) - 1))
    assert isinstance(decode(line[:end]), DamagedLine)
    assert isinstance(decode(line[end + 1 :]), DamagedLine)


@law
@given(st.binary(max_size=200))
def test_any_bytes_are_read_without_an_exception(line: bytes) -> None:
    assert isinstance(decode(line), DamagedLine)


def _flipped(line: bytes, bit: int) -> bytes:
    changed = bytearray(line)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)
