"""Where the secrets of a text are. A row is tried only where its keyword stands, and from there over a bounded stretch.

Which keywords a text holds is asked first, of the text in lower case: most lines hold none and are done. What is
tried then is anchored at the keyword, so that no input can make a row search far or search twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial

from tacit.core.secrets import blocks, names, probes, shapes
from tacit.core.secrets.blocks import Found
from tacit.core.secrets.keywords import Keywords, lowered
from tacit.core.secrets.plain import Plain
from tacit.core.secrets.probes import Probe
from tacit.core.secrets.tokens import TOKENS
from tacit.core.secrets.vendors import VENDORS

Ranked = tuple[int, int, int, str]
_REJECTED = 64  # so far on, a run that was turned down is tried again


def find(text: str) -> list[Found]:
    """Every secret of a text in order, none inside another."""
    plain = Plain(text)
    low = lowered(plain.text)
    found: list[Ranked] = []
    for keyword in prefilter().of(low):
        found += _around(plain.text, low, keyword)
    return [(plain.back(start), plain.back(end), kind) for start, end, kind in _apart(found)] if found else []


def _around(text: str, low: str, keyword: str) -> Iterator[Ranked]:
    """What the rows of a keyword find, wherever it stands."""
    ready = _ready(keyword)
    at = low.find(keyword)
    while at >= 0:
        done = at + 1
        for rank, probe in ready:
            for start, end, kind in probe(text, at):
                if kind:
                    done = max(done, end)
                    yield start, end, rank, kind
                else:
                    done = max(done, min(end, at + _REJECTED))
        at = low.find(keyword, done)


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
    yield from ((partial(probes.vendor, row), row[1].split()) for row in VENDORS)
    yield from ((partial(probes.shape, row), row[1].split()) for row in shapes.SHAPES)
    yield (lambda _: blocks.kubernetes), ["kind:"]
    yield (lambda _: names.value_of), list(names.KEYWORDS)


@cache
def prefilter() -> Keywords:
    return Keywords(list(makers()))


@cache
def _ready(keyword: str) -> list[tuple[int, Probe]]:
    return [(rank, maker(word)) for rank, maker, word in makers()[keyword]]
