"""Changes of keys, as machines find them on a remote (ADR 99).

Each machine with keys that took the place of others hands them over: in a file of its area that the machines which
stay can open, and that names the keys before, so that it does not matter how many changes somebody missed, or whose
area is gone. The name of the file says how often the keys were changed: a machine that finds a later number beside a
manifest that it cannot read, and nothing that is meant for it, was left behind.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from tacit.record import Record
from tacit.remotes.keys import Handover, MachineKeys, take_over
from tacit.remotes.manifests import EPOCH_FILE, HANDOVER_FILE, RING_FILE
from tacit.remotes.segments import RemoteView
from tacit.remotes.state import LEFT_BEHIND, TWO_CHANGES, RemoteState
from tacit.remotes.transport import Transport

_MAX_BYTES = 4 << 20
_RING_STEM, _HANDOVER_STEM = RING_FILE.removesuffix(".age"), HANDOVER_FILE.removesuffix(".age")


def locked_rings(transport: Transport) -> list[bytes]:
    """Return the files that a recovery phrase may open, each once, also copies under other names."""
    names = [path for path in transport.files() if path.partition("/")[2].lstrip(".#").startswith(_RING_STEM)]
    return list(dict.fromkeys(_read(transport, names)))


def _read(transport: Transport, paths: Collection[str]) -> Iterator[bytes]:
    sizes = transport.files()
    for path in paths:
        if sizes[path] <= _MAX_BYTES and (data := transport.read(path)):
            yield data


class FoundKeys(Record):
    """Keys that were handed over, None if those of now hold, or a problem, as one of the `KEYS_PROBLEMS`: then the
    areas that show it."""

    handover: Handover | None
    problem: str = ""
    areas: tuple[str, ...] = ()


class OthersKeys:
    """What the areas of others tell about keys. `ignored` machines were removed, and count for nothing."""

    def __init__(
        self,
        transport: Transport,
        view: RemoteView,
        state: RemoteState,
        machine: MachineKeys,
        ignored: Collection[str],
    ) -> None:
        self._transport = transport
        self._state = state
        self._machine = machine
        self._own = {machine.id, *machine.former}
        self._foreign = set(view.foreign)
        self._files: dict[str, list[str]] = {}  # hand-overs of each area, whatever sync programs call them
        for path in sorted(view.files):
            folder, _, name = path.partition("/")
            if name.lstrip(".#").startswith(_HANDOVER_STEM) and folder not in ignored:
                self._files.setdefault(folder, []).append(path)

    def find(self) -> FoundKeys:
        """Return the keys to go on with, or what is wrong with those of now.

        Two machines may hand over different ones. Both had the keys before, and so has a machine that was removed;
        only the person knows which ones hold. A damaged manifest is no sign of other keys, and neither is a machine
        that has not got those of now.
        """
        found: dict[str, Handover] = {}
        rivals: list[str] = []
        ring = self._state.ring
        for folder in self._files:
            if folder not in self._foreign and self._epoch(folder) <= ring.epoch:
                continue  # it has the keys of this machine, and no others
            for handover in self._handovers(folder):
                if ring.mac_key in handover.ring.formers and handover.ring.epoch > ring.epoch:
                    locked = handover.locked_ring or self._transport.read(f"{folder}/{RING_FILE}")
                    if locked:
                        found[handover.ring.mac_key] = handover._replace(locked_ring=locked)
                elif handover.ring.mac_key not in ring.line and folder not in self._own:
                    rivals.append(folder)
        passed = {key for handover in found.values() for key in handover.ring.formers}
        latest = [handover for key, handover in found.items() if key not in passed]
        if rivals or len(latest) > 1:
            return FoundKeys(None, TWO_CHANGES, tuple(rivals))
        if latest:
            return FoundKeys(latest[0])
        ahead = tuple(
            folder for folder in self._files if folder in self._foreign - self._own and self._is_ahead(folder)
        )
        return FoundKeys(None, LEFT_BEHIND if ahead else "", ahead)

    def _is_ahead(self, folder: str) -> bool:
        state, epoch, peer = self._state, self._epoch(folder), self._state.peer(folder)
        if epoch > state.ring.epoch:
            return True
        # Other keys of the same number are no news to a machine that was given these by their phrase. A version without
        # numbers in names has other keys than those it had when it was read last.
        was_handed = any(member.id == self._machine.id for member in state.ring.members)
        is_older = not epoch and peer is not None and peer.fingerprint == state.ring.fingerprint
        if not is_older and not (was_handed and epoch == state.ring.epoch):
            return False
        locked = self._transport.read(f"{folder}/{RING_FILE}")
        return bool(locked) and locked != state.locked_ring and not any(self._handovers(folder))

    def _handovers(self, folder: str) -> Iterator[Handover]:
        for data in dict.fromkeys(_read(self._transport, self._files[folder])):
            if handover := take_over(data, self._state.ring, self._machine):
                yield handover

    def _epoch(self, folder: str) -> int:
        """Return how often the keys of an area were changed, as the names of its files say; 0 if they do not."""
        names = (EPOCH_FILE.fullmatch(path.partition("/")[2]) for path in self._files[folder])
        return max((int(name[1]) for name in names if name), default=0)
