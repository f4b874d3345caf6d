"""`tacit sync` and `trust`: hand edits of pages, what others send, and facts that a repository brought."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import groupby

from tacit.cli.commands import JSON_OPTION, Invocation, Option, command
from tacit.cli.output import JsonObject, ask, confirm, echo, echo_lines, pluralize
from tacit.cli.remotes import (
    exchange_with_remotes,
    exit_code_of,
    problem_lines,
    remote_json,
    show_status,
    sync_remotes,
)
from tacit.cli.show import reporting_conflicts
from tacit.errors import UsageError
from tacit.home.repository import RepositoryFacts
from tacit.install.timer import INTERVALS
from tacit.model.claim import Status
from tacit.model.hand_edits import AddedLine, ChangedLine, IgnoredLine, RedrawnLine, RemovedLine
from tacit.pages.facts import parse_fact
from tacit.pages.merge import Side
from tacit.record import Record
from tacit.remotes.manifests import RemoteReport
from tacit.sync import SyncResult, UnreadEdit
from tacit.text.display import clip, printable

TYPE_CHECKING = False

if TYPE_CHECKING:
    from tacit.team.exchange import TeamSyncResult

_MAX_EDIT_CHARS = 200


@command(
    "",
    "tacit sync",
    Option("--yes", help="do not ask: take the edits in; with --timer, make the changes"),
    Option("--keep", "SIDE", "resolve conflicts of a merge: ours, theirs or both"),
    Option("--status", help="change nothing: say what waits, who was seen when, and which purges are unconfirmed"),
    Option("--only", "NAME", "sync with this remote only"),
    Option("--no-remotes", help="read the pages only; no remote and no team is asked"),
    Option("--unattended", help="for timers: ask nothing, leave hand edits alone, print only what needs you"),
    Option(
        "--timer",
        "STATE",
        "on, off or show: a timer that syncs without you; off unless you say so",
        choices=("on", "off", "show"),
    ),
    Option("--every", "TIME", f"with --timer on: {', '.join(INTERVALS)}; every hour without it", choices=(*INTERVALS,)),
    JSON_OPTION,
)
def run_sync(call: Invocation) -> int:
    """Read what you changed by hand in memory/long-term.md, in memory/memories.ndjson and, of the lines Tacit
    wrote, in this repository's docs/memory/memories.ndjson. Reworded, moved, deleted and new lines become your
    judgements once you say yes. Without a terminal and without --yes, new words become candidates and nothing
    else changes. What others wrote into the repository's file is shown by tacit trust. A line that is missing
    there is a deletion only if the last commit or one before had it, or Tacit wrote it since: another branch, a
    stash or a rebase forgets nothing.

    If a git merge left conflicts in the repository's file, both sides are shown, and you choose.

    Then exchange what is new with your other machines, if you have remotes (tacit remote), and say for each
    machine what came and what is missing. A remote that cannot be reached stops nothing else.

    Then, if you joined a team (tacit team): send what you shared or decided, and fetch what curators accepted.
    A server that cannot be reached stops nothing else; what waits is sent the next time.

    --json asks nothing and prints one document of all that was done. --unattended is for timers: it leaves hand
    edits alone, does nothing while another sync runs, and prints nothing if nothing needs you. --timer on lets
    systemd, launchd or cron run that for you; it shows what it writes and asks before. --timer off takes it out
    again byte for byte.

    The exit code is 0 if all of it was done, 1 if a remote or a server was not reached or refused something, 2 if
    the command is wrong, 3 to 5 if the home cannot be used or another process keeps it.
    """
    if call.flag("--status"):
        return show_status(call)
    call.require_with(["--every"], "--timer", "tacit sync --timer on --every 3h")
    if call.flag("--timer"):
        from tacit.cli.timer import run_timer

        return run_timer(call)
    if call.flag("--unattended") or call.flag("--json"):
        return _sync_silently(call)
    code = 0
    with reporting_conflicts(call.vault):
        _resolve_conflicts(call)
        _sync_pages(call)
        if not call.flag("--no-remotes"):
            code = sync_remotes(call)
            if not call.value("--only") and call.vault.home.has_team:
                from tacit.cli.team import sync_team

                code = sync_team(call) or code
    return code


def _sync_silently(call: Invocation) -> int:
    """Sync without a question. Then print JSON, or only what needs the person. Return the exit code."""
    is_unattended = call.flag("--unattended")
    call.only_one(("--unattended", "--yes"), "tacit sync --yes takes hand edits in; a timer leaves them alone")
    call.only_one(("--unattended", "--keep"), "tacit sync --keep both resolves conflicts; a timer leaves them alone")
    pages = None if is_unattended else _take_edits(call)
    remotes, team = exchange_with_remotes(call, wait=not is_unattended), None
    if remotes is None:  # another sync does the work
        remotes = []
    elif not call.flag("--no-remotes") and not call.value("--only") and call.vault.home.has_team:
        from tacit.cli.team import exchange_with_team

        team = exchange_with_team(call)
    if call.vault.home.store.needs_follower:
        call.vault.home.store.follow()  # here and now: whoever waits for this process waits for all that it does
    if not call.shows_json(lambda: _sync_json(call, pages, remotes, team)):
        echo_lines(problem_lines(remotes))
        if team:
            from tacit.cli.team import team_problem_lines

            echo_lines(team_problem_lines(team))
    return exit_code_of(remotes) or (0 if team is None or team.is_complete else 1)


class PageSync(Record):
    """What became of hand edits: how many were found, and what was recorded. `conflicts` of a merge are left."""

    edits: int
    result: SyncResult
    conflicts: int


def _take_edits(call: Invocation) -> PageSync:
    """Take hand edits in without a question: as the person's with --yes, else as candidates."""
    hand_edits, keep = call.vault.hand_edits, _side_to_keep(call)
    file = hand_edits.conflicted_file()
    if file and keep:
        hand_edits.resolve(file, [keep] * len(file.conflicts))
        file = hand_edits.conflicted_file()
    unread = hand_edits.unread_edits()
    count = sum(not isinstance(item.edit, IgnoredLine) for item in unread)
    result = hand_edits.sync(unread, vouched=call.flag("--yes")) if count else SyncResult(0, 0, tuple(unread))
    return PageSync(count, result, max(len(file.conflicts), 1) if file else 0)


