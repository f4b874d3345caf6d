"""The command that measures learning knows its formats and counts right."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import bench.extraction
from bench.train_statements import fit, fold_scores, read_sample

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
        row("Never push to the main branch on your own.", "Never push to the main branch"),
        row("The sandbox is agentic first of all.", "The sandbox is agentic", "decision"),
        row("From now on we use tabs in the whole project."),
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


def test_candidates_and_answers_of_a_judge_are_counted(tmp_path: Path) -> None:
    rows = [
        row("The staging server is deployed from the branch release.", "deployed from the branch release", "fact"),
        row("thanks"),
    ]
    alone = json.loads(measured(tmp_path, rows, "--json"))
    assert alone["candidates"] == {"sentences": 2, "share": 0.5, "recall": 1.0}
    (path,) = measured(tmp_path, rows, "--questions", str(tmp_path / "asked")).split()
    assert "deployed from the branch release" in Path(path).read_text(encoding="utf-8")
    memory = {
        "quote": "The staging server is deployed from the branch release",
        "statement": "The staging server is deployed from the branch release.",
        "kind": "environment",
    }
    answers = tmp_path / "answers.jsonl"
    answers.write_text(json.dumps({"memories": [memory]}) + "\n", encoding="utf-8")
    figures = json.loads(measured(tmp_path, rows, "--answers", str(answers), "--json"))
    assert (figures["precision"], figures["recall"], figures["kind_accuracy"]) == (1.0, 1.0, 1.0)


def test_weights_are_fitted_without_the_repository_they_are_tried_on() -> None:
    rule, task = "we never commit the files of the build number", "please fix the failing test number"
    labelled = [
        {**row(f"{text} {n}", text if text == rule else ""), "id": f"{repo}{text}{n}", "repo": f"a/{repo}"}
        for repo in range(12)
        for text in (rule, task)
        for n in range(3)
    ]
    sample = read_sample(labelled)
    scores = fold_scores(sample.sentences)
    rules = [score for sentence, score in zip(sample.sentences, scores, strict=True) if sentence.labels]
    tasks = [score for sentence, score in zip(sample.sentences, scores, strict=True) if not sentence.labels]
    assert min(rules) > max(tasks)
    assert fit(sample.sentences) == fit(sample.sentences)
