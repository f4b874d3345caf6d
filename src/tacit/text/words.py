"""Words of a text: normalization, stems, search terms and a token estimate. And where its sentences end.

There are two stemmers. `porter_stem` is for search: `connect` finds `connection`, `connected` and `connecting`.
`simple_stem` cuts less, and is for comparing statements.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from unicodedata import normalize

from tacit.record import Record
from tacit.text.display import regex

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")


# Porter's rules for English words
_STEP2_SUFFIXES = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble", "alli": "al",
    "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al",
    "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble", "logi": "log",
}  # fmt: skip
_STEP3_SUFFIXES = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP4_SUFFIXES = dict.fromkeys(
    "al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize".split(), ""
)
_VOWEL_OR_CONSONANT = {code: "v" if chr(code) in "aeiou" else "c" for code in range(128)}
_MAX_WORD_CHARS = 64  # longer words are cut


class WordCache(dict[str, "T"]):
    """Computes a value for each word once: the same few are in most texts. It is emptied when it becomes too large.

    Long words are not kept, to save memory.
    """

    def __init__(self, compute: Callable[[str], T], most: int) -> None:
        super().__init__()
        self._compute, self._most = compute, most

    def __missing__(self, word: str) -> T:
        value = self._compute(word)
        if len(word) <= _MAX_WORD_CHARS:
            if len(self) >= self._most:
                self.clear()
            self[word] = value
        return value


def porter_stem(word: str) -> str:
    """Compute the stem of a word in lower case by Porter's rules. Use STEMS, which remembers them."""
    if len(word) < 3 or not (word.isascii() and word.isalpha()):
        return word
    word = _strip_inflection(word)
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replace_suffix(word, _STEP2_SUFFIXES)
    word = _replace_suffix(word, _STEP3_SUFFIXES)
    word = _replace_suffix(word, _STEP4_SUFFIXES, 2)
    if word.endswith("e"):
        stem = word[:-1]
        size = _measure(stem)
        if size > 1 or (size == 1 and not _is_short(stem)):
            word = stem
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word


def _strip_inflection(word: str) -> str:
    """Remove plurals, -ed and -ing."""
    if word.endswith("s"):
        word = word[:-2] if word.endswith(("sses", "ies")) else word if word.endswith("ss") else word[:-1]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix) and _has_vowel(word[: -len(suffix)]):
            return _repair_stem(word[: -len(suffix)])
    return word


def _repair_stem(stem: str) -> str:
    """Return the word from which an ending was removed: `hopping` is `hop`, `hoping` is `hope`."""
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if len(stem) > 1 and stem[-1] == stem[-2] and _vowel_pattern(stem)[-1] == "c" and stem[-1] not in "lsz":
        return stem[:-1]
    return stem + "e" if _measure(stem) == 1 and _is_short(stem) else stem


def _replace_suffix(word: str, suffixes: dict[str, str], least: int = 1) -> str:
    """Replace the longest suffix that matches, if the measure of what is left is `least` or more."""
    for length in range(min(7, len(word) - 1), 1, -1):
        suffix = word[-length:]
        if suffix in suffixes:
            stem = word[:-length]
            is_enough = _measure(stem) >= least and (suffix != "ion" or stem.endswith(("s", "t")))
            return stem + suffixes[suffix] if is_enough else word
    return word


def _vowel_pattern(word: str) -> str:
    """Return v or c for each letter. A y after a consonant is a vowel."""
    if "y" not in word:
        return word.translate(_VOWEL_OR_CONSONANT)
    pattern = ""
    for letter in word:
        is_vowel = letter in "aeiou" or (letter == "y" and pattern.endswith("c"))
        pattern += "v" if is_vowel else "c"
    return pattern


def _measure(stem: str) -> int:
    """Return how often a run of vowels is followed by one of consonants."""
    return _vowel_pattern(stem).count("vc")


def _has_vowel(stem: str) -> bool:
    return "v" in _vowel_pattern(stem)


def _is_short(stem: str) -> bool:
    """Return whether it ends as `hop` does: consonant, vowel, consonant other than w, x and y."""
    return _vowel_pattern(stem).endswith("cvc") and stem[-1] not in "wxy"


STEMS = WordCache(porter_stem, 30_000)

_SIMPLE_SUFFIXES = ("ingly", "edly", "ings", "ing", "ed", "es", "ly", "s")
_DOUBLED_CONSONANTS = "bdgmnprt"  # before a suffix


