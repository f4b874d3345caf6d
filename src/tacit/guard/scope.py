"""Where a rule holds: everywhere, in a project, or in a folder that is no project."""

from __future__ import annotations

import os

from tacit.guard.rules import GuardRule
from tacit.home.project import find_project, folder_scope
from tacit.model.claim import GLOBAL, project_scope


class RuleScopes:
    """The scopes of the directories that a line works in, each looked up once."""

    def __init__(self, directory: str, user_folder: str) -> None:
        self._directory, self._user_folder = directory, user_folder
        self._scopes: dict[str, frozenset[str]] = {}

    def applies(self, rule: GuardRule, directory: str | None) -> bool:
        """Return whether a rule holds in a directory, relative to where the line runs. None: it is not known."""
        if rule.scope == GLOBAL:
            return True
        if directory is None:
            return False
        if directory.startswith("~"):
            directory = self._user_folder + directory[1:]
        folder = os.path.normpath(os.path.join(self._directory, directory))
        if folder not in self._scopes:
            self._scopes[folder] = self._find_scopes(folder)
        return rule.scope in self._scopes[folder]

    def _find_scopes(self, folder: str) -> frozenset[str]:
        while not os.path.isdir(folder) and folder != os.path.dirname(folder):
            folder = os.path.dirname(folder)
        if project := find_project(folder, self._user_folder):
            return frozenset(map(project_scope, project.names))
        return frozenset((folder_scope(folder, self._user_folder),))
