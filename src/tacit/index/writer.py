"""Apply events of the log to the index: each event is stored once, and only what it touches is folded again.

The result does not depend on how events are split into batches (tests/laws/test_index.py). A new index is made in the
same way, of the whole log at once (ADR 82). Rows are inserted fastest in the order of their keys, so events are filed
first, and memories are folded after the last one, by id.
"""

from __future__ import annotations

import sqlite3
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, groupby, islice
from operator import itemgetter

from tacit.errors import IndexUnusableError
from tacit.index import commands, reader, vectors
from tacit.index.conflicts import ConflictWriter, topic_hashes
from tacit.index.database import insert_rows, mark_stale, transaction
from tacit.index.habits import forget_habits, store_shell_commands
from tacit.index.postings import IndexedDocument, PostingsWriter, page_doc_id
from tacit.model import observation
from tacit.model.claim import Stance, Status
from tacit.model.conflict import parse_stance
from tacit.model.event import ClaimDecided, ClaimProposed, Event, EventsUndone, agent_name, is_of_team, timestamp
from tacit.model.ids import ClaimId, claim_number
from tacit.model.memory import Memory, claims_of_event, fold_memory, undone_ids
from tacit.model.trial import TRIAL_ACTOR
from tacit.record import Record
from tacit.text.words import tokenize

TYPE_CHECKING = False

if TYPE_CHECKING:
    from tacit.index.session_writer import SessionWriter

_EVENTS_PER_CHUNK, _CLAIMS_PER_CHUNK = 2_500, 2_500
_MAX_HELD_EVENTS = 20_000  # in memory, about 50 MB: as many as a batch has when the index follows the log
_MANY_MEMORIES = 500  # with more, every page is drawn again
_CLAIM_BITS = 60
READ_SHARE, _FOLDED_SHARE = 0.4, 0.8  # of the work, that is done when all events are read, and all memories folded
FOLDED_BODIES = (
    ClaimProposed,
    ClaimDecided,
    EventsUndone,
    observation.WorkLogged,
    observation.EvaluationCreated,
    observation.RepositoryTrusted,
    observation.RepositoryDistrusted,
    observation.WorkflowSaved,
    observation.WorkflowDropped,
    observation.WorkflowRan,
    observation.TrialStarted,
    observation.TrialEnded,
)
_METRIC_BODIES = (
    observation.RecallAsked,
    observation.MemoryChecked,
    observation.TrialChecked,
    observation.BriefInjected,
    observation.ProjectSeen,
)
_INSERT_EVENT = "INSERT OR IGNORE INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_ADD_METRIC = "INSERT INTO metric_totals VALUES (?, ?) ON CONFLICT DO UPDATE SET amount = amount + excluded.amount"
_NO_STANCE = Stance("", "", positive=True, exclusive=False)
_COLUMN_COUNT = 22
_INSERT_MEMORY = f"INSERT INTO memories VALUES ({', '.join('?' * _COLUMN_COUNT)}, NULL, 0)"
_SELECT_OLD_MEMORY = "SELECT scope, status, kind, is_habit, sentence FROM memories WHERE doc_id = ?"
_ADD_COUNT = (
    "INSERT INTO memory_counts VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT DO UPDATE SET memory_count = memory_count + excluded.memory_count"
)
# Created after the rows of a new index are inserted, which takes half the time of updating them row by row.
_CREATE_INDEXES = (
    f"CREATE INDEX memories_ruled ON memories (doc_id) WHERE {reader.IS_RULED}",
    "CREATE INDEX memories_latest ON memories (status, last_event_id DESC, doc_id DESC)",
    "CREATE INDEX memories_scope ON memories (scope, status, last_event_id DESC, doc_id DESC, kind)",
    "CREATE INDEX memories_kind ON memories (status, kind, last_event_id DESC, doc_id DESC)",
    "CREATE INDEX memories_tagged ON memories (status, last_event_id DESC, doc_id DESC) WHERE tags <> ''",
    "CREATE INDEX memories_candidates ON memories"
    f" (confidence DESC, last_event_id DESC, doc_id DESC, kind, scope, status, is_habit) WHERE {reader.IS_CANDIDATE}",
    f"CREATE INDEX memories_shared ON memories (scope, id) WHERE is_shared AND {reader.IS_EFFECTIVE}",
    "CREATE INDEX memories_habits ON memories (status) WHERE is_habit",
    f"CREATE INDEX memories_importance ON memories (scope, {reader.IMPORTANCE_ORDER}) WHERE {reader.IS_EFFECTIVE}",
)
_HIDE_SUPERSEDED = """
  UPDATE pages SET is_hidden =
    event_id <> (SELECT max(event_id) FROM pages WHERE kind = 'evaluation' AND page_name = :page_name)
  WHERE kind = 'evaluation' AND page_name = :page_name
"""
_SELECT_WORKLOG_ENTRY = f"""
  SELECT event_id, page_name, is_hidden, {reader.EVENT_LINE} FROM pages JOIN events ON events.id = event_id
  WHERE event_id = ? AND kind = 'worklog'
"""
# These learners and the team write between two commands of a person, who never means their events by "the latest".
_BACKGROUND_ACTORS = ("learner:habit", "learner:talk", TRIAL_ACTOR)

