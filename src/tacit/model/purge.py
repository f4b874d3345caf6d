"""What is left of an event after a purge, and fingerprints that recognise a text without keeping it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from hashlib import pbkdf2_hmac

from tacit.model.claim import Claim, Scope, is_local, project_scope
from tacit.model.event import POLICY, USER, Body, Decided, Event, Origin, Proposed, Undone, Verdict
from tacit.model.ids import EventId
from tacit.model.memory import touched
from tacit.model.observation import (
    CommandRan,
    Conversation,
    Distrusted,
    Evaluated,
    Injected,
    Print,
    ProjectSeen,
    PromptGiven,
    Purged,
    Recalled,
    ReplyGiven,
    Shell,
    Stub,
    SummedUp,
    Titled,
    ToolUsed,
    Trusted,
    WorkflowDropped,
    WorkflowRan,
    WorkflowSaved,
    WorkLogged,
)
from tacit.record import Record
from tacit.text.display import MARK
from tacit.text.match import Sought, holds, plain, scrub

# Prints: enough of a text to know it again inside any other, too little to read it.
#
# A weak print of twenty bits, which can be carried along a text letter by letter, finds where it might stand; a
# strong one, salted and slow to compute, tells whether it does. Whoever holds a print can still try guesses, one at a
# time: a purged text that is short or common can be confirmed by somebody who suspects it, never listed.

_PRIME = 1_048_573  # the largest below 2^20
_ROUNDS = 20_000


def print_of(text: str, salt: bytes) -> Print:
    letters = plain(text)
    weak = 0
    for letter in letters:
        weak = (weak * _base(salt) + ord(letter)) % _PRIME
    return Print(salt.hex(), len(letters), weak, _strong(letters, salt))


class Printed:
    """Looks for a text of which only the print is known."""

    def __init__(self, made: Print) -> None:
        self._made = made
        self._salt = bytes.fromhex(made.salt)

    @property
    def length(self) -> int:
        return self._made.length

    def find(self, plain: str) -> Iterator[int]:
        for at in self._likely(plain):
            if _strong(plain[at : at + self.length], self._salt) == self._made.strong:
                yield at

    def _likely(self, plain: str) -> Iterator[int]:
        """Where the weak print of what stands there is the same, carried along from letter to letter."""
        base, length, wanted = _base(self._salt), self.length, self._made.weak
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


def _base(salt: bytes) -> int:
    return int.from_bytes(salt[:4], "big") % (_PRIME - 256) + 256


@lru_cache(maxsize=4096)
def _strong(letters: str, salt: bytes) -> str:
    return pbkdf2_hmac("sha256", letters.encode("utf-8", "surrogatepass"), salt, _ROUNDS).hex()[:32]


# What is left of an event when something is purged from it. One function serves every occasion: the rewriting of the
# log, its replay, a purge done again, and lines that come from elsewhere.
#
# Where a text stands in words that are free (evidence, reasons, worklog, questions), a mark takes its place and the
# rest stays. Where it stands in what a claim says, the event becomes a stub: when, where and by whom, but no longer
# what. A claim that took the place of a purged one keeps what it inherited; one that was replaced by it is forgotten.

LEAST = 4  # letters a text must have: shorter ones stand in half of all words
REASON = "purged"
HIDDEN_SCOPE = project_scope(MARK)


class Cut(Record):
    """What is to go: texts, and claims by their ids. `everywhere` takes claims that hold a text too."""

    texts: tuple[Sought, ...] = ()
    claims: frozenset[str] = frozenset()
    everywhere: bool = True
    moved: Mapping[str, str] = {}


def cut_of(tombstone: Purged) -> Cut:
    """The cut that a tombstone remembers."""
    texts = tuple(Printed(made) for made in tombstone.prints)
    return Cut(texts, frozenset(tombstone.claims), tombstone.everywhere, dict(tombstone.moved))


def purged(event: Event, cut: Cut) -> Event:
    """What is left of an event; the same event when it holds nothing of the cut."""
    body = _body(event.body, cut)
    scope = _scope(event.scope, cut)
    origin = _origin(event.origin, cut) if cut.everywhere else event.origin
    if body == event.body and scope == event.scope and origin == event.origin:
        return event
    return Event(event.id, event.op, origin, scope, body)


def moves(events: Iterable[Event], cut: Cut) -> dict[str, str]:
    """The claims that stay and have to change their scope, with their new ids."""
    moved: dict[str, str] = {}
    for event in events:
        for claim in claims_of(event.body):
            left = _claim(claim, cut)
            if left is not None and left.id != claim.id:
                moved[claim.id] = left.id
    return moved


def gone(before: Iterable[Event], after: Iterable[Event]) -> set[str]:
    """The claims of which nothing is left."""
    return _touched(before) - _touched(after)


def wordings(events: Iterable[Event], claim: str) -> list[str]:
    """Every sentence in which a claim was ever said."""
    said = (one.sentence for event in events for one in claims_of(event.body) if one.id == claim)
    return list(dict.fromkeys(said))


def bound(name: EventId, tombstone: Purged) -> EventId:
    """A tombstone speaks of events with smaller ids than this: what a person says anew is theirs to say."""
    return EventId(tombstone.before or name)


def _touched(events: Iterable[Event]) -> set[str]:
    return {claim for event in events for claim in touched(event)}


def claims_of(body: Body) -> tuple[Claim, ...]:
    match body:
        case Proposed(claim=claim) | Decided(claim=claim, instead=None):
            return (claim,)
        case Decided(claim=claim, instead=Claim() as instead):
            return (claim, instead)
    return ()


def _body(body: Body, cut: Cut) -> Body:
    match body:
        case Proposed():
            return _proposed(body, cut)
        case Decided():
            return _decided(body, cut)
        case ProjectSeen() | Trusted() | Distrusted():
            return _about_a_place(body, cut)
        case Undone() | Injected():
            return _namingclaims_of(body, cut)
        case CommandRan() | WorkflowSaved() | WorkflowDropped() | WorkflowRan():
            return _of_commands(body, cut)
    return _in_free_words(body, cut)


def _in_free_words(body: Body, cut: Cut) -> Body:
    match body:
        case WorkLogged():
            return WorkLogged(*(_free(text, cut) for text in body))
        case Recalled(query=query):
            return body._replace(query=_free(query, cut))
        case Evaluated(day, scores):
            told = (score._replace(name=_free(score.name, cut), reason=_free(score.reason, cut)) for score in scores)
            return Evaluated(day, tuple(told))
        case Purged(reason=reason):
            return body._replace(reason=_free(reason, cut))
        case PromptGiven() | ReplyGiven() | ToolUsed() | Titled() | SummedUp():
            return _of_talk(body, cut)
    return body


def _of_commands(body: Shell, cut: Cut) -> Body:
    """A workflow is the person's word for word: with a hole in a step it would run something nobody accepted."""
    match body:
        case CommandRan():
            texts = (body.command, body.directory, body.shell, body.meant, body.planned)
            command, directory, shell, meant, planned = (_free(text, cut) for text in texts)
            return body._replace(command=command, directory=directory, shell=shell, meant=meant, planned=planned)
        case WorkflowSaved(name, steps, directory, claim):
            is_held = claim in cut.claims or any(holds(text, cut.texts) for text in (name, directory, *steps))
            return WorkflowDropped(_free(name, cut)) if is_held else body
        case WorkflowRan():
            ran = tuple(step._replace(command=_free(step.command, cut)) for step in body.steps)
            return body._replace(name=_free(body.name, cut), steps=ran, directory=_free(body.directory, cut))
        case WorkflowDropped(name):
            return WorkflowDropped(_free(name, cut))


