"""Products as small as ours are done before a second thread has started: with two, the same texts cost three times the
CPU."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager

_NAMES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


@contextmanager
def one_thread(environment: MutableMapping[str, str]) -> Iterator[None]:
    """Numpy reads these when it is imported, and never again. What the person has set stays."""
    ours = [name for name in _NAMES if name not in environment]
    environment.update(dict.fromkeys(ours, "1"))
    try:
        yield
    finally:
        for name in ours:
            del environment[name]