ReportShare = Callable[[float], None]  # is told how much of the work is done, 0 to 1


class IndexedEvent(Record):
    """An event and the position of its line in the log. `raw` replaces the line if tombstones changed the event."""

    event: Event
    type: str
    segment: str
    line: int
    offset: int
    length: int
    raw: bytes | None

    @property
    def is_folded(self) -> bool:
        """Whether memories, pages, workflows or trust are folded from it."""
        return isinstance(self.event.body, FOLDED_BODIES)

    @property
    def row(self) -> tuple[str | int | bytes | None, ...]:
        """The columns of the table `events`."""
        event = self.event
        op = None if event.op == event.id else event.op
        actor = event.origin.actor
        return (event.id, op, self.type, actor in _BACKGROUND_ACTORS or is_of_team(actor), *self[2:])


class SegmentCursor(Record):
    """How far a segment of the log was read."""

    segment: str
    offset: int
    lines: int
    tail: str


def apply_events(
    connection: sqlite3.Connection,
    events: Iterable[IndexedEvent],
    cursors: Iterable[SegmentCursor],
    decode: reader.Decode,
    report: ReportShare = lambda _share: None,
    removed: Sequence[Event] = (),
    max_held: int = _MAX_HELD_EVENTS,
) -> None:
    """Apply events to all tables and store how far the log was read, in one transaction.

    `cursors` is iterated after the last event, so it may be filled while `events` is read. `removed` are events whose
    own rows are gone, and from which memories and pages are not to be folded any more. The memory this takes does not
    grow with the number of events: after more than `max_held`, all claims are read again.
    """
    with transaction(connection):
        writer = _EventWriter(connection, decode, max_held)
        writer.remove(removed)
        remaining = iter(events)
        while chunk := list(islice(remaining, _EVENTS_PER_CHUNK)):
            writer.add(chunk)
        writer.flush(report)
        connection.executemany("INSERT OR REPLACE INTO log_cursors VALUES (?, ?, ?, ?)", cursors)


