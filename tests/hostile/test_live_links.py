"""No page has a live link that runs or opens anything but a web page or a mail. The long form is in `make chaos`."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.pages import long_term
from tacit.pages.long_term import escape, unescape
from tests.hostile.live_links import SCHEMES, SHAPES, disguised, every_text, faults, live, texts
from tests.support.pages import unhurried


@pytest.mark.parametrize("shape", SHAPES)
def test_no_shape_of_a_link_is_live_on_any_page(shape: str) -> None:
    targets = [target for scheme in SCHEMES for target in disguised(scheme)][::71]
    assert [fault for target in targets for fault in faults(shape.replace("{}", target))] == []


def test_no_link_that_is_thrown_together_is_live_on_any_page() -> None:
    assert [fault for text in texts(60, seed=1) for fault in faults(text)] == []


@unhurried
@given(st.text(st.sampled_from("[]()<>:\\`!&\n #javscript"), max_size=40))
def test_no_text_of_the_signs_of_markdown_is_a_live_link(text: str) -> None:
    assert faults(text) == []


@unhurried
@given(st.sampled_from(list(every_text())) | st.text(st.sampled_from("[]():\\&<!h/ ")))
def test_every_text_can_be_read_back(text: str) -> None:
    assert unescape(escape(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "see [the guide](https://example.org/a_(b)) and [mail](mailto:a@example.org)",
        "the table[0]: first, rows[1](x) second, [docs](docs/FORMAT.md), d[k]: v",
    ],
)
def test_what_is_harmless_is_written_as_it_is(text: str) -> None:
    assert escape(text) == text


def test_a_link_that_is_not_live_still_reads_as_it_was_written() -> None:
    assert escape("[x](javascript:alert(1))") == r"[x\](javascript:alert(1))"
    assert live([f"- {escape('[x](javascript:alert(1))')}"]) == []


def test_the_viewer_notices_a_live_link(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_term, "_LINK_END", re.compile("(?!)"))
    assert faults("[x](javascript:alert(1))")
