"""Three-way merge of a page: what Tacit wrote last (base), what it wants to write (mine), what is there now (theirs).

If theirs equals base, nobody edited the page. Otherwise every line that a person added, changed, moved or removed stays
so. A line is its text and the heading it is under.

A merge of git leaves conflict markers in a file of lines. They are at least seven characters long. A block that has no
end reaches to the end of the file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Sequence, Set
from enum import Enum

from tacit.pages.long_term import PRUNED_SECTION
from tacit.record import Record

# From a line of base, mine and theirs to the line that is written.
Reconcile = Callable[[str | None, str, str], str]
# From a line to what identifies its entry; None for other lines.
LineKey = Callable[[str], Hashable | None]


class _PageLine(Record):
    """A line with its identity and the heading it is under."""

    key: Hashable
    text: str
    section: str

    @property
    def is_heading(self) -> bool:
        return self.text.startswith("#")

    @property
    def is_empty(self) -> bool:
        return not self.text.strip()


_LinesByKey = dict[Hashable, _PageLine]


def keep_theirs(_base: str | None, _mine: str, theirs: str) -> str:
    return theirs


def merge(
    base: Sequence[str] | None,
    mine: Sequence[str],
    theirs: Sequence[str],
    *,
    key: LineKey,
    removed: Container[Hashable] = (),
    stated: Container[Hashable] = (),
    reconcile: Reconcile = keep_theirs,
) -> list[str]:
    """Return mine with their edits against base. Lines are identified by `key`, or by their text if it returns None.

    Entries with a key in `removed` were forgotten: they go even if it is not known who wrote them. Only an edit of one,
    which nobody has read yet, stays. Entries with a key in `stated` were stated since: they come back.
    """
    old_lines, their_lines = _by_key(_keyed_lines(base or (), key)), _keyed_lines(theirs, key, frozenset(base or ()))
    current_lines = _by_key(their_lines)
    merged: list[_PageLine] = []
    moved: dict[Hashable, str] = {}
    my_lines = _keyed_lines(mine, key)
    my_sections = {line.section for line in my_lines}
    for line in my_lines:
        old, current = old_lines.get(line.key), current_lines.get(line.key)
        if current is None:
            if old is None or line.is_heading or line.is_empty or line.key in stated or _is_restored(old, line):
                merged.append(line)
            continue  # they removed it, and nobody has read that yet
        is_unedited = old is not None and old.text == current.text
        text = line.text if is_unedited else reconcile(old.text if old else None, line.text, current.text)
        if _is_moved(old, line, current, my_sections):
            moved[line.key] = text
        else:
            merged.append(line._replace(text=text))
    removed_lines = {line for line in base or () if key(line) in removed}
    staying = {
        line.key for line in their_lines if line.key in moved or _is_theirs(line, old_lines, removed, removed_lines)
    }
    additions = [(line, moved.get(line.key, line.text) if line.key in staying else None) for line in their_lines]
    return _with_additions(_without_bare_headings(merged, old_lines.keys() - current_lines.keys()), additions)


def base_with_unread_edits(
    base: Sequence[str] | None,
    mine: Sequence[str],
    theirs: Sequence[str],
    *,
    key: LineKey,
    stated: Container[Hashable] = (),
) -> list[str]:
    """Return what to store as the base of an edited page.

    It is mine, but with each edited line as it was before the edit, also if Tacit does not draw that line any more. So
    an edit can be told from what Tacit wrote, however often the page is drawn before the edit is read. `stated` is as
    in `merge`.
    """
    old_lines = _by_key(_keyed_lines(base or (), key))
    current_lines = _by_key(_keyed_lines(theirs, key, frozenset(base or ())))
    my_lines = _keyed_lines(mine, key)
    my_keys = {line.key for line in my_lines}
    result: list[_PageLine] = []
    extra: dict[str, list[str]] = {}  # by section
    for name, line in old_lines.items():
        is_edited = line.text != current_lines.get(name, line).text
        if name not in my_keys and is_edited and not (line.is_heading or line.is_empty):
            extra.setdefault(line.section, []).append(line.text)
    for line in my_lines:
        old, current = old_lines.get(line.key), current_lines.get(line.key)
        is_unedited = old is None or (current is not None and current.text == old.text)
        if old is None or is_unedited or (current is None and line.key in stated) or _is_restored(old, line):
            result.append(line)
        elif current is None and old.section != line.section:
            extra.setdefault(old.section, []).append(old.text)  # removed from where it was then
        else:
            result.append(line._replace(text=old.text))
    placed = [
        text for line in result for text in (line.text, *(extra.pop(line.section, ()) if line.is_heading else ()))
    ]
    return placed + [text for texts in extra.values() for text in texts]


def base_with_read_edits(base: Sequence[str], theirs: Sequence[str], read: Set[str], *, key: LineKey) -> list[str]:
    """Return the base of a page after some edits were read: these lines are as and where they are in theirs."""
    before, after = Counter(_placed_lines(base)), Counter(_placed_lines(theirs))
    # Lines that one of the two has under a heading under which the other has it less often.
    if {line for (_, line), _ in before.items() ^ after.items()} <= read:
        return list(theirs)
    their_lines = _keyed_lines(theirs, key, frozenset(base))
    current_lines = _by_key(their_lines)
    unread = [line for line in _keyed_lines(base, key) if (current_lines.get(line.key) or line).text not in read]
    return _with_additions(unread, [(line, line.text if line.text in read else None) for line in their_lines])


def _placed_lines(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the heading that a line is under, and the line."""
    heading = ""
    for line in lines:
        if line.startswith("#"):
            heading = line
        yield heading, line