class _EventWriter:
    """Files events in the tables of their types. `flush` writes what is folded from several events."""

    def __init__(self, connection: sqlite3.Connection, decode: reader.Decode, max_held: int) -> None:
        self._connection = connection
        self._decode = decode
        self._postings = PostingsWriter(connection)
        self._memories = _MemoryWriter(connection, self._postings, decode, max_held)
        self._sessions: SessionWriter | None = None
        self._may_hide_entries = False

    def add(self, entries: Sequence[IndexedEvent]) -> None:
        """File events. Those that are stored already are ignored."""
        rows = [entry.row for entry in entries if entry.is_folded]
        if rows and (is_new := insert_rows(self._connection, _INSERT_EVENT, rows)) is not None:
            flags = iter(is_new)
            entries = [entry for entry in entries if not entry.is_folded or next(flags)]
        present = {type(entry.event.body) for entry in entries}
        if not present.isdisjoint(_METRIC_BODIES):
            _store_metrics(self._connection, entries)
        if observation.CommandRan in present:
            # All commands are searched, and the learners of habits read those that a person ran.
            runs = [entry for entry in entries if isinstance(entry.event.body, observation.CommandRan)]
            store_shell_commands(self._connection, (entry.event for entry in runs if entry.event.is_by_user))
            latest = commands.latest_shell_executions((entry.event, entry.segment, entry.line) for entry in runs)
            commands.store_commands(self._connection, latest)
        if not present.isdisjoint(FOLDED_BODIES):
            folded = [entry.event for entry in entries if entry.is_folded]
            self._memories.add_events(folded)
            _add_pages(self._connection, self._postings, folded)
            self._may_hide_entries |= not present.isdisjoint((EventsUndone, observation.WorkLogged))
        if not present.isdisjoint(observation.SESSION_TYPES):
            from tacit.index.session_writer import SessionWriter  # `tacit add` needs none

            self._sessions = self._sessions or SessionWriter(self._connection, self._postings, self._decode)
            self._sessions.add_events(
                [entry for entry in entries if isinstance(entry.event.body, observation.SESSION_TYPES)]
            )

    def remove(self, events: Sequence[Event]) -> None:
        """Detach events from what was folded from them."""
        self._memories.remove_events(events)
        for event in events:
            if isinstance(event.body, observation.WorkLogged | observation.EvaluationCreated):
                self._postings.remove(page_doc_id(event.id))
                self._connection.execute("DELETE FROM pages WHERE doc_id = ?", (page_doc_id(event.id),))

    def flush(self, report: ReportShare) -> None:
        self._memories.flush(report)
        if self._may_hide_entries:
            _hide_undone_entries(self._connection, self._decode)
        if self._sessions:
            self._sessions.flush()
        self._postings.flush()
        report(1)


def _store_metrics(connection: sqlite3.Connection, entries: Iterable[IndexedEvent]) -> None:
    """Store usage counts, injected briefs and the directories of projects."""
    for entry in entries:
        event = entry.event
        match event.body:
            case observation.RecallAsked(hits=hits):
                _add_metrics(connection, event, asked=1, missed=0 if hits else 1)
            case observation.MemoryChecked():
                from tacit.index.adherence import store_check  # `tacit add` needs none

                store_check(connection, event.id, event.body)
            case observation.TrialChecked():
                from tacit.index.trials import store_trial_session

                store_trial_session(connection, event.id, event.body)
            case observation.BriefInjected(tokens=tokens, agent=agent, memories=memories):
                if agent:  # a brief that a person printed told no agent anything
                    rows = [(claim, event.id, event.origin.session) for claim in memories]
                    connection.executemany("INSERT OR IGNORE INTO injected_memories VALUES (?, ?, ?)", rows)
                _add_metrics(connection, event, briefs=1, tokens=tokens)
                row = (event.id, event.origin.session, entry.segment, entry.offset, entry.length, entry.raw)
                connection.execute("INSERT OR IGNORE INTO injections VALUES (?, ?, ?, ?, ?, ?)", row)
            case observation.ProjectSeen(root=root):
                connection.execute("INSERT OR IGNORE INTO project_roots VALUES (?, ?)", (event.scope, root))


def _add_metrics(connection: sqlite3.Connection, event: Event, **amounts: int) -> None:
    for name, amount in amounts.items():
        row = (event.id, name, amount)
        if connection.execute("INSERT OR IGNORE INTO metrics VALUES (?, ?, ?)", row).rowcount:
            connection.execute(_ADD_METRIC, (name, amount))


# Memories


