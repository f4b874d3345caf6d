"""The embedding model all-MiniLM-L6-v2 in NumPy: its weights, its tokenizer and the network.

The weights are an ONNX graph that stores them as bytes and makes floats of them before each product. ONNX Runtime does
the same work as this module, and would be 21 MB more to install (ADR 18).
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tacit.record import Record

Floats = NDArray[np.float32]


class MiniLmModel:
    """A network with its tokenizer, read from files."""

    def __init__(self, weights: str, vocabulary: str) -> None:
        self._network = _WeightsReader(read_tensors(weights)).read_network()
        self._tokenizer = WordPieceTokenizer(vocabulary)

    @property
    def size(self) -> int:
        """The length of every vector."""
        return int(self._network.position_embeddings.shape[1])

    def embed(self, text: str) -> bytes:
        return quantize(embed_tokens(self._network, self._tokenizer.token_ids(text)))

    def similarities(self, query: bytes, vectors: bytes) -> list[float]:
        return similarities(query, vectors)


# Reading the tensors of an ONNX file (Protocol Buffers)

_GRAPH_FIELD, _TENSOR_FIELD = 7, 5  # field numbers: in the model, in the graph
_DIMS_FIELD, _DATA_TYPE_FIELD, _NAME_FIELD, _RAW_DATA_FIELD = 1, 2, 8, 9  # in a tensor
_DTYPES: dict[int, str] = {1: "<f4", 3: "i1"}  # the graph's constants of other types are not needed
_FIXED_WIDTHS = {1: 8, 5: 4}  # in bytes, by wire type
_VARINT_WIRE_TYPE = 0


def read_tensors(path: str) -> dict[str, NDArray[np.generic]]:
    """Return the tensors of floats or bytes by name, in the order of the file."""
    with open(path, "rb") as file:
        graph = next(_message_fields(memoryview(file.read()), _GRAPH_FIELD))
    tensors: dict[str, NDArray[np.generic]] = {}
    for message in _message_fields(graph, _TENSOR_FIELD):
        shape = [value for number, value in _fields(message) if number == _DIMS_FIELD and isinstance(value, int)]
        data_type = next(value for number, value in _fields(message) if number == _DATA_TYPE_FIELD)
        raw = next(_message_fields(message, _RAW_DATA_FIELD), None)
        if raw is not None and isinstance(data_type, int) and data_type in _DTYPES:
            name = bytes(next(_message_fields(message, _NAME_FIELD))).decode()
            tensors[name] = np.frombuffer(raw, _DTYPES[data_type]).reshape(shape)
    return tensors


def _message_fields(message: memoryview, number: int) -> Iterator[memoryview]:
    return (value for field, value in _fields(message) if field == number and isinstance(value, memoryview))


def _fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Yield number and value of each field of a message."""
    position = 0
    while position < len(message):
        key, position = _read_varint(message, position)
        number, wire_type = key >> 3, key & 7
        if wire_type == _VARINT_WIRE_TYPE:
            value, position = _read_varint(message, position)
            yield number, value
            continue
        width = _FIXED_WIDTHS.get(wire_type)
        if width is None:
            width, position = _read_varint(message, position)
        yield number, message[position : position + width]
        position += width


def _read_varint(message: memoryview, position: int) -> tuple[int, int]:
    """Return a number and the position after it."""
    value = shift = 0
    while True:
        byte = message[position]
        value |= (byte & 0x7F) << shift
        position, shift = position + 1, shift + 7
        if byte < 0x80:
            return value, position


# The network: six layers of attention over the tokens of a text, and the mean of all tokens. One text at a time: in a
# batch, the last digits of a vector depend on the other texts.

_HEAD_SIZE = 32
_MATRICES_PER_LAYER = 6  # in the order of the file: query, key, value, attention output, up, down
_EPSILON = np.float32(1e-12)
_ATTENTION_SCALE = np.float32(_HEAD_SIZE**-0.5)
_HALF, _ONE = np.float32(0.5), np.float32(1)
_GELU_SCALE, _GELU_CUBIC = np.float32((2 / np.pi) ** 0.5), np.float32(0.044715)


