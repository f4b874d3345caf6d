"""The project that a folder or a session belongs to. Only files are read; nothing of the repository or git is run."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from tacit.disk.read import read_head
from tacit.model.claim import GLOBAL, Scope, project_scope
from tacit.record import Record
from tacit.text.display import clean

FACT_FILE = os.path.join("docs", "memory", "memories.ndjson")
_REPOSITORY_MARKERS = (".git", ".jj", ".hg")
_ORIGIN_SECTION = r'\[remote "origin"\](?P<body>[^\[]*)'
# Blanks of one line only: with `\s`, a file of empty lines would take quadratic time.
_URL_LINE = r"^[ \t]*url[ \t]*=[ \t]*(\S+)[ \t\r]*$"
_SCP_URL = r"(?:[^@/\s]+@)?(?P<host>[^:/\s]+):(?!//)(?P<path>\S+)"
# Where people and agents put work trees inside their repository.
_INNER_WORK_TREE = re.compile(r"(/.{1,4000}?)/(?:\.worktrees|\.(?:claude|cursor|codex)/worktrees)/[^/]+(?:/|$)")
_MAX_CONFIG_BYTES = 64 * 1024
_MAX_REF_BYTES = 4 << 20


class Project(Record):
    """A repository: its root folder and its names, the best first."""

    root: str
    names: tuple[str, ...]

    @property
    def facts(self) -> str:
        return os.path.join(self.root, FACT_FILE)

    def scope(self, is_used: Callable[[Scope], bool]) -> Scope:
        """Return the first scope of its names that is used already, else that of the best name."""
        scopes = [project_scope(name) for name in self.names]
        return next((scope for scope in scopes if is_used(scope)), scopes[0])


def find_project(start: str, home_folder: str) -> Project | None:
    """Return the project of a folder; None if there is none.

    The search goes up and ends at the person's home folder, at another file system or at another owner.
    """
    try:
        folder, stop = os.path.realpath(start), os.path.realpath(home_folder)
        start_status = os.stat(folder)
    except (OSError, ValueError):  # a name with a NUL in it is a ValueError
        return None
    while folder != stop:
        status = os.stat(folder)
        if (status.st_dev, status.st_uid) != (start_status.st_dev, start_status.st_uid):
            return None
        if project := project_at(folder):
            return project
        if folder == os.path.dirname(folder):
            return None
        folder = os.path.dirname(folder)
    return None


def project_at(folder: str) -> Project | None:
    """Return the project whose root is this folder; None if it is none."""
    if any(os.path.lexists(os.path.join(folder, marker)) for marker in _REPOSITORY_MARKERS):
        return Project(folder, tuple(_project_names(folder)))
    return None


def folder_scope(folder: str, home_folder: str) -> Scope:
    """Return the scope of a folder that is no project: global in the person's own folder."""
    return GLOBAL if os.path.realpath(folder) == os.path.realpath(home_folder) else project_scope(clean(folder))


def _project_names(root: str) -> list[str]:
    """Return the name of the remote, if any (it is the same on every machine), and the path of the main work tree.

    Work trees of a bare repository have no main one; its folder is theirs.
    """
    own, shared = git_folders(root)
    main = main_work_tree(root)
    bare = shared if main == root and own != shared else ""
    section = re.search(_ORIGIN_SECTION, _read_text(os.path.join(shared, "config")))
    url = re.search(_URL_LINE, section["body"], re.MULTILINE) if section else None
    remote = remote_name(url[1]) if url else ""
    return [clean(name) for name in (remote, bare, main) if name]  # the name of a folder may be no text


def main_work_tree(root: str) -> str:
    """Return the root of the work tree that a further one belongs to; the root itself if it is the main one."""
    git_folder = git_folders(root)[1]
    return os.path.dirname(git_folder) if os.path.basename(git_folder) == ".git" else root


def is_git_repository(root: str) -> bool:
    """Return whether git has a repository at `root`. An empty folder named `.git` is none."""
    return os.path.exists(os.path.join(git_folders(root)[0], "HEAD"))


def git_folders(root: str) -> tuple[str, str]:
    """Return the `.git` folder of a work tree, and the one that all work trees of its repository share."""
    marker = os.path.join(root, ".git")
    if os.path.isdir(marker):
        return marker, marker
    pointer = _read_text(marker)
    if not pointer.startswith("gitdir:"):
        return marker, marker
    own = os.path.normpath(os.path.join(root, pointer[7:].strip()))
    common = _read_text(os.path.join(own, "commondir")).strip()
    return own, os.path.normpath(os.path.join(own, common)) if common else own


def head_commit(root: str) -> str:
    """Return the commit that HEAD is at, read from files; "" if there is none or git stores references otherwise."""
    own, common = git_folders(root)
    head = _read_text(os.path.join(own, "HEAD")).strip()
    if not head.startswith("ref: "):
        return head
    name = head.removeprefix("ref: ")
    if ".." in name or not name.startswith("refs/"):
        return ""
    if commit := _read_text(os.path.join(common, name)).strip():
        return commit
    packed = (
        line.split(" ", 1) for line in _read_text(os.path.join(common, "packed-refs"), _MAX_REF_BYTES).splitlines()
    )
    return next((row[0] for row in packed if row[1:] == [name]), "")


def current_branch(root: str) -> str:
    """Return the branch that a work tree is on, read from a file; "" if it is on none."""
    head = _read_text(os.path.join(git_folders(root)[0], "HEAD")).strip()
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref: refs/heads/") else ""


def remote_name(url: str) -> str:
    """Return `host/path` of a URL, without user, password, scheme and `.git`."""
    if scp := re.fullmatch(_SCP_URL, url):
        url = f"{scp['host']}/{scp['path']}"
    elif "://" in url:
        # An `@` at the beginning of a folder's name is no end of a user name: https://example.org/@me/work
        url = re.sub(r"^.*[^/]@", "", url.split("://", 1)[1])
    return url.rstrip("/").removesuffix(".git").lower()


def _read_text(path: str, max_bytes: int = _MAX_CONFIG_BYTES) -> str:
    return read_head(path, max_bytes).decode("utf-8", "replace")


def directory_scope(directory: str, remote: str, user_folder: str, is_used: Callable[[Scope], bool]) -> Scope:
    """Return the scope of a session that ran in `directory`.

    It is that of the nearest parent folder that still exists (work trees come and go), else that of the repository that
    the transcript names (`remote`), else that of the directory itself. Of a work tree inside its repository the
    repository counts, also where neither exists: the session may be of another machine.
    """
    if not directory:
        return project_scope(clean(remote_name(remote))) if remote else GLOBAL
    nearest = directory
    while nearest != os.path.dirname(nearest) and not os.path.isdir(nearest):
        nearest = os.path.dirname(nearest)
    if project := find_project(nearest, user_folder):
        return project.scope(is_used)
    if remote and (name := remote_name(remote)):
        return project_scope(clean(name))
    work_tree = _INNER_WORK_TREE.match(directory) if not os.path.isdir(directory) else None
    return folder_scope(work_tree[1] if work_tree else directory, user_folder)
