"""Tests mirror the source tree; tests, benches and what they share stay apart."""

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


def test_most_modules_have_a_test_module_of_their_name() -> None:
    """`tacit/index/reader.py` is tested in `tests/index/test_reader.py` or `tests/index/test_reader_*.py`."""
    source = ROOT / "src" / "tacit"
    modules = [path for path in source.rglob("*.py") if path.name != "__init__.py"]
    untested = [
        str(path.relative_to(source))
        for path in modules
        if not _tests_of(ROOT / "tests" / path.relative_to(source).parent, path.stem)
    ]
    assert len(untested) <= 0.1 * len(modules), sorted(untested)


def _tests_of(folder: Path, name: str) -> list[Path]:
    return [*folder.glob(f"test_{name}.py"), *folder.glob(f"test_{name}_*.py")]
