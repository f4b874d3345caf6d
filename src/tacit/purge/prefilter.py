"""Find the lines that may contain a text, quickly: most lines are ruled out without decoding every token in them.

`match.py` decides whether a line contains a text in any spelling and encoding; it takes about a millisecond. The
prefilter names every line in which it would find something, and few others (tests/purge/test_prefilter.py). It works on
many lines at once:

- A line that contains the text has each of its words in one decoded view, so the longest word is searched in the folded
  lines, joined.
- Runs of base64 and hexadecimal digits are decoded once, whichever lines they are in: in a log, most come again.
- Lines are decoded further only if they have a backslash, a percent sign and so on.
"""

from __future__ import annotations

import re
from binascii import a2b_base64, a2b_hex
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache, cached_property, lru_cache
from itertools import accumulate
from unicodedata import combining

from tacit.purge.match import (
    MAX_DEPTH,
    fold_letters,
    may_contain_more,
    resolve_escapes,
    resolve_percents,
)
from tacit.record import Record

SEPARATOR = "\x1e"  # between the lines that are searched together
# Such lines are always named: bytes that were taken for letters, in ways that are not worth a quick search.
_ODD_LETTERS = re.compile("[\ufffd\ud800-\udfff]")
_BYTES_AS_LETTERS = re.compile("[\xc2-\xf4][\x80-\xbf]")
_LATIN_RUN = re.compile("[\0-\xff]*[\x80-\xff][\0-\xff]*")
_MAX_TOKENS = 400_000  # runs of digits that need not be decoded again, about 40 MB
_TOKENS_AT_ONCE = 1000
_MIN_DIGITS_OF_PATTERN = 8  # a pattern finds longer runs more quickly; of shorter ones there are too many
_DIGITS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"
_DIGITS_ALONE = bytes(byte if byte in _DIGITS else 0x20 for byte in range(256))
_ASCII = rb"[\t-\r\x1c-\x7e]"
_MULTIBYTE = rb"(?:[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3})"
_PRINTABLE_PART = re.compile(  # at least two characters
    rb"(?<=\0)(?=(?:%s|%s){2})%s*(?:%s%s*)*(?=[^\0]?\0)" % (_ASCII, _MULTIBYTE, _ASCII, _MULTIBYTE, _ASCII)
)
_PADDING = (b"AAAA", b"AAAAAAA", b"AAAAAA", b"AAAAA")  # to a multiple of four digits, and NULs behind
_HEX_RUN = re.compile(rb"[0-9A-Fa-f]{8,}")
_FROM_URL_SAFE = bytes.maketrans(b"-_", b"+/")
# Blocks of Unicode with all letters but ASCII whose folded form has printable ASCII, generously.
_ASCII_LOOKALIKE_BLOCKS = (
    *((0x80, 0x2E4), (0x37E, 0x37F), (0x1D2C, 0x218A), (0x2260, 0x2270), (0x2460, 0x24EB), (0x2A74, 0x2A77)),
    *((0x2C7C, 0x2C7E), (0x3200, 0x3400), (0xA7F2, 0xA7F5), (0xFB00, 0xFF5F), (0x107A5, 0x107A6)),
    *((0x1D400, 0x1F191), (0x1FBF0, 0x1FBFA)),
)
_ALL_BLOCKS = ((0x80, 0xD800), (0xE000, 0x20000), (0x2F800, 0x2FA20))  # all with letters that fold to others
NumberedLine = tuple[int, str]


