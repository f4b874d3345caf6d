"""Versions that a project uses, from its pin, lock and manifest files. They are read as text, within limits.

What counts as found is what the files say of direct dependencies and languages. One file that agrees with a sentence is
enough for green: packages of a monorepo differ. A range that admits the stated version contradicts nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from tacit.home.work_tree import WorkTree
from tacit.model.conditions import GREEN, Outcome, PinnedVersion, Trace, Version, literal_pattern, red, unknown
from tacit.model.versions import LANGUAGES, parse_version
from tacit.record import Record

_VERSION = r"v?(?P<version>\d[\d.]*)"
_MINIMUM = r"(?P<least>>=|\^|~=|~>)? ?"
# Files with the version of a language: a name and the line with it. A lower bound admits what is later.
_LANGUAGE_FILES = {
    "python": (
        (".python-version", rf"^(?:cpython-)?{_VERSION}"),
        (".tool-versions", rf"^python[ \t]+{_VERSION}"),
        ("runtime.txt", rf"^python-{_VERSION}"),
        ("mise.toml", rf'^python[ ]*=[ ]*"{_VERSION}"'),
        ("Pipfile", rf'^python_(?:full_)?version[ ]*=[ ]*"{_VERSION}"'),
        ("pyproject.toml", rf'^requires-python[ ]*=[ ]*["\'](?P<least>>=|~=)? ?{_VERSION}'),
        ("pyproject.toml", rf'^python[ ]*=[ ]*["\'](?P<least>>=|\^|~)? ?{_VERSION}'),
    ),
    "node": (
        (".nvmrc", rf"^{_VERSION}"),
        (".node-version", rf"^{_VERSION}"),
        (".tool-versions", rf"^node(?:js)?[ \t]+{_VERSION}"),
        ("mise.toml", rf'^node[ ]*=[ ]*"{_VERSION}"'),
        ("package.json", rf'"engines"[ ]*:[ ]*\{{[^}}]*"node"[ ]*:[ ]*"(?P<least>>=|\^|~)? ?{_VERSION}'),
    ),
    "go": (("go.mod", rf"^(?P<least>)go[ ]+{_VERSION}"), (".tool-versions", rf"^(?:go|golang)[ \t]+{_VERSION}")),
    "rust": (
        ("rust-toolchain.toml", rf'^channel[ ]*=[ ]*"{_VERSION}"'),
        ("rust-toolchain", rf"^{_VERSION}"),
        ("Cargo.toml", rf'^rust-version[ ]*=[ ]*(?P<least>)"{_VERSION}"'),
    ),
    "ruby": (
        (".ruby-version", rf"^(?:ruby-)?{_VERSION}"),
        (".tool-versions", rf"^ruby[ \t]+{_VERSION}"),
        ("Gemfile", rf"^ruby ['\"]{_MINIMUM}{_VERSION}"),
    ),
    "php": (("composer.json", rf'"php"[ ]*:[ ]*"{_MINIMUM}{_VERSION}'), (".tool-versions", rf"^php[ \t]+{_VERSION}")),
}
# Files with versions of packages. {0} is the name of one. Of those that list what others depend on, too, all count.
_LOCKS = (
    ("package-lock.json", r'"node_modules/{0}"[ ]*:[ ]*\{{\s*"version"[ ]*:[ ]*"' + _VERSION),
    ("pnpm-lock.yaml", r"""^[ ]+['"]?{0}['"]?:\n[ ]+specifier: .*\n[ ]+version: ['"]?""" + _VERSION),
    ("pnpm-lock.yaml", r"^[ ]{{2,6}}['\"]?{0}['\"]?: " + _VERSION),
    ("yarn.lock", r'^"?{0}@[^\n]*:\n[ ]+version:? "?' + _VERSION),
    ("bun.lock", r'"{0}": \["{0}@' + _VERSION),
    *(
        (name, r'^name = "{0}"\nversion = "' + _VERSION)
        for name in ("uv.lock", "poetry.lock", "pdm.lock", "Cargo.lock")
    ),
    ("Gemfile.lock", r"^[ ]{{4}}{0} \(" + _VERSION),
    ("requirements.txt", r"^{0}(?:\[[^\]]*\])?[ ]*==[ ]*" + _VERSION),
)
_MANIFESTS = (
    ("package.json", r'"{0}"[ ]*:[ ]*"(?P<least>[~^])?' + _VERSION + r'"'),
    ("pyproject.toml", r"""["']{0}(?:\[[^\]]*\])?[ ]*(?P<least>==|~=)[ ]*""" + _VERSION + r"[^,\"']*[\"']"),
    ("pyproject.toml", r'^{0}[ ]*=[ ]*(?:\{{[^}}]*version[ ]*=[ ]*)?"(?P<least>[\^~])' + _VERSION + '"'),
    ("Cargo.toml", r'^{0}[ ]*=[ ]*(?:\{{[^}}]*version[ ]*=[ ]*)?"(?P<least>[\^~=])?' + _VERSION + '"'),
)
_MAX_FOUND = 100


