"""Printing: lines, warnings and JSON."""

from __future__ import annotations

import os
import sys

# Saying things: a line, a warning, JSON.


def echo(line: str = "") -> None:
    print(line)


def warn(line: str) -> None:
    print(line, file=sys.stderr)


def echo_json(value: object) -> None:
    import json

    print(json.dumps(value, indent=2, default=_json_default))


def _json_default(value: object) -> object:
    if isinstance(value, frozenset | set):
        return sorted(value)
    return str(value)


def pluralize(number: int, noun: str, many: str = "") -> str:
    return f"{number:,} {noun if number == 1 else many or noun + 's'}"


def trust_hint(number: int) -> str:
    """That a repository brought facts nobody decided on yet, and what to type; nothing of what they say."""
    wait = "waits" if number == 1 else "wait"
    return f"{pluralize(number, 'fact')} in docs/memory/memories.ndjson {wait} for your trust: tacit trust"


def short_path(path: str) -> str:
    """A path as people write it: their own folder is `~`."""
    folder = os.path.expanduser("~")
    return f"~{path[len(folder) :]}" if path.startswith(folder + os.sep) else path
