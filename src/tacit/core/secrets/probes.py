"""From a row to what is tried at its keyword. Each probe is told where the keyword stands and says what it found."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from tacit.core.secrets import shapes
from tacit.core.secrets.blocks import Found, beside_aws
from tacit.core.secrets.shapes import CODE, HEADER, LINKED, LITERAL, LONG, PAIRED, STATED, SURE, Shape
from tacit.core.secrets.spec import exact_length, expression, length
from tacit.core.secrets.tokens import Row
from tacit.core.secrets.values import (
    is_app_password,
    is_chosen,
    is_filler,
    is_literal,
    is_name,
    is_password,
    is_place,
    is_placeholder,
    is_random,
    is_said,
    is_very_random,
    is_wordy,
    may_be_secret,
)

Probe = Callable[[str, int], Iterator[Found]]
NONE = ""  # has the shape, and is none: not worth trying again from the next sign on

_BEGINS = r"(?<![A-Za-z0-9])"
_ENDS = r"(?![A-Za-z0-9_])"
# From the name of a service to its value. What stands before the sign never holds it, so there is one way to read it.
_ASSIGNED = r"[\w.\-\s'\"]{0,40}+[=>:|?,][=>:|?,`'\"\s]{0,20}+"
_BLOB = r"[A-Za-z0-9+/]{0,200}"
_BLOB_BEYOND = 80  # this much more of the same alphabet around a find: it is part of an image or the like
_NEAR = 400
_DIGITS = 6  # digits right before the keyword, in rows that begin with digits
_STOPS = r"[\n;|]|&&"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def token(row: Row, keyword: str) -> Probe:
    """A token that begins with the keyword, or has it in the middle."""
    kind, _, specification, _, _ = row
    ahead, middle, behind = f" {specification}".rpartition(" @")
    glued = keyword[-1].isalnum()
    begins = _BEGINS if glued or middle or len(keyword) <= 4 else ""
    ends = "" if specification.endswith("+") else _ENDS
    back = length(ahead)
    pattern = re.compile(f"{begins}{expression(ahead)}{re.escape(keyword)}({expression(behind)}){ends}")
    if middle:
        return _middle(pattern, back, kind, exact_length(ahead), digits=ahead.strip().startswith("d"))
    skipped = len(keyword) if keyword[-1] in "/=" else 0
    brief = len(keyword) <= 2

    def probe(text: str, at: int) -> Iterator[Found]:
        found = pattern.match(text, at)
        if found is None:
            return
        if not _is_token(found[1], brief) or (glued and _in_blob(text, at, found.end())):
            yield at, found.end(), NONE
            return
        yield at + skipped, found.end(), kind
        if kind == "AWS access key":
            yield from beside_aws(text, at, found.end())

    return probe


def _middle(pattern: re.Pattern[str], back: int, kind: str, exact: int | None, *, digits: bool) -> Probe:
    """A token that has the keyword inside. Where its beginning has one length only, it is tried there alone."""

    def probe(text: str, at: int) -> Iterator[Found]:
        if digits and not text[max(0, at - _DIGITS) : at].isdigit():
            return
        if at and (text[at - 1].isalnum() or text[at - 1] in ".:"):
            if exact is None:
                found = pattern.search(text, max(0, at - back), at + 200)
            else:
                found = pattern.match(text, at - exact) if at >= exact else None
            if found and _is_token(found[0], brief=False):
                yield found.start(), found.end(), kind

    return probe


def _is_token(body: str, brief: bool) -> bool:
    """Neither `xxxx` nor a name that happens to begin like a token."""
    if body and (len(set(body)) < 4 or is_filler(body)):
        return False
    if body.isalpha() and body.islower() and len(body) < 20:
        return False
    if brief:
        return not is_wordy(body)
    return body.isalnum() or body not in (body.lower(), body.upper()) or not is_wordy(body)


def _in_blob(text: str, begins: int, ends: int) -> bool:
    behind = _compiled(_BLOB).match(text, ends)
    before = _compiled(_BLOB).match(text[max(0, begins - 200) : begins][::-1])
    assert behind is not None and before is not None
    return behind.end() - ends + before.end() > _BLOB_BEYOND


def vendor(row: Row, name: str) -> Probe:
    """A value of the right length, assigned to a name with the service in it."""
    kind, _, specifications, _, _ = row
    values = "|".join(expression(one) for one in specifications.split(" | "))
    pattern = re.compile(f"(?i:{values})(?![A-Za-z0-9_-])")

    def probe(text: str, at: int) -> Iterator[Found]:
        assigned = _compiled(_ASSIGNED).match(text, at + len(name))
        if assigned is None:
            return
        begins = assigned.end()
        found = pattern.match(text, begins)
        if found is None and text[begins - 1] == "=":  # some values begin with that sign
            found = pattern.match(text, begins - 1)
        if found and _is_drawn(found[0]):
            yield found.start(), found.end(), kind

    return probe


def _is_drawn(value: str) -> bool:
    if value.isdigit():
        return len(set(value)) > 3
    mixed = value not in (value.lower(), value.upper()) and not is_wordy(value)
    return (mixed or any(map(str.isdigit, value))) and len(set(value)) > 5 and not (is_filler(value) or is_name(value))


def shape(row: Shape, _: str) -> Probe:
    """A value in its place."""
    kind, _, near, expected, judged, _, _ = row
    words = tuple(near.split(",")) if near else ()
    pattern = re.compile("(?i)" + expected.replace("{V}", shapes.VALUE).replace("{PAIR}", shapes.PAIR))

    def probe(text: str, at: int) -> Iterator[Found]:
        found = pattern.match(text, at)
        if not found or (words and not _stands_before(text, at, words)):
            return
        if not found.lastgroup:
            return
        value = found[found.lastgroup]
        if _is_linked(text, at, value) if judged == LINKED else _is_value(value, judged):
            yield *found.span(found.lastgroup), kind

    return probe


def _stands_before(text: str, at: int, words: tuple[str, ...]) -> bool:
    """Whether one of the words stands before this place, in the same command."""
    before = text[max(0, at - _NEAR) : at].lower()
    last = max(before.rfind(word) for word in words)
    return last >= 0 and ("curl" in words or not _compiled(_STOPS).search(before, last))


def _is_linked(text: str, at: int, value: str) -> bool:
    """Drawn by lot beyond doubt; what may be a digest or an id counts only in a whole address."""
    if is_filler(value) or value.count(".") > 4:
        return False
    begins = text.rfind("://", max(0, at - 200), at)
    if begins < 0 and at and (text[at - 1].isalnum() or text[at - 1] in "+/"):
        host = text[max(0, at - 100) : at].split()[-1:]
        if not host or "." not in host[0]:
            return False  # a piece of an encoded text
    if any(is_very_random(part) for part in (value, *value.split("."))):
        return True
    if begins < 0 or any(map(str.isspace, text[begins:at])):
        return False
    return len(value) >= 24 and is_random(value, 24) and "commit" not in text[begins:at]


def _is_value(value: str, judged: str) -> bool:
    if judged == PAIRED:
        return len(value) >= 3 and not is_placeholder(value) and not (value.isdigit() and len(value) <= 5)
    if judged == SURE:
        return len(value) >= 3 and may_be_secret(value) and not (value.isdigit() and len(value) <= 5)
    if judged == HEADER:
        return not is_placeholder(value) and (len(value) >= 40 or not is_wordy(value))
    if judged == STATED:
        return is_said(value)
    if judged == CODE:
        return any(map(str.isdigit, value)) and not is_filler(value) and len(set(value)) > 2
    if judged == LITERAL:
        chosen = is_password(value, quoted=True) or is_chosen(value) or is_literal(value)
        return (is_app_password(value) or (" " not in value and chosen)) and not is_place(value)
    if judged == LONG:
        return len(value) >= 24 and len(set(value)) >= 10 and not is_wordy(value) and not is_filler(value)
    return is_random(value, 16)