class MatchPrefilter:
    """Names the lines that may contain one of some texts. It remembers decoded digits, so use one for a whole log.

    Args:
        texts: normalized, as `normalize_for_match` returns them; none is empty.
        across_lines: a text may begin in one line and end in another one. Lines with its longest word are named.
    """

    def __init__(self, texts: Iterable[str], *, across_lines: bool = False) -> None:
        texts = list(texts)
        self._words = [_words_of(text)[: 1 if across_lines else None] for text in texts]
        self._texts = texts
        self._rejected: set[bytes] = set()
        self._matching: set[bytes] = set()

    @cached_property
    def _min_digits(self) -> tuple[int, int]:
        """The fewest digits that may hold a text, of base64 and hexadecimal."""
        base64, hexadecimal = zip(*map(_min_digits_of, self._texts), strict=True)
        return min(base64), min(hexadecimal)

    @cached_property
    def _byte_tests(self) -> list[_ByteTest]:
        return [_byte_test(words[0]) for words in self._words]

    def candidates(self, lines: Sequence[str], depth: int = MAX_DEPTH) -> set[int]:
        """Return the indices of the lines that may contain a text, within `depth` encodings."""
        if not all(words for words in self._words):
            return set(range(len(lines)))
        found: set[int] = set()
        if self._words:
            self._scan(list(enumerate(lines)), depth, found)
        return found

    def _scan(self, lines: list[NumberedLine], depth: int, found: set[int]) -> None:
        """Add the numbers of lines that may contain a text within `depth` encodings."""
        ascii_lines = [line for line in lines if line[1].isascii()]
        other_lines = [line for line in lines if not line[1].isascii()] if len(ascii_lines) < len(lines) else []
        found.update(self._lines_with_words(ascii_lines))
        found.update(self._lines_with_words(other_lines))
        if depth == 0:
            return
        found.update(number for number, text in other_lines if self._has_odd_letters(text))
        if tokens := self._matching_tokens(lines):
            found.update(number for number, text in lines if any(token in text for token in tokens))
        for mark, resolve in _RESOLVERS:
            marked_lines = lines if mark else other_lines
            marked = [(number, text) for number, text in marked_lines if mark in text and number not in found]
            resolved = [(number, view) for number, text in marked if (view := resolve(text)) != text]
            if resolved:
                self._scan(resolved, depth - 1, found)

    def _lines_with_words(self, lines: list[NumberedLine]) -> Iterator[int]:
        """Yield the numbers of lines whose folded form has all words of a text, and of those that cannot be joined."""
        joined = SEPARATOR.join([text for _, text in lines])
        if "\0" in joined or joined.count(SEPARATOR) >= max(len(lines), 1):
            yield from (number for number, text in lines if "\0" in text or SEPARATOR in text)
            lines = [line for line in lines if SEPARATOR not in line[1]]
            joined = SEPARATOR.join([text for _, text in lines])
        if not lines:
            return
        folded = fold_letters(joined)
        for longest, *others in self._words:
            at, counted, index = folded.find(longest), 0, 0
            while at >= 0:
                index, counted = index + folded.count(SEPARATOR, counted, at), at
                end = folded.find(SEPARATOR, at)
                start, end = folded.rfind(SEPARATOR, 0, at) + 1, len(folded) if end < 0 else end
                if all(folded.find(word, start, end) >= 0 for word in others):
                    yield lines[index][0]
                at = folded.find(longest, end)

    def _has_words(self, text: str) -> bool:
        folded = fold_letters(text)
        return any(all(word in folded for word in words) for words in self._words)

    def _has_odd_letters(self, text: str) -> bool:
        """Return whether bytes that were taken for letters may contain a text."""
        if _ODD_LETTERS.search(text):
            return True
        runs = [match[0].encode("latin-1") for match in _LATIN_RUN.finditer(text)]
        return any(self._is_byte_match(data) or self._is_byte_match(data.replace(b"-", b" ")) for data in runs)

    # Digits

    def _matching_tokens(self, lines: list[NumberedLine]) -> list[str]:
        """Return the runs of digits in these lines that may contain a text."""
        if len(self._rejected) > _MAX_TOKENS:
            self._rejected.clear()
        tokens = digit_runs([text for _, text in lines], self._min_digits[0])
        tokens -= self._rejected
        matching = [token for token in tokens if token in self._matching]
        matching += self._matches_among(list(tokens.difference(matching)))
        self._matching.update(matching)
        self._rejected.update(tokens.difference(matching))
        return [token.decode("ascii") for token in matching]

    def _matches_among(self, tokens: list[bytes]) -> Iterator[bytes]:
        """Yield the runs of digits that may contain a text. They are decoded together."""
        for start in range(0, len(tokens), _TOKENS_AT_ONCE):
            some = tokens[start : start + _TOKENS_AT_ONCE]
            found: set[int] = set()
            for decoded in _decode_together(some, self._min_digits[1]):
                found |= self._matching_runs(decoded)
            yield from (some[index] for index in found)

    def _matching_runs(self, decoded: _DecodedRuns) -> set[int]:
        """Return the indices of runs that may contain a text, perhaps encoded once more."""
        lower = decoded.data.lower()
        positions = [position for test in self._byte_tests for position in test.positions(lower, decoded.data)]
        suspects = {decoded.run_at(position) for position in positions}
        found = {run for run in suspects if any(map(self._has_words, _decoded_texts(decoded.bytes_of(run))))}
        for part in _PRINTABLE_PART.finditer(decoded.data):
            if (run := decoded.run_at(part.start())) not in found and self._is_encoded_match(part[0]):
                found.add(run)
        return found

    def _is_encoded_match(self, data: bytes) -> bool:
        """Return whether decoded bytes, perhaps with one left over, are a text that may contain one more encoded."""
        found: set[int] = set()
        texts = [text for text in _texts_of_part(data) if may_contain_more(text)]
        self._scan(list(enumerate(texts)), MAX_DEPTH - 1, found)
        return bool(found)

    def _is_byte_match(self, data: bytes) -> bool:
        """Return whether bytes may contain a text in UTF-8 or UTF-16."""
        lower = data.lower()
        for test in self._byte_tests:
            if test.may_match(lower, data):
                return any(map(self._has_words, _decoded_texts(data)))
        return False


