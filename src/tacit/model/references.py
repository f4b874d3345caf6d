"""What a sentence names that can be looked up: paths, package scripts, make targets, just recipes, programs, branches.

A wrong warning is worse than none, so only plain forms count. "Use docs/setup.md", "run `make lint`" and "the branch
`release`" name something; "client/server", "make sure", globs, URLs and sentences about creating or removing do not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum

from tacit.record import Record

MAX_REFERENCES = 8  # of one sentence
_MAX_CHARS = 2000


class ReferenceKind(StrEnum):
    """What is looked up."""

    PATH = "path"
    SCRIPT = "script"
    MAKE_TARGET = "make target"
    JUST_RECIPE = "just recipe"
    PROGRAM = "program"
    BRANCH = "branch"


class Reference(Record):
    """A name in a sentence; `text` is how a remark calls it."""

    kind: ReferenceKind
    name: str
    text: str


_PATH = re.compile(r"(?<![\w@:/~.$*%{}<>\\-])[\w.+-]++/[\w.+/-]*+(?![*?{<$\[%(@:=])")
_EXTENSION = re.compile(r".\.[A-Za-z][A-Za-z0-9]{0,7}$")
_SCRIPT = re.compile(r"\b(npm|pnpm|yarn|bun) (?:run(?:-script)? ([\w:.-]*\w)|(test|start)\b)")
_MAKE = re.compile(r"(?:`|\b(?:run|running|use|via|type) )make ([A-Za-z][\w.-]*\w|\w)(?![\w=])")
_JUST = re.compile(r"`just ([A-Za-z][\w-]*)(?![\w=])")
_PROGRAM = re.compile(r"\b(?:run|execute|type|invoke|start)(?:s|ning)? `([a-z][a-z0-9_.+-]*)[ `]", re.IGNORECASE)
_BRANCH = re.compile(r"\bbranch (?:named |called )?`([\w./-]+)`|`([\w./-]+)` branch\b")
_NAMES = re.compile(r"`[^`]*`|\S*/\S*")  # not searched for words
# What such a sentence names need not exist, or is known not to.
_CHANGES = re.compile(
    r"\b(?:creat|generat|output|emit|remov|delet|renam|replac)\w*|\bwrit(?:e|es|ten) \w+ ?to\b"
    r"|\b(?:moved|gone|missing|no longer|used to|obsolete|ignored?|gitignored?)\b",
    re.IGNORECASE,
)
_NEGATION = re.compile(r"\b(?:never|not|no|don't|dont|avoid|without|instead|rather)\b", re.IGNORECASE)
_ELSEWHERE = re.compile(
    r"(?:^|[\s`])(?:cd|-C|-f|--prefix|--filter|--cwd|--dir|-w|--workspaces?|--file|--justfile)[\s=]"
)
# Results of builds and local files: they come and go.
_TRANSIENT_FOLDERS = frozenset(
    "node_modules dist build out target tmp temp coverage venv .venv .cache bin obj log logs vendor .git".split()
)
_PLAIN_WORDS = frozenset("sure it the a an this that sense use them him her me us your our changes progress up".split())
_BUILTINS = frozenset(
    "alias bg cd command dirs echo eval exec exit export false fg hash help history if for while jobs kill let popd"
    " printf pushd pwd read set shift source test time times trap true type ulimit umask unalias unset wait".split()
)


def named_references(sentence: str) -> tuple[Reference, ...]:
    """Return what a sentence names, in order of kind and place, each once, at most MAX_REFERENCES."""
    return tuple(dict.fromkeys(_references(sentence[:_MAX_CHARS])))[:MAX_REFERENCES]


def _references(sentence: str) -> Iterator[Reference]:
    prose = _NAMES.sub(" ", sentence)
    if not _CHANGES.search(prose):
        for match in _PATH.finditer(sentence):
            path = match[0].rstrip(".").removeprefix("./")
            if _is_plain_path(path, is_explicit=match[0].startswith("./")):
                yield Reference(ReferenceKind.PATH, path, path)
        for match in _BRANCH.finditer(sentence):
            name = match[1] or match[2]
            yield Reference(ReferenceKind.BRANCH, name, f"branch {name}")
    if not _ELSEWHERE.search(sentence):
        for match in _SCRIPT.finditer(sentence):
            name = match[2] or match[3]
            yield Reference(ReferenceKind.SCRIPT, name, match[0])
        for kind, pattern, program in (
            (ReferenceKind.MAKE_TARGET, _MAKE, "make"),
            (ReferenceKind.JUST_RECIPE, _JUST, "just"),
        ):
            for match in pattern.finditer(sentence):
                if match[1] not in _PLAIN_WORDS:
                    yield Reference(kind, match[1], f"{program} {match[1]}")
    if not _NEGATION.search(prose):
        for match in _PROGRAM.finditer(sentence):
            if match[1] not in _BUILTINS:
                yield Reference(ReferenceKind.PROGRAM, match[1], match[1])


def _is_plain_path(path: str, *, is_explicit: bool) -> bool:
    """Return whether this can only be a path below the root of a project."""
    parts = path.rstrip("/").split("/")
    if not all(parts) or ".." in parts or parts[0] in _TRANSIENT_FOLDERS or parts[0].startswith("-"):
        return False
    if "." in parts[0].lstrip(".") and len(parts) > 1:  # a domain
        return False
    return is_explicit or path.endswith("/") or parts[0].startswith(".") or bool(_EXTENSION.search(parts[-1]))
