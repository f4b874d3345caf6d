"""A folder of a person with a project in it, and files that are written into both."""

from __future__ import annotations

from pathlib import Path

import pytest

from tacit.rules import RuleFile, RulePlace, RuleSet, find_rules, rule_place
from tacit.rules.audit import AuditReport, audit


class Workspace:
    """The home folder of a person, and a repository `shop` below it."""

    def __init__(self, folder: Path) -> None:
        self.user = folder / "user"
        self.root = self.user / "src" / "shop"
        (self.root / ".git").mkdir(parents=True)
        self.environment = {"HOME": str(self.user)}
        # As Claude Code names the folder of a project.
        self.slug = str(self.root.resolve()).replace("/", "-").replace("_", "-").replace(".", "-")

    def write(self, name: str, text: str = "- Use pnpm here.\n") -> Path:
        """Write a file of the project, or of the person if its name begins with `~/`."""
        path = self.user / name[2:] if name.startswith("~/") else self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def place(self, folder: str = "") -> RulePlace:
        return rule_place(str(self.root / folder), self.environment)

    def rules(self, folder: str = "") -> RuleSet:
        return find_rules(self.place(folder))

    def files(self, folder: str = "") -> dict[str, RuleFile]:
        return {file.name: file for file in self.rules(folder).files}

    def audit(self, folder: str = "") -> AuditReport:
        return audit(self.place(folder))

    def findings(self, *kinds: str) -> list[str]:
        """Return the findings as `file:line: kind: message`."""
        return [
            f"{finding.path}:{finding.line}: {finding.kind.value}: {finding.message}"
            for finding in self.audit().findings
            if not kinds or finding.kind.value in kinds
        ]


@pytest.fixture
def work(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)
