"""Checking a log: damaged lines, purged content that came back, and lines that this home did not write.

Each finding says where it is and what to do. Nothing is changed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from shlex import quote

from tacit.log import Log, codec
from tacit.log.reader import KnownForm, PurgeFilter, RawLine, SegmentProgress, read_torn_tail
from tacit.log.segment import is_sealed
from tacit.log.signing import BASELINE_FILE
from tacit.model import observation
from tacit.model.claim import Kind
from tacit.model.event import PROPOSING_VERDICTS, ClaimDecided, ClaimProposed, Event, EventsUndone, Verdict
from tacit.model.ids import EventId
from tacit.record import Record
from tacit.text.display import clip

PURGE_MARKER = ".tacit/purging"  # exists while a purge runs; its tombstone says what it removes
_KEY_FILE = ".tacit/key"
_MAX_DECISIONS_SHOWN = 100
_ACCEPT_COMMAND = "tacit doctor --accept-unsigned"
_QUARANTINE_COMMAND = "tacit doctor --quarantine-unsigned"
_MAX_SUMMARY_CHARS = 80
_LINES_PER_REPORT = 1000


class Finding(Record):
    """One finding: where, what, what to do about it, and whether it is a fault of the home."""

    where: str
    what: str
    mend: str
    serious: bool = True


def verify(log: Log, *, forms: bool = False) -> Iterator[Finding]:
    """Read every line of a log and yield what was found; with `forms` also lines in another form than Tacit's."""
    if os.path.exists(log.path(PURGE_MARKER)):
        yield Finding(PURGE_MARKER, "a purge was interrupted", "tacit purge --again")
    checker = _MacChecker(log)
    purges = log.purges()
    segments = log.segments()
    progress = SegmentProgress(log, "checking the log", segments)
    for segment in segments:
        yield from _SegmentCheck(log, segment, purges, checker, forms=forms).findings(progress)
        progress.next_segment(segment)
    yield from checker.findings()


def unverified_decisions(log: Log) -> Iterator[UnverifiedDecision]:
    """Return every decision that this home did not write, as far as its key and baseline can tell."""
    checker = _MacChecker(log)
    for segment in log.segments():
        for line in log.lines(segment):
            if line.data and isinstance(event := codec.decode(line.data), Event):
                checker.check(segment, line, event)
    return iter(checker.decisions)


