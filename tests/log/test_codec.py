"""A line of the log: its form, what becomes of lines from the future, and of lines whose fields do not fit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from zlib import crc32

import pytest

from tacit.errors import IndexUnusableError
from tacit.index import database, writer
from tacit.log.codec import DamagedLine, damage_reason, decode, encode, event_type, must_decode, with_checksum
from tacit.model.claim import GLOBAL, Claim, Kind, Provenance, Triple
from tacit.model.event import ClaimDecided, ClaimProposed, Event, EventBody, EventOrigin, EventsUndone, Verdict
from tacit.model.ids import ClaimId, event_id, next_event_id
from tacit.model.memory import fold_memories
from tacit.model.observation import EvaluationCreated, EvaluationScore, UnknownBody, WorkLogged

Json = dict[str, object]
CLAIM = Claim(Kind.RULE, GLOBAL, Triple("agent", "use", "pnpm"), "use pnpm", ("js",))
NAME = event_id(1_700_000_000_000, bytes(10))
ORIGIN = EventOrigin(datetime(2024, 3, 1, 12, 30, tzinfo=UTC), 60, "host", "s1", "user", Provenance.USER_DIRECT)


def event_of(body: EventBody) -> Event:
    return Event(NAME, NAME, ORIGIN, GLOBAL, body)


ADDED = event_of(ClaimProposed(CLAIM, Verdict.ADDED, "user_direct", "said so", "a reason", 0.5))


def line_of(event: Event) -> bytes:
    return encode(event).removesuffix(b"\n")


def fields_of(event: Event) -> Json:
    fields = json.loads(line_of(event))
    del fields["c"]
    assert isinstance(fields, dict)
    return fields


def sealed(fields: Json) -> bytes:
    """A line with a checksum that holds, as any other program could write it."""
    return with_checksum(json.dumps(fields, sort_keys=True, separators=(",", ":")).encode("ascii")).removesuffix(b"\n")


def test_a_line_holds_the_whole_event() -> None:
    assert fields_of(ADDED) == {
        "actor": "user",
        "body": {
            "claim": {
                "kind": "rule",
                "scope": "global",
                "sentence": "use pnpm",
                "tags": ["js"],
                "triple": {"subject": "agent", "predicate": "use", "object": "pnpm"},
            },
            "confidence": 0.5,
            "evidence": "said so",
            "private": True,
            "reason": "a reason",
            "source": "user_direct",
        },
        "host": "host",
        "id": NAME,
        "op": NAME,
        "scope": "global",
        "sess": "s1",
        "src": "user_direct",
        "ts": "2024-03-01T12:30:00.000000Z",
        "type": "memory.added",
        "tz": 60,
        "v": 1,
    }


def test_the_checksum_covers_every_byte_before_it() -> None:
    head, mark, tail = line_of(ADDED).rpartition(b',"c":"')
    assert mark
    assert tail == b'%08x"}' % crc32(head)


def test_a_checksum_in_capitals_is_not_ours() -> None:
    lines = (line_of(event_of(WorkLogged("", f"entry {number}"))) for number in range(50))
    head, mark, tail = next(line.rpartition(b',"c":"') for line in lines if line[-10:-2].upper() != line[-10:-2])
    assert damage_reason(head + mark + tail) is None
    assert damage_reason(head + mark + tail.upper()) == "the checksum does not match"


@pytest.mark.parametrize("line", [b"", b"{}", b'{"c":"00000000"}', b"<<<<<<< HEAD", b"\xff" * 40, b'{"v":1}\r'])
def test_what_is_no_line_of_the_log_is_damaged(line: bytes) -> None:
    assert isinstance(decode(line), DamagedLine)


def test_two_lines_run_together_are_damaged() -> None:
    assert isinstance(decode(line_of(ADDED) + line_of(ADDED)), DamagedLine)


def test_fields_of_others_do_not_disturb() -> None:
    fields = fields_of(ADDED)
    assert decode(sealed({**fields, "x-colour": {"deep": [1, None]}})) == ADDED


def test_a_type_from_the_future_is_kept_and_never_obeyed() -> None:
    event = decode(sealed({**fields_of(ADDED), "type": "memory.transmuted"}))
    assert event == event_of(UnknownBody("memory.transmuted"))
    assert isinstance(event, Event)
    assert fold_memories([event]) == {}


def test_a_newer_version_of_a_known_type_is_kept_and_never_obeyed() -> None:
    assert decode(sealed({**fields_of(ADDED), "v": 2})) == event_of(UnknownBody("memory.added"))


def test_a_kind_from_the_future_is_kept_and_never_obeyed() -> None:
    fields = fields_of(ADDED)
    body = fields["body"]
    assert isinstance(body, dict)
    claim = {**body["claim"], "kind": "prophecy"}
    assert decode(sealed({**fields, "body": {**body, "claim": claim}})) == event_of(UnknownBody("memory.added"))


def test_a_very_deep_line_is_damaged_and_no_crash() -> None:
    assert isinstance(decode(with_checksum(b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}")[:-1]), DamagedLine)


def test_a_number_that_json_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        encode(event_of(ClaimProposed(CLAIM, Verdict.ADDED, "x", confidence=float("nan"))))


EXAMPLES = (
    ADDED,
    event_of(ClaimDecided(CLAIM, Verdict.REVISED, "why", "seen", CLAIM, True, 2, ("carried",))),
    event_of(ClaimDecided(CLAIM, Verdict.KEPT, missing=("docs/a.md", "make lint"))),
    event_of(EventsUndone((event_id(1, bytes(10)),), (CLAIM.id,), "label")),
    event_of(WorkLogged("T", "summary", "changes", "evidence", "next")),
    event_of(EvaluationCreated("2024-03-01", (EvaluationScore("backlog", 1, "why"),))),
)
WRONG: tuple[object, ...] = (None, True, 7, -1.5, "words", [], {}, [None], {"a": 1}, "2024-03-01T12:30:00")


def _misfits(fields: Json) -> Iterator[tuple[str, Json]]:
    """The record with one value, at any depth, put in the place of another."""
    for name, value in fields.items():
        for wrong in WRONG:
            yield f"{name} = {wrong!r}", {**fields, name: wrong}
        if isinstance(value, dict):
            for where, inner in _misfits(value):
                yield f"{name}.{where}", {**fields, name: inner}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda event: type(event.body).__name__)
def test_a_sealed_line_whose_fields_do_not_fit_harms_only_itself(example: Event) -> None:
    """Any program can write a checksum that holds; a wrong type must not reach the fold of the whole log."""
    good = Event(event_id(1, bytes(10)), event_id(1, bytes(10)), ORIGIN, GLOBAL, ADDED.body)
    harmed = [where for where, fields in _misfits(fields_of(example)) if _harms(good, sealed(fields))]
    assert harmed == []


def _harms(good: Event, line: bytes) -> bool:
    """Whether a log of a good event and this line cannot be folded, filed, written on or written again."""
    try:
        event = decode(line)
        if isinstance(event, Event):
            fold_memories([good, event])
            next_event_id(event.id, 0, bytes(10))
            encode(event)
            _file(good, event)
    except Exception:
        return True
    return False


def _file(*events: Event) -> None:
    filed = [
        writer.IndexedEvent(
            event, event_type(event.body), "memory/events.jsonl", number, 0, 0, encode(event).rstrip(b"\n")
        )
        for number, event in enumerate(events, 1)
    ]
    writer.apply_events(database.create_index(":memory:"), filed, [], must_decode)


def test_a_long_line_is_decoded_as_a_short_one() -> None:
    undo = event_of(EventsUndone((NAME,), tuple(ClaimId(f"c{number:011}") for number in range(1000)), "all"))
    for _ in range(2):
        assert must_decode(encode(undo)) == undo
    with pytest.raises(IndexUnusableError):
        must_decode(encode(undo).replace(b"c00000000001", b"c00000000002"))
