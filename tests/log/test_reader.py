"""Reading a segment as bytes: complete lines only, from any point on, with bounded memory."""

from __future__ import annotations

from io import BytesIO

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tacit.log.log import MAX_LINE_BYTES, RawLine, read_lines

unhurried = settings(deadline=None)  # a slow machine is no finding
files = st.binary(max_size=60) | st.lists(st.sampled_from((b"\n", b"a", b"bc\r", b"\x85\xe2\x80\xa8", b"\0"))).map(
    b"".join
)


def read(data: bytes, offset: int = 0, number: int = 0) -> list[RawLine]:
    return list(read_lines(BytesIO(data), offset=offset, number=number))


@unhurried
@given(files)
def test_every_complete_line_is_read_and_the_torn_tail_is_not(data: bytes) -> None:
    found = read(data)
    complete = data[: data.rfind(b"\n") + 1]
    assert b"".join(line.data + b"\n" for line in found) == complete
    assert [line.number for line in found] == list(range(1, complete.count(b"\n") + 1))
    assert all(data[line.offset : line.end] == line.data + b"\n" for line in found)


@unhurried
@given(files)
def test_reading_on_from_any_line_gives_the_rest(data: bytes) -> None:
    found = read(data)
    for at, line in enumerate(found):
        assert read(data, line.end, line.number) == found[at + 1 :]


@unhurried
@given(st.integers(-3, 3), st.booleans())
@example(0, True)
def test_the_longest_line_is_read_and_a_longer_one_is_passed_over(more: int, ended: bool) -> None:
    long = b"x" * (MAX_LINE_BYTES - 1 + more) + b"\n"
    data = b"before\n" + long + b"after" + (b"\n" if ended else b"")
    before, middle, *rest = read(data)
    assert (before.data, before.too_long) == (b"before", False)
    assert (middle.too_long, middle.data) == ((True, b"") if more > 0 else (False, long[:-1]))
    assert (middle.number, middle.offset, middle.length) == (2, 7, len(long))
    assert [(line.number, line.offset, line.data) for line in rest] == [(3, 7 + len(long), b"after")] * ended


def test_a_line_of_many_pieces_is_passed_over_whole() -> None:
    data = b"x" * (5 * MAX_LINE_BYTES + 17) + b"\nafter\n"
    first, last = read(data)
    assert (first.too_long, first.data, first.length) == (True, b"", 5 * MAX_LINE_BYTES + 18)
    assert (last.number, last.offset, last.data) == (2, first.end, b"after")


def test_an_endless_line_is_never_yielded() -> None:
    assert read(b"x" * (3 * MAX_LINE_BYTES)) == []
    assert read(b"") == []
