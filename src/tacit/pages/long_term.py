"""`memory/long-term.md`: every memory in the section of its kind, one line each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tacit.model.claim import Kind, Status, project_name
from tacit.model.ids import CLAIM_ID_LENGTH, ClaimId
from tacit.model.memory import Memory
from tacit.pages.markdown import DETAILS_LOOKAHEAD, escape, unescape
from tacit.record import Record

# A memory as the readable views see it: with how its question was decided.


class MemoryView(Record):
    memory: Memory
    overruled_by: ClaimId | None = None
    conflict: bool = False

    @property
    def is_effective(self) -> bool:
        """Whether it is a fact one may act on: accepted, and not overruled by another answer."""
        return self.memory.status is Status.ACTIVE and self.overruled_by is None


# `memory/long-term.md`: every memory in the section of its kind, one line each.
#
# An entry is `- DATE: text (evidence: e) ^id`. The id at the end lets Tacit know an entry again after a person has
# reworded or moved it, and lets a person ask `tacit why ID`.

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


class LongTermEntry(Record):
    """An entry read back: what a person sees in it."""

    section: str
    day: str
    text: str
    details: str
    id: ClaimId | None


def section_of(noted: MemoryView) -> str | None:
    """Where an entry stands; a dismissed suggestion stands nowhere."""
    match noted.memory.status:
        case Status.PENDING:
            return CANDIDATES_SECTION
        case Status.RETIRED:
            return PRUNED_SECTION
        case Status.DISMISSED:
            return None
        case Status.ACTIVE:
            return noted.memory.kind.section if noted.is_effective else PRUNED_SECTION


def entry_line(noted: MemoryView) -> str:
    memory = noted.memory
    details = "; ".join(_details(noted))
    trail = f" ({details})" if details else ""
    return f"- {memory.day.isoformat()}: {escape(memory.claim.sentence)}{trail} ^{memory.id}"


def _details(noted: MemoryView) -> Iterator[str]:
    memory = noted.memory
    if memory.status is Status.RETIRED and memory.reason:
        yield f"reason: {escape(memory.reason)}"
    if evidence := "; ".join(_evidence(memory)):
        yield f"evidence: {evidence}"
    if name := project_name(memory.claim.scope):
        yield f"project: {escape(name)}"
    if memory.strength > 1:
        yield f"seen {memory.strength} times"
    if noted.conflict:
        yield "conflict"
    if noted.overruled_by:
        yield f"overruled by {noted.overruled_by}"


def _evidence(memory: Memory) -> Iterator[str]:
    if memory.status is Status.RETIRED and memory.reason_evidence:
        yield escape(memory.reason_evidence)
        return
    texts = list(dict.fromkeys(given.text for given in memory.evidence))
    yield from (escape(text) for text in texts[:_MAX_EVIDENCE])
    if len(texts) > _MAX_EVIDENCE:
        yield f"+{len(texts) - _MAX_EVIDENCE} more"


def render_long_term(notes: Iterable[MemoryView]) -> list[str]:
    """The whole page."""
    return update_long_term([], notes)


def update_long_term(page: Iterable[str], changed: Iterable[MemoryView], gone: Iterable[ClaimId] = ()) -> list[str]:
    """The page with these memories as they are now; what it held of them before is taken out."""
    sections: dict[str, list[str]] = {section: [] for section in SECTIONS}
    now = list(changed)
    leaving = {noted.memory.id for noted in now} | set(gone)
    for section, line in _section_lines(page):
        if entry_id(line) not in leaving:
            sections[section].append(line)
    for noted in now:
        if (home := section_of(noted)) is not None:
            sections[home].append(entry_line(noted))
    return list(_page_lines(sections))


def _section_lines(page: Iterable[str]) -> Iterator[tuple[str, str]]:
    section = ""
    for line in page:
        if line.startswith("## "):
            section = line[3:]
        elif line.startswith("- ") and section in SECTIONS:
            yield section, line


def _page_lines(sections: dict[str, list[str]]) -> Iterator[str]:
    yield from HEADER
    for section, lines in sections.items():
        yield ""
        yield f"## {section}"
        if lines:
            yield ""
            yield from sorted(lines, key=_entry_sort_key)


def _entry_sort_key(line: str) -> tuple[str, str]:
    return line[2:12], line[-CLAIM_ID_LENGTH:]


def entry_id(line: str) -> ClaimId | None:
    """The memory a line stands for."""
    found = _ID_SUFFIX.search(line[-CLAIM_ID_LENGTH - 2 :])
    return ClaimId(found[1]) if found else None


def bullets(page: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Everything that may be an entry, with the heading it stands under, as a person may have left it."""
    section = ""
    for line in page:
        if line.startswith("#"):
            section = line.lstrip("#").strip()
        elif line.startswith(("- ", "* ", "+ ")):
            yield section, line


def parse_entry(section: str, line: str) -> LongTermEntry:
    """An entry as a person may have typed it: with or without date, details and id."""
    trimmed = line if entry_id(line) else line.rstrip()
    claim = entry_id(trimmed)
    found = _DATED_TEXT.match(trimmed[2 : -CLAIM_ID_LENGTH - 2] if claim else trimmed[2:].strip())
    assert found is not None
    text, details = _split_details(found[2])
    return LongTermEntry(section, found[1] or "", unescape(text), details, claim)


def _split_details(entry: str) -> tuple[str, str]:
    """What is said, and the details behind it. Looked through once: a line may be as long as somebody likes."""
    if entry.endswith(")"):
        for found in _DETAILS_START.finditer(entry):
            if found[1]:
                return entry[: found.start()], entry[found.end() : -1]
    return entry, ""


def parse_entries(page: Iterable[str]) -> Iterator[LongTermEntry]:
    """The entries of a page, as a person may have left it."""
    return (parse_entry(section, line) for section, line in _section_lines(page))