class _MemoryWriter:
    """Writes the memories that events touch. `add_events` files the events, and `flush` folds each memory once.

    The events of new memories are held until then, but not those of a long log, which are read again in order.
    """

    def __init__(
        self, connection: sqlite3.Connection, postings: PostingsWriter, decode: reader.Decode, max_held: int
    ) -> None:
        self._connection = connection
        self._postings = postings
        self._decode = decode
        self._max_held = max_held
        self._conflicts = ConflictWriter(connection)
        self._new_events: dict[ClaimId, list[Event]] = {}
        self._reduced_claims: set[ClaimId] = set()  # those that lost events
        self._added = 0
        self._counts: Counter[tuple[str | int, ...]] = Counter()  # what `memory_counts` gains

    def remove_events(self, events: Sequence[Event]) -> None:
        """Detach events from the memories that they were folded into."""
        rows = [(claim, event.id) for event in events for claim in claims_of_event(event)]
        claims = {claim for claim, _ in rows}
        run = self._connection.executemany
        run("DELETE FROM claim_events WHERE claim_id = ? AND event_id = ?", rows)
        run("DELETE FROM claim_sources WHERE claim_id = ?", [(claim,) for claim in claims])
        run("DELETE FROM memory_agents WHERE doc_id = ?", [(claim_number(claim),) for claim in claims])
        self._store_sources({claim: reader.events_of_claim(self._connection, claim, self._decode) for claim in claims})
        self._reduced_claims |= claims

    def add_events(self, events: Sequence[Event]) -> None:
        """File new events under the claims that they touch."""
        by_claim: dict[ClaimId, list[Event]] = {}
        for event in events:
            for claim in claims_of_event(event):
                by_claim.setdefault(claim, []).append(event)
        rows = [(claim, event.id) for claim in sorted(by_claim) for event in by_claim[claim]]
        self._connection.executemany("INSERT OR IGNORE INTO claim_events VALUES (?, ?)", rows)
        self._store_sources(by_claim)
        self._added += len(rows)
        if self._added > self._max_held:
            self._new_events = {}
            return
        for claim, own in by_claim.items():
            self._new_events.setdefault(claim, []).extend(own)

    def _store_sources(self, by_claim: Mapping[ClaimId, Sequence[Event]]) -> None:
        """Store what claims were learned from, and which agents had a part in them."""
        sources = [
            (claim, source)
            for claim, events in by_claim.items()
            for event in events
            if isinstance(event.body, ClaimProposed) and event.body.claim.id == claim
            for source in event.body.events
        ]
        agents = [
            (agent, claim_number(claim))
            for claim, events in by_claim.items()
            for agent in sorted({agent_name(event.origin.actor) for event in events} - {""})
        ]
        self._connection.executemany("INSERT OR IGNORE INTO claim_sources VALUES (?, ?)", sources)
        self._connection.executemany("INSERT OR IGNORE INTO memory_agents VALUES (?, ?)", agents)

    def flush(self, report: ReportShare) -> None:
        """Fold the claims that got or lost events, and resolve the conflicts of all that changed."""
        claims = self._events_by_claim()
        while chunk := dict(islice(claims, _CLAIMS_PER_CHUNK)):
            self._write({claim: fold_memory(events, claim) for claim, events in chunk.items()})
            is_many = len(chunk) > _MANY_MEMORIES
            mark_stale(self._connection, ["everything"] if is_many else [f"memory {claim}" for claim in chunk])
            share = claim_number(max(chunk)) / (1 << _CLAIM_BITS)  # ids are hashes
            report(READ_SHARE + (_FOLDED_SHARE - READ_SHARE) * share)
        if self._connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'memories_latest'").fetchone() is None:
            for statement in _CREATE_INDEXES:
                self._connection.execute(statement)
        if self._added > self._max_held:
            self._postings.flush()  # comparing so many memories takes memory itself
        self._conflicts.flush()
        self._connection.executemany(_ADD_COUNT, [(*key, number) for key, number in self._counts.items() if number])
        self._connection.execute("DELETE FROM memory_counts WHERE memory_count = 0")

    def _events_by_claim(self) -> Iterator[tuple[ClaimId, list[Event]]]:
        """Yield the claims that got or lost events with all their events, by id; after too many events, all claims."""
        count = "SELECT count(*) FROM claim_events WHERE claim_id = ?"
        if self._added > self._max_held:
            for claim in self._reduced_claims:
                if not self._connection.execute(count, (claim,)).fetchone()[0]:
                    yield claim, []
            query = f"SELECT claim_id, {reader.EVENT_LINE} {reader.FROM_ALL_CLAIM_EVENTS}"
            for claim, rows in groupby(self._connection.execute(query), key=itemgetter(0)):
                yield ClaimId(claim), [self._decode(raw) for _, raw in rows]
            return
        for claim in sorted(self._new_events.keys() | self._reduced_claims):
            new = self._new_events.get(claim, [])
            is_new = self._connection.execute(count, (claim,)).fetchone()[0] == len(new)
            is_new &= claim not in self._reduced_claims
            yield claim, new if is_new else reader.events_of_claim(self._connection, claim, self._decode)

    def _write(self, folded: Mapping[ClaimId, Memory | None]) -> None:
        """Replace the rows of memories, and delete them for None."""
        known = {claim_number(claim) for claim in folded if self._remove_row(claim)}
        memories = {claim_number(claim): memory for claim, memory in folded.items() if memory is not None}
        self._connection.executemany(_INSERT_MEMORY, [_columns(*numbered) for numbered in memories.items()])
        self._counts.update(
            (memory.claim.scope, memory.status.value, memory.claim.kind.label, int(memory.is_habit))
            for memory in memories.values()
        )
        for doc_id in known - memories.keys():
            self._postings.remove(doc_id)
        documents = [_document(*numbered) for numbered in memories.items()]
        self._postings.add((document for document in documents if document.doc_id not in known), fresh=True)
        self._postings.add((document for document in documents if document.doc_id in known), fresh=False)
        vectors.remove_vectors(self._connection, known)
        in_use = (Status.ACTIVE, Status.PENDING)
        texts = {doc_id: memory.claim.sentence for doc_id, memory in memories.items() if memory.status in in_use}
        vectors.write_vectors(self._connection, texts)
        active = {doc_id: memory.claim for doc_id, memory in memories.items() if memory.status is Status.ACTIVE}
        self._conflicts.add_topics(
            {doc_id: topic_hashes(claim.scope, claim.sentence) for doc_id, claim in active.items()}
        )

    def _remove_row(self, claim: ClaimId) -> bool:
        """Remove the row of a memory, its count and its topics. Return whether it had one."""
        doc_id = claim_number(claim)
        row = self._connection.execute(_SELECT_OLD_MEMORY, (doc_id,)).fetchone()
        if row is None:
            return False
        *counted, sentence = row
        self._counts[tuple(counted)] -= 1
        self._conflicts.remove_topics(doc_id, row[0], sentence)
        self._connection.execute("DELETE FROM memories WHERE doc_id = ?", (doc_id,))
        return True


