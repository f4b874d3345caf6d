"""Where the secrets of a text are: a prefilter by keywords, escapes undone, then the probes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Any

from tacit.secrets import commands, names, probes
from tacit.secrets import contexts as cookies
from tacit.secrets import probes as blocks
from tacit.secrets import sentences as talk
from tacit.secrets import spec as shapes
from tacit.secrets.contexts import ADDRESSES, LITERALS, LOGINS
from tacit.secrets.encoded import find_encoded, find_random_assignments, may_hold_runs
from tacit.secrets.probes import Probe, SecretSpan
from tacit.secrets.tokens import RECENT_TOKENS, TOKENS, VENDORS

# Which keywords a text holds. Asked of every text before anything else, so it has to be cheap.
#
# For the few texts of a short command the keywords are sorted by their first three signs, for that needs little
# preparation. Whoever asks for more has all keywords made into expressions, and what they said of a word is kept:
# most words come again and again. All ways answer the same.

MAX_PREFIX_SCAN_CHARS = (
    32_768  # so many characters are asked for keywords by their first signs before the expression is made
)
MAX_CACHED_WORDS = 50_000  # words of which the answer is kept
_MAX_CACHED_WORD_CHARS = 32
_SHORT_TEXT_CHARS = 256
_PREFIX_CHARS = 3  # signs by which keywords are sorted
_LETTERS_BY_FREQUENCY = (
    "etaoinsrhldcumfpgwybvk"  # the commoner a letter, the sooner it is tried; all others after these
)
_ASCII_TO_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


def lowered(text: str) -> str:
    """In lower case, sign for sign in the same place."""
    low = text.lower()
    return low if len(low) == len(text) else text.translate(_ASCII_TO_LOWER)


class KeywordMatcher:
    """A fixed set of keywords, none with a blank in it."""

    def __init__(self, keywords: Sequence[str]) -> None:
        self._keywords = keywords
        self._ascii_keywords = [keyword for keyword in keywords if keyword.isascii()]
        self._other_keywords = [keyword for keyword in keywords if not keyword.isascii()]
        self._other_regex: re.Pattern[str] | None = None
        self._scanned_chars = 0
        self._ascii_regex: re.Pattern[str] | None = None
        self._short_keywords: list[str] = []  # keywords too short to be sorted
        self._by_prefix: dict[str, list[str]] = {}
        self._regex_by_letter: list[tuple[str, re.Pattern[str]]] = []
        self._extensions: dict[str, list[str]] = {}
        self._word_cache: dict[str, list[str]] = {}

    def find(self, low: str) -> list[str]:
        """The keywords that a text in lower case holds, in no order."""
        self._scanned_chars += len(low)
        if self._scanned_chars <= MAX_PREFIX_SCAN_CHARS:
            return self.find_by_prefix(low)
        return self.find_in_words(low)

    def find_in_words(self, low: str) -> list[str]:
        """No keyword has a blank in it, so each stands in a word."""
        found: set[str] = set()
        known, new = self._word_cache, []
        for word in set(low.split()):
            held = known.get(word)
            if held is None:
                new.append(word)
            elif held:
                found.update(held)
        if new:
            found.update(self._scan_new_words(new))
        return list(found)

    def _scan_new_words(self, words: list[str]) -> list[str]:
        found = self.find_by_regex("\n".join(words))
        if len(self._word_cache) > MAX_CACHED_WORDS:
            self._word_cache.clear()
        for word in words:
            if len(word) <= _MAX_CACHED_WORD_CHARS:
                self._word_cache[word] = [keyword for keyword in found if keyword in word]
        return found

    def find_by_regex(self, low: str) -> list[str]:
        """What begins at each place; of keywords that begin alike the shortest is told, the others are asked for."""
        if len(low) < _SHORT_TEXT_CHARS:
            self._ascii_regex = self._ascii_regex or re.compile(
                f"(?=({_trie_pattern(_build_trie(self._ascii_keywords))}))"
            )
            found = set(self._ascii_regex.findall(low))
        else:
            # An expression that begins with one certain sign is read much faster, so that many of them are quicker.
            self._regex_by_letter = self._regex_by_letter or [
                (sign, re.compile(f"{re.escape(sign)}(?=({_trie_pattern(rest)}))"))
                for sign, rest in _build_trie(self._ascii_keywords).items()
            ]
            found = {sign + rest for sign, expression in self._regex_by_letter for rest in expression.findall(low)}
        if self._other_keywords and not low.isascii():
            self._other_regex = self._other_regex or re.compile(
                f"(?=({_trie_pattern(_build_trie(self._other_keywords))}))"
            )
            found.update(self._other_regex.findall(low))
        return [*found, *{longer for one in found for longer in self._extensions_of(one) if longer in low}]

    def find_by_prefix(self, low: str) -> list[str]:
        if not self._by_prefix:
            for keyword in self._keywords:
                if len(keyword) < _PREFIX_CHARS:
                    self._short_keywords.append(keyword)
                else:
                    self._by_prefix.setdefault(keyword[:_PREFIX_CHARS], []).append(keyword)
        found = [keyword for keyword in self._short_keywords if keyword in low]
        for first in {
            low[at : at + _PREFIX_CHARS] for at in range(len(low) - _PREFIX_CHARS + 1)
        } & self._by_prefix.keys():
            for keyword in self._by_prefix[first]:
                if keyword in low:
                    found.append(keyword)
        return found

    def _extensions_of(self, one: str) -> list[str]:
        if one not in self._extensions:
            self._extensions[one] = [other for other in self._keywords if other != one and other.startswith(one)]
        return self._extensions[one]


def _build_trie(keywords: Sequence[str]) -> dict[str, Any]:
    """The keywords by their first sign, the rest of them by the second, and so on."""
    tree: dict[str, Any] = {}
    for keyword in keywords:
        branch = tree
        for sign in keyword:
            branch = branch.setdefault(sign, {})
        branch[""] = {}
    return tree


def _trie_pattern(tree: dict[str, Any]) -> str:
    if "" in tree:
        return ""
    common_first = sorted(tree.items(), key=lambda way: _LETTERS_BY_FREQUENCY.find(way[0]) % 64)
    ways = [re.escape(sign) + _trie_pattern(rest) for sign, rest in common_first]
    return ways[0] if len(ways) == 1 else f"(?:{'|'.join(ways)})"


# A text as it reads when escapes are taken away, with the way back to where everything stood.
#
# A secret in a JSON string, in a string inside a string or in the query of an address is the same secret; rows are
# written for what it says, not for how it is quoted.

_BACKSLASH_ESCAPE = (
    r"\\+(?:x(?P<byte>[2-7][0-9A-Fa-f])|u([0-9A-Fa-f]{4})(?:\\+u([Dd][C-Fc-f][0-9A-Fa-f]{2}))?|([nrtfbv\"'/]))?"
)
_PERCENT_ESCAPE = r"%(2[0267BbCc]|3[A-Ea-e]|7[BCDbcd]|0[9ADad]|60)"
_ESCAPED_LETTERS = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "b": " ", "v": "\v"}
_COMMON_ESCAPES = {r"\n": "\n", r"\"": '"', r"\\n": "\n", r"\t": "\t", "\\": "\\"}  # most escapes of most texts
_REDACTION = r"\[redacted:[a-z0-9-]{1,60}(?::[0-9a-f]{8})?\]"
REDACTED_CHAR = "\x00"  # stands for what is hidden already; no row takes it for a name or a value


class UnescapedText:
    """The text without escapes; `back` finds the place in the original."""

    __slots__ = ("_here", "_there", "text")

    def __init__(self, original: str) -> None:
        self._here: list[int] = [0]
        self._there: list[int] = [0]
        self.text = self._unescape(original) if "\\" in original or "%" in original else original
        if "[redacted:" in self.text:
            self.text = _scan_regex(_REDACTION).sub(lambda mark: REDACTED_CHAR * len(mark[0]), self.text)

    def original_offset(self, at: int) -> int:
        """Where the sign at this place begins in the original."""
        last = bisect_right(self._here, at) - 1
        return self._there[last] + at - self._here[last]

    def _unescape(self, original: str) -> str:
        parts: list[str] = []
        size = done = 0
        for escape in _scan_regex(f"{_BACKSLASH_ESCAPE}|{_PERCENT_ESCAPE}").finditer(original):
            begins, ends = escape.span()
            said = _COMMON_ESCAPES.get(escape[0]) or _unescape_match(escape)
            if ends - begins == len(said):
                continue
            parts += (original[done:begins], said)
            size += begins - done + len(said)
            done = ends
            self._here.append(size)  # what lies behind an escape here lies behind the whole of it there
            self._there.append(ends)
        parts.append(original[done:])
        return "".join(parts)


def _unescape_match(escape: re.Match[str]) -> str:
    byte, first, second, letter, percent = escape.groups()
    if byte:
        return chr(int(byte, 16))
    if percent:
        return chr(int(percent, 16))
    if letter:
        return _ESCAPED_LETTERS.get(letter, letter)
    if not first:
        return "\\"
    code = int(first, 16)
    if second and 0xD800 <= code < 0xDC00:
        return chr(0x10000 + ((code - 0xD800) << 10) + int(second, 16) - 0xDC00)
    return chr(code) + (chr(int(second, 16)) if second else "")


@cache
def _scan_regex(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


# Where the secrets of a text are. A row is tried only where its keyword stands, and from there over a bounded
# stretch.
#
# Which keywords a text holds is asked first, of the text in lower case: most lines hold none and are done. What is
# tried then is anchored at the keyword, so that no input can make a row search far or search twice.

RankedSpan = tuple[int, int, int, str]
_BLOCK_CHARS = 8192
_LAST_RANK = 1 << 30  # the rank of what no row names
_CONTEXT_CHARS = 1300  # farther from its keyword no row looks before it has found something
_BLOCK_BUDGET = 2200  # what may be spent on a block: one for each row that is tried, more for costly rows and for finds
_FIND_COST = 4
_KEYWORD_COST = 12
_COSTLY_ROW_COST = 8
CROWDED_KIND = "crowded text"
_ANY_VALUE = r"(?=[^\s\"'`<>{}\[\](),;:=\\\x00]{0,60}[0-9!@#$%^&*+~])[^\s\"'`<>{}\[\](),;:=\\\x00]{4,4096}+"
_MAX_REJECTED_CHARS = 64  # so far on, a run that was turned down is tried again


def find_spans(text: str) -> list[SecretSpan]:
    """Every secret of a text in order, none inside another."""
    plain = UnescapedText(text)
    found = _find_by_rows(plain.text)
    if may_hold_runs(plain.text):
        for start, end, kind in (*find_encoded(plain.text, _has_secret), *find_random_assignments(plain.text)):
            found.append((start, end, _LAST_RANK, kind))
    if found and plain.text is not text:
        found = [
            (plain.original_offset(start), plain.original_offset(end), rank, kind) for start, end, rank, kind in found
        ]
    if "\\" in text and '"' in text:
        found += ((start, end, _LAST_RANK, kind) for start, end, kind in names.find_in_json(text))
    if "%" in text:
        escaped = (*names.find_in_query(text), *names.find_in_escaped_url(text))
        found += ((start, end, _LAST_RANK, kind) for start, end, kind in escaped)
    return list(_merge_overlaps(found)) if found else []


def _find_by_rows(text: str) -> list[RankedSpan]:
    """What the rows find in a text without escapes."""
    low = lowered(text)
    if len(low) <= _BLOCK_CHARS:
        keywords = prefilter().find(low)
        return _find_in_block(text, low, keywords, 0, len(low)) if keywords else []
    found: list[RankedSpan] = []
    for begins, ends in _split_blocks(low):
        found += _find_in_block(text, low, prefilter().find(low[begins:ends]), begins, ends)
    return found


def _find_in_block(text: str, low: str, keywords: list[str], begins: int, ends: int) -> list[RankedSpan]:
    """What the rows find in a stretch, the more telling rows first. Only so much work is spent on it."""
    if len(keywords) > 1:
        keywords.sort(key=_keyword_rank)
    found: list[RankedSpan] = []
    left = _BLOCK_BUDGET * max(1, (ends - begins) // _BLOCK_CHARS)
    for keyword in keywords:
        left -= _KEYWORD_COST
        for one in _find_at_keyword(text, low, keyword, begins, ends, left):
            if isinstance(one, int):
                left = one
            else:
                found.append(one)
        if left < 0:
            found += ((start, end, _LAST_RANK, CROWDED_KIND) for start, end in _possible_values(text, begins, ends))
            break
    return found


def _possible_values(text: str, begins: int, ends: int) -> Iterator[tuple[int, int]]:
    """Every word that could be a value, where a text holds so many keywords that they are not read one by one."""
    for run in _scan_regex(_ANY_VALUE).finditer(text, begins, ends):
        yield run.span()


@cache
def _keyword_rank(keyword: str) -> int:
    return probe_makers()[keyword][0][0]


def _has_secret(text: str) -> bool:
    return bool(_find_by_rows(text))


def _split_blocks(low: str) -> Iterator[tuple[int, int]]:
    """A long text in stretches that end at a blank, since each holds only few of the keywords."""
    begins = 0
    while len(low) - begins > _BLOCK_CHARS:
        blank = _scan_regex(r"\s").search(low, begins + _BLOCK_CHARS)
        if blank is None:
            break
        yield begins, blank.start()
        begins = blank.end()
    yield begins, len(low)


def _find_at_keyword(
    text: str, low: str, keyword: str, begins: int, ends: int, left: int
) -> Iterator[RankedSpan | int]:
    """What the rows of a keyword find, wherever it stands in this stretch; at last, how much work is left then."""
    ready, cost = _keyword_probes(keyword), _keyword_cost(keyword)
    at = low.find(keyword, begins, ends)
    last = -1  # the last hit, if nothing was found there
    while at >= 0:
        if last >= _CONTEXT_CHARS and _is_same_context(text, at, last):
            at = low.find(keyword, at + 1, ends)
            continue
        left -= cost
        if left < 0:
            break
        done, last = at + 1, at
        for rank, probe in ready:
            for start, end, kind in probe(text, at):
                if kind:
                    last = -1
                    left -= _FIND_COST
                    done = max(done, end)
                    yield start, end, rank, kind
                else:
                    done = max(done, min(end, at + _MAX_REJECTED_CHARS))
        at = low.find(keyword, done, ends)
    yield left


def _is_same_context(text: str, at: int, last: int) -> bool:
    """Whether all that rows look at is the same in both places."""
    after = text[at : at + _CONTEXT_CHARS] == text[last : last + _CONTEXT_CHARS]
    return after and text[at - _CONTEXT_CHARS : at] == text[last - _CONTEXT_CHARS : last]


def _merge_overlaps(found: list[RankedSpan]) -> Iterator[SecretSpan]:
    """Finds that overlap are one, from the first sign to the last, named by the row that stands first."""
    found.sort()
    begins, ends, rank, kind = found[0]
    for start, end, this_rank, this_kind in found[1:]:
        if start >= ends:
            yield begins, ends, kind
            begins, ends, rank, kind = start, end, this_rank, this_kind
            continue
        ends = max(end, ends)
        if this_rank < rank:
            rank, kind = this_rank, this_kind
    yield begins, ends, kind


@cache
def probe_makers() -> dict[str, list[tuple[int, Callable[[str], Probe], str]]]:
    """For each keyword in lower case: the rows that want it. Nothing is compiled before its keyword is seen."""
    table: dict[str, list[tuple[int, Callable[[str], Probe], str]]] = {}
    for rank, (maker, words) in enumerate(_probe_rows()):
        for word in words:
            table.setdefault(word.lower(), []).append((rank, maker, word))
    return table


def _probe_rows() -> Iterator[tuple[Callable[[str], Probe], list[str]]]:
    """The more telling first: where rows agree on a place, the first one names it."""
    yield (lambda _: blocks.probe_private_key), ["-----BEGIN"]
    yield from ((partial(probes.token_probe, row), row[1].split()) for row in TOKENS)
    yield from ((partial(probes.token_probe, row), row[1].split()) for row in RECENT_TOKENS)
    yield from ((partial(probes.vendor_probe, row), row[1].split()) for row in VENDORS)
    yield from ((partial(probes.context_probe, row), row[1].split()) for row in shapes.CONTEXT_ROWS)
    yield from ((partial(probes.context_probe, row), row[1].split()) for row in LOGINS)
    yield from ((partial(probes.context_probe, row), row[1].split()) for row in ADDRESSES)
    yield from ((partial(probes.context_probe, row), row[1].split()) for row in LITERALS)
    yield (lambda _: blocks.probe_go_dsn), ["@tcp(", "@unix("]
    yield (lambda _: blocks.probe_kubernetes_secret), ["kind:", 'kind"']
    yield (lambda _: cookies.probe_cookies), list(cookies.COOKIE_KEYWORDS)
    yield (lambda _: cookies.probe_exported_cookies), list(cookies.EXPORT_KEYWORDS)
    yield (lambda _: cookies.probe_session_cookie), list(cookies.SESSION_KEYWORDS)
    yield (lambda _: cookies.probe_cookie_jar), list(cookies.JAR_KEYWORDS)
    yield from ((partial(commands.argument_probe, row), [row[0]]) for row in commands.ARGUMENTS)
    yield from ((partial(commands.pipe_probe, row), [row[0]]) for row in commands.PIPES)
    yield commands.option_probe, list(commands.option_table())
    yield commands.tool_probe, list(commands.tool_table())
    yield (lambda _: names.probe_named_value), list(names.NAME_KEYWORDS)
    yield talk.sentence_probe, list(talk.noun_table())


@cache
def prefilter() -> KeywordMatcher:
    return KeywordMatcher(list(probe_makers()))


@cache
def _keyword_cost(keyword: str) -> int:
    """Rows that read a sentence or a command around the keyword cost more than those that look right behind it."""
    costly = keyword in talk.noun_table() or keyword in commands.option_table() or keyword in cookies.COOKIE_KEYWORDS
    return len(probe_makers()[keyword]) + (_COSTLY_ROW_COST if costly else 0)


@cache
def _keyword_probes(keyword: str) -> list[tuple[int, Probe]]:
    return [(rank, maker(word)) for rank, maker, word in probe_makers()[keyword]]
