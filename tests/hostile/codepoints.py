"""Which characters may not come out of Tacit, said by code point and not asked of the code under test."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import NamedTuple

ZWNJ, ZWJ, VS16 = "\u200c", "\u200d", "\ufe0f"
EMOJI, ARABIC = "👩", "م"

# Ranges of what is never shown as it is, with why.
_NEVER = {
    "controls": [(0x00, 0x1F), (0x7F, 0x9F)],
    "direction": [(0x061C, 0x061C), (0x200E, 0x200F), (0x202A, 0x202E), (0x2066, 0x2069)],
    "line and paragraph separators": [(0x2028, 0x2029)],
    "no width": [(0x034F, 0x034F), (0x180B, 0x180F), (0x200B, 0x200B), (0x2060, 0x2065), (0x206A, 0x206F)],
    "byte order mark": [(0xFEFF, 0xFEFF)],
    "soft hyphen": [(0x00AD, 0x00AD)],
    "blank letters": [(0x115F, 0x1160), (0x17B4, 0x17B5), (0x2800, 0x2800), (0x3164, 0x3164), (0xFFA0, 0xFFA0)],
    "variation selectors": [(0xFE00, 0xFE0E), (0xE0100, 0xE01EF)],
    "annotation": [(0xFFF0, 0xFFFB)],
    "layout": [(0x13430, 0x1343F), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A)],
    "tags, assigned or not": [(0xE0000, 0xE00FF), (0xE01F0, 0xE0FFF)],
    "halves of pairs": [(0xD800, 0xDFFF)],
    "never characters": [
        (0xFDD0, 0xFDEF),
        *((plane | 0xFFFE, plane | 0xFFFF) for plane in range(0, 0x110000, 0x10000)),
    ],
}
NEVER = frozenset(chr(number) for ranges in _NEVER.values() for one, two in ranges for number in range(one, two + 1))
SOMETIMES = frozenset((ZWNJ, ZWJ, VS16))


class Between(NamedTuple):
    """Neighbours of a character, and which of the conditional ones are real spelling between them."""

    name: str
    before: str
    after: str
    keeps: frozenset[str] = frozenset()

    def forbids(self, letter: str) -> bool:
        return letter in NEVER or (letter in SOMETIMES and letter not in self.keeps)


CONTEXTS = (
    Between("blanks", " ", " "),
    Between("letters", "a", "b"),
    Between("emoji", EMOJI, EMOJI, frozenset((ZWJ, VS16))),
    Between("Arabic", ARABIC, ARABIC, frozenset((ZWJ, ZWNJ))),
    Between("Arabic digits", "\u0661", "\u0662"),
)


def chunks(size: int, *, halves: bool = True) -> Iterator[str]:
    """All code points, so many a text; those of surrogates only where asked for."""
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    if not halves:
        every = every[:0xD800] + every[0xE000:]
    for at in range(0, len(every), size):
        yield every[at : at + size]


def lies(text: str, *, allowed: str = "\n") -> set[str]:
    """What may not be in an output, as code points; the separators that are our own are allowed."""
    return {f"U+{ord(letter):04X}" for letter in set(text) if letter in NEVER and letter not in allowed}


# Real writing that must come out as it went in.
REAL = {
    "Arabic": "مرحبا بالعالم، كيف الحال؟",
    "Persian, with non-joiners": "می‌خواهم کتاب‌ها را بخوانم",
    "Urdu": "یہ ایک مثال ہے",
    "Hindi, with joiners": "क्‍ष क्‌ष नमस्ते",
    "Malayalam, a joiner at the end of a word": "അവന്‍ വന്നു",
    "Sinhala": "ශ්‍රී ලංකා",
    "Hangul": "한국어, 각각, ㅎㅎ",
    "Thai": "สวัสดีชาวโลก",
    "Hebrew, with points": "שָׁלוֹם עולם",
    "Japanese and Chinese": "日本語と中文、「引用」",
    "Greek and Russian": "Ελληνικά и русский",
    "marks that combine": "naïve e\u0301 Z\u0335",
    "families and couples": "👨‍👩‍👧‍👦 👩‍❤️‍💋‍👨",
    "professions and tones of skin": "👩🏽‍💻 👩‍⚕️ 👍🏿 🤝🏻",
    "flags": "🇩🇪🇯🇵 🏳️‍🌈 🏴‍☠️ 🏳️‍⚧️",
    "keycaps": "1️⃣ #️⃣ *️⃣",
    "hearts and signs": "❤️ ☎️ ©️ ™️ ❤️‍🔥",
    "mathematics and arrows": "∀x ∈ ℝ: x² ≥ 0 → ⇒ ‘quoted’ “so” — …",
    "no-break blanks": "10\u00a0km 1\u202f000",
}
