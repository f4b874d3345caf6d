"""Forms of lasting statements: rules, corrections, decisions, preferences, conventions, facts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tacit.learn.statements.normalise import PromptSentence
from tacit.learn.statements.patterns import AT, NOT, START, VERB, WE, FormMatch, StatementForm, form, matches
from tacit.model.claim import Kind

# How parts of the program stand to each other: a sentence with several words of architecture and one of structure.

MIN_TERMS = 3  # C2: several
_TERMS = re.compile(
    r"\b(?:module|layer|service|controller|repositor(?:y|ie)|schema|endpoint|package|component|adapter|interface"
    r"|domain|model"
    r"|handler|middleware|gateway|monorepo|microservice|database|queue|cache|frontend|front-end|backend|back-end"
    r"|client|server"
    r"|api|store|worker|plugin|core|route|router|boundar(?:y|ie)|entit(?:y|ie)|aggregate|pipeline|event bus|view)s?\b"
)

FORMS = (
    form(
        "structure",
        Kind.CONVENTION,
        4,
        r"\b(?:talks? to|depends? on|goes? through|go through|live in|lives in|sits? between|is separate from"
        r"|are separate from"
        r"|imports?|is responsible for|owns?|wraps?|exposes?|only knows?|never (?:touch|call|import|access|know)(?:es"
        r"|s)?|is decoupled|are decoupled|belongs? (?:in|to))\b",
        "Controllers talk to services, and only repositories touch the database.",
    ),
)
SEPARATION = (
    form(
        "apart",
        Kind.DECISION,
        4,
        r"\b(?:is|are|should be|must be|stays?|remains?|keep \w+(?: \w+){0,3}) (?:fully |completely |strictly "
        r"|entirely )?(?:separable|separated?|independent|decoupled|isolated) (?:from|of)\b",
        "Scenario generation is independent of the test runner.",
    ),
)


def learn(phrase: PromptSentence) -> Iterator[FormMatch]:
    yield from matches(SEPARATION, phrase)
    if len({found[0].rstrip("s") for found in _TERMS.finditer(phrase.plain)}) >= MIN_TERMS:
        yield from matches(FORMS, phrase)


# How the project does things and is built: "we" with the simple present, where things live, what a thing is called.

_OFTEN = (
    r"(?:(?:really|explicitly|just|also|currently|now|already|only|always|usually|generally|typically|all"
    r"|normally|never|mostly)\s){0,2}"
)
_PATH = (
    r"[`\"']?(?:[\w.@-]*[/\\][\w./\\@<>*-]+|[\w-]+\.(?:md|ts|tsx|js|py|go|rs|json|toml|ya?ml|sh|sql|env|css|html"
    r"|rb|java)\b|`)"
)

CONVENTIONS = (
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


def learn_conventions(phrase: PromptSentence) -> Iterator[FormMatch]:
    return matches(CONVENTIONS, phrase)


# What the agent must not do, or not do alone: prohibitions, reproaches, gates, and what the person does themselves.

# What one does not do with the hands: "don't know", "don't worry", "don't mean".
_STATE = (
    r"(?!(?:know|think|understand|see|like|have|care|worry|mind|forget|get|remember|want|need|mean|believe|feel|recall"
    r"|hesitate|wait|seem|work|exist|appear|be|stop|you|i|we|even|really|necessarily|bother|actually)\b"
    r"|(?:start|begin)(?!.{0,40}\b(?:immediately|right away|before|without|unless)\b)(?= (?:\w+ing|on|the|with|yet)\b"
    r"|[,.]|$))"
)
_MINE = r"\bi(?:'ll| will|ll|'m going to| am going to|'m gonna)\s"
_DEED = (
    r"(?:do|run|commit|push|deploy|test|merge|start|stop|build|install|execute|review|write|create|make|publish"
    r"|release|maintain|manage|edit|update|handle|generate|bump)"
)

CORRECTIONS = (
    form(
        "never",
        Kind.CONSTRAINT,
        5,
        AT + r"(?:(?:you|we|agents?)\s(?!never \w+[^e\W]ed\b))?(?:(?:must|should|can|shall|will)\s)?never\s(?:ever\s)?"
        r"(?:(?!mind\b|seen\b|had\b|been\b|used to\b|got\b|heard\b|again\b|knew\b)"
        + VERB
        + r"|any\b|an?\s|the\s|for\s|as\s|in\s|on\s|from\s|with\s|by\s|[`\"'$./@*-])",
        "Never commit the .env file.",
        firm=True,
    ),
    form(
        "prohibition",
        Kind.CONSTRAINT,
        2,
        AT
        + r"(?:(?:you|agents?)\s)?"
        + NOT
        + r"\s(?:ever\s|just\s|try to\s|ever try to\s|[a-z]{3,12}ly\s)?(?!(?:change|edit|touch|modify|remove|delete"
        r"|alter|rename"
        r"|update|move|reorder)\b)" + _STATE + VERB + r"\b",
        "Don't use default exports in components.",
        acts=True,
        impersonal=True,
    ),
    form(
        "not to be used",
        Kind.CONSTRAINT,
        2,
        AT
        + r"(?:(?:you|agents?)\s)?"
        + NOT
        + r"\s(?:ever\s|just\s)?(?:use|rely on|depend on|import from|fall back to)\b",
        "Do not use the old queue as a source of facts.",
        impersonal=True,
    ),
    form(
        "not to be changed",
        Kind.CONSTRAINT,
        1,  # mostly a fence around the task at hand
        AT
        + r"(?:(?:you|agents?)\s)?"
        + NOT
        + r"\s(?:ever\s|manually\s)?(?:change|edit|touch|modify|remove|delete|alter|rename|update|move|reorder)\b",
        "Never mind the style, but do not edit generated files by hand without asking.",
        acts=True,
    ),
    form(
        "not in this manner",
        Kind.CONSTRAINT,
        5,
        AT + NOT + r"\s(?:just\s|simply\s)" + _STATE + VERB + r"\b.{1,80}\b(?:by \w+ing|directly|manually|blindly)\b",
        "Please don't just push the migrations through by running them on the server.",
        firm=True,
    ),
    form(
        "not, for a reason",
        Kind.CONSTRAINT,
        4,
        AT + NOT + r"\s" + _STATE + VERB + r"\s[\w`\"'./@-]+(?:\s[\w`\"'./@-]+){0,3},?\s(?:we|i|it|they|that)\s"
        r"(?:do not|don't|dont|can't|cannot|will|would|need|must|is|are|'ll)\b",
        "Do not recreate the volume, we don't want to lose the seeds.",
        acts=True,
    ),
    form(
        "not wanted of the agent",
        Kind.CONSTRAINT,
        5,
        r"\b(?:i|we) (?:really |explicitly )?(?:don't|dont|do not) want (?:you|claude(?: code)?|codex|cursor|copilot"
        r"|gemini|agents|the (?:claude code|agents?|ai|assistant|model|llm))\s.{0,60}?\b(?:to|\w+ing)\b",
        "I don't want the agent to open pull requests by itself.",
    ),
    form(
        "somebody else does it",
        Kind.CONSTRAINT,
        5,
        r"\b(?:don't|dont|do not|never|no need to)\s.{1,80}?[,.;\s-]\s?i(?:'ll| will| can|ll|'m going to)\s(?:do"
        r"|handle|run|take care of|manage)\b",
        "Don't deploy anything to staging, I'll do that.",
        firm=True,
    ),
    form(
        "left to the person",
        Kind.CONSTRAINT,
        4,
        r"(?:"
        + _MINE
        + r"|\blet me\s|\bi (?:want|like|prefer) to\s)(?:handle|take care of|deal with|manage)\s(?!it|this|that|you)",
        "Let me handle git, you just change the code.",
        firm=True,
    ),
    form(
        "done by the person",
        Kind.CONSTRAINT,
        4,
        r"(?:(?:"
        + _MINE
        + r"|\blet me\s)(?!try|see|check|look|think|know|test)[a-z]+|(?:\bi (?:want|like|prefer) to\s|\bi (?:always"
        r"|usually)?\s?)" + _DEED + r")\b.{0,60}"
        r"\b(?:myself|by hand|manually|on my own|in (?:an?|my|another) (?:external|separate|other|own"
        r"|different)? ?(?:window|terminal|tab|shell))\b",
        "I will run terraform myself in another terminal.",
        firm=True,
    ),
    form(
        "was said before",
        Kind.CONSTRAINT,
        4,
        r"\b(?:my instructions? (?:was|were|is|are)|(?:i|we) (?:already |explicitly |clearly )?(?:told|asked"
        r"|instructed) (?:you|it) (?:not |never |that |to (?:use|always|never|only|keep|run|put|follow))"
        r"|(?:i|we) said (?:not|never|no|to use))\b",
        "I told you not to edit generated files by hand.",
    ),
    form(
        "reproach",
        Kind.PREFERENCE,
        5,
        r"\b(?:i(?:'ve| have)? (?:keep )?notic(?:ed|ing)|lately|i(?:'m| am) (?:tired|sick) of) (?:that )?you(?:r|'re"
        r"| are| being| keep| tend| always)?\s(?!\w+ error)",
        "I've noticed you being very tentative lately.",
        firm=True,
    ),
    form(
        "ask first",
        Kind.CONSTRAINT,
        5,
        AT + r"(?:do\s|always\s|you (?:should|must|have to|need to)\s)?(?:ask|check with|confirm with|consult"
        r"|get (?:my )?(?:approval|permission|confirmation|sign-off))\s"
        r"(?:me\s|us\s|the user\s|with me\s|for\s|from\s|first\s|my\s)?.{0,60}\b(?:before|prior to)\b"
        r"|\b(?:before|prior to)\s(?:you\s)?\w+.{0,80}\b(?:ask me|check with me|confirm with me|ask the user"
        r"|wait for my|get my)\b"
        r"|\bwait for my (?:approval|ok|okay|go-ahead|confirmation|review)\b|\b(?:requires?|needs?) my (?:approval"
        r"|permission|ok|sign-off)\b",
        "Ask me before you change the schema.",
        firm=True,
    ),
    form(
        "before reporting back",
        Kind.CONSTRAINT,
        5,
        r"\bbefore\s(?:you\s)?(?:return|com|gett?|report|respond|reply|hand|declar|claim|say)(?:ing|e|s)?\b\s?(?:back"
        r"|to me|it|that|done|success|complete|finished|over)",
        "Run the tests yourself before reporting back to me.",
        firm=True,
    ),
    form(
        "has to",
        Kind.CONSTRAINT,
        4,
        r"\byou (?:always )?(?:have to|must|need to|should always|are (?:only )?(?:allowed|supposed) to|may only"
        r"|can only)\s(?:always\s|only\s)?"
        r"(?:use|follow|keep|stick|respect|write|preserve|maintain|adhere|go through)\b",
        "You have to use a verifying double.",
        acts=True,
    ),
    form(
        "nothing may",
        Kind.CONSTRAINT,
        4,
        r"\b(?:nobody|no one|nothing|none of (?:the|our)|no \w+(?: \w+)?) (?:should|must|may|can|is allowed"
        r"|are allowed|shall)\b(?! be able)",
        "Nothing should ever write to the legacy table.",
    ),
    form(
        "may never",
        Kind.CONSTRAINT,
        5,
        r"\b(?:should|must|can|may|shall|will|to) (?:never|not ever)\s(?!see\b|appear\b|show\b"
        r"|be (?:shown|visible|displayed|able)\b)" + VERB,
        "Credentials should never end up in git.",
    ),
    form(
        "none in there",
        Kind.CONSTRAINT,
        4,
        r"(?:^|[.;:—–-]\s)(?:also\s|and\s|please\s)?no (?:more )?(?!(?:change|error|test|problem|issue|result"
        r"|difference|match|luck|need|idea|one|longer|matter)s?\b)[\w-]+(?: [\w-]+)? (?:in|for|on|inside"
        r"|within)\s(?!the\b|this\b|that\b|here\b)",
        "No emojis in commit messages.",
    ),
    form(
        "stop it",
        Kind.CONSTRAINT,
        1,  # mostly of what runs at the moment; scolding adds one
        AT + r"stop \w+ing\b",
        "Stop adding docstrings to every function.",
        acts=True,
    ),
    form(
        "stop behaving so",
        Kind.CONSTRAINT,
        3,  # scolding adds one
        AT + r"stop (?:asking|telling|apologi[sz]ing|explaining|summari[sz]ing|repeating|adding|creating|committing"
        r"|writing|inventing|guessing|rewriting)\b",
        "Stop asking me whether you should continue.",
        acts=True,
    ),
    form(
        "a habit scolded",
        Kind.CONSTRAINT,
        4,
        r"\byou (?:always|keep|constantly|never) (?:forget|forgetting|ignor(?:e|ing)|skip(?:ping)?|break(?:ing)?"
        r"|remember|add(?:ing)?|creat(?:e|ing)|us(?:e|ing)|writ(?:e|ing)|mak(?:e|ing)|chang(?:e|ing)|delet(?:e"
        r"|ing))\s",
        "You always forget to update the changelog with a PR.",
    ),
    form(
        "who does what",
        Kind.CONSTRAINT,
        5,
        r"\bi (?:do|handle|make|run|take care of|manage|own|write|review) (?:the |all |our "
        r"|my )?[\w-]+(?: [\w-]+)?,? (?:and |but |so )?you (?:just|only|do|write|can|should|never|don't|focus|stick"
        r"|take|handle|keep|work|prepare|code)\b",
        "I do the releases, you only prepare the notes.",
        firm=True,
    ),
    form(
        "you must",
        Kind.CONSTRAINT,
        3,
        r"\byou must(?: not| never| always| also)?\s" + VERB,
        "You must be able to explain every line.",
        acts=True,
        impersonal=True,
    ),
    form(
        "left alone",
        Kind.CONSTRAINT,
        2,
        AT + r"(?:leave|stay away from|stay out of|hands off"
        r"|keep away from)\s(?=[\w`\"'./@-]+(?: [\w`\"'./@-]+){0,3}? (?:alone|untouched)\b|[\w`\"'./@-]+$)",
        "I maintain it by hand, so leave schema.sql alone.",
        acts=True,
    ),
    form(
        "no more of it",
        Kind.CONSTRAINT,
        4,
        AT + r"no more (?!(?:change|error|question|bug|issue|problem|test)s?\b)[\w-]+",
        "No more class components please, only hooks.",
    ),
    form(
        "may not",
        Kind.CONSTRAINT,
        4,
        r"\bwe (?:can't|cant|cannot|can not|may not|must not|aren't allowed to|are not allowed to) (?:use|add|ship"
        r"|have|depend|rely|store|send|expose|share|log|import|include|introduce)\s(?!it\b|this\b|that\b)",
        "We can't use GPL code in this product.",
    ),
)


def learn_corrections(phrase: PromptSentence) -> Iterator[FormMatch]:
    return matches(CORRECTIONS, phrase)


# What was decided: recalled, wished for good, chosen against something else, or put out of scope.

_OFTEN_WE = (
    r"(?:(?:really|explicitly|just|also|currently|now|already|definitely|absolutely|actually|simply|still|all)\s){0,2}"
)

DECISIONS = (
    form(
        "decided",
        Kind.DECISION,
        5,
        WE + r"(?:'ve| have)?\s" + _OFTEN_WE + r"(?:decided|agreed|settled|chose|opted|standardi[sz]ed|committed)\s"
        r"(?:on|to|for|with|that|against|not|upon)\b",
        "We decided on utils, not schema, for parsing.",
        firm=True,
    ),
    form(
        "moved to",
        Kind.DECISION,
        4,
        r"\bwe(?:'ve| have| are|'re)?\s"
        + _OFTEN_WE
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
        WE + r"\s" + _OFTEN_WE + r"(?:\w+ly\s)?(?:don't|dont|do not)\s(?:ever\s|really\s)?want\s"
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
        + _OFTEN_WE
        + r"(?:\w+ly\s)?(?:don't|dont|do not)\s(?:ever\s|really\s)?want\s(?:to|you to|anyone to|us to)\s(?!see\b"
        r"|know\b|talk\b|be\b|have to\b)",
        "I don't want to delete the old config because I may need it.",
    ),
    form(
        "not needed",
        Kind.DECISION,
        4,
        r"\bwe\s"
        + _OFTEN_WE
        + r"(?:don't|dont|do not)\sneed\s(?!it\b|this\b|that\b|to\b|them\b|any of|the\b|another\b|anymore)",
        "We don't need reversible migrations.",
    ),
    form(
        "wanted so",
        Kind.DECISION,
        4,
        WE
        + r"\s"
        + _OFTEN_WE
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
        + _OFTEN_WE
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
        + _OFTEN_WE
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


def learn_decisions(phrase: PromptSentence) -> Iterator[FormMatch]:
    return matches(DECISIONS, phrase)


# Facts about where the work happens: machine, tools, servers, what the agent may reach.

_SYSTEM = (
    r"(?:ubuntu|debian|fedora|arch|nixos|linux|mac(?:book)?|m[1-5]|manjaro|mac ?os|macos|osx|windows|win ?1[01]|wsl2?"
    r"|wayland"
    r"|x11|kde|plasma|gnome|hyprland|sway|i3"
    r"|zsh|bash|fish|powershell|tmux|neovim|nvim|vim|emacs|vs ?code|cursor|docker|podman|kubernetes|k8s|colima|nix"
    r"|homebrew"
    r"|python|node|nodejs|bun|deno|go|rust|java|ruby|php|postgres(?:ql)?|mysql|sqlite|redis|aws|gcp|azure|vercel"
    r"|cloudflare|supabase)"
)

ENVIRONMENT = (
    form(
        "runs on",
        Kind.ENVIRONMENT,
        5,
        r"\b(?:(?:i'm|im|i am|we're|we are) (?:currently |still |already )?(?:on|running|using)|(?:i|we) (?:work"
        r"|develop|deploy|host"
        r"|am working)(?: \w+)? (?:on|with|in|to))\s(?:an? |the )?" + _SYSTEM + r"\b",
        "I'm on Ubuntu 22.04 with a GUI session.",
        firm=True,
    ),
    form(
        "is of this sort",
        Kind.ENVIRONMENT,
        4,
        r"\b(?:the|our|my) (?:[\w-]+ ){0,3}?(?:host|server|machine|vm|box|laptop|cluster|container|image|runner"
        r"|board) (?:is|runs"
        r"|has) (?:an? |on |only |just )?(?:[\w-]+ ){0,2}?(?:"
        + _SYSTEM
        + r"|unix|arm(?:64)?|x86|alpine|rhel|centos|esp32)\b",
        "The production host is a Debian machine with systemd.",
    ),
    form(
        "is installed",
        Kind.ENVIRONMENT,
        4,
        r"\b(?:i|we) (?:do |already "
        r"|only )?have (?:the )?[\w`\"'.+-]+(?: [\w`\"'.+-]+){0,3} (?:already )?(?:installed|available"
        r"|set up|running locally)\b"
        r"|\b(?:isn't|aren't|is not|are not|not) (?:in|on) (?:the |my |our )?(?:local |system )?path\b",
        "I have only Python 3.11 installed.",
    ),
    form(
        "needs to run",
        Kind.ENVIRONMENT,
        4,
        r"\b[a-z]+(?:s|tests?|app|server|build|suite) (?:needs?"
        r"|requires?) [\w`\"'.-]+(?: [\w`\"'.-]+){0,2} (?:to be )?(?:running|installed"
        r"|started|enabled|available)\b",
        "The integration tests need docker running.",
    ),
    form(
        "uses for",
        Kind.ENVIRONMENT,
        4,
        r"\bi(?:'m using|m using| am using| use| always use| usually use)\s(?!your\b|this\b|that\b|it\b|them\b"
        r"|these\b|those\b)(?:the )?[\w`\"'./-]+(?: [\w`\"'./-]+){0,4}? (?:to|for|as|on|with)\s",
        "I use direnv to set up the shell.",
    ),
    form(
        "does not use",
        Kind.ENVIRONMENT,
        4,
        r"\bi (?:don't|dont|do not|never) use\s(?!it\b|this\b|that\b|them\b)",
        "I don't use email on this machine.",
    ),
    form(
        "may reach",
        Kind.ENVIRONMENT,
        4,
        r"\byou (?:already |also |do |now )?(?:have|can have) (?:full |read |write |ssh |root |direct )?access to\b"
        r"|\byou can (?:always |also )?(?:check|reach|ssh|access|query|see|find|run|test|use) .{2,60}\b(?:yourself"
        r"|via|through|over ssh|with the cli)\b",
        "You have access to the staging server over ssh.",
    ),
    form(
        "has access only",
        Kind.ENVIRONMENT,
        4,
        r"\b(?:only has|only have|has no|have no|has only|have only|doesn't have|does not have|don't have) (?:read "
        r"|write )?(?:access|permissions?|rights|internet|network|sudo|root)\b",
        "The tools only have access to read commands.",
    ),
    form(
        "is deployed at",
        Kind.ENVIRONMENT,
        5,
        r"\b(?:the|our|my|a) (?:[\w`\"'.-]+ ){1,4}?(?:is|are) (?:now )?(?:deployed|hosted|running|available|located"
        r"|live|reachable|served|found)\s(?:here|at|on|under|in|via)?:?\s?(?:the )?(?:https?://|localhost|port|[`\"']"
        r"|\d|[\w-]+\.[\w.-]+/)",
        "The dashboard is deployed at https://grafana.example.com.",
    ),
    form(
        "comes from",
        Kind.ENVIRONMENT,
        4,
        r"\b(?:data|numbers|prices|users|accounts|secrets|credentials|translations|content|events|orders"
        r"|metrics) (?:all )?"
        r"(?:comes?|gets? (?:imported|synced|loaded)|is|are) (?:synced |imported |loaded |pulled )?from (?:the |our "
        r"|an? )?"
        r"[\w`\"'./-]+",
        "The product data comes from the ERP system.",
    ),
    form(
        "its address",
        Kind.ENVIRONMENT,
        4,
        r"\b(?:url|link|console|address|docs|documentation|dashboard|repo) (?:is|are)(?: at| here)?:?\s?https?://",
        "The url of staging: the console is https://console.example.com.",
    ),
    form(
        "needs no",
        Kind.ENVIRONMENT,
        4,
        r"\b(?:app|server|api|service|cli|build|site|database|db|demo|environment|machine|cluster|container|runner|ci"
        r"|staging|production|prod)\s(?:doesn't|doesnt|does not|don't)\s(?:require|need|support|have|allow|use)\s",
        "The demo app doesn't require a sign-in.",
    ),
    form(
        "of this machine",
        Kind.ENVIRONMENT,
        4,
        r"\b(?:is|are|uses?|has|have|runs?|installed|lives?)\b.{0,60}\bon (?:this|my|the build|our) (?:machine|laptop"
        r"|computer|box|server|host|system|mac|pc|cluster)\b",
        "Docker is not installed on this machine.",
    ),
    form(
        "address",
        Kind.ENVIRONMENT,
        4,
        r"\b(?:our|the) (?:\w+ )?(?:server|database|db|staging|production|prod|dev|api|dashboard|registry|endpoint"
        r"|port|host|cluster|bucket|repo(?:sitory)?|default branch|main branch) (?:is|runs|lives|listens) (?:at|on|in"
        r"|called|named)?\s?(?:https?://|[`\"']|\d|port\b|localhost|[\w-]+\.[\w-]+)",
        "The staging database is on port 5433.",
    ),
    form(
        "mine is",
        Kind.ENVIRONMENT,
        4,
        r"\bmy (?:\w+ )?(?:name|timezone|time zone|editor|shell|os|machine|laptop|setup|terminal|username|domain"
        r"|company|team|keyboard|stack|ide|browser|distro|desktop|gpu|server|nas)(?: [\w-]+){0,3}?\s(?:is|runs|uses|has"
        r"|are)\s(?!not working|broken)",
        "My laptop has only 8 GB of memory.",
    ),
    form(
        "told as a fact",
        Kind.ENVIRONMENT,
        4,
        r"\b(?:i(?:'ve)? (?:just )?learned|i(?:'ve)? (?:just )?found out|(?:it )?turns out|fyi|for context"
        r"|just so you know|for your information|keep in mind|bear in mind|be aware)[,:]?\s(?:that\s)?(?!it\b|this\b"
        r"|these\b|those\b|the following\b"
        r"|you\b|i\b|the (?:bug|issue|problem|error)\b)[\w`\"']",
        "Keep in mind that the database is shared with billing.",
    ),
    form(
        "every night",
        Kind.ENVIRONMENT,
        4,
        r"\b(?:is|are|gets?|runs?|happens?|rotates?|expires?|resets?)\b.{0,30}\b(?:(?:every|each) (?:night|day|week"
        r"|hour|morning|month|sprint)|nightly|weekly|daily)\b",
        "Our staging database gets wiped every night.",
    ),
)


def learn_environment(phrase: PromptSentence) -> Iterator[FormMatch]:
    return matches(ENVIRONMENT, phrase)


# Never, always, rather and instead in other languages: one row a form, each with an example.

_NEVER, _ALWAYS, _RATHER, _INSTEAD = Kind.CONSTRAINT, Kind.CONVENTION, Kind.PREFERENCE, Kind.CONVENTION
# Where a clause begins: "es wird nie aktualisiert" reports, "nie direkt pushen" asks.
_DE = r"(?:^|[,;:.!]\s|\b(?:und|aber|bitte|also|wir|du|ich)\s)"
# An order, not a report: it does not begin with what it is about, nor with a question.
_DE_ORDER = (
    r"(?!(?:der|die|das|es|er|sie|ich|wir|ein|eine|warum|wieso|wann|hier|da|dann|aber|jetzt|mein|unser|dies)\w{0,3}\s)"
    r"[a-zäöü]{3,15}\s(?:\S+\s){0,4}?"
)
_DE_MODAL = r"\b(?:du|wir|man|ihr) (?:sollst|sollt?en?|darfst|dürfen|darf|musst|müssen|muss)\s(?:\S+\s){0,4}?"
_ES = r"(?:^|[,;:.!¡]\s|\b(?:y|pero|por favor|también)\s)"
_FR = r"(?:^|[,;:.!]\s|\b(?:et|mais|aussi)\s)"
_PT = r"(?:^|[,;:.!]\s|\b(?:e|mas|também)\s)"


def _language_form(language: str, name: str, kind: Kind, pattern: str, example: str) -> StatementForm:
    return form(f"{name} ({language})", kind, 5, pattern, example, firm=True)


LANGUAGES = (
    _language_form(
        "de",
        "never",
        _NEVER,
        _DE + r"(?:niemals|nie(?: wieder| mehr)?|auf keinen fall)\s\w+",
        "Niemals direkt auf den Hauptzweig pushen.",
    ),
    _language_form(
        "de",
        "never",
        _NEVER,
        _DE + _DE_ORDER + r"(?:nie|niemals)\b",
        "Benutze im Backend nie globale Variablen.",
    ),
    _language_form(
        "de",
        "never",
        _NEVER,
        _DE_MODAL + r"(?:nie|niemals|nicht ohne)\b",
        "Du sollst niemals ohne Rückfrage committen.",
    ),
    _language_form(
        "de",
        "never",
        _NEVER,
        r"(?:^|[,;:.!]\s)(?:bitte )?keine[nr]? [\w-]+ (?:in|im|für|auf|ohne)\s",
        "Bitte keine Emojis in Nachrichten von Commits.",
    ),
    _language_form(
        "de",
        "always",
        _ALWAYS,
        _DE + r"(?:immer|grundsätzlich|stets)\s\w+",
        "Bitte immer zuerst die Tests laufen lassen.",
    ),
    _language_form(
        "de", "always", _ALWAYS, _DE + _DE_ORDER + r"(?:immer|stets)\b", "Schreibe Tests immer neben den Code."
    ),
    _language_form(
        "de", "always", _ALWAYS, _DE_MODAL + r"(?:immer|stets)\b", "Wir müssen neue Felder immer dokumentieren."
    ),
    _language_form(
        "de",
        "always",
        _ALWAYS,
        r"\bwir (?:verwenden|nutzen|benutzen|schreiben|machen|committen) (?:\S+\s){0,4}?(?:immer|grundsätzlich|stets"
        r"|nur|hier)\b",
        "Wir verwenden hier immer pnpm für alles.",
    ),
    _language_form(
        "de",
        "rather",
        _RATHER,
        r"\b(?:ich bevorzuge|wir bevorzugen|(?:ich|wir) (?:würden?|hätten?|möchten?|mag|nutzen?"
        r"|verwenden?)\s(?:\S+\s){0,6}?lieber)\s\w+",
        "Ich bevorzuge kleine Funktionen ohne Seiteneffekte.",
    ),
    _language_form(
        "de",
        "rather",
        _RATHER,
        _DE + r"(?:nimm|verwende|benutze|nutze|schreib\w?|mach)\s(?:\S+\s){0,3}?lieber\s\w+",
        "Nimm lieber Komposition als Vererbung.",
    ),
    _language_form(
        "de",
        "instead",
        _INSTEAD,
        _DE + r"(?:statt|anstatt|anstelle von)\s[^,]{2,40},?\s.{0,40}\b(?:verwende|benutze|nutze|nimm)",
        "Statt npm bitte in allen Paketen pnpm verwenden.",
    ),
    _language_form(
        "de",
        "instead",
        _INSTEAD,
        r"\b(?:verwende|benutze|nutze|nimm|nutzen wir|nehmen wir|verwenden)\b.{1,60}\b(?:statt|anstatt|anstelle"
        r"|stattdessen)\b",
        "Verwende bitte httpx statt requests im Code.",
    ),
    _language_form("es", "never", _NEVER, _ES + r"(?:nunca|jamás)\s\w+", "Nunca hagas commit de archivos generados."),
    _language_form("es", "never", _NEVER, _ES + r"no \w{2,15} (?:nunca|jamás)\b", "No uses nunca variables globales."),
    _language_form(
        "es",
        "never",
        _NEVER,
        _ES + r"no \w{2,15}\s.{0,60}\bsin (?:preguntar|consultar|avisar|mi (?:permiso|aprobación))",
        "No borres archivos sin preguntarme antes.",
    ),
    _language_form(
        "es",
        "always",
        _ALWAYS,
        _ES + r"(?!falla|pasa|sale|aparece|funciona|muestra|devuelve|queda)\w{2,12}[ae] siempre\s\w",
        "Usa siempre comillas simples en Python.",
    ),
    _language_form("es", "never", _NEVER, _ES + r"prohibido \w+", "Prohibido usar bibliotecas externas de js."),
    _language_form("pt", "never", _NEVER, _PT + r"proibido \w+", "Proibido usar bibliotecas externas de js."),
    _language_form(
        "es",
        "always",
        _ALWAYS,
        _ES + r"(?:siempre)\s(?!falla|pasa|da\b)\w+",
        "Siempre ejecuta las pruebas antes de subir.",
    ),
    _language_form(
        "es",
        "rather",
        _RATHER,
        r"\b(?:prefiero|preferimos|preferiría)\s(?!que no sé)\w+",
        "Prefiero funciones pequeñas a clases grandes.",
    ),
    _language_form(
        "es",
        "instead",
        _INSTEAD,
        r"\b(?:usa|usar|utiliza|usemos|usamos)\b.{1,60}\ben (?:vez|lugar) de\b",
        "Usa pnpm en vez de npm en este repositorio.",
    ),
    _language_form(
        "es",
        "instead",
        _INSTEAD,
        _ES + r"en (?:vez|lugar) de\s[^,]{1,40},?\s(?:usa|usar|utiliza|usemos|use)\b",
        "En vez de npm usa pnpm para todo.",
    ),
    _language_form(
        "fr",
        "never",
        _NEVER,
        _FR + r"(?:ne|n'\w+)\s?(?:\S+\s){0,4}?jamais\b",
        "Ne pousse jamais directement sur la branche principale.",
    ),
    _language_form("fr", "never", _NEVER, _FR + r"jamais de\s\w+", "Jamais de secrets dans le code source."),
    _language_form(
        "fr",
        "always",
        _ALWAYS,
        _FR + r"(?:toujours\s\w+|(?:utilise|lance|écris|mets|fais|vérifie|utilisez|lancez)z? toujours\s\w+)",
        "Lance toujours les tests avant de pousser.",
    ),
    _language_form(
        "fr",
        "rather",
        _RATHER,
        r"\b(?:je préfère|nous préférons|on préfère|je préférerais)\s\w+",
        "Je préfère des fonctions courtes et pures.",
    ),
    _language_form(
        "fr",
        "instead",
        _INSTEAD,
        r"\b(?:utilise|utilisez|utilisons|prends|prenons)\b.{1,60}\b(?:au lieu d[e']|plutôt que\b)",
        "Utilise pnpm au lieu de npm dans ce projet.",
    ),
    _language_form(
        "fr",
        "instead",
        _INSTEAD,
        _FR + r"au lieu d[e'].{1,40},?\s(?:utilise|utilisez|utilisons|prends|prenons)\b",
        "Au lieu de npm, utilise pnpm pour tout.",
    ),
    _language_form(
        "fr",
        "never",
        _NEVER,
        _FR + r"(?:ne|n'\w+)\s?.{1,60}?\bpas\s.{0,60}\bsans (?:me (?:demander|consulter)|mon (?:accord|avis))",
        "Ne supprime pas de fichiers sans me demander.",
    ),
    _language_form("pt", "never", _NEVER, _PT + r"(?:nunca|jamais)\s\w+", "Nunca faça commit de arquivos gerados."),
    _language_form("pt", "never", _NEVER, _PT + r"não \w{2,15} (?:nunca|jamais)\b", "Não use nunca variáveis globais."),
    _language_form(
        "pt",
        "never",
        _NEVER,
        _PT
        + r"não \w{2,15}\s.{0,60}\bsem (?:me (?:perguntar|consultar|avisar)|perguntar|minha (?:permissão|aprovação))",
        "Não apague arquivos sem me perguntar antes.",
    ),
    _language_form(
        "pt",
        "always",
        _ALWAYS,
        _PT + r"(?!falha|passa|aparece|funciona|mostra|retorna|fica)\w{2,12}[ae] sempre\s\w",
        "Use sempre aspas simples em Python.",
    ),
    _language_form(
        "pt",
        "instead",
        _INSTEAD,
        _PT + r"(?:em vez de|ao invés de|no lugar de)\s[^,]{1,40},?\s(?:use|usar|usa|utilize)\b",
        "Em vez de npm, use pnpm para tudo.",
    ),
    _language_form(
        "pt", "always", _ALWAYS, _PT + r"sempre\s(?!falha|dá\b)\w+", "Sempre rode os testes antes de enviar."
    ),
    _language_form(
        "pt",
        "rather",
        _RATHER,
        r"\b(?:prefiro|preferimos|preferiria)\s\w+",
        "Prefiro funções pequenas a classes grandes.",
    ),
    _language_form(
        "pt",
        "instead",
        _INSTEAD,
        r"\b(?:use|usar|usa|utilize|vamos usar|usamos)\b.{1,60}\b(?:em vez de|ao invés de|no lugar de)\b",
        "Use pnpm em vez de npm neste projeto.",
    ),
    _language_form(
        "ja",
        "never",
        _NEVER,
        r"(?:絶対に|決して|二度と).{1,60}?(?:ないで|するな|しない|ません|禁止|だめ|ダメ)",
        "絶対に本番環境で直接実行しないでください。",
    ),
    _language_form(
        "ja",
        "never",
        _NEVER,
        r"(?:直接|勝手に|許可なく|許可なしに|確認なしに|確認せずに).{1,40}?(?:ないで|するな|禁止)",
        "許可なく勝手にファイルを削除しないでください。",
    ),
    _language_form(
        "ja",
        "language",
        _ALWAYS,
        r"(?:コメント|ドキュメント|コミット文?|返答|回答|返事|説明|メッセージ|変数名|関数名)は.{0,12}?(?:日本語|英語)で",
        "コミットメッセージは英語で書いてください。",
    ),
    _language_form(
        "ja",
        "chosen",
        Kind.DECISION,
        r"は、?\s?[^、。]{1,30}を(?:使います|使用します|採用します|利用します|使いたい|(?:使用|利用|採用)したい)",
        "データベースはPostgreSQLを使います。",
    ),
    _language_form(
        "ja",
        "always",
        _ALWAYS,
        r"(?:常に|必ず|毎回).{0,60}?(?:して|する|使|実行|書|こと)",
        "コミットの前に必ずテストを実行してください。",
    ),
    _language_form(
        "ja",
        "rather",
        _RATHER,
        r"(?:の方が|のほうが).{0,20}?(?:いい|良い|好き|望ましい)|を好み",
        "クラスより小さい関数の方が好きです。",
    ),
    _language_form(
        "ja",
        "instead",
        _INSTEAD,
        r"の(?:代わりに|かわりに).{1,60}?(?:使|して|する)|ではなく.{1,40}?を使",
        "npmの代わりにpnpmを使ってください。",
    ),
)


def learn_languages(phrase: PromptSentence) -> Iterator[FormMatch]:
    return matches(LANGUAGES, phrase)


# What the person likes better, said as such.

PREFERENCES = (
    form(
        "prefers",
        Kind.PREFERENCE,
        4,
        r"\b(?:i|we)(?:'d| would)?\s(?:(?:much|really|also|always|generally|usually|strongly|definitely|still"
        r"|just)\s)?prefer\s(?!previous\b|the (?:previous|old|first|second|last)\b|option\b|that\b|this\b|it\b)",
        "I prefer nodejs to python.",
        firm=True,
    ),
    form(
        "would rather",
        Kind.PREFERENCE,
        4,
        r"\b(?:i|we)(?:'d| would| had)\s(?:much\s|really\s)?rather\s(?!not (?:do|talk)\b)",
        "I'd rather use the standard library than a framework.",
        firm=True,
    ),
    form(
        "prefer",
        Kind.PREFERENCE,
        4,
        AT + r"(?:always\s|generally\s|strongly\s)?prefer\s(?:to\s|using\s)?(?!it\b|this\b|that\b)[\w`\"'$./@-]",
        "Prefer small functions over clever ones.",
        firm=True,
    ),
    form(
        "likes",
        Kind.PREFERENCE,
        4,
        r"\bi (?:really )?(?:like|love|hate|dislike|can't stand)\s(?:it when|when you|how you|to (?:have|keep|use|see"
        r"|work|know|be)|having|keeping|using|working|writing)\b",
        "I like to keep commits small.",
    ),
    form(
        "wishes in general",
        Kind.PREFERENCE,
        5,
        r"\b(?:i'd like|i would like|i want|i'd love|i need)\s(?:you to\s)?(?:always|never|only|to always|to never)\b",
        "I want you to always explain the plan.",
        firm=True,
    ),
    form(
        "wants to learn",
        Kind.PREFERENCE,
        4,
        r"\b(?:i(?:'m| am) (?:new to|a beginner|not familiar with|learning|an? (?:experienced|senior|junior))"
        r"|explain (?:everything|things|your reasoning|the reasoning|it to me like)|treat me (?:as|like)|i(?:'m"
        r"| am) trying to learn|help me (?:understand|learn) (?:the|how|what|why) (?:reasoning|you|we|things"
        r"|to think))\b",
        "I'm new to Rust, so explain lifetimes when they come up.",
    ),
    form(
        "kept small",
        Kind.PREFERENCE,
        4,
        AT + r"(?:always\s)?keep (?:things|(?:the |your |our |all )?(?:code|responses?|answers?|comments?|commits?"
        r"|functions?|files?|changes?|prs?|messages?|tests?|docs?|summar(?:y|ies)"
        r"|explanations?)) (?:\w+ ){0,2}?(?:simple|short|small|brief|concise|minimal|clean|focused|lean"
        r"|readable)\b",
        "Keep commit messages short and to the point.",
    ),
    form(
        "manner",
        Kind.PREFERENCE,
        4,
        AT + r"be (?:more |less |very |always |extremely )?(?:concise|brief|careful|proactive|direct|thorough|honest"
        r"|critical|explicit|conservative|verbose|skeptical)\b",
        "Be more concise in your answers.",
    ),
    form(
        "language",
        Kind.PREFERENCE,
        5,
        r"\b(?:answer|respond|reply|speak|talk|communicate|write (?:comments|docs|commits?|everything))\s(?:to me "
        r"|always |only )?in (?:english|german|french|spanish|portuguese|japanese|chinese|italian|dutch|russian"
        r"|korean|plain)\b",
        "Always answer in German, please, but code in English.",
    ),
    form(
        "needless",
        Kind.PREFERENCE,
        4,
        r"\byou (?:don't|dont|do not|never) (?:need|have) to (?:ask|confirm|check|wait|explain|summari[sz]e|show|tell"
        r"|repeat|apologi[sz]e)\b",
        "You don't need to ask me before you run tests.",
    ),
    form(
        "dislikes",
        Kind.PREFERENCE,
        4,
        r"\b(?:i|we) (?:really )?(?:don't|dont|do not) like (?!the\b|this\b|that\b|it\b|any\b|how (?:it|this|that)\b"
        r"|what\b|your\b|these\b)\w+",
        "I don't like inline styles, use modules.",
    ),
    form(
        "wants them so",
        Kind.PREFERENCE,
        4,
        r"\b(?:i|we) (?:always |really )?(?:want|like) (?!us\b|this\b|changes\b|the\b|that\b"
        r"|it\b)(?:[a-z-]+ ){0,2}?[a-z]+s to (?:be|stay|have|use|go"
        r"|live|follow)\b",
        "I want commits to be small and focused.",
    ),
    form(
        "likes better",
        Kind.PREFERENCE,
        4,
        r"\b(?:i|we) (?:always |generally )?like (?!this\b|that\b|it\b|the (?:old|new|first|second"
        r"|previous)\b)[^,.;]{2,50} (?:better|more)\b",
        "I like the explicit approach better, no magic please.",
    ),
    form(
        "allowed",
        Kind.PREFERENCE,
        4,
        r"\byou(?:'re| are) (?:always |generally )?(?:allowed|free|welcome|permitted) to\s",
        "You are allowed to install packages without asking.",
    ),
    form(
        "told beforehand",
        Kind.PREFERENCE,
        4,
        AT + r"(?:always )?(?:explain|tell me|show me|describe|outline|present)\s.{0,60}\bbefore (?:you|doing|making"
        r"|implementing|writing|coding)\b",
        "Explain what you are going to do before you do it.",
    ),
    form(
        "more or less of it",
        Kind.PREFERENCE,
        3,
        r"\bi(?:'d| would) (?:like|prefer|love) (?:less|fewer|shorter|smaller|simpler|more)\s",
        "Generally I'd like less abstraction and plain code.",
    ),
    form(
        "who the person is",
        Kind.PREFERENCE,
        4,
        r"\bi(?:'m| am) (?:not )?an? (?:\w+ )?(?:native speaker|developer|engineer|designer|student|researcher"
        r"|scientist|admin|novice|manager)\b",
        "I'm not a native speaker, so use simple English.",
    ),
    form(
        "would like it if",
        Kind.PREFERENCE,
        4,
        r"\bi(?:'d| would) (?:love|like|appreciate|prefer) it if you (?!could\b|can\b|would\b)\w+",
        "I'd love it if you kept functions under 50 lines.",
    ),
)


def learn_preferences(phrase: PromptSentence) -> Iterator[FormMatch]:
    return matches(PREFERENCES, phrase)


# What was tried and given up, so that nobody tries it again.

REJECTED = (
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


def learn_rejected(phrase: PromptSentence) -> Iterator[FormMatch]:
    return matches(REJECTED, phrase)


# Rules as people write them down: without "I" or "you", for whoever reads them.
#
# In the middle of a talk the same words mostly speak of the task at hand; in a prompt that says little else they
# count.

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

RULES = (
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


def learn_rules(phrase: PromptSentence) -> Iterator[FormMatch]:
    return matches(RULES, phrase)


# What the person teaches: what always holds, what holds from now on, what belongs into the rules.

_RULES = (
    r"(?:claude|agents?|gemini|cursor|copilot|conventions?|contributing|rules?)(?:[ .]?md\b|[ -](?:rules?"
    r"|instructions|conventions|guidelines)\b|\.mdc?\b)"
)

TEACHING = (
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


def learn_teaching(phrase: PromptSentence) -> Iterator[FormMatch]:
    return matches(TEACHING, phrase)
