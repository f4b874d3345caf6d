"""`tacit team` for the administrator of the server: its schema, members, and people whom a directory names."""

from __future__ import annotations

import sys
from contextlib import suppress
from itertools import groupby

from tacit.cli.commands import Invocation, text_or_stdin
from tacit.cli.output import ask, bold, dim, echo, echo_wrapped, pluralize
from tacit.errors import RefusedError, UsageError
from tacit.home.project import remote_name
from tacit.postgres import address_for, address_of, connect
from tacit.team import people, schema
from tacit.team.events import team_scope
from tacit.text.display import clip, printable

TYPE_CHECKING = False

if TYPE_CHECKING:
    from tacit.postgres import Connection

_MAX_LISTED = 50  # names that are shown, of each kind
_NO_ONE = "none"  # the pattern that ends it


# The schema


def set_up(call: Invocation, url: str) -> None:
    """Show what has to be done on the server to reach a version of the schema, and do it."""
    target = call.number("--to")
    if call.flag("--people"):
        call.only_one(("--people", "--to", "--restored"), "tacit team setup URL --people 'cert:/O=Acme/CN=NAME'")
        let_people_in(call, url)
        return
    with connect(url) as connection:
        if call.flag("--restored"):
            call.only_one(("--restored", "--to"), "tacit team setup URL --restored")
            echo_wrapped(
                "Numbers of transactions will go on beyond all that were given out, so that clients with positions from"
                " before the restore see every event that is added now."
            )
            if _agrees(call, connection):
                schema.mark_restored(connection)
                echo("Done.")
            return
        plan = schema.read_plan(connection, target)
        version = f"PostgreSQL {connection.info.server_version // 10000}"
        echo(f"{printable(str(address_of(url)))}: {version}, version {plan.version} of the team's schema")
        if not plan.up and not plan.down:
            echo("Nothing to do.")
            return
        for migration in plan.up:
            echo_wrapped(f"  will apply {migration.name}: {printable(migration.builds)}")
        for migration in plan.down:
            echo_wrapped(f"  will take down {migration.name}: {printable(migration.loses)}")
        lost = schema.read_holdings(connection) if plan.down and plan.target == 0 else None
        if not _agrees(call, connection, lost):
            return
        schema.migrate(connection, target)
    echo(f"Done: version {plan.target}.")
    if plan.version == 0:
        echo("\nNext, for each person:")
        echo("  psql: create role alice login; and \\password alice")
        echo("  tacit team add-member URL alice --project github.com/acme/api")
        echo(f"They type: tacit team join {printable(address_for(url, 'alice'))}")


def _agrees(call: Invocation, connection: Connection, lost: schema.Holdings | None = None) -> bool:
    """Ask the administrator. Before something is deleted, the name of the database has to be typed."""
    refusal = RefusedError("nothing was changed: there is no terminal to ask on", "add --yes")
    if lost is None:
        return call.agrees("Do it?", refusal)
    echo_wrapped(
        f"This deletes up to {pluralize(lost.events, 'event')} of {pluralize(lost.projects, 'project')} with"
        f" {pluralize(lost.members, 'member')}, and the roles of the team. There is no undo; what members have"
        " pulled stays in their homes."
    )
    if call.flag("--yes"):
        return True
    if not sys.stdin.isatty():
        raise refusal
    database = connection.info.dbname
    with suppress(EOFError):
        if ask(f"Type {printable(database)} to delete it: ").strip() == database:
            return True
    echo("Nothing was changed.")
    return False


# Members


def show_members(call: Invocation, url: str) -> None:
    """List the members of all projects."""
    with connect(url) as connection:
        members = schema.list_members(connection)
    rows = [
        {
            "name": member.name,
            "scope": team_scope(member.project),
            "curator": member.is_curator,
            "inactive": not member.has_role,
        }
        for member in members
    ]
    if call.shows_json(lambda: rows):
        return
    if not members:
        echo("No project has members. To add one: tacit team add-member URL ROLE --project NAME")
    for project, group in groupby(members, key=lambda member: member.project):
        echo(bold(printable(project)))
        for member in group:
            role = "curator" if member.is_curator else "member"
            echo(f"  {printable(member.name)}  {dim(role if member.has_role else 'without the role: sees nothing')}")


def add_project_member(call: Invocation, url: str, role: str) -> None:
    """Make a role a member, or with `--curator` a curator, of a project."""
    if not (project := remote_name(call.value("--project") or "")):
        raise UsageError("which project?", f"tacit team add-member URL {role} --project github.com/acme/api")
    with connect(url) as connection:
        is_curator = schema.add_member(connection, role, project, curator=call.flag("--curator"))
    echo_wrapped(f"{printable(role)} is a {'curator' if is_curator else 'member'} of {printable(project)}.")
    if is_curator and not call.flag("--curator"):
        echo_wrapped(f"A curator decides in all of their projects. To end that: {_remove(role)} --curator")


