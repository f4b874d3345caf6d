"""`tacit purge` and `tacit redact`: remove texts from a home, and secrets from a text."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from tacit.cli.commands import Invocation, Option, command
from tacit.cli.output import ask_unseen, echo, pluralize, warn
from tacit.errors import UsageError
from tacit.text.display import printable
from tacit.vault.purging import PurgeReport


@command(
    "ID",
    'tacit purge --text "the words that must go" --reason "said by mistake"',
    Option("--text", "TEXT", "a text, wherever and however it is written; - reads it from the standard input"),
    Option("--reason", "TEXT", "why, for the tombstone; not the text itself"),
    Option("--yes", help="do not ask"),
    Option("--again", help="purge once more all that was ever purged: after an interruption, or when it came back"),
)
def run_purge(call: Invocation) -> int:
    """Take a text, or a memory with all its wordings, out of every file of this home: log, index, views, copies,
    quarantine. Not to be undone; a tombstone says when and why, and keeps old copies from bringing it back.
    Lists what it cannot reach. Only a person purges.
    """
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
    purger = call.vault.purger
    if call.flag("--again"):
        return _echo_purge(call, purger.purge_again())
    if len(call.args) > 1 or (call.args and call.flag("--text")):  # neither is repeated in the message
        raise UsageError("tacit purge wants one id, or --text", "tacit purge 7k2m, or tacit purge --text '…'")
    reference, text = (call.args[0] if call.args else None), call.value("--text")
    if text == "-":
        if sys.stdin.isatty():
            text = ask_unseen("The text to purge")
        else:
            text = sys.stdin.buffer.read().decode("utf-8", "replace").removesuffix("\n")
    if not call.flag("--yes"):
        preview = purger.preview(reference, text=text)
        if sys.stdin.isatty():
            pages = sum("/worklog/" in path or "/evaluations/" in path for path in preview.files)
            echo(
                f"This would change {pluralize(preview.events, 'event')} and {pluralize(len(preview.files), 'file')}"
                f" ({pluralize(pages, 'page')}) and take away {_memories_text(preview)}, and cannot be undone."
            )
    if not call.agrees("Purge?", UsageError("purging cannot be undone, and there is nobody to ask", "add --yes")):
        return 1
    return _echo_purge(call, purger.purge(reference, text=text, reason=call.text_value("--reason")))


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
    for line in list(_copy_lines(call)):
        echo(f"  {line}")
    echo("  what no purge can reach:")
    for copy in report.unreachable:
        echo(f"    · {printable(copy)}")
    return 1 if report.remaining_files else 0


def _copy_lines(call: Invocation) -> Iterator[str]:
    """Yield which remotes, machines and servers still have it, as far as this home knows. Nobody is asked.

    The purge of what was shared with a team is queued.
    """
    machines = call.vault.exchange.machines
    if machines.is_used:
        for report in machines.remotes():
            names = [printable(machine.name) for machine in report.machines if machine.unconfirmed]
            others = f", then on {', '.join(names)} when they sync" if names else ""
            yield f"encrypted on the remote {report.name}: gone from there with the next tacit sync{others}"
        yield "tacit sync --status says who has not confirmed yet"
    if call.vault.home.has_team:
        team = call.vault.exchange.team
        team.queue_purges()
        overview = team.overview()
        for entry in overview.purges if overview else ():
            yield f"on the team's server until the next tacit sync: {entry.memory}"
        for memory in overview.unpurged if overview else ():
            yield f"✗ on the team's server: {memory.id}; {printable(memory.author)} or a curator can purge it there"


def _memories_text(report: PurgeReport) -> str:
    return f"{len(report.memories)} {'memory' if len(report.memories) == 1 else 'memories'}"


_CHUNK_BYTES = 1 << 20


@command(
    "",
    "tacit redact < session.log > shareable.log",
    Option("--count", help="say on standard error how many of each kind were hidden"),
)
def run_redact(call: Invocation) -> None:
    """Hide secrets in what is read from standard input: each becomes [redacted:KIND:MARK], everything else is
    written as it was, byte for byte. Equal secrets have equal marks in one run. No home is needed or made.
    A secret longer than 20,000 characters is not found. Known formats are; no list of formats is complete.
    """
    import hmac
    from codecs import iterdecode
    from collections import Counter

    from tacit.secrets.redact import redact_stream

    if sys.stdin.isatty():
        raise UsageError(
            "tacit redact reads what is given to it, and nothing was", f"for example: {call.command.example}"
        )
    key = os.urandom(32)  # it is not stored, so that no secret can be guessed from its mark

    def mark(secret: str) -> str:
        return hmac.digest(key, secret.encode("utf-8", "surrogateescape"), "sha256").hex()[:8]

    counts: Counter[str] = Counter()
    blocks = iter(lambda: sys.stdin.buffer.read(_CHUNK_BYTES), b"")
    chunks = iterdecode(blocks, "utf-8", "surrogateescape")  # bytes that are no UTF-8 come out as they went in
    for chunk in redact_stream(chunks, mark, lambda secret: counts.update([secret.kind])):
        sys.stdout.buffer.write(chunk.encode("utf-8", "surrogateescape"))
    sys.stdout.buffer.flush()
    if call.flag("--count"):
        for kind, count in sorted(counts.items()):
            warn(f"{count} {kind}")
        warn(f"{counts.total()} in all")
