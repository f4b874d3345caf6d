"""What a durable append costs against the least that could be done: one write and one `fdatasync` of the same bytes.

They alternate on the same disk. The bare file stays open; the log opens, locks and reads its tail each time, because
that is what keeps an acknowledged line safe from others and from a crash.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from bench.figures import Figure, amount, quantile, show
from bench.homes import copy_of, events
from tacit.disk.files import OsDisk
from tacit.disk.lock import FileLock
from tacit.home.paths import HomePaths
from tacit.log.codec import encode
from tacit.log.log import Log
from tacit.log.signing import LineSigner, load_key
from tacit.model.event import Draft
from tacit.purge.tombstones import load_tombstones

MEMORIES, ROUNDS, WARM_UP = 10_000, 400, 20


def measure(folder: Path) -> Iterator[Figure]:
    with copy_of(folder, MEMORIES) as home:
        os.sync()  # else the copy just made is written back during the rounds, and both sides wait for it
        logged, bare = _rounds(home)
    ratio = quantile(logged, 0.5) / quantile(bare, 0.5)
    note = f"{_both(logged, bare, 0.5)}; p99 {_both(logged, bare, 0.99)}"
    yield Figure(
        "durable append against bare `write` + `fdatasync` of the same bytes, p50", f"{amount(ratio)} × ({note})"
    )


def _both(logged: list[float], bare: list[float], share: float) -> str:
    one, other = (amount(quantile(times, share) * 1000) for times in (logged, bare))
    return f"{one} ms against {other} ms"


def _rounds(home: Path) -> tuple[list[float], list[float]]:
    place = HomePaths(str(home))
    signing = LineSigner(place.root, OsDisk(), partial(load_key, place.key))
    log = Log(
        place.root,
        OsDisk(),
        FileLock(place.log_lock, 10.0),
        lambda: os.urandom(10),
        signer=signing,
        load_purges=load_tombstones,
    )
    logged, bare = [], []
    fd = os.open(place.path("memory", "bare"), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    for event in events(ROUNDS + WARM_UP, seed="append"):
        draft = Draft(event.body, event.scope)
        start = time.perf_counter()
        (written,) = log.append([draft], event.origin)
        logged.append(time.perf_counter() - start)
        data = encode(written)
        start = time.perf_counter()
        os.write(fd, data)
        os.fdatasync(fd)
        bare.append(time.perf_counter() - start)
    os.close(fd)
    return logged[WARM_UP:], bare[WARM_UP:]


if __name__ == "__main__":
    show("Durable append against a bare write and sync.", measure)
