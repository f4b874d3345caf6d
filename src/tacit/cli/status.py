"""`tacit status`, and what `tacit` without a command prints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tacit.cli.commands import JSON_OPTION, Invocation, Option, command
from tacit.cli.output import JsonObject, bold, conflict_hint, cyan, echo, echo_lines, pluralize, short_path, trust_hint
from tacit.home.daily_judge import DailyState
from tacit.text.display import clip, printable
from tacit.vault.status import HomeStatus, RemoteSummary, TeamSummary

TYPE_CHECKING = False

if TYPE_CHECKING:
    from tacit.index.habits import HabitCount
    from tacit.vault.suggestions import Statistics

SCHEMA_VERSION = 1  # of JSON: incremented when a field is removed or changes its meaning; a new field breaks no reader
_BARS = "▁▂▃▄▅▆▇█"
_MAX_FREQUENT_SHOWN = 5
_HABIT_NOUNS = {
    "preferred_cwd": ("directory", "directories"),
    "recurring_command": ("command", "commands"),
    "workflow_pattern": ("sequence", "sequences"),
    "preference": ("correction", "corrections"),
}


def statistics_lines(stats: Statistics) -> Iterator[str]:
    activity = stats.used.activity
    if not activity.commands:
        yield "No commands yet. Let your shell tell: tacit install zsh; or read what it kept: tacit import history"
        return
    shells = ", ".join(f"{printable(name) or 'unknown'} {count:,}" for name, count in stats.shells)
    runs = f"{activity.commands:,} ({activity.failed:,} failed) in {pluralize(activity.sessions, 'session')}"
    yield f"Commands  {runs}: {shells}"
    days = f"{stats.first} to {stats.last}" if stats.first else "days that are not known"
    yield f"From      {days}, in {pluralize(activity.directories, 'directory', 'directories')}"
    since, busiest = stats.weeks[0].monday.isoformat(), max(week.commands for week in stats.weeks)
    bars = (_BARS[round(week.commands / busiest * (len(_BARS) - 1))] if week.commands else "·" for week in stats.weeks)
    yield f"Weeks     {''.join(bars)}  since {since}, at most {busiest:,}"
    for title, items in (("Most run", stats.used.commands), ("Most in", stats.used.directories)):
        for index, item in enumerate(items[:_MAX_FREQUENT_SHOWN]):
            yield f"{title if index == 0 else '':9} {item.runs:6,} × {printable(clip(item.key, 80))}"
    yield f"Habits    {', '.join(pluralize(count, *_HABIT_NOUNS[kind]) for kind, count in stats.habits)}"


def _statistics_json(stats: Statistics) -> JsonObject:
    activity = stats.used.activity
    often, places = (list(map(habit_count_json, items)) for items in (stats.used.commands, stats.used.directories))
    return {
        "command_count": activity.commands,
        "failed_count": activity.failed,
        "session_count": activity.sessions,
        "directory_count": activity.directories,
        "first_day": stats.first,
        "last_day": stats.last,
        "shells": counts_json(stats.shells, "shell"),
        "weeks": [{"day": week.monday.isoformat(), "command_count": week.commands} for week in stats.weeks],
        "often": often,
        "places": places,
        "kinds": counts_json(stats.habits, "kind"),
        "pending": stats.pending,
        "accepted_count": stats.accepted,
        "dismissed": stats.dismissed,
    }


def habit_count_json(count: HabitCount) -> JsonObject:
    return {"text": count.key, "run_count": count.runs, "session_count": count.sessions}


def counts_json(counts: Iterable[tuple[str, int]], field: str) -> list[JsonObject]:
    """Return counts as objects with two fields: the name, as `field`, and `count`."""
    return [{field: name, "count": count} for name, count in counts]


@command("", "tacit status", Option("--commands", help="the commands of your shells in numbers"), JSON_OPTION)
def run_status(call: Invocation) -> None:
    """Show what is remembered, what waits for you, what was captured, and what agents were told in the last seven
    days and did with it. --commands shows what was captured from your shells and learned from it, with a bar
    for each of the last weeks.
    """
    if call.flag("--commands"):
        stats = call.vault.suggestions.statistics()
        if call.shows_json(lambda: _statistics_json(stats)):
            return
        echo_lines(statistics_lines(stats))
        if stats.used.activity.commands:
            review = ": tacit review" if stats.pending else ""
            echo(f"Decided   {stats.accepted} accepted, {stats.dismissed} dismissed, {stats.pending} waiting{review}")
        return
    now = call.vault.status()
    if not call.shows_json(lambda: status_json(now)):
        echo_lines(_status_lines(now))


def _status_lines(now: HomeStatus) -> Iterator[str]:
    yield f"{bold('Home')}      {printable(now.home)} ({now.log_bytes:,} bytes of log)"
    yield f"{bold('Project')}   {printable(now.project) if now.project else 'none here; what you add is global'}"
    yield f"{bold('Memories')}  {now.active} active, {now.forgotten} forgotten"
    if now.kinds:
        yield "          " + ", ".join(f"{number} {kind}" for kind, number in now.kinds)
    waiting = pluralize(now.pending, "candidate")
    yield f"{bold('Review')}    {waiting} to decide{': tacit review' if now.pending else ''}, {now.dismissed} dismissed"
    if now.untrusted:
        yield f"{bold('Trust')}     {trust_hint(now.untrusted)}"
    for summary in now.conflicted:
        yield f"{bold('Merge')}     {conflict_hint(summary)}"
    if now.team:
        yield f"{bold('Team')}      {_team_text(now.team)}"
    yield from (f"{bold('Machines')}  {text}" for text in map(remote_text, now.remotes) if text)
    if now.undecided:
        yield f"{bold('Conflicts')} {pluralize(now.undecided, 'contradiction')} for you to decide on: tacit conflicts"
    yield f"{bold('Worklog')}   {now.worklog} {'entry' if now.worklog == 1 else 'entries'}"
    yield f"{bold('Sessions')}  {now.sessions:,}{': tacit sessions' if now.sessions else ''}"
    if judged := judge_text(now):
        yield f"{bold('Judge')}     {judged}"
    if now.spooled or now.dropped:
        yield f"{bold('Commands')}  {now.spooled:,} wait to be recorded, {now.dropped:,} lost: tacit doctor"
    yield f"{bold('Recall')}    {pluralize(now.asked, 'question')}, {now.missed} without an answer"
    if now.week.injected:
        cost = f"told {pluralize(now.week.injected, 'time')} ({now.week.tokens:,} tokens)"
        stopped = f"; your rules stopped {pluralize(now.week.stopped, 'session')}" if now.week.stopped else ""
        yield f"{bold('This week')} {cost}, followed {now.week.followed}, violated {now.week.violated}{stopped}"
    for title, number, nouns, text in (
        ("Violated", now.ineffective, ("memory was", "memories were"), "told and not followed, or corrected"),
        ("Of no use", now.idle, ("memory was", "memories were"), "told often and had to do with nothing"),
        ("Trials", now.verdicts, ("trial has", "trials have"), "ended"),
        ("Outdated", now.outdated, ("memory is", "memories are"), "not true of the work tree"),
    ):
        if number:
            yield f"{bold(title)}{' ' * (10 - len(title))}{pluralize(number, *nouns)} {text}: tacit review"
    if now.green or now.outdated:
        yield f"{bold('Work tree')} {now.outdated} red, {now.green} green, {now.unknown} unknown: tacit check"
    yield f"{bold('Evaluated')} {now.evaluated or 'never: tacit improve'}"


def judge_text(now: HomeStatus) -> str:
    """Return how the daily judge stands, else how many sessions nobody has judged, and what to type; "" for nothing."""
    waiting = f"{pluralize(now.unjudged, 'session')} nobody has judged"
    if now.daily is None:
        return f"{waiting}: tacit learn --agent {now.judge}" if now.unjudged and now.judge else ""
    receipt = now.daily.receipt
    parts = [f"{now.judge or receipt.judge}, once a day"]
    if receipt.judge:
        parts.append(f"{receipt.at[:10]} {printable(receipt.text)}".strip())
    if now.daily.has_stopped:
        parts.append("it is not asked again; when that is mended: tacit config set learn.when daily")
    elif now.unjudged:
        parts.append(waiting)
    return "; ".join(parts)


def remote_text(remote: RemoteSummary) -> str:
    """Return why a remote needs the person, and what to type; "" if it does not."""
    since = f"last sync {remote.synced_at[:10] or 'never'}"
    if remote.problem:
        return f"{remote.name}: the last sync failed: {printable(clip(remote.problem, 160))} ({since}): tacit sync"
    if remote.damaged:
        files = pluralize(remote.damaged, "file")
        return f"{remote.name}: {files} of other machines damaged or lost: tacit sync --status"
    return f"{remote.name}: {since}, so your machines may know different things: tacit sync" * remote.is_overdue


def _team_text(team: TeamSummary) -> str:
    """Return when the team was last asked, and what waits."""
    day = team.synced_at[:10] or "never"
    parts = [
        f"{printable(team.server)}, last sync {day}{', long ago: tacit sync' * team.is_overdue}",
        f"{team.queued} to send: tacit sync" if team.queued else "",
        f"{pluralize(team.proposals, 'proposal')} to decide: tacit team review" if team.proposals else "",
        f"{pluralize(team.unpurged, 'purge')} not confirmed: tacit team" if team.unpurged else "",
        f"the last try failed: {printable(clip(team.problem, 160))}" if team.problem else "",
    ]
    return "; ".join(filter(None, parts))


def status_json(now: HomeStatus) -> JsonObject:
    team: JsonObject | None = None
    if now.team:
        team = {
            "server": now.team.server,
            "synced_at": now.team.synced_at or None,
            "problem": now.team.problem or None,
            "queued_count": now.team.queued,
            "proposal_count": now.team.proposals,
            "unpurged_count": now.team.unpurged,
            "overdue": now.team.is_overdue,
        }
    numbers = ("active", "pending", "forgotten", "dismissed", "worklog", "undecided", "asked", "missed", "log_bytes")
    return {
        "schema": SCHEMA_VERSION,
        "home": now.home,
        "project": now.project,
        **{name: getattr(now, name) for name in (*numbers, "spooled", "dropped", "untrusted", "fact_conflicts")},
        "kinds": counts_json(now.kinds, "kind"),
        "session_count": now.sessions,
        "evaluated": now.evaluated,
        "week": {
            "injected_count": now.week.injected,
            "stopped_count": now.week.stopped,
            "tokens": now.week.tokens,
            "followed_count": now.week.followed,
            "violated_count": now.week.violated,
        },
        "ineffective_count": now.ineffective,
        "idle_count": now.idle,
        "outdated_count": now.outdated,
        "verdict_count": now.verdicts,
        "green_count": now.green,
        "unchecked_count": now.unknown,
        "unjudged_count": now.unjudged,
        "daily_judge": _daily_json(now.daily) if now.daily else None,
        "team": team,
        "remote_syncs": [
            {
                "name": remote.name,
                "synced_at": remote.synced_at or None,
                "problem": remote.problem or None,
                "overdue": remote.is_overdue,
                "damaged_count": remote.damaged,
            }
            for remote in now.remotes
        ],
    }


def _daily_json(daily: DailyState) -> JsonObject:
    receipt = daily.receipt
    return {
        "judge": receipt.judge,
        "at": receipt.at or None,
        "session_count": receipt.sessions,
        "suggestion_count": receipt.suggestions,
        "tokens": receipt.tokens,
        "problem": receipt.problem or None,
        "failed_count": daily.failures,
    }


@command("", "tacit")
def run_overview(call: Invocation) -> None:
    """Show the state of this home and the next step."""
    from tacit import __version__
    from tacit.cli.install import TARGETS, install_place, install_state

    now = call.vault.status()
    place = install_place(call.value("--home"))
    installed = [target.name for target in TARGETS.values() if install_state(target, place)]
    echo(f"{bold(f'tacit {__version__}')}, a memory for the shell and coding agents")
    echo()
    echo(f"Home       {printable(short_path(now.home))}")
    echo(f"Memories   {now.active:,} active, {pluralize(now.pending, 'candidate')}")
    echo(f"Sessions   {now.sessions:,}")
    if judged := judge_text(now):
        echo(f"Judge      {judged}")
    echo(f"Connected  {', '.join(installed) or 'no shell and no agent yet'}")
    if now.project:
        echo(f"Project    {printable(short_path(now.project))}")
    echo()
    command, purpose = next_step(now, has_installed=bool(installed))
    echo(f"Next: {cyan(command)}  ({purpose})")
    echo("Commands: tacit --help")


def next_step(now: HomeStatus, *, has_installed: bool) -> tuple[str, str]:
    """Return the command that helps most now, and what it is for."""
    facts = pluralize(now.untrusted, "fact")
    steps = (
        (now.dropped, "tacit doctor", "commands could not be recorded"),
        (now.fact_conflicts, "tacit sync", "a merge left conflicts in a fact file"),
        (now.untrusted, "tacit trust", f"this repository brought {facts} that no agent is told yet"),
        (now.team and now.team.proposals, "tacit team review", "members of your team wait for your decision"),
        (any(map(remote_text, now.remotes)), "tacit sync", "your machines have not met for long"),
        (now.undecided, "tacit conflicts", "memories contradict each other, or may do so"),
        (now.ineffective, "tacit review", "agents were told memories and did not follow them"),
        (now.verdicts, "tacit review", "trials of memories have ended"),
        (now.idle, "tacit review", "memories were told often and of no use so far"),
        (now.outdated, "tacit review", "memories are not true of the work tree"),
        (now.pending, "tacit review", f"{pluralize(now.pending, 'candidate')} to accept or dismiss"),
        (not has_installed, "tacit setup", "find your shells and agents, show what would change, ask once"),
        (not now.active, 'tacit add "never force push to main"', "a first rule, which every agent is told"),
        (True, 'tacit recall "…"', "search what you and your agents did"),
    )
    return next((command, purpose) for is_needed, command, purpose in steps if is_needed)