def _columns(doc_id: int, memory: Memory) -> tuple[str | int | float | None, ...]:
    """Return the row of a memory, without its ruling."""
    claim = memory.claim
    has_stance = memory.status is Status.ACTIVE and not memory.is_kept
    stance = parse_stance(claim) if has_stance else _NO_STANCE
    return (
        doc_id,
        claim.id,
        claim.scope,
        claim.kind.label,
        memory.status.value,
        claim.sentence,
        " ".join(claim.tags),
        memory.strength,
        int(memory.provenance),
        memory.last_event,
        timestamp(memory.last_at),
        timestamp(memory.said_at),
        stance.question if has_stance else None,
        stance.answer,
        stance.positive,
        stance.exclusive,
        memory.first_event,
        memory.kept_event,
        bool(memory.shared),
        memory.author,
        memory.is_habit,
        memory.confidence,
    )


def _document(doc_id: int, memory: Memory) -> IndexedDocument:
    """Return the words of a memory and of what describes it."""
    claim = memory.claim
    extra = (*claim.tags, claim.kind.label, *[evidence.text for evidence in memory.evidence], memory.reason)
    return IndexedDocument(doc_id, " ".join(tokenize(claim.sentence)), " ".join(tokenize("\n".join(extra))))


# Pages: entries of the worklog, and the latest evaluation of each day


