"""What a purge changes or has changed, what it left, and where it cannot reach."""

from __future__ import annotations

import os
from collections.abc import Iterable

from tacit.home.project import FACT_FILE
from tacit.log.rewrite import PurgePlan
from tacit.log.search import SharedRoots
from tacit.record import Record

# Files of other programs below the user's folder.
_TRANSCRIPT_FOLDERS = (".claude", ".codex", ".gemini", ".copilot", ".local/share/opencode")
_HISTORY_FILES = (".bash_history", ".zsh_history", ".local/share/fish/fish_history", ".local/share/atuin")


class PurgeReport(Record):
    """What a purge changes or has changed.

    Attributes:
        events: how many events of the log change.
        memories: the ids of memories that are purged.
        damaged: how many unreadable lines of the log are dropped.
        files: paths of the other files that change.
        similar_memories: ids of memories that contain the words of the purged one, and stay.
        remaining_files: files that still contain it, and `unreachable` where else it may be: only after a purge.
        index_copies: copies of the index, which are removed.
    """

    events: int
    memories: tuple[str, ...]
    damaged: int
    files: tuple[str, ...]
    similar_memories: tuple[str, ...] = ()
    remaining_files: tuple[str, ...] = ()
    unreachable: tuple[str, ...] = ()
    index_copies: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not (self.events or self.damaged or self.files or self.index_copies)


def make_report(plan: PurgePlan, files: Iterable[str], index_copies: Iterable[str]) -> PurgeReport:
    """Return the report of a plan for the log, and of the paths of other files and of copies of the index."""
    return PurgeReport(
        len(plan.changed),
        tuple(sorted(plan.gone_claims)),
        plan.damaged,
        tuple(files),
        tuple(sorted(plan.matching_claims)),
        index_copies=tuple(index_copies),
    )


def sharing_roots(projects: Iterable[str], roots: SharedRoots) -> list[str]:
    """Return the projects that have or had a fact file. It may have been committed, also if it is gone now."""
    shared = {root for scope, root in roots.seen if scope in roots.shared_scopes}
    return [root for root in projects if root in shared or os.path.exists(os.path.join(root, FACT_FILE))]


def unreachable_places(user_folder: str, roots: Iterable[str]) -> list[str]:
    """Return where the text may be that no purge reaches. `roots` are projects that have or had a fact file."""
    others = [os.path.join(user_folder, name) for name in (*_TRANSCRIPT_FOLDERS, *_HISTORY_FILES)]
    repositories = [root for root in roots if os.path.exists(os.path.join(root, ".git"))]
    return [
        *(f"the history of git in {root}, if {FACT_FILE} was committed" for root in repositories),
        *(f"{path}, where other programs keep what was said and typed" for path in others if os.path.exists(path)),
        "backups, exports and snapshots of the file system",
        "homes on other machines, until this tombstone is imported there",
    ]
