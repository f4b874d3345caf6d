"""Where the secrets of a text are. A row is tried only where its keyword stands, and from there over a bounded stretch.

Which keywords a text holds is asked first, of the text in lower case: most lines hold none and are done. What is
tried then is anchored at the keyword, so that no input can make a row search far or search twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, partial

from tacit.core.secrets import blocks, commands, cookies, names, probes, shapes, talk
from tacit.core.secrets.addresses import ADDRESSES
from tacit.core.secrets.blocks import Found
from tacit.core.secrets.drawn import find_drawn
from tacit.core.secrets.encoded import find_encoded, may_hold_runs
from tacit.core.secrets.keywords import Keywords, lowered
from tacit.core.secrets.literals import LITERALS
from tacit.core.secrets.logins import LOGINS
from tacit.core.secrets.plain import Plain
from tacit.core.secrets.probes import Probe
from tacit.core.secrets.recent import RECENT
from tacit.core.secrets.tokens import TOKENS
from tacit.core.secrets.vendors import VENDORS

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


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


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
