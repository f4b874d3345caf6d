"""Names are unique and of the field: a reader who knows one place knows the word everywhere."""

from __future__ import annotations

import ast
import re
from collections import defaultdict

from tests.support.source_trees import PACKAGE, source_trees

ROOT = PACKAGE
# Words of a private vocabulary that the code once had. What stands for each is in docs/adr/0049.
RETIRED = frozenset(
    "asker bearing blockwise elsewhere foresight gist giving handedit hear heard kindred likeness noticeboard rarity"
    " ruler saying shaken shelf talks teller telling told unsaid".split()
)
_MOST_MODULES = 4
# No local or parameter is named like this: it says who spoke, and not what the value is.
RETIRED_LOCALS = frozenset("heard meant said sought spoken stood told".split())


def _definitions(kind: type[ast.AST]) -> dict[str, set[str]]:
    """Names of top-level definitions, with the modules that have them."""
    found: dict[str, set[str]] = defaultdict(set)
    for path, tree in source_trees().items():
        if "surfaces" not in path.relative_to(ROOT).parts:  # forwards to the modules of today
            for node in tree.body:
                if isinstance(node, kind):
                    found[node.name].add(str(path.relative_to(ROOT)))  # type: ignore[attr-defined]
    return found


def test_no_class_name_stands_in_two_modules() -> None:
    assert {name: modules for name, modules in _definitions(ast.ClassDef).items() if len(modules) > 1} == {}


def test_no_function_name_stands_in_more_than_four_modules() -> None:
    functions = _definitions(ast.FunctionDef)
    assert len(functions) > 1_000
    assert {name: modules for name, modules in functions.items() if len(modules) > _MOST_MODULES} == {}


def test_no_module_class_or_function_has_a_retired_word_in_its_name() -> None:
    names = {*_definitions(ast.ClassDef), *_definitions(ast.FunctionDef)}
    names |= {path.stem for path in ROOT.rglob("*.py")} | {path.name for path in ROOT.rglob("*") if path.is_dir()}
    parts = {name: set(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().split("_")) for name in names}
    assert {name for name, words in parts.items() if words & RETIRED} == set()


def _locals_and_parameters(tree: ast.Module) -> set[str]:
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.Lambda)]
    nodes = {node for function in functions for node in ast.walk(function)}
    names = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    names |= {node.name for node in nodes if isinstance(node, ast.MatchAs | ast.MatchStar) and node.name}
    return names | {node.arg for node in nodes if isinstance(node, ast.arg)}


def test_no_local_and_no_parameter_has_a_retired_name() -> None:
    found = {}
    for path, tree in source_trees().items():
        if names := _locals_and_parameters(tree) & RETIRED_LOCALS:
            found[path.relative_to(ROOT).as_posix()] = names
    assert found == {}
