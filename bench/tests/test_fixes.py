"""The bench counts distinct facts: among the candidates, learned, wrong; by the ids that hosts give to calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench import train_fixes
from bench.extracting.fixes import Score, measure, shown
from bench.extracting.labelled_failures import labelled_failures
from tacit.learn.fixes import Ranker

SESSION = "5f0c2a4e-0d1b-4c3d-9e8f-a1b2c3d4e5f6"
CALLS = [
    ("toolu_tree", "tree src -L 2", "zsh: command not found: tree", True),
    ("toolu_0123456789abcdefgh", "find src -maxdepth 2", "a", False),
    ("toolu_again", "tree lib -L 2", "zsh: command not found: tree", True),
    ("toolu_found", "find lib -maxdepth 2", "a", False),
    ("toolu_wrong", "docker-compose up -d", "zsh: command not found: docker-compose", True),
    ("toolu_right", "docker compose up -d", "b", False),
    ("toolu_missed", "bd down", "something odd", True),
]


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train_fixes, "EPOCHS", 8)
    monkeypatch.setattr(train_fixes, "WRITTEN_FOLDS", 2)


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


def _label(
    failure: str, verdict: str, success: str | None = None, *, fact: str = "", unsure: bool = False
) -> dict[str, Any]:
    row = {"transcript": f"claude/shop/{SESSION}.jsonl", "failure_id": failure, "verdict": verdict, "error": "e"}
    return row | {"success_id": success, "borderline": unsure, "category": "x", "fix_key": fact or failure}


def _labels(folder: Path, *labels: dict[str, Any]) -> Path:
    (folder / "transcripts/claude/shop").mkdir(parents=True)
    (folder / "transcripts/claude/shop" / f"{SESSION}.jsonl").write_text(_transcript())
    (folder / "fixes").mkdir()
    (folder / "fixes/labelled.jsonl").write_text("".join(json.dumps(label) + "\n" for label in labels))
    return folder / "fixes/labelled.jsonl"


def test_two_failures_of_one_fact_count_once(tmp_path: Path) -> None:
    path = _labels(
        tmp_path,
        _label("toolu_tree", "resolved_durable", "toolu_0123456789abcdefgh", fact="tree"),
        _label("toolu_again", "resolved_durable", "toolu_found", fact="tree"),
        _label("toolu_wrong", "resolved_transient", "toolu_right"),
        _label("toolu_missed", "resolved_durable"),
    )
    measured = measure(path)
    score = measured["shop"]
    assert (len(score.facts), score.proposed) == (2, {"shop: tree"})
    assert score.learned == score.wrong == set()  # no other session shows the same
    (line,) = shown(measured, as_json=True)
    printed = json.loads(line)
    assert (printed["candidate_recall"], printed["recall"]) == (0.5, 0)
    assert list(printed["folds"]) == ["shop"]


def test_unsure_labels_and_what_everybody_knows_are_no_facts(tmp_path: Path) -> None:
    known = _label("toolu_again", "resolved_durable") | {"category": "git_upstream"}
    failures = list(labelled_failures(_labels(tmp_path, _label("toolu_tree", "resolved_durable", unsure=True), known)))
    assert not any(failure.is_durable for failure in failures)
    assert "toolu_tree" not in {failure.event_id for failure in failures}


def test_a_score_of_nothing_divides_by_nothing() -> None:
    assert (Score().precision, Score().recall, Score().candidate_recall, Score().false_per_100) == (1.0, 1.0, 1.0, 0.0)


def test_training_is_the_same_each_time_and_a_fold_does_not_see_itself() -> None:
    examples = train_fixes.written_examples()
    assert train_fixes.train(examples) == train_fixes.train(examples)
    only = train_fixes.Example({"bias": 1.0, "only:here": 1.0}, True, "shop", "a", 1.0)
    scores = train_fixes.held_out_scores([*examples, only, only])
    assert scores[-1] == scores[-2] < Ranker(train_fixes.train([*examples, *[only] * 9]), 0).score(only.features)
    assert train_fixes.fold_rankers([]) == {}


def test_every_written_pair_is_read() -> None:
    rows = [json.loads(line) for line in train_fixes.WRITTEN.read_text(encoding="utf-8").splitlines()]
    assert {row[0] for row in rows} == {"+", "-"}
    assert len(train_fixes.written_examples()) > 0.95 * len(rows)
