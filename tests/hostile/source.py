"""What stands in the source itself: where SQL is run and where patterns are matched, and with which texts."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from tests.support.source_trees import PACKAGE, source_trees

ROOT = PACKAGE
_RUNS_SQL = {"execute", "executemany", "executescript"}
_OPENS = {"open", "io.open", "os.open", "os.fdopen", "sqlite3.connect"}
_FREE = re.IGNORECASE | re.MULTILINE | re.DOTALL | re.VERBOSE
_SECRETS = "tacit.secrets.scanner"
# Modules with patterns in data files, and the functions that return them.
_READS_DATA = {
    "tacit.learn.statements.sentences": ("statement_forms", "exclusions", "doubts"),
    "tacit.learn.corrections": ("assent_patterns", "reproach_patterns"),
    "tacit.learn.fixes.pairs": ("never_patterns",),
    "tacit.purge.matcher": (),  # sets of bytes, of the letters of Unicode
}
_MATCHES = {"compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"}


class Source(NamedTuple):
    """A module as text and as it is."""

    name: str
    tree: ast.Module
    module: ModuleType


class Use(NamedTuple):
    """An expression that is used as SQL or as a pattern, and the function it stands in."""

    source: Source
    function: ast.FunctionDef | None
    value: ast.expr

    def __str__(self) -> str:
        return f"{self.source.name}:{self.value.lineno}: {ast.unparse(self.value)}"


@cache
def sources() -> list[Source]:
    """Every module of the package."""
    found: list[Source] = []
    for path, tree in source_trees().items():
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if parts[-1] != "__main__":
            found.append(Source(name, tree, import_module(name)))
    return found


def sql_uses(source: Source) -> Iterator[Use]:
    """Everything that is handed to SQLite to run, also through another name for `execute`."""
    for function, call in _calls(source):
        if _last_name(call.func) in _RUNS_SQL | _aliases(function) and call.args:
            yield Use(source, function, call.args[0])


def file_uses(source: Source) -> Iterator[Use]:
    """Everything that opens a file by its path: `open`, `os.open`, `Path.read_text`, `sqlite3.connect`.

    A file that is only written is left out: `open` with a mode of w, x or a.
    """
    for function, call in _calls(source):
        called = ast.unparse(call.func)
        mode = next((ast.unparse(one) for one in call.args[1:2]), "'r'") if called == "open" else "'r'"
        by_path = isinstance(call.func, ast.Attribute) and call.func.attr in ("read_text", "read_bytes")
        if by_path or (called in _OPENS and mode[1:2] not in ("w", "x", "a")):
            yield Use(source, function, call)


def pattern_uses(source: Source) -> Iterator[tuple[Use, str]]:
    """Everything that is handed to `re` as a pattern, and what for."""
    for function, call in _calls(source):
        if isinstance(call.func, ast.Attribute) and _last_name(call.func.value) == "re" and call.func.attr in _MATCHES:
            yield Use(source, function, call.args[0]), call.func.attr


@cache
def _calls(source: Source) -> list[tuple[ast.FunctionDef | None, ast.Call]]:
    inside: dict[ast.AST, ast.FunctionDef] = {}
    for function in ast.walk(source.tree):  # inner functions come later and win
        if isinstance(function, ast.FunctionDef):
            inside.update(dict.fromkeys(ast.walk(function), function))
    return [(inside.get(node), node) for node in ast.walk(source.tree) if isinstance(node, ast.Call)]


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


@cache
def _aliases(function: ast.FunctionDef | None) -> set[str]:
    """Local names for `execute`."""
    found: set[str] = set()
    for node in ast.walk(function) if function else ():
        if isinstance(node, ast.Assign) and _last_name(node.value) in _RUNS_SQL:
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return found


# Whether an expression can only be what stands in the source


def is_fixed(use: Use, deep: int = 0) -> bool:
    """Whether the text is put together from literals and constants of modules alone, wherever it comes from."""

    def fixed(node: ast.expr) -> bool:
        match node:
            case ast.Name(id=name):
                return _name_is_fixed(use, name, fixed, deep)
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if name.isupper():
                other = vars(use.source.module).get(owner)
                return isinstance(other, ModuleType) and isinstance(vars(other).get(name), str)
            case ast.Call(func=ast.Attribute(value=ast.Name(id="file"), attr="read")):
                return True  # a file of the package: `schema.sql`
            case ast.Constant():
                return True
            case _:
                parts = _put_together(node)
                return parts is not None and all(map(fixed, parts))

    return fixed(use.value)


def _put_together(node: ast.expr) -> list[ast.expr] | None:
    """What an expression is made of, where it is made of nothing else."""
    match node:
        case ast.JoinedStr(values=values) | ast.Tuple(elts=values) | ast.List(elts=values) | ast.Dict(values=values):
            return list(values)
        case ast.FormattedValue(value=value) | ast.Starred(value=value) | ast.Subscript(value=value):
            return [value]
        case ast.IfExp(body=one, orelse=other) | ast.BinOp(left=one, right=other):
            return [one, other]
        case ast.Call(func=ast.Attribute(value=value, attr="format" | "items" | "values"), args=values, keywords=[]):
            return [value, *values]
    return None


def _name_is_fixed(use: Use, name: str, fixed: Callable[[ast.expr], bool], deep: int) -> bool:
    function = use.function
    if function is not None:
        if bound := [value for node in ast.walk(function) for value in _bound(node, name)]:
            return all(map(fixed, bound))
        place = _parameter(function, name)
        if place is not None:
            found = list(given(use.source, function, place, name)) if deep < 4 else []
            return bool(found) and all(is_fixed(one, deep + 1) for one in found)
    return isinstance(vars(use.source.module).get(name), str | tuple | dict) and name.isupper()


def _bound(node: ast.AST, name: str) -> list[ast.expr]:
    """What a statement gives to a name; what it gives to several at once counts whole."""
    match node:
        case ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=ast.expr() as value):
            pass
        case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
            pass
        case _:
            return []
    if isinstance(target, ast.Tuple) and isinstance(value, ast.IfExp):
        place = next((at for at, one in enumerate(target.elts) if _last_name(one) == name), None)
        if place is None:
            return []
        sides = [side.elts[place] for side in (value.body, value.orelse) if isinstance(side, ast.Tuple)]
        return sides if len(sides) == 2 else [value]
    return [value] if name in {_last_name(one) for one in ast.walk(target) if isinstance(one, ast.expr)} else []


def _parameter(function: ast.FunctionDef, name: str) -> int | None:
    names = [one.arg for one in function.args.args if one.arg != "self"]
    return names.index(name) if name in names else None


def given(source: Source, function: ast.FunctionDef, place: int, name: str) -> Iterator[Use]:
    """What callers hand over for a parameter: those of the module, or anywhere if the function is not private."""
    for where in [source] if function.name.startswith("_") else sources():
        for caller, call in _calls(where):
            if _last_name(call.func) == function.name:
                named = [keyword.value for keyword in call.keywords if keyword.arg == name]
                value = call.args[place] if place < len(call.args) else (named[0] if named else None)
                if value is not None:
                    yield Use(where, caller, value)


# The patterns themselves


class Found(NamedTuple):
    """A pattern, where it stands, and what is done with it there."""

    place: str
    text: str
    flags: int
    methods: frozenset[str]


def patterns(every: list[Source]) -> tuple[list[Found], list[str]]:
    """All patterns of the package, and the places where none could be found."""
    found: list[Found] = []
    unseen: list[str] = []
    made = made_at_run_time() if any(source.name == _SECRETS for source in every) else []
    asked = {given: method for source in every for given, method in _asked_of(source).items()}
    for source in every:
        found += _compiled(source)
        for use, method in pattern_uses(source):
            for origin, text in _texts(use):
                if text is not None:
                    methods = frozenset({asked.get(origin.value, method)} - {"compile"})
                    found.append(Found(f"{origin} = {text!r}", text, _flags(use), methods))
                elif source.name not in _READS_DATA and not any(_is_from(one, origin) for one in made):
                    unseen.append(str(origin))
    return list(_merged([*found, *(one.found for one in made)])), unseen


class Made(NamedTuple):
    """A pattern that was put together at run time, and the function that did."""

    file: str
    function: str
    found: Found


def made_at_run_time() -> list[Made]:
    """The patterns of all rows of the table of secrets, which are made of rows when their keyword is met."""
    search = import_module(_SECRETS)
    made: list[Made] = []

    def compile_and_tell(pattern: str, flags: int = 0) -> re.Pattern[str]:
        frame = sys._getframe(1)
        place = f"{Path(frame.f_code.co_filename).stem}.{frame.f_code.co_name}: {pattern!r}"
        found = Found(place, _as_text(pattern), int(flags), frozenset({"match"}))
        made.append(Made(frame.f_code.co_filename, frame.f_code.co_name, found))
        return plainly(pattern, flags)

    plainly, re.compile = re.compile, compile_and_tell  # type: ignore[assignment]
    try:
        for module in [module for name, module in sys.modules.items() if name.startswith("tacit.secrets")]:
            for value in list(vars(module).values()):
                getattr(value, "cache_clear", lambda: None)()
        for keyword in search.probe_makers():
            search.keyword_probes(keyword)
        names, talk = import_module("tacit.secrets.names"), import_module("tacit.secrets.sentences")
        probes = import_module("tacit.secrets.probes")
        for rows in probes.option_rows()[1].values():
            for row in rows:
                probes.option_regex(row)
        for how in names._SEPARATORS:
            names.separator_regex(how)
        for noun in talk.noun_table():
            talk.connector_regex(noun)
        search.prefilter().find_by_regex(" ".join(search.probe_makers()))
    finally:
        re.compile = plainly
    return made


def _is_from(made: Made, use: Use) -> bool:
    is_inside = use.function is not None and made.function in (use.function.name, "<listcomp>")
    return is_inside and made.file == use.source.module.__file__


def _merged(found: list[Found]) -> Iterator[Found]:
    """Each text once, with everything that is done with it. What is only made here may be used in any way."""
    by_text: dict[str, Found] = {}
    for one in found:
        known = by_text.get(one.text, one)
        by_text[one.text] = known._replace(flags=known.flags | one.flags, methods=known.methods | one.methods)
    for one in by_text.values():
        yield one if one.methods else one._replace(methods=frozenset({"match", "search"}))


def _compiled(source: Source) -> Iterator[Found]:
    """Patterns that a module holds, by a name of their own or in whatever table, or has in its data files."""
    used = _methods(source)
    loaded = {name: getattr(source.module, name)() for name in _READS_DATA.get(source.name, ())}
    for name, value in (vars(source.module) | loaded).items():
        for one in _inside(value):
            if isinstance(one, re.Pattern):
                methods = used.get(name) or used.get("", frozenset())
                yield Found(f"{source.name}.{name}: {one.pattern!r}", _as_text(one.pattern), one.flags & _FREE, methods)


def _methods(source: Source) -> dict[str, frozenset[str]]:
    """What is done with patterns, by the constant they stand in; those without one under the empty name."""
    used: dict[str, frozenset[str]] = {}
    for _, call in _calls(source):
        match call.func:
            case ast.Attribute(value=ast.Name(id=name), attr=method) if method in _MATCHES and name != "re":
                held = name if name in vars(source.module) else ""
                used[held] = used.get(held, frozenset()) | {method}
    return used


def _flags(use: Use) -> int:
    """The flags of a call: those that are a constant expression anywhere among its arguments."""
    (call,) = [call for _, call in _calls(use.source) if use.value in call.args]
    flags = 0
    for argument in (*call.args[1:], *(keyword.value for keyword in call.keywords if keyword.arg == "flags")):
        if "re." in ast.unparse(argument):
            flags |= int(_value(use, argument))
    return flags


def _value(use: Use, node: ast.expr) -> Any:
    return eval(compile(ast.Expression(node), str(use), "eval"), dict(vars(use.source.module)))


def _asked_of(source: Source) -> dict[ast.expr, str]:
    """What is done with the result of a function that only compiles, by what it was given: `_compiled(X).match(…)`."""
    return {
        call.func.value.args[0]: call.func.attr
        for _, call in _calls(source)
        if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Call) and call.func.value.args
    }


def _texts(use: Use, deep: int = 0) -> Iterator[tuple[Use, str | None]]:
    """The patterns an expression can be, each with where it comes from; nothing where that cannot be told."""
    try:
        yield use, _as_text(_value(use, use.value))
        return
    except NameError:
        pass
    found: list[tuple[Use, str | None]] = []
    match use.value:
        case ast.JoinedStr():
            found = [(use, _counted(use.value))]
        case ast.IfExp(body=one, orelse=other):
            found = [part for side in (one, other) for part in _texts(use._replace(value=side), deep + 1)]
        case ast.Attribute(attr=field):
            found = [(use, text) for text in _fields(use.source, field)]
        case ast.Name(id=name) if use.function and deep < 4:
            found = list(_from_elsewhere(use, use.function, name, deep))
    yield from found or [(use, None)]


def _from_elsewhere(use: Use, function: ast.FunctionDef, name: str, deep: int) -> Iterator[tuple[Use, str | None]]:
    """What callers give for a parameter, or what a loop takes from a table of the module."""
    place = _parameter(function, name)
    if place is not None:
        for one in given(use.source, function, place, name):
            yield from _texts(one, deep + 1)
        return
    for loop in [node for node in ast.walk(function) if isinstance(node, ast.For)]:
        for table in _bound(loop, name):
            yield from ((use, text) for text in _column(use, loop, table, name))


def _column(use: Use, loop: ast.For, table: ast.expr, name: str) -> Iterator[str]:
    """The values of one name in a loop over a table."""
    names = [_last_name(one) for one in loop.target.elts] if isinstance(loop.target, ast.Tuple) else [name]
    for row in _value(use, table):
        yield _as_text(row[names.index(name)] if isinstance(loop.target, ast.Tuple) else row)


def _fields(source: Source, name: str) -> Iterator[str]:
    """The values of one field in all records of a module."""
    for table in vars(source.module).values():
        for one in _inside(table):
            if isinstance(text := getattr(one, name, None), str | bytes):
                yield _as_text(text)


def _counted(text: ast.JoinedStr) -> str | None:
    """A pattern of which only numbers are not known: any number will do to see how it is built."""
    parts: list[str] = []
    for part in text.values:
        match part:
            case ast.Constant(value=str() as plain):
                parts.append(plain)
            case ast.FormattedValue(value=ast.BinOp() | ast.Call(func=ast.Name(id="max" | "min" | "len"))):
                parts.append("7")
            case _:
                return None
    return "".join(parts)


def examples() -> dict[str, list[str]]:
    """The examples that stand beside a pattern in a table, by its text."""
    found: dict[str, list[str]] = {}
    for table in (table for one in sources() for table in vars(one.module).values() if isinstance(table, tuple)):
        for row in table:
            pattern, example = getattr(row, "pattern", None), getattr(row, "example", None)
            if isinstance(pattern, re.Pattern) and isinstance(example, str):
                found.setdefault(pattern.pattern, []).append(example)
    return found


def _as_text(pattern: object) -> str:
    return pattern.decode("latin-1") if isinstance(pattern, bytes) else str(pattern)


def _inside(value: Any, deep: int = 0) -> Iterator[object]:
    """A value and everything in it, through tuples, tables and records."""
    yield value
    if deep > 4 or isinstance(value, str | bytes | type):
        return
    parts: Iterable[Any] = value if isinstance(value, tuple | list | set | frozenset) else ()
    if isinstance(value, Mapping):
        parts = [*value.keys(), *value.values()]
    elif is_dataclass(value):
        parts = [getattr(value, field.name) for field in fields(value)]
    for part in parts:
        yield from _inside(part, deep + 1)