class _SegmentCheck:
    """The check of one segment, line by line.

    A line is decoded unless it is certain that it can be: this home signed it, or it has exactly the form that Tacit
    writes. Decoding takes three times as long as everything else.
    """

    def __init__(
        self, log: Log, segment: str, purges: PurgeFilter | None, checker: _MacChecker, *, forms: bool
    ) -> None:
        self._log = log
        self._forms = forms
        self._segment = segment
        self._purges = purges
        self._checker = checker
        self._damaged: list[tuple[RawLine, codec.DamagedLine]] = []
        self._sealed: set[str] = set()
        self._untrimmed = 0

    def findings(self, progress: SegmentProgress) -> Iterator[Finding]:
        """Yield what is wrong with the segment."""
        line = None
        for line in self._log.lines(self._segment):
            if line.number % _LINES_PER_REPORT == 0:
                progress.show(line.end)
            if line.too_long:
                self._damaged.append((line, codec.DamagedLine("longer than any line we write")))
            elif line.data and not self._is_certainly_well(line):
                yield from self._check_decoded(line, codec.decode(line.data))
        yield from self._damage_findings()
        if self._untrimmed:
            what = (
                f"an editor saved it: {self._untrimmed:,} lines have a byte order mark, blanks or a carriage return"
                " around them; all of these can be read"
            )
            yield Finding(self._segment, what, "nothing: they count as they stand", False)
        if not (tail := read_torn_tail(self._log.path(self._segment), line.end if line else 0)):
            return
        if codec.damage_reason(tail) is None:
            what, mend = "the last line lacks its line feed", "nothing: it counts after the next write, which adds it"
        else:
            what, mend = f"{len(tail)} bytes of an unfinished write at the end", "nothing: the next write closes it"
        yield Finding(self._segment, what, mend, False)

    def _is_certainly_well(self, line: RawLine) -> bool:
        data = line.data
        if codec.trim(data) != data or codec.damage_reason(data) is not None:
            return False
        if self._purges is None:
            is_plain = is_plain_form(data)
        else:
            form = known_form(data)
            is_plain = form.is_plain if form and self._purges.ignores(form) else None
        return is_plain is not None and self._checker.accepts(self._segment, line, is_plain=is_plain)

    def _check_decoded(self, line: RawLine, event: Event | codec.DamagedLine) -> Iterator[Finding]:
        if isinstance(event, codec.DamagedLine):
            self._damaged.append((line, event))
            return
        self._checker.check(self._segment, line, event)
        self._untrimmed += codec.trim(line.data) != line.data
        if isinstance(event.body, observation.LogSealed):
            self._sealed.add(event.body.sha256)
        if isinstance(event.body, observation.UnknownBody):
            what = f"an event this version does not know ({event.body.type})"
            yield Finding(self._location(line), what, "nothing: it is kept; a newer Tacit may read it", False)
        elif self._forms and not codec.is_encoding_of(event, line.data):
            what = "written by another program in another form; it can be read"
            yield Finding(self._location(line), what, "nothing: it counts as it stands", False)
        if self._purges and self._purges.apply(event) is not event:
            yield Finding(self._location(line), "something that was purged is back", "tacit purge --again")

    def _damage_findings(self) -> Iterator[Finding]:
        for line, damage in self._damaged:
            if is_sealed(line.data, self._sealed):
                what = "the rest of a write that was interrupted and never acknowledged"
                yield Finding(self._location(line), what, "nothing: it was sealed and is ignored", False)
            else:
                command = f"sed -n {line.number}p {quote(self._log.path(self._segment))}"
                yield Finding(
                    self._location(line),
                    f"this line cannot be read: {damage.reason}",
                    f"all other lines are unharmed; look at it with: {command}; set it aside with: tacit doctor --mend",
                )

    def _location(self, line: RawLine) -> str:
        return f"{self._segment}:{line.number}"


# Lines that this home did not write


class UnverifiedDecision(Record):
    """A decision without a MAC, or with one that this home did not make: its line, and what it decides."""

    segment: str
    number: int
    summary: str
    has_mac: bool


