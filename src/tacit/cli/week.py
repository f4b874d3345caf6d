"""`tacit week`: what the last days brought. Each line ends with the command that shows more of it."""

from __future__ import annotations

from collections.abc import Iterator

from tacit.cli.cards import reference_json
from tacit.cli.commands import JSON_OPTION, Invocation, Option, command
from tacit.cli.output import JsonObject, bold, cyan, echo, echo_wrapped, pluralize
from tacit.model.event import timestamp
from tacit.text.display import clip, printable
from tacit.vault.week import Highlight, WeekDigest

_MAX_SENTENCE_CHARS = 70


@command(
    "",
    "tacit week --since 30d",
    Option("--since", "TIME", "since when, for example 30d or 2026-11-15 (default: 7d)"),
    JSON_OPTION,
)
def run_week(call: Invocation) -> None:
    """What the last seven days brought, in about ten lines: what was learned, what agents followed and violated, what
    your guards stopped, what was forgotten, what waits for you, and what agents were told at what cost. Each line ends
    with what to type to see more. A line without anything to tell is left out. Nothing prints this by itself.
    """
    since = call.value("--since")
    digest = call.vault.digests.digest(since)
    if call.shows_json(lambda: _digest_json(digest)):
        return
    if digest.is_empty:
        echo(f"Since {digest.since:%Y-%m-%d} nothing was learned, told or forgotten, and nothing waits for you.")
        return
    echo(f"Since {digest.since:%A, %Y-%m-%d %H:%M}")
    for title, text, more in _digest_lines(digest, since or "7d"):
        echo_wrapped(f"{bold(f'{title:9}')} {text}: {cyan(more)}")


def _digest_lines(digest: WeekDigest, since: str) -> Iterator[tuple[str, str, str]]:
    """Yield a title, what there is to tell, and the command that shows more."""
    from shlex import quote

    now, told = digest.status, digest.told
    if digest.learned.number:
        yield (
            "Learned",
            _named(digest.learned, "memory", "memories", "the latest"),
            (f"tacit list --scope all --since {quote(since)}"),
        )
    for title, highlight, more in (
        ("Followed", digest.followed, "tacit why {}"),
        ("Violated", digest.violated, "tacit why {}"),
        ("Stopped", digest.stopped, "tacit guard list"),
    ):
        if highlight.number:
            yield title, _named(highlight, "session", "sessions", "most often"), more.format(highlight.short)
    if digest.forgotten.number:
        yield "Forgotten", _named(digest.forgotten, "memory", "memories", "the latest"), "tacit list --forgotten"
    new = f" ({digest.new_pending:,} new)" if digest.new_pending else ""
    asked = now.ineffective + now.idle + now.outdated
    doubted = f"{pluralize(asked, 'memory', 'memories')} not followed, of no use or outdated"
    if waiting := [f"{pluralize(now.pending, 'candidate')}{new}"] * bool(now.pending) + [doubted] * bool(asked):
        yield "Waiting", ", ".join(waiting), "tacit review"
    if now.undecided:
        yield "Conflicts", f"{pluralize(now.undecided, 'memory', 'memories')} for you to decide on", "tacit conflicts"
    if now.untrusted:
        yield "Trust", f"{pluralize(now.untrusted, 'fact')} of this repository, told to no agent yet", "tacit trust"
    if now.team and now.team.proposals:
        yield "Team", pluralize(now.team.proposals, "proposal"), "tacit team review"
    if told.injected:
        yield "Told", f"{pluralize(told.injected, 'time')}, {told.tokens:,} tokens", "tacit injected"
    if digest.judge_tokens:
        yield "Judge", f"{digest.judge_tokens:,} tokens today", "tacit learn"


def _named(highlight: Highlight, noun: str, plural: str, which: str) -> str:
    number = pluralize(highlight.number, noun, plural)
    if highlight.memory is None:
        return number
    sentence = printable(clip(highlight.memory.sentence, _MAX_SENTENCE_CHARS))
    return f"{number}, {which} “{sentence}”" if highlight.number > 1 else f"{number}: “{sentence}”"


def _digest_json(digest: WeekDigest) -> JsonObject:
    now, told = digest.status, digest.told
    names = ("learned", "followed", "violated", "stopped", "forgotten")
    highlights = ((name, getattr(digest, name)) for name in names)
    return {
        "since": timestamp(digest.since),
        "highlights": [
            {**reference_json(highlight.memory), "what": name, "count": highlight.number}
            for name, highlight in highlights
            if highlight.memory
        ],
        "learned_count": digest.learned.number,
        "followed_count": told.followed,
        "violated_count": told.violated,
        "stopped_count": told.stopped,
        "forgotten_count": digest.forgotten.number,
        "pending": now.pending,
        "new_count": digest.new_pending,
        "ineffective_count": now.ineffective,
        "idle_count": now.idle,
        "outdated_count": now.outdated,
        "undecided": now.undecided,
        "untrusted": now.untrusted,
        "proposal_count": now.team.proposals if now.team else 0,
        "injected_count": told.injected,
        "tokens": told.tokens,
        "judge_tokens": digest.judge_tokens,
    }
