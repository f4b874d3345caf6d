"""Lines larger than anything we write, in a real log, and what reading past them costs. Run in a process of its own."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tacit.cli import main
from tacit.home.home import Home
from tacit.vault.vault import Vault
from tests.chaos.program import peak_memory
from tests.hostile.readers import Trial

BEFORE, AFTER = "never force push", "prefer small commits"
_CHUNK = 1 << 20


class Giant(NamedTuple):
    """A line of so many bytes, made of one piece over and over; without its line feed it is a write that was torn."""

    folder: str
    piece: bytes
    size: int
    ended: bool = True
    appending: bool = False


class Past(NamedTuple):
    """What was found on both sides of it, and by how many MB the process grew at its highest."""

    texts: tuple[str, ...]
    codes: tuple[int, ...]
    grown: float


def read_past(giant: Giant) -> Past:
    """Make a home with such a line in its log; then ask, list and verify, or add something more."""
    home = os.path.join(giant.folder, "home")
    environment = {"HOME": giant.folder, "TACIT_NOW": "2026-03-02T12:00:00+00:00"}
    os.environ.update(environment, TACIT_HOME=home)
    os.chdir(giant.folder)
    log = os.path.join(home, "memory", "events.jsonl")
    with Vault(Home(home, environment=environment)) as vault:
        vault.add(BEFORE)
        vault.add(AFTER)
    _insert(log, giant)
    before = peak_memory(os.getpid())
    codes = tuple(_said(*words)[0] for words in _commands(giant))
    grown = peak_memory(os.getpid()) - before
    with Vault(Home(home, environment=environment)) as vault:
        texts = tuple(hit.text for query in (BEFORE, AFTER) for hit in vault.search.recall(query, observe=False))
    return Past(texts, codes, grown)


def _commands(giant: Giant) -> Iterator[tuple[str, ...]]:
    if giant.appending:
        yield ("add", "run the tests")
    yield ("recall", "force")
    yield ("list",)
    yield ("verify",)
    yield ("reindex",)


def _insert(path: str, giant: Giant) -> None:
    """Before the last line, or behind it where the line is one that was torn."""
    with open(path, "rb") as file:
        lines = file.readlines()
    with open(path, "wb") as file:
        file.writelines(lines[:-1] if giant.ended else lines)
        piece = giant.piece * (_CHUNK // len(giant.piece))
        for _ in range(giant.size // len(piece)):
            file.write(piece)
        if giant.ended:
            file.writelines((b"\n", lines[-1]))


def _said(*words: str) -> tuple[int, str]:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        return main(list(words)), out.getvalue()


def measured(work: Callable[[], Trial]) -> Trial:
    """What came of it, and by how many MB the process grew at its highest while it worked."""
    before = peak_memory(os.getpid())
    return work()._replace(grown=peak_memory(os.getpid()) - before)
