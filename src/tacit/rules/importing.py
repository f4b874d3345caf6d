"""`tacit import rules`: the statements of rule files become candidates, with file and line as evidence.

Nothing becomes active. The provenance of a candidate is that of its file: the person's own files, memories that an
agent keeps for itself, and everything else, which is foreign. What is known already, in whatever status, is not
proposed again, so a second import adds nothing.
"""

from __future__ import annotations

import os
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from shlex import quote

from tacit.home.home import HomePart
from tacit.home.input import MAX_EVIDENCE_CHARS
from tacit.home.project import directory_scope
from tacit.index import reader
from tacit.log.codec import must_decode
from tacit.model.claim import GLOBAL, Claim, Provenance, Scope
from tacit.model.decide import propose
from tacit.model.event import IMPORT, RULE_FILE, Attribution, Draft, Event
from tacit.model.ids import ClaimId, event_id
from tacit.model.memory import Memory
from tacit.model.statement import claim_from
from tacit.purge.tombstones import load_tombstones
from tacit.record import Record
from tacit.rules.audit import ReadRules, read_rules
from tacit.rules.files import RuleFile, RuleOrigin, RulePlace, rule_place
from tacit.rules.lines import line_statements
from tacit.secrets.redact import secret_kind
from tacit.text.display import clip, one_line

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
        results: list[ImportedRules] = []

        def decision(connection: sqlite3.Connection) -> Sequence[Draft]:
            drafts, result = self._decide(connection, place, read)
            results.append(result)
            return drafts

        if dry_run:
            self._store.read(decision)
        else:
            self._store.record(decision)
        return results[-1]

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
            if statement.claim.id in new:
                continue
            if not self._is_acceptable(statement):
                refused += 1
            elif _is_known(connection, statement.claim):
                known += 1
            else:
                draft = _proposal(statement)
                if tombstones and tombstones.rejects(self._draft_event(draft)):
                    purged += 1
                    continue
                new[statement.claim.id] = statement
                drafts.append(draft)
        changed = _changed_statements(connection, statements, read)
        files = len({statement.file.path for statement in statements})
        return drafts, ImportedRules(tuple(new.values()), tuple(changed), known, refused, purged, files)

    def _is_acceptable(self, statement: FileStatement) -> bool:
        text = f"{statement.claim.sentence}\n{statement.evidence}"
        is_short = len(statement.claim.sentence) <= self._home.settings.limits_text
        return is_short and _REDACTION not in text and secret_kind(text) is None

    def _draft_event(self, draft: Draft) -> Event:
        """Return the event that a draft would become, so that tombstones can be applied to it."""
        origin = self._store.actor.origin()
        draft_id = event_id(int(origin.at.timestamp() * 1000), self._store.entropy())
        return Event(draft_id, draft_id, origin.attributed_to(draft.attribution), draft.scope, draft.body)


def _file_statements(read: ReadRules, project: Scope) -> Iterator[FileStatement]:
    """Yield the statements of all lines that are not Tacit's own and not below a heading such as "Don't"."""
    files = {file.path: file for file in read.rules.files}
    for line in read.lines:
        if line.is_own or line.is_negated:
            continue
        file = files[line.path]
        for sentence in line_statements(line):
            yield FileStatement(claim_from(sentence, _scope_of(file, project)), file, line.line, sentence)


def _scope_of(file: RuleFile, project: Scope) -> Scope:
    """Return the global scope for what the person wrote for all projects, else that of the project."""
    is_codex_memory = file.origin is RuleOrigin.AGENT and os.path.basename(os.path.dirname(file.path)) == "memories"
    return GLOBAL if file.origin is RuleOrigin.USER or is_codex_memory else project


def _is_known(connection: sqlite3.Connection, claim: Claim) -> bool:
    ids = (claim.id, claim._replace(scope=GLOBAL).id)
    return any(reader.memory_row(connection, each) is not None for each in ids)


def _proposal(statement: FileStatement) -> Draft:
    (draft,) = propose(
        None,
        statement.claim,
        source=RULE_FILE,
        evidence=statement.evidence,
        reason=statement.reason,
        attribution=Attribution(IMPORT, _PROVENANCE[statement.file.origin]),
        kind_inferred=True,
    )
    return draft


def _changed_statements(
    connection: sqlite3.Connection, statements: Sequence[FileStatement], read: ReadRules
) -> Iterator[ChangedStatement]:
    """Yield the live memories that came from a line which its file no longer has."""
    current: Mapping[str, dict[ClaimId, str]] = defaultdict(dict)
    for statement in statements:
        current[statement.file.name][statement.claim.id] = statement.claim.sentence
    names = {file.name for file in read.rules.files if not file.problem}
    scopes = {statement.claim.scope for statement in statements} | {GLOBAL}
    for memory in reader.load_memories(connection, must_decode):
        name = _imported_from(memory)
        if name in names and memory.is_live and memory.claim.scope in scopes and memory.id not in current[name]:
            yield ChangedStatement(
                memory.id, memory.claim.sentence, name, _replacement(memory, list(current[name].values()))
            )


def _imported_from(memory: Memory) -> str:
    """Return the name of the rule file that a memory was imported from, "" if it comes from elsewhere."""
    if memory.source != RULE_FILE or not memory.evidence:
        return ""
    place = memory.evidence[0].text.partition(": “")[0]
    return place.rpartition(":")[0]


def _replacement(memory: Memory, sentences: Sequence[str]) -> str:
    from difflib import get_close_matches

    return next(iter(get_close_matches(memory.claim.sentence, sentences, n=1, cutoff=_MIN_SIMILARITY)), "")
