"""Lines of commands are decoded quickly, to the same events as every other line."""

from __future__ import annotations

import errno
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.disk.files import OsDisk
from tacit.log.codec import DamagedLine, decode, encode, with_checksum
from tacit.log.command_lines import IMPORT_ENVELOPE, BulkAppender, CommandEncoder, decode_line
from tacit.log.signing import LineSigner
from tacit.log.verify import verify
from tacit.model.claim import Provenance, Scope
from tacit.model.event import Event, EventOrigin
from tacit.model.ids import event_id
from tacit.model.observation import CommandRan, PromptGiven
from tests.log.conftest import log_of
from tests.support.events import added, event, history, says

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


# Bulk appending: lines equal to those of the codec, and a segment that gets all of them or none


SEGMENT = "imported/history-zsh-0123456789ab.jsonl"
AT = 1_772_449_445_000_123  # microseconds
OLD, NEW = b"old\n", b"new\n"


class UnsyncedDisk(OsDisk):
    """A disk that refuses to make data durable."""

    def sync_data(self, fd: int) -> None:
        raise OSError(errno.EIO, "Input/output error")


def segment_with(home: Path, data: bytes) -> Path:
    path = home / SEGMENT
    path.parent.mkdir()
    path.write_bytes(data)
    return path


def quick_and_slow(encoder: CommandEncoder, directory: str, sign: LineSigner | None = None) -> tuple[bytes, bytes]:
    name = event_id(AT // 1000, bytes(10))
    scope, actor, provenance = IMPORT_ENVELOPE
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=AT)
    origin = EventOrigin(moment, 60, "host", "zsh:1", actor, provenance)
    event = Event(name, name, origin, scope, CommandRan("make", directory, 2, 15, "zsh"))
    quick = encoder.encode(name, "make", (directory, 2, 15, "host"), "zsh:1", AT, 60)
    return quick, encode(event, sign.sign if sign else None)


@pytest.mark.parametrize("key", [bytes(range(32)), None])
def test_a_signed_line_is_that_of_the_codec_and_without_a_key_it_has_no_mac(key: bytes | None, tmp_path: Path) -> None:
    signer = LineSigner(str(tmp_path), OsDisk(), lambda _make: key)
    quick, slow = quick_and_slow(CommandEncoder("zsh", signer.sign), "/work", signer)
    assert quick == slow
    assert (b'"m":' in quick) is (key is not None)


def test_a_context_is_encoded_right_after_thousands_of_others() -> None:
    encoder = CommandEncoder("zsh")
    for number in range(5000):
        encoder.encode(event_id(number, bytes(10)), "make", (f"/srv/{number}", 0, 0, "host"), "zsh:1", AT, 60)
    for number in (0, 4999):
        quick, slow = quick_and_slow(encoder, f"/srv/{number}")
        assert quick == slow


def test_lines_appear_behind_the_old_ones_with_the_commit_and_not_before(tmp_path: Path) -> None:
    path = segment_with(tmp_path, OLD)
    appender = BulkAppender(log_of(tmp_path), SEGMENT)
    appender.write([NEW])
    appender.write([NEW, NEW])
    assert path.read_bytes() == OLD
    appender.commit()
    assert path.read_bytes() == OLD + NEW * 3
    assert os.listdir(path.parent) == [path.name]
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_torn_tail_is_not_glued_to_the_first_new_line(tmp_path: Path) -> None:
    path = segment_with(tmp_path, OLD + b'{"actor":"us')
    appender = BulkAppender(log_of(tmp_path), SEGMENT)
    appender.write([NEW])
    appender.commit()
    assert path.read_bytes() == OLD + b'{"actor":"us\n' + NEW


@pytest.mark.parametrize("lines", [[], [NEW]])
def test_an_import_that_is_given_up_leaves_the_segment_and_no_other_file(lines: list[bytes], tmp_path: Path) -> None:
    path = segment_with(tmp_path, OLD)
    appender = BulkAppender(log_of(tmp_path), SEGMENT)
    appender.write(lines)
    appender.abort()
    assert (path.read_bytes(), os.listdir(path.parent)) == (OLD, [path.name])


def test_giving_up_after_the_commit_removes_nothing(tmp_path: Path) -> None:
    appender = BulkAppender(log_of(tmp_path), SEGMENT)
    appender.write([NEW])
    appender.commit()
    appender.abort()
    assert (tmp_path / SEGMENT).read_bytes() == NEW


def test_without_lines_no_folder_and_no_segment_is_made(tmp_path: Path) -> None:
    appender = BulkAppender(log_of(tmp_path), SEGMENT)
    appender.write([])
    appender.commit()
    assert list(tmp_path.iterdir()) == []


def test_lines_that_cannot_be_made_durable_do_not_replace_the_segment(tmp_path: Path) -> None:
    path = segment_with(tmp_path, OLD)
    appender = BulkAppender(log_of(tmp_path), SEGMENT, UnsyncedDisk())
    appender.write([NEW])
    with pytest.raises(OSError, match="Input/output error"):
        appender.commit()
    appender.abort()
    assert (path.read_bytes(), os.listdir(path.parent)) == (OLD, [path.name])


def test_what_a_crashed_import_left_is_not_part_of_the_next_one(tmp_path: Path) -> None:
    path = segment_with(tmp_path, OLD)
    path.with_name(f".{path.name}.tacit-new").write_bytes(OLD + b"lines of a crashed import\n" * 9)
    appender = BulkAppender(log_of(tmp_path), SEGMENT)
    appender.write([NEW])
    appender.commit()
    assert path.read_bytes() == OLD + NEW


def test_unsigned_lines_from_before_the_import_are_not_reported_after_it(tmp_path: Path) -> None:
    unsigned, signed = history(added(says("use pnpm")), added(says("never force push")))
    path = segment_with(tmp_path, encode(unsigned))
    signer = LineSigner(str(tmp_path), OsDisk(), lambda _make: bytes(range(32)))
    log = log_of(tmp_path, signer)
    appender = BulkAppender(log, SEGMENT)
    appender.write([encode(signed, signer.sign)])
    appender.commit()
    assert [finding for finding in verify(log) if finding.serious] == []
    with path.open("ab") as file:
        file.write(encode(signed._replace(id=event_id(9, bytes(10)))))
    assert [finding for finding in verify(log) if finding.serious]
