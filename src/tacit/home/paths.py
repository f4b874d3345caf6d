"""The layout of a home (S1): finding it, the paths in it, and making its folders."""

from __future__ import annotations

import os
from collections.abc import Mapping

from tacit.disk.files import make_folder
from tacit.disk.lock import is_read_only_error, read_only_error
from tacit.errors import UsageError

DEFAULT_HOME = "~/.agents"
_REPOSITORY_MARKERS = (".git", ".jj", ".hg", ".svn")
PAGE_FOLDERS = {"worklog": "worklog", "evaluation": "evaluations", "session": "sessions"}  # by kind of page
HOME_FOLDERS = ("memory", "activity", "sessions", "worklog", "evaluations", ".tacit", ".tacit/written", ".tacit/spool")
REMOTES_FOLDER = ".tacit/remotes"
# Made when they are needed.
OPTIONAL_FOLDERS = (
    *("imported", "quarantine", ".tacit/pending", ".tacit/unfinished", ".tacit/installed", ".tacit/autocapture"),
    *(".tacit/spool/.reserve", ".tacit/written/unwritten", ".tacit/judge", ".tacit/guard", REMOTES_FOLDER),
    ".tacit/edits",
    ".tacit/unproposed",
    ".tacit/rules",
    ".tacit/red",
    ".tacit/team",
    ".tacit/team/outbox",
)


# The name of a judge's working directory. A client may name a folder of its own after it. Sessions in it are never
# captured.
JUDGE_FOLDER = "tacit-judge-folder"


def is_judge_path(path: str) -> bool:
    """Return whether a path is in the working directory of a judge, or in a client's folder that is named after it."""
    return JUDGE_FOLDER in path.split("/")


class HomePaths:
    """The paths of one home. Nothing is opened here."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.index = self.path("index.sqlite")
        self.long_term = self.path("memory", "long-term.md")
        self.facts = self.path("memory", "memories.ndjson")
        self.settings = self.path("tacit.toml")
        self.view_copies = self.path(".tacit", "written")
        self.write_lock = self.path(".tacit", "write.lock")
        self.sync_journal = self.path(".tacit", "reading")
        self.fact_journal = self.path(".tacit", "sharing")
        self.learned_marker = self.path(".tacit", "learned")
        self.notice_file = self.path(".tacit", "notice")
        self.capture_queue = self.path(".tacit", "pending")
        self.spool_counter = self.path(".tacit", "spool", ".dropped")  # of the spool, this is made last
        self.unfinished_captures = self.path(".tacit", "unfinished")
        self.capture_lock = self.path(".tacit", "capturing.lock")
        self.injection_lock = self.path(".tacit", "giving.lock")
        self.edit_markers = self.path(".tacit", "edits")  # which files a session has edited, as digests
        self.unproposed = self.path(".tacit", "unproposed")  # where sentences are that an agent is asked to propose
        self.rule_files = self.path(".tacit", "rules")  # the standing rules of each project: see rule_files.py
        self.red_notes = self.path(".tacit", "red")  # what is not true of each work tree: see red_notes.py
        self.late_answers = self.path(".tacit", "late")  # sessions to which the hook had to say the rules by itself
        self.daily_state = self.path(".tacit", "daily.json")  # of the daily judge: see daily_judge.py
        self.daily_environment = self.path(".tacit", "daily.env")
        self.daily_lock = self.path(".tacit", "daily.lock")
        self.judge_files = self.path(".tacit", "judge")  # exists while a judge is asked
        self.key = self.path(".tacit", "key")
        self.log_lock = self.path(".tacit", "log.lock")
        self.team_file = self.path(".tacit", "team", "team.json")
        self.team_lock = self.path(".tacit", "team.lock")
        self.sync_timer = self.path(".tacit", "sync-timer.json")  # see sync_timer.py
        self.purge_marker = self.path(".tacit", "purging")  # exists while a purge runs

    def path(self, *parts: str) -> str:
        return os.path.join(self.root, *parts)

    def page(self, kind: str, day: str) -> str:
        """Return the path of a page: of a day for worklog and evaluation, of a session by its key."""
        return self.path(PAGE_FOLDERS[kind], f"{day}.md")


def find_home(path: str | None, environment: Mapping[str, str]) -> HomePaths:
    """Return the home at `path`, else at `TACIT_HOME`, else at `~/.agents`.

    Raise UsageError if `TACIT_HOME` names a folder that a repository or another user may have brought: a repository can
    set variables, too.
    """
    if path:
        return HomePaths(_absolute(path))
    if problem := home_variable_problem(environment):
        from shlex import quote

        path = environment["TACIT_HOME"]
        raise UsageError(
            f"TACIT_HOME names {path}, which {problem}", f"unset TACIT_HOME, or: tacit --home {quote(path)} …"
        )
    return HomePaths(_absolute(environment.get("TACIT_HOME") or DEFAULT_HOME))


def without_unsafe_home(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without a `TACIT_HOME` that would be refused, for the recorder, which cannot report it."""
    problem = home_variable_problem(environment)
    return {name: value for name, value in environment.items() if not problem or name != "TACIT_HOME"}


def home_variable_problem(environment: Mapping[str, str]) -> str:
    """Return why `TACIT_HOME` may not be the person's choice; "" if there is no doubt or it is not set."""
    value = environment.get("TACIT_HOME")
    if not value or _absolute(value) == _absolute(DEFAULT_HOME):
        return ""
    if not os.path.isabs(os.path.expanduser(value)):
        return "depends on the folder one stands in"
    stop = os.path.realpath(environment.get("HOME") or os.path.expanduser("~"))
    for folder in dict.fromkeys((_absolute(value), os.path.realpath(_absolute(value)))):
        if root := _repository_root(folder, stop):
            return f"lies in the repository {root}"
    try:
        is_own = os.stat(_absolute(value)).st_uid == os.geteuid()
    except OSError:  # it does not exist yet, or opening it will fail with the reason
        is_own = True
    return "" if is_own else "belongs to somebody else"


def _absolute(path: str) -> str:
    return os.path.abspath(os.path.expanduser(path))


def _repository_root(folder: str, stop: str) -> str:
    """Return the root of the repository that a folder is in; "" if there is none.

    The search ends at `stop`, the person's own folder: people who keep all of it in git still have homes there.
    """
    while folder != stop:
        if any(os.path.lexists(os.path.join(folder, marker)) for marker in _REPOSITORY_MARKERS):
            return folder
        if folder == os.path.dirname(folder):
            break
        folder = os.path.dirname(folder)
    return ""


def make_home(paths: HomePaths) -> None:
    """Make the folders of a home. What exists stays, even a link, which is refused when something is written below it.

    Raise ReadOnlyError if the home cannot be written.
    """
    try:
        make_folder(paths.root)
        for folder in HOME_FOLDERS:
            if not os.path.lexists(paths.path(folder)):
                make_folder(paths.path(folder), below=paths.root)
    except OSError as error:
        if is_read_only_error(error):
            raise read_only_error(paths.root) from error
        raise
