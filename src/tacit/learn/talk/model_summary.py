"""What of a model's summary can be believed: it reports what was said there, and tells nobody what to do.

Later sessions are told of it, so what a command printed cannot speak through it: what it is about must have been said
by the person or the agent, and a sentence that reads as an order, a rule or advice is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tacit.core.provenance import Provenance
from tacit.core.redaction import secret_kind
from tacit.core.text import fold
from tacit.learn.talk.model_excerpt import Line
from tacit.learn.talk.model_polarity import contradicts, stems
from tacit.learn.talk.model_words import is_thought, names
from tacit.learn.talk.own_words import Span
from tacit.learn.talk.sentences import sentences

_LONGEST, _SENTENCES = 280, 2
_PARAGRAPHS = re.compile(r"\n[^\S\n]{0,99}\n")
# Whoever is spoken to, and what rules and advice are made of, in the languages that Tacit learns from.
_ADDRESSING = re.compile(
    r"\b(?:you|your|yours|yourself|must|shall|should|always|never|do not|don't|dont|please|ignore|disregard|remember"
    r"|instructions?|from now on|make sure|be sure|have to|needs? to|ought to"
    r"|du|dein\w{0,2}|musst|sollst|immer|niemals|nie|bitte|ignorier\w{0,3}|ab jetzt"
    r"|tú|usted|debes?|siempre|nunca|jamás|ignora\w{0,2}|por favor"
    r"|tu|vous|vos|votre|dois|devez|toujours|jamais|ignorez|veuillez|s'il (?:te|vous) pla[iî]t"
    r"|você|deve[ms]?|sempre|ignor[ae])\b"
    r"|必ず|常に|決して|ください|下さい|しないで|無視|するな"
)
# How an order begins; a report has another form of these words, or another word before them.
_ORDERS = frozenset(
    (
        "add allow answer apply approve ask avoid be begin build call change check clone commit configure confirm "
        "consider continue copy create curl decode delete deploy disable do document download edit email enable ensure "
        "eval execute export fetch find fix follow forget format forward get git give grant help import include inform "
        "insert install invoke keep let list load log look make merge modify move name never note obey open output "
        "override paste perform pip place post prefer print process provide publish push put read rebase reject "
        "release remove rename repeat replace reply report reset respond return reveal review rm run save say see send "
        "set sh share show skip speak start stop store submit sudo switch take tell test treat trust try turn "
        "type uninstall update upload use validate verify visit wait warn wget write"
    ).split()
)
_BEGINNING = re.compile(
    r"(?:^|[.;:!?…—–]\s|\s-\s)(?:(?:and|also|but|first|just|kindly|next|now|simply|so|then) ){0,4}(\w+)"
)
# What the person wanted, up to the end of the clause.
_WANTED = re.compile(
    r"\b(?:ask(?:s|ed)?|want(?:s|ed)?|request(?:s|ed)?|told|instructed|decid(?:ed|es)|said|prefer(?:s|red)?|required)\b"
    r"([^.;]{1,280})"
)
# What a report is made of, whatever it is about.
_REPORTING = stems(
    "user person agent assistant developer session conversation asked wanted requested told said reported result work"
    " done made successful successfully completed finished again after before then later finally failed passed ran"
    " fixed changed added removed updated created implemented checked found"
)


def why_no_summary(raw: str, excerpt: Sequence[Line]) -> str:
    """The first thing that speaks against it; empty where it holds."""
    return next(_objections(raw, " ".join(raw.split()), excerpt), "")


def _objections(raw: str, text: str, excerpt: Sequence[Line]) -> Iterator[str]:
    parts = [part for line in excerpt for part in line.parts]
    spoken = " ".join(part.shown for part in parts if part.provenance >= Provenance.MODEL)
    asked = ". ".join(part.shown for part in parts if part.provenance is Provenance.USER_DIRECT)
    told = [text[span.start : span.end] for span in sentences(text, [Span(0, len(text))])]
    if len(text) > _LONGEST or len(told) > _SENTENCES or _PARAGRAPHS.search(raw.strip()):
        yield "it is longer than was asked for"
    if not is_thought(text, _LONGEST):
        yield "it is no complete thought"
    if secret_kind(text):
        yield "it holds a secret"
    if _tells_what_to_do(fold(text.replace("’", "'"))):
        yield "it tells somebody what to do"
    if not _is_grounded(text, spoken, " ".join(line.words for line in excerpt)):
        yield "it says what is not in the conversation"
    if any(contradicts(wanted[1], asked) for wanted in _WANTED.finditer(fold(text))):
        yield "it says the opposite of what was asked"


def _tells_what_to_do(text: str) -> bool:
    return bool(_ADDRESSING.search(text)) or any(found[1] in _ORDERS for found in _BEGINNING.finditer(text))


def _is_grounded(text: str, spoken: str, everything: str) -> bool:
    """At least half of it, and every name, was said by the person or the agent; numbers may come from a command."""
    said = {word for word in stems(text) - _REPORTING if not word.isdecimal()}
    return (
        bool(said)
        and 2 * len(said & stems(spoken)) >= len(said)
        and all(fold(name) in fold(everything if name.isdecimal() else spoken) for name in names(text))
    )
