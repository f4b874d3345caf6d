"""What nobody said is not kept."""

from __future__ import annotations

import pytest

from tacit.hosts.normalize import DROPPED_TAGS, UNWRAPPED_TAGS, without_noise

NONCE, OTHER = "0123456789abcdef0123", "ffffffffffffffffffff"
OPEN, CLOSE = f"<tacit-brief {NONCE}>", f"</tacit-brief {NONCE}>"


@pytest.mark.parametrize("tag", sorted(DROPPED_TAGS | UNWRAPPED_TAGS))
def test_a_tag_of_the_table_is_taken_out(tag: str) -> None:
    for opening in (f"<{tag}>", f'<{tag.upper()} id="1">', f"<{tag}>\n"):
        kept = without_noise(f"Before.\n{opening}inside</{tag}>\nAfter.")

        assert "<" not in kept and kept.startswith("Before.") and kept.endswith("After.")
        assert ("inside" in kept) == (tag in UNWRAPPED_TAGS) and "id=" not in kept


def test_text_is_dropped_or_unwrapped() -> None:
    assert not DROPPED_TAGS & UNWRAPPED_TAGS


def test_what_is_nested_goes_with_what_it_is_in() -> None:
    nested = "a <system-reminder>b <system-reminder>c</system-reminder> d</system-reminder> e"

    assert without_noise(nested) == "a  e"


def test_a_mark_alone_is_something_that_somebody_wrote() -> None:
    for text in ("what is a <system-reminder> tag?", "it ends with </system-reminder> here", "a < b > c"):
        assert without_noise(text) == text


def test_other_tags_of_a_person_stay() -> None:
    text = "<instructions>Write <b>bold</b></instructions>"

    assert without_noise(text) == text


def test_what_tacit_gave_goes() -> None:
    assert without_noise(f"Before {OPEN}A memory.{CLOSE} after") == "Before  after"


def test_a_fence_that_was_cut_off_takes_all_behind_it_along() -> None:
    assert without_noise(f"Before. {OPEN}A memory, and then nothing") == "Before."


def test_the_end_of_a_fence_alone_takes_all_before_it_along() -> None:
    assert without_noise(f"the end of a memory.{CLOSE} After.") == "After."


def test_the_end_of_a_fence_behind_a_whole_one_takes_that_and_all_before_it_along() -> None:
    assert without_noise(f"x{OPEN}A{CLOSE}y</tacit-brief {OTHER}>z") == "z"


def test_a_fence_is_closed_by_its_own_number_alone() -> None:
    text = f"a {OPEN}b </tacit-brief {OTHER}> c </tacit-note {NONCE}> d{CLOSE} e"

    assert without_noise(text) == "a  e"


def test_two_fences_are_two() -> None:
    second = f"<tacit-checkpoint {OTHER}>B</tacit-checkpoint {OTHER}>"

    assert without_noise(f"x{OPEN}A{CLOSE}y{second}z") == "xyz"


@pytest.mark.parametrize("piece", ("<system-reminder>", "</system-reminder>", "<ide_selection ", "<hook_context><"))
def test_marks_without_end_are_left_as_they_are_however_many(piece: str) -> None:
    """So many that a search which begins anew at each of them would not come to an end."""
    text = piece * 20_000

    assert without_noise(text) == text


def test_more_beginnings_than_ends_are_one_text_that_goes() -> None:
    text = "a " + "<system-reminder><hook_context>" * 20_000 + "</system-reminder>" * 10_000 + " b"

    assert without_noise(text) == "a  b"


def test_a_fence_inside_of_fences_without_end_goes() -> None:
    assert without_noise("a " + f"<tacit-brief {OTHER}>" * 20_000) == "a"
