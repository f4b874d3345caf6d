"""A habit: something seen again and again, how often, in how many sessions; when that is enough, and how sure it is."""

from __future__ import annotations

from tacit.core.claim import GLOBAL, Claim, Kind, Scope, Triple
from tacit.record import Record

BETWEEN = "\n"  # between the parts of a key; no part has one


class Seen(Record):
    """One occurrence of a habit. Kind and key identify the habit; `place` is where this occurrence ran.

    `place` is a directory, or "" when the directory is unknown. A sequence whose steps ran in different directories has
    their common parent and `/*` behind it (see workflows.py).
    """

    kind: Kind
    key: str
    place: str = ""


class Tally(Record):
    """A habit and what was counted of it.

    `last` is the event of the latest occurrence. `scope` is the project the habit belongs to; the counts are then those
    of this project. `has_times` is false when all occurrences come from histories without timestamps.
    """

    seen: Seen
    runs: int
    sessions: int
    last: str = ""
    scope: Scope = GLOBAL
    has_times: bool = True


class Scale(Record):
    """When a habit is one, and how sure it is: `base` at the threshold, more for each further run and session, never
    above `cap`."""

    runs: int
    sessions: int
    base: float
    cap: float
    per_run: float
    per_session: float


# SPEC A1 to A3, and A10 for substitutions, which are filed as preferences.
SCALES = {
    Kind.PREFERRED_CWD: Scale(runs=5, sessions=2, base=0.70, cap=0.95, per_run=0.01, per_session=0.03),
    Kind.RECURRING_COMMAND: Scale(runs=4, sessions=1, base=0.60, cap=0.90, per_run=0.01, per_session=0.04),
    Kind.WORKFLOW_PATTERN: Scale(runs=3, sessions=2, base=0.65, cap=0.85, per_run=0.01, per_session=0.03),
    Kind.PREFERENCE: Scale(runs=2, sessions=1, base=0.60, cap=0.85, per_run=0.05, per_session=0.05),
}


def is_habit(tally: Tally) -> bool:
    scale = SCALES[tally.seen.kind]
    return tally.runs >= scale.runs and tally.sessions >= scale.sessions


def confidence(tally: Tally) -> float:
    """`base + per_run * (runs - least) + per_session * (sessions - least)`, at most `cap`."""
    scale = SCALES[tally.seen.kind]
    grown = scale.per_run * (tally.runs - scale.runs) + scale.per_session * (tally.sessions - scale.sessions)
    return round(min(scale.cap, scale.base + grown), 2)


def label(seen: Seen) -> str:
    """How a habit is called."""
    return seen.key.replace(BETWEEN, " → ")


def claim_of(seen: Seen, scope: Scope = GLOBAL) -> Claim:
    """The statement that a habit makes, about the person or about the person in one project."""
    subject, predicate, words, sentence = _SAID[seen.kind](seen.key)
    return Claim(seen.kind, scope, Triple(subject, predicate, words), sentence)


def seen_of(claim: Claim) -> Seen | None:
    """The habit that a claim speaks of; nothing for any other claim."""
    words = claim.triple.object
    key = {
        Kind.PREFERRED_CWD: words,
        Kind.RECURRING_COMMAND: words,
        Kind.WORKFLOW_PATTERN: words.replace(" → ", BETWEEN),
        Kind.PREFERENCE: f"{claim.triple.predicate.removeprefix(_INSTEAD)}{BETWEEN}{words}",
    }.get(claim.kind)
    seen = Seen(claim.kind, key) if key else None
    return seen if seen and claim_of(seen, claim.scope).id == claim.id else None


_INSTEAD = "uses instead of "
_Said = tuple[str, str, str, str]


def _directory(key: str) -> _Said:
    return "user", "works in", key, f"often works in {key}"


def _command(key: str) -> _Said:
    return "user", "runs", key, f"often runs `{key}`"


def _workflow(key: str) -> _Said:
    steps = [f"`{family}`" for family in key.split(BETWEEN)]
    return "user", "runs in order", key.replace(BETWEEN, " → "), f"runs {', then '.join(steps)}"


def _substitution(key: str) -> _Said:
    wrong, _, right = key.partition(BETWEEN)
    return "user", f"{_INSTEAD}{wrong}", right, f"use `{right}` instead of `{wrong}`"


_SAID = {
    Kind.PREFERRED_CWD: _directory,
    Kind.RECURRING_COMMAND: _command,
    Kind.WORKFLOW_PATTERN: _workflow,
    Kind.PREFERENCE: _substitution,
}
