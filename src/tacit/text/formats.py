"""Files of other programs as lines of text: frontmatter and imports of rule files, and TOML.

Rule files are read leniently: what cannot be parsed is left out. Paths are only computed here. Whoever reads a file
decides which folder it must not leave.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile

from tacit.record import Record

IMPORT_DEPTHS = {"claude": 4, "gemini": 5}  # how many hops from the file that a host loads it follows imports
_MAX_FRONTMATTER_LINES = 60
_MAX_LINE_CHARS = 4000
_FIELD = re.compile(r"([A-Za-z][\w-]{0,40})[ \t]*:[ \t]*(.*)")
_CODE_SPAN = re.compile(r"`[^`\n]*`")
_IMPORT = re.compile(r"(?<![\w@`/.])@((?:~/|\.{1,2}/|/)?[A-Za-z0-9_.](?:[^\s`,;:!?)\]\"'<>\\]|\\ )*)")
FENCE = re.compile(r"[ \t]{0,12}(`{3,}|~{3,})")


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
        if match := FENCE.match(line):
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


# TOML: which statement is in which lines, and values as literals. The parser of Python reports no lines. But a
# statement ends where the lines since its beginning can be parsed for the first time, so that nothing else has to be
# known of the syntax. Comments, blanks and line ends are kept (ADR 50).


class TomlStatement(Record):
    """A header, or a key with its value: the lines from `first` up to `end`.

    `values` is what the statement sets, in the tables that it is in. A header sets an empty table.
    """

    first: int
    end: int
    is_header: bool
    values: Mapping[str, object]


def parse_toml(text: str) -> dict[str, object] | None:
    """Return the values of a text; None if it is not valid. Floats stay texts, so that nan equals nan."""
    import tomllib  # slow to import, and not needed by most commands

    try:
        return tomllib.loads(text + "\n", parse_float=str)
    except (ValueError, RecursionError):
        return None


def parse_statements(text: str) -> Iterator[TomlStatement]:
    """Yield all statements in order. The text is valid TOML."""
    header = ""
    lines: list[str] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not lines and (not line.strip() or line.lstrip().startswith("#")):
            continue
        lines.append(line)
        statement, is_header = "\n".join(lines), lines[0].lstrip().startswith("[")
        values = parse_toml(statement if is_header else f"{header}\n{statement}")
        if values is not None:
            yield TomlStatement(number - len(lines), number, is_header, values)
            header = statement if is_header else header
            lines = []


def table_end(statements: Sequence[TomlStatement], header: int) -> int:
    """Return the end of the last key below the header in this line; without keys, the end of the header."""
    below = (statement for statement in statements if statement.first > header)
    return max((key.end for key in takewhile(lambda statement: not statement.is_header, below)), default=header + 1)


def newline_of(text: str) -> str:
    """Return how the lines of a text end."""
    return "\r\n" if "\r\n" in text else "\n"


def toml_literal(value: bool | int | str | Sequence[str]) -> str:
    """Return a value in TOML. Strings and lists of strings are as in JSON, except that DEL has to be escaped."""
    if not isinstance(value, bool | int | str):
        value = [*value]
    return json.dumps(value, ensure_ascii=False).replace("\x7f", r"\u007f")
