"""What is left of an event after a purge, and fingerprints that recognise a text without keeping it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from hashlib import pbkdf2_hmac

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
from tacit.model.ids import EventId
from tacit.model.memory import touched_claims
from tacit.model.observation import (
    BriefInjected,
    CommandRan,
    ConversationBody,
    EvaluationCreated,
    Fingerprint,
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
    ShellBody,
    ToolUsed,
    WorkflowDropped,
    WorkflowRan,
    WorkflowSaved,
    WorkLogged,
)
from tacit.record import Record
from tacit.text.display import PURGED_MARK
from tacit.text.match import TextMatcher, matches_any, normalize_for_match, replace_matches

# Prints: enough of a text to know it again inside any other, too little to read it.
#
# A weak print of twenty bits, which can be carried along a text letter by letter, finds where it might stand; a
# strong one, salted and slow to compute, tells whether it does. Whoever holds a print can still try guesses, one at a
# time: a purged text that is short or common can be confirmed by somebody who suspects it, never listed.

_PRIME = 1_048_573  # the largest below 2^20
_PBKDF2_ROUNDS = 20_000


def make_fingerprint(text: str, salt: bytes) -> Fingerprint:
    letters = normalize_for_match(text)
    weak = 0
    for letter in letters:
        weak = (weak * _hash_base(salt) + ord(letter)) % _PRIME
    return Fingerprint(salt.hex(), len(letters), weak, _strong_hash(letters, salt))


class FingerprintMatcher:
    """Looks for a text of which only the print is known."""

    def __init__(self, made: Fingerprint) -> None:
        self._fingerprint = made
        self._salt = bytes.fromhex(made.salt)

    @property
    def length(self) -> int:
        return self._fingerprint.length

    def find(self, plain: str) -> Iterator[int]:
        for at in self._weak_matches(plain):
            if _strong_hash(plain[at : at + self.length], self._salt) == self._fingerprint.strong:
                yield at

    def _weak_matches(self, plain: str) -> Iterator[int]:
        """Where the weak print of what stands there is the same, carried along from letter to letter."""
        base, length, wanted = _hash_base(self._salt), self.length, self._fingerprint.weak
        if not 0 < length <= len(plain):
            return
        leaving = pow(base, length - 1, _PRIME)
        letters = [ord(letter) for letter in plain]
        weak = 0
        for letter in letters[:length]:
            weak = (weak * base + letter) % _PRIME
        if weak == wanted:
            yield 0
        for at, (gone, come) in enumerate(zip(letters, letters[length:], strict=False), 1):
            weak = ((weak - gone * leaving) * base + come) % _PRIME
            if weak == wanted:
                yield at


def _hash_base(salt: bytes) -> int:
    return int.from_bytes(salt[:4], "big") % (_PRIME - 256) + 256


@lru_cache(maxsize=4096)
def _strong_hash(letters: str, salt: bytes) -> str:
    return pbkdf2_hmac("sha256", letters.encode("utf-8", "surrogatepass"), salt, _PBKDF2_ROUNDS).hex()[:32]


# What is left of an event when something is purged from it. One function serves every occasion: the rewriting of the
# log, its replay, a purge done again, and lines that come from elsewhere.
#
# Where a text stands in words that are free (evidence, reasons, worklog, questions), a mark takes its place and the
# rest stays. Where it stands in what a claim says, the event becomes a stub: when, where and by whom, but no longer
# what. A claim that took the place of a purged one keeps what it inherited; one that was replaced by it is forgotten.

MIN_TEXT_LENGTH = 4  # letters a text must have: shorter ones stand in half of all words
PURGE_REASON = "purged"
HIDDEN_SCOPE = project_scope(PURGED_MARK)


class PurgeTarget(Record):
    """What is to go: texts, and claims by their ids. `everywhere` takes claims that hold a text too."""

    matchers: tuple[TextMatcher, ...] = ()
    claims: frozenset[str] = frozenset()
    everywhere: bool = True
    moved: Mapping[str, str] = {}


def purge_target_of(tombstone: MemoryPurged) -> PurgeTarget:
    """The cut that a tombstone remembers."""
    texts = tuple(FingerprintMatcher(made) for made in tombstone.prints)
    return PurgeTarget(texts, frozenset(tombstone.claims), tombstone.everywhere, dict(tombstone.moved))


def purge_event(event: Event, cut: PurgeTarget) -> Event:
    """What is left of an event; the same event when it holds nothing of the cut."""
    body = _purge_body(event.body, cut)
    scope = _purge_scope(event.scope, cut)
    origin = _purge_origin(event.origin, cut) if cut.everywhere else event.origin
    if body == event.body and scope == event.scope and origin == event.origin:
        return event
    return Event(event.id, event.op, origin, scope, body)


def moved_claims(events: Iterable[Event], cut: PurgeTarget) -> dict[str, str]:
    """The claims that stay and have to change their scope, with their new ids."""
    moved: dict[str, str] = {}
    for event in events:
        for claim in claims_of(event.body):
            left = _purge_claim(claim, cut)
            if left is not None and left.id != claim.id:
                moved[claim.id] = left.id
    return moved


def removed_claims(before: Iterable[Event], after: Iterable[Event]) -> set[str]:
    """The claims of which nothing is left."""
    return _all_touched_claims(before) - _all_touched_claims(after)


def claim_sentences(events: Iterable[Event], claim: str) -> list[str]:
    """Every sentence in which a claim was ever said."""
    said = (one.sentence for event in events for one in claims_of(event.body) if one.id == claim)
    return list(dict.fromkeys(said))


def purge_bound(name: EventId, tombstone: MemoryPurged) -> EventId:
    """A tombstone speaks of events with smaller ids than this: what a person says anew is theirs to say."""
    return EventId(tombstone.before or name)


def _all_touched_claims(events: Iterable[Event]) -> set[str]:
    return {claim for event in events for claim in touched_claims(event)}


def claims_of(body: EventBody) -> tuple[Claim, ...]:
    match body:
        case ClaimProposed(claim=claim) | ClaimDecided(claim=claim, instead=None):
            return (claim,)
        case ClaimDecided(claim=claim, instead=Claim() as instead):
            return (claim, instead)
    return ()


def _purge_body(body: EventBody, cut: PurgeTarget) -> EventBody:
    match body:
        case ClaimProposed():
            return _purge_proposal(body, cut)
        case ClaimDecided():
            return _purge_decision(body, cut)
        case ProjectSeen() | RepositoryTrusted() | RepositoryDistrusted():
            return _purge_paths(body, cut)
        case EventsUndone() | BriefInjected():
            return _purge_claim_references(body, cut)
        case CommandRan() | WorkflowSaved() | WorkflowDropped() | WorkflowRan():
            return _purge_commands(body, cut)
    return _purge_free_text(body, cut)


def _purge_free_text(body: EventBody, cut: PurgeTarget) -> EventBody:
    match body:
        case WorkLogged():
            return WorkLogged(*(_purge_text(text, cut) for text in body))
        case RecallAsked(query=query):
            return body._replace(query=_purge_text(query, cut))
        case EvaluationCreated(day, scores):
            told = (
                score._replace(name=_purge_text(score.name, cut), reason=_purge_text(score.reason, cut))
                for score in scores
            )
            return EvaluationCreated(day, tuple(told))
        case MemoryPurged(reason=reason):
            return body._replace(reason=_purge_text(reason, cut))
        case PromptGiven() | ReplyGiven() | ToolUsed() | SessionTitled() | SessionSummarized():
            return _purge_conversation(body, cut)
    return body


def _purge_commands(body: ShellBody, cut: PurgeTarget) -> EventBody:
    """A workflow is the person's word for word: with a hole in a step it would run something nobody accepted."""
    match body:
        case CommandRan():
            texts = (body.command, body.directory, body.shell, body.meant, body.planned)
            command, directory, shell, meant, planned = (_purge_text(text, cut) for text in texts)
            return body._replace(command=command, directory=directory, shell=shell, meant=meant, planned=planned)
        case WorkflowSaved(name, steps, directory, claim):
            is_held = claim in cut.claims or any(matches_any(text, cut.matchers) for text in (name, directory, *steps))
            return WorkflowDropped(_purge_text(name, cut)) if is_held else body
        case WorkflowRan():
            ran = tuple(step._replace(command=_purge_text(step.command, cut)) for step in body.steps)
            return body._replace(
                name=_purge_text(body.name, cut), steps=ran, directory=_purge_text(body.directory, cut)
            )
        case WorkflowDropped(name):
            return WorkflowDropped(_purge_text(name, cut))


