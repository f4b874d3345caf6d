"""`tacit sync` and `tacit trust`: hand edits of pages, then remotes; and facts that a repository brought."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import groupby

from tacit.cli.commands import JSON_OPTION, Command, Invocation, Option
from tacit.cli.json_output import JsonObject
from tacit.cli.output import ask, confirm, echo, echo_json, pluralize
from tacit.cli.show import reporting_conflicts
from tacit.errors import UsageError
from tacit.home.repository import RepositoryFacts
from tacit.model.claim import Status
from tacit.model.hand_edits import AddedLine, ChangedLine, IgnoredLine, RedrawnLine, RemovedLine
from tacit.model.memory import Memory
from tacit.model.trust import FactFileLine
from tacit.pages.facts import parse_fact
from tacit.pages.merge import Side
from tacit.sync import SyncResult, UnreadEdit
from tacit.text.display import clip, printable

# tacit sync

_MAX_EDIT_CHARS = 200


def run_sync(call: Invocation) -> int:
    from tacit.cli.remote import show_status, sync_remotes

    call.refuse_args()
    if call.flag("--status"):
        return show_status(call)
    if call.flag("--json"):
        raise UsageError("--json goes with --status", "tacit sync --status --json")
    with reporting_conflicts(call.vault):
        code = _sync_pages(call)
        if not call.flag("--no-remotes"):
            code = sync_remotes(call) or code
            code = code if call.value("--only") else _sync_team(call) or code
    return code


def _sync_team(call: Invocation) -> int:
    if not call.vault.home.has_team:
        return 0
    from tacit.cli.team import sync_team

    return sync_team(call)


def _sync_pages(call: Invocation) -> int:
    vault = call.vault
    _resolve_conflicts(call)
    unread = vault.hand_edits.unread_edits()
    for page, edits in groupby(unread, key=lambda item: item.page.name):
        echo(printable(page))
        for item in edits:
            echo(f"  {_edit_line(item)}")
    if not any(not isinstance(item.edit, IgnoredLine) for item in unread):
        echo("No unread edits." if not unread else "Nothing here that Tacit could take in; it stays as it is.")
        return 0
    if call.flag("--yes") or (sys.stdin.isatty() and vault.home.is_person and _confirm_edits(unread)):
        return _echo_synced(vault.hand_edits.sync(unread, vouched=True))
    return _echo_unvouched(vault.hand_edits.sync(unread, vouched=False))


def _resolve_conflicts(call: Invocation) -> None:
    """Show the conflicts that a merge left in the project's fact file, and write what the person chooses."""
    keep = call.value("--keep")
    if keep is not None and keep not in [side.value for side in Side]:
        raise UsageError(f"--keep takes ours, theirs or both, not {keep!r}", "tacit sync --keep both")
    file = call.vault.hand_edits.conflicted_file()
    if file is None:
        if keep:
            echo("No conflicts of a merge.")
        return
    if not file.conflicts and not keep:
        echo(f"{printable(file.name)}: a conflict marker that belongs to nothing; remove it: tacit sync --keep both")
        return
    echo(f"{printable(file.name)}: {pluralize(len(file.conflicts), 'conflict')} of a merge")
    may_ask = keep is None and sys.stdin.isatty() and call.vault.home.is_person
    choices: list[Side | None] = []
    for conflict in file.conflicts:
        for name, side in (("ours", conflict.ours), ("theirs", conflict.theirs)):
            echo(f"  {name + ':':7} {'; '.join(map(_sentence, side)) or 'no such fact'}")
        choices.append(_ask_side() if may_ask else Side(keep) if keep else None)
    resolved = sum(choice is not None for choice in choices)
    if resolved or (keep and not choices):
        call.vault.hand_edits.resolve(file, choices)
        echo(f"Resolved {resolved} of {len(choices)}. Next: git add {printable(file.name)}")
    if resolved < len(choices):
        echo("  until you choose, Tacit reads both sides and writes nothing there: tacit sync --keep ours|theirs|both")


def _ask_side() -> Side | None:
    """Return the side to keep; None if the person leaves the conflict as it is."""
    sides = {side.value[0]: side for side in Side}
    while True:
        try:
            answer = ask("  Keep [o]urs, [t]heirs or [b]oth? Enter leaves it: ").strip().lower()
        except EOFError:
            return None
        if not answer or answer[0] in sides:
            return sides[answer[0]] if answer else None