class Affine(Record):
    """The weights of a linear map, or the scale of a normalization, with a bias."""

    weight: Floats
    bias: Floats


class Layer(Record):
    """One layer. `query_key_value` computes queries, keys and values in one product."""

    query_key_value: Affine
    attention_output: Affine
    attention_norm: Affine
    up: Affine
    down: Affine
    output_norm: Affine


class Network(Record):
    """All weights. Token embeddings stay bytes with one scale per row: as floats they would take 47 MB."""

    token_embeddings: NDArray[np.int8]
    token_scales: Floats
    position_embeddings: Floats
    embedding_norm: Affine
    layers: tuple[Layer, ...]


def embed_tokens(network: Network, token_ids: Sequence[int]) -> Floats:
    """Return the embedding of one text, of length 1."""
    rows = np.asarray(token_ids)
    state = network.token_embeddings[rows] * network.token_scales[rows] + network.position_embeddings[: len(rows)]
    state = _apply_layer_norm(state, network.embedding_norm)
    for layer in network.layers:
        state = _apply_layer_norm(
            state + _apply_linear(_attention(_apply_linear(state, layer.query_key_value)), layer.attention_output),
            layer.attention_norm,
        )
        up = _apply_linear(state, layer.up)
        # GELU with a tanh for the error function, which numpy lacks: vectors differ by two millionths.
        tanh: Floats = np.tanh(_GELU_SCALE * (up + _GELU_CUBIC * up * up * up))
        down = _apply_linear(_HALF * up * (_ONE + tanh), layer.down)
        state = _apply_layer_norm(state + down, layer.output_norm)
    mean: Floats = state.mean(axis=0)
    return mean / np.float32(np.sqrt(mean @ mean) or 1)


def _apply_linear(state: Floats, linear: Affine) -> Floats:
    return state @ linear.weight + linear.bias


def _attention(state: Floats) -> Floats:
    """Multi-head self-attention."""
    query, key, value = state.reshape(len(state), 3, -1, _HEAD_SIZE).transpose(1, 2, 0, 3)
    scores = (query @ key.transpose(0, 2, 1)) * _ATTENTION_SCALE
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    attended: Floats = (weights @ value).transpose(1, 0, 2).reshape(len(state), -1)
    return attended


def _apply_layer_norm(state: Floats, norm: Affine) -> Floats:
    centred: Floats = state - state.mean(axis=-1, keepdims=True)
    spread: Floats = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + _EPSILON)
    return centred / spread * norm.weight + norm.bias


class _WeightsReader:
    """Builds the network from tensors by the names they have in the file."""

    def __init__(self, tensors: dict[str, NDArray[np.generic]]) -> None:
        self._tensors = tensors
        self._matrices = [name[:-2] for name in tensors if name.startswith("val_") and name.endswith("_q")]

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
        names = self._matrices[number * _MATRICES_PER_LAYER : (number + 1) * _MATRICES_PER_LAYER]
        query, key, value, attention_output, up, down = map(self._dequantized, names)
        biases = [self._floats(f"{base}.attention.self.{part}.bias") for part in ("query", "key", "value")]
        return Layer(
            Affine(np.concatenate([query, key, value], axis=1), np.concatenate(biases)),
            Affine(attention_output, self._floats(f"{base}.attention.output.dense.bias")),
            self._read_norm(f"{base}.attention.output.LayerNorm"),
            Affine(up, self._floats(f"{base}.intermediate.dense.bias")),
            Affine(down, self._floats(f"{base}.output.dense.bias")),
            self._read_norm(f"{base}.output.LayerNorm"),
        )

    def _read_norm(self, name: str) -> Affine:
        return Affine(self._floats(f"{name}.weight"), self._floats(f"{name}.bias"))

    def _floats(self, name: str) -> Floats:
        return self._tensors[name].astype(np.float32, copy=False)

    def _dequantized(self, name: str) -> Floats:
        return self._floats(f"{name}_q") * self._floats(f"{name}_scale")


