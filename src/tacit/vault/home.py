"""The layout of a home (S1). Names only; nothing is opened here."""

from __future__ import annotations

import os

DEFAULT = "~/.agents"
# The folder of each kind of page.
PAGES = {"worklog": "worklog", "evaluation": "evaluations", "session": "sessions"}
FOLDERS = ("memory", "activity", "sessions", "worklog", "evaluations", ".tacit", ".tacit/written", ".tacit/spool")
# Made when there is something to put in.
SOMETIMES = ("imported", "quarantine", ".tacit/pending", ".tacit/unfinished", ".tacit/installed", ".tacit/autocapture")


class Home:
    """Paths below one root."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.index = self.path("index.sqlite")
        self.long_term = self.path("memory", "long-term.md")
        self.facts = self.path("memory", "memories.ndjson")
        self.settings = self.path("tacit.toml")
        self.written = self.path(".tacit", "written")
        self.write_lock = self.path(".tacit", "write.lock")
        self.reading = self.path(".tacit", "reading")
        self.learned = self.path(".tacit", "learned")
        self.notice = self.path(".tacit", "notice")
        self.pending = self.path(".tacit", "pending")
        self.reserve = self.path(".tacit", "spool", ".reserve")
        self.unfinished = self.path(".tacit", "unfinished")
        self.capturing_lock = self.path(".tacit", "capturing.lock")
        self.giving_lock = self.path(".tacit", "giving.lock")
        self.key = self.path(".tacit", "key")
        self.log_lock = self.path(".tacit", "log.lock")
        self.purging = self.path(".tacit", "purging")  # stands while a purge is at work

    def path(self, *parts: str) -> str:
        return os.path.join(self.root, *parts)

    def page(self, kind: str, day: str) -> str:
        """A day's page of the worklog or the evaluations, or the page of a session by its key."""
        return self.path(PAGES[kind], f"{day}.md")


def locate(given: str | None, environment: dict[str, str]) -> Home:
    """The home that was named, else `TACIT_HOME`, else `~/.agents`."""
    chosen = given or environment.get("TACIT_HOME") or DEFAULT
    return Home(os.path.abspath(os.path.expanduser(chosen)))
