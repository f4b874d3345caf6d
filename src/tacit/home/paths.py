"""The layout of a home (S1): where it is, and making its folders."""

from __future__ import annotations

import os
from collections.abc import Mapping

from tacit.disk.files import make_folder
from tacit.disk.lock import is_read_only_error, read_only_error
from tacit.errors import UsageError

# The layout of a home (S1). Names only; nothing is opened here.

DEFAULT_HOME = "~/.agents"
_REPOSITORY_MARKERS = (".git", ".jj", ".hg", ".svn")
# The folder of each kind of page.
PAGE_FOLDERS = {"worklog": "worklog", "evaluation": "evaluations", "session": "sessions"}
HOME_FOLDERS = ("memory", "activity", "sessions", "worklog", "evaluations", ".tacit", ".tacit/written", ".tacit/spool")
# Made when there is something to put in.
OPTIONAL_FOLDERS = (
    *("imported", "quarantine", ".tacit/pending", ".tacit/unfinished", ".tacit/installed", ".tacit/autocapture"),
    *(".tacit/spool/.reserve", ".tacit/written/unwritten"),
)


class HomePaths:
    """Paths below one root."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.index = self.path("index.sqlite")
        self.long_term = self.path("memory", "long-term.md")
        self.facts = self.path("memory", "memories.ndjson")
        self.settings = self.path("tacit.toml")
        self.view_copies = self.path(".tacit", "written")
        self.write_lock = self.path(".tacit", "write.lock")
        self.sync_journal = self.path(".tacit", "reading")
        self.learned_marker = self.path(".tacit", "learned")
        self.notice_file = self.path(".tacit", "notice")
        self.capture_queue = self.path(".tacit", "pending")
        self.spool_reserve = self.path(".tacit", "spool", ".reserve")
        self.unfinished_captures = self.path(".tacit", "unfinished")
        self.capture_lock = self.path(".tacit", "capturing.lock")
        self.injection_lock = self.path(".tacit", "giving.lock")
        self.key = self.path(".tacit", "key")
        self.log_lock = self.path(".tacit", "log.lock")
        self.purge_marker = self.path(".tacit", "purging")  # stands while a purge is at work

    def path(self, *parts: str) -> str:
        return os.path.join(self.root, *parts)

    def page(self, kind: str, day: str) -> str:
        """A day's page of the worklog or the evaluations, or the page of a session by its key."""
        return self.path(PAGE_FOLDERS[kind], f"{day}.md")


def find_home(given: str | None, environment: Mapping[str, str]) -> HomePaths:
    """The home that was named, else `TACIT_HOME`, else `~/.agents`. A variable can come from a repository, so one that
    names a folder which a repository or somebody else may have brought is refused."""
    if given:
        return HomePaths(_absolute(given))
    if doubt := home_variable_problem(environment):
        from shlex import quote

        path = environment["TACIT_HOME"]
        raise UsageError(
            f"TACIT_HOME names {path}, which {doubt}", f"unset TACIT_HOME, or: tacit --home {quote(path)} …"
        )
    return HomePaths(_absolute(environment.get("TACIT_HOME") or DEFAULT_HOME))


def without_unsafe_home(environment: Mapping[str, str]) -> dict[str, str]:
    """For the recorder, which has nobody to tell: a `TACIT_HOME` that would be refused counts as not set."""
    doubt = home_variable_problem(environment)
    return {name: value for name, value in environment.items() if not doubt or name != "TACIT_HOME"}


def home_variable_problem(environment: Mapping[str, str]) -> str:
    """Why `TACIT_HOME` may not be the person's choice; empty where it can be believed, or is not set."""
    named = environment.get("TACIT_HOME")
    if not named or _absolute(named) == _absolute(DEFAULT_HOME):
        return ""
    if not os.path.isabs(os.path.expanduser(named)):
        return "depends on the folder one stands in"
    stop = os.path.realpath(environment.get("HOME") or os.path.expanduser("~"))
    for folder in dict.fromkeys((_absolute(named), os.path.realpath(_absolute(named)))):
        if root := _repository_root(folder, stop):
            return f"lies in the repository {root}"
    try:
        is_own = os.stat(_absolute(named)).st_uid == os.geteuid()
    except OSError:  # it is not there yet, or whoever opens it will say why not
        is_own = True
    return "" if is_own else "belongs to somebody else"


def _absolute(path: str) -> str:
    return os.path.abspath(os.path.expanduser(path))


def _repository_root(folder: str, stop: str) -> str:
    """The root of the repository that a folder is in; empty for none. The person's own folder is never one: who keeps
    all of it in git still has homes there."""
    while folder != stop:
        if any(os.path.lexists(os.path.join(folder, marker)) for marker in _REPOSITORY_MARKERS):
            return folder
        if folder == os.path.dirname(folder):
            break
        folder = os.path.dirname(folder)
    return ""


# Making a home: its folders, and nothing in them.


def make_home(home: HomePaths) -> None:
    """The folders of a home. What is there stays, even a link: whoever writes below it says what is wrong."""
    try:
        make_folder(home.root)
        for folder in HOME_FOLDERS:
            if not os.path.lexists(home.path(folder)):
                make_folder(home.path(folder), below=home.root)
    except OSError as error:
        if is_read_only_error(error):
            raise read_only_error(home.root) from error
        raise
