"""The bench counts what it says: reported, hit, missed and false, by the ids that hosts give to calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.extracting.fixes import Measured, measure, shown

SESSION = "5f0c2a4e-0d1b-4c3d-9e8f-a1b2c3d4e5f6"
CALLS = [
    ("toolu_short", "bd ls --x a", "Error: unknown flag: --x", True),
    ("toolu_0123456789abcdefgh", "bd ls a", "a", False),
    ("toolu_tests", "npm test", "Tests: 1 failed", True),
    ("toolu_wrong", "bd up --y b", "Error: unknown flag: --y", True),
    ("toolu_right", "bd up b", "b", False),
    ("toolu_missed", "bd down", "something odd", True),
]


def _record(kind: str, second: int, block: dict[str, Any]) -> str:
    message = {"role": kind, "content": [block]}
    at = f"2026-03-02T09:00:{second:02d}.000Z"
    return json.dumps({"type": kind, "uuid": f"u{second}", "sessionId": SESSION, "timestamp": at, "message": message})


def _transcript() -> str:
    lines: list[str] = []
    for own, command, result, is_error in CALLS:
        use = {"type": "tool_use", "id": own, "name": "Bash", "input": {"command": command}}
        answer = {"type": "tool_result", "tool_use_id": own, "content": result, "is_error": is_error}
        lines += [_record("assistant", len(lines), use), _record("user", len(lines) + 1, answer)]
    return "\n".join(lines) + "\n"


def _label(failure: str, verdict: str, success: str | None = None, *, unsure: bool = False) -> dict[str, Any]:
    row = {"transcript": f"claude/shop/{SESSION}.jsonl", "failure_id": failure, "verdict": verdict, "error": "e"}
    return row | {"success_id": success, "borderline": unsure}


def _measured(folder: Path, *labels: dict[str, Any]) -> Measured:
    (folder / "transcripts/claude/shop").mkdir(parents=True)
    (folder / "transcripts/claude/shop" / f"{SESSION}.jsonl").write_text(_transcript())
    (folder / "fixes").mkdir()
    (folder / "fixes/labelled.jsonl").write_text("".join(json.dumps(label) + "\n" for label in labels))
    return measure(folder / "fixes/labelled.jsonl")


def test_hits_misses_and_false_ones_are_counted(tmp_path: Path) -> None:
    measured = _measured(
        tmp_path,
        _label("toolu_short", "resolved_durable", "toolu_0123456789abcdefgh"),
        _label("toolu_wrong", "resolved_transient", "toolu_right"),
        _label("toolu_missed", "resolved_durable"),
        _label("toolu_tests", "expected_failure"),
    )
    score = measured.score()
    assert (score.failures, score.durable, score.hits, score.false, score.right) == (4, 2, 1, 1, 1)
    (line,) = shown(measured, as_json=True)
    assert json.loads(line)["precision"] == json.loads(line)["recall"] == 0.5
    assert measured.repositories == ["shop"]


def test_what_nobody_was_sure_of_does_not_count(tmp_path: Path) -> None:
    measured = _measured(tmp_path, _label("toolu_short", "resolved_transient", unsure=True))
    assert measured.score().failures == 0


def test_another_success_than_the_labelled_one_is_not_right(tmp_path: Path) -> None:
    measured = _measured(tmp_path, _label("toolu_short", "resolved_durable", "toolu_right"))
    assert (measured.score().hits, measured.score().right) == (1, 0)
