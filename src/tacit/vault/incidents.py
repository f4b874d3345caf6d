"""Incidents of recorded sessions: corrections and failures that a memory would have prevented.

A correction repeats a memory that was active at that time, or what the person had said in an earlier session of the
project. A command failed although a memory had its remedy, or an earlier session. A rule was broken if a check of
adherence shows it. A memory counts by the judgements up to then, whatever became of it later. Nothing is written, and
whatever is doubtful is left out: who is told wrongly that they repeat themselves does not look again.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache, lru_cache

from tacit.contradiction.polarity import content_stems
from tacit.errors import TacitError
from tacit.index import adherence, reader, sessions
from tacit.index.reader import MemoryRow
from tacit.index.sessions import SessionRow
from tacit.inject.fixes import fits
from tacit.learn import SessionEvent
from tacit.learn.adherence import CheckedCall, calls_in, check_claim
from tacit.learn.corrections import Correction, find_corrections, says_again, user_statements
from tacit.learn.fixes import find_fixes, fix_key
from tacit.learn.fixes.render import lesson_from_pair
from tacit.log.codec import must_decode
from tacit.model.claim import GLOBAL, PERSONAL_KINDS, Kind, Scope, Status
from tacit.model.event import Event
from tacit.model.expectations import read_expectations
from tacit.model.ids import ClaimId, EventId
from tacit.model.memory import Memory, fold_memory
from tacit.model.observation import CONVERSATION_TYPES, PromptGiven, ToolAction, ToolOutcome, ToolUsed
from tacit.model.session import Adherence
from tacit.model.statement import claim_from
from tacit.record import Record
from tacit.search.semantic import text_similarity
from tacit.text.display import one_line

_MAX_TEXT_CHARS = 160
_MAX_POSTINGS = 400  # statements with a stem; one that more have tells little
_COMMON_STEMS = frozenset(content_stems("use run make commit add write command file code test"))
_MAX_COPIED_CHARS = 80  # a longer prompt that is found word for word is of a copied session, or a template


class IncidentKind(StrEnum):
    """What happened."""

    CORRECTION = "correction"
    FAILURE = "failure"  # a command failed
    VIOLATION = "violation"  # a rule was broken, and nobody said so


class Answer(StrEnum):
    """What was known when it happened."""

    IGNORED = "ignored"  # the agent was told
    UNTOLD = "untold"  # it was remembered, and the agent was not told
    UNREMEMBERED = "unremembered"  # it was said or mended in an earlier session, and not remembered


class Place(Record):
    """An event of a session, with what was said or done."""

    session: ClaimId
    event: EventId
    text: str


class Found(Record):
    """An incident, before the turns of its events are looked up."""

    kind: IncidentKind
    answer: Answer
    place: Place
    memory: Memory | None = None
    earlier: Place | None = None
    sentence: str = ""


class _KnownStatement(Record):
    """What a correction may repeat: a memory, or what was said in a session that began earlier."""

    text: str
    stems: frozenset[str]
    memory: ClaimId | None = None
    said: Place | None = None
    at: datetime = datetime.min.replace(tzinfo=UTC)
    prompt: str = ""


class _KnownStatements:
    """Statements of one project, found by the stems of their words."""

    def __init__(self) -> None:
        self._all: list[_KnownStatement] = []
        self._by_stem: defaultdict[str, list[int]] = defaultdict(list)

    def add(self, statement: _KnownStatement) -> None:
        for stem in statement.stems:
            self._by_stem[stem].append(len(self._all))
        self._all.append(statement)

    def near(self, stems: Iterable[str]) -> list[_KnownStatement]:
        """Return the statements that share a word with others, those that share the most first."""
        shared: Counter[int] = Counter()
        for stem in stems:
            found = self._by_stem.get(stem, ())
            shared.update(found if len(found) <= _MAX_POSTINGS else ())
        return [self._all[place] for place in sorted(shared, key=lambda place: (-shared[place], place))]


class IncidentFinder:
    """Reads sessions in the order in which they began, and compares each with what was known before."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.found: list[Found] = []
        self.correction_count = self.failure_count = 0
        self.memories = [
            row for row in reader.memory_rows(connection) if row.kind not in PERSONAL_KINDS and row.overruled_by is None
        ]
        self._statements: dict[Scope, _KnownStatements] = {}
        self._fixes: dict[tuple[Scope, str], Place] = {}
        self._judgements: dict[ClaimId, list[Event]] = {}
        self.turns_of = cache(self._turns_of)

    def read(self, row: SessionRow, *, is_replayed: bool) -> None:
        """Read a session. What it says and mends is known to later ones."""
        logged = [one.event for one in sessions.logged_events_of_session(self.connection, row, must_decode)]
        times = {event.id: event.at for event in logged}
        events = [SessionEvent(event.id, event.body) for event in logged if isinstance(event.body, CONVERSATION_TYPES)]
        prompts = {event.event_id: event.body.text for event in events if isinstance(event.body, PromptGiven)}
        statements = self._statements_of(row.scope)
        if is_replayed:
            for correction in find_corrections(events):
                place = Place(row.id, correction.event_id, correction.text)
                found = self._repeated(row, place, correction, events, prompts, times)
                self.correction_count += correction.is_plain or found is not None
                self.found += filter(None, (found,))
        self._read_failures(row, events, times, is_replayed=is_replayed)
        if is_replayed:
            self.found += self._violations(row, times)
        for stated in user_statements(events):
            place = Place(row.id, stated.event_id, stated.text)
            at, prompt = times[stated.event_id], prompts[stated.event_id]
            statements.add(_KnownStatement(stated.core, frozenset(content_stems(stated.core)), None, place, at, prompt))

    def _statements_of(self, scope: Scope) -> _KnownStatements:
        """Return the statements of a project: memories that hold there, and what was read of its sessions so far."""
        if scope not in self._statements:
            self._statements[scope] = _KnownStatements()
            for row in self._memories_of(scope):
                stems = frozenset(content_stems(row.sentence))
                self._statements[scope].add(_KnownStatement(row.sentence, stems, row.id))
        return self._statements[scope]

    def _memories_of(self, scope: Scope) -> list[MemoryRow]:
        return [row for row in self.memories if row.scope in (scope, GLOBAL)]

    # Corrections

    def _repeated(
        self,
        row: SessionRow,
        place: Place,
        correction: Correction,
        events: Sequence[SessionEvent],
        prompts: Mapping[EventId, str],
        times: Mapping[EventId, datetime],
    ) -> Found | None:
        """Return what a correction repeats: a memory that was told, else one that was not, else what was said."""
        at, prompt = times[place.event], prompts[place.event]
        work = calls_in(_work_before(events, place.event)) if correction.is_plain else ()
        near = self._statements_of(row.scope).near(content_stems(" ".join((prompt, *correction.cores))))
        untold = None
        for one in near:
            if one.memory and _is_meant(one.text, correction, work) and (memory := self._active(one.memory, at)):
                if self._is_told(memory.id, row, place.event):
                    return Found(IncidentKind.CORRECTION, Answer.IGNORED, place, memory)
                untold = untold or Found(IncidentKind.CORRECTION, Answer.UNTOLD, place, memory)
        if untold:
            return untold
        for one in near:
            is_copy = one.prompt == prompt and len(prompt) > _MAX_COPIED_CHARS
            is_earlier = one.said is not None and one.said.session != row.id and one.at < at and not is_copy
            if is_earlier and _is_meant(one.text, correction, work):
                answer = Answer.UNREMEMBERED
                return Found(IncidentKind.CORRECTION, answer, place, earlier=one.said, sentence=one.text)
        return None

    # Failures, and rules that were broken

    def _read_failures(
        self, row: SessionRow, events: Sequence[SessionEvent], times: Mapping[EventId, datetime], *, is_replayed: bool
    ) -> None:
        explained: set[EventId] = set()
        prompts: list[SessionEvent] = []
        for event in events if is_replayed else ():
            if isinstance(event.body, PromptGiven):
                prompts.append(event)
            elif isinstance(event.body, ToolUsed) and _is_failed_command(event.body):
                self.failure_count += 1
                place = Place(row.id, event.event_id, one_line(event.body.input, _MAX_TEXT_CHARS))
                for memory in self._remedies(row, event.body, [*prompts, event], times[event.event_id]):
                    explained.add(event.event_id)
                    if self._is_told(memory.id, row, event.event_id):
                        self.found.append(Found(IncidentKind.FAILURE, Answer.IGNORED, place, memory))
                    elif not (memory.kind is Kind.KNOWN_FIX and self._is_told(memory.id, row)):  # told as it failed
                        self.found.append(Found(IncidentKind.FAILURE, Answer.UNTOLD, place, memory))
                    break
        for fix in find_fixes(events):
            failure = fix.pair.failure
            place = Place(row.id, failure.event_id, one_line(failure.used.input, _MAX_TEXT_CHARS))
            earlier = self._fixes.setdefault((row.scope, fix_key(fix.pair)), place)
            is_again = is_replayed and earlier.session != row.id and not fix.is_doubtful
            lesson = lesson_from_pair(fix.pair, fix.evidence, fix.score) if is_again else None
            if lesson and place.event not in explained:
                answer = Answer.UNREMEMBERED
                self.found.append(Found(IncidentKind.FAILURE, answer, place, None, earlier, lesson.sentence))

    def _remedies(
        self, row: SessionRow, used: ToolUsed, events: Sequence[SessionEvent], at: datetime
    ) -> Iterator[Memory]:
        """Yield the memories that were active and would have helped with a failed command.

        They are its known fixes, and rules that it broke and that were not told: what was told and broken is in the
        checks. `events` are the prompts before it, and the command.
        """
        for fix in self._memories_of(row.scope):
            is_fix = fix.kind is Kind.KNOWN_FIX and fits(fix.sentence, used.input, used.result)
            if is_fix and (memory := self._active(fix.id, at)):
                yield memory
        near = self._statements_of(row.scope).near(content_stems(used.input))
        rules = [one for one in near if one.memory and _can_be_broken(one.text)]
        calls = calls_in(events) if rules else ()
        for rule in rules:
            memory = self._active(rule.memory, at) if rule.memory else None
            is_broken = memory and check_claim(memory.claim, calls).result is Adherence.VIOLATED
            if memory and is_broken and not self._is_told(memory.id, row, events[-1].event_id):
                yield memory

    def _violations(self, row: SessionRow, times: Mapping[EventId, datetime]) -> Iterator[Found]:
        """Yield the rules that were told and broken, unless the person corrected that."""
        corrected = {one.memory.id for one in self.found if one.place.session == row.id and one.memory}
        for claim, check in adherence.checks_of_session(self.connection, row.id).items():
            if check.result is not Adherence.VIOLATED or check.call not in times or claim in corrected:
                continue
            for logged in sessions.logged_events(self.connection, [check.call], must_decode):
                used, memory = logged.event.body, self._active(claim, times[check.call])
                if isinstance(used, ToolUsed) and memory:
                    place = Place(row.id, check.call, one_line(used.input or ", ".join(used.files), _MAX_TEXT_CHARS))
                    yield Found(IncidentKind.VIOLATION, Answer.IGNORED, place, memory)

    # What was known

    def _active(self, claim: ClaimId, at: datetime) -> Memory | None:
        """Return a memory as it was at a time, None if it was not active then."""
        if claim not in self._judgements:
            self._judgements[claim] = reader.events_of_claim(self.connection, claim, must_decode)
        memory = fold_memory((event for event in self._judgements[claim] if event.at < at), claim)
        return memory if memory and memory.status is Status.ACTIVE else None

    def _is_told(self, claim: ClaimId, row: SessionRow, before: EventId | None = None) -> bool:
        """Return whether a session was told a memory, before an event if one is given."""
        first = adherence.first_injection(self.connection, claim, row.host_session_id)
        return first is not None and (before is None or first < before)

    def _turns_of(self, session: ClaimId) -> tuple[Scope, Sequence[EventId]]:
        """Return the project of a session, and the first events of its turns."""
        row = sessions.session_row(self.connection, session)
        turns = sessions.load_session(self.connection, row, must_decode).turns if row else ()
        return (row.scope if row else GLOBAL), [turn.event for turn in turns]


