"""What rule lines name in the work tree and is gone: paths, package scripts, make targets and just recipes.

Only what is written as code or as a link counts, and only if it can be nothing else: placeholders, examples, ignored
and generated files are left out. A false "gone" costs trust in all findings, so doubt means that it exists.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from functools import cached_property

from tacit.disk.read import read_head
from tacit.rules.files import SKIPPED_FOLDERS, WorkTree, is_within
from tacit.rules.lines import LineKind, RuleLine

_MAX_READ_BYTES = 512 * 1024
_MAX_MANIFESTS = 200
_CODE_SPAN = re.compile(r"`([^`\n]{1,300})`")
_LINK_TARGET = re.compile(r"\]\(([^()\s]{1,300})\)")
_PATH = re.compile(r"[\w.@+-]+/(?!/)[\w.@+/-]*")
_LINE_SUFFIX = re.compile(r"(?::\d+(?:[-:]\d+)?|#[\w.-]*)$")
_FILE_ENDING = re.compile(
    r"\.(?:c|cc|cpp|cs|css|go|h|hpp|html|java|js|json|jsx|kt|lua|md|mdx|mjs|mts|php|proto|py|rb|rs|scss|sh|sql|svelte"
    r"|swift|tf|toml|ts|tsx|txt|vue|xml|ya?ml|zig)$"
)
_PLACEHOLDER = re.compile(
    r"path/to|\b(?:foo|bar|baz|qux|example|sample|your|my|some|name|xxx+|x|y|todo|feature-name|new)(?=[._/-]|$)|[A-Z]{3,}_?NAME|NNN|YYYY",
    re.IGNORECASE,
)
_CREATION = re.compile(
    r"\b(?:create|add|generate|generated|write|new|rename|moved?|deleted?|removed?|deprecated|legacy|former(?:ly)?|old|"
    r"gone|no longer|output|outputs|produces?|saved?|stored?|optional(?:ly)?|if (?:present|it exists|any)|"
    r"don[’']?t|do not|never|avoid|instead of|not)\b",
    re.IGNORECASE,
)
_SCRIPT = re.compile(r"(?:npm|pnpm|yarn|bun) run ([\w][\w:.-]*)(?=\s|$)")
_MAKE = re.compile(r"make ([a-z][\w.-]*)(?=\s|$)")
_JUST = re.compile(r"just ([a-z][\w-]*)(?=\s|$)")
_COMMAND_BREAK = re.compile(r"&&|\|\||[;|]")
_MAKE_TARGET = re.compile(r"^([^\s:#=][^:#=\n]*?)[ \t]*::?(?!=)", re.MULTILINE)
_JUST_RECIPE = re.compile(r"^@?([A-Za-z_][\w-]*)(?:[ \t]+[^:\n]*)?:(?!=)", re.MULTILINE)
_JUST_ALIAS = re.compile(r"^alias[ \t]+([\w-]+)[ \t]*:=", re.MULTILINE)
_MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
_JUSTFILES = ("justfile", "Justfile", ".justfile")


class WorkTreeCheck:
    """Looks up what lines name. Files are read when they are first needed, and nothing is run."""

    def __init__(self, tree: WorkTree) -> None:
        self._tree = tree

    def missing(self, line: RuleLine) -> Iterator[str]:
        """Yield what a line names and the work tree does not have, in words for a person."""
        for command in _commands(line):
            yield from self._missing_commands(command)
        if line.kind is not LineKind.CODE and not line.is_example and not line.is_negated:
            yield from self._missing_paths(line)

    # Paths

    def _missing_paths(self, line: RuleLine) -> Iterator[str]:
        if not self._tree.is_complete or not is_within(line.path, self._tree.root) or _is_about_change(line):
            return
        folder = os.path.dirname(line.path)
        for target in dict.fromkeys(_LINK_TARGET.findall(line.text)):
            path = _LINE_SUFFIX.sub("", target)
            if path and _PATH.fullmatch(path) and _FILE_ENDING.search(path) and self._is_missing(path, folder):
                yield path
        for span in dict.fromkeys(_CODE_SPAN.findall(line.text)):
            path = _LINE_SUFFIX.sub("", span.strip())
            if _PATH.fullmatch(path) and self._is_checkable(path) and self._is_missing(path, folder):
                yield path

    def _is_checkable(self, path: str) -> bool:
        """Return whether a word with a slash is a path of this tree: `text/html` and `feature/x` are not."""
        if path.startswith("@") or path.endswith("/MEMORY.md"):  # a package; a memory of the host
            return False
        first = path.removeprefix("./").split("/", 1)[0]
        if not os.path.isdir(os.path.join(self._tree.root, first)):
            return _FILE_ENDING.search(path) is not None
        return path.endswith("/") or "." in path.rpartition("/")[2]

    def _is_missing(self, path: str, folder: str) -> bool:
        if _PLACEHOLDER.search(path) or self._is_ignored(path):
            return False
        relative = os.path.normpath(path.removeprefix("./"))
        candidates = [os.path.normpath(os.path.join(base, relative)) for base in (self._tree.root, folder)]
        if any(not is_within(candidate, self._tree.root) or os.path.lexists(candidate) for candidate in candidates):
            return False
        # People name files by the end of their path, or by that of the compiled file (`.js` for `.ts`).
        name, parent = os.path.basename(relative), os.path.dirname(relative)
        stem = os.path.splitext(name)[0]
        names = {name, *(stem + ending for ending in (".ts", ".tsx", ".js", ".jsx", ".mjs", ".mts", ".py", ".md"))}
        for each in names:
            for known in self._tree.folders_by_name.get(each, ()):
                if known.endswith(os.sep + parent) or not parent:
                    return False
        return True

    def _is_ignored(self, path: str) -> bool:
        parts = [part for part in path.split("/") if part not in ("", ".")]
        if any(part in SKIPPED_FOLDERS or part.startswith("..") for part in parts):
            return True
        return any(fnmatchcase(part, pattern) for pattern in self._ignore_patterns for part in (*parts, path))

    @cached_property
    def _ignore_patterns(self) -> list[str]:
        """The patterns of all .gitignore files, without their folders: more is left out than git would."""
        patterns = []
        for path in self._manifests((".gitignore",)):
            lines = _read(path).splitlines()[:2000]
            patterns += [line.strip().strip("/") for line in lines if line.strip() and not line.startswith(("#", "!"))]
        return [pattern for pattern in patterns if pattern and pattern not in ("*", "**")]

    # Commands

    def _missing_commands(self, command: str) -> Iterator[str]:
        scripts = self._scripts
        if (match := _SCRIPT.match(command)) and scripts is not None:
            name = match[1]
            if name not in scripts and not re.search(r"\.[cm]?[jt]sx?$", name) and not _PLACEHOLDER.search(name):
                yield f"the script {name} of package.json"
        if (match := _MAKE.match(command)) and self._make_targets is not None and match[1] not in self._make_targets:
            yield f"the target {match[1]} of the Makefile"
        if (match := _JUST.match(command)) and self._just_recipes is not None and match[1] not in self._just_recipes:
            yield f"the recipe {match[1]} of the justfile"

    @cached_property
    def _scripts(self) -> frozenset[str] | None:
        """The scripts of every package.json; None if there is none or one cannot be read."""
        paths = self._manifests(("package.json",))
        names: set[str] = set()
        for path in paths:
            try:
                scripts = json.loads(_read(path)).get("scripts", {})
                names.update(scripts)
            except (ValueError, AttributeError, TypeError, RecursionError):
                return None
        return frozenset(names) if paths else None

    @cached_property
    def _make_targets(self) -> frozenset[str] | None:
        """The targets of every Makefile; None if there is none, or one has targets that only make can tell."""
        paths = self._manifests(_MAKEFILES)
        names: set[str] = set()
        for path in paths:
            text = _read(path).replace("\\\n", " ")
            if re.search(
                r"^[ \t]*-?s?include\b|^[^#\t\n]*%[^\n=]*:|\$\((?:eval|foreach|call)|^\.DEFAULT[ \t]*:",
                text,
                re.MULTILINE,
            ):
                return None
            for targets in _MAKE_TARGET.findall(text):
                if "$" in targets:
                    return None
                names.update(targets.split())
        return frozenset(names) if paths else None

    @cached_property
    def _just_recipes(self) -> frozenset[str] | None:
        """The recipes of every justfile; None if there is none, or one imports another."""
        paths = self._manifests(_JUSTFILES)
        names: set[str] = set()
        for path in paths:
            text = _read(path)
            if re.search(r"^(?:import|mod)\??[ \t]", text, re.MULTILINE):
                return None
            names.update(_JUST_RECIPE.findall(text), _JUST_ALIAS.findall(text))
        return frozenset(names) if paths else None

    def _manifests(self, names: Iterable[str]) -> list[str]:
        if not self._tree.is_complete:
            return []
        folders = ((folder, name) for name in names for folder in self._tree.folders_by_name.get(name, ()))
        return [os.path.join(folder, name) for folder, name in folders][:_MAX_MANIFESTS]


def _commands(line: RuleLine) -> Iterator[str]:
    """Yield the commands in code: each part of a line at which a command may begin."""
    if line.is_negated or _is_about_change(line):
        return
    texts = [line.text] if line.kind is LineKind.CODE else _CODE_SPAN.findall(line.text)
    for text in texts:
        for part in _COMMAND_BREAK.split(text):
            yield part.strip().removeprefix("$ ").split(" #", 1)[0].strip()


def _is_about_change(line: RuleLine) -> bool:
    """Return whether a sentence makes, moves or forbids what it names, so that it need not exist."""
    return line.kind is not LineKind.CODE and _CREATION.search(_CODE_SPAN.sub("", line.text)) is not None


def _read(path: str) -> str:
    return read_head(path, _MAX_READ_BYTES).decode("utf-8", "replace")
