"""Checks of a judge's statements and summaries: complete thoughts, names, secrets, orders.

A judge is never taken at its word. A statement may use only names of its line and may not say the opposite of its
quote. A summary reports what was said, and later sessions see it: it must be about what the person or the agent said,
and must not read as an order, a rule or advice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tacit.contradiction.polarity import content_stems, contradicts
from tacit.secrets.redact import secret_kind
from tacit.text.display import printable
from tacit.text.sentences import TextSpan, sentence_spans
from tacit.text.words import normalize_text, tokenize

# Statements and summaries are complete sentences without markup and without invented names.

_MIN_WORDS, _MAX_WORDS = 5, 40  # C4: a complete thought
_MIN_TOKENS = 9  # of languages that write no blanks between words
_META_OPENING = re.compile(r"(?:let me|let's|now|first|next|i will|i'll|i am|i'm|we are going to)\b")
_MARKUP = re.compile(r"[<＜]\s{0,3}/?\s{0,3}\w|```|\]\(")
# Characters of names that no paraphrase invents: paths, files, versions, identifiers.
_IDENTIFIER_CHARS = frozenset("/_~$@\\.:0123456789")
_PUNCTUATION = "`'\"‘’“”«»()[],;:!?…"
_CODE = re.compile(r"`([^`]{1,200})`")
# Chinese, Japanese and Korean characters and punctuation: names stand between them without blanks.
_UNSPACED = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]+")
_CAMEL_CASE = re.compile(r"[a-z][A-Z]")
_ALTERNATIVES = re.compile(r"\w+(?:/\w+){1,5}")
_ABBREVIATIONS = ("e.g", "i.e", "and/or")
PLAIN_QUOTES = str.maketrans("‘’‚“”„«»´", '\'\'\'"""""\'')


def is_complete_sentence(text: str, max_chars: int) -> bool:
    """Return whether a text is a complete thought (C4): not too long, not about the conversation itself, no markup."""
    words = len(text.split())
    is_long_enough = words >= _MIN_WORDS or (not text.isascii() and len(tokenize(text)) >= _MIN_TOKENS)
    is_plain = printable(text) == text and not _MARKUP.search(text)
    is_meta = _META_OPENING.match(normalize_text(text)) is not None
    is_short_enough = words <= _MAX_WORDS and len(text) <= max_chars
    return is_long_enough and is_short_enough and is_plain and not is_meta and text[-1] != "?"


def names_in(text: str) -> Iterator[str]:
    """Yield what no paraphrase invents: flags, paths, numbers, identifiers, and what stands in backquotes."""
    for match in _CODE.finditer(text):
        yield match[1].strip()
    for word in _UNSPACED.sub(" ", text).split():
        bare = word.translate(PLAIN_QUOTES).strip(_PUNCTUATION).rstrip(".").removesuffix("'s")
        if bare.startswith("-") or not _IDENTIFIER_CHARS.isdisjoint(bare) or _CAMEL_CASE.search(bare):
            yield bare


def unknown_names(text: str, source: str) -> list[str]:
    """Return the names of a text that are not in its source. Alternatives ("type/click") are words of the source."""
    known, stems = _comparable(source), content_stems(source)
    return [
        name
        for name in names_in(text)
        if not _occurs(_comparable(name), known)
        and not (_ALTERNATIVES.fullmatch(name) and content_stems(name.replace("/", " ")) <= stems)
        and name.lower() not in _ABBREVIATIONS
    ]


def _occurs(name: str, source: str) -> bool:
    """Return whether a name is in a text, and not as a part of a longer word or number.

    `.md` may be spelled `md`, and a unit may follow a number at once (`5T`).
    """
    bare = name.lstrip(".")
    at = source.find(bare)
    while at >= 0:
        around = source[max(at - 1, 0) : at] + source[at + len(bare) : at + len(bare) + 1]
        others = around if not bare.isdecimal() else "".join(filter(str.isdigit, around))
        if bare.endswith("/"):  # a folder, and what is in it
            others = source[max(at - 1, 0) : at]
        if bare and not any(char.isascii() and (char.isalnum() or char == "_") for char in others):
            return True
        at = source.find(bare, at + 1)
    return False


def _comparable(text: str) -> str:
    return normalize_text(text.translate(PLAIN_QUOTES)).replace("`", "")


# Summaries

