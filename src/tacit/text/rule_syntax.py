"""Frontmatter and imports of rule files. Everything is read leniently: what cannot be parsed is left out.

Paths are only computed here. Whoever reads a file decides which folder it must not leave.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping

IMPORT_DEPTHS = {"claude": 4, "gemini": 5}  # how many hops from the file that a host loads it follows imports
_MAX_FRONTMATTER_LINES = 60
_MAX_LINE_CHARS = 4000
_FIELD = re.compile(r"([A-Za-z][\w-]{0,40})[ \t]*:[ \t]*(.*)")
_CODE_SPAN = re.compile(r"`[^`\n]*`")
_IMPORT = re.compile(r"(?<![\w@`/.])@((?:~/|\.{1,2}/|/)?[A-Za-z0-9_.](?:[^\s`,;:!?)\]\"'<>\\]|\\ )*)")
_FENCE = re.compile(r"[ \t]{0,12}(`{3,}|~{3,})")


def frontmatter(text: str) -> dict[str, str]:
    """Return the top-level fields between the `---` lines at the beginning. A list is joined with commas."""
    lines = text[: 64 * 1024].split("\n")
    if not lines or lines[0].strip() != "---":
        return {}
    fields: dict[str, str] = {}
    current = ""
    for line in lines[1:_MAX_FRONTMATTER_LINES]:
        if line.strip() == "---":
            return fields
        if match := _FIELD.fullmatch(line.rstrip()):
            current = match[1]
            fields[current] = match[2].strip()
        elif current and (item := line.strip()).startswith("- "):
            fields[current] = ",".join(filter(None, (fields[current], item[2:].strip().strip("\"'"))))
    return {}


def file_patterns(fields: Mapping[str, str]) -> tuple[str, ...]:
    """Return the globs that restrict a file, from any host's field. Those that match everything are left out."""
    value = fields.get("paths") or fields.get("globs") or fields.get("applyTo") or ""
    parts = (part.strip().strip("[]\"' ") for part in value.split(","))
    return tuple(part for part in parts if part and part not in ("**", "**/*", "*"))


def imports_in(text: str) -> Iterator[tuple[int, str]]:
    """Yield the line and path of each `@path`, outside of code spans and fenced code."""
    if "@" not in text:
        return
    fence = ""
    for number, line in enumerate(text.split("\n"), 1):
        if match := _FENCE.match(line):
            fence = "" if fence and match[1].startswith(fence) else fence or match[1]
            continue
        if not fence and "@" in line:
            for imported in _IMPORT.finditer(_CODE_SPAN.sub("", line[:_MAX_LINE_CHARS])):
                if target := imported[1].replace("\\ ", " ").rstrip(".*"):
                    yield number, target


def import_path(target: str, importer: str, user_folder: str) -> str:
    """Return the path that an import in the file `importer` names. `~` is the person's home folder."""
    path = os.path.join(user_folder, target.lstrip("~").lstrip("/")) if target.startswith("~") else target
    return os.path.normpath(os.path.join(os.path.dirname(importer), path))


def is_prose_path(path: str) -> bool:
    """Return whether the lines of a file can be rules. Hosts also load imported code and data."""
    return os.path.splitext(path)[1].lower() in ("", ".md", ".mdc", ".markdown", ".txt") or path.endswith(
        ".cursorrules"
    )


def is_path_like(target: str) -> bool:
    """Return whether a word after `@` is meant as a file, and not as a person, a decorator or a package."""
    has_ending = re.search(r"\.(?:mdc?|markdown|txt|json|toml|ya?ml)$", target) is not None
    return has_ending or target.startswith(("./", "../", "~/"))
