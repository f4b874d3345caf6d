"""The embedding model all-MiniLM-L6-v2 in NumPy: weights, WordPiece, and the network."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tacit.record import Record

# The files of the model, read when a text first needs them, and what is computed with them.


class Model:
    def __init__(self, weights: str, vocabulary: str) -> None:
        self._network = read(weights)
        self._pieces = Pieces(vocabulary)

    @cached_property
    def size(self) -> int:
        return self._network.width

    def vector(self, text: str) -> bytes:

        return packed(mean_vector(self._network, self._pieces.numbers(text)))

    def closenesses(self, query: bytes, vectors: bytes) -> list[float]:

        return closenesses(query, vectors)


# The tensors in the model's file, an ONNX graph: of all its fields, only those that name and hold numbers are read.
#
# The graph keeps its weights as bytes and makes floats of them before each product, so a program that runs such
# graphs does the same work as `network.py`, and would be 21 MB more to install.

_GRAPH, _TENSOR = 7, 5  # numbers of fields: in the model, in the graph
_DIMENSION, _TYPE, _NAME, _RAW = 1, 2, 8, 9  # in a tensor
_TYPES: dict[int, str] = {1: "<f4", 3: "i1"}  # floats and bytes; the graph's own constants are not needed
_WIDTHS = {1: 8, 5: 4}  # bytes of a field by its wire type, where that is fixed
_VARINT = 0


def tensors(path: str) -> dict[str, NDArray[np.generic]]:
    """Every tensor of floats or bytes by its name, in the order of the file."""
    with open(path, "rb") as file:
        graph = next(_parts(memoryview(file.read()), _GRAPH))
    found = (_tensor(part) for part in _parts(graph, _TENSOR))
    return {name: values for name, values in found if values is not None}


def _tensor(message: memoryview) -> tuple[str, NDArray[np.generic] | None]:
    shape = [value for number, value in _fields(message) if number == _DIMENSION and isinstance(value, int)]
    kind = next(value for number, value in _fields(message) if number == _TYPE)
    name = bytes(next(_parts(message, _NAME))).decode()
    raw = next(_parts(message, _RAW), None)
    if raw is None or not isinstance(kind, int) or kind not in _TYPES:
        return name, None
    return name, np.frombuffer(raw, _TYPES[kind]).reshape(shape)


def _parts(message: memoryview, number: int) -> Iterator[memoryview]:
    return (value for found, value in _fields(message) if found == number and isinstance(value, memoryview))


def _fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Number and value of each field of a message, as Protocol Buffers write them."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        number, wire = key >> 3, key & 7
        if wire == _VARINT:
            value, at = _varint(message, at)
            yield number, value
            continue
        width, at = (_WIDTHS[wire], at) if wire in _WIDTHS else _varint(message, at)
        yield number, message[at : at + width]
        at += width


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


# The model itself, all-MiniLM-L6-v2: six layers of attention over the pieces of a text, and the mean of all.
#
# One text at a time: what stands beside a text in a batch changes the last digits of its vector.

Floats = NDArray[np.float32]

_HEAD = 32  # numbers that one of the ways of looking compares
_MATRICES = 6  # of a layer, in the order of the file: query, key, value, attention's output, up, down
_EPSILON = np.float32(1e-12)
_SHRINK = np.float32(_HEAD**-0.5)
_HALF, _ONE = np.float32(0.5), np.float32(1)
_CURVE, _BEND = np.float32((2 / np.pi) ** 0.5), np.float32(0.044715)


class Norm(Record):
    weight: Floats
    bias: Floats


class Linear(Record):
    weight: Floats
    bias: Floats


class Layer(Record):
    """`attend` makes queries, keys and values in one product."""

    attend: Linear
    attended: Linear
    first: Norm
    up: Linear
    down: Linear
    second: Norm


class Network(Record):
    """Vectors of pieces stay bytes with a scale a row: as floats they would be 47 MB."""

    pieces: NDArray[np.int8]
    scales: Floats
    places: Floats
    norm: Norm
    layers: tuple[Layer, ...]

    @property
    def width(self) -> int:
        return int(self.places.shape[1])


def read(path: str) -> Network:
    return _Reading(tensors(path)).network()


def mean_vector(network: Network, numbers: Sequence[int]) -> Floats:
    """What the pieces of one text mean together, of length 1."""
    rows = np.asarray(numbers)
    state = network.pieces[rows] * network.scales[rows] + network.places[: len(rows)]
    state = _normed(state, network.norm)
    for layer in network.layers:
        state = _normed(state + _times(_attention(_times(state, layer.attend)), layer.attended), layer.first)
        state = _normed(state + _times(_gelu(_times(state, layer.up)), layer.down), layer.second)
    mean: Floats = state.mean(axis=0)
    return mean / np.float32(np.sqrt(mean @ mean) or 1)


def _times(state: Floats, linear: Linear) -> Floats:
    return state @ linear.weight + linear.bias


def _attention(state: Floats) -> Floats:
    """Each piece looks at all of them, in several ways."""
    split = state.reshape(len(state), 3, -1, _HEAD).transpose(1, 2, 0, 3)
    query, key, value = split[0], split[1], split[2]
    scores = (query @ key.transpose(0, 2, 1)) * _SHRINK
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    seen: Floats = (weights @ value).transpose(1, 0, 2).reshape(len(state), -1)
    return seen


def _normed(state: Floats, norm: Norm) -> Floats:
    centred: Floats = state - state.mean(axis=-1, keepdims=True)
    spread: Floats = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + _EPSILON)
    return centred / spread * norm.weight + norm.bias


def _gelu(state: Floats) -> Floats:
    """With a tangent for the error function, which numpy lacks: vectors differ by two millionths."""
    bent: Floats = np.tanh(_CURVE * (state + _BEND * state * state * state))
    return _HALF * state * (_ONE + bent)


class _Reading:
    """Tensors by the names they have in the file."""

    def __init__(self, found: dict[str, NDArray[np.generic]]) -> None:
        self._found = found
        self._matrices = [name[:-2] for name in found if name.startswith("val_") and name.endswith("_q")]

    def network(self) -> Network:
        base = "inner.embeddings"
        return Network(
            self._found[f"{base}.word_embeddings.weight_q"].astype(np.int8, copy=False),
            self._floats(f"{base}.word_embeddings.weight_scale"),
            self._scaled(f"{base}.position_embeddings.weight")
            + self._floats(f"{base}.token_type_embeddings.weight")[0],
            self._norm(f"{base}.LayerNorm"),
            tuple(map(self._layer, range(len(self._matrices) // _MATRICES))),
        )

    def _layer(self, number: int) -> Layer:
        base = f"inner.encoder.layer.{number}"
        query, key, value, attended, up, down = map(self._scaled, self._of_layer(number))
        biases = [self._floats(f"{base}.attention.self.{part}.bias") for part in ("query", "key", "value")]
        return Layer(
            Linear(np.concatenate([query, key, value], axis=1), np.concatenate(biases)),
            Linear(attended, self._floats(f"{base}.attention.output.dense.bias")),
            self._norm(f"{base}.attention.output.LayerNorm"),
            Linear(up, self._floats(f"{base}.intermediate.dense.bias")),
            Linear(down, self._floats(f"{base}.output.dense.bias")),
            self._norm(f"{base}.output.LayerNorm"),
        )

    def _of_layer(self, number: int) -> list[str]:
        return self._matrices[number * _MATRICES : (number + 1) * _MATRICES]

    def _norm(self, name: str) -> Norm:
        return Norm(self._floats(f"{name}.weight"), self._floats(f"{name}.bias"))

    def _floats(self, name: str) -> Floats:
        return self._found[name].astype(np.float32, copy=False)

    def _scaled(self, name: str) -> Floats:
        return self._floats(f"{name}_q") * self._floats(f"{name}_scale")


# Vectors as bytes, and how near they are.
#
# A vector of length 1 is kept as signed bytes at one fixed scale. Their products are whole numbers below 2 ** 24,
# which floats hold exactly: closeness is the same on every machine and in whatever order it is summed.

SCALE = 400  # of a length of 1; a part of a vector is 0.05 as a rule and 0.25 at most, and 127 is the largest byte
_BLOCK = 4096  # rows that are made floats at once: six megabytes, whatever the size of the whole
_LARGEST = 127


def packed(vector: Floats) -> bytes:
    return np.clip(np.rint(vector * SCALE), -_LARGEST, _LARGEST).astype(np.int8).tobytes()


def closenesses(query: bytes, vectors: bytes) -> list[float]:
    """How near each of these vectors is to the question, -1 to 1."""
    asked = np.frombuffer(query, np.int8).astype(np.float32)
    rows = np.frombuffer(vectors, np.int8).reshape(-1, len(asked))
    parts = (rows[start : start + _BLOCK].astype(np.float32) @ asked for start in range(0, len(rows), _BLOCK))
    return [near for part in parts for near in np.clip(part / np.float32(SCALE * SCALE), -1, 1).tolist()]


# A text as numbers of the pieces that the model knows: split as BERT splits, then the longest known pieces first.
#
# The pieces are read from the model's own description of them, a `tokenizer.json` of the library `tokenizers`.

LONGEST = 128  # pieces of a text; the model was trained on no longer ones, and the time grows with them
_LONGEST_WORD = 100  # characters; the model's own limit
_CHARACTERS = 16 * LONGEST  # more cannot matter, and a text may be a megabyte
_UNKNOWN, _START, _END = "[UNK]", "[CLS]", "[SEP]"
_NOT_SHOWN = ("Cc", "Cf", "Co", "Cs")
_IDEOGRAPHS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


class Pieces:
    """The pieces of one model, by what they are."""

    def __init__(self, path: str) -> None:
        with open(path, "rb") as file:
            self._known: dict[str, int] = json.loads(file.read())["model"]["vocab"]

    def numbers(self, text: str) -> list[int]:
        """The pieces of a text between the marks of its start and end."""
        found = [number for word in _words(text[:_CHARACTERS]) for number in self._of_word(word)]
        return [self._known[_START], *found[: LONGEST - 2], self._known[_END]]

    def _of_word(self, word: str) -> list[int]:
        if len(word) > _LONGEST_WORD:
            return [self._known[_UNKNOWN]]
        found: list[int] = []
        start = 0
        while start < len(word):
            end = self._end_of_piece(word, start)
            if end == start:
                return [self._known[_UNKNOWN]]
            found.append(self._known[_spelled(word, start, end)])
            start = end
        return found

    def _end_of_piece(self, word: str, start: int) -> int:
        return next((end for end in range(len(word), start, -1) if _spelled(word, start, end) in self._known), start)


def _words(text: str) -> Iterator[str]:
    apart = unicodedata.normalize("NFD", "".join(map(_plain, text)))
    for run in "".join(sign.lower() for sign in apart if unicodedata.category(sign) != "Mn").split():
        yield from _apart(run)


def _plain(sign: str) -> str:
    """Blanks for all that separates, nothing for what is not shown, and room around an ideograph: each is a word."""
    if sign in "\t\n\r" or unicodedata.category(sign) == "Zs":
        return " "
    if sign == "\ufffd" or unicodedata.category(sign) in _NOT_SHOWN:
        return ""
    return f" {sign} " if any(first <= ord(sign) <= last for first, last in _IDEOGRAPHS) else sign


def _apart(run: str) -> Iterator[str]:
    """Words and signs of punctuation, each by itself."""
    word = ""
    for sign in run:
        if not _is_punctuation(sign):
            word += sign
            continue
        if word:
            yield word
        yield sign
        word = ""
    if word:
        yield word


def _is_punctuation(sign: str) -> bool:
    """As the model was trained: every sign of ASCII that is no letter and no digit counts, `$` and `~` too."""
    return (sign.isascii() and not sign.isalnum()) or unicodedata.category(sign)[0] == "P"


def _spelled(word: str, start: int, end: int) -> str:
    return word[start:end] if start == 0 else f"##{word[start:end]}"
