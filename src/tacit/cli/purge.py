"""`tacit purge` and `tacit redact`: remove texts from a home, and secrets from a text."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import BinaryIO

from tacit.cli.commands import Command, Invocation, Option
from tacit.cli.output import ask_unseen, confirm, echo, pluralize, warn
from tacit.errors import UsageError
from tacit.text.display import printable
from tacit.vault.purging import PurgeReport

# tacit purge


def run_purge(call: Invocation) -> int:
    try:
        return _purge(call)
    except KeyboardInterrupt:
        call.interrupted()
        if call.vault.purger.is_interrupted:
            warn("Interrupted before all files were changed. To complete it, run it again, or: tacit purge --again")
        else:
            warn("Interrupted. Nothing was changed.")
        raise


def _purge(call: Invocation) -> int:
    if call.flag("--again"):
        return _echo_purge(call, call.vault.purger.purge_again())
    if len(call.args) > 1 or (call.args and call.flag("--text")):  # neither is repeated in the message
        raise UsageError("tacit purge wants one id, or --text", "tacit purge 7k2m, or tacit purge --text '…'")
    reference, text = (call.args[0] if call.args else None), _purge_text(call.value("--text"))
    if not call.flag("--yes") and not _confirm_purge(call.vault.purger.preview(reference, text=text)):
        echo("Nothing was changed.")
        return 1
    return _echo_purge(call, call.vault.purger.purge(reference, text=text, reason=call.text_value("--reason")))


def _purge_text(value: str | None) -> str | None:
    """Return the value of --text. For `-` it is read from standard input, or typed unseen at a terminal."""
    if value != "-":
        return value
    if sys.stdin.isatty():
        return ask_unseen("The text to purge")
    return sys.stdin.buffer.read().decode("utf-8", "replace").removesuffix("\n")


def _confirm_purge(preview: PurgeReport) -> bool:
    if not sys.stdin.isatty():
        raise UsageError("purging cannot be undone, and there is nobody to ask", "add --yes")
    pages = sum("/worklog/" in path or "/evaluations/" in path for path in preview.files)
    echo(
        f"This would change {pluralize(preview.events, 'event')} and {pluralize(len(preview.files), 'file')}"
        f" ({pluralize(pages, 'page')}) and take away {_memories_text(preview)}, and cannot be undone."
    )
    return confirm("Purge?")


def _echo_purge(call: Invocation, report: PurgeReport) -> int:
    echo(
        f"Purged: {pluralize(report.events, 'event')} changed, {_memories_text(report)} gone,"
        f" {pluralize(len(report.files), 'other file')} changed. The tombstone is in memory/purged.jsonl."
    )
    if report.damaged:
        echo(f"  {pluralize(report.damaged, 'line')} that could not be read held it and went as a whole")
    if report.similar_memories:
        echo(f"  other memories hold the same words and stay: {', '.join(report.similar_memories)}")
    for path in report.index_copies:
        echo(f"  removed {printable(path)}, a copy of the index")
    for path in report.remaining_files:
        echo(f"  ✗ {printable(path)} still holds it: change it by hand")
    for line in (*_unconfirmed_lines(call), *_team_lines(call)):
        echo(f"  {line}")
    echo("  what no purge can reach:")
    for copy in report.unreachable:
        echo(f"    · {printable(copy)}")
    return 1 if report.remaining_files else 0


def _unconfirmed_lines(call: Invocation) -> Iterator[str]:
    """Yield which remotes and machines still have it, as far as this home knows. Nobody is asked."""
    machines = call.vault.exchange.machines
    if not machines.is_used:
        return
    for report in machines.remotes():
        names = [printable(machine.name) for machine in report.machines if machine.unconfirmed]
        others = f", then on {', '.join(names)} when they sync" if names else ""
        yield f"encrypted on the remote {report.name}: gone from there with the next tacit sync{others}"
    yield "tacit sync --status says who has not confirmed yet"


def _team_lines(call: Invocation) -> Iterator[str]:
    """Queue the purge of what was shared with a team, and yield what is still on its server."""
    if not call.vault.home.has_team:
        return
    team = call.vault.exchange.team
    team.queue_purges()
    overview = team.overview()
    for entry in overview.purges if overview else ():
        yield f"on the team's server until the next tacit sync: {entry.memory}"
    for memory in overview.unpurged if overview else ():
        yield f"✗ on the team's server: {memory.id}; {printable(memory.author)} or a curator can purge it there"


def _memories_text(report: PurgeReport) -> str:
    return f"{len(report.memories)} {'memory' if len(report.memories) == 1 else 'memories'}"


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


# tacit redact

_CHUNK_BYTES = 1 << 20


def run_redact(call: Invocation) -> int:
    from collections import Counter

    from tacit.secrets.redact import redact_stream

    call.refuse_args()
    if sys.stdin.isatty():
        raise UsageError("tacit redact reads what is given to it, and nothing was", f"for example: {REDACT.example}")
    counts: Counter[str] = Counter()
    chunks = _decode_chunks(sys.stdin.buffer)
    for chunk in redact_stream(chunks, _make_marker(), lambda secret: counts.update([secret.kind])):
        sys.stdout.buffer.write(chunk.encode("utf-8", "surrogateescape"))
    sys.stdout.buffer.flush()
    if call.flag("--count"):
        for kind, count in sorted(counts.items()):
            warn(f"{count} {kind}")
        warn(f"{counts.total()} in all")
    return 0


def _decode_chunks(source: BinaryIO) -> Iterator[str]:
    """Yield the text in chunks. Bytes that are no UTF-8 come out as they went in."""
    from codecs import getincrementaldecoder

    decoder = getincrementaldecoder("utf-8")("surrogateescape")
    while block := source.read(_CHUNK_BYTES):
        yield decoder.decode(block)
    yield decoder.decode(b"", final=True)


def _make_marker() -> Callable[[str], str]:
    """Return a function from a secret to its mark. Equal secrets get equal marks in one run.

    The key is not stored, so that no secret can be guessed from its mark.
    """
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