def _is_meant(statement: str, correction: Correction, work: Sequence[CheckedCall]) -> bool:
    """Return whether a correction repeats a statement: in its words, or because the calls right before it broke it and
    the correction shares a word with it."""
    if any(says_again(core, statement, text_similarity) for core in correction.cores):
        return True
    shared = content_stems(statement) & content_stems(correction.text)
    if not work or shared <= _COMMON_STEMS or not _can_be_broken(statement):
        return False
    try:
        return check_claim(claim_from(statement, GLOBAL), work).result is Adherence.VIOLATED
    except TacitError:  # no card could hold it
        return False


@lru_cache(maxsize=1 << 13)  # it is asked again for each command that shares a word
def _can_be_broken(statement: str) -> bool:
    """Return whether calls can break a statement."""
    return bool(read_expectations(statement))


def _work_before(events: Sequence[SessionEvent], prompt: EventId) -> Sequence[SessionEvent]:
    """Return what happened since the prompt before one, that prompt included."""
    end = next(number for number, event in enumerate(events) if event.event_id == prompt)
    start = max((number for number in range(end) if isinstance(events[number].body, PromptGiven)), default=0)
    return events[start:end]


def _is_failed_command(used: ToolUsed) -> bool:
    return used.act is ToolAction.RAN and used.outcome is ToolOutcome.FAILED and not used.aside
