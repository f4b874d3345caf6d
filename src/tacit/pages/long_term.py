"""`memory/long-term.md`: every memory in the section of its kind, one line each.

An entry is `- DATE: text (evidence: e) ^id`. By the id at the end Tacit recognises an entry after a person has reworded
or moved it, and a person can ask `tacit why ID`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tacit.model.claim import Kind, Status, project_name
from tacit.model.ids import CLAIM_ID_LENGTH, ClaimId
from tacit.model.memory import Memory
from tacit.pages.markdown import DETAILS_LOOKAHEAD, escape, unescape
from tacit.record import Record

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
    return f"- {memory.day.isoformat()}: {escape(memory.claim.sentence)}{suffix} ^{memory.id}"


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
