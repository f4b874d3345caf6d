"""Lines of commands are decoded quickly, to the same events as every other line."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.log.codec import DamagedLine, decode, encode, with_checksum
from tacit.log.command_lines import decode_line
from tacit.model.claim import Provenance, Scope
from tacit.model.event import Event, EventOrigin
from tacit.model.ids import event_id
from tacit.model.observation import CommandRan, PromptGiven
from tests.support.events import event

# What shells are typed in, and what JSON writes in another way than it is.
texts = st.one_of(
    st.text(st.sampled_from("ab \"\\'{},:/\n\t\0\x1f\x7fé中🙂"), max_size=12),
    st.just('},"host":"h","id":"'),
    st.text(max_size=8),
)
numbers = st.integers(-(2**62), 2**62)
moments = st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999), timezones=st.just(UTC))
origins = st.builds(
    EventOrigin, moments, st.integers(-900, 900), texts, texts, texts, st.sampled_from(list(Provenance))
)
ids = st.builds(event_id, st.integers(0, 2**48 - 1), st.binary(min_size=10, max_size=10))
commands = st.builds(
    CommandRan, texts, texts, numbers, numbers, st.sampled_from(["", "zsh"]), st.just("") | texts, st.just("") | texts
)
events = st.builds(Event, ids, ids, origins, texts.map(Scope), commands)
same_op = st.builds(lambda event: event._replace(op=event.id), events)

PLAIN = encode(event(1, CommandRan("make test", "/srv/app", 2, 15, "zsh"), session="zsh:1")).rstrip(b"\n")
CHECKSUM = b',"c":"01234567"}'


def changed(old: bytes, new: bytes) -> bytes:
    """The line with something else in it and the checksum that it should have."""
    assert old in PLAIN
    return with_checksum(PLAIN[: -len(CHECKSUM)].replace(old, new, 1) + b"}").rstrip(b"\n")


@given(st.one_of(events, same_op), st.sampled_from([b"", b"0123456789abcdef" * 2]))
def test_a_command_is_decoded_as_the_codec_does(event: Event, mac: bytes) -> None:
    line = encode(event, lambda _content: mac).rstrip(b"\n")
    assert decode_line(line) == decode(line) == event


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"make test", rb"echo \"hi\" \\ \/ \n"),
        (b"make test", rb"echo \q"),
        (b"make test", rb"echo \ud83d"),
        (b"make test", rb"caf\u00e9"),
        (b"make test", b"make\ttest"),
        (b'"make test"', b"7"),
        (b'"shell":"zsh",', b""),
        (b'"shell":"zsh",', b'"shell":"zsh","shell":"bash",'),
        (b'"shell":"zsh",', b'"shell":["zsh"],'),
        (b'"status":2', b'"status":02'),
        (b'"status":2', b'"status":-0'),
        (b'"status":2', b'"status":2.0'),
        (b'"status":2', b'"status":9999999999999999999999'),
        (b'"status":2', b'"status":true'),
        (b'"status":2', b'"zebra":1'),
        (b'"host":"host"', rb'"host":"h\"ost"'),
        (b'"id":"0', b'"id":"G'),
        (b'"op":"0', b'"op":"1'),
        (b'"src":"user_direct"', b'"src":"nobody"'),
        (b'000000Z"', b'000000"'),
        (b'000000Z"', b'000000+23:00"'),
        (b'"ts":"2', b'"ts":"x'),
        (b'"tz":0', b'"tz":90071992547409930'),
        (b'"v":1', b'"v":2'),
        (b'"v":1', b'"v":1,"m":7'),
        (b'"type":"command.ran"', b'"type":"command.runs"'),
        (b'"actor"', b'"actors"'),
    ],
)
def test_what_is_unusual_in_a_line_is_read_or_refused_as_the_codec_does(old: bytes, new: bytes) -> None:
    line = changed(old, new)
    assert decode_line(line) == decode(line)


def test_a_line_that_was_changed_is_damaged() -> None:
    assert decode_line(PLAIN) == decode(PLAIN)
    for line in (PLAIN.replace(b"make", b"fake"), PLAIN[:-1], PLAIN + b".", b"", b"\xff" + PLAIN):
        assert decode_line(line) == decode(line)
        assert isinstance(decode_line(line), DamagedLine)


def test_other_events_are_decoded_too() -> None:
    prompt = event(2, PromptGiven("claude", '{"actor":"user","body":{"command":"make"'), session="s")
    assert decode_line(encode(prompt).rstrip(b"\n")) == prompt
