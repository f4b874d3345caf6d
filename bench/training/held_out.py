"""What is kept out of training to choose by: sentences, translations, paraphrases and definitions. No evaluation set.

One text of fifty is held out, by its hash. A paraphrase is a pair of English messages that some catalogue translates
with the same sentence. A definition is asked for by the words that it defines.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from bench.training.packages import fetch, manifest, members
from bench.training.sentences import Sentence, is_sentence, normalized_hash

_EVERY = 50
_MOST_PAIRS, _MOST_SENTENCES = 1_000, 4_000
_FEWEST_WORDS = 3  # of a paraphrase
_SYNSET = re.compile(r"^\d{8} \d\d \w (\w\w) (.*?) \d{3} .*?\| ([^;]+)", re.M)


class HeldOut(NamedTuple):
    """Pairs of a question and its one answer among all answers of the list; and plain sentences."""

    sentences: list[str]
    definitions: list[tuple[str, str]]
    paraphrases: list[tuple[str, str]]
    translations: dict[str, list[tuple[str, str]]]

    def first(self, sentences: int, pairs: int) -> HeldOut:
        """Return the first of each list."""
        translations = {language: both[:pairs] for language, both in self.translations.items()}
        return HeldOut(self.sentences[:sentences], self.definitions[:pairs], self.paraphrases[:pairs], translations)

    def save(self, path: Path) -> None:
        """Write all of it as JSON."""
        path.write_text(json.dumps(self._asdict(), ensure_ascii=False), "utf-8")


def load(path: Path) -> HeldOut:
    """Return what `save` wrote."""
    return HeldOut(**json.loads(path.read_text("utf-8")))


def is_held_out(sentence: Sentence) -> bool:
    """Return whether a sentence is not trained with. A translation goes with its English text."""
    return normalized_hash(sentence.english or sentence.text) % _EVERY == 0


def held_out(given: Iterable[Sentence], cache: Path) -> HeldOut:
    """Return what is chosen by, out of all sentences."""
    kept = [one for one in given if is_held_out(one)]
    translations: dict[str, list[tuple[str, str]]] = {}
    for one in kept:
        if one.english:
            translations.setdefault(one.language, []).append((one.text, one.english))
    return HeldOut(
        [one.text for one in kept if not one.english][:_MOST_SENTENCES],
        _some(_definitions(cache)),
        _some(_paraphrases(given)),
        {language: _without_equal_answers(pairs)[:_MOST_PAIRS] for language, pairs in sorted(translations.items())},
    )


def _some(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return sorted(pairs, key=lambda pair: normalized_hash(pair[1]))[:_MOST_PAIRS]


def _without_equal_answers(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return list({normalized_hash(answer): (question, answer) for question, answer in pairs}.values())


def _paraphrases(given: Iterable[Sentence]) -> Iterator[tuple[str, str]]:
    """Yield English messages of which one is held out and both have the same translation."""
    same: dict[tuple[str, str], list[str]] = defaultdict(list)
    for one in given:
        if one.english and len(one.english.split()) >= _FEWEST_WORDS:
            same[one.language, one.text.lower()].append(one.english)
    seen: set[str] = set()
    for texts in same.values():
        for first, second in pairwise(texts):
            words = [set(re.findall(r"\w+", text.lower())) for text in (first, second)]
            if words[0] != words[1] and not {first, second} & seen:
                seen |= {first, second}
                if is_held_out(Sentence("", first)) or is_held_out(Sentence("", second)):
                    yield first, second


def _definitions(cache: Path) -> Iterator[tuple[str, str]]:
    package = next(one for one in manifest() if one.name == "wordnet-base")
    for member in members(fetch(package, cache)):
        if member.path.endswith(("data.noun", "data.verb", "data.adj", "data.adv")):
            for count, words, gloss in _SYNSET.findall(member.data.decode("utf-8", "replace")):
                text = gloss.strip()
                lemmas = [word.replace("_", " ").split("(")[0] for word in words.split()[: 2 * int(count, 16) : 2]]
                if is_sentence(text) and is_held_out(Sentence("", text)):
                    yield ", ".join(lemmas), text
