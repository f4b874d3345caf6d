"""Recognising lines in the form that Tacit writes, without decoding them.

`known_form` is for checks that read a whole log: a line that it recognises and whose checksum matches needs no decoding
to say that it can be decoded. It may be wrong in one direction only: a line that it does not recognise may be fine.
"""

from __future__ import annotations

import re

from tacit.log.codec import EVENT_TYPES, PROVENANCE_BY_NAME
from tacit.model.claim import Kind
from tacit.model.event import PROPOSING_VERDICTS, Verdict
from tacit.model.ids import EventId
from tacit.record import Record

# A text as Tacit writes it: printable ASCII, and no character that need not be is escaped. Surrogates are left out: a
# lone one is in no text.
_TEXT = rb'"[ !#-\[\]-~]*(?:\\(?:["\\bfnrt]|u(?!d|00[2-7]|000[89acd])[0-9a-f]{4})[ !#-\[\]-~]*)*"'
_FILLED_TEXT = rb'(?!"")' + _TEXT
_UUID = rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
# A leap day needs a leap year: no other line than that of 29 February depends on the year.
_MONTH_DAY = rb"(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)"
_LEAP_YEAR = rb"(?:[12][0-9](?:0[48]|[2468][048]|[13579][26])|(?:1[26]|2[048])00)"
_DAY = rb"(?:[12][0-9]{3}-%s|%s-02-29)" % (_MONTH_DAY, _LEAP_YEAR)
_TIME = rb"%sT(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{6}Z" % _DAY
_TEXTS = rb"\[%s(?:,%s)*\]" % (_TEXT, _TEXT)


def _any_of(*names: str) -> bytes:
    return b"(?:" + b"|".join([re.escape(name).encode("ascii") for name in names]) + b")"


_CLAIM = (
    rb'\{"kind":"%s","scope":(%s),"sentence":%s,"tags":(?:\[\]|%s)'
    rb',"triple":\{"object":(%s),"predicate":(%s),"subject":(%s)\}\}'
) % (_any_of(*(kind.label for kind in Kind)), _TEXT, _TEXT, _TEXTS, _TEXT, _TEXT, _TEXT)
_PROPOSAL = (
    rb'\{"actor":%s,"body":\{(?:"carried_strength":[1-9][0-9]{0,8},)?"claim":%s'
    rb'(?:,"confidence":(?:0\.[0-9]{0,9}[1-9]|1\.0))?(?:,"events":%s)?(?:,"evidence":%s)?'
    rb'(?:,"kind_inferred":true)?(?:,"private":true)?(?:,"reason":%s)?(?:,"source":%s)?\},"host":%s'
) % (_TEXT, _CLAIM, _TEXTS, _FILLED_TEXT, _FILLED_TEXT, _FILLED_TEXT, _TEXT)
# The keys behind the body. Before them is a text, so they cannot be part of one; the brace closes the line.
_END = (
    rb',"id":"(%s)","op":"%s","scope":%s,"sess":%s,"src":"%s","ts":"%s","type":"(%s)","tz":(?:0|-?[1-9][0-9]{0,3}),"v":1'
    rb'(?:,"m":"[0-9a-f]{32}")?,"c":"[0-9a-f]{8}"\}'
)


def _end(types: bytes) -> bytes:
    return _END % (_UUID, _UUID, _TEXT, _TEXT, _any_of(*PROVENANCE_BY_NAME), _TIME, types)


_PROPOSAL_LINE = re.compile(_PROPOSAL + _end(_any_of(*(verdict.value for verdict in PROPOSING_VERDICTS))))
_PLAIN_LINE = re.compile(re.sub(rb"(?<!\\)\((?!\?)", rb"(?:", _PROPOSAL_LINE.pattern))  # without groups
_LINE_END = re.compile(_end(rb"[a-z.]+"))
_KNOWN_TYPES = frozenset(name.encode("ascii") for name in EVENT_TYPES) - {b"log.sealed"}
_CLAIM_TYPES = frozenset(verdict.value.encode("ascii") for verdict in Verdict)


class KnownForm(Record):
    """What is known of a line without decoding it.

    Attributes:
        event: the id of its event.
        has_claims: it is about claims.
        claim: scope, subject, predicate and object of its only claim, as JSON writes them; None if that is not known.
        is_plain: the line is what Tacit writes for its event, byte for byte. Otherwise only its end is known.
    """

    event: EventId
    has_claims: bool
    claim: tuple[bytes, bytes, bytes, bytes] | None
    is_plain: bool


def known_form(line: bytes) -> KnownForm | None:
    """Return what a line is; None if that is not known, and for fragments that were sealed."""
    if match := _PROPOSAL_LINE.fullmatch(line):
        scope, object_, predicate, subject, event, _ = match.groups()
        return KnownForm(EventId(event.decode("ascii")), True, (scope, subject, predicate, object_), True)
    if b"\\ud" in line:  # perhaps a lone surrogate, which no text may have
        return None
    start = line.rfind(b',"id":"')
    match = _LINE_END.fullmatch(line, start) if start >= 0 else None
    if match is None or match[2] not in _KNOWN_TYPES:
        return None
    return KnownForm(EventId(match[1].decode("ascii")), match[2] in _CLAIM_TYPES, None, False)


def is_plain_form(line: bytes) -> bool | None:
    """Return `known_form(line).is_plain`, None if that is None. It takes half the time."""
    if _PLAIN_LINE.fullmatch(line):
        return True
    return None if known_form(line) is None else False