def _sync_json(
    call: Invocation, pages: PageSync | None, remotes: Sequence[RemoteReport], team: TeamSyncResult | None
) -> JsonObject:
    from tacit.cli.team import team_sync_json

    return {
        "pages": pages
        and {
            "edit_count": pages.edits,
            "accepted_count": pages.result.judgements,
            "suggestion_count": pages.result.candidates,
            "skipped": [
                {"path": item.page.name, "text": item.edit.line, "reason": item.edit.reason}
                for item in pages.result.skipped
                if isinstance(item.edit, IgnoredLine)
            ],
            "fact_conflicts": pages.conflicts,
        },
        "remotes": [remote_json(report) for report in remotes],
        "team_sync": team and team_sync_json(call, team),
    }


def _sync_pages(call: Invocation) -> None:
    """Show the hand edits of pages, and take them in: as the person's if they vouch for them, else as candidates."""
    vault = call.vault
    unread = vault.hand_edits.unread_edits()
    for page, edits in groupby(unread, key=lambda item: item.page.name):
        echo(printable(page))
        for item in edits:
            echo(f"  {_edit_line(item)}")
    count = sum(not isinstance(item.edit, IgnoredLine) for item in unread)
    if not count:
        echo("No unread edits." if not unread else "Nothing here that Tacit could take in; it stays as it is.")
        return
    may_ask, question = sys.stdin.isatty() and vault.home.is_person, f"Take in {pluralize(count, 'edit')} as yours?"
    if not call.flag("--yes") and not (may_ask and confirm(question)):
        candidates = pluralize(vault.hand_edits.sync(unread, vouched=False).candidates, "new candidate")
        echo("Nobody vouched for these edits: the pages stay as they are, and what is new in them is a candidate.")
        echo(f"  {candidates}: tacit review   to take the edits in as yours: tacit sync --yes")
        return
    result = vault.hand_edits.sync(unread, vouched=True)
    echo(f"Took in {pluralize(result.judgements, 'judgement')}. tacit undo takes them back together.")
    for item in result.skipped:
        assert isinstance(item.edit, IgnoredLine)
        page, line, reason = printable(item.page.name), _clipped(item.edit.line), printable(item.edit.reason)
        echo(f"  left as it is in {page}: {line} ({reason})")


def _resolve_conflicts(call: Invocation) -> None:
    """Show the conflicts that a merge left in the project's fact file, and write what the person chooses."""
    keep = _side_to_keep(call)
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
        choices.append(_ask_side() if may_ask else keep)
    resolved = sum(choice is not None for choice in choices)
    if resolved or (keep and not choices):
        call.vault.hand_edits.resolve(file, choices)
        echo(f"Resolved {resolved} of {len(choices)}. Next: git add {printable(file.name)}")
    if resolved < len(choices):
        echo("  until you choose, Tacit reads both sides and writes nothing there: tacit sync --keep ours|theirs|both")


