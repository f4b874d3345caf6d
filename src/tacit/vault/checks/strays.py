"""Files that sync programs and editors left in the home: read where they hold events, named in any case."""

from __future__ import annotations

import os
from collections.abc import Iterator
from shlex import quote

from tacit.log.log import Cursor
from tacit.log.strays import is_left
from tacit.log.verify import Finding
from tacit.vault.home import FOLDERS, SOMETIMES
from tacit.vault.store import Store


def check(store: Store) -> Iterator[Finding]:
    strays = store.log.strays()
    known = (
        {name for segment in store.log.own_segments() for name in store.log.ids(segment, Cursor())} if strays else set()
    )
    for segment in strays:
        held = set(store.log.ids(segment, Cursor()))
        only = len(held - known)
        path = store.home.path(segment)
        if only:
            what = f"a copy that another program left; it is read: {only} of its {len(held)} events stand nowhere else"
            yield Finding(path, what, "nothing: it counts; keep it", False)
        else:
            what = "a copy that another program left; all of its events stand in our own files too"
            yield Finding(path, what, f"rm {quote(path)}", False)
        known |= held
    for folder in ("", *FOLDERS, *SOMETIMES):
        yield from _left(store.home.path(folder).rstrip(os.sep), folder, {store.home.path(one) for one in strays})


def _left(path: str, folder: str, read: set[str]) -> Iterator[Finding]:
    if (os.path.islink(path) and folder) or not os.path.isdir(path):
        return
    for name in sorted(os.listdir(path)):
        one = os.path.join(path, name)
        if is_left(folder, name) and one not in read and os.path.isfile(one) and not os.path.islink(one):
            what = "a copy or backup that another program left; it is not read"
            yield Finding(one, what, f"rm {quote(one)}, or to keep it elsewhere: mv {quote(one)} ~/", False)
