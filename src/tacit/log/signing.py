"""The key of a home, and the message authentication code (MAC) made with it on every line that the home writes.

The MAC is a keyed BLAKE2b (RFC 7693) of the line's content. Lines from before signing began are legitimate: with the
first MAC, the length of each segment is recorded (the baseline), and only later lines need a MAC. The key is a file of
the home, so whoever can read the home can sign. This detects lines that came from elsewhere, written by a program, an
agent or a copy from another machine; it does not stop an attacker who has the person's rights.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress

from tacit.disk.files import Disk, OsDisk, closing_fd, make_folder, read_file, replace_file
from tacit.model.ids import blake2b
from tacit.record import Record

BASELINE_FILE = ".tacit/signed"
KEY_BYTES = 32
_MAC_BYTES = 16  # twice as many digits in the line
_LINE_PURPOSE, _BASELINE_PURPOSE, _KEY_PURPOSE = b"tacit line", b"tacit baseline", b"tacit key"
_DIGEST_PURPOSE = b"tacit digest"

SignLine = Callable[[bytes], bytes]
# Returns the key of the home, None if there is none; makes one if the argument is true.
LoadKey = Callable[[bool], bytes | None]


class Baseline(Record):
    """The length of each segment when signing began, and the id of the key.

    `is_valid` is False if the file was not written with the current key of the home.
    """

    key: str
    ends: Mapping[str, int]
    is_valid: bool = True

    def end_of(self, segment: str) -> int:
        return self.ends.get(segment, 0)


class LineSigner:
    """Signs and verifies the lines of one home. `load_key` is called on first use."""

    def __init__(self, home: str, disk: Disk, load_key: LoadKey) -> None:
        self._path = os.path.join(home, BASELINE_FILE)
        self._disk = disk
        self._load_key = load_key
        self._key: bytes | None = None
        self._is_baseline_ensured = False

    def sign(self, content: bytes) -> bytes:
        """Return the MAC of a line in hexadecimal digits; b"" if there is no key and none can be made."""
        key = self._get_key(make=True)
        return _mac(key, _LINE_PURPOSE, content).encode("ascii") if key else b""

    def verifies(self, content: bytes, mac: bytes) -> bool:
        key = self._get_key(make=False)
        return key is not None and _mac(key, _LINE_PURPOSE, content).encode("ascii") == mac

    def digest(self, content: bytes) -> str:
        """Return a keyed hash, to recognise bytes that must not be stored; "" if there is no key, nor can be one."""
        key = self._get_key(make=True)
        return _mac(key, _DIGEST_PURPOSE, content) if key else ""

    @property
    def key_id(self) -> str:
        """An id of the key that does not reveal it; "" if there is no key."""
        key = self._get_key(make=False)
        return _mac(key, _KEY_PURPOSE, b"") if key else ""

    def ensure_baseline(self, sizes: Callable[[], Mapping[str, int]]) -> None:
        """Write the baseline if there is none, before the first line is signed. The caller holds the log's lock."""
        if not self._is_baseline_ensured:
            if not os.path.lexists(self._path) and self._get_key(make=True):
                self.write_baseline(sizes())
            self._is_baseline_ensured = True

    def read_baseline(self) -> Baseline | None:
        """Return the baseline; None if signing never began or the file is not readable."""
        try:
            fields = json.loads(read_file(self._path) or b"")
            mac = fields.pop("m")
            ends = {str(name): int(end) for name, end in fields["segments"].items()}
            key = self._get_key(make=False)
            is_valid = key is not None and mac == _mac(key, _BASELINE_PURPOSE, _canonical_json(fields))
            return Baseline(str(fields["key"]), ends, is_valid)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None

    def write_baseline(self, ends: Mapping[str, int]) -> None:
        """Replace the baseline. The caller holds the log's lock."""
        key = self._get_key(make=True)
        if key is None:
            return
        fields = {"key": self.key_id, "segments": {name: end for name, end in ends.items() if end}}
        signed = {**fields, "m": _mac(key, _BASELINE_PURPOSE, _canonical_json(fields))}
        folder = os.path.dirname(self._path)
        make_folder(folder, below=os.path.dirname(folder))
        replace_file(self._disk, self._path, _canonical_json(signed) + b"\n")

    def move_end(self, segment: str, end: int) -> None:
        """Record a new end of a segment's unsigned lines, because the segment was or will be rewritten."""
        baseline = self.read_baseline()
        if baseline is not None and baseline.is_valid and baseline.end_of(segment) != end:
            self.write_baseline({**baseline.ends, segment: end})

    def _get_key(self, *, make: bool) -> bytes | None:
        if self._key is None:
            self._key = self._load_key(make)
        return self._key


def file_sizes(paths: Iterable[tuple[str, str]]) -> dict[str, int]:
    """Return the size of each file by its name, for pairs of name and path. Missing files are left out."""
    sizes = {}
    for name, path in paths:
        with suppress(OSError):
            sizes[name] = os.stat(path).st_size
    return sizes


def _mac(key: bytes, purpose: bytes, content: bytes) -> str:
    """Return a MAC. Those for different purposes are unrelated, although the key is the same."""
    return blake2b(content, key=key, person=purpose, digest_size=_MAC_BYTES).hexdigest()


def _canonical_json(fields: Mapping[str, object]) -> bytes:
    return json.dumps(fields, sort_keys=True, separators=(",", ":")).encode("ascii")


# The key of a home

_DAMAGED_SUFFIX = ".damaged"


def secret_digest(path: str, value: str) -> str:
    """Return eight hexadecimal digits, equal for equal secrets. Raise OSError if a key can be neither read nor made."""
    import hmac

    return hmac.new(ensure_key(path), value.encode("utf-8", "surrogateescape"), "sha256").hexdigest()[:8]


def load_key(path: str, make: bool) -> bytes | None:
    """Return the key, None if there is none; make one first if `make` is set.

    Never raises: an unsigned line is better than none, and `tacit doctor --log` reports it.
    """
    try:
        return ensure_key(path) if make else read_key(path)
    except OSError:
        return None


def read_key(path: str) -> bytes | None:
    """Return the key; None if the file is missing or holds none. Raise OSError for a link or an unreadable file."""
    try:
        with closing_fd(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)) as fd:
            key = os.read(fd, KEY_BYTES + 1)
    except FileNotFoundError:
        return None
    return key if len(key) == KEY_BYTES else None


def ensure_key(path: str) -> bytes:
    """Return the key. If there is none, one process makes it and all get the same.

    A damaged key file is kept under another name, so that it can be compared with a backup.
    """
    key = read_key(path)
    if key is not None:
        return key
    folder = os.path.dirname(path)
    make_folder(folder, below=os.path.dirname(folder))
    with _lock_folder(folder):
        key = read_key(path)  # another process may have been faster
        if key is None:
            with suppress(FileNotFoundError):
                os.rename(path, path + _DAMAGED_SUFFIX)
            key = os.urandom(KEY_BYTES)
            replace_file(OsDisk(os.path.dirname(folder)), path, key)
    return key


@contextmanager
def _lock_folder(folder: str) -> Iterator[None]:
    """Keep other processes from making a key. The lock is on the folder itself and ends with the process."""
    with closing_fd(os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)) as fd:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(fd, fcntl.LOCK_EX)
        yield