def _purge_conversation(body: ConversationBody | SessionTitled | SessionSummarized, cut: PurgeTarget) -> EventBody:
    match body:
        case PromptGiven():
            said, about, directory, branch = (
                _purge_text(text, cut) for text in (body.text, body.about, body.directory, body.branch)
            )
            return body._replace(text=said, about=about, directory=directory, branch=branch)
        case ReplyGiven():
            return body._replace(text=_purge_text(body.text, cut), directory=_purge_text(body.directory, cut))
        case ToolUsed():
            tool, given, result, directory, change = (
                _purge_text(text, cut) for text in (body.tool, body.input, body.result, body.directory, body.change)
            )
            files = tuple(_purge_text(file, cut) for file in body.files)
            return body._replace(tool=tool, input=given, result=result, files=files, directory=directory, change=change)
        case SessionTitled():
            return body._replace(text=_purge_text(body.text, cut))
        case SessionSummarized():
            return body._replace(text=_purge_text(body.text, cut), model=_purge_text(body.model, cut))
    return body


def _purge_claim_references(body: EventsUndone | BriefInjected, cut: PurgeTarget) -> EventBody:
    if isinstance(body, EventsUndone):
        return body._replace(claims=_rename_claims(body.claims, cut), label=_purge_text(body.label, cut))
    reasons = tuple(_purge_text(reason, cut) for reason in body.reasons)
    return body._replace(memories=_rename_claims(body.memories, cut), task=_purge_text(body.task, cut), reasons=reasons)


