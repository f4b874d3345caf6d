"""What waits in the inbox: cards with candidates, memories that did not help, and the facets to choose them by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from tacit.model.claim import is_project_scope, project_name
from tacit.model.event import timestamp
from tacit.record import Record
from tacit.vault import Vault
from tacit.vault.conditions import RedMemory
from tacit.vault.listing import ListedMemory
from tacit.vault.review import Card, Review
from tacit.vault.sessions import IneffectiveMemory
from tacit.vault.trials import TrialReport

MAX_CANDIDATES = 500  # of which cards are made; the others follow when these are decided
FACETS = ("project", "kind", "source", "state")


class InboxItem(Record):
    """A row of the inbox: a card with candidates, or a memory that was not followed or is not true of the work tree."""

    id: str
    sentence: str
    at: str
    facets: Mapping[str, tuple[str, ...]]  # the values that it has, by facet
    card: Card | None = None
    ineffective: IneffectiveMemory | None = None
    outdated: RedMemory | None = None
    tried: TrialReport | None = None

    @property
    def asked(self) -> Card | IneffectiveMemory | RedMemory | TrialReport | None:
        """What the row asks about."""
        return self.card or self.ineffective or self.outdated or self.tried


class Inbox(Record):
    """All rows, and whether there are more candidates than cards are made of."""

    items: list[InboxItem]
    has_more: bool

    @property
    def size(self) -> str:
        return f"{len(self.items):,}{'+' if self.has_more else ''}"


class Facet(Record):
    """A property to choose by: which value is chosen, and how many rows each value would leave."""

    name: str
    chosen: str
    options: list[tuple[str, int]]


class CardCache:
    """The cards of the latest request, for as long as nothing is appended to the log: every page shows their number."""

    def __init__(self) -> None:
        self._state: object = None
        self._cards: tuple[Card, ...] = ()
        self._has_more = False

    def load(self, vault: Vault) -> tuple[Sequence[Card], bool]:
        """Return the cards, and whether there are more candidates than they are made of."""
        store = vault.home.store
        state = (store.log.segment_sizes(), store.actor.clock().date())  # habits are ordered by how long ago they were
        if state != self._state:
            listing = Review(vault.home).cards(MAX_CANDIDATES)
            self._cards, self._has_more, self._state = tuple(listing), listing.card_total is None, state
        return self._cards, self._has_more


def load_inbox(vault: Vault, cards: CardCache, skipped: Sequence[str]) -> Inbox:
    """Return what waits: first memories that did not help, then cards, and at the end what was skipped."""
    items: dict[str, InboxItem] = {}
    for report in vault.trials.waiting():
        item = _memory_item([report.listed], "tried", timestamp(report.trial.ended_at or report.trial.started_at))
        items[item.id] = item._replace(tried=report)
    for ineffective in vault.adherence.ineffective():
        evidence = [*ineffective.report.violations, *ineffective.report.corrections]
        at = max((found.at for found in evidence), default="")
        state = "keep telling?" if ineffective.is_idle else "not followed"
        item = _memory_item([ineffective.listed], state, at)._replace(ineffective=ineffective)
        items.setdefault(item.id, item)
    for outdated in vault.conditions.red():
        item = _memory_item([outdated.listed], "not true of the work tree")._replace(outdated=outdated)
        items.setdefault(item.id, item)
    candidates, has_more = cards.load(vault)
    for card in candidates:
        item = _memory_item(card.candidates, "candidate")._replace(card=card)
        items.setdefault(item.id, item)
    last = {claim: at for at, claim in enumerate(skipped)}
    ordered = sorted(items.values(), key=lambda item: last.get(item.id, -1))
    return Inbox(ordered, has_more)


def _memory_item(listed: Sequence[ListedMemory], state: str, at: str = "") -> InboxItem:
    first = listed[0]
    memory, counts = first.memory, first.counts
    sentence = counts.label if counts and counts.steps else memory.claim.sentence
    scopes = [other.memory.claim.scope for other in listed]
    names = [project_name(scope) if is_project_scope(scope) else "global" for scope in scopes]
    facets = {
        "project": tuple(dict.fromkeys(names)),
        "kind": (memory.kind.label,),
        "source": (memory.source,),
        "state": (state,),
    }
    said_at = max(other.memory.said_at for other in listed).isoformat()
    return InboxItem(memory.id, sentence, at or (counts and counts.last_day) or said_at, facets)


def matching(items: Iterable[InboxItem], chosen: Mapping[str, str]) -> list[InboxItem]:
    """Return the rows that have all chosen values."""
    return [item for item in items if all(not value or value in item.facets[name] for name, value in chosen.items())]


def count_facets(items: Sequence[InboxItem], chosen: Mapping[str, str]) -> list[Facet]:
    """Return each facet with the number of rows that its values would leave, beside the values that others chose."""
    facets = []
    for name in FACETS:
        others = matching(items, {**chosen, name: ""})
        counts = Counter(value for item in others for value in item.facets[name])
        facets.append(sorted_facet(name, chosen[name], counts))
    return facets


def sorted_facet(name: str, chosen: str, counts: Mapping[str, int]) -> Facet:
    """Return a facet with the most frequent values first. What is chosen is among them, whatever is left of it."""
    found = {**({chosen: 0} if chosen else {}), **counts}
    return Facet(name, chosen, sorted(found.items(), key=lambda option: (-option[1], option[0])))
