"""Three-way merge of fact files by id, as git asks for it: the common ancestor (base), ours and theirs.

Every line of the result is a line of ours or theirs, byte for byte, because trust is in the bytes of a line. Where two
lines with one id differ in what they say, both are written between conflict markers; nothing is chosen silently. If
they differ only in when and how often the fact was stated, the later one is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tacit.model.ids import ClaimId
from tacit.pages.conflict_markers import MergeConflict, Side, find_conflicts, split_conflicts, without_markers
from tacit.pages.facts import fact_age, fact_id, fact_sort_key, fact_words, parse_fact
from tacit.record import Record

MARKER_SIZE = 7
_Lines = tuple[str, ...]


class FactMerge(Record):
    """The merged lines, and how many conflicts are marked in them."""

    lines: list[str]
    conflicts: int


class _FactVersion(Record):
    """One version of a fact file: the lines of each id, usually one, and all other lines."""

    facts: dict[ClaimId, _Lines]
    texts: _Lines


def merge_facts(
    base: Sequence[str], ours: Sequence[str], theirs: Sequence[str], marker_size: int = MARKER_SIZE
) -> FactMerge:
    """Merge two versions of a fact file. Lines of `base` that cannot be read say nothing about who changed what.

    A version with conflict markers counts as one with the lines of both sides.
    """
    old, mine, other = (_parse_version(lines) for lines in (base, ours, theirs))
    merged: list[_Lines] = []
    conflicts = 0
    for name in dict.fromkeys((*mine.facts, *other.facts)):
        sides = mine.facts.get(name, ()), other.facts.get(name, ())
        result = _merge_fact(old.facts.get(name, ()), *sides)
        if result is None:
            conflicts += 1
            result = _marked(*sides, marker_size)
        merged.append(result)
    sort_key = fact_sort_key([line for line in ours if fact_id(line)])
    merged.sort(key=lambda lines: min(map(sort_key, lines), default=(0, "", "")))
    lines = [line for part in merged for line in part]
    return FactMerge([*lines, *_merge_texts(old.texts, mine.texts, other.texts)], conflicts)


def _parse_version(lines: Sequence[str]) -> _FactVersion:
    facts: dict[ClaimId, _Lines] = {}
    texts: dict[str, None] = {}
    for line in without_markers(lines):
        name = fact_id(line) if parse_fact(line) else None  # a torn line still shows an id
        if name is not None:
            facts[name] = tuple(dict.fromkeys((*facts.get(name, ()), line)))
        elif line.strip():
            texts[line] = None
    return _FactVersion(facts, tuple(texts))


def _merge_fact(base: _Lines, ours: _Lines, theirs: _Lines) -> _Lines | None:
    """Return the lines of one id; None if they conflict."""
    if set(ours) == set(theirs) or set(theirs) == set(base):  # the same on both sides, or changed in ours only
        return ours
    if set(ours) == set(base):  # changed in theirs only
        return theirs
    if not (ours and theirs):  # removed on one side and changed on the other
        return None
    return _merge_words(base, ours, theirs)


def _merge_words(base: _Lines, ours: _Lines, theirs: _Lines) -> _Lines | None:
    """Return the lines of one id that both sides changed; None if both have new words for it."""
    old_words, our_words, their_words = ({fact_words(line) for line in lines} for lines in (base, ours, theirs))
    if our_words == their_words:  # stated again, on one side or on both
        return _newest(ours + theirs)
    if our_words == old_words:  # stated again in ours, reworded in theirs
        return theirs
    return ours if their_words == old_words else None


def _newest(lines: Iterable[str]) -> _Lines:
    """Return the newest line for each wording."""
    newest: dict[str, str] = {}
    for line in sorted(lines, key=fact_age):
        newest[fact_words(line)] = line
    return tuple(newest[words] for words in sorted(newest))


def _merge_texts(base: _Lines, ours: _Lines, theirs: _Lines) -> list[str]:
    """Return lines without an id: those of both sides, without those that one side removed."""
    kept = [line for line in ours if line in theirs or line not in base]
    return kept + [line for line in theirs if line not in ours and line not in base]


def _marked(ours: _Lines, theirs: _Lines, size: int) -> _Lines:
    return ("<" * size + " ours", *ours, "=" * size, *theirs, ">" * size + " theirs")


# Choosing a side, by hand


def resolve_conflicts(
    lines: Sequence[str], choices: Sequence[Side | None], rename: Callable[[str], str] = str
) -> list[str]:
    """Return the lines with the chosen side of each conflict, in their order. A conflict with None stays.

    With `Side.BOTH`, of lines that say the same with the same id the newest is kept. If they say something else,
    `rename` gives theirs another id. Without conflicts, the file is sorted again.
    """
    result: list[str] = []
    remaining = iter(choices)
    for part in split_conflicts(lines):
        if isinstance(part, str):
            result.append(part)
            continue
        match next(remaining, None):
            case Side.OURS:
                result += part.ours
            case Side.THEIRS:
                result += part.theirs
            case Side.BOTH:
                result += _both_sides(part, rename)
            case None:
                result += _marked(part.ours, part.theirs, MARKER_SIZE)
    is_resolved = None not in choices and len(choices) >= len(find_conflicts(lines))
    return sorted(result, key=fact_sort_key(without_markers(lines))) if is_resolved else result


def _both_sides(conflict: MergeConflict, rename: Callable[[str], str]) -> list[str]:
    kept = {fact_words(line): line for line in conflict.ours}
    our_ids = {fact_id(line) for line in conflict.ours} - {None}
    for line in conflict.theirs:
        words = fact_words(line)
        if words in kept:
            kept[words] = max(kept[words], line, key=fact_age)
        else:
            kept[words] = rename(line) if fact_id(line) in our_ids else line
    return list(kept.values())
