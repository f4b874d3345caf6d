"""Synonyms that developers use, and British spellings: a question says `bump`, a session `upgrade`.

They were written down from general knowledge, not from anybody's questions, and no benchmark was tuned on them (ADR
19). Only close synonyms are listed: words that are merely related find too much.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

_SYNONYM_GROUPS = (
    "bump upgrade update",
    "remove delete drop",
    "disable suppress hide mute",
    "enable activate",
    "crash panic segfault",
    "slow latency performance",
    "fast quick performance",
    "timeout deadline expiry",
    "expire expires expiry expiration lifetime ttl",
    "concurrent parallel simultaneous",
    "flaky intermittent sometimes nondeterministic",
    "login signin authentication auth",
    "config configuration settings",
    "setting option flag",
    "repo repository",
    "docs documentation",
    "doc documentation",
    "dir directory folder",
    "dependency package library",
    "deps dependencies",
    "error failure exception",
    "bug defect issue",
    "db database",
    "env environment",
    "prod production",
    "dev development",
    "k8s kubernetes",
    "js javascript",
    "ts typescript",
    "py python",
    "msg message",
    "fn function",
    "func function method",
    "arg argument parameter",
    "param parameter argument",
    "regex regexp pattern",
    "cli terminal commandline",
    "ui interface frontend",
    "revert rollback undo",
    "deploy release ship",
    "linter lint",
    "format formatter prettier",
    "typecheck types typing",
    "sort order ordering",
    "cache caching memoize",
    "secret credential token",
    "password passphrase credential",
    "limit maximum cap",
    "retry retries reattempt",
    "skip ignore exclude",
    "hang stuck deadlock freeze",
    "duplicate duplication dedupe",
    "screenshot image picture",
    "background async asynchronous",
    "grep search find",
    "compile build",
    "colour color",
    "behaviour behavior",
    "favourite favorite",
    "neighbour neighbor",
    "honour honor",
    "centre center",
    "grey gray",
    "licence license",
    "cancelled canceled",
    "cancelling canceling",
    "labelled labeled",
    "modelling modeling",
    "catalogue catalog",
    "dialogue dialog",
    "analyse analyze",
    "serialise serialize",
)
_PHRASES = {
    ("turn", "off"): "disable",
    ("turned", "off"): "disable",
    ("turning", "off"): "disable",
    ("switch", "off"): "disable",
    ("turn", "on"): "enable",
    ("switch", "on"): "enable",
    ("sign", "in"): "login",
    ("log", "in"): "login",
    ("roll", "back"): "revert",
    ("rolled", "back"): "revert",
    ("get", "rid"): "remove",
    ("got", "rid"): "remove",
}
_SPELLING_ENDINGS = (("isation", "ization"), ("ising", "izing"), ("ised", "ized"), ("iser", "izer"), ("ise", "ize"))


def query_synonyms(words: Sequence[str], tokens: Sequence[str] = ()) -> Iterator[tuple[str, str]]:
    """Yield synonyms for words of a question, each with the word it stands for.

    `tokens` is the whole question in order, for phrases of two words.
    """
    for word in words:
        yield from ((synonym, word) for synonym in _synonyms(word))
    for pair in pairwise(tokens):
        if pair in _PHRASES:
            yield from ((synonym, pair[0]) for synonym in (_PHRASES[pair], *_synonyms(_PHRASES[pair])))


@cache
def _synonyms(word: str) -> tuple[str, ...]:
    respelled = [
        word[: -len(british)] + american
        for british, american in _SPELLING_ENDINGS
        if word.endswith(british) and len(word) > 7
    ]
    return (*_synonym_table().get(word, ()), *respelled[:1])


@cache
def _synonym_table() -> dict[str, tuple[str, ...]]:
    table: dict[str, list[str]] = {}
    for group in _SYNONYM_GROUPS:
        words = group.split()
        for word in words:
            table.setdefault(word, []).extend(other for other in words if other != word)
    return {word: tuple(dict.fromkeys(others)) for word, others in table.items()}
