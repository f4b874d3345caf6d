"""One file a memory, each with a MEMORY."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from bench.write_side.memory import Known


def names() -> list[str]:
    return sorted(found.name for found in pkgutil.iter_modules(__path__))


def memory(module: str) -> Known:
    found: Known = import_module(f"{__name__}.{module}").MEMORY
    return found
