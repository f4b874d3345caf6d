"""The least that a memory could do: keep all, merge nothing, forget the exact text alone, tell what shares a word."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bench.peers.peer import Place
from bench.write_side.cases import PERSON, Turn
from bench.write_side.memory import Kept, Known, Memory, Outcome, sentences

_WORDS = re.compile(r"\w{5,}")


class Plain(Memory):
    def __init__(self, _place: Place) -> None:
        """Nothing is written into its home."""

    def listen(self, turns: Sequence[Turn], /) -> list[Kept]:
        said = sentences(turn.text for turn in turns if turn.who == PERSON)
        return [Kept(sentence, sentence) for sentence in said]

    def add(self, _text: str, /) -> Outcome:
        return Outcome.DISTINCT

    def forget(self, memories: Sequence[str], request: str, /) -> list[str]:
        return [memory for memory in memories if memory != request]

    def tell(self, memories: Sequence[str], prompt: str, /) -> list[str]:
        return [memory for memory in memories if _words(memory) & _words(prompt)]


def _words(text: str) -> set[str]:
    return set(_WORDS.findall(text.casefold()))


MEMORY = Known("plain", Plain)
