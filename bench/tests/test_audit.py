"""The bench of the audit plants what is gone, and finds just that."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.audit import audit, count_files, generate, measure


def test_what_is_planted_is_found_and_nothing_else(tmp_path: Path) -> None:
    planted = generate(tmp_path / "large", 4_000)
    done = audit(tmp_path / "large")
    assert len(planted) == 8 and set(done.gone) == planted
    assert count_files(tmp_path / "large") >= 4_000
    assert done.cpu > 0 and done.wall > 0


def test_a_repository_gets_a_row_with_what_was_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = tmp_path / "shop"
    (root / ".git").mkdir(parents=True)
    (root / "Makefile").write_text("test:\n")
    (root / "AGENTS.md").write_text("- Run `make deploy`.\n")
    first, *generated = measure([root], 2_000, listed=True)
    assert first.name == "audit: findings in shop" and first.measured.startswith("1 (2 files, 1 rule files; CPU ")
    assert "the target deploy of the Makefile does not exist" in capsys.readouterr().out
    assert [figure.ok for figure in generated[:2]] == [True, True]
