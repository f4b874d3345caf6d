"""Hand edits: the difference between what Tacit wrote last (base) and what the file contains (theirs), by entry.

Pure functions from lines to edits. An entry is identified by its id, or by its text if somebody cut the id off; a
second entry with the same id is a statement of its own. What a git merge left behind is recognised: conflict markers,
and lines that are there twice.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from tacit.model.claim import KIND_RANK, Kind, Status
from tacit.model.hand_edits import AddedLine, ChangedLine, IgnoredLine, PageEdit, RedrawnLine, RemovedLine
from tacit.model.ids import ClaimId
from tacit.pages import facts, long_term
from tacit.pages.conflict_markers import conflict_markers
from tacit.pages.markdown import unescape
from tacit.record import Record
from tacit.text.words import normalize_text

_KIND_BY_SECTION = {kind.section: kind for kind in reversed(Kind)}
_EVIDENCE_DETAIL = re.compile(r"(?:^|; )evidence: (.*?)(?:; (?:project: |seen |conflict|overruled by ).*)?$", re.DOTALL)
_PROJECT_DETAIL = re.compile(r"(?:^|; )project: (.*?)(?:; (?:seen |conflict|overruled by ).*)?$", re.DOTALL)


class _PageEntry(Record):
    """An entry of a page. `status` is None under a heading that Tacit does not know."""

    line: str
    id: ClaimId | None
    text: str
    kind: Kind | None
    status: Status | None
    evidence: str = ""
    project: str = ""
    tags: tuple[str, ...] | None = None


_ParsedLine = _PageEntry | IgnoredLine | RedrawnLine
EntryParser = Callable[[Sequence[str]], Iterator[_ParsedLine]]


def long_term_edits(base: Sequence[str] | None, theirs: Sequence[str]) -> list[PageEdit]:
    """Return the edits of long-term.md. Without a base, nothing counts as removed."""
    return _find_edits(base, theirs, _parse_long_term, has_evidence=True)


def fact_edits(base: Sequence[str] | None, theirs: Sequence[str]) -> list[PageEdit]:
    """Return the edits of a fact file. Without a base, nothing counts as removed."""
    return _find_edits(base, theirs, _parse_facts, has_evidence=False)


def _find_edits(
    base: Sequence[str] | None, theirs: Sequence[str], parse: EntryParser, *, has_evidence: bool
) -> list[PageEdit]:
    old_entries = {entry.id: entry for entry in parse(base or ()) if isinstance(entry, _PageEntry) and entry.id}
    written = Counter(base or ())
    markers = conflict_markers(theirs)
    edits: list[PageEdit] = [
        RedrawnLine(line, "left by a merge") for line in theirs if line in markers and line not in written
    ]
    by_id: dict[ClaimId, list[_PageEntry]] = {}
    new: list[_PageEntry] = []
    for parsed in parse([line for line in theirs if line not in markers]):
        if isinstance(parsed, _PageEntry) and parsed.id in old_entries:
            by_id.setdefault(parsed.id, []).append(parsed)
        elif parsed.line in written:
            continue
        elif not isinstance(parsed, _PageEntry):
            edits.append(parsed)
        elif parsed.status is None:
            edits.append(IgnoredLine(parsed.line, "under a heading that Tacit does not know"))
        else:
            new.append(parsed)
    _match_by_text(old_entries, by_id, new)
    for name, copies in by_id.items():
        edits += _entry_edits(old_entries[name], copies, new, written, has_evidence)
    edits += _added_edits(new)
    if base is not None:
        missing = [entry for name, entry in old_entries.items() if name not in by_id]
        edits += [
            RemovedLine(entry.line, entry.id) for entry in missing if entry.id and entry.status is not Status.RETIRED
        ]
    return edits


def _match_by_text(
    old_entries: Mapping[ClaimId, _PageEntry], by_id: dict[ClaimId, list[_PageEntry]], new: list[_PageEntry]
) -> None:
    """Move new entries to `by_id` if they have the text of a missing entry: only the id was cut off."""
    missing = {normalize_text(entry.text): name for name, entry in old_entries.items() if name not in by_id}
    for entry in sorted(new, key=_section_rank):
        name = missing.pop(normalize_text(entry.text), None)
        if name is not None:
            by_id[name] = [entry]
            new.remove(entry)


def _entry_edits(
    old: _PageEntry, copies: list[_PageEntry], new: list[_PageEntry], written: Mapping[str, int], has_evidence: bool
) -> Iterator[PageEdit]:
    """Yield the edits of one entry, which may be there several times; copies with another text are added to `new`.

    The first copy that differs is the edit, unless an unchanged one is there, too. Copies with the old text come first,
    then those in the section that ranks higher: drawing the page again puts the sections in that order. A copy whose
    line is in the base was read before and says nothing new.
    """
    # Under a heading of the person's own, an entry keeps its kind and status.
    copies = [copy._replace(kind=old.kind, status=old.status) if copy.status is None else copy for copy in copies]
    unchanged = [copy for copy in copies if copy == old or (copy.line in written and copy.line != old.line)]
    old_text = normalize_text(old.text)
    changed = sorted(
        (copy for copy in copies if copy not in unchanged),
        key=lambda copy: (normalize_text(copy.text) != old_text, _section_rank(copy)),
    )
    if not unchanged and changed:
        first = changed.pop(0)
        yield _entry_change(old, first, has_evidence) or RedrawnLine(
            first.line, "only what Tacit draws was changed", old.line
        )
    for copy in unchanged[1:]:
        yield RedrawnLine(copy.line, "there twice")
    for copy in changed:
        is_activated = copy.status is Status.ACTIVE and old.status is not Status.ACTIVE
        if is_activated and copy.line == old.line and written[old.line] == 1:
            yield _entry_change(old, copy, has_evidence) or RedrawnLine(copy.line, "there twice")
        elif normalize_text(copy.text) == old_text:
            yield RedrawnLine(copy.line, "there twice")
        else:
            new.append(copy)


def _entry_change(old: _PageEntry, new: _PageEntry, has_evidence: bool) -> ChangedLine | None:
    """Return the change of an entry; None if nothing changed that means something."""
    change = ChangedLine(
        new.line,
        old.id or ClaimId(""),
        text=new.text if new.text != old.text else None,
        kind=new.kind if new.kind is not None and new.kind is not old.kind else None,
        status=new.status if new.status is not old.status else None,
        tags=new.tags if new.tags != old.tags else None,
        evidence=new.evidence if has_evidence and new.evidence != old.evidence else None,
    )
    if not any(change[2:]) and change.evidence != "" and change.tags != ():
        return None
    return change._replace(old_line=old.line, is_active=new.status is Status.ACTIVE)


def _section_rank(entry: _PageEntry) -> tuple[int, bool]:
    """Return where the section of an entry is on a page: kinds in their order, candidates, what was pruned."""
    return KIND_RANK[entry.kind] if entry.kind else len(KIND_RANK), entry.status is Status.RETIRED


def _added_edits(new: Iterable[_PageEntry]) -> Iterator[PageEdit]:
    """Yield new statements, each once: of a line in two sections, the one in the section that ranks higher."""
    seen: set[str] = set()
    for entry in sorted(new, key=_section_rank):
        if entry.line in seen:
            yield RedrawnLine(entry.line, "there twice")
            continue
        seen.add(entry.line)
        if entry.status is Status.RETIRED:
            yield IgnoredLine(entry.line, "what was pruned is only history")
        else:
            is_active = entry.status is Status.ACTIVE
            yield AddedLine(entry.line, entry.text, entry.kind, is_active, entry.tags or (), entry.project)


# The two kinds of pages


def _parse_long_term(page: Sequence[str]) -> Iterator[_ParsedLine]:
    for section, line in long_term.bullets(page):
        entry = long_term.parse_entry(section, line)
        if not entry.text.strip():
            yield (RedrawnLine if entry.id else IgnoredLine)(line, "an entry without words")
            continue
        kind, status = _KIND_BY_SECTION.get(section), _status_of_section(section)
        evidence, project = (_find_detail(pattern, entry.details) for pattern in (_EVIDENCE_DETAIL, _PROJECT_DETAIL))
        yield _PageEntry(line, entry.id, entry.text, kind, status, evidence, project)


def _status_of_section(section: str) -> Status | None:
    if section == long_term.CANDIDATES_SECTION:
        return Status.PENDING
    if section == long_term.PRUNED_SECTION:
        return Status.RETIRED
    return Status.ACTIVE if section in _KIND_BY_SECTION else None


def _find_detail(pattern: re.Pattern[str], details: str) -> str:
    match = pattern.search(details)
    return unescape(match[1]) if match else ""


def _parse_facts(lines: Sequence[str]) -> Iterator[_ParsedLine]:
    for line in lines:
        if not line.strip():
            continue
        fields = facts.parse_fact(line) or {}
        text, tags = fields.get("canonical"), fields.get("tags")
        if not isinstance(text, str) or not text.strip():
            yield IgnoredLine(line, "not a fact that can be read")
            continue
        own_tags = [tag for tag in tags if isinstance(tag, str) and tag != "conflict"] if isinstance(tags, list) else []
        kind = _parse_kind(fields.get("kind"))
        yield _PageEntry(line, facts.fact_id(line), text, kind, Status.ACTIVE, tags=tuple(own_tags))


def _parse_kind(label: object) -> Kind | None:
    try:
        return Kind.from_label(label) if isinstance(label, str) else None
    except KeyError:
        return None
