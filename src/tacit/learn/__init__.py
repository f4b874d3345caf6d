"""Learners: what they see of a session and what they return, and their data files.

Data files are TOML tables of words, patterns and programs, each row with an example, and weights of models as JSON.
"""

from __future__ import annotations

import os

from tacit.model.claim import Kind, Provenance
from tacit.model.ids import ClaimId, EventId
from tacit.model.observation import ConversationBody
from tacit.record import Record

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any


_FOLDER = os.path.dirname(os.path.abspath(__file__))


def load_data(name: str) -> dict[str, Any]:
    """Return the content of a TOML or JSON file of this package, such as "fixes/never.toml".

    Callers load a file when a row of it is needed for the first time, and keep the result: most commands need none.
    """
    with open(os.path.join(_FOLDER, name), "rb") as file:
        if name.endswith(".json"):
            import json

            content: dict[str, Any] = json.load(file)
            return content
        import tomllib

        return tomllib.load(file)


class SessionEvent(Record):
    """One event of a conversation."""

    event_id: EventId
    body: ConversationBody


class Lesson(Record):
    """What a learner concluded: a sentence that can stand alone, and the words it comes from.

    `quote` is an exact part of what was said in the first event of `evidence`; `provenance` is that of the speaker.
    `everywhere` is set if it holds in all projects, not only in that of the session. A judge may say which memory it
    repeats (`same_as`) or contradicts.
    """

    kind: Kind
    sentence: str
    quote: str
    evidence: tuple[EventId, ...]
    reason: str
    confidence: float
    provenance: Provenance = Provenance.USER_DIRECT
    everywhere: bool = False
    same_as: ClaimId | None = None
    contradicts: ClaimId | None = None


class FixCandidate(Record):
    """A failed call and the later call that seems to have mended it; not judged yet.

    `repair` is what was done before the retry, if that made the difference; `tool` is the tool if it is no shell.
    """

    failed: str
    error: str
    retry: str
    evidence: tuple[EventId, ...]
    score: float
    repair: str = ""
    tool: str = ""
