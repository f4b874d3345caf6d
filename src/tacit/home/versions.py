"""Versions that a project uses, from its pin, lock and manifest files. They are read as text, within limits.

What counts as found is what the files say of direct dependencies and languages. One file that agrees with a sentence is
enough for green: packages of a monorepo differ. A range that admits the stated version contradicts nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from tacit.home.work_tree import WorkTree
from tacit.model.conditions import GREEN, LookupResult, PinnedVersion, Trace, Version, literal_pattern, red, unknown
from tacit.model.versions import LANGUAGES, parse_version
from tacit.record import Record

_VERSION = r"v?(?P<version>\d[\d.]{0,30})"
# A language, a file, and the line with its version. A lower bound (`least`) admits what is later.
_LANGUAGE_ROWS = (
    ("python", ".python-version", rf"^(?:cpython-)?{_VERSION}"),
    ("python", ".tool-versions", rf"^python[ \t]+{_VERSION}"),
    ("python", "runtime.txt", rf"^python-{_VERSION}"),
    ("python", "mise.toml", rf'^python ?= ?"{_VERSION}"'),
    ("python", "Pipfile", rf'^python_(?:full_)?version ?= ?"{_VERSION}"'),
    ("python", "pyproject.toml", rf'^(?:requires-)?python ?= ?["\'](?P<least>>=|\^|~=?)? ?{_VERSION}'),
    ("node", ".nvmrc", rf"^{_VERSION}"),
    ("node", ".node-version", rf"^{_VERSION}"),
    ("node", ".tool-versions", rf"^node(?:js)?[ \t]+{_VERSION}"),
    ("node", "mise.toml", rf'^node ?= ?"{_VERSION}"'),
    ("node", "package.json", rf'"engines": ?\{{[^}}"]{{0,200}}"node": ?"(?P<least>>=|\^|~)? ?{_VERSION}'),
    ("go", "go.mod", rf"^(?P<least>)go {_VERSION}"),
    ("go", ".tool-versions", rf"^go(?:lang)?[ \t]+{_VERSION}"),
    ("rust", "rust-toolchain.toml", rf'^channel ?= ?"{_VERSION}"'),
    ("rust", "rust-toolchain", rf"^{_VERSION}"),
    ("rust", "Cargo.toml", rf'^rust-version ?= ?(?P<least>)"{_VERSION}"'),
    ("ruby", ".ruby-version", rf"^(?:ruby-)?{_VERSION}"),
    ("ruby", ".tool-versions", rf"^ruby[ \t]+{_VERSION}"),
    ("ruby", "Gemfile", rf"^ruby ['\"](?P<least>>=|~>)? ?{_VERSION}"),
    ("php", "composer.json", rf'"php": ?"(?P<least>>=|\^|~)? ?{_VERSION}'),
    ("php", ".tool-versions", rf"^php[ \t]+{_VERSION}"),
)
_NAME = r"(?P<name>@?[\w./-]{1,120})"
# Whether a file is a manifest, which has ranges, its name, and the lines with a package. Of files that list what others
# depend on, too, all versions of a package count.
_PACKAGE_ROWS = (
    (False, "package-lock.json", rf'"node_modules/{_NAME}": ?\{{\s{{0,20}}"version": ?"{_VERSION}'),
    (
        False,
        "pnpm-lock.yaml",
        rf"^ {{2,10}}['\"]?{_NAME}['\"]?:\n {{2,12}}specifier: .*\n {{2,12}}version: ['\"]?{_VERSION}",
    ),
    (False, "pnpm-lock.yaml", rf"^ {{2,6}}['\"]?{_NAME}['\"]?: {_VERSION}"),
    (False, "yarn.lock", rf'^"?{_NAME}@[^\n]{{1,300}}:\n  version:? "?{_VERSION}'),
    (False, "bun.lock", rf'"{_NAME}": ?\["@?[^"@\n]{{1,120}}@{_VERSION}'),
    (False, "uv.lock", rf'^name = "{_NAME}"\nversion = "{_VERSION}'),
    (False, "poetry.lock", rf'^name = "{_NAME}"\nversion = "{_VERSION}'),
    (False, "Cargo.lock", rf'^name = "{_NAME}"\nversion = "{_VERSION}'),
    (False, "Gemfile.lock", rf"^ {{4}}{_NAME} \({_VERSION}"),
    (False, "requirements.txt", rf"^{_NAME}(?:\[[^\]\n]{{1,60}}\])? ?== ?{_VERSION}"),
    (True, "package.json", rf'"{_NAME}": ?"(?P<least>[~^])?{_VERSION}"'),
    (True, "pyproject.toml", rf"[\"']{_NAME}(?:\[[^\]\n]{{1,60}}\])? ?(?P<least>==|~=) ?{_VERSION}"),
    (True, "pyproject.toml", rf'^{_NAME} ?= ?(?:\{{[^}}"\n]{{0,60}}version ?= ?)?"(?P<least>[\^~]){_VERSION}'),
    (True, "Cargo.toml", rf'^{_NAME} ?= ?(?:\{{[^}}"\n]{{0,60}}version ?= ?)?"(?P<least>[\^~=])?{_VERSION}'),
)
_MAX_FOUND = 100


class _Found(Record):
    """A version in a file. A minimum admits what is later; a range what has the same first number."""

    version: Version
    shown: str
    path: str
    is_minimum: bool = False
    is_range: bool = False


def look_at_version(tree: WorkTree, condition: PinnedVersion) -> LookupResult:
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
        length = min(1 if found.version[0] else 2, len(stated))  # `^0.8` admits no 0.9
        return found.version[:length] == stated[:length]
    length = min(len(found.version), len(stated))
    return found.is_minimum and found.version[:length] < stated[:length]


def _languages(tree: WorkTree, wanted: str) -> Iterator[_Found]:
    for language, file, pattern in _LANGUAGE_ROWS:
        for path, text in tree.texts((file,)) if language == wanted else ():
            if match := re.search(pattern, text, re.MULTILINE):
                least = match.groupdict().get("least")
                yield _found(tree, path, match["version"], least or "", is_minimum=least is not None)


def _packages(tree: WorkTree, wanted: str) -> Iterator[_Found]:
    """Yield the versions of a package in lock files, or if none has it in manifests."""
    locked = False
    for is_manifest, file in dict.fromkeys(row[:2] for row in _PACKAGE_ROWS):
        for path, text in tree.texts((file,)) if not (is_manifest and locked) else ():
            for least, version in _versions_in(text, file).get(_key(wanted), ()):
                locked = locked or not is_manifest
                yield _found(tree, path, version, least, is_range=is_manifest)


@lru_cache(maxsize=64)
def _versions_in(text: str, name: str) -> Mapping[str, Sequence[tuple[str, str]]]:
    """Return the versions of all packages in a file of this name, with the operator before each."""
    found: dict[str, list[tuple[str, str]]] = {}
    for _, file, pattern in _PACKAGE_ROWS:
        for match in re.finditer(pattern, text, re.MULTILINE) if file == name else ():
            found.setdefault(_key(match["name"]), []).append((match.groupdict().get("least") or "", match["version"]))
    return found


def _key(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


def _found(
    tree: WorkTree, path: str, version: str, least: str, *, is_minimum: bool = False, is_range: bool = False
) -> _Found:
    version = version.rstrip(".")
    return _Found(parse_version(version), least + version, os.path.relpath(path, tree.root), is_minimum, is_range)