def _purge_paths(body: ProjectSeen | RepositoryTrusted | RepositoryDistrusted, cut: PurgeTarget) -> EventBody:
    """A path with a hole in it is of no use to anyone."""
    match body:
        case ProjectSeen(root):
            return PurgedStub("project.seen") if matches_any(root, cut.matchers) else body
        case RepositoryTrusted(path=path, lines=lines):
            kept = tuple(line for line in lines if line.claim not in cut.claims)
            return PurgedStub("repository.trusted") if matches_any(path, cut.matchers) else body._replace(lines=kept)
        case RepositoryDistrusted(path, reason):
            return (
                PurgedStub("repository.distrusted")
                if matches_any(path, cut.matchers)
                else RepositoryDistrusted(path, _purge_text(reason, cut))
            )


def _purge_proposal(body: ClaimProposed, cut: PurgeTarget) -> EventBody:
    claim = _purge_claim(body.claim, cut)
    if claim is None:
        return PurgedStub(body.verdict.value)
    return body._replace(
        claim=claim,
        source=_purge_text(body.source, cut),
        evidence=_purge_text(body.evidence, cut),
        reason=_purge_text(body.reason, cut),
    )


def _purge_decision(body: ClaimDecided, cut: PurgeTarget) -> EventBody:
    claim = _purge_claim(body.claim, cut)
    instead = _purge_claim(body.instead, cut) if body.instead else None
    rest = body._replace(
        reason=_purge_text(body.reason, cut),
        evidence=_purge_text(body.evidence, cut),
        carried_evidence=tuple(_purge_text(text, cut) for text in body.carried_evidence),
    )
    if body.instead is None:
        return PurgedStub(body.verdict.value) if claim is None else rest._replace(claim=claim)
    if claim is not None and instead is not None:
        return rest._replace(claim=claim, instead=instead)
    if instead is not None:  # what took the place of a purged claim keeps what it inherited
        return rest._replace(claim=instead, instead=instead)
    if claim is None:
        return PurgedStub(body.verdict.value)
    if body.claim.id == body.instead.id:  # only the new words are gone: the old ones hold on
        return rest._replace(claim=claim, instead=claim)
    return ClaimDecided(claim, Verdict.RETIRED, PURGE_REASON, rest.evidence)


def _purge_claim(claim: Claim, cut: PurgeTarget) -> Claim | None:
    """The claim as it stays; nothing when what it says is purged."""
    if claim.id in cut.claims:
        return None
    if cut.everywhere and any(matches_any(text, cut.matchers) for text in _claim_texts(claim)):
        return None
    return claim._replace(
        scope=_purge_scope(claim.scope, cut), tags=tuple(tag for tag in claim.tags if not _tag_matches(tag, cut))
    )


def _claim_texts(claim: Claim) -> tuple[str, ...]:
    return (claim.sentence, *claim.triple, " ".join(claim.triple))


def _tag_matches(tag: str, cut: PurgeTarget) -> bool:
    """Blanks in a tag were made dashes."""
    return matches_any(tag, cut.matchers) or matches_any(tag.replace("-", " "), cut.matchers)


def _purge_scope(scope: Scope, cut: PurgeTarget) -> Scope:
    """A project whose name holds a text loses its name; all such projects become one."""
    return HIDDEN_SCOPE if cut.everywhere and is_project_scope(scope) and matches_any(scope, cut.matchers) else scope


def _purge_origin(origin: EventOrigin, cut: PurgeTarget) -> EventOrigin:
    actor = origin.actor if origin.actor in (USER, POLICY) else _purge_text(origin.actor, cut)
    return origin._replace(host=_purge_text(origin.host, cut), session=_purge_text(origin.session, cut), actor=actor)


def _purge_text(text: str, cut: PurgeTarget) -> str:
    return replace_matches(text, cut.matchers) if text else text


def _rename_claims(claims: tuple[str, ...], cut: PurgeTarget) -> tuple[str, ...]:
    return tuple(dict.fromkeys(cut.moved.get(claim, claim) for claim in claims))