def _side_to_keep(call: Invocation) -> Side | None:
    """Return the side that --keep names. Raise UsageError if it names none."""
    keep = call.value("--keep")
    if keep is not None and keep not in [side.value for side in Side]:
        raise UsageError(f"--keep takes ours, theirs or both, not {keep!r}", "tacit sync --keep both")
    return Side(keep) if keep else None


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
    sentence = (parse_fact(line) or {}).get("canonical")
    return _clipped(sentence if isinstance(sentence, str) else line)


def _edit_line(item: UnreadEdit) -> str:
    """Return an edit in one line: what it does, and to what."""
    memory = item.memory
    before = _clipped(memory.claim.sentence) if memory else ""
    match item.edit:
        case AddedLine(text=added, is_active=holds):
            line = f"+ {'add' if holds else 'note'}: {_clipped(added)}"
        case RemovedLine() | ChangedLine(status=Status.RETIRED):
            verb = "dismiss" if memory and memory.status is Status.PENDING else "forget"
            is_committed = isinstance(item.edit, RemovedLine) and item.edit.is_committed
            line = f"- {verb}: {before}{' (a commit took it out)' if is_committed else ''}"
        case ChangedLine(text=str(text)):
            line = f"~ reword: {before}\n        as: {_clipped(text)}"
        case ChangedLine(status=Status.ACTIVE):
            line = f"~ accept: {before}"
        case ChangedLine(kind=kind):
            line = f"~ make it a {kind.label}: {before}" if kind else f"~ note on: {before}"
        case IgnoredLine(line=same, reason=why):
            line = f"· stays: {_clipped(same)} ({printable(why)})"
        case RedrawnLine(line=drawn, reason=why):
            line = f"· redraw: {_clipped(drawn)} ({printable(why)})"
    return line


def _clipped(text: str) -> str:
    return printable(clip(text, _MAX_EDIT_CHARS))


_MAX_FACT_CHARS = 300


@command(
    "",
    "tacit trust --show",
    Option("--show", help="only look"),
    Option("--yes", help="accept what waits without being asked"),
    Option("--revoke", help="take the trust back: what came in by it counts as not said"),
    JSON_OPTION,
)
def run_trust(call: Invocation) -> None:
    """See the facts that a cloned repository brought in docs/memory/memories.ndjson, and accept them or not.
    Nothing in that file is believed before. Lines that come later wait again, and so do lines that change: what
    you accepted holds as you read it, on every branch. Without a terminal nothing is asked.
    """
    call.only_one(("--show", "--yes", "--revoke"), "tacit trust --show")
    if call.flag("--revoke"):
        count = call.vault.repository.distrust()
        echo(f"No longer trusted: {pluralize(count, 'line')} count as not said. tacit undo takes that back.")
        return
    repository = call.vault.repository.inspect()
    if call.shows_json(lambda: repository_json(repository)):
        return
    echo_lines(_repository_lines(repository))
    if not repository.waiting or call.flag("--show"):
        return
    question = f"Accept {pluralize(len(repository.waiting), 'fact')} as if you had said so?"
    if not (call.flag("--yes") or sys.stdin.isatty()):
        echo("Nothing was accepted. To accept what is shown: tacit trust --yes")
        return
    if not (call.flag("--yes") or confirm(question)):
        echo("Nothing was accepted.")
        return
    with reporting_conflicts(call.vault):
        memories = call.vault.repository.trust(repository)
        echo(f"Accepted {pluralize(len(memories), 'fact')}. Lines that change or come later wait for you again.")
        echo("  take back: tacit trust --revoke")
    if repository.accepted is None:
        from tacit.cli.setup import register_with_first_fact

        register_with_first_fact(call, is_tracked=False)


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
        assert line.claim is not None
        tags = f"  [{', '.join(map(printable, line.claim.tags))}]" if line.claim.tags else ""
        strength = f", strength {line.strength}" if line.strength > 1 else ""
        sentence = printable(clip(line.claim.sentence, _MAX_FACT_CHARS))
        yield f"+ line {line.number} ({line.claim.kind.label}{strength}): {sentence}{tags}"
    if not repository.waiting:
        yield "Nothing waits to be accepted."
    elif not repository.accepted:
        yield "Until you accept them, none of these is recalled, briefed or counted."


def repository_json(repository: RepositoryFacts) -> JsonObject:
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