def digit_runs(texts: Iterable[str], min_digits: int) -> set[bytes]:
    """Return the distinct runs of base64 digits in texts, of both alphabets, if they have so many digits."""
    joined = SEPARATOR.join(texts).encode("ascii", "replace").translate(_DIGITS_ALONE)
    if min_digits < _MIN_DIGITS_OF_PATTERN:
        return {run for run in set(joined.split()) if len(run) >= min_digits}
    return set(re.findall(rb" ([^ ]{%d,})" % min_digits, b" " + joined))


class _DecodedRuns(Record):
    """What several runs of digits encode, with NULs between them, and for each run where the next one begins."""

    data: bytes
    ends: list[int]

    def run_at(self, position: int) -> int:
        return min(bisect_right(self.ends, position), len(self.ends) - 1)

    def bytes_of(self, run: int) -> bytes:
        return self.data[self.ends[run - 1] if run else 0 : self.ends[run]]


def decoded_together(runs: Sequence[bytes], min_hex_digits: int) -> Iterator[bytes]:
    """Yield what runs of digits may encode, in few texts, with NULs between the runs.

    A run is decoded from each of its first digits on: as base64, and hexadecimal within it. Behind what it encodes may
    be one more byte, of digits that are left over.
    """
    return (decoded.data for decoded in _decode_together(runs, min_hex_digits))


