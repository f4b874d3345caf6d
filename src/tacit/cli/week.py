"""`tacit week`: what the last days brought. Each line ends with the command that shows more of it."""

from __future__ import annotations

from tacit.cli.cards import reference_json
from tacit.cli.commands import JSON_OPTION, Invocation, Option, command
from tacit.cli.output import JsonObject, bold, cyan, echo, echo_wrapped
from tacit.model.event import timestamp
from tacit.text.display import printable
from tacit.vault.week import WeekDigest, digest_lines


@command(
    "",
    "tacit week --since 30d",
    Option("--since", "TIME", "since when, for example 30d or 2026-11-15 (default: 7d)"),
    JSON_OPTION,
)
def run_week(call: Invocation) -> None:
    """What the last seven days brought, in about ten lines: what was learned, how often you did not have to repeat a
    correction, how often agents followed and violated what they were told, what your guards stopped, what was
    forgotten, what waits for you, what was of no use, and what telling it cost. A memory counts once a session. Each
    line ends with what to type to see more: the sessions that it counts. A line without anything to tell is left out.
    Nothing prints this by itself.
    """
    since = call.value("--since")
    digest = call.vault.digests.digest(since)
    if call.shows_json(lambda: _digest_json(digest)):
        return
    if digest.is_empty:
        echo(f"Since {digest.since:%Y-%m-%d} nothing was learned, told or forgotten, and nothing waits for you.")
        return
    echo(f"Since {digest.since:%A, %Y-%m-%d %H:%M}")
    for line in digest_lines(digest, since or "7d"):
        echo_wrapped(f"{bold(f'{line.title:9}')} {printable(line.text)}: {cyan(line.command)}")


def _digest_json(digest: WeekDigest) -> JsonObject:
    now, recent = digest.status, digest.recent
    names = ("learned", "followed", "violated", "stopped", "tried", "forgotten")
    highlights = ((name, getattr(digest, name)) for name in names)
    return {
        "since": timestamp(digest.since),
        "highlights": [
            {**reference_json(highlight.memory), "what": name, "count": highlight.number}
            for name, highlight in highlights
            if highlight.memory
        ],
        "learned_count": digest.learned.number,
        "followed_count": recent.followed,
        "violated_count": recent.violated,
        "stopped_count": recent.stopped,
        "spared_count": digest.spared,
        "forgotten_count": digest.forgotten.number,
        "tried_count": digest.tried.number,
        "pending": now.pending,
        "new_count": digest.new_pending,
        "ineffective_count": now.ineffective,
        "idle_count": now.idle,
        "outdated_count": now.outdated,
        "verdict_count": now.verdicts,
        "undecided": now.undecided,
        "untrusted": now.untrusted,
        "proposal_count": digest.proposals,
        "injected_count": recent.injected,
        "tokens": recent.tokens,
        "judge_tokens": digest.judge_tokens,
    }
