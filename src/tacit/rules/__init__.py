"""Rule files of coding agents: where each host keeps rules and memories, and which of them it loads when.

Files are only read, with bounds on their number and size. A link is followed only within the project, or for the
person's own files within their home folder. What cannot be read is a problem in the result, never an error.

Places and limits as documented: Claude Code (code.claude.com/docs memory), Codex (developers.openai.com/codex
agents-md, memories), Gemini CLI (geminicli.com gemini-md, memport), Cursor (cursor.com/docs rules), Copilot CLI
(docs.github.com custom instructions), OpenCode (opencode.ai/docs/rules).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from hashlib import sha256
from itertools import takewhile

from tacit.disk.read import read_foreign, read_head
from tacit.home.project import find_project
from tacit.home.work_tree import FileListing
from tacit.model.references import GENERATED_FOLDERS
from tacit.record import Record
from tacit.text import formats
from tacit.text.display import clean

CLAUDE, CODEX, GEMINI, CURSOR, COPILOT, OPENCODE = "claude", "codex", "gemini", "cursor", "copilot", "opencode"
MAX_RULE_BYTES = 512 * 1024
_MAX_RULE_FILES = 400
_MAX_FOLDERS = 20_000
_MAX_DEPTH = 24
_MAX_SETTINGS_BYTES = 256 * 1024
_CLAUDE_MEMORY_LINES, _CLAUDE_MEMORY_BYTES = 200, 25 * 1024
_CODEX_BYTES = 32 * 1024  # of all project files together, unless project_doc_max_bytes says otherwise
_MANAGED_CLAUDE_FILE = "/etc/claude-code/CLAUDE.md"

_CLAUDE_NAMES = ("CLAUDE.md", "CLAUDE.local.md")
_CODEX_NAMES = ("AGENTS.override.md", "AGENTS.md")
_RULE_NAMES = frozenset((*_CLAUDE_NAMES, *_CODEX_NAMES, "GEMINI.md", ".cursorrules", "copilot-instructions.md"))
_HOST_FOLDERS = frozenset((".claude", ".cursor", ".github", ".gemini"))  # hidden folders that are searched


class RuleOrigin(Enum):
    """Who wrote a file: the person, an agent for itself, or somebody else (everything in a repository)."""

    USER = "user"
    AGENT = "agent"
    FOREIGN = "foreign"


class LoadTime(Enum):
    """When a host loads a file, the earliest first."""

    START = "at session start"
    ON_DEMAND = "on demand"
    NEVER = "never"


class HostLoad(Record):
    """When a host loads a file, and why not earlier. Lines after `last_line` are not loaded."""

    host: str
    when: LoadTime
    reason: str = ""
    last_line: int | None = None


class RuleFile(Record):
    """A rule file. `name` is its path for people; `folder` is the folder below which it applies, "" for everywhere.

    `patterns` restrict it to matching files. If it cannot be read, `problem` says why and `text` is empty.
    """

    path: str
    name: str
    origin: RuleOrigin
    text: str
    loads: tuple[HostLoad, ...] = ()
    folder: str = ""
    patterns: tuple[str, ...] = ()
    problem: str = ""

    @property
    def is_prose(self) -> bool:
        """Whether its lines can be rules. Hosts also load imported code and data."""
        return formats.is_prose_path(self.path)

    @property
    def is_ever_loaded(self) -> bool:
        return any(load.when is not LoadTime.NEVER for load in self.loads)


class LoadProblem(Record):
    """A line that names a file which is not loaded, and the reason."""

    name: str
    line: int
    text: str


class RuleSet(Record):
    """All rule files that concern a folder, the imports that lead nowhere, and the files of the project."""

    files: tuple[RuleFile, ...]
    problems: tuple[LoadProblem, ...]
    listing: FileListing


class RulePlace(Record):
    """The folder of a session, the root of its project, and the person's home folder and environment."""

    folder: str
    root: str
    user_folder: str
    environment: Mapping[str, str]

    def config_folder(self, variable: str, default: str) -> str:
        """Return the folder that an environment variable names, else a folder in the person's home folder."""
        return self.environment.get(variable) or os.path.join(self.user_folder, default)

    def display_name(self, path: str) -> str:
        """Return a path relative to the project, else with `~` for the person's home folder."""
        for base, prefix in ((self.root, ""), (self.user_folder, "~/")):
            if is_within(path, base) and path != base:
                return clean(prefix + os.path.relpath(path, base))
        return clean(path)


