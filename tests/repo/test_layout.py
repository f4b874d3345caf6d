"""Tests, benches and what they share stay apart."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FORBIDDEN = {"tests": "bench", "bench": "tests", "harness": "tests|bench"}


@pytest.mark.parametrize("folder", FORBIDDEN)
def test_tests_and_benches_do_not_import_each_other(folder: str) -> None:
    imports = re.compile(rf"^\s*(?:from|import) (?:{FORBIDDEN[folder]})\b", re.MULTILINE)
    paths = [path for path in (ROOT / folder).rglob("*.py") if path.parts[-2:] != ("repo", "test_layout.py")]
    assert len(paths) > 5
    assert [str(path.relative_to(ROOT)) for path in paths if imports.search(path.read_text(encoding="utf-8"))] == []
