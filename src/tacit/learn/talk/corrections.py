"""What the agent must not do, or not do alone: prohibitions, reproaches, gates, and what the person does themselves."""

from __future__ import annotations

from collections.abc import Iterator

from tacit.core.claim import Kind
from tacit.learn.talk.form import AT, NOT, VERB, Match, form, matches
from tacit.learn.talk.phrase import Phrase

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

FORMS = (
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


def learn(phrase: Phrase) -> Iterator[Match]:
    return matches(FORMS, phrase)