@lru_cache(maxsize=4096)
def simple_stem(word: str) -> str:
    """Return the word without its ending: `testing`, `tested` and `tests` are `test`, `committing` is `commit`."""
    if not word.isalpha() or not word.isascii():
        return word
    for suffix in _SIMPLE_SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            stem = word[: -len(suffix)]
            return stem[:-1] if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] in _DOUBLED_CONSONANTS else stem
    return word.removesuffix("e") if len(word) > 4 else word


# Scripts that are written without spaces: indexed by characters and pairs of neighbours.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
_TOKEN = rf"([{_UNSPACED}]+)|[^\s{_UNSPACED}]+"
_EDGE_PUNCTUATION = "\"'`´‘’“”«»()[]{}<>,;:!?.…*=|\\~^%-/@"
_WORD_PART = re.compile(r"[^\W_]+")
_CAMEL_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

# Letters that readers also type without their accent are indexed without it: Latin, Greek, and Cyrillic ё. Marks of
# other scripts are spelling, and й is a letter of its own.
_ACCENTED = "([A-Za-z\u0391-\u03c9\u017f])[\u0300-\u036f]+|([\u0415\u0435])\u0308"
_LIGATURES = str.maketrans({
    "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ł": "l", "Ł": "L", "ħ": "h",
    "Ħ": "H", "ı": "i",
})  # fmt: skip
_LIGATURE = f"[{''.join(map(chr, _LIGATURES))}]"
_ACCENT = "[\u0300-\u036f]"

# Words of most questions and rules, which distinguish none of them.
STOP_WORDS = frozenset(
    "a about all am an and any are as at be been but by can could did do does for from had has have how i if in into"
    " is it its just me my no not of on or our should so some than that the their them then there these they this"
    " those to up us was we were what when where which who why will with would you your always because never use used"
    " uses using must he her hers him his she being having whose whom may might shall very also".split()
)
_NEGATED_VERBS = "did does was were is are had has have could would should must need do ai might".split()
# Parts of "didn't" and "we've" that are tokens beside the word itself: they mean nothing, and look like rare words.
_CONTRACTIONS = frozenset(
    [verb + suffix for verb in _NEGATED_VERBS for suffix in ("n", "nt")]
    + "cant wont whats thats theres heres hows wheres whos theyre youre weve ive youve theyve".split()
)
_CONTRACTION_ENDINGS = frozenset(("s", "t", "re", "ve", "ll", "d", "m"))  # of "Ann's" and "don't"


def normalize_text(text: str) -> str:
    """Return one spelling for comparison: compatibility forms, case and runs of blanks do not matter."""
    folded = text.lower() if text.isascii() else normalize("NFKC", text).casefold()
    return " ".join(folded.split())


def unaccented(text: str) -> str:
    """Return the text as it is indexed, without compatibility forms and accents: "café" is "cafe"."""
    if text.isascii():
        return text
    split = normalize("NFKD", text)
    # Most texts that are not ASCII have dashes, arrows or quotes, and neither of these.
    if regex(_LIGATURE).search(split):
        split = split.translate(_LIGATURES)
    if regex(_ACCENT).search(split):
        split = regex(_ACCENTED).sub(r"\1\2", split)
    return normalize("NFC", split)


def tokenize(text: str) -> list[str]:
    """Return the terms of a text: identifiers whole and in parts, unspaced scripts as characters and pairs.

    Accents are removed.
    """
    terms: list[str] = []
    if text.isascii():
        for token in text.split():
            terms += _TOKEN_CACHE[token]
        return terms
    for token in unaccented(text).split():
        if token.isascii():
            terms += _TOKEN_CACHE[token]
            continue
        for match in regex(_TOKEN).finditer(token):
            run = match[1]
            terms += [*run, *(run[i : i + 2] for i in range(len(run) - 1))] if run else _TOKEN_CACHE[match[0]]
    return terms


def locate_tokens(text: str) -> Iterator[re.Match[str]]:
    """Yield the tokens of a text with their positions. Their `token_terms` together are the terms of the text."""
    return regex(r"\S+" if text.isascii() else _TOKEN).finditer(text)


def token_terms(token: str) -> Sequence[str]:
    """Return the terms of one token."""
    return _TOKEN_CACHE[token] if token.isascii() else tokenize(token)


def _compute_token_terms(token: str) -> tuple[str, ...]:
    if token.isascii() and token.isalpha() and token.islower():  # most words of most texts
        return (token[:_MAX_WORD_CHARS],)
    whole = token.strip(_EDGE_PUNCTUATION).casefold()[:_MAX_WORD_CHARS]
    terms = [whole, whole.replace("'", "").replace("’", "")]
    for piece in _WORD_PART.findall(token):
        folded = piece.casefold()
        terms.append(folded[:_MAX_WORD_CHARS])
        if folded != piece:
            terms += [part.casefold()[:_MAX_WORD_CHARS] for part in _CAMEL_BOUNDARY.split(piece)]
    # A token of signs only, such as `$&` or `--`, is a term itself.
    return tuple([term for term in dict.fromkeys(terms) if term]) or (token[:_MAX_WORD_CHARS],)


