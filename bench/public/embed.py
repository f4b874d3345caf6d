"""Runs in the interpreter of the model: which documents are nearest to each question.

`embed JOB RESULT`: the job is a list of documents and questions, the result places of documents, the nearest first.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from bench.peers.minilm import MiniLM

_BATCH = 16


def main() -> None:
    job, result = map(Path, sys.argv[1:])
    model = MiniLM()
    texts = json.loads(job.read_text("utf-8"))
    result.write_text(json.dumps([_nearest(model, *one) for one in texts]), "utf-8")


def _nearest(model: MiniLM, documents: Sequence[str], questions: Sequence[str]) -> list[list[int]]:
    numpy = import_module("numpy")
    closeness = numpy.array(_embedded(model, questions)) @ numpy.array(_embedded(model, documents)).T
    places: list[list[int]] = (-closeness).argsort(axis=1, kind="stable").tolist()
    return places


def _embedded(model: MiniLM, texts: Sequence[str]) -> list[list[float]]:
    """Texts of one length together, because a batch is padded to its longest."""
    order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
    vectors: dict[int, list[float]] = {}
    for start in range(0, len(order), _BATCH):
        batch = order[start : start + _BATCH]
        vectors.update(zip(batch, model.embed([texts[place] for place in batch]), strict=True))
    return [vectors[place] for place in range(len(texts))]
