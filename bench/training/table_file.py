"""Write a table of token vectors: the perfect hash function and the rows as bytes.

The format is that of `tacit.meaning`, whose functions for hashes and the header are used here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.meaning import (
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
    return (
        encode_header(Header(FORMAT_VERSION, dimensions, placed.rows, len(placed.displacements), longest, version))
        + body
    )


def _quantized(vectors: NDArray[np.float32]) -> tuple[NDArray[np.uint16], NDArray[np.uint8]]:
    """Return a scale for each row, and the components as bytes with their bias."""
    largest = np.abs(vectors).max(axis=1)
    unit = largest.max() / _MOST_SCALE
    scales = np.ceil(largest / unit).astype(np.uint16)
    steps = np.maximum(scales, 1)[:, None] * unit / 127
    return scales, (np.rint(vectors / steps) + COMPONENT_BIAS).astype(np.uint8)


def _place(tokens: Sequence[str]) -> _Placed:
    """Give each token a row of its own, in as few rows as it works with. Raises ValueError if it works with none."""
    buckets: list[list[int]] = [[] for _ in range(len(tokens) // _TOKENS_PER_BUCKET + 1)]
    for hashed in map(token_hash, tokens):
        buckets[hashed % len(buckets)].append(hashed)
    for rows in filter(_is_prime, range(max(len(tokens), 3), min(4 * len(tokens) + 64, _MOST_DISPLACEMENT))):
        displacements = _displacements(buckets, rows)
        if displacements:
            placed = {}
            for token in tokens:
                hashed = token_hash(token)
                placed[token] = row_of(hashed, displacements[hashed % len(buckets)], rows)
            return _Placed(displacements, placed, rows)
    raise ValueError(f"no number of rows places {len(tokens)} tokens")


def _displacements(buckets: Sequence[Sequence[int]], rows: int) -> list[int]:
    """Return a displacement for each bucket, the fullest one first (CHD); none if a bucket finds no place."""
    displacements = [0] * len(buckets)
    taken = bytearray(rows)
    for number in sorted(range(len(buckets)), key=lambda place: -len(buckets[place])):
        for displacement in range(min(rows, _MOST_DISPLACEMENT + 1)):
            found = [row_of(hashed, displacement, rows) for hashed in buckets[number]]
            if not any(taken[row] for row in found) and len(set(found)) == len(found):
                break
        else:
            return []
        displacements[number] = displacement
        for row in found:
            taken[row] = 1
    return displacements


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, int(number**0.5) + 1))
