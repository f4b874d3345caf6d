"""What was decided: recalled, wished for good, chosen against something else, or put out of scope."""

from __future__ import annotations

from collections.abc import Iterator

from tacit.core.claim import Kind
from tacit.learn.talk.form import AT, WE, Match, form, matches
from tacit.learn.talk.phrase import Phrase

_OFTEN = (
    r"(?:(?:really|explicitly|just|also|currently|now|already|definitely|absolutely|actually|simply|still|all)\s){0,2}"
)

FORMS = (
    form(
        "decided",
        Kind.DECISION,
        5,
        WE + r"(?:'ve| have)?\s" + _OFTEN + r"(?:decided|agreed|settled|chose|opted|standardi[sz]ed|committed)\s"
        r"(?:on|to|for|with|that|against|not|upon)\b",
        "We decided on utils, not schema, for parsing.",
        firm=True,
    ),
    form(
        "moved to",
        Kind.DECISION,
        4,
        r"\bwe(?:'ve| have| are|'re)?\s"
        + _OFTEN
        + r"(?:migrated|switched|moved|moving(?! on\b)|switching|migrating|transitioned|upgraded|changed"
        r"|converted)\s(?:\w+\s|all \w+ |(?:the|our) [\w-]+ (?:[\w-]+ )?)?(?:to|from|away"
        r"|over)\b",
        "We just migrated to pnpm in the web package.",
        firm=True,
    ),
    form(
        "not wanted",
        Kind.DECISION,
        4,
        WE + r"\s" + _OFTEN + r"(?:\w+ly\s)?(?:don't|dont|do not)\s(?:ever\s|really\s)?want\s"
        r"(?!it\b|this\b|that\b|you\b|them\b|to\b|any of)",
        "We don't want tailwind in the admin app.",
        firm=True,
    ),
    form(
        "not wanted to happen",
        Kind.DECISION,
        3,
        WE
        + r"\s"
        + _OFTEN
        + r"(?:\w+ly\s)?(?:don't|dont|do not)\s(?:ever\s|really\s)?want\s(?:to|you to|anyone to|us to)\s(?!see\b"
        r"|know\b|talk\b|be\b|have to\b)",
        "I don't want to delete the old config because I may need it.",
    ),
    form(
        "not needed",
        Kind.DECISION,
        4,
        r"\bwe\s"
        + _OFTEN
        + r"(?:don't|dont|do not)\sneed\s(?!it\b|this\b|that\b|to\b|them\b|any of|the\b|another\b|anymore)",
        "We don't need reversible migrations.",
    ),
    form(
        "wanted so",
        Kind.DECISION,
        4,
        WE
        + r"\s"
        + _OFTEN
        + r"want\s(?:the|all|every|each|our|any|both)\s(?:\S+\s){1,6}?(?:stored|kept|saved|hosted|written|handled"
        r"|defined|logged|cached|persisted|to live|to stay|to be (?:the|a|an|in|on))\b",
        "I want all of that state stored in redis.",
        firm=True,
    ),
    form(
        "rather use",
        Kind.DECISION,
        3,
        r"\blet'?s\s(?:just\s|only\s|rather\s|stick with|stick to|go with|switch to|adopt|not use|use)\s?(?!(?:option"
        r"|approach|number|the (?:first|second|third|other))\b)(?!\d)[\w`\"'$./@-]",
        "Let's use httpx instead of requests.",
    ),
    form(
        "this instead",
        Kind.DECISION,
        3,  # the sign of contrast adds one
        r"\blet'?s (?:just |rather |only )?(?:use|go with|switch to|take)\s(?!option\b|approach\b|it\b|this\b"
        r"|that\b)\S.{0,60}\b(?:instead|rather than)\b",
        "There is no license, let's use Inter instead.",
        firm=True,
    ),
    form(
        "the goal",
        Kind.DECISION,
        4,
        r"\bthe (?:new|main|overall|whole|long-term|only|current|real) (?:goal|aim|purpose|decision|direction"
        r"|strategy) (?:is|here is|now is) (?:to|that)\b",
        "The new goal is to deploy from the CLI.",
    ),
    form(
        "out of scope",
        Kind.DECISION,
        5,
        r"\b(?:not|isn't|aren't|never) (?:a )?(?:part of|in scope|in the scope|within scope)\b|\bout of scope\b"
        r"|\bout of the (?:mvp|scope)\b",
        "Billing is not part of the MVP.",
    ),
    form(
        "should support",
        Kind.DECISION,
        4,
        r"\bwe (?:should|must|need to|have to)\s(?:only\s|always\s|never\s|not\s)?(?:support|target|rely on|depend on"
        r"|stick (?:to|with)|adhere|follow|keep using|stop using|use)\s(?!this\b|that\b|it\b|the same\b)",
        "We should support several model providers.",
    ),
    form(
        "none of either",
        Kind.DECISION,
        5,
        r"\bno [\w-]+(?: [\w-]+)?(?: and| or|,) no [\w-]+",
        "No feature flags and no reversible migrations.",
        firm=True,
    ),
    form(
        "phase",
        Kind.DECISION,
        4,
        r"\bwe(?:'re| are) (?:(?:still|currently|only|now) )?in (?:an? |the )?(?:\w+ )?(?:dev(?:elopment)?|prototype"
        r"|prototyping|beta|alpha|mvp|poc|early|pre-release|greenfield|maintenance)\b(?: (?:mode|phase|stage))?",
        "We are in dev mode, so break what you like.",
        firm=True,
    ),
    form(
        "shall be",
        Kind.DECISION,
        4,
        r"\bin [\w`\"-]+, .{2,60}\b(?:will|are|is|must|should) (?:always )?(?:be )?(?:declared|named|called|written"
        r"|spelled|prefixed|marked|defined)\b",
        "In Obstruct, classes will be declared with cls.",
        firm=True,
    ),
    form(
        "what it will be",
        Kind.DECISION,
        4,
        r"\b(?:this|it) (?:will|is going to|shall) be (?:an? )(?:[\w.-]+ ){0,4}?(?:monorepo|app|apps|application"
        r"|library|cli|tool"
        r"|plugin|package|service|website|site|extension|api|game|bot|framework|sdk)\b",
        "This will be a monorepo with several related apps.",
    ),
    form(
        "will use",
        Kind.DECISION,
        4,
        r"\b(?:we|i)(?:'ll| will|'re going to|'m going to| are going to| am going to|'re| are| am"
        r"|'m)\s(?:be\s)?(?:only\s|not\s|just\s)?(?:use|using|go with|going with|stick with|sticking with|sticking to"
        r"|switch to|adopt|adopting|support|build on)\s(?!it\b|this\b|that\b|them\b|option\b|these\b|\d|your\b"
        r"|claude\b)(?=.{0,80}\b(?:instead|rather|not|for|as|because|since|only|from|over|and not)\b)",
        "We'll use postgres for everything instead of mongo.",
    ),
    form(
        "we will use",
        Kind.DECISION,
        4,
        r"\bwe(?:'ll| will|'re going to| are going to)\s(?:not\s)?(?:be\s|start\s|only\s|also\s)?(?:use|using|adopt"
        r"|adopting|host|deploy to)"
        r"\s(?!it\b|this\b|that\b|them\b|these\b|those\b|the same\b|option\b|your\b|https?:)",
        "We'll be using decap as the content system.",
    ),
    form(
        "put off",
        Kind.DECISION,
        4,
        r"\bwe(?:'ll| will|'re going to| are going to) (?:delay|postpone|defer|leave out|drop|hold off on|hardcode"
        r"|self-host)"
        r"\s(?!it\b|this\b|that\b|them\b)",
        "We'll delay single sign-on to phase two.",
    ),
    form(
        "taken for a purpose",
        Kind.DECISION,
        4,
        AT + r"use [\w.+-]+(?: [\w.+-]+)? (?:for|as) (?:the |our |a |all )?(?:database|db|styling|styles|auth"
        r"|authentication|orm"
        r"|back ?end|front ?end|ui|tests?|testing|state|caching|cache|storage|builds?|bundling|linting|formatting"
        r"|logging"
        r"|routing|deployments?|hosting|icons|charts|validation|migrations|package manager|ci)\b",
        "Use sqlite for the database.",
    ),
    form(
        "does not matter",
        Kind.DECISION,
        3,
        AT + r"(?:(?:don't|dont|do not|no need to) (?:worry|bother|care) (?:about|with)|we don't care about)\s",
        "Don't worry about backwards compatibility.",
        acts=True,
    ),
    form(
        "not wanted to stand",
        Kind.DECISION,
        4,
        WE
        + r"\s"
        + _OFTEN
        + r"(?:don't|dont|do not)\s(?:ever\s|really\s)?want\sto\s(?:have|use|depend on|rely on|support|maintain"
        r"|introduce|ship|store|deal with|add|be tied to)\s(?!it\b|this\b|that\b|them\b|to\b)",
        "I don't want to have tokens under my own account.",
    ),
    form(
        "let it stay",
        Kind.DECISION,
        4,
        r"\blet'?s (?:always )?keep\s(?!this\b|that\b|it\b|going\b|working\b|them\b|both\b|the (?:same|current|old"
        r"|existing)\b)\w",
        "Let's keep the dependencies at a minimum.",
    ),
    form(
        "has to stay",
        Kind.DECISION,
        4,
        r"\b(?:has to|have to|must|needs? to|should) (?:always )?(?:stay|remain|keep working|be compatible|work (?:on"
        r"|with|offline|without)"
        r"|run (?:on|without|offline)|support)\b",
        "The API has to stay compatible with old clients.",
    ),
    form(
        "taken",
        Kind.DECISION,
        4,
        r"\bwe(?:'ve| have)?\s(?:already |just |recently )?(?:went with|gone with|picked|chose|chosen|got rid of"
        r"|dropped|abandoned|stopped using|moved away from|retired|ditched)\s"
        r"(?!it\b|this\b|that\b|them\b|the ball\b)",
        "We went with sqlite because it is easy to deploy.",
    ),
    form(
        "the goal of it",
        Kind.DECISION,
        4,
        r"\bthe (?:\w+ )?(?:goal|aim|purpose|point|idea) (?:of|for|behind) (?:this|the"
        r"|our) [\w-]{2,30}(?: [\w-]{2,30})? is\b",
        "The goal of this package is to have no dependencies.",
    ),
    form(
        "deprecated",
        Kind.DECISION,
        4,
        r"(?<!\bthis)(?<!\bit)(?<!\bthat)(?<!\bthey) (?:is|are) (?:now |officially |considered )?(?:deprecated|legacy"
        r"|obsolete|frozen|discontinued|off limits|end of life)\b",
        "The old admin module is deprecated, build nothing on it.",
        firm=True,
    ),
    form(
        "not needed by me",
        Kind.DECISION,
        4,
        r"\bi\s"
        + _OFTEN
        + r"(?:don't|dont|do not) need (?!it\b|this\b|that\b|to\b|them\b|any of|the\b|another\b|you\b|your\b|help\b"
        r"|more\b|an?\b|all\b)[a-z-]+",
        "I don't need tests for the throwaway scripts.",
    ),
    form(
        "somebody wants it",
        Kind.DECISION,
        4,
        r"\b(?:the |our |my )(?:\w+ )?(?:client|customer|boss|team|company|legal|management|stakeholder)s? (?:wants?"
        r"|requires?|insists?|expects?|prefers?|asked for|needs?)\s",
        "The client wants all labels in Spanish.",
    ),
    form(
        "as agreed",
        Kind.DECISION,
        5,
        r"\b(?:as|like) (?:we )?(?:agreed|discussed|decided|planned)\b(?! (?:in|on) (?:the|this) (?:issue|pr|ticket))"
        r"|\bper our (?:discussion|agreement)\b",
        "As agreed we leave mobile out, desktop only.",
        firm=True,
    ),
    form(
        "stick to it",
        Kind.DECISION,
        4,
        r"\b(?:let'?s (?:just )?|(?:i|we)(?:'d| would)? (?:want|like|prefer) to )(?:stick (?:with|to)"
        r"|standardi[sz]e on|settle on|commit to)\s(?!it\b|this\b|that\b"
        r"|option\b|the (?:plan|first|second|current)\b)\w",
        "Let's stick with bootstrap, the team knows it.",
    ),
)


def learn(phrase: Phrase) -> Iterator[Match]:
    return matches(FORMS, phrase)
