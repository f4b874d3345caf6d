"""Sessions as an agent is told of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.core.errors import NotFound, WrongUse
from tacit.record import Record
from tacit.surfaces.mcp.fence import fenced, harmless

if TYPE_CHECKING:
    from tacit.vault.conversations.listing import ListedSession
    from tacit.vault.vault import Vault

_FILES = 12
_LINE, _PAGE = 400, 20_000  # characters


class Row(Record):
    """A session; its texts are harmless."""

    id: str
    agent: str
    at: str
    title: str
    outcome: str
    files: tuple[str, ...]
    scope: str

    @property
    def line(self) -> str:
        parts = [self.title, f"Outcome: {self.outcome}" if self.outcome else "", _files(self.files)]
        told = " · ".join(part for part in parts if part)
        return f"- [{self.at[:16]}, {self.agent}, {self.scope}] {told} ({self.id})"


def recent(vault: Vault, *, here: bool, limit: int) -> list[Row]:
    """The latest first; of this project, or of all."""
    return [_row(one) for one in vault.sessions.sessions(project=here, limit=limit)]


def page(vault: Vault, name: str) -> str | None:
    """One session of this project whole, as people read it; nothing where it is of elsewhere."""
    try:
        listed, session = vault.sessions.session(name)
    except (NotFound, WrongUse):
        return None
    if listed.row.id not in {one.row.id for one in vault.sessions.sessions(project=True, grouped=False)}:
        return None
    told: list[str] = []
    for line in vault.sessions.session_lines(session):
        told.append(harmless(line, _LINE))
        if sum(map(len, told)) > _PAGE:
            return fenced([*told, "(The rest is left out. The person can read it with tacit session.)"])
    return fenced(told)


def _row(one: ListedSession) -> Row:
    row = one.row
    return Row(
        one.short,
        harmless(row.agent, 64),
        row.at,
        harmless(row.title, 200),
        harmless(row.outcome, 300),
        tuple(harmless(file, 200) for file in row.files[:_FILES]),
        harmless(one.label, 100),
    )


def _files(files: tuple[str, ...]) -> str:
    return f"Files: {', '.join(files)}" if files else ""
