"""Searching the log for the lines that a purge may change. Few of them are decoded as events.

Segments are read in blocks. Of lines in which nothing is escaped, the bytes are searched together; of all others every
string is. What may contain a text is decoded, and so is every line in another form than Tacit writes. Lines that refer
to claims by their ids are noted on the way, because a search finds only later which claims are gone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Protocol

from tacit.log.codec import damage_reason
from tacit.log.reader import MAX_LINE_BYTES, LocatedLine, LogBlock, LogReader, read_blocks
from tacit.model.claim import Scope, Triple, triple_key
from tacit.model.event import ClaimDecided, ClaimProposed, Event, Verdict
from tacit.model.ids import ClaimId, claim_id
from tacit.model.observation import ProjectSeen
from tacit.purge.matcher import TextFinder, fold_letters
from tacit.record import Record

# The end of a line as Tacit writes it: keys that no text is in, with scope and session among them. It holds no escaped
# character, and its brace closes the line, so it cannot be part of a text or of a body.
_LINE_END = re.compile(
    rb',"id":"[0-9a-f-]{36}","op":"[0-9a-f-]{36}","scope":"([^"\\]*)","sess":"([^"\\]*)","src":"[a-z_]+"'
    rb',"ts":"[0-9TZ:.-]+","type":"([a-z.]+)","tz":-?[0-9]+,"v":1(?:,"m":"[0-9a-f]{32}")?,"c":"[0-9a-f]{8}"}'
)
_LINE_END_START = b',"id":"'
_JSON_BYTES = bytes(range(0x20, 0x7F))  # Tacit writes no other ones
ENVELOPE_KEYS = ("id", "op", "ts", "m", "c", "type", "src")  # no text is in them
_HAS_TAGS = b'"tags":["'  # they are also searched with blanks for dashes
# Lines that are looked at again when it is known which claims and fragments are gone.
_REFERRING_TYPES = frozenset(
    b"repository.trusted workflow.saved judgement.undone brief.given memory.checked trial.started trial.ended"
    b" trial.checked log.sealed".split()
)
_SEALED = b'"log.sealed"'
_CLAIM_TYPES = frozenset(verdict.value.encode("ascii") for verdict in Verdict)
_SHARED_TYPE = Verdict.SHARED.value.encode("ascii")
_CLAIM_ID = re.compile(rb'(?<=")[0-9a-hjkmnp-tv-z]{12}(?=")')
_HAS_CLAIM = b'"triple"'
_MAX_CLAIM_WORDS = 24  # more words than this are not searched for: all claims are looked at instead


class Purge(Protocol):
    """What is removed from a log: a target (`remains.py`) whose texts are known, or what tombstones describe."""

    @property
    def texts(self) -> TextFinder: ...
    @property
    def claims(self) -> frozenset[str]: ...
    @property
    def has_unknown(self) -> bool: ...
    def learn(self, texts: Iterable[str]) -> None: ...
    def apply_fully(self, event: Event) -> Event: ...


class SharedRoots(Record):
    """Where projects are, by the events that say so, and the scopes of which the person shared something."""

    seen: dict[tuple[str, str], None]  # scope and folder, in order
    shared_scopes: set[str]

    def add(self, event: Event) -> None:
        if isinstance(event.body, ProjectSeen):
            self.seen[event.scope, event.body.root] = None
        elif event.is_by_user and isinstance(body := event.body, ClaimProposed | ClaimDecided):
            shares = not body.private or body.verdict is Verdict.SHARED  # it puts something into a fact file
            self.shared_scopes.update({event.scope} if shares else ())


class LineSearch:
    """Names the lines of a block that have to be decoded for a purge.

    `claim_words` are words that the lines of the claims have which are purged by their ids; without them, all claims
    are looked at.
    """

    def __init__(self, purge: Purge, claim_words: Sequence[str] | None) -> None:
        self._purge = purge
        self._claim_words = claim_words

    def candidates(self, block: LogBlock, roots: SharedRoots) -> tuple[list[LocatedLine], list[LocatedLine]]:
        """Return the lines that may contain a text or claim, and the lines that refer to claims by their ids.

        What the other lines say of projects is added to `roots`.
        """
        lines = _KnownLines(block, roots)
        named = lines.unknown
        if not self._purge.has_unknown:
            plain = {at: head.decode("ascii") for at, head in lines.heads.items() if self._is_plain(head)}
            named |= lines.with_names(plain, self._purge.texts)
            suspects = self._purge.texts.suspects_in_plain(list(plain.values()))
            for at, head in plain.items():
                if head not in suspects:
                    del lines.heads[at]
        named |= self._with_strings({at: block.lines[at] for at in lines.heads})
        return block.located(at for at in named if block.lines[at]), block.located(lines.referring)

    def _is_plain(self, head: bytes) -> bool:
        """Return whether no string of a line has to be looked at by itself: nothing in it is escaped or encoded."""
        if b"\\" in head or b"%" in head or b"+" in head or _HAS_TAGS in head:
            return False
        return not self._purge.claims or _HAS_CLAIM not in head or not has_word(head, self._claim_words)

    def _with_strings(self, lines: dict[int, bytes]) -> set[int]:
        """Return the numbers of lines with a string that contains a text, or with a claim that is purged."""
        strings = {at: LineStrings(line) for at, line in lines.items()}
        if any('"' in text for text in self._purge.texts.texts):  # it may span strings of a line that is no event
            for at, each in strings.items():
                each.joined.append(lines[at].decode("ascii"))
        distinct = {text for each in strings.values() for text in (*each.strings, *each.joined)}
        self._purge.learn(distinct)
        found = self._purge.texts.matching(distinct)
        claims = self._purge.claims
        return {
            at
            for at, each in strings.items()
            if each.is_broken
            or (found and not found.isdisjoint((*each.strings, *each.joined)))
            or (claims and not claims.isdisjoint(each.claims()))
        }


class _KnownLines:
    """The lines of a block that are in the form that Tacit writes: `heads` are they without their ends, by index.

    `unknown` are the indices of all others, and of those that say where a project is. `referring` lines may name claims
    by their ids.
    """

    def __init__(self, block: LogBlock, roots: SharedRoots) -> None:
        has_other_bytes = bool(b"".join(block.lines).translate(None, _JSON_BYTES))
        self.heads: dict[int, bytes] = {}
        self.unknown: set[int] = set()
        self.referring: list[int] = []
        self._names: dict[int, tuple[bytes, bytes]] = {}
        for index, line in enumerate(block.lines):
            if not line:
                continue
            is_odd = has_other_bytes and bool(line.translate(None, _JSON_BYTES))
            start = -1 if is_odd or len(line) >= MAX_LINE_BYTES else line.rfind(_LINE_END_START)
            end = _LINE_END.fullmatch(line, start) if start >= 0 else None
            if end is None or damage_reason(line) is not None:
                self.unknown.add(index)
                continue
            scope, session, type_ = end.groups()
            self.heads[index] = line[: end.start()]
            self._names[index] = scope, session
            if type_ in _CLAIM_TYPES:
                if line.startswith(b'{"actor":"user"') and (type_ == _SHARED_TYPE or b'"private":true' not in line):
                    roots.shared_scopes.add(scope.decode("ascii"))
            elif type_ in _REFERRING_TYPES:
                self.referring.append(index)
            elif type_ == b"project.seen":
                self.unknown.add(index)

    def with_names(self, indices: Collection[int], texts: TextFinder) -> set[int]:
        """Return those lines of which scope or session, which are in their ends, contain a text."""
        names = {name.decode("ascii") for pair in {self._names[at] for at in indices} for name in pair}
        wanted = {name.encode("ascii") for name in texts.matching(names)}
        return {at for at in indices if wanted and not wanted.isdisjoint(self._names[at])}


class LineStrings:
    """Every string of a line in which `purge_event` may find something.

    `strings` are in the line, and `joined` are put together of several. A line that `is_broken` is no event.
    """

    def __init__(self, line: bytes) -> None:
        self.strings: list[str] = []
        self.joined: list[str] = []
        self._triples: list[tuple[str, Triple]] = []
        self.is_broken = False
        try:
            for name, value in json.loads(line).items():
                if name not in ENVELOPE_KEYS:
                    self._add(value)
            if b"\\ud" in line:  # perhaps a lone surrogate, which no event has
                "".join(self.strings).encode("utf-8")
        except (ValueError, AttributeError, RecursionError):
            self.is_broken = True

    def _add(self, value: Any) -> None:
        if isinstance(value, str):
            self.strings.append(value)
        elif isinstance(value, list):
            for inner in value:
                self._add(inner)
        elif isinstance(value, dict):
            for name, inner in value.items():
                self.strings.append(name)
                self._add(inner)
            triple, tags = value.get("triple"), value.get("tags")
            if isinstance(triple, dict):
                parts = Triple(*(str(triple.get(name)) for name in Triple._fields))
                self._triples.append((str(value.get("scope")), parts))
                self.joined.append(" ".join(parts))
            if isinstance(tags, list):
                self.joined += (str(tag).replace("-", " ") for tag in tags)

    def claims(self) -> Iterator[ClaimId]:
        """Yield the ids of the claims in the line."""
        return (claim_id(Scope(scope), triple_key(triple)) for scope, triple in self._triples)


# Claims


def claim_words(keys: Iterable[str]) -> list[str] | None:
    """Return a word, folded, that each line about a claim with one of these keys has.

    None if there is none for one of them, or if there are too many.
    """
    words = list({fold_letters(max(re.findall(r"\w+", key), key=len, default="")) for key in keys})
    return words if all(words) and len(words) <= _MAX_CLAIM_WORDS else None


def has_word(line: bytes, words: Sequence[str] | None) -> bool:
    """Return False if a line has none of these words, in any case or spelling."""
    if words is None or not line.isascii():
        return True
    if b"\\u" not in line:
        lower = line.lower().decode("ascii")
        return any(word in lower for word in words)
    folded = fold_letters("\n".join(LineStrings(line).strings))
    return any(word in folded for word in words)


def lines_with_claims(
    log: LogReader, segment: str, words: Sequence[str] | None, offset: int = 0
) -> Iterator[LocatedLine]:
    """Yield the lines of claims from `offset` on that may have one of these words; all of them without `words`."""
    for block in read_blocks(log.path(segment), offset):
        joined = b"\n".join(block.lines)
        if _HAS_CLAIM in joined and (b"\\u" in joined or has_word(joined, words)):
            claims = (at for at, line in enumerate(block.lines) if _HAS_CLAIM in line and has_word(line, words))
            yield from block.located(claims)


def refers_to(line: bytes, claims: set[bytes]) -> bool:
    """Return whether a line has one of these claim ids, or is a seal, of which the fragment may be gone."""
    return _SEALED in line or (bool(claims) and not claims.isdisjoint(_CLAIM_ID.findall(line)))
