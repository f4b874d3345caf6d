"""Whether a memory is relevant to a prompt. Most are not (ADR 90).

A search finds something for every prompt, and words that it shares with a prompt seldom make something worth telling.
What counts is a rare identifier: a name that is no word, such as `retry_count`, `uploads.py`, `ENT-221` or what is
written as code, and that few other memories have.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable

from tacit.index.reader import MemoryRow
from tacit.record import Record
from tacit.text.words import tokenize

MAX_RELEVANT = 3
_MAX_PROMPT_CHARS = 4000  # text pasted after them is seldom the question
_MAX_IDENTIFIERS = 24
_MIN_IDENTIFIER_CHARS = 4
_MAX_RARE_MEMORIES = 3  # that have an identifier
_CODE_SPAN = re.compile(r"`([^`\n]{2,80})`")
# Inside of a word: an underscore, a capital after a small letter, a dot or a colon between names, letters beside digits
_INNER_MARK = re.compile(r"\w_\w|[a-z][A-Z]|[A-Za-z_]\w(?:\.|::)[A-Za-z_]\w|[A-Za-z]-?\d|\d[A-Za-z]")
_URL = re.compile(r"\w{2,10}://\S{0,400}")
_LINE_OR_POSSESSIVE = re.compile(r"(?::\d{1,6}){1,2}\Z|['’]s\Z")  # `uploads.py:32`, `uploads.py's`
_EDGES = "\"'`()[]{}<>,;:!?*#$&|=@"


def identifiers(text: str) -> list[str]:
    """Return the names in a text that are no words, as terms of a query, each once."""
    text = text[:_MAX_PROMPT_CHARS]
    words = [*_URL.sub(" ", text).replace("/", " / ").split(), *_CODE_SPAN.findall(text)]
    found: dict[str, None] = {}
    for word in words:
        bare = _LINE_OR_POSSESSIVE.sub("", word.strip(_EDGES).strip("."))
        is_code = " " not in word and f"`{word}`" in text
        is_flag = bare.startswith("--")
        if is_code or is_flag or _INNER_MARK.search(bare):
            parts = (part for part in bare.split(".")[1:] if _INNER_MARK.search(part))  # `self.retry_count`
            terms = (term for name in (bare, *parts) for term in tokenize(name)[:1])
            found.update(dict.fromkeys(term for term in terms if len(term) >= _MIN_IDENTIFIER_CHARS))
    return list(found)[:_MAX_IDENTIFIERS]


def _names_of(sentence: str) -> list[str]:
    """Return the words of a memory, and its names as a prompt has them: `flags.toml` of `config/flags.toml`."""
    return [*tokenize(sentence), *identifiers(sentence)]


class RelevantMemory(Record):
    """A memory, and the identifiers that it shares with the prompt."""

    memory: MemoryRow
    shared: tuple[str, ...]

    @property
    def reason(self) -> str:
        return f"the prompt speaks of {', '.join(self.shared[:5])}"


def relevant_memories(
    names: Collection[str], candidates: Iterable[MemoryRow], known: Collection[str] = (), limit: int = MAX_RELEVANT
) -> list[RelevantMemory]:
    """Return the candidates that share a rare identifier with a prompt, those that share most first.

    Those that are `known` to the agent are not returned, but count: an identifier that they have, too, is less rare.
    """
    shared = {memory: sorted(set(names).intersection(_names_of(memory.sentence))) for memory in candidates}
    counts = Counter(name for own in shared.values() for name in own)
    relevant = [
        RelevantMemory(memory, tuple(own))
        for memory, own in shared.items()
        if memory.id not in known and any(counts[name] <= _MAX_RARE_MEMORIES for name in own)
    ]
    relevant.sort(key=lambda item: (-len(item.shared), item.memory.id))
    return relevant[:limit]
