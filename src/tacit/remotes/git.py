"""A git repository as a remote: a branch for each machine, with one commit that has no parent.

Branches are replaced, never merged, so there is no conflict, and no history keeps what was purged. (A server may keep
replaced objects until it collects garbage.) Git works in a bare repository of the home. It runs without hooks, asks
nothing on the terminal, and only uses protocols that run no program of the address.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Collection, Mapping
from contextlib import suppress

from tacit.disk.files import make_folder
from tacit.errors import RefusedError, UsageError
from tacit.record import Record
from tacit.remotes.manifest import AREA_NAME
from tacit.remotes.transport import RemoteError
from tacit.text.display import one_line, printable

_TIMEOUT_SECONDS = 600
_MAX_FILE_BYTES = 64 << 20
_MAX_MESSAGE_CHARS = 300
_SCHEMES = ("ssh://", "https://", "file://")
_SCP_ADDRESS = re.compile(r"(?:[\w.-]+@)?[\w.-]+:[^:].*")
_PASSWORD = re.compile(r"[a-z+]+://[^/@:]*:[^/@]*@")
_REF_PREFIX = "refs/tacit/"
_FETCH_OPTIONS = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance")
_NO_COMMIT = "0" * 40
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
# Who commits is the same everywhere: a remote learns no name, no address and no time zone.
_IDENTITY = {
    f"GIT_{role}_{field}": value
    for role in ("AUTHOR", "COMMITTER")
    for field, value in (("NAME", "tacit"), ("EMAIL", "tacit"))
}


def is_git_address(url: str) -> bool:
    """Return whether an address is that of a git repository: a URL, `host:path`, or a repository on this disk."""
    if url.startswith("-") or "::" in url:
        return True  # to be refused by `check_address`
    if "://" in url:
        return True
    path = os.path.expanduser(url)
    if os.path.isdir(path):
        return all(os.path.exists(os.path.join(path, name)) for name in ("HEAD", "objects", "refs"))
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


class _Blob(Record):
    """A file of a branch: its object id and size."""

    oid: str
    size: int


class GitTransport:
    """Branches of a git repository. What was fetched stays in a bare repository of the home, so that later fetches
    bring only what is new."""

    def __init__(self, url: str, mirror: str) -> None:
        self._url = url
        self._mirror = mirror
        self._blobs: dict[str, _Blob] | None = None

    def fetch(self) -> None:
        self._make_mirror()
        heads = self._remote_heads()
        known = self._known_heads()
        changed = [area for area, commit in heads.items() if known.get(area) != commit]
        if changed:
            refs = [f"+refs/heads/{area}:{_REF_PREFIX}{area}" for area in changed]
            self._run("fetch", *_FETCH_OPTIONS, "--", self._url, *refs)
        for area in known.keys() - heads.keys():
            self._run("update-ref", "-d", f"{_REF_PREFIX}{area}")
        self._blobs = None

    def files(self) -> Mapping[str, int]:
        return {path: blob.size for path, blob in self._list().items()}

    def read(self, path: str) -> bytes | None:
        blob = self._list().get(path)
        if blob is None or blob.size > _MAX_FILE_BYTES:
            return None
        return self._run("cat-file", "blob", blob.oid)

    def publish(self, area: str, files: Mapping[str, bytes], keep: Collection[str]) -> None:
        self._make_mirror()
        blobs = self._list()
        entries = {name: blobs[f"{area}/{name}"].oid for name in keep if f"{area}/{name}" in blobs}
        for name, data in files.items():
            entries[name] = self._run("hash-object", "-w", "--stdin", data=data).decode().strip()
        rows = "".join(f"100644 blob {oid}\t{name}\0" for name, oid in sorted(entries.items()))
        tree = self._run("mktree", "-z", data=rows.encode()).decode().strip()
        commit = self._run("commit-tree", tree, "-m", "-").decode().strip()
        self._push(area, commit)
        self._run("update-ref", f"{_REF_PREFIX}{area}", commit)
        self._blobs = None

    def remove(self, area: str) -> None:
        if area in self._known_heads():
            self._push(area, "")
            self._run("update-ref", "-d", f"{_REF_PREFIX}{area}")
            self._blobs = None

    def forget_replaced(self) -> None:
        """Remove objects that no branch has any more: with the keys beside them they could be read."""
        self._run("gc", "--quiet", "--prune=now")

    def close(self) -> None:
        """Do nothing: no process outlives its call."""

    def _push(self, area: str, commit: str) -> None:
        """Replace a branch, unless somebody else replaced it since it was fetched."""
        ref, expected = f"refs/heads/{area}", self._known_heads().get(area, "")
        options = ["--quiet", "--no-verify", "--no-signed", f"--force-with-lease={ref}:{expected}"]
        if is_local(self._url) or self._url.startswith("file://"):
            options.append(f"--receive-pack={_LOCAL_RECEIVE}")
        self._run("push", *options, "--", self._url, f"{commit}:{ref}")

    def _list(self) -> dict[str, _Blob]:
        if self._blobs is None:
            self._blobs = {}
            for area in self._known_heads():
                rows = self._run("ls-tree", "-l", "-z", f"{_REF_PREFIX}{area}").decode("utf-8", "replace")
                for row in rows.split("\0"):
                    head, _, name = row.partition("\t")
                    fields = head.split()
                    if len(fields) == 4 and fields[1] == "blob" and fields[3].isdigit():
                        self._blobs[f"{area}/{name}"] = _Blob(fields[2], int(fields[3]))
        return self._blobs

    def _known_heads(self) -> dict[str, str]:
        rows = self._run("for-each-ref", "--format=%(objectname) %(refname)", _REF_PREFIX)
        return _parse_heads(rows, _REF_PREFIX)

    def _remote_heads(self) -> dict[str, str]:
        return _parse_heads(self._run("ls-remote", "--quiet", "--heads", "--", self._url), "refs/heads/")

    def _make_mirror(self) -> None:
        if not os.path.isdir(os.path.join(self._mirror, "objects")):
            folder = os.path.dirname(self._mirror)
            make_folder(folder, below=os.path.dirname(os.path.dirname(folder)))
            make_folder(self._mirror, below=folder)
            self._run("init", "--quiet", "--bare", "--template=")

    def _run(self, *arguments: str, data: bytes = b"") -> bytes:
        config = [word for name, value in _CONFIG for word in ("-c", f"{name}={value}")]
        command = ["git", f"--git-dir={self._mirror}", *config, *arguments]
        try:
            done = subprocess.run(
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
            raise RemoteError(
                f"{self._shown_url} did not answer within {_TIMEOUT_SECONDS // 60} minutes", "tacit sync"
            ) from None
        if done.returncode:
            raise self._git_error(done.stderr)
        return done.stdout

    @property
    def _shown_url(self) -> str:
        return printable(one_line(self._url, _MAX_MESSAGE_CHARS))

    def _git_error(self, output: bytes) -> RemoteError:
        """Return an error with git's last words. A server may say anything, so these are cut and made printable."""
        lines = [line for line in output.decode("utf-8", "replace").splitlines() if line.strip()]
        if any("stale info" in line or "fetch first" in line for line in lines):
            return RemoteError(f"another process wrote to {self._shown_url} at the same moment", "tacit sync")
        fatal = [line for line in lines if line.startswith(("fatal:", "error:"))] or lines or ["git failed"]
        message = printable(one_line(fatal[0], _MAX_MESSAGE_CHARS))
        return RemoteError(f"{self._shown_url}: {message}", f"try: git ls-remote {self._shown_url}")


def _parse_heads(rows: bytes, prefix: str) -> dict[str, str]:
    """Return commits by area. Branches with other names are not ours."""
    heads: dict[str, str] = {}
    for row in rows.decode("utf-8", "replace").splitlines():
        commit, _, ref = row.replace("\t", " ").partition(" ")
        area = ref.removeprefix(prefix)
        if ref.startswith(prefix) and AREA_NAME.fullmatch(area) and commit != _NO_COMMIT:
            heads[area] = commit
    return heads


def _environment() -> dict[str, str]:
    """Return the variables for git: the person's own, without those that redirect it, and nothing that asks."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    env = {**kept, **{name: os.environ[name] for name in ("GIT_SSH_COMMAND",) if name in os.environ}}
    with suppress(OSError):
        if "GIT_SSH_COMMAND" not in env and not os.isatty(0):
            env["GIT_SSH_COMMAND"] = "ssh -oBatchMode=yes"
    return {
        **env,
        **_IDENTITY,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "true",
        "LC_ALL": "C",
        "TZ": "UTC",
    }