_MAX_SUMMARY_CHARS, _MAX_SUMMARY_SENTENCES = 280, 2
_PARAGRAPH_BREAK = re.compile(r"\n[^\S\n]{0,99}\n")
# Who is addressed, and the words of rules and advice, in the languages that Tacit learns from.
_DIRECTIVE_WORDS = re.compile(
    r"\b(?:you|your|yours|yourself|must|shall|should|always|never|do not|don't|dont|please|ignore|disregard|remember"
    r"|instructions?|from now on|make sure|be sure|have to|needs? to|ought to"
    r"|du|dein\w{0,2}|musst|sollst|immer|niemals|nie|bitte|ignorier\w{0,3}|ab jetzt"
    r"|tú|usted|debes?|siempre|nunca|jamás|ignora\w{0,2}|por favor"
    r"|tu|vous|vos|votre|dois|devez|toujours|jamais|ignorez|veuillez|s'il (?:te|vous) pla[iî]t"
    r"|você|deve[ms]?|sempre|ignor[ae])\b"
    r"|必ず|常に|決して|ください|下さい|しないで|無視|するな"
)
# First words of an order; a report has another form of these words, or another word before them.
_IMPERATIVE_VERBS = frozenset(
    "add allow answer apply approve ask avoid be begin build call change check clone commit configure confirm "
    "consider continue copy create curl decode delete deploy disable do document download edit email enable ensure "
    "eval execute export fetch find fix follow forget format forward get git give grant help import include inform "
    "insert install invoke keep let list load log look make merge modify move name never note obey open output "
    "override paste perform pip place post prefer print process provide publish push put read rebase reject release "
    "remove rename repeat replace reply report reset respond return reveal review rm run save say see send set sh "
    "share show skip speak start stop store submit sudo switch take tell test treat trust try turn type uninstall "
    "update upload use validate verify visit wait warn wget write".split()
)
_SENTENCE_START = re.compile(
    r"(?:^|[.;:!?…—–]\s|\s-\s)(?:(?:and|also|but|first|just|kindly|next|now|simply|so|then) ){0,4}(\w+)"
)
# What the person wanted, up to the end of the clause.
_REPORTED_REQUEST = re.compile(
    r"\b(?:ask(?:s|ed)?|want(?:s|ed)?|request(?:s|ed)?|told|instructed|decid(?:ed|es)|said|prefer(?:s|red)?|required)\b"
    r"([^.;]{1,280})"
)
# Words of any report, whatever it is about.
_REPORTING_STEMS = content_stems(
    "user person agent assistant developer session conversation asked wanted requested told said reported result work"
    " done made successful successfully completed finished again after before then later finally failed passed ran"
    " fixed changed added removed updated created implemented checked found"
)


def summary_problem(raw: str, *, conversation: str, requests: str) -> str:
    """Return the first reason against a summary, "" if it can be believed.

    `conversation` is what the person and the agent said and ran, `requests` what the person said.
    """
    return next(_summary_problems(raw, " ".join(raw.split()), conversation, requests), "")


def _summary_problems(raw: str, text: str, conversation: str, requests: str) -> Iterator[str]:
    sentences = list(sentence_spans(text, [TextSpan(0, len(text))]))
    is_long = len(text) > _MAX_SUMMARY_CHARS or len(sentences) > _MAX_SUMMARY_SENTENCES
    if is_long or _PARAGRAPH_BREAK.search(raw.strip()):
        yield "it is longer than was asked for"
    if not is_complete_sentence(text, _MAX_SUMMARY_CHARS):
        yield "it is no complete thought"
    if secret_kind(text):
        yield "it holds a secret"
    if is_directive(text):
        yield "it tells somebody what to do"
    if not _is_summary_grounded(text, conversation):
        yield "it says what is not in the session"
    if any(contradicts(match[1], requests) for match in _REPORTED_REQUEST.finditer(normalize_text(text))):
        yield "it says the opposite of what was asked"


def is_directive(text: str) -> bool:
    """Return whether a text addresses its reader, states a rule, or gives an order."""
    plain = normalize_text(text.replace("’", "'"))
    verbs = (match[1] for match in _SENTENCE_START.finditer(plain))
    return bool(_DIRECTIVE_WORDS.search(plain)) or not _IMPERATIVE_VERBS.isdisjoint(verbs)


def _is_summary_grounded(text: str, conversation: str) -> bool:
    """Return whether at least half of it and every name was said."""
    stems = {stem for stem in content_stems(text) - _REPORTING_STEMS if not stem.isdecimal()}
    is_about_it = bool(stems) and 2 * len(stems & content_stems(conversation)) >= len(stems)
    return is_about_it and not unknown_names(text, conversation)
