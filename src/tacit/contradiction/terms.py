"""Terms of a statement that count when it is compared: names, figures with their units, words that it is about.

And its topics, by which a few statements are chosen from a home with many thousands, to be compared with one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cache, lru_cache

from tacit.contradiction import lexicon
from tacit.record import Record
from tacit.text.display import regex
from tacit.text.words import WordCache, normalize_text, simple_stem

_MAX_STATEMENT_CHARS = 600  # the rest is ignored
_MAX_TERMS = 40
_TOKEN = r"`[^`]{1,80}`|\"[^\"]{1,80}\"|“[^”]{1,80}”|->|→|[^\s,;?()\[\]{}“”\"]+|[,;?()\[\]{}]"
_EDGE_PUNCTUATION = ".,;:!?'’‘…*"
_NUMBER = r"([~<>=≤≥v$€£]{0,2})(\d[\d_]*(?:[.,:]\d{1,20}){0,8}(?:e[-+]?\d{1,4})?)([a-zµμ%°]{0,12})"
_IDENTIFIER = r"[`\d_/.@\\=$:#+<>&|*~^-]"
_ELIDED_PREFIXES = ("l'", "d'", "j'", "n'", "qu'", "s'")
_CLAUSE_ENDS = frozenset(",;:.!?()[]{}—–")
_QUANTITY_WORDS = frozenset((*lexicon.NUMBER_WORDS, *lexicon.UNITS, *lexicon.FREQUENCIES))  # without any digit
_NOT_COUNTED = lexicon.FUNCTION_WORDS | {"way", "of", "time", "by"}


NAME_KINDS = frozenset(("name", "code"))
WORD_KINDS = frozenset(("plain", "light"))  # terms of other kinds are values: names and figures


class StatementTerm(Record):
    """A word that counts.

    `kind` is `plain`, `light`, `name`, `code`, `number`, or the kind of a unit (`time`, `size`, …).
    """

    word: str
    kind: str
    position: int
    neighbor: str = ""  # of a number: the word beside it ("port 80", "3 nodes")
    family: str = ""
    is_label: bool = False  # a number that names a thing ("step 3") instead of counting things ("3 steps")


class StatementToken(Record):
    """A word as written and in lower case, or the end of a clause, which has an empty `lower`."""

    raw: str
    lower: str


# Words of one root

COGNATE_LETTERS = 5  # that derived words share at least, from the first
_MIN_SHARE = 0.7  # of the shorter word that they share


@lru_cache(maxsize=1 << 14)
def word_stem(word: str) -> str:
    """Return what the forms of a word share: of "entry" and "entries" that is "entri"."""
    stem = simple_stem(word)
    return f"{stem[:-1]}i" if len(stem) > 3 and stem.endswith("y") else stem


@cache
def stems(words: frozenset[str]) -> frozenset[str]:
    """Return the stems of a word list."""
    return frozenset(map(word_stem, words))


def without(words: Iterable[str], others: Collection[str]) -> set[str]:
    """Return the words that are not among the others."""
    return {word for word in words if not is_among(word, others)}


def is_among(word: str, words: Collection[str]) -> bool:
    """Return whether the word or one derived from the same root is among the words."""
    if word in words:
        return True
    if len(word) < COGNATE_LETTERS:
        return False
    prefix = word[:COGNATE_LETTERS]
    for other in words:  # noqa: SIM110 - a generator takes half again as long, and this is most of a comparison
        if other.startswith(prefix) and is_same_word(word, other):
            return True
    return False


def is_same_word(first: str, second: str) -> bool:
    """Return whether two words are equal or derived from each other. Words with digits or signs must be equal."""
    if first == second:
        return True
    if first[:COGNATE_LETTERS] != second[:COGNATE_LETTERS] or not (first.isalpha() and second.isalpha()):
        return False
    shorter = min(len(first), len(second))
    alike = next((i for i in range(shorter) if first[i] != second[i]), shorter)
    return alike >= _MIN_SHARE * shorter and lexicon.ENDINGS.issuperset((first[alike:], second[alike:]))


# Tokens


def statement_tokens(text: str) -> list[StatementToken]:
    """Return the words of a text without its reason ("because …"): why a rule holds is no part of it."""
    tokens: list[StatementToken] = []
    for match in regex(_TOKEN).finditer(join_multiword_names(text[:_MAX_STATEMENT_CHARS].replace("’", "'"))):
        raw = match[0]
        is_name = raw.endswith("!") and not regex(r"\s+[A-Z]|\s*$").match(match.string, match.end())  # `try!`
        tokens += _tokens_of_word(raw, is_name)
    start = next((i for i, token in enumerate(tokens) if i > 1 and token.lower in lexicon.REASON_WORDS), None)
    if start is None:
        return tokens
    end = next((i for i in range(start, len(tokens)) if not tokens[i].lower), len(tokens))
    return tokens[:start] + tokens[end:]


@lru_cache(maxsize=1 << 14)  # the same few words are in most statements
def _tokens_of_word(raw: str, is_name: bool) -> tuple[StatementToken, ...]:
    """Return the tokens of a word as it is written. A name keeps the exclamation mark at its end."""
    if raw in _CLAUSE_ENDS:
        return (StatementToken(raw, ""),)
    quoted = raw[0] in '`"“'
    bare = raw[1:-1] if quoted else raw.strip(_EDGE_PUNCTUATION) if raw not in ("->", "→") else raw
    if not quoted and raw.startswith(".") and len(raw) > 2 and raw[1].isalpha():
        bare = "." + bare  # `.env`
    bare = (bare or raw) + ("!" if is_name else "")
    if raw[0] == "`" and bare.lower() in lexicon.FUNCTION_WORDS:  # `any` names a type
        bare = raw
    pieces = [bare] if quoted else _split_word(bare)
    tokens = [StatementToken(piece, _fold_word(piece, quoted)) for piece in pieces]
    if not quoted and raw[-1] in ".:?;,—–":
        tokens.append(StatementToken(raw[-1], ""))
    return tuple(tokens)


def join_multiword_names(text: str) -> str:
    """Return the text with each known name of several words as one word."""
    lower = text.lower()
    if not any(first in lower and any(last in lower for last in lasts) for first, lasts in multiword_ends().items()):
        return text  # as most are
    return regex(_multiword_pattern()).sub(lambda match: lexicon.MULTIWORD_NAMES[normalize_text(match[0])], text)


@cache
def _multiword_pattern() -> str:
    longest_first = sorted(lexicon.MULTIWORD_NAMES, key=len, reverse=True)
    return r"(?i)\b(?:" + "|".join(phrase.replace(" ", r"\s+") for phrase in longest_first) + r")\b"


@cache
def multiword_ends() -> dict[str, set[str]]:
    """Return the last words of names by their first word: a text without such a pair contains none of the names."""
    ends: dict[str, set[str]] = {}
    for phrase in lexicon.MULTIWORD_NAMES:
        first, *_, last = phrase.split()
        ends.setdefault(first, set()).add(last)
    return ends


def _split_word(word: str) -> list[str]:
    """Return the words that a word is made of: two of "two-reviewers", one of "on-call", and Jan of "Jan's"."""
    lower = word.lower()
    if lower in lexicon.FAMILIES:
        return [word]
    if lower.endswith("'s") and lower not in lexicon.FUNCTION_WORDS:
        return [word[:-2]]
    elided = next((prefix for prefix in _ELIDED_PREFIXES if lower.startswith(prefix)), "")
    if elided and len(lower) > 3 and lower not in lexicon.FIRST_WORDS:
        return ["ne" if elided == "n'" else elided[:-1], word[len(elided) :]]
    parts = lower.split("-")
    is_split = any(part in lexicon.NUMBER_WORDS or part in ("only", "like", "based") for part in parts)
    return word.split("-") if is_split and len(parts) > 1 and all(part.isalpha() for part in parts) else [word]


def _fold_word(word: str, quoted: bool) -> str:
    """Return a word in lower case. "On-call" becomes "oncall", but "heron-tfstate-eu" is a name and stays."""
    lower = word.lower() if word.isascii() else normalize_text(word)
    is_known = lower in lexicon.FAMILIES or lower in lexicon.ALIASES
    if quoted or is_known or "-" not in lower.strip("-") or word != word.lower():
        return lower
    parts = lower.split("-")
    is_name = len(parts) > 2 and lexicon.FUNCTION_WORDS.isdisjoint(parts[1:-1])  # unlike "end-to-end"
    return lower if is_name or not all(part.isalpha() for part in parts) else "".join(parts)


# Terms


def statement_terms(text: str, tokens: Sequence[StatementToken]) -> tuple[StatementTerm, ...]:
    """Return the terms among the tokens of a text."""
    letters = [] if text[1:].islower() else [letter for letter in text if letter.isalpha()]
    is_shouted = len(letters) > 8 and sum(letter.isupper() for letter in letters) > 0.7 * len(letters)
    terms: list[StatementTerm] = []
    skip = -1
    for index, token in enumerate(tokens):
        if index <= skip or not token.lower:
            continue
        if (quantity := _parse_quantity(tokens, index)) is not None:
            terms.append(quantity[0])
            skip = quantity[1]
        elif (other := _make_term(tokens, index, is_shouted)) is not None:
            terms.append(other)
    return tuple(terms[:_MAX_TERMS])


def _make_term(tokens: Sequence[StatementToken], index: int, shouted: bool) -> StatementTerm | None:
    """Return the term of a token, None if it only builds the sentence, negates it or orders its parts."""
    raw = tokens[index].raw
    word = lexicon.ALIASES.get(tokens[index].lower, tokens[index].lower)
    family = lexicon.FAMILIES.get(word) or family_by_stem().get(word_stem(word), "")
    if family and word in lexicon.AMBIGUOUS_MEMBERS:
        is_capital = raw.isupper() or (index > 0 and raw[0].isupper())
        is_named = is_capital or (index and tokens[index - 1].lower in lexicon.NAMING_WORDS)
        family = family if is_named else ""
    if word in lexicon.NEGATED_STATES:
        word = lexicon.NEGATED_STATES[word]
        return StatementTerm(word_stem(word), "light" if word in lexicon.LIGHT_WORDS else "plain", index)
    if len(word) == 1 and word.isalpha():
        has_word_before = index > 0 and bool(tokens[index - 1].lower)  # "Team A", unlike "A team"
        is_letter = raw.isupper() and raw != "I" and (raw != "A" or (has_word_before and not shouted))
        return StatementTerm(word, "code", index, family=family) if is_letter or (family and word != "a") else None
    if word in lexicon.STRUCTURE_WORDS or (word in lexicon.FUNCTION_WORDS and not (family and word == "just")):
        return None
    if family:
        return StatementTerm(word_stem(word), "name", index, family=family)
    is_change = word in lexicon.CHANGE_VERBS or word in lexicon.REPLACE_VERBS
    is_identifier = not word.isalpha() and bool(regex(_IDENTIFIER).search(word))
    has_inner_capital = not raw[1:].islower() and any(map(str.isupper, raw[1:])) and any(map(str.islower, raw))
    if (is_identifier or has_inner_capital) and not is_change and not (shouted and word.replace("-", "").isalpha()):
        return StatementTerm(word, "code", index)
    return StatementTerm(word_stem(word), "light" if is_change else _word_kind(tokens, index, word, shouted), index)


def _word_kind(tokens: Sequence[StatementToken], index: int, word: str, shouted: bool) -> str:
    """Return whether a word is a name by its capital letter, a light word, or a plain one."""
    raw = tokens[index].raw
    is_listed = word in lexicon.LIGHT_WORDS or word in lexicon.VAGUE_NOUNS
    if raw[0].isupper() and word == tokens[index].lower and not is_listed:
        is_german = any(token.lower in lexicon.GERMAN_WORDS for token in tokens)  # which capitalizes every noun
        # All capitals are a name also where a sentence begins, and so is who does something: "Carol owns", "is the".
        begins = (index == 0 or tokens[index - 1].raw in ".!?:") and not (len(raw) > 1 and raw.isupper())
        following = [token.lower for token in tokens[index + 1 : index + 3]]
        acts = following in (["is", "the"], ["is", "our"]) or not lexicon.DUTY_VERBS.isdisjoint(following[:1])
        if not (shouted or (begins and not acts) or is_german or word in lexicon.COMMON_ACRONYMS):
            return "name"
    before = {token.lower for token in tokens[max(index - 2, 0) : index]}
    is_participle = word.endswith(("ed", "en")) and not before.isdisjoint(lexicon.AUXILIARIES)  # "is published to"
    return "light" if is_listed or is_participle or word_stem(word) in stems(lexicon.ALL_LIGHT_WORDS) else "plain"


@cache
def family_by_stem() -> dict[str, str]:
    """Return the families of interchangeable things by the stems of their members."""
    families = lexicon.FAMILIES.items()
    return {word_stem(member): family for member, family in families if member not in lexicon.AMBIGUOUS_MEMBERS}


def _parse_quantity(tokens: Sequence[StatementToken], index: int) -> tuple[StatementTerm, int] | None:
    """Return a number with its unit or with the word it counts or labels, and the last token that belongs to it."""
    token = tokens[index]
    word = token.lower
    if word.isalpha() and word not in _QUANTITY_WORDS:
        return None
    before = tokens[index - 1].lower if index else ""
    following = tokens[index + 1].lower if index + 1 < len(tokens) else ""
    if word in lexicon.NUMBER_WORDS and word not in lexicon.ARTICLES:
        is_countable = following in lexicon.UNITS or (following.isalpha() and following not in _NOT_COUNTED)
        if word in ("one", "single", "once") and not is_countable:
            return None
        word = lexicon.NUMBER_WORDS[word]
    if word in lexicon.UNITS and before == "every":  # "every month"
        word = f"1{word}"
    word = lexicon.FREQUENCIES.get(word, word)
    match = None if word.isalpha() else regex(_NUMBER).fullmatch(word)
    if match is None:
        return None
    sign, digits, suffix = match.groups()
    last = index
    if not suffix and following in lexicon.UNITS and ":" not in digits:
        suffix, last = following, index + 1
    if suffix in lexicon.UNITS and not sign.startswith("v"):
        kind, size = lexicon.UNITS[suffix]
        try:
            amount = float(digits.replace("_", "").replace(",", "."))
        except ValueError:  # 1.2.3 or 12:30
            pass
        else:
            return StatementTerm(f"{amount * size:.6g} {kind}", kind, index), last
    counts_nothing = before in lexicon.LABEL_WORDS or following in lexicon.LIGHT_WORDS
    counted = "" if counts_nothing else _neighbor_stem(following)
    label = "" if counted else _neighbor_stem(before)
    return StatementTerm(f"{digits}{suffix}", "number", index, counted or label, is_label=bool(label)), last


def _neighbor_stem(word: str) -> str:
    """Return the stem of a word that a number counts ("3 nodes") or labels ("port 80"), "" for a function word."""
    if word in lexicon.FUNCTION_WORDS or not any(letter.isalpha() for letter in word):
        return ""
    return word_stem(lexicon.ALIASES.get(word, word))


# Topics

# A topic is a word that a statement is about, cut to what its derived forms share, or a family of interchangeable
# things ("package manager"). Statements that `relation` finds opposed share a topic, so only such pairs are compared.
# Topics are cheap, because they are computed for every memory.
_MAX_TOPICS = 12  # of one statement
_FEW_TOPICS = 3
_WORD = r"[^\W_][\w.+#-]*[^\W_]|[^\W_]"
_WORD_PART = r"[^\W_]+"
_NAME_START = " "  # the topic of a token with the first word of a name of several words
# Words that say that something is denied or changes.
_CHANGE_WORDS = (
    lexicon.CHANGE_VERBS
    | lexicon.REPLACE_VERBS
    | lexicon.NO_LONGER_WORDS
    | lexicon.PHRASAL_VERBS
    | lexicon.LEAVE_VERBS
    | lexicon.ENDED_WORDS
    | {*lexicon.DENIAL_PHRASES} - lexicon.NEGATIONS - lexicon.FUNCTION_WORDS
)
# Words that are no topic, beside light ones.
_NO_TOPICS = (
    lexicon.FUNCTION_WORDS
    | lexicon.ENDED_WORDS
    | lexicon.STRUCTURE_WORDS
    | lexicon.CHANGE_VERBS
    | lexicon.REPLACE_VERBS
)


@lru_cache(maxsize=1 << 14)
def topics(text: str) -> frozenset[str]:
    """Return the topics of a statement. Light words count only if there is nothing else ("max line length is 88")."""
    tokens = text.casefold().split()
    found = set[str]().union(*map(_TOKEN_TOPICS.__getitem__, tokens))
    if _NAME_START in found:
        tokens = join_multiword_names(text).casefold().split()
        found = topics_of_tokens(tokens)
    if len(found) < 2:
        words = {word for token in tokens for word in _words_of(token)}
        found |= {word_stem(word) for word in words - lexicon.FUNCTION_WORDS} & stems(lexicon.ALL_LIGHT_WORDS)
    return frozenset(found if len(found) <= _MAX_TOPICS else sorted(found)[:_MAX_TOPICS])


def topics_of_tokens(tokens: Iterable[str]) -> set[str]:
    """Return the topics of words in lower case."""
    return set[str]().union(*map(_TOKEN_TOPICS.__getitem__, tokens)) - {_NAME_START}


def _token_topics(token: str) -> tuple[str, ...]:
    words = _words_of(token)
    found = {topic for word in words if (topic := _word_topic(word))}
    return tuple(found) if words.isdisjoint(multiword_ends()) else (*found, _NAME_START)


_TOKEN_TOPICS = WordCache(_token_topics, 20_000)


def _words_of(token: str) -> set[str]:
    """Return the words of a token: whole identifiers, and their parts. "Don't" is no identifier."""
    if token.isalpha():
        return {token}
    if token in lexicon.NEGATIONS:
        return set()
    return {*regex(_WORD).findall(token), *regex(_WORD_PART).findall(token)}


def _word_topic(word: str) -> str:
    """Return the topic of a word, "" for function words, light words and figures: a figure is a value, not a topic."""
    name = lexicon.ALIASES.get(word, word)
    stem = word_stem(lexicon.SYNONYMS.get(name, name))
    family = lexicon.FAMILIES.get(name) or ("" if name in lexicon.SYNONYMS else family_by_stem().get(stem))
    if family:
        return f"={family}"
    if name in lexicon.SYNONYMS:
        return stem[:COGNATE_LETTERS]
    is_light = name in _NO_TOPICS or stem in stems(lexicon.ALL_LIGHT_WORDS)
    return "" if is_light or not stem.isalpha() or len(stem) < 2 else stem[:COGNATE_LETTERS]


def share_enough(shared: int, fewest: int, first: str, second: str) -> bool:
    """Return whether two statements are compared: the number of topics they share, and the fewest that one has.

    One is enough if either has few topics, or describes a change: "cron is history" has no topic but the name.
    """
    if shared != 1 or fewest < _FEW_TOPICS:
        return shared > 0
    return _is_change_or_denial(first) or _is_change_or_denial(second)


@lru_cache(maxsize=1 << 14)
def _is_change_or_denial(text: str) -> bool:
    return not _CHANGE_WORDS.isdisjoint(text.casefold().replace(",", " ").split())
