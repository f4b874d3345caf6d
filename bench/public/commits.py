"""Sessions with an agent, and the subjects of commits that were made in them: which session was it?

Asked without a day, and once more as one would ask on the day of the commit, when later sessions were not there yet.
This set is no benchmark of others; it has the form of the work that Tacit is for.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from bench.public.haystack import Haystack, Message, Question, Session
from tacit.index.session_writer import new_branch

TABLE = "session of a commit"
ALL, HELD_OUT, ON_ITS_DAY = "all questions", "held-out half", "asked on its day"


def read(path: Path) -> list[Haystack]:
    given = json.loads(path.read_bytes())
    sessions = [
        Session(one["id"], date.fromisoformat(one["created"][:10]), list(_messages(one))) for one in given["sessions"]
    ]
    begun = {one["id"]: datetime.fromisoformat(one["created"]) for one in given["sessions"]}
    questions = [
        Question(
            asked["q"],
            (ALL, HELD_OUT) if place % 2 else (ALL,),  # nothing was chosen on every second one
            frozenset(asked["gold"]),
            later=_later(asked, begun),
        )
        for place, asked in enumerate(given["queries"])
    ]
    return [Haystack(sessions, questions)]


def _later(asked: Mapping[str, Any], begun: Mapping[str, datetime]) -> frozenset[str] | None:
    if not asked.get("date"):
        return None
    made = datetime.fromisoformat(asked["date"]).astimezone(UTC)
    return frozenset(name for name, began in begun.items() if began > made)


def _messages(session: Mapping[str, Any]) -> Iterator[Message]:
    said = [(0, text) for text in session["prompts"]] + [(1, text) for text in session["assistant"]]
    for place, (speaker, text) in enumerate(said):
        yield Message(f"{session['id']} {place}", speaker, text, "" if place else new_branch(session["branch"]))