_TOKEN_CACHE = WordCache(_compute_token_terms, 20_000)


def query_terms(text: str, limit: int = 64) -> list[str]:
    """Return the distinct terms of a query. Stop words are left out unless there is nothing else."""
    terms = list(dict.fromkeys(tokenize(text.replace("\0", " ")[:4096])))
    shortened = {term.replace("'", "").replace("’", "") for term in terms if "'" in term or "’" in term}
    contractions = _CONTRACTIONS & (shortened | {term.removesuffix("t") for term in shortened})
    insignificant = STOP_WORDS | contractions | _CONTRACTION_ENDINGS
    significant = [term for term in terms if term not in insignificant and "'" not in term and "’" not in term]
    return (significant or terms)[:limit]


def estimate_tokens(text: str) -> int:
    """Return an upper estimate of the tokens of a text: one for four ASCII characters, one for each other character."""
    ascii_count = sum(1 for char in text if char < "\x80")
    return (ascii_count + 3) // 4 + len(text) - ascii_count


# Sentences. A dot inside `.env`, `v1.2`, `e.g.` or a name ends none (ADR 56).

# Possible ends of a sentence: punctuation before a blank, ideographic full stops, line breaks.
_SENTENCE_END = r"(?<![.!?…])[.!?…]+[\"'”’)\]*`]{0,3}(?=\s|$)|(?<![。！？])[。！？]+[\"'”’)\]」』]{0,3}"
_SENTENCE_OR_LINE_END = rf"{_SENTENCE_END}|\n"
# Also a single letter, as in `J. Smith`.
_ABBREVIATION = (
    r"(?i)(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|resp|incl|no|bzw|z\.b|d\.h|p\.ej|p\.ex)|(?<=[\s.])[a-z]|(?<=\s)\.)\.$"
)
_LIST_MARK = r"\s{0,12}(?:[-*+•–—✓❌✅⚠️]{1,2}\s+|\(?\d{1,3}[.)]\s+|[a-z][.)]\s+|#{1,6}\s+|\[[ x]\]\s+|>\s+)"
_MIN_WRAPPED_CHARS = 60  # of a line that may continue in the next one


class TextSpan(Record):
    """A part of a text. `end` is excluded."""

    start: int
    end: int


def sentence_ends(text: str) -> Iterator[int]:
    """Yield the positions after the punctuation that ends a sentence, with the quotes and brackets that it closes."""
    return _ends(_SENTENCE_END, text, 0, len(text))


def _ends(pattern: str, text: str, start: int, end: int) -> Iterator[int]:
    for match in regex(pattern).finditer(text, start, end):
        if _is_sentence_end(text, match, start, end):
            start = match.end()
            yield start


def sentence_spans(text: str, spans: Iterable[TextSpan]) -> Iterator[TextSpan]:
    """Yield every sentence of these parts, without blanks and list marks around it."""
    for span in spans:
        for start, end in pairwise((span.start, *_ends(_SENTENCE_OR_LINE_END, text, *span), span.end)):
            yield from _trimmed_span(text, start, end)


def _is_sentence_end(text: str, match: re.Match[str], start: int, end: int) -> bool:
    mark, index = match[0], match.start()
    if mark == "\n":  # it ends none if its line is long and the next one begins in lower case
        line = text[max(start, text.rfind("\n", 0, index) + 1) : index]
        following = text[index + 1 : min(index + 80, end)]
        if not following.strip() or following.startswith("\n") or regex(_LIST_MARK).match(following):
            return True
        first = following.lstrip()[:1]
        return not (len(line) >= _MIN_WRAPPED_CHARS and (first.islower() or first in "`\"'("))
    if index > start and mark[0] == "." and text[index - 1].isspace():
        return False  # `let .. = x`
    if mark == "." and regex(_ABBREVIATION).search(text, max(start, index - 12), match.end()):
        return False
    return not (mark == "." and text[start:index].strip().isdigit())  # `1.` is the number of an item


def _trimmed_span(text: str, start: int, end: int) -> Iterator[TextSpan]:
    while (mark := regex(_LIST_MARK).match(text, start, end)) and mark.end() > start:
        start = mark.end()
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if end > start:
        yield TextSpan(start, end)