class _MacChecker:
    """Checks the MACs of all lines. If the key is not the one they were made with, only missing MACs are reported."""

    def __init__(self, log: Log) -> None:
        self._signer = log.signer
        self._baseline = log.signer.read_baseline() if log.signer else None
        key = log.signer.key_id if log.signer else ""
        self._has_key = bool(key)
        self._is_other_key = self._baseline is not None and self._baseline.key != key
        self._is_baseline_valid = self._baseline is not None and (self._baseline.is_valid or self._is_other_key)
        self._unsigned_until = self._baseline.ends if self._baseline and self._is_baseline_valid else {}
        self._signed_segments: set[str] = set()  # segments in which a correct MAC was found
        self.decisions: list[UnverifiedDecision] = []
        self._other_lines = self._unchecked_lines = self._unsigned_lines = 0

    def accepts(self, segment: str, line: RawLine, *, is_plain: bool) -> bool:
        """Return whether a line needs no `check`: this home signed it, or it has no MAC and needs none.

        A line that is not signed has to be decoded unless it `is_plain`, of a form that can certainly be decoded.
        """
        if self._signer is None or self._is_before_baseline(segment, line):
            return is_plain
        content, mac = codec.split_mac(line.data)
        if is_plain and not mac and not self._is_baseline_valid and segment not in self._signed_segments:
            self._unsigned_lines += 1
            return True
        if not (mac and self._has_key and not self._is_other_key and self._signer.verifies(content, mac)):
            return False
        self._signed_segments.add(segment)
        return True

    def check(self, segment: str, line: RawLine, event: Event) -> None:
        """Classify one line. Without a valid baseline, MACs are required after the first correct one of a segment."""
        if self._signer is None or self._is_before_baseline(segment, line):
            return
        content, mac = codec.split_mac(line.data)
        if mac and (not self._has_key or self._is_other_key):
            self._unchecked_lines += 1
        elif mac and self._signer.verifies(content, mac):
            self._signed_segments.add(segment)
        elif not self._is_baseline_valid and segment not in self._signed_segments:
            self._unsigned_lines += 1
        elif summary := _describe_decision(event):
            self.decisions.append(UnverifiedDecision(segment, line.number, summary, bool(mac)))
        else:
            self._other_lines += 1

    def _is_before_baseline(self, segment: str, line: RawLine) -> bool:
        """Return whether a line is older than MACs."""
        return line.offset < self._unsigned_until.get(segment, 0)

    def findings(self) -> Iterator[Finding]:
        yield from self._key_findings()
        for decision in self.decisions[:_MAX_DECISIONS_SHOWN]:
            why = "its code does not fit" if decision.has_mac else "it has no code"
            yield Finding(
                f"{decision.segment}:{decision.number}",
                f"a decision that this home did not write ({why}): {decision.summary}",
                f"set it aside with: {_QUARANTINE_COMMAND}; or, if it is yours: {_ACCEPT_COMMAND}",
            )
        if (more := len(self.decisions) - _MAX_DECISIONS_SHOWN) > 0:
            yield Finding("the log", f"{more:,} more decisions that this home did not write", _QUARANTINE_COMMAND)
        if self._other_lines:
            what = f"{self._other_lines:,} other lines that this home did not write; they decide nothing"
            yield Finding("the log", what, f"nothing; or, if they are yours: {_ACCEPT_COMMAND}", False)

    def _key_findings(self) -> Iterator[Finding]:
        """Yield what is wrong with the key or the baseline, once for all lines."""
        lines = f"{self._unchecked_lines:,} lines"
        if self._unchecked_lines and self._baseline is None:
            what = f"{lines} carry the code of another home, as in an export; nothing checks them here"
            yield Finding(BASELINE_FILE, what, "nothing: the next write takes them as they are", False)
        elif self._unchecked_lines:
            what = f"this is not the key that {lines} were signed with: they cannot be checked"
            if not self._has_key:
                what = f"the key is missing or damaged: {lines} cannot be checked"
            restore = f"put {_KEY_FILE} back from a backup; or, if all lines are yours: {_ACCEPT_COMMAND}"
            yield Finding(_KEY_FILE, what, restore)
        elif self._signed_segments and self._baseline is None and (self._unsigned_lines or self.decisions):
            what = "how far the log went before lines were signed is not noted any more"
            yield Finding(BASELINE_FILE, what, f"look at the log, then: {_ACCEPT_COMMAND}")
        elif self._baseline is not None and not self._is_baseline_valid:
            what = "something else than Tacit changed how far the log went before lines were signed"
            yield Finding(BASELINE_FILE, what, f"look at the log, then: {_ACCEPT_COMMAND}")


def _describe_decision(event: Event) -> str:
    """Return what an event activates, removes, trusts or purges; "" if it decides nothing."""
    match event.body:
        case ClaimProposed(verdict=Verdict.ADDED, claim=claim) | ClaimDecided(claim=claim):
            topic = claim.sentence
        case (
            EventsUndone(label=topic)
            | observation.RepositoryTrusted(path=topic)
            | observation.RepositoryDistrusted(path=topic)
            | observation.WorkflowSaved(name=topic)
            | observation.WorkflowDropped(name=topic)
            | observation.MemoryPurged(reason=topic)
            | observation.TrialStarted(claim=topic)
            | observation.TrialEnded(claim=topic)
        ):
            pass
        case _:
            return ""
    actor = clip(event.origin.actor, _MAX_SUMMARY_CHARS)
    return f"{codec.event_type(event.body)} by {actor}: {clip(topic, _MAX_SUMMARY_CHARS)}"


# Lines in the form that Tacit writes are recognised without decoding them. One that is recognised and whose checksum
# matches can be decoded. This may be wrong in one direction only: a line that is not recognised may be fine.

