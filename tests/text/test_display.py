"""Text for a terminal: what would deceive is escaped, real scripts and emoji are left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.text.display import escape_deceptive, printable
from tests.support.events import unhurried


@pytest.mark.parametrize(
    "sign",
    [
        "\u202e",  # right-to-left override
        "\u2066",  # isolate
        "\u200e",  # direction mark
        "\u061c",  # Arabic letter mark
        "\u200b",  # zero-width space
        "\u2060",  # word joiner
        "\ufeff",  # byte order mark
        "\u00ad",  # soft hyphen
        "\U000e0041",  # tag letter
        "\U000e01ef",  # variation selector
        "\x1b",  # ESC
        "\x9b",  # control sequence introducer of eight bits
        "\x85",  # next line
        "\x7f",
        "\x00",
        "\r",
        "\u2028",
        "\u2029",
        "\u3164",  # Hangul filler
        "\u2800",  # blank Braille pattern
        "\ufe0f",  # variation selector where no emoji stands
        "\u200d",  # joiner between Latin letters
        "\u200c",
    ],
)
def test_a_character_that_would_deceive_is_shown_by_its_number(sign: str) -> None:
    assert printable(f"pass{sign}word") == f"pass<U+{ord(sign):04X}>word"
    assert printable(sign) == f"<U+{ord(sign):04X}>"


@pytest.mark.parametrize(
    "text",
    [
        "👨‍👩‍👧‍👦 👩🏽‍💻 ❤️‍🔥 👩‍⚕️",
        "🏳️‍🌈 🏴‍☠️",
        "🇩🇪🇯🇵",
        "1️⃣ #️⃣ *️⃣",
        "☎️ ©️ ™️",
        "مرحبا بالعالم",
        "می‌خواهم",
        "क्‍ष क्‌ष",
        "한국어",
        "日本語",
        "ไทย",
        "Ελληνικά и русский",
        "naïve e\u0301",
        "plain ASCII: <b> `x` $& \\n",
    ],
)
def test_real_scripts_and_emoji_are_shown_as_they_are(text: str) -> None:
    assert printable(text) == text


def test_a_text_is_shown_on_one_line() -> None:
    assert printable("one\n## two\tthree") == "one⏎## two three"


# Ranges that hold emoji also hold digits, letters and other invisible characters.
HIDDEN = ("80\u200d80", "1\ufe0f2", "9\ufe0f", "a\ufe0f\u200d1", "あ\u200dい", "設\ufe0f計", "👩\u200d\u2060")


@pytest.mark.parametrize("text", HIDDEN)
def test_what_joins_emoji_is_escaped_between_digits_and_letters(text: str) -> None:
    assert "\u200d" not in printable(text)
    assert "\ufe0f" not in printable(text)


@unhurried
@given(st.text(max_size=60))
def test_whatever_is_shown_is_one_line_without_controls(text: str) -> None:
    shown = printable(text)
    assert len(shown.splitlines()) <= 1
    assert not any(ord(letter) < 32 or 127 <= ord(letter) < 160 for letter in shown)


@unhurried
@given(st.text(max_size=60))
def test_only_what_deceives_is_changed(text: str) -> None:
    lies: list[str] = []

    def cut_out(sign: str) -> str:
        lies.append(sign)
        return ""

    kept = escape_deceptive(text, cut_out)
    assert sorted(kept + "".join(lies)) == sorted(text)
