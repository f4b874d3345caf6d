"""The sentences of the sets that something is measured on, as hashes: none of them may be trained with.

The hashes are committed (`evaluation.hashes.xz`), so that they are left out wherever the text is made. The public sets
themselves are not part of the project; `python -m bench.train_meaning hashes FOLDER` makes the file from them. Those of
the documents of `bench.peers` are computed, as the documents are.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from bench.peers.documents import MOST, material
from bench.peers.topics import TOPICS
from bench.training.sentences import normalized_hash, sentences

HASHES = Path(__file__).with_name("evaluation.hashes.xz")
DEFAULT_DOCUMENTS = 1000  # of `python -m bench.peers`
_FEWEST_CHARS = 8  # a shorter text is a word of any text


@cache
def excluded() -> frozenset[int]:
    """Return the hashes of all evaluation text: the committed ones, and those of the peers' documents."""
    return frozenset(read_hashes(HASHES)) | hashes_of(peers_texts())


def peers_texts() -> Iterator[str]:
    """Yield the documents and questions of `bench.peers`, of all pairs of topic and service, and their forms."""
    for topic in TOPICS:
        yield from topic
    for made in (material(DEFAULT_DOCUMENTS), material(MOST)):
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
    """Write hashes to a file, compressed."""
    path.write_bytes(lzma.compress(packed(hashes), preset=9))


def packed(hashes: Iterable[int]) -> bytes:
    """Return sorted hashes, four bytes each, little-endian."""
    return b"".join(hashed.to_bytes(4, "little") for hashed in sorted(set(hashes)))


def unpacked(data: bytes) -> list[int]:
    """Return hashes that were packed. Raises ValueError if some are cut off."""
    if len(data) % 4:
        raise ValueError("these are not hashes of four bytes")
    return [int.from_bytes(data[start : start + 4], "little") for start in range(0, len(data), 4)]


def read_hashes(path: Path) -> list[int]:
    """Return the hashes of a file."""
    return unpacked(lzma.decompress(path.read_bytes()))
