"""A disk in memory that can lose power at any call, and keeps only what was promised to be durable.

Bytes are durable after `sync_data`, names after `sync_folder`. Of everything since, a crash keeps what it likes: of a
file's changes the first few, the last of them cut anywhere, some sectors perhaps never written (they read as zeros);
of a folder's changes the first few. A mere kill of the process keeps all that was written until then.
"""

from __future__ import annotations

import os
import random
from dataclasses import dataclass, field

_SECTOR = 512


class Cut(BaseException):
    """The process ends here; nothing catches it, as nothing catches SIGKILL or a power cut."""


@dataclass(frozen=True, slots=True)
class _Write:
    """Bytes put at an offset, or with none the cutting of the file to that length."""

    offset: int
    data: bytes | None

    def on(self, content: bytearray) -> None:
        if self.data is None:
            del content[self.offset :]
        else:
            content[self.offset : self.offset + len(self.data)] = self.data

    def cut(self, length: int) -> _Write:
        return self if self.data is None else _Write(self.offset, self.data[:length])


@dataclass(slots=True, eq=False)
class _File:
    safe: bytes = b""
    now: bytearray = field(default_factory=bytearray)
    changes: list[_Write] = field(default_factory=list)

    def change(self, write: _Write) -> None:
        write.on(self.now)
        self.changes.append(write)

    def sync(self) -> None:
        self.safe = bytes(self.now)
        self.changes.clear()


_Names = dict[str, _File | None]


@dataclass(slots=True)
class _Folder:
    safe: dict[str, _File] = field(default_factory=dict)
    now: dict[str, _File] = field(default_factory=dict)
    changes: list[_Names] = field(default_factory=list)

    def change(self, names: _Names) -> None:
        _rename(self.now, names)
        self.changes.append(names)

    def sync(self) -> None:
        self.safe = dict(self.now)
        self.changes.clear()


@dataclass(slots=True)
class _Opened:
    file: _File
    flags: int
    position: int = 0


class CrashDisk:
    """Implements `tacit.disk.files.Disk`. It works for a number of calls that change something, then it is cut."""

    def __init__(self, rng: random.Random, *, holes: bool = True) -> None:
        self._rng = rng
        self._holes = holes
        self._folders: dict[str, _Folder] = {}
        self._opened: dict[int, _Opened] = {}
        self._calls_left = 0

    # Life and death

    def live(self, calls: int) -> None:
        """Work for so many calls more."""
        self._calls_left = calls

    def restart(self, *, power: bool) -> None:
        """Come back after a cut; with `power` lost, only what was durable is certain."""
        self._opened.clear()
        if power:
            for folder in self._folders.values():
                self._lose_names(folder)
            for file in {id(file): file for folder in self._folders.values() for file in folder.now.values()}.values():
                self._lose_bytes(file)

    def content(self, path: str) -> bytes | None:
        """What a reader would see now."""
        file = self._folder(path).now.get(os.path.basename(path))
        return None if file is None else bytes(file.now)

    def _lose_names(self, folder: _Folder) -> None:
        kept = dict(folder.safe)
        for names in folder.changes[: self._rng.randint(0, len(folder.changes))]:
            _rename(kept, names)
        folder.now = kept
        folder.sync()

    def _lose_bytes(self, file: _File) -> None:
        kept = file.changes[: self._rng.randint(0, len(file.changes))]
        if kept:
            last = kept.pop()
            kept.append(last.cut(self._part(len(last.data or b""))))
        content = bytearray(file.safe)
        for write in kept:
            write.on(content)
        if self._holes and self._rng.random() < 0.3:
            self._punch(content, kept)
        file.now = content
        file.sync()

    def _punch(self, content: bytearray, writes: list[_Write]) -> None:
        """Zero some sectors of what was written; bytes that were safe before stay."""
        for write in writes:
            end = min(write.offset + len(write.data or b""), len(content))
            for sector in range(write.offset // _SECTOR * _SECTOR, end, _SECTOR):
                start, stop = max(sector, write.offset), min(sector + _SECTOR, end)
                if start < stop and self._rng.random() < 0.3:
                    content[start:stop] = bytes(stop - start)

    # The calls of a disk

    def open(self, path: str, flags: int, mode: int) -> int:
        self._call()
        folder, name = self._folder(path), os.path.basename(path)
        if name in folder.now and flags & os.O_EXCL:
            raise FileExistsError(path)
        if name not in folder.now:
            if not flags & os.O_CREAT:
                raise FileNotFoundError(path)
            folder.change({name: _File()})
        if flags & os.O_TRUNC:
            folder.now[name].change(_Write(0, None))
        fd = 1 + max(self._opened, default=2)
        self._opened[fd] = _Opened(folder.now[name], flags)
        return fd

    def close(self, fd: int) -> None:
        self._opened.pop(fd, None)

    def size(self, fd: int) -> int:
        return len(self._opened[fd].file.now)

    def read_at(self, fd: int, size: int, offset: int) -> bytes:
        return bytes(self._opened[fd].file.now[offset : offset + size])

    def write(self, fd: int, data: bytes) -> int:
        """Now and then only a part is taken; at a cut, any part."""
        opened = self._opened[fd]
        taken = self._rng.randint(1, len(data)) if self._rng.random() < 0.1 else len(data)
        if self._calls_left <= 0:
            taken = self._part(len(data))
        offset = len(opened.file.now) if opened.flags & os.O_APPEND else opened.position
        opened.file.change(_Write(offset, data[:taken]))
        opened.position = offset + taken
        self._call()
        return taken

    def truncate(self, fd: int, size: int) -> None:
        self._call()
        self._opened[fd].file.change(_Write(size, None))

    def sync_data(self, fd: int) -> None:
        self._call()
        self._opened[fd].file.sync()

    def sync_folder(self, path: str) -> None:
        self._call()
        self._folders.setdefault(path, _Folder()).sync()

    def rename(self, source: str, target: str) -> None:
        self._call()
        folder, name = self._folder(source), os.path.basename(source)
        assert folder is self._folder(target), "only within one folder"
        folder.change({name: None, os.path.basename(target): folder.now[name]})

    def remove(self, path: str) -> None:
        self._call()
        self._folder(path).change({os.path.basename(path): None})

    def _part(self, length: int) -> int:
        """How much of a write is there after a cut: any part, and often all but the last byte, the line feed."""
        return max(length - 1, 0) if self._rng.random() < 0.1 else self._rng.randint(0, length)

    def _call(self) -> None:
        if self._calls_left <= 0:
            raise Cut
        self._calls_left -= 1

    def _folder(self, path: str) -> _Folder:
        return self._folders.setdefault(os.path.dirname(path), _Folder())


def _rename(entries: dict[str, _File], names: _Names) -> None:
    for name, file in names.items():
        if file is None:
            entries.pop(name, None)
        else:
            entries[name] = file
