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


class MiniLmModel:
    def __init__(self, weights: str, vocabulary: str) -> None:
        self._network = read_network(weights)
        self._tokenizer = WordPieceTokenizer(vocabulary)

    @cached_property
    def size(self) -> int:
        return self._network.width

    def embed(self, text: str) -> bytes:

        return quantize(embed_tokens(self._network, self._tokenizer.token_ids(text)))

    def similarities(self, query: bytes, vectors: bytes) -> list[float]:

        return similarities(query, vectors)


# The tensors in the model's file, an ONNX graph: of all its fields, only those that name and hold numbers are read.
#
# The graph keeps its weights as bytes and makes floats of them before each product, so a program that runs such
# graphs does the same work as `network.py`, and would be 21 MB more to install.

_GRAPH_FIELD, _TENSOR_FIELD = 7, 5  # numbers of fields: in the model, in the graph
_DIMS_FIELD, _DATA_TYPE_FIELD, _NAME_FIELD, _RAW_DATA_FIELD = 1, 2, 8, 9  # in a tensor
_DTYPES: dict[int, str] = {1: "<f4", 3: "i1"}  # floats and bytes; the graph's own constants are not needed
_FIXED_WIDTHS = {1: 8, 5: 4}  # bytes of a field by its wire type, where that is fixed
_VARINT_WIRE_TYPE = 0


def read_tensors(path: str) -> dict[str, NDArray[np.generic]]:
    """Every tensor of floats or bytes by its name, in the order of the file."""
    with open(path, "rb") as file:
        graph = next(_message_fields(memoryview(file.read()), _GRAPH_FIELD))
    found = (_parse_tensor(part) for part in _message_fields(graph, _TENSOR_FIELD))
    return {name: values for name, values in found if values is not None}


def _parse_tensor(message: memoryview) -> tuple[str, NDArray[np.generic] | None]:
    shape = [value for number, value in _fields(message) if number == _DIMS_FIELD and isinstance(value, int)]
    kind = next(value for number, value in _fields(message) if number == _DATA_TYPE_FIELD)
    name = bytes(next(_message_fields(message, _NAME_FIELD))).decode()
    raw = next(_message_fields(message, _RAW_DATA_FIELD), None)
    if raw is None or not isinstance(kind, int) or kind not in _DTYPES:
        return name, None
    return name, np.frombuffer(raw, _DTYPES[kind]).reshape(shape)


def _message_fields(message: memoryview, number: int) -> Iterator[memoryview]:
    return (value for found, value in _fields(message) if found == number and isinstance(value, memoryview))


