"""Between rule files and a home: statements are imported as candidates, and accepted memories exported as a block.

`tacit import rules`: nothing becomes active. The provenance of a candidate is that of its file: the person's own files,
memories that an agent keeps for itself, and everything else, which is foreign. File and line are its evidence. What is
known already, in whatever status, is not proposed again, so a second import adds nothing.

`tacit export --as agents-md`: only shared memories of a project go into a file of its repository; what is private, and
what holds for all projects, stays in the home. A file outside of every repository gets the memories that hold for all
projects. The block is marked, updated in place and taken out exactly.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from shlex import quote

from tacit.errors import RefusedError, UsageError
from tacit.home.home import HomePart
from tacit.home.input import MAX_EVIDENCE_CHARS
from tacit.home.project import Project, directory_scope, find_project
from tacit.index import reader
from tacit.index.reader import MemoryRow
from tacit.install import EXPORT_MARKERS, FileChange, missing_folders, read_content, with_block, without_block
from tacit.log.codec import must_decode
from tacit.model.claim import GLOBAL, KIND_RANK, PERSONAL_KINDS, Claim, Provenance, Scope, Status
from tacit.model.decide import propose
from tacit.model.event import IMPORT, RULE_FILE, Attribution, Draft
from tacit.model.ids import ClaimId
from tacit.model.statement import claim_from
from tacit.purge.tombstones import load_tombstones
from tacit.record import Record
from tacit.rules import RuleFile, RuleOrigin, RulePlace, is_within, rule_place
from tacit.rules.audit import ReadRules, read_rules
from tacit.rules.lines import line_statements
from tacit.secrets import secret_kind
from tacit.text.display import clip, one_line, visible_line

_PROVENANCE = {
    RuleOrigin.USER: Provenance.USER_FILE,
    RuleOrigin.AGENT: Provenance.MODEL,
    RuleOrigin.FOREIGN: Provenance.EXTERNAL,
}
_MAX_QUOTE_CHARS = 300
_MIN_SIMILARITY = 0.6  # of a sentence that took the place of another
_REDACTION = "[redacted:"


class FileStatement(Record):
    """A statement of a rule file as a claim."""

    claim: Claim
    file: RuleFile
    line: int
    quote: str

    @property
    def place(self) -> str:
        """The file and line, for people."""
        return f"{self.file.name}:{self.line}"

    @property
    def evidence(self) -> str:
        text = one_line(clip(self.quote, 4 * _MAX_QUOTE_CHARS), _MAX_QUOTE_CHARS)
        return clip(f"{self.place}: “{text}”", MAX_EVIDENCE_CHARS)

    @property
    def reason(self) -> str:
        """What restricts the file, or "": a candidate holds in the whole project otherwise."""
        if self.file.patterns:
            return f"only for files that match {', '.join(self.file.patterns)}"
        folder = os.path.dirname(self.file.name)
        return f"only below {folder}" if self.file.folder and not folder.startswith((".", "~")) and folder else ""


class ChangedStatement(Record):
    """A memory that was imported from a line which is no longer in the file, and the sentence that replaced it."""

    id: ClaimId
    sentence: str
    path: str
    instead: str = ""


class ImportedRules(Record):
    """The result of an import. `known` were here already, in whatever status."""

    new: tuple[FileStatement, ...] = ()
    changed: tuple[ChangedStatement, ...] = ()
    known: int = 0
    refused: int = 0
    purged: int = 0
    files: int = 0


class RuleImport(HomePart):
    """Imports rule files into one home."""

    def import_rules(self, folder: str, *, dry_run: bool = False) -> ImportedRules:
        """Propose the statements of all rule files that concern a folder. With `dry_run` nothing is written.

        Raise RefusedError if an agent asks, unless nothing is written.
        """
        if not dry_run:
            self._store.actor.require_person("imports rules", f"tacit import rules {quote(folder)}")
        place = rule_place(os.path.abspath(os.path.expanduser(folder)), self._home.environment)
        read = read_rules(place)
        if dry_run:
            with self._store.snapshot() as connection:
                return self._decide(connection, place, read)[1]
        with self._store.change() as change:
            drafts, result = self._decide(change.connection, place, read)
            change.record(drafts)
            return result

    def _decide(
        self, connection: sqlite3.Connection, place: RulePlace, read: ReadRules
    ) -> tuple[list[Draft], ImportedRules]:
        scope = directory_scope(
            place.root, "", self._home.user_folder, lambda scope: reader.is_scope_used(connection, scope)
        )
        statements = list(_file_statements(read, scope))
        tombstones = load_tombstones(self._store.log)
        drafts: list[Draft] = []
        new: dict[ClaimId, FileStatement] = {}
        known = refused = purged = 0
        for statement in statements:
            claim = statement.claim
            if claim.id in new:
                continue
            text = f"{claim.sentence}\n{statement.evidence}"
            is_short = len(claim.sentence) <= self._home.settings.limits_text
            if not is_short or _REDACTION in text or secret_kind(text) is not None:
                refused += 1
            elif any(reader.memory_row(connection, name) for name in (claim.id, claim._replace(scope=GLOBAL).id)):
                known += 1
            else:
                attribution = Attribution(IMPORT, _PROVENANCE[statement.file.origin])
                (draft,) = propose(
                    None,
                    claim,
                    source=RULE_FILE,
                    evidence=statement.evidence,
                    reason=statement.reason,
                    attribution=attribution,
                    kind_inferred=True,
                )
                if tombstones and tombstones.rejects(self._draft_event(draft)):
                    purged += 1
                    continue
                new[claim.id] = statement
                drafts.append(draft)
        changed = _changed_statements(connection, statements, read)
        files = len({statement.file.path for statement in statements})
        return drafts, ImportedRules(tuple(new.values()), tuple(changed), known, refused, purged, files)


def _file_statements(read: ReadRules, project: Scope) -> Iterator[FileStatement]:
    """Yield the statements of all lines that are not Tacit's own and not below a heading such as "Don't"."""
    files = {file.path: file for file in read.rules.files}
    for line in read.lines:
        if line.is_own or line.is_negated:
            continue
        file = files[line.path]
        # What the person wrote for all projects is global, and so are memories of Codex.
        is_codex_memory = file.origin is RuleOrigin.AGENT and os.path.basename(os.path.dirname(file.path)) == "memories"
        scope = GLOBAL if file.origin is RuleOrigin.USER or is_codex_memory else project
        for sentence in line_statements(line):
            yield FileStatement(claim_from(sentence, scope), file, line.line, sentence)


