"""Hand edits: the difference between what Tacit wrote last (base) and what lies there (theirs), entry by entry.

Pure: lines in, edits out. An entry is known again by its id, or by its words where somebody cut the id off; a second
entry with the same id is a statement of its own. What a merge of git left behind is told apart: conflict markers, and
lines that are there twice.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

from tacit.model.claim import KIND_RANK, Kind, Status
from tacit.model.hand_edits import AddedLine, ChangedLine, IgnoredLine, PageEdit, RedrawnLine, RemovedLine
from tacit.model.ids import ClaimId
from tacit.pages import facts, long_term
from tacit.pages.markdown import unescape
from tacit.record import Record
from tacit.text.words import normalize_text

_CONFLICT_MARKER, _CONFLICT_SEPARATOR = re.compile(r"(?:<{7}|>{7}|\|{7})(?: .*)?"), "======="
_KIND_BY_SECTION = {kind.section: kind for kind in reversed(Kind)}
_EVIDENCE_DETAIL = re.compile(r"(?:^|; )evidence: (.*?)(?:; (?:project: |seen |conflict|overruled by ).*)?$", re.DOTALL)
_PROJECT_DETAIL = re.compile(r"(?:^|; )project: (.*?)(?:; (?:seen |conflict|overruled by ).*)?$", re.DOTALL)


class _PageEntry(Record):
    """An entry of a page, with its line. Under a heading that Tacit does not know it has no status."""

    line: str
    id: ClaimId | None
    text: str
    kind: Kind | None
    status: Status | None
    evidence: str = ""
    project: str = ""
    tags: tuple[str, ...] | None = None


EntryParser = Callable[[Sequence[str]], Iterator[_PageEntry | IgnoredLine | RedrawnLine]]


def long_term_edits(base: Sequence[str] | None, theirs: Sequence[str]) -> list[PageEdit]:
    """The edits of long-term.md."""
    return _find_edits(base, theirs, _parse_long_term, tells_more=True)


def fact_edits(base: Sequence[str] | None, theirs: Sequence[str]) -> list[PageEdit]:
    """The edits of a fact file."""
    return _find_edits(base, theirs, _parse_facts, tells_more=False)


def _find_edits(
    base: Sequence[str] | None, theirs: Sequence[str], read: EntryParser, *, tells_more: bool
) -> list[PageEdit]:
    was = {fact.id: fact for fact in read(base or ()) if isinstance(fact, _PageEntry) and fact.id}
    written = Counter(base or ())
    marks = _conflict_markers(theirs)
    edits: list[PageEdit] = [
        RedrawnLine(line, "left by a merge") for line in theirs if line in marks and line not in written
    ]
    by_id: dict[ClaimId, list[_PageEntry]] = {}
    new: list[_PageEntry] = []
    for fact in read([line for line in theirs if line not in marks]):
        if not isinstance(fact, _PageEntry):
            edits += _unreadable_edit(fact, written)
        elif fact.id in was:
            by_id.setdefault(fact.id, []).append(fact)
        elif fact.status is None:
            edits += _unreadable_edit(IgnoredLine(fact.line, "under a heading that Tacit does not know"), written)
        elif fact.line not in written:
            new.append(fact)
    _match_by_text(was, by_id, new)
    for name, copies in by_id.items():
        edits += _entry_edits(was[name], copies, new, written, tells_more)
    edits += _added_edits(new)
    if base is not None:
        gone = [fact for name, fact in was.items() if name not in by_id]
        edits += [RemovedLine(fact.line, fact.id) for fact in gone if fact.id and fact.status is not Status.RETIRED]
    return edits


def _conflict_markers(lines: Sequence[str]) -> set[str]:
    """What git left around two versions. A row of equal signs by itself may underline a title."""
    found = {line for line in lines if _CONFLICT_MARKER.fullmatch(line.rstrip())}
    return found | {line for line in lines if found and line.rstrip() == _CONFLICT_SEPARATOR}


def _unreadable_edit(edit: IgnoredLine | RedrawnLine, written: Container[str]) -> Iterator[PageEdit]:
    if edit.line not in written:
        yield edit


def _match_by_text(
    was: Mapping[ClaimId, _PageEntry], by_id: dict[ClaimId, list[_PageEntry]], new: list[_PageEntry]
) -> None:
    """An entry whose id was cut off is still that entry, as long as it says the same."""
    missing = {normalize_text(fact.text): name for name, fact in was.items() if name not in by_id}
    for fact in sorted(new, key=_kind_rank):
        name = missing.pop(normalize_text(fact.text), None)
        if name is not None:
            by_id[name] = [fact]
            new.remove(fact)


def _entry_edits(
    was: _PageEntry, copies: list[_PageEntry], new: list[_PageEntry], written: Mapping[str, int], tells_more: bool
) -> Iterator[PageEdit]:
    """One entry, perhaps several times: the first that differs is the edit, unless the old one stands beside it.

    Of several the one with the old words is the old one. Another that was read before and not drawn since says
    nothing new.
    """
    copies = [_with_previous_status(was, copy) for copy in copies]
    unchanged = [copy for copy in copies if copy == was or (copy.line in written and copy.line != was.line)]
    differing = sorted(
        (copy for copy in copies if copy not in unchanged),
        key=lambda copy: normalize_text(copy.text) != normalize_text(was.text),
    )
    if not unchanged and differing:
        first = differing.pop(0)
        yield _entry_change(was, first, tells_more) or RedrawnLine(
            first.line, "only what Tacit draws was changed", was.line
        )
    for copy in unchanged[1:]:
        yield RedrawnLine(copy.line, "there twice")
    for copy in differing:
        if (
            copy.status is Status.ACTIVE
            and was.status is not Status.ACTIVE
            and copy.line == was.line
            and written[was.line] == 1
        ):
            yield _entry_change(was, copy, tells_more) or RedrawnLine(copy.line, "there twice")  # put where it holds
        elif normalize_text(copy.text) == normalize_text(was.text):
            yield RedrawnLine(copy.line, "there twice")
        else:
            new.append(copy)


def _with_previous_status(was: _PageEntry, copy: _PageEntry) -> _PageEntry:
    """Under a heading of the person's own an entry holds, or waits, as before."""
    return copy._replace(kind=was.kind, status=was.status) if copy.status is None else copy


