"""A place of nobody's: an empty folder, and an installation that is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tacit.install.change import InstallContext


@pytest.fixture
def place(tmp_path: Path) -> InstallContext:
    return InstallContext(
        environment={"HOME": str(tmp_path)},
        program=("/opt/tacit/bin/tacit",),
        interpreter="/opt/tacit/bin/python",
        home=str(tmp_path / ".agents"),
    )
