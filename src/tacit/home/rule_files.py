"""The standing rules of each project as files that a hook can print by itself: without the index, without a lock.

The process that a host waits for prints such a file where the one that reads the index is late or fails, so that no
session begins without its rules (`hooks/agent.py`). A file holds the text as a JSON string. The lines before it say for
which settings it was made, of which folder it is, and which folders in it the person excluded. A folder of the person's
own projects has a file named after the hash of its path; the rules that hold everywhere are in one named `global`.

If some of the rules are on trial, the last line has the seeds of their coins and a text for each way in which the coins
may fall, with tabs between them.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from itertools import product

from tacit.brief import BriefLimits, compose_brief, most_specific
from tacit.disk.files import Disk, list_folder, make_folder, read_file, replace_file
from tacit.home.capture_policy import ignored_folders
from tacit.home.paths import HomePaths
from tacit.home.project import main_work_tree, project_at
from tacit.home.settings import Settings, settings_or_defaults
from tacit.index import reader
from tacit.log.codec import must_decode
from tacit.model.claim import GLOBAL, Scope
from tacit.model.ids import ClaimId, blake2b
from tacit.record import Record

NONCE_MARK = "@" * 20  # in place of the number of the fence, which is new each time
GLOBAL_FILE = "global"
_MAX_RULES = 20  # of each scope, to choose from
_MAX_FILES = 500
_LATE_DAYS = 7
_MAX_TRIAL_CHARS = 60_000  # of the texts of rules on trial: a hook reads 64 KiB of a file


def rule_file_name(root: str) -> str:
    """Return the name of the file of a project; the hook computes the same."""
    return blake2b(root.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest() if root else GLOBAL_FILE


def settings_signature(paths: HomePaths) -> str:
    """Return what tells whether the settings were changed since."""
    try:
        status = os.stat(paths.settings)
    except OSError:
        return "0 0"
    return f"{status.st_mtime_ns} {status.st_size}"


def write_rule_files(
    connection: sqlite3.Connection,
    paths: HomePaths,
    disk: Disk,
    root: str = "",
    scopes: Collection[Scope] | None = None,
) -> None:
    """Write the files of all projects that have rules, and of the project at `root`; remove those without a use.

    If only memories of some `scopes` have changed, only the files of these are written: a change must not cost more in
    a home of many projects. The caller holds the home's lock.
    """
    is_full = scopes is None or GLOBAL in scopes
    if not is_full and not scopes:
        return
    settings = settings_or_defaults(paths.settings, {})
    texts: dict[str, tuple[str, Scope, str]] = {}  # by the name of the file
    if settings.autocapture_inject_on_start:
        projects = _projects(connection, paths, root) if is_full else _projects_of(connection, paths, scopes or ())
    else:
        projects = iter(())
    for folder, scope in projects:
        texts[rule_file_name(folder)] = (folder, scope, _rules_text(connection, scope, settings))
    ignored = ignored_folders(settings, os.path.expanduser("~"))
    make_folder(paths.rule_files, below=paths.root)
    for name, (folder, scope, text) in texts.items():
        lines = [settings_signature(paths), f"{folder}\t{scope}", *ignored, text]
        data = "\n".join(line.replace("\n", " ") for line in lines).encode("utf-8", "surrogateescape")
        path = os.path.join(paths.rule_files, name)
        with suppress(OSError):
            if read_file(path) != data:
                replace_file(disk, path, data)
    for name in list_folder(paths.rule_files) if is_full else ():
        if name not in texts:
            with suppress(OSError):
                disk.remove(os.path.join(paths.rule_files, name))


def is_rule_file_current(paths: HomePaths, root: str) -> bool:
    """Return whether there is a file for a project that was made for the settings as they are."""
    content = _read(os.path.join(paths.rule_files, rule_file_name(root)))
    return content.partition("\n")[0] == settings_signature(paths)


class LateAnswers(Record):
    """In how many sessions of the last days a hook was late: it told the rules from a file, or could not."""

    answered: int
    missed: int

    @property
    def text(self) -> str:
        """What a person is told of it; "" if no hook was late."""
        if not self.answered + self.missed:
            return ""
        number = self.answered + self.missed
        sessions = f"{number} session{'s' * (number != 1)}"
        missed = f", {self.missed} nothing until the next prompt" if self.missed else ""
        busy = f"in the last {_LATE_DAYS} days the machine was too busy at the start of {sessions}"
        return f"{busy}: {self.answered} got the standing rules alone{missed}"


def late_answers(paths: HomePaths) -> LateAnswers:
    """Return how many sessions were told late, from what the hooks have noted (`hooks/ready_rules.py`)."""
    earliest = time.time() - _LATE_DAYS * 86_400
    outcomes: dict[str, str] = {}
    for line in _read(paths.late_answers).split("\n"):
        words = line.split(" ")
        if len(words) == 5 and words[0].isdecimal() and int(words[0]) >= earliest:
            outcomes[words[3]] = words[4] if outcomes.get(words[3]) != "told" else "told"
    answered = sum(outcome == "told" for outcome in outcomes.values())
    return LateAnswers(answered, len(outcomes) - answered)


def _projects(connection: sqlite3.Connection, paths: HomePaths, root: str) -> Iterator[tuple[str, Scope]]:
    """Yield the main work tree and the scope of each project that needs a file; first "", for what holds everywhere."""
    yield "", GLOBAL
    named = {root} if root else set()
    named.update(folder for folder, _ in _known_projects(paths))  # clones in which nothing was recorded but sessions
    for scope in reader.all_scopes(connection):
        if reader.count_rules(connection, (scope,)):
            named.update(reader.project_roots(connection, scope))
    yield from _with_scopes(connection, named)


def _projects_of(
    connection: sqlite3.Connection, paths: HomePaths, scopes: Collection[Scope]
) -> Iterator[tuple[str, Scope]]:
    named = {folder for folder, scope in _known_projects(paths) if scope in scopes}
    named.update(root for scope in scopes for root in reader.project_roots(connection, scope))
    yield from _with_scopes(connection, named)


def _known_projects(paths: HomePaths) -> Iterator[tuple[str, str]]:
    """Yield the folder and the scope of each file that is there."""
    for name in list_folder(paths.rule_files):
        for line in _read(os.path.join(paths.rule_files, name)).split("\n", 2)[1:2]:
            folder, _, scope = line.rpartition("\t")
            yield folder, scope


def _with_scopes(connection: sqlite3.Connection, folders: Iterable[str]) -> Iterator[tuple[str, Scope]]:
    for folder in sorted({main_work_tree(folder) for folder in folders if folder})[:_MAX_FILES]:
        if project := project_at(folder):
            yield folder, project.scope(lambda scope: reader.is_scope_used(connection, scope))


def _read(path: str) -> str:
    with suppress(OSError):
        return (read_file(path) or b"").decode("utf-8", "surrogateescape")
    return ""


def _rules_text(connection: sqlite3.Connection, scope: Scope, settings: Settings) -> str:
    scopes = dict.fromkeys((scope, GLOBAL))
    rules = reader.leading_rules(connection, scopes, _MAX_RULES)
    limits = BriefLimits(settings.brief_entries, settings.brief_tokens, settings.inject_max_characters)
    unread = reader.count_rules(connection, scopes) - len(rules)

    def text_without(withheld: Collection[ClaimId]) -> str:
        left = most_specific(rule for rule in rules if rule.id not in withheld)
        brief = compose_brief(left, tags=frozenset(), relevance={}, nonce=NONCE_MARK, limits=limits, unread=unread)
        return json.dumps(brief.text)

    if not reader.has_trials(connection):
        return text_without(())
    from tacit.index.trials import running_trials

    trials = [
        trial for trial in running_trials(connection, must_decode).values() if trial.claim in {r.id for r in rules}
    ]
    ways = [
        [trial.claim for trial, is_treated in zip(trials, coins, strict=True) if not is_treated]
        for coins in product((False, True), repeat=len(trials))
    ]
    line = "\t".join([" ".join(trial.seed for trial in trials), *map(text_without, ways)])
    # What a hook cannot read whole tells nobody a memory that is on trial.
    return line if trials and len(line) < _MAX_TRIAL_CHARS else text_without(ways[0])