def _decode_together(runs: Sequence[bytes], min_hex_digits: int) -> Iterator[_DecodedRuns]:
    for start in range(4):
        parts = [run[start:] for run in runs]  # empty if the run is that short
        padded = [part + _PADDING[len(part) % 4] for part in parts]
        data = a2b_base64(b"AAAA" + b"".join(padded).translate(_FROM_URL_SAFE))
        yield _DecodedRuns(data, [3 + digits * 3 // 4 for digits in accumulate(map(len, padded))])
    run_ends = list(accumulate(len(run) + 1 for run in runs))
    matches = (match for match in _HEX_RUN.finditer(b" ".join(runs)) if len(match[0]) >= min_hex_digits)
    hexadecimal = [(bisect_right(run_ends, match.start()), match[0]) for match in matches]
    for start in (0, 1) if hexadecimal else ():
        even = [run[start : len(run) - (len(run) - start) % 2] for _, run in hexadecimal]
        ends = [0] * len(runs)
        for (index, _), digits in zip(hexadecimal, accumulate(len(run) + 6 for run in even), strict=True):
            ends[index] = 3 + digits // 2
        data = a2b_hex(b"000000%s000000" % b"000000".join(even))
        yield _DecodedRuns(data, list(accumulate(ends, max)))


def texts_decoded_together(data: bytes) -> Iterator[str]:
    """Yield those of some texts with NULs between them that are UTF-8 and printable: they may contain more."""
    for part in _PRINTABLE_PART.findall(data):
        yield from _texts_of_part(part)


def _texts_of_part(part: bytes) -> Iterator[str]:
    for size in (len(part), len(part) - 1):  # the last byte may be left over
        with suppress(UnicodeDecodeError):
            yield part[:size].decode("utf-8")


class _ByteTest:
    """A quick test of bytes in an unknown encoding: those that fail it contain no spelling of a word.

    If the word is ASCII, its letters are there as they are, or at least one is there as a letter that looks like it (ﬁ,
    ², full-width forms). Accented letters do not: the accent is a letter of its own when it is folded, and an ASCII
    word has none. If the word is not ASCII, some letter is there whose folded form has its last such letter.
    """

    def __init__(self, word: str) -> None:
        self._plain = b""
        if word.isascii():
            self._plain, self._wide = word.encode("ascii"), word.encode("utf-16-le")[:-1]
            codes = [code for code, folded in _ascii_lookalikes() if _has_bare_letter(folded, word)]
        else:
            letter = max(word)
            codes = [code for code in _codes_in(_ALL_BLOCKS) if letter in fold_letters(chr(code))]
        self._lookalikes = _letter_bytes(codes)

    def positions(self, lower: bytes, data: bytes) -> Iterator[int]:
        """Yield where bytes (and the same in lower case) may have a spelling of the word."""
        for needle in (self._plain, self._wide) if self._plain else ():
            at = lower.find(needle)
            while at >= 0:
                yield at
                at = lower.find(needle, at + 1)
        yield from (match.start() for match in self._lookalikes.finditer(data))

    def may_match(self, lower: bytes, data: bytes) -> bool:
        """Return False if bytes (and the same in lower case) have no spelling of the word in UTF-8 or UTF-16."""
        if self._plain and (self._plain in lower or self._wide in lower):
            return True
        return self._lookalikes.search(data) is not None


@lru_cache(maxsize=64)
def _byte_test(word: str) -> _ByteTest:
    return _ByteTest(word)  # for a word that is not ASCII, all of Unicode is folded


def _codes_in(blocks: Iterable[tuple[int, int]]) -> Iterator[int]:
    for start, end in blocks:
        yield from range(start, end)


@cache
def _ascii_lookalikes() -> list[tuple[int, str]]:
    """Return the letters whose folded form has printable ASCII, with that form."""
    folds = ((code, fold_letters(chr(code))) for code in _codes_in(_ASCII_LOOKALIKE_BLOCKS))
    return [(code, folded) for code, folded in folds if any("!" <= char <= "~" for char in folded)]


def _has_bare_letter(folded: str, word: str) -> bool:
    """Return whether the folded form of a letter has a letter of an ASCII word that is not followed by an accent."""
    return any(
        char in word and not (at + 1 < len(folded) and combining(folded[at + 1])) for at, char in enumerate(folded)
    )


def _letter_bytes(codes: Iterable[int]) -> re.Pattern[bytes]:
    """Return a pattern that matches where one of these letters is in UTF-8 or UTF-16, and sometimes elsewhere.

    Each branch begins with a byte that few letters share, the first of UTF-8 or the high one of UTF-16: it is quick.
    """
    second_bytes: dict[int, set[int]] = {}
    low_bytes: dict[int, set[int]] = {}
    for letter in map(chr, codes):
        first, second, *_ = letter.encode()
        second_bytes.setdefault(first, set()).add(second)
        high, low, *_ = letter.encode("utf-16-be")
        low_bytes.setdefault(high, set()).add(low)
    branches = [b"\\x%02x%s" % (first, _byte_class(bytes_)) for first, bytes_ in second_bytes.items()]
    for high, bytes_ in low_bytes.items():
        lows = _byte_class(bytes_)
        branches.append(b"\\x%02x(?:(?<=%s\\x%02x)|(?=%s))" % (high, lows, high, lows))
    return re.compile(b"|".join(branches) if branches else b"(?!)", re.DOTALL)


def _byte_class(bytes_: Iterable[int]) -> bytes:
    return b"[%s]" % b"".join([b"\\x%02x" % byte for byte in sorted(bytes_)])


def _decoded_texts(data: bytes) -> Iterator[str]:
    yield data.decode("utf-8", "replace")
    for start in (0, 1):
        pairs = data[start : len(data) - (len(data) - start) % 2]
        yield pairs.decode("utf-16-le", "replace")
        yield pairs.decode("utf-16-be", "replace")


def _words_of(text: str) -> list[str]:
    """Return the words of a text, the longest first. A backslash may be taken for the beginning of an escape."""
    return sorted(filter(None, re.split(r"[\s\\]+", text)), key=len, reverse=True)


@lru_cache(maxsize=64)
def _min_digits_of(text: str) -> tuple[int, int]:
    """Return the fewest digits of base64 and of hexadecimal that may hold a text.

    A letter of an ASCII text takes a byte, unless some letter that takes two stands for three or four of its letters
    (㏂, ﬃ). Of other texts, runs are as short as those that `match.py` decodes.
    """
    if not text.isascii():
        return max(6, len(text) * 8 // 9), max(8, len(text) * 4 // 3)
    folds = {folded for _, folded in _ascii_lookalikes() if len(folded) > 2}
    covered = max((_overlap(fold, text) for fold in folds), default=1)
    size = len(text) if covered <= 2 else min(len(text), 2 * -(-len(text) // covered))
    return -(-size * 4 // 3), 2 * size


def _overlap(fold: str, text: str) -> int:
    """Return the length of the longest part of `fold` that is in `text`."""
    parts = ((end - start, fold[start:end]) for start in range(len(fold)) for end in range(start + 1, len(fold) + 1))
    return max((length for length, part in parts if part in text), default=0)


def _resolve_bytes(text: str) -> str:
    """Return the text with letters that are bytes of UTF-8 decoded. What is no UTF-8 becomes a blank."""
    if not _BYTES_AS_LETTERS.search(text):
        return text

    def decode(match: re.Match[str]) -> str:
        decoded = match[0].encode("latin-1").decode("utf-8", "replace")
        return decoded if "\xef\xbf\xbd" in match[0] else decoded.replace("\ufffd", "\x1c")

    return _LATIN_RUN.sub(decode, text)


def _resolve_plus(text: str) -> str:
    return text.replace("+", " ")


# What turns a line into another view of it, and a letter that the line has then ("" for any that is not ASCII).
_RESOLVERS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("\\", resolve_escapes),
    ("%", resolve_percents),
    ("+", _resolve_plus),
    ("", _resolve_bytes),
)
