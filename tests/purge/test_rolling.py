"""Windows that are hashed together are those that are hashed one by one."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.purge.rolling import PRIME, HashedText, hash_letters

ALPHABETS = ("ab", "abcdé ", "a日\U0001f600", "\ud800x")
texts = st.builds(
    lambda part, times, rest: part * times + rest,
    st.one_of([st.text(alphabet, min_size=1, max_size=60) for alphabet in ALPHABETS]),
    st.integers(1, 60),
    st.text(max_size=9),
)


@settings(max_examples=300, deadline=None)
@given(texts, st.integers(1, 70), st.integers(256, PRIME - 1), st.data())
def test_each_window_with_the_hash_is_found_and_no_other(
    text: str, length: int, base: int, data: st.DataObject
) -> None:
    hashes = [hash_letters(text[start : start + length], base) for start in range(len(text) - length + 1)]
    wanted = data.draw(st.sampled_from(hashes) if hashes else st.just(0))
    hashed = HashedText(text, length + data.draw(st.integers(0, 9)))
    assert sorted(hashed.windows(length, base, wanted)) == [at for at, each in enumerate(hashes) if each == wanted]


def test_a_hash_that_two_forms_are_reduced_to_is_found() -> None:
    for wanted in range(70):  # of one letter, the hash is its code point
        text = "x" * 300 + chr(wanted) + chr(wanted + PRIME) + "x" * 300
        assert sorted(HashedText(text, 1).windows(1, 256, wanted)) == [300, 301]


def test_what_is_no_hash_of_a_window_is_found_nowhere() -> None:
    text = HashedText("x" * 1000, 2000)
    for length, wanted in ((0, 1), (-3, 1), (1001, 1), (10**12, 1), (3, -1), (3, PRIME), (3, 1 << 60)):
        assert list(text.windows(length, 300, wanted)) == []