def _of_talk(body: Conversation | Titled | SummedUp, cut: Cut) -> Body:
    match body:
        case PromptGiven():
            said, about, directory, branch = (
                _free(text, cut) for text in (body.text, body.about, body.directory, body.branch)
            )
            return body._replace(text=said, about=about, directory=directory, branch=branch)
        case ReplyGiven():
            return body._replace(text=_free(body.text, cut), directory=_free(body.directory, cut))
        case ToolUsed():
            tool, given, result, directory, change = (
                _free(text, cut) for text in (body.tool, body.input, body.result, body.directory, body.change)
            )
            files = tuple(_free(file, cut) for file in body.files)
            return body._replace(tool=tool, input=given, result=result, files=files, directory=directory, change=change)
        case Titled():
            return body._replace(text=_free(body.text, cut))
        case SummedUp():
            return body._replace(text=_free(body.text, cut), model=_free(body.model, cut))
    return body


def _namingclaims_of(body: Undone | Injected, cut: Cut) -> Body:
    if isinstance(body, Undone):
        return body._replace(claims=_renamed(body.claims, cut), label=_free(body.label, cut))
    reasons = tuple(_free(reason, cut) for reason in body.reasons)
    return body._replace(memories=_renamed(body.memories, cut), task=_free(body.task, cut), reasons=reasons)


