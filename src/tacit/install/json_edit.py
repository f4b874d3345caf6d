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

_MAX_DEPTH = 200
_CLOSING_BRACKETS = {"{": "}", "[": "]"}
_TOKEN_STARTS = frozenset(',:"')
_BLANK_OR_COMMENT = re.compile(r"[ \t\r\n]+|//[^\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_NUMBER_OR_WORD = re.compile(r"(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)(?![\w.+-])")


class JsonSyntaxError(ValueError):
    """Not JSON, and where it stops being so."""

    def __init__(self, text: str, at: int, wanted: str) -> None:
        line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
        super().__init__(f"line {line}, column {column}: {wanted}")


class JsonNode(Record):
    """A value: where it is, and what is in it. `sign` is its first character."""

    first_char: str
    start: int
    end: int
    elements: tuple[JsonElement, ...] = ()


class JsonElement(Record):
    """What stands between two commas: a value, in an object with its name. `comma` is where the one behind it is."""

    start: int
    value: JsonNode
    comma: int | None
    name: str = ""

    @property
    def end(self) -> int:
        return self.value.end


@lru_cache(maxsize=2)
def parse_json(text: str) -> JsonNode:
    """The one value of a text. One edit asks for it several times."""
    reader = _JsonParser(text)
    start = 1 if text.startswith("\ufeff") else 0
    node = reader.parse_value(reader.skip_blanks(start), 0)
    if (end := reader.skip_blanks(node.end)) < len(text):
        raise JsonSyntaxError(text, end, "nothing more is expected here")
    return node


def skip_blanks(text: str, at: int) -> int:
    """Where white space and comments end."""
    while found := _BLANK_OR_COMMENT.match(text, at):
        at = found.end()
    return at


def to_python(text: str, node: JsonNode) -> object:
    """The value as Python has it."""
    match node.first_char:
        case "{":
            return {element.name: to_python(text, element.value) for element in node.elements}
        case "[":
            return [to_python(text, element.value) for element in node.elements]
        case _:
            return json.loads(text[node.start : node.end])


def find_member(node: JsonNode, name: str) -> JsonElement | None:
    """The last one of that name: it is the one that counts."""
    return next((one for one in reversed(node.elements) if one.name == name), None) if node.first_char == "{" else None


class _JsonParser:
    def __init__(self, text: str) -> None:
        self._text = text

    def skip_blanks(self, at: int) -> int:
        if self._text[at : at + 1] in _TOKEN_STARTS:
            return at  # most often
        end = skip_blanks(self._text, at)
        if self._text.startswith("/*", end):
            raise JsonSyntaxError(self._text, end, "this comment has no end")
        return end

    def parse_value(self, at: int, depth: int) -> JsonNode:
        sign = self._text[at : at + 1]
        if sign in _CLOSING_BRACKETS and sign:
            return self._parse_container(at, depth + 1)
        if sign == '"':
            return JsonNode(sign, at, self._string_end(at))
        if found := _NUMBER_OR_WORD.match(self._text, at):
            return JsonNode(sign, at, found.end())
        raise JsonSyntaxError(self._text, at, "a value is missing here" if sign else "the file ends too early")

    def _string_end(self, at: int) -> int:
        found = _STRING.match(self._text, at)
        if not found:
            raise JsonSyntaxError(self._text, at, "this text has no end")
        if "\\" in found[0]:
            self._unescape(at, found.end())
        return found.end()

    def _unescape(self, at: int, end: int) -> str:
        try:
            whole: str = json.loads(self._text[at:end])
        except ValueError:
            raise JsonSyntaxError(self._text, at, "this text has an escape that JSON does not know") from None
        return whole

    def _parse_container(self, start: int, depth: int) -> JsonNode:
        if depth > _MAX_DEPTH:
            raise JsonSyntaxError(self._text, start, "this is nested too deep")
        sign = self._text[start]
        inner: list[JsonElement] = []
        at = self.skip_blanks(start + 1)
        while self._text[at : at + 1] != _CLOSING_BRACKETS[sign]:
            if inner and inner[-1].comma is None:
                raise JsonSyntaxError(self._text, at, f"a comma or {_CLOSING_BRACKETS[sign]} is missing here")
            inner.append(self._parse_element(at, sign, depth))
            at = self.skip_blanks(inner[-1].end if (comma := inner[-1].comma) is None else comma + 1)
        return JsonNode(sign, start, at + 1, tuple(inner))

    def _parse_element(self, at: int, sign: str, depth: int) -> JsonElement:
        name, start = "", at
        if sign == "{":
            name, at = self._parse_name(at)
        value = self.parse_value(at, depth)
        comma = self.skip_blanks(value.end)
        return JsonElement(start, value, comma if self._text[comma : comma + 1] == "," else None, name)

    def _parse_name(self, at: int) -> tuple[str, int]:
        if self._text[at : at + 1] != '"':
            raise JsonSyntaxError(self._text, at, "a name in double quotes is missing here")
        end = self._string_end(at)
        colon = self.skip_blanks(end)
        if self._text[colon : colon + 1] != ":":
            raise JsonSyntaxError(self._text, colon, "a colon is missing here")
        return self._unescape(at, end), self.skip_blanks(colon + 1)


# Changes of a JSON text that leave every other byte as it is. Taking out undoes exactly what putting in did.

JsonPath = tuple[str | int, ...]


class Splice(Record):
    """Text in the place of what stands between two places."""

    start: int
    end: int
    text: str


def apply_splices(text: str, *splices: Splice) -> str:
    """What goes to the same place is given in its order."""
    for one in sorted(splices, key=lambda splice: splice.start)[::-1]:
        text = text[: one.start] + one.text + text[one.end :]
    return text


def find_node(text: str, path: JsonPath) -> JsonNode | None:
    """The value at a path of names and places."""
    node: JsonNode | None = parse_json(text)
    for step in path:
        if node is None:
            return None
        if isinstance(step, int):
            node = node.elements[step].value if node.first_char == "[" and step < len(node.elements) else None
        else:
            node = found.value if (found := find_member(node, step)) else None
    return node


def set_value(text: str, path: JsonPath, value: object) -> str:
    """A member at the end of its object; a value that is there already is replaced."""
    if there := find_node(text, path):
        return apply_splices(text, Splice(there.start, there.end, _render_replacement(text, there, value)))
    around = find_node(text, path[:-1])
    assert around is not None
    name = json.dumps(path[-1], ensure_ascii=False) + (": " if _has_space_after_colon(text) else ":")
    return _add_element(text, around, name + _render_element(text, around, value))


def append_item(text: str, path: JsonPath, value: object) -> str:
    """One more item at the end of an array."""
    around = find_node(text, path)
    assert around is not None
    return _add_element(text, around, _render_element(text, around, value))


def remove_value(text: str, path: JsonPath) -> str:
    """A member or an item with its comma and its line."""
    around, last = find_node(text, path[:-1]), path[-1]
    assert around is not None
    names = [one.name for one in around.elements]
    at = last if isinstance(last, int) else len(names) - 1 - names[::-1].index(last)
    return apply_splices(text, *_removal_splices(text, around, at))


def blank_interior(text: str, path: JsonPath) -> str | None:
    """What stands in a container that holds no value; nothing where it holds one, or is none."""
    node = find_node(text, path)
    return text[node.start + 1 : node.end - 1] if node and node.first_char in "{[" and not node.elements else None


def replace_interior(text: str, path: JsonPath, inside: str) -> str:
    node = find_node(text, path)
    assert node is not None
    return apply_splices(text, Splice(node.start + 1, node.end - 1, inside))


def value_at(text: str, path: JsonPath) -> object:
    node = find_node(text, path)
    return None if node is None else to_python(text, node)


# How it is put in: as the neighbours are


def _add_element(text: str, around: JsonNode, rendered: str) -> str:
    if not around.elements:
        return apply_splices(text, _first_element(text, around, rendered))
    last, lead = around.elements[-1], _leading_space(text, around)
    if last.comma is not None:  # they like a comma at the end
        at = _insertion_point(text, last.comma + 1, lead)
        return apply_splices(text, Splice(at, at, lead + rendered + ","))
    at = _insertion_point(text, last.end, lead)
    return apply_splices(text, Splice(last.end, last.end, ","), Splice(at, at, lead + rendered))


def _first_element(text: str, around: JsonNode, rendered: str) -> Splice:
    start, end, lead = around.start + 1, around.end - 1, _leading_space(text, around)
    if text[start:end].strip():  # a comment, which stays behind it
        return Splice(start, start, lead + rendered)
    closing = _newline(text) + _line_indent(text, around.start) if lead else ""
    return Splice(start, end, lead + rendered + closing)


def _leading_space(text: str, around: JsonNode) -> str:
    """What stands before a new element: a line of its own where the others have one."""
    if _is_multiline(text, around):
        return _newline(text) + _element_indent(text, around)
    return " " if around.elements and _has_space_after_colon(text) else ""


def _render_element(text: str, around: JsonNode, value: object) -> str:
    return _dump(text, value, _element_indent(text, around) if _is_multiline(text, around) else None)


def _render_replacement(text: str, there: JsonNode, value: object) -> str:
    """In the place of another value: on as many lines as that one."""
    on_lines = "\n" in text[there.start : there.end]
    return _dump(text, value, _line_indent(text, there.start) if on_lines else None)


def _dump(text: str, value: object, indent: str | None) -> str:
    if indent is None:
        return json.dumps(
            value, ensure_ascii=False, separators=(", ", ": ") if _has_space_after_colon(text) else (",", ":")
        )
    return json.dumps(value, ensure_ascii=False, indent=_indent_unit(text)).replace("\n", _newline(text) + indent)


def _is_multiline(text: str, around: JsonNode) -> bool:
    return _has_own_lines(text, around) if around.elements else _is_multiline_text(text)


def _element_indent(text: str, around: JsonNode) -> str:
    """Of an element in a container."""
    if around.elements and _has_own_lines(text, around):
        return _line_indent(text, around.elements[0].start)
    return _line_indent(text, around.start) + _indent_unit(text)


def _has_own_lines(text: str, around: JsonNode) -> bool:
    return "\n" in text[around.start : around.elements[0].start]


def _line_indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at].lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _insertion_point(text: str, at: int, lead: str) -> int:
    """Behind the comment that stands on the same line, for a line of one's own: it belongs to what is before it."""
    end = skip_blanks(text, at)
    line = text.find("\n", at, end)
    rest = text[at : line if line >= 0 else end].rstrip()
    is_whole = rest.lstrip().startswith("//") or (rest.lstrip().startswith("/*") and rest.endswith("*/"))
    return at + len(rest) if lead.startswith(("\r", "\n")) and is_whole else at


