"""`tacit remote` and the remotes of `tacit sync`: the machines of a person exchange whole lines of their logs.

A sync takes in what came from all remotes, applies purges, and then publishes. Nothing is taken from a remote but what
a machine with its keys wrote. Nothing here runs unless a person asks for it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from tacit.errors import NotFoundError, RefusedError, UsageError
from tacit.home.home import Home, HomePart
from tacit.record import Record
from tacit.remotes import AppliesPurges, RemoteSteps, keys
from tacit.remotes.segments import locked_rings
from tacit.remotes.state import RemoteReport, RemoteState, RemoteStore, check_name, default_name
from tacit.remotes.transport import Transport, normalize_address, open_transport

_MIN_ID_CHARS = 4


class KeysReport(Record):
    """The report of a sync after a remote was added or got new keys.

    `phrase` is its new recovery phrase; "" if other machines use the remote already, or it was not reached: then its
    keys are as they were.
    """

    report: RemoteReport
    phrase: str


class Machines(HomePart):
    """The remotes of a home. `purger` removes from it whatever tombstones name."""

    def __init__(self, home: Home, purger: AppliesPurges) -> None:
        super().__init__(home)
        self._remotes = RemoteStore(home.store.paths)
        self._steps = RemoteSteps(home, self._remotes, purger)

    # Remotes

    def add(self, name: str, url: str, *, everything: bool, ask_phrase: Callable[[], str]) -> KeysReport:
        """Connect this home to a remote, and sync with it.

        An empty remote gets new keys and a recovery phrase. For one that other machines use, `ask_phrase` must return
        its phrase. A remote that was added before gets the keys that belong to the phrase.

        Raise RefusedError for anybody but a person, for a wrong phrase, and for a remote that is not complete yet.
        """
        self._store.actor.require_person("adds a remote", f"tacit remote add {name} {url}")
        address = normalize_address(url)
        with self._remotes.locked():
            former = self._known_remote(check_name(name), address)
            transport = open_transport(address, self._remotes.mirror(name))
            try:
                state, phrase = self._join(name, address, transport, ask_phrase)
            finally:
                transport.close()
            if former is not None and former.ring != state.ring:  # the others may have removed this machine
                machine = self._remotes.machine()
                self._remotes.save_machine(keys.make_machine((*machine.former, machine.id)))
            written = former.written if former else self._remotes.last_written(name, address)
            everything = everything or bool(former and former.everything)
            self._remotes.save(state._replace(everything=everything, written=written))
            (report,) = self._sync([name])
            return KeysReport(report, phrase)

    def remove(self, name: str) -> RemoteState:
        """Forget a remote. What this machine wrote there stays. Raise NotFoundError if there is none."""
        self._store.actor.require_person("removes a remote", f"tacit remote remove {name}")
        with self._remotes.locked():
            if name not in self._remotes.names():
                self._remotes.load(name)  # raises with the names there are
            try:
                return self._remotes.load(name)
            finally:
                self._remotes.remove(name)

    def remotes(self) -> list[RemoteReport]:
        """Return what is known of all remotes, without asking them."""
        reports = []
        for state in self._remotes.all():
            machines = tuple(self._steps.peer_reports(state).values())
            report = RemoteReport(state.name, state.url, state.ring.fingerprint, machines, synced_at=state.synced_at)
            reports.append(report)
        return reports

    def own_machine(self) -> tuple[str, str]:
        """Return id and name of this machine; empty texts if it was never on a remote."""
        own = self._steps.own_id()
        return (own, default_name(self._store.actor.origin().host, self._remotes.machine())) if own else ("", "")

    @property
    def is_used(self) -> bool:
        """Whether this home has a remote."""
        return bool(self._remotes.names())

    # Syncing

    def sync(self, only: str | None = None) -> list[RemoteReport]:
        """Exchange lines with all remotes, or with one. Return a report for each, also for those that failed.

        Raise RefusedError for anybody but a person, NotFoundError if there is no such remote.
        """
        self._store.actor.require_person("syncs with remotes", "tacit sync")
        with self._remotes.locked():
            return self._sync([only] if only else self._remotes.names())

    def status(self, only: str | None = None) -> list[RemoteReport]:
        """Return what a sync would find. The home and the remotes are not changed."""
        self._store.actor.require_person("asks remotes", "tacit sync --status")
        with self._remotes.locked():
            states = [self._remotes.load(name) for name in ([only] if only else self._remotes.names())]
            return [self._steps.attempt(state, self._steps.look).report(self._steps.own_id()) for state in states]

    def rotate(self, name: str) -> KeysReport:
        """Give a remote new keys and a new phrase. Machines that stay get the keys with their next sync.

        Raise RefusedError for anybody but a person, NotFoundError if there is none.
        """
        self._store.actor.require_person("changes keys", f"tacit remote rotate {name}")
        with self._remotes.locked():
            return self._change_keys(self._remotes.load(name), ())

    def forget_machine(self, reference: str) -> list[KeysReport]:
        """Remove a lost machine from all remotes that it is on, and change their keys.

        What it sent before stays in this home, and is published by it from now on. Raise as `rotate`.
        """
        self._store.actor.require_person("removes a machine", f"tacit remote forget-machine {reference}")
        with self._remotes.locked():
            machine = self._find_machine(reference)
            states = [state for state in self._remotes.all() if state.peer(machine) is not None]
            return [self._change_keys(state, (machine,)) for state in states]

    # Joining

    def _known_remote(self, name: str, url: str) -> RemoteState | None:
        for state in self._remotes.all():
            if state.url == url and state.name != name:
                raise RefusedError(f"this is the remote {state.name}", f"tacit sync --only {state.name}")
            if state.name == name and state.url != url:
                raise RefusedError(f"there is a remote {name} already, at {state.url}", f"tacit remote remove {name}")
            if state.name == name:
                return state
        return None

    def _join(
        self, name: str, url: str, transport: Transport, ask_phrase: Callable[[], str]
    ) -> tuple[RemoteState, str]:
        transport.fetch()
        locked = locked_rings(transport)
        if not locked:
            if transport.files():
                raise RefusedError(
                    f"{url} has files of machines, but the keys have not arrived yet",
                    "wait until your sync program has finished, then try again",
                )
            ring, phrase = keys.make_ring(), keys.make_phrase(os.urandom(keys.PHRASE_BYTES))
            return RemoteState(name, url, False, ring, keys.lock_ring(ring, phrase)), phrase
        phrase = keys.parse_phrase(ask_phrase())
        rings = [(found, data) for data in locked if (found := keys.unlock_ring(data, phrase)) is not None]
        if not rings:
            raise RefusedError(
                f"this is not the recovery phrase of {url}",
                "it was shown when the remote was added, or when its keys were changed last",
            )
        ring, data = max(rings, key=lambda pair: pair[0].epoch)
        return RemoteState(name, url, False, ring, data), ""

    # All remotes

    def _sync(self, names: Sequence[str]) -> list[RemoteReport]:
        """Take from all remotes before anything is published, so that lines and purges reach all of them at once."""
        self._store.make()
        self._steps.finish_purges()
        sessions = [
            self._steps.attempt(self._remotes.load(name), self._steps.open_and_take, close=False) for name in names
        ]
        for session in sessions:
            if session.problem is None:
                with self._steps.guarded(session):
                    self._steps.publish(session)
            session.transport.close()
        return [session.report(self._steps.own_id()) for session in sessions]

    # Changing keys

    def _change_keys(self, state: RemoteState, forget: tuple[str, ...]) -> KeysReport:
        """Take in what is there, make new keys, hand them to the machines that stay, and publish everything anew.

        The new keys are stored before anything is published: whatever fails after that is completed by the next sync.
        """
        self._store.make()
        session = self._steps.attempt(state, self._steps.open_and_take, close=False)
        if session.problem is not None:
            return KeysReport(session.report(self._steps.own_id()), "")
        try:
            state, machine = session.state, self._remotes.machine()
            gone = {*state.forgotten, *forget}
            areas = [area for area in session.view.areas if area.machine not in gone]
            recipients = {machine.recipient, *(area.manifests[0].recipient for area in areas)}
            ring, phrase = keys.make_ring(state.ring.epoch + 1), keys.make_phrase(os.urandom(keys.PHRASE_BYTES))
            handover = keys.hand_over(ring, state.ring, sorted(recipients))
            session.state = state.with_new_keys(ring, keys.lock_ring(ring, phrase), handover)._replace(
                forgotten=tuple(sorted(gone)),
                peers=tuple(peer for peer in state.peers if peer.manifest.machine not in gone),
            )
            self._remotes.save(session.state)
            with self._steps.guarded(session):
                self._steps.publish(session)
                for area in session.view.areas:
                    if area.machine in forget:
                        session.transport.remove(area.folder)
                session.transport.forget_replaced()
        finally:
            session.transport.close()
        session.reports = {name: report for name, report in session.reports.items() if name not in gone}
        return KeysReport(session.report(machine.id), phrase)

    def _find_machine(self, reference: str) -> str:
        """Return the id of another machine by the beginning of its id, or by its name."""
        peers = {peer.manifest.machine: peer.manifest for state in self._remotes.all() for peer in state.peers}
        wanted = reference.strip().lower()
        found = {
            machine
            for machine, manifest in peers.items()
            if (len(wanted) >= _MIN_ID_CHARS and machine.startswith(wanted)) or manifest.name.lower() == wanted
        }
        if len(found) == 1:
            return found.pop()
        if wanted and self._steps.own_id().startswith(wanted):
            raise RefusedError("that is this machine", "run it on one of your other machines")
        if found:
            raise UsageError(f"{reference} fits several machines", "use the id that tacit remote list shows")
        raise NotFoundError(f"no machine {reference!r} is known", "tacit remote list shows them; else: tacit sync")
