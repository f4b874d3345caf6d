"""Looking up what texts name in a work tree (see `model/references.py`). Files are read; nothing is ever run.

Before a memory is told, a few paths are looked up: from the current folder up to the root, and in the index of Git. An
audit has listed all files before, and uses that list. Links are not followed: what is behind one counts as present, and
so does everything that is ignored by Git, cannot be decided, or is not looked up before the deadline. Parsed files are
cached by their modification time.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

from tacit.disk.read import file_signature, read_foreign, read_head
from tacit.home.project import git_folders
from tacit.model.conditions import GREEN, LookupResult, Trace, literal_pattern, red, unknown
from tacit.model.references import Reference, ReferenceKind
from tacit.record import Record

LOOKUP_SECONDS = 0.05
_MAX_FOLDERS = 32  # from the current folder up to the root
_MAX_MANIFESTS = 200  # files of one name that are read in a listed tree
_MAX_IGNORE_LINES = 2000
_MAX_CACHED_TEXTS = 64
_MAX_FILE_BYTES, _MAX_INDEX_BYTES = 512 * 1024, 16 * 1024 * 1024
_INDEX_HEADER_BYTES, _ENTRY_FLAGS, _ENTRY_NAME, _EXTENDED_FLAG = 12, 60, 62, 0x4000
_FULL_INDEX_VERSIONS = (b"\0\0\0\2", b"\0\0\0\3")  # version 4 shortens names
_PROGRAM_FOLDERS = ("node_modules/.bin", ".venv/bin", "venv/bin", "bin", "scripts")
# People name files by the end of their path, or by that of the compiled file (`.js` for `.ts`).
_RELATED_EXTENSIONS = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".mts", ".py", ".md")


class FileListing(Record):
    """The files of a project: the folders of each file name. If not `is_complete`, the search ended at a bound."""

    root: str
    folders_by_name: Mapping[str, Sequence[str]]
    is_complete: bool = True


def tracked_files(root: str) -> FileListing | None:
    """Return the files that Git tracks in a work tree, read from its index; None if the index does not list all."""
    index = WorkTree(root, root, {}).read_index()
    folders: dict[str, list[str]] = {}
    at, end = _INDEX_HEADER_BYTES, len(index)
    for _ in range(int.from_bytes(index[8:12], "big")):
        flags = int.from_bytes(index[at + _ENTRY_FLAGS : at + _ENTRY_NAME], "big")
        start = at + _ENTRY_NAME + 2 * bool(flags & _EXTENDED_FLAG)
        stop = index.find(b"\0", start)
        if not start < stop < end:
            return None
        folder, _, name = index[start:stop].decode("utf-8", "surrogateescape").rpartition("/")
        folders.setdefault(name, []).append(os.path.join(root, folder).rstrip("/"))
        at += (stop - at + 8) & ~7  # entries are padded to eight bytes
    for folder in {folder for places in folders.values() for folder in places}:
        parent = folder
        while len(parent) > len(root):
            parent, _, name = parent.rpartition("/")
            if parent in (places := folders.setdefault(name, [])):
                break
            places.append(parent)
    return FileListing(root, folders) if folders else None


class WorkTree:
    """A work tree, looked at from a folder in it.

    Args:
        root: the root of the project.
        cwd: the current folder; ignored if it is not below `root`.
        environment: variables, of which `PATH` is used.
        listing: all files of the project, if they are known.
        seconds: how long lookups may take in all.
    """

    def __init__(
        self,
        root: str,
        cwd: str,
        environment: Mapping[str, str],
        *,
        listing: FileListing | None = None,
        seconds: float = LOOKUP_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._root = root
        self._folders = _folders_between(root, cwd)
        self._path = [folder for folder in environment.get("PATH", "").split(os.pathsep) if os.path.isabs(folder)]
        self._listing = listing
        self._clock = clock
        self._deadline = clock() + seconds
        self._index: bytes | None = None
        self._files_by_names: dict[tuple[str, ...], list[tuple[str, str]]] = {}

    @property
    def path(self) -> Sequence[str]:
        """The absolute folders of `PATH`."""
        return self._path

    @property
    def root(self) -> str:
        return self._root

    @property
    def is_late(self) -> bool:
        return self._clock() > self._deadline

    def look(self, reference: Reference, *, folder: str = "") -> LookupResult:
        """Return whether a name is in this work tree. Paths may also be relative to `folder`, if it is given."""
        if self.is_late:
            return unknown("there was no time to look")
        match reference.kind:
            case ReferenceKind.PATH:
                return self._look_at_path(reference, (*self._folders, folder) if folder else self._folders)
            case ReferenceKind.PROGRAM:
                places = [*self._path, *(os.path.join(self._root, folder) for folder in _PROGRAM_FOLDERS)]
                paths = (os.path.join(place, reference.name) for place in places)
                if not self._path:
                    return unknown("there is no PATH")
                return GREEN if any(map(os.path.lexists, paths)) else red(f"{reference.name} is not on the PATH")
            case ReferenceKind.BRANCH:
                return self._look_at_branch(reference.name)
            case kind:
                return self._look_at_name(reference.name, _MANIFESTS[kind])

    def read(self, path: str) -> str | None:
        """Return the text of a file; None if there is none, it is too large, or a link leads to it."""
        signature = file_signature(path)
        return _read_signed(path, signature) if signature and not self.is_late else None

    def texts(self, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        """Yield the files with these names that can be read: path and text."""
        for path, signature in self.files(names):
            if signature and not self.is_late and (text := _read_signed(path, signature)):
                yield path, text

    # Paths

    def _look_at_path(self, reference: Reference, folders: Sequence[str]) -> LookupResult:
        path = reference.name
        has_folder = os.path.isdir(os.path.join(self._root, path.split("/", maxsplit=1)[0]))
        if any(_is_present(folder, path) for folder in folders):
            return GREEN
        if reference.is_ambiguous and not has_folder:
            return unknown("it may be no path")
        gone = red(f"{path} does not exist", Trace(path.rstrip("/"), is_gone=True))
        return GREEN if self._is_elsewhere(path) else self._doubt_of(path, has_folder) or gone

    def _doubt_of(self, path: str, has_folder: bool) -> LookupResult | None:
        """Return why nobody can say that a path is missing; None if it is."""
        if self._is_ignored(path):
            return unknown("git ignores it")
        if _has_other_case(self._root, path):
            return unknown("it is there in other letters")
        return None if self._listing or self.read_index() or has_folder else unknown("git lists no files")

    def _is_elsewhere(self, path: str) -> bool:
        """Return whether another folder has it. The listing has all files, the index of Git all tracked ones."""
        if self._listing is None:
            return _is_tracked(self.read_index(), path)
        parent, _, name = path.rstrip("/").rpartition("/")
        stem = os.path.splitext(name)[0]
        names = (name, *(stem + extension for extension in _RELATED_EXTENSIONS))
        folders = (folder for each in names for folder in self._listing.folders_by_name.get(each, ()))
        return any(not parent or folder.endswith(os.sep + parent) for folder in folders)

    def read_index(self) -> bytes:
        """Return the index of Git; b"" if it does not list all names in full or if not all files are checked out."""
        if self._index is None:
            own, _ = git_folders(self._root)
            index = read_head(os.path.join(own, "index"), _MAX_INDEX_BYTES)
            is_partial = len(index) == _MAX_INDEX_BYTES or os.path.lexists(os.path.join(own, "info", "sparse-checkout"))
            self._index = b"" if is_partial or index[4:8] not in _FULL_INDEX_VERSIONS else index
        return self._index

    def _is_ignored(self, path: str) -> bool:
        """Return whether a pattern of a .gitignore matches a path, a part of it or a folder above it.

        More counts as ignored than Git would ignore: what may be generated need not exist.
        """
        parts = path.rstrip("/").split("/")
        texts = {*parts, *("/".join(parts[: count + 1]) for count in range(len(parts)))}
        found = [_ignore_patterns(*file) for file in self.files((".gitignore",))]
        if any(not texts.isdisjoint(plain) for plain, _ in found):
            return True
        from fnmatch import fnmatchcase  # few paths are missing

        globs = (glob for _, globs in found for glob in globs)
        return any(fnmatchcase(text, glob) for glob in globs for text in texts if _may_match(glob, text))

    # Names in manifests

    def files(self, names: tuple[str, ...]) -> Sequence[tuple[str, str]]:
        """Return the files with these names, and their signatures: all listed ones, else one of each folder above."""
        if (found := self._files_by_names.get(names)) is not None:
            return found
        if self._listing is not None:
            folders_by_name = self._listing.folders_by_name
            paths = [os.path.join(folder, name) for name in names for folder in folders_by_name.get(name, ())]
            found = [(path, file_signature(path)) for path in paths[:_MAX_MANIFESTS]]
        else:
            found = []
            for folder in self._folders:
                signed = ((path, file_signature(path)) for path in (os.path.join(folder, name) for name in names))
                found += [(path, signature) for path, signature in signed if signature][:1]
        self._files_by_names[names] = found
        return found

    def _look_at_name(self, name: str, kind: _NameKind) -> LookupResult:
        """Return whether one of these files has a name. Unknown if there is none, or if one may get names elsewhere."""
        files = self.files(kind.files)
        if not files:
            return unknown(f"there is no {kind.files[-1]}")
        manifests = [kind.parse(*file) for file in files]
        if any(manifest is not None and name in manifest.names for manifest in manifests):
            return GREEN
        if None in manifests:
            return unknown(f"only {kind.program} knows what it has")
        is_whole = all(manifest is not None and manifest.is_whole for manifest in manifests)
        nested = (b"/" + file.encode() + b"\0" in self.read_index() for file in kind.files)
        if self._listing is None and (not is_whole or any(nested)):
            return unknown("another folder may have it")
        path = min(
            (os.path.relpath(file, self._root) for file, _ in files), key=lambda each: (each.count(os.sep), each)
        )
        trace = Trace(path, kind.pattern.format(literal_pattern(name)), is_gone=True)
        shown = f"no {kind.files[-1]} has the" if len(files) > 1 else f"{path} has no"
        return red(f"{shown} {kind.label} {name}", trace)

    # Branches

    def _look_at_branch(self, name: str) -> LookupResult:
        shared = git_folders(self._root)[1]
        refs = os.path.join(shared, "refs")
        if ".." in name or not os.path.isdir(refs) or os.path.lexists(os.path.join(shared, "reftable")):
            return unknown("git stores branches elsewhere")
        packed = read_head(os.path.join(shared, "packed-refs"), _MAX_INDEX_BYTES)
        for line in packed.decode("utf-8", "replace").split("\n"):
            kind, _, packed_name = line.partition(" refs/")[2].partition("/")
            if name == (packed_name.partition("/")[2] if kind == "remotes" else packed_name):
                return GREEN
        remotes = os.path.join(refs, "remotes")
        try:
            names = [entry.name for entry in os.scandir(remotes)] if os.path.isdir(remotes) else []
        except OSError:
            return unknown("the branches cannot be read")
        places = ["heads", "tags", *(f"remotes/{remote}" for remote in names), "remotes"]
        is_known = any(os.path.lexists(os.path.join(refs, place, name)) for place in places)
        return GREEN if is_known else red(f"there is no branch {name}")


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


def _has_other_case(root: str, path: str) -> bool:
    """Return whether a folder has the file of a path under a name with other capitals."""
    parent, _, name = path.rstrip("/").rpartition("/")
    try:
        return any(entry.casefold() == name.casefold() for entry in os.listdir(os.path.join(root, parent)))
    except (OSError, ValueError):
        return False


def _is_tracked(index: bytes, path: str) -> bool:
    """Return whether the index of Git has a path, or one that ends with it."""
    if path.endswith("/"):
        return b"/" + path.encode() in index
    stem, extension = os.path.splitext(path)
    names = [path, *(stem + other for other in _RELATED_EXTENSIONS if extension in _RELATED_EXTENSIONS)]
    return any(b"/" + name.encode() + b"\0" in index for name in names)


@lru_cache(maxsize=_MAX_CACHED_TEXTS)
def _read_signed(path: str, _signature: str) -> str | None:
    file = read_foreign(path)
    return file.data.decode("utf-8", "replace") if file else None


def _read_text(path: str) -> str | None:
    file = read_foreign(path)
    return file.data.decode("utf-8", "replace") if file and len(file.data) <= _MAX_FILE_BYTES else None


@lru_cache(maxsize=_MAX_MANIFESTS)
def _ignore_patterns(path: str, _signature: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the patterns of a .gitignore: those without and those with special characters."""
    lines = (_read_text(path) or "").splitlines()[:_MAX_IGNORE_LINES]
    patterns = (line.strip().strip("/") for line in lines if not line.startswith(("#", "!")))
    every = tuple(pattern for pattern in patterns if pattern and pattern not in ("*", "**"))
    globs = tuple(pattern for pattern in every if any(char in pattern for char in "*?["))
    return frozenset(every).difference(globs), globs


