"""Where the secrets of a text are: a prefilter by keywords, escapes undone, then the probes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Any

from tacit.secrets import commands, names, probes
from tacit.secrets import contexts as cookies
from tacit.secrets import probes as blocks
from tacit.secrets import sentences as talk
from tacit.secrets import spec as shapes
from tacit.secrets.contexts import ADDRESSES, LITERALS, LOGINS
from tacit.secrets.encoded import find_drawn, find_encoded, may_hold_runs
from tacit.secrets.probes import Found, Probe
from tacit.secrets.tokens import RECENT, TOKENS, VENDORS

# Which keywords a text holds. Asked of every text before anything else, so it has to be cheap.
#
# For the few texts of a short command the keywords are sorted by their first three signs, for that needs little
# preparation. Whoever asks for more has all keywords made into expressions, and what they said of a word is kept:
# most words come again and again. All ways answer the same.

PATIENCE = 32_768  # so many characters are asked for keywords by their first signs before the expression is made
KEPT = 50_000  # words of which the answer is kept
_LONGEST_KEPT = 32
_SHORT = 256
_FIRST = 3  # signs by which keywords are sorted
_BY_USE = "etaoinsrhldcumfpgwybvk"  # the commoner a letter, the sooner it is tried; all others after these
_CAPITALS = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


def lowered(text: str) -> str:
    """In lower case, sign for sign in the same place."""
    low = text.lower()
    return low if len(low) == len(text) else text.translate(_CAPITALS)


class Keywords:
    """A fixed set of keywords, none with a blank in it."""

    def __init__(self, keywords: Sequence[str]) -> None:
        self._all = keywords
        self._plain = [keyword for keyword in keywords if keyword.isascii()]
        self._other = [keyword for keyword in keywords if not keyword.isascii()]
        self._others: re.Pattern[str] | None = None
        self._asked = 0
        self._whole: re.Pattern[str] | None = None
        self._brief: list[str] = []  # keywords too short to be sorted
        self._sorted: dict[str, list[str]] = {}
        self._parts: list[tuple[str, re.Pattern[str]]] = []
        self._longer: dict[str, list[str]] = {}
        self._known: dict[str, list[str]] = {}

    def of(self, low: str) -> list[str]:
        """The keywords that a text in lower case holds, in no order."""
        self._asked += len(low)
        if self._asked <= PATIENCE:
            return self.by_first_signs(low)
        return self.in_words(low)

    def in_words(self, low: str) -> list[str]:
        """No keyword has a blank in it, so each stands in a word."""
        found: set[str] = set()
        known, new = self._known, []
        for word in set(low.split()):
            held = known.get(word)
            if held is None:
                new.append(word)
            elif held:
                found.update(held)
        if new:
            found.update(self._learnt(new))
        return list(found)

    def _learnt(self, words: list[str]) -> list[str]:
        found = self.at_once("\n".join(words))
        if len(self._known) > KEPT:
            self._known.clear()
        for word in words:
            if len(word) <= _LONGEST_KEPT:
                self._known[word] = [keyword for keyword in found if keyword in word]
        return found

    def at_once(self, low: str) -> list[str]:
        """What begins at each place; of keywords that begin alike the shortest is told, the others are asked for."""
        if len(low) < _SHORT:
            self._whole = self._whole or re.compile(f"(?=({_ways(_tree(self._plain))}))")
            found = set(self._whole.findall(low))
        else:
            # An expression that begins with one certain sign is read much faster, so that many of them are quicker.
            self._parts = self._parts or [
                (sign, re.compile(f"{re.escape(sign)}(?=({_ways(rest)}))")) for sign, rest in _tree(self._plain).items()
            ]
            found = {sign + rest for sign, expression in self._parts for rest in expression.findall(low)}
        if self._other and not low.isascii():
            self._others = self._others or re.compile(f"(?=({_ways(_tree(self._other))}))")
            found.update(self._others.findall(low))
        return [*found, *{longer for one in found for longer in self._longer_than(one) if longer in low}]

    def by_first_signs(self, low: str) -> list[str]:
        if not self._sorted:
            for keyword in self._all:
                if len(keyword) < _FIRST:
                    self._brief.append(keyword)
                else:
                    self._sorted.setdefault(keyword[:_FIRST], []).append(keyword)
        found = [keyword for keyword in self._brief if keyword in low]
        for first in {low[at : at + _FIRST] for at in range(len(low) - _FIRST + 1)} & self._sorted.keys():
            for keyword in self._sorted[first]:
                if keyword in low:
                    found.append(keyword)
        return found

    def _longer_than(self, one: str) -> list[str]:
        if one not in self._longer:
            self._longer[one] = [other for other in self._all if other != one and other.startswith(one)]
        return self._longer[one]


def _tree(keywords: Sequence[str]) -> dict[str, Any]:
    """The keywords by their first sign, the rest of them by the second, and so on."""
    tree: dict[str, Any] = {}
    for keyword in keywords:
        branch = tree
        for sign in keyword:
            branch = branch.setdefault(sign, {})
        branch[""] = {}
    return tree


def _ways(tree: dict[str, Any]) -> str:
    if "" in tree:
        return ""
    common_first = sorted(tree.items(), key=lambda way: _BY_USE.find(way[0]) % 64)
    ways = [re.escape(sign) + _ways(rest) for sign, rest in common_first]
    return ways[0] if len(ways) == 1 else f"(?:{'|'.join(ways)})"


# A text as it reads when escapes are taken away, with the way back to where everything stood.
#
# A secret in a JSON string, in a string inside a string or in the query of an address is the same secret; rows are
# written for what it says, not for how it is quoted.

_BACKSLASHED = (
    r"\\+(?:x(?P<byte>[2-7][0-9A-Fa-f])|u([0-9A-Fa-f]{4})(?:\\+u([Dd][C-Fc-f][0-9A-Fa-f]{2}))?|([nrtfbv\"'/]))?"
)
_PERCENT = r"%(2[0267BbCc]|3[A-Ea-e]|7[BCDbcd]|0[9ADad]|60)"
_WHITE = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "b": " ", "v": "\v"}
_COMMON = {r"\n": "\n", r"\"": '"', r"\\n": "\n", r"\t": "\t", "\\": "\\"}  # most escapes of most texts
_MARK = r"\[redacted:[a-z0-9-]{1,60}(?::[0-9a-f]{8})?\]"
NOTHING = "\x00"  # stands for what is hidden already; no row takes it for a name or a value


class Plain:
    """The text without escapes; `back` finds the place in the original."""

    __slots__ = ("_here", "_there", "text")

    def __init__(self, original: str) -> None:
        self._here: list[int] = [0]
        self._there: list[int] = [0]
        self.text = self._unescaped(original) if "\\" in original or "%" in original else original
        if "[redacted:" in self.text:
            self.text = _compiled(_MARK).sub(lambda mark: NOTHING * len(mark[0]), self.text)

    def back(self, at: int) -> int:
        """Where the sign at this place begins in the original."""
        last = bisect_right(self._here, at) - 1
        return self._there[last] + at - self._here[last]

    def _unescaped(self, original: str) -> str:
        parts: list[str] = []
        size = done = 0
        for escape in _compiled(f"{_BACKSLASHED}|{_PERCENT}").finditer(original):
            begins, ends = escape.span()
            said = _COMMON.get(escape[0]) or _said(escape)
            if ends - begins == len(said):
                continue
            parts += (original[done:begins], said)
            size += begins - done + len(said)
            done = ends
            self._here.append(size)  # what lies behind an escape here lies behind the whole of it there
            self._there.append(ends)
        parts.append(original[done:])
        return "".join(parts)


def _said(escape: re.Match[str]) -> str:
    byte, first, second, letter, percent = escape.groups()
    if byte:
        return chr(int(byte, 16))
    if percent:
        return chr(int(percent, 16))
    if letter:
        return _WHITE.get(letter, letter)
    if not first:
        return "\\"
    code = int(first, 16)
    if second and 0xD800 <= code < 0xDC00:
        return chr(0x10000 + ((code - 0xD800) << 10) + int(second, 16) - 0xDC00)
    return chr(code) + (chr(int(second, 16)) if second else "")


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


# Where the secrets of a text are. A row is tried only where its keyword stands, and from there over a bounded
# stretch.
#
# Which keywords a text holds is asked first, of the text in lower case: most lines hold none and are done. What is
# tried then is anchored at the keyword, so that no input can make a row search far or search twice.

Ranked = tuple[int, int, int, str]
_BLOCK = 8192
_LAST = 1 << 30  # the rank of what no row names
_SEEN = 1300  # farther from its keyword no row looks before it has found something
_WORK = 2200  # what may be spent on a block: one for each row that is tried, more for costly rows and for finds
_FIND = 4
_LOOK = 12
_COSTLY = 8
CROWDED = "crowded text"
_ANY_VALUE = r"(?=[^\s\"'`<>{}\[\](),;:=\\\x00]{0,60}[0-9!@#$%^&*+~])[^\s\"'`<>{}\[\](),;:=\\\x00]{4,4096}+"
_REJECTED = 64  # so far on, a run that was turned down is tried again


def find(text: str) -> list[Found]:
    """Every secret of a text in order, none inside another."""
    plain = Plain(text)
    found = _told(plain.text)
    if may_hold_runs(plain.text):
        for start, end, kind in (*find_encoded(plain.text, _is_told), *find_drawn(plain.text)):
            found.append((start, end, _LAST, kind))
    if found and plain.text is not text:
        found = [(plain.back(start), plain.back(end), rank, kind) for start, end, rank, kind in found]
    if "\\" in text and '"' in text:
        found += ((start, end, _LAST, kind) for start, end, kind in names.in_json(text))
    if "%" in text:
        escaped = (*names.in_query(text), *names.in_escaped_address(text))
        found += ((start, end, _LAST, kind) for start, end, kind in escaped)
    return list(_apart(found)) if found else []


def _told(text: str) -> list[Ranked]:
    """What the rows find in a text without escapes."""
    low = lowered(text)
    if len(low) <= _BLOCK:
        keywords = prefilter().of(low)
        return _in_block(text, low, keywords, 0, len(low)) if keywords else []
    found: list[Ranked] = []
    for begins, ends in _blocks(low):
        found += _in_block(text, low, prefilter().of(low[begins:ends]), begins, ends)
    return found


def _in_block(text: str, low: str, keywords: list[str], begins: int, ends: int) -> list[Ranked]:
    """What the rows find in a stretch, the more telling rows first. Only so much work is spent on it."""
    if len(keywords) > 1:
        keywords.sort(key=_rank)
    found: list[Ranked] = []
    left = _WORK * max(1, (ends - begins) // _BLOCK)
    for keyword in keywords:
        left -= _LOOK
        for one in _around(text, low, keyword, begins, ends, left):
            if isinstance(one, int):
                left = one
            else:
                found.append(one)
        if left < 0:
            found += ((start, end, _LAST, CROWDED) for start, end in _crowded(text, begins, ends))
            break
    return found


def _crowded(text: str, begins: int, ends: int) -> Iterator[tuple[int, int]]:
    """Every word that could be a value, where a text holds so many keywords that they are not read one by one."""
    for run in _compiled(_ANY_VALUE).finditer(text, begins, ends):
        yield run.span()


@cache
def _rank(keyword: str) -> int:
    return makers()[keyword][0][0]


def _is_told(text: str) -> bool:
    return bool(_told(text))


def _blocks(low: str) -> Iterator[tuple[int, int]]:
    """A long text in stretches that end at a blank, since each holds only few of the keywords."""
    begins = 0
    while len(low) - begins > _BLOCK:
        blank = _compiled(r"\s").search(low, begins + _BLOCK)
        if blank is None:
            break
        yield begins, blank.start()
        begins = blank.end()
    yield begins, len(low)


def _around(text: str, low: str, keyword: str, begins: int, ends: int, left: int) -> Iterator[Ranked | int]:
    """What the rows of a keyword find, wherever it stands in this stretch; at last, how much work is left then."""
    ready, cost = _ready(keyword), _cost(keyword)
    at = low.find(keyword, begins, ends)
    last = -1  # the last hit, if nothing was found there
    while at >= 0:
        if last >= _SEEN and _same_around(text, at, last):
            at = low.find(keyword, at + 1, ends)
            continue
        left -= cost
        if left < 0:
            break
        done, last = at + 1, at
        for rank, probe in ready:
            for start, end, kind in probe(text, at):
                if kind:
                    last = -1
                    left -= _FIND
                    done = max(done, end)
                    yield start, end, rank, kind
                else:
                    done = max(done, min(end, at + _REJECTED))
        at = low.find(keyword, done, ends)
    yield left


def _same_around(text: str, at: int, last: int) -> bool:
    """Whether all that rows look at is the same in both places."""
    after = text[at : at + _SEEN] == text[last : last + _SEEN]
    return after and text[at - _SEEN : at] == text[last - _SEEN : last]


def _apart(found: list[Ranked]) -> Iterator[Found]:
    """Finds that overlap are one, from the first sign to the last, named by the row that stands first."""
    found.sort()
    begins, ends, rank, kind = found[0]
    for start, end, this_rank, this_kind in found[1:]:
        if start >= ends:
            yield begins, ends, kind
            begins, ends, rank, kind = start, end, this_rank, this_kind
            continue
        ends = max(end, ends)
        if this_rank < rank:
            rank, kind = this_rank, this_kind
    yield begins, ends, kind


@cache
def makers() -> dict[str, list[tuple[int, Callable[[str], Probe], str]]]:
    """For each keyword in lower case: the rows that want it. Nothing is compiled before its keyword is seen."""
    table: dict[str, list[tuple[int, Callable[[str], Probe], str]]] = {}
    for rank, (maker, words) in enumerate(_rows()):
        for word in words:
            table.setdefault(word.lower(), []).append((rank, maker, word))
    return table


def _rows() -> Iterator[tuple[Callable[[str], Probe], list[str]]]:
    """The more telling first: where rows agree on a place, the first one names it."""
    yield (lambda _: blocks.private_key), ["-----BEGIN"]
    yield from ((partial(probes.token, row), row[1].split()) for row in TOKENS)
    yield from ((partial(probes.token, row), row[1].split()) for row in RECENT)
    yield from ((partial(probes.vendor, row), row[1].split()) for row in VENDORS)
    yield from ((partial(probes.shape, row), row[1].split()) for row in shapes.SHAPES)
    yield from ((partial(probes.shape, row), row[1].split()) for row in LOGINS)
    yield from ((partial(probes.shape, row), row[1].split()) for row in ADDRESSES)
    yield from ((partial(probes.shape, row), row[1].split()) for row in LITERALS)
    yield (lambda _: blocks.go_dsn), ["@tcp(", "@unix("]
    yield (lambda _: blocks.kubernetes), ["kind:", 'kind"']
    yield (lambda _: cookies.near_cookie), list(cookies.KEYWORDS)
    yield (lambda _: cookies.exported), list(cookies.EXPORT_KEYWORDS)
    yield (lambda _: cookies.session), list(cookies.SESSION_KEYWORDS)
    yield (lambda _: cookies.jar_line), list(cookies.JAR_KEYWORDS)
    yield from ((partial(commands.argument, row), [row[0]]) for row in commands.ARGUMENTS)
    yield from ((partial(commands.pipe, row), [row[0]]) for row in commands.PIPES)
    yield commands.option, list(commands.options())
    yield commands.tool, list(commands.tools())
    yield (lambda _: names.value_of), list(names.KEYWORDS)
    yield talk.stated, list(talk.nouns())


@cache
def prefilter() -> Keywords:
    return Keywords(list(makers()))


@cache
def _cost(keyword: str) -> int:
    """Rows that read a sentence or a command around the keyword cost more than those that look right behind it."""
    costly = keyword in talk.nouns() or keyword in commands.options() or keyword in cookies.KEYWORDS
    return len(makers()[keyword]) + (_COSTLY if costly else 0)


@cache
def _ready(keyword: str) -> list[tuple[int, Probe]]:
    return [(rank, maker(word)) for rank, maker, word in makers()[keyword]]
