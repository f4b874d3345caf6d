"""What a person wants to purge: a text, or a memory by its id. Texts that would destroy our own files are refused."""

from __future__ import annotations

import sqlite3
from functools import cache

from tacit.errors import NotFoundError, RefusedError, UsageError
from tacit.index import reader
from tacit.log.codec import EVENT_TYPES, decode, must_decode
from tacit.log.reader import LogReader
from tacit.model.claim import Kind, Provenance
from tacit.model.event import ClaimDecided, ClaimProposed, Event
from tacit.model.ids import ClaimId, is_claim_prefix
from tacit.model.observation import MemoryPurged
from tacit.pages.long_term import HEADER, SECTIONS
from tacit.purge.matcher import TextFinder, normalize_for_match
from tacit.purge.remains import MIN_TEXT_LENGTH, PurgeTarget, claim_sentences
from tacit.purge.search import claim_words, lines_with_claims
from tacit.record import Record
from tacit.text.display import PURGED_MARK, clean


class PurgeRequest(Record):
    """What a person wants to purge: a text, or a memory with all its wordings."""

    texts: tuple[str, ...]
    claim: ClaimId | None = None
    claim_key: str = ""

    @property
    def target(self) -> PurgeTarget:
        claims = frozenset({self.claim}) if self.claim else frozenset[str]()
        return PurgeTarget(TextFinder(map(normalize_for_match, self.texts)), claims, everywhere=self.claim is None)


def find_memory(connection: sqlite3.Connection, reference: str) -> PurgeRequest:
    """Return the request for the memory with an id, of which the beginning may be given; `add_wordings` completes it.
    Words are not looked up, so that no message repeats them.

    Raise UsageError if it is no id, NotFoundError if no memory has it, RefusedError if several have it.
    """
    prefix = reference.strip().lstrip("^").lower()
    if not is_claim_prefix(prefix):
        raise UsageError("this is no id of a memory", "for a text: tacit purge --text '…'")
    ids = reader.claim_ids_with_prefix(connection, prefix)
    if not ids:
        raise NotFoundError(f"no memory has the id {prefix}", "for a text: tacit purge --text '…'")
    if len(ids) > 1:
        raise RefusedError(f"{prefix} is the beginning of {len(ids)} ids", "type one or two letters more")
    memory = reader.load_memory(connection, ids[0], must_decode)
    return PurgeRequest((), ids[0], memory.claim.key if memory else "")


def add_wordings(log: LogReader, request: PurgeRequest) -> PurgeRequest:
    """Return the request for a memory with every wording that it ever had."""
    words = claim_words([request.claim_key])
    lines = (line.data for segment in log.segments() for line in lines_with_claims(log, segment, words))
    events = [event for event in map(decode, lines) if isinstance(event, Event)]
    sentences = claim_sentences(events, request.claim or "")
    return request._replace(texts=tuple(filter(_is_purgeable, sentences)))


def text_request(text: str) -> PurgeRequest:
    """Return the request for a text.

    Raise UsageError if it is too short, RefusedError if our own files consist of it.
    """
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
