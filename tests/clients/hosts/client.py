"""What the tests must know of a client: where its program is, how it is run, what its settings are, how it compacts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from tests.clients.apis.shape import Step

KEY = "stub-0000-0000"  # no client starts without one


class Place(NamedTuple):
    """Where a client is run: the person's folder, the repository, and the port of the stub."""

    folder: Path
    repository: Path
    port: int

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"


class Compacts(NamedTuple):
    """How a client is made to compact: by a prompt, or because the model says that the conversation is long.

    `asks` is what its request for a summary is known by, `answer` what it takes for one.
    """

    asks: str
    answer: str
    prompt: str = ""
    tokens: int = 0


class Client(NamedTuple):
    """A real coding agent.

    `programs` are where the installed package has its program, the first that is there; `words` what it is called with
    for a prompt in a new or the last session; `settings` the files that the person had before, `prepared` those that it
    needs beside.
    """

    name: str
    programs: tuple[str, ...]
    words: Callable[[str, bool], list[str]]
    environment: Callable[[Place], Mapping[str, str]]
    settings: Mapping[str, str]
    prepared: Callable[[Place], Mapping[str, str]]
    ran: Callable[[str], Step]
    wrote: Callable[[Path, str], Step]
    tools: tuple[str, ...]  # as the client calls them: to run a command, to write a file
    compacts: Compacts
