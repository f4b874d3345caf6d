"""Parse what a person typed into statements: a kind and a triple of subject, predicate and object.

The words stay as they were typed; only an introduction ("add to memory that …") is cut off. Two wordings are the same
statement if their triples are equal, so a reason ("because …") is not part of the triple.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tacit.model.claim import Claim, Kind, Scope, Triple
from tacit.model.descriptions import is_description
from tacit.record import Record
from tacit.text.words import sentence_ends

_INTRODUCTION = re.compile(
    r"(?:please\s+|and\s+)?(?:"
    r"(?:add|save|put|store|commit)\s+(?:this\s+|it\s+)?(?:in)?to\s+(?:the\s+|your\s+)?memory(?:\s*[:,]|\s+that\b)?"
    r"|(?:remember|note|memori[sz]e)(?:\s+(?:this|it))?\s*(?::|\s+that\b)"
    r"|from\s+now\s+on,?|for\s+(?:the\s+)?future(?:\s+reference)?,?|in\s+this\s+(?:project|repo|repository),?"
    r")\s+",
    re.IGNORECASE,
)
_SCOPE_PREFIX = re.compile(r"(?:local|project)\s*:\s*", re.IGNORECASE)
_ALL_PROJECTS = (
    r"(?:for|in|across)\s(?:all|every|each|any)(?:\sof)?(?:\s(?:my|our|the|your))?(?:\sother)?"
    r"\s(?:projects?|repos?|repository|repositories)"
)
_GLOBAL_PREFIX = re.compile(
    r"(?:please\s)?(?:"
    r"global\s*:"
    r"|(?:globally|everywhere)\s*[:,]"
    r"|globally(?=\s(?:i|we|you|never|always|do\snot|don[’']?t|use|prefer|avoid|must|should)\b)"
    # "everywhere else", "everywhere in the code" mean a part of one project.
    r"|everywhere(?=\s)(?!\s(?:else|in|on|except|but|that|where|you)\b)"
    rf"|{_ALL_PROJECTS}(?:\s*[:,]|(?=\s)(?!\s(?:in|of|on|that|which|under|below|with|except)\b))"
    r"|(?:add|save|put|store|commit)\s(?:this\s|it\s)?(?:in)?to\s(?:the\s|your\s|my\s)?global\smemory(?:\s*[:,]|\sthat\b)?"
    rf"|(?:remember|note)\s(?:globally|everywhere|{_ALL_PROJECTS})(?:\s*[:,]|\sthat\b)?"
    rf"|(?:remember|note)\s(?:this|it)\s(?:globally|everywhere|{_ALL_PROJECTS})(?:\s*[:,]|\sthat\b)"
    r")\s*",
    re.IGNORECASE,
)
# First person singular: the statement is about one person. (`Mon-Fri`, `my.cnf`, `I/O` and `for i in` are not.)
_FIRST_PERSON = re.compile(
    r"(?<![\w/.-])(?:I(?:[’'](?:m|d|ve|ll))?|[Mm](?:y|e|ine|yself)|[Ii]ch|[Mm](?:ein(?:e[mnrs]?)?|ir|ich)|[Jj]e|[Mm]oi"
    r"|[Yy]o|[Pp]refiero|i(?:[’'](?:m|d|ve|ll)|(?=\s(?:always|never|usually|really|prefer|like|want|love|hate|use|am)\b)))"
    r"(?![\w/-]|[.’']\w)"
)
_TEAM_WORD = re.compile(r"\b(?:we|us|our|ours|team|everyone|everybody|project|repo|repository)\b", re.IGNORECASE)
_REASON_CLAUSE = re.compile(r"[,;]?\s(?:because|since it|as it)\s.*", re.IGNORECASE | re.DOTALL)
_VERB_PHRASE = r"(?P<verb>[a-z][\w-]{0,60})\s{1,9}(?P<object>.+)"
_ADDRESSEE = r"(?:(?:you|we|agents?|let[’']?s)\s)?"
_IMPERATIVES = frozenset(
    "add ask avoid build call check commit create deploy document ensure fix follow format import include install"
    " keep limit lint load log make merge mock move name open pin place prefer print push put read rebase release"
    " rename return review run save send set show sort split squash start stop store tag test type update use validate"
    " verify wait wrap write".split()
)

_LIST_ITEM = re.compile(r"\A(?:[-*+]|\d{1,2}[.)])\s+")
_SEMICOLON = re.compile(r";(?=\s)")
_NEXT_SENTENCE = re.compile(r"\s+[A-Z`\"'(]|\s*$")
_BLANK_RUN = re.compile(r"[ \t]{2,}|\t")  # not other blanks, such as no-break spaces: those are intended
# Another rule begins after these words.
_RULE_CONJUNCTION = re.compile(
    r",?\s{1,9}(?:and|but)\s{1,9}"
    r"(?=(?:always|never|do\s{1,9}not|don['’]?t|avoid|prefer|must|you\s{1,9}must|we\s{1,9}use|i\s{1,9}prefer)\s)",
    re.IGNORECASE,
)

AGENT_SUBJECT, USER_SUBJECT, PROJECT_SUBJECT = "agent", "user", "project"


class ParsedStatement(Record):
    """The triple of a statement, and its kind unless the person names another."""

    kind: Kind
    triple: Triple


class ScopedText(Record):
    """A text without its scope prefix, and the scope it asked for (None: no prefix)."""

    text: str
    is_global: bool | None


class SplitStatements(Record):
    """The rules and facts of a text, and its other sentences."""

    rules: tuple[str, ...]
    remarks: tuple[str, ...]


def split_statements(text: str) -> SplitStatements:
    """Split a text with several rules into one statement each. What cannot be split safely stays whole.

    A scope prefix applies to every rule of the text.
    """
    scope, rest = "", strip_introduction(text)
    if match := _SCOPE_PREFIX.match(rest):
        scope, rest = match[0], strip_introduction(rest[match.end() :])
    sentences = [sentence for sentence in split_sentences(rest) if sentence]
    parts = [part for sentence in sentences for part in _split_joint_rules(sentence)]
    if len(parts) < 2:
        return SplitStatements((text,), ())
    rules = tuple(part for part in parts if _is_rule(part))
    remarks = tuple(part for part in parts if not _is_rule(part))
    if rules and remarks and len(sentences) == 1:  # "use npm and that is it": not two statements after all
        return SplitStatements((text,), ())
    return SplitStatements(tuple(scope + rule for rule in rules), remarks)


def split_sentences(text: str) -> list[str]:
    """Return the sentences and list items of a text. Code in backticks is not split, nor is a text with fences."""
    if "```" in text or "~~~" in text:
        return [text]
    sentences: list[str] = []
    for line in text.split("\n"):
        start = 0
        item = _LIST_ITEM.sub("", line.strip(), count=1)
        ends = [end for end in sentence_ends(item) if _NEXT_SENTENCE.match(item, end)]
        for end in sorted([*ends, *(match.end() for match in _SEMICOLON.finditer(item))]):
            if item[start:end].count("`") % 2 == 0:
                sentences.append(item[start:end].strip())
                start = end
        sentences.append(item[start:].strip())
    return [sentence.rstrip(";") for sentence in sentences if sentence]


def _split_joint_rules(sentence: str) -> list[str]:
    # "Always A and never B" are two rules; "run A and B" is one.
    pieces = _RULE_CONJUNCTION.split(sentence)
    are_rules = len(pieces) > 1 and all(map(_is_rule, pieces))
    return [piece.strip().rstrip(",;") for piece in pieces] if are_rules else [sentence]


def _is_rule(text: str) -> bool:
    return parse_statement(_REASON_CLAUSE.sub("", text.strip(), count=1).rstrip(". !")).triple.subject != "note"


def split_scope(text: str) -> ScopedText:
    """Split off a scope prefix: `global: I prefer pnpm` and `for all projects: …` ask for the global scope."""
    stripped = text.strip()
    for pattern, is_global in ((_GLOBAL_PREFIX, True), (_SCOPE_PREFIX, False)):
        if match := pattern.match(stripped):
            return ScopedText(stripped[match.end() :], is_global)
    return ScopedText(stripped, None)


def is_personal(claim: Claim) -> bool:
    """Return whether a claim is about one person, not about the project.

    It is if it speaks in the first person singular, or is a preference that is not said to be the team's.
    """
    if _FIRST_PERSON.search(claim.sentence):
        return True
    return claim.kind is Kind.PREFERENCE and not _TEAM_WORD.search(claim.sentence)


def strip_introduction(text: str) -> str:
    """Return the text without words that only introduce it."""
    rest = text.strip()
    while (match := _INTRODUCTION.match(rest)) and match.end() < len(rest):
        rest = rest[match.end() :].lstrip()
    return rest


def claim_from(text: str, scope: Scope, *, kind: Kind | None = None, tags: tuple[str, ...] = ()) -> Claim:
    """Return the claim that a text makes. Its kind is parsed from the text unless `kind` is given.

    Runs of blanks become one blank, unless the text quotes code or has several lines.
    """
    sentence = strip_introduction(text)
    if "`" not in sentence and "\n" not in sentence:
        sentence = _BLANK_RUN.sub(" ", sentence)
    parsed = parse_statement(sentence)
    return Claim(kind or parsed.kind, scope, parsed.triple, sentence, tags)


def parse_statement(sentence: str) -> ParsedStatement:
    """Parse a sentence by the first pattern that matches. If none does, the subject is "note"."""
    plain = _REASON_CLAUSE.sub("", sentence.strip(), count=1).rstrip() or sentence
    for pattern, parse in _FORMS:
        if (match := pattern.fullmatch(plain)) and (parsed := parse(match)) is not None:
            return parsed
    kind = Kind.CONVENTION if is_description(plain) else Kind.RULE
    return ParsedStatement(kind, Triple("note", "says", sentence))


_Parser = Callable[[re.Match[str]], ParsedStatement | None]


def _parser(kind: Kind, subject: str, predicate: str) -> _Parser:
    """Return a parser that fills the groups of a match into templates of subject and predicate."""

    def parse(match: re.Match[str]) -> ParsedStatement:
        groups = match.groupdict()
        return ParsedStatement(kind, Triple(subject.format_map(groups), predicate.format_map(groups), groups["object"]))

    return parse


_DEMANDING_SUBJECT = re.compile(r"(?i)\b(?:nobody|nothing|no|no one|ha(?:s|ve) to)\b")
_parse_preference = _parser(Kind.PREFERENCE, USER_SUBJECT, "prefers")
_parse_fix = _parser(Kind.KNOWN_FIX, "{when}", "is fixed by")


def _parse_fact(match: re.Match[str]) -> ParsedStatement:
    is_demand = match["be"].startswith(("must", "should")) or _DEMANDING_SUBJECT.search(match["subject"])
    kind = Kind.RULE if is_demand else Kind.CONVENTION
    return ParsedStatement(kind, Triple(match["subject"], match["be"], match["object"]))


def _parse_imperative(match: re.Match[str]) -> ParsedStatement | None:
    verb = match["verb"].lower()
    if verb == "prefer":
        return _parse_preference(match)
    parsed = ParsedStatement(Kind.RULE, Triple(AGENT_SUBJECT, verb, match["object"]))
    return parsed if verb in _IMPERATIVES else None


def _form(pattern: str, parse: _Parser) -> tuple[re.Pattern[str], _Parser]:
    return re.compile(pattern, re.IGNORECASE | re.DOTALL), parse


# In order of precedence. `\s` is never repeated beside a repeated class that contains it: no blow-up on long blanks.
_FORMS = (
    _form(
        r"(?:i|we)\s(?:really\s|explicitly\s)?(?:do\snot|don[’']?t)\s(?:want|need|like)\s(?P<object>.+)",
        _parser(Kind.CONSTRAINT, USER_SUBJECT, "does not want"),
    ),
    _form(
        rf"{_ADDRESSEE}(?:must\s|should\s)?(?:never|do\snot|don[’']?t|must\snot|mustn[’']t)\s(?:ever\s)?(?!have\b|know\b){_VERB_PHRASE}",
        _parser(Kind.CONSTRAINT, AGENT_SUBJECT, "never {verb}"),
    ),
    _form(
        rf"{_ADDRESSEE}(?:must\s|should\s)?(?:always|must)\s(?!be\b|have\b){_VERB_PHRASE}",
        _parser(Kind.RULE, AGENT_SUBJECT, "always {verb}"),
    ),
    _form(r"avoid\s(?:using|the\suse\sof)\s(?P<object>.+)", _parser(Kind.CONSTRAINT, AGENT_SUBJECT, "never use")),
    _form(r"let[’']?s\s(?:just\s)?use\s(?P<object>.+)", _parser(Kind.DECISION, PROJECT_SUBJECT, "uses")),
    _form(  # a quoted command or error may contain commas
        r"(?:if|when)\s(?P<when>.{0,400}?(?:error|fail|crash|hang).{0,400}?),\s(?:then\s)?"
        r"(?P<object>(?:use|run|set|pass|put|write|install|add|start|give)\s.+)",
        _parse_fix,
    ),
    _form(
        r"(?:if|when)\s(?P<when>[^,]{0,400}(?:error|fail|crash|hang)[^,]{0,400}),\s(?:then\s)?(?P<object>.+)",
        _parse_fix,
    ),
    _form(
        r"(?:i|we)(?:[’']d|\swould)?\s(?:(?:usually|always|generally|really)\s)?prefer(?:\sto\suse|\susing)?\s(?P<object>.+)",
        _parse_preference,
    ),
    _form(r"(?:i|we)\s(?:like|want|love)\s(?P<object>.+)", _parse_preference),
    _form(
        r"(?:i|we|let[’']?s)\s(?:have\s)?(?:decided|chose|agreed)\s(?:on\s|to\s(?:use\s)?)?(?P<object>.+)",
        _parser(Kind.DECISION, PROJECT_SUBJECT, "decided on"),
    ),
    _form(
        r"(?:we|this\sproject)\s(?:(?:always|only)\s)?uses?\s(?P<object>.+)",
        _parser(Kind.CONVENTION, PROJECT_SUBJECT, "uses"),
    ),
    _form(r"use\s(?P<object>\S+)\sfor\s(?P<purpose>.+)", _parser(Kind.RULE, "{purpose}", "uses")),
    _form(
        r"(?P<subject>(?!it\b|this\b|that\b|there\b)[^\s,.;:]{1,80}(?:\s[^\s,.;:]{1,80}){0,5})\s"
        r"(?P<be>(?:must|should)\sbe|is|are|=|lives?\sin)\s(?P<object>.+)",
        _parse_fact,
    ),
    _form(_VERB_PHRASE, _parse_imperative),
)
