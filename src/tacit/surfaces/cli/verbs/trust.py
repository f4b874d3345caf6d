"""tacit trust."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from tacit.core.errors import WrongUse
from tacit.core.text import clip, show
from tacit.core.trust import Brought
from tacit.surfaces.cli.asking import agreed
from tacit.surfaces.cli.command import JSON, Call, Command, Option
from tacit.surfaces.cli.forms import Form
from tacit.surfaces.cli.words import counted, say, say_json
from tacit.vault.repository.brought import Repository

_SHOWN = 300


def run(call: Call) -> int:
    call.no_words()
    chosen = [flag for flag in ("--show", "--yes", "--revoke") if call.flag(flag)]
    if len(chosen) > 1:
        raise WrongUse(f"{chosen[0]} and {chosen[1]} do not go together", "tacit trust --show")
    if call.flag("--revoke"):
        count = call.vault.repository.distrust()
        say(f"No longer trusted: {counted(count, 'line')} count as not said. tacit undo takes that back.")
        return 0
    return _look(call)


def _look(call: Call) -> int:
    repository = call.vault.repository.repository()
    if call.flag("--json"):
        say_json(_form(repository))
        return 0
    for line in _described(repository):
        say(line)
    if not repository.waiting or call.flag("--show"):
        return 0
    if call.flag("--yes"):
        return _accept(call, repository)
    if not sys.stdin.isatty():
        say("Nothing was accepted. To accept what is shown: tacit trust --yes")
        return 0
    if agreed(f"Accept {counted(len(repository.waiting), 'fact')} as if you had said so?"):
        return _accept(call, repository)
    say("Nothing was accepted.")
    return 0


def _accept(call: Call, repository: Repository) -> int:
    memories = call.vault.repository.trust(repository)
    say(f"Accepted {counted(len(memories), 'fact')}. If a line of the file changes, all of them wait again.")
    say("  take back: tacit trust --revoke")
    return 0


def _described(repository: Repository) -> Iterator[str]:
    yield show(repository.path)
    if one := repository.accepted:
        yield f"  accepted {counted(len(one.trusted.lines), 'line')}, last on {one.event.day.isoformat()}"
    if repository.ended:
        yield f"  the trust in it ended on {show(repository.ended)}"
    if repository.known:
        yield f"  {counted(repository.known, 'line')} said what you know or have decided on already"
    for line in repository.unfit:
        yield f"! line {line.number}: {show(line.problem)}"
    for line in repository.waiting:
        yield _shown(line)
    if not repository.waiting:
        yield "Nothing waits to be accepted."
    elif not repository.accepted:
        yield "Until you accept them, none of these is recalled, briefed or counted."


def _shown(line: Brought) -> str:
    assert line.claim is not None
    tags = f"  [{', '.join(map(show, line.claim.tags))}]" if line.claim.tags else ""
    return f"+ line {line.number}: {show(clip(line.claim.sentence, _SHOWN))}{tags}"


def _form(repository: Repository) -> Form:
    one = repository.accepted
    return {
        "path": repository.path,
        "accepted_count": len(one.trusted.lines) if one else 0,
        "waiting": [
            {"line": line.number, "text": line.claim.sentence, "tags": list(line.claim.tags)}
            for line in repository.waiting
            if line.claim
        ],
        "unfit": [{"line": line.number, "problem": line.problem} for line in repository.unfit],
    }


COMMAND = Command(
    name="trust",
    words="",
    help=(
        "See the facts that a cloned repository brought in docs/memory/memories.ndjson, and accept them or not.\n"
        "Nothing in that file is believed before. Lines that come later wait again; when an accepted line changes,\n"
        "all of them do. Without a terminal nothing is asked."
    ),
    example="tacit trust --show",
    run=run,
    options=(
        Option("--show", help="only look"),
        Option("--yes", help="accept what waits without being asked"),
        Option("--revoke", help="take the trust back: what came in by it counts as not said"),
        JSON,
    ),
)
