"""Which clients are installed, and where. `make e2e` installs them; nothing else does."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.clients.hosts.client import Client

_ROOT = Path(__file__).resolve().parents[2]


def folder() -> Path:
    return Path(os.environ.get("CLIENTS_DIR") or _ROOT / ".clients")


def program(client: Client) -> list[str]:
    """The words that start a client; the test is skipped where there is none."""
    packages = folder() / client.name / "node_modules"
    found = [path for pattern in client.programs for path in sorted(packages.glob(pattern))]
    if not found:
        pytest.skip(f"{client.name} is not installed in {folder()}: make e2e")
    return ["node", str(found[0])] if found[0].suffix == ".js" else [str(found[0])]
