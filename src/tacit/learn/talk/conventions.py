"""How the project does things and is built: "we" with the simple present, where things live, what a thing is called."""

from __future__ import annotations

from collections.abc import Iterator

from tacit.core.claim import Kind
from tacit.learn.talk.form import AT, Match, form, matches
from tacit.learn.talk.phrase import Phrase

_OFTEN = (
    r"(?:(?:really|explicitly|just|also|currently|now|already|only|always|usually|generally|typically|all"
    r"|normally|never|mostly)\s){0,2}"
)
_PATH = (
    r"[`\"']?(?:[\w.@-]*[/\\][\w./\\@<>*-]+|[\w-]+\.(?:md|ts|tsx|js|py|go|rs|json|toml|ya?ml|sh|sql|env|css|html"
    r"|rb|java)\b|`)"
)

FORMS = (
    form(
        "practice",
        Kind.CONVENTION,
        4,
        r"\bwe\s"
        + _OFTEN
        + r"(?:use|store|keep|support|treat|consider|avoid|stick to|encode|represent|organi[sz]e|indent|tag|deploy"
        r"|follow|target|rely on|ship|format|lint|host|version|require|enforce|name"
        r"|prefix|generate|mock|squash|rebase|pin|vendor|publish|document)\s"
        r"(?!it\b|this\b|that\b|them\b|the (?:same|new|result)\b|to\b|for\b|(?:get|see|fail|runn|go|hav|try"
        r"|mak)\w*ing\b)",
        "We use go-git here to be independent of a checkout.",
        firm=True,
    ),
    form(
        "practice always",
        Kind.CONVENTION,
        5,
        r"\bwe (?:always|usually|generally|typically|normally|never|only)\s(?!had\b|get\b|got\b|see\b|been\b|have\b"
        r"|want\b|need\b)[a-z]+\s(?!that\b|this\b|it\b)",
        "We always squash before merging.",
        firm=True,
    ),
    form(
        "no practice",
        Kind.CONVENTION,
        4,
        r"\bwe\s" + _OFTEN + r"(?:don't|dont|do not)\s(?:actually |really |ever |even )?"
        r"(?!(?:know|see|get|expect|seem|deal|want|need|care|think|understand|forget|run into|worry|mind|like|lose"
        r"|break|remember|necessarily|just|have (?:to|any|it|this|that|the|much|enough|time)|setup|set up)\b)[a-z]+\s"
        r"(?!it\b|this\b|that\b|them\b|anything\b|`[^`]*` any ?more)",
        "We don't commit generated files.",
    ),
    form(
        "is this, not that",
        Kind.CONVENTION,
        4,
        r"(?<!\bit )(?<!\bthis )(?<!\bthat )(?<!\bthey )\b(?:is|are|uses|go(?:es)? (?:in|to)|lives? in"
        r"|belongs? (?:in|to)) (?:just |only |called |in |named "
        r"|always )?(?!there\b|(?:[`\"'\w./-]+ ){0,2}but\b)[`\"'\w./-]+(?: [`\"'\w./-]+){0,2},? not (?:just |in "
        r"|an? )?[`\"'\w./-]+",
        'The trailer is "Checkpoint:", not "Entire-Checkpoint:".',
    ),
    form(
        "called so",
        Kind.CONVENTION,
        4,
        r"\bwe (?:always |usually )?(?:call|name|refer to) (?:it|them|these|those|this|our \w+|the \w+) "
        r"(?!by\b|again\b|when\b|if\b|in\b|from\b|with\b|at\b|back\b)[`\"'\w-]+",
        "We call them workspaces, not projects.",
    ),
    form(
        "lives in",
        Kind.CONVENTION,
        5,
        r"\b(?:lives?|goes|go|belongs?|(?:should|must|will|to) (?:live|go|be (?:put|stored|placed|kept|defined|saved"
        r"|written)|stay)"
        r"|(?:is|are|be|jobs?|code|logic|tests?) (?:defined|stored|kept|located|placed|configured|declared|documented"
        r"|saved))\s(?:in|at|under|inside|into)\s(?:the\s)?" + _PATH,
        "Cron jobs are defined at src/cron/name.service.ts.",
    ),
    form(
        "that is where",
        Kind.CONVENTION,
        4,
        r"\b(?:that's|that is|this is|which is) (?:where|how|why|the way) (?:i|we) (?:need|want|like|prefer|work|keep"
        r"|put|store|do|always|use"
        r"|write)\b",
        "That's where we keep the fixtures.",
        firm=True,
    ),
    form(
        "instead of that, this",
        Kind.CONVENTION,
        4,
        AT + r"instead of [^,]{2,60},? (?:always )?(?:use|we use)\s(?!it\b|this\b|that\b|the\b)",
        "Instead of example.com use our own domain.",
    ),
    form(
        "convention named",
        Kind.CONVENTION,
        4,
        r"\b(?:our|the|this (?:project|repo)(?:'s)?) (?:convention|standard|policy|rule|style|naming|pattern"
        r"|architecture|structure)s? (?:is|are|says|requires|for)\b",
        "Our convention is one file per route.",
    ),
    form(
        "ours",
        Kind.CONVENTION,
        4,
        r"\bour (?:[\w`\"'/.-]+ ){1,3}?(?:is|are|uses?|runs?|lives?|has|have|doesn't|don't|goes|go|needs?|expects?"
        r"|requires?|handles?|supports?|follows?|targets?)\s(?!not working|the same)",
        "Our API handlers use the result type.",
    ),
    form(
        "need not",
        Kind.CONVENTION,
        4,
        r"(?:^|[,;:.]\s|\bthat\s)(?!(?:[\w'-]+\s){0,4}?(?:i|we|you|it|they|this|that"
        r"|please)\s)[\w`\"'/.-]+\s(?:[\w`\"'/.()-]+\s){0,3}?(?:doesn't|doesnt|does not|don't|do not)\s(?:have to"
        r"|need to|need|require|support)\s",
        "The description doesn't need to repeat the instructions.",
    ),
    form(
        "has none",
        Kind.CONVENTION,
        4,
        r"\bwe (?:don't|dont|do not) have (?:an? |any )(?:\w+ ){0,2}\w+(?: in| for|[.,;]|$)",
        "We don't have a user entity in the model.",
    ),
    form(
        "kept there",
        Kind.CONVENTION,
        4,
        AT
        + r"(?:keep|put|store|save|place|track)\s(?:our|all|any|every|new|your|these sorts of)\s.{2,50}?\s(?:in|under"
        r"|at|inside|into)\s",
        "Keep our working documentation in linear.",
    ),
    form(
        "being used",
        Kind.CONVENTION,
        4,
        r"\bwe(?:'re| are)\s(?:not |only |all |actually |intentionally |already )?(?:using|targeting|deploying"
        r"|building on|storing|hosting|relying on)\s(?!it\b|this\b|that\b|them\b|different\b|the same\b|two\b)",
        "We are using sqlc in every service.",
    ),
    form(
        "of this project",
        Kind.CONVENTION,
        5,
        r"\bthis (?:project|repo|repository|codebase|app|package|library|module)\s(?:only |also |already |does not "
        r"|doesn't )?(?:uses?|requires?|targets?|supports?|follows?|runs on|depends on|must|should|has no"
        r"|is an? \w+(?: \w+)? (?:app|project|library|monorepo|service))\b",
        "This project uses uv for everything.",
    ),
    form(
        "source of truth",
        Kind.CONVENTION,
        4,
        r"\b(?:is|are|remains?|as) (?:the|our) (?:single |only )?(?:source of truth|canonical \w+"
        r"|reference implementation)\b",
        "The schema file is the source of truth.",
    ),
    form(
        "how it is run",
        Kind.CONVENTION,
        4,
        r"\b(?:tests?|ci|builds?|linters?|linting|migrations?|deploys?|deployments?|releases?|formatting"
        r"|secrets?)\s(?:are |is |get |gets |must be |should be )?(?:run|runs|built|done|deployed|handled|triggered"
        r"|managed|released)\s(?:only )?(?:with|via|in|on|through|by|from|using|inside)\s(?!the background|parallel"
        r"|my\b|it\b|this\b|that\b)",
        "Tests are run with mise in every package.",
    ),
    form(
        "made with",
        Kind.CONVENTION,
        4,
        r"\b(?:is|are) (?:all )?(?:written|built|implemented|developed) (?:in|with|on top of|using)\s(?!mind\b"
        r"|the same\b|a (?:way|hurry)\b)",
        "The backend is written in Go with sqlc.",
    ),
    form(
        "kept so",
        Kind.CONVENTION,
        4,
        AT + r"keep\s.{2,50}\b(?:backwards?[- ]compatible|in sync|up[- ]to[- ]date|consistent|stateless"
        r"|dependency[- ]free|separate from)\b",
        "Keep the public API backwards compatible.",
    ),
    form(
        "by convention",
        Kind.CONVENTION,
        4,
        r"\b(?:as a (?:convention|rule|principle|policy|general rule|rule of thumb)|by convention"
        r"|per our (?:convention|policy|style guide)|in general, )",
        "As a convention test files end with _spec.rb.",
    ),
    form(
        "practice, supported",
        Kind.CONVENTION,
        3,  # here, for a reason, instead of something: one of these has to come along
        r"\bwe\s" + _OFTEN + r"(?:call|run|write|build|test|log|cache|validate|review|merge|create|return|handle"
        r"|import|define|wrap|load)\s"
        r"(?!it\b|this\b|that\b|them\b)",
        "We write comments in English because of the team.",
    ),
    form(
        "live together",
        Kind.CONVENTION,
        4,
        r"\b[a-z]+s (?:all )?live (?:next to|beside|in|under|inside|with|outside|at)\s",
        "Tests live next to the code in this repo.",
    ),
    form(
        "what it is",
        Kind.CONVENTION,
        4,
        r"\b(?:it's|it is|this is|we have|we're|we are) (?:an? )?(?:\w+ ){0,2}?(?:monorepo|side project"
        r"|personal project|open[- ]source project|static site|two[- ]person team|small team)\b"
        r"|\b(?:this|it) is an? (?!(?:test|new|small|simple|good|nice|draft|different|big|bad"
        r"|fresh)\b)[\w.+-]+(?: \d[\w.]*)?"
        r" (?:project|codebase|repo)\b(?! (?:i|we|you|to)\b)",
        "It's a monorepo that is managed with turborepo.",
    ),
    form(
        "one of our own",
        Kind.CONVENTION,
        4,
        r"\bwe (?:already )?have (?:our own|an? (?:existing|shared|internal|custom)|existing|shared|dedicated)\s\w+",
        "We have our own fetch wrapper in lib/http.ts.",
    ),
    form(
        "done by",
        Kind.CONVENTION,
        4,
        r"(?:^|[,;.:]\s|\b(?:and|but|because|since|that)\s)(?:our |all |the )?(?:[\w-]+ ){0,2}?[a-z]+s are (?:all "
        r"|always |only )?(?:\w+ed|built|written|sent|kept|run) (?:with|by|via|using|through)\s(?!the\b|an?\b|\d)",
        "Backend errors are logged with structlog.",
    ),
    form(
        "the usual one",
        Kind.CONVENTION,
        4,
        r"\b(?:is|are) (?:the|our) (?:minimum|maximum|default|preferred|standard|official|primary|recommended"
        r"|canonical|target)\b",
        "Python 3.9 is the minimum we support.",
    ),
    form(
        "found in",
        Kind.CONVENTION,
        4,
        r"\b(?:design system|docs?|documentation|config(?:uration)?s?|tests?|types?|schemas?|components?|styles?"
        r"|fixtures?|scripts?|migrations?|templates?|translations?|assets?|secrets?|credentials|keys?|passwords?"
        r"|hooks?|routes?|utils?) (?:[\w-]+ ){0,4}?(?:is|are) (?:all |only |kept )?(?:in|under"
        r"|inside)\s(?!the (?:wrong|way|same)\b|this\b|progress\b|place\b)[`\"'\w@./-]",
        "The design system is in packages/ui, use it.",
    ),
    form(
        "policy",
        Kind.CONVENTION,
        4,
        r"\bwe have (?:an?|our|some) (?:[\w-]+ ){0,3}?(?:policy|policies|rules?|conventions?|guidelines?|style guide"
        r"|standards?)\b",
        "We have a strict no-any policy in TypeScript.",
    ),
)


def learn(phrase: Phrase) -> Iterator[Match]:
    return matches(FORMS, phrase)
