"""Since which commit a condition is red: git is asked when the line or the file came, or went.

Git reads objects alone, within limits (`disk/read.py`), and never at a hook; it starts nothing that a repository names.
A file that no commit ever had is not called missing: it may be made elsewhere. What is only in the work tree has no
commit yet, and what a shallow clone begins with was not changed by that commit.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache

from tacit.disk.read import read_head, run_git
from tacit.home.project import git_folders, head_commit
from tacit.model.conditions import LookupResult, State, Trace
from tacit.record import Record

_SECONDS = 3
_MAX_SHALLOW_BYTES = 1 << 20
_LOG = ("log", "-1", "--format=%H%x09%h%x09%cs%x09%s", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color")


class BreakingCommit(Record):
    """The commit that changed what a sentence says: its short name, the day, and its subject."""

    commit: str
    day: str
    subject: str


class History(Record):
    """What git says of a trace: the commit, if there is one.

    `is_never` is true of a file that no commit ever had, also if git finds none in time.
    """

    commit: BreakingCommit | None = None
    is_never: bool = False


def history_of(root: str, environment: Mapping[str, str], trace: Trace | None) -> History:
    """Return what the history of HEAD says of a trace; nothing if git does not say in time."""
    head = head_commit(root)
    return _history_of(root, head, trace, tuple(sorted(environment.items()))) if trace and head else History()


def confirmed(root: str, environment: Mapping[str, str], outcome: LookupResult) -> LookupResult:
    """Return an outcome, or unknown for a file that is called missing and that no commit ever had."""
    if outcome.state is not State.RED or outcome.trace is None or outcome.trace.pattern or not outcome.trace.is_gone:
        return outcome
    is_never = history_of(root, environment, outcome.trace).is_never
    return never_had(outcome.trace) if is_never else outcome


def never_had(trace: Trace) -> LookupResult:
    return LookupResult(State.UNKNOWN, f"no commit ever had {trace.path}", trace)


@lru_cache(maxsize=512)
def _history_of(root: str, _head: str, trace: Trace, environment: tuple[tuple[str, str], ...]) -> History:
    variables = dict(environment)
    exact = f":(top,literal){trace.path}"
    if trace.pattern:
        now = run_git(root, variables, "grep", "-q", "-E", "-e", trace.pattern, "HEAD", "--", exact, seconds=_SECONDS)
        question = (f"-G{trace.pattern}", "--", exact)
    else:
        now = run_git(root, variables, "cat-file", "-e", f"HEAD:{trace.path}", seconds=_SECONDS)
        question = (f"--diff-filter={'D' if trace.is_gone else 'A'}", "--", exact)
    if now is None or (now.returncode == 0) == trace.is_gone:
        return History()  # it is so in the work tree alone, or git does not say
    done = run_git(root, variables, *_LOG, *question, seconds=_SECONDS)
    if trace.is_gone and not trace.pattern and done is not None and not done.stdout.strip():
        # People name files by the end of their path. Where it was this path itself, a copy elsewhere says nothing.
        anywhere = exact if any(char in trace.path for char in "*?[\\") else f":(top,glob)**/{trace.path}"
        done = run_git(root, variables, *_LOG, "--diff-filter=D", "--", anywhere, f"{anywhere}/**", seconds=_SECONDS)
    if done is not None and done.returncode != 0:
        return History()
    shallow = read_head(os.path.join(git_folders(root)[1], "shallow"), _MAX_SHALLOW_BYTES)
    parts = done.stdout.strip("\n").split("\t", 3) if done else []
    if len(parts) != 4:
        return History(is_never=not shallow)
    return History() if parts[0].encode() in shallow else History(BreakingCommit(*parts[1:]))
