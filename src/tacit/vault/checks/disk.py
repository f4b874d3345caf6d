"""The disk: room to write, and a file system whose locks and appends can be relied on."""

from __future__ import annotations

import os
from collections.abc import Iterator

from tacit.log.verify import Finding
from tacit.vault.store import Store

_LEAST = 64 * 1024 * 1024
_SHARED = ("nfs", "cifs", "smb", "9p", "fuse", "afs", "lustre", "ceph", "glusterfs")
_MOUNTS = "/proc/self/mounts"


def check(store: Store) -> Iterator[Finding]:
    root = store.home.root
    status = os.statvfs(root)
    free = status.f_bavail * status.f_frsize
    if free < _LEAST:
        yield Finding(root, f"only {free // 1024:,} KiB are free on its disk", f"df -h {root}; free some space")
    if status.f_files and not status.f_favail:
        yield Finding(root, "its disk can hold no more files", f"df -i {root}; delete some files")
    kind = file_system(root)
    if kind.startswith(_SHARED):
        what = f"it is on a network file system ({kind}), where two machines can write at once unseen"
        yield Finding(root, what, "keep the home on a local disk: TACIT_HOME=…, then tacit import OLD --mine", False)


def file_system(path: str) -> str:
    """The kind of file system a path is on; empty where the system does not tell."""
    try:
        with open(_MOUNTS, encoding="utf-8", errors="surrogateescape") as file:
            mounts = [line.split(" ")[1:3] for line in file]
    except OSError:
        return ""
    real = os.path.realpath(path)
    found = [(len(place), kind) for place, kind in mounts if _is_below(real, place.replace("\\040", " "))]
    return max(found, default=(0, ""))[1]


def _is_below(path: str, place: str) -> bool:
    return path == place or path.startswith(place.rstrip("/") + "/")
