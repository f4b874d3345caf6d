"""Rows of a file of labels, and which sort of labels they are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def rows_of(path: Path) -> list[Row]:
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def sort_of(rows: list[Row]) -> str:
    """`prompts` or `fixes`; told from the fields of the first row."""
    first = rows[0] if rows else {}
    if "memories" in first:
        return "prompts"
    if "verdict" in first and "transcript" in first:
        return "fixes"
    raise SystemExit("These are no labels I know: rows need `memories`, or `transcript` and `verdict`.")
