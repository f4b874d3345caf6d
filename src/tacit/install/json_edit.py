"""JSON with comments: a parser that keeps positions, and edits that leave every other byte as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import lru_cache

from tacit.record import Record

# JSON as it stands in somebody's file, with comments and trailing commas: every value keeps its place in the text.
#
# It takes one look at each character, and refuses nestings without end.

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


# Changes of a JSON text that leave every other byte as it is. Taking out undoes exactly what putting in did.

Path = tuple[str | int, ...]


class Splice(Record):
    """Text in the place of what stands between two places."""

    start: int
    end: int
    text: str


def spliced(text: str, *splices: Splice) -> str:
    """What goes to the same place is given in its order."""
    for one in sorted(splices, key=lambda splice: splice.start)[::-1]:
        text = text[: one.start] + one.text + text[one.end :]
    return text


def find(text: str, path: Path) -> Node | None:
    """The value at a path of names and places."""
    node: Node | None = read(text)
    for step in path:
        if node is None:
            return None
        if isinstance(step, int):
            node = node.inner[step].value if node.sign == "[" and step < len(node.inner) else None
        else:
            node = found.value if (found := member(node, step)) else None
    return node


def put(text: str, path: Path, value: object) -> str:
    """A member at the end of its object; a value that is there already is replaced."""
    if there := find(text, path):
        return spliced(text, Splice(there.start, there.end, _rendered(text, there, value)))
    around = find(text, path[:-1])
    assert around is not None
    name = json.dumps(path[-1], ensure_ascii=False) + (": " if _is_airy(text) else ":")
    return _added(text, around, name + _rendered_inside(text, around, value))


def append(text: str, path: Path, value: object) -> str:
    """One more item at the end of an array."""
    around = find(text, path)
    assert around is not None
    return _added(text, around, _rendered_inside(text, around, value))


def take_out(text: str, path: Path) -> str:
    """A member or an item with its comma and its line."""
    around, last = find(text, path[:-1]), path[-1]
    assert around is not None
    names = [one.name for one in around.inner]
    at = last if isinstance(last, int) else len(names) - 1 - names[::-1].index(last)
    return spliced(text, *_without(text, around, at))


def interior(text: str, path: Path) -> str | None:
    """What stands in a container that holds no value; nothing where it holds one, or is none."""
    node = find(text, path)
    return text[node.start + 1 : node.end - 1] if node and node.sign in "{[" and not node.inner else None


def with_interior(text: str, path: Path, inside: str) -> str:
    node = find(text, path)
    assert node is not None
    return spliced(text, Splice(node.start + 1, node.end - 1, inside))


def value_at(text: str, path: Path) -> object:
    node = find(text, path)
    return None if node is None else plain(text, node)


# How it is put in: as the neighbours are


def _added(text: str, around: Node, rendered: str) -> str:
    if not around.inner:
        return spliced(text, _first(text, around, rendered))
    last, lead = around.inner[-1], _lead(text, around)
    if last.comma is not None:  # they like a comma at the end
        at = _behind(text, last.comma + 1, lead)
        return spliced(text, Splice(at, at, lead + rendered + ","))
    at = _behind(text, last.end, lead)
    return spliced(text, Splice(last.end, last.end, ","), Splice(at, at, lead + rendered))


def _first(text: str, around: Node, rendered: str) -> Splice:
    start, end, lead = around.start + 1, around.end - 1, _lead(text, around)
    if text[start:end].strip():  # a comment, which stays behind it
        return Splice(start, start, lead + rendered)
    closing = _newline(text) + _line_indent(text, around.start) if lead else ""
    return Splice(start, end, lead + rendered + closing)


def _lead(text: str, around: Node) -> str:
    """What stands before a new element: a line of its own where the others have one."""
    if _on_lines(text, around):
        return _newline(text) + _indent(text, around)
    return " " if around.inner and _is_airy(text) else ""


def _rendered_inside(text: str, around: Node, value: object) -> str:
    return _dumped(text, value, _indent(text, around) if _on_lines(text, around) else None)


def _rendered(text: str, there: Node, value: object) -> str:
    """In the place of another value: on as many lines as that one."""
    on_lines = "\n" in text[there.start : there.end]
    return _dumped(text, value, _line_indent(text, there.start) if on_lines else None)


def _dumped(text: str, value: object, indent: str | None) -> str:
    if indent is None:
        return json.dumps(value, ensure_ascii=False, separators=(", ", ": ") if _is_airy(text) else (",", ":"))
    return json.dumps(value, ensure_ascii=False, indent=_unit(text)).replace("\n", _newline(text) + indent)


def _on_lines(text: str, around: Node) -> bool:
    return _own_lines(text, around) if around.inner else _has_lines(text)


def _indent(text: str, around: Node) -> str:
    """Of an element in a container."""
    if around.inner and _own_lines(text, around):
        return _line_indent(text, around.inner[0].start)
    return _line_indent(text, around.start) + _unit(text)


def _own_lines(text: str, around: Node) -> bool:
    return "\n" in text[around.start : around.inner[0].start]


def _line_indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at].lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _behind(text: str, at: int, lead: str) -> int:
    """Behind the comment that stands on the same line, for a line of one's own: it belongs to what is before it."""
    end = blanks(text, at)
    line = text.find("\n", at, end)
    rest = text[at : line if line >= 0 else end].rstrip()
    is_whole = rest.lstrip().startswith("//") or (rest.lstrip().startswith("/*") and rest.endswith("*/"))
    return at + len(rest) if lead.startswith(("\r", "\n")) and is_whole else at


