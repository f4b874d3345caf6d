"""Rules as people write them down: without "I" or "you", for whoever reads them.

In the middle of a talk the same words mostly speak of the task at hand; in a prompt that says little else they count.
"""

from __future__ import annotations

from collections.abc import Iterator

from tacit.core.claim import Kind
from tacit.learn.talk.form import AT, START, VERB, Match, form, matches
from tacit.learn.talk.phrase import Phrase

# Something is named that must or should; not "it", not "we".
_SUBJECT = (
    r"(?:[\w`\"')\]](?<!\bit)(?<!\bthis)(?<!\bthat)(?<!\bthere)(?<!\bwe)(?<!\byou)(?<!\bi)(?<!\bthey)"
    r"(?<!\bwhat)(?<!\bthen)(?<!\bno)(?<!\bto)(?<!\bnot)(?<!n't)\s|^\W*|[:.;,(] ?)"
)

# Something that a person who programs works with. What else "should" is mostly what is being made.
_OF_THE_CRAFT = (
    r"^(?=.{0,120}\b(?:code|commits?|tests?|functions?|methods?|class(?:es)?|files?|modules?|packages?|branch(?:es)?"
    r"|prs?"
    r"|pull requests?|comments?|docs?|documentation|errors?|exceptions?|logs?|logging|messages?|names?|naming"
    r"|variables?"
    r"|constants?|imports?|exports?|types?|interfaces?|components?|hooks?|endpoints?|routes?|apis?|quer(?:y|ies)"
    r"|migrations?|schemas?|secrets?|keys?|tokens?|credentials?|configs?|configuration|settings|env|dependenc(?:y|ies)"
    r"|librar(?:y|ies)|scripts?|commands?|builds?|releases?|versions?|changelog|agents?|assertions?|fixtures?|mocks?"
    r"|specs?|services?|repositor(?:y|ies)|repos?|workflows?|pipelines?|ci|linters?|formatter|changes|features?"
    r"|identifiers?|parameters?|arguments?|strings?|paths?|style|flags?|requests?|responses?|checks?|rules?|tools?"
    r"|work|semantics|lines?|tasks?|issues?|tickets?|reviews?|you)\b)"
    r".{0,400}?"
)

# What one says of a fault: it never ends, it always fails.
VERB_OF_BUGS = (
    r"(?:gets?|got|seen|had|been|works?|happens?|ends?|finish(?:es)?|appears?|shows?|updates?|changes?"
    r"|loads?|fires?|remained|collapses?)\b"
)

