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
from tacit.model.hand_edits import Added, Changed, Edit, Left, Leftover, Removed
from tacit.model.ids import ClaimId
from tacit.pages import facts, long_term
from tacit.pages.markdown import unescape
from tacit.record import Record
from tacit.text.words import fold

_MARKER, _MIDDLE = re.compile(r"(?:<{7}|>{7}|\|{7})(?: .*)?"), "======="
_KINDS = {kind.section: kind for kind in reversed(Kind)}
_EVIDENCE = re.compile(r"(?:^|; )evidence: (.*?)(?:; (?:project: |seen |conflict|overruled by ).*)?$", re.DOTALL)
_PROJECT = re.compile(r"(?:^|; )project: (.*?)(?:; (?:seen |conflict|overruled by ).*)?$", re.DOTALL)


class _Fact(Record):
    """An entry of a page, with its line. Under a heading that Tacit does not know it has no status."""

    line: str
    id: ClaimId | None
    text: str
    kind: Kind | None
    status: Status | None
    evidence: str = ""
    project: str = ""
    tags: tuple[str, ...] | None = None


Reader = Callable[[Sequence[str]], Iterator[_Fact | Left | Leftover]]


def of_long_term(base: Sequence[str] | None, theirs: Sequence[str]) -> list[Edit]:
    """The edits of long-term.md."""
    return _edits(base, theirs, _long_term, tells_more=True)


def of_facts(base: Sequence[str] | None, theirs: Sequence[str]) -> list[Edit]:
    """The edits of a fact file."""
    return _edits(base, theirs, _facts, tells_more=False)


def _edits(base: Sequence[str] | None, theirs: Sequence[str], read: Reader, *, tells_more: bool) -> list[Edit]:
    was = {fact.id: fact for fact in read(base or ()) if isinstance(fact, _Fact) and fact.id}
    written = Counter(base or ())
    marks = _markers(theirs)
    edits: list[Edit] = [Leftover(line, "left by a merge") for line in theirs if line in marks and line not in written]
    by_id: dict[ClaimId, list[_Fact]] = {}
    new: list[_Fact] = []
    for fact in read([line for line in theirs if line not in marks]):
        if not isinstance(fact, _Fact):
            edits += _of_unreadable(fact, written)
        elif fact.id in was:
            by_id.setdefault(fact.id, []).append(fact)
        elif fact.status is None:
            edits += _of_unreadable(Left(fact.line, "under a heading that Tacit does not know"), written)
        elif fact.line not in written:
            new.append(fact)
    _know_by_words(was, by_id, new)
    for name, copies in by_id.items():
        edits += _of_entry(was[name], copies, new, written, tells_more)
    edits += _of_new(new)
    if base is not None:
        gone = [fact for name, fact in was.items() if name not in by_id]
        edits += [Removed(fact.line, fact.id) for fact in gone if fact.id and fact.status is not Status.RETIRED]
    return edits


def _markers(lines: Sequence[str]) -> set[str]:
    """What git left around two versions. A row of equal signs by itself may underline a title."""
    found = {line for line in lines if _MARKER.fullmatch(line.rstrip())}
    return found | {line for line in lines if found and line.rstrip() == _MIDDLE}


def _of_unreadable(edit: Left | Leftover, written: Container[str]) -> Iterator[Edit]:
    if edit.line not in written:
        yield edit


def _know_by_words(was: Mapping[ClaimId, _Fact], by_id: dict[ClaimId, list[_Fact]], new: list[_Fact]) -> None:
    """An entry whose id was cut off is still that entry, as long as it says the same."""
    missing = {fold(fact.text): name for name, fact in was.items() if name not in by_id}
    for fact in sorted(new, key=_rank):
        name = missing.pop(fold(fact.text), None)
        if name is not None:
            by_id[name] = [fact]
            new.remove(fact)


