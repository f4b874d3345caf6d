"""tacit redact."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import BinaryIO

from tacit.core.errors import WrongUse
from tacit.surfaces.cli.command import Call, Command, Option

_PIECE = 1 << 20


def run(call: Call) -> int:
    from collections import Counter

    from tacit.core.secrets.stream import hidden

    call.no_words()
    if sys.stdin.isatty():
        raise WrongUse("tacit redact reads what is given to it, and nothing was", f"for example: {COMMAND.example}")
    counted: Counter[str] = Counter()
    out = sys.stdout.buffer
    for piece in hidden(_pieces(sys.stdin.buffer), _marker(), lambda secret: counted.update([secret.kind])):
        out.write(piece.encode("utf-8", "surrogateescape"))
    out.flush()
    if call.flag("--count"):
        for kind, times in sorted(counted.items()):
            print(f"{times} {kind}", file=sys.stderr)
        print(f"{counted.total()} in all", file=sys.stderr)
    return 0


def _pieces(source: BinaryIO) -> Iterator[str]:
    """The text piece by piece; bytes that are no UTF-8 come out as they went in."""
    from codecs import getincrementaldecoder

    decoder = getincrementaldecoder("utf-8")("surrogateescape")
    while block := source.read(_PIECE):
        yield decoder.decode(block)
    yield decoder.decode(b"", final=True)


def _marker() -> Callable[[str], str]:
    """Equal secrets get equal marks in one run; the key is forgotten with it, so that no mark can be guessed back."""
    import hmac
    import os

    key = os.urandom(32)
    return lambda value: hmac.digest(key, value.encode("utf-8", "surrogateescape"), "sha256").hex()[:8]


COMMAND = Command(
    name="redact",
    words="",
    help=(
        "Hide secrets in what is read from standard input: each becomes [redacted:KIND:MARK], everything else is\n"
        "written as it was, byte for byte. Equal secrets have equal marks in one run. No home is needed or made.\n"
        "A secret longer than 20,000 characters is not found. Known formats are; no list of formats is complete."
    ),
    example="tacit redact < session.log > shareable.log",
    run=run,
    options=(Option("--count", help="say on standard error how many of each kind were hidden"),),
)
