"""What is left out of an injection although it holds, and what is told with a remark.

A memory is left out if the host loads a file that says the same (CLAUDE.md, AGENTS.md, GEMINI.md, and what they
import). Of the project's memories, those that name something that is not in the work tree are told with a remark; if
they only describe the project, they are left out. Files are read within limits, and parsed ones are cached by their
modification time.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice

from tacit.brief import is_standing_rule
from tacit.disk.read import file_signature, read_head
from tacit.home.project import find_project
from tacit.index.reader import MemoryRow
from tacit.model.claim import GLOBAL, Kind, is_project_scope
from tacit.model.ids import ClaimId
from tacit.record import Record
from tacit.text.words import normalize_text, tokenize

TYPE_CHECKING = False

if TYPE_CHECKING:
    from tacit.home.home import Home
    from tacit.model.references import Reference

# They describe how things are. Without what they name they say nothing, while a rule or a decision still may.
_DESCRIBING_KINDS = (
    Kind.ENVIRONMENT,
    Kind.PATTERN,
    Kind.PREFERRED_CWD,
    Kind.RECURRING_COMMAND,
    Kind.WORKFLOW_PATTERN,
)
_MAX_FILE_BYTES = 32 * 1024  # Codex reads as much, and what is longer is seldom rules
_MAX_FOLDERS = 16  # from the current folder up to the root
_MAX_IMPORTED_FILES, _IMPORT_SECONDS = 16, 0.05  # of the person's files, and of the project's
_MAX_CACHED_FILES = 64
_MIN_SHARED_WORDS = 0.6  # of both statements, before they are compared
_NAMING_MARKS = (
    "/",
    "`",
    "make ",
    "just ",
    "npm ",
    "yarn ",
    "bun ",
)  # without any, a sentence names nothing to look up
_LIST_MARKS = "-*+>#•0123456789.) \t"


class InstructionFiles(Record):
    """The files that a host loads by itself: in a project, and in the folder of the person.

    `variable` names the folder, else it is `folder` below the person's home. With `only_first`, of the files of one
    folder the first that exists is loaded.
    """

    project: tuple[str, ...]
    variable: str
    folder: str
    user: str
    only_first: bool = False


_INSTRUCTION_FILES = {
    "claude": InstructionFiles(
        ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"), "CLAUDE_CONFIG_DIR", ".claude", "CLAUDE.md"
    ),
    "codex": InstructionFiles(("AGENTS.override.md", "AGENTS.md"), "CODEX_HOME", ".codex", "AGENTS.md", True),
    "gemini": InstructionFiles(("GEMINI.md",), "GEMINI_CLI_HOME", "", ".gemini/GEMINI.md"),
    "opencode": InstructionFiles(("AGENTS.md", "CLAUDE.md"), "XDG_CONFIG_HOME", ".config", "opencode/AGENTS.md", True),
    "copilot": InstructionFiles(
        ("AGENTS.md", ".github/copilot-instructions.md"), "COPILOT_HOME", ".copilot", "copilot-instructions.md"
    ),
    "cursor": InstructionFiles(("AGENTS.md", ".cursorrules"), "", "", ""),
}


def without_loaded(memories: Iterable[MemoryRow], agent: str, home: Home) -> list[MemoryRow]:
    """Leave out memories that a file says which the host loads anyway; the order stays.

    A global standing rule is left out only for the person's own file: a repository must not be able to silence it.
    """
    every, files = list(memories), _INSTRUCTION_FILES.get(agent)
    if not every or files is None:
        return every
    # The words of each statement in the person's files and in those of the project, by its normalised text.
    own: dict[str, frozenset[str]] = {}
    project: dict[str, frozenset[str]] = {}
    for statements, paths in zip((own, project), _loaded_files(agent, files, home), strict=True):
        for path in paths:
            if signature := file_signature(path):
                statements.update(_parse_statements(path, signature))
    if not own and not project:
        return every

    def is_loaded(memory: MemoryRow) -> bool:
        is_global_rule = memory.scope == GLOBAL and is_standing_rule(memory)
        return _contains(own if is_global_rule else {**project, **own}, memory.sentence)

    return [memory for memory in every if not is_loaded(memory)]


def missing_names(memories: Iterable[MemoryRow], home: Home) -> dict[ClaimId, tuple[str, ...]]:
    """Return what memories of the project say that is not true of the work tree, in their own words, by id."""
    every, project = list(memories), home.store.project
    if project is None:
        return {}
    missing = missing_references(every, project.root, home.cwd, home.environment)
    found = {claim: [reference.text for reference in references] for claim, references in missing.items()}
    if os.path.isdir(home.store.paths.red_notes):
        _apply_notes(found, every, home, project.root)
    return {claim: tuple(dict.fromkeys(texts)) for claim, texts in found.items() if texts}


def _apply_notes(found: dict[ClaimId, list[str]], memories: Iterable[MemoryRow], home: Home, root: str) -> None:
    """Add what was red when all was looked up, if the work tree is the same; leave out paths that never were in it."""
    from tacit.home.red_notes import digest, read_notes

    notes = read_notes(home.store.paths, root)
    for claim, texts in found.items():
        found[claim] = [text for text in texts if digest(text.rstrip("/")) not in notes.never]
    for memory in memories if notes.red else ():
        if is_project_scope(memory.scope) and (what := notes.red.get(digest(memory.sentence))):
            found.setdefault(memory.id, []).extend(what)


def missing_references(
    memories: Iterable[MemoryRow], root: str, cwd: str, environment: Mapping[str, str], *, seconds: float | None = None
) -> dict[ClaimId, tuple[Reference, ...]]:
    """Return what memories of a project name that its work tree does not have, by id. Only names are looked up.

    Args:
        root: the root of the project.
        cwd: the current folder.
        environment: variables, of which `PATH` is used.
        seconds: how long that may take; default: what a hook has.
    """
    naming = [
        memory
        for memory in memories
        if is_project_scope(memory.scope) and any(mark in memory.sentence for mark in _NAMING_MARKS)
    ]
    if not naming or not os.path.isdir(root):
        return {}
    from tacit.home.work_tree import LOOKUP_SECONDS, WorkTree  # most prompts are told nothing
    from tacit.model.conditions import State
    from tacit.model.references import named_references

    tree = WorkTree(root, cwd, environment, seconds=LOOKUP_SECONDS if seconds is None else seconds)
    missing: dict[ClaimId, tuple[Reference, ...]] = {}
    for memory in naming:
        red = [each for each in named_references(memory.sentence) if tree.look(each).state is State.RED]
        if red:
            missing[memory.id] = tuple(red)
    return missing


def without_outdated(memories: Iterable[MemoryRow], missing: Mapping[ClaimId, object]) -> list[MemoryRow]:
    """Leave out memories that only describe something that is missing."""
    return [memory for memory in memories if memory.id not in missing or memory.kind not in _DESCRIBING_KINDS]


def _project_files(files: InstructionFiles, home: Home) -> Iterator[str]:
    """Yield files from the root down to the current folder. A link is followed only if it stays in the project."""
    project = home.store.project
    root = project.root.rstrip(os.sep) if project else ""
    folders: list[str] = []
    folder = os.path.realpath(home.cwd)
    while root and (folder == root or folder.startswith(root + os.sep)) and len(folders) < _MAX_FOLDERS:
        folders.append(folder)
        folder = os.path.dirname(folder)
    for folder in reversed(folders):
        for name in files.project:
            path = os.path.join(folder, name)
            if os.path.lexists(path):
                if (target := os.path.realpath(path)).startswith(root + os.sep):
                    yield target
                if files.only_first:
                    break


def _loaded_files(agent: str, files: InstructionFiles, home: Home) -> tuple[list[str], list[str]]:
    """Return the real paths of what a host loads: files that are the person's own, and those a repository may write.

    They come with what they import: within the project, or the person's home folder. What a person's own file imports
    from a repository is not the person's own.
    """
    own, foreign, project = [], list(_project_files(files, home)), home.store.project
    if files.user:
        folder = home.environment.get(files.variable) or os.path.join(home.user_folder, files.folder)
        own.append(os.path.realpath(os.path.join(folder, files.user)))
    deadline = time.monotonic() + _IMPORT_SECONDS
    imported = _imported_files(own, os.path.realpath(home.user_folder), agent, home, deadline)
    if project is not None:
        foreign += _imported_files(foreign, project.root, agent, home, deadline)
    for path in imported:
        (foreign if find_project(os.path.dirname(path), home.user_folder) else own).append(path)
    return own, foreign


def _imported_files(paths: Iterable[str], base: str, agent: str, home: Home, deadline: float) -> list[str]:
    """Return the real paths of the files below `base` that others import, as deep as the host follows them.

    After the deadline no more are found.
    """
    reached = [path for path in paths if "@" in _read_instructions(path, file_signature(path))]
    if not reached:
        return []
    from tacit.text.formats import IMPORT_DEPTHS, import_path, imports_in, is_prose_path  # few files have imports

    found: list[str] = []
    for _ in range(IMPORT_DEPTHS.get(agent, 0)):
        importers, reached = reached, []
        for importer in importers:
            imports = islice(imports_in(_read_instructions(importer, file_signature(importer))), _MAX_IMPORTED_FILES)
            for target in dict.fromkeys(target for _line, target in imports):
                path = os.path.realpath(import_path(target, importer, home.user_folder))
                is_below = path.startswith(base.rstrip(os.sep) + os.sep)
                if time.monotonic() > deadline or len(found) == _MAX_IMPORTED_FILES:
                    return found
                if is_below and path not in found and is_prose_path(path) and os.path.isfile(path):
                    found.append(path)
                    reached.append(path)
    return found


@lru_cache(maxsize=_MAX_CACHED_FILES)
def _read_instructions(path: str, signature: str) -> str:
    """Return the beginning of a file, up to the end of a line; "" without a signature."""
    text = read_head(path, _MAX_FILE_BYTES + 1).decode("utf-8", "replace") if signature else ""
    return text if len(text) <= _MAX_FILE_BYTES else text[:_MAX_FILE_BYTES].rpartition("\n")[0]


@lru_cache(maxsize=_MAX_CACHED_FILES)
def _parse_statements(path: str, signature: str) -> dict[str, frozenset[str]]:
    """Return the lines of a Markdown file, and their sentences, without code blocks and comments."""
    text = _read_instructions(path, signature)
    statements: dict[str, frozenset[str]] = {}
    is_code = is_comment = False
    for line in text.split("\n"):
        stripped = line.strip()
        if not is_comment and stripped.startswith(("```", "~~~")):
            is_code = not is_code
        elif is_comment or (not is_code and "<!--" in stripped):
            is_comment = "-->" not in stripped
        elif stripped and not is_code:
            plain = stripped.lstrip(_LIST_MARKS).replace("**", "").replace("`", "")
            for statement in {plain, *plain.split(". ")}:
                if key := normalize_text(statement):
                    statements[key] = frozenset(tokenize(key))
    return statements


def _contains(statements: Mapping[str, frozenset[str]], sentence: str) -> bool:
    """Return whether one of these statements is the sentence or restates it."""
    key = normalize_text(sentence.replace("`", ""))
    if key in statements:
        return True
    words = frozenset(tokenize(key))
    similar = [
        text
        for text, other in statements.items()
        if len(words & other) >= _MIN_SHARED_WORDS * max(len(words), len(other))
    ]
    if not similar:
        return False
    from tacit.contradiction.profile import is_restatement

    return any(is_restatement(key, text) for text in similar)