def rule_place(folder: str, environment: Mapping[str, str]) -> RulePlace:
    """Return the place of a session that is started in `folder`. Without a project, the folder is the root."""
    user_folder = environment.get("HOME") or os.path.expanduser("~")
    real = os.path.realpath(folder)
    project = find_project(real, user_folder)
    return RulePlace(real, project.root if project else real, os.path.realpath(user_folder), environment)


def is_within(path: str, folder: str) -> bool:
    """Return whether a path is the folder or is below it."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def find_rules(place: RulePlace) -> RuleSet:
    """Return every rule file that a session in this place could load, with what its imports load."""
    search = _RuleSearch(place)
    listing, project_paths = _walk(place)
    search.add_user_files()
    search.add_parent_files()
    search.add_project_files(project_paths)
    search.limit_codex()
    search.follow_imports()
    return RuleSet(tuple(search.files.values()), tuple(search.problems), listing)


# The files of a project


def _walk(place: RulePlace) -> tuple[FileListing, list[str]]:
    """Return the files of the project by name, and the paths of its rule files. Links are not followed."""
    folders_by_name: dict[str, list[str]] = {}
    rule_paths: list[str] = []
    pending = [(place.root, 0)]
    visited = 0
    is_home = place.root == place.user_folder  # somebody's whole home folder is no project
    while pending and visited < _MAX_FOLDERS:
        folder, depth = pending.pop()
        visited += 1
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            continue
        if folder != place.root and any(entry.name == ".git" for entry in entries):
            continue  # another repository or work tree
        for entry in entries:
            name = entry.name
            folders_by_name.setdefault(name, []).append(folder)
            if entry.is_dir(follow_symlinks=False):
                is_skipped = name not in _HOST_FOLDERS and (name.startswith(".") or name in GENERATED_FOLDERS)
                if depth < _MAX_DEPTH and not is_home and not is_skipped:
                    pending.append((entry.path, depth + 1))
            elif _is_rule_path(entry.path, name, place.root):
                rule_paths.append(entry.path)
    listing = FileListing(place.root, folders_by_name, is_complete=not pending and not is_home)
    return listing, sorted(rule_paths)[:_MAX_RULE_FILES]


def _is_rule_path(path: str, name: str, root: str) -> bool:
    if name in _RULE_NAMES or name.endswith((".mdc", ".instructions.md")):
        return True
    if name.endswith(".md") and f"{os.sep}.claude{os.sep}rules{os.sep}" in path:
        return True
    return name in ("claude.md", "agents.md", "gemini.md", "Agents.md", "Claude.md") and os.path.dirname(path) == root


# What each host loads


class _RuleSearch:
    """Collects rule files by their real path, so that a link and its target are one file."""

    def __init__(self, place: RulePlace) -> None:
        self._place = place
        self.files: dict[str, RuleFile] = {}
        self.problems: list[LoadProblem] = []
        self._claude_home = place.config_folder("CLAUDE_CONFIG_DIR", ".claude")
        self._codex_home = place.config_folder("CODEX_HOME", ".codex")
        self._gemini_home = os.path.join(place.environment.get("GEMINI_CLI_HOME") or place.user_folder, ".gemini")
        user_settings = os.path.join(self._gemini_home, "settings.json")
        self._gemini_names = _gemini_file_names(user_settings)
        # The settings of a repository decide about its own files alone.
        self._gemini_project_names = _gemini_file_names(
            os.path.join(place.root, ".gemini", "settings.json"), user_settings
        )

    # The person's own files, and memories that agents keep

    def add_user_files(self) -> None:
        join, user = os.path.join, RuleOrigin.USER
        copilot = self._place.config_folder("COPILOT_HOME", ".copilot")
        config = self._place.config_folder("XDG_CONFIG_HOME", ".config")
        self._add(_MANAGED_CLAUDE_FILE, RuleOrigin.FOREIGN, _start(CLAUDE))
        self._add(join(self._claude_home, "CLAUDE.md"), user, _start(CLAUDE))
        for path in _files_below(join(self._claude_home, "rules"), ".md"):
            self._add(path, user, _start(CLAUDE))
        codex = [path for name in _CODEX_NAMES if os.path.lexists(path := join(self._codex_home, name))]
        for path in codex[:1]:
            self._add(path, user, _start(CODEX))
        for name in self._gemini_names:
            self._add(join(self._gemini_home, name), user, _start(GEMINI))
        self._add(join(copilot, "copilot-instructions.md"), user, _start(COPILOT))
        for path in _files_below(join(copilot, "instructions"), ".instructions.md"):
            self._add(path, user, _on_demand(COPILOT))
        self._add(join(config, "opencode", "AGENTS.md"), user, _start(OPENCODE))
        self._add_memories()

    def _add_memories(self) -> None:
        agent = RuleOrigin.AGENT
        project = re.sub(r"[^A-Za-z0-9]", "-", self._place.root)  # as Claude Code names the folder of a project
        claude = os.path.join(self._claude_home, "projects", project, "memory")
        for path in _files_below(claude, ".md"):
            is_index = path == os.path.join(claude, "MEMORY.md")
            self._add(path, agent, _start(CLAUDE) if is_index else _on_demand(CLAUDE))
            if is_index and (file := self.files.get(os.path.realpath(path))):
                last = min(_CLAUDE_MEMORY_LINES, _last_line_within(file.text, _CLAUDE_MEMORY_BYTES))
                if last < file.text.count("\n") + (not file.text.endswith("\n")):
                    reason = f"Claude Code loads the first {_CLAUDE_MEMORY_LINES} lines or 25 KB"
                    self.files[file.path] = file._replace(loads=(HostLoad(CLAUDE, LoadTime.START, reason, last),))
        for name in _gemini_projects(self._place.root, self._gemini_home):
            for path in _files_below(os.path.join(self._gemini_home, "tmp", name, "memory"), ".md"):
                is_index = os.path.basename(path) in ("MEMORY.md", "GEMINI.md")
                self._add(path, agent, _start(GEMINI) if is_index else _on_demand(GEMINI))
        codex = os.path.join(self._codex_home, "memories")
        for path in _files_below(codex, ".md"):
            if os.path.dirname(path) == codex:
                is_summary = os.path.basename(path) == "memory_summary.md"
                self._add(path, agent, _start(CODEX) if is_summary else _on_demand(CODEX))

    # Files above and in the project

    def add_parent_files(self) -> None:
        """Add the files above the project: Claude Code and Gemini CLI also read those."""
        folder = self._place.root
        while folder != os.path.dirname(folder):
            folder = os.path.dirname(folder)
            is_own = is_within(folder, self._place.user_folder) and not find_project(folder, self._place.user_folder)
            origin = RuleOrigin.USER if is_own else RuleOrigin.FOREIGN
            for name in (*_CLAUDE_NAMES, os.path.join(".claude", "CLAUDE.md")):
                path = os.path.join(folder, name)
                if not is_within(path, self._claude_home):  # ~/.claude/CLAUDE.md has been added
                    self._add(path, origin, _start(CLAUDE))
            if folder != self._place.user_folder:
                for name in self._gemini_names:
                    self._add(os.path.join(folder, name), origin, _start(GEMINI))

    def add_project_files(self, paths: Sequence[str]) -> None:
        root = self._place.root
        names = {os.path.relpath(path, root) for path in paths}
        for path in paths:
            file = self._read(path, RuleOrigin.FOREIGN, root)
            if file is not None:
                relative, fields = os.path.relpath(path, root), formats.frontmatter(file.text)
                # It applies below the folder that contains `.claude`, `.cursor` or `.github`.
                parts = takewhile(lambda part: part not in _HOST_FOLDERS, relative.split(os.sep)[:-1])
                folder = os.sep.join(parts)
                loads = tuple(self._project_loads(relative, folder, fields, names))
                scope = os.path.join(root, folder) if folder else ""
                self._store(file._replace(loads=loads, folder=scope, patterns=formats.file_patterns(fields)))

    def _project_loads(
        self, relative: str, folder: str, fields: Mapping[str, str], others: set[str]
    ) -> Iterator[HostLoad]:
        name, parent = os.path.basename(relative), os.path.dirname(relative)
        at_root = not folder
        # The folders from the root of the project down to the session's are read at its start.
        is_above = is_within(self._place.folder, os.path.normpath(os.path.join(self._place.root, folder)))
        when = LoadTime.START if is_above else LoadTime.ON_DEMAND
        if name in _CLAUDE_NAMES:
            yield HostLoad(CLAUDE, when)
        elif f"{os.sep}.claude{os.sep}rules{os.sep}" in f"{os.sep}{relative}":
            yield _on_demand(CLAUDE) if "paths" in fields else HostLoad(CLAUDE, when)
        if name == "AGENTS.md":
            yield from self._agents_loads(parent, when, others)
        if name == "AGENTS.override.md":
            yield HostLoad(CODEX, when)
        if name in self._gemini_project_names:
            yield HostLoad(GEMINI, when)
        if name in ("CLAUDE.md", "GEMINI.md") and relative == name:
            yield _start(COPILOT)
        if name.endswith(".mdc"):
            yield _cursor_load(relative, fields)
        elif name == ".cursorrules":
            yield _start(CURSOR) if at_root else _never(CURSOR, "Cursor reads .cursorrules at the root of the project")
        if name == "copilot-instructions.md":
            is_read = os.path.basename(parent) == ".github"
            reason = "Copilot reads .github/copilot-instructions.md"
            yield HostLoad(COPILOT, when) if is_read else _never(COPILOT, reason)
        elif name.endswith(".instructions.md"):
            is_read = f"{os.sep}.github{os.sep}instructions{os.sep}" in f"{os.sep}{relative}"
            reason = "Copilot reads *.instructions.md below .github/instructions"
            everywhere = fields.get("applyTo", "").strip("\"'") in ("**", "**/*", "*")
            wanted = when if everywhere else LoadTime.ON_DEMAND
            yield HostLoad(COPILOT, wanted) if is_read else _never(COPILOT, reason)
        if name not in _RULE_NAMES and name.casefold() in ("claude.md", "agents.md", "gemini.md"):
            stem = name[:-3].upper()
            host = {"CLAUDE": CLAUDE, "GEMINI": GEMINI}.get(stem, CODEX)
            yield _never(host, f"the name hosts look for is {stem}.md")

    def _agents_loads(self, parent: str, when: LoadTime, others: set[str]) -> Iterator[HostLoad]:
        """Yield the hosts that read an AGENTS.md. Claude Code does only if there is no CLAUDE.md for the folder."""
        if os.path.basename(parent) in _HOST_FOLDERS:
            yield _never(CODEX, f"hosts read AGENTS.md in a folder of the project, not in {os.path.basename(parent)}")
            return
        if os.path.join(parent, "AGENTS.override.md") in others:
            yield _never(CODEX, "Codex reads AGENTS.override.md instead")
        else:
            yield HostLoad(CODEX, when)
        yield from (HostLoad(host, when) for host in (CURSOR, COPILOT, OPENCODE))
        parts = [part for part in os.path.relpath(self._place.folder, self._place.root).split(os.sep) if part != "."]
        folders = [os.path.join(*parts[:count], "") if count else "" for count in range(len(parts) + 1)]
        claude_names = (*_CLAUDE_NAMES, os.path.join(".claude", "CLAUDE.md"))
        claude_files = {folder + name for folder in folders for name in claude_names}
        if not claude_files & others:
            yield HostLoad(CLAUDE, when)

    def limit_codex(self) -> None:
        """Codex concatenates the project's files from the root down and stops at a limit."""
        room = _codex_limit(self._codex_home)
        for file in sorted(self.files.values(), key=lambda file: len(file.folder)):
            is_loaded = any(load.host == CODEX and load.when is LoadTime.START for load in file.loads)
            if not is_loaded or not is_within(file.path, self._place.root):
                continue
            size = len(file.text.encode("utf-8", "replace"))
            if size > room:
                last = _last_line_within(file.text, room)
                reason = f"Codex stops after {_codex_limit(self._codex_home):,} bytes of AGENTS.md files"
                cut = HostLoad(CODEX, LoadTime.START, reason, last)
                self.files[file.path] = file._replace(
                    loads=tuple(cut if load.host == CODEX else load for load in file.loads)
                )
            room = max(0, room - size)

    # Imports

    def follow_imports(self) -> None:
        for file in list(self.files.values()):
            for load in file.loads:
                if load.host in formats.IMPORT_DEPTHS and load.when is not LoadTime.NEVER and file.is_prose:
                    self._follow(file, load, formats.IMPORT_DEPTHS[load.host], {file.path})

    def _follow(self, file: RuleFile, load: HostLoad, hops: int, visited: set[str]) -> None:
        for line, target in formats.imports_in(file.text):
            path = formats.import_path(target, file.path, self._place.user_folder)
            if not os.path.lexists(path):
                if formats.is_path_like(target):
                    self._report(file.name, line, f"@{target} does not exist")
                continue
            if os.path.isdir(path):
                continue
            if hops == 0:
                if os.path.realpath(path) not in visited:
                    depth = formats.IMPORT_DEPTHS[load.host]
                    self._report(file.name, line, f"@{target} is more than {depth} imports deep")
                continue
            base = self._place.user_folder if file.origin is RuleOrigin.USER else self._place.root
            if file.origin is RuleOrigin.AGENT or not is_within(os.path.realpath(path), base):
                self._report(file.name, line, f"@{target} leads outside of {self._place.display_name(base) or base}")
                continue
            in_project = find_project(os.path.dirname(os.path.realpath(path)), self._place.user_folder) is not None
            imported = self._read(path, RuleOrigin.FOREIGN if in_project else file.origin, base)
            if imported is None:
                continue
            loads = (HostLoad(load.host, load.when),)
            imported = self._store(imported._replace(loads=loads, folder=file.folder))
            if imported.path not in visited and imported.is_prose:
                visited.add(imported.path)
                self._follow(imported, load, hops - 1, visited)

    def _report(self, name: str, line: int, text: str) -> None:
        problem = LoadProblem(name, line, clean(text))
        if problem not in self.problems:
            self.problems.append(problem)

    # Reading

    def _add(self, path: str, origin: RuleOrigin, load: HostLoad) -> None:
        base = self._place.user_folder if is_within(path, self._place.user_folder) else os.path.dirname(path)
        file = self._read(path, origin, base)
        if file is not None:
            fields = formats.frontmatter(file.text)
            if "paths" in fields:
                load = _on_demand(load.host)
            self._store(file._replace(loads=(load,), patterns=formats.file_patterns(fields)))

    def _store(self, file: RuleFile) -> RuleFile:
        """Add a file, or what one more name or import of it adds to when it is loaded."""
        known = self.files.get(file.path)
        if known is None:
            self.files[file.path] = file
            return file
        loads, order = {load.host: load for load in known.loads}, list(LoadTime)
        for load in file.loads:
            if load.host not in loads or order.index(load.when) < order.index(loads[load.host].when):
                loads[load.host] = load
        self.files[file.path] = known._replace(loads=tuple(loads.values()))
        return self.files[file.path]

    def _read(self, path: str, origin: RuleOrigin, base: str) -> RuleFile | None:
        """Return the file at a path; None if there is none. A link may lead anywhere within `base`."""
        if not os.path.lexists(path) or os.path.isdir(path):
            return None
        real = os.path.realpath(path)
        name = self._place.display_name(path)
        if not is_within(real, os.path.realpath(base)):
            return RuleFile(path, name, origin, "", problem="is a link that leads outside; not read")
        file = read_foreign(real)
        if file is None or len(file.data) > MAX_RULE_BYTES:
            return RuleFile(real, name, origin, "", problem="cannot be read, or is larger than 512 KiB")
        if origin is RuleOrigin.USER and (file.owner != os.geteuid() or file.writers):
            origin = RuleOrigin.FOREIGN  # others can write it
        return RuleFile(real, name, origin, clean(file.data.decode("utf-8-sig", "replace")))


