"""The matcher of earlier versions, which decodes everything and remembers nothing: what it finds has to be found.

A text is searched in several decoded views: as it is, with its escapes resolved, with possible base64 or hexadecimal
decoded, some levels deep. A match in a view is mapped to a span of the original.
"""

from __future__ import annotations

import re
from binascii import a2b_base64
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Protocol
from unicodedata import combining, normalize

from tacit.model.observation import Fingerprint, MemoryPurged
from tacit.purge.matcher import TextFinder
from tacit.purge.prints import HashedText, PurgedText
from tacit.purge.remains import PurgeTarget
from tacit.record import Record
from tacit.text.display import PURGED_MARK

_Offsets = tuple[int, int]
MAX_DEPTH = 3  # encodings inside each other
# Strings, not compiled patterns: something is seldom purged.
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
    """Finds a text that is known, or of which only the fingerprint is known."""

    @property
    def length(self) -> int: ...
    def find(self, plain: str) -> Iterator[int]: ...


class LiteralMatcher(Record):
    """Finds a normalized text."""

    normalized: str

    @property
    def length(self) -> int:
        return len(self.normalized)

    def find(self, plain: str) -> Iterator[int]:
        """Yield every position, also of overlapping matches."""
        start = plain.find(self.normalized)
        while start >= 0:
            yield start
            start = plain.find(self.normalized, start + 1)


def normalize_for_match(text: str) -> str:
    """Return one spelling for all that look alike: decomposed, without case, runs of blanks as one."""
    return " ".join(fold_letters(text).split())


def matches_any(text: str, matchers: Iterable[TextMatcher]) -> bool:
    """Return whether any matcher finds its text in any view of `text`."""
    return any(next(_find_spans(text, matcher), None) is not None for matcher in matchers)


def replace_matches(text: str, matchers: Iterable[TextMatcher], excluded: str = "") -> str:
    """Replace each match with a mark. Matches inside a match of the pattern `excluded` stay."""
    for matcher in matchers:
        if next(matcher.find(normalize_for_match(PURGED_MARK)), None) is not None:
            continue  # the mark itself would be found again and again
        while spans := _outside_excluded(_merge_spans(_find_spans(text, matcher)), text, excluded):
            for start, end in reversed(spans):
                text = text[:start] + PURGED_MARK + text[end:]
    return text


def _outside_excluded(spans: list[_Offsets], text: str, excluded: str) -> list[_Offsets]:
    if not spans or not excluded:
        return spans
    excluded_spans = [match.span() for match in re.finditer(excluded, text)]
    return [span for span in spans if not any(start <= span[0] and span[1] <= end for start, end in excluded_spans)]


def _merge_spans(spans: Iterable[_Offsets]) -> list[_Offsets]:
    merged: list[_Offsets] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _find_spans(text: str, matcher: TextMatcher) -> Iterator[_Offsets]:
    for view in _decoded_views(text, matcher.length, MAX_DEPTH):
        for start, end in _spans_in_view(view.text, matcher):
            yield view.start_of(start), view.end_of(end - 1)


def _spans_in_view(text: str, matcher: TextMatcher) -> Iterator[_Offsets]:
    if next(matcher.find(normalize_for_match(text)), None) is None:
        return
    normalized, starts, ends = _normalize_with_offsets(text)
    for start in matcher.find(normalized):
        end = start + matcher.length
        # An accent after it makes the last letter another one.
        if not (end < len(normalized) and combining(normalized[end])):
            yield starts[start], ends[end - 1]


def fold_letters(text: str) -> str:
    """Return the text decomposed and without case. Blanks stay as they are."""
    return text.lower() if text.isascii() else normalize("NFKD", normalize("NFKD", text).casefold())


def _normalize_with_offsets(text: str) -> tuple[str, list[int], list[int]]:
    """Return the normalized text, and for each of its letters the start and end in the original."""
    letters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end in _letter_clusters(text):
        for letter in fold_letters(text[start:end]):
            if letter.isspace() and letters and letters[-1] == " ":
                ends[-1] = end
                continue
            letters.append(" " if letter.isspace() else letter)
            starts.append(start)
            ends.append(end)
    return "".join(letters), starts, ends


def _letter_clusters(text: str) -> Iterator[_Offsets]:
    """Yield the span of each letter with the accents that follow it."""
    start = 0
    for end in range(1, len(text) + 1):
        if end == len(text) or not combining(text[end]):
            yield start, end
            start = end


class _DecodedView(Record):
    """A text decoded from another, with the start and end of each of its letters there.

    `is_decodable` is set if it may be decoded further.
    """

    text: str
    start_of: Callable[[int], int]
    end_of: Callable[[int], int]
    is_decodable: bool = True


