"""Looking up what memories name in a work tree (see `model/references.py`). Files are read; nothing is ever run.

Links are not followed: what is behind one counts as present, and so does everything that cannot be decided or is not
looked up before the deadline. Parsed files are cached by their modification time.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from tacit.disk.read import file_signature, read_foreign, read_head
from tacit.home.project import git_folders
from tacit.model.references import Reference, ReferenceKind

LOOKUP_SECONDS = 0.05
_MAX_FOLDERS = 32  # from the current folder up to the root
_MAX_FILE_BYTES, _MAX_INDEX_BYTES = 512 * 1024, 16 * 1024 * 1024
_FULL_INDEX_VERSIONS = (b"\0\0\0\2", b"\0\0\0\3")  # version 4 shortens names
_PROGRAM_FOLDERS = ("node_modules/.bin", ".venv/bin", "venv/bin", "bin", "scripts")
_OPEN_MAKEFILE_WORDS = ("include", "-include", "sinclude")
_OPEN_JUSTFILE_WORDS = ("import", "mod")


class WorkTree:
    """A work tree, looked at from a folder in it.

    Args:
        root: the root of the project.
        cwd: the current folder; ignored if it is not below `root`.
        environment: variables, of which `PATH` is used.
        seconds: how long lookups may take in all.
    """

    def __init__(
        self,
        root: str,
        cwd: str,
        environment: Mapping[str, str],
        *,
        seconds: float = LOOKUP_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._root = root
        self._folders = _folders_between(root, cwd)
        self._path = [folder for folder in environment.get("PATH", "").split(os.pathsep) if os.path.isabs(folder)]
        self._clock = clock
        self._deadline = clock() + seconds
        self._index: bytes | None = None

    def missing(self, references: Iterable[Reference]) -> tuple[Reference, ...]:
        """Return those that are not in this work tree."""
        return tuple(reference for reference in references if self._is_missing(reference))

    def _is_missing(self, reference: Reference) -> bool:
        if self._clock() > self._deadline:
            return False
        if files := _FILES.get(reference.kind):
            return self._is_name_missing(reference.name, *files)
        lookups = {
            ReferenceKind.PATH: self._is_path_missing,
            ReferenceKind.PROGRAM: self._is_program_missing,
            ReferenceKind.BRANCH: self._is_branch_missing,
        }
        return lookups[reference.kind](reference.name)

    def _is_path_missing(self, path: str) -> bool:
        if any(_is_present(folder, path) for folder in self._folders):
            return False
        # It may be relative to another folder. The index of Git lists all tracked files.
        index = self._read_index()
        if not index:
            return os.path.isdir(os.path.join(self._root, path.split("/", maxsplit=1)[0]))
        return (b"/" + path.encode() + (b"" if path.endswith("/") else b"\0")) not in index

    def _read_index(self) -> bytes:
        """Return the index of Git; b"" if it does not list all names in full or if not all files are checked out."""
        if self._index is None:
            own, _ = git_folders(self._root)
            index = read_head(os.path.join(own, "index"), _MAX_INDEX_BYTES)
            is_partial = len(index) == _MAX_INDEX_BYTES or os.path.lexists(os.path.join(own, "info", "sparse-checkout"))
            self._index = b"" if is_partial or index[4:8] not in _FULL_INDEX_VERSIONS else index
        return self._index

    def _is_name_missing(
        self, name: str, files: Iterable[str], parse: Callable[[str, str], frozenset[str] | None]
    ) -> bool:
        """Return whether all of these files lack a name. False if there is none, or if one may get names elsewhere."""
        tables = []
        for folder in self._folders:
            paths = (os.path.join(folder, file) for file in files)
            path, signature = next(((path, text) for path in paths if (text := file_signature(path))), ("", ""))
            if path:
                tables.append(parse(path, signature))
        return bool(tables) and all(names is not None and name not in names for names in tables)

    def _is_program_missing(self, name: str) -> bool:
        folders = [*self._path, *(os.path.join(self._root, folder) for folder in _PROGRAM_FOLDERS)]
        return bool(self._path) and not any(os.path.lexists(os.path.join(folder, name)) for folder in folders)

    def _is_branch_missing(self, name: str) -> bool:
        shared = git_folders(self._root)[1]
        refs = os.path.join(shared, "refs")
        if ".." in name or not os.path.isdir(refs) or os.path.lexists(os.path.join(shared, "reftable")):
            return False
        packed = read_head(os.path.join(shared, "packed-refs"), _MAX_INDEX_BYTES)
        if name in {_branch_name(line) for line in packed.decode("utf-8", "replace").split("\n")}:
            return False
        remotes = os.path.join(refs, "remotes")
        try:
            names = [entry.name for entry in os.scandir(remotes)] if os.path.isdir(remotes) else []
        except OSError:
            return False
        places = ["heads", "tags", *(f"remotes/{remote}" for remote in names), "remotes"]
        return not any(os.path.lexists(os.path.join(refs, place, name)) for place in places)


def _branch_name(packed_line: str) -> str:
    """Return the name of a branch or tag in a line of `packed-refs`; that of a remote branch without the remote."""
    _, _, ref = packed_line.partition(" refs/")
    kind, _, name = ref.partition("/")
    return name.partition("/")[2] if kind == "remotes" else name


def _folders_between(root: str, cwd: str) -> tuple[str, ...]:
    """Return the folders from the current one up to the root; the root alone if it is elsewhere."""
    folders: list[str] = []
    folder = os.path.realpath(cwd)
    while folder.startswith(root.rstrip(os.sep) + os.sep) and len(folders) < _MAX_FOLDERS:
        folders.append(folder)
        folder = os.path.dirname(folder)
    return (*folders, root)


def _is_present(folder: str, path: str) -> bool:
    """Return whether a path exists below a folder. What is behind a link, or cannot be looked at, counts as present."""
    for part in path.rstrip("/").split("/"):
        folder = os.path.join(folder, part)
        try:
            if os.path.islink(folder):
                return True
            os.lstat(folder)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except (OSError, ValueError):
            return True
    return True


def _read_text(path: str) -> str | None:
    file = read_foreign(path)
    return file.data.decode("utf-8", "replace") if file and len(file.data) <= _MAX_FILE_BYTES else None


@lru_cache(maxsize=64)
def _script_names(path: str, _signature: str) -> frozenset[str] | None:
    """Return the scripts of a package; None if it is unreadable or has workspaces, which have scripts of their own."""
    import json

    try:
        package = json.loads(_read_text(path) or "")
    except (ValueError, RecursionError):
        return None
    if not isinstance(package, dict) or "workspaces" in package:
        return None
    if os.path.lexists(os.path.join(os.path.dirname(path), "pnpm-workspace.yaml")):
        return None
    scripts = package.get("scripts", {})
    return frozenset(map(str, scripts)) if isinstance(scripts, dict) else None


@lru_cache(maxsize=64)
def _make_targets(path: str, _signature: str) -> frozenset[str] | None:
    """Return the targets of a makefile; None if it may have others, by an include or a pattern."""
    text = _read_text(path)
    if text is None or "$(eval" in text:
        return None
    targets: set[str] = set()
    for line in text.split("\n"):
        head, colon, rest = line.partition(":")
        if line.startswith(_OPEN_MAKEFILE_WORDS):
            return None
        if not colon or line[0] in "\t# " or rest.startswith("=") or "=" in head:
            continue
        if "%" in head or "$" in head:
            return None
        targets.update(head.split())
    return frozenset(targets)


@lru_cache(maxsize=64)
def _just_recipes(path: str, _signature: str) -> frozenset[str] | None:
    """Return the recipes and aliases of a justfile; None if it may have others, by an import or a module."""
    text = _read_text(path)
    if text is None:
        return None
    recipes: set[str] = set()
    for line in text.split("\n"):
        words = line.replace(":", " ", 1).split(None, 2)
        if line[:1] in ("", " ", "\t", "#", "[") or not words:
            continue
        if words[0] in _OPEN_JUSTFILE_WORDS:
            return None
        recipes.add(words[1] if words[0] == "alias" and len(words) > 1 else words[0].lstrip("@"))
    return frozenset(recipes)


_FILES: dict[ReferenceKind, tuple[tuple[str, ...], Callable[[str, str], frozenset[str] | None]]] = {
    ReferenceKind.SCRIPT: (("package.json",), _script_names),
    ReferenceKind.MAKE_TARGET: (("GNUmakefile", "makefile", "Makefile"), _make_targets),
    ReferenceKind.JUST_RECIPE: (("justfile", ".justfile", "Justfile"), _just_recipes),
}
