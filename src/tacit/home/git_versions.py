"""What git knows of a repository's fact file: the version in HEAD, and the lines that its ancestors had.

Another branch, a stash or a rebase changes the file as a person does. Only history tells them apart: a line that HEAD
or one of its ancestors has, or that Tacit wrote since the last commit, was taken out by somebody; any other line never
was in this version of the file. `tacit sync` asks git for that. Hooks and questions do not.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from datetime import datetime

from tacit.disk.read import run_git
from tacit.errors import RefusedError
from tacit.home.project import FACT_FILE, head_commit, is_git_repository
from tacit.model.ids import ClaimId
from tacit.pages.facts import fact_id
from tacit.pages.view_store import ViewStore, decode_lines
from tacit.record import Record

_PATHSPEC = f":(top,literal){FACT_FILE}"
_LOG_SECONDS = 20
# Every line that a commit added; whatever the repository says about how to compare files.
_LOG = ("log", "--format=", "--patch", "--unified=0", "--full-history", "--no-renames", "--text", "--no-color")
_PLAIN_DIFF = ("--no-ext-diff", "--no-textconv")
_NO_COMMIT = 1  # the exit code for a name that stands for nothing


class FactHistory:
    """The fact file in the history of HEAD. `head` are its lines in HEAD, none if HEAD has no such file."""

    def __init__(self, root: str, environment: Mapping[str, str], head: Iterable[str]) -> None:
        self._root = root
        self._environment = environment
        self.head = list(head)

    def past_lines(self) -> set[str]:
        """Return the facts that HEAD or one of its ancestors has; none if git does not say in time."""
        done = run_git(
            self._root, self._environment, *_LOG, *_PLAIN_DIFF, "HEAD", "--", _PATHSPEC, seconds=_LOG_SECONDS
        )
        if done is None or done.returncode != 0:
            return set()
        return {line[1:].removesuffix("\r") for line in done.stdout.split("\n") if line.startswith("+{")}


def read_fact_history(root: str, environment: Mapping[str, str]) -> FactHistory | None:
    """Return the history of the fact file of a work tree.

    Return None if there is none: no git repository, no commit yet, or a file that git ignores. Raise RefusedError if
    git cannot be asked.
    """
    if not is_git_repository(root):
        return None
    commit = run_git(root, environment, "rev-parse", "--quiet", "--verify", "HEAD^{commit}")
    if commit is None or commit.returncode not in (0, _NO_COMMIT):
        raise RefusedError("git cannot be asked what the last commit has", f"git -C {root} status")
    if commit.returncode == _NO_COMMIT:
        return None
    blob = run_git(root, environment, "cat-file", "blob", f"HEAD:{FACT_FILE}")
    if blob is not None and blob.returncode == 0:
        return FactHistory(root, environment, decode_lines(blob.stdout.encode("utf-8", "surrogateescape")))
    ignored = run_git(root, environment, f"--work-tree={root}", "check-ignore", "--quiet", "--", FACT_FILE)
    if ignored is not None and ignored.returncode == 0:
        return None
    return FactHistory(root, environment, ())


def is_committed(root: str) -> bool:
    """Return whether HEAD has a fact file."""
    if not head_commit(root):
        return False
    found = run_git(root, os.environ, "cat-file", "-e", f"HEAD:{FACT_FILE}")
    return found is not None and found.returncode == 0


class FactCommit(Record):
    """A commit that added, changed or removed the line of a fact."""

    id: str
    at: datetime
    subject: str


def fact_commits(root: str, environment: Mapping[str, str], claims: Iterable[ClaimId]) -> list[FactCommit]:
    """Return HEAD and its ancestors that changed the line of a fact, the earliest first; none if git does not say."""
    if not is_git_repository(root):
        return []
    words = (
        "log",
        "--reverse",
        "--format=%H%x09%cI%x09%s",
        "--no-color",
        *_PLAIN_DIFF,
        f"-G{'|'.join(claims)}",
        "--extended-regexp",
    )
    done = run_git(root, environment, *words, "HEAD", "--", _PATHSPEC, seconds=_LOG_SECONDS)
    rows = [line.split("\t", 2) for line in done.stdout.split("\n")] if done and done.returncode == 0 else []
    return [FactCommit(row[0], datetime.fromisoformat(row[1]), row[2]) for row in rows if len(row) == 3]


# What Tacit wrote last: the commit that HEAD was at, facts that are to be written when the conflicts in the file are
# resolved, and the facts in the file. Facts are named by their ids.


class _Note(Record):
    head: str = ""
    postponed: tuple[str, ...] = ()
    written: tuple[str, ...] = ()


def note_written(view_store: ViewStore, root: str, path: str) -> None:
    """Store which facts are in a repository's file now that Tacit wrote it."""
    names = tuple(name for line in view_store.current_lines(path) if (name := fact_id(line)))
    _write_note(view_store, path, _Note(head_commit(root), (), names))


def written_since_commit(view_store: ViewStore, root: str, path: str) -> set[ClaimId]:
    """Return the facts that were in the file when Tacit wrote it last; none if HEAD was at another commit then."""
    note = _read_note(view_store, path)
    return set(map(ClaimId, note.written)) if note.head and note.head == head_commit(root) else set()


def postpone_facts(view_store: ViewStore, path: str, claims: Iterable[ClaimId]) -> None:
    """Store that these facts belong into a file that cannot be written because of its conflict markers."""
    note = _read_note(view_store, path)
    _write_note(view_store, path, note._replace(postponed=tuple(dict.fromkeys((*note.postponed, *claims)))))


def postponed_facts(view_store: ViewStore, path: str) -> set[ClaimId]:
    """Return the facts that wait for the end of conflicts in a file."""
    return set(map(ClaimId, _read_note(view_store, path).postponed))


def _read_note(view_store: ViewStore, path: str) -> _Note:
    lines = view_store.read_note(path).decode("utf-8", "surrogateescape").split("\n")
    return _Note(lines[0], tuple(lines[1].split()), tuple(lines[2:])) if len(lines) > 1 else _Note()


def _write_note(view_store: ViewStore, path: str, note: _Note) -> None:
    lines = (note.head, " ".join(note.postponed), *note.written)
    view_store.write_note(path, "\n".join(lines).encode("utf-8", "surrogateescape"))
