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

    What is `leaving` goes even where it is not known who wrote it: it was forgotten.
    """
    was = dict(_named(base or (), key))
    their_lines = _named(theirs, key)
    there = dict(their_lines)
    merged: list[_Line] = []
    for name, line in _named(mine, key):
        if name in there:
            edited = base is None or there[name] != was.get(name)
            merged.append((name, reconcile(was.get(name), line, there[name]) if edited else line))
        elif name not in was or was[name] != line or not line:
            merged.append((name, line))
        # else: they took it out, and nothing new was said of it since
    return _with_additions(merged, [line for line in their_lines if line[0] not in leaving], was)


def _named(lines: Sequence[str], key: Callable[[str], Hashable | None]) -> list[_Line]:
    """Each line with what it is known by; a copy of an entry is known by its text, as something of its own."""
    seen: set[Hashable] = set()
    named: list[_Line] = []
    for line in lines:
        name = key(line) or line
        named.append((line if name in seen else name, line))
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
