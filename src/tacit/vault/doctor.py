"""Checks: read everything, compare with what it should be, say what to type. Nothing is changed by looking."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from shlex import quote

from tacit.disk.replace import read_file
from tacit.index import reader, store
from tacit.index.store import IndexUnwell, wellness
from tacit.log.verify import Finding, verify
from tacit.notes import facts, long_term
from tacit.vault.home import FOLDERS
from tacit.vault.opened import Opened

# The write-ahead log of these versions can lose a page when two connections reset it at once. Ours never do
# (every write and checkpoint happens under one lock), so this is for the person's other programs.
_WAL_MENDED = ((3, 44, 6), (3, 50, 7), (3, 51, 3))


class Doctoring(Opened):
    """verify, doctor and reindex."""

    def verify(self) -> list[Finding]:
        """Every line of the log."""
        return list(verify(self._store.log))

    def doctor(self) -> list[Finding]:
        """The log, the index against a fresh replay, the views against a fresh drawing, permissions, SQLite."""
        if not os.path.isdir(self._store.home.root):
            return [Finding(self._store.home.root, "there is no home yet", "tacit init", False)]
        return [*verify(self._store.log), *self._modes(), *self._index(), *self._versions()]

    def reindex(self) -> int:
        """Make index and views again; says how many memories they hold."""
        self._store.rebuild()
        return self._store.read(lambda connection: sum(1 for _ in reader.entries(connection)))

    def _modes(self) -> Iterator[Finding]:
        """Of what is ours: other programs may keep files in the same folder."""
        home = self._store.home
        for folder in ("", *FOLDERS):
            path = home.path(folder).rstrip(os.sep)
            if os.path.isdir(path):
                yield from _mode(path)
                yield from (
                    finding for name in sorted(os.listdir(path)) if folder for finding in _file_mode(path, name)
                )
        for name in (home.index, f"{home.index}-wal", f"{home.index}-shm", home.settings, home.path("AGENTS.md")):
            yield from _file_mode(name)

    def _index(self) -> Iterator[Finding]:
        home = self._store.home
        fresh = self._store.fresh_index()
        try:
            with wellness():
                kept = store.open_for_reading(home.index)
        except IndexUnwell as error:
            yield Finding(home.index, f"the index cannot be used: {error}", "tacit reindex")
            return
        try:
            yield from self._compared(kept, fresh)
        finally:
            kept.close()
            fresh.close()

    def _compared(self, kept: sqlite3.Connection, fresh: sqlite3.Connection) -> Iterator[Finding]:
        try:
            with wellness():
                sound = kept.execute("PRAGMA quick_check").fetchone() == ("ok",)
                same = sound and list(reader.dump(kept, answers_only=True)) == list(
                    reader.dump(fresh, answers_only=True)
                )
        except IndexUnwell:
            sound = same = False
        if not sound:
            yield Finding(self._store.home.index, "the index is damaged", "tacit reindex")
        elif not same:
            yield Finding(self._store.home.index, "the index is not what the log says", "tacit reindex")
        yield from self._views(fresh)

    def _views(self, fresh: sqlite3.Connection) -> Iterator[Finding]:
        home = self._store.home
        notes = self._store.publisher.all_noted(fresh)
        drawn = {
            home.long_term: long_term.render(notes),
            home.facts: facts.updated([], [noted for noted in notes if noted.memory.claim.scope == "global"]),
        }
        for path, lines in drawn.items():
            there = read_file(path)
            if there is None:
                yield Finding(path, "this view is missing", "tacit reindex")
            elif there != "".join(line + "\n" for line in lines).encode():
                yield Finding(
                    path, "this page differs from the log: edited by hand, or drawn before", "tacit reindex", False
                )

    def _versions(self) -> Iterator[Finding]:
        found = sqlite3.sqlite_version_info
        mended = found >= _WAL_MENDED[-1] or any(found[:2] == row[:2] and found >= row for row in _WAL_MENDED)
        if not mended:
            yield Finding(
                f"SQLite {sqlite3.sqlite_version}",
                "its write-ahead log has a known race between two writers; Tacit never has two",
                "nothing for Tacit; update SQLite for other programs that share databases",
                False,
            )


def _mode(path: str) -> Iterator[Finding]:
    mode = os.lstat(path).st_mode
    if stat.S_ISLNK(mode):
        yield Finding(path, "a symbolic link; Tacit does not write through one", f"rm {quote(path)}")
    elif mode & 0o077:
        wanted = "700" if stat.S_ISDIR(mode) else "600"
        yield Finding(path, "others can read or write it", f"chmod {wanted} {quote(path)}")


def _file_mode(*parts: str) -> Iterator[Finding]:
    path = os.path.join(*parts)
    if os.path.lexists(path) and not os.path.isdir(path):
        yield from _mode(path)
