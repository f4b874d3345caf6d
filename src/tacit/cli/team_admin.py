"""`tacit team setup`, `members`, `add-member` and `remove-member`: for the administrator of a team's server."""

from __future__ import annotations

import sys
from contextlib import suppress
from itertools import groupby
from typing import TYPE_CHECKING

from tacit.cli.commands import Invocation, Option, Subcommand
from tacit.cli.json_output import JsonObject
from tacit.cli.output import ask, bold, dim, echo, echo_wrapped, pluralize
from tacit.errors import RefusedError, UsageError
from tacit.home.project import remote_name
from tacit.postgres import address_of, connect
from tacit.team import schema
from tacit.text.display import printable

if TYPE_CHECKING:
    from tacit.postgres import Connection

ADMIN_USAGE = "setup URL | members URL | add-member URL ROLE | remove-member URL ROLE"
ADMIN_OPTIONS = (
    Option("--to", "VERSION", "the version of the schema to go to; 0 removes everything", least=0),
    Option("--restored", help="say that the database was restored from a backup, so that nobody misses events"),
    Option("--project", "NAME", "the project, as its remote is called: github.com/acme/api"),
    Option("--curator", help="let the role decide in its projects; with remove-member, end that"),
)


def set_up(call: Invocation, url: str) -> None:
    """Show what has to be done on the server to reach a version of the schema, and do it."""
    target = call.number("--to")
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
        lost = schema.read_holdings(connection) if plan.down else None
        for verb, migrations in (("apply", plan.up), ("take down", plan.down)):
            for migration in migrations:
                echo_wrapped(f"  will {verb} {migration.name}: {printable(migration.summary)}")
        if not _agrees(call, connection, lost):
            return
        schema.migrate(connection, target)
    echo(f"Done: version {plan.target}.")
    if plan.version == 0:
        address = address_of(url)
        host = address.host if address.host and not address.host.startswith(("/", "service ")) else "HOST"
        echo("\nNext, for each person:")
        echo("  psql: create role alice login; and \\password alice")
        echo("  tacit team add-member URL alice --project github.com/acme/api")
        echo(f"They type: tacit team join postgresql://alice@{printable(host)}/{printable(address.database)}")


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


def show_members(call: Invocation, url: str) -> None:
    """List the members of all projects."""
    with connect(url) as connection:
        members = schema.list_members(connection)
    if call.shows_json(lambda: [_member_json(member) for member in members]):
        return
    if not members:
        echo("No project has members. To add one: tacit team add-member URL ROLE --project NAME")
    for project, group in groupby(members, key=lambda member: member.project):
        echo(bold(printable(project)))
        for member in group:
            role = "curator" if member.is_curator else "member"
            echo(f"  {printable(member.name)}  {dim(role if member.has_role else 'without the role: sees nothing')}")


def _member_json(member: schema.TeamMember) -> JsonObject:
    return {
        "name": member.name,
        "scope": f"project:{member.project}",
        "curator": member.is_curator,
        "inactive": not member.has_role,
    }


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
    where = ", ".join(removed) or "the team"
    echo_wrapped(f"{printable(role)} was removed from {printable(where)} and sees nothing of it from now on.")
    echo_wrapped("What they have pulled is in their home; what they proposed stays, under their name.")
    if not remaining:
        echo(dim(f"The role can still log in. To end that, in psql: drop role {printable(role)}"))


def _remove(role: str) -> str:
    return f"tacit team remove-member URL {printable(role)}"


_URL = ("the address of the server", False, "postgresql://HOST/DATABASE")
_URL_AND_ROLE = (f"{_URL[0]} and a role", False, f"{_URL[2]} alice --project github.com/acme/api")
ADMIN_SUBCOMMANDS = (
    Subcommand("setup", set_up, 1, *_URL),
    Subcommand("members", show_members, 1, *_URL),
    Subcommand("add-member", add_project_member, 2, *_URL_AND_ROLE),
    Subcommand("remove-member", remove_project_member, 2, *_URL_AND_ROLE),
)