def _sentence(line: str) -> str:
    """Return what a line of a fact file states; the line itself if it is no fact."""
    fields = parse_fact(line) or {}
    sentence = fields.get("canonical")
    return _clipped(sentence if isinstance(sentence, str) else line)


def _confirm_edits(unread: Sequence[UnreadEdit]) -> bool:
    count = sum(not isinstance(item.edit, IgnoredLine) for item in unread)
    return confirm(f"Take in {pluralize(count, 'edit')} as yours?")


def _echo_synced(result: SyncResult) -> int:
    echo(f"Took in {pluralize(result.judgements, 'judgement')}. tacit undo takes them back together.")
    for item in result.skipped:
        assert isinstance(item.edit, IgnoredLine)
        page, line, reason = printable(item.page.name), _clipped(item.edit.line), printable(item.edit.reason)
        echo(f"  left as it is in {page}: {line} ({reason})")
    return 0


def _echo_unvouched(result: SyncResult) -> int:
    echo("Nobody vouched for these edits: the pages stay as they are, and what is new in them is a candidate.")
    echo(
        f"  {pluralize(result.candidates, 'new candidate')}: tacit review   "
        "to take the edits in as yours: tacit sync --yes"
    )
    return 0


def _edit_line(item: UnreadEdit) -> str:
    """Return an edit in one line: what it does, and to what."""
    match item.edit:
        case AddedLine(text=text, is_active=holds):
            return f"+ {'add' if holds else 'note'}: {_clipped(text)}"
        case RemovedLine() | ChangedLine():
            return _memory_edit_line(item.edit, item.memory)
        case IgnoredLine(line=line, reason=why):
            return f"· stays: {_clipped(line)} ({printable(why)})"
        case RedrawnLine(line=line, reason=why):
            return f"· redraw: {_clipped(line)} ({printable(why)})"


def _memory_edit_line(edit: RemovedLine | ChangedLine, memory: Memory | None) -> str:
    before = _clipped(memory.claim.sentence) if memory else ""
    if isinstance(edit, RemovedLine) or edit.status is Status.RETIRED:
        verb = "dismiss" if memory and memory.status is Status.PENDING else "forget"
        by_commit = " (a commit took it out)" if isinstance(edit, RemovedLine) and edit.is_committed else ""
        return f"- {verb}: {before}{by_commit}"
    if edit.text is not None:
        return f"~ reword: {before}\n        as: {_clipped(edit.text)}"
    if edit.status is Status.ACTIVE:
        return f"~ accept: {before}"
    return f"~ make it a {edit.kind.label}: {before}" if edit.kind else f"~ note on: {before}"


def _clipped(text: str) -> str:
    return printable(clip(text, _MAX_EDIT_CHARS))


SYNC = Command(
    name="sync",
    usage="",
    help=(
        "Read what you changed by hand in memory/long-term.md, in memory/memories.ndjson and, of the lines Tacit\n"
        "wrote, in this repository's docs/memory/memories.ndjson. Reworded, moved, deleted and new lines become your\n"
        "judgements once you say yes. Without a terminal and without --yes, new words become candidates and nothing\n"
        "else changes. What others wrote into the repository's file is shown by tacit trust. A line that is missing\n"
        "there is a deletion only if the last commit or one before had it, or Tacit wrote it since: another branch, a\n"
        "stash or a rebase forgets nothing.\n"
        "\n"
        "If a git merge left conflicts in the repository's file, both sides are shown, and you choose.\n"
        "\n"
        "Then exchange what is new with your other machines, if you have remotes (tacit remote), and say for each\n"
        "machine what came and what is missing. A remote that cannot be reached stops nothing else.\n"
        "\n"
        "Then, if you joined a team (tacit team): send what you shared or decided, and fetch what curators accepted.\n"
        "A server that cannot be reached stops nothing else; what waits is sent the next time."
    ),
    example="tacit sync",
    run=run_sync,
    options=(
        Option("--yes", help="take the edits in without being asked"),
        Option("--keep", "SIDE", "resolve conflicts of a merge: ours, theirs or both"),
        Option("--status", help="change nothing: say what waits, who was seen when, and which purges are unconfirmed"),
        Option("--only", "NAME", "sync with this remote only"),
        Option("--no-remotes", help="read the pages only; no remote and no team is asked"),
        JSON_OPTION,
    ),
)


