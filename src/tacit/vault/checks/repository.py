"""Checks of what is shared with others: the current repository, its fact file and work tree, and the team."""

from __future__ import annotations

import os
from collections.abc import Iterator

from tacit.errors import TacitError
from tacit.home.repository import conflicted_files, inspect_repository
from tacit.home.settings import Settings
from tacit.install.merge_driver import ATTRIBUTE_FILE, driver_state
from tacit.log.verify import Finding
from tacit.text.display import clip
from tacit.vault.checks import Examination
from tacit.vault.outdated import outdated_rows
from tacit.vault.status import team_summary

_MAX_SENTENCE_CHARS = 80


def check_repository(exam: Examination) -> Iterator[Finding]:
    """The current repository: facts of it that wait for a decision."""
    store = exam.store
    if store.project is None:
        return
    try:
        repository = inspect_repository(store, exam.fresh_index, Settings().limits_text)[0]
    except TacitError as error:
        yield Finding(store.project.facts, error.message, error.hint or "tacit trust --show", False)
        return
    if repository.waiting:
        what = f"{len(repository.waiting)} facts of the repository wait for your decision; none is believed"
        yield Finding(repository.path, what, "tacit trust --show", False)


def check_conflicts(exam: Examination) -> Iterator[Finding]:
    """Fact files in which a merge left conflict markers."""
    for file in conflicted_files(exam.store):
        yield Finding(file.path, file.summary, "tacit sync")


def check_merge_driver(exam: Examination) -> Iterator[Finding]:
    """The merge driver that the current repository names: whether this clone has it, and whether it can be run."""
    store = exam.store
    if store.project is None:
        return
    state = driver_state(store.project.root, os.environ)
    path = os.path.join(store.project.root, ATTRIBUTE_FILE)
    if state.is_named and not state.command:
        what = "it names a merge driver that this clone does not have; git merges the fact file line by line"
        yield Finding(path, what, "tacit init", False)
    elif state.is_named and state.missing_program:
        what = f"the merge driver it names starts {state.missing_program}, which is no longer there"
        yield Finding(path, what, "tacit init, or to take it out: tacit init --no-merge-driver", False)


def check_references(exam: Examination) -> Iterator[Finding]:
    """Memories of the current project that name what is not in its work tree. Agents are told so, or not told them."""
    store = exam.store
    if store.project is None:
        return
    for memory, missing in outdated_rows(exam.fresh_index, store, os.environ):
        names = ", ".join(reference.text for reference in missing)
        what = f"“{clip(memory.sentence, _MAX_SENTENCE_CHARS)}” names what is not in this work tree: {names}"
        hint = f'tacit edit {memory.id} "…", or tacit forget {memory.id}'
        yield Finding(f"memory {memory.id}", what, hint, False)


def check_team(exam: Examination) -> Iterator[Finding]:
    """What waits for the team's server, as this home knows it. The server is not asked."""
    team = team_summary(exam.home)
    if team is None:
        return
    if not team.server:
        yield Finding("the team", team.problem, "tacit team leave")
        return
    last = f"last sync {team.synced_at[:10] or 'never'}"
    if team.problem:
        yield Finding("the team", f"the server could not be asked ({last}): {team.problem}", "tacit sync", False)
    if team.queued:
        yield Finding("the team", f"{team.queued} wait to be sent ({last})", "tacit sync", False)
    if team.unpurged:
        what = f"{team.unpurged} purged here, and not confirmed by the server"
        yield Finding("the team", what, "tacit sync; tacit team says which", False)
