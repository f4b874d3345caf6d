"""People of one team, each with a folder and a home of their own and a clone of the same project."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from harness.person import Person, Said

from tacit.model.claim import project_scope
from tacit.model.statement import claim_from
from tests.support.postgres import PROJECT, TeamServer


class Teammate(Person):
    """A person whose name is that of their role on the server."""

    def __init__(self, folder: Path, name: str, server: TeamServer, project: str = PROJECT) -> None:
        folder.mkdir()
        super().__init__(folder)
        self.name = name
        self.server = server
        self.clone = self.repository("clone", f"git@{project.replace('/', ':', 1)}.git")

    @property
    def url(self) -> str:
        return self.server.url(self.name)

    def join(self) -> Said:
        return self.tacit("team", "join", self.url, "--yes", cwd=self.clone)

    def here(self, *words: str, code: int | None = 0, now: str | None = None) -> Said:
        """Run a command in the clone of the project."""
        return self.tacit(*words, cwd=self.clone, code=code, now=now)

    def add(self, text: str, *words: str) -> str:
        """Add a private memory of the project and return its id."""
        self.here("add", text, "--private", *words)
        return memory_id(text)

    def share(self, text: str, *words: str) -> str:
        """Add a memory and propose it to the team. Return its id."""
        claim = self.add(text)
        self.here("share", claim, *words)
        return claim

    def sync(self, code: int | None = 0) -> Said:
        return self.here("sync", code=code)

    def memories(self) -> dict[str, dict[str, Any]]:
        """The active memories of the project, by their text."""
        return {memory["text"]: memory for memory in self.listed("--scope", "all")}

    def accept(self, *claims: str) -> Said:
        return self.here("team", "accept", *claims)


def agree(author: Teammate, curator: Teammate, text: str, *words: str) -> str:
    """Propose a memory of the author's and accept it as the curator. Return its id."""
    claim = author.share(text, *words)
    curator.sync()
    curator.accept(claim)
    return claim


def memory_id(text: str, project: str = PROJECT) -> str:
    """Return the id that a memory with this text has in the project."""
    return claim_from(text, project_scope(project)).id