# Vectors as bytes. A vector of length 1 is stored as signed bytes at one fixed scale. Products of bytes sum to whole
# numbers below 2 ** 24, which floats represent exactly: similarities are the same on every machine.

# A component of a vector is typically 0.05 and at most 0.25, and the largest byte is 127.
QUANTIZATION_SCALE = 400
_ROWS_PER_BLOCK = 4096  # that are floats at once: six megabytes, however many there are
_MAX_INT8 = 127


def quantize(vector: Floats) -> bytes:
    return np.clip(np.rint(vector * QUANTIZATION_SCALE), -_MAX_INT8, _MAX_INT8).astype(np.int8).tobytes()


def similarities(query: bytes, vectors: bytes) -> list[float]:
    """Return the cosine similarity of the query to each of several concatenated vectors."""
    query_vector = np.frombuffer(query, np.int8).astype(np.float32)
    rows = np.frombuffer(vectors, np.int8).reshape(-1, len(query_vector))
    scale = np.float32(QUANTIZATION_SCALE * QUANTIZATION_SCALE)
    values: list[float] = []
    for start in range(0, len(rows), _ROWS_PER_BLOCK):
        products = rows[start : start + _ROWS_PER_BLOCK].astype(np.float32) @ query_vector
        values += np.clip(products / scale, -1, 1).tolist()
    return values


# The tokenizer: WordPiece with the pre-tokenization of BERT

MAX_TOKENS = 128  # of a text; the model was trained on no longer ones, and time grows with them
_MAX_WORD_CHARS = 100  # the model's own limit
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
    """Splits words into the longest tokens of a vocabulary, a `tokenizer.json` of the library `tokenizers`."""

    def __init__(self, path: str) -> None:
        with open(path, "rb") as file:
            self._vocabulary: dict[str, int] = json.loads(file.read())["model"]["vocab"]

    def token_ids(self, text: str) -> list[int]:
        """Return the tokens of a text between start and end token, at most MAX_TOKENS."""
        ids = [token_id for word in _split_words(text[:_MAX_TEXT_CHARS]) for token_id in self._word_token_ids(word)]
        return [self._vocabulary[_START_TOKEN], *ids[: MAX_TOKENS - 2], self._vocabulary[_END_TOKEN]]

    def _word_token_ids(self, word: str) -> list[int]:
        if len(word) > _MAX_WORD_CHARS:
            return [self._vocabulary[_UNKNOWN_TOKEN]]
        ids: list[int] = []
        start = 0
        while start < len(word):
            for end in range(len(word), start, -1):
                token = word[start:end] if start == 0 else f"##{word[start:end]}"
                if token in self._vocabulary:
                    break
            else:
                return [self._vocabulary[_UNKNOWN_TOKEN]]
            ids.append(self._vocabulary[token])
            start = end
        return ids


def _split_words(text: str) -> Iterator[str]:
    """Yield the words of a text in lower case, without accents; each punctuation mark and ideograph is a word."""
    decomposed = unicodedata.normalize("NFD", "".join(map(_normalize_char, text)))
    for run in "".join(char.lower() for char in decomposed if unicodedata.category(char) != "Mn").split():
        word = ""
        for char in run:
            # As the model was trained: all ASCII characters but letters and digits are punctuation, `$` and `~` too.
            is_letter = char.isalnum() if char.isascii() else unicodedata.category(char)[0] != "P"
            if is_letter:
                word += char
                continue
            if word:
                yield word
            yield char
            word = ""
        if word:
            yield word


def _normalize_char(char: str) -> str:
    """Return a blank for whitespace, "" for what is invisible, and an ideograph between blanks."""
    if char in "\t\n\r" or unicodedata.category(char) == "Zs":
        return " "
    if char == "\ufffd" or unicodedata.category(char) in _INVISIBLE_CATEGORIES:
        return ""
    return f" {char} " if any(first <= ord(char) <= last for first, last in _IDEOGRAPH_RANGES) else char
