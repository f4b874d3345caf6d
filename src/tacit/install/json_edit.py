"""JSON with comments: a parser that keeps positions, and edits that leave every other byte as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache

from tacit.record import Record

# Parser: comments and trailing commas are allowed. It runs in linear time.

_MAX_DEPTH = 200
_CLOSING_BRACKETS = {"{": "}", "[": "]"}
_TOKEN_STARTS = frozenset(',:"')
_BLANK_OR_COMMENT = re.compile(r"[ \t\r\n]+|//[^\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_NUMBER_OR_WORD = re.compile(r"(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)(?![\w.+-])")


class JsonSyntaxError(ValueError):
    """The text is not JSON. The message names the line and the column."""

    def __init__(self, text: str, position: int, message: str) -> None:
        line, column = text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)
        super().__init__(f"line {line}, column {column}: {message}")


class JsonNode(Record):
    """A value and its span in the text. `first_char` is its first character and so its type."""

    first_char: str
    start: int
    end: int
    elements: tuple[JsonElement, ...] = ()


class JsonElement(Record):
    """An item of an array, or a member of an object with its name. `comma` is the position of the comma after it."""

    start: int
    value: JsonNode
    comma: int | None
    name: str = ""

    @property
    def end(self) -> int:
        return self.value.end


@lru_cache(maxsize=2)
def parse_json(text: str) -> JsonNode:
    """Parse a text that is one value. Raises JsonSyntaxError. Cached, because one edit needs the tree several times."""
    node = _parse_value(text, _next_token(text, 1 if text.startswith("\ufeff") else 0), 0)
    if (end := _next_token(text, node.end)) < len(text):
        raise JsonSyntaxError(text, end, "nothing more is expected here")
    return node


def skip_blanks(text: str, position: int) -> int:
    """Return the end of the white space and comments at a position."""
    while match := _BLANK_OR_COMMENT.match(text, position):
        position = match.end()
    return position


def to_python(text: str, node: JsonNode) -> object:
    """Return a node as a Python value."""
    match node.first_char:
        case "{":
            return {element.name: to_python(text, element.value) for element in node.elements}
        case "[":
            return [to_python(text, element.value) for element in node.elements]
        case _:
            return json.loads(text[node.start : node.end])


def find_member(node: JsonNode, name: str) -> JsonElement | None:
    """Return the last member of that name, which is the one that counts. None if there is none."""
    members = reversed(node.elements) if node.first_char == "{" else ()
    return next((member for member in members if member.name == name), None)


def _next_token(text: str, position: int) -> int:
    if text[position : position + 1] in _TOKEN_STARTS:
        return position  # the most frequent case
    end = skip_blanks(text, position)
    if text.startswith("/*", end):
        raise JsonSyntaxError(text, end, "this comment has no end")
    return end


def _parse_value(text: str, position: int, depth: int) -> JsonNode:
    first_char = text[position : position + 1]
    if first_char and first_char in _CLOSING_BRACKETS:
        return _parse_container(text, position, depth + 1)
    if first_char == '"':
        return JsonNode(first_char, position, _parse_string(text, position)[0])
    if match := _NUMBER_OR_WORD.match(text, position):
        return JsonNode(first_char, position, match.end())
    raise JsonSyntaxError(text, position, "a value is missing here" if first_char else "the file ends too early")


def _parse_string(text: str, position: int) -> tuple[int, str]:
    """Return the end of a string, and its value."""
    match = _STRING.match(text, position)
    if not match:
        raise JsonSyntaxError(text, position, "this text has no end")
    if "\\" not in match[0]:
        return match.end(), match[0][1:-1]
    try:
        return match.end(), json.loads(match[0])
    except ValueError:
        raise JsonSyntaxError(text, position, "this text has an escape that JSON does not know") from None


def _parse_container(text: str, start: int, depth: int) -> JsonNode:
    if depth > _MAX_DEPTH:
        raise JsonSyntaxError(text, start, "this is nested too deep")
    opening = text[start]
    closing = _CLOSING_BRACKETS[opening]
    elements: list[JsonElement] = []
    position = _next_token(text, start + 1)
    while text[position : position + 1] != closing:
        if elements and elements[-1].comma is None:
            raise JsonSyntaxError(text, position, f"a comma or {closing} is missing here")
        name, value_start = _parse_name(text, position) if opening == "{" else ("", position)
        value = _parse_value(text, value_start, depth)
        end = _next_token(text, value.end)
        has_comma = text[end : end + 1] == ","
        elements.append(JsonElement(position, value, end if has_comma else None, name))
        position = _next_token(text, end + 1) if has_comma else end
    return JsonNode(opening, start, position + 1, tuple(elements))


def _parse_name(text: str, start: int) -> tuple[str, int]:
    if text[start : start + 1] != '"':
        raise JsonSyntaxError(text, start, "a name in double quotes is missing here")
    end, name = _parse_string(text, start)
    colon = _next_token(text, end)
    if text[colon : colon + 1] != ":":
        raise JsonSyntaxError(text, colon, "a colon is missing here")
    return name, _next_token(text, colon + 1)


# Edits: every other byte stays as it is. A removal undoes an insertion exactly.

JsonPath = tuple[str | int, ...]


class Splice(Record):
    """A replacement of a span of the text."""

    start: int
    end: int
    text: str


def apply_splices(text: str, *splices: Splice) -> str:
    """Apply splices that do not overlap. Texts for the same position keep their order."""
    for splice in sorted(splices, key=lambda splice: splice.start)[::-1]:
        text = text[: splice.start] + splice.text + text[splice.end :]
    return text


def find_node(text: str, path: JsonPath) -> JsonNode | None:
    """Return the value at a path of member names and item indexes. None if there is none."""
    node: JsonNode | None = parse_json(text)
    for step in path:
        if node is None:
            return None
        if isinstance(step, int):
            node = node.elements[step].value if node.first_char == "[" and step < len(node.elements) else None
        else:
            node = member.value if (member := find_member(node, step)) else None
    return node


def set_value(text: str, path: JsonPath, value: object) -> str:
    """Replace a value, or add a member at the end of its object."""
    if node := find_node(text, path):
        is_multiline = "\n" in text[node.start : node.end]
        rendered = _dump(text, value, _line_indent(text, node.start) if is_multiline else None)
        return apply_splices(text, Splice(node.start, node.end, rendered))
    container = find_node(text, path[:-1])
    assert container is not None
    name = json.dumps(path[-1], ensure_ascii=False) + (": " if _has_space_after_colon(text) else ":")
    return _add_element(text, container, name + _render_element(text, container, value))


def append_item(text: str, path: JsonPath, value: object) -> str:
    """Add an item at the end of an array."""
    container = find_node(text, path)
    assert container is not None
    return _add_element(text, container, _render_element(text, container, value))


def remove_value(text: str, path: JsonPath) -> str:
    """Remove a member or an item with its comma and its line."""
    container, last = find_node(text, path[:-1]), path[-1]
    assert container is not None
    names = [element.name for element in container.elements]
    index = last if isinstance(last, int) else len(names) - 1 - names[::-1].index(last)
    return apply_splices(text, *_removal_splices(text, container, index))


def blank_interior(text: str, path: JsonPath) -> str | None:
    """Return the white space and comments in an empty container. None if it is not empty or not a container."""
    node = find_node(text, path)
    return text[node.start + 1 : node.end - 1] if node and node.first_char in "{[" and not node.elements else None


def replace_interior(text: str, path: JsonPath, interior: str) -> str:
    node = find_node(text, path)
    assert node is not None
    return apply_splices(text, Splice(node.start + 1, node.end - 1, interior))


def value_at(text: str, path: JsonPath) -> object:
    """Return the Python value at a path. None if there is none."""
    node = find_node(text, path)
    return None if node is None else to_python(text, node)


# Insertion, in the style of the neighbours


def _add_element(text: str, container: JsonNode, rendered: str) -> str:
    # A line break precedes a new element if the others have one.
    lead = " " if container.elements and _has_space_after_colon(text) else ""
    if _is_multiline(text, container):
        lead = _newline(text) + _element_indent(text, container)
    if not container.elements:
        start, end = container.start + 1, container.end - 1
        if text[start:end].strip():  # a comment, which stays after the element
            return apply_splices(text, Splice(start, start, lead + rendered))
        closing = _newline(text) + _line_indent(text, container.start) if lead else ""
        return apply_splices(text, Splice(start, end, lead + rendered + closing))
    last = container.elements[-1]
    if last.comma is not None:  # keep the style with a trailing comma
        position = _insertion_point(text, last.comma + 1, lead)
        return apply_splices(text, Splice(position, position, lead + rendered + ","))
    position = _insertion_point(text, last.end, lead)
    return apply_splices(text, Splice(last.end, last.end, ","), Splice(position, position, lead + rendered))


def _render_element(text: str, container: JsonNode, value: object) -> str:
    return _dump(text, value, _element_indent(text, container) if _is_multiline(text, container) else None)


def _dump(text: str, value: object, indent: str | None) -> str:
    """Serialize a value: on one line if `indent` is None, else with that indent before each further line."""
    if indent is None:
        separators = (", ", ": ") if _has_space_after_colon(text) else (",", ":")
        return json.dumps(value, ensure_ascii=False, separators=separators)
    return json.dumps(value, ensure_ascii=False, indent=_indent_unit(text)).replace("\n", _newline(text) + indent)


def _is_multiline(text: str, container: JsonNode) -> bool:
    """Whether elements of a container have their own lines. A file on one line stays so, except for an empty object."""
    if container.elements:
        return _has_own_lines(text, container)
    root = parse_json(text)
    return not root.elements or "\n" in text[root.start : root.end]


def _element_indent(text: str, container: JsonNode) -> str:
    if container.elements and _has_own_lines(text, container):
        return _line_indent(text, container.elements[0].start)
    return _line_indent(text, container.start) + _indent_unit(text)


def _has_own_lines(text: str, container: JsonNode) -> bool:
    return "\n" in text[container.start : container.elements[0].start]


def _line_indent(text: str, position: int) -> str:
    line = text[text.rfind("\n", 0, position) + 1 : position].lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _insertion_point(text: str, position: int, lead: str) -> int:
    """Return where a new line is inserted: after a comment on the same line, which belongs to the element before."""
    end = skip_blanks(text, position)
    line_end = text.find("\n", position, end)
    rest = text[position : line_end if line_end >= 0 else end].rstrip()
    is_comment = rest.lstrip().startswith("//") or (rest.lstrip().startswith("/*") and rest.endswith("*/"))
    return position + len(rest) if lead.startswith(("\r", "\n")) and is_comment else position


def _indent_unit(text: str) -> str:
    """Return one level of indentation: that of the outermost members."""
    root = parse_json(text)
    return (_line_indent(text, root.elements[0].start) if root.elements and _has_own_lines(text, root) else "") or "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _has_space_after_colon(text: str) -> bool:
    root = parse_json(text)
    if not root.elements or root.first_char != "{":
        return True
    return text[root.elements[0].value.start - 1] != ":"


# Removal


def _removal_splices(text: str, container: JsonNode, index: int) -> Iterator[Splice]:
    element = container.elements[index]
    previous = container.elements[index - 1] if index else None
    end = element.end if element.comma is None else element.comma + 1
    gap = _gap_start(text, element.start, end)
    span = Splice(gap, end, "")
    if index + 1 < len(container.elements):
        following = container.elements[index + 1]
        is_inline = "\n" not in text[gap : element.start] and not text[end : following.start].strip()
        yield Splice(element.start, following.start, "") if previous is None and is_inline else span
    elif previous is None:
        is_alone = not text[container.start + 1 : gap].strip() and not text[end : container.end - 1].strip()
        yield Splice(container.start + 1, container.end - 1, "") if is_alone else span
    else:
        yield span
        if element.comma is None and previous.comma is not None:
            yield Splice(previous.comma, previous.comma + 1, "")


def _gap_start(text: str, start: int, end: int) -> int:
    """Return the start of the white space before an element, but after the line break that ends a `//` comment."""
    gap = start
    while gap and text[gap - 1] in " \t\r\n":
        gap -= 1
    line = text[text.rfind("\n", 0, gap) + 1 : gap]
    rest = text[end:].lstrip(" \t")
    if "//" in line and gap < start and not rest.startswith(("\n", "\r\n")):
        return text.find("\n", gap) + 1
    return gap
