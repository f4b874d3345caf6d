"""A rolling hash over every window of a text, for many windows at once.

The hash of a window is a polynomial of its code points modulo `PRIME`, in a base. Rolled from letter to letter it takes
five operations of Python for each of them. Here, a text is laid out in rows of equal length. A column, the letters that
all rows have at one place, is one large integer with a lane of 48 bits for each row, so an operation moves all rows one
letter on. That is six times as fast, and the columns serve several hashes.
"""

from __future__ import annotations

from collections.abc import Iterator

PRIME = 1_048_573  # the largest below 2^20
_PRIME_BITS = 20
_LANE_BYTES = 6  # a hash times a base has 41 bits, and so has a code point times one
_LANE_BITS = 8 * _LANE_BYTES
_FLAG = 1 << 22  # a bit of a lane above every hash
_FLAG_BYTE = _FLAG.to_bytes(3, "big")[0]
_MAX_REDUCED = PRIME + 63  # a hash is less than this after two reductions
_MAX_ROWS = 512  # integers of 3 kB, which stay in the cache of the processor
_MIN_LETTERS = 256  # shorter texts are rolled letter by letter


def hash_letters(letters: str, base: int) -> int:
    """Return the hash of a text."""
    value = 0
    for letter in letters:
        value = (value * base + ord(letter)) % PRIME
    return value


class HashedText:
    """A text whose windows are compared with hashes, of windows of at most `longest` letters."""

    def __init__(self, text: str, longest: int) -> None:
        self._text = text
        self._longest = min(longest, len(text))
        self._columns: list[int] = []
        # Each row begins with the windows of the row before: few rows, if windows are long.
        self._row_count = max(1, min(_MAX_ROWS, len(text) // (4 * max(self._longest, 1))))
        self._row_length = -(-len(text) // self._row_count)

    def windows(self, length: int, base: int, wanted: int) -> Iterator[int]:
        """Yield the start of each window of `length` letters with the hash `wanted`, in no order."""
        if not (0 < length <= self._longest and 0 <= wanted < PRIME):
            return
        if len(self._text) < _MIN_LETTERS:
            yield from self._rolled(length, base, wanted)
            return
        if not self._columns:
            self._columns = self._make_columns()
        last = len(self._text) - length
        for row, at in self._hits(length, base, wanted):
            if (start := row * self._row_length + at) <= last:
                yield start

    def _rolled(self, length: int, base: int, wanted: int) -> Iterator[int]:
        codes = [ord(letter) for letter in self._text]
        leading = -pow(base, length, PRIME)
        value = hash_letters(self._text[:length], base)
        if value == wanted:
            yield 0
        for start, (removed, added) in enumerate(zip(codes, codes[length:], strict=False), 1):
            value = (value * base + added + removed * leading) % PRIME
            if value == wanted:
                yield start

    def _make_columns(self) -> list[int]:
        padding = self._row_count * self._row_length + self._longest - len(self._text)
        try:
            planes = [self._text.encode("latin-1") + bytes(padding)]
        except UnicodeEncodeError:
            data = self._text.encode("utf-32-le", "surrogatepass") + bytes(4 * padding)
            planes = [data[byte::4] for byte in range(3)]
        size, step = self._row_count * _LANE_BYTES, self._row_length
        span = (self._row_count - 1) * step + 1
        column, columns = bytearray(size), []
        for start in range(step + self._longest):
            for byte, plane in enumerate(planes):
                column[byte::_LANE_BYTES] = plane[start : start + span : step]
            columns.append(int.from_bytes(column, "little"))
        return columns

    def _hits(self, length: int, base: int, wanted: int) -> Iterator[tuple[int, int]]:
        """Yield row and place of the windows with a hash. Some are behind the end of the text."""
        columns, leading = self._columns, PRIME - pow(base, length, PRIME)
        ones = ((1 << self._row_count * _LANE_BITS) - 1) // ((1 << _LANE_BITS) - 1)
        high, flags = ones * ((1 << _LANE_BITS - _PRIME_BITS) - 1), ones * _FLAG
        # Hashes are reduced to less than `_MAX_REDUCED`, so a small one may stand there in two forms.
        targets = [ones * form for form in (wanted, wanted + PRIME) if form < _MAX_REDUCED]
        value = 0
        for column in columns[:length]:
            value = value * base + column
            value -= ((value >> _PRIME_BITS) & high) * PRIME
            value -= ((value >> _PRIME_BITS) & high) * PRIME
        for at in range(self._row_length):
            for target in targets:
                if found := (flags - (value ^ target)) & flags:
                    yield from ((row, at) for row in _lanes(found))
            if at + length < len(columns):
                value = value * base + columns[at + length] + columns[at] * leading
                value -= ((value >> _PRIME_BITS) & high) * PRIME
                value -= ((value >> _PRIME_BITS) & high) * PRIME


def _lanes(flags: int) -> Iterator[int]:
    """Yield the number of each lane that has a flag."""
    data = flags.to_bytes((flags.bit_length() + 7) // 8, "little")[_FLAG.bit_length() // 8 :: _LANE_BYTES]
    lane = data.find(_FLAG_BYTE)
    while lane >= 0:
        yield lane
        lane = data.find(_FLAG_BYTE, lane + 1)
