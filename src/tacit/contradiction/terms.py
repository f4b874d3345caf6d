"""Terms of a statement that count when it is compared, and topics that decide which statements to compare.

Terms are names, figures with their units, and words that a statement is about. A home may have many thousand memories,
and comparing each with all others would take minutes. A topic is a word that a statement is about, cut to what its
derived forms share, or a family of interchangeable things ("package manager"). Statements that `relation` finds opposed
share a topic, so only such pairs are compared. Topics are cheap, because they are computed for every memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache

from tacit.contradiction import lexicon
from tacit.record import Record
from tacit.text.display import regex
from tacit.text.words import normalize_text, simple_stem

_MAX_STATEMENT_CHARS = 600  # the rest is ignored
_MAX_TERMS = 40
_TOKEN = r"`[^`]{1,80}`|\"[^\"]{1,80}\"|“[^”]{1,80}”|->|→|[^\s,;?()\[\]{}“”\"]+|[,;?()\[\]{}]"
_EDGE_PUNCTUATION = ".,;:!?'’‘…*"
_NUMBER = r"([~<>=≤≥v$€£]{0,2})(\d[\d_]*(?:[.,:]\d{1,20}){0,8}(?:e[-+]?\d{1,4})?)([a-zµμ%°]{0,12})"
_IDENTIFIER = r"[`\d_/.@\\=$:#+<>&|*~^-]"
_ELIDED_PREFIXES = ("l'", "d'", "j'", "n'", "qu'", "s'")
_CLAUSE_ENDS = frozenset(",;:.!?()[]{}—–")
AUXILIARIES = frozenset(
    "is are was were be been do does did has have had will would shall should can could may might must am".split()
) | {"get", "gets", "got"}
_REASON_WORDS = frozenset("because weil parce porque perché omdat denn".split())


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
    ends_clause: bool


@lru_cache(maxsize=1 << 14)
def word_stem(word: str) -> str:
    """Return what the forms of a word share: of "entry" and "entries" that is "entri"."""
    stem = simple_stem(word)
    return f"{stem[:-1]}i" if len(stem) > 3 and stem.endswith("y") else stem


def statement_tokens(text: str) -> list[StatementToken]:
    """Return the words of a text without its reason ("because …"): why a rule holds is no part of it."""
    tokens = list(_iter_tokens(text[:_MAX_STATEMENT_CHARS]))
    start = next((i for i, token in enumerate(tokens) if i > 1 and token.lower in _REASON_WORDS), None)
    if start is None:
        return tokens
    end = next((i for i in range(start, len(tokens)) if tokens[i].ends_clause), len(tokens))
    return tokens[:start] + tokens[end:]


def statement_terms(text: str, tokens: Sequence[StatementToken]) -> tuple[StatementTerm, ...]:
    """Return the terms among the tokens of a text."""
    return tuple(_iter_terms(tokens, _is_shouted(text)))[:_MAX_TERMS]


def _iter_tokens(text: str) -> Iterator[StatementToken]:
    for match in regex(_TOKEN).finditer(join_multiword_names(text.replace("’", "'"))):
        raw = match[0]
        is_name = raw.endswith("!") and not regex(r"\s+[A-Z]|\s*$").match(match.string, match.end())  # `try!`
        yield from _tokens_of_word(raw, is_name)


@lru_cache(maxsize=1 << 14)  # the same few words are in most statements
def _tokens_of_word(raw: str, is_name: bool) -> tuple[StatementToken, ...]:
    """Return the tokens of a word as it is written. A name keeps the exclamation mark at its end."""
    if raw in _CLAUSE_ENDS:
        return (StatementToken(raw, "", True),)
    quoted = raw[0] in '`"“'
    bare = raw[1:-1] if quoted else raw.strip(_EDGE_PUNCTUATION) if raw not in ("->", "→") else raw
    if not quoted and raw.startswith(".") and len(raw) > 2 and raw[1].isalpha():
        bare = "." + bare  # `.env`
    bare = (bare or raw) + ("!" if is_name else "")
    if raw[0] == "`" and bare.lower() in lexicon.FUNCTION_WORDS:  # `any` names a type
        bare = raw
    pieces = _split_word(bare, quoted)
    tokens = [StatementToken(piece, _fold_word(piece, quoted), False) for piece in pieces]
    if not quoted and raw[-1] in ".:?;,—–":
        tokens.append(StatementToken(raw[-1], "", True))
    return tuple(tokens)


def join_multiword_names(text: str) -> str:
    """Return the text with each known name of several words as one word."""
    lower = text.lower()
    for first, lasts in _multiword_ends().items():
        if first in lower and any(last in lower for last in lasts):
            break
    else:  # most texts
        return text
    return regex(_multiword_pattern()).sub(lambda match: lexicon.MULTIWORD_NAMES[normalize_text(match[0])], text)


@cache
def _multiword_pattern() -> str:
    longest_first = sorted(lexicon.MULTIWORD_NAMES, key=len, reverse=True)
    return r"(?i)\b(?:" + "|".join(phrase.replace(" ", r"\s+") for phrase in longest_first) + r")\b"


@cache
def _multiword_ends() -> dict[str, set[str]]:
    """Return the last words of names by their first word: a text without such a pair contains none of the names."""
    ends: dict[str, set[str]] = {}
    for phrase in lexicon.MULTIWORD_NAMES:
        first, *_, last = phrase.split()
        ends.setdefault(first, set()).add(last)
    return ends


def _split_word(word: str, quoted: bool) -> list[str]:
    """Return the words that a word is made of: two of "two-reviewers", one of "on-call", and Jan of "Jan's"."""
    lower = word.lower()
    if quoted or lower in lexicon.FAMILIES:
        return [word]
    if lower.endswith("'s") and lower not in lexicon.FUNCTION_WORDS:
        return [word[:-2]]
    elided = next((prefix for prefix in _ELIDED_PREFIXES if lower.startswith(prefix)), "") if "'" in lower else ""
    if elided and len(lower) > 3 and lower not in lexicon.FIRST_WORDS:
        return ["ne" if elided == "n'" else elided[:-1], word[len(elided) :]]
    parts = lower.split("-")
    if "-" not in word.strip("-") or not all(part.isalpha() for part in parts):
        return [word]
    if any(part in lexicon.NUMBER_WORDS or part in ("only", "like", "based") for part in parts):
        return word.split("-")
    return [word]


def _fold_word(word: str, quoted: bool) -> str:
    """Return a word in lower case. "On-call" becomes "oncall", but "heron-tfstate-eu" is a name and stays."""
    lower = word.lower() if word.isascii() else normalize_text(word)
    is_known = lower in lexicon.FAMILIES or lower in lexicon.ALIASES
    if quoted or is_known or "-" not in lower.strip("-") or word != word.lower():
        return lower
    parts = lower.split("-")
    is_name = len(parts) > 2 and lexicon.FUNCTION_WORDS.isdisjoint(parts[1:-1])  # unlike "end-to-end"
    return lower if is_name or not all(part.isalpha() for part in parts) else "".join(parts)


def _is_shouted(text: str) -> bool:
    if text[1:].islower():
        return False
    letters = [letter for letter in text if letter.isalpha()]
    return len(letters) > 8 and sum(letter.isupper() for letter in letters) > 0.7 * len(letters)


def _iter_terms(tokens: Sequence[StatementToken], shouted: bool) -> Iterator[StatementTerm]:
    skip = -1
    for index, token in enumerate(tokens):
        if index <= skip or not token.lower:
            continue
        if (quantity := _parse_quantity(tokens, index)) is not None:
            term, skip = quantity
            yield term
        elif (other := _make_term(tokens, index, token, shouted)) is not None:
            yield other


def _make_term(
    tokens: Sequence[StatementToken], index: int, token: StatementToken, shouted: bool
) -> StatementTerm | None:
    """Return the term of a token, None if it only builds the sentence, negates it or orders its parts."""
    word = lexicon.ALIASES.get(token.lower, token.lower)
    family = _family_of(tokens, index, word)
    if word in lexicon.NEGATED_STATES:
        word = lexicon.NEGATED_STATES[word]
        return StatementTerm(word_stem(word), "light" if word in lexicon.LIGHT_WORDS else "plain", index)
    if len(word) == 1 and word.isalpha():
        has_word_before = index > 0 and bool(tokens[index - 1].lower)  # "Team A", unlike "A team"
        is_letter = token.raw.isupper() and token.raw != "I" and (token.raw != "A" or (has_word_before and not shouted))
        return StatementTerm(word, "code", index, family=family) if is_letter or (family and word != "a") else None
    if word in _structure_words() or (word in lexicon.FUNCTION_WORDS and not (family and word == "just")):
        return None
    if family:
        return StatementTerm(word_stem(word), "name", index, family=family)
    if _is_code(token, word, shouted):
        return StatementTerm(word, "code", index)
    return StatementTerm(word_stem(word), _term_kind(tokens, index, word, shouted), index)


def _term_kind(tokens: Sequence[StatementToken], index: int, word: str, shouted: bool) -> str:
    if word in lexicon.CHANGE_VERBS or word in lexicon.REPLACE_VERBS:
        return "light"
    is_listed = word in lexicon.LIGHT_WORDS or word in lexicon.VAGUE_NOUNS
    if tokens[index].raw[0].isupper() and word == tokens[index].lower and not is_listed:
        is_german = any(token.lower in lexicon.GERMAN_WORDS for token in tokens)  # which capitalizes every noun
        is_start = _is_sentence_start(tokens, index) and not _is_responsible(tokens, index)
        if not (shouted or is_start or is_german or word in lexicon.COMMON_ACRONYMS):
            return "name"
    is_light = is_listed or word_stem(word) in light_word_stems() or _is_participle(tokens, index, word)
    return "light" if is_light else "plain"


def _is_code(token: StatementToken, word: str, shouted: bool) -> bool:
    is_identifier = not word.isalpha() and bool(regex(_IDENTIFIER).search(word))
    is_change = word in lexicon.CHANGE_VERBS or word in lexicon.REPLACE_VERBS
    return (
        (is_identifier or _has_inner_capital(token.raw))
        and not is_change
        and not (shouted and word.replace("-", "").isalpha())
    )


@cache
def _structure_words() -> frozenset[str]:
    """Return the words of negation and order."""
    orders = lexicon.BEFORE_WORDS | lexicon.AFTER_WORDS | lexicon.THEN_WORDS | lexicon.FIRST_WORDS
    return orders | lexicon.NEGATIONS | lexicon.NEGATIVE_VERBS | lexicon.NO_LONGER_WORDS


def _family_of(tokens: Sequence[StatementToken], index: int, word: str) -> str:
    """Return the family of interchangeable things that the word is a member of, or ""."""
    family = lexicon.FAMILIES.get(word) or _family_by_stem().get(word_stem(word), "")
    if family and word in lexicon.AMBIGUOUS_MEMBERS:
        raw = tokens[index].raw
        is_capital = raw.isupper() or (index > 0 and raw[0].isupper())
        return family if is_capital or (index and tokens[index - 1].lower in lexicon.NAMING_WORDS) else ""
    return family


@cache
def _family_by_stem() -> dict[str, str]:
    return {
        word_stem(member): family
        for member, family in lexicon.FAMILIES.items()
        if member not in lexicon.AMBIGUOUS_MEMBERS
    }


@cache
def light_word_stems() -> frozenset[str]:
    """Return the stems of light words, of verbs of change and of vague nouns."""
    verbs = lexicon.LIGHT_WORDS | lexicon.CHANGE_VERBS | lexicon.REPLACE_VERBS
    return frozenset(word_stem(word) for word in verbs) | vague_noun_stems()


@cache
def vague_noun_stems() -> frozenset[str]:
    return frozenset(word_stem(word) for word in lexicon.VAGUE_NOUNS)


def _has_inner_capital(raw: str) -> bool:
    return (
        not raw[1:].islower()
        and any(letter.isupper() for letter in raw[1:])
        and any(letter.islower() for letter in raw)
    )


def _is_sentence_start(tokens: Sequence[StatementToken], index: int) -> bool:
    """Return whether a sentence begins here, where a capital means nothing. All capitals are a name anywhere."""
    raw = tokens[index].raw
    return (index == 0 or tokens[index - 1].raw in ".!?:") and not (len(raw) > 1 and raw.isupper())


def _is_responsible(tokens: Sequence[StatementToken], index: int) -> bool:
    """Return whether a person or team does something here: "Carol owns the importer", "Carol is the owner"."""
    following = " ".join(token.lower for token in tokens[index + 1 : index + 3])
    return following in ("is the", "is our") or following.split(" ")[0] in lexicon.RESPONSIBILITY_VERBS - {"is"}


def _is_participle(tokens: Sequence[StatementToken], index: int, word: str) -> bool:
    """Return whether this is a verb in the passive ("is published to"), which only links a subject to a value."""
    before = (tokens[i].lower for i in (index - 1, index - 2) if i >= 0)
    return word.endswith(("ed", "en")) and any(previous in AUXILIARIES for previous in before)


def _parse_quantity(tokens: Sequence[StatementToken], index: int) -> tuple[StatementTerm, int] | None:
    """Return a number with its unit or with the word it counts or labels, and the last token that belongs to it."""
    token = tokens[index]
    word = token.lower
    if word.isalpha() and word not in _quantity_words():
        return None
    following = tokens[index + 1].lower if index + 1 < len(tokens) else ""
    if word in lexicon.NUMBER_WORDS and word not in lexicon.ARTICLES:
        word = lexicon.NUMBER_WORDS[word]
        if token.lower in ("one", "single", "once") and not (following in lexicon.UNITS or _is_countable(following)):
            return None
    if word in lexicon.UNITS and index and tokens[index - 1].lower == "every":  # "every month"
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
    before = tokens[index - 1].lower if index else ""
    counts_nothing = before in lexicon.LABEL_WORDS or following in lexicon.LIGHT_WORDS
    counted = "" if counts_nothing else _neighbor_stem(following)
    neighbor = counted or _neighbor_stem(before)
    is_label = bool(neighbor) and not counted
    return StatementTerm(f"{digits}{suffix}", "number", index, neighbor=neighbor, is_label=is_label), last


@cache
def _quantity_words() -> frozenset[str]:
    """Return the words that can begin a quantity without any digit."""
    return frozenset((*lexicon.NUMBER_WORDS, *lexicon.UNITS, *lexicon.FREQUENCIES))


def _is_countable(word: str) -> bool:
    return (
        bool(word) and word.isalpha() and word not in lexicon.FUNCTION_WORDS and word not in ("way", "of", "time", "by")
    )


def _neighbor_stem(word: str) -> str:
    """Return the stem of a word that a number counts ("3 nodes") or labels ("port 80"), "" for a function word."""
    if not word or word in lexicon.FUNCTION_WORDS or not any(letter.isalpha() for letter in word):
        return ""
    return word_stem(lexicon.ALIASES.get(word, word))


_TOPIC_LETTERS = 5  # that derived forms share, as in `relation`
_MAX_TOPICS = 12  # of one statement
_FEW_TOPICS = 3
_TOPIC_WORD = r"[^\W_][\w.+#-]*[^\W_]|[^\W_]"
_TOPIC_WORD_PART = r"[^\W_]+"
_MAX_CACHED_TOKENS = 50_000
_NAME_START = " "


@lru_cache(maxsize=1 << 14)
def topics(text: str) -> frozenset[str]:
    """Return the topics of a statement. Light words count only if there is nothing else ("max line length is 88")."""
    tokens = text.casefold().split()
    topic_stems = _token_topics(tokens)
    if _NAME_START in topic_stems:
        tokens = join_multiword_names(text).casefold().split()
        topic_stems = topics_of_tokens(tokens)
    if len(topic_stems) < 2:
        words = {word for token in tokens for word in _topic_words(token)}
        topic_stems |= {word_stem(word) for word in words - lexicon.FUNCTION_WORDS} & light_word_stems()
    if len(topic_stems) > _MAX_TOPICS:
        return frozenset(sorted(topic_stems)[:_MAX_TOPICS])
    return frozenset(topic_stems)


def topics_of_tokens(tokens: Iterable[str]) -> set[str]:
    """Return the topics of words in lower case."""
    return _token_topics(tokens) - {_NAME_START}


def _token_topics(tokens: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for token in tokens:
        found.update(_TOKEN_TOPICS[token])
    return found


def _topic_words(token: str) -> set[str]:
    """Return the words of a token: whole identifiers, and their parts. "Don't" is no identifier."""
    if token.isalpha():
        return {token}
    if token in lexicon.NEGATIONS:
        return set()
    return {*regex(_TOPIC_WORD).findall(token), *regex(_TOPIC_WORD_PART).findall(token)}


class _TokenTopics(dict[str, tuple[str, ...]]):
    """The topics of tokens, which are the same few in most statements. It is emptied when it becomes too large.

    A token with the first word of a name of several words has the topic _NAME_START, too.
    """

    def __missing__(self, token: str) -> tuple[str, ...]:
        if len(self) >= _MAX_CACHED_TOKENS:
            self.clear()
        words = _topic_words(token)
        found = {topic for word in words if (topic := _word_topic(word))}
        if not words.isdisjoint(_multiword_ends()):
            found.add(_NAME_START)
        self[token] = topics_of_token = tuple(found)
        return topics_of_token


_TOKEN_TOPICS = _TokenTopics()


def is_worth_comparing(shared: int, fewest: int, is_any_change: Callable[[], bool]) -> bool:
    """Return whether two statements share enough topics to be compared.

    One is enough if either has few topics (`fewest`), or describes a change: "cron is history" has no topic but the
    name.
    """
    return shared > 1 or (shared == 1 and (fewest < _FEW_TOPICS or is_any_change()))


@lru_cache(maxsize=1 << 14)
def _word_topic(word: str) -> str:
    """Return the topic of a word, "" for function words, light words and figures: a figure is a value, not a topic."""
    name = lexicon.ALIASES.get(word, word)
    if family := lexicon.FAMILIES.get(name):
        return f"={family}"
    if name in lexicon.SYNONYMS:
        return word_stem(lexicon.SYNONYMS[name])[:_TOPIC_LETTERS]
    stem = word_stem(name)
    if family := _family_by_stem().get(stem):
        return f"={family}"
    if (
        name in lexicon.FUNCTION_WORDS
        or name in lexicon.ENDED_WORDS
        or name in _structure_words()
        or name in lexicon.CHANGE_VERBS
        or name in lexicon.REPLACE_VERBS
        or stem in light_word_stems()
        or not stem.isalpha()
        or len(stem) < 2
    ):
        return ""
    return stem[:_TOPIC_LETTERS]


@lru_cache(maxsize=1 << 17)
def is_change_or_denial(text: str) -> bool:
    """Return whether the text denies something or describes a change."""
    return not _change_words().isdisjoint(text.casefold().replace(",", " ").split())


@cache
def _change_words() -> frozenset[str]:
    phrases = (*lexicon.NEGATIVE_PHRASES, *lexicon.NO_LONGER_PHRASES)
    verbs = (
        lexicon.CHANGE_VERBS
        | lexicon.REPLACE_VERBS
        | lexicon.NO_LONGER_WORDS
        | lexicon.PHRASAL_VERBS
        | lexicon.LEAVE_VERBS
        | lexicon.ENDED_WORDS
    )
    return verbs | ({phrase.split()[0] for phrase in phrases} - lexicon.NEGATIONS - lexicon.FUNCTION_WORDS)
