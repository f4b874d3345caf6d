"""Claims: one statement with a kind and a scope, its provenance and status, and the order of claims in a list."""

from __future__ import annotations

from enum import Enum, IntEnum
from functools import lru_cache

from tacit.model.ids import ClaimId, claim_id
from tacit.record import Record
from tacit.text.words import normalize_text

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import NewType

    Scope = NewType("Scope", str)
else:
    Scope = str

GLOBAL = Scope("global")
MISSPELLED_TAG = "misspelled"  # of the correction of a typing error, which no agent makes
_PROJECT_PREFIX = "project:"
_ARTICLES = frozenset({"a", "an", "the"})


class Kind(Enum):
    """What sort of claim it is. The order is the rank in a brief (S14), the section its place on a page (S12)."""

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
    def _missing_(cls, value: object) -> Kind | None:
        """Let `Kind("constraint")` be the kind with this label."""
        return _KIND_BY_LABEL.get(value) if isinstance(value, str) else None

    @classmethod
    def from_label(cls, label: str) -> Kind:
        """Return the kind with this label. Raise KeyError if there is none."""
        return _KIND_BY_LABEL[label]


_KIND_BY_LABEL = {kind.label: kind for kind in Kind}
# Habits are about one person: their sentences are made of directories and commands.
PERSONAL_KINDS = (Kind.PREFERRED_CWD, Kind.RECURRING_COMMAND, Kind.WORKFLOW_PATTERN)
SHARED_KINDS = {kind.label: kind for kind in Kind if kind not in PERSONAL_KINDS}
KIND_RANK = {kind: rank for rank, kind in enumerate(Kind)}


class Provenance(IntEnum):
    """Where content came from, from what nobody vouches for to what the person typed.

    Tacit computes it and never reads it from the content. What is derived has the least of its sources.
    """

    EXTERNAL = 0
    TOOL_LOCAL = 1
    MODEL = 2
    USER_FILE = 3
    USER_DIRECT = 4


class Status(Enum):
    """What the latest verdict made of a memory. A suggestion is a memory that is PENDING."""

    PENDING = "pending"
    ACTIVE = "active"
    DISMISSED = "dismissed"
    RETIRED = "retired"


class Triple(Record):
    """Subject, predicate and object, in the words of the statement."""

    subject: str
    predicate: str
    object: str


class Claim(Record):
    """One atomic statement. Claims with the same scope and key are the same memory."""

    kind: Kind
    scope: Scope
    triple: Triple
    sentence: str
    tags: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The dedupe key of S4: normalized `subject|predicate|object`."""
        return _cached_key(self.triple)

    @property
    def id(self) -> ClaimId:
        return _cached_id(self.scope, self.triple)


def triple_key(triple: Triple) -> str:
    """Return the dedupe key of a claim with this triple."""
    subject, predicate, object_ = triple
    return f"{_normalize_part(subject)}|{_normalize_part(predicate)}|{_normalize(object_)}"


# Keys and ids are asked for many times while a claim is folded, indexed and shown. An entry takes 300 bytes.
_cached_key = lru_cache(maxsize=1 << 14)(triple_key)


@lru_cache(maxsize=1 << 14)
def _cached_id(scope: Scope, triple: Triple) -> ClaimId:
    return claim_id(scope, _cached_key(triple))


def _normalize(part: str) -> str:
    """Return the part without case, articles and trailing punctuation. What is nothing else stays."""
    whole = normalize_text(part).replace("|", "¦")
    text = whole.rstrip(".!?… ") or whole
    words = text.split(" ")
    return text if _ARTICLES.isdisjoint(words) else " ".join([word for word in words if word not in _ARTICLES]) or text


_normalize_part = lru_cache(maxsize=8192)(_normalize)  # most claims share their subject and predicate with others


def project_scope(name: str) -> Scope:
    """Return the scope of the project with this full name."""
    return Scope(_PROJECT_PREFIX + name)


def is_project_scope(scope: Scope) -> bool:
    return scope.startswith(_PROJECT_PREFIX)


def project_name(scope: Scope) -> str:
    """Return the project's name without the path or host before it. Empty for the global scope."""
    return scope.removeprefix(_PROJECT_PREFIX).rstrip("/").rsplit("/", 1)[-1] if is_project_scope(scope) else ""


def scope_label(scope: Scope) -> str:
    """Return `project NAME` or `global`."""
    return f"project {project_name(scope)}" if is_project_scope(scope) else "global"


class Stance(Record):
    """An answer to a question. If the question is exclusive, two different answers are opposed."""

    question: str
    answer: str
    positive: bool
    exclusive: bool


class Rankable(Record):
    """The fields of a memory that decide its rank."""

    id: str
    kind: Kind
    tags: tuple[str, ...]
    strength: int
    last_event: str
    relevance: float = 0.0


class NewestFirst(str):
    """An event id that sorts before earlier ones."""

    def __lt__(self, other: str) -> bool:
        return str.__gt__(self, other)


BriefKey = tuple[int, bool, float, int, int, NewestFirst, str]


def brief_key(entry: Rankable, tags: frozenset[str]) -> BriefKey:
    """Return the sort key for a brief (S14): matching tags, constraints, relevance, kind, strength, recency, id."""
    matching = len(tags.intersection(entry.tags))
    return (-matching, entry.kind is not Kind.CONSTRAINT, -entry.relevance, *display_key(entry))


def display_key(entry: Rankable) -> tuple[int, int, NewestFirst, str]:
    """Return the sort key inside a brief: kind (constraints first), strength, recency, id."""
    return (KIND_RANK[entry.kind], -entry.strength, NewestFirst(entry.last_event), entry.id)