def _unit(text: str) -> str:
    """One step of indentation: that of the outermost members."""
    root = read(text)
    return (_line_indent(text, root.inner[0].start) if root.inner and _own_lines(text, root) else "") or "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _has_lines(text: str) -> bool:
    """A file on one line stays on one line, but for an empty object."""
    root = read(text)
    return not root.inner or "\n" in text[root.start : root.end]


def _is_airy(text: str) -> bool:
    """Whether a blank stands behind colons."""
    root = read(text)
    if not root.inner or root.sign != "{":
        return True
    first = root.inner[0]
    return text[first.value.start - 1] != ":"


# How it is taken out


def _without(text: str, around: Node, at: int) -> Iterable[Splice]:
    element = around.inner[at]
    end = element.end if element.comma is None else element.comma + 1
    before = around.inner[at - 1] if at else None
    if at + 1 < len(around.inner):
        yield _not_last(text, element, around.inner[at + 1], end, alone=before is None)
    elif before is None:
        yield _only(text, around, element, end)
    else:
        yield Splice(_gap(text, element.start, end), end, "")
        if element.comma is None and before.comma is not None:
            yield Splice(before.comma, before.comma + 1, "")


def _not_last(text: str, element: Element, following: Element, end: int, *, alone: bool) -> Splice:
    gap = _gap(text, element.start, end)
    between = text[end : following.start]
    if alone and "\n" not in text[gap : element.start] and not between.strip():
        return Splice(element.start, following.start, "")
    return Splice(gap, end, "")


def _only(text: str, around: Node, element: Element, end: int) -> Splice:
    gap = _gap(text, element.start, end)
    if not text[around.start + 1 : gap].strip() and not text[end : around.end - 1].strip():
        return Splice(around.start + 1, around.end - 1, "")
    return Splice(gap, end, "")


def _gap(text: str, start: int, end: int) -> int:
    """Where the white space before an element begins. A comment to the end of a line needs that end."""
    gap = start
    while gap and text[gap - 1] in " \t\r\n":
        gap -= 1
    line = text[text.rfind("\n", 0, gap) + 1 : gap]
    rest = text[end:].lstrip(" \t")
    if "//" in line and gap < start and not rest.startswith(("\n", "\r\n")):
        return text.find("\n", gap) + 1
    return gap
