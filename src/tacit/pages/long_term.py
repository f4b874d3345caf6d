r"""The pages of memories, worklog and evaluations, and escaping text as one line of Markdown.

`memory/long-term.md` has every memory in the section of its kind, one line each. An entry is
`- DATE: text (evidence: e) ^id`. By the id at the end Tacit recognises an entry after a person has reworded or moved
it, and a person can ask `tacit why ID`.

A backslash escapes: `\n` a line break, `\u{202E}` a deceptive character, `\<` and `` \` `` what would open HTML or
a fence, `\![` an image that a viewer would fetch, `\]` a link whose target is neither a web page, nor a mail address,
nor a path, `\(` a bracket that would look like the entry's own details.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator

from tacit.model.claim import Kind, Status, project_name
from tacit.model.event import Event, local_time
from tacit.model.ids import CLAIM_ID_LENGTH, ClaimId
from tacit.model.memory import Memory
from tacit.model.observation import EvaluationCreated, WorkLogged
from tacit.record import Record
from tacit.text.display import escape_deceptive

_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_UNESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
_FENCE = re.compile("`{3,}|~{3,}")
# The details of an entry begin with one of these.
DETAILS_LOOKAHEAD = r"(?=evidence: |reason: |project: |seen |conflict|overruled by )"
_DETAILS_BRACKET = re.compile(rf"\({DETAILS_LOOKAHEAD}")
# The end of a link's text, or of the name in a link definition, and its target up to a blank. The target may also be on
# the next line. Only a target that certainly has no scheme, or a harmless one, stays a link: a colon may be written as
# an entity, and viewers differ in what they skip before a scheme.
_LINK_END = re.compile(r"\](?=[(:]\s*(?P<target>[^\s)]*))")
_SAFE_TARGET = re.compile(r"https?://|mailto:|[^:&]+\Z", re.IGNORECASE)
_ESCAPE_SEQUENCE = re.compile(r"\\(?:u\{([0-9A-F]{1,6})\}|(.))", re.DOTALL)


def escape(text: str) -> str:
    """Return a text as one line of Markdown."""
    text = text.replace("\\", "\\\\").replace("<", "\\<").replace("![", "\\![")
    text = _LINK_END.sub(lambda end: "]" if _SAFE_TARGET.match(end["target"]) else "\\]", text)
    text = _FENCE.sub(lambda run: "".join("\\" + char for char in run[0]), text)
    return escape_deceptive(
        _DETAILS_BRACKET.sub(r"\\(", text), lambda char: _ESCAPES.get(char) or f"\\u{{{ord(char):X}}}"
    )


def unescape(line: str) -> str:
    """Return the text of an escaped line."""

    def unescaped(match: re.Match[str]) -> str:
        if not match[1]:
            return _UNESCAPES.get(match[2], match[2])
        code_point = int(match[1], 16)
        return chr(code_point) if code_point <= sys.maxunicode else match[0]  # a person may type anything

    return _ESCAPE_SEQUENCE.sub(unescaped, line)


# `evaluations/DATE.md`


def evaluation_heading(event: Event) -> str:
    """Return the first line of an evaluation."""
    assert isinstance(event.body, EvaluationCreated)
    points = sum(score.points for score in event.body.scores)
    return f"# Evaluation of {event.body.day}: {points} of {2 * len(event.body.scores)} points"


def evaluation_page(_day: str, events: Iterable[Event]) -> list[str]:
    lines: list[str] = []
    for event in events:
        body = event.body
        assert isinstance(body, EvaluationCreated)
        lines += [evaluation_heading(event), ""]
        lines += [f"- {escape(score.name)}: {score.points}/2, {escape(score.reason)}" for score in body.scores]
    return lines


# `worklog/DATE.md`


def worklog_page(day: str, events: Iterable[Event]) -> list[str]:
    lines = [f"# Worklog {day}"]
    for event in events:
        body = event.body
        assert isinstance(body, WorkLogged)
        lines += ["", worklog_heading(event), ""]
        parts = (("Project", project_name(event.scope)), ("Changes", body.changes), ("Evidence", body.evidence))
        lines += [f"- {label}: {escape(text)}" for label, text in (*parts, ("Next", body.next)) if text]
    return lines


def worklog_heading(event: Event) -> str:
    """Return the heading of an entry, by which its line is looked up."""
    assert isinstance(event.body, WorkLogged)
    task = f"{escape(event.body.task)}: " if event.body.task else ""
    return f"## {local_time(event.origin):%H:%M} {task}{escape(event.body.summary)}"


# `memory/long-term.md`

HEADER = (
    "# Long-term memory",
    "",
    "Drawn by Tacit from `events.jsonl`. What you change here by hand is kept when the page is drawn again.",
)
CANDIDATES_SECTION, PRUNED_SECTION = "Promotion Candidates", "Pruned Or Revised"
# S12 fixes the order of sections.
SECTIONS = (
    Kind.CONSTRAINT.section,
    Kind.RULE.section,
    Kind.DECISION.section,
    Kind.CONVENTION.section,
    Kind.KNOWN_FIX.section,
    Kind.PREFERENCE.section,
    Kind.PATTERN.section,
    Kind.WORKFLOW_PATTERN.section,
    Kind.GUIDANCE.section,
    CANDIDATES_SECTION,
    PRUNED_SECTION,
)
_MAX_EVIDENCE = 3
_ID_SUFFIX = re.compile(rf" \^([0-9a-z]{{{CLAIM_ID_LENGTH}}})$")
_DATED_TEXT = re.compile(r"(?:(\d{4}-\d\d-\d\d): )?(.*)", re.DOTALL)
_DETAILS_START = re.compile(rf"\\.|( \({DETAILS_LOOKAHEAD})", re.DOTALL)


class MemoryView(Record):
    """A memory for pages: with how its conflicts were decided."""

    memory: Memory
    overruled_by: ClaimId | None = None
    conflict: bool = False

    @property
    def is_effective(self) -> bool:
        """Whether it is a fact: accepted, and not overruled."""
        return self.memory.status is Status.ACTIVE and self.overruled_by is None


class LongTermEntry(Record):
    """A parsed entry."""

    section: str
    day: str
    text: str
    details: str
    id: ClaimId | None


def section_of(view: MemoryView) -> str | None:
    """Return the section of a memory; None for a dismissed candidate."""
    match view.memory.status:
        case Status.PENDING:
            return CANDIDATES_SECTION
        case Status.RETIRED:
            return PRUNED_SECTION
        case Status.DISMISSED:
            return None
        case Status.ACTIVE:
            return view.memory.kind.section if view.is_effective else PRUNED_SECTION


def entry_line(view: MemoryView) -> str:
    memory = view.memory
    details = "; ".join(_details(view))
    suffix = f" ({details})" if details else ""
    return f"- {memory.shown_day.isoformat()}: {escape(memory.claim.sentence)}{suffix} ^{memory.id}"


def _details(view: MemoryView) -> Iterator[str]:
    memory = view.memory
    if memory.status is Status.RETIRED and memory.reason:
        yield f"reason: {escape(memory.reason)}"
    if evidence := "; ".join(_evidence(memory)):
        yield f"evidence: {evidence}"
    if name := project_name(memory.claim.scope):
        yield f"project: {escape(name)}"
    if memory.strength > 1:
        yield f"seen {memory.strength} times"
    if view.conflict:
        yield "conflict"
    if view.overruled_by:
        yield f"overruled by {view.overruled_by}"


def _evidence(memory: Memory) -> Iterator[str]:
    if memory.status is Status.RETIRED and memory.reason_evidence:
        yield escape(memory.reason_evidence)
        return
    texts = list(dict.fromkeys(evidence.text for evidence in memory.evidence))
    yield from (escape(text) for text in texts[:_MAX_EVIDENCE])
    if len(texts) > _MAX_EVIDENCE:
        yield f"+{len(texts) - _MAX_EVIDENCE} more"


def update_long_term(
    page: Iterable[str], changed: Iterable[MemoryView], gone: Iterable[ClaimId] = (), limit: int | None = None
) -> list[str]:
    """Return the page with changed memories updated and those that are gone removed.

    `limit` is the number of entries that are shown if there are more; the page then says so.
    """
    sections: dict[str, list[str]] = {section: [] for section in SECTIONS}
    views = list(changed)
    outdated = {view.memory.id for view in views} | set(gone)
    for section, line in _section_lines(page):
        name = entry_id(line)
        if name is not None and name not in outdated:  # a person typed the others; they were read
            sections[section].append(line)
    for view in views:
        if (own_section := section_of(view)) is not None:
            sections[own_section].append(entry_line(view))
    lines = [*HEADER]
    if limit is not None:
        lines.append(
            f"Only the {limit:,} memories that changed last are shown. To see all of them: `tacit list --all`."
        )
    for section, entries in sections.items():
        by_day_and_id = sorted(entries, key=lambda line: (line[2:12], line[-CLAIM_ID_LENGTH:]))
        lines += ["", f"## {section}", *([""] if entries else []), *by_day_and_id]
    return lines


def entry_ids(page: Iterable[str]) -> set[ClaimId]:
    """Return the ids of the entries that `update_long_term` keeps if they did not change."""
    return {name for _, line in _section_lines(page) if (name := entry_id(line))}


def _section_lines(page: Iterable[str]) -> Iterator[tuple[str, str]]:
    section = ""
    for line in page:
        if line.startswith("## "):
            section = line[3:]
        elif line.startswith("- ") and section in SECTIONS:
            yield section, line


def entry_id(line: str) -> ClaimId | None:
    """Return the id at the end of a line; None if there is none."""
    match = _ID_SUFFIX.search(line[-CLAIM_ID_LENGTH - 2 :])
    return ClaimId(match[1]) if match else None


def bullets(page: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield section and line of everything that may be an entry of a page that a person edited."""
    section = ""
    for line in page:
        if line.startswith("#"):
            section = line.lstrip("#").strip()
        elif line.startswith(("- ", "* ", "+ ")):
            yield section, line


def parse_entry(section: str, line: str) -> LongTermEntry:
    """Parse an entry that a person may have typed: with or without date, details and id."""
    trimmed = line if entry_id(line) else line.rstrip()
    claim = entry_id(trimmed)
    match = _DATED_TEXT.match(trimmed[2 : -CLAIM_ID_LENGTH - 2] if claim else trimmed[2:].strip())
    assert match is not None
    text, details = match[2], ""
    if text.endswith(")"):
        for start in _DETAILS_START.finditer(text):  # one pass, because a line may be as long as somebody likes
            if start[1]:
                text, details = text[: start.start()], text[start.end() : -1]
                break
    return LongTermEntry(section, match[1] or "", unescape(text), details, claim)