def _fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Number and value of each field of a message, as Protocol Buffers write them."""
    at = 0
    while at < len(message):
        key, at = _read_varint(message, at)
        number, wire = key >> 3, key & 7
        if wire == _VARINT_WIRE_TYPE:
            value, at = _read_varint(message, at)
            yield number, value
            continue
        width, at = (_FIXED_WIDTHS[wire], at) if wire in _FIXED_WIDTHS else _read_varint(message, at)
        yield number, message[at : at + width]
        at += width


def _read_varint(message: memoryview, at: int) -> tuple[int, int]:
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

_HEAD_SIZE = 32  # numbers that one of the ways of looking compares
_MATRICES_PER_LAYER = 6  # of a layer, in the order of the file: query, key, value, attention's output, up, down
_EPSILON = np.float32(1e-12)
_ATTENTION_SCALE = np.float32(_HEAD_SIZE**-0.5)
_HALF, _ONE = np.float32(0.5), np.float32(1)
_GELU_SCALE, _GELU_CUBIC = np.float32((2 / np.pi) ** 0.5), np.float32(0.044715)


class LayerNorm(Record):
    weight: Floats
    bias: Floats


class Linear(Record):
    weight: Floats
    bias: Floats


class Layer(Record):
    """`attend` makes queries, keys and values in one product."""

    query_key_value: Linear
    attention_output: Linear
    attention_norm: LayerNorm
    up: Linear
    down: Linear
    output_norm: LayerNorm


class Network(Record):
    """Vectors of pieces stay bytes with a scale a row: as floats they would be 47 MB."""

    token_embeddings: NDArray[np.int8]
    token_scales: Floats
    position_embeddings: Floats
    embedding_norm: LayerNorm
    layers: tuple[Layer, ...]

    @property
    def width(self) -> int:
        return int(self.position_embeddings.shape[1])


def read_network(path: str) -> Network:
    return _WeightsReader(read_tensors(path)).read_network()


def embed_tokens(network: Network, numbers: Sequence[int]) -> Floats:
    """What the pieces of one text mean together, of length 1."""
    rows = np.asarray(numbers)
    state = network.token_embeddings[rows] * network.token_scales[rows] + network.position_embeddings[: len(rows)]
    state = _apply_layer_norm(state, network.embedding_norm)
    for layer in network.layers:
        state = _apply_layer_norm(
            state + _apply_linear(_attention(_apply_linear(state, layer.query_key_value)), layer.attention_output),
            layer.attention_norm,
        )
        state = _apply_layer_norm(
            state + _apply_linear(_gelu(_apply_linear(state, layer.up)), layer.down), layer.output_norm
        )
    mean: Floats = state.mean(axis=0)
    return mean / np.float32(np.sqrt(mean @ mean) or 1)


def _apply_linear(state: Floats, linear: Linear) -> Floats:
    return state @ linear.weight + linear.bias


def _attention(state: Floats) -> Floats:
    """Each piece looks at all of them, in several ways."""
    split = state.reshape(len(state), 3, -1, _HEAD_SIZE).transpose(1, 2, 0, 3)
    query, key, value = split[0], split[1], split[2]
    scores = (query @ key.transpose(0, 2, 1)) * _ATTENTION_SCALE
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    seen: Floats = (weights @ value).transpose(1, 0, 2).reshape(len(state), -1)
    return seen


def _apply_layer_norm(state: Floats, norm: LayerNorm) -> Floats:
    centred: Floats = state - state.mean(axis=-1, keepdims=True)
    spread: Floats = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + _EPSILON)
    return centred / spread * norm.weight + norm.bias


def _gelu(state: Floats) -> Floats:
    """With a tangent for the error function, which numpy lacks: vectors differ by two millionths."""
    bent: Floats = np.tanh(_GELU_SCALE * (state + _GELU_CUBIC * state * state * state))
    return _HALF * state * (_ONE + bent)


class _WeightsReader:
    """Tensors by the names they have in the file."""

    def __init__(self, found: dict[str, NDArray[np.generic]]) -> None:
        self._tensors = found
        self._matrices = [name[:-2] for name in found if name.startswith("val_") and name.endswith("_q")]

    def read_network(self) -> Network:
        base = "inner.embeddings"
        return Network(
            self._tensors[f"{base}.word_embeddings.weight_q"].astype(np.int8, copy=False),
            self._floats(f"{base}.word_embeddings.weight_scale"),
            self._dequantized(f"{base}.position_embeddings.weight")
            + self._floats(f"{base}.token_type_embeddings.weight")[0],
            self._read_norm(f"{base}.LayerNorm"),
            tuple(map(self._read_layer, range(len(self._matrices) // _MATRICES_PER_LAYER))),
        )

    def _read_layer(self, number: int) -> Layer:
        base = f"inner.encoder.layer.{number}"
        query, key, value, attended, up, down = map(self._dequantized, self._layer_matrices(number))
        biases = [self._floats(f"{base}.attention.self.{part}.bias") for part in ("query", "key", "value")]
        return Layer(
            Linear(np.concatenate([query, key, value], axis=1), np.concatenate(biases)),
            Linear(attended, self._floats(f"{base}.attention.output.dense.bias")),
            self._read_norm(f"{base}.attention.output.LayerNorm"),
            Linear(up, self._floats(f"{base}.intermediate.dense.bias")),
            Linear(down, self._floats(f"{base}.output.dense.bias")),
            self._read_norm(f"{base}.output.LayerNorm"),
        )

    def _layer_matrices(self, number: int) -> list[str]:
        return self._matrices[number * _MATRICES_PER_LAYER : (number + 1) * _MATRICES_PER_LAYER]

    def _read_norm(self, name: str) -> LayerNorm:
        return LayerNorm(self._floats(f"{name}.weight"), self._floats(f"{name}.bias"))

    def _floats(self, name: str) -> Floats:
        return self._tensors[name].astype(np.float32, copy=False)

    def _dequantized(self, name: str) -> Floats:
        return self._floats(f"{name}_q") * self._floats(f"{name}_scale")


# Vectors as bytes, and how near they are.
#
# A vector of length 1 is kept as signed bytes at one fixed scale. Their products are whole numbers below 2 ** 24,
# which floats hold exactly: closeness is the same on every machine and in whatever order it is summed.

QUANTIZATION_SCALE = (
    400  # of a length of 1; a part of a vector is 0.05 as a rule and 0.25 at most, and 127 is the largest byte
)
_ROWS_PER_BLOCK = 4096  # rows that are made floats at once: six megabytes, whatever the size of the whole
_MAX_INT8 = 127


def quantize(vector: Floats) -> bytes:
    return np.clip(np.rint(vector * QUANTIZATION_SCALE), -_MAX_INT8, _MAX_INT8).astype(np.int8).tobytes()


def similarities(query: bytes, vectors: bytes) -> list[float]:
    """How near each of these vectors is to the question, -1 to 1."""
    asked = np.frombuffer(query, np.int8).astype(np.float32)
    rows = np.frombuffer(vectors, np.int8).reshape(-1, len(asked))
    parts = (
        rows[start : start + _ROWS_PER_BLOCK].astype(np.float32) @ asked
        for start in range(0, len(rows), _ROWS_PER_BLOCK)
    )
    return [
        near
        for part in parts
        for near in np.clip(part / np.float32(QUANTIZATION_SCALE * QUANTIZATION_SCALE), -1, 1).tolist()
    ]


# A text as numbers of the pieces that the model knows: split as BERT splits, then the longest known pieces first.
#
# The pieces are read from the model's own description of them, a `tokenizer.json` of the library `tokenizers`.

MAX_TOKENS = 128  # pieces of a text; the model was trained on no longer ones, and the time grows with them
_MAX_WORD_CHARS = 100  # characters; the model's own limit
_MAX_TEXT_CHARS = 16 * MAX_TOKENS  # more cannot matter, and a text may be a megabyte
_UNKNOWN_TOKEN, _START_TOKEN, _END_TOKEN = "[UNK]", "[CLS]", "[SEP]"
_INVISIBLE_CATEGORIES = ("Cc", "Cf", "Co", "Cs")
_IDEOGRAPH_RANGES = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


class WordPieceTokenizer:
    """The pieces of one model, by what they are."""

    def __init__(self, path: str) -> None:
        with open(path, "rb") as file:
            self._vocabulary: dict[str, int] = json.loads(file.read())["model"]["vocab"]

    def token_ids(self, text: str) -> list[int]:
        """The pieces of a text between the marks of its start and end."""
        found = [number for word in _split_words(text[:_MAX_TEXT_CHARS]) for number in self._word_token_ids(word)]
        return [self._vocabulary[_START_TOKEN], *found[: MAX_TOKENS - 2], self._vocabulary[_END_TOKEN]]

    def _word_token_ids(self, word: str) -> list[int]:
        if len(word) > _MAX_WORD_CHARS:
            return [self._vocabulary[_UNKNOWN_TOKEN]]
        found: list[int] = []
        start = 0
        while start < len(word):
            end = self._end_of_piece(word, start)
            if end == start:
                return [self._vocabulary[_UNKNOWN_TOKEN]]
            found.append(self._vocabulary[_piece_text(word, start, end)])
            start = end
        return found

    def _end_of_piece(self, word: str, start: int) -> int:
        return next(
            (end for end in range(len(word), start, -1) if _piece_text(word, start, end) in self._vocabulary), start
        )


def _split_words(text: str) -> Iterator[str]:
    apart = unicodedata.normalize("NFD", "".join(map(_normalize_char, text)))
    for run in "".join(sign.lower() for sign in apart if unicodedata.category(sign) != "Mn").split():
        yield from _split_punctuation(run)


def _normalize_char(sign: str) -> str:
    """Blanks for all that separates, nothing for what is not shown, and room around an ideograph: each is a word."""
    if sign in "\t\n\r" or unicodedata.category(sign) == "Zs":
        return " "
    if sign == "\ufffd" or unicodedata.category(sign) in _INVISIBLE_CATEGORIES:
        return ""
    return f" {sign} " if any(first <= ord(sign) <= last for first, last in _IDEOGRAPH_RANGES) else sign


def _split_punctuation(run: str) -> Iterator[str]:
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


def _piece_text(word: str, start: int, end: int) -> str:
    return word[start:end] if start == 0 else f"##{word[start:end]}"
