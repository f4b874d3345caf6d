"""What is left of an event after a purge.

`purge_event` serves every occasion: the rewriting of the log, its replay, a repeated purge, and lines that come from
elsewhere. In free text (evidence, reasons, worklog, queries) a mark replaces the purged text. If the text is in the
words of a claim, the event becomes a stub that says when, where and by whom, but no longer what. A claim that replaced
a purged one keeps what it inherited; one that was replaced by a purged one is forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tacit.model.claim import Claim, Scope, is_project_scope, project_scope
from tacit.model.event import (
    POLICY,
    USER,
    ClaimDecided,
    ClaimProposed,
    Event,
    EventBody,
    EventOrigin,
    EventsUndone,
    Verdict,
)
from tacit.model.memory import touched_claims
from tacit.model.observation import (
    BriefInjected,
    CommandRan,
    EvaluationCreated,
    MemoryChecked,
    MemoryPurged,
    ProjectSeen,
    PromptGiven,
    PurgedStub,
    RecallAsked,
    ReplyGiven,
    RepositoryDistrusted,
    RepositoryTrusted,
    SessionSummarized,
    SessionTitled,
    ToolUsed,
    WorkflowDropped,
    WorkflowRan,
    WorkflowSaved,
    WorkLogged,
)
from tacit.purge.matcher import TextFinder
from tacit.record import Record
from tacit.text.display import PURGED_MARK

MIN_TEXT_LENGTH = 4  # of a text to purge: shorter ones occur in half of all words
PURGE_REASON = "purged"
HIDDEN_SCOPE = project_scope(PURGED_MARK)

# Fields with free text, by the type of the body. Bodies that need more are handled in `_purge_body`.
_TEXT_FIELDS: dict[type, tuple[str, ...]] = {
    WorkLogged: ("task", "summary", "changes", "evidence", "next"),
    RecallAsked: ("query",),
    MemoryPurged: ("reason",),
    CommandRan: ("command", "directory", "shell", "meant", "planned"),
    WorkflowDropped: ("name",),
    PromptGiven: ("text", "about", "directory", "branch"),
    ReplyGiven: ("text", "directory"),
    ToolUsed: ("tool", "input", "result", "files", "directory", "change"),
    SessionTitled: ("text",),
    SessionSummarized: ("text", "model"),
}


class PurgeTarget(Record):
    """What to purge: texts, and claims by their ids. `everywhere` includes claims that contain a text.

    `moved` are claims that get another id, because their scope contained a text.
    """

    texts: TextFinder = TextFinder()
    claims: frozenset[str] = frozenset()
    everywhere: bool = True
    moved: Mapping[str, str] = {}

    @property
    def has_unknown(self) -> bool:
        """Whether of some texts only the fingerprint is known: of none."""
        return False

    def learn(self, texts: Iterable[str]) -> None:
        """Look for texts of which only the fingerprint is known: there are none."""

    def apply_fully(self, event: Event) -> Event:
        """Return what is left of an event."""
        return purge_event(event, self)


def purge_event(event: Event, target: PurgeTarget) -> Event:
    """Return what is left of an event; the event itself if it contains nothing of the target."""
    body = _purge_body(event.body, target)
    scope = _purge_scope(event.scope, target)
    origin = _purge_origin(event.origin, target) if target.everywhere else event.origin
    if body == event.body and scope == event.scope and origin == event.origin:
        return event
    return Event(event.id, event.op, origin, scope, body)


def moved_claims(events: Iterable[Event], target: PurgeTarget) -> dict[str, str]:
    """Return the claims that stay but lose their scope: old id, new id."""
    moved: dict[str, str] = {}
    for event in events:
        for claim in claims_of(event.body):
            left = _purge_claim(claim, target)
            if left is not None and left.id != claim.id:
                moved[claim.id] = left.id
    return moved


def removed_claims(before: Iterable[Event], after: Iterable[Event]) -> set[str]:
    """Return the claims of which nothing is left."""
    removed: set[str] = {claim for event in before for claim in touched_claims(event)}
    return removed - {claim for event in after for claim in touched_claims(event)}


def claim_sentences(events: Iterable[Event], claim_id: str) -> list[str]:
    """Return every wording that a claim ever had."""
    claims = (claim for event in events for claim in claims_of(event.body))
    return list(dict.fromkeys(claim.sentence for claim in claims if claim.id == claim_id))


def texts_of(event: Event) -> list[str]:
    """Return every text of an event in which `purge_event` may find something."""
    texts: list[str] = [event.scope, event.origin.host, event.origin.session, event.origin.actor]
    _collect_texts(event.body, texts)
    for claim in claims_of(event.body):
        texts.append(" ".join(claim.triple))
        texts += (tag.replace("-", " ") for tag in claim.tags)
    return texts


def _collect_texts(value: object, texts: list[str]) -> None:
    if isinstance(value, str):
        texts.append(value)
    elif isinstance(value, tuple):  # records are tuples
        for inner in value:
            _collect_texts(inner, texts)


def claims_of(body: EventBody) -> tuple[Claim, ...]:
    """Return the claims that a body contains."""
    match body:
        case ClaimProposed(claim=claim) | ClaimDecided(claim=claim, instead=None):
            return (claim,)
        case ClaimDecided(claim=claim, instead=Claim() as instead):
            return (claim, instead)
    return ()


def _purge_body(body: EventBody, target: PurgeTarget) -> EventBody:
    match body:
        case ClaimProposed():
            return _purge_proposal(body, target)
        case ClaimDecided():
            return _purge_decision(body, target)
        case ProjectSeen() | RepositoryTrusted() | RepositoryDistrusted():
            return _purge_paths(body, target)
        case EventsUndone() | BriefInjected() | MemoryChecked():
            return _purge_claim_references(body, target)
        case WorkflowSaved() | WorkflowRan() | EvaluationCreated():
            return _purge_items(body, target)
    changes: dict[str, Any] = {}
    for field in _TEXT_FIELDS.get(type(body), ()):
        value = getattr(body, field)
        is_text = isinstance(value, str)
        changes[field] = _purge_text(value, target) if is_text else tuple(_purge_text(text, target) for text in value)
    return body._replace(**changes) if changes else body


def _purge_items(body: WorkflowSaved | WorkflowRan | EvaluationCreated, target: PurgeTarget) -> EventBody:
    match body:
        case WorkflowSaved(name, steps, directory, claim):
            # Its steps are the person's word for word: with a gap it would run something nobody accepted.
            texts = (name, directory, *steps)
            is_hit = claim in target.claims or any(map(target.texts.contains, texts))
            return WorkflowDropped(_purge_text(name, target)) if is_hit else body
        case WorkflowRan():
            ran = tuple(step._replace(command=_purge_text(step.command, target)) for step in body.steps)
            name, directory = _purge_text(body.name, target), _purge_text(body.directory, target)
            return body._replace(name=name, steps=ran, directory=directory)
        case EvaluationCreated():
            scores = (
                score._replace(name=_purge_text(score.name, target), reason=_purge_text(score.reason, target))
                for score in body.scores
            )
            return body._replace(scores=tuple(scores))


def _purge_claim_references(body: EventsUndone | BriefInjected | MemoryChecked, target: PurgeTarget) -> EventBody:
    if isinstance(body, MemoryChecked):  # it holds ids alone
        return body._replace(claim=target.moved.get(body.claim, body.claim))
    if isinstance(body, EventsUndone):
        return body._replace(claims=_rename_claims(body.claims, target), label=_purge_text(body.label, target))
    reasons = tuple(_purge_text(reason, target) for reason in body.reasons)
    return body._replace(
        memories=_rename_claims(body.memories, target), task=_purge_text(body.task, target), reasons=reasons
    )


def _purge_paths(body: ProjectSeen | RepositoryTrusted | RepositoryDistrusted, target: PurgeTarget) -> EventBody:
    """Purge bodies with a path as a whole: a path with a gap is of no use."""
    match body:
        case ProjectSeen(root):
            return PurgedStub("project.seen") if target.texts.contains(root) else body
        case RepositoryTrusted(path=path, lines=lines):
            if target.texts.contains(path):
                return PurgedStub("repository.trusted")
            return body._replace(lines=tuple(line for line in lines if line.claim not in target.claims))
        case RepositoryDistrusted(path, reason):
            if target.texts.contains(path):
                return PurgedStub("repository.distrusted")
            return RepositoryDistrusted(path, _purge_text(reason, target))


def _purge_proposal(body: ClaimProposed, target: PurgeTarget) -> EventBody:
    claim = _purge_claim(body.claim, target)
    if claim is None:
        return PurgedStub(body.verdict.value)
    return body._replace(
        claim=claim,
        source=_purge_text(body.source, target),
        evidence=_purge_text(body.evidence, target),
        reason=_purge_text(body.reason, target),
    )


def _purge_decision(body: ClaimDecided, target: PurgeTarget) -> EventBody:
    claim = _purge_claim(body.claim, target)
    instead = _purge_claim(body.instead, target) if body.instead else None
    rest = body._replace(
        reason=_purge_text(body.reason, target),
        evidence=_purge_text(body.evidence, target),
        carried_evidence=tuple(_purge_text(text, target) for text in body.carried_evidence),
        missing=tuple(_purge_text(text, target) for text in body.missing),
    )
    if body.instead is None:
        return PurgedStub(body.verdict.value) if claim is None else rest._replace(claim=claim)
    if claim is not None and instead is not None:
        return rest._replace(claim=claim, instead=instead)
    if instead is not None:  # what replaced a purged claim keeps what it inherited
        return rest._replace(claim=instead, instead=instead)
    if claim is None:
        return PurgedStub(body.verdict.value)
    if body.claim.id == body.instead.id:  # only the new words are purged: the old ones stay
        return rest._replace(claim=claim, instead=claim)
    return ClaimDecided(claim, Verdict.RETIRED, PURGE_REASON, rest.evidence)


def _purge_claim(claim: Claim, target: PurgeTarget) -> Claim | None:
    """Return what is left of a claim, None if its words are purged."""
    if claim.id in target.claims:
        return None
    texts = (claim.sentence, *claim.triple, " ".join(claim.triple))
    if target.everywhere and any(map(target.texts.contains, texts)):
        return None
    return claim._replace(
        scope=_purge_scope(claim.scope, target), tags=tuple(tag for tag in claim.tags if not _tag_matches(tag, target))
    )


def _tag_matches(tag: str, target: PurgeTarget) -> bool:
    # Blanks in a tag became dashes.
    return target.texts.contains(tag) or target.texts.contains(tag.replace("-", " "))


def _purge_scope(scope: Scope, target: PurgeTarget) -> Scope:
    """Return the scope. Projects whose name contains a text lose it, and become one project."""
    return HIDDEN_SCOPE if target.everywhere and is_project_scope(scope) and target.texts.contains(scope) else scope


def _purge_origin(origin: EventOrigin, target: PurgeTarget) -> EventOrigin:
    actor = origin.actor if origin.actor in (USER, POLICY) else _purge_text(origin.actor, target)
    return origin._replace(
        host=_purge_text(origin.host, target), session=_purge_text(origin.session, target), actor=actor
    )


def _purge_text(text: str, target: PurgeTarget) -> str:
    return target.texts.replace_matches(text) if text else text


def _rename_claims(claims: tuple[str, ...], target: PurgeTarget) -> tuple[str, ...]:
    return tuple(dict.fromkeys(target.moved.get(claim, claim) for claim in claims))
