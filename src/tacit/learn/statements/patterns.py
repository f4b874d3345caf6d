"""The pattern engine: forms with weights, and signals for and against a sentence being meant to last."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tacit.learn.statements.normalise import PromptSentence
from tacit.model.claim import Kind
from tacit.record import Record

# What speaks for and against a sentence being meant to last, whatever its form: tables of wordings with a weight.


class StatementSignal(Record):
    """A class of wordings and what it adds."""

    name: str
    weight: int
    pattern: re.Pattern[str]


def _signal(name: str, weight: int, pattern: str) -> StatementSignal:
    return StatementSignal(name, weight, re.compile(pattern))


_LEAD = (
    r"^(?:[\W_]*(?:ok|okay|yes|no|yeah|and|but|so|also|hmm|well|oh|ah|then|hey|question|please|pls"
    r"|just)\b[\s,.:!-]*){0,3}"
)

# Of every sentence.
SENTENCE = (
    _signal("what a program said", -6, r"\b[A-Za-z]{2,40}(?:Error|Exception)\b:\s"),
    _signal(
        "question",
        -6,
        r"(?<!\bwth)(?<!\bwtf)(?<!\bok)(?<!\bokay)(?<!\bremember)(?<!\bgot it)(?<!\bunderstood)\?[\"')\]]{0,3}(?:\s|$)",
    ),
    _signal(
        "asks",
        -5,
        _LEAD
        + r"(?:can|could|would|will|should|shall|do|does|did|is|are|am|was|were|has|have|what|why|how|where|which|who"
        r"|any)"
        r"\s(?:you|we|i|it|this|that|the|there|they|he|he|she|these|those|my|our|your|does|do|did|is|are|can|should"
        r"|if|about|chance|\w+s|\w+ed)\b",
    ),
    _signal(
        "asks behind a comma",
        -5,
        r",\s(?:is|are|does|do|can|could|should|would) (?:there|it|we|i|you|this|that)\b(?! (?:need|want|use))",
    ),
    _signal(
        "leans",
        -3,
        r"\b(?:i think|i guess|i feel like|i believe|i assume|i suppose|i wonder|maybe|perhaps|probably"
        r"|thinking (?:about|of)|(?<!before )(?<!when )(?<!after )considering"
        r"|wondering|not sure|unsure|i was thinking|might be|might want|could be|could just|what if|let me know if"
        r"|would be (?:nice|great|cool))\b",
    ),
    _signal(
        "fence",
        -4,
        r"\b(?:(?:anything|nothing|something|everything) (?:else|more|other)|any(?:thing)? other (?:files?|parts?"
        r"|code|changes?|places?|things?|sections?)|other files?|nothing but"
        r"|(?:not|don't|dont|without|avoid|never) (?:make|making) (?:any |other |further )?changes"
        r"|(?:change|changing|edit|touch|modify|do|commit|delete|remove|push|run) anything)\b",
    ),
    _signal(
        "of the moment",
        -3,
        r"\b(?:yet|for (?:this|that|the next|the current) (?!project|repo|codebase|team|kind|sort|type|reason|purpose"
        r"|package|app|to )\w+|this time|for the moment|later on|will come later|in a later \w+|for later"
        r"|at this (?:point|stage)|for today"
        r"|until (?:i|we)|just this once|in this (?:commit|pr|branch|case|session|change))\b",
    ),
    _signal(
        "future",
        3,
        r"\b(?:from now on|going forward|moving forward|for future reference|henceforth|in (?:the )?future)\b",
    ),
    _signal(
        "gate",
        3,
        r"\b(?:without (?:asking|my|explicit|prior|user|the user|approval|permission|consent|me)|unless (?:i|the user"
        r"|asked|explicitly|told|requested))\b",
    ),
    _signal(
        "by all means", 3, r"\bwhatever (?:you do|happens)\b|\bunder (?:no|any) circumstances?\b|\bat all costs?\b"
    ),
    _signal("unless", 3, r"\bunless\b"),
    _signal("alone", 3, r"\b(?:on your own|by yourself|ever again|again on)\b"),
    _signal("ever", 1, r"\bever\b"),
    _signal(
        "here",
        2,
        r"\b(?:in|for|across|throughout) (?:this|our|the) (?:whole |entire )?(?:project|repo|repository|codebase"
        r"|code base|workspace|monorepo|team|company)\b",
    ),
    _signal(
        "reason",
        1,
        r"\b(?:because|since it|since we|since they|cause|cuz|so that|otherwise|as it is|as they|that way|in order to"
        r"|due to)\b",
    ),
    _signal(
        "contrast",
        1,
        r"\b(?:instead(?: of)?|rather than|as opposed to)\b"
        r"|(?:,|\band|\bbut) not [\w`\"'./-]"
        r"|[\w`\"')](?<!\bdo)(?<!\bdoes)(?<!\bdid)(?<!\bis)(?<!\bare)(?<!\bwas)(?<!\bwere)(?<!\bmust)"
        r"(?<!\bshould)(?<!\bwill)(?<!\bwould)(?<!\bcould)(?<!\bcan)(?<!\bmay)(?<!\bhave)(?<!\bhas)(?<!\bhad)"
        r"(?<!'m)(?<!'re)(?<!'s) not [\w`\"'./-]",
    ),
    _signal(
        "remembered",
        2,
        r"\b(?:remember|keep in mind|note|be aware|reminder|for the record|just to be clear|to be clear"
        r"|important(?:ly)?|critical(?=:)|mandatory(?=:)|warning(?=:)|rule)\b\s?[:,]?\s?(?:that\b)?",
    ),
    _signal("generally", 1, r"\b(?:generally|in general|as a rule|usually|by default)\b"),
    _signal("manner", 1, r"\b(?:directly|manually|by hand)\b"),
    _signal(
        "somebody sees to it",
        2,
        r"\b(?:that's|thats|that is|it's|they're|is|are|gets?) (?:\w+ly )?(?:done|handled|generated|managed|maintained"
        r"|written|updated|created) (?:by|in|from)\s",
    ),
    _signal("scope", 1, r"\b(?:for|in) (?:the |our )?(?:mvp|v1|first (?:version|release)|poc|prototype)\b"),
    _signal("scold", 1, r"\b(?:how many times|i (?:already )?told you|as i said|like i said|stop)\b"),
)

# Of sentences whose form could also speak of the task at hand: a bug, how the product behaves, what is seen now.
ABOUT = (
    _signal(
        "bug",
        -3,
        r"\b(?:still|broken|bug|fails?|failed|failing(?! (?:\w+ ){0,2}tests?)|failure|crash(?:es|ed)?|not working"
        r"|doesn't work|does not work|isn't working|i get|i got|i'm getting"
        r"|i see|i'm seeing|i noticed|seems? (?:to|like|that|as|off|wrong|not|broken|weird|odd)|appears? to"
        r"|happen(?:s|ed|ing)?|supposed to|for some reason|weird"
        r"|keeps? (?:getting|seeing|failing|giving|showing|crashing|saying|returning)|please check|look into (?:it"
        r"|this)"
        r"|the (?:issue|problem) (?:is|was))\b",
    ),
    _signal(
        "shown",
        -3,
        r"\b(?:buttons?|modals?|widgets?|icons?|panels?|tabs?|tabbed|pages?|screens?|headers?|footers?|sidebar"
        r"|dropdown|popover|popup|menus?|margins?|padding"
        r"|colou?rs?|background|layouts?|cards?|checkbox|tooltip|badges?|clickable|click(?:s|ed|ing)?|display(?:s"
        r"|ed)?|pixels?|px|logo|fresh look|look and feel|skin|animations?|navbar|banner|viewport|hover|scroll(?:ing)?"
        r"|shown|(?:be|is|are|not|always|stay) visible(?! to)|redirects?|appears?|(?<!that )looks? like|widths?"
        r"|heights?|fonts?|images?|players?|users? (?:should"
        r"|can|must|to))\b",
    ),
    _signal("moment", -2, r"\b(?:right now|for now|at the moment|currently|now|today|just now|temporarily)\b"),
    _signal("place", -2, r"\b(?:lines? \d|line:\d|:\d{1,5}-\d|step \d|option \w\b)|(?<!\w)#\d"),
    _signal(
        "then", -2, r"\b(?:should|must|needs? to) then\b|\bthen (?:the|it|this|you|we) (?:should|must|needs? to)\b"
    ),
    _signal("asked", -2, r"\b(?:can|could|would) you\b|\bi (?:want|need|would like|'d like) you to\b|\bmake sure\b"),
)

# Of what is to be done something with.
OBJECTS = (
    _signal("nothing named", -2, r"^,\s\w+\s"),
    _signal(
        "fenced",
        -5,
        r"^\s?(?:\w+ )?(?:anything(?! (?:\w+ly|in|on|to|from|with|outside|inside)\b)"
        r"|nothing|any (?:of|other|more|further)|other|more|else)\b",
    ),
    _signal(
        "pointed at",
        -2,
        r"^\s?(?:it|this|that|these|those|so|the same|here|there|too|as well|to (?:it|this|that))\b",
    ),
    _signal("named before", 0, r"^\s?them\b"),
    _signal("named", 2, r"^\s?[`\"'$./@-]|^\s?--?\w|^\s?[\w-]*[/_.]\w"),
    _signal("definite", -1, r"^\s?(?:\w+ )?(?:the|my|your(?! own)|its|their|his|her|both|all (?:the|of))\b"),
    _signal(
        "in general",
        2,
        r"^\s?(?:\w+ )?(?:any|anything|such|an?|every|all|each|more than|multiple|new|raw|bare)\b"
        r"|^\s?(?:[\w'-]+\s){0,2}[\w-]*[a-rt-z]s\b",
    ),
    _signal("thing", 1, r"^\s?\w"),
)

# Of a prompt that is hardly more than this sentence: whether it is a rule as one writes it down, for whoever reads it.
IMPERSONAL = (
    _signal(
        "personal",
        0,
        r"\b(?:i|i'm|i'll|i'd|i've|me|my|mine|we|we're|let's|lets|he|she|please|pls|now|still|ok|okay|thanks|so then"
        r"|also)\b|^\W*(?:there|can|could|just|then|and|but|so)\b",
    ),
    _signal(
        "pointing",
        0,
        r"\b(?:this|these|those)\b(?! (?:project|repo|repository|codebase|file|is|are|includes|means|applies|mode"
        r"|directory))|\bthat\b(?=[.,;]|$)|^\W*(?:it|that)\b",
    ),
    _signal(
        "of the task",
        0,
        r"^\W{0,6}use [\w`./-]{1,40} to (?:find|search|check|fix|see|look|list|show|get|debug|figure|learn|test)\b"
        r"|^\W{0,2}@\S"
        r"|^\W{0,6}(?:@?[^\s@/.]{0,60}[@/.]\S{0,80}\s)?(?:print|implement|fix|show|rename|move|change|look|check|read"
        r"|refactor|extend"
        r"|improve|polish|continue|port|scan|anali[sz]e|analyze|remove|replace"
        r"|give|generate|list|explain|tell|find|search|start|handle single|debug|investigate|write to"
        r"|in (?:the )?[`@\w./-]*[/_.][\w./-]*)\b",
    ),
    _signal(
        "at hand",
        0,
        r"^\W*the (?!(?:\w+ )?(?:agents?|assistant|model|llm|ai) (?:should|needs?|has"
        r"|have)\b)(?:[\w@./-]+ ){1,4}(?:should|needs? to|has to|have to)\b"
        r"|^\W*the (?:[\w-]+ )?(?:function|script|method|endpoint|command|class|component|query|loop|table|column"
        r"|field|list|form|value|program|output|result|name|text|title) must\b",
    ),
    _signal("impersonal", 2, r"\w"),
)

# What, standing in front of a form, makes it a question, a condition or somebody else's thought.
_BEFORE = {
    -4: (
        "if whether do does did should can could would what how why where which unless once until when whenever while "
        "before after as think guess thought thinks ensure ensures then"
    ),
    -2: "for that who than",
}
_WEIGHED = {word: weight for weight, words in _BEFORE.items() for word in words.split()}


def weight_before(plain: str, found: re.Match[str]) -> int:
    """What the word in front of a form takes from it."""
    words = plain[max(0, found.start() - 24) : found.start()].split()
    if words[-2:] == ["so", "that"]:
        return -4
    return _WEIGHED.get(words[-1], 0) if words else 0


# What a lasting statement looks like: forms, each with a weight, and what speaks for and against in the same
# sentence.
#
# A form is a class of wordings, written as a pattern over a sentence in small letters. Its weight is what it is worth
# alone. Signs add to it or take from it: a reason given, a thing named in general, a question, a fence around the
# task. What reaches `ENOUGH` is taken as meant to last. A learner is a table of forms.

MIN_SCORE = 4

# Where a clause begins: at the start, behind a mark, or behind a word that joins or asks.
AT = (
    r"(?:^|[,;:.!?(\[*|>]\s{0,2}|[—–]\s{0,2}|-\s{1,2}"
    r"|\b(?:and|but|so|then|or|please|pls|also|just|ok|okay|yes|no|yeah|now|well|again|remember|must)\s"
    r"|\b(?:make sure|remember|careful|sure|you|want you|like you|need you) to\s|\bmake sure (?:that )?(?:you|we)\s)"
    r"(?:(?:please|pls|also|just|so|then|and|but|ok|okay|again)\s){0,2}"
)
# Where a sentence or a part of it begins, and nothing weaker.
START = r"(?:^|[,;:.(\[—–*|>-]\s{1,2}|^\W{1,4})(?:(?:please|also)\s)?"
# A verb as it is commanded: not "gets", not "always red".
_NO_VERB = (
    r"(?!(?:the|an?|this|that|there|it|they|we|i|you|he|she|in|on|at|for|from|by|of|to|my|our|your|when|if|as"
    r"|so|not|no|but)\b)"
)
VERB = _NO_VERB + r"(?!\w*[^su\W]s\b)[a-z][\w-]*"
WE = r"\b(?:we|i)\b"
NOT = r"(?:don't|dont|do not|do n't|must not|mustn't|should not|shouldn't|shouldnt|cannot|can't|may not)"


class StatementForm(Record):
    """A class of wordings. `firm` ones hold whatever is talked of; of others signs of the moment take away.

    `acts` says that what follows the match is what is to be done something with.
    """

    name: str
    kind: Kind
    weight: int
    pattern: re.Pattern[str]
    example: str
    firm: bool = False
    acts: bool = False
    impersonal: bool = False


class FormMatch(Record):
    """A form that a sentence has, and how much speaks for it."""

    form: StatementForm
    phrase: PromptSentence
    start: int
    score: int


def form(
    name: str,
    kind: Kind,
    weight: int,
    pattern: str,
    example: str,
    *,
    firm: bool = False,
    acts: bool = False,
    impersonal: bool = False,
) -> StatementForm:
    return StatementForm(name, kind, weight, re.compile(pattern), example, firm, acts, impersonal)


def matches(forms: Iterable[StatementForm], phrase: PromptSentence) -> Iterator[FormMatch]:
    """The forms of this table that the sentence has, with enough for them."""
    for one in forms:
        found = one.pattern.search(phrase.plain)
        if found and (score := weigh(one, phrase, found)) >= MIN_SCORE:
            yield FormMatch(one, phrase, found.start(), score)


def weigh(one: StatementForm, phrase: PromptSentence, found: re.Match[str]) -> int:
    score = one.weight + phrase.pressing + _total_weight(SENTENCE, phrase.plain) + weight_before(phrase.plain, found)
    if not one.firm:
        score += _total_weight(ABOUT, phrase.plain)
    if one.acts:
        score += _first_weight(OBJECTS, phrase.plain[found.end() : found.end() + 120])
    if one.impersonal and phrase.is_main:
        score += _first_weight(IMPERSONAL, phrase.plain)
    return score


def _total_weight(signs: Iterable[StatementSignal], text: str) -> int:
    return sum(sign.weight for sign in signs if sign.pattern.search(text))


def _first_weight(signs: Iterable[StatementSignal], text: str) -> int:
    """The weight of the first that fits: they exclude one another."""
    return next((sign.weight for sign in signs if sign.pattern.search(text)), 0)
