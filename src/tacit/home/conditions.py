"""Looking up conditions in a work tree (`model/conditions.py`). Files are read within limits; links are not followed.

Nothing of a repository is run. Only programs that the person allowed (`help_programs`) are asked for `--help`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from tacit.commandline.bash import SimpleCommand
from tacit.commandline.executions import executions
from tacit.commandline.words import ScanError
from tacit.home.versions import look_at_version
from tacit.home.work_tree import WorkTree
from tacit.model.conditions import (
    GREEN,
    BannedText,
    ChosenTool,
    Condition,
    HelpOption,
    LookupResult,
    PinnedVersion,
    Trace,
    literal_pattern,
    red,
    unknown,
)
from tacit.model.references import GENERATED_FOLDERS, Reference

_MAX_SCRIPTS = 100  # files with commands that are read
_MAX_FILES, _MAX_BYTES = 4000, 32 << 20  # below a folder


def look(tree: WorkTree, condition: Condition, *, folder: str = "", help_programs: Sequence[str] = ()) -> LookupResult:
    """Return what a work tree says of a condition. Paths may also be relative to `folder`, if it is given."""
    match condition:
        case Reference():
            return tree.look(condition, folder=folder)
        case PinnedVersion():
            return look_at_version(tree, condition)
        case ChosenTool():
            return _look_at_tool(tree, condition)
        case BannedText():
            return _look_at_text(tree, condition)
        case HelpOption():
            if condition.words[0] not in help_programs:
                allow = f"tacit config set check.programs {condition.words[0]}"
                return unknown(f"{condition.words[0]} may not be asked for --help ({allow})")
            from tacit.home.help_answers import look_at_option

            return look_at_option(tree, condition)


# Tools

_LOCK_FILES = {
    "npm": ("package-lock.json", "npm-shrinkwrap.json"),
    "pnpm": ("pnpm-lock.yaml",),
    "yarn": ("yarn.lock",),
    "bun": ("bun.lock", "bun.lockb"),
    "uv": ("uv.lock",),
    "poetry": ("poetry.lock",),
    "pipenv": ("Pipfile.lock",),
    "pdm": ("pdm.lock",),
}
# What a tool is run for in a project that uses it. To publish or to install another tool with it is something else.
_INSTALLS = frozenset("install i ci add run run-script test t start remove update".split())
_USES = {
    "npm": _INSTALLS,
    "pnpm": _INSTALLS,
    "yarn": _INSTALLS | {"", "build", "lint"},
    "bun": _INSTALLS,
    "uv": frozenset(("sync", "run", "pip", "lock", "add")),
    "poetry": frozenset(("install", "run", "lock", "add", "build")),
    "pipenv": frozenset(("install", "run", "sync", "lock")),
    "pdm": frozenset(("install", "run", "sync", "lock", "add")),
}
_ELSEWHERE_OPTIONS = ("-g", "--global", "--prefix", "-C", "--cwd", "--dir", "--location=global")


def _look_at_tool(tree: WorkTree, tool: ChosenTool) -> LookupResult:
    """Return whether lock files, scripts and CI files use a tool and none in its place."""
    at_root = {name for name in _LOCK_FILES if any(_is_file(tree, file) for file in _LOCK_FILES[name])}
    others = [name for name in tool.instead_of if name in at_root]
    nested = [name for name in tool.instead_of if any(len(tree.files((file,))) for file in _LOCK_FILES.get(name, ()))]
    is_used = tool.wanted in at_root
    if others and tool.wanted in _LOCK_FILES and not is_used and not _names_manager(tree, tool.wanted):
        lock = next(file for file in _LOCK_FILES[others[0]] if _is_file(tree, file))
        return red(f"{lock} is there, and no {_LOCK_FILES[tool.wanted][0]}", Trace(lock))
    for path, number, command in _script_commands(tree):
        if any(_uses(name, command, tool.wanted) for name in tool.instead_of):
            if nested and not others:
                return unknown(f"{path}:{number} uses {command.program}, and so does another folder")
            line = " ".join(word.text for word in command.words[:4])
            pattern = "[ ]+".join(literal_pattern(word.text) for word in command.words[:2])
            return red(f"{path}:{number} runs {line}", Trace(path, pattern))
        is_used = is_used or _uses(tool.wanted, command, "")
    if tree.is_late:
        return unknown("there was no time to look")
    return GREEN if is_used else unknown(f"no lock file, script or CI file uses {tool.wanted}")


def _names_manager(tree: WorkTree, name: str) -> bool:
    manifest = dict(tree.texts(("package.json",))).get(os.path.join(tree.root, "package.json"), "")
    return f'"packageManager": "{name}@' in manifest


def _is_file(tree: WorkTree, name: str) -> bool:
    return os.path.lexists(os.path.join(tree.root, name))


def _uses(tool: str, command: SimpleCommand, wanted: str) -> bool:
    """Return whether a command runs a tool on the project itself."""
    words = [word.text for word in command.words]
    installs = wanted and any(word == wanted or word.startswith(f"{wanted}@") for word in words[1:])
    if command.directory or installs or any(word.startswith(_ELSEWHERE_OPTIONS) for word in words):
        return False
    if tool == "docker compose":
        return command.program == "docker" and words[1:2] == ["compose"]
    if tool == "pip":
        return (
            command.program in ("pip", "pip3")
            and words[1:2] == ["install"]
            and bool({"-r", "-e", "."}.intersection(words))
        )
    if command.program != tool:
        return False
    first = next((word for word in words[1:] if not word.startswith("-")), "")
    return tool not in _USES or (first in _USES[tool] and (first != "" or len(words) == 1))


# Command lines in scripts and CI files

_CI_EXPRESSION = re.compile(r"\$\{\{.*?\}\}")
_RUN_STEP = re.compile(r"^(?P<indent>[ ]*)(?P<dash>- )?run:[ ]*(?P<value>.*)$")
_MAX_LINE_CHARS = 2000


def _script_commands(tree: WorkTree) -> Iterator[tuple[str, int, SimpleCommand]]:
    """Yield what scripts and CI files run: path, line and command. What is not understood is left out."""
    for path, number, line in _script_lines(tree):
        try:
            commands = executions(line[:_MAX_LINE_CHARS])
        except ScanError:
            continue
        yield from ((path, number, command) for command in commands)


def _script_lines(tree: WorkTree) -> Iterator[tuple[str, int, str]]:
    readers = (
        (("package.json",), _package_lines),
        (("GNUmakefile", "makefile", "Makefile"), _recipe_lines),
        (("justfile", ".justfile", "Justfile"), _recipe_lines),
        (("Dockerfile",), _docker_lines),
        ((".gitlab-ci.yml",), _item_lines),
    )
    for names, read in readers:
        for name in names:
            if text := tree.read(os.path.join(tree.root, name)):
                yield from ((name, number, line) for number, line in read(text))
    for folder, endings, read in (
        (".github/workflows", (".yml", ".yaml"), _workflow_lines),
        ("scripts", (".sh", ".bash"), _shell_lines),
    ):
        for name in _names_in(tree, folder, endings):
            if text := tree.read(os.path.join(tree.root, name)):
                yield from ((name, number, line) for number, line in read(text))


def _names_in(tree: WorkTree, folder: str, endings: tuple[str, ...]) -> list[str]:
    path = os.path.join(tree.root, folder)
    if os.path.realpath(path) != os.path.join(os.path.realpath(tree.root), folder):
        return []
    try:
        names = sorted(os.listdir(path))
    except OSError:
        return []
    return [f"{folder}/{name}" for name in names if name.endswith(endings)][:_MAX_SCRIPTS]


def _package_lines(text: str) -> Iterator[tuple[int, str]]:
    import json

    try:
        scripts = json.loads(text).get("scripts", {})
    except (AttributeError, ValueError, RecursionError):
        return
    for name, line in scripts.items() if isinstance(scripts, dict) else ():
        if isinstance(line, str):
            yield text.count("\n", 0, max(text.find(f'"{name}"', text.find('"scripts"')), 0)) + 1, line


def _recipe_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of recipes: indented ones."""
    yield from _joined(
        (number, line.strip().lstrip("@-+ ")) for number, line in enumerate(text.split("\n"), 1) if line[:1] in "\t "
    )


