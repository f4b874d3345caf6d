"""What was tried and given up, so that nobody tries it again."""

from __future__ import annotations

from collections.abc import Iterator

from tacit.core.claim import Kind
from tacit.learn.talk.form import WE, Match, form, matches
from tacit.learn.talk.phrase import Phrase

FORMS = (
    form(
        "on purpose",
        Kind.DECISION,
        5,
        r"\b(?:removed|dropped|disabled|left out|deleted|reverted|ripped out|omitted|kept|chose|avoided?|not there"
        r"|absent|missing)\b.{0,60}\b(?:on purpose|intentionally|deliberately|by design|for a reason)\b"
        r"|\b(?:intentionally|deliberately|purposely)\s(?:removed|dropped|disabled|left|deleted|reverted|kept|chose"
        r"|avoid|omit|not)\w*\b",
        "We removed the cache on purpose.",
        firm=True,
    ),
    form(
        "tried in vain",
        Kind.DECISION,
        4,
        WE
        + r"(?:'ve| have)?\s(?:already\s)?(?:tried|attempted|tested|evaluated)\s.{2,80}\b(?:but|and)\s(?:it|that|they"
        r"|this|we)\s(?:\w+\s)?(?:didn't|did not|doesn't|does not|was|were|broke|failed|caused|had to|went back"
        r"|reverted|made)\b",
        "We tried esbuild but it broke the decorators.",
        firm=True,
    ),
    form(
        "did not work, because",
        Kind.DECISION,
        4,
        r"\b(?:didn't|did not|doesn't|does not|won't|will not) (?:really )?work (?:out |for us |here "
        r"|there )?(?:because|since|due to)\b",
        "Server components did not work because of the editor.",
        firm=True,
    ),
    form(
        "no longer needed",
        Kind.DECISION,
        4,
        r"(?<!\bthis)(?<!\bit)(?<!\bthat)(?<!\bthey) (?:is|are) (?:not (?:needed|used|supported|maintained) any ?more"
        r"|no longer (?:needed|used|supported|maintained))\b",
        "The backend service is not needed anymore.",
    ),
    form(
        "no longer used",
        Kind.DECISION,
        4,
        r"\bwe (?:no longer|don't|do not) (?:use|support|maintain|need|ship|rely on)\s(?!it\b|this\b|that\b|them\b"
        r"|any of).{2,60}\b(?:any ?more|any longer)\b|\bwe no longer (?:use|support|maintain|ship|rely on|have|need"
        r"|require|allow|want|do)\s(?!it\b"
        r"|this\b|that\b)",
        "We no longer support Node 16.",
    ),
)


def learn(phrase: Phrase) -> Iterator[Match]:
    return matches(FORMS, phrase)
