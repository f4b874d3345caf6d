"""`tacit team setup --people` and `import-members`: people whom a company's directory names and lets in."""

from __future__ import annotations

from tacit.cli.commands import Invocation, text_or_stdin
from tacit.cli.output import dim, echo, echo_wrapped, pluralize
from tacit.errors import RefusedError, UsageError
from tacit.home.project import remote_name
from tacit.postgres import address_for, connect
from tacit.team import people
from tacit.text.display import clip, printable

_MAX_LISTED = 50  # names that are shown, of each kind
_NO_ONE = "none"  # the pattern that ends it


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
