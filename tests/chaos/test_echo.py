"""What was given is never taken for something new. The long form is in `make chaos`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tacit.hosts import normalize
from tests.chaos.echo import echo


def test_what_was_given_does_not_come_back_as_memory(tmp_path: Path) -> None:
    found = echo(tmp_path, 8)

    assert found.faults == ()
    assert found.acknowledged >= 8


@pytest.mark.chaos
def test_a_capture_that_takes_no_noise_out_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(normalize, "without_noise", lambda text: text)

    assert echo(tmp_path, 2).faults
