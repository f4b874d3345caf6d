"""`memories.ndjson`: one accepted fact per line, with exactly the fields of S4, sorted by id.

A line changes only when its fact does, and its place never does. In a repository the file is shared: lines and fields
that others wrote stay as they are.

Git merges two versions of the file by id, with their common ancestor (base). Every line of the result is a line of ours
or theirs, byte for byte, because trust is in the bytes of a line. Where two lines with one id differ in what they say,
both are written between conflict markers; nothing is chosen silently. If they differ only in when and how often the
fact was stated, the later one is taken.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import pairwise

from tacit.model.claim import SHARED_KINDS, Claim, Scope, is_project_scope
from tacit.model.event import timestamp
from tacit.model.ids import ClaimId
from tacit.model.statement import claim_from
from tacit.model.trust import FactFileLine
from tacit.pages.long_term import MemoryView
from tacit.pages.merge import MergeConflict, Side, conflict_markers, find_conflicts, split_conflicts, without_markers
from tacit.record import Record
from tacit.secrets import secret_kind
from tacit.text.display import clean, escape_deceptive
from tacit.text.words import normalize_text

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any


# Start and end of a line as Tacit writes it: most lines can be identified and sorted without parsing them.
_OWN_LINE = re.compile(r'\{"id": "([0-9a-z]{12})", "ts": ')
_DEDUPE_KEY = re.compile(r', "dedupe_key": "([^"\\]*)"\}$')
_MARKER_STARTS = (b"<", b">", b"|", b"=")  # of conflict markers; no fact begins so
_MAX_LINE_BYTES, _MAX_TAGS = 64 * 1024, 16
_MAX_STRENGTH = 99  # that is believed of a line: whoever can write the file can write any number
# What a restatement changes. All other fields say what the fact is.
_COUNTERS = frozenset(("ts", "strength", "source"))
FIELDS = ("id", "ts", "scope", "kind", "triple", "canonical", "strength", "source", "tags", "dedupe_key")


def fact_line(view: MemoryView) -> str:
    """Return the line of a memory."""
    memory, claim = view.memory, view.memory.claim
    tags = (*claim.tags, "conflict") if view.conflict else claim.tags
    return _encode_fact(
        {
            "id": memory.id,
            "ts": timestamp(memory.last_at),
            "scope": "local" if is_project_scope(claim.scope) else "global",
            "kind": claim.kind.label,
            "triple": claim.triple._asdict(),
            "canonical": claim.sentence,
            "strength": max(memory.judged_strength if memory.touched_by_user else memory.strength, 1),
            "source": memory.source,
            "tags": tags,
            "dedupe_key": claim.key,
        }
    )


def update_facts(lines: Iterable[str], changed: Iterable[MemoryView], gone: Iterable[ClaimId] = ()) -> list[str]:
    """Return the lines with changed memories updated; only effective ones have a line.

    Lines without an id were typed by a person, and read: they are left out.
    """
    views = list(changed)
    outdated = {view.memory.id for view in views} | set(gone)
    unchanged = [line for line in lines if (name := fact_id(line)) and name not in outdated]
    return sort_facts(unchanged + [fact_line(view) for view in views if view.is_effective])


def sort_facts(lines: Iterable[str], existing: Sequence[str] = ()) -> list[str]:
    """Sort by id, so that one change is one line of a diff. Lines without an id come last, in their order.

    `existing` are the lines of the file as it is. If they are the same, they stay as they are; and a file that is
    sorted by statement, as earlier versions did, stays sorted so: nobody wants a diff of all lines. Lines between
    conflict markers stay where they are.
    """
    filled = [line for line in lines if line.strip()]
    if conflict_markers(filled):
        return filled
    if existing and sorted(filled) == sorted(line for line in existing if line.strip()):
        return list(existing)
    return sorted(filled, key=fact_sort_key(existing))


def fact_sort_key(existing: Sequence[str]) -> Callable[[str], tuple[int, str, str]]:
    """Return the sort key of lines that are put into a file with these lines."""
    readable = [line for line in existing if fact_id(line)]

    def descents(key: Callable[[str], tuple[int, str, str]]) -> int:
        return sum(second < first for first, second in pairwise(map(key, readable)))

    by_id = descents(_id_key)
    return _statement_key if by_id and descents(_statement_key) < by_id else _id_key


def without_copies(lines: Sequence[str], is_kept: Callable[[str], bool]) -> list[str]:
    """Leave out lines that say the same as another line with their id, which a merge by hand can leave.

    The newest stays, or all of those for which `is_kept` is true.
    """
    names = [fact_id(line) for line in lines]
    repeated = {name for name, number in Counter(names).items() if name and number > 1}
    copies: dict[tuple[ClaimId, str], dict[str, None]] = {}
    for name, line in zip(names, lines, strict=True):
        if name in repeated:
            copies.setdefault((name, fact_words(line)), {})[line] = None
    staying = {
        line
        for same in copies.values()
        for line in [line for line in same if is_kept(line)] or [max(same, key=fact_age)]
    }
    result = []
    for name, line in zip(names, lines, strict=True):
        if name not in repeated or line in staying:
            result.append(line)
            staying.discard(line)  # the same line again goes
    return result


def with_own_id(line: str, scope: Scope) -> str:
    """Return a line with the id, triple and key of its sentence: it was reworded, and the old words stand elsewhere."""
    fields = parse_fact(line)
    sentence = fields.get("canonical") if fields else None
    if fields is None or not isinstance(sentence, str) or not sentence.strip():
        return line
    claim = claim_from(sentence, scope)
    return _encode_fact({**fields, "id": claim.id, "triple": claim.triple._asdict(), "dedupe_key": claim.key})


def with_kind_of(line: str, other: str) -> str:
    """Return a line with the kind that another line about the same fact names."""
    fields, kind = parse_fact(line), (parse_fact(other) or {}).get("kind")
    return _encode_fact({**fields, "kind": kind}) if fields and kind in SHARED_KINDS else line


def fact_version(line: str) -> tuple[object, str]:
    """Return when a fact was stated last, and its words: a line that has both is the same version of it."""
    return (parse_fact(line) or {}).get("ts"), fact_words(line)


def fact_words(line: str) -> str:
    """Return what a line says apart from when and how often: equal for two lines that state the same fact."""
    fields = parse_fact(line)
    if fields is None:
        return line
    return json.dumps({name: value for name, value in fields.items() if name not in _COUNTERS}, sort_keys=True)


def fact_age(line: str) -> tuple[int, str, str]:
    """Return a key that is greatest for the line that was restated most often, then last."""
    fields = parse_fact(line) or {}
    strength, ts = fields.get("strength"), fields.get("ts")
    return strength if isinstance(strength, int) else 0, ts if isinstance(ts, str) else "", line


def reconcile_fact(base: str | None, mine: str, theirs: str) -> str:
    """Return a fact that both sides may have changed: their edits of fields stay, and so do fields of their own.

    When and how often it was stated is as in mine if it was stated here since.
    """
    their_fields, my_fields = parse_fact(theirs), parse_fact(mine)
    if their_fields is None or my_fields is None:
        return theirs
    base_fields = parse_fact(base or "") or {}
    is_restated = any(base_fields.get(name) != my_fields.get(name) for name in _COUNTERS)
    own = _COUNTERS if is_restated else frozenset()
    edited = {
        name: value
        for name, value in their_fields.items()
        if name not in FIELDS or (name in base_fields.keys() - own and base_fields[name] != value)
    }
    return _encode_fact({**my_fields, **edited}) if edited else mine


def parse_foreign_facts(data: bytes, scope: Scope, limit: int) -> Iterator[FactFileLine]:
    """Yield the lines of a fact file that others wrote. Only sentences, kinds, tags and strengths are read.

    `limit` is the maximum length of a sentence. Lines that are refused have no claim but a reason. Of a conflict that
    a merge left, the lines of both sides are read.
    """
    lines = data.split(b"\n")
    markers = conflict_markers([line.decode("utf-8", "replace") for line in lines if line[:1] in _MARKER_STARTS])
    for number, line in enumerate(lines, 1):
        if line.strip() and not (markers and line.decode("utf-8", "replace") in markers):
            line_hash = sha256(line).hexdigest()
            try:
                claim, kind_inferred, strength = _parse_foreign_fact(line, scope, limit)
                yield FactFileLine(number, line_hash, claim, "", kind_inferred, strength)
            except ValueError as error:
                yield FactFileLine(number, line_hash, None, str(error))


def _parse_foreign_fact(line: bytes, scope: Scope, limit: int) -> tuple[Claim, bool, int]:
    """Return the claim of a line, whether its kind is inferred, and its strength. Raise ValueError with the problem."""
    if len(line) > _MAX_LINE_BYTES:
        raise ValueError(f"longer than {_MAX_LINE_BYTES:,} bytes")
    fields = parse_fact(line.decode("utf-8", "replace")) or {}
    sentence, tags, label, strength = (fields.get(name) for name in ("canonical", "tags", "kind", "strength"))
    text = clean(sentence).strip() if isinstance(sentence, str) else ""
    if not text:
        raise ValueError("not a fact that can be read")
    if len(text) > limit:
        raise ValueError(f"longer than {limit:,} characters")
    raw_tags = [clean(tag) for tag in tags if isinstance(tag, str)][:_MAX_TAGS] if isinstance(tags, list) else []
    if secret := next(filter(None, map(secret_kind, (text, *raw_tags))), None):
        raise ValueError(f"holds a secret ({secret})")
    normalized = ("-".join(normalize_text(tag).split())[:64] for tag in raw_tags if tag)
    kind = SHARED_KINDS.get(label) if isinstance(label, str) else None
    claim = claim_from(text, scope, kind=kind, tags=tuple(dict.fromkeys(normalized)))
    return claim, kind is None, int(min(max(strength, 1), _MAX_STRENGTH)) if isinstance(strength, int) else 1


def fact_id(line: str) -> ClaimId | None:
    """Return the id in a line; None if it has none."""
    if match := _OWN_LINE.match(line):
        return ClaimId(match[1])
    name = (parse_fact(line) or {}).get("id")
    return ClaimId(name) if isinstance(name, str) else None


def parse_fact(line: str) -> dict[str, Any] | None:
    """Return the fields of a line; None if it is not a JSON object."""
    if "{" not in line:  # blank lines, of which there may be many
        return None
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return fields if isinstance(fields, dict) else None


def without_statement(line: str) -> str:
    """Return a line that was reworded by hand without what was derived from its old words: id, triple and key."""
    fields = parse_fact(line) or {}
    return _encode_fact({name: value for name, value in fields.items() if name not in ("id", "triple", "dedupe_key")})


def _id_key(line: str) -> tuple[int, str, str]:
    name = fact_id(line)
    return (1, "", "") if name is None else (0, name, "")


def _statement_key(line: str) -> tuple[int, str, str]:
    if (start := _OWN_LINE.match(line)) and (key := _DEDUPE_KEY.search(line, max(len(line) - 4096, 0))):
        return 0, key[1], start[1]
    fields = parse_fact(line) or {}
    name = fields.get("id")
    return (0, str(fields.get("dedupe_key")), name) if isinstance(name, str) else (1, "", "")


def _encode_fact(fields: Mapping[str, object]) -> str:
    text = json.dumps(fields, ensure_ascii=False, separators=(", ", ": "))
    return escape_deceptive(text, lambda char: json.dumps(char)[1:-1])


# Merging two versions, as git asks for it

MARKER_SIZE = 7
_Lines = tuple[str, ...]


class FactMerge(Record):
    """The merged lines, and how many conflicts are marked in them."""

    lines: list[str]
    conflicts: int


class _FactVersion(Record):
    """One version of a fact file: the lines of each id, usually one, and all other lines."""

    facts: dict[ClaimId, _Lines]
    texts: _Lines


def merge_facts(
    base: Sequence[str], ours: Sequence[str], theirs: Sequence[str], marker_size: int = MARKER_SIZE
) -> FactMerge:
    """Merge two versions of a fact file. Lines of `base` that cannot be read say nothing about who changed what.

    A version with conflict markers counts as one with the lines of both sides.
    """
    old, mine, other = (_parse_version(lines) for lines in (base, ours, theirs))
    merged: list[_Lines] = []
    conflicts = 0
    for name in dict.fromkeys((*mine.facts, *other.facts)):
        sides = mine.facts.get(name, ()), other.facts.get(name, ())
        result = _merge_fact(old.facts.get(name, ()), *sides)
        if result is None:
            conflicts += 1
            result = _marked(*sides, marker_size)
        merged.append(result)
    sort_key = fact_sort_key([line for line in ours if fact_id(line)])
    merged.sort(key=lambda lines: min(map(sort_key, lines), default=(0, "", "")))
    lines = [line for part in merged for line in part]
    # Lines without an id: those of both sides, without those that one side removed.
    lines += [line for line in mine.texts if line in other.texts or line not in old.texts]
    lines += [line for line in other.texts if line not in mine.texts and line not in old.texts]
    return FactMerge(lines, conflicts)


def _parse_version(lines: Sequence[str]) -> _FactVersion:
    facts: dict[ClaimId, _Lines] = {}
    texts: dict[str, None] = {}
    for line in without_markers(lines):
        name = fact_id(line) if parse_fact(line) else None  # a torn line still shows an id
        if name is not None:
            facts[name] = tuple(dict.fromkeys((*facts.get(name, ()), line)))
        elif line.strip():
            texts[line] = None
    return _FactVersion(facts, tuple(texts))


def _merge_fact(base: _Lines, ours: _Lines, theirs: _Lines) -> _Lines | None:
    """Return the lines of one id; None if they conflict."""
    if set(ours) == set(theirs) or set(theirs) == set(base):  # the same on both sides, or changed in ours only
        return ours
    if set(ours) == set(base):  # changed in theirs only
        return theirs
    if not (ours and theirs):  # removed on one side and changed on the other
        return None
    old_words, our_words, their_words = ({fact_words(line) for line in lines} for lines in (base, ours, theirs))
    if our_words == their_words:  # stated again, on one side or on both: the newest line for each wording
        newest = {fact_words(line): line for line in sorted(ours + theirs, key=fact_age)}
        return tuple(newest[words] for words in sorted(newest))
    if our_words == old_words:  # stated again in ours, reworded in theirs
        return theirs
    return ours if their_words == old_words else None  # else both have new words for it


def _marked(ours: _Lines, theirs: _Lines, size: int) -> _Lines:
    return ("<" * size + " ours", *ours, "=" * size, *theirs, ">" * size + " theirs")


def resolve_conflicts(
    lines: Sequence[str], choices: Sequence[Side | None], rename: Callable[[str], str] = str
) -> list[str]:
    """Return the lines with the side that a person chose of each conflict, in their order. With None, it stays.

    With `Side.BOTH`, of lines that say the same with the same id the newest is kept. If they say something else,
    `rename` gives theirs another id. Without conflicts, the file is sorted again.
    """
    result: list[str] = []
    remaining = iter(choices)
    for part in split_conflicts(lines):
        if isinstance(part, str):
            result.append(part)
            continue
        match next(remaining, None):
            case Side.OURS:
                result += part.ours
            case Side.THEIRS:
                result += part.theirs
            case Side.BOTH:
                result += _both_sides(part, rename)
            case None:
                result += _marked(part.ours, part.theirs, MARKER_SIZE)
    is_resolved = None not in choices and len(choices) >= len(find_conflicts(lines))
    return sorted(result, key=fact_sort_key(without_markers(lines))) if is_resolved else result


def _both_sides(conflict: MergeConflict, rename: Callable[[str], str]) -> list[str]:
    kept = {fact_words(line): line for line in conflict.ours}
    our_ids = {fact_id(line) for line in conflict.ours} - {None}
    for line in conflict.theirs:
        words = fact_words(line)
        if words in kept:
            kept[words] = max(kept[words], line, key=fact_age)
        else:
            kept[words] = rename(line) if fact_id(line) in our_ids else line
    return list(kept.values())