def _may_match(glob: str, text: str) -> bool:
    """Return whether the letters before and behind the special characters of a pattern are those of a text.

    To compile the pattern takes longer.
    """
    first = min(at for at in (glob.find(char) for char in "*?[") if at >= 0)
    return text.startswith(glob[:first]) and (glob[-1] in "*?]" or text[-1:] == glob[-1])


class _Manifest(Record):
    """The names that a file defines. If not `is_whole`, other files of the project may define more."""

    names: frozenset[str]
    is_whole: bool = True


def _script_names(path: str, signature: str) -> _Manifest | None:
    """Return the scripts of a package, and what else its package manager runs; None if it is unreadable."""
    package = _parse_package(path, signature)
    folder = os.path.dirname(path)
    if package is not None and os.path.lexists(os.path.join(folder, "server.js")):
        package = package._replace(names=package.names | {"start"})
    if package is not None and os.path.lexists(os.path.join(folder, "pnpm-workspace.yaml")):
        package = package._replace(is_whole=False)
    return package


@lru_cache(maxsize=_MAX_MANIFESTS)
def _parse_package(path: str, _signature: str) -> _Manifest | None:
    import json

    try:
        package = json.loads(_read_text(path) or "")
        scripts = package.get("scripts", {})
        programs = {name for key in ("dependencies", "devDependencies") for name in package.get(key, {})}
    except (AttributeError, TypeError, ValueError, RecursionError):
        return None
    if not isinstance(scripts, dict):
        return None
    return _Manifest(frozenset((*map(str, scripts), *programs, "env")), is_whole="workspaces" not in package)


