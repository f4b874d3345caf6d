"""Three sides of a page: what Tacit wrote last (base), what it wants to write (mine), what lies there (theirs).

Where theirs equals base nobody edited it. Otherwise every line a person added, changed, moved or took out stays so.
A line is its words and the heading it stands under.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterable, Sequence

from tacit.pages.long_term import PRUNED_SECTION
from tacit.record import Record

Reconcile = Callable[[str | None, str, str], str]
LineKey = Callable[[str], Hashable | None]


class _PageLine(Record):
    """What a line is known by, its words, and the heading it stands under."""

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
    leaving: Container[Hashable] = (),
    reconcile: Reconcile = keep_theirs,
) -> list[str]:
    """Mine, with their edits against base. Lines are known again by `key`, or by their text where it has none.

    What is `leaving` goes even where it is not known who wrote it: it was forgotten. Only an edit of it, which nobody
    has read yet, stays.
    """
    was, their_lines = _by_key(_keyed_lines(base or (), key)), _keyed_lines(theirs, key, frozenset(base or ()))
    there = _by_key(their_lines)
    drawn: list[_PageLine] = []
    moved: dict[Hashable, str] = {}
    wanted = _keyed_lines(mine, key)
    ours = {line.section for line in wanted}
    for line in wanted:
        old, their = was.get(line.key), there.get(line.key)
        if their is None:
            if old is None or line.is_heading or line.is_empty or _is_restored(old, line):
                drawn.append(line)
            continue  # they took it out, and nobody has read that yet
        is_as_written = old is not None and old.text == their.text
        text = line.text if is_as_written else reconcile(old.text if old else None, line.text, their.text)
        if _is_moved(old, line, their, ours):
            moved[line.key] = text
        else:
            drawn.append(line._replace(text=text))
    copies = {line for line in base or () if key(line) in leaving}
    staying = [line for line in their_lines if line.key in moved or _is_theirs(line, was, leaving, copies)]
    kept = {line.key for line in staying}
    additions = [(line, moved.get(line.key, line.text) if line.key in kept else None) for line in their_lines]
    taken_out = was.keys() - there.keys()
    return _with_additions(_without_bare_headings(drawn, taken_out), additions)


def base_with_unread_edits(
    base: Sequence[str] | None, mine: Sequence[str], theirs: Sequence[str], *, key: LineKey
) -> list[str]:
    """What to remember as the base of a page that was edited: mine, but each edited line as it was before the edit,
    also one that Tacit does not draw any more.

    So an edit can be told from what Tacit wrote, however often the page is drawn before somebody reads the edit.
    """
    was = _by_key(_keyed_lines(base or (), key))
    there = _by_key(_keyed_lines(theirs, key, frozenset(base or ())))
    result: list[_PageLine] = []
    wanted = _keyed_lines(mine, key)
    missed: dict[str, list[str]] = {}
    drawn = {line.key for line in wanted}
    for name, gone in was.items():
        if name not in drawn and gone.text != there.get(name, gone).text and not (gone.is_heading or gone.is_empty):
            missed.setdefault(gone.section, []).append(gone.text)
    for line in wanted:
        old, their = was.get(line.key), there.get(line.key)
        if old is None or (their is not None and their.text == old.text) or _is_restored(old, line):
            result.append(line)
        elif their is None and old.section != line.section:
            missed.setdefault(old.section, []).append(old.text)  # taken out from where it stood then
        else:
            result.append(line._replace(text=old.text))
    placed = [
        text for line in result for text in (line.text, *(missed.pop(line.section, ()) if line.is_heading else ()))
    ]
    return placed + [text for texts in missed.values() for text in texts]


def base_with_read_edits(
    base: Sequence[str], theirs: Sequence[str], taken: Container[str], *, key: LineKey
) -> list[str]:
    """The base of a page of which some edits were read: those lines are as and where they are in theirs, or gone."""
    their_lines = _keyed_lines(theirs, key, frozenset(base))
    there = _by_key(their_lines)
    kept = [line for line in _keyed_lines(base, key) if (there.get(line.key) or line).text not in taken]
    read = [(line, line.text if line.text in taken else None) for line in their_lines]
    return _with_additions(kept, read)


def _keyed_lines(lines: Sequence[str], key: LineKey, written: Container[str] = ()) -> list[_PageLine]:
    """Each line with what it is known by: an entry by its id, a heading by its words, an empty line by what it stands
    behind, anything else by its text under its heading. Of two entries with one id, it is the one that was written."""
    names = [key(line.rstrip()) if line.strip() and not line.startswith("#") else None for line in lines]
    owners: dict[Hashable, int] = {}
    for at, (name, line) in enumerate(zip(names, lines, strict=True)):
        if name is not None and (name not in owners or (line in written and lines[owners[name]] not in written)):
            owners[name] = at
    named: list[_PageLine] = []
    place = ""
    above: Hashable = None
    for at, (name, line) in enumerate(zip(names, lines, strict=True)):
        if line.startswith("#"):
            place = heading_text(line)
            above = ("heading", place)
        elif not line.strip():
            above = ("empty", above)
        else:
            above = name if name is not None and owners[name] == at else (place, line)
        named.append(_PageLine(above, line, place))
    return named


def heading_text(line: str) -> str:
    """The words of a heading."""
    return line.lstrip("#").strip()


def _by_key(lines: Iterable[_PageLine]) -> _LinesByKey:
    return {line.key: line for line in lines}


def _is_restored(old: _PageLine, line: _PageLine) -> bool:
    """Whoever clears away what was pruned says nothing of its return."""
    return old.section == PRUNED_SECTION and line.section != PRUNED_SECTION


def _is_moved(old: _PageLine | None, line: _PageLine, their: _PageLine, ours: Container[str]) -> bool:
    """Whether the person put it under another heading. Under one of their own it stays as long as it stands as it did
    for Tacit."""
    if their.section == line.section or (old is not None and their.section == old.section):
        return False
    if old is None:  # nobody knows who put it there; but what was forgotten does not stay where it seems to hold
        return line.section != PRUNED_SECTION
    return line.section == old.section or their.section in ours


def _is_theirs(line: _PageLine, was: _LinesByKey, leaving: Container[Hashable], copies: Container[str]) -> bool:
    """Whether a line that Tacit does not draw is an edit of the person's. Two of what leaves go together."""
    old = was.get(line.key)
    if line.text in copies:
        return False
    if line.key in leaving:
        return old is not None and old.text != line.text
    return old is None or old.text != line.text