FORMS = (
    form(
        "avoid",
        Kind.CONSTRAINT,
        3,
        START + r"(?:(?:always|generally|strictly)\s)?avoid:?\s(?!this\b|that\b|it\b)",
        "Avoid global state in library code.",
        impersonal=True,
        acts=True,
    ),
    form(
        "must",
        Kind.CONSTRAINT,
        2,
        _SUBJECT + r"(?:must|shall|may not|cannot|can not|is forbidden|are forbidden|is required to|are required to"
        r"|is mandatory|are mandatory)\s(?:not\s|never\s|always\s|only\s|also\s)?(?:be\s)?\w",
        "Public functions must have a docstring.",
        impersonal=True,
    ),
    form(
        "should",
        Kind.CONVENTION,
        2,
        _OF_THE_CRAFT + _SUBJECT + r"(?:should|need to|needs to|ought to)\s(?:not\s|never\s|always\s|only\s|also\s"
        r"|generally\s)?(?!be able\b)(?:be\s)?\w",
        "Commit messages should name the ticket.",
        impersonal=True,
    ),
    form(
        "only",
        Kind.CONSTRAINT,
        2,
        START
        + r"(?:only|use only|run only|write only|read only|keep only|include only)\s(?!the last\b|one\b|a\b)[\w`\"']"
        r"|\b(?:use|run|add|pass|set|reserve|allow|allowed|supported|raise|suppress|update|install|applies|for|via|in"
        r"|with)\b.{1,60}\sonly(?:[.;,)]|$| (?:for|when|if|in|on|as|to|after|where|via|with|by)\b)"
        r"|\bonly (?:when|if|after|for|in|on|via|as|because|where|what|possible|be)\b",
        "Only raise a floor when the SDK needs it.",
        impersonal=True,
    ),
    form(
        "only this",
        Kind.CONVENTION,
        2,
        r"\s(?:only|exclusively)(?:\s?[.;,)(—–]|$| and\b)|\b(?:is|are|uses?|supports?|has|have|works?|runs?|holds?"
        r"|stores?|adds?|accepts?|sends?|contains?|affects?|receives?) only\s|\b(?:is|are) the only\s|\b(?:is"
        r"|are) [\w`-]+-only\b|\b(?:is|are) exempt from\b|\brequired(?:[.;,)]|$| (?:for|by|in|to|on|\())",
        "Modules are loaded with ESM syntax only.",
        impersonal=True,
    ),
    form(
        "rather than",
        Kind.CONVENTION,
        2,
        START + r"(?:" + VERB + r"|(?:uses|supports|keeps|prefers|returns|takes|writes|runs))\s.{1,100}"
        r"(?:\b(?:rather than|instead of|over)\s|, not (?:(?:at|in|on|the|an?|just|only|via|with)\s|[`\"']))",
        "Patch the driver rather than the caller.",
        impersonal=True,
    ),
    form(
        "this code, not that",
        Kind.CONVENTION,
        3,  # the sign of contrast adds one
        r"`,? not (?:only |just )?`",
        "All calls: `fetch('api/apps')` not `fetch('/api/apps')`.",
    ),
    form(
        "none of it",
        Kind.CONSTRAINT,
        2,
        r"^\W*no (?!.{0,60}\b(?:is|are|was|were|has|have|had|shows?|found|available)\b)(?!(?:problem|need|worr|change"
        r"|error|issue|idea|luck|more|longer|one|way|thank|result"
        r"|difference)\w{0,3}\b"
        r"|(?:it|that|this|i|we|you|the|but|just|not|because|there|lets?|let's|please|don't|do|use)\b)"
        r"[\w`./-]+(?: [\w`./-]+){1,3}\s?(?:[—–;:(.-]\s|[.]?$)",
        "No floating promises; await them or say why.",
        impersonal=True,
    ),
    form(
        "invariant",
        Kind.CONVENTION,
        2,
        r"(?:[a-z`\"')]{2}\s(?:never|always)\s(?!" + VERB_OF_BUGS + r")[a-z]+s\b"
        r"|[a-z]s never (?!" + VERB_OF_BUGS + r")[a-z]+\s"
        r"|\b(?:is|are) (?:always|never) "
        r"(?:[a-z]+ed|in|on|at|an?|the|built|called|named|stored|kept|written|read|set|run)\b)",
        "The hook never blocks a session.",
        impersonal=True,
    ),
    form(
        "command with a purpose",
        Kind.CONVENTION,
        2,
        AT
        + r"(?:use|run|call|invoke)\s(?=[`\"'$./-]|[\w-]+[._/:]\w|(?:make|npm|pnpm|yarn|cargo|go|uv|just|git|docker)\s)"
        r"(?=[^\s]{1,60}(?: [^\s]{1,40}){0,4} (?:to|for|when|whenever|before|after|in)\s)",
        "Run `make docs` to generate the reference.",
        acts=True,
    ),
    form(
        "command of a rule",
        Kind.CONVENTION,
        1,
        r"^(?:[\w .-]{2,40}[:—-]\s)?(?:use|keep|follow|ensure (?:that )?(?:all|every|each|any|no|new|proper|you"
        r"|tests?|code|changes)\b|default to|treat|leave|handle|include|maintain|assume"
        r"|focus on|limit|reserve|minimi[sz]e)\s",
        "Keep functions short and pure.",
        impersonal=True,
        acts=True,
    ),
    form(
        "this, not that",
        Kind.CONVENTION,
        2,
        AT + r"use\s(?=.{1,60}\b(?:instead of|rather than|over|,? not)\s)",
        "Use pathlib rather than os.path.",
        acts=True,
        impersonal=True,
    ),
)


def learn(phrase: Phrase) -> Iterator[Match]:
    return matches(FORMS, phrase)
