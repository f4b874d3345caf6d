"""Find texts inside another one, however they are written: in other case, with other blanks, escaped or encoded.

A text is searched in several views: as it is, with its escapes resolved, with possible base64 or hexadecimal decoded,
some levels deep. A match in a view is mapped to a span of the original. There is one description of what a match is,
`_views`, for all that is searched: strings of events, pages, and texts of which only a fingerprint is known.

Most of a log is ruled out quickly, and exactly:

- Strings without anything to resolve are searched together, joined.
- A run of digits that encodes none of the texts is remembered. In a log, most runs come again.
- Decoded bytes are only looked at as letters if they have a spelling of the rarest letter of each text.
"""

from __future__ import annotations

import re
from binascii import a2b_base64
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache, cached_property, partial
from typing import TypeVar
from unicodedata import combining, normalize

from tacit.record import Record
from tacit.text.display import PURGED_MARK

T = TypeVar("T")
Span = tuple[int, int]
_MapSpan = Callable[[int, int], Span]  # from the first letter of a view and behind its last one to the original
MAX_DEPTH = 3  # encodings inside each other
_SEPARATOR = "\1"  # between strings that are searched together; it is no blank and no digit
_MAX_REMEMBERED = 400_000  # texts or runs of digits, about 50 MB
_NO_LIMIT = 1 << 62
_SKIPPED = (None, 0, 0, 1, 1)  # bytes before the letters that `decode_charsets` yields; none for UTF-8
_ESCAPE = (
    r"(?s:\\(?:u\{([0-9A-Fa-f]{1,6})\}|u([dD][89aAbB][0-9A-Fa-f]{2})\\u([dD][c-fC-F][0-9A-Fa-f]{2})"
    r"|u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|([^ux])))"
)
_NAMED_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_PERCENT_ENCODED = r"(?:%[0-9A-Fa-f]{2})+"
_FORM_PLUS = r"\+"  # a blank in a form
_NUL_RUN = "[\0\ufffd]+"  # UTF-16 that was decoded as single bytes
_ESCAPED_BYTES = "[\0\udc80-\udcff]"
_HAS_MORE_VIEWS = re.compile(r"[\\%+\0]|[^\0-\x7f]")  # beside those of runs of digits
_FROM_URL_SAFE = bytes.maketrans(b"-_", b"+/")
_PADDING = (b"", b"===", b"==", b"=")  # to a multiple of four digits
_DIGITS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"
_DIGITS_ALONE = bytes(byte if byte in _DIGITS else 0x20 for byte in range(256))
_TESTED_LETTERS = 3
_PRINTABLE_ASCII = frozenset(map(chr, range(0x21, 0x7F)))
# Blocks of Unicode with all letters but ASCII whose folded form has printable ASCII, generously; and with all letters
# that fold to others (tests/purge/test_matcher.py).
_ASCII_LOOKALIKE_BLOCKS = (
    *((0x80, 0x2E4), (0x37E, 0x37F), (0x1D2C, 0x218A), (0x2260, 0x2270), (0x2460, 0x24EB), (0x2A74, 0x2A77)),
    *((0x2C7C, 0x2C7E), (0x3200, 0x3400), (0xA7F2, 0xA7F5), (0xFB00, 0xFF5F), (0x107A5, 0x107A6)),
    *((0x1D400, 0x1F191), (0x1FBF0, 0x1FBFA)),
)
_FOLDING_BLOCKS = ((0x80, 0xD800), (0xE000, 0x20000), (0x2F800, 0x2FA20))


def fold_letters(text: str) -> str:
    """Return the text decomposed and without case. Blanks stay as they are."""
    return text.lower() if text.isascii() else normalize("NFKD", normalize("NFKD", text).casefold())


def normalize_for_match(text: str) -> str:
    """Return one spelling for all that look alike: decomposed, without case, runs of blanks as one."""
    return " ".join(fold_letters(text).split())


# Views


class View(Record):
    """A text decoded from another.

    Attributes:
        text: what is there when it is decoded.
        span: maps a part of it to the original.
        is_decodable: it may be decoded further.
        longest: texts with more letters are not searched in it, because the digits that it comes from are too few.
    """

    text: str
    span: _MapSpan
    is_decodable: bool = True
    longest: int = _NO_LIMIT


