"""Whatever the language of the machine, and whatever bytes are no text. All of them are in `make chaos`."""

from __future__ import annotations

from pathlib import Path

from tests.chaos.locales import LOCALES, locales


def test_no_language_and_no_bytes_make_a_program_fail(tmp_path: Path) -> None:
    assert locales(tmp_path, LOCALES[2:3]).faults == ()
