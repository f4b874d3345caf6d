"""A PostgreSQL database as a remote, on a real server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tacit.errors import RefusedError
from tacit.remotes.transport import DatabaseTransport, normalize_address
from tests.support.machines import Machine, connected, sync_all

if TYPE_CHECKING:
    from harness.postgres import Cluster

PNPM, TABS, WALRUS = "use pnpm", "I prefer tabs", "the plan for Operation Walrus"


@pytest.fixture
def url(postgres: Cluster) -> str:
    """A database of a role that is nothing special."""
    postgres.create_role("me")
    return postgres.url(postgres.create_database("me"), "me")


@pytest.fixture
def pair(tmp_path: Path, url: str) -> list[Machine]:
    return connected(tmp_path, 2, url)


def test_machines_meet_in_a_table(pair: list[Machine]) -> None:
    laptop, desktop = pair
    laptop.add(PNPM)
    desktop.add(TABS)
    sync_all(laptop, desktop, laptop)
    assert laptop.known == desktop.known == {PNPM, TABS}
    assert laptop.sync().sent == 0


def test_a_purge_removes_rows(pair: list[Machine], url: str) -> None:
    laptop, desktop = pair
    laptop.add(WALRUS, PNPM)
    sync_all(laptop, desktop)
    before = set(files(url))
    laptop.purge("Operation Walrus")
    sync_all(laptop, desktop, laptop)
    assert laptop.known == desktop.known == {PNPM}
    assert before - set(files(url))


def test_an_area_is_exactly_what_was_published_last(url: str) -> None:
    transport = DatabaseTransport(url)
    transport.fetch()
    assert transport.files() == {}
    transport.publish("a" * 32, {"x.age": b"x", "y.age": b"yy", "manifest.age": b"1"}, [])
    transport.publish("b" * 32, {"manifest.age": b"b"}, [])
    transport.publish("a" * 32, {"manifest.age": b"22"}, ["y.age"])
    assert transport.files() == {f"{'a' * 32}/manifest.age": 2, f"{'a' * 32}/y.age": 2, f"{'b' * 32}/manifest.age": 1}
    assert transport.read(f"{'a' * 32}/y.age") == b"yy"
    assert transport.read(f"{'a' * 32}/x.age") is None
    transport.remove("a" * 32)
    assert set(transport.files()) == {f"{'b' * 32}/manifest.age"}
    transport.close()


def test_a_server_that_is_down_is_reported_and_nothing_is_lost(tmp_path: Path) -> None:
    laptop, _ = connected(tmp_path, 2, f"postgresql://me@/x?host={tmp_path}")
    laptop.add(PNPM)
    report = laptop.try_sync()
    assert report.problem is not None and "cannot be reached" in report.problem.message
    assert laptop.known == {PNPM}


def test_a_password_in_the_address_is_refused() -> None:
    with pytest.raises(RefusedError):
        normalize_address("postgresql://me:hunter2@example.com/x")


def files(url: str) -> list[str]:
    transport = DatabaseTransport(url)
    transport.fetch()
    try:
        return list(transport.files())
    finally:
        transport.close()