def _keyed_lines(lines: Sequence[str], key: LineKey, written: Container[str] = ()) -> list[_PageLine]:
    """Return lines with their identity.

    An entry is identified by its key, a heading by its text, an empty line by the line before it, and anything else by
    its text and heading. Of two entries with one key, the one in `written` has it, else the first.
    """
    names = [key(line.rstrip()) if line.strip() and not line.startswith("#") else None for line in lines]
    owners: dict[Hashable, int] = {}
    for number, (name, line) in enumerate(zip(names, lines, strict=True)):
        if name is not None and (name not in owners or (line in written and lines[owners[name]] not in written)):
            owners[name] = number
    keyed: list[_PageLine] = []
    section = ""
    identity: Hashable = None
    for number, (name, line) in enumerate(zip(names, lines, strict=True)):
        if line.startswith("#"):
            section = line.lstrip("#").strip()
            identity = ("heading", section)
        elif not line.strip():
            identity = ("empty", identity)
        else:
            identity = name if name is not None and owners[name] == number else (section, line)
        keyed.append(_PageLine(identity, line, section))
    return keyed


def _by_key(lines: Iterable[_PageLine]) -> _LinesByKey:
    return {line.key: line for line in lines}


def _is_restored(old: _PageLine, line: _PageLine) -> bool:
    """Return whether a pruned entry is back. Removing it from the pruned section says nothing about that."""
    return old.section == PRUNED_SECTION and line.section != PRUNED_SECTION


def _is_moved(old: _PageLine | None, line: _PageLine, current: _PageLine, my_sections: Container[str]) -> bool:
    """Return whether the person put a line under another heading.

    Under a heading of their own it stays as long as Tacit draws it in the section it was in.
    """
    if current.section == line.section or (old is not None and current.section == old.section):
        return False
    if old is None:  # nobody knows who put it there; but a forgotten entry does not stay where it seems to hold
        return line.section != PRUNED_SECTION
    return line.section == old.section or current.section in my_sections


def _is_theirs(
    line: _PageLine, old_lines: _LinesByKey, removed: Container[Hashable], removed_lines: Container[str]
) -> bool:
    """Return whether a line that Tacit does not draw is an edit of the person. Copies of a removed line go with it."""
    old = old_lines.get(line.key)
    is_edit = line.key not in removed if old is None else old.text != line.text
    return is_edit and line.text not in removed_lines


def _without_bare_headings(lines: Sequence[_PageLine], taken_out: Container[Hashable]) -> list[_PageLine]:
    """Leave out headings that the person removed, unless there is something under them."""
    filled = {line.section for line in lines if not line.is_heading and not line.is_empty}
    bare = {line.key for line in lines if line.is_heading and line.key in taken_out and line.section not in filled}
    bare |= {("empty", name) for name in bare}
    return [line for line in lines if line.key not in bare]


