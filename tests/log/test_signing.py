"""The key of a home, and the codes of its lines."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given

from tacit.disk.files import OsDisk
from tacit.log.codec import decode, encode, is_encoding_of, split_mac, with_checksum
from tacit.log.incoming import import_events, import_tombstones
from tacit.log.signing import KEY_BYTES, LineSigner, ensure_key, load_key, secret_digest
from tacit.model.event import Event
from tests.laws.strategies import law, logs
from tests.laws.test_codec import EMPTY_BODIES, event_of, events
from tests.log.conftest import log_of

_KEY = bytes(range(KEY_BYTES))


def signing(home: Path, key: bytes | None = _KEY) -> LineSigner:
    return LineSigner(str(home), OsDisk(), lambda _make: key)


@law
@given(events)
def test_a_code_changes_nothing_that_is_read_and_holds_for_these_bytes_alone(event: Event) -> None:
    codes = signing(Path("/nowhere"))
    line = encode(event, codes.sign).removesuffix(b"\n")
    bare = encode(event).removesuffix(b"\n")
    content, code = split_mac(line)
    assert decode(line) == event == decode(bare)
    assert is_encoding_of(event, line) and is_encoding_of(event, bare)
    assert split_mac(bare) == (content, b"")
    assert codes.verifies(content, code)
    assert not codes.verifies(content + b" ", code)
    assert not codes.verifies(content, b"")
    assert not signing(Path("/nowhere"), bytes(KEY_BYTES)).verifies(content, code)


@pytest.mark.parametrize("body", EMPTY_BODIES, ids=lambda body: type(body).__name__)
def test_a_line_of_every_kind_is_signed_whichever_way_it_is_written(body: object, tmp_path: Path) -> None:
    codes = signing(tmp_path)
    log = log_of(tmp_path, codes)
    event = event_of(body)  # type: ignore[arg-type]
    log.append_events([event])
    import_events(log, "other", [event])
    (tmp_path / "memory").mkdir(exist_ok=True)
    import_tombstones(log, [event])
    found = [record.line.data for segment in log.segments() for record in log.read(segment)]
    assert len(found) == 3
    assert all(codes.verifies(*split_mac(line)) for line in found)


@law
@given(logs)
def test_sealing_by_hand_makes_no_code(log: list[Event]) -> None:
    for event in log:
        content, code = split_mac(encode(event, signing(Path("/nowhere")).sign).removesuffix(b"\n"))
        assert with_checksum(content + b"}") == encode(event) and len(code) == 32


def test_without_a_key_a_line_is_written_without_a_code(tmp_path: Path) -> None:
    codes = signing(tmp_path, None)
    log_of(tmp_path, codes).append_events([event_of(EMPTY_BODIES[0])])
    (path,) = (tmp_path / "memory").glob("*.jsonl")
    assert b'"m":' not in path.read_bytes()
    assert codes.read_baseline() is None


def test_sixteen_processes_that_make_a_key_at_once_have_the_same(tmp_path: Path) -> None:
    path = tmp_path / ".tacit" / "key"
    code = (
        "import sys; from tacit.log.signing import ensure_key as key; sys.stdin.read(1); print(key(sys.argv[1]).hex())"
    )
    started = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(16)
    ]
    told = [process.communicate("go\n", timeout=120)[0].strip() for process in started]
    assert set(told) == {path.read_bytes().hex()} and len(told[0]) == 2 * KEY_BYTES
    assert path.stat().st_mode & 0o777 == 0o600
    assert sorted(os.listdir(path.parent)) == ["key"]


def test_what_lies_in_the_place_of_a_key_and_is_none_is_kept_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_bytes(b"half")
    assert load_key(str(path), make=False) is None
    made = ensure_key(str(path))
    assert len(made) == KEY_BYTES == len(path.read_bytes())
    assert (tmp_path / "key.damaged").read_bytes() == b"half"
    assert secret_digest(str(path), "a secret") == secret_digest(str(path), "a secret")


@pytest.mark.parametrize("plant", ["link", "pipe", "folder"])
def test_nothing_else_than_a_plain_file_is_a_key(plant: str, tmp_path: Path) -> None:
    path, outside = tmp_path / "key", tmp_path / "outside"
    outside.write_bytes(_KEY)
    if plant == "link":
        path.symlink_to(outside)
    elif plant == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    assert load_key(str(path), make=False) is None
    assert outside.read_bytes() == _KEY