def _without_bare_headings(drawn: Sequence[_PageLine], taken_out: Container[Hashable]) -> list[_PageLine]:
    """A heading that they took out comes back only with something to stand under it."""
    filled = {line.section for line in drawn if not line.is_heading and not line.is_empty}
    bare = {line.key for line in drawn if line.is_heading and line.key in taken_out and line.section not in filled}
    bare |= {("empty", name) for name in bare}
    return [line for line in drawn if line.key not in bare]


def _with_additions(drawn: Sequence[_PageLine], theirs: Sequence[tuple[_PageLine, str | None]]) -> list[str]:
    """What they wrote and we never did, each after the line it stands behind, as long as that stands where it stood.

    A heading of their own and all below it come after everything that stands under ours.
    """
    place = {line.key: at for at, line in enumerate(drawn)}
    ends = {line.section: at for at, line in enumerate(drawn) if not line.is_empty}
    after: dict[tuple[int, bool], list[str]] = {}
    anchor, section, is_own = -1, "", False
    for line, text in theirs:
        at = place.get(line.key)
        if at is not None:
            if drawn[at].section == line.section:
                anchor = at
            if line.is_heading:
                section, is_own = line.section, False
        elif text is not None:
            if line.is_heading:
                anchor, is_own = max(anchor, ends.get(section, anchor)), True
            after.setdefault((anchor, is_own), []).append(text)
    result = [*after.get((-1, False), ()), *after.get((-1, True), ())]
    for at, line in enumerate(drawn):
        above = result[-1:] if (at - 1, False) in after or (at - 1, True) in after else []
        if not (line.is_empty and above and not above[0].strip()):  # one empty line is enough
            result.append(line.text)
        result += [*after.get((at, False), ()), *after.get((at, True), ())]
    return result
