"""Where a text stands in another one, however it is written: in other case, with other blanks, escaped or encoded.

A text is looked at in several *readings*: as it stands, with its escapes resolved, with whatever may be base64 or
hexadecimal decoded, some levels deep. What is found in a reading is told as a span of the original.
"""

from __future__ import annotations

import re
from binascii import a2b_base64
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Protocol
from unicodedata import combining, normalize

from tacit.record import Record
from tacit.text.display import PURGED_MARK

_Offsets = tuple[int, int]
_MAX_DEPTH = 3
# Compiled where something is purged, which is seldom.
_ESCAPE = (
    r"(?s:\\(?:u\{([0-9A-Fa-f]{1,6})\}|u([dD][89aAbB][0-9A-Fa-f]{2})\\u([dD][c-fC-F][0-9A-Fa-f]{2})"
    r"|u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|([^ux])))"
)
_NAMED_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_PERCENT_ENCODED = r"(?:%[0-9A-Fa-f]{2})+"
_FORM_PLUS = r"\+"
_NUL_RUN = "[\0\ufffd]+"
_ESCAPED_BYTES = "[\0\udc80-\udcff]"
_FROM_URL_SAFE = str.maketrans("-_", "+/")


class TextMatcher(Protocol):
    """What is looked for: a text, or only the print of one."""

    @property
    def length(self) -> int: ...
    def find(self, plain: str) -> Iterator[int]: ...


class LiteralMatcher(Record):
    """A text that is known, in its plain spelling."""

    normalized: str

    @property
    def length(self) -> int:
        return len(self.normalized)

    def find(self, plain: str) -> Iterator[int]:
        """Every place, also where one overlaps the next."""
        at = plain.find(self.normalized)
        while at >= 0:
            yield at
            at = plain.find(self.normalized, at + 1)


def normalize_for_match(text: str) -> str:
    """One spelling for all that look alike: compatibility forms taken apart, no case, one blank for many."""
    return " ".join(_fold_letters(text).split())


def matches_any(text: str, sought: Iterable[TextMatcher]) -> bool:
    """Whether any of these stands in the text, in any reading."""
    return any(next(_find_spans(text, one), None) is not None for one in sought)


def replace_matches(text: str, sought: Iterable[TextMatcher], kept: str = "") -> str:
    """The text with a mark in place of each of these. What lies wholly inside of `kept` stays."""
    for one in sought:
        if next(one.find(normalize_for_match(PURGED_MARK)), None) is not None:
            continue  # the mark itself would be found again and again
        while spans := _outside_protected(_merge_spans(_find_spans(text, one)), text, kept):
            for start, end in reversed(spans):
                text = text[:start] + PURGED_MARK + text[end:]
    return text


def _outside_protected(spans: list[_Offsets], text: str, kept: str) -> list[_Offsets]:
    if not spans or not kept:
        return spans
    safe = [found.span() for found in re.finditer(kept, text)]
    return [span for span in spans if not any(start <= span[0] and span[1] <= end for start, end in safe)]


def _merge_spans(spans: Iterable[_Offsets]) -> list[_Offsets]:
    merged: list[_Offsets] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _find_spans(text: str, sought: TextMatcher) -> Iterator[_Offsets]:
    for reading in _decoded_views(text, sought.length, _MAX_DEPTH):
        for start, end in _spans_in_view(reading.text, sought):
            yield reading.start_of(start), reading.end_of(end - 1)


def _spans_in_view(text: str, sought: TextMatcher) -> Iterator[_Offsets]:
    if next(sought.find(normalize_for_match(text)), None) is None:
        return
    even, starts, ends = _normalize_with_offsets(text)
    for at in sought.find(even):
        end = at + sought.length
        # An accent behind it makes the last letter another one.
        if not (end < len(even) and combining(even[end])):
            yield starts[at], ends[end - 1]


def _fold_letters(text: str) -> str:
    return text.lower() if text.isascii() else normalize("NFKD", normalize("NFKD", text).casefold())


def _normalize_with_offsets(text: str) -> tuple[str, list[int], list[int]]:
    """The plain spelling, and for each of its letters where it comes from."""
    letters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end in _letter_clusters(text):
        for letter in _fold_letters(text[start:end]):
            if letter.isspace() and letters and letters[-1] == " ":
                ends[-1] = end
                continue
            letters.append(" " if letter.isspace() else letter)
            starts.append(start)
            ends.append(end)
    return "".join(letters), starts, ends


def _letter_clusters(text: str) -> Iterator[_Offsets]:
    """Letters with the accents that follow them."""
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or not combining(text[at]):
            yield start, at
            start = at


# Readings


class _DecodedView(Record):
    """A text made of another: where each of its letters begins and ends there. `deep` when it may be read further."""

    text: str
    start_of: Callable[[int], int]
    end_of: Callable[[int], int]
    is_decodable: bool = True


def _decoded_views(text: str, least: int, depth: int) -> Iterator[_DecodedView]:
    yield _DecodedView(text, lambda at: at, lambda at: at + 1)
    if depth == 0:
        return
    for outer in _decode_once(text, least):
        for inner in _decoded_views(outer.text, least, depth - 1 if outer.is_decodable else 0):
            yield _compose_views(outer, inner)


def _compose_views(outer: _DecodedView, inner: _DecodedView) -> _DecodedView:
    return _DecodedView(
        inner.text,
        lambda at: outer.start_of(inner.start_of(at)),
        lambda at: outer.end_of(inner.end_of(at) - 1),
        inner.is_decodable,
    )


