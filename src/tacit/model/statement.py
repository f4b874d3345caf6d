"""From what a person typed to one atomic statement: what is asked of whom, and of which kind it is.

The words stay as they were typed; only what introduces them ("add to memory that …") is cut off. The triple is
what makes two wordings the same statement, so a reason ("because …") is not part of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tacit.model.claim import Claim, Kind, Scope, Triple
from tacit.record import Record

_INTRODUCTION = re.compile(
    r"(?:please\s+|and\s+)?(?:"
    r"(?:add|save|put|store|commit)\s+(?:this\s+|it\s+)?(?:in)?to\s+(?:the\s+|your\s+)?memory(?:\s*[:,]|\s+that\b)?"
    r"|(?:remember|note|memori[sz]e)\s*(?::|\s+that\b)"
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
    # "everywhere else", "everywhere in the code" speak of a part of one project.
    r"|everywhere(?=\s)(?!\s(?:else|in|on|except|but|that|where|you)\b)"
    rf"|{_ALL_PROJECTS}(?:\s*[:,]|(?=\s)(?!\s(?:in|of|on|that|which|under|below|with|except)\b))"
    r"|(?:add|save|put|store|commit)\s(?:this\s|it\s)?(?:in)?to\s(?:the\s|your\s|my\s)?global\smemory(?:\s*[:,]|\sthat\b)?"
    rf"|(?:remember|note)\s(?:globally|everywhere|{_ALL_PROJECTS})(?:\s*[:,]|\sthat\b)?"
    r")\s*",
    re.IGNORECASE,
)
# First person singular: what says so is about one person. (`Mon-Fri`, `my.cnf`, `I/O` and `for i in` are not.)
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
    (
        "add ask avoid build call check commit create deploy document ensure fix follow format import include "
        "install keep limit lint load log make merge mock move name open pin place prefer print push put read "
        "rebase release rename return review run save send set show sort split squash start stop store tag "
        "test type update use validate verify wait wrap write"
    ).split()
)

_LIST_ITEM = re.compile(r"(?:[-*+]|\d{1,2}[.)])\s+")
# A sentence ends at a sign behind a word that is no abbreviation, where a blank and another sentence follow; or at ";".
_SENTENCE_END = re.compile(
    r"(?<!\be\.g)(?<!\bi\.e)(?<!\betc)(?<!\bvs)(?<!\bcf)(?<!\bNo)(?<=\w\w|[\w)`'\"][)`'\"])[.!?]['\")]?(?=\s+[A-Z`\"'(]|\s*$)"
    r"|;(?=\s)"
)
# Behind these words another rule begins.
_BLANK_RUN = re.compile(r"[ \t]{2,}|\t")  # others, as those that do not break, were meant
_RULE_CONJUNCTION = re.compile(
    r",?\s{1,9}(?:and|but)\s{1,9}"
    r"(?=(?:always|never|do\s{1,9}not|don['’]?t|avoid|prefer|must|you\s{1,9}must|we\s{1,9}use|i\s{1,9}prefer)\s)",
    re.IGNORECASE,
)

AGENT_SUBJECT, USER_SUBJECT, PROJECT_SUBJECT = "agent", "user", "project"


class ParsedStatement(Record):
    """How a statement reads: its kind unless the person says otherwise, and its triple."""

    kind: Kind
    triple: Triple


class ScopedText(Record):
    """A text without its scope lead, and the scope it asked for (`None`: it did not say)."""

    text: str
    is_global: bool | None


class SplitStatements(Record):
    """A text taken apart: the rules and facts in it, and what it tells besides."""

    rules: tuple[str, ...]
    remarks: tuple[str, ...]


def split_statements(text: str) -> SplitStatements:
    """Several rules in one text as several statements. One statement, or what cannot be cut safely, stays whole."""
    scope, rest = _split_scope_prefix(text)
    sentences = [one for one in split_sentences(strip_introduction(rest)) if one]
    parts = [part for sentence in sentences for part in _split_joint_rules(sentence)]
    if len(parts) < 2:
        return SplitStatements((text,), ())
    rules = tuple(part for part in parts if _is_rule(part))
    told = tuple(part for part in parts if not _is_rule(part))
    if rules and told and len(sentences) == 1:  # "use npm and that is it": not two statements after all
        return SplitStatements((text,), ())
    return SplitStatements(tuple(scope + rule for rule in rules), told)


def split_sentences(text: str) -> list[str]:
    """Sentences and the items of a list. Code in backticks, and lines that are indented as code, stay in one piece."""
    if "```" in text or "~~~" in text:
        return [text]
    found: list[str] = []
    for line in text.split("\n"):
        start = 0
        item = _LIST_ITEM.sub("", line.strip(), count=1)
        for end in _SENTENCE_END.finditer(item):
            if item[start : end.end()].count("`") % 2 == 0:
                found.append(item[start : end.end()].strip())
                start = end.end()
        found.append(item[start:].strip())
    return [one.rstrip(";") for one in found if one]


def _split_scope_prefix(text: str) -> tuple[str, str]:
    """ "global: …" is said of every rule in the text."""
    found = _SCOPE_PREFIX.match(strip_introduction(text))
    return (found[0], strip_introduction(text)[found.end() :]) if found else ("", text)


def _split_joint_rules(sentence: str) -> list[str]:
    """ "Always A and never B" are two rules; "run A and B" is one."""
    pieces = _RULE_CONJUNCTION.split(sentence)
    if len(pieces) < 2 or not all(_is_rule(piece) for piece in pieces):
        return [sentence]
    return [piece.strip().rstrip(",;") for piece in pieces]


def _is_rule(text: str) -> bool:
    return parse_statement(_REASON_CLAUSE.sub("", text.strip(), count=1).rstrip(". !")).triple.subject != "note"


def split_scope(text: str) -> ScopedText:
    """`global: I prefer pnpm` and `for all projects: …` ask for the global scope; most texts ask for none."""
    stripped = text.strip()
    if found := _GLOBAL_PREFIX.match(stripped):
        return ScopedText(stripped[found.end() :], True)
    if found := _SCOPE_PREFIX.match(stripped):
        return ScopedText(stripped[found.end() :], False)
    return ScopedText(stripped, None)


def is_personal(claim: Claim) -> bool:
    """Whether a claim is about one person and not about the project: said in the first person singular, or a
    preference that is not said to be the team's."""
    if _FIRST_PERSON.search(claim.sentence):
        return True
    return claim.kind is Kind.PREFERENCE and not _TEAM_WORD.search(claim.sentence)


