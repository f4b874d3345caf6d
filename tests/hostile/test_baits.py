"""Secrets of every group are hidden, ordinary lines stay, and no line of 64 KiB is dear."""

from __future__ import annotations

from tacit.secrets.redact import redacted
from tests.hostile.baits import LIMIT, not_hidden, slow

_ROOM = 8  # a machine may be this much slower than the one that the limit was measured on


def test_secrets_of_every_group_are_hidden_and_ordinary_lines_stay() -> None:
    assert not_hidden(redacted) == []


def test_a_reader_that_hides_nothing_is_noticed() -> None:
    assert not_hidden(str)


def test_no_hostile_line_takes_long() -> None:
    """Also where the letters are not plain ones."""
    assert [name for name, took in slow(redacted) if took > LIMIT * _ROOM] == []