# A text as Tacit writes it: printable ASCII, and no character that need not be is escaped. Surrogates are left out: a
# lone one is in no text.
_TEXT = rb'"[ !#-\[\]-~]*(?:\\(?:["\\bfnrt]|u(?!d|00[2-7]|000[89acd])[0-9a-f]{4})[ !#-\[\]-~]*)*"'
_FILLED_TEXT = rb'(?!"")' + _TEXT
_UUID = rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
# A leap day needs a leap year: no other line than that of 29 February depends on the year.
_MONTH_DAY = rb"(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)"
_LEAP_YEAR = rb"(?:[12][0-9](?:0[48]|[2468][048]|[13579][26])|(?:1[26]|2[048])00)"
_DAY = rb"(?:[12][0-9]{3}-%s|%s-02-29)" % (_MONTH_DAY, _LEAP_YEAR)
_TIME = rb"%sT(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{6}Z" % _DAY
_TEXTS = rb"\[%s(?:,%s)*\]" % (_TEXT, _TEXT)


def _any_of(*names: str) -> bytes:
    return b"(?:" + b"|".join([re.escape(name).encode("ascii") for name in names]) + b")"


_CLAIM = (
    rb'\{"kind":"%s","scope":(%s),"sentence":%s,"tags":(?:\[\]|%s)'
    rb',"triple":\{"object":(%s),"predicate":(%s),"subject":(%s)\}\}'
) % (_any_of(*(kind.label for kind in Kind)), _TEXT, _TEXT, _TEXTS, _TEXT, _TEXT, _TEXT)
_PROPOSAL = (
    rb'\{"actor":%s,"body":\{(?:"carried_strength":[1-9][0-9]{0,8},)?"claim":%s'
    rb'(?:,"confidence":(?:0\.[0-9]{0,9}[1-9]|1\.0))?(?:,"events":%s)?(?:,"evidence":%s)?'
    rb'(?:,"kind_inferred":true)?(?:,"private":true)?(?:,"reason":%s)?(?:,"source":%s)?\},"host":%s'
) % (_TEXT, _CLAIM, _TEXTS, _FILLED_TEXT, _FILLED_TEXT, _FILLED_TEXT, _TEXT)
# The keys behind the body. Before them is a text, so they cannot be part of one; the brace closes the line.
_END = (
    rb',"id":"(%s)","op":"%s","scope":%s,"sess":%s,"src":"%s","ts":"%s","type":"(%s)","tz":(?:0|-?[1-9][0-9]{0,3}),"v":1'
    rb'(?:,"m":"[0-9a-f]{32}")?,"c":"[0-9a-f]{8}"\}'
)


def _end(types: bytes) -> bytes:
    return _END % (_UUID, _UUID, _TEXT, _TEXT, _any_of(*codec.PROVENANCE_BY_NAME), _TIME, types)


_PROPOSAL_LINE = re.compile(_PROPOSAL + _end(_any_of(*(verdict.value for verdict in PROPOSING_VERDICTS))))
_PLAIN_LINE = re.compile(re.sub(rb"(?<!\\)\((?!\?)", rb"(?:", _PROPOSAL_LINE.pattern))  # without groups
_LINE_END = re.compile(_end(rb"[a-z.]+"))
_KNOWN_TYPES = frozenset(name.encode("ascii") for name in codec.EVENT_TYPES) - {b"log.sealed"}
_CLAIM_TYPES = frozenset(verdict.value.encode("ascii") for verdict in Verdict)


def known_form(line: bytes) -> KnownForm | None:
    """Return what a line is; None if that is not known, and for fragments that were sealed."""
    if match := _PROPOSAL_LINE.fullmatch(line):
        scope, object_, predicate, subject, event, _ = match.groups()
        return KnownForm(EventId(event.decode("ascii")), True, (scope, subject, predicate, object_), True)
    if b"\\ud" in line:  # perhaps a lone surrogate, which no text may have
        return None
    start = line.rfind(b',"id":"')
    match = _LINE_END.fullmatch(line, start) if start >= 0 else None
    if match is None or match[2] not in _KNOWN_TYPES:
        return None
    return KnownForm(EventId(match[1].decode("ascii")), match[2] in _CLAIM_TYPES, None, False)


def is_plain_form(line: bytes) -> bool | None:
    """Return `known_form(line).is_plain`, None if that is None. It takes half the time."""
    if _PLAIN_LINE.fullmatch(line):
        return True
    return None if known_form(line) is None else False