class ViewRules(Record):
    """Which views are made.

    Attributes:
        min_base64: runs of fewer digits of base64 are not decoded.
        min_hexadecimal: the same.
        is_clean: returns whether a run of digits encodes nothing that is searched for.
        may_match: returns False for bytes that are no text which is searched for, in any encoding of letters.
    """

    min_base64: int
    min_hexadecimal: int
    is_clean: Callable[[str], bool]
    may_match: Callable[[bytes], bool]

    def base64_runs(self, text: str) -> Iterator[re.Match[str]]:
        return re.finditer(rf"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{{{self.min_base64},}}", text)

    def hexadecimal_runs(self, text: str) -> Iterator[re.Match[str]]:
        return re.finditer(rf"[0-9A-Fa-f]{{{self.min_hexadecimal},}}", text)

    def run_bytes(self, run: str) -> list[bytes]:
        """Return all that a run of digits may encode."""
        hexadecimal = [data for match in self.hexadecimal_runs(run) for data in hex_bytes(match[0])]
        return base64_bytes(run) + hexadecimal


def min_digits(length: int, size: int = 0) -> tuple[int, int]:
    """Return how many digits of base64 and hexadecimal a normalized text of some length takes at least.

    A letter takes at least two thirds of a byte, as Korean syllables in UTF-16 do. `size` is the number of bytes that
    the text is known to take at least.
    """
    return max(6, length * 8 // 9, -(-size * 4 // 3)), max(8, length * 4 // 3, 2 * size)


def _same_span(start: int, end: int) -> Span:
    return start, end


def views(text: str, rules: ViewRules, depth: int = MAX_DEPTH) -> Iterator[View]:
    """Yield the text itself and its decoded views."""
    yield View(text, _same_span)
    for outer in decode_once(text, rules) if depth else ():
        for inner in views(outer.text, rules, depth - 1 if outer.is_decodable else 0):
            yield _composed(outer, inner)


def _composed(outer: View, inner: View) -> View:
    if inner.span is _same_span:
        return outer
    longest = min(outer.longest, inner.longest)
    return View(inner.text, lambda start, end: outer.span(*inner.span(start, end)), inner.is_decodable, longest)


def decode_once(text: str, rules: ViewRules) -> Iterator[View]:
    """Yield the views of a text that are decoded from it directly."""
    if _HAS_MORE_VIEWS.search(text):
        if "\\" in text:
            yield _resolved(text, _ESCAPE, _decode_escape)
        if "%" in text:
            yield _resolved(text, _PERCENT_ENCODED, _decode_percent)
        if "+" in text:
            yield _resolved(text, _FORM_PLUS, lambda match: [(" ", *match.span())])
        if "\0" in text or "\ufffd" in text:
            yield _resolved(text, _NUL_RUN, lambda _match: [])
        yield from _letters_as_bytes(text, rules)
    for match in rules.base64_runs(text):
        if not rules.is_clean(match[0]):
            yield from _decode_run(match[0], match.start(), rules)


def _decode_run(run: str, at: int, rules: ViewRules) -> Iterator[View]:
    """Yield the views of a run of digits, which begins at `at`.

    A normalized letter takes at least two thirds of a byte, as Korean syllables in UTF-16 do, so longer texts are not
    searched in it.
    """
    for start, data in enumerate(base64_bytes(run)):
        yield from _decode_bytes(data, rules, partial(_digits_span, at + start, 6), (9 * len(run) + 8) // 8)
    for match in rules.hexadecimal_runs(run):
        for start, data in enumerate(hex_bytes(match[0])):
            place = partial(_digits_span, at + match.start() + start, 4)
            yield from _decode_bytes(data, rules, place, (3 * len(match[0]) + 2) // 4)


def base64_bytes(run: str) -> list[bytes]:
    """Decode a run from each of its first four digits on: the text may be encoded within a longer one."""
    digits = run.encode("ascii").translate(_FROM_URL_SAFE)
    size = len(digits)
    ends = [size - ((size - start) % 4 == 1) for start in range(4)]
    return [a2b_base64(digits[start:end] + _PADDING[(end - start) % 4]) for start, end in enumerate(ends)]


def hex_bytes(run: str) -> list[bytes]:
    """Decode a run from each of its first two digits on."""
    return [bytes.fromhex(run[start : len(run) - (len(run) - start) % 2]) for start in (0, 1)]


def _digits_span(base: int, bits: int, start: int, end: int) -> Span:
    """Map a span of bytes to digits of so many bits, from `base` on."""
    return base + start * 8 // bits, base - -end * 8 // bits


# Letters that are written otherwise

_MappedLetters = list[tuple[str, int, int]]  # what a match stands for, and where each letter is


def _resolved(text: str, pattern: str, decode: Callable[[re.Match[str]], _MappedLetters]) -> View:
    """Return the text with each match decoded."""
    resolved = re.sub(pattern, lambda match: "".join([letter for letter, _, _ in decode(match)]), text)
    offsets: list[Span] = []

    def span(start: int, end: int) -> Span:
        if not offsets:  # seldom needed, as most views do not contain a text
            done = 0
            for match in re.finditer(pattern, text):
                offsets.extend((at, at + 1) for at in range(done, match.start()))
                offsets.extend((first, last) for _, first, last in decode(match))
                done = match.end()
            offsets.extend((at, at + 1) for at in range(done, len(text)))
        return offsets[start][0], offsets[end - 1][1]

    return View(resolved, span)


def _decode_escape(match: re.Match[str]) -> _MappedLetters:
    point, high, low, unit, byte, char = match.groups()
    if char:
        letter = _NAMED_ESCAPES.get(char, char)
    elif high:
        letter = chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
    else:
        number = int(point or unit or byte, 16)
        letter = chr(number) if number <= 0x10FFFF else "\ufffd"
    return [(letter, *match.span())]


def _decode_percent(match: re.Match[str]) -> _MappedLetters:
    letters: _MappedLetters = []
    start = match.start()
    for letter in bytes.fromhex(match[0].replace("%", "")).decode("utf-8", "surrogateescape"):
        end = start + 3 * _utf8_width(letter)
        letters.append((letter, start, end))
        start = end
    return letters


# Bytes


def _letters_as_bytes(text: str, rules: ViewRules) -> Iterator[View]:
    """Decode bytes that were taken for letters."""
    latin = text.replace("\ufffd", "\0")  # a NUL byte may have become the replacement character
    if not text.isascii() and max(latin) <= "\xff":
        yield from _decode_bytes(latin.encode("latin-1"), rules, _same_span)
    if re.search(_ESCAPED_BYTES, text):
        with suppress(UnicodeEncodeError):
            data = text.encode("utf-8", "surrogateescape")
            owners = [index for index, letter in enumerate(text) for _ in range(_utf8_width(letter))]
            yield from _decode_bytes(data, rules, lambda start, end: (owners[start], owners[end - 1] + 1))


def _decode_bytes(data: bytes, rules: ViewRules, place: _MapSpan, longest: int = _NO_LIMIT) -> Iterator[View]:
    """Yield the views of bytes. `place` maps a span of bytes to the original."""
    may_match = rules.may_match(data)
    for skipped, (text, has_more) in zip(_SKIPPED, decode_charsets(data, utf16=may_match), strict=False):
        if has_more or may_match:
            charset = "utf-8" if skipped is None else "utf-16-le"  # both orders have the same widths
            yield View(text, partial(_letter_span, place, text, charset, skipped or 0), has_more, longest)


def decode_charsets(data: bytes, *, utf16: bool = True) -> Iterator[tuple[str, bool]]:
    """Yield bytes decoded as UTF-8, and as UTF-16 in both orders, from the first and the second byte on.

    With each text comes whether it makes sense, so that parts of it may be encoded once more.
    """
    text = data.decode("utf-8", "surrogateescape")
    yield text, "".join(text.split()).isprintable()
    for start in (0, 1) if utf16 else ():
        pairs = data[start : len(data) - (len(data) - start) % 2]
        yield pairs.decode("utf-16-le", "replace"), False
        yield pairs.decode("utf-16-be", "replace"), False


def _letter_span(place: _MapSpan, text: str, charset: str, skipped: int, start: int, end: int) -> Span:
    """Map a span of letters to the original, over the bytes they take. Before the first letter, some are `skipped`."""
    first, size = (len(part.encode(charset, "surrogateescape")) for part in (text[:start], text[start:end]))
    return place(skipped + first, skipped + first + size)


def _utf8_width(letter: str) -> int:
    return len(letter.encode("utf-8", "surrogateescape"))


# Strings without anything to resolve


def split_plain(texts: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the texts that have no views but those of their runs of digits, and all others."""
    plain: list[str] = []
    others: list[str] = []
    for text in texts:
        (others if _HAS_MORE_VIEWS.search(text) else plain).append(text)
    return plain, others


def runs_in_plain(joined: str, min_base64: int) -> set[str]:
    """Return the distinct runs of at least so many digits in such texts, which are joined by something else."""
    digits = b" " + joined.encode("ascii").translate(_DIGITS_ALONE)
    return {run.decode("ascii") for run in set(re.findall(rb" ([^ ]{%d,})" % min_base64, digits))}


# Texts that are searched for


def remember(known: set[T], new: Iterable[T]) -> None:
    """Add to what need not be searched again, which is forgotten when it is too much."""
    if len(known) > _MAX_REMEMBERED:
        known.clear()
    known.update(new)


class TextFinder:
    """Finds some texts, which are normalized. It remembers what it searched, so use one for a whole log."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self.texts = tuple(dict.fromkeys(texts))
        self._clean_runs: set[str] = set()  # runs of digits that encode none of the texts

    @cached_property
    def _rules(self) -> ViewRules:
        base64, hexadecimal = zip(*(min_digits(len(text), _fewest_bytes(text)) for text in self.texts), strict=True)
        tests = [_byte_tests(text) for text in self.texts]

        def may_match(data: bytes) -> bool:
            return any(all(test(data) for test in letters) for letters in tests)

        return ViewRules(min(base64), min(hexadecimal), self._is_clean, may_match)

    def _is_clean(self, run: str) -> bool:
        if run in self._clean_runs:
            return True
        parts = self._rules.run_bytes(run)
        if self._rules.may_match(b"\0\0\0".join(parts)) and any(map(self._rules.may_match, parts)):
            return False
        if any(has_more for part in parts for _, has_more in decode_charsets(part, utf16=False)):
            return False
        remember(self._clean_runs, [run])
        return True

    def contains(self, text: str) -> bool:
        """Return whether any of the texts is in any view of a text."""
        if not self.texts:
            return False
        if any(next(_spans_in(view, self.texts), None) for view in views(text, self._rules)):
            return True
        remember(self._clean_runs, (match[0] for match in self._rules.base64_runs(text)))
        return False

    def matching(self, texts: Iterable[str]) -> set[str]:
        """Return those of some texts that contain any of the searched ones."""
        if not self.texts:
            return set()
        plain, others = split_plain(texts)
        return {text for text in (*self.suspects_in_plain(plain), *others) if self.contains(text)}

    def suspects_in_plain(self, texts: Sequence[str]) -> set[str]:
        """Return those of some texts, as of `split_plain`, that may contain any of the searched ones."""
        if not (self.texts and texts):
            return set()
        joined = _SEPARATOR.join(texts)
        folded = joined.lower()
        words = [word for word in (max(text.split(), key=len) for text in self.texts) if word in folded]
        runs = runs_in_plain(joined, self._rules.min_base64) - self._clean_runs
        hits = [run for run in runs if not self._is_clean(run) and self.contains(run)]
        if not (words or hits):
            return set()
        return {
            text for text in texts if any(word in text.lower() for word in words) or any(run in text for run in hits)
        }

    def replace_matches(self, text: str, excluded: str = "") -> str:
        """Return a text with a mark in place of each match. Matches inside a match of the pattern `excluded` stay."""
        for wanted in self.texts:
            if wanted in normalize_for_match(PURGED_MARK):
                continue  # the mark itself would be found again and again
            while spans := self._spans(text, wanted, excluded):
                for start, end in reversed(spans):
                    text = text[:start] + PURGED_MARK + text[end:]
        return text

    def _spans(self, text: str, wanted: str, excluded: str) -> list[Span]:
        """Return where a text is, without overlaps, but for matches inside a match of `excluded`."""
        found = (view.span(*span) for view in views(text, self._rules) for span in _spans_in(view, (wanted,)))
        merged: list[Span] = []
        for start, end in sorted(found):
            if merged and start <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((start, end))
        kept = [match.span() for match in re.finditer(excluded, text)] if merged and excluded else []
        return [span for span in merged if not any(start <= span[0] and span[1] <= end for start, end in kept)]


def _spans_in(view: View, texts: Sequence[str]) -> Iterator[Span]:
    """Yield where texts are in a view."""
    folded = normalize_for_match(view.text)
    texts = [text for text in texts if text in folded and len(text) <= view.longest]
    if not texts:
        return
    letters, offsets = _fold_with_offsets(view.text)
    for text in texts:
        start = letters.find(text)
        while start >= 0:
            end = start + len(text)
            # An accent after it makes the last letter another one.
            if not (end < len(letters) and combining(letters[end])):
                yield offsets[start][0], offsets[end - 1][1]
            start = letters.find(text, start + 1)


def _fold_with_offsets(text: str) -> tuple[str, list[Span]]:
    """Return the normalized text, and for each of its letters where it is in the original."""
    letters: list[str] = []
    offsets: list[Span] = []
    start = 0
    for end in range(1, len(text) + 1):
        if end < len(text) and combining(text[end]):
            continue  # an accent is folded with its letter
        for letter in fold_letters(text[start:end]):
            if letter.isspace() and letters and letters[-1] == " ":
                offsets[-1] = offsets[-1][0], end
                continue
            letters.append(" " if letter.isspace() else letter)
            offsets.append((start, end))
        start = end
    return "".join(letters), offsets


# What rules out bytes


@cache
def _codes_by_letter(blocks: Sequence[tuple[int, int]], letters: frozenset[str]) -> dict[str, list[int]]:
    """Return the code points of blocks whose folded form has one of these letters, by that letter."""
    codes: dict[str, list[int]] = {letter: [] for letter in letters}
    for start, end in blocks:
        for code in range(start, end):
            for letter in letters.intersection(fold_letters(chr(code))):
                codes[letter].append(code)
    return codes


@cache
def _byte_tests(text: str) -> list[Callable[[bytes], object]]:
    """Return functions that all find something in bytes with a text in any spelling, in UTF-8 or UTF-16.

    Each looks for the spellings of one letter. Of the letters of the text, those are taken that have few.
    """
    letters = _PRINTABLE_ASCII.intersection(text)
    if letters:
        spellings = _codes_by_letter(_ASCII_LOOKALIKE_BLOCKS, _PRINTABLE_ASCII)
    else:
        spellings = _codes_by_letter(_FOLDING_BLOCKS, frozenset(text) - {" "})
    rarest = sorted(letters or spellings, key=lambda letter: (len(spellings[letter]), letter))
    return [_letter_test(letter, spellings[letter]) for letter in rarest[:_TESTED_LETTERS]]


def _letter_test(letter: str, lookalikes: Iterable[int]) -> Callable[[bytes], object]:
    """Return a function that finds a letter in bytes, or a letter that looks like it."""
    plain = {letter.encode(), letter.upper().encode()} if letter.isascii() else set[bytes]()
    followers: dict[int, set[int]] = {}  # by the first byte of a spelling, the second one
    for code in (*lookalikes, *([] if plain else [ord(letter)])):
        first, second, *_ = chr(code).encode("utf-16-be")
        for one, other in ((first, second), (second, first), chr(code).encode()[:2]):
            followers.setdefault(one, set()).add(other)
    branches = [*map(re.escape, plain)]
    for one, others in followers.items():  # each begins with one byte, by which the pattern is searched quickly
        branches.append(b"\\x%02x[%s]" % (one, b"".join([b"\\x%02x" % other for other in sorted(others)])))
    return re.compile(b"|".join(branches), re.DOTALL).search


@cache
def _long_folds() -> set[str]:
    """Return all parts, of three letters or more, of what a single letter folds to."""
    folds = {fold_letters(chr(code)) for start, end in _ASCII_LOOKALIKE_BLOCKS for code in range(start, end)}
    spans = [(start, end) for end in range(max(map(len, folds)) + 1) for start in range(end - 2)]
    return {fold[start:end] for fold in folds if len(fold) > 2 for start, end in spans if end <= len(fold)}


@cache
def _fewest_bytes(text: str) -> int:
    """Return how many bytes a text takes at least, 0 if that is not known.

    A letter of an ASCII text takes a byte, unless some letter that takes two stands for three or more of its letters.
    """
    if not text.isascii():
        return 0
    most = max((len(part) for part in _long_folds() if part in text), default=0)
    return 2 * -(-len(text) // most) if most else len(text)