def _add_pages(connection: sqlite3.Connection, postings: PostingsWriter, events: Sequence[Event]) -> None:
    """Write a page for each worklog entry and evaluation among the events."""
    for event in events:
        match event.body:
            case observation.WorkLogged(task, summary, changes, evidence, following):
                kind, day = "worklog", event.day.isoformat()
                title, text = f"{task}: {summary}" if task else summary, "\n".join((changes, evidence, following))
            case observation.EvaluationCreated(day, scores):
                kind, points = "evaluation", sum(score.points for score in scores)
                title = f"Evaluation of {day}: {points} of {2 * len(scores)} points"
                text = "\n".join(f"{score.name} {score.reason}" for score in scores)
            case _:
                continue
        doc_id = page_doc_id(event.id)
        row = (doc_id, event.id, kind, event.scope, day, timestamp(event.at), title)
        connection.execute("INSERT OR IGNORE INTO pages VALUES (?, ?, ?, ?, ?, ?, ?, 0)", row)
        if kind == "evaluation":
            connection.execute(_HIDE_SUPERSEDED, {"page_name": day})
        postings.add([IndexedDocument(doc_id, " ".join(tokenize(title)), " ".join(tokenize(text)))], fresh=True)
        mark_stale(connection, [f"{kind} {day}"])


def _hide_undone_entries(connection: sqlite3.Connection, decode: reader.Decode) -> None:
    """Hide worklog entries that were undone, and show those whose undo was undone.

    Undo events are few, so all of them are evaluated together.
    """
    undos = [decode(raw) for (raw,) in connection.execute(reader.SELECT_UNDONE).fetchall()]
    targets = {target for event in undos if isinstance(event.body, EventsUndone) for target in event.body.targets}
    entries = [
        row for target in sorted(targets) if (row := connection.execute(_SELECT_WORKLOG_ENTRY, (target,)).fetchone())
    ]
    undone = undone_ids(sorted([*undos, *(decode(raw) for *_, raw in entries)], key=lambda event: event.id))
    for event_id, day, was_hidden, _ in entries:
        if bool(was_hidden) != (event_id in undone):
            connection.execute("UPDATE pages SET is_hidden = ? WHERE event_id = ?", (event_id in undone, event_id))
            mark_stale(connection, [f"worklog {day}"])


# Lines of the log that were rewritten, as by a purge. The rest of the log is not read: the events of these lines are
# removed from all tables and applied again as they are now, and the positions of all other lines move. The result is
# that of a new index (tests/index/test_writer_rewriting.py), but for what would have to be counted or read again. What
# was removed may still be in free parts of the file: only a copy made by `VACUUM` is without.


class RewrittenLine(Record):
    """A line that was rewritten: where it was, and how many bytes and lines more are there now."""

    offset: int
    number: int
    bytes_more: int
    lines_more: int


class ReplacedEvent(Record):
    """An event as it is in the index, and as it is in the log now, each with its position."""

    old: IndexedEvent
    new: IndexedEvent


