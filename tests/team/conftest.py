"""People of a team who have joined."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.postgres import PROJECT, TeamServer
from tests.support.team import Teammate


@pytest.fixture
def alice(tmp_path: Path, team_server: TeamServer) -> Teammate:
    """A member who has joined."""
    team_server.add("alice", PROJECT)
    alice = Teammate(tmp_path / "alice", "alice", team_server)
    alice.join()
    return alice


@pytest.fixture
def bob(tmp_path: Path, team_server: TeamServer) -> Teammate:
    """A curator who has joined."""
    team_server.add("bob", PROJECT, curator=True)
    bob = Teammate(tmp_path / "bob", "bob", team_server)
    bob.join()
    return bob