def strip_introduction(text: str) -> str:
    """The statement without the words that only introduce it."""
    rest = text.strip()
    while (found := _INTRODUCTION.match(rest)) and found.end() < len(rest):
        rest = rest[found.end() :].lstrip()
    return rest


def claim_from(text: str, scope: Scope, *, kind: Kind | None = None, tags: tuple[str, ...] = ()) -> Claim:
    """The claim that a text makes; its sentence is the text, its triple what the text says."""
    sentence = _collapse_blanks(strip_introduction(text))
    parts = parse_statement(sentence)
    return Claim(kind or parts.kind, scope, parts.triple, sentence, tags)


def _collapse_blanks(text: str) -> str:
    """Runs of blanks within a line as one blank, unless the text quotes code or is laid out in lines."""
    return _BLANK_RUN.sub(" ", text) if "`" not in text and "\n" not in text else text


def parse_statement(sentence: str) -> ParsedStatement:
    """The first reading that fits; a text that fits none is its own statement."""
    plain = _REASON_CLAUSE.sub("", sentence.strip(), count=1).rstrip() or sentence
    for pattern, parts_of in _STATEMENT_PATTERNS:
        if found := pattern.fullmatch(plain):
            parts = parts_of(found)
            if parts is not None:
                return parts
    return ParsedStatement(Kind.RULE, Triple("note", "says", sentence))


def _parse_never(found: re.Match[str]) -> ParsedStatement:
    return ParsedStatement(Kind.CONSTRAINT, Triple(AGENT_SUBJECT, f"never {found['verb']}", found["object"]))


def _parse_always(found: re.Match[str]) -> ParsedStatement:
    return ParsedStatement(Kind.RULE, Triple(AGENT_SUBJECT, f"always {found['verb']}", found["object"]))


def _parse_preference(found: re.Match[str]) -> ParsedStatement:
    return ParsedStatement(Kind.PREFERENCE, Triple(USER_SUBJECT, "prefers", found["object"]))


def _parse_use(found: re.Match[str]) -> ParsedStatement:
    return ParsedStatement(Kind.CONVENTION, Triple(PROJECT_SUBJECT, "uses", found["object"]))


def _parse_unwanted(found: re.Match[str]) -> ParsedStatement:
    return ParsedStatement(Kind.CONSTRAINT, Triple(USER_SUBJECT, "does not want", found["object"]))


def _parse_avoided(found: re.Match[str]) -> ParsedStatement:
    return ParsedStatement(Kind.CONSTRAINT, Triple(AGENT_SUBJECT, "never use", found["object"]))


