"""A git repository as a remote: a branch for each file of a machine, with one commit that has no parent.

Branches are replaced, never merged, so there is no conflict, and no history keeps what was purged. (A server may keep
replaced objects until it collects garbage.) Git works in a bare repository of the home. It runs without hooks, asks
nothing on the terminal, and only uses protocols that run no program of the address.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TypeVar

from tacit.disk.files import make_folder
from tacit.errors import RefusedError, RemoteError, UsageError
from tacit.remotes.manifests import MANIFEST_FILE
from tacit.text.display import one_line, printable

T = TypeVar("T")

_TIMEOUT_SECONDS = 600
_MAX_FILE_BYTES = 64 << 20
_MAX_MESSAGE_CHARS = 300
_SCHEMES = ("ssh://", "https://", "file://")
_SCP_ADDRESS = re.compile(r"(?:[\w.-]+@)?[\w.-]+:[^:].*")
_PASSWORD = re.compile(r"[a-z+]+://[^/@:]*:[^/@]*@")
_REF_PREFIX = "refs/tacit/"
_FETCH_OPTIONS = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance")
_BRANCH = re.compile(r"[0-9a-f]{32}/[0-9a-z]{1,32}\.age")
_FILE = "data"  # the name of the file in a branch
_SSH_FAILED = "fatal: Could not read from remote repository"
_BATCH = 200  # branches that one command names
# What a person's configuration may not change: hooks, programs as transports, signatures, garbage collection.
_CONFIG = (
    ("core.hooksPath", os.devnull),
    ("core.fsmonitor", "false"),
    ("protocol.allow", "never"),
    ("protocol.file.allow", "always"),
    ("protocol.ssh.allow", "always"),
    ("protocol.https.allow", "always"),
    ("commit.gpgSign", "false"),
    ("push.gpgSign", "false"),
    ("fetch.fsckObjects", "true"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
)
# A repository on this disk, perhaps on somebody's stick, is served by a process of ours: its hooks must not run either.
_LOCAL_RECEIVE = f"git -c core.hooksPath={os.devnull} -c core.fsmonitor=false receive-pack"
# Nothing asks on the terminal, and who commits is the same everywhere: a remote learns no name and no time zone.
_VARIABLES = {
    **{f"GIT_{role}_{field}": "tacit" for role in ("AUTHOR", "COMMITTER") for field in ("NAME", "EMAIL")},
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "LC_ALL": "C",
    "TZ": "UTC",
}


def is_git_address(url: str) -> bool:
    """Return whether an address is that of a git repository: a URL, `host:path`, or a repository on this disk.

    One that lacks a part is damaged, and no folder for files.
    """
    if "://" in url or url.startswith("-") or "::" in url:
        return True  # `check_address` refuses what would run a program
    path = os.path.expanduser(url)
    if os.path.isdir(path):
        return sum(os.path.exists(os.path.join(path, name)) for name in ("HEAD", "objects", "refs")) > 1
    return bool(_SCP_ADDRESS.fullmatch(url)) and not url.startswith(("/", ".", "~"))


def is_local(url: str) -> bool:
    return "://" not in url and os.path.isdir(os.path.expanduser(url))


def check_address(url: str) -> None:
    """Raise UsageError for an address that would run a program or is none, RefusedError for one with a password."""
    if url.startswith("-") or "::" in url or ("://" in url and not url.startswith(_SCHEMES)):
        raise UsageError(
            f"{printable(url)} is no address that Tacit uses",
            "a folder, git@HOST:PATH, ssh://…, https://… or postgresql://…",
        )
    if _PASSWORD.match(url):
        raise RefusedError(
            "an address with a password would be stored and shown: write it without",
            "let git keep it: git config --global credential.helper store, or use ssh",
        )


class GitTransport:
    """Branches of a git repository, `AREA/FILE`. What was fetched stays in a bare repository of the home.

    A branch has one commit without a parent, with one file. Git sends branches, not files: if a branch had all files of
    a machine, every push and every fetch would send all of them.
    """

    is_at_hand: bool = False

    def __init__(self, url: str, mirror: str) -> None:
        self._url = url
        self._mirror = mirror
        self._sizes: dict[str, int] | None = None
        self._is_sound = False  # it was checked because something failed
        self.notes: Sequence[str] = ()

    def fetch(self) -> None:
        self._mended(self._fetch)

    def files(self) -> Mapping[str, int]:
        return self._mended(self._file_sizes)

    def read(self, path: str) -> bytes | None:
        return self._mended(lambda: self._read(path))

    def publish(self, area: str, files: Mapping[str, bytes], keep: Collection[str]) -> None:
        self._mended(lambda: self._publish(area, files, keep))

    def remove(self, area: str) -> None:
        self._push({path: "" for path in self._known_heads() if path.startswith(f"{area}/")})

    def forget_replaced(self) -> None:
        """Remove objects that no branch has any more: with the keys beside them they could be read.

        A sync that was killed may have left this command running. Two of them do each other no harm.
        """
        self._mended(lambda: self._run("gc", "--quiet", "--prune=now", "--force"))

    def close(self) -> None:
        """Do nothing: no process outlives its call."""

    def _mended(self, work: Callable[[], T]) -> T:
        """Do some work. If it fails because the mirror is damaged, fetch all anew and do it again."""
        try:
            return work()
        except RemoteError:
            if not self._is_damaged():
                raise
        shutil.rmtree(self._mirror, ignore_errors=True)
        self.notes = (*self.notes, "the copy of the branches in this home was damaged; they were fetched anew")
        self._fetch()
        return work()

    def _is_damaged(self) -> bool:
        """Ask git about the mirror, once: what fails then has another reason."""
        if self._is_sound or not os.path.isdir(self._mirror):
            return False
        self._is_sound = not self._git("fsck", "--no-dangling", "--no-reflogs", "--no-progress").returncode
        return not self._is_sound

    def _fetch(self) -> None:
        self._make_mirror()
        # Locks that a git left behind which was killed. One sync at a time uses the mirror.
        folders = [(self._mirror, [], os.listdir(self._mirror)), *os.walk(os.path.join(self._mirror, "refs"))]
        for lock in (os.path.join(folder, name) for folder, _, names in folders for name in names):
            if lock.endswith(".lock"):
                with suppress(FileNotFoundError):
                    os.unlink(lock)
        heads = _parse_heads(self._run("ls-remote", "--quiet", "--heads", "--", self._url), "refs/heads/")
        known = self._known_heads()
        changed = [path for path, commit in heads.items() if known.get(path) != commit]
        for batch in _batches(changed):
            refs = [f"+refs/heads/{path}:{_REF_PREFIX}{path}" for path in batch]
            self._run("fetch", *_FETCH_OPTIONS, "--", self._url, *refs)
        self._update_refs(f"delete {_REF_PREFIX}{path}" for path in known.keys() - heads.keys())

    def _file_sizes(self) -> Mapping[str, int]:
        if self._sizes is None:
            names = sorted(self._known_heads())
            data = "".join(f"{_REF_PREFIX}{name}:{_FILE}\n" for name in names).encode()
            rows = self._run("cat-file", "--batch-check=%(objecttype) %(objectsize)", data=data).decode().splitlines()
            if not all(row.startswith("blob ") for row in rows) and self._is_damaged():
                raise RemoteError(f"{self._mirror} is damaged", "tacit sync")
            sizes = (row.removeprefix("blob ") for row in rows)
            self._sizes = {name: int(size) for name, size in zip(names, sizes, strict=True) if size.isdigit()}
        return self._sizes

    def _read(self, path: str) -> bytes | None:
        if self._file_sizes().get(path, _MAX_FILE_BYTES + 1) > _MAX_FILE_BYTES:
            return None
        return self._run("cat-file", "blob", f"{_REF_PREFIX}{path}:{_FILE}")

    def _publish(self, area: str, files: Mapping[str, bytes], keep: Collection[str]) -> None:
        self._make_mirror()
        commits: dict[str, str] = {}
        for name, data in files.items():
            blob = self._run("hash-object", "-w", "--stdin", data=data).decode().strip()
            tree = self._run("mktree", "-z", data=f"100644 blob {blob}\t{_FILE}\0".encode()).decode().strip()
            commits[f"{area}/{name}"] = self._run("commit-tree", tree, "-m", "-").decode().strip()
        manifest = f"{area}/{MANIFEST_FILE}"
        self._push({path: commit for path, commit in commits.items() if path != manifest})
        self._push({manifest: commits[manifest]})
        kept = {*commits, *(f"{area}/{name}" for name in keep)}
        self._push({path: "" for path in self._known_heads() if path.startswith(f"{area}/") and path not in kept})

    def _push(self, commits: Mapping[str, str]) -> None:
        """Replace branches, or remove those without a commit, unless somebody else changed one since it was fetched."""
        known = self._known_heads()
        for batch in _batches([path for path, commit in commits.items() if known.get(path, "") != commit]):
            options = ["--quiet", "--no-verify", "--no-signed"]
            options += [f"--force-with-lease=refs/heads/{path}:{known.get(path, '')}" for path in batch]
            if is_local(self._url) or self._url.startswith("file://"):
                options.append(f"--receive-pack={_LOCAL_RECEIVE}")
            self._run("push", *options, "--", self._url, *(f"{commits[path]}:refs/heads/{path}" for path in batch))
            self._update_refs(
                f"update {_REF_PREFIX}{path} {commits[path]}" if commits[path] else f"delete {_REF_PREFIX}{path}"
                for path in batch
            )

    def _update_refs(self, commands: Iterable[str]) -> None:
        self._sizes = None
        if data := "".join(f"{command}\n" for command in commands):
            self._run("update-ref", "--stdin", data=data.encode())

    def _known_heads(self) -> dict[str, str]:
        return _parse_heads(self._run("for-each-ref", "--format=%(objectname) %(refname)", _REF_PREFIX), _REF_PREFIX)

    def _make_mirror(self) -> None:
        if not os.path.isdir(os.path.join(self._mirror, "objects")):
            folder = os.path.dirname(self._mirror)
            make_folder(folder, below=os.path.dirname(os.path.dirname(folder)))
            make_folder(self._mirror, below=folder)
            self._run("init", "--quiet", "--bare", "--template=")

    def _run(self, *arguments: str, data: bytes = b"") -> bytes:
        done = self._git(*arguments, data=data)
        if done.returncode:
            raise _git_error(_shown(self._url), done.stderr)
        return done.stdout

    def _git(self, *arguments: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        config = [word for name, value in _CONFIG for word in ("-c", f"{name}={value}")]
        command = ["git", f"--git-dir={self._mirror}", *config, *arguments]
        try:
            return subprocess.run(
                command,
                input=data,
                capture_output=True,
                env=_environment(),
                cwd=self._mirror,
                umask=0o077,
                timeout=_TIMEOUT_SECONDS,
                check=False,
            )
        except FileNotFoundError:
            raise RemoteError("git is not installed", "install git, or use a folder as remote") from None
        except subprocess.TimeoutExpired:
            minutes = _TIMEOUT_SECONDS // 60
            raise RemoteError(f"{_shown(self._url)} did not answer within {minutes} minutes", "tacit sync") from None


def _shown(text: str) -> str:
    """Return a text as it may be shown. A server may say anything, so it is cut and made printable."""
    return printable(one_line(text, _MAX_MESSAGE_CHARS))


def _git_error(url: str, output: bytes) -> RemoteError:
    """Return an error with git's last words."""
    lines = [line for line in output.decode("utf-8", "replace").splitlines() if line.strip()]
    if any("stale info" in line or "fetch first" in line for line in lines):
        return RemoteError(f"another process wrote to {url} at the same moment", "tacit sync")
    if any("[remote rejected]" in line for line in lines):
        reasons = [line.removeprefix("remote:") for line in lines if line.startswith("remote:")]
        return RemoteError(
            f"{url}: the server refused it: {_shown((reasons or lines)[0].strip())}",
            "let all branches there be replaced and removed (denyNonFastForwards, denyDeletes, protected ones), then: "
            "tacit sync",
        )
    fatal = [line for line in lines if line.startswith(("fatal:", "error:"))] or lines or ["git failed"]
    reason = fatal[0]
    if reason.startswith(_SSH_FAILED) and (place := lines.index(reason)):
        reason = lines[place - 1]  # ssh has said why
    return RemoteError(f"{url}: {_shown(reason)}", f"in a terminal, where it can ask you: git ls-remote {url}")


def _parse_heads(rows: bytes, prefix: str) -> dict[str, str]:
    """Return commits by `AREA/FILE`. Branches with other names are not ours."""
    heads: dict[str, str] = {}
    for row in rows.decode("utf-8", "replace").splitlines():
        commit, _, ref = row.replace("\t", " ").partition(" ")
        path = ref.removeprefix(prefix)
        if ref.startswith(prefix) and _BRANCH.fullmatch(path):
            heads[path] = commit
    return heads


def _batches(paths: list[str]) -> Iterator[list[str]]:
    return (paths[start : start + _BATCH] for start in range(0, len(paths), _BATCH))


def _environment() -> dict[str, str]:
    """Return the variables for git: the person's own, without those that redirect it, and nothing that asks."""
    kept = {name: os.environ[name] for name in os.environ if not name.startswith("GIT_") or name == "GIT_SSH_COMMAND"}
    with suppress(OSError):
        if not os.isatty(0):
            kept.setdefault("GIT_SSH_COMMAND", "ssh -oBatchMode=yes")
    return {**kept, **_VARIABLES}
