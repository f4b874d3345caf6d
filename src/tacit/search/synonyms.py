"""Other words for the same, as developers use them, and other spellings: a question says `bump`, a session `upgrade`.

Written down from general knowledge of the trade, not from anybody's questions. Few and close ones only: what is merely
related finds too much.
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


def query_synonyms(telling: Sequence[str], spoken: Sequence[str] = ()) -> Iterator[tuple[str, str]]:
    """For words of a question other words that may have been used instead, each with the one it stands for. `spoken`
    are all words of the question in order, for what is said in two."""
    for word in telling:
        yield from ((other, word) for other in _synonyms(word))
    for pair in pairwise(spoken):
        if pair in _PHRASES:
            yield from ((other, pair[0]) for other in (_PHRASES[pair], *_synonyms(_PHRASES[pair])))


@cache
def _synonyms(word: str) -> tuple[str, ...]:
    found = _synonym_table().get(word, ())
    spelled = (
        word[: -len(british)] + us for british, us in _SPELLING_ENDINGS if word.endswith(british) and len(word) > 7
    )
    return (*found, *list(spelled)[:1])


@cache
def _synonym_table() -> dict[str, tuple[str, ...]]:
    table: dict[str, list[str]] = {}
    for group in _SYNONYM_GROUPS:
        words = group.split()
        for word in words:
            table.setdefault(word, []).extend(other for other in words if other != word)
    return {word: tuple(dict.fromkeys(others)) for word, others in table.items()}
