"""Prints: enough of a text to know it again inside any other, too little to read it.

A weak print of twenty bits, which can be carried along a text letter by letter, finds where it might stand; a strong
one, salted and slow to compute, tells whether it does. Whoever holds a print can still try guesses, one at a time:
a purged text that is short or common can be confirmed by somebody who suspects it, never listed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from hashlib import pbkdf2_hmac

from tacit.core.observation import Print
from tacit.core.traces import plain

_PRIME = 1_048_573  # the largest below 2^20
_ROUNDS = 20_000


def print_of(text: str, salt: bytes) -> Print:
    letters = plain(text)
    weak = 0
    for letter in letters:
        weak = (weak * _base(salt) + ord(letter)) % _PRIME
    return Print(salt.hex(), len(letters), weak, _strong(letters, salt))


class Printed:
    """Looks for a text of which only the print is known."""

    def __init__(self, made: Print) -> None:
        self._made = made
        self._salt = bytes.fromhex(made.salt)

    @property
    def length(self) -> int:
        return self._made.length

    def find(self, plain: str) -> Iterator[int]:
        for at in self._likely(plain):
            if _strong(plain[at : at + self.length], self._salt) == self._made.strong:
                yield at

    def _likely(self, plain: str) -> Iterator[int]:
        """Where the weak print of what stands there is the same, carried along from letter to letter."""
        base, length, wanted = _base(self._salt), self.length, self._made.weak
        if not 0 < length <= len(plain):
            return
        leaving = pow(base, length - 1, _PRIME)
        letters = [ord(letter) for letter in plain]
        weak = 0
        for letter in letters[:length]:
            weak = (weak * base + letter) % _PRIME
        if weak == wanted:
            yield 0
        for at, (gone, come) in enumerate(zip(letters, letters[length:], strict=False), 1):
            weak = ((weak - gone * leaving) * base + come) % _PRIME
            if weak == wanted:
                yield at


def _base(salt: bytes) -> int:
    return int.from_bytes(salt[:4], "big") % (_PRIME - 256) + 256


@lru_cache(maxsize=4096)
def _strong(letters: str, salt: bytes) -> str:
    return pbkdf2_hmac("sha256", letters.encode("utf-8", "surrogatepass"), salt, _ROUNDS).hex()[:32]
