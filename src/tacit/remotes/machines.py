"""`tacit remote` and the remotes of `tacit sync`: the machines of a person exchange whole lines of their logs.

A sync takes in what came from all remotes, applies purges, and then publishes. Nothing is taken from a remote but what
a machine with its keys wrote. Nothing here runs unless a person asks for it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from shlex import quote

from tacit.errors import LockBusyError, NotFoundError, RefusedError, StoreError, UsageError
from tacit.home.home import Home, HomePart
from tacit.record import Record
from tacit.remotes import RemoteSteps, keys
from tacit.remotes.handover import locked_rings
from tacit.remotes.incoming import AppliesPurges
from tacit.remotes.manifests import SHORT_ID_CHARS, RemoteReport, check_machine_name, default_name
from tacit.remotes.segments import view_remote
from tacit.remotes.state import RemoteState, RemoteStore, add_command, check_name
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

    def add(
        self, name: str, url: str, *, everything: bool, ask_phrase: Callable[[], str], machine_name: str = ""
    ) -> KeysReport:
        """Connect this home to a remote, and sync with it. The others see this machine as `machine_name`.

        An empty remote gets new keys and a recovery phrase. For one that other machines use, `ask_phrase` must return
        its phrase. A remote that was added before gets the keys that belong to the phrase.

        Raise RefusedError for anybody but a person, for a wrong phrase, and for a remote that is not complete yet.
        """
        self._store.actor.require_person("adds a remote", add_command(name, url))
        address, machine_name = normalize_address(url), machine_name and check_machine_name(machine_name)
        with self._remotes.locked():
            former = self._known_remote(check_name(name), address)
            transport = open_transport(address, self._remotes.mirror(name))
            try:
                state, phrase = self._join(name, address, transport, ask_phrase, former)
                has_other_keys = former is not None and former.ring.mac_key != state.ring.mac_key
                if former is not None and has_other_keys:
                    self._steps.keep_own_lines(former, transport, view_remote(transport, former.ring))
            finally:
                transport.close()
            machine, written = self._remotes.machine(), self._remotes.last_written(name, address)
            if former is not None:
                written, everything = former.written, everything or former.everything
                forgotten = {*former.forgotten, *state.forgotten}
                # They stay, and who was lost can be removed.
                peers = tuple(peer for peer in former.peers if peer.manifest.machine not in forgotten)
                state = state._replace(forgotten=tuple(sorted(forgotten)), peers=peers, sequence=former.sequence)
            # Who was removed comes back as another machine.
            if has_other_keys or machine.id in state.ring.forgotten:
                self._remotes.save_machine(machine.as_another())
            if machine_name:
                self._remotes.save_machine(self._remotes.machine()._replace(name=machine_name))
            self._remotes.save(state._replace(everything=everything, written=written))
            (report,) = self._sync([name])
            return KeysReport(report, phrase)

    def remove(self, name: str) -> str:
        """Forget a remote, and return its address, "" if that cannot be read. What this machine wrote there stays.

        Raise NotFoundError if there is none.
        """
        self._store.actor.require_person("removes a remote", f"tacit remote remove {name}")
        with self._remotes.locked():
            url = ""
            with suppress(StoreError):
                url = self._remotes.load(name).url
            self._remotes.remove(name)
            return url

    def remotes(self) -> list[RemoteReport]:
        """Return what is known of all remotes, without asking them."""
        reports = []
        for state in self._remotes.all():
            machines = tuple(self._steps.peer_reports(state).values())
            report = RemoteReport(state.name, state.url, state.ring.fingerprint, machines, synced_at=state.synced_at)
            unmet = state.unmet(self._remotes.machine())
            reports.append(report._replace(unmet=unmet, problem=state.keys_error()))
        return reports

    def own_machine(self) -> tuple[str, str]:
        """Return id and name of this machine; empty texts if it was never on a remote."""
        own = self._steps.own_id()
        return (own, default_name(self._store.actor.origin().host, self._remotes.machine())) if own else ("", "")

    def name_machine(self, name: str) -> str:
        """Call this machine something else, and return the name. The others see it after the next sync.

        Raise RefusedError for anybody but a person, or without a remote; UsageError if it is no name.
        """
        self._store.actor.require_person("names a machine", f"tacit remote name-machine {quote(name)}")
        name = check_machine_name(name)
        if not self.is_used:
            raise RefusedError("this machine is on no remote", "tacit remote add NAME URL --machine NAME")
        with self._remotes.locked():
            self._remotes.save_machine(self._remotes.machine()._replace(name=name))
        return name

    @property
    def is_used(self) -> bool:
        """Whether this home has a remote."""
        return bool(self._remotes.names())

    # Syncing

    def sync(self, only: str | None = None) -> list[RemoteReport]:
        """Exchange lines with all remotes, or with one. Return a report for each, also for those that failed.

        Raise RefusedError for anybody but a person, NotFoundError if there is no such remote, LockBusyError if another
        process syncs for long.
        """
        self._store.actor.require_person("syncs with remotes", "tacit sync")
        with self._remotes.locked():
            return self._sync([only] if only else self._remotes.names())

    def sync_if_free(self, only: str | None = None) -> list[RemoteReport] | None:
        """As `sync`, but return None at once if another process works on remotes."""
        self._store.actor.require_person("syncs with remotes", "tacit sync")
        with ExitStack() as stack:
            try:
                stack.enter_context(self._remotes.locked(0))
            except LockBusyError:
                return None
            return self._sync([only] if only else self._remotes.names())

    def status(self, only: str | None = None) -> list[RemoteReport]:
        """Return what a sync would find. The home and the remotes are not changed."""
        self._store.actor.require_person("asks remotes", "tacit sync --status")
        with self._remotes.locked():
            states = [self._remotes.load(name) for name in ([only] if only else self._remotes.names())]
            machine = self._remotes.machine()
            return [self._steps.attempt(state, self._steps.look).report(machine) for state in states]

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
            machine, own = self._find_machine(reference), self._remotes.machine()
            # Its home may have a backup with the keys of an id that it had before.
            peers = [peer for state in self._remotes.all() if (peer := state.peer(machine)) is not None]
            former = {former for peer in peers for former in peer.manifest.former} - {own.id, *own.former}
            states = [state for state in self._remotes.all() if machine in dict(_known_names(state))]
            return [self._change_keys(state, (machine, *sorted(former))) for state in states]

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
        self, name: str, url: str, transport: Transport, ask_phrase: Callable[[], str], former: RemoteState | None
    ) -> tuple[RemoteState, str]:
        transport.fetch()
        locked = locked_rings(transport)
        if former is not None and not transport.files():  # it was emptied; other machines have the keys of this one
            return former, ""
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
                f"this is not the recovery phrase of {url}, or the file with the keys is damaged there",
                "it was shown when the remote was added, or when its keys were changed last; what is damaged is mended "
                "by tacit sync, on a machine that has the remote",
            )
        ring, data = max(rings, key=lambda pair: pair[0].epoch)
        return RemoteState(name, url, False, ring, data).with_new_keys(ring, data), ""

    # All remotes

    def _sync(self, names: Sequence[str]) -> list[RemoteReport]:
        """Take from all remotes before anything is published, so that lines and purges reach all of them at once."""
        self._store.make()
        self._steps.lines.finish_purges()
        sessions = [
            self._steps.attempt(self._remotes.load(name), self._steps.open_and_take, close=False) for name in names
        ]
        for session in sessions:
            if session.problem is None:
                with self._steps.guarded(session):
                    self._steps.publish(session)
                    self._steps.remove_forgotten(session)
            session.transport.close()
            self._remotes.note_outcome(session.state.name, session.problem)
        return [session.report(self._remotes.machine()) for session in sessions]

    # Changing keys

    def _change_keys(self, state: RemoteState, forget: tuple[str, ...]) -> KeysReport:
        """Take in what is there, make new keys, hand them to the machines that stay, and publish everything anew.

        The new keys are stored before anything is published: whatever fails after that is completed by the next sync.
        """
        self._store.make()
        session = self._steps.attempt(state, self._steps.open_and_take, close=False, ignored=forget)
        machine = self._remotes.machine()
        if session.problem is not None:
            session.transport.close()
            return KeysReport(session.report(machine), "")
        try:
            state = session.state
            gone = {*(machine for known in self._remotes.all() for machine in known.forgotten), *forget}
            members = state.stayers(machine) | {machine.id: self._own_member(machine)}
            stay = [members[name] for name in sorted(members) if name not in gone]
            ring = keys.next_ring(state.ring, stay, sorted(gone))
            phrase = keys.make_phrase(os.urandom(keys.PHRASE_BYTES))
            session.state = state.with_new_keys(ring, keys.lock_ring(ring, phrase))
            self._remotes.save(session.state)
            with self._steps.guarded(session):
                before, session.view = session.view, view_remote(session.transport, ring)
                self._steps.publish(session)
                for folder in {area.folder for area in before.areas if area.machine in gone}:
                    session.transport.remove(folder)
                self._steps.remove_forgotten(session)
                session.transport.forget_replaced()
        finally:
            session.transport.close()
        session.reports = {
            name: report._replace(new=session.reports[name].new if name in session.reports else 0)
            for name, report in self._steps.peer_reports(session.state).items()
        }
        return KeysReport(session.report(machine), phrase)

    def _own_member(self, machine: keys.MachineKeys) -> keys.Member:
        return keys.Member(machine.id, machine.recipient, default_name(self._store.actor.origin().host, machine))

    def _find_machine(self, reference: str) -> str:
        """Return the id of another machine by the beginning of its id, or by its name.

        Names are what machines call themselves, so none of them hides the id of another one.
        """
        own, own_name = self.own_machine()
        names = {machine: name for state in self._remotes.all() for machine, name in _known_names(state)}
        names.pop(own, None)
        wanted = reference.strip().lower()
        by_id = {machine for machine in names if len(wanted) >= _MIN_ID_CHARS and machine.startswith(wanted)}
        named = {machine for machine, name in names.items() if name.lower() == wanted}
        found = by_id if by_id and len(wanted) >= SHORT_ID_CHARS else by_id | named
        if len(found) == 1:
            return found.pop()
        if not found and wanted and (own.startswith(wanted) or own_name.lower() == wanted):
            raise RefusedError("that is this machine", "run it on one of your other machines")
        if found:
            same = ", ".join(f"{names[machine]} ({machine[:12]})" for machine in sorted(found))
            raise UsageError(f"{reference} fits several machines: {same}", "use the id of the one you mean")
        raise NotFoundError(f"no machine {reference!r} is known", "tacit remote list shows them; else: tacit sync")


def _known_names(state: RemoteState) -> list[tuple[str, str]]:
    """Return id and name of each machine that may be removed from a remote: also of one that was removed elsewhere."""
    members = [(member.id, member.name) for member in state.ring.members]
    strangers = [(machine, machine) for machine in state.strangers if machine not in dict(members)]
    peers = [(peer.manifest.machine, peer.manifest.name) for peer in state.peers]
    return [*strangers, *members, *peers]  # what a machine says itself last
