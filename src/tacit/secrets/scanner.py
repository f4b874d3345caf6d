"""Scanner: finds the secrets of a text.

The text is unescaped, its keywords are looked up, and the rows of each keyword are tried where it occurs, over a bounded
stretch. Most lines have no keyword and are done after the lookup. Rows are anchored at their keyword, so that no input
makes a row search far or search twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache, partial

from tacit.secrets import names, probes, rows, sentences
from tacit.secrets.encoded import MIN_RUN_CHARS, WordSpan, find_encoded, find_random_assignments, may_have_run
from tacit.secrets.probes import Probe, SecretSpan
from tacit.text.display import regex

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from tacit.secrets.rows import Row


# Escapes: a secret in a JSON string, in a string inside a string or in the query of a URL is the same secret, and rows
# are written for the text without escapes.

_BACKSLASH_ESCAPE = (
    r"\\\\*(?:x(?P<byte>[2-7][0-9A-Fa-f])|u(?P<first>[0-9A-Fa-f]{4})(?:\\+u(?P<second>[Dd][C-Fc-f][0-9A-Fa-f]{2}))?|"
    r"(?P<letter>[nrtfbv\"'/]))?"
)
_PERCENT_ESCAPE = r"%(?P<percent>2[0267BbCc]|3[A-Ea-e]|7[BCDbcd]|0[9ADad]|60)"
_ESCAPED_LETTERS = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "b": "\b", "v": "\v"}
_COMMON_ESCAPES = {r"\n": "\n", r"\"": '"', r"\\n": "\n", r"\t": "\t", "\\": "\\"}  # most escapes of most texts
_REDACTION = r"\[redacted:[a-z0-9-]{1,60}(?::[0-9a-f]{8})?\]"
REDACTED_CHAR = "\x00"  # replaces what is redacted already; no row takes it for a name or a value


class UnescapedText:
    """A text without escapes. `original_offset` maps back to the original."""

    __slots__ = ("_offsets", "_original_offsets", "text")

    def __init__(self, original: str) -> None:
        self._offsets: list[int] = [0]
        self._original_offsets: list[int] = [0]
        parts: list[str] = []
        size = done = 0
        for start, end, unescaped in _find_escapes(original):
            if end - start == len(unescaped):
                continue
            parts += (original[done:start], unescaped)
            size += start - done + len(unescaped)
            done = end
            self._offsets.append(size)  # text after an escape here is after the whole escape there
            self._original_offsets.append(end)
        self.text = "".join((*parts, original[done:])) if parts else original
        if "[redacted:" in self.text:
            self.text = regex(_REDACTION).sub(lambda mark: REDACTED_CHAR * len(mark[0]), self.text)

    def original_offset(self, at: int) -> int:
        """Return where the character at this offset begins in the original."""
        from bisect import bisect_right  # most texts have no escapes

        last = bisect_right(self._offsets, at) - 1
        return self._original_offsets[last] + at - self._offsets[last]


def _find_escapes(original: str) -> Iterator[tuple[int, int, str]]:
    """Yield start and end of each escape, and the text that it stands for. Backslashes before an escape are another.

    Each of the two patterns begins with one character that can be searched for. Both at once are several times slower.
    """
    has_percent = "%" in original and regex(_PERCENT_ESCAPE).search(original) is not None
    if "\\" in original:
        escapes = regex(f"{_BACKSLASH_ESCAPE}|{_PERCENT_ESCAPE}") if has_percent else regex(_BACKSLASH_ESCAPE)
    elif has_percent:
        escapes = regex(_PERCENT_ESCAPE)
    else:
        return
    for escape in escapes.finditer(original):
        start, end = escape.span()
        unescaped = _COMMON_ESCAPES.get(escape[0])
        if unescaped is None:
            if literal := _count_literal_backslashes(escape[0]):
                yield start, start + literal, "\\"
                start += literal
            groups = escape.groupdict()
            first, second, letter = groups.get("first"), groups.get("second"), groups.get("letter")
            if code := groups.get("byte") or groups.get("percent") or first:
                unescaped = chr(int(code, 16))
                if second and 0xD800 <= ord(unescaped) < 0xDC00:
                    unescaped = chr(0x10000 + ((ord(unescaped) - 0xD800) << 10) + int(second, 16) - 0xDC00)
                elif second:
                    unescaped += chr(int(second, 16))
            else:
                unescaped = _ESCAPED_LETTERS.get(letter, letter) if letter else "\\"
        yield start, end, unescaped


def _count_literal_backslashes(escape: str) -> int:
    """Return how many of the backslashes that an escape begins with stand for backslashes of the text.

    A line feed has one backslash in a JSON string, two in a JSON string inside another, then four; a quote has one,
    three, seven. What is more than that is the text's own: `\\\\"` is a backslash before the quote that ends the string.
    """
    rest = escape.lstrip("\\")
    count = len(escape) - len(rest)
    if not rest or rest[0] in "'/":  # strings of other languages escape these in more ways
        return 0
    if rest[0] == '"':
        return (count + 1) & count
    return count & (count - 1) if count else 0


# Keywords: which of the words that rows know a text contains. Most texts contain few, and are done after this.

_MAX_PLAIN_SCAN_CHARS = 512  # characters that are searched before keywords are sorted by their prefix
MAX_PREFIX_SCAN_CHARS = 32_768  # characters that are searched by prefix before expressions are compiled
MAX_CACHED_WORDS = 50_000
_MAX_CACHED_WORD_CHARS = 64
_PREFIX_CHARS = 3
_LETTERS_BY_FREQUENCY = "etaoinsrhldcumfpgwybvk"  # frequent letters are tried first, all others after these
_ASCII_TO_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


def lowered(text: str) -> str:
    """Return the text in lower case, with every character at the same offset."""
    low = text.lower()
    return low if len(low) == len(text) else text.translate(_ASCII_TO_LOWER)


class KeywordMatcher:
    """Finds which of a fixed set of keywords a text contains, and which of its words are to be looked at for themselves.

    No keyword contains a blank. In the one sentence of a short command, each is searched for. In a few texts, they are
    looked up by their first three characters, which needs little preparation. For more text they are compiled into
    expressions, and the result for each word is cached, because most words occur again and again. All ways give the same
    keywords.
    """

    def __init__(self, keywords: Sequence[str], is_special: Callable[[str], bool] = lambda _: False) -> None:
        self._keywords = keywords
        self._is_special = is_special
        self._scanned_chars = 0
        self._short_keywords: list[str] = []  # shorter than a prefix
        self._by_prefix: dict[str, list[str]] = {}
        self._trie: dict[str, Any] = {}
        self._regex_by_letter: dict[str, re.Pattern[str]] = {}
        self._extensions: dict[str, list[str]] = {}
        self._plain_words: set[str] = set()  # known to contain no keyword and not to be special
        self._word_cache: dict[str, tuple[list[str], bool]] = {}  # keywords in a word, and whether it is special

    def find(self, text: str) -> tuple[list[str], set[str]]:
        """Return the keywords that a text contains in any case, in no order, and its special words.

        Of a short text, all words count as special.
        """
        self._scanned_chars += len(text)
        if self._scanned_chars > MAX_PREFIX_SCAN_CHARS:
            return self.find_in_words(text)
        low = lowered(text)
        if self._scanned_chars <= _MAX_PLAIN_SCAN_CHARS:
            return [keyword for keyword in self._keywords if keyword in low], set(text.split())
        return self.find_by_prefix(low), set(text.split())

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
            if len(self._word_cache) + len(self._plain_words) > MAX_CACHED_WORDS:
                self._word_cache.clear()
                self._plain_words.clear()
            for word in new:
                if len(word) <= _MAX_CACHED_WORD_CHARS:
                    low = word.lower()
                    in_word = [keyword for keyword in in_new_words if keyword in low]
                    if in_word or word in special:
                        self._word_cache[word] = in_word, word in special
                    else:
                        self._plain_words.add(word)
        if keywords and not text.isascii() and len(text.lower()) != len(text):  # then other letters keep their case
            low = lowered(text)
            keywords = {keyword for keyword in keywords if keyword in low}
        return list(keywords), special

    def find_by_regex(self, low: str) -> list[str]:
        """As `find`, with an expression for each first letter: one that begins with a literal character is much faster.

        They match the shortest of keywords that begin alike; longer ones are added.
        """
        self._trie = self._trie or _build_trie(self._keywords)
        keywords: set[str] = set()
        for letter in filter(low.__contains__, self._trie):
            if letter not in self._regex_by_letter:
                rest = _trie_pattern(self._trie[letter])
                self._regex_by_letter[letter] = re.compile(f"{re.escape(letter)}(?=({rest}))")
            keywords.update(letter + rest for rest in self._regex_by_letter[letter].findall(low))
        for keyword in list(keywords):
            if keyword not in self._extensions:
                longer = (other for other in self._keywords if other != keyword and other.startswith(keyword))
                self._extensions[keyword] = list(longer)
            keywords.update(longer for longer in self._extensions[keyword] if longer in low)
        return list(keywords)

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


# The scan

RankedSpan = tuple[int, int, int, str]  # start, end, rank of the row, kind
_BLOCK_CHARS = 8192
_LAST_RANK = 1 << 30  # for what no row names
_CONTEXT_CHARS = 1300  # before it matches, no row looks farther than this from its keyword
_FEW_CHARS = 32
_BLOCK_BUDGET = 2200  # work for a block: 1 for each row that is tried, more for costly rows and for matches
_MATCH_COST = 4
_KEYWORD_COST = 12
_COSTLY_ROW_COST = 14
CROWDED_KIND = "crowded text"
_ANY_VALUE = r"(?=[^\s\"'`<>{}\[\](),;:=\\\x00]{0,60}[0-9!@#$%^&*+~])[^\s\"'`<>{}\[\](),;:=\\\x00]{4,4096}"
_LONG_HEX = r"[0-9a-f]{16}"
_MAX_REJECTED_CHARS = 64  # a run that was rejected is tried again after so many characters


def find_spans(text: str) -> list[SecretSpan]:
    """Return the span and kind of every secret, in order and without overlaps."""
    plain = UnescapedText(text)
    run_words: set[str] = set()
    spans = _find_by_rows(plain.text, run_words)
    if words := words_with_runs(plain.text, run_words):
        runs = (
            *find_encoded(plain.text, words, lambda decoded: bool(_find_by_rows(decoded, set()))),
            *find_random_assignments(plain.text, words),
        )
        spans += ((start, end, _LAST_RANK, kind) for start, end, kind in runs)
    if spans and plain.text is not text:
        offset = plain.original_offset
        spans = [(offset(start), offset(end), rank, kind) for start, end, rank, kind in spans]
    if "\\" in text and '"' in text:
        spans += ((start, end, _LAST_RANK, kind) for start, end, kind in names.find_in_json(text))
    if "%" in text:
        escaped = (*names.find_in_query(text), *names.find_in_escaped_url(text))
        spans += ((start, end, _LAST_RANK, kind) for start, end, kind in escaped)
    return list(_merge_overlaps(spans)) if spans else []


def words_with_runs(text: str, candidates: Collection[str]) -> list[WordSpan]:
    """Return where those of the candidates are that are long words of a text.

    [] if no long word of the text could be an encoded text, with capitals or hex digits. No run has a blank in it, so
    that only these words have to be searched for runs.
    """
    if not any(len(word) >= MIN_RUN_CHARS for word in candidates):
        return []
    words = [word for word in text.split() if len(word) >= MIN_RUN_CHARS]
    if not any(not word.islower() or regex(_LONG_HEX).search(word) for word in words):
        return []
    spans: list[WordSpan] = []
    end = 0
    for word in words:  # all words between two of these are shorter, so none of them contains the next one
        start = text.index(word, end)
        end = start + len(word)
        if word in candidates:
            spans.append((start, end))
    return spans


def _find_by_rows(text: str, run_words: set[str]) -> list[RankedSpan]:
    """Return what the rows match in a text without escapes. Words with runs are added to `run_words`.

    A long text is read in blocks that end at a blank. Each contains only few of the keywords.
    """
    low, start = "", 0
    spans: list[RankedSpan] = []
    while start < len(text):
        blank = regex(r"\s").search(text, start + _BLOCK_CHARS) if len(text) - start > _BLOCK_CHARS else None
        end = blank.start() if blank else len(text)
        keywords, words = prefilter().find(text if end - start == len(text) else text[start:end])
        run_words |= words
        if keywords:
            low = low or lowered(text)
            spans += _find_in_block(text, low, keywords, start, end)
        start = end + 1
    return spans


def _find_in_block(text: str, low: str, keywords: list[str], start: int, end: int) -> list[RankedSpan]:
    """Return what the rows match in a block, the more specific rows first.

    If the budget of the block is spent, every word that could be a value is a match too.
    """
    if len(keywords) > 1:
        keywords.sort(key=lambda keyword: (probe_makers()[keyword][0][0], keyword))  # the same order in every process
    spans: list[RankedSpan] = []
    budget = _BLOCK_BUDGET * max(1, (end - start) // _BLOCK_CHARS)
    for keyword in keywords:
        budget = _find_at_keyword(text, low, keyword, start, end, budget - _KEYWORD_COST, spans)
        if budget < 0:
            spans += ((*run.span(), _LAST_RANK, CROWDED_KIND) for run in regex(_ANY_VALUE).finditer(text, start, end))
            break
    return spans


def _find_at_keyword(
    text: str, low: str, keyword: str, start: int, end: int, budget: int, spans: list[RankedSpan]
) -> int:
    """Append what the rows of a keyword match in a block to `spans`. Return the rest of the budget."""
    ranked_probes, cost = keyword_probes(keyword), keyword_cost(keyword)
    at = low.find(keyword, start, end)
    last = -1  # the last occurrence, if no row matched there
    while at >= 0:
        # Nearly always, the first few characters differ.
        if (
            last >= _CONTEXT_CHARS
            and text[at : at + _FEW_CHARS] == text[last : last + _FEW_CHARS]
            and text[at - _CONTEXT_CHARS : at + _CONTEXT_CHARS] == text[last - _CONTEXT_CHARS : last + _CONTEXT_CHARS]
        ):
            at = low.find(keyword, at + 1, end)  # everything that rows look at is the same there
            continue
        budget -= cost
        if budget < 0:
            break
        done, last = at + 1, at
        for rank, probe in ranked_probes:
            for span_start, span_end, kind in probe(text, at):
                if kind:
                    last = -1
                    budget -= _MATCH_COST
                    done = max(done, span_end)
                    spans.append((span_start, span_end, rank, kind))
                else:
                    done = max(done, min(span_end, at + _MAX_REJECTED_CHARS))
        at = low.find(keyword, done, end)
    return budget


def _merge_overlaps(spans: list[RankedSpan]) -> Iterator[SecretSpan]:
    """Yield spans without overlaps. Overlapping spans become one, with the kind of the row of the lowest rank."""
    spans.sort()
    start, end, rank, kind = spans[0]
    for next_start, next_end, next_rank, next_kind in spans[1:]:
        if next_start >= end:
            yield start, end, kind
            start, end, rank, kind = next_start, next_end, next_rank, next_kind
            continue
        end = max(end, next_end)
        if next_rank < rank:
            rank, kind = next_rank, next_kind
    yield start, end, kind


ProbeMaker = Callable[[str], Probe]


@cache
def probe_makers() -> dict[str, list[tuple[int, ProbeMaker, str]]]:
    """Return rank, maker and spelling of the rows of each keyword in lower case.

    Nothing is compiled before its keyword occurs.
    """
    table: dict[str, list[tuple[int, ProbeMaker, str]]] = {}
    for rank, (maker, keywords) in enumerate(_probe_rows()):
        for keyword in keywords:
            table.setdefault(keyword.lower(), []).append((rank, maker, keyword))
    return table


def _probe_rows() -> Iterator[tuple[ProbeMaker, Sequence[str]]]:
    """Yield all rows, the more specific first: if several match the same text, the first one names it."""
    yield (lambda _: probes.probe_private_key), ["-----BEGIN"]
    yield from _read_probes("tokens", rows.TokenRow, probes.token_probe)
    yield from _read_probes("services", rows.TokenRow, probes.service_probe)
    yield from _read_probes("contexts", rows.ContextRow, probes.context_probe)
    yield (lambda _: probes.probe_go_dsn), ["@tcp(", "@unix("]
    yield (lambda _: probes.probe_kubernetes_secret), ["kind:", 'kind"']
    yield (lambda _: probes.probe_cookies), probes.COOKIE_KEYWORDS
    yield (lambda _: probes.probe_exported_cookies), probes.EXPORT_KEYWORDS
    yield (lambda _: probes.probe_session_cookie), probes.SESSION_KEYWORDS
    yield (lambda _: probes.probe_cookie_jar), probes.JAR_KEYWORDS
    at_option, at_tool = probes.option_rows()
    yield probes.option_probe, list(at_option)
    yield probes.tool_probe, list(at_tool)
    yield (lambda _: names.probe_named_value), names.NAME_KEYWORDS
    yield sentences.sentence_probe, list(sentences.noun_table())


def _read_probes(
    table: str, row: Callable[..., Row], make_probe: Callable[[Row, str], Probe]
) -> Iterator[tuple[ProbeMaker, Sequence[str]]]:
    """Yield the rows of a table with their keywords. Only rows whose keyword occurs are read in full."""

    def make(line: str, keyword: str) -> Probe:
        return make_probe(row(*line.split(rows.SEPARATOR)), keyword)

    for line in rows.read_lines(table):
        yield partial(make, line), line.split(rows.SEPARATOR, 2)[1].split()


@cache
def prefilter() -> KeywordMatcher:
    """Return the matcher of all keywords."""
    return KeywordMatcher(list(probe_makers()), may_have_run)


@cache
def keyword_probes(keyword: str) -> list[tuple[int, Probe]]:
    """Return rank and probe of the rows of a keyword, compiled."""
    return [(rank, maker(spelling)) for rank, maker, spelling in probe_makers()[keyword]]


@cache
def keyword_cost(keyword: str) -> int:
    """Return the cost of a keyword's rows. Rows that read a sentence or a command cost more than those that do not."""
    is_costly = (
        keyword in sentences.noun_table() or keyword in probes.option_rows()[0] or keyword in probes.COOKIE_KEYWORDS
    )
    return len(probe_makers()[keyword]) + (_COSTLY_ROW_COST if is_costly else 0)