class _Found(Record):
    """A version in a file. A minimum admits what is later; a range what has the same first number."""

    version: Version
    shown: str
    path: str
    is_minimum: bool = False
    is_range: bool = False


def look_at_version(tree: WorkTree, condition: PinnedVersion) -> Outcome:
    """Return whether the files of a project have the version that a sentence states."""
    is_language = condition.name in LANGUAGES
    found = list(_languages(tree, condition.name) if is_language else _packages(tree, condition.name))[:_MAX_FOUND]
    if not found:
        return unknown(f"no pin or lock file has a version of {condition.name}")
    if tree.is_late:
        return unknown("there was no time to look")
    if any(_agrees(condition, one) for one in found):
        return GREEN
    if any(_admits(condition, one) for one in found):
        return unknown(f"{found[0].path} admits other versions: {found[0].shown}")
    first = found[0]
    return red(f"{first.path} has {condition.name} {first.shown}", Trace(first.path, literal_pattern(first.shown)))


def _agrees(condition: PinnedVersion, found: _Found) -> bool:
    """Return whether what a file has is what is stated."""
    length = min(len(found.version), len(condition.version))
    if found.is_minimum or not condition.or_later:
        return found.version[:length] == condition.version[:length]
    return found.version[:length] >= condition.version[:length]


def _admits(condition: PinnedVersion, found: _Found) -> bool:
    """Return whether a range or lower bound admits the stated version."""
    stated = condition.version
    if found.is_range:
        return found.version[:1] == stated[:1] or (condition.or_later and found.version[:1] > stated[:1])
    length = min(len(found.version), len(stated))
    return found.is_minimum and found.version[:length] < stated[:length]


def _languages(tree: WorkTree, name: str) -> Iterator[_Found]:
    for file, pattern in _LANGUAGE_FILES[name]:
        for path, text in _texts(tree, file):
            if match := re.search(pattern, text, re.MULTILINE):
                groups = match.groupdict()
                least = groups.get("least")
                shown = f"{least or ''}{match['version']}"
                yield _Found(
                    parse_version(match["version"]), shown, path, is_minimum="least" in groups and least is not None
                )


def _packages(tree: WorkTree, name: str) -> Iterator[_Found]:
    written = re.escape(name).replace("_", "-").replace(r"\-", "[-_.]")
    for rows, is_range in ((_LOCKS, False), (_MANIFESTS, True)):
        any_found = False
        for file, form in rows:
            pattern = form.format(written)
            for path, text in _texts(tree, file):
                for match in re.finditer(pattern, text, re.MULTILINE | re.IGNORECASE):
                    any_found = True
                    shown = f"{match.groupdict().get('least') or ''}{match['version']}"
                    yield _Found(parse_version(match["version"]), shown, path, is_range=is_range)
        if any_found:
            return


def _texts(tree: WorkTree, name: str) -> Iterator[tuple[str, str]]:
    for path, text in tree.texts((name,)):
        yield os.path.relpath(path, tree.root), text
