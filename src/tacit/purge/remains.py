"""What is left of an event after a purge.

`purge_event` serves every occasion: the rewriting of the log, its replay, a repeated purge, and lines that come from
elsewhere. In free text (evidence, reasons, worklog, queries) a mark replaces the purged text. If the text is in the
words of a claim, the event becomes a stub that says when, where and by whom, but no longer what. A claim that replaced
a purged one keeps what it inherited; one that was replaced by a purged one is forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tacit.log.codec import event_type
from tacit.model import observation
from tacit.model.claim import Claim, Scope, is_project_scope, project_scope
from tacit.model.event import POLICY, USER, ClaimDecided, ClaimProposed, Event, EventBody, EventsUndone, Verdict
from tacit.purge.matcher import TextFinder
from tacit.record import Record
from tacit.text.display import PURGED_MARK

MIN_TEXT_LENGTH = 4  # of a text to purge: shorter ones occur in half of all words
PURGE_REASON = "purged"
HIDDEN_SCOPE = project_scope(PURGED_MARK)

# Fields with free text, by the type of the record.
_TEXT_FIELDS: dict[type, tuple[str, ...]] = {
    ClaimProposed: ("source", "evidence", "reason"),
    ClaimDecided: ("reason", "evidence", "carried_evidence", "missing"),
    EventsUndone: ("label",),
    observation.WorkLogged: ("task", "summary", "changes", "evidence", "next"),
    observation.RecallAsked: ("query",),
    observation.BriefInjected: ("task", "reasons"),
    observation.MemoryPurged: ("reason",),
    observation.RepositoryDistrusted: ("reason",),
    observation.CommandRan: ("command", "directory", "shell", "meant", "planned"),
    observation.WorkflowDropped: ("name",),
    observation.WorkflowRan: ("name", "steps", "directory"),
    observation.StepRan: ("command",),
    observation.EvaluationCreated: ("scores",),
    observation.EvaluationScore: ("name", "reason"),
    observation.PromptGiven: ("text", "about", "directory", "branch"),
    observation.ReplyGiven: ("text", "directory"),
    observation.ToolUsed: ("tool", "input", "result", "files", "directory", "change"),
    observation.SessionTitled: ("text",),
    observation.SessionSummarized: ("text", "model"),
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
    origin = event.origin
    if target.everywhere:
        host, session, actor = (_purge_texts(text, target) for text in (origin.host, origin.session, origin.actor))
        actor = origin.actor if origin.actor in (USER, POLICY) else actor
        origin = origin._replace(host=host, session=session, actor=actor)
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
    left: Any = _purge_texts(body, target)
    stub = observation.PurgedStub(event_type(body))
    match left:
        case ClaimProposed(claim=claim):
            proposed = _purge_claim(claim, target)
            left = stub if proposed is None else left._replace(claim=proposed)
        case ClaimDecided():
            left = _purge_decision(left, target) or stub
        case (
            observation.ProjectSeen(root=path)
            | observation.RepositoryTrusted(path=path)
            | observation.RepositoryDistrusted(path=path)
        ) if target.texts.contains(path):
            left = stub  # a path with a gap is of no use
        case observation.RepositoryTrusted(lines=lines):
            left = left._replace(lines=tuple(line for line in lines if line.claim not in target.claims))
        case EventsUndone(claims=claims):
            left = left._replace(claims=_rename_claims(claims, target))
        case observation.BriefInjected(memories=claims, tried=tried):
            left = left._replace(memories=_rename_claims(claims, target), tried=_rename_claims(tried, target))
        case (
            observation.MemoryChecked(claim=id_)
            | observation.TrialStarted(claim=id_)
            | observation.TrialEnded(claim=id_)
            | observation.TrialChecked(claim=id_)
        ):
            left = left._replace(claim=target.moved.get(id_, id_))
        case observation.WorkflowSaved(name, steps, directory, id_):
            # Its steps are the person's word for word: with a gap it would run something nobody accepted.
            if id_ in target.claims or any(map(target.texts.contains, (name, directory, *steps))):
                left = observation.WorkflowDropped(_purge_texts(name, target))
    result: EventBody = left
    return result


def _purge_texts(value: Any, target: PurgeTarget) -> Any:
    """Return a text, a record or several of them, with a mark in place of each match in its free text."""
    if isinstance(value, str):
        return target.texts.replace_matches(value) if value else value
    if type(value) is tuple:
        return tuple(_purge_texts(item, target) for item in value)
    fields = _TEXT_FIELDS.get(type(value), ())
    return value._replace(**{name: _purge_texts(getattr(value, name), target) for name in fields}) if fields else value


def _purge_decision(body: ClaimDecided, target: PurgeTarget) -> EventBody | None:
    """Return what is left of a decision, whose texts are purged already; None if nothing is."""
    claim = _purge_claim(body.claim, target)
    instead = _purge_claim(body.instead, target) if body.instead else None
    if claim is None and instead is None:
        return None
    if instead is not None:  # what replaced a purged claim keeps what it inherited
        return body._replace(claim=claim or instead, instead=instead)
    assert claim is not None
    if body.instead is None:
        return body._replace(claim=claim)
    if body.claim.id == body.instead.id:  # only the new words are purged: the old ones stay
        return body._replace(claim=claim, instead=claim)
    return ClaimDecided(claim, Verdict.RETIRED, PURGE_REASON, body.evidence)


def _purge_claim(claim: Claim, target: PurgeTarget) -> Claim | None:
    """Return what is left of a claim, None if its words are purged."""
    if claim.id in target.claims:
        return None
    texts = (claim.sentence, *claim.triple, " ".join(claim.triple))
    if target.everywhere and any(map(target.texts.contains, texts)):
        return None
    tags = (tag for tag in claim.tags if not any(map(target.texts.contains, (tag, tag.replace("-", " ")))))
    return claim._replace(scope=_purge_scope(claim.scope, target), tags=tuple(tags))


def _purge_scope(scope: Scope, target: PurgeTarget) -> Scope:
    """Return the scope. Projects whose name contains a text lose it, and become one project."""
    return HIDDEN_SCOPE if target.everywhere and is_project_scope(scope) and target.texts.contains(scope) else scope


def _rename_claims(claims: tuple[str, ...], target: PurgeTarget) -> tuple[str, ...]:
    return tuple(dict.fromkeys(target.moved.get(claim, claim) for claim in claims))