def _entry_change(was: _PageEntry, now: _PageEntry, tells_more: bool) -> ChangedLine | None:
    edit = ChangedLine(
        now.line,
        was.id or ClaimId(""),
        text=now.text if now.text != was.text else None,
        kind=now.kind if now.kind is not None and now.kind is not was.kind else None,
        status=now.status if now.status is not was.status else None,
        tags=now.tags if now.tags != was.tags else None,
        evidence=now.evidence if tells_more and now.evidence != was.evidence else None,
    )
    return (
        edit._replace(old_line=was.line, is_active=now.status is Status.ACTIVE)
        if any(edit[2:]) or edit.evidence == "" or edit.tags == ()
        else None
    )


def _kind_rank(fact: _PageEntry) -> int:
    return KIND_RANK[fact.kind] if fact.kind else len(KIND_RANK)


def _added_edits(new: Iterable[_PageEntry]) -> Iterator[PageEdit]:
    """Statements of their own, each once: of two sections it stands in, in the one that ranks higher."""
    said: set[str] = set()
    for fact in sorted(new, key=_kind_rank):
        if fact.line in said:
            yield RedrawnLine(fact.line, "there twice")
            continue
        said.add(fact.line)
        if fact.status is Status.RETIRED:
            yield IgnoredLine(fact.line, "what was pruned is only history")
        else:
            holds = fact.status is Status.ACTIVE
            yield AddedLine(fact.line, fact.text, fact.kind, holds, fact.tags or (), fact.project)


# The two kinds of pages


def _parse_long_term(page: Sequence[str]) -> Iterator[_PageEntry | IgnoredLine | RedrawnLine]:
    for section, line in long_term.bullets(page):
        entry = long_term.parse_entry(section, line)
        if not entry.text.strip():
            yield (RedrawnLine if entry and entry.id else IgnoredLine)(line, "an entry without words")
        else:
            evidence, project = (
                _find_detail(pattern, entry.details) for pattern in (_EVIDENCE_DETAIL, _PROJECT_DETAIL)
            )
            yield _PageEntry(
                line,
                entry.id,
                entry.text,
                _KIND_BY_SECTION.get(section),
                _status_of_section(section),
                evidence,
                project,
            )


def _status_of_section(section: str) -> Status | None:
    if section == long_term.CANDIDATES_SECTION:
        return Status.PENDING
    if section == long_term.PRUNED_SECTION:
        return Status.RETIRED
    return Status.ACTIVE if section in _KIND_BY_SECTION else None


def _find_detail(pattern: re.Pattern[str], details: str) -> str:
    found = pattern.search(details)
    return unescape(found[1]) if found else ""


def _parse_facts(lines: Sequence[str]) -> Iterator[_PageEntry | IgnoredLine | RedrawnLine]:
    for line in lines:
        if not line.strip():
            continue
        fields = facts.parse_fact(line)
        text = fields.get("canonical") if fields else None
        if fields is None or not isinstance(text, str) or not text.strip():
            yield IgnoredLine(line, "not a fact that can be read")
            continue
        tags = fields.get("tags")
        words = (
            tuple(tag for tag in tags if isinstance(tag, str) and tag != "conflict") if isinstance(tags, list) else ()
        )
        yield _PageEntry(line, facts.fact_id(line), text, _parse_kind(fields.get("kind")), Status.ACTIVE, tags=words)


def _parse_kind(label: object) -> Kind | None:
    try:
        return Kind.from_label(label) if isinstance(label, str) else None
    except KeyError:
        return None