def _about_a_place(body: ProjectSeen | Trusted | Distrusted, cut: Cut) -> Body:
    """A path with a hole in it is of no use to anyone."""
    match body:
        case ProjectSeen(root):
            return Stub("project.seen") if holds(root, cut.texts) else body
        case Trusted(path=path, lines=lines):
            kept = tuple(line for line in lines if line.claim not in cut.claims)
            return Stub("repository.trusted") if holds(path, cut.texts) else body._replace(lines=kept)
        case Distrusted(path, reason):
            return Stub("repository.distrusted") if holds(path, cut.texts) else Distrusted(path, _free(reason, cut))


def _proposed(body: Proposed, cut: Cut) -> Body:
    claim = _claim(body.claim, cut)
    if claim is None:
        return Stub(body.verdict.value)
    return body._replace(
        claim=claim,
        source=_free(body.source, cut),
        evidence=_free(body.evidence, cut),
        reason=_free(body.reason, cut),
    )


def _decided(body: Decided, cut: Cut) -> Body:
    claim = _claim(body.claim, cut)
    instead = _claim(body.instead, cut) if body.instead else None
    rest = body._replace(
        reason=_free(body.reason, cut),
        evidence=_free(body.evidence, cut),
        carried_evidence=tuple(_free(text, cut) for text in body.carried_evidence),
    )
    if body.instead is None:
        return Stub(body.verdict.value) if claim is None else rest._replace(claim=claim)
    if claim is not None and instead is not None:
        return rest._replace(claim=claim, instead=instead)
    if instead is not None:  # what took the place of a purged claim keeps what it inherited
        return rest._replace(claim=instead, instead=instead)
    if claim is None:
        return Stub(body.verdict.value)
    if body.claim.id == body.instead.id:  # only the new words are gone: the old ones hold on
        return rest._replace(claim=claim, instead=claim)
    return Decided(claim, Verdict.RETIRED, REASON, rest.evidence)


def _claim(claim: Claim, cut: Cut) -> Claim | None:
    """The claim as it stays; nothing when what it says is purged."""
    if claim.id in cut.claims:
        return None
    if cut.everywhere and any(holds(text, cut.texts) for text in _said(claim)):
        return None
    return claim._replace(
        scope=_scope(claim.scope, cut), tags=tuple(tag for tag in claim.tags if not _tag_holds(tag, cut))
    )


def _said(claim: Claim) -> tuple[str, ...]:
    return (claim.sentence, *claim.triple, " ".join(claim.triple))


def _tag_holds(tag: str, cut: Cut) -> bool:
    """Blanks in a tag were made dashes."""
    return holds(tag, cut.texts) or holds(tag.replace("-", " "), cut.texts)


def _scope(scope: Scope, cut: Cut) -> Scope:
    """A project whose name holds a text loses its name; all such projects become one."""
    return HIDDEN_SCOPE if cut.everywhere and is_local(scope) and holds(scope, cut.texts) else scope


def _origin(origin: Origin, cut: Cut) -> Origin:
    actor = origin.actor if origin.actor in (USER, POLICY) else _free(origin.actor, cut)
    return origin._replace(host=_free(origin.host, cut), session=_free(origin.session, cut), actor=actor)


def _free(text: str, cut: Cut) -> str:
    return scrub(text, cut.texts) if text else text


def _renamed(claims: tuple[str, ...], cut: Cut) -> tuple[str, ...]:
    return tuple(dict.fromkeys(cut.moved.get(claim, claim) for claim in claims))
