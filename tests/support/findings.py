"""What `tacit doctor` finds in a home."""

from __future__ import annotations

from pathlib import Path

from harness.person import Person

KNOWN = "SQLite"  # what is always said of an old one


def findings(person: Person, cwd: Path | None = None, **environment: str) -> list[dict[str, object]]:
    person.wait_for_pages()
    said = person.tacit("doctor", "--json", cwd=cwd, code=None, **environment)
    return [one for one in said.json if not str(one["where"]).startswith(KNOWN)]
