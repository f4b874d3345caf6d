"""What reading a transcript gives: things said and done, and a count of everything else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import BinaryIO

from tacit.core.conversation import Conversation, Titled
from tacit.record import Record


class Heard(Record):
    """One thing said or done.

    `key` names it within its host for ever: it is the same however often, and from wherever in the file, it is read.
    `place` orders what has the same time.
    """

    key: str
    at: datetime  # UTC
    session: str
    body: Conversation | Titled
    place: int = 0
    directory: str = ""  # where the agent stood
    remote: str = ""  # the address of the repository, where the transcript tells it
    timeless: bool = False  # the host may tell another time of it another day


@dataclass(slots=True)
class Tally:
    """What a transcript held. `settled` is the offset before which everything was heard for good: the beginning of
    the last turn. Reading from there again hears the rest with the same keys."""

    records: int = 0
    kept: int = 0  # bytes of text that were heard
    read: int = 0  # bytes of the transcript that were looked at
    settled: int = 0
    passed: Counter[str] = field(default_factory=Counter)  # known and of no use, by type
    unknown: Counter[str] = field(default_factory=Counter)  # never seen before, by type
    damaged: Counter[str] = field(default_factory=Counter)  # could not be read, by reason


LONGEST_PROMPT = 1 << 20  # characters: no host takes a longer one as a prompt


class Limits(Record):
    """Characters that are kept (B4), and the tools whose results are not. `text` is the limit of a reply; what the
    person wrote is kept whole, up to `LONGEST_PROMPT`."""

    input: int = 200
    result: int = 500
    text: int = 10_000
    skipped: frozenset[str] = frozenset()  # further names of tools, in lower case


class Source(Record):
    """A host's transcripts.

    `places` are the folders or files in which they lie, from the environment and the person's folder.
    `recognises` tells from a path and the first bytes whether a file is one of them.
    `read` hears a transcript from an offset on, which is 0 or a `settled` of an earlier reading. Where `in_bytes` is
    false, that is no place in the file but a mark of the source's own.
    """

    name: str
    places: Callable[[Mapping[str, str], str], list[str]]
    recognises: Callable[[str, bytes], bool]
    read: Callable[[BinaryIO, int, Limits, Tally], Iterator[Heard]]
    in_bytes: bool = True
