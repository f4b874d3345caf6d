"""Vectors as bytes, and how near they are.

A vector of length 1 is kept as signed bytes at one fixed scale. Their products are whole numbers below 2 ** 24, which
floats hold exactly: closeness is the same on every machine and in whatever order it is summed.
"""

from __future__ import annotations

import numpy as np

from tacit.meaning.network import Floats

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
