"""Every test runs away from the person who runs it: another home folder, and none of their settings."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tacit.vault.agents import SIGNS


@pytest.fixture(scope="session", autouse=True)
def _nobodys_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A test that forgets to name a home must not write into a real one."""
    with pytest.MonkeyPatch.context() as patch:
        agents = {sign.variable for sign in SIGNS}
        for name in [name for name in os.environ if name.startswith("TACIT_") or name in agents]:
            patch.delenv(name)
        patch.setenv("HOME", str(tmp_path_factory.mktemp("nobody")))
        yield
