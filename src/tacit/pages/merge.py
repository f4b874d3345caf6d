"""Three sides of a page: what Tacit wrote last (base), what it wants to write (mine), what lies there (theirs).

Where theirs equals base nobody edited it. Otherwise every line a person added, changed, moved or took out stays so.
A line is its words and the heading it stands under.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterable, Sequence

from tacit.pages.long_term import PRUNED
from tacit.record import Record

Reconcile = Callable[[str | None, str, str], str]
Key = Callable[[str], Hashable | None]


class _Line(Record):
    """What a line is known by, its words, and the heading it stands under."""

    name: Hashable
    text: str
    place: str

    @property
    def is_heading(self) -> bool:
        return self.text.startswith("#")

    @property
    def is_empty(self) -> bool:
        return not self.text.strip()


_Known = dict[Hashable, _Line]


def keep_theirs(_base: str | None, _mine: str, theirs: str) -> str:
    return theirs


def merge(
    base: Sequence[str] | None,
    mine: Sequence[str],
    theirs: Sequence[str],
    *,
    key: Key,
    leaving: Container[Hashable] = (),
    reconcile: Reconcile = keep_theirs,
) -> list[str]:
    """Mine, with their edits against base. Lines are known again by `key`, or by their text where it has none.

    What is `leaving` goes even where it is not known who wrote it: it was forgotten. Only an edit of it, which nobody
    has read yet, stays.
    """
    was, their_lines = _by_name(_named(base or (), key)), _named(theirs, key, frozenset(base or ()))
    there = _by_name(their_lines)
    drawn: list[_Line] = []
    moved: dict[Hashable, str] = {}
    wanted = _named(mine, key)
    ours = {line.place for line in wanted}
    for line in wanted:
        old, their = was.get(line.name), there.get(line.name)
        if their is None:
            if old is None or line.is_heading or line.is_empty or _comes_back(old, line):
                drawn.append(line)
            continue  # they took it out, and nobody has read that yet
        is_as_written = old is not None and old.text == their.text
        text = line.text if is_as_written else reconcile(old.text if old else None, line.text, their.text)
        if _was_moved(old, line, their, ours):
            moved[line.name] = text
        else:
            drawn.append(line._replace(text=text))
    copies = {line for line in base or () if key(line) in leaving}
    staying = [line for line in their_lines if line.name in moved or _is_theirs(line, was, leaving, copies)]
    kept = {line.name for line in staying}
    additions = [(line, moved.get(line.name, line.text) if line.name in kept else None) for line in their_lines]
    taken_out = was.keys() - there.keys()
    return _with_additions(_without_bare_headings(drawn, taken_out), additions)


def unread(base: Sequence[str] | None, mine: Sequence[str], theirs: Sequence[str], *, key: Key) -> list[str]:
    """What to remember as the base of a page that was edited: mine, but each edited line as it was before the edit,
    also one that Tacit does not draw any more.

    So an edit can be told from what Tacit wrote, however often the page is drawn before somebody reads the edit.
    """
    was = _by_name(_named(base or (), key))
    there = _by_name(_named(theirs, key, frozenset(base or ())))
    result: list[_Line] = []
    wanted = _named(mine, key)
    missed: dict[str, list[str]] = {}
    drawn = {line.name for line in wanted}
    for name, gone in was.items():
        if name not in drawn and gone.text != there.get(name, gone).text and not (gone.is_heading or gone.is_empty):
            missed.setdefault(gone.place, []).append(gone.text)
    for line in wanted:
        old, their = was.get(line.name), there.get(line.name)
        if old is None or (their is not None and their.text == old.text) or _comes_back(old, line):
            result.append(line)
        elif their is None and old.place != line.place:
            missed.setdefault(old.place, []).append(old.text)  # taken out from where it stood then
        else:
            result.append(line._replace(text=old.text))
    placed = [text for line in result for text in (line.text, *(missed.pop(line.place, ()) if line.is_heading else ()))]
    return placed + [text for texts in missed.values() for text in texts]


def taken_in(base: Sequence[str], theirs: Sequence[str], taken: Container[str], *, key: Key) -> list[str]:
    """The base of a page of which some edits were read: those lines are as and where they are in theirs, or gone."""
    their_lines = _named(theirs, key, frozenset(base))
    there = _by_name(their_lines)
    kept = [line for line in _named(base, key) if (there.get(line.name) or line).text not in taken]
    read = [(line, line.text if line.text in taken else None) for line in their_lines]
    return _with_additions(kept, read)


def _named(lines: Sequence[str], key: Key, written: Container[str] = ()) -> list[_Line]:
    """Each line with what it is known by: an entry by its id, a heading by its words, an empty line by what it stands
    behind, anything else by its text under its heading. Of two entries with one id, it is the one that was written."""
    names = [key(line.rstrip()) if line.strip() and not line.startswith("#") else None for line in lines]
    owners: dict[Hashable, int] = {}
    for at, (name, line) in enumerate(zip(names, lines, strict=True)):
        if name is not None and (name not in owners or (line in written and lines[owners[name]] not in written)):
            owners[name] = at
    named: list[_Line] = []
    place = ""
    above: Hashable = None
    for at, (name, line) in enumerate(zip(names, lines, strict=True)):
        if line.startswith("#"):
            place = heading(line)
            above = ("heading", place)
        elif not line.strip():
            above = ("empty", above)
        else:
            above = name if name is not None and owners[name] == at else (place, line)
        named.append(_Line(above, line, place))
    return named


def heading(line: str) -> str:
    """The words of a heading."""
    return line.lstrip("#").strip()


def _by_name(lines: Iterable[_Line]) -> _Known:
    return {line.name: line for line in lines}


def _comes_back(old: _Line, line: _Line) -> bool:
    """Whoever clears away what was pruned says nothing of its return."""
    return old.place == PRUNED and line.place != PRUNED


def _was_moved(old: _Line | None, line: _Line, their: _Line, ours: Container[str]) -> bool:
    """Whether the person put it under another heading. Under one of their own it stays as long as it stands as it did
    for Tacit."""
    if their.place == line.place or (old is not None and their.place == old.place):
        return False
    if old is None:  # nobody knows who put it there; but what was forgotten does not stay where it seems to hold
        return line.place != PRUNED
    return line.place == old.place or their.place in ours


def _is_theirs(line: _Line, was: _Known, leaving: Container[Hashable], copies: Container[str]) -> bool:
    """Whether a line that Tacit does not draw is an edit of the person's. Two of what leaves go together."""
    old = was.get(line.name)
    if line.text in copies:
        return False
    if line.name in leaving:
        return old is not None and old.text != line.text
    return old is None or old.text != line.text


def _without_bare_headings(drawn: Sequence[_Line], taken_out: Container[Hashable]) -> list[_Line]:
    """A heading that they took out comes back only with something to stand under it."""
    filled = {line.place for line in drawn if not line.is_heading and not line.is_empty}
    bare = {line.name for line in drawn if line.is_heading and line.name in taken_out and line.place not in filled}
    bare |= {("empty", name) for name in bare}
    return [line for line in drawn if line.name not in bare]


def _with_additions(drawn: Sequence[_Line], theirs: Sequence[tuple[_Line, str | None]]) -> list[str]:
    """What they wrote and we never did, each after the line it stands behind, as long as that stands where it stood.

    A heading of their own and all below it come after everything that stands under ours.
    """
    place = {line.name: at for at, line in enumerate(drawn)}
    ends = {line.place: at for at, line in enumerate(drawn) if not line.is_empty}
    after: dict[tuple[int, bool], list[str]] = {}
    anchor, section, is_own = -1, "", False
    for line, text in theirs:
        at = place.get(line.name)
        if at is not None:
            if drawn[at].place == line.place:
                anchor = at
            if line.is_heading:
                section, is_own = line.place, False
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
