"""A text takes as many columns as a terminal gives it, and is cut and wrapped by those."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.text.cells import char_width, clip_to_width, text_width, wrap_to_width

TEXTS = st.text(st.sampled_from("ab c日本語ﾊe\u0301ü👩❤\ufe0f…"), max_size=40)


@pytest.mark.parametrize(
    ("text", "width"),
    [("abc", 3), ("日本", 4), ("e\u0301", 1), ("ﾊ", 1), ("Ａ", 2), ("🎉", 2), ("❤\ufe0f", 2), ("", 0)],
)
def test_a_text_takes_as_many_columns_as_a_terminal_gives_it(text: str, width: int) -> None:
    assert text_width(text) == width


@given(TEXTS, st.integers(0, 30))
def test_what_is_clipped_fits_and_is_the_longest_beginning_that_does(text: str, width: int) -> None:
    clipped = clip_to_width(text, width)
    assert text_width(clipped) <= width
    if clipped != text and width:
        assert clipped.endswith("…") and text.startswith(clipped[:-1])
        assert text_width(text[: len(clipped)]) > width - 1


@given(TEXTS, st.integers(2, 30))
def test_what_is_wrapped_fits_and_loses_nothing_but_blanks(text: str, width: int) -> None:
    lines = wrap_to_width(text, width)
    assert all(text_width(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_lines_are_broken_between_words() -> None:
    assert wrap_to_width("one two three", 8) == ["one two", "three"]
    assert wrap_to_width("x" * 10, 4) == ["xxxx", "xxxx", "xx"]
    assert max(map(char_width, "ab日")) == 2
