"""A matcher that decodes everything and remembers nothing: what it finds has to be found, and nothing else.

A text is searched in several decoded views: as it is, with its escapes resolved, with possible base64 or hexadecimal
decoded, some levels deep. A view is a list of letters, each with the span of the original that it comes from.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from unicodedata import combining

from tacit.model.observation import Fingerprint, MemoryPurged
from tacit.purge.matcher import MAX_DEPTH, TextFinder, fold_letters, normalize_for_match
from tacit.purge.prints import HashedText, PurgedText
from tacit.purge.remains import PurgeTarget
from tacit.record import Record
from tacit.text.display import PURGED_MARK

Span = tuple[int, int]
Letter = tuple[str, Span]
_ESCAPE = (
    r"(?s:\\(?:u\{([0-9A-Fa-f]{1,6})\}|u([dD][89aAbB][0-9A-Fa-f]{2})\\u([dD][c-fC-F][0-9A-Fa-f]{2})"
    r"|u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|([^ux])))"
)
_NAMED_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}


class Wanted(Record):
    """A text of this length. `find` returns it if it is in a normalized one, else ""."""

    length: int
    find: Callable[[str], str]


def literal(wanted: str) -> Wanted:
    return Wanted(len(wanted), lambda plain: wanted if wanted in plain else "")


def fingerprinted(fingerprint: Fingerprint) -> Wanted:
    def find(plain: str) -> str:
        purged = PurgedText(fingerprint)
        return purged.text if purged.learn(HashedText(plain, fingerprint.length), plain) else ""

    return Wanted(fingerprint.length, find)


def matches_any(text: str, wanted: Sequence[Wanted]) -> bool:
    return any(_spans(text, each) for each in wanted)


def replace_matches(text: str, wanted: Sequence[Wanted], excluded: str = "") -> str:
    """Replace each match with a mark. Matches inside a match of the pattern `excluded` stay."""
    for each in wanted:
        if each.find(normalize_for_match(PURGED_MARK)):
            continue  # the mark itself would be found again and again
        while spans := _outside(_merged(_spans(text, each)), text, excluded):
            for start, end in reversed(spans):
                text = text[:start] + PURGED_MARK + text[end:]
    return text


def _outside(spans: list[Span], text: str, excluded: str) -> list[Span]:
    kept = [match.span() for match in re.finditer(excluded, text)] if excluded else []
    return [span for span in spans if not any(start <= span[0] and span[1] <= end for start, end in kept)]


def _merged(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def _spans(text: str, wanted: Wanted) -> list[Span]:
    """Where a text is, in any view."""
    return [span for view in _all_views(text, wanted.length) for span in _spans_in(view, wanted.find(view.plain))]


def _spans_in(view: View, wanted: str) -> Iterator[Span]:
    folded = _folded(view.letters) if wanted else []
    plain = "".join(letter for letter, _ in folded)
    for start in range(len(plain) - len(wanted) + 1):
        end = start + len(wanted)
        # An accent after it makes the last letter another one.
        if wanted and plain.startswith(wanted, start) and not (end < len(plain) and combining(plain[end])):
            yield view.original(folded[start][1][0], folded[end - 1][1][1])


def _folded(letters: list[Letter]) -> list[Letter]:
    """The normalized letters; an accent is folded with its letter, and a run of blanks is one."""
    folded: list[Letter] = []
    start = 0
    for end in range(1, len(letters) + 1):
        if end < len(letters) and combining(letters[end][0]):
            continue
        span = letters[start][1][0], letters[end - 1][1][1]
        for letter in fold_letters("".join(letter for letter, _ in letters[start:end])):
            if letter.isspace() and folded and folded[-1][0] == " ":
                folded[-1] = " ", (folded[-1][1][0], span[1])
            else:
                folded.append((" " if letter.isspace() else letter, span))
        start = end
    return folded


class View:
    """Letters that were decoded from another view, with their spans there.

    `is_decodable` says whether something in them may be encoded once more.
    """

    def __init__(self, letters: list[Letter], is_decodable: bool = True) -> None:
        self.letters = letters
        self.is_decodable = is_decodable
        self.outer: View | None = None
        self.text = "".join(letter for letter, _ in letters)
        self.plain = normalize_for_match(self.text)

    def original(self, start: int, end: int) -> Span:
        """The span of the original that a span of the outer view comes from."""
        if self.outer is None:
            return start, end
        return self.outer.original(self.outer.letters[start][1][0], self.outer.letters[end - 1][1][1])


@lru_cache(maxsize=64)
def _all_views(text: str, length: int) -> tuple[View, ...]:
    return tuple(_views(View([(letter, (at, at + 1)) for at, letter in enumerate(text)]), length, MAX_DEPTH))


def _views(view: View, length: int, depth: int) -> Iterator[View]:
    yield view
    for inner in _decoded(view.text, length) if depth and view.is_decodable else ():
        inner.outer = view
        yield from _views(inner, length, depth - 1)


def _decoded(text: str, length: int) -> Iterator[View]:
    """The views of a text that are decoded from it directly.

    A normalized letter takes at least two thirds of a byte (Korean syllables in UTF-16). Shorter runs are not decoded.
    """
    for pattern, decode in _RESOLVED:
        if re.search(pattern, text):
            yield View(list(_resolved(text, pattern, decode)))
    for run in re.finditer(rf"[0-9A-Fa-f]{{{max(8, length * 4 // 3)},}}", text):
        for start in (0, 1):
            digits = run[0][start : len(run[0]) - (len(run[0]) - start) % 2]
            yield from _charsets(bytes.fromhex(digits), run.start() + start, 4)
    for run in re.finditer(rf"[A-Za-z0-9+/_-]{{{max(6, length * 8 // 9)},}}", text):
        for start in range(4):
            digits = run[0][start:].replace("-", "+").replace("_", "/")
            digits = digits[:-1] if len(digits) % 4 == 1 else digits
            yield from _charsets(b64decode(digits + "=" * (-len(digits) % 4)), run.start() + start, 6)
    latin = text.replace("\ufffd", "\0")  # a NUL byte may have become the replacement character
    if not text.isascii() and max(latin) <= "\xff":
        yield from _charsets(latin.encode("latin-1"), 0, 8)
    if re.search("[\0\udc80-\udcff]", text):
        with suppress(UnicodeEncodeError):
            places = [(at, at + 1) for at, letter in enumerate(text) for _ in _bytes_of(letter)]
            yield from _charsets_at(text.encode("utf-8", "surrogateescape"), places)


def _resolved(text: str, pattern: str, decode: Callable[[re.Match[str]], list[Letter]]) -> Iterator[Letter]:
    done = 0
    for match in re.finditer(pattern, text):
        yield from ((text[at], (at, at + 1)) for at in range(done, match.start()))
        yield from decode(match)
        done = match.end()
    yield from ((text[at], (at, at + 1)) for at in range(done, len(text)))


def _decode_escape(match: re.Match[str]) -> list[Letter]:
    point, high, low, unit, byte, char = match.groups()
    if char:
        letter = _NAMED_ESCAPES.get(char, char)
    elif high:
        letter = bytes.fromhex(high + low).decode("utf-16-be")
    else:
        number = int(point or unit or byte, 16)
        letter = chr(number) if number <= 0x10FFFF else "\ufffd"
    return [(letter, match.span())]


def _decode_percent(match: re.Match[str]) -> list[Letter]:
    letters: list[Letter] = []
    start = match.start()
    for letter in bytes.fromhex(match[0].replace("%", "")).decode("utf-8", "surrogateescape"):
        end = start + 3 * len(_bytes_of(letter))
        letters.append((letter, (start, end)))
        start = end
    return letters


def _bytes_of(letter: str, charset: str = "utf-8") -> bytes:
    return letter.encode(charset, "surrogateescape")


_RESOLVED: tuple[tuple[str, Callable[[re.Match[str]], list[Letter]]], ...] = (
    (_ESCAPE, _decode_escape),
    (r"(?:%[0-9A-Fa-f]{2})+", _decode_percent),
    (r"\+", lambda match: [(" ", match.span())]),  # a blank in a form
    ("[\0\ufffd]+", lambda _match: []),  # UTF-16 that was decoded as single bytes
)


def _charsets(data: bytes, base: int, bits: int) -> Iterator[View]:
    """The views of bytes that were encoded in digits of so many bits, from `base` on."""
    places = [(base + at * 8 // bits, base - -(at + 1) * 8 // bits) for at in range(len(data))]
    return _charsets_at(data, places)


def _charsets_at(data: bytes, places: list[Span]) -> Iterator[View]:
    """The bytes as UTF-8, and as UTF-16 in both orders, from the first and from the second byte on."""
    text = data.decode("utf-8", "surrogateescape")
    yield View(_placed(text, "utf-8", places), " ".join(text.split()).isprintable())
    for skipped in (0, 1):
        pairs = data[skipped : len(data) - (len(data) - skipped) % 2]
        for charset in ("utf-16-le", "utf-16-be"):
            yield View(_placed(pairs.decode(charset, "replace"), charset, places[skipped:]), False)


def _placed(text: str, charset: str, places: list[Span]) -> list[Letter]:
    letters: list[Letter] = []
    start = 0
    for letter in text:
        end = start + len(_bytes_of(letter, charset))
        letters.append((letter, (places[start][0], places[end - 1][1])))
        start = end
    return letters


class SlowFinder(TextFinder):
    """Finds whatever is in any view of a text."""

    def __init__(self, wanted: Sequence[Wanted]) -> None:
        super().__init__()
        self._wanted = wanted

    def contains(self, text: str) -> bool:
        return matches_any(text, self._wanted)

    def replace_matches(self, text: str, excluded: str = "") -> str:
        return replace_matches(text, self._wanted, excluded)


def target_of(tombstone: MemoryPurged) -> PurgeTarget:
    """What a tombstone purges if every text is compared with its fingerprints."""
    finder = SlowFinder([fingerprinted(fingerprint) for fingerprint in tombstone.prints])
    return PurgeTarget(finder, frozenset(tombstone.claims), tombstone.everywhere, dict(tombstone.moved))