def _start(host: str) -> HostLoad:
    return HostLoad(host, LoadTime.START)


def _on_demand(host: str) -> HostLoad:
    return HostLoad(host, LoadTime.ON_DEMAND)


def _never(host: str, reason: str) -> HostLoad:
    return HostLoad(host, LoadTime.NEVER, reason)


def _cursor_load(relative: str, fields: Mapping[str, str]) -> HostLoad:
    if f"{os.sep}.cursor{os.sep}rules{os.sep}" not in f"{os.sep}{relative}":
        return _never(CURSOR, "Cursor reads .mdc files below .cursor/rules")
    is_nested = not relative.startswith(os.path.join(".cursor", "rules"))
    always = fields.get("alwaysApply", "").strip("\"'").lower() == "true"
    return _start(CURSOR) if always and not is_nested else _on_demand(CURSOR)


def _files_below(folder: str, ending: str) -> list[str]:
    """Return the files below a folder whose name has this ending. Links to folders are not followed."""
    paths = [
        os.path.join(parent, name)
        for parent, _folders, names in os.walk(folder)
        for name in names[:_MAX_RULE_FILES]
        if name.endswith(ending)
    ]
    return sorted(paths)[:_MAX_RULE_FILES]


def _last_line_within(text: str, limit: int) -> int:
    """Return the number of whole lines in the first `limit` bytes."""
    return text.encode("utf-8", "replace")[:limit].count(b"\n") if len(text) * 4 > limit else text.count("\n") + 1


