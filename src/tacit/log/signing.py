"""Which lines this home wrote itself: each carries a code that only the holder of the home's key can make.

The code is a keyed BLAKE2b (RFC 7693) of the line's content. Lines from before there were codes are legitimate: when
the first code is made, it is noted how far each segment went (the baseline), and only later lines are asked for one.
The key is a file of the home, so whoever may read the home can sign: this shows lines that were put in past Tacit, by
a program, an agent or a copy from another machine, and not an attacker who has the person's rights and means it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping

from tacit.disk.files import Disk, make_folder, read_file, replace_file
from tacit.record import Record

try:
    from _blake2 import blake2b  # the same as hashlib.blake2b, without loading OpenSSL: this runs after every command
except ImportError:  # an interpreter that has it elsewhere
    from hashlib import blake2b

BASELINE_FILE = ".tacit/signed"
KEY_BYTES = 32
_MAC_BYTES = 16  # bytes of a code; twice as many digits stand in the line
_LINE_PURPOSE, _BASELINE_PURPOSE, _KEY_PURPOSE = b"tacit line", b"tacit baseline", b"tacit key"

SignLine = Callable[[bytes], bytes]
# The key of the home; made where there is none and one is asked for. None where it cannot be had.
LoadKey = Callable[[bool], bytes | None]


class Baseline(Record):
    """How far each segment went when codes began, and the name of the key they are made with.

    `holds` is false where the file was not written with the key that the home has now.
    """

    key: str
    ends: Mapping[str, int]
    is_valid: bool = True

    def end_of(self, segment: str) -> int:
        return self.ends.get(segment, 0)


class LineSigner:
    """The codes of one home."""

    def __init__(self, home: str, disk: Disk, load_key: LoadKey) -> None:
        self._path = os.path.join(home, BASELINE_FILE)
        self._disk = disk
        self._load_key = load_key
        self._key: bytes | None = None
        self._is_baseline_ensured = False

    def sign(self, content: bytes) -> bytes:
        """The code of a line, in hexadecimal digits; empty where there is no key to be had."""
        key = self._get_key(make=True)
        return _mac(key, _LINE_PURPOSE, content).encode("ascii") if key else b""

    def verifies(self, content: bytes, code: bytes) -> bool:
        key = self._get_key(make=False)
        return key is not None and _mac(key, _LINE_PURPOSE, content).encode("ascii") == code

    @property
    def key_id(self) -> str:
        """What the key is known by, without telling it; empty where there is none."""
        key = self._get_key(make=False)
        return _mac(key, _KEY_PURPOSE, b"") if key else ""

    def ensure_baseline(self, sizes: Callable[[], Mapping[str, int]]) -> None:
        """Before a line is signed: note how far the segments go, once in the life of a home. The log is held."""
        if not self._is_baseline_ensured:
            if not os.path.lexists(self._path) and self._get_key(make=True):
                self.write_baseline(sizes())
            self._is_baseline_ensured = True

    def read_baseline(self) -> Baseline | None:
        """The baseline; None where codes never began, or the file is no baseline at all."""
        try:
            fields = json.loads(read_file(self._path) or b"")
            code = fields.pop("m")
            ends = {str(name): int(end) for name, end in fields["segments"].items()}
            key = self._get_key(make=False)
            holds = key is not None and code == _mac(key, _BASELINE_PURPOSE, _canonical_json(fields))
            return Baseline(str(fields["key"]), ends, holds)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None

    def write_baseline(self, ends: Mapping[str, int]) -> None:
        """Write another baseline. The log is held."""
        key = self._get_key(make=True)
        if key is None:
            return
        fields = {"key": self.key_id, "segments": {name: end for name, end in ends.items() if end}}
        signed = {**fields, "m": _mac(key, _BASELINE_PURPOSE, _canonical_json(fields))}
        folder = os.path.dirname(self._path)
        make_folder(folder, below=os.path.dirname(folder))
        replace_file(self._disk, self._path, _canonical_json(signed) + b"\n")

    def move_end(self, segment: str, end: int) -> None:
        """A segment was or will be written anew, and its lines from before codes go to another end."""
        found = self.read_baseline()
        if found is not None and found.is_valid and found.end_of(segment) != end:
            self.write_baseline({**found.ends, segment: end})

    def _get_key(self, *, make: bool) -> bytes | None:
        if self._key is None:
            self._key = self._load_key(make)
        return self._key


def file_sizes(paths: Iterable[tuple[str, str]]) -> dict[str, int]:
    """How large each segment is, by its name."""
    found = {}
    for name, path in paths:
        try:
            found[name] = os.stat(path).st_size
        except OSError:
            continue
    return found


def _mac(key: bytes, purpose: bytes, content: bytes) -> str:
    """Codes for different purposes have nothing in common, although the key is the same."""
    return blake2b(content, key=key, person=purpose, digest_size=_MAC_BYTES).hexdigest()


def _canonical_json(fields: Mapping[str, object]) -> bytes:
    return json.dumps(fields, sort_keys=True, separators=(",", ":")).encode("ascii")
