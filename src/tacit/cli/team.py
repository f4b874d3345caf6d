"""`tacit team`: memories that a team shares through a PostgreSQL server. The team's part of `share` and `sync`, too."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from tacit.cli import output
from tacit.cli.cards import reference_json
from tacit.cli.commands import JSON_OPTION, Invocation, Option, Subcommand, command
from tacit.cli.output import JsonObject, ask, ask_choice, bold, confirm, dim, echo, echo_wrapped, pluralize, warn
from tacit.cli.team_admin import (
    add_project_member,
    import_members,
    remove_project_member,
    set_up,
    show_members,
)
from tacit.errors import NotFoundError, UsageError
from tacit.model.claim import project_name
from tacit.team import TeamOverview
from tacit.team.events import Proposal, TeamMemory, TeamStatus, team_scope
from tacit.team.exchange import TakenBack, TeamSyncResult
from tacit.team.store import Outgoing, OutgoingVerb, TeamHome, TeamProject
from tacit.text.display import clip, printable

_SHORT = 6  # letters of an id: the team's ids are not all in the index
_MAX_LISTED = 20  # memories that are listed before joining
_IDS = ("ID…", True, "7k2m9q")  # of a subcommand: its usage, whether it takes more than one, what to type instead
_VERBS = {
    OutgoingVerb.PROPOSED: "proposal",
    OutgoingVerb.WITHDRAWN: "withdrawal",
    OutgoingVerb.ACCEPTED: "acceptance",
    OutgoingVerb.DECLINED: "refusal",
    OutgoingVerb.RETIRED: "retirement",
    OutgoingVerb.PURGE: "purge",
}


# What the home knows


def show_team(call: Invocation) -> None:
    team = call.vault.exchange.team
    if call.flag("--json"):
        team.require()
    overview = team.overview()
    if overview is None:
        echo("This home belongs to no team. To join one: tacit team join postgresql://HOST/DATABASE")
        return
    if call.shows_json(lambda: _overview_json(overview)):
        return
    home, here = overview.home, call.vault.home.store.scope()
    synced = f"last sync {output.local_minute(home.synced_at) if home.synced_at else 'never'}"
    failed = f"; the last try failed: {printable(home.problem)}" if home.problem else ""
    echo(f"{bold('Team')}  {printable(home.server)} as {printable(home.user)}, {synced}{failed}")
    if not home.projects:
        echo("You are a member of no project of this team. To forget the server: tacit team leave")
    for project in [project for project in home.projects if team_scope(project.name) == here] or home.projects:
        _echo_project(home, project)
    if overview.waiting:
        echo(f"\n{pluralize(len(overview.waiting), 'event waits', 'events wait')} to be sent: tacit sync")
    for entry in overview.waiting:
        echo(f"  - {_VERBS[entry.verb]} {_entry_text(entry)}")
    for memory in overview.unpurged:
        who = f"{printable(memory.first_author)} or a curator can purge it there"
        echo_wrapped(f"✗ [{memory.id[:_SHORT]}] was purged here, and the server still has it: {who}")
    if home.offered:
        join = f"tacit team join {printable(home.url)}"
        echo_wrapped(f"You were added to {_names(home.offered)}. To see what would come: {join}")
    if home.unfit:
        echo(dim(f"{pluralize(home.unfit, 'row')} of the server could not be believed and is left out"))


def _echo_project(home: TeamHome, project: TeamProject) -> None:
    echo(f"\n{bold(printable(project.name))}  {'curator' if project.is_curator else 'member'}")
    accepted, waiting = (
        [memory for memory in home.memories.values() if memory.project == project.name and memory.status is status]
        for status in (TeamStatus.ACCEPTED, TeamStatus.WAITING)
    )
    if not accepted:
        echo("  no memories yet; to propose one: tacit share ID")
    for memory in accepted:
        _echo_memory(memory)
    if waiting:
        echo(f"  waiting for a curator{': tacit team review' if project.is_curator else ''}")
    for memory in waiting:
        _echo_memory(memory)


def _echo_memory(memory: TeamMemory) -> None:
    if (shown := memory.shown) is None:
        return
    if memory.acceptance:
        who = f"{memory.acceptance.proposal.author}, accepted by {memory.acceptance.by}"
    else:
        who = "proposed by " + ", ".join(proposal.author for proposal in memory.proposals)
    echo_wrapped(f"  - {output.cyan(f'[{memory.id[:_SHORT]}]')} {printable(shown.claim.sentence)}")
    echo(dim(f"      {shown.claim.kind.label}, {printable(who)}, {shown.at[:10]}"))


def _entry_text(entry: Outgoing) -> str:
    sentence = f" {printable(clip(entry.sentence, 100))}" if entry.sentence else ""
    return f"[{entry.memory[:_SHORT]}]{sentence}"


def _names(names: Sequence[str]) -> str:
    return ", ".join(map(printable, names))


# Joining and leaving


def join_team(call: Invocation, url: str) -> None:
    team = call.vault.exchange.team
    preview = team.preview(url)
    home, accepted = preview.home, preview.accepted
    echo(f"{printable(home.server)} as {printable(home.user)}")
    for project in home.projects:
        echo(f"  {printable(project.name)}  {'curator' if project.is_curator else 'member'}")
    for name in preview.unusable:
        echo(f"  {printable(clip(name, 80))}  left out: no name of a project with a remote")
    if home.projects:
        if accepted:
            memories = pluralize(len(accepted), "memory", "memories")
            echo(f"The team has accepted {memories}, which will hold there for you:")
        for memory in accepted[:_MAX_LISTED]:
            _echo_memory(memory)
        if len(accepted) > _MAX_LISTED:
            echo(f"  … and {len(accepted) - _MAX_LISTED} more")
        echo_wrapped(
            "Joining sends nothing. What a curator accepts later holds here as well, with its author, until you"
            " overrule it; agents are told it. What is yours stays private until you share it by name."
        )
        if not (call.flag("--yes") or sys.stdin.isatty()):
            echo("Nothing was changed. To join: tacit team join URL --yes")
            return
        if not (call.flag("--yes") or confirm("Join?")):
            echo("Nothing was changed.")
            return
    result = team.join(preview, call.vault.purger.erase_claims)
    held = pluralize(len(accepted), "memory of the team holds", "memories of the team hold")
    echo(f"Joined. {held} here: tacit team")
    _echo_changes(call, result)


def leave_team(call: Invocation) -> None:
    team = call.vault.exchange.team
    if waiting := len(team.files.waiting()):
        lost = pluralize(waiting, "event waits to be sent and is lost", "events wait to be sent and are lost")
        if not call.agrees(f"{lost}. Leave?", UsageError(lost, "tacit sync first, or add --yes")):
            return
    removed = team.leave()
    echo(f"Left the team. {pluralize(removed, 'memory', 'memories')} that it accepted went; yours stay.")
    echo("  what you shared stays on the server, under your name")


# Reviewing


def review_proposals(call: Invocation) -> int:
    team = call.vault.exchange.team
    result = team.sync(call.vault.purger.erase_claims)
    proposals = team.proposals()
    if call.shows_json(lambda: [_proposal_json(proposal) for _, proposal in proposals]):
        return 0
    if result.problem:
        warn(f"This is what was known at the last sync: {printable(result.problem)}")
    if not proposals:
        is_curator = any(project.is_curator for project in team.require().projects)
        echo("Nothing waits." if is_curator else "Nothing for you: in none of your projects you are a curator.")
        return 0
    decided = 0
    for at, (memory, proposal) in enumerate(proposals, 1):
        claim, short = proposal.claim, memory.id[:_SHORT]
        where = f"project {printable(project_name(claim.scope))}"
        echo_wrapped(f"── {at} of {len(proposals)} ── {output.cyan(f'[{short}]')} {claim.kind.label}, {where}")
        echo_wrapped(bold(f"   “{printable(claim.sentence)}”"))
        echo_wrapped(f"   proposed by {printable(proposal.author)}, {proposal.at[:10]}")
        if claim.tags:
            echo_wrapped(f"   tags: {printable(', '.join(claim.tags))}")
        evidence = f"evidence: {printable(clip(proposal.evidence, 500))}" if proposal.evidence else ""
        echo_wrapped(f"   {evidence or 'no evidence was shared'}")
        if not sys.stdin.isatty():
            echo(f"   tacit team accept {short}   tacit team decline {short}")
            continue
        answer, reason = ask_choice("a accept for everyone · d decline · s skip · q quit"), ""
        try:
            if answer == "d":
                reason = ask("   why, for the author (Enter to skip) > ").strip()
        except EOFError:
            break
        if answer is None:
            break
        if answer != "s":
            verb = OutgoingVerb.ACCEPTED if answer == "a" else OutgoingVerb.DECLINED
            team.decide_on(verb, memory, proposal, reason)
            decided += 1
    return _send(call, f"{pluralize(decided, 'decision')} queued") if decided else 0


def show_log(call: Invocation) -> None:
    """List who decided what, and who was added or removed by whom."""
    changes = call.vault.exchange.team.changes()
    rows = [
        {
            "at": change.at,
            "actor": change.by,
            "action": change.change,
            "scope": team_scope(change.project),
            "memory": change.memory,
            "member": change.member,
            "reason": change.reason,
        }
        for change in changes
    ]
    if call.shows_json(lambda: rows):
        return
    if not changes:
        echo("Nobody has decided anything yet.")
    for change in changes:
        what = change.member or f"[{change.memory[:_SHORT]}]"
        reason = f": {change.reason}" if change.reason else ""
        when = output.local_minute(change.at)
        echo_wrapped(f"{when}  {change.by} {change.change} {what} in {change.project}{reason}")


def _decide(verb: OutgoingVerb, done: str) -> Callable[..., int]:
    def run(call: Invocation, *references: str) -> int:
        for reference in references:
            proposal = call.vault.exchange.team.decide(verb, reference, call.text_value("--reason"))
            echo_wrapped(f"{done} [{proposal.claim.id[:_SHORT]}]: {printable(proposal.claim.sentence)}")
            echo(f"  proposed by {printable(proposal.author)}")
        return _send(call, f"{pluralize(len(references), 'decision')} queued")

    return run


# Sharing, for `tacit share`


def share_with_team(call: Invocation) -> int | None:
    """Propose memories to the team that has this project, or take proposals back. Return None if neither is meant."""
    vault, team, removes = call.vault, call.vault.exchange.team, call.flag("--remove")
    if call.flag("--withdraw") or (removes and all(team.is_proposed(reference) for reference in call.args)):
        for reference in call.args:
            echo_wrapped(f"Withdrawn from the team: {printable(team.withdraw(reference))}")
        return _send(call, "queued", "the server knows") if team.files.waiting() else 0
    if removes or team.load() is None:
        return None
    if vault.home.store.project is not None and not team.has_project(vault.home.store.scope()):
        return None
    return _propose(call)


def _propose(call: Invocation) -> int:
    """Propose memories to the team, after the person has seen what is sent if it says something of them."""
    team = call.vault.exchange.team
    evidence = call.text_value("--evidence")
    plans = [team.plan_share(reference, evidence) for reference in dict.fromkeys(call.args)]
    if any(plan.details for plan in plans) and not call.flag("--yes"):
        for plan in plans:
            claim = plan.claim
            echo(f"This is sent to {printable(team.require().server)}, for all members of {printable(plan.project)}:")
            echo_wrapped(f"  sentence: {printable(claim.sentence)}")
            echo(f"  kind: {claim.kind.label}")
            echo(f"  tags: {printable(', '.join(claim.tags)) or 'none'}")
            echo_wrapped(f"  evidence: {printable(plan.evidence) or 'none'}")
            if plan.details:
                echo_wrapped(f"It names {printable(', '.join(plan.details))}.")
        refusal = UsageError("this says something of you or your machine, and nobody is there to ask", "add --yes")
        if not call.agrees("Send it?", refusal, "Nothing was sent."):
            return 0
    team.share(plans)
    for plan in plans:
        claim = plan.claim
        where = f"project {printable(project_name(claim.scope))}, {claim.kind.label}"
        echo_wrapped(f"Proposed to the team ({where}) [{plan.memory.id[:_SHORT]}]: {printable(claim.sentence)}")
    echo(f"  with it go its kind and tags{' and the evidence you wrote' if evidence else ''}, and nothing else")
    done = "sent; it holds for others once a curator accepts it"
    return _send(call, "queued", done) if team.files.waiting() else 0


def _send(call: Invocation, queued: str, done: str = "") -> int:
    """Send what was queued, and say whether that worked."""
    result = call.vault.exchange.team.sync(call.vault.purger.erase_claims)
    if result.problem:
        echo_wrapped(f"  {queued}: tacit sync sends it. {printable(result.problem)}")
        return 0
    if done and not result.refused and not result.read_only:
        echo(f"  {done}")
    return _echo_result(call, result)


# Syncing, for `tacit sync`


def sync_team(call: Invocation) -> int:
    """Sync with the team, if there is one, and say what happened. Return 1 if the server could not be asked."""
    home, result = call.vault.exchange.team.load(), exchange_with_team(call)
    if home is not None and result is None:
        echo("The team is left out: only a person syncs with it.")
    if home is None or result is None:
        return 0
    if result.problem:
        echo_wrapped(f"Team: {printable(result.problem)}")
        if result.waiting:
            echo(f"  {pluralize(result.waiting, 'event waits', 'events wait')} to be sent")
        return 1
    came, went = len(result.added), len(result.removed) + len(result.purged)
    echo(f"Team {printable(home.server)}: {came} came, {went} taken back, {result.sent} sent")
    return _echo_result(call, result)


def exchange_with_team(call: Invocation) -> TeamSyncResult | None:
    """Sync with the team. Do nothing and return None if there is none, or for an agent."""
    team = call.vault.exchange.team
    if team.load() is None or not call.vault.home.is_person:
        return None
    return team.sync(call.vault.purger.erase_claims)


def team_problem_lines(result: TeamSyncResult) -> Iterator[str]:
    """Yield only what the person has to do something about."""
    if result.problem:
        yield f"Team: {printable(result.problem)}"
    for line in _unsent_lines(result):
        yield f"Team: {line}"
    for name in result.ended:
        yield f"Team: you are no member of {printable(name)} any more: what came from there was taken back."


def team_sync_json(call: Invocation, result: TeamSyncResult) -> JsonObject:
    home = call.vault.exchange.team.load()
    return {
        "server": home.server if home else "",
        "received_count": len(result.added),
        "removed_count": len(result.removed) + len(result.purged),
        "sent_count": result.sent,
        "queued_count": result.waiting,
        "refused": [{**_outgoing_json(refused.entry), "problem": refused.problem} for refused in result.refused],
        "ended": [team_scope(name) for name in result.ended],
        "offered": [team_scope(name) for name in result.offered],
        "proposal_count": len(call.vault.exchange.team.proposals()),
        "unfit_count": result.unfit,
        "read_only": result.read_only,
        "restored": result.restored is not None,
        "problem": result.problem or None,
    }


def _unsent_lines(result: TeamSyncResult) -> Iterator[str]:
    """Yield what the server did not take. The reason stands once for all that it is about."""
    for problem, group in groupby(result.refused, key=lambda refused: refused.problem):
        entries = [refused.entry for refused in group]
        for nr, entry in enumerate(entries[:_MAX_LISTED]):
            what = f"{_VERBS[entry.verb]} {_entry_text(entry)}"
            yield f"not taken for the same reason: {what}" if nr else f"not taken: {what}: {printable(problem)}"
        if len(entries) > _MAX_LISTED:
            yield f"and {len(entries) - _MAX_LISTED} more for this reason"
    if result.read_only and result.waiting:
        events = pluralize(result.waiting, "event waits", "events wait")
        yield (
            f"{events} to be sent: this server only reads, as a replica does. tacit sync sends what waits once the"
            " address leads to the server that takes writes."
        )


def _echo_result(call: Invocation, result: TeamSyncResult) -> int:
    """Print what a sync changed and what it could not do."""
    _echo_changes(call, result)
    for line in _unsent_lines(result):
        echo_wrapped(f"  ✗ {line}")
    _echo_ended(result)
    if result.restored is not None:
        echo_wrapped(
            "  The server was restored from a backup, and all of it was read again. What it had forgotten of yours is"
            f" sent again ({pluralize(result.restored, 'event')}); what others decided comes back when they sync."
        )
    if held := result.held:
        who = f"pid {held.pid} of {held.role}, {held.application or 'no name'}" if held.role else "of somebody"
        echo_wrapped(
            f"  {pluralize(held.events, 'event')} of your projects cannot be read since {held.seconds:,} seconds,"
            f" because a transaction on the server is open ({who}); nothing is lost. Its administrator finds it with:"
            " select * from tacit.horizon"
        )
    if result.offered:
        echo_wrapped(f"  You were added to {_names(result.offered)}: tacit team join URL shows what would come.")
    if waiting := len(call.vault.exchange.team.proposals()):
        echo(f"  {pluralize(waiting, 'proposal waits', 'proposals wait')} for you: tacit team review")
    if result.unfit:
        echo(f"  {pluralize(result.unfit, 'row')} of the server could not be believed and is left out")
    return 0 if result.is_complete else 1


def _echo_ended(result: TeamSyncResult) -> None:
    """Say which memberships ended, and that what came from there is gone."""
    if result.ended and not result.is_member:
        gone = pluralize(len(result.removed), "memory of the team was", "memories of the team were")
        echo_wrapped(
            f"  You are no member of the team's projects any more: {gone} taken back. What you said yourself stays. To"
            " forget the server: tacit team leave"
        )
        return
    for name in result.ended:
        echo_wrapped(f"  You are no member of {printable(name)} any more: what came from there was taken back.")


def _echo_changes(call: Invocation, result: TeamSyncResult) -> None:
    for claim in result.added:
        memory = call.vault.search.show(claim).memory
        author = f" ({printable(memory.author)})" if memory.author else " (yours; the team accepted it)"
        echo_wrapped(f"  + [{claim[:_SHORT]}] {printable(memory.claim.sentence)}{author}")
    for gone in result.removed[:_MAX_LISTED]:
        try:  # it stays if the person said the same
            stays = "; it stays yours" if call.vault.search.show(gone.id).memory.is_live else ""
        except NotFoundError:
            stays = ""
        echo_wrapped(f"  - [{gone.id[:_SHORT]}] taken back{_decision_text(gone)}{stays}")
    if len(result.removed) > _MAX_LISTED:
        echo(f"  - and {len(result.removed) - _MAX_LISTED} more")
    for gone in result.declined:
        why = _decision_text(gone)
        echo_wrapped(f"  · [{gone.id[:_SHORT]}] declined{why}; it stays yours: {printable(gone.sentence)}")
    for claim in result.purged:
        echo(f"  - [{claim[:_SHORT]}] purged by the team: its text is gone here, too")
    for claim in result.kept:
        short = claim[:_SHORT]
        echo_wrapped(f"  · [{short}] purged by the team; what you said yourself stays: tacit purge {short}")


def _decision_text(gone: TakenBack) -> str:
    reason = f" ({printable(gone.reason)})" if gone.reason else ""
    return f" by {printable(gone.by)}{reason}" if gone.by else ""


def _overview_json(overview: TeamOverview) -> JsonObject:
    home = overview.home
    return {
        "url": home.url,
        "name": home.user,
        "synced_at": home.synced_at or None,
        "problem": home.problem or None,
        "team_projects": [
            {"scope": team_scope(project.name), "curator": project.is_curator} for project in home.projects
        ],
        "offered": [team_scope(name) for name in home.offered],
        "unfit_count": home.unfit,
        "team_memories": [
            {**_proposal_json(shown), "status": memory.status.value, "accepted_by": memory.decided_by}
            for memory in home.memories.values()
            if (shown := memory.shown)
        ],
        "queued": [_outgoing_json(entry) for entry in overview.waiting],
        "unpurged": [
            {"id": memory.id, "scope": team_scope(memory.project), "author": memory.first_author}
            for memory in overview.unpurged
        ],
    }


def _outgoing_json(entry: Outgoing) -> JsonObject:
    scope = team_scope(entry.project)
    return {"id": entry.memory, "action": entry.verb.value, "scope": scope, "text": entry.sentence}


def _proposal_json(proposal: Proposal) -> JsonObject:
    return {
        **reference_json(proposal.claim),
        "tags": list(proposal.claim.tags),
        "author": proposal.author,
        "at": proposal.at,
        "evidence": [proposal.evidence] if proposal.evidence else [],
    }


_URL = ("the address of the server", False, "postgresql://HOST/DATABASE")
_URL_AND_NAME = (f"{_URL[0]} and a name", False, f"{_URL[2]} alice --project github.com/acme/api")


@command(
    "[join URL | leave | review | log | accept ID… | decline ID… | retire ID…"
    " | setup URL | members URL | add-member URL NAME | remove-member URL NAME | import-members URL]",
    "tacit team join postgresql://alice@team.example/acme",
    Option("--reason", "TEXT", "with decline and retire: why, for the author"),
    Option("--to", "VERSION", "the version of the schema to go to; 0 removes everything", least=0),
    Option("--restored", help="say that the database was restored from a backup, so that nobody misses events"),
    Option(
        "--people",
        "PATTERN",
        "with setup: who needs no role of their own, as cert:/O=Acme/CN=NAME; or none",
    ),
    Option("--project", "NAME", "the project, as its remote is called: github.com/acme/api"),
    Option("--curator", help="let them decide in their projects; with remove-member, end that"),
    Option("--attribute", "NAME", "with import-members: where LDIF has the names, such as uid"),
    Option("--roles", help="with import-members: create a login role without a password for who has none"),
    Option("--at-most", "COUNT", "with import-members: how many may be removed; at first, half of them", least=0),
    Option("--yes", help="do it without being asked"),
    JSON_OPTION,
    subcommands=(
        Subcommand("", show_team),
        Subcommand("join", join_team, 1, "the address of a server", example="postgresql://HOST/DATABASE"),
        Subcommand("leave", leave_team),
        Subcommand("review", review_proposals),
        Subcommand("log", show_log),
        Subcommand("accept", _decide(OutgoingVerb.ACCEPTED, "Accepted for everyone"), 1, *_IDS),
        Subcommand("decline", _decide(OutgoingVerb.DECLINED, "Declined"), 1, *_IDS),
        Subcommand("retire", _decide(OutgoingVerb.RETIRED, "Retired for everyone"), 1, *_IDS),
        Subcommand("setup", set_up, 1, *_URL),
        Subcommand("members", show_members, 1, *_URL),
        Subcommand("add-member", add_project_member, 2, *_URL_AND_NAME),
        Subcommand("remove-member", remove_project_member, 2, *_URL_AND_NAME),
        Subcommand("import-members", import_members, 1, *_URL),
    ),
)
def run_team(call: Invocation) -> int | None:
    """Share what a project has agreed on with a team, through a PostgreSQL server. Alone it shows what the team
    holds for this project, with authors, and what waits; the server is not asked. join shows your projects and
    what would come, and asks; it sends nothing. tacit share ID proposes a memory, tacit sync sends and fetches.
    A curator decides with review, card by card, or with accept, decline and retire, and log says who decided what
    and who was added or removed by whom, as the server has it. leave takes everything back
    that came from the team. The address has no password: it is read from ~/.pgpass or a service file. A server
    on another machine must prove its name with a certificate, unless the address says otherwise (sslmode=…).
    Needs the extra: pip install 'tacit-memory[team]'

    For the administrator of the team's server (PostgreSQL 13 or later): setup creates the schema, upgrades it
    or, with --to 0, removes it; it shows what it will do and asks. members lists who belongs to which project.
    add-member lets somebody, by the name of their role, read and propose in a project, and with --curator decide.
    remove-member ends that. import-members makes the names on standard input the members of a project, one in
    each line or LDIF of ldapsearch; it shows what would change, and does it with --yes. setup --people lets people
    in by their certificate, without a role for each. docs/guides/team-server.md says how to prepare a server.
    """
    return call.run_subcommand("")