def _parse_adopted(found: re.Match[str]) -> ParsedStatement:
    return ParsedStatement(Kind.DECISION, Triple(PROJECT_SUBJECT, "uses", found["object"]))


def _parse_decision(found: re.Match[str]) -> ParsedStatement:
    return ParsedStatement(Kind.DECISION, Triple(PROJECT_SUBJECT, "decided on", found["object"]))


def _parse_used_for(found: re.Match[str]) -> ParsedStatement:
    return ParsedStatement(Kind.RULE, Triple(found["purpose"], "uses", found["object"]))


def _parse_fix(found: re.Match[str]) -> ParsedStatement:
    return ParsedStatement(Kind.KNOWN_FIX, Triple(found["when"], "is fixed by", found["object"]))


def _parse_fact(found: re.Match[str]) -> ParsedStatement:
    kind = Kind.RULE if found["be"].startswith(("must", "should")) else Kind.CONVENTION
    return ParsedStatement(kind, Triple(found["subject"], found["be"], found["object"]))


def _parse_imperative(found: re.Match[str]) -> ParsedStatement | None:
    if found["verb"].lower() not in _IMPERATIVES:
        return None
    if found["verb"].lower() == "prefer":
        return _parse_preference(found)
    return ParsedStatement(Kind.RULE, Triple(AGENT_SUBJECT, found["verb"].lower(), found["object"]))


def _statement_pattern(
    pattern: str, parts_of: Callable[[re.Match[str]], ParsedStatement | None]
) -> tuple[re.Pattern[str], Callable[[re.Match[str]], ParsedStatement | None]]:
    return re.compile(pattern, re.IGNORECASE | re.DOTALL), parts_of


# Tried in this order. `\s` is never repeated beside a repeated class that contains it: no blow-up on long blanks.
_STATEMENT_PATTERNS = (
    _statement_pattern(
        r"(?:i|we)\s(?:really\s|explicitly\s)?(?:do\snot|don[’']?t)\s(?:want|need|like)\s(?P<object>.+)",
        _parse_unwanted,
    ),
    _statement_pattern(
        rf"{_ADDRESSEE}(?:must\s|should\s)?(?:never|do\snot|don[’']?t|must\snot|mustn[’']t)\s(?:ever\s)?(?!have\b|know\b){_VERB_PHRASE}",
        _parse_never,
    ),
    _statement_pattern(
        rf"{_ADDRESSEE}(?:must\s|should\s)?(?:always|must)\s(?!be\b|have\b){_VERB_PHRASE}", _parse_always
    ),
    _statement_pattern(r"avoid\s(?:using\s|the\suse\sof\s)(?P<object>.+)", _parse_avoided),
    _statement_pattern(r"let[’']?s\s(?:just\s)?use\s(?P<object>.+)", _parse_adopted),
    _statement_pattern(  # a command or an error that is quoted may hold commas
        r"(?:if|when)\s(?P<when>.{0,400}?(?:error|fail|crash|hang).{0,400}?),\s(?:then\s)?"
        r"(?P<object>(?:use|run|set|pass|put|write|install|add|start|give)\s.+)",
        _parse_fix,
    ),
    _statement_pattern(
        r"(?:if|when)\s(?P<when>[^,]{0,400}(?:error|fail|crash|hang)[^,]{0,400}),\s(?:then\s)?(?P<object>.+)",
        _parse_fix,
    ),
    _statement_pattern(
        r"(?:i|we)(?:[’']d|\swould)?\s(?:(?:usually|always|generally|really)\s)?prefer(?:\sto\suse|\susing)?\s(?P<object>.+)",
        _parse_preference,
    ),
    _statement_pattern(r"(?:i|we)\s(?:like|want|love)\s(?P<object>.+)", _parse_preference),
    _statement_pattern(
        r"(?:i|we|let[’']?s)\s(?:have\s)?(?:decided|chose|agreed)\s(?:on\s|to\s(?:use\s)?)?(?P<object>.+)",
        _parse_decision,
    ),
    _statement_pattern(r"(?:we|this\sproject)\s(?:(?:always|only)\s)?uses?\s(?P<object>.+)", _parse_use),
    _statement_pattern(r"use\s(?P<object>\S+)\sfor\s(?P<purpose>.+)", _parse_used_for),
    _statement_pattern(
        r"(?P<subject>(?!it\b|this\b|that\b|there\b)[^\s,.;:]{1,80}(?:\s[^\s,.;:]{1,80}){0,5})\s"
        r"(?P<be>(?:must|should)\sbe|is|are|=|lives?\sin)\s(?P<object>.+)",
        _parse_fact,
    ),
    _statement_pattern(_VERB_PHRASE, _parse_imperative),
)
