"""`tacit purge` and `tacit redact`: taking texts out of a home, and secrets out of a text."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import BinaryIO

from tacit.cli.command import Command, Invocation, Option
from tacit.cli.output import echo, pluralize
from tacit.cli.terminal import confirm
from tacit.errors import UsageError
from tacit.purge import PurgeReport
from tacit.text.display import printable

# tacit purge.


def run_purge(call: Invocation) -> int:
    if call.flag("--again"):
        return _echo_purge(call.vault.purger.purge_again())
    reference, text = _parse_target(call)
    if not call.flag("--yes") and not _confirm_purge(call.vault.purger.preview(reference, text=text)):
        echo("Nothing was changed.")
        return 1
    return _echo_purge(call.vault.purger.purge(reference, text=text, reason=call.text_value("--reason")))


def _parse_target(call: Invocation) -> tuple[str | None, str | None]:
    """An id or a text; neither is repeated in a message."""
    if len(call.args) > 1 or (call.args and call.flag("--text")):
        raise UsageError("tacit purge wants one id, or --text", "tacit purge 7k2m, or tacit purge --text '…'")
    return (call.args[0] if call.args else None), _purge_text(call.value("--text"))


def _purge_text(given: str | None) -> str | None:
    if given != "-":
        return given
    if sys.stdin.isatty():
        from getpass import getpass

        return getpass("The text to purge (not shown): ")
    return sys.stdin.buffer.read().decode("utf-8", "replace").removesuffix("\n")


def _confirm_purge(found: PurgeReport) -> bool:
    if not sys.stdin.isatty():
        raise UsageError("purging cannot be undone, and there is nobody to ask", "add --yes")
    pages = sum("/worklog/" in path or "/evaluations/" in path for path in found.files)
    echo(
        f"This would change {pluralize(found.events, 'event')} and {pluralize(len(found.files), 'file')}"
        f" ({pluralize(pages, 'page')}) and take away {_memories_text(found.memories)}, and cannot be undone."
    )
    return confirm("Purge?")


def _echo_purge(done: PurgeReport) -> int:
    echo(
        f"Purged: {pluralize(done.events, 'event')} changed, {_memories_text(done.memories)} gone,"
        f" {pluralize(len(done.files), 'other file')} changed. The tombstone is in memory/purged.jsonl."
    )
    if done.damaged:
        echo(f"  {pluralize(done.damaged, 'line')} that could not be read held it and went as a whole")
    if done.similar_memories:
        echo(f"  other memories hold the same words and stay: {', '.join(done.similar_memories)}")
    for path in done.index_copies:
        echo(f"  removed {printable(path)}, a copy of the index")
    for path in done.remaining_files:
        echo(f"  ✗ {printable(path)} still holds it: change it by hand")
    echo("  what no purge can reach:")
    for place in done.unreachable:
        echo(f"    · {printable(place)}")
    return 1 if done.remaining_files else 0


def _memories_text(gone: tuple[str, ...]) -> str:
    return f"{len(gone)} {'memory' if len(gone) == 1 else 'memories'}"


PURGE = Command(
    name="purge",
    usage="ID",
    help=(
        "Take a text, or a memory with all its wordings, out of every file of this home: log, index, views, copies,\n"
        "quarantine. Not to be undone; a tombstone says when and why, and keeps old copies from bringing it back.\n"
        "Lists what it cannot reach. Only a person purges."
    ),
    example='tacit purge --text "the words that must go" --reason "said by mistake"',
    run=run_purge,
    options=(
        Option("--text", "TEXT", "a text, wherever and however it is written; - reads it from the standard input"),
        Option("--reason", "TEXT", "why, for the tombstone; not the text itself"),
        Option("--yes", help="do not ask"),
        Option("--again", help="purge once more all that was ever purged: after an interruption, or when it came back"),
    ),
)


# tacit redact.

_CHUNK_BYTES = 1 << 20


def run_redact(call: Invocation) -> int:
    from collections import Counter

    from tacit.secrets.batch import redact_stream

    call.refuse_args()
    if sys.stdin.isatty():
        raise UsageError("tacit redact reads what is given to it, and nothing was", f"for example: {REDACT.example}")
    counted: Counter[str] = Counter()
    out = sys.stdout.buffer
    for piece in redact_stream(
        _decode_chunks(sys.stdin.buffer), _make_marker(), lambda secret: counted.update([secret.kind])
    ):
        out.write(piece.encode("utf-8", "surrogateescape"))
    out.flush()
    if call.flag("--count"):
        for kind, times in sorted(counted.items()):
            print(f"{times} {kind}", file=sys.stderr)
        print(f"{counted.total()} in all", file=sys.stderr)
    return 0


def _decode_chunks(source: BinaryIO) -> Iterator[str]:
    """The text piece by piece; bytes that are no UTF-8 come out as they went in."""
    from codecs import getincrementaldecoder

    decoder = getincrementaldecoder("utf-8")("surrogateescape")
    while block := source.read(_CHUNK_BYTES):
        yield decoder.decode(block)
    yield decoder.decode(b"", final=True)


def _make_marker() -> Callable[[str], str]:
    """Equal secrets get equal marks in one run; the key is forgotten with it, so that no mark can be guessed back."""
    import hmac
    import os

    key = os.urandom(32)
    return lambda value: hmac.digest(key, value.encode("utf-8", "surrogateescape"), "sha256").hex()[:8]


REDACT = Command(
    name="redact",
    usage="",
    help=(
        "Hide secrets in what is read from standard input: each becomes [redacted:KIND:MARK], everything else is\n"
        "written as it was, byte for byte. Equal secrets have equal marks in one run. No home is needed or made.\n"
        "A secret longer than 20,000 characters is not found. Known formats are; no list of formats is complete."
    ),
    example="tacit redact < session.log > shareable.log",
    run=run_redact,
    options=(Option("--count", help="say on standard error how many of each kind were hidden"),),
)
