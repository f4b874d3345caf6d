"""Small transcripts of every host, and what is heard of them, as a person would tell it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tacit.hosts.capture import HEAD_BYTES, detect_source
from tacit.hosts.records import CaptureLimits, ReadStats
from tests.support.transcripts import GOLDEN, golden, told

NAMES = sorted(str(path.relative_to(GOLDEN)) for path in GOLDEN.glob("*/*") if path.suffix not in (".txt", ".md"))


@pytest.mark.parametrize("name", NAMES)
def test_what_is_heard_of_a_transcript_is_what_a_person_would_tell_of_it(name: str, tmp_path: Path) -> None:
    path = golden(name, tmp_path)
    with open(path, "rb") as file:
        source = detect_source(str(path), file.read(HEAD_BYTES))
        assert source is not None
        heard = list(source.read(file, 0, CaptureLimits(), ReadStats()))

    assert told(heard) == (GOLDEN / name).with_suffix(".txt").read_text(encoding="utf-8")