def remove_project_member(call: Invocation, url: str, role: str) -> None:
    """Remove a role from one project or from all, or take the right to decide from it."""
    project = remote_name(call.value("--project") or "") or None
    if call.flag("--curator"):
        if project:
            raise UsageError("a curator decides in all of their projects", f"{_remove(role)} --curator")
        with connect(url) as connection:
            schema.remove_curator(connection, role)
        echo(f"{printable(role)} is not a curator any more.")
        return
    with connect(url) as connection:
        removed = schema.remove_member(connection, role, project)
        remaining = [member.project for member in schema.list_members(connection) if member.name == role]
        can_log_in = people.has_role(connection, role)
    where = ", ".join(removed) or "the team"
    echo_wrapped(f"{printable(role)} was removed from {printable(where)} and sees nothing of it from now on.")
    echo_wrapped("Their home gives it back with its next sync; what they proposed stays, under their name.")
    if not remaining and can_log_in:
        drop = f"To end that when they have synced, in psql: drop role {printable(role)}"
        echo_wrapped(dim(f"The role can still log in, and learns only so that it is over. {drop}"))


def _remove(role: str) -> str:
    return f"tacit team remove-member URL {printable(role)}"


# People of a directory


def let_people_in(call: Invocation, url: str) -> None:
    """Let people without a role of their own in, as `--people` says, or nobody any more."""
    pattern = call.text_value("--people")
    refusal = RefusedError("nothing was changed: there is no terminal to ask on", "add --yes")
    with connect(url) as connection:
        before = people.read_people(connection)
        role = printable(before.role)
        if pattern == _NO_ONE:
            echo_wrapped(f"Who has no role of their own is not let in any more, and {role} cannot log in.")
        else:
            echo_wrapped(f"People may log in as {role}, and their name is NAME of {printable(pattern)}")
        if before.pattern:
            echo_wrapped(f"  until now it was {printable(before.pattern)}")
        if not call.agrees("Do it?", refusal):
            return
        people.let_people_in(connection, "" if pattern == _NO_ONE else pattern)
        echo("Done.")
        if pattern == _NO_ONE:
            return
        database = printable(connection.info.dbname)
    method, _, name = pattern.partition(":")
    echo("\nIn pg_hba.conf, before other lines for this database:")
    echo(f"  hostssl {database} {role} all {method} map=tacit")
    echo("In pg_ident.conf:")
    echo(f"  tacit /^.*$ {role}")
    echo("Next, for each person, or for a group of your directory with import-members:")
    echo("  tacit team add-member URL alice --project github.com/acme/api")
    files = "sslcert=/home/alice/alice.crt&sslkey=/home/alice/alice.key" if method == "cert" else ""
    theirs = address_for(url, before.role)
    joined = f"{theirs}{'&' if '?' in theirs else '?'}{files}" if files else theirs
    example = printable(name.replace("NAME", "alice"))
    echo(f"Who comes as {example} types: tacit team join '{printable(joined)}'")


def import_members(call: Invocation, url: str) -> int:
    """Make the names on standard input, and nobody else, the members of a project."""
    if not (project := remote_name(call.value("--project") or "")):
        raise UsageError("which project?", "tacit team import-members URL --project github.com/acme/api < NAMES")
    names = people.read_names(text_or_stdin("-").splitlines(), call.value("--attribute") or "")
    at_most = call.number("--at-most")
    with connect(url) as connection:
        plan = people.read_import(connection, project, names, creates_roles=call.flag("--roles"))
        _echo_plan(plan, project)
        people.refuse_most_removed(plan, at_most)
        if plan.added or plan.removed:
            if not call.flag("--yes"):
                echo("Nothing was changed. To do it: add --yes")
                return 0
            people.import_members(connection, project, names, plan)
            echo(f"Done: {len(plan.added)} added, {len(plan.removed)} removed.")
    return 1 if plan.left_out else 0


def _echo_plan(plan: people.ImportPlan, project: str) -> None:
    echo(f"{printable(project)}: {pluralize(len(plan.staying), 'member stays', 'members stay')}")
    created = set(plan.created)
    lines = [f"  + {printable(name)}{dim('  a new role') if name in created else ''}" for name in plan.added]
    gone = [f"  - {printable(name)}" for name in plan.removed]
    left_out = [f"  ✗ {printable(clip(each.name, 80))}: {each.problem}" for each in plan.left_out]
    for kind in (lines, gone, left_out):
        for line in kind[:_MAX_LISTED]:
            echo_wrapped(line)
        if len(kind) > _MAX_LISTED:
            echo(f"  … and {len(kind) - _MAX_LISTED} more")
