"""`tacit team setup`, `members`, `add-member` and `remove-member`: for the administrator of a team's server."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from tacit.cli.commands import Invocation, Option
from tacit.cli.json_output import JsonObject
from tacit.cli.output import ask, bold, confirm, dim, echo, echo_json, echo_wrapped, pluralize
from tacit.errors import RefusedError, UsageError
from tacit.home.project import remote_name
from tacit.postgres import address_of, connect
from tacit.team.schema import (
    Holdings,
    MigrationPlan,
    TeamMember,
    add_member,
    list_members,
    mark_restored,
    migrate,
    read_holdings,
    read_plan,
    remove_curator,
    remove_member,
)
from tacit.text.display import printable

if TYPE_CHECKING:
    from tacit.postgres import Connection

ADMIN_USAGE = "setup URL | members URL | add-member URL ROLE | remove-member URL ROLE"
ADMIN_OPTIONS = (
    Option("--to", "VERSION", "the version of the schema to go to; 0 removes everything"),
    Option("--restored", help="say that the database was restored from a backup, so that nobody misses events"),
    Option("--project", "NAME", "the project, as its remote is called: github.com/acme/api"),
    Option("--curator", help="let the role decide in its projects; with remove-member, end that"),
)


def run_setup(call: Invocation) -> int:
    """Show what has to be done on the server to reach a version of the schema, and do it."""
    url = _url(call)
    target = call.number("--to", least=0)
    with connect(url) as connection:
        if call.flag("--restored"):
            return _run_restored(call, connection)
        plan = read_plan(connection, target)
        version = f"PostgreSQL {connection.info.server_version // 10000}"
        echo(f"{printable(str(address_of(url)))}: {version}, version {plan.version} of the team's schema")
        if not plan.up and not plan.down:
            echo("Nothing to do.")
            return 0
        lost = read_holdings(connection) if plan.down else None
        _echo_plan(plan)
        if not _agrees(call, connection, lost):
            echo("Nothing was changed.")
            return 0
        migrate(connection, target)
    echo(f"Done: version {plan.target}.")
    if plan.version == 0:
        _echo_next_steps(url)
    return 0


def _echo_plan(plan: MigrationPlan) -> None:
    for migration in plan.up:
        echo_wrapped(f"  will apply {migration.name}: {printable(migration.summary)}")
    for migration in plan.down:
        echo_wrapped(f"  will take down {migration.name}: {printable(migration.summary)}")


def _agrees(call: Invocation, connection: Connection, lost: Holdings | None) -> bool:
    """Ask the administrator. Before something is deleted, the name of the database has to be typed."""
    if lost is not None:
        echo_wrapped(
            f"This deletes up to {pluralize(lost.events, 'event')} of {pluralize(lost.projects, 'project')} with"
            f" {pluralize(lost.members, 'member')}, and the roles of the team. There is no undo; what members have"
            " pulled stays in their homes."
        )
    if call.flag("--yes"):
        return True
    if not sys.stdin.isatty():
        raise RefusedError("nothing was changed: there is no terminal to ask on", "add --yes")
    if lost is None:
        return confirm("Do it?")
    database = connection.info.dbname
    try:
        return ask(f"Type {printable(database)} to delete it: ").strip() == database
    except EOFError:
        return False


def _echo_next_steps(url: str) -> None:
    address = address_of(url)
    echo("\nNext, for each person:")
    echo("  psql: create role alice login; and \\password alice")
    echo("  tacit team add-member URL alice --project github.com/acme/api")
    host = address.host if address.host and not address.host.startswith(("/", "service ")) else "HOST"
    echo(f"They type: tacit team join postgresql://alice@{printable(host)}/{printable(address.database)}")


def _run_restored(call: Invocation, connection: Connection) -> int:
    if call.flag("--to"):
        raise UsageError("--restored and --to do not go together", "tacit team setup URL --restored")
    echo_wrapped(
        "Numbers of transactions will go on beyond all that were given out, so that clients with positions from"
        " before the restore see every event that is added now."
    )
    if not _agrees(call, connection, None):
        echo("Nothing was changed.")
        return 0
    mark_restored(connection)
    echo("Done.")
    return 0


def run_members(call: Invocation) -> int:
    """List the members of all projects."""
    with connect(_url(call)) as connection:
        members = list_members(connection)
    if call.flag("--json"):
        echo_json([_member_json(member) for member in members])
        return 0
    if not members:
        echo("No project has members. To add one: tacit team add-member URL ROLE --project NAME")
    project = ""
    for member in members:
        if member.project != project:
            project = member.project
            echo(bold(printable(project)))
        role = "curator" if member.is_curator else "member"
        echo(f"  {printable(member.name)}  {dim(role if member.has_role else 'without the role: sees nothing')}")
    return 0


def _member_json(member: TeamMember) -> JsonObject:
    return {
        "name": member.name,
        "scope": f"project:{member.project}",
        "curator": member.is_curator,
        "inactive": not member.has_role,
    }


def run_add_member(call: Invocation) -> int:
    """Make a role a member, or with `--curator` a curator, of a project."""
    url, role = _url_and_role(call)
    if not (project := remote_name(call.value("--project") or "")):
        raise UsageError("which project?", f"tacit team add-member URL {role} --project github.com/acme/api")
    with connect(url) as connection:
        is_curator = add_member(connection, role, project, curator=call.flag("--curator"))
    echo_wrapped(f"{printable(role)} is a {'curator' if is_curator else 'member'} of {printable(project)}.")
    if is_curator and not call.flag("--curator"):
        echo_wrapped(f"A curator decides in all of their projects. To end that: {_remove(role)} --curator")
    return 0


def run_remove_member(call: Invocation) -> int:
    """Remove a role from one project or from all, or take the right to decide from it."""
    url, role = _url_and_role(call)
    project = remote_name(call.value("--project") or "") or None
    if call.flag("--curator"):
        if project:
            raise UsageError("a curator decides in all of their projects", f"{_remove(role)} --curator")
        with connect(url) as connection:
            remove_curator(connection, role)
        echo(f"{printable(role)} is not a curator any more.")
        return 0
    with connect(url) as connection:
        removed = remove_member(connection, role, project)
        remaining = [member.project for member in list_members(connection) if member.name == role]
    where = ", ".join(removed) or "the team"
    echo_wrapped(f"{printable(role)} was removed from {printable(where)} and sees nothing of it from now on.")
    echo_wrapped("What they have pulled is in their home; what they proposed stays, under their name.")
    if not remaining:
        echo(dim(f"The role can still log in. To end that, in psql: drop role {printable(role)}"))
    return 0


def _remove(role: str) -> str:
    return f"tacit team remove-member URL {printable(role)}"


def _url(call: Invocation) -> str:
    if len(call.args) != 2:
        raise UsageError(
            f"tacit team {call.args[0]} wants the address of the server",
            f"tacit team {call.args[0]} postgresql://HOST/DATABASE",
        )
    return call.args[1]


def _url_and_role(call: Invocation) -> tuple[str, str]:
    if len(call.args) != 3:
        raise UsageError(
            f"tacit team {call.args[0]} wants the address of the server and a role",
            f"tacit team {call.args[0]} postgresql://HOST/DATABASE alice --project github.com/acme/api",
        )
    return call.args[1], call.args[2]


ADMIN_SUBCOMMANDS: dict[str, Callable[[Invocation], int]] = {
    "setup": run_setup,
    "members": run_members,
    "add-member": run_add_member,
    "remove-member": run_remove_member,
}
