"""A person's own machines: their logs meet on a remote, which learns sizes and times only.

A sync takes in what others wrote, applies purges, publishes what is new, and reports. Lines are durable before it is
noted that they were taken, and segments are on the remote before the manifest that names them. Whatever is killed in
between is repeated by the next sync.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta

from tacit.errors import RemoteError, TacitError
from tacit.home.home import Home, HomePart
from tacit.purge.tombstones import is_purge
from tacit.remotes import damage, segments
from tacit.remotes.damage import find_repairs
from tacit.remotes.faults import MANIFEST, since_before, wanted_files
from tacit.remotes.handover import OthersKeys
from tacit.remotes.incoming import AppliesPurges, IncomingLines
from tacit.remotes.keys import MachineKeys
from tacit.remotes.manifests import (
    HANDOVER_FILE,
    MANIFEST_FILE,
    RING_FILE,
    MachineReport,
    Manifest,
    RemoteReport,
    SegmentEntry,
    default_name,
    report_machine,
    seal_manifest,
    short_id,
)
from tacit.remotes.segments import Area, Received, RemoteView, SegmentReader
from tacit.remotes.state import GIVEN_TO_REMOVED, PeerState, PublishedPart, RemoteState, RemoteStore
from tacit.remotes.transport import Transport, open_transport

_MANIFEST_AGE = timedelta(hours=1)  # a manifest is written again after this, so that others see a living machine


class RemoteSession:
    """One remote while it is being synced."""

    def __init__(self, state: RemoteState, transport: Transport, ignored: Collection[str] = ()) -> None:
        self.state = state
        self.transport = transport
        self.ignored = ignored  # machines whose keys count for nothing, besides those that were removed
        self.view = RemoteView({}, (), ())
        self.reports: dict[str, MachineReport] = {}
        self.notes: list[str] = []
        self.sent = self.unsent = self.applied_purges = 0
        self.problem: TacitError | None = None

    def report(self, machine: MachineKeys) -> RemoteReport:
        state = self.state
        # Of machines that have not synced since the keys were changed it is known why they cannot be read.
        known = {machine.id, *machine.former, *state.forgotten, *state.stayers(machine)} - set(state.members())
        known |= {fault.machine for fault in state.faults if fault.name == MANIFEST}
        foreign = tuple(area for area in self.view.foreign if area not in known)
        machines = tuple(self.reports[machine] for machine in sorted(self.reports))
        report = RemoteReport(state.name, state.url, state.ring.fingerprint, machines, self.sent, self.unsent, foreign)
        notes, purges = (*self.notes, *self.transport.notes), self.applied_purges
        report = report._replace(notes=notes, applied_purges=purges, unmet=state.unmet(machine))
        return report._replace(problem=self.problem, synced_at=state.synced_at)


class RemoteSteps(HomePart):
    """The steps of a sync."""

    def __init__(self, home: Home, remotes: RemoteStore, purger: AppliesPurges) -> None:
        super().__init__(home)
        self._remotes = remotes
        self.lines = IncomingLines(home, remotes, purger)

    # Running a step

    def attempt(
        self,
        state: RemoteState,
        step: Callable[[RemoteSession], None],
        *,
        close: bool = True,
        ignored: Collection[str] = (),
    ) -> RemoteSession:
        session = RemoteSession(state, open_transport(state.url, self._remotes.mirror(state.name)), ignored)
        with self.guarded(session):
            step(session)
        if close:
            session.transport.close()
        return session

    @contextmanager
    def guarded(self, session: RemoteSession) -> Iterator[None]:
        """Run a step. A remote that fails is reported, and the others go on."""
        try:
            yield
        except TacitError as error:
            session.problem = error
            session.reports = self.peer_reports(session.state) | session.reports

    # Taking

    def open_and_take(self, session: RemoteSession) -> None:
        self._open(session, adopt=True)
        self._check_token(session, change=True)
        self._take(session)

    def _open(self, session: RemoteSession, *, adopt: bool) -> None:
        """Fetch, and take over keys that another machine has changed. Raise KeysError if it cannot go on with its own.

        Nothing of other machines is taken with the keys before: whoever was removed has them, too.
        """
        session.transport.fetch()
        session.view = segments.view_remote(session.transport, session.state.ring)
        machine, former = self._remotes.machine(), session.state.ring
        while True:
            ignored = {*self._forgotten(), *session.ignored}
            found = OthersKeys(session.transport, session.view, session.state, machine, ignored).find()
            if found.handover is None:
                break
            if adopt:
                self._check_token(session, change=True)
                self.keep_own_lines(session.state, session.transport, session.view)
            new = found.handover
            session.state = session.state.with_new_keys(new.ring, new.locked_ring, new.data)
            if adopt:
                self._remotes.save(session.state)
            session.view = segments.view_remote(session.transport, session.state.ring)
        if session.state.ring != former:
            session.notes.append(f"another machine changed the keys; they are {session.state.ring.fingerprint} now")
        problem, areas = found.problem, found.areas
        # Who changed the keys at the same moment as this home removed a machine knew nothing of that.
        members = {member.id for member in session.state.ring.members}
        if not problem and (given := members & (self._forgotten() - set(session.ignored))):
            problem, areas = GIVEN_TO_REMOVED, tuple(sorted(given))
        session.state = session.state._replace(keys_problem=problem, strangers=areas)
        if adopt:  # others see the keys that this machine gave up for as long as its former ids have areas with them
            self._remove_unreadable(session, self._remotes.machine().former)
        if error := session.state.keys_error():
            if adopt:
                self._remotes.save(session.state)
            raise error
        damage.check_not_started_anew(session.transport, session.view, session.state)

    def keep_own_lines(self, state: RemoteState, transport: Transport, view: RemoteView) -> None:
        """Take what this machine published and does not have, before the keys of it are gone: its home was restored
        from a backup, perhaps."""
        machine = self._remotes.machine()
        received = []
        for area in view.areas:
            if area.machine in (machine.id, *machine.former):
                peer = state.peer(area.machine)
                taken = [*(part.name for part in state.parts), *(peer.taken if peer else ())]
                received.append(segments.receive(transport, view, area, state.ring, taken, self.lines.latest_id()))
        self.lines.take(received)

    def _check_token(self, session: RemoteSession, *, change: bool) -> None:
        """Take a new id if the remote has a state of this machine that this home did not write, or others saw one."""
        machine, state = self._remotes.machine(), session.state
        area = session.view.area(machine.id)
        written = state.written if state.written and state.written.machine == machine.id else None
        tokens = {state.pending_token, written.token if written else ""}
        sequence = written.sequence if written else 0
        is_foreign = area and any(found.token not in tokens and found.sequence >= sequence for found in area.manifests)
        latest = state.sequence or sequence + 1  # versions that kept no sequence may have written the next one
        if is_foreign or damage.seen_of(session.view, state, machine.id) > latest:
            session.notes.append(
                "this home was restored from a backup, or a copy of it is in use: it continues as a new machine, and "
                f"{short_id(machine.id)} counts as another one"
            )
            if change:
                self._remotes.save_machine(machine.as_another())

    def _take(self, session: RemoteSession) -> None:
        """Take in lines and tombstones of all other machines. What was taken is noted when it is durable."""
        state, own, known_purges = session.state, self._remotes.machine().id, set(self.purges())
        received: list[Received] = []
        forgotten = self._forgotten()
        for area in damage.known_areas(session.view, state):
            peer = state.peer(area.machine)
            taken = peer.taken if peer else ()
            if area.machine in forgotten:
                received.append(Received(area))
            elif area.machine != own:
                received.append(
                    segments.receive(session.transport, session.view, area, state.ring, taken, self.lines.latest_id())
                )
        names = {area.machine: area.manifests[0].name for area in session.view.areas}
        for machine in sorted(forgotten & names.keys()):
            session.notes.append(
                f"{names[machine]} was removed and gets the keys of this remote: "
                f"tacit remote forget-machine {short_id(machine)}"
            )
        taken_lines = self.lines.take(received)
        session.applied_purges = len(set(self.purges()) - known_purges)
        peers = {peer.manifest.machine: peer for peer in state.peers}
        read_names: set[str] = set()
        for found in received:
            machine = found.area.machine
            listed = {entry.name for manifest in found.area.manifests for entry in manifest.segments}
            before = peers[machine].taken if machine in peers else ()
            held_by_name = taken_lines[machine].held if machine in taken_lines else {}
            known = {*before, *(part.name for part in found.segments if not held_by_name.get(part.name))} & listed
            held = sum(held_by_name.values())
            read_names |= {part.name for part in found.segments}
            latest, keys = found.area.manifests[0], state.ring.fingerprint
            if machine in peers:  # the key that it is handed others with never changes, whatever is said later
                latest = latest._replace(recipient=peers[machine].manifest.recipient)
            peers[machine] = PeerState(latest, keys, tuple(sorted(known)), held)
        # A machine that continues under a new id has removed what it had written under the one before.
        there = {path.partition("/")[0] for path in session.view.files}
        for former in {former for found in received for former in found.area.manifests[0].former} - there:
            peers.pop(former, None)
        session.state = state._replace(peers=tuple(peers[name] for name in sorted(peers)), synced_at=self._now())
        session.state = self._with_faults(session, read_names)
        if damage.has_come_back(state.faults, session.state.faults):
            session.transport.forget_replaced()
        session.reports = {
            machine: report._replace(new=taken_lines[machine].new if machine in taken_lines else 0)
            for machine, report in self.peer_reports(session.state).items()
        }
        self._remotes.save(session.state)

    def _with_faults(self, session: RemoteSession, read: Collection[str]) -> RemoteState:
        """Return the state with what is wrong with files of others. The segments with the names in `read` are not."""
        state, view, now = session.state, session.view, self._now()
        own, members = self.own_id(), state.members()
        faults = [*damage.manifest_faults(session.transport, view, state, own, now)]
        for peer in state.peers:
            if peer.manifest.machine in members and peer.manifest.machine != own:
                faults += damage.segment_faults(view, peer, read, now)
        return state._replace(faults=since_before(faults, state.faults))

    # Publishing

    def publish(self, session: RemoteSession) -> None:
        """Write what is new, and the manifest last. Parts that a purge changed are written anew."""
        state, machine, purges = self._published_state(session), self._remotes.machine(), self._purge_operations()
        reader = SegmentReader(self._store.log, state, machine.id, self._now())
        fixed = _fixed_files(state)
        repairs = find_repairs(session.transport, session.view, state, machine.id, fixed, self._now())
        parts: list[PublishedPart] = []
        files: dict[str, bytes] = {}
        gone: set[str] = set()
        for outgoing in reader.plan(purges):
            part = outgoing.part
            is_there = session.view.files.get(f"{machine.id}/{part.name}.age") == part.size
            if part.name and outgoing.content is None and not is_there:
                gone.add(part.name)
            if part.name and (outgoing.content is not None or not is_there or part.name in repairs.names):
                part, files[f"{part.name}.age"] = reader.seal(outgoing)
            parts.append(part)
        if self.lines.is_purging or purges != self._purge_operations():
            raise RemoteError("a purge is at work in this home", "when it has ended: tacit sync")
        entries = {part.name: SegmentEntry(part.name, part.size, part.lines) for part in parts if part.name}
        manifest = self._manifest(session, state, machine)._replace(
            segments=tuple(entries.values()), purges=tuple(purges)
        )
        session.sent = _added_lines(parts, state.parts)
        session.state = state._replace(parts=tuple(parts), checked_at=repairs.checked_at, answered=repairs.answered)
        is_due = _is_manifest_due(manifest, state.written, session.view.area(machine.id))
        if not (files or repairs.names or is_due):
            return self._remotes.save(session.state)
        session.state = session.state._replace(pending_token=manifest.token, sequence=manifest.sequence)
        self._remotes.save(session.state._replace(parts=state.parts, answered=state.answered))
        fixed[MANIFEST_FILE] = seal_manifest(state.ring, manifest)
        session.transport.publish(machine.id, {**files, **fixed}, [entry.file for entry in entries.values()])
        session.state = session.state._replace(written=manifest, written_keys=state.ring.fingerprint)
        self._remotes.save(session.state)
        session.notes += damage.repair_notes(repairs, len((repairs.damaged | gone) - repairs.requested))
        if state.has_new_purges(purges) or repairs.is_rolled_back:
            session.transport.forget_replaced()
        return None

    def remove_forgotten(self, session: RemoteSession) -> None:
        """Remove what machines wrote that were removed: nobody needs it, and whoever has keys of before can read it."""
        self._remove_unreadable(session, self._forgotten())

    def _remove_unreadable(self, session: RemoteSession, machines: Collection[str]) -> None:
        if stale := sorted(set(machines) & set(session.view.foreign)):
            for folder in stale:
                session.transport.remove(folder)
            session.transport.forget_replaced()

    def _published_state(self, session: RemoteSession) -> RemoteState:
        """Return the state; without what was published under a former id of this home."""
        state = session.state
        if state.written is not None and state.written.machine != self._remotes.machine().id:
            return state._replace(parts=(), written=None, pending_token="")
        return state

    def _manifest(self, session: RemoteSession, state: RemoteState, machine: MachineKeys) -> Manifest:
        """Return the next manifest, without segments and purges."""
        area, origin = session.view.area(machine.id), self._store.actor.origin()
        before = [*(area.manifests if area else ()), *([state.written] if state.written else ())]
        latest, now = max((manifest.sequence for manifest in before), default=0), self._now()
        peers, publishers = [peer.manifest for peer in session.state.peers], session.state.publishers(now)
        return Manifest(
            machine.id,
            default_name(origin.host, machine),
            machine.recipient,
            max(latest, state.sequence) + 1,
            os.urandom(16).hex(),
            origin.at,
            seen=tuple((peer.machine, peer.at) for peer in peers),
            former=machine.former,
            everything=state.everything,
            sequences=tuple((peer.machine, peer.sequence) for peer in peers if peer.machine in publishers),
            wanted=wanted_files(state.faults, now),
        )

    # Looking

    def look(self, session: RemoteSession) -> None:
        """Fill the report with what a sync would do."""
        self._open(session, adopt=False)
        self._check_token(session, change=False)
        state = session.state
        readable: set[str] = set()
        waiting: dict[str, int] = {}
        peers = {peer.manifest.machine: peer for peer in state.peers}
        for area in damage.known_areas(session.view, state):
            if area.machine not in (self.own_id(), *state.forgotten):
                latest, peer = area.manifests[0], state.peer(area.machine) or PeerState(area.manifests[0], "")
                unread = [entry for entry in latest.segments if entry.name not in peer.taken]
                found = [
                    entry
                    for entry in unread
                    if segments.find_content(session.transport, session.view, area, state.ring, entry) is not None
                ]
                readable |= {entry.name for entry in found}
                peers[area.machine] = peer._replace(manifest=latest, fingerprint=state.ring.fingerprint)
                waiting[area.machine] = sum(entry.lines for entry in found)
        session.state = state._replace(peers=tuple(peers.values()))
        session.state = self._with_faults(session, readable)
        session.reports = {
            machine: report._replace(waiting=waiting.get(machine, 0))
            for machine, report in self.peer_reports(session.state).items()
        }
        state = self._published_state(session)
        own, fixed = self._remotes.machine().id, _fixed_files(state)
        planned = SegmentReader(self._store.log, state, own, self._now()).plan(self._purge_operations())
        session.unsent = _added_lines([outgoing.part for outgoing in planned], state.parts)
        repairs = find_repairs(session.transport, session.view, state, own, fixed, self._now())
        if repairs.is_rolled_back:
            session.notes.append("the remote is older than what this machine saw: tacit sync publishes it again")
        elif repairs.names:
            session.notes.append("files of this machine are damaged or were asked for again: tacit sync writes them")

    def peer_reports(self, state: RemoteState) -> dict[str, MachineReport]:
        """Return what is known of the other machines on a remote, by their ids."""
        own, purges, now = self.own_id(), self.purges(), self._now()
        names = {member.id: member.name for member in state.ring.members}
        reports = {
            machine: MachineReport(machine, names.get(machine) or short_id(machine), since)
            for machine, since in ((fault.machine, fault.since) for fault in state.faults)
        }
        for peer in state.peers:
            report = report_machine(peer.manifest, own, purges, now)
            has_old_keys = peer.fingerprint != state.ring.fingerprint
            reports[peer.manifest.machine] = report._replace(held=peer.held, has_old_keys=has_old_keys)
        return {machine: report.with_faults(state.faults, now) for machine, report in reports.items()}

    # What this home is

    def _forgotten(self) -> set[str]:
        """Return the machines that were removed from any remote: nothing is taken from them on another."""
        return {machine for state in self._remotes.all() for machine in state.forgotten}

    def _purge_operations(self) -> list[str]:
        """Return the operations of all tombstones, as a manifest confirms them."""
        return sorted({event.op for event in self._store.log.tombstones()})

    def purges(self) -> list[str]:
        """Return the operations of purges, without those that only added events to an earlier one."""
        return sorted({event.op for event in self._store.log.tombstones() if is_purge(event)})

    def own_id(self) -> str:
        return self._remotes.machine().id if self._remotes.names() else ""

    def _now(self) -> datetime:
        return self._store.actor.origin().at


def _added_lines(parts: Sequence[PublishedPart], before: Sequence[PublishedPart]) -> int:
    """Return how many lines there are more; files that this machine does not pass on any more take none away."""
    lines = Counter[str]()
    for part in parts:
        lines[part.segment] += part.lines
    for part in before:
        lines[part.segment] -= part.lines
    return sum(count for count in lines.values() if count > 0)


def _is_manifest_due(manifest: Manifest, written: Manifest | None, area: Area | None) -> bool:
    """Return whether a manifest must be written although no file is new."""
    if written is None or area is None or area.manifests[0].token != written.token:
        return True
    before, after = ((each.segments, each.purges, each.name, each.wanted) for each in (written, manifest))
    return before != after or not timedelta() <= manifest.at - written.at <= _MANIFEST_AGE


def _fixed_files(state: RemoteState) -> dict[str, bytes]:
    """Return the files with keys that this machine publishes."""
    handovers = dict.fromkeys((HANDOVER_FILE, f"keys{state.ring.epoch}.age"), state.handover) if state.handover else {}
    return {RING_FILE: state.locked_ring, **handovers}