def _changed_statements(
    connection: sqlite3.Connection, statements: Sequence[FileStatement], read: ReadRules
) -> Iterator[ChangedStatement]:
    """Yield the live memories that came from a line which its file no longer has."""
    from difflib import get_close_matches

    current: Mapping[str, dict[ClaimId, str]] = defaultdict(dict)
    for statement in statements:
        current[statement.file.name][statement.claim.id] = statement.claim.sentence
    names = {file.name for file in read.rules.files if not file.problem}
    scopes = {statement.claim.scope for statement in statements} | {GLOBAL}
    for memory in reader.load_memories(connection, must_decode):
        # Its evidence begins with the file and the line.
        place = memory.evidence[0].text.partition(": “")[0] if memory.evidence else ""
        name, sentence = place.rpartition(":")[0] if memory.source == RULE_FILE else "", memory.claim.sentence
        if name in names and memory.is_live and memory.claim.scope in scopes and memory.id not in current[name]:
            similar = get_close_matches(sentence, list(current[name].values()), n=1, cutoff=_MIN_SIMILARITY)
            yield ChangedStatement(memory.id, sentence, name, similar[0] if similar else "")


# Exporting

_DEFAULT_FILE = "AGENTS.md"
_ENDINGS = (".md", ".mdc", ".cursorrules")
_CURSOR_FRONTMATTER = b"---\nalwaysApply: true\n---\n"
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
        block = "## Memory\n\n" + "".join(f"- {rule_text(row.sentence)}\n" for row in rows)
        after: bytes | None
        if remove or not rows:
            after = without_block(before, EXPORT_MARKERS)
            is_created = before is not None and b"tacit export (created)" in before
            after = None if is_created and after == _CURSOR_FRONTMATTER else after
        elif before is None and path.endswith(".mdc"):
            after = _CURSOR_FRONTMATTER + with_block(None, EXPORT_MARKERS, block)
        else:
            after = with_block(before, EXPORT_MARKERS, block)
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
        with self._store.snapshot() as connection:
            scope = project.scope(lambda scope: reader.is_scope_used(connection, scope)) if project else GLOBAL
            rows = [
                row
                for row in reader.memory_rows(connection, status=Status.ACTIVE)
                if row.scope == scope and row.overruled_by is None and row.kind not in PERSONAL_KINDS
            ]
            rows.sort(key=lambda row: (KIND_RANK[row.kind], -row.strength, row.id))
            if project is None:
                return rows, 0
            memories = ((row, reader.load_memory(connection, row.id, must_decode)) for row in rows)
            shared = [row for row, memory in memories if memory is not None and memory.is_in_fact_file]
            return shared, len(rows) - len(shared)


def rule_text(sentence: str) -> str:
    """Return a sentence as one line of a rule file, in which no host finds an import, a comment or a fence."""
    text = visible_line(sentence)
    text = text.replace("<!--", "<!- -").replace("-->", "- ->").replace("```", "'''").replace("~~~", "'''")
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else _IMPORT.sub(lambda word: f"`{word[0]}`", part) for part in parts)
