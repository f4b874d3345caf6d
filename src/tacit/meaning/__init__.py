"""The meaning of a sentence as a sum of one vector per token, out of a table in the wheel.

The table is trained elsewhere (`bench/train_meaning.py`) so that sums of its rows lie to each other as the vectors of a
sentence model do. Reading it takes the standard library and integers alone: the same text has the same vector on every
machine. Nothing of the table is loaded at the start; the operating system maps what is looked at.

    table = open_table()                       # raises TableError if the file is not there, cut off or not ours
    vector = table.encode("customers are billed by card")   # signed bytes; all zero if no token is known
    similarity(vector, table.encode("how do clients pay"))  # the cosine in thousandths, -1000 to 1000
    (bits(vector) ^ bits(other)).bit_count()   # a quick and rough distance

Layout of the file, all numbers little-endian:

    header         HEADER_BYTES: MAGIC, the fields of `Header`, zeros, and the checksum of all before it
    displacements  one u16 for each bucket of the perfect hash function
    checks         one u32 for each row: bits of the hash of its token, so that other tokens are not taken for it
    scales         one u16 for each row
    rows           each `dimensions` components as bytes, 128 higher than they are

A token is looked up by two numbers of its hash: a bucket gives the displacement, hash and displacement give the row. So
no vocabulary is stored, and a lookup is a few operations without a loop.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from math import isqrt
from mmap import ACCESS_READ, mmap
from operator import mul

from tacit.meaning.wordpiece import split_words, word_pieces
from tacit.record import Record

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Literal

TABLE_FILE = os.path.join(os.path.dirname(__file__), "token_vectors.bin")
MAGIC = b"tacitvec"
FORMAT_VERSION = 1
HEADER_BYTES = 64
_CHECKSUM_BYTES = 8
_VERSION_BYTES = 16

# Chosen at random once. A prime below 2**61 keeps hashes in two digits of Python's integers.
_HASH_PRIME = 2_169_412_786_543_210_751
_HASH_FACTOR = 1_537_228_672_809_129_301
_CHECK_SHIFT = 29  # the upper 32 of 61 bits
_FIRST_SHIFT, _SECOND_SHIFT = 7, 33

MAX_TOKENS = 256  # of a text: 255 * 65535 * 257 is the largest sum that a lane of 32 bits holds
MAX_TEXT_CHARS = 2048  # more cannot matter, and a text may be a megabyte
COMPONENT_BIAS = 128
_LANE_BYTES = 4
# A vector of length 1 is stored as signed bytes at this scale: a component of 256 is typically .06 and hardly ever
# above .3. What rounding adds to a cosine is .001.
QUANTIZATION_SCALE = 400
_MAX_COMPONENT = 127
_PER_THOUSAND = QUANTIZATION_SCALE * QUANTIZATION_SCALE // 1000
_RECIPROCAL_BITS, _NORM_BITS = 40, 16  # after the point, of a factor and of a length
_MAX_CACHED_WORDS = 20_000

_SIGN_DIGITS = bytes(ord("1") if byte >= 128 else ord("0") for byte in range(256))


class TableError(Exception):
    """The table cannot be used. Everything else works without it, so that no command ends with this."""


class Header(Record):
    """What the header of a table says."""

    format_version: int
    dimensions: int
    rows: int
    buckets: int
    longest_token: int  # in characters, with `##`
    version: bytes  # the first bytes of the SHA-256 of all that follows the header

    @property
    def file_size(self) -> int:
        """The size of the file that has this header."""
        return HEADER_BYTES + 2 * self.buckets + (4 + 2 + self.dimensions) * self.rows


def token_hash(token: str) -> int:
    """Return the hash of a token, below 2**61."""
    return int.from_bytes(token.encode("utf-8", "surrogatepass"), "little") * _HASH_FACTOR % _HASH_PRIME


def token_check(hashed: int) -> int:
    """Return the 32 bits of a hash that are stored with its row."""
    return hashed >> _CHECK_SHIFT


def row_of(hashed: int, displacement: int, rows: int) -> int:
    """Return the row of a hash whose bucket has this displacement. `rows` is a prime."""
    return ((hashed >> _FIRST_SHIFT) + displacement * (1 + (hashed >> _SECOND_SHIFT) % (rows - 1))) % rows


def encode_header(header: Header) -> bytes:
    """Return the bytes of a header."""
    numbers = (header.format_version, header.dimensions, header.rows, header.buckets, header.longest_token)
    fields = MAGIC + b"".join(number.to_bytes(4, "little") for number in numbers) + header.version
    padded = fields.ljust(HEADER_BYTES - _CHECKSUM_BYTES, b"\0")
    return padded + _checksum(padded)


def decode_header(data: bytes) -> Header:
    """Return the header at the beginning of a file. Raises TableError."""
    if len(data) < HEADER_BYTES or data[: len(MAGIC)] != MAGIC:
        raise TableError("the table of token vectors is not one")
    if data[HEADER_BYTES - _CHECKSUM_BYTES : HEADER_BYTES] != _checksum(data[: HEADER_BYTES - _CHECKSUM_BYTES]):
        raise TableError("the table of token vectors is damaged")
    start = len(MAGIC)
    found, *numbers = (int.from_bytes(data[at : at + 4], "little") for at in range(start, start + 20, 4))
    if found != FORMAT_VERSION:
        raise TableError(f"the table of token vectors has format {found}, not {FORMAT_VERSION}")
    dimensions, rows, buckets, longest = numbers
    return Header(found, dimensions, rows, buckets, longest, data[start + 20 : start + 20 + _VERSION_BYTES])


def _checksum(data: bytes) -> bytes:
    return (int.from_bytes(data, "little") * _HASH_FACTOR % _HASH_PRIME).to_bytes(_CHECKSUM_BYTES, "little")


class TokenVectors:
    """An open table. Text goes in, vectors come out; nothing is changed but a cache of words."""

    def __init__(self, data: mmap | bytes) -> None:
        """Read a table. Raises TableError if it is cut off, damaged or of another format."""
        header = decode_header(data[:HEADER_BYTES])
        if len(data) != header.file_size:
            raise TableError(f"the table of token vectors has {len(data)} bytes, not {header.file_size}")
        self.header = header
        self._data = data
        view = memoryview(data)
        checks = HEADER_BYTES + 2 * header.buckets
        scales = checks + 4 * header.rows
        self._first_row = scales + 2 * header.rows
        self._displacements = _numbers(view[HEADER_BYTES:checks], "H")
        self._checks = _numbers(view[checks:scales], "I")
        self._scales = _numbers(view[scales : self._first_row], "H")
        self._mask = int.from_bytes(b"\xff\0\0\0" * (header.dimensions // _LANE_BYTES), "little")
        self._rows_by_word: dict[str, tuple[int, ...]] = {}

    @property
    def dimensions(self) -> int:
        """The number of bytes of every vector."""
        return self.header.dimensions

    @property
    def version(self) -> str:
        """Identifies the table; vectors of different versions cannot be compared."""
        return f"{FORMAT_VERSION}-{self.header.version.hex()}"

    def verify(self) -> None:
        """Compare the whole content with its version. Takes some 20 ms. Raises TableError."""
        from hashlib import sha256

        if sha256(memoryview(self._data)[HEADER_BYTES:]).digest()[:_VERSION_BYTES] != self.header.version:
            raise TableError("the table of token vectors is damaged")

    def row(self, token: str) -> int | None:
        """Return the row of a token; None if the table has none."""
        hashed = token_hash(token)
        header = self.header
        row = row_of(hashed, self._displacements[hashed % header.buckets], header.rows)
        return row if self._checks[row] == hashed >> _CHECK_SHIFT else None

    def token_rows(self, text: str) -> list[int]:
        """Return the rows of the tokens of a text, at most MAX_TOKENS."""
        known = self._rows_by_word
        rows: list[int] = []
        for word in split_words(text[:MAX_TEXT_CHARS]):
            word_rows = known.get(word)
            if word_rows is None:
                if len(known) >= _MAX_CACHED_WORDS:
                    known.clear()
                word_rows = known[word] = tuple(word_pieces(word, self.row, self.header.longest_token))
            rows += word_rows
        return rows[:MAX_TOKENS]

    def encode(self, text: str) -> bytes:
        """Return the vector of a text: signed bytes, all zero if the text has no token with a meaning."""
        return quantize(self._sum(self.token_rows(text)))

    def _sum(self, rows: Sequence[int]) -> list[int]:
        """Return the sum of rows times their scales, in the order of the lanes.

        A row is one large integer. Every fourth byte of it is a lane of 32 bits: four products with the scale and four
        sums add a whole row, whatever its length.
        """
        data, first, width, mask = self._data, self._first_row, self.header.dimensions, self._mask
        lanes = [0] * _LANE_BYTES
        bias = 0
        for row in rows:
            scale = self._scales[row]
            start = first + row * width
            components = int.from_bytes(data[start : start + width], "little")
            lanes[0] += (components & mask) * scale
            lanes[1] += (components >> 8 & mask) * scale
            lanes[2] += (components >> 16 & mask) * scale
            lanes[3] += (components >> 24 & mask) * scale
            bias += scale
        bias *= COMPONENT_BIAS
        return [total - bias for lane in lanes for total in memoryview(lane.to_bytes(width, sys.byteorder)).cast("I")]


def _numbers(view: memoryview, code: Literal["H", "I"]) -> Sequence[int]:
    """Return little-endian numbers as a sequence."""
    if sys.byteorder == "little":
        return view.cast(code)
    from array import array

    swapped = array(code, bytes(view))
    swapped.byteswap()
    return swapped


def quantize(values: Sequence[int]) -> bytes:
    """Return a vector of any length as signed bytes of one length, rounded to the nearest; zeros if it is zero."""
    norm = isqrt(sum(map(mul, values, values)) << 2 * _NORM_BITS)
    if not norm:
        return bytes(len(values))
    factor = (QUANTIZATION_SCALE << _RECIPROCAL_BITS + _NORM_BITS) // norm
    half = 1 << (_RECIPROCAL_BITS - 1)
    highest, lowest = max(values), min(values)
    if max(highest, -lowest) * factor + half >> _RECIPROCAL_BITS > _MAX_COMPONENT:
        limit = (_MAX_COMPONENT << _RECIPROCAL_BITS) // factor
        values = [max(-limit, min(value, limit)) for value in values]
    return bytes([value * factor + half >> _RECIPROCAL_BITS & 255 for value in values])


def similarity(first: bytes, second: bytes) -> int:
    """Return the cosine of two vectors in thousandths, -1000 to 1000; 0 if one of them is zero."""
    product: int = sum(map(mul, memoryview(first).cast("b"), memoryview(second).cast("b")))
    return max(-1000, min(1000, product // _PER_THOUSAND))


def similarities(query: bytes, vectors: bytes) -> Iterator[int]:
    """Yield the similarity of the query to each of several concatenated vectors."""
    size = len(query)
    components, rows = memoryview(query).cast("b").tolist(), memoryview(vectors).cast("b")
    for start in range(0, len(vectors), size):
        product = sum(map(mul, components, rows[start : start + size]))
        yield max(-1000, min(1000, product // _PER_THOUSAND))


def bits(vector: bytes) -> int:
    """Return one bit per component, its sign. Vectors with few different bits are probably similar."""
    return int(vector.translate(_SIGN_DIGITS), 2)


def pack_signs(vector: bytes) -> bytes:
    """Return the bits of a vector in an eighth of its bytes."""
    return bits(vector).to_bytes(len(vector) // 8, "big")


def open_table(path: str = TABLE_FILE) -> TokenVectors:
    """Map a table into memory. Raises TableError if it is missing, cut off, damaged or of another format."""
    try:
        with open(path, "rb") as file:
            return TokenVectors(mmap(file.fileno(), 0, access=ACCESS_READ))
    except (OSError, ValueError) as error:
        raise TableError(f"the table of token vectors cannot be read: {error}") from error


@cache
def cached_table() -> TokenVectors | None:
    """Return the table of this installation; None if there is none that can be used."""
    try:
        return open_table()
    except TableError:
        return None
