"""Members as a directory names them: one project's members are made those of a list that a directory gave.

The list comes from outside, so it is checked before anything changes: one that is empty, cut off, or would remove most
of a project is refused, and a name that belongs to a role with rights of its own is left out. Whoever is in the list is
a member afterwards, whoever is not is none, however they became one.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from tacit.errors import RefusedError, UsageError
from tacit.record import Record
from tacit.team.schema import administration, enter_member, expel_member
from tacit.text.display import printable

if TYPE_CHECKING:
    from tacit.postgres import Connection, Cursor

MAX_NAMES = 100_000
_NOTHING = "nothing was changed"
_IS_LDIF = re.compile(r"(?:dn|version):", re.IGNORECASE)
_FAILED = re.compile(r"result: [1-9]")  # what ldapsearch prints, without -LLL, when it was cut off
# Why a role is not let in by a list: a directory must not decide who administers the server.
_PRIVILEGED = "rolsuper OR rolcreaterole OR rolcreatedb OR rolbypassrls OR rolreplication OR NOT rolcanlogin"
_SELECT_STATES = (
    f"SELECT n.name, r.rolname IS NOT NULL, coalesce({_PRIVILEGED}, false), tacit.takes_person(n.name)"
    " FROM unnest(%s::text[]) n (name) LEFT JOIN pg_roles r ON r.rolname = n.name"
)


class LeftOut(Record):
    """A name of the list that cannot become a member, and why."""

    name: str
    problem: str


class ImportPlan(Record):
    """What makes the members of a project those of a list.

    Attributes:
        staying: members who are in the list.
        added: names that become members; `created` are those of them that get a login role before.
        removed: members who are not in the list.
        left_out: names that cannot become members.
    """

    staying: tuple[str, ...]
    added: tuple[str, ...]
    created: tuple[str, ...]
    removed: tuple[str, ...]
    left_out: tuple[LeftOut, ...]


class NameState(Record):
    """What the server says of a name: whether it is a role, one with rights of its own, and whether it needs none."""

    name: str
    is_role: bool
    is_privileged: bool
    needs_no_role: bool


def read_names(lines: Iterable[str], attribute: str = "") -> list[str]:
    """Return the names of a list: one in each line, or the values of an attribute of LDIF, as ldapsearch prints it.

    Raises:
        UsageError: It is LDIF and no attribute was given, or an attribute's value cannot be read.
        RefusedError: It has no names or too many, or the search that made it says that it failed.
    """
    rows = list(_unfolded(lines))
    if any(map(_FAILED.match, rows)):
        raise RefusedError(f"the directory's answer is not complete: {_NOTHING}", "ask it again, or raise its limits")
    if attribute:
        names = list(_values(rows, attribute))
    elif any(map(_IS_LDIF.match, rows)):
        raise UsageError("this is LDIF: which attribute has the names?", "add --attribute uid")
    else:
        names = [row.strip() for row in rows if row.strip() and not row.startswith("#")]
    names = list(dict.fromkeys(names))
    if not names:
        raise RefusedError(f"the list has no names: {_NOTHING}", "to remove one: tacit team remove-member URL NAME")
    if len(names) > MAX_NAMES:
        raise RefusedError(f"the list has more than {MAX_NAMES:,} names: {_NOTHING}", "import one project's group")
    return names


def _unfolded(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines with those that LDIF continues: they begin with a space."""
    row = None
    for line in lines:
        text = line.rstrip("\r\n")
        if text.startswith(" ") and row is not None:
            row += text[1:]
            continue
        if row is not None:
            yield row
        row = text
    if row is not None:
        yield row


def _values(rows: Iterable[str], attribute: str) -> Iterator[str]:
    for row in rows:
        described, colon, value = row.partition(":")
        if not colon or described.partition(";")[0].lower() != attribute.lower():
            continue
        if value.startswith(":"):
            try:
                value = b64decode(value[1:].strip(), validate=True).decode("utf-8")
            except ValueError:
                raise UsageError(f"a value of {attribute} is no text", "name an attribute with names") from None
        yield value.strip()


