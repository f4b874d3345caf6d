"""Keywords: which of the words that tables know a text contains. Most texts contain few, and are done after this."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

MAX_PREFIX_SCAN_CHARS = 32_768  # characters that are searched by prefix before expressions are compiled
MAX_CACHED_WORDS = 50_000
_MAX_CACHED_WORD_CHARS = 64
_SHORT_TEXT_CHARS = 256
_PREFIX_CHARS = 3
_LETTERS_BY_FREQUENCY = "etaoinsrhldcumfpgwybvk"  # frequent letters are tried first, all others after these
_ASCII_TO_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


def lowered(text: str) -> str:
    """Return the text in lower case, with every character at the same offset."""
    low = text.lower()
    return low if len(low) == len(text) else text.translate(_ASCII_TO_LOWER)


class KeywordMatcher:
    """Finds which of a fixed set of keywords a text contains, and which of its words are to be looked at for themselves.

    No keyword contains a blank. For the few texts of a short command, keywords are looked up by their first three
    characters, which needs little preparation. For more text they are compiled into expressions, and the result for each
    word is cached, because most words occur again and again. All ways give the same keywords.
    """

    def __init__(self, keywords: Sequence[str], is_special: Callable[[str], bool] = lambda _: False) -> None:
        self._keywords = keywords
        self._is_special = is_special
        self._ascii_keywords = [keyword for keyword in keywords if keyword.isascii()]
        self._other_keywords = [keyword for keyword in keywords if not keyword.isascii()]
        self._other_regex: re.Pattern[str] | None = None
        self._scanned_chars = 0
        self._ascii_regex: re.Pattern[str] | None = None
        self._short_keywords: list[str] = []  # shorter than a prefix
        self._by_prefix: dict[str, list[str]] = {}
        self._regex_by_letter: list[tuple[str, re.Pattern[str]]] = []
        self._extensions: dict[str, list[str]] = {}
        self._plain_words: set[str] = set()  # known to contain no keyword and not to be special
        self._word_cache: dict[str, tuple[list[str], bool]] = {}  # keywords in a word, and whether it is special

    def find(self, text: str) -> tuple[list[str], set[str]]:
        """Return the keywords that a text contains in any case, in no order, and its special words.

        Of a short text, all words count as special.
        """
        self._scanned_chars += len(text)
        if self._scanned_chars <= MAX_PREFIX_SCAN_CHARS:
            return self.find_by_prefix(lowered(text)), set(text.split())
        return self.find_in_words(text)

    def find_in_words(self, text: str) -> tuple[list[str], set[str]]:
        """As `find`, word by word with a cache."""
        keywords: set[str] = set()
        special: set[str] = set()
        new = []
        for word in set(text.split()) - self._plain_words:
            cached = self._word_cache.get(word)
            if cached is None:
                new.append(word)
                continue
            keywords.update(cached[0])
            if cached[1]:
                special.add(word)
        if new:
            keywords.update(in_new_words := self.find_by_regex("\n".join(new).lower()))
            special.update(filter(self._is_special, new))
            self._cache(new, in_new_words, special)
        if keywords and not text.isascii() and len(text.lower()) != len(text):  # then other letters keep their case
            low = lowered(text)
            keywords = {keyword for keyword in keywords if keyword in low}
        return list(keywords), special

    def _cache(self, words: list[str], keywords: list[str], special: set[str]) -> None:
        """Remember what was found in words. `keywords` are those of all of them together."""
        if len(self._word_cache) + len(self._plain_words) > MAX_CACHED_WORDS:
            self._word_cache.clear()
            self._plain_words.clear()
        for word in words:
            if len(word) > _MAX_CACHED_WORD_CHARS:
                continue
            low = word.lower()
            in_word = [keyword for keyword in keywords if keyword in low]
            if in_word or word in special:
                self._word_cache[word] = in_word, word in special
            else:
                self._plain_words.add(word)

    def find_by_regex(self, low: str) -> list[str]:
        """As `find`, with expressions. They match the shortest of keywords that begin alike; others are added."""
        if len(low) < _SHORT_TEXT_CHARS:
            self._ascii_regex = self._ascii_regex or re.compile(
                f"(?=({_trie_pattern(_build_trie(self._ascii_keywords))}))"
            )
            keywords = set(self._ascii_regex.findall(low))
        else:
            # An expression that begins with a literal character is much faster, so that many of them are faster than one.
            self._regex_by_letter = self._regex_by_letter or [
                (letter, re.compile(f"{re.escape(letter)}(?=({_trie_pattern(rest)}))"))
                for letter, rest in _build_trie(self._ascii_keywords).items()
            ]
            keywords = {letter + rest for letter, pattern in self._regex_by_letter for rest in pattern.findall(low)}
        if self._other_keywords and not low.isascii():
            self._other_regex = self._other_regex or re.compile(
                f"(?=({_trie_pattern(_build_trie(self._other_keywords))}))"
            )
            keywords.update(self._other_regex.findall(low))
        return [
            *keywords,
            *{longer for keyword in keywords for longer in self._extensions_of(keyword) if longer in low},
        ]

    def find_by_prefix(self, low: str) -> list[str]:
        """As `find`, by the first characters of each keyword."""
        if not self._by_prefix:
            for keyword in self._keywords:
                if len(keyword) < _PREFIX_CHARS:
                    self._short_keywords.append(keyword)
                else:
                    self._by_prefix.setdefault(keyword[:_PREFIX_CHARS], []).append(keyword)
        keywords = [keyword for keyword in self._short_keywords if keyword in low]
        prefixes = {low[at : at + _PREFIX_CHARS] for at in range(len(low) - _PREFIX_CHARS + 1)}
        for prefix in prefixes & self._by_prefix.keys():
            keywords += [keyword for keyword in self._by_prefix[prefix] if keyword in low]
        return keywords

    def _extensions_of(self, keyword: str) -> list[str]:
        """Return the longer keywords that begin with this one."""
        if keyword not in self._extensions:
            self._extensions[keyword] = [
                other for other in self._keywords if other != keyword and other.startswith(keyword)
            ]
        return self._extensions[keyword]


def _build_trie(keywords: Sequence[str]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for keyword in keywords:
        branch = tree
        for letter in keyword:
            branch = branch.setdefault(letter, {})
        branch[""] = {}
    return tree


def _trie_pattern(tree: dict[str, Any]) -> str:
    if "" in tree:
        return ""
    common_first = sorted(tree.items(), key=lambda branch: _LETTERS_BY_FREQUENCY.find(branch[0]) % 64)
    branches = [re.escape(letter) + _trie_pattern(rest) for letter, rest in common_first]
    return branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})"
