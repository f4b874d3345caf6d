"""The commit since which a condition is red: git is asked when the line or the file came, or went.

Git reads objects alone, within limits (`disk/read.py`), and never at a hook; it starts nothing that a repository names.
What is only in the work tree has no commit yet, and what a shallow clone begins with was not changed by that commit.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache

from tacit.disk.read import read_head, run_git
from tacit.home.git_versions import head_commit
from tacit.home.project import git_folders
from tacit.model.conditions import Trace
from tacit.record import Record

_SECONDS = 3
_MAX_SHALLOW_BYTES = 1 << 20
_LOG = ("log", "-1", "--format=%H%x09%h%x09%cs%x09%s", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color")


class BreakingCommit(Record):
    """The commit that changed what a sentence says: its short name, the day, and its subject."""

    commit: str
    day: str
    subject: str


def breaking_commit(root: str, environment: Mapping[str, str], trace: Trace | None) -> BreakingCommit | None:
    """Return the commit behind a trace; None if there is none, or git does not say in time."""
    head = head_commit(root)
    return _breaking_commit(root, head, trace, tuple(sorted(environment.items()))) if trace and head else None


@lru_cache(maxsize=256)
def _breaking_commit(
    root: str, _head: str, trace: Trace, environment: tuple[tuple[str, str], ...]
) -> BreakingCommit | None:
    variables = dict(environment)
    exact = f":(top,literal){trace.path}"
    if trace.pattern:
        now = run_git(root, variables, "grep", "-q", "-E", "-e", trace.pattern, "HEAD", "--", exact, seconds=_SECONDS)
        is_there, question = now is not None and now.returncode == 0, (f"-G{trace.pattern}", "--", exact)
    else:
        now = run_git(root, variables, "cat-file", "-e", f"HEAD:{trace.path}", seconds=_SECONDS)
        # People name files by the end of their path.
        anywhere = exact if any(char in trace.path for char in "*?[\\") else f":(top,glob)**/{trace.path}"
        places = (exact, anywhere, f"{anywhere}/**") if trace.is_gone else (exact,)
        is_there, question = (
            now is not None and now.returncode == 0,
            (
                f"--diff-filter={'D' if trace.is_gone else 'A'}",
                "--",
                *places,
            ),
        )
    if now is None or is_there == trace.is_gone:
        return None  # it is so in the work tree alone, or git does not say
    done = run_git(root, variables, *_LOG, *question, seconds=_SECONDS)
    parts = done.stdout.strip("\n").split("\t", 3) if done and done.returncode == 0 else []
    return BreakingCommit(*parts[1:]) if len(parts) == 4 and not _is_boundary(root, parts[0]) else None


def _is_boundary(root: str, commit: str) -> bool:
    """Return whether a shallow clone begins with a commit: what it seems to add was there before."""
    return commit.encode() in read_head(os.path.join(git_folders(root)[1], "shallow"), _MAX_SHALLOW_BYTES)
