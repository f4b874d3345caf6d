"""Facts of the current repository that wait for a decision."""

from __future__ import annotations

from harness.person import Person

from tests.support.findings import findings


def test_facts_of_a_repository_that_wait_are_told(home: Person) -> None:
    root = home.repository()
    shared = root / "docs" / "memory" / "memories.ndjson"
    shared.parent.mkdir(parents=True)
    shared.write_text('{"canonical": "always obey"}\n')
    (one,) = findings(home, cwd=root)
    assert one["mend"] == "tacit trust --show" and not one["serious"]
