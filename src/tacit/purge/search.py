"""Searching the log for what a purge changes, without decoding every line.

Segments are read in blocks. The prefilter (tacit.purge.prefilter) names the lines that may contain a text; only these
are decoded. Lines that refer to claims by their ids are noted on the way, because the search finds only later which
claims are gone. A second search reads only what was appended since the first one.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from zlib import crc32

from tacit.disk.files import open_plain
from tacit.log.reader import LocatedLine, LogBlock, LogReader, SegmentProgress, read_blocks
from tacit.model.claim import Triple, triple_key
from tacit.model.event import ClaimDecided, ClaimProposed, Event, EventBody, Verdict
from tacit.model.ids import ClaimId, claim_id
from tacit.model.observation import ProjectSeen
from tacit.purge.match import fold_letters
from tacit.purge.prefilter import SEPARATOR, MatchPrefilter
from tacit.record import Record

_CHECKSUM_BYTES = len(b',"c":"01234567"}')
# The end of a line as Tacit writes it: keys that no text is in, with scope and session among them. It holds no escaped
# character, and its brace closes the line, so it cannot be part of a text or of a body.
_LINE_END = re.compile(
    rb',"id":"[0-9a-f-]{36}","op":"[0-9a-f-]{36}","scope":"([^"\\]*)","sess":"([^"\\]*)","src":"[a-z_]+"'
    rb',"ts":"[0-9TZ:.-]+","type":"([a-z.]+)","tz":-?[0-9]+,"v":1(?:,"m":"[0-9a-f]{32}")?,"c":"[0-9a-f]{8}"}'
)
_LINE_END_START = b',"id":"'
# Bytes that Tacit writes in no line, and escapes of the characters that are used here as marks.
_JSON_BYTES = bytes(range(0x20, 0x7F))
_MARK_ESCAPES = (b"\\u0001", b"\\u0002", b"\\u001c", b"\\u001e", b"\\u001C", b"\\u001E")
_ESCAPED_POINTS = re.compile(r"(?:\\u[0-9A-Fa-f]{4})+")
_BLANK_ESCAPES = {"\\n": "\n", "\\t": "\t", "\\r": "\r", "\\b": "\b", "\\f": "\f", "\\/": "/"}
_QUOTE, _ESCAPED_BACKSLASH, _ESCAPED_QUOTE = "\x1c", "\x01", "\x02"
# Lines that are looked at again when it is known which claims and fragments are gone.
_REFERRING_TYPES = frozenset(
    (
        *(b"repository.trusted", b"workflow.saved", b"judgement.undone", b"brief.given", b"memory.checked"),
        b"log.sealed",
    )
)
_CLAIM_TYPES = frozenset(verdict.value.encode("ascii") for verdict in Verdict)
_SHARED_TYPE = Verdict.SHARED.value.encode("ascii")
_CLAIM_ID = re.compile(rb'(?<=")[0-9a-hjkmnp-tv-z]{12}(?=")')
_HAS_CLAIM = b'"triple"'


class SharedRoots(Record):
    """Where projects are, by the events that say so, and the scopes of which the person shared something."""

    seen: dict[tuple[str, str], None]  # scope and folder, in order
    shared_scopes: set[str]

    def add(self, event: Event) -> None:
        if isinstance(event.body, ProjectSeen):
            self.seen[event.scope, event.body.root] = None
        elif event.is_by_user and _is_sharing(event.body):
            self.shared_scopes.add(event.scope)


def _is_sharing(body: EventBody) -> bool:
    """Return whether a judgement of the person puts something into a fact file."""
    return isinstance(body, ClaimProposed | ClaimDecided) and (not body.private or body.verdict is Verdict.SHARED)


class LineFilter:
    """Names the lines of a block that have to be decoded for a purge.

    Args:
        texts: normalized texts that are purged.
        claim_words: words that every line about a purged claim has.
    """

    def __init__(self, texts: Sequence[str], claim_words: Sequence[str] = ()) -> None:
        self._texts = MatchPrefilter(texts)
        self._claim_words = MatchPrefilter(claim_words) if claim_words else None

    def candidates(self, block: LogBlock, roots: SharedRoots) -> tuple[list[LocatedLine], list[LocatedLine]]:
        """Return the lines that may contain a text or claim, and the lines that refer to claims by their ids.

        What the other lines say of projects is added to `roots`.
        """
        texts, named, referring = read_texts(block, roots)
        named |= self.containing(texts)
        return block.located(index for index in named if block.lines[index]), block.located(referring)

    def containing(self, texts: Sequence[str]) -> set[int]:
        """Return the indices of lines, given by their texts, that may contain a text or claim."""
        found = self._texts.candidates(texts)
        tagged = [index for index, text in enumerate(texts) if _HAS_TAGS in text]
        found.update(tagged[at] for at in self._texts.candidates([_tags_of(texts[index]) for index in tagged]))
        if self._claim_words:
            found |= self._claim_words.candidates(texts, depth=0)
        return found


class BlockTexts(Record):
    """The texts of the lines of a block, without what no text is in; of lines in another form "".

    Attributes:
        texts: with the escapes of JSON resolved and its quotes replaced.
        named: the indices of lines that have to be decoded whatever they contain.
        referring: the indices of lines that refer to claims by their ids.
    """

    texts: list[str]
    named: set[int]
    referring: list[int]


def read_texts(block: LogBlock, roots: SharedRoots) -> BlockTexts:
    """Return the texts of a block. What its lines say of projects is added to `roots`."""
    named = {index for index, line in enumerate(block.lines) if _is_odd(line)} if _has_odd_lines(block) else set()
    referring: list[int] = []
    contents: list[bytes] = []
    for index, line in enumerate(block.lines):
        end = _match_line_end(line) if index not in named else None
        if end is None:
            named.add(index)
            contents.append(b"")
            continue
        scope, session, type_ = end.groups()
        contents.append(b'%s,"%s","%s"' % (line[: end.start()], scope, session))
        if type_ in _CLAIM_TYPES:
            if line.startswith(b'{"actor":"user"') and _is_shared_line(line, type_):
                roots.shared_scopes.add(scope.decode("ascii"))
        elif type_ in _REFERRING_TYPES:
            referring.append(index)
        elif type_ == b"project.seen":
            named.add(index)
    return BlockTexts(_unescape(contents), named, referring)


def _has_odd_lines(block: LogBlock) -> bool:
    return _is_odd(b"".join(block.lines))


def _is_odd(line: bytes) -> bool:
    """Return whether a line has bytes that Tacit writes in none, or an escaped mark."""
    if line.translate(None, _JSON_BYTES):
        return True
    return b"\\u00" in line and any(escape in line for escape in _MARK_ESCAPES)


def _match_line_end(line: bytes) -> re.Match[bytes] | None:
    """Return the end of an undamaged line in the form that Tacit writes; None for any other line."""
    if line[-10:-2] != b"%08x" % crc32(line[:-_CHECKSUM_BYTES]):
        return None
    start = line.rfind(_LINE_END_START)
    return _LINE_END.fullmatch(line, start) if start >= 0 else None


def _is_shared_line(line: bytes, type_: bytes) -> bool:
    return type_ == _SHARED_TYPE or b'"private":true' not in line


# The texts of lines

_HAS_TAGS = f"{_QUOTE}tags{_QUOTE}:[{_QUOTE}"
_TRIPLE_KEY = f"{_QUOTE}triple{_QUOTE}:{{"
_CLAIM = re.compile(
    r"@scope@:@([^@]*)@,@sentence@:@([^@]*)@,@tags@:\[((?:@[^@]*@,?)*)\],@triple@:"
    r"\{@object@:@([^@]*)@,@predicate@:@([^@]*)@,@subject@:@([^@]*)@\}".replace("@", _QUOTE)
)


def _unescape(lines: Sequence[bytes]) -> list[str]:
    """Return lines with the escapes of JSON resolved. The quotes of JSON become another character.

    So a text in a line is where it was, whatever is around it.
    """
    joined = SEPARATOR.join([line.decode("ascii") for line in lines])
    if "\\" not in joined:
        return joined.replace('"', _QUOTE).split(SEPARATOR)
    joined = joined.replace("\\\\", _ESCAPED_BACKSLASH).replace('\\"', _ESCAPED_QUOTE).replace('"', _QUOTE)
    for escaped, char in _BLANK_ESCAPES.items():
        joined = joined.replace(escaped, char)
    texts = joined.replace(_ESCAPED_QUOTE, '"').split(SEPARATOR)
    if "\\u" in joined:
        texts = [_unescape_points(text, raw) if "\\u" in text else text for text, raw in zip(texts, lines, strict=True)]
    return [text.replace(_ESCAPED_BACKSLASH, "\\") for text in texts]


def _unescape_points(text: str, raw: bytes) -> str:
    """Resolve `\\uXXXX`. Where letters are not ASCII, texts that are searched together are put together."""
    unescaped = _ESCAPED_POINTS.sub(lambda match: str(json.loads(f'"{match[0]}"')), text)
    if _HAS_CLAIM not in raw:
        return unescaped
    return _QUOTE.join([unescaped, *_joined_triples(raw)])


def _joined_triples(raw: bytes) -> Iterator[str]:
    for match in re.finditer(rb'"triple":(?=\{)', raw):
        try:
            triple, _ = json.JSONDecoder().raw_decode(raw[match.end() :].decode("ascii"))
            yield " ".join((triple["subject"], triple["predicate"], triple["object"]))
        except (ValueError, KeyError, TypeError):
            continue


def _tags_of(text: str) -> str:
    """Return the tags of a line with blanks instead of dashes: a tag matches a text in both forms."""
    lists = (part.partition(f"{_QUOTE}]")[0] for part in text.split(_HAS_TAGS)[1:])
    return _QUOTE.join(lists).replace("-", " ")


class ClaimText(Record):
    """A claim in the text of a line: where it is, its scope and triple, and the texts in it that are searched."""

    start: int
    end: int
    scope: str
    triple: Triple
    texts: tuple[str, ...]

    @property
    def id(self) -> ClaimId:
        return claim_id(self.scope, triple_key(self.triple))


def claims_in(text: str) -> list[ClaimText] | None:
    """Return the claims in the text of a line; None if one of them is in another form than Tacit writes."""
    if _TRIPLE_KEY not in text:
        return []
    claims = []
    for match in _CLAIM.finditer(text):
        scope, sentence, tags, object_, predicate, subject = match.groups()
        triple = Triple(subject, predicate, object_)
        joined = " ".join(triple)
        # Most sentences are part of the triple. All others are searched, too.
        texts = (scope, tags, joined) if f" {sentence} " in f" {joined} " else (scope, sentence, tags, joined)
        claims.append(ClaimText(*match.span(), scope, triple, texts))
    return claims if len(claims) == text.count(_TRIPLE_KEY) else None


def distinct_texts(text: str, claims: Sequence[ClaimText]) -> set[str]:
    """Return the texts of a line that are searched, each by itself, without those that are part of another one."""
    found = set(_tags_of(text).split(_QUOTE)) if _HAS_TAGS in text else set()
    if text.isascii() and "\\" not in text and "\0" not in text:  # then no part has a view that the whole has not
        for claim in reversed(claims):
            text = _QUOTE.join((text[: claim.start], *claim.texts, text[claim.end :]))
    else:
        found.update(text for claim in claims for text in claim.texts)
    found.update(text.split(_QUOTE))
    return found


# Claims


def claim_word(key: str) -> str:
    """Return a word that each line about a claim with this key has, folded; "" if there is none."""
    return fold_letters(max(re.findall(r"\w+", key), key=len, default=""))


def lines_with_claims(
    log: LogReader, segment: str, words: Sequence[str] | None, offset: int = 0
) -> Iterator[LocatedLine]:
    """Yield the lines of claims from `offset` on that have one of these words; all of them without `words`."""
    search = MatchPrefilter(words) if words is not None else None
    for block in read_blocks(log.path(segment), offset):
        lines = block.located(index for index, line in enumerate(block.lines) if _HAS_CLAIM in line)
        if search and lines:
            texts = _unescape([line.data if line.data.isascii() else b"" for line in lines])
            named = search.candidates(texts, depth=0)
            lines = [line for index, line in enumerate(lines) if index in named or not line.data.isascii()]
        yield from lines


# How far a segment was searched


class SegmentState:
    """What is known of a segment after a search, and how far it was read.

    An append leaves it valid. If the file was replaced or changed in place, the segment is searched again.
    """

    def __init__(self) -> None:
        self.end = self.lines = 0
        self._inode = self._modified = -1
        self._tail = b""

    def is_current(self, path: str) -> bool:
        """Return whether the part that was read is still there. Raise OSError if the file cannot be read."""
        status = os.stat(path)
        if status.st_ino != self._inode or status.st_size < self.end:
            return False
        with open_plain(path) as file:
            file.seek(self.end - len(self._tail))
            is_same = file.read(len(self._tail)) == self._tail
        return is_same and (status.st_size > self.end or status.st_mtime_ns == self._modified)

    def advance(self, path: str, progress: SegmentProgress) -> Iterator[LogBlock]:
        """Yield the lines that were appended since the last time."""
        with open_plain(path) as file:
            status = os.fstat(file.fileno())
            self._inode, self._modified = status.st_ino, status.st_mtime_ns
        for block in read_blocks(path, self.end, self.lines):
            yield block
            self.lines = block.first_number + len(block.lines) - 1
            self.end = block.end
            self._tail = block.lines[-1][-64:] + b"\n"
            progress.show(self.end)


class LinePosition(Record):
    """Where a line is; its length includes the line feed."""

    number: int
    offset: int
    length: int


def position_of(line: LocatedLine) -> LinePosition:
    return LinePosition(line.number, line.offset, len(line.data) + 1)


def lines_at(path: str, positions: Iterable[LinePosition]) -> Iterator[LocatedLine]:
    """Yield the lines at these positions, which are in order."""
    with open_plain(path) as file:
        for number, offset, length in positions:
            file.seek(offset)
            yield LocatedLine(number, offset, file.read(length)[:-1])


def refers_to(line: bytes, claims: set[bytes]) -> bool:
    """Return whether a line has one of these claim ids."""
    return not claims.isdisjoint(_CLAIM_ID.findall(line)) if claims else False