def _decoded_views(text: str, min_length: int, depth: int) -> Iterator[_DecodedView]:
    """Yield the text itself and its decoded views. Runs too short for `min_length` letters are not decoded."""
    yield _DecodedView(text, lambda index: index, lambda index: index + 1)
    if depth == 0:
        return
    for outer in _decode_once(text, min_length):
        for inner in _decoded_views(outer.text, min_length, depth - 1 if outer.is_decodable else 0):
            yield _compose_views(outer, inner)


def _compose_views(outer: _DecodedView, inner: _DecodedView) -> _DecodedView:
    return _DecodedView(
        inner.text,
        lambda index: outer.start_of(inner.start_of(index)),
        lambda index: outer.end_of(inner.end_of(index) - 1),
        inner.is_decodable,
    )


def _decode_once(text: str, min_length: int) -> Iterator[_DecodedView]:
    if "\\" in text:
        yield _decode_matches(text, _ESCAPE, _decode_escape)
    if "%" in text:
        yield _decode_matches(text, _PERCENT_ENCODED, _decode_percent)
    if "+" in text:  # a blank in a form
        yield _decode_matches(text, _FORM_PLUS, lambda match: [(" ", match.start(), match.end())])
    if "\0" in text or "\ufffd" in text:  # UTF-16 that was decoded as single bytes
        yield _decode_matches(text, _NUL_RUN, lambda _match: [])
    yield from _decode_hex(text, min_length)
    yield from _decode_base64(text, min_length)
    yield from _decode_raw_bytes(text)


_MappedLetters = list[tuple[str, int, int]]


def resolve_escapes(text: str) -> str:
    """Return the text with backslash escapes resolved once."""
    return re.sub(_ESCAPE, lambda match: _decode_escape(match)[0][0], text)


def resolve_percents(text: str) -> str:
    """Return the text with percent encoding resolved once. Bytes that are no UTF-8 become lone surrogates."""
    return re.sub(_PERCENT_ENCODED, lambda match: "".join([letter for letter, _, _ in _decode_percent(match)]), text)


def _decode_matches(text: str, pattern: str, decode: Callable[[re.Match[str]], _MappedLetters]) -> _DecodedView:
    """Return the text with each match decoded to letters with their positions."""
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    done = 0

    def copy(until: int) -> None:
        pieces.append(text[done:until])
        starts.extend(range(done, until))
        ends.extend(range(done + 1, until + 1))

    for match in re.finditer(pattern, text):
        copy(match.start())
        for letter, start, end in decode(match):
            pieces.append(letter)
            starts.append(start)
            ends.append(end)
        done = match.end()
    copy(len(text))
    return _DecodedView("".join(pieces), starts.__getitem__, ends.__getitem__)


def _decode_escape(match: re.Match[str]) -> _MappedLetters:
    point, high, low, unit, byte, char = match.groups()
    if char:
        letter = _NAMED_ESCAPES.get(char, char)
    elif high:
        letter = chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
    else:
        number = int(point or unit or byte, 16)
        letter = chr(number) if number <= 0x10FFFF else "\ufffd"
    return [(letter, match.start(), match.end())]


def resolved_texts(text: str) -> Iterator[str]:
    """Yield the text with escapes, percents, pluses and NULs resolved, each in a view of its own."""
    if "\\" in text:
        yield resolve_escapes(text)
    if "%" in text:
        yield resolve_percents(text)
    if "+" in text:
        yield text.replace("+", " ")
    if "\0" in text or "\ufffd" in text:
        yield re.sub(_NUL_RUN, "", text)


def _decode_percent(match: re.Match[str]) -> _MappedLetters:
    letters: _MappedLetters = []
    start = match.start()
    for letter in bytes.fromhex(match[0].replace("%", "")).decode("utf-8", "surrogateescape"):
        end = start + 3 * _utf8_width(letter)
        letters.append((letter, start, end))
        start = end
    return letters


# A normalized letter takes at least two thirds of a byte (Korean syllables in UTF-16). Shorter runs are not decoded.


def hex_bytes(run: str, start: int) -> bytes:
    """Decode a run from its digit number `start` on: 0 or 1."""
    return bytes.fromhex(run[start : len(run) - (len(run) - start) % 2])


def base64_bytes(run: str, start: int) -> bytes:
    """Decode a run from its digit number `start` on: 0 to 3. Both alphabets are decoded."""
    digits = run[start:].translate(_FROM_URL_SAFE)
    digits = digits[:-1] if len(digits) % 4 == 1 else digits
    return a2b_base64(digits + "=" * (-len(digits) % 4))


def _decode_hex(text: str, min_length: int) -> Iterator[_DecodedView]:
    for run in re.finditer(rf"[0-9A-Fa-f]{{{max(8, min_length * 4 // 3)},}}", text):
        for start in (0, 1):
            yield from _decode_charsets(hex_bytes(run[0], start), run.start() + start, lambda count: 2 * count)