# tacit trust

_MAX_FACT_CHARS = 300


def run_trust(call: Invocation) -> int:
    call.refuse_args()
    chosen = [flag for flag in ("--show", "--yes", "--revoke") if call.flag(flag)]
    if len(chosen) > 1:
        raise UsageError(f"{chosen[0]} and {chosen[1]} do not go together", "tacit trust --show")
    if call.flag("--revoke"):
        count = call.vault.repository.distrust()
        echo(f"No longer trusted: {pluralize(count, 'line')} count as not said. tacit undo takes that back.")
        return 0
    return _review_repository(call)


def _review_repository(call: Invocation) -> int:
    repository = call.vault.repository.inspect()
    if call.flag("--json"):
        echo_json(_repository_json(repository))
        return 0
    for line in _repository_lines(repository):
        echo(line)
    if not repository.waiting or call.flag("--show"):
        return 0
    if call.flag("--yes"):
        return _trust_repository(call, repository)
    if not sys.stdin.isatty():
        echo("Nothing was accepted. To accept what is shown: tacit trust --yes")
        return 0
    if confirm(f"Accept {pluralize(len(repository.waiting), 'fact')} as if you had said so?"):
        return _trust_repository(call, repository)
    echo("Nothing was accepted.")
    return 0


def _trust_repository(call: Invocation, repository: RepositoryFacts) -> int:
    with reporting_conflicts(call.vault):
        memories = call.vault.repository.trust(repository)
        echo(f"Accepted {pluralize(len(memories), 'fact')}. Lines that change or come later wait for you again.")
        echo("  take back: tacit trust --revoke")
    if repository.accepted is None:
        from tacit.cli.setup import register_with_first_fact

        register_with_first_fact(call, is_tracked=False)
    return 0


def _repository_lines(repository: RepositoryFacts) -> Iterator[str]:
    yield printable(repository.path)
    if accepted := repository.accepted:
        yield f"  accepted {pluralize(len(accepted.trusted.lines), 'line')}, last on {accepted.event.day.isoformat()}"
    if repository.trust_ended:
        yield f"  the trust in it ended on {printable(repository.trust_ended)}"
    if repository.known_count:
        yield f"  {pluralize(repository.known_count, 'line')} said what you know or have decided on already"
    for line in repository.invalid:
        yield f"! line {line.number}: {printable(line.problem)}"
    for line in repository.waiting:
        yield _fact_line(line)
    if not repository.waiting:
        yield "Nothing waits to be accepted."
    elif not repository.accepted:
        yield "Until you accept them, none of these is recalled, briefed or counted."


def _fact_line(line: FactFileLine) -> str:
    assert line.claim is not None
    tags = f"  [{', '.join(map(printable, line.claim.tags))}]" if line.claim.tags else ""
    strength = f", strength {line.strength}" if line.strength > 1 else ""
    sentence = printable(clip(line.claim.sentence, _MAX_FACT_CHARS))
    return f"+ line {line.number} ({line.claim.kind.label}{strength}): {sentence}{tags}"


def _repository_json(repository: RepositoryFacts) -> JsonObject:
    accepted = repository.accepted
    return {
        "path": repository.path,
        "accepted_count": len(accepted.trusted.lines) if accepted else 0,
        "waiting": [
            {
                "line": line.number,
                "kind": line.claim.kind.label,
                "text": line.claim.sentence,
                "strength": line.strength,
                "tags": list(line.claim.tags),
            }
            for line in repository.waiting
            if line.claim
        ],
        "unfit": [{"line": line.number, "problem": line.problem} for line in repository.invalid],
    }


TRUST = Command(
    name="trust",
    usage="",
    help=(
        "See the facts that a cloned repository brought in docs/memory/memories.ndjson, and accept them or not.\n"
        "Nothing in that file is believed before. Lines that come later wait again, and so do lines that change: what\n"
        "you accepted holds as you read it, on every branch. Without a terminal nothing is asked."
    ),
    example="tacit trust --show",
    run=run_trust,
    options=(
        Option("--show", help="only look"),
        Option("--yes", help="accept what waits without being asked"),
        Option("--revoke", help="take the trust back: what came in by it counts as not said"),
        JSON_OPTION,
    ),
)
