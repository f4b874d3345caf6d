"""A claim: one statement with a kind and a scope; its status, its provenance, and the order of claims in a list."""

from __future__ import annotations

from enum import Enum, IntEnum
from functools import lru_cache
from typing import NewType

from tacit.model.ids import ClaimId, claim_id
from tacit.record import Record
from tacit.text.words import normalize_text

# A claim: one atomic statement with a kind and a scope. `key` = same statement, `question` = same question.

Scope = NewType("Scope", str)
GLOBAL = Scope("global")
_PROJECT_PREFIX = "project:"
_ARTICLES = frozenset({"a", "an", "the"})


class Kind(Enum):
    """What sort of thing is remembered. Rank decides in a brief (S14), section where it stands (S12)."""

    CONSTRAINT = ("constraint", "Constraints")
    RULE = ("rule", "Rules")
    DECISION = ("decision", "Decisions")
    CONVENTION = ("convention", "Project Conventions")
    ENVIRONMENT = ("environment", "Project Conventions")
    KNOWN_FIX = ("known_fix", "Known Fixes")
    GUIDANCE = ("guidance", "Review Guidance")
    PATTERN = ("pattern", "Patterns")
    PREFERRED_CWD = ("preferred_cwd", "Habits")
    RECURRING_COMMAND = ("recurring_command", "Habits")
    WORKFLOW_PATTERN = ("workflow_pattern", "Habits")
    PREFERENCE = ("preference", "Preferences")

    def __init__(self, label: str, section: str) -> None:
        self.label = label
        self.section = section

    @classmethod
    def from_label(cls, label: str) -> Kind:
        """The kind of this name; KeyError when there is none."""
        return _KIND_BY_LABEL[label]


_KIND_BY_LABEL = {kind.label: kind for kind in Kind}
KIND_RANK = {kind: rank for rank, kind in enumerate(Kind)}


class Triple(Record):
    """Subject, predicate, object, in the words of the statement."""

    subject: str
    predicate: str
    object: str


class Claim(Record):
    """One atomic statement. Two claims are the same memory when scope and key are equal."""

    kind: Kind
    scope: Scope
    triple: Triple
    sentence: str
    tags: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The dedupe key of S4: `subject|predicate|object`, folded."""
        return _cached_key(self.triple)

    @property
    def id(self) -> ClaimId:
        return _cached_id(self.scope, self.triple)


def project_scope(name: str) -> Scope:
    return Scope(_PROJECT_PREFIX + name)


def is_project_scope(scope: Scope) -> bool:
    return scope.startswith(_PROJECT_PREFIX)


def project_name(scope: Scope) -> str:
    """The project's name without the path or host in front of it; empty for the global scope."""
    return scope.removeprefix(_PROJECT_PREFIX).rstrip("/").rsplit("/", 1)[-1] if is_project_scope(scope) else ""


# Asked for many times while a claim is folded, filed and drawn.
@lru_cache(maxsize=1 << 18)
def _cached_key(triple: Triple) -> str:
    return "|".join([_normalize_part(part) for part in triple])


@lru_cache(maxsize=1 << 18)
def _cached_id(scope: Scope, triple: Triple) -> ClaimId:
    return claim_id(scope, _cached_key(triple))


@lru_cache(maxsize=8192)  # most claims share their subject and predicate with others
def _normalize_part(part: str) -> str:
    whole = normalize_text(part).replace("|", "¦")
    folded = whole.rstrip(".!?… ") or whole
    return " ".join([word for word in folded.split(" ") if word not in _ARTICLES]) or folded


# Where content came from: computed by us, never read from the content. The derived has the least of its sources.


class Provenance(IntEnum):
    """From what nobody vouches for to what the person typed."""

    EXTERNAL = 0
    TOOL_LOCAL = 1
    MODEL = 2
    USER_FILE = 3
    USER_DIRECT = 4


# What comes first: in a brief by S14, among answers by relevance and then the same order. Ties go by id.


class Rankable(Record):
    """What ranking looks at."""

    id: str
    kind: Kind
    tags: tuple[str, ...]
    strength: int
    last: str
    relevance: float = 0.0


class NewestFirst(str):
    """Sorts the later id first."""

    def __lt__(self, other: str) -> bool:
        return str.__gt__(self, other)


BriefKey = tuple[int, bool, float, int, int, NewestFirst, str]


def brief_key(entry: Rankable, tags: frozenset[str]) -> BriefKey:
    """Tag match, constraints, what the task is about, kind, strength, recency, id."""
    matching = len(tags.intersection(entry.tags))
    return (
        -matching,
        entry.kind is not Kind.CONSTRAINT,
        -entry.relevance,
        KIND_RANK[entry.kind],
        -entry.strength,
        NewestFirst(entry.last),
        entry.id,
    )


def display_key(entry: Rankable) -> tuple[int, int, NewestFirst, str]:
    """The order inside a brief: constraints first, then by kind, strength and recency."""
    return (KIND_RANK[entry.kind], -entry.strength, NewestFirst(entry.last), entry.id)


# What was decided about a memory last.


class Status(Enum):
    """The latest verdict. A suggestion is a memory that is PENDING."""

    PENDING = "pending"
    ACTIVE = "active"
    DISMISSED = "dismissed"
    RETIRED = "retired"


def scope_label(scope: Scope) -> str:
    return f"project {project_name(scope)}" if is_project_scope(scope) else "global"