def _decode_base64(text: str, min_length: int) -> Iterator[_DecodedView]:
    """Decode from each of the first four positions of a run: the text may be encoded within a longer one."""
    for run in re.finditer(rf"[A-Za-z0-9+/_-]{{{max(6, min_length * 8 // 9)},}}", text):
        for start in range(4):
            data = base64_bytes(run[0], start)
            yield from _decode_charsets(
                data, run.start() + start, lambda count: (count * 8 + 5) // 6, lambda count: count * 8 // 6
            )


def letters_as_bytes(text: str) -> Iterator[bytes]:
    """Yield the bytes that may have been taken for the letters of a text."""
    latin = text.replace("\ufffd", "\0")  # a NUL byte may have become the replacement character
    if not text.isascii() and max(latin) <= "\xff":
        yield latin.encode("latin-1")
    if re.search(_ESCAPED_BYTES, text):
        with suppress(UnicodeEncodeError):
            yield text.encode("utf-8", "surrogateescape")


def decoded_charsets(data: bytes) -> Iterator[tuple[str, bool]]:
    """Yield bytes decoded in all ways that are searched, and whether the text may contain more that is encoded."""
    text = data.decode("utf-8", "surrogateescape")
    yield text, may_contain_more(text)
    for skipped in (0, 1):
        pairs = data[skipped : len(data) - (len(data) - skipped) % 2]
        yield pairs.decode("utf-16-le", "replace"), False
        yield pairs.decode("utf-16-be", "replace"), False


def may_contain_more(text: str) -> bool:
    """Return whether a decoded text makes sense, so that parts of it may be encoded once more."""
    return " ".join(text.split()).isprintable()


def _decode_raw_bytes(text: str) -> Iterator[_DecodedView]:
    """Decode bytes that were taken for letters."""
    latin = text.replace("\ufffd", "\0")  # a NUL byte may have become the replacement character
    if not text.isascii() and max(latin) <= "\xff":
        yield from _decode_charsets(latin.encode("latin-1"), 0, lambda count: count)
    if re.search(_ESCAPED_BYTES, text):
        with suppress(UnicodeEncodeError):
            owners = [index for index, letter in enumerate(text) for _ in range(_utf8_width(letter))]
            data = text.encode("utf-8", "surrogateescape")
            yield from _decode_charsets(data, 0, lambda count: owners[count - 1] + 1, owners.__getitem__)


def _decode_charsets(
    data: bytes, base: int, end_of: Callable[[int], int], start_of: Callable[[int], int] | None = None
) -> Iterator[_DecodedView]:
    """Yield the bytes decoded as UTF-8 and as UTF-16 in both orders, from the first and the second byte.

    `end_of(n)` is where the first n bytes end in the original, from `base`; `start_of(n)` is where the next begins.
    """

    def view(text: str, width: Callable[[str], int], skipped: int) -> _DecodedView:
        def offset(index: int) -> int:
            return skipped + sum(map(width, text[:index]))

        return _DecodedView(
            text,
            lambda index: base + (start_of or end_of)(offset(index)),
            lambda index: base + end_of(offset(index + 1)),
            is_decodable=width is _utf8_width and may_contain_more(text),
        )

    yield view(data.decode("utf-8", "surrogateescape"), _utf8_width, 0)
    for skipped in (0, 1):
        pairs = data[skipped : len(data) - (len(data) - skipped) % 2]
        for encoding in ("utf-16-le", "utf-16-be"):
            yield view(pairs.decode(encoding, "replace"), _utf16_width, skipped)


def _utf8_width(letter: str) -> int:
    return len(letter.encode("utf-8", "surrogateescape"))


def _utf16_width(letter: str) -> int:
    return 4 if letter > "\uffff" else 2


class FingerprintMatcher:
    """Finds a text of which only the fingerprint is known."""

    def __init__(self, fingerprint: Fingerprint) -> None:
        self._fingerprint = fingerprint

    @property
    def length(self) -> int:
        return self._fingerprint.length

    def find(self, plain: str) -> Iterator[int]:
        purged = PurgedText(self._fingerprint)
        if purged.learn(HashedText(plain, self.length), plain):
            yield from LiteralMatcher(purged.text).find(plain)


class SlowFinder(TextFinder):
    """Finds by matchers whatever is in any view of a text."""

    def __init__(self, matchers: Sequence[TextMatcher]) -> None:
        super().__init__()
        self._matchers = matchers

    def contains(self, text: str) -> bool:
        return matches_any(text, self._matchers)

    def replace_matches(self, text: str, excluded: str = "") -> str:
        return replace_matches(text, self._matchers, excluded)


def target_of(tombstone: MemoryPurged) -> PurgeTarget:
    """What a tombstone purges if every text is compared with its fingerprints."""
    finder = SlowFinder([FingerprintMatcher(fingerprint) for fingerprint in tombstone.prints])
    return PurgeTarget(finder, frozenset(tombstone.claims), tombstone.everywhere, dict(tombstone.moved))
