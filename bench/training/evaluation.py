"""The sentences of the sets that something is measured on, as hashes: none of them may be trained with.

The hashes are committed (`evaluation.hashes`), so that they are left out wherever the text is made. The public sets
themselves are not part of the project; `python -m bench.train_meaning hashes FOLDER` makes the file from them. Those of
the documents of `bench.peers` are computed, as the documents are.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from bench.peers.documents import MOST, material
from bench.peers.topics import TOPICS
from bench.training.sentences import normalized_hash, sentences

HASHES = Path(__file__).with_name("evaluation.hashes")
_FEWEST_CHARS = 8  # a shorter text is a word of any text


@cache
def excluded() -> frozenset[int]:
    """Return the hashes of all evaluation text: the committed ones, and those of the peers' documents."""
    return frozenset(read_hashes(HASHES)) | hashes_of(peers_texts())


def peers_texts() -> Iterator[str]:
    """Yield every document and question that `bench.peers` can make, and the forms that they are made from."""
    for topic in TOPICS:
        yield from topic
    made = material(MOST)
    yield from made.documents
    for question in made.questions:
        yield question.query


def hashes_of(texts: Iterable[str]) -> frozenset[int]:
    """Return the hashes of texts, of their lines and of their sentences."""
    found: set[int] = set()
    for text in texts:
        parts = [text, *text.splitlines()]
        parts += [sentence for part in parts[1:] for sentence in sentences(part)]
        found.update(normalized_hash(part) for part in parts if len(part.strip()) >= _FEWEST_CHARS)
    return frozenset(found)


def texts_in(folder: Path) -> Iterator[str]:
    """Yield every string in the JSON files below a folder, whatever they are."""
    for path in sorted(folder.rglob("*.json*")):
        for line in path.read_text("utf-8", "replace").splitlines() if path.suffix == ".jsonl" else [""]:
            try:
                value = json.loads(line or path.read_text("utf-8", "replace"))
            except ValueError:
                continue
            yield from _strings(value)


def _strings(value: object) -> Iterator[str]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one


def write_hashes(path: Path, hashes: Iterable[int]) -> None:
    """Write sorted hashes, four bytes each, little-endian."""
    path.write_bytes(b"".join(hashed.to_bytes(4, "little") for hashed in sorted(set(hashes))))


def read_hashes(path: Path) -> Iterable[int]:
    """Return the hashes of a file."""
    data = path.read_bytes()
    numbers = array("I", data)
    if numbers.itemsize * len(numbers) != len(data) or numbers.itemsize != 4:
        raise ValueError(f"{path} does not hold numbers of four bytes")
    return numbers
