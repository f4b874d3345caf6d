"""`tacit export --as agents-md`: accepted memories as a marked block in a file that hosts read.

Only shared memories of a project go into a file of its repository; what is private, and what holds for all projects,
stays in the home. A file outside of every repository gets the memories that hold for all projects. The block is
updated in place and taken out exactly.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Sequence

from tacit.errors import RefusedError, UsageError
from tacit.home.home import HomePart
from tacit.home.project import Project, find_project
from tacit.index import reader
from tacit.index.reader import MemoryRow
from tacit.install.change import FileChange, missing_folders, read_content
from tacit.install.text_block import EXPORT_MARKERS, with_block, without_block
from tacit.log.codec import must_decode
from tacit.model.claim import GLOBAL, KIND_RANK, Kind, Scope, Status
from tacit.record import Record
from tacit.rules.files import is_within
from tacit.text.display import visible_line

_DEFAULT_FILE = "AGENTS.md"
_ENDINGS = (".md", ".mdc", ".cursorrules")
_HABITS = (Kind.PREFERRED_CWD, Kind.RECURRING_COMMAND, Kind.WORKFLOW_PATTERN)
_CURSOR_FRONTMATTER = b"---\nalwaysApply: true\n---\n"
_HEADING = "## Memory\n\n"
_IMPORT = re.compile(r"(?<![\w`@/.])@[^\s`]+")


class ExportPlan(Record):
    """The change of a file, how many memories its block has, and how many accepted ones stay in the home."""

    change: FileChange
    memory_count: int
    private_count: int
    is_in_repository: bool


class RuleExport(HomePart):
    """Writes accepted memories into rule files. Only a plan is made here; the person sees it before it is applied."""

    def plan(self, target: str = "", *, remove: bool = False) -> ExportPlan:
        """Return the change that puts the block into a file, or takes it out.

        Args:
            target: the file; default: AGENTS.md at the root of the current project.
            remove: take the block out.

        Raises:
            UsageError: there is no project and no target, or the target is no Markdown file.
            RefusedError: an agent asks, a link leads out of the repository, or the block has no end.
        """
        self._store.actor.require_person("exports memories", "tacit export --as agents-md")
        path = self._target_path(target)
        project = find_project(os.path.dirname(path), self._home.user_folder)
        self._refuse_links_out(path, project.root if project else self._home.user_folder)
        before = read_content(path)
        rows, private = self._memories(project)
        if remove or not rows:
            after = _without_export(before)
        elif before is None and path.endswith(".mdc"):
            after = _CURSOR_FRONTMATTER + with_block(None, EXPORT_MARKERS, _block_lines(rows))
        else:
            after = with_block(before, EXPORT_MARKERS, _block_lines(rows))
        folders = missing_folders(path) if before is None else ()
        return ExportPlan(FileChange(path, before, after, folders=folders), len(rows), private, project is not None)

    def _refuse_links_out(self, path: str, base: str) -> None:
        """Raise RefusedError if a link leads out of `base`, or out of the current project if the path is in it."""
        real, current = os.path.realpath(path), self._store.project
        bases = [base] if os.path.islink(path) else []
        bases += [current.root] if current and is_within(path, current.root) else []
        for folder in bases:
            if not is_within(real, os.path.realpath(folder)):
                raise RefusedError(f"{path} is a link that leads out of {folder}", "name the file itself: --to FILE")

    def _target_path(self, target: str) -> str:
        if target:
            path = os.path.abspath(os.path.join(self._home.cwd, os.path.expanduser(target)))
            if not path.endswith(_ENDINGS) or os.path.isdir(path):
                raise UsageError(f"{target} is no file that hosts read rules from", "--to AGENTS.md, or CLAUDE.md")
            return path
        project = self._store.project
        if project is None:
            raise UsageError("this folder is in no project", "name the file: tacit export --as agents-md --to FILE")
        return os.path.join(project.root, _DEFAULT_FILE)

    def _memories(self, project: Project | None) -> tuple[list[MemoryRow], int]:
        """Return the memories for a file in a project, or in none, and how many of the project stay private."""

        def read(connection: sqlite3.Connection) -> tuple[list[MemoryRow], int]:
            def is_used(scope: Scope) -> bool:
                return reader.is_scope_used(connection, scope)

            scope = project.scope(is_used) if project else GLOBAL
            rows = [
                row
                for row in reader.memory_rows(connection, status=Status.ACTIVE)
                if row.scope == scope and row.overruled_by is None and row.kind not in _HABITS
            ]
            rows.sort(key=lambda row: (KIND_RANK[row.kind], -row.strength, row.id))
            public = [row for row in rows if project is None or _is_shared(connection, row)]
            return public, len(rows) - len(public)

        return self._store.read(read)


def _is_shared(connection: sqlite3.Connection, row: MemoryRow) -> bool:
    memory = reader.load_memory(connection, row.id, must_decode)
    return memory is not None and memory.is_in_fact_file


def _block_lines(rows: Sequence[MemoryRow]) -> str:
    return _HEADING + "".join(f"- {rule_text(row.sentence)}\n" for row in rows)


def rule_text(sentence: str) -> str:
    """Return a sentence as one line of a rule file, in which no host finds an import, a comment or a fence."""
    text = visible_line(sentence)
    text = text.replace("<!--", "<!- -").replace("-->", "- ->").replace("```", "'''").replace("~~~", "'''")
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else _IMPORT.sub(lambda word: f"`{word[0]}`", part) for part in parts)


def _without_export(before: bytes | None) -> bytes | None:
    after = without_block(before, EXPORT_MARKERS)
    is_created = before is not None and b"tacit export (created)" in before
    return None if is_created and after == _CURSOR_FRONTMATTER else after
