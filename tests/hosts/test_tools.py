"""Which shell lines query Tacit."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.hosts.tools import runs_tacit


@pytest.mark.parametrize(
    "line",
    (
        "tacit recall x",
        "cd a && tacit brief",
        "/usr/bin/tacit why 3",
        "python -m tacit list",
        "A=1 tacit show x | head",
    ),
)
def test_a_line_that_asks_tacit_is_known(line: str) -> None:
    assert runs_tacit(line)


@pytest.mark.parametrize("line", ("ls tacit", "cd src/tacit && ls", "grep -n tacit README.md", "pytest tests/tacit"))
def test_a_line_that_only_names_tacit_does_not_ask_it(line: str) -> None:
    assert not runs_tacit(line)


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="ab tacit'\"$`\\&|;()<-\n{}#", max_size=80))
def test_no_line_is_an_error(line: str) -> None:
    runs_tacit(line)
