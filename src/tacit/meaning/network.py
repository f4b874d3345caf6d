"""The model itself, all-MiniLM-L6-v2: six layers of attention over the pieces of a text, and the mean of all.

One text at a time: what stands beside a text in a batch changes the last digits of its vector.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tacit.meaning.weights import tensors
from tacit.record import Record

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