@lru_cache(maxsize=_MAX_MANIFESTS)
def _make_targets(path: str, _signature: str) -> _Manifest | None:
    """Return the targets of a makefile; None if only make can tell them: by an include, a pattern or a function."""
    text = _read_text(path)
    if text is None or any(function in text for function in ("$(eval", "$(foreach", "$(call")):
        return None
    targets: set[str] = set()
    for line in text.replace("\\\n", " ").split("\n"):
        if line.lstrip().startswith(("include", "-include", "sinclude")):
            return None
        head, colon, rest = line.partition(":")
        if not colon or line[0] in "\t# " or rest.startswith("=") or "=" in head or "#" in head:
            continue
        if "%" in head or "$" in head or head.strip() == ".DEFAULT":
            return None
        targets.update(head.split())
    return _Manifest(frozenset(targets))


@lru_cache(maxsize=_MAX_MANIFESTS)
def _just_recipes(path: str, _signature: str) -> _Manifest | None:
    """Return the recipes and aliases of a justfile; None if it may have others, by an import or a module."""
    text = _read_text(path)
    if text is None:
        return None
    recipes: set[str] = set()
    for line in text.split("\n"):
        words = line.replace(":", " ", 1).split(None, 2)
        if line[:1] in ("", " ", "\t", "#", "[") or not words:
            continue
        if words[0].rstrip("?") in ("import", "mod"):
            return None
        recipes.add(words[1] if words[0] == "alias" and len(words) > 1 else words[0].lstrip("@"))
    return _Manifest(frozenset(recipes))


class _NameKind(Record):
    """Files that define names of a kind, how they are read, and the line of one as a regular expression."""

    files: tuple[str, ...]
    parse: Callable[[str, str], _Manifest | None]
    program: str
    label: str
    pattern: str


_MANIFESTS = {
    ReferenceKind.SCRIPT: _NameKind(("package.json",), _script_names, "the package manager", "script", '"{}"[ ]*:'),
    ReferenceKind.MAKE_TARGET: _NameKind(
        ("GNUmakefile", "makefile", "Makefile"), _make_targets, "make", "target", "^([^:=#]* )?{}( [^:=]*)?:"
    ),
    ReferenceKind.JUST_RECIPE: _NameKind(
        ("justfile", ".justfile", "Justfile"), _just_recipes, "just", "recipe", "^(@|alias )?{}( |:)"
    ),
}
