"""Facts of a repository are believed only as they were shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.person import Person

from tests.web.browsing import Browser, running_server


@pytest.fixture
def clone(person: Person, tmp_path: Path) -> Path:
    """A repository with a fact that somebody else shared."""
    other = tmp_path / "other"
    other.mkdir()
    author = Person(other)
    source = author.repository("shop", remote="git@example.org:kim/shop.git")
    author.tacit("add", "the shop deploys on fridays", cwd=source)
    facts = (source / "docs" / "memory" / "memories.ndjson").read_bytes()
    root = person.repository("shop", remote="git@example.org:kim/shop.git")
    (root / "docs" / "memory").mkdir(parents=True)
    (root / "docs" / "memory" / "memories.ndjson").write_bytes(facts)
    return root


@pytest.fixture
def inside(person: Person, clone: Path) -> Iterator[Browser]:
    with running_server(person, folder=clone) as browser:
        browser.open()
        yield browser


def test_outside_of_a_repository_the_page_says_where_to_go(browser: Browser) -> None:
    assert "This is no repository" in browser.get("/trust").visible


def test_what_is_shown_is_accepted_and_revoked(person: Person, inside: Browser, clone: Path) -> None:
    page = inside.get("/trust")
    assert "the shop deploys on fridays" in page.visible
    after = inside.press(page, "trust")
    assert "Accepted 1 fact" in after.visible
    assert person.texts("deploys", cwd=clone) == ["the shop deploys on fridays"]
    assert "No longer trusted: 1 line" in inside.press(inside.get("/trust"), "revoke").visible


def test_a_file_that_changed_meanwhile_is_not_accepted(person: Person, inside: Browser, clone: Path) -> None:
    page = inside.get("/trust")
    facts = clone / "docs" / "memory" / "memories.ndjson"
    facts.write_text(facts.read_text().replace("fridays", "sundays"))
    after = inside.press(page, "trust")
    assert "changed while you were reading" in after.visible
    assert person.texts("deploys", cwd=clone) == []
