"""Hand edits: the difference between what Tacit wrote last (base) and what the file contains (theirs), by entry.

Pure functions from lines to edits. An entry is identified by its id, or by its text if somebody cut the id off; a
second entry with the same id is a statement of its own. What a git merge left behind is recognised: conflict markers,
and lines that are there twice.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from hashlib import sha256

from tacit.model.claim import KIND_RANK, Kind, Status
from tacit.model.hand_edits import AddedLine, ChangedLine, IgnoredLine, PageEdit, RedrawnLine, RemovedLine
from tacit.model.ids import ClaimId
from tacit.pages import facts, long_term
from tacit.pages.long_term import unescape
from tacit.pages.merge import conflict_markers
from tacit.record import Record
from tacit.text.words import normalize_text

_KIND_BY_SECTION = {kind.section: kind for kind in reversed(Kind)}
_STATUS_BY_SECTION = {
    **dict.fromkeys(_KIND_BY_SECTION, Status.ACTIVE),
    long_term.CANDIDATES_SECTION: Status.PENDING,
    long_term.PRUNED_SECTION: Status.RETIRED,
}
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
_PlacedLine = tuple[str, str]  # a section and a line of it


class _PageFormat(Record):
    """How a page is read: its lines with their sections, the id of a line, and what it says."""

    place_lines: Callable[[Iterable[str]], Iterator[_PlacedLine]]
    entry_id: Callable[[str], ClaimId | None]
    parse: Callable[[str, str], _ParsedLine]
    has_evidence: bool


def long_term_edits(base: Sequence[str] | None, theirs: Sequence[str]) -> list[PageEdit]:
    """Return the edits of long-term.md. Without a base, nothing counts as removed."""

    def entry_id(line: str) -> ClaimId | None:  # a person may have put blanks after it
        return long_term.entry_id(line) or long_term.entry_id(line.rstrip())

    page_format = _PageFormat(long_term.bullets, entry_id, _parse_long_term, has_evidence=True)
    return _find_edits(base, theirs, page_format)


def fact_edits(base: Sequence[str] | None, theirs: Sequence[str]) -> list[PageEdit]:
    """Return the edits of a fact file. Without a base, nothing counts as removed."""

    def filled(lines: Iterable[str]) -> Iterator[_PlacedLine]:
        return (("", line) for line in lines if line.strip())

    return _find_edits(base, theirs, _PageFormat(filled, facts.fact_id, _parse_fact, has_evidence=False))


class RepositoryVersions(Record):
    """What is known of a repository's fact file.

    Attributes:
        theirs: its lines as they are.
        head: its lines in the last commit.
        past: returns the facts of all commits up to the last.
        written: facts that Tacit wrote to it since the last commit.
    """

    theirs: Sequence[str]
    head: Sequence[str]
    past: Callable[[], Set[str]]
    written: Container[ClaimId]


def repository_edits(
    own: Mapping[ClaimId, str], accepted: Container[str], versions: RepositoryVersions
) -> list[PageEdit]:
    """Return the edits of facts that are ours, or that the person accepted, in a file with a history.

    Args:
        own: the line that Tacit would write for each fact that holds.
        accepted: hashes of lines that the person accepted.
        versions: what the file and its history have.

    A fact that the file does not have, or has otherwise, was edited if the last commit has it, if Tacit wrote it since,
    or if a commit changed it after our version. Otherwise it never was in this version of the file: it is on another
    branch, in a stash, or was reset.
    """
    current, committed = _lines_by_id(versions.theirs), _lines_by_id(versions.head)
    is_clean = list(versions.theirs) == list(versions.head)
    base, open_lines = [], {}
    for name, line in own.items():
        if facts.fact_words(line) in map(facts.fact_words, current.get(name, ())):
            continue
        if name in committed and committed[name] != current.get(name):
            base.append(committed[name][0])
        elif name not in committed and name in versions.written and not is_clean:
            base.append(line)
        else:
            open_lines[name] = facts.fact_version(line)
    earlier = _changed_by_commits(open_lines, accepted, current, versions.past()) if open_lines else []
    edits = fact_edits([*base, *earlier], versions.theirs)
    return [
        edit._replace(is_committed=edit.line in earlier) if isinstance(edit, RemovedLine) else edit
        for edit in edits
        if isinstance(edit, RemovedLine | ChangedLine)
    ]


def _changed_by_commits(
    open_lines: Mapping[ClaimId, tuple[object, str]],
    accepted: Container[str],
    current: Mapping[ClaimId, Sequence[str]],
    past: Iterable[str],
) -> list[str]:
    """Return those lines of former commits that are our version of a fact, or that were accepted and are gone now."""
    found = {}
    for line in past:
        name = facts.fact_id(line)
        if name and name in open_lines:
            line_hash = sha256(line.encode("utf-8", "surrogateescape")).hexdigest()
            was_accepted = name not in current and line_hash in accepted
            if was_accepted or facts.fact_version(line) == open_lines[name]:
                found[name] = line
    return list(found.values())


def _lines_by_id(lines: Iterable[str]) -> dict[ClaimId, list[str]]:
    by_id: dict[ClaimId, list[str]] = {}
    for line in lines:
        if name := facts.fact_id(line):
            by_id.setdefault(name, []).append(line)
    return by_id


def _find_edits(base: Sequence[str] | None, theirs: Sequence[str], page_format: _PageFormat) -> list[PageEdit]:
    written = Counter(base or ())
    markers = conflict_markers(theirs)
    old_lines, new_lines = _changed_lines(
        list(page_format.place_lines(base or ())),
        list(page_format.place_lines([line for line in theirs if line not in markers])),
        page_format.entry_id,
    )
    parsed_base = (page_format.parse(*line) for line in old_lines)
    old_entries = {entry.id: entry for entry in parsed_base if isinstance(entry, _PageEntry) and entry.id}
    edits: list[PageEdit] = [
        RedrawnLine(line, "left by a merge") for line in theirs if line in markers and line not in written
    ]
    by_id: dict[ClaimId, list[_PageEntry]] = {}
    new: list[_PageEntry] = []
    for parsed in (page_format.parse(*line) for line in new_lines):
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
        edits += _entry_edits(old_entries[name], copies, new, written, page_format.has_evidence)
    edits += _added_edits(new)
    missing = [] if base is None else [(name, old) for name, old in old_entries.items() if name not in by_id]
    return edits + [RemovedLine(entry.line, name) for name, entry in missing if entry.status is not Status.RETIRED]


def _changed_lines(
    base: Sequence[_PlacedLine], theirs: Sequence[_PlacedLine], entry_id: Callable[[str], ClaimId | None]
) -> tuple[list[_PlacedLine], list[_PlacedLine]]:
    """Return those lines of both that may be part of an edit.

    That are lines that are not as often in the other page, and all others with their ids; and entries that are there
    twice. A page has thousands of lines, of which a person changes a few.
    """
    before, after = Counter(base), Counter(theirs)
    names = {line: entry_id(line[1]) for line in before.keys() | after.keys()}
    differing = {line for line in names if before[line] != after[line]} if before != after else set()
    copies = Counter(filter(None, (names[line] for line in theirs)))
    changed = {names[line] for line in differing} | {name for name, count in copies.items() if count > 1}
    changed.discard(None)

    def may_matter(line: _PlacedLine) -> bool:
        return line in differing or names[line] in changed

    return list(filter(may_matter, base)), list(filter(may_matter, theirs))


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


def _parse_long_term(section: str, line: str) -> _ParsedLine:
    entry = long_term.parse_entry(section, line)
    if not entry.text.strip():
        return (RedrawnLine if entry.id else IgnoredLine)(line, "an entry without words")
    kind, status = _KIND_BY_SECTION.get(section), _STATUS_BY_SECTION.get(section)
    found = (pattern.search(entry.details) for pattern in (_EVIDENCE_DETAIL, _PROJECT_DETAIL))
    evidence, project = (unescape(match[1]) if match else "" for match in found)
    return _PageEntry(line, entry.id, entry.text, kind, status, evidence, project)


def _parse_fact(_section: str, line: str) -> _ParsedLine:
    fields = facts.parse_fact(line) or {}
    text, tags = fields.get("canonical"), fields.get("tags")
    if not isinstance(text, str) or not text.strip():
        return IgnoredLine(line, "not a fact that can be read")
    own_tags = [tag for tag in tags if isinstance(tag, str) and tag != "conflict"] if isinstance(tags, list) else []
    kind = None
    with suppress(KeyError, TypeError):
        kind = Kind.from_label(fields["kind"])
    return _PageEntry(line, facts.fact_id(line), text, kind, Status.ACTIVE, tags=tuple(own_tags))
