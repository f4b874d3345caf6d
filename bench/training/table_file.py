"""Write a table of token vectors: the perfect hash function and the rows as bytes.

The format is that of `tacit.search.token_vectors`, whose functions for hashes and the header are used here.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Sequence
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.search.token_vectors import (
    COMPONENT_BIAS,
    FORMAT_VERSION,
    Header,
    encode_header,
    row_of,
    token_check,
    token_hash,
)

_TOKENS_PER_BUCKET = 4
_MOST_DISPLACEMENT = 0xFFFF
_MOST_SCALE = 0xFFFF
_VERSION_BYTES = 16


class _Placed(NamedTuple):
    displacements: list[int]
    row_by_token: dict[str, int]
    rows: int


def table_bytes(tokens: Sequence[str], vectors: NDArray[np.float32]) -> bytes:
    """Return the file for tokens and their vectors, one row each. Raises ValueError if no hash function is found."""
    placed = _place(tokens)
    dimensions = vectors.shape[1]
    order = np.array([placed.row_by_token[token] for token in tokens])
    scales, components = _quantized(vectors)
    all_scales = np.zeros(placed.rows, "<u2")
    all_rows = np.full((placed.rows, dimensions), COMPONENT_BIAS, np.uint8)
    checks = np.zeros(placed.rows, "<u4")
    all_scales[order], all_rows[order] = scales, components
    checks[order] = [token_check(token_hash(token)) for token in tokens]
    displacements = np.array(placed.displacements, "<u2").tobytes()
    body = displacements + checks.tobytes() + all_scales.tobytes() + all_rows.tobytes()
    version = hashlib.sha256(body).digest()[:_VERSION_BYTES]
    longest = max(map(len, tokens))
    return encode_header(Header(FORMAT_VERSION, dimensions, placed.rows, len(placed.displacements), longest, version)) + body


def _quantized(vectors: NDArray[np.float32]) -> tuple[NDArray[np.uint16], NDArray[np.uint8]]:
    """Return a scale for each row, and the components as bytes with their bias."""
    largest = np.abs(vectors).max(axis=1)
    unit = largest.max() / _MOST_SCALE
    scales = np.ceil(largest / unit).astype(np.uint16)
    steps = np.maximum(scales, 1)[:, None] * unit / 127
    return scales, (np.rint(vectors / steps) + COMPONENT_BIAS).astype(np.uint8)


def _place(tokens: Sequence[str]) -> _Placed:
    """Give each token a row of its own: a displacement for each bucket, the fullest first (compress, hash, displace)."""
    rows = next(number for number in count(len(tokens)) if _is_prime(number))
    if rows > _MOST_DISPLACEMENT:
        raise ValueError(f"{len(tokens)} tokens are more than a displacement of two bytes can place")
    buckets: list[list[str]] = [[] for _ in range(len(tokens) // _TOKENS_PER_BUCKET + 1)]
    for token in tokens:
        buckets[token_hash(token) % len(buckets)].append(token)
    displacements = array("H", bytes(2 * len(buckets)))
    row_by_token: dict[str, int] = {}
    taken = bytearray(rows)
    for number in sorted(range(len(buckets)), key=lambda place: -len(buckets[place])):
        hashes = [token_hash(token) for token in buckets[number]]
        for displacement in range(_MOST_DISPLACEMENT + 1):
            found = [row_of(hashed, displacement, rows) for hashed in hashes]
            if not any(taken[row] for row in found) and len(set(found)) == len(found):
                break
        else:
            raise ValueError("no displacement places all tokens of a bucket")
        displacements[number] = displacement
        for token, row in zip(buckets[number], found, strict=True):
            taken[row] = 1
            row_by_token[token] = row
    return _Placed(list(displacements), row_by_token, rows)


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, int(number**0.5) + 1))
