"""What a person wants to purge: a text, or a memory by its id. Texts that would destroy our own files are refused."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from tacit.errors import NotFoundError, RefusedError, UsageError
from tacit.home.store import Store
from tacit.index import reader
from tacit.log.codec import EVENT_TYPES, decode, must_decode
from tacit.log.reader import LogReader
from tacit.log.search import claim_word, lines_with_claims
from tacit.model.claim import Kind, Provenance
from tacit.model.event import ClaimDecided, ClaimProposed, Event
from tacit.model.ids import ClaimId, is_claim_prefix
from tacit.model.observation import MemoryPurged
from tacit.model.purge import MIN_TEXT_LENGTH, PurgeTarget, claim_sentences
from tacit.pages.long_term import HEADER, SECTIONS
from tacit.record import Record
from tacit.text.display import PURGED_MARK, clean
from tacit.text.match import LiteralMatcher, normalize_for_match


class PurgeRequest(Record):
    """What a person wants to purge: a text, or a memory with all its wordings."""

    texts: tuple[str, ...]
    claim: ClaimId | None = None
    claim_key: str = ""

    @property
    def target(self) -> PurgeTarget:
        claims = frozenset({self.claim}) if self.claim else frozenset[str]()
        matchers = tuple(LiteralMatcher(normalize_for_match(text)) for text in self.texts)
        return PurgeTarget(matchers, claims, everywhere=self.claim is None)


def parse_request(store: Store, reference: str | None, text: str | None) -> PurgeRequest:
    """Return the request for a memory by its id, or for a text.

    Raise UsageError if not exactly one of both is given, or if it is no id or too short; NotFoundError if no memory
    has the id; RefusedError if several have it, and for a text that our own files consist of.
    """
    if (reference is None) == (text is None):
        raise UsageError("what should be purged?", "tacit purge ID, or tacit purge --text '…'")
    return _memory_request(store, reference) if reference is not None else _text_request(text or "")


def _memory_request(store: Store, reference: str) -> PurgeRequest:
    """Return the request for a memory by its id. Words are not looked up, so that no message repeats them."""
    prefix = reference.strip().lstrip("^").lower()
    if not is_claim_prefix(prefix):
        raise UsageError("this is no id of a memory", "for a text: tacit purge --text '…'")
    ids = store.read(lambda connection: reader.claim_ids_with_prefix(connection, prefix))
    if not ids:
        raise NotFoundError(f"no memory has the id {prefix}", "for a text: tacit purge --text '…'")
    if len(ids) > 1:
        raise RefusedError(f"{prefix} is the beginning of {len(ids)} ids", "type one or two letters more")
    memory = store.read(lambda connection: reader.load_memory(connection, ids[0], must_decode))
    key = memory.claim.key if memory else ""
    sentences = claim_sentences(_events_of_claim(store.log, key), ids[0])
    return PurgeRequest(tuple(text for text in sentences if _is_purgeable(text)), ids[0], key)


def _events_of_claim(log: LogReader, key: str) -> Iterator[Event]:
    """Yield the events that may be about the claim with this key."""
    words = [claim_word(key)] if claim_word(key) else None
    for segment in log.segments():
        for line in lines_with_claims(log, segment, words):
            if isinstance(event := decode(line.data), Event):
                yield event


def _text_request(text: str) -> PurgeRequest:
    cleaned = clean(text).strip()
    if len(cleaned) < MIN_TEXT_LENGTH:
        raise UsageError(
            f"a text to purge has at least {MIN_TEXT_LENGTH} letters: shorter ones stand in half of all words"
        )
    if not _is_purgeable(cleaned):
        raise RefusedError(
            "this word is part of how Tacit writes its files, so it stands everywhere",
            "purge a longer text, or a memory by its id: tacit purge ID",
        )
    return PurgeRequest((cleaned,))


def _is_purgeable(text: str) -> bool:
    return len(normalize_for_match(text)) >= MIN_TEXT_LENGTH and normalize_for_match(text) not in _format_words()


@cache
def _format_words() -> str:
    """Return the words that our own files are written with. Purging one of them would destroy the files."""
    words = (
        *EVENT_TYPES,
        *(kind.label for kind in Kind),
        *(provenance.name for provenance in Provenance),
        *(field for body in (ClaimProposed, ClaimDecided, MemoryPurged) for field in body._fields),
        *HEADER,
        *SECTIONS,
        "global project: local user policy agent remember promote repeats evaluation user_direct",
        "canonical dedupe_key strength triple subject predicate object sentence summary changes worklog",
        PURGED_MARK,
    )
    return normalize_for_match("\n".join(words))
