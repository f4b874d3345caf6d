"""The data files of this package: TOML tables of words, patterns and programs, each row with an example."""

from __future__ import annotations

import os
from typing import Any

_FOLDER = os.path.dirname(os.path.abspath(__file__))


def load_data(name: str) -> dict[str, Any]:
    """Return the tables of a file of this package, such as "fixes/errors.toml".

    Callers load a file when a row of it is needed for the first time, and keep the result: most commands need none.
    """
    import tomllib

    with open(os.path.join(_FOLDER, name), "rb") as file:
        return tomllib.load(file)
