"""Which project a folder or a session belongs to. Only files are read; git is never run."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from tacit.disk.read import read_head
from tacit.model.claim import GLOBAL, Scope, project_scope
from tacit.record import Record
from tacit.text.display import clean

# Which project one stands in: found by reading files, never by running git or anything of the repository.

FACT_FILE = os.path.join("docs", "memory", "memories.ndjson")
_REPOSITORY_MARKERS = (".git", ".jj", ".hg")
_ORIGIN_SECTION = r'\[remote "origin"\](?P<body>[^\[]*)'
# Blanks of one line only: with those of all lines, a file of empty lines would be read for ever.
_URL_LINE = r"^[ \t]*url[ \t]*=[ \t]*(\S+)[ \t\r]*$"
_SCP_URL = r"(?:[^@/\s]+@)?(?P<host>[^:/\s]+):(?!//)(?P<path>\S+)"
_MAX_CONFIG_BYTES = 64 * 1024


class Project(Record):
    """A repository: where it lies, and the names it is known by, the best first."""

    root: str
    names: tuple[str, ...]

    @property
    def facts(self) -> str:
        return os.path.join(self.root, FACT_FILE)

    def scope(self, is_used: Callable[[Scope], bool]) -> Scope:
        """The scope its memories are under already, else the best of its names."""
        scopes = [project_scope(name) for name in self.names]
        return next((scope for scope in scopes if is_used(scope)), scopes[0])


def find_project(start: str, home_folder: str) -> Project | None:
    """Walk up to the repository's root; stop at the person's home, another file system or another owner."""
    try:
        folder, stop = os.path.realpath(start), os.path.realpath(home_folder)
        first = os.stat(folder)
    except (OSError, ValueError):  # a name with a NUL in it is a ValueError
        return None
    while folder != stop:
        here = os.stat(folder)
        if (here.st_dev, here.st_uid) != (first.st_dev, first.st_uid):
            return None
        if any(os.path.lexists(os.path.join(folder, marker)) for marker in _REPOSITORY_MARKERS):
            return Project(folder, tuple(_project_names(folder)))
        if folder == os.path.dirname(folder):
            return None
        folder = os.path.dirname(folder)
    return None


def folder_scope(folder: str, home_folder: str) -> Scope:
    """That of a folder which is no project; in the person's own folder everything is global."""
    return GLOBAL if os.path.realpath(folder) == os.path.realpath(home_folder) else project_scope(clean(folder))


def _project_names(root: str) -> list[str]:
    """The remote's address if there is one (the same on every machine), then the path of the main work tree."""
    shared = _shared_git_folder(root)
    main = os.path.dirname(shared) if os.path.basename(shared) == ".git" else root
    remote = _origin_name(_read_text(os.path.join(shared, "config")))
    return [clean(name) for name in (remote, main) if name]  # a folder may have a name that is no text


def _shared_git_folder(root: str) -> str:
    """The `.git` folder that all work trees of a repository share."""
    marker = os.path.join(root, ".git")
    if os.path.isdir(marker):
        return marker
    pointer = _read_text(marker)
    if not pointer.startswith("gitdir:"):
        return marker
    own = os.path.normpath(os.path.join(root, pointer[7:].strip()))
    common = _read_text(os.path.join(own, "commondir")).strip()
    return os.path.normpath(os.path.join(own, common)) if common else own


def _origin_name(config: str) -> str:
    """The name of origin."""
    section = re.search(_ORIGIN_SECTION, config)
    found = re.search(_URL_LINE, section["body"], re.MULTILINE) if section else None
    return remote_name(found[1]) if found else ""


def remote_name(url: str) -> str:
    """`host/path` of an address, without user, password, scheme and `.git`."""
    if scp := re.fullmatch(_SCP_URL, url):
        url = f"{scp['host']}/{scp['path']}"
    elif "://" in url:
        url = url.split("://", 1)[1].rsplit("@", 1)[-1]
    return url.rstrip("/").removesuffix(".git").lower()


def _read_text(path: str) -> str:
    return read_head(path, _MAX_CONFIG_BYTES).decode("utf-8", "replace")


# Which project a session is of, by where its agent stood.


def directory_scope(directory: str, remote: str, user_folder: str, is_used: Callable[[Scope], bool]) -> Scope:
    """The project of a directory: that of the nearest folder above it that is still there (work trees come and go),
    else the repository that the transcript names, else the directory itself."""
    if not directory:
        return project_scope(clean(remote_name(remote))) if remote else GLOBAL
    nearest = directory
    while nearest != os.path.dirname(nearest) and not os.path.isdir(nearest):
        nearest = os.path.dirname(nearest)
    if project := find_project(nearest, user_folder):
        return project.scope(is_used)
    if remote and (name := remote_name(remote)):
        return project_scope(clean(name))
    return folder_scope(directory, user_folder)