def plan_import(
    names: Sequence[str], members: Sequence[str], states: Sequence[NameState], *, creates_roles: bool = False
) -> ImportPlan:
    """Return what makes these names, and nobody else, the members of a project."""
    wanted, present = set(names), set(members)
    added, created, left_out = [], [], []
    for state in states:
        if state.name in present:
            continue
        if problem := _problem(state, creates_roles):
            left_out.append(LeftOut(state.name, problem))
            continue
        added.append(state.name)
        if not (state.is_role or state.needs_no_role):
            created.append(state.name)
    return ImportPlan(
        staying=tuple(name for name in members if name in wanted),
        added=tuple(added),
        created=tuple(created),
        removed=tuple(name for name in members if name not in wanted),
        left_out=tuple(left_out),
    )


def _problem(state: NameState, creates_roles: bool) -> str:
    """Return why a name cannot become a member, "" if it can."""
    if state.is_privileged:
        return "a role with rights of its own, which no list lets in: tacit team add-member does"
    if state.is_role or state.needs_no_role:
        return ""
    if not creates_roles:
        return "no role of the server (--roles creates it), and not let in without one"
    is_fit = state.name == printable(state.name) and 0 < len(state.name.encode()) <= 63
    return "" if is_fit and not state.name.startswith("pg_") else "no name for a role"


def read_import(
    connection: Connection, project: str, names: Sequence[str], *, creates_roles: bool = False
) -> ImportPlan:
    """Return what a list of names would change in a project."""
    with administration(connection) as cursor:
        return _plan(cursor, project, names, creates_roles)


def import_members(connection: Connection, project: str, names: Sequence[str], plan: ImportPlan) -> None:
    """Do what was planned, all or nothing. Raise RefusedError if the server changed since it was planned."""
    with administration(connection) as cursor:
        cursor.execute("LOCK TABLE tacit.membership IN SHARE ROW EXCLUSIVE MODE")
        if _plan(cursor, project, names, bool(plan.created)) != plan:
            raise RefusedError(f"the members changed meanwhile: {_NOTHING}", "run it again")
        for name in plan.created:
            cursor.execute("SELECT tacit.create_login(%s)", (name,))
        for name in plan.added:
            enter_member(cursor, name, project)
        for name in plan.removed:
            expel_member(cursor, name, project)


def _plan(cursor: Cursor, project: str, names: Sequence[str], creates_roles: bool) -> ImportPlan:
    cursor.execute("SELECT m.member FROM tacit.membership m WHERE m.project = %s ORDER BY 1", (project,))
    members = [str(member) for (member,) in cursor]
    cursor.execute(_SELECT_STATES, (list(names),))
    states = [NameState(str(name), *(value is True for value in flags)) for name, *flags in cursor]
    return plan_import(names, members, states, creates_roles=creates_roles)


def refuse_most_removed(plan: ImportPlan, at_most: int | None = None) -> None:
    """Raise RefusedError if more members would go than may: half of them, unless a number was given."""
    present = len(plan.staying) + len(plan.removed)
    if len(plan.removed) > (max(present // 2, 1) if at_most is None else at_most):
        raise RefusedError(
            f"this would remove {len(plan.removed)} of {present} members: {_NOTHING}",
            f"if the list is right: --at-most {len(plan.removed)}",
        )


# People without a role of their own


class PeopleRule(Record):
    """The role that people without a role of their own log in as, and what names them; "" if nobody is let in."""

    role: str
    pattern: str


def read_people(connection: Connection) -> PeopleRule:
    """Return how people without a role of their own are let in."""
    with administration(connection) as cursor:
        cursor.execute("SELECT tacit.people_role()::text, coalesce(people, '') FROM tacit.setting")
        return PeopleRule(*(str(value) for value in cursor.fetchone() or ("", "")))


def let_people_in(connection: Connection, pattern: str) -> None:
    """Take the names of people from what the server says of them, or with "" let nobody in without a role.

    Raises:
        UsageError: The pattern is none.
    """
    if pattern and not (pattern.count("NAME") == 1 and re.match(r"[a-z0-9-]+:", pattern)):
        raise UsageError(f"{pattern} does not say where the name stands", "write --people 'cert:/O=Acme/CN=NAME'")
    with administration(connection) as cursor:
        cursor.execute("SELECT tacit.let_people_in(%s)", (pattern or None,))


def has_role(connection: Connection, name: str) -> bool:
    """Return whether somebody has a role of their own."""
    with administration(connection) as cursor:
        cursor.execute("SELECT FROM pg_roles WHERE rolname = %s", (name,))
        return cursor.fetchone() is not None
