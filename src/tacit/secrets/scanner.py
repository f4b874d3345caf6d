"""Scanner: finds the secrets of a text.

The text is unescaped, its keywords are looked up, and the rows of each keyword are tried where it occurs, over a bounded
stretch. Most lines have no keyword and are done after the lookup. Rows are anchored at their keyword, so that no input
makes a row search far or search twice.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial

from tacit.secrets import commands, contexts, names, probes, sentences
from tacit.secrets.encoded import find_encoded, find_random_assignments, may_have_run, words_with_runs
from tacit.secrets.keywords import KeywordMatcher, lowered
from tacit.secrets.probes import Probe, SecretSpan
from tacit.secrets.tokens import RECENT_TOKENS, TOKENS, VENDORS
from tacit.text.display import regex

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
        escapes = _escape_regex(original)
        self.text = self._unescape(original, escapes) if escapes else original
        if "[redacted:" in self.text:
            self.text = regex(_REDACTION).sub(lambda mark: REDACTED_CHAR * len(mark[0]), self.text)

    def original_offset(self, at: int) -> int:
        """Return where the character at this offset begins in the original."""
        last = bisect_right(self._offsets, at) - 1
        return self._original_offsets[last] + at - self._offsets[last]

    def _unescape(self, original: str, escapes: re.Pattern[str]) -> str:
        parts: list[str] = []
        size = done = 0
        for start, end, unescaped in _find_escapes(original, escapes):
            if end - start == len(unescaped):
                continue
            parts += (original[done:start], unescaped)
            size += start - done + len(unescaped)
            done = end
            self._offsets.append(size)  # text after an escape here is after the whole escape there
            self._original_offsets.append(end)
        parts.append(original[done:])
        return "".join(parts)


def _escape_regex(original: str) -> re.Pattern[str] | None:
    """Return the pattern of the escapes that a text has; None if it has none.

    Each of the two begins with one character that can be searched for. Both at once are several times slower.
    """
    has_percent = "%" in original and regex(_PERCENT_ESCAPE).search(original) is not None
    if "\\" not in original:
        return regex(_PERCENT_ESCAPE) if has_percent else None
    return regex(f"{_BACKSLASH_ESCAPE}|{_PERCENT_ESCAPE}") if has_percent else regex(_BACKSLASH_ESCAPE)


def _find_escapes(original: str, escapes: re.Pattern[str]) -> Iterator[tuple[int, int, str]]:
    """Yield start and end of each escape, and the text that it stands for. Backslashes before an escape are another."""
    for escape in escapes.finditer(original):
        start, end = escape.span()
        unescaped = _COMMON_ESCAPES.get(escape[0])
        if unescaped is None:
            if literal := _count_literal_backslashes(escape[0]):
                yield start, start + literal, "\\"
                start += literal
            unescaped = _unescape_match(escape)
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


def _unescape_match(escape: re.Match[str]) -> str:
    groups = escape.groupdict()
    if code := groups.get("byte") or groups.get("percent"):
        return chr(int(code, 16))
    first, second, letter = groups.get("first"), groups.get("second"), groups.get("letter")
    if letter:
        return _ESCAPED_LETTERS.get(letter, letter)
    if not first:
        return "\\"
    number = int(first, 16)
    if second and 0xD800 <= number < 0xDC00:
        return chr(0x10000 + ((number - 0xD800) << 10) + int(second, 16) - 0xDC00)
    return chr(number) + (chr(int(second, 16)) if second else "")


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


def _find_by_rows(text: str, run_words: set[str]) -> list[RankedSpan]:
    """Return what the rows match in a text without escapes. Words with runs are added to `run_words`."""
    low = ""
    spans: list[RankedSpan] = []
    for start, end in _split_blocks(text):
        keywords, words = prefilter().find(text if end - start == len(text) else text[start:end])
        run_words |= words
        if keywords:
            low = low or lowered(text)
            spans += _find_in_block(text, low, keywords, start, end)
    return spans


def _split_blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield blocks of a long text that end at a blank. Each contains only few of the keywords."""
    start = 0
    while len(text) - start > _BLOCK_CHARS:
        blank = regex(r"\s").search(text, start + _BLOCK_CHARS)
        if blank is None:
            break
        yield start, blank.start()
        start = blank.end()
    yield start, len(text)


