"""What a text names that can be looked up: paths, package scripts, make targets, just recipes, programs, branches.

A wrong warning is worse than none, so only plain forms count. "Use docs/setup.md", "run `make lint`" and "the branch
`release`" name something; "client/server", "make sure", globs, URLs, placeholders and sentences about creating or
removing do not. Memories are sentences, in which names are often not marked (`named_references`). In a line of a rule
file only what is written as code or as a link counts (`marked_references`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum

from tacit.model.doubts import doubt
from tacit.record import Record

MAX_REFERENCES = 8  # of one sentence
_MAX_CHARS = 4000


class ReferenceKind(StrEnum):
    """What is looked up."""

    PATH = "path"
    SCRIPT = "script"
    MAKE_TARGET = "make target"
    JUST_RECIPE = "just recipe"
    PROGRAM = "program"
    BRANCH = "branch"


class Reference(Record):
    """A name in a text; `text` is how a remark calls it.

    A path that `is_ambiguous` may be something else, such as a branch or a media type, unless its first folder exists.
    """

    kind: ReferenceKind
    name: str
    text: str
    is_ambiguous: bool = False


# Where names are

_CODE_SPAN = re.compile(r"`([^`\n]{1,300})`")
_NAMES = re.compile(r"`[^`]*`|\S*/\S*")  # not searched for words
_COMMAND_BREAK = re.compile(r"&&|\|\||[;|]")

# Names

_PATH = re.compile(r"(?<![\w@:/~.$*%{}<>\\-])[\w.+-]+/[\w.+/-]*(?![\w.+/*?{<$\[%(@=-]|:(?![\s\d]|$))")
_EXTENSION = re.compile(r".\.[A-Za-z][A-Za-z0-9]{0,7}$")
_END = r"(?![\w<${*%=/-]|:\S)"  # of a name: what follows does not belong to it
_SCRIPT = re.compile(rf"\b(?:npm|pnpm|yarn|bun) run(?:-script)? (\w(?:[\w:.-]*\w)?){_END}")
_SCRIPT_COMMAND = re.compile(r"\b(?:(?:npm|pnpm|yarn) (test|start)|bun (start))\b(?![:.=-]\w)")
# Of `pnpm x` and `yarn x`, x may be a program; these are scripts.
_SHORT_SCRIPT = re.compile(
    rf"(?:pnpm|yarn) ((?:build|dev|lint|format|fmt|typecheck|type-check|codegen|generate|prettify|e2e|preview)"
    rf"|[a-z][\w-]*(?::[\w-]+)+){_END}"
)
_VARIABLES = re.compile(r"(?:[A-Z][A-Z0-9_]*=\S* )+")
_TARGET = re.compile(rf"(make|just) ([A-Za-z](?:[\w.-]*\w)?){_END}")
_VERB = re.compile(r"\b(?:run|running|use|via|type) (?=make )")  # before a target that is not marked as code
_PROGRAM = re.compile(r"\b(?:run|execute|type|invoke|start)(?:s|ning)? `([a-z][a-z0-9_.+-]*)[ `]", re.IGNORECASE)
_BRANCH = re.compile(r"\bbranch (?:named |called )?`([\w./-]+)`|`([\w./-]+)` branch\b")

# What is no name, or need not exist

_CHANGES = re.compile(
    r"\b(?:creat|generat|output|emit|remov|delet|renam|replac)\w*|\bproduc(?:e|es|ed)\b|\bwrit(?:e|es|ten) \w+ ?to\b"
    r"|\b(?:moved?|gone|missing|no longer|used to|obsolete|deprecated|former(?:ly)?|ignored?|gitignored?)\b",
    re.IGNORECASE,
)
_NEGATION = re.compile(r"\b(?:never|not|no|don't|dont|avoid|without|instead|rather)\b", re.IGNORECASE)
# What is said to be absent
_ABSENT = re.compile(
    r"\b(?:there (?:is|are) no|do(?:es)?(?: not|n['’]t) (?:exist|have)|(?:has|have) no|can(?:not|['’]t) find)\b",
    re.IGNORECASE,
)
# Commands that are named to be left alone. "Never run `make wipe` without asking" names one that is there.
_TURNED_DOWN = re.compile(
    r"\b(?:never|do not|don['’]t|avoid|not|no|instead of|rather than|over)"
    r"(?: (?:ever|run|running|use|using|call|type))* `[^`\n]{1,300}`(?:(?:,| or|, or| and) `[^`\n]{1,300}`){0,4}"
    r"(?! without\b)",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"(?:^|[\s`])(?:cd|-C|-f|--prefix|--filter|--cwd|--dir|-w|--workspaces?|--file|--justfile)[\s=]"
)
_PLACEHOLDER = re.compile(
    r"path/to|(?:\b|_)(?:foo|bar|baz|qux|example|sample|your|my|some|name|xxx+|x|y|todo|feature-name|new)(?=[._/-]|$)"
    r"|\bfeature/|[-_/][NXYZ](?=[._/-]|$)|something|[A-Z]{3,}_?NAME|NNN|XX|YYYY",
    re.IGNORECASE,
)
# Folders of other people's or generated files, wherever they are in a path.
GENERATED_FOLDERS = frozenset(
    "node_modules bower_components vendor third_party Pods site-packages __pycache__ venv dist build out target"
    " coverage worktrees".split()
)
# The same at the root of a project: they come and go.
_TRANSIENT_FOLDERS = frozenset("tmp temp .venv .cache bin obj log logs .git".split())
_PLAIN_WORDS = frozenset("sure it the a an this that sense use them him her me us your our changes progress up".split())
_SOURCE_ENDINGS = (".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx")  # `bun run tool.ts`
_BUILTINS = frozenset(
    "alias bg cd command dirs echo eval exec exit export false fg hash help history if for while jobs kill let popd"
    " printf pushd pwd read set shift source test time times trap true type ulimit umask unalias unset wait".split()
)

# Only for rule files. Hooks read none, so these are compiled on first use.

_LINK_TARGET = r"\]\(([^()\s]{1,300})\)"
_MARKED_PATH = r"[\w.+-][\w.@+-]*/(?!/)[\w.@+/-]*"
_LINE_SUFFIX = r"(?::\d+(?:[-:]\d+)?|#[\w.-]*)$"
_KNOWN_EXTENSION = (
    r"\.(?:c|cc|cpp|cs|css|go|h|hpp|html|java|js|json|jsx|kt|lua|md|mdx|mjs|mts|php|proto|py|rb|rs|scss|sh|sql|svelte"
    r"|swift|tf|toml|ts|tsx|txt|vue|xml|ya?ml|zig)$"
)
# What is to be added, what may exist, and what is forbidden, in the languages that rule files are written in.
_MARKED_DOUBTS = (
    r"(?i)\b(?:add|writes?|new|old|may|might|legacy|saved?|stored?|optional(?:ly)?|if (?:present|it exists|any)"
    r"|don[’']?t|do not|never|avoid|instead of|not|no|nicht|nie|niemals|jamais|nunca|jamás|evit\w+|não|не|нельзя"
    r"|никогда|запрещ\w+)\b"
    r"|禁止|严禁|嚴禁|不要|不得|不能|不可|切勿|避免|しない|금지|마세요|하지 마"
)


def named_references(sentence: str) -> tuple[Reference, ...]:
    """Return what a sentence names, in order of kind and place, each once, at most MAX_REFERENCES."""
    return tuple(dict.fromkeys(_named(sentence[:_MAX_CHARS])))[:MAX_REFERENCES]


def marked_references(text: str, *, is_code: bool = False) -> tuple[Reference, ...]:
    """Return what a line of Markdown names as code or as the target of a link, each once.

    Only paths and names of scripts, targets and recipes are returned. A line of a code block (`is_code`) names what
    its commands run, and no path.
    """
    text = text[:_MAX_CHARS]
    if is_code:
        return tuple(dict.fromkeys(_in_commands([text])))
    prose = prose_of(text)
    if (
        any(pattern.search(prose) for pattern in (_CHANGES, _ABSENT))
        or re.search(_MARKED_DOUBTS, prose)
        or doubt(prose)
    ):
        return ()
    spans = _CODE_SPAN.findall(text)
    return tuple(dict.fromkeys((*_in_commands(spans), *_marked_paths(text, spans))))


def prose_of(sentence: str) -> str:
    """Return a sentence without the names in it."""
    return _NAMES.sub(" ", sentence)


def _named(sentence: str) -> Iterator[Reference]:
    prose = prose_of(sentence)
    if _ABSENT.search(prose) or doubt(prose):
        return
    if not _CHANGES.search(prose):
        for match in _PATH.finditer(sentence):
            path = match[0].rstrip(".").removeprefix("./")
            is_explicit = match[0].startswith("./") or path.startswith(".") or path.endswith("/")
            if _is_plain_path(path) and (is_explicit or _EXTENSION.search(path.rpartition("/")[2])):
                yield Reference(ReferenceKind.PATH, path, path)
        for match in _BRANCH.finditer(sentence):
            name = match[1] or match[2]
            yield Reference(ReferenceKind.BRANCH, name, f"branch {name}")
    if not _ELSEWHERE.search(sentence):
        sentence = _TURNED_DOWN.sub("", sentence)
        plain = _CODE_SPAN.sub("`", sentence)
        unmarked = [*_SCRIPT.finditer(plain), *_SCRIPT_COMMAND.finditer(plain)]
        found = [*(_script_reference(match) for match in unmarked), *_in_commands(_CODE_SPAN.findall(sentence))]
        targets = (_TARGET.match(plain, verb.end()) for verb in _VERB.finditer(plain))
        found += (_target_reference(match) for match in targets if match)
        yield from sorted(filter(None, found), key=lambda reference: list(ReferenceKind).index(reference.kind))
    if not _NEGATION.search(prose):
        for match in _PROGRAM.finditer(sentence):
            if match[1] not in _BUILTINS:
                yield Reference(ReferenceKind.PROGRAM, match[1], match[1])


# Paths


def _marked_paths(text: str, spans: Iterable[str]) -> Iterator[Reference]:
    links = [(target, True) for target in re.findall(_LINK_TARGET, text)]
    for marked, is_link in [*links, *((span.strip(), False) for span in spans)]:
        shown = re.sub(_LINE_SUFFIX, "", marked)
        path = shown.removeprefix("./")
        is_known = re.search(_KNOWN_EXTENSION, path) is not None
        is_path = is_known or (not is_link and (path.endswith("/") or "." in path.rpartition("/")[2]))
        is_of_host = path.endswith("/MEMORY.md") and not is_link
        if is_path and not is_of_host and re.fullmatch(_MARKED_PATH, shown) and _is_plain_path(path):
            yield Reference(ReferenceKind.PATH, path, shown, is_ambiguous=not is_known)


def _is_plain_path(path: str) -> bool:
    """Return whether this may be a path below the root of a project, of a file that is not generated."""
    parts = path.rstrip("/").split("/")
    if not all(parts) or any(part in GENERATED_FOLDERS or part.startswith("..") for part in parts):
        return False
    if (
        ".local." in parts[-1]
        or parts[0] in _TRANSIENT_FOLDERS
        or parts[0].startswith("-")
        or _PLACEHOLDER.search(path)
    ):
        return False
    return len(parts) == 1 or "." not in parts[0].lstrip(".")  # else a domain


# Commands


def _in_commands(texts: Iterable[str]) -> Iterator[Reference]:
    """Yield the names in code, in each part of a line at which a command may begin."""
    for text in texts:
        for part in _COMMAND_BREAK.split(text):
            command = _VARIABLES.sub("", part.strip().removeprefix("$ ").split(" #", 1)[0].strip(), count=1)
            if match := _SCRIPT.match(command) or _SCRIPT_COMMAND.match(command) or _SHORT_SCRIPT.match(command):
                reference = _script_reference(match)
            else:
                match = _TARGET.match(command)
                reference = _target_reference(match) if match else None
            if reference:
                yield reference


def _script_reference(match: re.Match[str]) -> Reference | None:
    name = next(filter(None, match.groups()))
    is_name = not name.endswith(_SOURCE_ENDINGS) and not _PLACEHOLDER.search(name)
    return Reference(ReferenceKind.SCRIPT, name, match[0]) if is_name else None


def _target_reference(match: re.Match[str]) -> Reference | None:
    kind = ReferenceKind.MAKE_TARGET if match[1] == "make" else ReferenceKind.JUST_RECIPE
    return None if match[2] in _PLAIN_WORDS else Reference(kind, match[2], match[0])
