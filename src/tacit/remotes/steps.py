"""What a sync does with one remote: take in what others wrote, apply purges, publish what is new, and report.

Lines are durable before it is noted that they were taken, and segments are on the remote before the manifest that names
them. Whatever is killed in between is repeated by the next sync.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial

from tacit.errors import NotFoundError, RemoteError, TacitError
from tacit.home.home import Home, HomePart
from tacit.log.incoming import IncomingFilter, append_received, import_tombstones
from tacit.log.segment import received_segment
from tacit.model.ids import EventId, event_id
from tacit.purge.plan import late_tombstones
from tacit.purge.tombstones import Tombstones, is_purge
from tacit.remotes.keys import MachineKeys, encrypt, make_machine, segment_name
from tacit.remotes.manifest import (
    HANDOVER_FILE,
    MANIFEST_FILE,
    RING_FILE,
    Manifest,
    SegmentEntry,
    default_name,
    seal_manifest,
    short_id,
)
from tacit.remotes.publishing import OutgoingPart, SegmentReader, pack
from tacit.remotes.receiving import (
    Area,
    Received,
    RemoteView,
    find_new_keys,
    receive,
    unread_segments,
    view_remote,
)
from tacit.remotes.reports import MachineReport, RemoteReport, report_machine
from tacit.remotes.state import PeerState, PublishedPart, RemoteState, RemoteStore
from tacit.remotes.transport import Transport, open_transport

# Ids are times: one that is further ahead is held back, because all later ids of this home would have to be greater.
_MAX_AHEAD = timedelta(days=3650)
_MANIFEST_AGE = timedelta(hours=1)  # a manifest is written again after this, so that others see a living machine


class RemoteSession:
    """One remote while it is being synced."""

    def __init__(self, state: RemoteState, transport: Transport) -> None:
        self.state = state
        self.transport = transport
        self.view = RemoteView({}, (), ())
        self.reports: dict[str, MachineReport] = {}
        self.notes: list[str] = []
        self.sent = self.unsent = self.applied_purges = 0
        self.problem: TacitError | None = None

    def report(self, own: str) -> RemoteReport:
        state = self.state
        # Of machines that have not synced since the keys were changed it is known why they cannot be read.
        behind = {peer.manifest.machine for peer in state.peers} - set(state.members())
        known = {own, *behind}
        return RemoteReport(
            state.name,
            state.url,
            state.ring.fingerprint,
            tuple(self.reports[machine] for machine in sorted(self.reports)),
            self.sent,
            self.unsent,
            tuple(area for area in self.view.foreign if area not in known),
            tuple(self.notes),
            self.problem,
            state.synced_at,
            self.applied_purges,
        )


class RemoteSteps(HomePart):
    """The steps of a sync. `apply_purges` removes from the log whatever its tombstones name."""

    def __init__(self, home: Home, remotes: RemoteStore, apply_purges: Callable[[], object]) -> None:
        super().__init__(home)
        self._remotes = remotes
        self._apply_purges = apply_purges

    # Running a step

    def attempt(
        self, state: RemoteState, step: Callable[[RemoteSession], None], *, close: bool = True
    ) -> RemoteSession:
        session = RemoteSession(state, open_transport(state.url, self._remotes.mirror(state.name)))
        self.guarded(session, step)
        if close:
            session.transport.close()
        return session

    def guarded(self, session: RemoteSession, step: Callable[[RemoteSession], None]) -> None:
        """Run a step. A remote that fails is reported, and the others go on."""
        try:
            step(session)
        except TacitError as error:
            session.problem = error
            known = self.known_report(session.state, self.own_id(), self.purges())
            session.reports = {machine.id: machine for machine in known.machines} | session.reports

    # Taking

    def open_and_take(self, session: RemoteSession) -> None:
        self._open(session, adopt=True)
        self._check_token(session, change=True)
        self._take(session)

    def _open(self, session: RemoteSession, *, adopt: bool) -> None:
        """Fetch, and take over keys that another machine has changed."""
        transport, machine = session.transport, self._remotes.machine()
        transport.fetch()
        new = find_new_keys(transport, session.state.ring, machine)
        if new is not None:
            session.notes.append(f"another machine changed the keys; they are {new.ring.fingerprint} now")
            session.state = session.state.with_new_keys(new.ring, new.locked_ring)
            if adopt:
                self._remotes.save(session.state)
        session.view = view_remote(transport, session.state.ring)

    def _check_token(self, session: RemoteSession, *, change: bool) -> None:
        """Take a new id if the remote has a state of this machine that this home did not write."""
        machine, state = self._remotes.machine(), session.state
        area = session.view.area(machine.id)
        written = state.written if state.written and state.written.machine == machine.id else None
        tokens = {state.pending_token, written.token if written else ""}
        sequence = written.sequence if written else 0
        if area and any(found.token not in tokens and found.sequence >= sequence for found in area.manifests):
            session.notes.append(
                "this home was restored from a backup, or a copy of it is in use: it continues as a new machine, and "
                f"{short_id(machine.id)} counts as another one"
            )
            if change:
                self._remotes.save_machine(make_machine((*machine.former, machine.id)))

    def _take(self, session: RemoteSession) -> None:
        """Take in lines and tombstones of all other machines. What was taken is noted when it is durable."""
        received, known_purges = self._receive(session), set(self.purges())
        counts = self._take_lines(received)
        session.applied_purges = len(set(self.purges()) - known_purges)
        state, now = session.state, self._now()
        peers = {peer.manifest.machine: peer for peer in state.peers}
        purges = self.purges()
        for found in received:
            manifest, machine = found.area.manifests[0], found.area.machine
            listed = {entry.name for each in found.area.manifests for entry in each.segments}
            before = state.peer(machine)
            taken = {*(before.taken if before else ()), *(part.name for _, part in found.segments if not part.held)}
            held = sum(part.held for _, part in found.segments)
            peers[machine] = PeerState(
                manifest, state.ring.fingerprint, tuple(sorted(taken & listed)), found.missing, held
            )
            session.reports[machine] = report_machine(manifest, self.own_id(), purges, now)._replace(
                new=counts.get(machine, 0), missing=found.missing, held=held
            )
        session.state = state._replace(peers=tuple(peers[machine] for machine in sorted(peers)), synced_at=now)
        for peer in session.state.peers:
            if peer.manifest.machine not in session.reports:
                session.reports[peer.manifest.machine] = self._peer_report(state, peer, self.own_id(), purges, now)
        self._remotes.save(session.state)

    def _receive(self, session: RemoteSession) -> list[Received]:
        state, own = session.state, self._remotes.machine().id
        found: list[Received] = []
        for area in session.view.areas:
            if area.machine in state.forgotten:
                session.notes.append(
                    f"{area.manifests[0].name} was removed here and has the keys again: "
                    f"tacit remote forget-machine {short_id(area.machine)}"
                )
            elif area.machine != own:
                peer = state.peer(area.machine)
                taken = peer.taken if peer else ()
                found.append(receive(session.transport, session.view, area, state.ring, taken, self._latest_id()))
        return found

    def _take_lines(self, received: Sequence[Received]) -> dict[str, int]:
        """Append what is new to the log, apply new tombstones, and update index and pages. Return counts by machine.

        Tombstones come first. They hold for lines of a machine that had not applied them when it wrote, whatever the
        time of those lines. A machine that had applied them may have said the same again, on purpose.
        """
        log = self._store.log
        events = [event for found in received for _, part in found.segments for event in part.events]
        if not events:
            return {}
        incoming = IncomingFilter(log, self._latest_id())
        if tombstones := incoming.new_tombstones(events):
            self._store.mark_purge()
            import_tombstones(log, tombstones)
            manifests = [manifest for found in received for manifest in found.area.manifests]
            if drafts := late_tombstones(log, tombstones, partial(self._segments_that_knew, manifests)):
                log.append(drafts, self._store.actor.origin())
        counts = {found.area.machine: self._append_received(incoming, found) for found in received}
        self.finish_purges()
        self._store.record(lambda _connection: [])
        return counts

    def _segments_that_knew(self, manifests: Sequence[Manifest], op: str) -> set[str]:
        """Return the segments of received lines whose machine had applied a purge, as far as any remote tells."""
        known = [peer.manifest for state in self._remotes.all() for peer in state.peers]
        machines = {manifest.machine for manifest in (*known, *manifests) if op in manifest.purges}
        return {received_segment(machine, activity=activity) for machine in machines for activity in (False, True)}

    def _append_received(self, incoming: IncomingFilter, found: Received) -> int:
        lines, count = [*self._store.log.tombstones()], 0
        day = self._now().date().isoformat()
        for manifest in found.area.manifests:
            applied = set(manifest.purges)
            unknown = Tombstones(line for line in lines if line.op not in applied and is_purge(line))
            known = Tombstones(line for line in lines if line.op in applied or not is_purge(line))
            records = [event for listed, part in found.segments if listed is manifest for event in part.events]
            if events := incoming.new_events(records, unknown if unknown.all else None, known):
                append_received(self._store.log, found.area.machine, events, day)
                count += len(events)
        return count

    def finish_purges(self) -> None:
        """Apply tombstones that are in the log and were not applied, because they just came or a purge was killed."""
        if self._is_purging():
            with suppress(NotFoundError):  # it was killed before it wrote a tombstone
                self._apply_purges()

    def _is_purging(self) -> bool:
        return os.path.lexists(self._store.paths.purge_marker)

    # Publishing

    def publish(self, session: RemoteSession) -> None:
        """Write what is new, and the manifest last. Parts that a purge changed are written anew."""
        state, machine, now = self._published_state(session), self._remotes.machine(), self._now()
        purges = self._purge_operations()
        is_purged = state.written is not None and set(purges) != set(state.written.purges)
        reader = self._reader(state, machine)
        area = {path.partition("/")[2]: size for path, size in session.view.files.items() if _is_in(path, machine.id)}
        parts: list[PublishedPart] = []
        files: dict[str, bytes] = {}
        for outgoing in self._plan(session, state, purges):
            part, data = self._outgoing_file(reader, outgoing, area, state, machine)
            parts.append(part)
            if data is not None:
                files[f"{part.name}.age"] = data
        if self._is_purging() or purges != self._purge_operations():
            raise RemoteError("a purge is at work in this home", "when it has ended: tacit sync")
        entries = {part.name: SegmentEntry(part.name, part.size, part.lines) for part in parts if part.name}
        manifest = self._manifest(session, state, machine, tuple(entries.values()), purges)
        before = sum(part.lines for part in state.parts)
        session.sent = max(sum(part.lines for part in parts) - before, 0)
        session.state = state._replace(parts=tuple(parts))
        if not files and not _is_manifest_due(manifest, state.written, session.view.area(machine.id), now):
            return self._remotes.save(session.state)
        session.state = session.state._replace(pending_token=manifest.token)
        self._remotes.save(session.state._replace(parts=state.parts))
        fixed = {MANIFEST_FILE: seal_manifest(state.ring, manifest), RING_FILE: state.locked_ring}
        if state.handover:
            fixed[HANDOVER_FILE] = state.handover
        session.transport.publish(machine.id, {**files, **fixed}, [entry.file for entry in entries.values()])
        session.state = session.state._replace(written=manifest)
        self._remotes.save(session.state)
        if is_purged:
            session.transport.forget_replaced()
        return None

    def _published_state(self, session: RemoteSession) -> RemoteState:
        """Return the state; without what was published under a former id of this home."""
        state = session.state
        if state.written is not None and state.written.machine != self._remotes.machine().id:
            return state._replace(parts=(), written=None, pending_token="")
        return state

    def _plan(self, session: RemoteSession, state: RemoteState, purges: Sequence[str]) -> Iterable[OutgoingPart]:
        members = session.state.members()
        skipped = {received_segment(machine, activity=activity) for machine in members for activity in (False, True)}
        verify = state.written is None or set(purges) != set(state.written.purges)
        return self._reader(state, self._remotes.machine()).plan(state.parts, skipped, verify=verify)

    def _reader(self, state: RemoteState, machine: MachineKeys) -> SegmentReader:
        name = partial(segment_name, state.ring, machine.id)
        return SegmentReader(self._store.log, name, everything=state.everything)

    def _outgoing_file(
        self,
        reader: SegmentReader,
        outgoing: OutgoingPart,
        area: dict[str, int],
        state: RemoteState,
        machine: MachineKeys,
    ) -> tuple[PublishedPart, bytes | None]:
        """Return a part, and its file unless the remote has it. A file that vanished there is written again."""
        part, content = outgoing
        if not part.name or (content is None and area.get(f"{part.name}.age") == part.size):
            return part, None
        if content is None:
            content = reader.content(part)
            if segment_name(state.ring, machine.id, content) != part.name:
                raise RemoteError("the log was changed meanwhile", "tacit sync")
        data = encrypt(state.ring, pack(content))
        return part._replace(size=len(data)), data

    def _manifest(
        self,
        session: RemoteSession,
        state: RemoteState,
        machine: MachineKeys,
        entries: tuple[SegmentEntry, ...],
        purges: Sequence[str],
    ) -> Manifest:
        area = session.view.area(machine.id)
        sequences = [found.sequence for found in area.manifests] if area else []
        if state.written:
            sequences.append(state.written.sequence)
        origin = self._store.actor.origin()
        return Manifest(
            machine.id,
            default_name(origin.host, machine),
            machine.recipient,
            max(sequences, default=0) + 1,
            os.urandom(16).hex(),
            origin.at,
            entries,
            tuple(purges),
            tuple((peer.manifest.machine, peer.manifest.at) for peer in session.state.peers),
            machine.former,
            state.everything,
        )

    # Looking

    def look(self, session: RemoteSession) -> None:
        """Fill the report with what a sync would do."""
        self._open(session, adopt=False)
        self._check_token(session, change=False)
        own, now, purges = self.own_id(), self._now(), self.purges()
        for area in session.view.areas:
            if area.machine != own:
                session.reports[area.machine] = self._area_report(session, area, own, purges, now)
        for peer in session.state.peers:
            if peer.manifest.machine not in session.reports:
                session.reports[peer.manifest.machine] = self._peer_report(session.state, peer, own, purges, now)
        state = self._published_state(session)
        planned = self._plan(session, state, self._purge_operations())
        session.unsent = max(sum(each.part.lines for each in planned) - sum(part.lines for part in state.parts), 0)

    def _area_report(
        self, session: RemoteSession, area: Area, own: str, purges: Sequence[str], now: datetime
    ) -> MachineReport:
        peer = session.state.peer(area.machine)
        unread = list(unread_segments(session.view, area, peer.taken if peer else ()))
        return report_machine(area.manifests[0], own, purges, now)._replace(
            waiting=sum(entry.lines for entry, is_there in unread if is_there),
            missing=sum(not is_there for _, is_there in unread),
            held=peer.held if peer else 0,
        )

    def known_report(self, state: RemoteState, own: str, purges: Sequence[str]) -> RemoteReport:
        machines = tuple(self._peer_report(state, peer, own, purges, self._now()) for peer in state.peers)
        return RemoteReport(state.name, state.url, state.ring.fingerprint, machines, synced_at=state.synced_at)

    def _peer_report(
        self, state: RemoteState, peer: PeerState, own: str, purges: Sequence[str], now: datetime
    ) -> MachineReport:
        has_old_keys = peer.fingerprint != state.ring.fingerprint
        return report_machine(peer.manifest, own, purges, now)._replace(
            missing=peer.missing, held=peer.held, has_old_keys=has_old_keys
        )

    # What this home is

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

    def _latest_id(self) -> EventId:
        return event_id(int((self._now() + _MAX_AHEAD).timestamp() * 1000), b"\xff" * 10)


def _is_in(path: str, area: str) -> bool:
    return path.startswith(f"{area}/")


def _is_manifest_due(manifest: Manifest, written: Manifest | None, area: Area | None, now: datetime) -> bool:
    """Return whether a manifest must be written although no file is new."""
    if written is None or area is None or area.manifests[0].token != written.token:
        return True
    same = (written.segments, written.purges, written.name) == (manifest.segments, manifest.purges, manifest.name)
    return not same or now - written.at > _MANIFEST_AGE or now < written.at
