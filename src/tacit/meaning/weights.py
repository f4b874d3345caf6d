"""The tensors in the model's file, an ONNX graph: of all its fields, only those that name and hold numbers are read.

The graph keeps its weights as bytes and makes floats of them before each product, so a program that runs such graphs
does the same work as `network.py`, and would be 21 MB more to install.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

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