def _of_entry(
    was: _Fact, copies: list[_Fact], new: list[_Fact], written: Mapping[str, int], tells_more: bool
) -> Iterator[Edit]:
    """One entry, perhaps several times: the first that differs is the edit, unless the old one stands beside it.

    Of several the one with the old words is the old one. Another that was read before and not drawn since says
    nothing new.
    """
    copies = [_as_it_stood(was, copy) for copy in copies]
    unchanged = [copy for copy in copies if copy == was or (copy.line in written and copy.line != was.line)]
    differing = sorted(
        (copy for copy in copies if copy not in unchanged), key=lambda copy: fold(copy.text) != fold(was.text)
    )
    if not unchanged and differing:
        first = differing.pop(0)
        yield _changed(was, first, tells_more) or Leftover(first.line, "only what Tacit draws was changed", was.line)
    for copy in unchanged[1:]:
        yield Leftover(copy.line, "there twice")
    for copy in differing:
        if (
            copy.status is Status.ACTIVE
            and was.status is not Status.ACTIVE
            and copy.line == was.line
            and written[was.line] == 1
        ):
            yield _changed(was, copy, tells_more) or Leftover(copy.line, "there twice")  # put where it holds
        elif fold(copy.text) == fold(was.text):
            yield Leftover(copy.line, "there twice")
        else:
            new.append(copy)


def _as_it_stood(was: _Fact, copy: _Fact) -> _Fact:
    """Under a heading of the person's own an entry holds, or waits, as before."""
    return copy._replace(kind=was.kind, status=was.status) if copy.status is None else copy


def _changed(was: _Fact, now: _Fact, tells_more: bool) -> Changed | None:
    edit = Changed(
        now.line,
        was.id or ClaimId(""),
        text=now.text if now.text != was.text else None,
        kind=now.kind if now.kind is not None and now.kind is not was.kind else None,
        status=now.status if now.status is not was.status else None,
        tags=now.tags if now.tags != was.tags else None,
        evidence=now.evidence if tells_more and now.evidence != was.evidence else None,
    )
    return (
        edit._replace(was=was.line, holds=now.status is Status.ACTIVE)
        if any(edit[2:]) or edit.evidence == "" or edit.tags == ()
        else None
    )


def _rank(fact: _Fact) -> int:
    return KIND_RANK[fact.kind] if fact.kind else len(KIND_RANK)


def _of_new(new: Iterable[_Fact]) -> Iterator[Edit]:
    """Statements of their own, each once: of two sections it stands in, in the one that ranks higher."""
    said: set[str] = set()
    for fact in sorted(new, key=_rank):
        if fact.line in said:
            yield Leftover(fact.line, "there twice")
            continue
        said.add(fact.line)
        if fact.status is Status.RETIRED:
            yield Left(fact.line, "what was pruned is only history")
        else:
            holds = fact.status is Status.ACTIVE
            yield Added(fact.line, fact.text, fact.kind, holds, fact.tags or (), fact.project)


# The two kinds of pages


def _long_term(page: Sequence[str]) -> Iterator[_Fact | Left | Leftover]:
    for section, line in long_term.bullets(page):
        entry = long_term.read_entry(section, line)
        if not entry.text.strip():
            yield (Leftover if entry and entry.id else Left)(line, "an entry without words")
        else:
            evidence, project = (_found(pattern, entry.details) for pattern in (_EVIDENCE, _PROJECT))
            yield _Fact(line, entry.id, entry.text, _KINDS.get(section), _status(section), evidence, project)


def _status(section: str) -> Status | None:
    if section == long_term.CANDIDATES:
        return Status.PENDING
    if section == long_term.PRUNED:
        return Status.RETIRED
    return Status.ACTIVE if section in _KINDS else None


def _found(pattern: re.Pattern[str], details: str) -> str:
    found = pattern.search(details)
    return unescape(found[1]) if found else ""


def _facts(lines: Sequence[str]) -> Iterator[_Fact | Left | Leftover]:
    for line in lines:
        if not line.strip():
            continue
        fields = facts.parsed(line)
        text = fields.get("canonical") if fields else None
        if fields is None or not isinstance(text, str) or not text.strip():
            yield Left(line, "not a fact that can be read")
            continue
        tags = fields.get("tags")
        words = (
            tuple(tag for tag in tags if isinstance(tag, str) and tag != "conflict") if isinstance(tags, list) else ()
        )
        yield _Fact(line, facts.line_id(line), text, _kind(fields.get("kind")), Status.ACTIVE, tags=words)


def _kind(label: object) -> Kind | None:
    try:
        return Kind.named(label) if isinstance(label, str) else None
    except KeyError:
        return None