def _indent_unit(text: str) -> str:
    """One step of indentation: that of the outermost members."""
    root = parse_json(text)
    return (_line_indent(text, root.elements[0].start) if root.elements and _has_own_lines(text, root) else "") or "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _is_multiline_text(text: str) -> bool:
    """A file on one line stays on one line, but for an empty object."""
    root = parse_json(text)
    return not root.elements or "\n" in text[root.start : root.end]


def _has_space_after_colon(text: str) -> bool:
    """Whether a blank stands behind colons."""
    root = parse_json(text)
    if not root.elements or root.first_char != "{":
        return True
    first = root.elements[0]
    return text[first.value.start - 1] != ":"


# How it is taken out


def _removal_splices(text: str, around: JsonNode, at: int) -> Iterable[Splice]:
    element = around.elements[at]
    end = element.end if element.comma is None else element.comma + 1
    before = around.elements[at - 1] if at else None
    if at + 1 < len(around.elements):
        yield _splice_before_next(text, element, around.elements[at + 1], end, alone=before is None)
    elif before is None:
        yield _splice_only(text, around, element, end)
    else:
        yield Splice(_gap_start(text, element.start, end), end, "")
        if element.comma is None and before.comma is not None:
            yield Splice(before.comma, before.comma + 1, "")


def _splice_before_next(text: str, element: JsonElement, following: JsonElement, end: int, *, alone: bool) -> Splice:
    gap = _gap_start(text, element.start, end)
    between = text[end : following.start]
    if alone and "\n" not in text[gap : element.start] and not between.strip():
        return Splice(element.start, following.start, "")
    return Splice(gap, end, "")


def _splice_only(text: str, around: JsonNode, element: JsonElement, end: int) -> Splice:
    gap = _gap_start(text, element.start, end)
    if not text[around.start + 1 : gap].strip() and not text[end : around.end - 1].strip():
        return Splice(around.start + 1, around.end - 1, "")
    return Splice(gap, end, "")


def _gap_start(text: str, start: int, end: int) -> int:
    """Where the white space before an element begins. A comment to the end of a line needs that end."""
    gap = start
    while gap and text[gap - 1] in " \t\r\n":
        gap -= 1
    line = text[text.rfind("\n", 0, gap) + 1 : gap]
    rest = text[end:].lstrip(" \t")
    if "//" in line and gap < start and not rest.startswith(("\n", "\r\n")):
        return text.find("\n", gap) + 1
    return gap
