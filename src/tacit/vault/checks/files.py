"""The files: who may read them, whose they are, and whether links or leftovers lie among them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from shlex import quote

from tacit.disk.ops import instead_of_link
from tacit.log.verify import Finding
from tacit.vault.home import FOLDERS, SOMETIMES
from tacit.vault.store import Store

# What lies beside the index: SQLite's files, which file it is, and what a rebuild leaves that was killed.
_BESIDE = ("-wal", "-shm", "-journal", "-file", ".new", ".new-wal", ".new-shm", ".new-journal")


def check(store: Store) -> Iterator[Finding]:
    """Of what is ours: other programs may keep files in the same folder."""
    home = store.home
    # The home itself may be a link, nothing in it.
    yield from _one(os.path.realpath(home.root) if os.path.islink(home.root) else home.root)
    linked: list[str] = []
    for folder in (*FOLDERS, *SOMETIMES):
        path = home.path(folder)
        if path.startswith(tuple(linked)):
            continue  # what lies behind a link is not ours
        if os.path.islink(path):
            linked.append(path + os.sep)
            yield from _one(path)
        elif os.path.isdir(path):
            yield from _one(path)
            yield from (finding for name in sorted(os.listdir(path)) for finding in _file(path, name))
    if os.path.islink(home.settings):
        what = "a symbolic link; it is read, but `tacit config set` does not write through it"
        yield Finding(home.settings, what, f"write settings by hand in {quote(os.path.realpath(home.settings))}", False)
    else:
        yield from _file(home.settings)
    for name in (home.index, *(f"{home.index}{ending}" for ending in _BESIDE), home.path("AGENTS.md")):
        yield from _file(name)
    if os.path.exists(f"{home.index}.new"):
        yield Finding(f"{home.index}.new", "left by a rebuild that was interrupted", "tacit reindex", False)


def linked(path: str) -> Finding:
    return Finding(path, "a symbolic link; Tacit does not write through one", instead_of_link(path))


def _file(*parts: str) -> Iterator[Finding]:
    path = os.path.join(*parts)
    if os.path.islink(path) or (os.path.lexists(path) and not os.path.isdir(path)):
        yield from _one(path)
        if path.endswith(".tacit-new"):
            yield Finding(path, "left by a write that was interrupted", f"rm {quote(path)}", False)


def _one(path: str) -> Iterator[Finding]:
    found = os.lstat(path)
    if stat.S_ISLNK(found.st_mode):
        yield linked(path)
        return
    is_folder = stat.S_ISDIR(found.st_mode)
    if found.st_uid != os.geteuid():
        yield Finding(path, "it belongs to another user", f"chown {os.geteuid()} {quote(path)}")
    if found.st_mode & 0o077:
        yield Finding(path, "others can read or write it", f"chmod {'700' if is_folder else '600'} {quote(path)}")
    if not is_folder and found.st_nlink > 1:
        copy = f"cp -p {quote(path)} {quote(path + '.copy')} && mv {quote(path + '.copy')} {quote(path)}"
        yield Finding(path, "it has a second name elsewhere (a hard link)", copy)
