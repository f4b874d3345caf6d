"""What a home knows of remotes is private, survives as it is, and says what to do when it is damaged."""

from __future__ import annotations

import json
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tacit.errors import NotFoundError, StoreError, UsageError
from tacit.home.paths import HomePaths
from tacit.remotes.faults import Fault, FaultKind
from tacit.remotes.keys import make_ring
from tacit.remotes.manifests import (
    Manifest,
    SegmentEntry,
)
from tacit.remotes.state import PeerState, PublishedPart, RemoteState, RemoteStore, check_name

OWN = "c" * 32
AT = datetime(2026, 3, 2, 12, 30, 1, 5, tzinfo=UTC)
SEGMENTS, SEEN = (SegmentEntry("b" * 32, 300, 4),), ((OWN, AT),)
MANIFEST = Manifest("a" * 32, "laptop", "age1…", 7, "token", AT, SEGMENTS, ("op",), SEEN, ("d" * 32,), True)
STATE = RemoteState("home", "/media/stick", True, make_ring(), b"locked \0", b"handover", MANIFEST, "pending")._replace(
    parts=(PublishedPart("memory/events.jsonl", 0, 10, 2, "7d", "b" * 32, 2, 10, 300),),
    peers=(PeerState(MANIFEST, "fingerprint", ("b" * 32,), 2),),
    forgotten=("e" * 32,),
    synced_at=AT,
    sequence=7,
    faults=(Fault("a" * 32, "b" * 32, FaultKind.DAMAGED, 300, AT),),
    answered=(("a" * 32, "token"),),
    checked_at=AT,
)


@pytest.fixture
def store(tmp_path: Path) -> RemoteStore:
    return RemoteStore(HomePaths(str(tmp_path / "home")))


def test_a_remote_is_read_as_it_was_written(store: RemoteStore) -> None:
    store.save(STATE)
    assert store.load("home") == STATE
    assert store.names() == ["home"]
    bare = RemoteState("other", "/x", False, STATE.ring, b"")
    store.save(bare)
    assert store.load("other") == bare


def test_files_are_private(store: RemoteStore, tmp_path: Path) -> None:
    store.save(STATE)
    store.machine()
    folder = tmp_path / "home" / ".tacit" / "remotes"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


def test_what_an_earlier_version_wrote_is_read(store: RemoteStore, tmp_path: Path) -> None:
    """It kept no faults, but how many files were missing; its manifests name no sequences and ask for nothing."""
    store.save(STATE)
    path = tmp_path / "home" / ".tacit" / "remotes" / "home.json"
    fields = json.loads(path.read_text())
    for name in ("sequence", "faults", "answered", "checked_at"):
        del fields[name]
    for manifest in (fields["written"], fields["peers"][0]["manifest"]):
        del manifest["sequences"], manifest["wanted"]
    fields["peers"][0]["missing"] = 1
    path.write_text(json.dumps(fields))
    assert store.load("home") == STATE._replace(sequence=0, faults=(), answered=(), checked_at=None)


def test_a_machine_keeps_its_id(store: RemoteStore) -> None:
    assert store.machine() == store.machine()


def test_damage_says_what_to_do(store: RemoteStore, tmp_path: Path) -> None:
    store.save(STATE)
    store.machine()
    folder = tmp_path / "home" / ".tacit" / "remotes"
    (folder / "home.json").write_bytes(b"{")
    with pytest.raises(StoreError) as caught:
        store.load("home")
    assert "tacit remote remove home" in caught.value.hint
    (folder / "machine.key").write_bytes(b"{}")
    with pytest.raises(StoreError):
        store.machine()
    store.remove("home")  # also what is damaged can be removed
    assert store.names() == []


def test_names_that_are_paths_are_refused(store: RemoteStore) -> None:
    for name in ("../x", "", "a/b", "A", ".hidden", "x" * 40):
        with pytest.raises(UsageError):
            check_name(name)
        with pytest.raises(NotFoundError):
            store.load(name)


def test_what_was_rolled_back_for_long_is_passed_on() -> None:
    peer = STATE.peers[0]._replace(fingerprint=STATE.ring.fingerprint)
    fault = Fault(MANIFEST.machine, "manifest", FaultKind.ROLLED_BACK, 3, AT)
    state = STATE._replace(peers=(peer,), faults=(fault,))
    assert state.publishers(AT + timedelta(hours=23)) == [MANIFEST.machine]
    assert state.publishers(AT + timedelta(hours=24)) == []


def test_only_machines_with_the_keys_of_now_are_members() -> None:
    assert STATE.members() == []
    peer = STATE.peers[0]._replace(fingerprint=STATE.ring.fingerprint)
    assert STATE._replace(peers=(peer,)).members() == [MANIFEST.machine]


def test_what_was_written_last_is_remembered_after_a_removal(store: RemoteStore) -> None:
    store.save(STATE)
    store.remove("home")
    assert store.last_written("home", STATE.url) == MANIFEST
    assert store.last_written("home", "/elsewhere") is None
    assert store.last_written("other", STATE.url) is None


def test_the_keys_of_a_machine_that_an_earlier_version_wrote_are_read(tmp_path: Path) -> None:
    store = RemoteStore(HomePaths(str(tmp_path)))
    machine = store.machine()
    path = tmp_path / ".tacit" / "remotes" / "machine.key"
    fields = json.loads(path.read_text())
    del fields["name"]
    path.write_text(json.dumps(fields))
    assert store.machine() == machine
    named = machine._replace(name="laptop")
    assert named.as_another().name == "laptop" and named.as_another().former == (machine.id,)
