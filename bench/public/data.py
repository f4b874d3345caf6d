"""Where public sets come from. They are fetched only when asked for, checked, and kept outside of the project.

A set is the files below one place of one commit, and one checksum over all of them in the order in which they stand
here. What is given by path is checked as well, so that figures of other data are told apart.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple
from urllib.error import URLError
from urllib.request import urlopen

from bench.peers.install import cache

_SECONDS = 60


class Source(NamedTuple):
    place: str
    """Below the folder of public sets: a file, or a folder."""
    address: str
    """What the place stands for; the names of files are put behind it."""
    files: tuple[str, ...]
    """Below the place; one empty name where the place is a file."""
    sha256: str
    size: str
    licence: str


class NotFetched(Exception):
    """Why, and what to do."""


LOCOMO = Source(
    "locomo/locomo10.json",
    "https://raw.githubusercontent.com/snap-research/locomo/3eb6f2c585f5e1699204e3c3bdf7adc5c28cb376/data/locomo10.json",
    ("",),
    "79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4",
    "3 MB",
    "CC BY-NC 4.0",
)
BEAM = Source(
    "beam/100K",
    "https://raw.githubusercontent.com/mohammadtavakoli78/BEAM/b2a3ee8ba12d68f83143dda191097dc3e028ddd3/chats/100K",
    tuple(
        f"/{number}/{name}"
        for number in range(1, 21)
        for name in ("chat.json", "probing_questions/probing_questions.json")
    ),
    "3964c361ba000f9c3097e656ce4a9b0a255f5229130248cd907a301a544cd8dd",
    "14 MB",
    "no licence is named there",
)


def folder() -> Path:
    """Where public sets are kept if nothing else is said."""
    return cache() / "public"


def is_known(source: Source, path: Path) -> bool:
    """Whether these are the data that the checksum was taken of."""
    files = [Path(f"{path}{name}") for name in source.files]
    return all(file.is_file() for file in files) and _checksum(files) == source.sha256


def fetch(source: Source, into: Path) -> Path:
    """Download a set into a folder, unless it is there. Return its path; raise NotFetched and leave nothing behind."""
    path = into / source.place
    if is_known(source, path):
        return path
    into.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=into) as temporary:
        new = Path(temporary) / path.name
        for name in source.files:
            _download(f"{source.address}{name}", Path(f"{new}{name}"))
        if not is_known(source, new):
            raise NotFetched(f"{source.address} has changed: its checksum is not {source.sha256}")
        if path.is_dir():
            shutil.rmtree(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        new.replace(path)
    return path


def _download(address: str, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    try:
        with urlopen(address, timeout=_SECONDS) as answer, to.open("wb") as file:
            shutil.copyfileobj(answer, file)
    except (URLError, OSError) as why:
        raise NotFetched(f"{address} cannot be read: {getattr(why, 'reason', why)}") from why


def _checksum(files: Iterable[Path]) -> str:
    together = hashlib.sha256()
    for file in files:
        together.update(file.read_bytes())
    return together.hexdigest()
