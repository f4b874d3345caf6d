"""Sessions with an agent, and the subjects of commits that were made in them: which session was it?

Asked without a day, and once more as one would ask on the day of the commit, when later sessions were not there yet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

from bench.recalling.corpus import Corpus, Message
from bench.recalling.scores import Scores
from tacit.index.session_writer import new_branch

_MOST = 20  # as many as `tacit recall` looks at for ten answers


class Measured(NamedTuple):
    """Over all commits, and over every second one, which nothing was chosen on."""

    every: Scores
    held_out: Scores
    on_its_day: Scores


def measure(given: Mapping[str, Any]) -> tuple[Measured, Measured]:
    """By words, and by meaning as well."""
    corpus, begun = Corpus(), {}
    for session in given["sessions"]:
        begun[session["id"]] = datetime.fromisoformat(session["created"])
        corpus.add(session["id"], date.fromisoformat(session["created"][:10]), _messages(session))
    both = Measured(Scores(), Scores(), Scores()), Measured(Scores(), Scores(), Scores())
    for place, asked in enumerate(given["queries"]):
        for measured, answers in zip(both, corpus.conversations(asked["q"], _MOST), strict=True):
            _add(measured, answers, asked, begun, held_out=bool(place % 2))
    return both


def _add(
    measured: Measured,
    answers: Sequence[str],
    asked: Mapping[str, Any],
    begun: Mapping[str, datetime],
    *,
    held_out: bool,
) -> None:
    right = set(asked["gold"])
    measured.every.add(answers, right, any_will_do=True)
    if held_out:
        measured.held_out.add(answers, right, any_will_do=True)
    if asked.get("date"):
        made = datetime.fromisoformat(asked["date"]).astimezone(UTC)
        there = [name for name in answers if begun[name] <= made]
        measured.on_its_day.add(there, right, any_will_do=True)


def _messages(session: Mapping[str, Any]) -> Sequence[Message]:
    said = [(0, text) for text in session["prompts"]] + [(1, text) for text in session["assistant"]]
    branches = [new_branch(session["branch"]), *[""] * len(said)]
    return [Message(str(place), *one, branch) for place, (one, branch) in enumerate(zip(said, branches, strict=False))]
