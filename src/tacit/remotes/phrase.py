"""The recovery phrase: 128 random bits as pronounceable groups, with a checksum.

The groups are proquints: five letters, consonant and vowel in turn, stand for 16 bits. They can be read aloud in any
language and need no list of words. A ninth group is a checksum, so that a typing mistake is told from a wrong phrase.
"""

from __future__ import annotations

import re
from hashlib import blake2b

from tacit.errors import UsageError

PHRASE_BYTES = 16
_CHECK_BYTES = 2
_CONSONANTS, _VOWELS = "bdfghjklmnprstvz", "aiou"
_GROUP = re.compile(f"[{_CONSONANTS}][{_VOWELS}][{_CONSONANTS}][{_VOWELS}][{_CONSONANTS}]")
_GROUPS = (PHRASE_BYTES + _CHECK_BYTES) // 2
_GROUPS_PER_LINE = 3
_PURPOSE = b"tacit phrase"


def make_phrase(entropy: bytes) -> str:
    """Return the phrase of 16 random bytes: nine groups, joined by dashes."""
    data = entropy[:PHRASE_BYTES] + _checksum(entropy[:PHRASE_BYTES])
    return "-".join(_group(int.from_bytes(data[start : start + 2], "big")) for start in range(0, len(data), 2))


def parse_phrase(text: str) -> str:
    """Return a phrase as it was made. Case, line breaks, blanks and dashes do not matter.

    Raise UsageError that names the group that cannot be right, or says that one is missing or mistyped.
    """
    groups = re.split(r"[\s\-]+", text.strip().lower())
    if groups == [""]:
        raise UsageError("the recovery phrase is needed", "type it, or name a file that has it: --phrase-file FILE")
    for number, group in enumerate(groups, 1):
        if not _GROUP.fullmatch(group):
            raise UsageError(f"group {number} of the recovery phrase has a typing mistake", "each has five letters")
    if len(groups) != _GROUPS:
        raise UsageError(f"a recovery phrase has {_GROUPS} groups of five letters, not {len(groups)}")
    data = b"".join(_number(group).to_bytes(2, "big") for group in groups)
    if _checksum(data[:PHRASE_BYTES]) != data[PHRASE_BYTES:]:
        raise UsageError("the recovery phrase has a typing mistake in one of its groups", "compare it letter by letter")
    return "-".join(groups)


def phrase_lines(phrase: str) -> list[str]:
    """Return a phrase in short lines, to be written down."""
    groups = phrase.split("-")
    return [" ".join(groups[start : start + _GROUPS_PER_LINE]) for start in range(0, len(groups), _GROUPS_PER_LINE)]


def _checksum(data: bytes) -> bytes:
    return blake2b(data, digest_size=_CHECK_BYTES, person=_PURPOSE).digest()


def _group(number: int) -> str:
    bits = f"{number:016b}"
    first, second, third = (_CONSONANTS[int(bits[start : start + 4], 2)] for start in (0, 6, 12))
    vowels = [_VOWELS[int(bits[start : start + 2], 2)] for start in (4, 10)]
    return f"{first}{vowels[0]}{second}{vowels[1]}{third}"


def _number(group: str) -> int:
    first, second, third = (_CONSONANTS.index(group[at]) for at in (0, 2, 4))
    one, two = (_VOWELS.index(group[at]) for at in (1, 3))
    return first << 12 | one << 10 | second << 6 | two << 4 | third
