"""JSON as it stands in somebody's file, with comments and trailing commas: every value keeps its place in the text.

It takes one look at each character, and refuses nestings without end.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache

from tacit.record import Record

_DEEPEST = 200
_CLOSING = {"{": "}", "[": "]"}
_TIGHT = frozenset(',:"')
_BLANK = re.compile(r"[ \t\r\n]+|//[^\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_OTHER = re.compile(r"(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)(?![\w.+-])")


class Broken(ValueError):
    """Not JSON, and where it stops being so."""

    def __init__(self, text: str, at: int, wanted: str) -> None:
        line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
        super().__init__(f"line {line}, column {column}: {wanted}")


class Node(Record):
    """A value: where it is, and what is in it. `sign` is its first character."""

    sign: str
    start: int
    end: int
    inner: tuple[Element, ...] = ()


class Element(Record):
    """What stands between two commas: a value, in an object with its name. `comma` is where the one behind it is."""

    start: int
    value: Node
    comma: int | None
    name: str = ""

    @property
    def end(self) -> int:
        return self.value.end


@lru_cache(maxsize=2)
def read(text: str) -> Node:
    """The one value of a text. One edit asks for it several times."""
    reader = _Reader(text)
    start = 1 if text.startswith("\ufeff") else 0
    node = reader.value(reader.blanks(start), 0)
    if (end := reader.blanks(node.end)) < len(text):
        raise Broken(text, end, "nothing more is expected here")
    return node


def blanks(text: str, at: int) -> int:
    """Where white space and comments end."""
    while found := _BLANK.match(text, at):
        at = found.end()
    return at


def plain(text: str, node: Node) -> object:
    """The value as Python has it."""
    match node.sign:
        case "{":
            return {element.name: plain(text, element.value) for element in node.inner}
        case "[":
            return [plain(text, element.value) for element in node.inner]
        case _:
            return json.loads(text[node.start : node.end])


def member(node: Node, name: str) -> Element | None:
    """The last one of that name: it is the one that counts."""
    return next((one for one in reversed(node.inner) if one.name == name), None) if node.sign == "{" else None


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text

    def blanks(self, at: int) -> int:
        if self._text[at : at + 1] in _TIGHT:
            return at  # most often
        end = blanks(self._text, at)
        if self._text.startswith("/*", end):
            raise Broken(self._text, end, "this comment has no end")
        return end

    def value(self, at: int, depth: int) -> Node:
        sign = self._text[at : at + 1]
        if sign in _CLOSING and sign:
            return self._container(at, depth + 1)
        if sign == '"':
            return Node(sign, at, self._string(at))
        if found := _OTHER.match(self._text, at):
            return Node(sign, at, found.end())
        raise Broken(self._text, at, "a value is missing here" if sign else "the file ends too early")

    def _string(self, at: int) -> int:
        found = _STRING.match(self._text, at)
        if not found:
            raise Broken(self._text, at, "this text has no end")
        if "\\" in found[0]:
            self._unescaped(at, found.end())
        return found.end()

    def _unescaped(self, at: int, end: int) -> str:
        try:
            whole: str = json.loads(self._text[at:end])
        except ValueError:
            raise Broken(self._text, at, "this text has an escape that JSON does not know") from None
        return whole

    def _container(self, start: int, depth: int) -> Node:
        if depth > _DEEPEST:
            raise Broken(self._text, start, "this is nested too deep")
        sign = self._text[start]
        inner: list[Element] = []
        at = self.blanks(start + 1)
        while self._text[at : at + 1] != _CLOSING[sign]:
            if inner and inner[-1].comma is None:
                raise Broken(self._text, at, f"a comma or {_CLOSING[sign]} is missing here")
            inner.append(self._element(at, sign, depth))
            at = self.blanks(inner[-1].end if (comma := inner[-1].comma) is None else comma + 1)
        return Node(sign, start, at + 1, tuple(inner))

    def _element(self, at: int, sign: str, depth: int) -> Element:
        name, start = "", at
        if sign == "{":
            name, at = self._name(at)
        value = self.value(at, depth)
        comma = self.blanks(value.end)
        return Element(start, value, comma if self._text[comma : comma + 1] == "," else None, name)

    def _name(self, at: int) -> tuple[str, int]:
        if self._text[at : at + 1] != '"':
            raise Broken(self._text, at, "a name in double quotes is missing here")
        end = self._string(at)
        colon = self.blanks(end)
        if self._text[colon : colon + 1] != ":":
            raise Broken(self._text, colon, "a colon is missing here")
        return self._unescaped(at, end), self.blanks(colon + 1)