# Settings of hosts


def _gemini_projects(root: str, gemini_home: str) -> list[str]:
    """Return the names that Gemini CLI may use for the folder of a project: registered, or by a hash of the path."""
    projects = _json_object(os.path.join(gemini_home, "projects.json")).get("projects")
    name = projects.get(root) if isinstance(projects, dict) else None
    registered = [name] if isinstance(name, str) and re.fullmatch(r"[a-z0-9-]+", name) else []
    return [*registered, sha256(root.encode("utf-8", "replace")).hexdigest()]


def _gemini_file_names(*settings: str) -> tuple[str, ...]:
    """Return the names of context files: `context.fileName` of the first settings that have it, else GEMINI.md."""
    for path in settings:
        context = _json_object(path).get("context")
        value = context.get("fileName") if isinstance(context, dict) else None
        names = [value] if isinstance(value, str) else value if isinstance(value, list) else []
        if plain := tuple(name for name in names if isinstance(name, str) and re.fullmatch(r"[\w.-]+", name)):
            return plain
    return ("GEMINI.md",)


def _codex_limit(codex_home: str) -> int:
    text = read_head(os.path.join(codex_home, "config.toml"), _MAX_SETTINGS_BYTES).decode("utf-8", "replace")
    match = re.search(r"^project_doc_max_bytes[ \t]*=[ \t]*(\d{1,9})[ \t]*(?:#.*)?$", text, re.MULTILINE)
    return int(match[1]) if match else _CODEX_BYTES


def _json_object(path: str) -> dict[str, object]:
    with suppress(ValueError, RecursionError):
        value = json.loads(read_head(path, _MAX_SETTINGS_BYTES) or b"{}")
        if isinstance(value, dict):
            return value
    return {}
