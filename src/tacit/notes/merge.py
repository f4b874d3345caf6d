"""Three sides of a page: what Tacit wrote last (base), what it wants to write (mine), what lies there (theirs).

Where theirs equals base nobody edited it. Otherwise every line a person added, changed or took out stays so.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

Reconcile = Callable[[str | None, str, str], str]


def keep_theirs(_base: str | None, _mine: str, theirs: str) -> str:
    return theirs


def merge(
    base: Sequence[str] | None,
    mine: Sequence[str],
    theirs: Sequence[str],
    *,
    key: Callable[[str], Hashable | None],
    reconcile: Reconcile = keep_theirs,
) -> list[str]:
    """Mine, with their edits against base. Lines are known again by `key`, or by their text where it has none."""

    def name(line: str) -> Hashable:
        return key(line) or line

    was = {name(line): line for line in base or ()}
    there = {name(line): line for line in theirs}
    merged: list[str] = []
    for line in mine:
        known = name(line)
        if known in there:
            edited = base is None or there[known] != was.get(known)
            merged.append(reconcile(was.get(known), line, there[known]) if edited else line)
        elif known not in was or was[known] != line or not line:
            merged.append(line)
        # else: they took it out, and nothing new was said of it since
    return _with_additions(merged, theirs, was, name)


def _with_additions(
    merged: list[str], theirs: Sequence[str], was: dict[Hashable, str], name: Callable[[str], Hashable]
) -> list[str]:
    """Lines of theirs that we never wrote, each after the line it stands behind."""
    present = {name(line) for line in merged}
    place = {name(line): at for at, line in enumerate(merged)}
    after: dict[int, list[str]] = {}
    anchor = -1
    for line in theirs:
        known = name(line)
        if known in present:
            anchor = place[known]
        elif known not in was:
            after.setdefault(anchor, []).append(line)
    result = list(after.get(-1, ()))
    for at, line in enumerate(merged):
        result.append(line)
        result += after.get(at, ())
    return result