def _docker_lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in _joined(enumerate(text.split("\n"), 1)):
        if line.lstrip().upper().startswith("RUN ") and "--mount" not in line:
            yield number, line.lstrip()[4:]


def _shell_lines(text: str) -> Iterator[tuple[int, str]]:
    if "<<" not in text:  # the text of a here-document is no command
        yield from _joined((number, line.strip()) for number, line in enumerate(text.split("\n"), 1))


def _item_lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip().startswith("- "):
            yield number, line.strip()[2:].strip("\"'")


def _workflow_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of `run` steps. Of a file that runs something in another folder, none."""
    if "working-directory" in text:
        return
    lines = text.split("\n")
    for at, line in enumerate(lines):
        if not (match := _RUN_STEP.match(line)):
            continue
        indent = len(match["indent"]) + len(match["dash"] or "")
        value = match["value"].strip()
        if not value.startswith(("|", ">")):
            yield at + 1, _CI_EXPRESSION.sub("x", value.strip("\"'"))
            continue
        block: list[tuple[int, str]] = []
        for number, inner in enumerate(lines[at + 1 :], at + 2):
            if inner.strip() and len(inner) - len(inner.lstrip()) <= indent:
                break
            block.append((number, _CI_EXPRESSION.sub("x", inner.strip())))
        if not any(inner.startswith(("cd ", "pushd ")) or "<<" in inner for _, inner in block):
            yield from _joined(block)


def _joined(lines: Iterator[tuple[int, str]] | list[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield lines with what a backslash continues."""
    first, parts = 0, list[str]()
    for number, line in lines:
        first = first if parts else number
        parts.append(line.rstrip("\\"))
        if not line.endswith("\\"):
            yield first, " ".join(parts)
            parts = []
    if parts:
        yield first, " ".join(parts)