def apply_rewritten(
    connection: sqlite3.Connection,
    rewritten: Mapping[str, Sequence[RewrittenLine]],
    replaced: Sequence[ReplacedEvent],
    cursors: Iterable[SegmentCursor],
    decode: reader.Decode,
) -> None:
    """Apply the events of rewritten lines again, and move the positions of all others.

    `rewritten` are all such lines by segment, in order, also those that hold no event. Raise IndexUnusableError if the
    index has to be built anew: it has an event by another line, or the event belongs to another session now.
    """
    with transaction(connection):
        command_ids = dict(
            row
            for old, _ in replaced
            for row in connection.execute("SELECT event_id, id FROM shell_commands WHERE event_id = ?", (old.event.id,))
        )
        for pair in replaced:
            _remove_event(connection, pair)
        runs = [
            commands.shell_execution(event, segment, line)
            if isinstance(event.body, observation.CommandRan)
            else commands.agent_execution(event, segment, line)
            for (event, _, segment, line, *_), _ in replaced
        ]
        commands.remove_commands(connection, [run for run in runs if run])
        for segment, lines in rewritten.items():
            _move_positions(connection, segment, lines)
        removed = [old.event for old, _ in replaced]
        apply_events(connection, [new for _, new in replaced], cursors, decode, removed=removed)
        if command_ids:  # they keep their places in the order
            rows = [(number, event_id) for event_id, number in command_ids.items()]
            connection.executemany("UPDATE shell_commands SET id = ? WHERE event_id = ?", rows)
            forget_habits(connection)
        connection.execute("DELETE FROM fact_files")  # they are compared again


def _remove_event(connection: sqlite3.Connection, pair: ReplacedEvent) -> None:
    """Remove the rows of an event. Those that are folded from several are written again when it is applied."""
    old, new = pair
    event, run = old.event, connection.execute
    place = (event.id, old.segment, old.offset)
    if old.is_folded and run("DELETE FROM events WHERE id = ? AND segment = ? AND offset = ?", place).rowcount != 1:
        raise IndexUnusableError("an event is in the index by another line")
    match event.body:
        case observation.CommandRan():
            run("DELETE FROM shell_commands WHERE event_id = ?", (event.id,))
        case observation.BriefInjected():
            run("DELETE FROM injections WHERE event_id = ?", (event.id,))
            run("DELETE FROM injected_memories WHERE event_id = ?", (event.id,))
        case observation.MemoryChecked():
            run("DELETE FROM memory_checks WHERE event_id = ?", (event.id,))
        case observation.TrialChecked():
            run("DELETE FROM trial_sessions WHERE event_id = ?", (event.id,))
        case observation.ProjectSeen(root=root):
            run("DELETE FROM project_roots WHERE scope = ? AND root = ?", (event.scope, root))
    if isinstance(event.body, observation.SESSION_TYPES):
        query = "DELETE FROM session_events WHERE event_id = ? AND segment = ? AND offset = ?"
        is_moved = not isinstance(new.event.body, observation.SESSION_TYPES) or _session_of(old) != _session_of(new)
        if is_moved or run(query, place).rowcount != 1:
            raise IndexUnusableError("an event is in the index by another line, or of another session")
        # What was learned from it without a model is learned again.
        number = (claim_number(observation.session_id(*_session_of(old))),)
        run("DELETE FROM session_choices WHERE session_number = ?", number)
        run("DELETE FROM learned_sessions WHERE session_number = ? AND model = ''", number)


def _session_of(entry: IndexedEvent) -> tuple[str, str]:
    assert isinstance(entry.event.body, observation.SESSION_TYPES)
    return entry.event.body.agent, entry.event.origin.session


def _move_positions(connection: sqlite3.Connection, segment: str, lines: Sequence[RewrittenLine]) -> None:
    """Move the positions of all lines behind the rewritten ones of a segment."""
    offsets, numbers = [line.offset for line in lines], [line.number for line in lines]
    bytes_more = [0, *accumulate(line.bytes_more for line in lines)]
    lines_more = [0, *accumulate(line.lines_more for line in lines)]
    connection.create_function("moved_offset", 1, lambda at: at + bytes_more[bisect_left(offsets, at)])
    connection.create_function("moved_line", 1, lambda at: at + lines_more[bisect_left(numbers, at)])
    behind = (segment, offsets[0])
    for table in ("events", "session_events", "injections"):
        connection.execute(f"UPDATE {table} SET offset = moved_offset(offset) WHERE segment = ? AND offset > ?", behind)
    if any(lines_more):
        for table in ("events", "session_events", "commands"):
            connection.execute(f"UPDATE {table} SET line = moved_line(line) WHERE segment = ?", (segment,))
