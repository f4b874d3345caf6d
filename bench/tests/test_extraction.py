"""The command that measures learning knows its formats and counts right."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import bench.extraction

SCRIPT = Path(bench.extraction.__file__)
KEYS = {"precision", "recall", "false_per_100", "kind_accuracy"}


def row(text: str, quote: str = "", kind: str = "constraint", *, borderline: bool = False) -> dict[str, object]:
    memories = [{"kind": kind, "quote": quote, "statement": quote}] if quote else []
    return {"text": text, "memories": memories, "borderline": borderline, "sample": "random", "repo": "a/b"}


def measured(tmp_path: Path, rows: list[dict[str, object]], *flags: str) -> str:
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    command = [sys.executable, str(SCRIPT), str(path), *flags]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_prompts_are_counted(tmp_path: Path) -> None:
    rows = [
        row("Never push to the main branch.", "Never push to the main branch."),
        row("The sandbox is agentic first of all.", "The sandbox is agentic", "decision"),
        row("We use tabs in the whole project."),
        row("Never touch the legacy folder again.", borderline=True),
    ]
    figures = json.loads(measured(tmp_path, rows, "--json"))
    assert figures.keys() >= KEYS
    assert (figures["prompts"], figures["precision"], figures["recall"]) == (3, 0.5, 0.5)
    assert figures["kind_accuracy"] == 1
    assert figures["samples"]["random"] == {key: figures[key] for key in figures["samples"]["random"]}
    listed = measured(tmp_path, rows, "--list")
    assert "WRONG" in listed
    assert "MISSED" in listed
    assert "| a/b |" not in listed  # too few prompts for a row of its own


def test_rules_are_counted(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"text": "Always run the linter before committing.", "heading": "Rules"},
        {"text": "An overview of the folders.", "heading": "Layout"},
    ]
    assert json.loads(measured(tmp_path, rows, "--json"))["recall"] == 0.5