# Texts below a folder

_CODE_ENDINGS = (
    *(".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx", ".vue", ".svelte", ".astro", ".py", ".go", ".rs"),
    *(
        ".rb",
        ".php",
        ".java",
        ".kt",
        ".swift",
        ".c",
        ".h",
        ".cc",
        ".cpp",
        ".hpp",
        ".cs",
        ".scala",
        ".ex",
        ".exs",
        ".dart",
    ),
)
_TESTS = re.compile(
    r"(?:^|/)(?:tests?|__tests__|spec|fixtures|__mocks__)/|[._-](?:test|spec|stories)\.|(?:^|/)test_|_test\."
)
_COMMENT = re.compile(r"^\s*(?:#|//|\*|/\*|--|<!--|\"\"\"|''')|(?<=\s)(?://|#)\s")
_ALLOWED_LINE = re.compile(r"eslint-disable|biome-ignore|noqa|nolint|ts-ignore|ts-expect-error|rubocop:disable")


def _look_at_text(tree: WorkTree, ban: BannedText) -> LookupResult:
    """Return whether a text occurs in code below a folder, outside of comments, strings and tests."""
    if not os.path.isdir(os.path.join(tree.root, ban.folder)):
        return unknown(f"there is no folder {ban.folder}")
    count = size = 0
    for path in _code_files(os.path.join(tree.root, ban.folder)):
        count += 1
        if count > _MAX_FILES or size > _MAX_BYTES or tree.is_late:
            return unknown(f"{ban.folder} is too large to be searched")
        text = tree.read(path) or ""
        size += len(text)
        name = os.path.relpath(path, tree.root)
        if ban.needle in text and not _TESTS.search(name) and (number := _line_with(ban, text)):
            return red(f"{name}:{number} has {ban.needle.rstrip('(')}", Trace(name, literal_pattern(ban.needle)))
    return GREEN if count else unknown(f"there is no code in {ban.folder}")


_IMPORT = re.compile(
    r"(?:\bfrom|\bimport|\brequire\(|\bimport\()\s{0,4}[\"'](?P<quoted>[^\"'\n]{1,200})[\"']"
    r"|^\s{0,80}(?:from|import)\s{1,4}(?P<bare>[\w.]{1,200})(?!.*[\"'])"
)


def _place_in(ban: BannedText, line: str) -> int:
    """Return where a line has a text outside of a string, or an import of a module; -1 if it has none."""
    if ban.is_import:
        for match in _IMPORT.finditer(line):
            module = match["quoted"] or match["bare"]
            if module == ban.needle or module.startswith((f"{ban.needle}/", f"{ban.needle}.")):
                return match.start()
        return -1
    at = line.find(ban.needle)
    before, after = line[:at], line[at + len(ban.needle) : at + len(ban.needle) + 1]
    is_part = (at > 0 and (before[-1].isalnum() or before[-1] in "_$.")) or (
        not ban.needle.endswith("(") and after.isalnum()
    )
    is_string = any(before.count(mark) % 2 for mark in "\"'`")
    return -1 if at < 0 or is_part or is_string else at


def _line_with(ban: BannedText, text: str) -> int:
    """Return the number of the first line of code with a text; 0 if there is none."""
    comment_end, is_allowed = "", False
    for number, line in enumerate(text.split("\n"), 1):
        if comment_end:
            comment_end = "" if comment_end in line else comment_end
            continue
        stripped = line.strip()
        if stripped.startswith(("/*", '"""', "'''")):
            end = "*/" if stripped.startswith("/*") else stripped[:3]
            comment_end = "" if end in stripped[len(end) :] else end
        was_allowed, is_allowed = is_allowed, bool(_ALLOWED_LINE.search(line))
        if was_allowed or is_allowed or (at := _place_in(ban, line)) < 0:
            continue
        comment = _COMMENT.search(line)
        if comment is None or comment.start() > at:
            return number
    return 0


def _code_files(folder: str) -> Iterator[str]:
    """Yield files with code below a folder, in order, without links and what is generated."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith(".") or entry.name in GENERATED_FOLDERS:
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _code_files(entry.path)
        elif entry.name.endswith(_CODE_ENDINGS):
            yield entry.path