def _with_additions(lines: Sequence[_PageLine], theirs: Sequence[tuple[_PageLine, str | None]]) -> list[str]:
    """Insert their additions, each after the line that it follows in theirs if that line is in the same section.

    `theirs` are all lines with the text to insert, or None. A heading of their own and all lines below it come after
    everything in the section before it.
    """
    positions = {line.key: position for position, line in enumerate(lines)}
    section_ends = {line.section: position for position, line in enumerate(lines) if not line.is_empty}
    inserted: dict[tuple[int, bool], list[str]] = {}  # by position, and whether below a heading of their own
    anchor, section, is_own = -1, "", False
    for line, text in theirs:
        position = positions.get(line.key)
        if position is not None:
            if lines[position].section == line.section:
                anchor = position
            if line.is_heading:
                section, is_own = line.section, False
        elif text is not None:
            if line.is_heading:
                anchor, is_own = max(anchor, section_ends.get(section, anchor)), True
            inserted.setdefault((anchor, is_own), []).append(text)
    result = [*inserted.get((-1, False), ()), *inserted.get((-1, True), ())]
    for position, line in enumerate(lines):
        follows_insertion = (position - 1, False) in inserted or (position - 1, True) in inserted
        if not (line.is_empty and follows_insertion and not result[-1].strip()):  # one empty line is enough
            result.append(line.text)
        result += [*inserted.get((position, False), ()), *inserted.get((position, True), ())]
    return result


# Conflict markers of git

_MARKER = re.compile(r"([<|=>])\1{6,}(?:(?<!=) .*)?")  # all but the equal signs may have a label
_EDGE_BYTES = re.compile(rb"^(?:<{7,}|>{7,})(?: [^\n]*)?\r?$", re.MULTILINE)


class Side(Enum):
    """The sides of a conflict that can be kept."""

    OURS = "ours"
    THEIRS = "theirs"
    BOTH = "both"


class MergeConflict(Record):
    """A block of conflict markers: the lines of both sides, and the number of its first line in the file."""

    number: int
    ours: tuple[str, ...]
    theirs: tuple[str, ...]


def conflict_markers(lines: Sequence[str]) -> set[str]:
    """Return the lines that git put around two versions. Equal signs without other markers may underline a title."""
    marks = {line: mark for line in lines if (mark := _mark(line))}
    return set() if set(marks.values()) == {"="} else {*marks}


def _mark(line: str) -> str:
    """Return the character that a conflict marker is made of; "" if the line is none."""
    match = _MARKER.fullmatch(line.rstrip())
    return match[1] if match else ""


def has_conflict_markers(data: bytes) -> bool:
    """Return whether a file has the first or the last line of a block. Quick: it is asked by every command."""
    return (b"<<<<<<<" in data or b">>>>>>>" in data) and _EDGE_BYTES.search(data) is not None


def split_conflicts(lines: Sequence[str]) -> Iterator[str | MergeConflict]:
    """Yield the lines outside of conflicts, and each conflict.

    The common ancestor, which git writes between the sides if `merge.conflictStyle` is `diff3`, is left out. A marker
    without its block (somebody removed the others) is left out as well.
    """
    ours: list[str] = []
    theirs: list[str] = []
    start, current = 0, None  # the first line of the block; the side that is read, None outside of a block
    ancestor: list[str] = []
    for number, line in enumerate(lines, 1):
        mark = _mark(line)
        if current is None:
            if mark == "<":
                start, ours, theirs, ancestor = number, [], [], []
                current = ours
            elif mark != ">":
                yield line
        elif mark == ">":
            yield MergeConflict(start, tuple(ours), tuple(theirs))
            current = None
        elif mark == "|" and current is ours:
            current = ancestor
        elif mark == "=" and current is not theirs:
            current = theirs
        elif mark != "<":
            current.append(line)
    if current is not None:
        yield MergeConflict(start, tuple(ours), tuple(theirs))


def find_conflicts(lines: Sequence[str]) -> list[MergeConflict]:
    return [part for part in split_conflicts(lines) if isinstance(part, MergeConflict)]


def without_markers(lines: Sequence[str]) -> list[str]:
    """Return the lines with both sides of every conflict."""
    result: list[str] = []
    for part in split_conflicts(lines):
        result += [part] if isinstance(part, str) else [*part.ours, *part.theirs]
    return result
