"""Which project a session is of, by where its agent stood."""

from __future__ import annotations

import os
from collections.abc import Callable

from tacit.core.claim import GLOBAL, Scope, project_scope
from tacit.core.text import clean
from tacit.vault.project import find_project, folder_scope, remote_name


def scope_of(directory: str, remote: str, user_folder: str, is_used: Callable[[Scope], bool]) -> Scope:
    """The project of a directory: that of the nearest folder above it that is still there (work trees come and go),
    else the repository that the transcript names, else the directory itself."""
    if not directory:
        return project_scope(clean(remote_name(remote))) if remote else GLOBAL
    nearest = directory
    while nearest != os.path.dirname(nearest) and not os.path.isdir(nearest):
        nearest = os.path.dirname(nearest)
    if project := find_project(nearest, user_folder):
        return project.scope(is_used)
    if remote and (name := remote_name(remote)):
        return project_scope(clean(name))
    return folder_scope(directory, user_folder)