def _decode_once(text: str, least: int) -> Iterator[_DecodedView]:
    if "\\" in text:
        yield _decode_matches(text, _ESCAPE, _decode_escape)
    if "%" in text:
        yield _decode_matches(text, _PERCENT_ENCODED, _decode_percent)
    if "+" in text:  # a blank in a form
        yield _decode_matches(text, _FORM_PLUS, lambda found: [(" ", found.start(), found.end())])
    if "\0" in text or "\ufffd" in text:  # letters of two bytes, read as letters of one
        yield _decode_matches(text, _NUL_RUN, lambda _found: [])
    yield from _decode_hex(text, least)
    yield from _decode_base64(text, least)
    yield from _decode_raw_bytes(text)


_MappedLetters = list[tuple[str, int, int]]


def _decode_matches(text: str, pattern: str, decode: Callable[[re.Match[str]], _MappedLetters]) -> _DecodedView:
    """The text with each match decoded to letters that know where they come from."""
    pieces: list[str] = []
    firsts: list[int] = []
    lasts: list[int] = []
    done = 0

    def copied(until: int) -> None:
        pieces.append(text[done:until])
        firsts.extend(range(done, until))
        lasts.extend(range(done + 1, until + 1))

    for found in re.finditer(pattern, text):
        copied(found.start())
        for letter, start, end in decode(found):
            pieces.append(letter)
            firsts.append(start)
            lasts.append(end)
        done = found.end()
    copied(len(text))
    return _DecodedView("".join(pieces), firsts.__getitem__, lasts.__getitem__)


def _decode_escape(found: re.Match[str]) -> _MappedLetters:
    point, high, low, unit, byte, sign = found.groups()
    if sign:
        letter = _NAMED_ESCAPES.get(sign, sign)
    elif high:
        letter = chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
    else:
        number = int(point or unit or byte, 16)
        letter = chr(number) if number <= 0x10FFFF else "\ufffd"
    return [(letter, found.start(), found.end())]


def _decode_percent(found: re.Match[str]) -> _MappedLetters:
    letters: _MappedLetters = []
    at = found.start()
    for letter in bytes.fromhex(found[0].replace("%", "")).decode("utf-8", "surrogateescape"):
        end = at + 3 * len(letter.encode("utf-8", "surrogateescape"))
        letters.append((letter, at, end))
        at = end
    return letters


# A letter of the plain spelling takes two thirds of a byte at least (Korean syllables in UTF-16): shorter runs are
# not looked at.


def _decode_hex(text: str, least: int) -> Iterator[_DecodedView]:
    for run in re.finditer(rf"[0-9A-Fa-f]{{{max(8, least * 4 // 3)},}}", text):
        for start in (run.start(), run.start() + 1):
            digits = text[start : run.end() - (run.end() - start) % 2]
            yield from _decode_charsets(bytes.fromhex(digits), start, lambda at: 2 * at)


def _decode_base64(text: str, least: int) -> Iterator[_DecodedView]:
    """Wherever a run may begin to be read: an encoded text stands at one of four places of a longer one."""
    for run in re.finditer(rf"[A-Za-z0-9+/_-]{{{max(6, least * 8 // 9)},}}", text):
        for start in range(run.start(), run.start() + 4):
            signs = text[start : run.end()].translate(_FROM_URL_SAFE)
            signs = signs[:-1] if len(signs) % 4 == 1 else signs
            data = a2b_base64(signs + "=" * (-len(signs) % 4))
            yield from _decode_charsets(data, start, lambda at: (at * 8 + 5) // 6, lambda at: at * 8 // 6)


def _decode_raw_bytes(text: str) -> Iterator[_DecodedView]:
    """Bytes that were taken for letters."""
    thin = text.replace("\ufffd", "\0")  # what is left of an empty byte
    if not text.isascii() and max(thin) <= "\xff":
        yield from _decode_charsets(thin.encode("latin-1"), 0, lambda at: at)
    if re.search(_ESCAPED_BYTES, text):
        with suppress(UnicodeEncodeError):
            owners = [at for at, letter in enumerate(text) for _ in range(_utf8_width(letter))]
            data = text.encode("utf-8", "surrogateescape")
            yield from _decode_charsets(data, 0, lambda at: owners[at - 1] + 1, owners.__getitem__)


def _decode_charsets(
    data: bytes, base: int, end_of: Callable[[int], int], start_of: Callable[[int], int] | None = None
) -> Iterator[_DecodedView]:
    """Bytes read as letters of one byte or of two. `end_of(n)`: where the first n bytes end in the original."""
    begin = start_of or end_of
    yield _charset_view(data.decode("utf-8", "surrogateescape"), _utf8_width, 0, base, begin, end_of)
    for skipped in (0, 1):
        pairs = data[skipped : len(data) - (len(data) - skipped) % 2]
        for coding in ("utf-16-le", "utf-16-be"):
            yield _charset_view(pairs.decode(coding, "replace"), _utf16_width, skipped, base, begin, end_of)


def _charset_view(
    text: str,
    width: Callable[[str], int],
    skipped: int,
    base: int,
    begin: Callable[[int], int],
    end: Callable[[int], int],
) -> _DecodedView:
    def offset(at: int) -> int:
        return skipped + sum(map(width, text[:at]))

    return _DecodedView(
        text,
        lambda at: base + begin(offset(at)),
        lambda at: base + end(offset(at + 1)),
        is_decodable=width is _utf8_width
        and " ".join(text.split()).isprintable(),  # only what makes sense may have more in it
    )


def _utf8_width(letter: str) -> int:
    return len(letter.encode("utf-8", "surrogateescape"))


def _utf16_width(letter: str) -> int:
    return 4 if letter > "\uffff" else 2
