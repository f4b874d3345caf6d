"""Three sides of a page: what Tacit wrote last (base), what it wants to write (mine), what lies there (theirs).

Where theirs equals base nobody edited it. Otherwise every line a person added, changed or took out stays so.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Sequence

Reconcile = Callable[[str | None, str, str], str]
_Line = tuple[Hashable, str]


def keep_theirs(_base: str | None, _mine: str, theirs: str) -> str:
    return theirs


def merge(
    base: Sequence[str] | None,
    mine: Sequence[str],
    theirs: Sequence[str],
    *,
    key: Callable[[str], Hashable | None],
    leaving: Container[Hashable] = (),
    reconcile: Reconcile = keep_theirs,
) -> list[str]:
    """Mine, with their edits against base. Lines are known again by `key`, or by their text where it has none.

    What is `leaving` goes even where it is not known who wrote it: it was forgotten. Only an edit of it, which nobody
    has read yet, stays.
    """
    was = dict(_named(base or (), key))
    their_lines = _named(theirs, key)
    there = dict(their_lines)
    merged: list[_Line] = []
    for name, line in _named(mine, key):
        if name in there:
            edited = base is None or there[name] != was.get(name)
            merged.append((name, reconcile(was.get(name), line, there[name]) if edited else line))
        elif name not in was or not line:
            merged.append((name, line))
        # else: they took it out, and nobody has read that yet
    staying = [(name, line) for name, line in their_lines if name not in leaving or was.get(name, line) != line]
    return _with_additions(merged, staying, {name for name, line in was.items() if there.get(name) == line})


def unread(
    base: Sequence[str] | None, mine: Sequence[str], theirs: Sequence[str], *, key: Callable[[str], Hashable | None]
) -> list[str]:
    """What to remember as the base of a page that was edited: mine, but each edited line as it was before the edit.

    So an edit can be told from what Tacit wrote, however often the page is drawn before somebody reads the edit.
    """
    was, there = dict(_named(base or (), key)), dict(_named(theirs, key))
    return [was[name] if name in was and there.get(name) != was[name] else line for name, line in _named(mine, key)]


def taken_in(
    base: Sequence[str], theirs: Sequence[str], taken: Container[str], *, key: Callable[[str], Hashable | None]
) -> list[str]:
    """The base of a page of which some edits were read: those lines are as they are in theirs, or as gone as there.

    In the order of theirs, so that each line is known by the same name in both.
    """
    was, their_lines = dict(_named(base, key)), _named(theirs, key)
    there = dict(their_lines)
    read = [
        line if line in taken else was.get(name, line)
        for name, line in their_lines
        if name in was or line in taken or not line  # nobody misses an empty line
    ]
    return read + [line for name, line in was.items() if name not in there and line and line not in taken]


def _named(lines: Sequence[str], key: Callable[[str], Hashable | None]) -> list[_Line]:
    """Each line with what it is known by: an entry by its id, a copy of one and anything else by its text, and an
    empty line by what it stands behind."""
    seen: set[Hashable] = set()
    named: list[_Line] = []
    above: Hashable = ""
    for line in lines:
        name = key(line) or line if line else ("empty", above)
        above = line if name in seen and line else name
        named.append((above, line))
        seen.add(name)
    return named


def _with_additions(merged: Sequence[_Line], theirs: Sequence[_Line], was: Container[Hashable]) -> list[str]:
    """What they wrote and we never did, each after the line it stands behind."""
    place = {name: at for at, (name, _) in enumerate(merged)}
    after: dict[int, list[str]] = {}
    anchor = -1
    for name, line in theirs:
        if name in place:
            anchor = place[name]
        elif name not in was:
            after.setdefault(anchor, []).append(line)
    result = list(after.get(-1, ()))
    for at, (_, line) in enumerate(merged):
        result.append(line)
        result += after.get(at, ())
    return result
