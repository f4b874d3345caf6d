"""What every source holds to, whatever the host."""

from __future__ import annotations

import json
import random
from datetime import UTC
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.hosts.capture import HEAD_BYTES, SOURCES, detect_source
from tacit.hosts.records import CaptureLimits, ReadStats, TranscriptEvent
from tacit.model.observation import PromptGiven, ReplyGiven, ToolUsed
from tests.support.transcripts import GOLDEN, golden, hear

TRANSCRIPTS = {
    "claude": "claude/session.jsonl",
    "codex": "codex/newest.jsonl",
    "copilot": "copilot/events.jsonl",
    "gemini": "gemini/newest.jsonl",
    "opencode": "opencode/opencode.sql",
}
BY_LINES = {name: (GOLDEN / path).read_bytes() for name, path in TRANSCRIPTS.items() if name != "opencode"}
OLDER = {"codex": (GOLDEN / "codex/older.jsonl").read_bytes()}
each = pytest.mark.parametrize("name", sorted(SOURCES))
each_by_lines = pytest.mark.parametrize("name", sorted(BY_LINES))


def read(name: str, folder: Path, limits: CaptureLimits = CaptureLimits()) -> tuple[list[TranscriptEvent], ReadStats]:  # noqa: B008
    tally = ReadStats()
    with open(golden(TRANSCRIPTS[name], folder), "rb") as file:
        return list(SOURCES[name].read(file, 0, limits, tally)), tally


@each
def test_a_transcript_is_recognised_by_its_own_source_which_says_where_they_lie(name: str, tmp_path: Path) -> None:
    path = golden(TRANSCRIPTS[name], tmp_path)
    places = SOURCES[name].paths({}, "/home/kim")

    assert detect_source(str(path), path.read_bytes()[:HEAD_BYTES]) == SOURCES[name] and SOURCES[name].name == name
    assert places and all(place.startswith("/home/kim/") for place in places)


@each
def test_everything_heard_is_complete(name: str, tmp_path: Path) -> None:
    heard, tally = read(name, tmp_path)

    assert {type(one.body) for one in heard} >= {PromptGiven, ReplyGiven, ToolUsed}
    for one in heard:
        assert one.key and one.session and one.at.tzinfo is UTC
        assert one.body.agent == name
    assert len({one.key for one in heard}) == len(heard)
    assert 0 < tally.text_bytes < tally.bytes_read and tally.records > 0


@each
def test_reading_again_gives_the_same(name: str, tmp_path: Path) -> None:
    heard, _ = read(name, tmp_path)
    (tmp_path / "again").mkdir()

    assert read(name, tmp_path / "again")[0] == heard


@each
def test_limits_are_kept_and_what_the_person_wrote_has_none(name: str, tmp_path: Path) -> None:
    (tmp_path / "short").mkdir()
    whole, _ = read(name, tmp_path)
    short, _ = read(name, tmp_path / "short", CaptureLimits(input=10, result=12, reply=20))

    for one in short:
        match one.body:
            case ReplyGiven(text=text):
                assert len(text) <= 20
            case ToolUsed():
                assert max(len(one.body.input), len(one.body.change)) <= 10 and len(one.body.result) <= 12
    written, kept = ([one.body.text for one in heard if isinstance(one.body, PromptGiven)] for heard in (whole, short))
    assert written == kept


@each
def test_nothing_that_was_put_there_is_heard(name: str, tmp_path: Path) -> None:
    told = repr(read(name, tmp_path)[0])
    hidden = ("memory", "What Tacit gave", "thoughts", "system-reminder", "hook_context", "A summary", "helper's words")

    assert [text for text in hidden if text in told] == []


@each_by_lines
def test_reading_on_from_the_settled_offset_hears_the_rest(name: str) -> None:
    data = BY_LINES[name]
    whole, tally = hear(name, data)
    rest, _ = hear(name, data, tally.cursor)

    assert 0 < tally.cursor < len(data)
    assert rest == [one for one in whole if one.key in {again.key for again in rest}]
    assert whole[-1] in rest


@each_by_lines
@settings(max_examples=40, deadline=None)
@given(cuts=st.lists(st.floats(0, 1), max_size=6), older=st.booleans())
def test_reading_in_slices_hears_the_same(name: str, cuts: list[float], older: bool) -> None:
    data = OLDER.get(name, BY_LINES[name]) if older else BY_LINES[name]
    whole = {one.key: one for one in hear(name, data)[0]}
    sliced: dict[str, TranscriptEvent] = {}
    offset = 0
    for size in [*sorted(round(cut * len(data)) for cut in cuts), len(data)]:
        heard, tally = hear(name, data[:size], offset)
        for one in heard:
            sliced.setdefault(one.key, one)
        offset = tally.cursor

    assert sliced == whole


@each_by_lines
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**9))
def test_a_damaged_transcript_is_never_an_error(name: str, seed: int) -> None:
    chance, data = random.Random(seed), bytearray(BY_LINES[name])
    for _ in range(chance.randrange(1, 40)):
        at = chance.randrange(len(data))
        match chance.randrange(4):
            case 0:
                data[at] = chance.randrange(256)
            case 1:
                del data[at : at + chance.randrange(1, 60)]
            case 2:
                odd = (b"null", b"[]", b"{}", b'"', b"\n", b"1e999", b"\\ud800", b"\xff", b"[[[[")
                data[at:at] = chance.choice(odd) * 2
            case _:
                data[at : at + 4] = chance.choice((b"null", b"true", b'"x":', b"-1,[", b'{"a"'))
        if not data:
            return

    hear(name, bytes(data))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


@each_by_lines
@settings(max_examples=60, deadline=None)
@given(shaken=st.data())
def test_a_record_of_any_shape_is_never_an_error(name: str, shaken: st.DataObject) -> None:
    """Records of the host in which some values were replaced by others."""
    cut = b'{"type":"user","message":{"content":"cut'
    lines = [line for line in BY_LINES[name].splitlines() if not line.startswith(cut)]
    records = [json.loads(line) for line in shaken.draw(st.lists(st.sampled_from(lines), min_size=1, max_size=4))]
    for record in records:
        _shake(record, shaken)

    hear(name, b"".join(json.dumps(record).encode() + b"\n" for record in records))


def _shake(record: dict[str, object], shaken: st.DataObject) -> None:
    name = shaken.draw(st.sampled_from(sorted(record)))
    inner = record[name]
    if isinstance(inner, list) and inner and isinstance(inner[0], dict):
        inner = inner[0]
    if isinstance(inner, dict) and inner and shaken.draw(st.integers(0, 3)):
        _shake(inner, shaken)
    else:
        record[name] = shaken.draw(JSON)


@each_by_lines
@settings(max_examples=30, deadline=None)
@given(data=st.binary(max_size=400))
def test_bytes_that_are_no_transcript_are_never_an_error(name: str, data: bytes) -> None:
    list(SOURCES[name].read(BytesIO(data), 0, CaptureLimits(), ReadStats()))
    detect_source("a.jsonl", data)
