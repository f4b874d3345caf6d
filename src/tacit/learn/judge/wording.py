"""Whether a statement says no more, and nothing else, than the line that a judge quotes for it.

A paraphrase has words of its own: forms of the line's words, other spellings, typing mistakes that it corrects, and a
few words that say nothing new in any rule. Whatever else it says was said by nobody. A statement in another language
than its line shares no words with it, so only its names can be compared, and a person has to check the wording.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from functools import cache

from tacit.contradiction import lexicon, oppose
from tacit.contradiction.polarity import content_stems, contradicts
from tacit.contradiction.profile import StatementProfile, is_reversed, profile_statement
from tacit.contradiction.terms import is_same_word, word_stem
from tacit.learn import load_data
from tacit.model.conflict import RelationKind
from tacit.text.words import STOP_WORDS, normalize_text, simple_stem, tokenize, unaccented

_WORD = re.compile(r"[^\W\d_\u3040-\u30ff\u3400-\u9fff]+(?:['’][^\W\d_]+)?")
_IDEOGRAPH = re.compile(r"[\u30a0-\u30ff\u3400-\u9fff]")  # hiragana writes endings and small words
_OTHER_SCRIPT = re.compile(r"[\u0370-\u1fff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_MIN_TYPO_CHARS, _MIN_TWO_TYPOS_CHARS = 5, 9  # of a word that is one typing mistake from another, or two
_MIN_BEGINNING_CHARS = 4
_MIN_SHORTENED_CHARS = 3  # of a word that is the beginning of another: "char" is "character"


@cache
def _lists() -> dict[str, frozenset[str]]:
    """Return the lists of `neutral.toml`, as words."""
    return {name: frozenset(words.split()) for name, words in load_data("judge/neutral.toml").items()}


@cache
def _neutral_words() -> frozenset[str]:
    listed = (
        *(lexicon.FUNCTION_WORDS, lexicon.NEGATIONS, lexicon.AUXILIARIES, lexicon.LIGHT_WORDS),
        *(lexicon.STRUCTURE_WORDS - lexicon.NEGATIVE_VERBS, lexicon.ONLY_WORDS, STOP_WORDS),
        *(_lists()["words"], _lists()["others"], _lists()["orders"]),
    )
    return frozenset(word_stem(unaccented(word)) for words in listed for word in words)


def _is_neutral(word: str) -> bool:
    return word_stem(word) in _neutral_words()


# Words


def invented_words(statement: str, source: str) -> list[str]:
    """Return the words of a statement that neither its source nor every rule has. Both are in one language."""
    known = _known_words(source)
    words = (word for word in _words_of(_without_names(statement)) if len(word) > 1 and not _is_neutral(word))
    invented = [word for word in words if not _is_known(word, known)]
    known_characters = f"{source} {' '.join(_lists()['characters'])}"
    unknown = "".join(character for character in _IDEOGRAPH.findall(statement) if character not in known_characters)
    return invented + [unknown[at : at + 2] for at in range(0, len(unknown), 2)]  # most words have two of them


def invented_order(statement: str, source: str) -> str:
    """Return the verb of an order that the source does not have, "" if there is none."""
    match = _ORDER.match(" ".join(_words_of(statement)))
    verb = match[1] if match else ""
    is_order = verb in _lists()["verbs"] and verb not in _lists()["orders"]
    return verb if is_order and not _is_known(verb, _known_words(source)) else ""


_ORDER = re.compile(
    r"(?:(?:always|never|do not|don't|dont|please|the agent|agents?|should|must|may|not|only|just|to) ){0,5}(\w+)"
)


def _words_of(text: str) -> list[str]:
    return [unaccented(match[0].replace("’", "'").removesuffix("'s")) for match in _WORD.finditer(text.casefold())]


def _known_words(source: str) -> frozenset[str]:
    words = {*_words_of(source), *map(unaccented, tokenize(source))}
    groups = {group for word in words for group in _groups_of(word)}
    return frozenset(words | groups)


def _groups_of(word: str) -> Iterator[str]:
    for table in (lexicon.ALIASES, lexicon.SYNONYMS):
        if word in table:
            yield table[word]


def _is_known(word: str, known: Set[str]) -> bool:
    """Return whether a word is one of those that are known, a form or a spelling of one, or one mistake away."""
    if word in known or not known.isdisjoint(_groups_of(word)):
        return True
    stem = word_stem(word)
    return any(
        stem == word_stem(other)
        or _has_same_beginning(word, other)
        or is_same_word(stem, word_stem(other))
        or _is_shortened(word, other)
        or is_misspelled(stem, word_stem(other))
        for other in known
    )


def _has_same_beginning(first: str, second: str) -> bool:
    """Return whether two words of a language whose endings are not known begin alike."""
    if first.isascii() and second.isascii():
        return False
    shorter = min(len(first), len(second))
    shared = next((at for at in range(shorter) if first[at] != second[at]), shorter)
    return shared >= _MIN_BEGINNING_CHARS and 2 * shared > max(len(first), len(second))


def _is_shortened(first: str, second: str) -> bool:
    shorter, longer = sorted((simple_stem(first), simple_stem(second)), key=len)
    return len(shorter) >= _MIN_SHORTENED_CHARS and longer.startswith(shorter)


def is_misspelled(first: str, second: str) -> bool:
    """Return whether two words differ by a typing mistake, or two if they are long. The first letter is right."""
    shorter = min(len(first), len(second))
    if first[:1] != second[:1] or not (first.isalpha() and second.isalpha()):
        return False
    if shorter < _MIN_TYPO_CHARS:
        return sorted(first) == sorted(second) and _mistakes(first, second, 1) <= 1
    most = 2 if shorter >= _MIN_TWO_TYPOS_CHARS else 1
    return _mistakes(first, second, most) <= most


def _mistakes(first: str, second: str, most: int) -> int:
    """Return how many letters are wrong, missing, too many or swapped with the next; `most` + 1 if there are more."""
    if abs(len(first) - len(second)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(second) + 1))
    for i, letter in enumerate(first, 1):
        earlier, before, row = before, row, [i]
        for j, other in enumerate(second, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == second[j - 2] and first[i - 2] == other:
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
    return row[-1]


# Names

# Characters of names that no paraphrase invents: paths, files, versions, identifiers.
_IDENTIFIER_CHARS = frozenset("/_~$@\\.:0123456789")
_PUNCTUATION = "`'\"‘’“”«»()[],;:!?…"
_CODE = re.compile(r"`([^`]{1,200})`")
# Chinese, Japanese and Korean characters and punctuation: names stand between them without blanks.
_UNSPACED = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]+")
_CAMEL_CASE = re.compile(r"[a-z][A-Z]")
_ALTERNATIVES = re.compile(r"\w+(?:/\w+){1,5}")
# `-xvf` is -x -v -f, and `-name` is one option with a single dash.
_BUNDLE, _SHORT_OPTIONS = re.compile(r"-[A-Za-z]{1,4}"), re.compile(r"(?<![\w-])-([A-Za-z]{1,4})(?![\w-])")
_ABBREVIATIONS = ("e.g", "i.e", "and/or")
PLAIN_QUOTES = str.maketrans("‘’‚“”„«»´", '\'\'\'"""""\'')


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
    letters = {letter for flag in _SHORT_OPTIONS.findall(source) for letter in flag}
    words, groups = set(known.split()), _known_words(source)
    return [
        name
        for name in names_in(text)
        if not _occurs(_comparable(name), known)
        and not (_BUNDLE.fullmatch(name) and letters.issuperset(name[1:]))
        and not any(is_misspelled(name.lower(), word.strip(_PUNCTUATION)) for word in words)
        and not (_ALTERNATIVES.fullmatch(name) and content_stems(name.replace("/", " ")) <= stems)
        and groups.isdisjoint((name.lower(), *_groups_of(name.lower())))
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


def _without_names(text: str) -> str:
    """Return a text without its names, which are compared as they are."""
    for name in sorted(names_in(text), key=len, reverse=True):
        text = text.replace(name, " ")
    return text


# Languages


def is_translated(statement: str, line: str) -> bool:
    """Return whether a statement is in another language than its line, as far as can be told."""
    if _is_other_script(line) or _is_other_script(statement):
        return _is_other_script(line) != _is_other_script(statement)
    ours, theirs = _language(statement), _language(line)
    return bool(ours and theirs) and ours != theirs


def _is_other_script(text: str) -> bool:
    """Return whether a text has more letters of another script than the Latin one than a name or two would have."""
    return len(_OTHER_SCRIPT.findall(text)) >= 2


def _language(text: str) -> str:
    """Return the language whose small words a text has most of, "" if it has none or two have as many."""
    words = _words_of(text)
    counts = {name: sum(word in listed for word in words) for name, listed in _languages().items()}
    best, second = sorted(counts, key=lambda name: -counts[name])[:2]
    return best if counts[best] > counts[second] else ""


@cache
def _languages() -> dict[str, frozenset[str]]:
    prefix = "language_"
    lists = ((name, words) for name, words in _lists().items() if name.startswith(prefix))
    return {name.removeprefix(prefix): frozenset(map(unaccented, words)) for name, words in lists}


# Polarity


def is_opposite(statement: str, quoted: str) -> bool:
    """Return whether a statement plainly says the opposite of the clauses that were quoted.

    "A, not B" and "B, not A" deny each what the other affirms.
    """
    ours, theirs = profile_statement(statement), profile_statement(quoted)
    return (
        contradicts(statement, quoted)
        or oppose(statement, quoted).kind is RelationKind.OVERRULES
        or (_denies_what_is_affirmed(ours, theirs) and _denies_what_is_affirmed(theirs, ours))
    )


def may_be_opposite(statement: str, quoted: str, line: str) -> bool:
    """Return whether a statement may say the opposite of its line: a person should compare them."""
    ours, theirs = profile_statement(statement), profile_statement(_ALTERNATIVES.sub(_as_words, quoted))
    return (
        contradicts(statement, line)
        or is_reversed(ours.tokens, theirs.tokens)
        or _denies_what_is_affirmed(ours, theirs)
        or _denies_what_is_affirmed(theirs, ours)
    )


def _as_words(alternatives: re.Match[str]) -> str:
    return alternatives[0].replace("/", " ")


def _denies_what_is_affirmed(first: StatementProfile, second: StatementProfile) -> bool:
    """Return whether one only denies a word that the other only affirms."""
    denied, others = (frozenset().union(*(denial.words for denial in one.denied)) for one in (first, second))
    words = (denied - first.affirmed) & (second.affirmed - others)
    return any(word in first.content and not _is_neutral(word) for word in words)


def is_about(statement: str, text: str) -> bool:
    """Return whether a statement has a word of a text. In another script that can be one in Latin letters, if any."""
    if not is_translated(statement, text):
        known = _known_words(text)
        return any(_is_known(word, known) for word in _words_of(statement) if word not in STOP_WORDS) or bool(
            content_stems(statement) & content_stems(text)
        )
    if not _is_other_script(text):
        return True
    words = frozenset(word for word in _words_of(text) if word.isascii() and len(word) > 1)
    return not words or any(_is_known(word, words) for word in (*_words_of(statement), *tokenize(statement)))
