"""From what a person typed to one atomic statement: what is asked of whom, and of which kind it is.

The words stay as they were typed; only what introduces them ("add to memory that …") is cut off. The triple is
what makes two wordings the same statement, so a reason ("because …") is not part of it.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from tacit.core.claim import Claim, Kind, Scope, Triple

_LEAD = re.compile(
    r"(?:please\s+|and\s+)?(?:"
    r"(?:add|save|put|store|commit)\s+(?:this\s+|it\s+)?(?:in)?to\s+(?:the\s+|your\s+)?memory(?:\s*[:,]|\s+that\b)?"
    r"|(?:remember|note|memori[sz]e)\s*(?::|\s+that\b)"
    r"|from\s+now\s+on,?|for\s+(?:the\s+)?future(?:\s+reference)?,?|in\s+this\s+(?:project|repo|repository),?"
    r")\s+",
    re.IGNORECASE,
)
_SCOPE_LEAD = re.compile(r"(global|local|project)\s*:\s*", re.IGNORECASE)
_REASON = re.compile(r"[,;]?\s(?:because|since it|as it)\s.*", re.IGNORECASE | re.DOTALL)
_VERB = r"(?P<verb>[a-z][\w-]*)\s+(?P<object>.+)"
_WHO = r"(?:(?:you|we|agents?|let[’']?s)\s)?"
_IMPERATIVES = frozenset(
    (
        "add ask avoid build call check commit create deploy document ensure fix follow format import include "
        "install keep limit lint load log make merge mock move name open pin place prefer print push put read "
        "rebase release rename return review run save send set show sort split squash start stop store tag "
        "test type update use validate verify wait wrap write"
    ).split()
)

AGENT, USER, PROJECT = "agent", "user", "project"


class Parts(NamedTuple):
    """How a statement reads: its kind unless the person says otherwise, and its triple."""

    kind: Kind
    triple: Triple


class Scoped(NamedTuple):
    """A text without its scope lead, and the scope it asked for (`None`: it did not say)."""

    text: str
    is_global: bool | None


def split_scope(text: str) -> Scoped:
    """`global: I prefer pnpm` asks for the global scope; most texts ask for none."""
    stripped = text.strip()
    found = _SCOPE_LEAD.match(stripped)
    if not found:
        return Scoped(stripped, None)
    return Scoped(stripped[found.end() :], found[1].lower() == "global")


def bare(text: str) -> str:
    """The statement without the words that only introduce it."""
    rest = text.strip()
    while (found := _LEAD.match(rest)) and found.end() < len(rest):
        rest = rest[found.end() :].lstrip()
    return rest


def claim_from(text: str, scope: Scope, *, kind: Kind | None = None, tags: tuple[str, ...] = ()) -> Claim:
    """The claim that a text makes; its sentence is the text, its triple what the text says."""
    sentence = bare(text)
    parts = read(sentence)
    return Claim(kind or parts.kind, scope, parts.triple, sentence, tags)


def read(sentence: str) -> Parts:
    """The first reading that fits; a text that fits none is its own statement."""
    plain = _REASON.sub("", sentence.strip(), count=1).rstrip() or sentence
    for pattern, parts_of in _READINGS:
        if found := pattern.fullmatch(plain):
            parts = parts_of(found)
            if parts is not None:
                return parts
    return Parts(Kind.RULE, Triple("note", "says", sentence))


def _never(found: re.Match[str]) -> Parts:
    return Parts(Kind.CONSTRAINT, Triple(AGENT, f"never {found['verb']}", found["object"]))


def _always(found: re.Match[str]) -> Parts:
    return Parts(Kind.RULE, Triple(AGENT, f"always {found['verb']}", found["object"]))


def _prefers(found: re.Match[str]) -> Parts:
    return Parts(Kind.PREFERENCE, Triple(USER, "prefers", found["object"]))


def _uses(found: re.Match[str]) -> Parts:
    return Parts(Kind.CONVENTION, Triple(PROJECT, "uses", found["object"]))


def _unwanted(found: re.Match[str]) -> Parts:
    return Parts(Kind.CONSTRAINT, Triple(USER, "does not want", found["object"]))


def _avoided(found: re.Match[str]) -> Parts:
    return Parts(Kind.CONSTRAINT, Triple(AGENT, "never use", found["object"]))


def _taken(found: re.Match[str]) -> Parts:
    return Parts(Kind.DECISION, Triple(PROJECT, "uses", found["object"]))


def _decided(found: re.Match[str]) -> Parts:
    return Parts(Kind.DECISION, Triple(PROJECT, "decided on", found["object"]))


def _used_for(found: re.Match[str]) -> Parts:
    return Parts(Kind.RULE, Triple(found["purpose"], "uses", found["object"]))


def _fix(found: re.Match[str]) -> Parts:
    return Parts(Kind.KNOWN_FIX, Triple(found["when"], "is fixed by", found["object"]))


def _is(found: re.Match[str]) -> Parts:
    kind = Kind.RULE if found["be"].startswith(("must", "should")) else Kind.CONVENTION
    return Parts(kind, Triple(found["subject"], found["be"], found["object"]))


def _imperative(found: re.Match[str]) -> Parts | None:
    if found["verb"].lower() not in _IMPERATIVES:
        return None
    if found["verb"].lower() == "prefer":
        return _prefers(found)
    return Parts(Kind.RULE, Triple(AGENT, found["verb"].lower(), found["object"]))


def _reading(
    pattern: str, parts_of: Callable[[re.Match[str]], Parts | None]
) -> tuple[re.Pattern[str], Callable[[re.Match[str]], Parts | None]]:
    return re.compile(pattern, re.IGNORECASE | re.DOTALL), parts_of


# Tried in this order. `\s` is never repeated beside a repeated class that contains it: no blow-up on long blanks.
_READINGS = (
    _reading(
        r"(?:i|we)\s(?:really\s|explicitly\s)?(?:do\snot|don[’']?t)\s(?:want|need|like)\s(?P<object>.+)", _unwanted
    ),
    _reading(
        rf"{_WHO}(?:must\s|should\s)?(?:never|do\snot|don[’']?t|must\snot|mustn[’']t)\s(?:ever\s)?(?!have\b|know\b){_VERB}",
        _never,
    ),
    _reading(rf"{_WHO}(?:must\s|should\s)?(?:always|must)\s(?!be\b|have\b){_VERB}", _always),
    _reading(r"avoid\s(?:using\s|the\suse\sof\s)(?P<object>.+)", _avoided),
    _reading(r"let[’']?s\s(?:just\s)?use\s(?P<object>.+)", _taken),
    _reading(  # a command or an error that is quoted may hold commas
        r"(?:if|when)\s(?P<when>.{0,400}?(?:error|fail|crash|hang).{0,400}?),\s(?:then\s)?"
        r"(?P<object>(?:use|run|set|pass|put|write|install|add|start|give)\s.+)",
        _fix,
    ),
    _reading(r"(?:if|when)\s(?P<when>[^,]*(?:error|fail|crash|hang)[^,]*),\s(?:then\s)?(?P<object>.+)", _fix),
    _reading(
        r"(?:i|we)(?:[’']d|\swould)?\s(?:(?:usually|always|generally|really)\s)?prefer(?:\sto\suse|\susing)?\s(?P<object>.+)",
        _prefers,
    ),
    _reading(r"(?:i|we)\s(?:like|want|love)\s(?P<object>.+)", _prefers),
    _reading(
        r"(?:i|we|let[’']?s)\s(?:have\s)?(?:decided|chose|agreed)\s(?:on\s|to\s(?:use\s)?)?(?P<object>.+)", _decided
    ),
    _reading(r"(?:we|this\sproject)\s(?:(?:always|only)\s)?uses?\s(?P<object>.+)", _uses),
    _reading(r"use\s(?P<object>\S+)\sfor\s(?P<purpose>.+)", _used_for),
    _reading(
        r"(?P<subject>(?!it\b|this\b|that\b|there\b)[^\s,.;:]+(?:\s[^\s,.;:]+){0,5})\s"
        r"(?P<be>(?:must|should)\sbe|is|are|=|lives?\sin)\s(?P<object>.+)",
        _is,
    ),
    _reading(_VERB, _imperative),
)
