"""Imports form no circle; tests mirror the source tree; tests, benches and what they share stay apart."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.support.source_trees import source_trees

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
FORBIDDEN = {"tests": "bench", "bench": "tests", "harness": "tests|bench"}


def _module_name(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


@cache
def _names_imported() -> dict[Path, list[str]]:
    """Return what each module imports anywhere, also inside a function or for type annotations only."""
    return {path: [*_imported_names(tree)] for path, tree in source_trees().items()}


def _imported_names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _imports_of(path: Path, modules: set[str]) -> set[str]:
    """Return the modules that a module imports: the name itself, or the module that defines it."""
    names = {name if name in modules else name.rpartition(".")[0] for name in _names_imported()[path]}
    return names & modules - {_module_name(path)}


def test_nothing_but_what_an_extra_adds_is_imported_beside_the_standard_library() -> None:
    extras = {"jinja2", "llm", "markupsafe", "psycopg", "pyrage", "starlette", "uvicorn"}
    names = {name.partition(".")[0] for imported in _names_imported().values() for name in imported}
    later = {"_sha2"}  # in Python 3.12
    assert names - sys.stdlib_module_names - {"tacit"} - later <= extras
    assert tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"] == []


def test_imports_form_no_circle_not_even_inside_functions() -> None:
    paths = {_module_name(path): path for path in source_trees()}
    assert len(paths) > 100
    TopologicalSorter({name: _imports_of(path, {*paths}) for name, path in paths.items()}).prepare()


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
