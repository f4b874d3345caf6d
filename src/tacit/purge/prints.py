"""Fingerprints recognise a text without storing it.

A fingerprint has a weak rolling hash of twenty bits, which finds where a text might occur, and a strong one, salted and
slow to compute, which decides whether it does. Whoever has a fingerprint can test guesses, one at a time: a purged text
that is short or common can be confirmed by somebody who suspects it, but never listed.

`PrintSearch` says which fingerprints occur in texts, in the views that `matcher.py` describes. Each distinct text is
searched once for all of them, and many are hashed together. A text that was found is known from then on, and is
searched for like any other text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b, pbkdf2_hmac

from tacit.model.observation import Fingerprint
from tacit.purge.matcher import (
    MAX_DEPTH,
    ViewRules,
    decode_charsets,
    decode_once,
    min_digits,
    normalize_for_match,
    remember,
    runs_in_plain,
    split_plain,
)

_PBKDF2_ROUNDS = 20_000
_SEPARATOR = "\1"  # between texts that are searched together; it is no blank
_BYTE_SEPARATOR = bytes(3)  # between bytes that are decoded together, so that neither order of UTF-16 joins two letters
_BATCH_LETTERS = 1 << 18  # that are hashed at once
_RUNS_AT_ONCE = 2000  # runs of digits that are decoded together
_MAX_KEY_CHARS = 64  # longer texts are remembered by their hash
PRIME = 1_048_573  # the largest below 2^20
_PRIME_BITS = 20
_LANE_BYTES = 6  # a hash times a base has 41 bits, and so has a code point times one
_LANE_BITS = 8 * _LANE_BYTES
_FLAG = 1 << 22  # a bit of a lane above every hash
_FLAG_BYTE = _FLAG.to_bytes(3, "big")[0]
_MAX_REDUCED = PRIME + 63  # a hash is less than this after two reductions
_MAX_ROWS = 512  # integers of 3 kB, which stay in the cache of the processor
_MIN_LETTERS = 256  # shorter texts are rolled letter by letter


def make_fingerprint(text: str, salt: bytes) -> Fingerprint:
    """Return the fingerprint of a text. Case and blanks do not matter."""
    letters = normalize_for_match(text)
    return Fingerprint(salt.hex(), len(letters), hash_letters(letters, _hash_base(salt)), _strong_hash(letters, salt))


class PurgedText:
    """A text of which only the fingerprint is known. `text` is set once it was found, to the normalized text."""

    def __init__(self, fingerprint: Fingerprint) -> None:
        self.fingerprint = fingerprint
        self._salt = bytes.fromhex(fingerprint.salt)
        self._base = _hash_base(self._salt)
        self.text = ""

    @property
    def length(self) -> int:
        return self.fingerprint.length

    def learn(self, hashed: HashedText, plain: str) -> bool:
        """Return whether the text is in `plain`, which is normalized and whose windows are `hashed`."""
        for start in hashed.windows(self.length, self._base, self.fingerprint.weak):
            window = plain[start : start + self.length]
            if _strong_hash(window, self._salt) == self.fingerprint.strong:
                self.text = window
                return True
        return False


def _hash_base(salt: bytes) -> int:
    return int.from_bytes(salt[:4], "big") % (PRIME - 256) + 256


@lru_cache(maxsize=4096)
def _strong_hash(letters: str, salt: bytes) -> str:
    return pbkdf2_hmac("sha256", letters.encode("utf-8", "surrogatepass"), salt, _PBKDF2_ROUNDS).hex()[:32]


class PrintSearch:
    """Finds out which purged texts occur in texts. It remembers texts without any, so use one for a whole log."""

    def __init__(self, purged: Iterable[PurgedText]) -> None:
        self._unknown = [each for each in purged if not each.text]
        self._clean: set[str | bytes] = set()
        self._clean_runs: set[str] = set()
        self._min_digits = min_digits(min((each.length for each in self._unknown), default=0))

    @property
    def is_done(self) -> bool:
        """Whether all texts are known."""
        return not self._unknown

    def learn(self, texts: Iterable[str]) -> None:
        """Search every view of these texts. Each purged text that is in one is known afterwards."""
        if self.is_done:
            return
        new = {_key(text): text for text in set(texts)}
        for key in self._clean.intersection(new):
            del new[key]
        self._scan(list(new.values()), MAX_DEPTH)
        remember(self._clean, new)

    def _scan(self, texts: Sequence[str], depth: int) -> None:
        """Search texts and whatever is encoded in them, within `depth` encodings."""
        self._search(texts)
        if depth == 0 or self.is_done:
            return
        inner: set[str] = set()
        self._search(self._decoded(texts, depth, inner))
        if inner:
            self._scan(list(inner), depth - 1)

    def _decoded(self, texts: Sequence[str], depth: int, inner: set[str]) -> Iterator[str]:
        """Yield decoded texts that contain nothing more; add the others to `inner`."""
        plain, others = split_plain(texts)
        found = runs_in_plain(_SEPARATOR.join(plain), self._min_digits[0])

        def set_aside(run: str) -> bool:  # runs are decoded together
            found.add(run)
            return True

        rules = ViewRules(*self._min_digits, set_aside, lambda _data: True)
        for text in others:
            for view in decode_once(text, rules):
                if view.is_decodable:
                    inner.add(view.text)
                else:
                    yield view.text
        runs = list(found - self._clean_runs)
        for start in range(0, len(runs), _RUNS_AT_ONCE):
            parts = [part for run in runs[start : start + _RUNS_AT_ONCE] for part in rules.run_bytes(run)]
            inner.update(text for part in parts for text, has_more in decode_charsets(part, utf16=False) if has_more)
            yield from (text for text, _ in decode_charsets(_BYTE_SEPARATOR.join(parts)))
        if depth == MAX_DEPTH:  # what is in them is searched as deep as in any other text
            remember(self._clean_runs, runs)

    def _search(self, texts: Iterable[str]) -> None:
        """Compare the windows of texts with all hashes. Those in ASCII are searched apart, as they fold faster."""
        batches: dict[bool, list[str]] = {True: [], False: []}
        letters = dict.fromkeys(batches, 0)
        for text in texts:
            is_ascii = text.isascii()
            batches[is_ascii].append(text)
            letters[is_ascii] += len(text)
            if letters[is_ascii] >= _BATCH_LETTERS:
                self._search_joined(batches[is_ascii])
                batches[is_ascii], letters[is_ascii] = [], 0
        for batch in batches.values():
            self._search_joined(batch)

    def _search_joined(self, texts: Sequence[str]) -> None:
        """Search texts together. Windows that reach from one into the next match nothing, or what is there."""
        joined = _SEPARATOR.join(texts)
        if not joined.isascii():  # no text that is purged has a lone surrogate
            joined = joined.encode("utf-8", "replace").decode()
        plain = normalize_for_match(joined)
        if self._unknown and plain:
            hashed = HashedText(plain, max(each.length for each in self._unknown))
            self._unknown = [each for each in self._unknown if not each.learn(hashed, plain)]


def _key(text: str) -> str | bytes:
    if len(text) <= _MAX_KEY_CHARS:
        return text
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


# The rolling hash


def hash_letters(letters: str, base: int) -> int:
    """Return the hash of a text."""
    value = 0
    for letter in letters:
        value = (value * base + ord(letter)) % PRIME
    return value


class HashedText:
    """A text whose windows are compared with hashes, of windows of at most `longest` letters.

    The hash of a window is a polynomial of its code points modulo `PRIME`, in a base. Rolled from letter to letter it
    takes five operations of Python for each of them. Here, a text is laid out in rows of equal length. A column, the
    letters that all rows have at one place, is one large integer with a lane of 48 bits for each row, so an operation
    moves all rows one letter on. That is six times as fast, and the columns serve several hashes.
    """

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
