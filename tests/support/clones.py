"""Repositories that several people share: the fact file in each, and clones of colleagues."""

from __future__ import annotations

from pathlib import Path

from harness.person import Person, facts_in

FACTS = "docs/memory/memories.ndjson"


def fact_file(root: Path) -> Path:
    return root / FACTS


def sentences_in(root: Path) -> list[str]:
    """Return the sentences of a fact file in its order; none if there is no file."""
    return [fact["canonical"] for fact in facts_in(fact_file(root))] if fact_file(root).exists() else []


def clone(person: Person, name: str, origin: Path, *options: str) -> tuple[Person, Path]:
    """Return somebody else, with a home of their own, and their clone of a repository."""
    colleague = Person(person.folder / name)
    colleague.folder.mkdir()
    colleague.git(colleague.folder, "clone", "--quiet", *options, str(origin), "work")
    return colleague, colleague.folder / "work"
