"""Damage on a remote, and remotes that went back: what is wrong there is decided from what was seen before.

The name of a segment proves its content, and the sequence of a manifest says which one is later. So a reader tells a
damaged file from one that is still arriving, and asks for it in its own manifest; whoever wrote the file writes it
again. An older manifest than one that was seen takes nothing back: what a later one replaced may have been purged.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from operator import eq

from tacit.errors import KeysError
from tacit.record import Record
from tacit.remotes.faults import MANIFEST, Fault, FaultKind
from tacit.remotes.manifests import MANIFEST_FILE, RING_FILE
from tacit.remotes.segments import Area, RemoteView, open_segment
from tacit.remotes.state import PeerState, RemoteState, add_command
from tacit.remotes.transport import Transport

_CHECK_AGE = timedelta(days=1)


# What others wrote


def known_areas(view: RemoteView, state: RemoteState) -> tuple[Area, ...]:
    """Return the areas with the latest manifests of each machine that were seen, now or before."""
    return tuple(_known_area(area, state) for area in view.areas)


def _known_area(area: Area, state: RemoteState) -> Area:
    peer = state.peer(area.machine)
    if peer is None or peer.fingerprint != state.ring.fingerprint:
        return area
    later = tuple(manifest for manifest in area.manifests if manifest.sequence >= peer.manifest.sequence)
    return area._replace(manifests=later or (peer.manifest,))


def segment_faults(view: RemoteView, peer: PeerState, read: Collection[str], now: datetime) -> Iterator[Fault]:
    """Yield why segments of a machine were not taken that could not be `read` now either."""
    area = view.area(peer.manifest.machine)
    folder = area.folder if area else peer.manifest.machine
    for entry in peer.manifest.segments:
        if entry.name not in peer.taken and entry.name not in read:
            size = view.files.get(f"{folder}/{entry.file}", -1)
            kind = FaultKind.DAMAGED if size == entry.size else FaultKind.MISSING if size < 0 else FaultKind.ARRIVING
            yield Fault(peer.manifest.machine, entry.name, kind, size, now)


def manifest_faults(
    transport: Transport, view: RemoteView, state: RemoteState, own: str, now: datetime
) -> Iterator[Fault]:
    """Yield the machines whose manifest cannot be read, or is older than one that this home or another machine saw.

    An area that nothing here can read may have other keys. It has not if its file for machines that join is ours. If it
    is not, but the machine had our keys and nobody hands over others, both files are damaged, or on their way.
    """
    known = [peer.manifest for peer in state.peers if peer.fingerprint == state.ring.fingerprint]
    seen, claimed = {manifest.machine: manifest.sequence for manifest in known}, _sequences(view, state)
    for machine in sorted({*seen, *claimed, *view.foreign} - {own, *state.forgotten}):
        area = view.area(machine)
        sequence = area.manifests[0].sequence if area else 0
        if machine in view.foreign and area is None:
            size = view.files.get(f"{machine}/{MANIFEST_FILE}", -1)
            has_our_keys = _is_copy(transport.read(f"{machine}/{RING_FILE}"), state.locked_ring)
            is_damaged = has_our_keys and machine in seen
            kind = FaultKind.MISSING if size < 0 else FaultKind.DAMAGED if is_damaged else FaultKind.ARRIVING
            if has_our_keys or machine in seen:
                yield Fault(machine, MANIFEST, kind, size, now)
        elif sequence < seen.get(machine, 0):
            yield Fault(machine, MANIFEST, FaultKind.ROLLED_BACK, sequence, now)
        elif sequence < claimed.get(machine, 0):
            yield Fault(machine, MANIFEST, FaultKind.BEHIND, sequence, now)


def _is_copy(ring: bytes | None, own: bytes) -> bool:
    """Return whether a file with keys is ours, damaged or cut perhaps: another one has few bytes at the same places."""
    return ring is not None and 2 * sum(map(eq, ring, own)) >= len(ring)


def seen_of(view: RemoteView, state: RemoteState, machine: str) -> int:
    """Return the greatest sequence of a machine that others saw."""
    return _sequences(view, state).get(machine, 0)


def _sequences(view: RemoteView, state: RemoteState) -> Mapping[str, int]:
    sequences: dict[str, int] = {}
    for area in view.areas:
        for machine, sequence in area.manifests[0].sequences if area.machine not in state.forgotten else ():
            sequences[machine] = max(sequence, sequences.get(machine, 0))
    return sequences


def has_come_back(before: Sequence[Fault], now: Sequence[Fault]) -> bool:
    """Return whether a machine has repaired its part: old files of it, perhaps from before a purge, were fetched."""
    rolled_back = [{fault.machine for fault in each if fault.kind is FaultKind.ROLLED_BACK} for each in (before, now)]
    return bool(rolled_back[0] - rolled_back[1])


# What this machine wrote


class FileRequest(Record):
    """Files that another machine asks this one to write again: its name, the token of its manifest, and their names."""

    machine: str
    token: str
    by: str
    names: tuple[str, ...]


class Repairs(Record):
    """What a machine has to write again although it wrote it before.

    `damaged` files it found itself, `requests` are those of other machines, `answered` all manifests with one. With
    `is_rolled_back` its area is older than what it wrote last.
    """

    damaged: frozenset[str]
    requests: tuple[FileRequest, ...]
    answered: tuple[tuple[str, str], ...]
    is_rolled_back: bool
    checked_at: datetime | None

    @property
    def requested(self) -> set[str]:
        return {name for request in self.requests for name in request.names}

    @property
    def names(self) -> set[str]:
        return self.requested | self.damaged


def find_repairs(
    transport: Transport, view: RemoteView, state: RemoteState, own: str, fixed: Mapping[str, bytes], now: datetime
) -> Repairs:
    """Return what is damaged of the files that this machine wrote, as others say and as it finds itself.

    Manifest and `fixed` files are compared each time; segments are read once a day, where that costs no transfer.
    """
    requests = [*_file_requests(view, state, own)]
    asking = tuple((request.machine, request.token) for request in requests)
    fresh = tuple(request for request in requests if (request.machine, request.token) not in state.answered)
    if state.written is None or state.written_keys not in ("", state.ring.fingerprint):  # nothing is there to compare
        return Repairs(frozenset(), fresh, asking, False, now)
    repairs = Repairs(frozenset(), fresh, asking, False, state.checked_at)
    area, damaged = view.area(own), {name for name, data in fixed.items() if transport.read(f"{own}/{name}") != data}
    if is_unreadable := area is None and own in view.foreign:
        damaged.add(MANIFEST)
    is_due = not (state.checked_at and timedelta() <= now - state.checked_at < _CHECK_AGE)
    if is_due and transport.is_at_hand:
        damaged |= set(_damaged_segments(transport, state, own))
        repairs = repairs._replace(checked_at=now)
    is_older = (area.manifests[0].sequence if area else 0) < state.written.sequence
    return repairs._replace(damaged=frozenset(damaged), is_rolled_back=is_older and not is_unreadable)


def _file_requests(view: RemoteView, state: RemoteState, own: str) -> Iterator[FileRequest]:
    for area in known_areas(view, state):
        manifest = area.manifests[0]
        if area.machine not in (own, *state.forgotten) and (names := dict(manifest.wanted).get(own)):
            yield FileRequest(area.machine, manifest.token, manifest.name, names)


def _damaged_segments(transport: Transport, state: RemoteState, own: str) -> Iterator[str]:
    for name in dict.fromkeys(part.name for part in state.parts if part.name):
        data = transport.read(f"{own}/{name}.age")
        if data is not None and open_segment(state.ring, own, name, data) is None:
            yield name


def repair_notes(repairs: Repairs, damaged: int) -> Iterator[str]:
    """Yield what was repaired of the files of this machine, of which `damaged` were found by itself."""
    if repairs.is_rolled_back:
        yield "the remote is older than what this machine saw: published again"
    elif damaged:
        yield f"{_files(damaged)} of this machine {_were(damaged)} damaged or gone on the remote: written again"
    for request in repairs.requests:
        count = len(request.names)
        yield f"{_files(count)} {_were(count)} damaged or lost on the way to {request.by}: sent again"


def _files(count: int) -> str:
    return f"{count:,} {'file' if count == 1 else 'files'}"


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


# A remote that was emptied


def check_not_started_anew(transport: Transport, view: RemoteView, state: RemoteState) -> None:
    """Raise KeysError if all that machines with these keys wrote is gone, and unknown ones with other keys are there.

    To publish beside them would split the machines of a person in two groups.
    """
    if state.written is None or view.areas or not view.foreign:
        return
    known = {state.written.machine, *(peer.manifest.machine for peer in state.peers)}
    rings = [transport.read(f"{folder}/{RING_FILE}") for folder in view.foreign]
    are_others = all(ring is not None and not _is_copy(ring, state.locked_ring) for ring in rings)
    if are_others and not known & set(view.foreign):
        raise KeysError(
            f"{state.url} was emptied and started anew with other keys, or this machine was removed from it. "
            "Nothing is sent or taken",
            f"with the recovery phrase that belongs to it now: {add_command(state.name, state.url)}",
        )