def _find_in_block(text: str, low: str, keywords: list[str], start: int, end: int) -> list[RankedSpan]:
    """Return what the rows match in a block, the more specific rows first.

    If the budget of the block is spent, every word that could be a value is a match too.
    """
    if len(keywords) > 1:
        keywords.sort(key=lambda keyword: (_keyword_rank(keyword), keyword))  # the same order in every process
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
    ranked_probes, cost = _keyword_probes(keyword), _keyword_cost(keyword)
    at = low.find(keyword, start, end)
    last = -1  # the last occurrence, if no row matched there
    while at >= 0:
        if last >= _CONTEXT_CHARS and _is_same_context(text, at, last):
            at = low.find(keyword, at + 1, end)
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


def _is_same_context(text: str, at: int, last: int) -> bool:
    """Return whether everything that rows look at is the same at both offsets."""
    if text[at : at + _FEW_CHARS] != text[last : last + _FEW_CHARS]:  # nearly always
        return False
    after = text[at : at + _CONTEXT_CHARS] == text[last : last + _CONTEXT_CHARS]
    return after and text[at - _CONTEXT_CHARS : at] == text[last - _CONTEXT_CHARS : last]


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
    for rank, (maker, words) in enumerate(_probe_rows()):
        for word in words:
            table.setdefault(word.lower(), []).append((rank, maker, word))
    return table


def _probe_rows() -> Iterator[tuple[ProbeMaker, Sequence[str]]]:
    """Yield all rows, the more specific first: if several match the same text, the first one names it."""
    yield (lambda _: probes.probe_private_key), ["-----BEGIN"]
    yield from ((partial(probes.token_probe, row), row[1].split()) for row in (*TOKENS, *RECENT_TOKENS))
    yield from ((partial(probes.vendor_probe, row), row[1].split()) for row in VENDORS)
    context_rows = (*contexts.CONTEXT_ROWS, *contexts.LOGINS, *contexts.ADDRESSES, *contexts.LITERALS)
    yield from ((partial(probes.context_probe, row), row[1].split()) for row in context_rows)
    yield (lambda _: probes.probe_go_dsn), ["@tcp(", "@unix("]
    yield (lambda _: probes.probe_kubernetes_secret), ["kind:", 'kind"']
    yield (lambda _: contexts.probe_cookies), contexts.COOKIE_KEYWORDS
    yield (lambda _: contexts.probe_exported_cookies), contexts.EXPORT_KEYWORDS
    yield (lambda _: contexts.probe_session_cookie), contexts.SESSION_KEYWORDS
    yield (lambda _: contexts.probe_cookie_jar), contexts.JAR_KEYWORDS
    yield from ((partial(commands.argument_probe, row), [row[0]]) for row in commands.ARGUMENTS)
    yield from ((partial(commands.pipe_probe, row), [row[0]]) for row in commands.PIPES)
    yield commands.option_probe, list(commands.option_table())
    yield commands.tool_probe, list(commands.tool_table())
    yield (lambda _: names.probe_named_value), names.NAME_KEYWORDS
    yield sentences.sentence_probe, list(sentences.noun_table())


@cache
def prefilter() -> KeywordMatcher:
    """Return the matcher of all keywords."""
    return KeywordMatcher(list(probe_makers()), may_have_run)


@cache
def _keyword_rank(keyword: str) -> int:
    return probe_makers()[keyword][0][0]


@cache
def _keyword_cost(keyword: str) -> int:
    """Return the cost of a keyword's rows. Rows that read a sentence or a command cost more than those that do not."""
    costly = (
        keyword in sentences.noun_table() or keyword in commands.option_table() or keyword in contexts.COOKIE_KEYWORDS
    )
    return len(probe_makers()[keyword]) + (_COSTLY_ROW_COST if costly else 0)


@cache
def _keyword_probes(keyword: str) -> list[tuple[int, Probe]]:
    return [(rank, maker(word)) for rank, maker, word in probe_makers()[keyword]]
