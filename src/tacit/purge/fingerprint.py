"""Fingerprints recognise a text without storing it.

A fingerprint has a weak rolling hash of twenty bits, which finds where a text might occur, and a strong one, salted and
slow to compute, which decides whether it does. Whoever has a fingerprint can test guesses, one at a time: a purged text
that is short or common can be confirmed by somebody who suspects it, but never listed.

`FingerprintMatcher` searches one text. `FingerprintSearch` searches many texts for many fingerprints: each distinct one
is decoded once for all of them, and hashed together with others (`purge/rolling.py`). It says which fingerprints occur;
their texts are known from then on, and are searched for like any other text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b, pbkdf2_hmac
from typing import TypeVar

from tacit.model.observation import Fingerprint
from tacit.purge.match import (
    MAX_DEPTH,
    LiteralMatcher,
    decoded_charsets,
    letters_as_bytes,
    may_contain_more,
    normalize_for_match,
    resolved_texts,
)
from tacit.purge.rolling import PRIME, HashedText, hash_letters

_PBKDF2_ROUNDS = 20_000
_SEPARATOR = "\1"  # between texts that are searched together; it is no blank
_BATCH_LETTERS = 1 << 18  # that are hashed at once
_RUNS_AT_ONCE = 2000  # runs of digits that are decoded together
_MAX_KEY_CHARS = 64  # longer texts are remembered by their hash
_MAX_REMEMBERED = 400_000  # texts and runs of digits that need not be searched again, about 50 MB


T = TypeVar("T")


def make_fingerprint(text: str, salt: bytes) -> Fingerprint:
    """Return the fingerprint of a text. Case and blanks do not matter."""
    letters = normalize_for_match(text)
    return Fingerprint(salt.hex(), len(letters), hash_letters(letters, _hash_base(salt)), _strong_hash(letters, salt))


class FingerprintMatcher:
    """Finds a text of which only the fingerprint is known. `text` is set once it was found, to the normalized text."""

    def __init__(self, fingerprint: Fingerprint) -> None:
        self._fingerprint = fingerprint
        self._salt = bytes.fromhex(fingerprint.salt)
        self._base = _hash_base(self._salt)
        self.text = ""

    @property
    def length(self) -> int:
        return self._fingerprint.length

    def find(self, plain: str) -> Iterator[int]:
        """Yield each position of the text in `plain`, which is normalized."""
        if self.text or self.learn(HashedText(plain, self.length), plain):
            yield from LiteralMatcher(self.text).find(plain)

    def learn(self, hashed: HashedText, plain: str) -> bool:
        """Return whether the text is in `plain`, whose windows are `hashed`."""
        for start in hashed.windows(self.length, self._base, self._fingerprint.weak):
            window = plain[start : start + self.length]
            if _strong_hash(window, self._salt) == self._fingerprint.strong:
                self.text = window
                return True
        return False


def _hash_base(salt: bytes) -> int:
    return int.from_bytes(salt[:4], "big") % (PRIME - 256) + 256


@lru_cache(maxsize=4096)
def _strong_hash(letters: str, salt: bytes) -> str:
    return pbkdf2_hmac("sha256", letters.encode("utf-8", "surrogatepass"), salt, _PBKDF2_ROUNDS).hex()[:32]


class FingerprintSearch:
    """Finds out which fingerprints occur in texts. It remembers texts without any, so use one for a whole log."""

    def __init__(self, matchers: Iterable[FingerprintMatcher]) -> None:
        self._unknown = [matcher for matcher in matchers if not matcher.text]
        self._clean: set[str | bytes] = set()
        self._clean_runs: set[bytes] = set()

    def learn(self, texts: Iterable[str]) -> None:
        """Search every view of these texts. Each matcher whose text is in one knows its text afterwards."""
        if not self._unknown:
            return
        new = {_key(text): text for text in set(texts)}
        for key in self._clean.intersection(new):
            del new[key]
        self._scan(list(new.values()), MAX_DEPTH)
        _remember(self._clean, new)

    def _scan(self, texts: Sequence[str], depth: int) -> None:
        """Search texts and whatever is encoded in them, within `depth` encodings."""
        self._search(texts)
        if depth == 0 or not self._unknown:
            return
        inner: set[str] = set()
        self._search(self._decoded(texts, depth, inner))
        if inner:
            self._scan(list(inner), depth - 1)

    def _decoded(self, texts: Sequence[str], depth: int, inner: set[str]) -> Iterator[str]:
        """Yield decoded texts that contain nothing more; add the others to `inner`."""
        # Whoever captures or imports loads this module, and few homes have a tombstone.
        from tacit.purge.prefilter import decoded_together, digit_runs, texts_decoded_together

        for text in texts:
            inner.update(view for view in resolved_texts(text) if view != text)
            if not text.isascii() or "\0" in text:
                for data in letters_as_bytes(text):
                    yield from _sorted_out(data, inner)
        shortest = min(matcher.length for matcher in self._unknown)
        runs = list(digit_runs(texts, max(6, shortest * 8 // 9)) - self._clean_runs)
        for start in range(0, len(runs), _RUNS_AT_ONCE):
            for data in decoded_together(runs[start : start + _RUNS_AT_ONCE], max(8, shortest * 4 // 3)):
                inner.update(filter(may_contain_more, texts_decoded_together(data)))
                yield from (text for text, _ in decoded_charsets(data))
        if depth == MAX_DEPTH:  # what is in them is searched as deep as in any other text
            _remember(self._clean_runs, runs)

    def _search(self, texts: Iterable[str]) -> None:
        """Compare the windows of texts with all hashes."""
        ascii_batch, other_batch = _Batch(), _Batch()
        for text in texts:
            batch = ascii_batch if text.isascii() else other_batch
            if batch.add(text):
                self._search_batch(batch)
        self._search_batch(ascii_batch)
        self._search_batch(other_batch)

    def _search_batch(self, batch: _Batch) -> None:
        plain = batch.take()
        if self._unknown and plain:
            hashed = HashedText(plain, max(matcher.length for matcher in self._unknown))
            self._unknown = [matcher for matcher in self._unknown if not matcher.learn(hashed, plain)]


class _Batch:
    """Texts that are searched together. Windows that reach from one into the next match nothing, or what is there."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._letters = 0

    def add(self, text: str) -> bool:
        """Add a text. Return whether the batch is full."""
        self._texts.append(text)
        self._letters += len(text)
        return self._letters >= _BATCH_LETTERS

    def take(self) -> str:
        """Return the texts, normalized and joined, and begin anew."""
        joined = _SEPARATOR.join(self._texts)
        self._texts, self._letters = [], 0
        if not joined.isascii():  # no text that is purged has a lone surrogate
            joined = joined.encode("utf-8", "replace").decode()
        return normalize_for_match(joined)


def _sorted_out(data: bytes, inner: set[str]) -> Iterator[str]:
    for text, has_more in decoded_charsets(data):
        if has_more:
            inner.add(text)
        else:
            yield text


def _key(text: str) -> str | bytes:
    if len(text) <= _MAX_KEY_CHARS:
        return text
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _remember(known: set[T], new: Iterable[T]) -> None:
    if len(known) > _MAX_REMEMBERED:
        known.clear()
    known.update(new)
