"""What the person teaches: what always holds, what holds from now on, what belongs into the rules."""

from __future__ import annotations

from collections.abc import Iterator

from tacit.core.claim import Kind
from tacit.learn.talk.form import AT, VERB, Match, form, matches
from tacit.learn.talk.phrase import Phrase

_RULES = (
    r"(?:claude|agents?|gemini|cursor|copilot|conventions?|contributing|rules?)(?:[ .]?md\b|[ -](?:rules?"
    r"|instructions|conventions|guidelines)\b|\.mdc?\b)"
)

FORMS = (
    form(
        "always together",
        Kind.PREFERENCE,
        5,
        r"\blet'?s always\s",
        "Let's always take the simplest solution.",
        firm=True,
    ),
    form(
        "always",
        Kind.CONVENTION,
        5,
        AT + r"(?:(?:you|we|i|agents?)\s)?(?:(?:must|should|need to|have to)\s)?always\s"
        r"(?!(?:been|had|being|a|an|the|in|on|so|same|visible|red|green|be able|show|display|appear|open|see"
        r"|have an? (?:\w+ ){0,2}(?:button|icon|link|menu|toggle|tooltip)"
        r"|wondered|wanted|liked|loved|thought|hated|assumed|believed|hoped)\b)(?:"
        + VERB
        + r"\b(?! (?:that|this|it)\b)|[`\"'])",
        "Always run the linter before you commit.",
        firm=True,
    ),
    form(
        "asked to do always",
        Kind.CONVENTION,
        5,
        r"\b(?:update|change|rewrite|configure|fix|want|need|like|ask|told|tell|adjust"
        r"|instruct)\b[^,.;]{0,40}\bto (?:always|never)\s" + VERB,
        "Update the templates to always use the new header.",
        firm=True,
    ),
    form(
        "from now on",
        Kind.PREFERENCE,
        2,  # the sign of future scope adds three
        r"\b(?:from now on|going forward|moving forward|for future reference|henceforth|in future)\b|\bin the future,",
        "From now on run the tests with -n0.",
        firm=True,
    ),
    form(
        "next time",
        Kind.CONSTRAINT,
        4,
        AT + r"(?:next time,?|(?:every ?time|each time|any ?time|whenever) (?:you|an? agent|the agent"
        r"|agents))\s[^,]{2,80},\s(?:it\s|they\s)?"
        r"(?:please\s|also\s|always\s|then\s|make sure (?:to|you)\s|you (?:should|must|have to|need to)\s)?"
        r"(?!is\b|are\b|why\b|what\b|how\b|does\b)" + VERB + r"\b",
        "Every time you add a flag, add it to the docs.",
    ),
    form(
        "all of them",
        Kind.CONVENTION,
        4,
        r"(?:^|[,;:.(—–*-]\s{0,2}|\b(?:and|but|also|so|because|that|remember|since|then)\s)"
        r"(?:every|each|all|any)\s(?!of (?:that|this|it|them)\b|the (?:way|time"
        r"|rest)\b)[\w`\"'/.-]+(?:\s[\w`\"'/.-]+){0,7}?\s"
        r"(?:must|should|needs? to|needs?|has to|have to|has its own|have their own|goes?|lives?|belongs?|requires?"
        r"|gets|is a|are(?! (?:provided|attached|listed|described|below|above|here|there|in (?:the|this) (?:attached"
        r"|uploaded)))"
        r")\b",
        "Every migration needs a test of its own.",
        impersonal=True,
    ),
    form(
        "everything",
        Kind.CONSTRAINT,
        4,
        r"\b(?:everything|all (?:new )?(?:code|tests?|commits?|files?|functions?)) (?:must|should|has to|have to"
        r"|needs to|need to|goes through|go through|runs through|happens in|is done)\s",
        "Everything must be typed, also in tests.",
    ),
    form(
        "for all of them one wishes",
        Kind.PREFERENCE,
        4,
        r"\bfor (?:every|each|all)\s.{2,60}\b(?:i'd like|i would like|i want|i'd prefer|we want|we use|use)\b",
        "For every test I'd like literal expectations.",
    ),
    form(
        "into the rules",
        Kind.CONVENTION,
        5,
        r"\b(?:updat|add|put|writ|not|includ|mention|document|record|sav)(?:e|ing|ed)?\b.{0,60}\b"
        + _RULES
        + r".{0,40}?\b(?:to|that|saying|with)\s(?:always|never|not|allow|use|prefer|avoid|require|only|the rule|don't"
        r"|we|you|all|every)\b",
        "Update CLAUDE.md to allow top-level await.",
        firm=True,
    ),
    form(
        "a rule of it",
        Kind.CONVENTION,
        5,
        r"\b(?:create|add|make|write|have|introduce|set)\s(?:a|an|another|new|the)?\s?(?:new |cursor |claude "
        r"|project |lint )?(?:rule|policy|guideline|convention)s?\s(?:that|to|which|saying|:|not to|never to|about)\s"
        r"|\bthe rules? (?:should )?(?:mentions?|says?|states?|is|are)\s(?:that|to)\b",
        "Add a rule that every endpoint has a test.",
        firm=True,
    ),
    form(
        "to remember",
        Kind.CONVENTION,
        3,
        r"^\W*remember to (?:use|run|follow|keep|write|validate|check)\s",
        "Remember to use the validators of the project.",
        acts=True,
    ),
    form(
        "should always",
        Kind.CONVENTION,
        5,
        r"\b(?:should|must|shall|need to|needs to|has to|have to) always\s" + VERB,
        "Handlers should always return a result.",
    ),
    form(
        "each time",
        Kind.CONVENTION,
        4,
        r"\b(?:after|before|with|at the end of|on) (?:every|each|any)\s(?!of the\b)(?:\w+\s){0,2}?(?:change|commit"
        r"|edit|session|task|step|feature|release|deploy|deployment|merge|push|pr|pull request|iteration|phase|turn"
        r"|message|response|fix|refactor|update)\b",
        "Run the tests after each change.",
    ),
    form(
        "before it is shared",
        Kind.CONVENTION,
        3,
        r"\b(?:before|prior to)\s(?:you\s|we\s|ever\s)?(?:commit|push|merg|deploy|releas|open(?:ing)? a pr|creat(?:e"
        r"|ing) a pr|submit)(?:t?ing|e)?\b",
        "Generally run the formatter before committing.",
        impersonal=True,
    ),
    form(
        "when doing one, do the other",
        Kind.CONVENTION,
        4,
        AT + r"(?:when|whenever|if|once) you (?:add|change|create|touch|write|edit|rename|introduce|modify"
        r"|make)\s[^.;]{2,60}\b(?:also|always|make sure)\b",
        "When you add an env var also add it to .env.example.",
    ),
    form(
        "made sure of",
        Kind.CONSTRAINT,
        6,  # the sign of what is asked takes two
        r"\bmake sure (?:that )?(?:anything|everything|every|each|no|all) (?!the\b|of\b"
        r"|tests? pass)(?:[\w`./-]+ ){1,6}?"
        r"(?:is|are|goes|go|has|have|uses?|stays?|gets?|lives?)\s(?!(?:fixed|done|there|correct|working|green|updated"
        r"|ok|passing"
        r"|removed|added|still|in place)\b)",
        "Make sure anything you install goes into a virtual environment.",
    ),
    form(
        "everywhere",
        Kind.CONVENTION,
        4,
        r"(?<!look)(?<!used)(?<!search)(?<!checked)(?<!looked) (?:everywhere|throughout|at all times"
        r"|across the (?:board|codebase|repo|project|app))\b",
        "Double quotes everywhere in Python, please.",
    ),
    form(
        "named as a rule",
        Kind.CONVENTION,
        5,
        r"^\W*(?:design |general |coding |project |important |new |hard )?(?:decision|rule|convention|policy"
        r"|principle|guideline|requirement|constraint|mandatory|forbidden|disallowed|prohibited|not allowed|never"
        r"|always"
        r"|do not|don't)s?:\W{0,3}\s",
        "Design decision: the command line stays stateless.",
        firm=True,
    ),
    form(
        "when in doubt",
        Kind.CONVENTION,
        5,
        r"\b(?:when|if) (?:in doubt|unsure|you(?:'re| are) (?:unsure|not sure|stuck|uncertain)|something is unclear)\b",
        "When in doubt ask me, don't guess.",
        firm=True,
    ),
)


def learn(phrase: Phrase) -> Iterator[Match]:
    return matches(FORMS, phrase)
