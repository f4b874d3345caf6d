"""A JSON file of a host with our entries in it: hooks in lists by event, and a server by its name.

Entries of others stay as they are, also beside ours. One of ours is known by the file that it starts, whatever the
path to it, so that an older installation is brought up to date where it stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from tacit.errors import Refused
from tacit.install.change import Part, Put, Receipt, Steps, bytes_from, bytes_of, known_by, text_of, unreadable
from tacit.install.json_edit import Broken, append, find, interior, put, take_out, value_at, with_interior
from tacit.record import Record

# How the file of our hooks is known: where it is, and where it was before version 0.2.
OURS = ("tacit/hooks/agent.py", "tacit/surfaces/hooks/agent.py")
_BOM = "\ufeff"
_HOOKS = "hooks"
_GROUP = {"matcher", "hooks", "sequential"}


class Entry(Record):
    """What is registered for an event."""

    event: str
    value: dict[str, object]
    matcher: str = ""


class Server(Record):
    """An MCP server, by the path of its member."""

    path: Steps
    value: dict[str, object]


class Wanted(Record):
    """What a file is to hold of ours. `in_groups`: entries stand in groups, each with a list of its own."""

    entries: tuple[Entry, ...] = ()
    in_groups: bool = True
    version: int | None = None
    server: Server | None = None
    is_server_new: bool = True  # else it is only brought up to date where it stands
    is_owned: bool = False  # nobody else's entries are in this file


def json_part(path: str, wanted: Wanted) -> Part:
    return Part(path, partial(_put_in, path, wanted), partial(_take_out, path, wanted))


def setting_in(path: str, steps: Steps) -> object:
    """A value of somebody's settings; nothing where it is not there, or cannot be read."""
    try:
        return value_at(text_of(path, bytes_of(path) or b""), steps)
    except (Broken, Refused, OSError):
        return None


def _put_in(path: str, wanted: Wanted, content: bytes | None, receipt: Receipt | None) -> Put:
    before = text_of(path, content or b"")
    is_blank = not before.lstrip(_BOM).strip()
    if is_blank and not (wanted.entries or wanted.is_server_new):
        return Put(content, receipt)
    start = (_BOM if before.startswith(_BOM) else "") + "{}\n" if is_blank else before
    try:
        after = _with_ours(path, start, wanted)
        fresh = _receipt(path, content, before, after, wanted, is_blank=is_blank)
        older = receipt if receipt and not is_blank and _has_ours(start, wanted) else None
    except Broken as error:
        raise unreadable(path, str(error)) from None
    return Put(bytes_from(path, after), _joined(older, fresh, known_by(content)))


def _take_out(path: str, wanted: Wanted, content: bytes | None, receipt: Receipt | None) -> bytes | None:
    if content is None or not content.removeprefix(_BOM.encode()).strip():
        return content
    text = text_of(path, content)
    try:
        if not _has_ours(text, wanted):
            return content
        after = _without_ours(text, wanted, receipt)
    except Broken as error:
        raise unreadable(path, str(error)) from None
    return None if after is None else bytes_from(path, after)


# Putting in


def _with_ours(path: str, text: str, wanted: Wanted) -> str:
    _check(path, text, wanted)
    if wanted.version is not None and find(text, ("version",)) is None:
        text = put(text, ("version",), wanted.version)
    if wanted.entries:
        text = _with_entries(text, wanted)
    if wanted.server and (wanted.is_server_new or find(text, wanted.server.path)):
        text = _with_server(text, wanted.server)
    return text


def _check(path: str, text: str, wanted: Wanted) -> None:
    """Containers must be what the host takes them for."""
    server = wanted.server
    containers: list[tuple[Steps, str]] = [((), "{"), ((_HOOKS,), "{")]
    containers += [((_HOOKS, entry.event), "[") for entry in wanted.entries]
    containers += [(server.path[:-1], "{")] if server else []
    for steps, sign in containers:
        node = find(text, steps)
        if node is not None and node.sign != sign:
            name = ".".join(steps) or "the whole file"
            raise unreadable(path, f"{name} is not {'an object' if sign == '{' else 'a list'}")
    if server and not _is_our_server(there := value_at(text, server.path)) and there is not None:
        raise Refused(f"{path} has another server named {server.path[-1]}", "give that one another name, and try again")


def _with_entries(text: str, wanted: Wanted) -> str:
    events = {entry.event for entry in wanted.entries}
    for place in reversed([place for place in _places(text) if place[1] not in events]):
        text = _pruned(_without_entry(text, place), place[:2])
    for entry in wanted.entries:
        places = [place for place in _places(text) if place[1] == entry.event]
        for place in reversed(places[1:]):
            text = _without_entry(text, place)
        text = _up_to_date(text, places[0], entry) if places else _with_entry(text, entry, wanted)
    return text


def _up_to_date(text: str, place: _Place, entry: Entry) -> str:
    return text if value_at(text, place) == entry.value else put(text, place, entry.value)


def _with_entry(text: str, entry: Entry, wanted: Wanted) -> str:
    matcher = {"matcher": entry.matcher} if entry.matcher else {}
    item: dict[str, object] = {**matcher, "hooks": [entry.value]} if wanted.in_groups else entry.value
    if find(text, (_HOOKS,)) is None:
        return put(text, (_HOOKS,), {entry.event: [item]})
    if find(text, (_HOOKS, entry.event)) is None:
        return put(text, (_HOOKS, entry.event), [item])
    return append(text, (_HOOKS, entry.event), item)


def _with_server(text: str, server: Server) -> str:
    around = server.path[:-1]
    if value_at(text, server.path) == server.value:
        return text
    if find(text, around) is None:
        return put(text, around, {server.path[-1]: server.value})
    return put(text, server.path, server.value)


# Knowing again

_Place = tuple[str | int, ...]


def _places(text: str) -> list[_Place]:
    """Where our entries are, in the order of the text."""
    hooks = value_at(text, (_HOOKS,))
    events = hooks if isinstance(hooks, dict) else {}
    return [(_HOOKS, event, *place) for event, items in events.items() for place in _places_in(items)]


def _places_in(items: object) -> Iterator[_Place]:
    for at, item in enumerate(items if isinstance(items, list) else ()):
        if _is_ours(item):
            yield (at,)
        inner = item.get("hooks") if isinstance(item, dict) else None
        for nth, one in enumerate(inner if isinstance(inner, list) else ()):
            if _is_ours(one):
                yield (at, "hooks", nth)


def names_our_hook(text: str) -> bool:
    return any(path in text for path in OURS)


def _is_ours(value: object) -> bool:
    started = (value.get("command"), value.get("bash")) if isinstance(value, dict) else ()
    return any(isinstance(one, str) and names_our_hook(one) for one in started)


def _is_our_server(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    command, more = value.get("command"), value.get("args")
    words = [*(command if isinstance(command, list) else [command]), *(more if isinstance(more, list) else [])]
    return "mcp" in words and any("tacit" in word for word in words if isinstance(word, str))


def _has_ours(text: str, wanted: Wanted) -> bool:
    return bool(_places(text)) or bool(wanted.server and _is_our_server(value_at(text, wanted.server.path)))


# Taking out


def _without_ours(text: str, wanted: Wanted, receipt: Receipt | None) -> str | None:
    places = _places(text)
    for place in reversed(places):
        text = _without_entry(text, place)
    touched: dict[_Place, None] = dict.fromkeys(place[:2] for place in places)
    if wanted.server and _is_our_server(value_at(text, wanted.server.path)):
        text = take_out(text, wanted.server.path)
        touched[wanted.server.path[:-1]] = None
    for steps in [*touched, (_HOOKS,)] if places else touched:
        text = _pruned(text, steps, receipt)
    return _whole(text, wanted, receipt)


def _without_entry(text: str, place: _Place) -> str:
    text = take_out(text, place)
    group = place[:3]
    if len(place) == 3 or (interior(text, (*group, "hooks")) or "").strip():
        return text
    left = value_at(text, group)
    is_bare = isinstance(left, dict) and not left.get("hooks") and left.keys() <= _GROUP
    return take_out(text, group) if is_bare else text


def _pruned(text: str, steps: _Place, receipt: Receipt | None = None) -> str:
    """Without a container that is empty again: it goes where we made it, else it is as empty as it was."""
    inside = interior(text, steps)
    if inside is None:
        return text
    was = dict(receipt.empty).get(tuple(map(str, steps))) if receipt else None
    if was is not None:
        return with_interior(text, steps, was) if was.strip() == inside.strip() else text
    is_ours = receipt is None or steps in receipt.made
    return take_out(text, steps) if is_ours and not inside.strip() else text


def _whole(text: str, wanted: Wanted, receipt: Receipt | None) -> str | None:
    """The rest of the file: also what we had to write around our entries."""
    if _is_version_ours(text, wanted, receipt):
        text = take_out(text, ("version",))
    is_bare = text.lstrip(_BOM).split() in (["{}"], ["{", "}"])
    if receipt is None:
        return None if is_bare and wanted.is_owned else text
    if is_bare and receipt.is_blank:
        return receipt.was
    return _pruned(text, (), receipt) if () in dict(receipt.empty) else text


def _is_version_ours(text: str, wanted: Wanted, receipt: Receipt | None) -> bool:
    """Hooks of others that came since need it."""
    if wanted.version is None or value_at(text, ("version",)) != wanted.version:
        return False
    has_hooks = find(text, (_HOOKS,)) is not None
    if receipt is None:
        return wanted.is_owned and not has_hooks
    return ("version",) in receipt.made and not (has_hooks and (_HOOKS,) in receipt.made)


def _receipt(path: str, content: bytes | None, before: str, after: str, wanted: Wanted, *, is_blank: bool) -> Receipt:
    server = wanted.server
    containers: list[Steps] = [(), (_HOOKS,), ("version",), *((_HOOKS, entry.event) for entry in wanted.entries)]
    containers += [server.path[:-1]] if server else []
    there = [steps for steps in containers if find(after, steps)]
    known = (known_by(content), known_by(bytes_from(path, after)))
    if is_blank:
        was = before if content is not None else None
        return Receipt(path, *known, is_blank=True, was=was, made=tuple(there[1:]))
    insides = ((steps, interior(before, steps)) for steps in there)
    return Receipt(
        path,
        *known,
        made=tuple(steps for steps in there if find(before, steps) is None),
        empty=tuple((steps, inside) for steps, inside in insides if inside is not None),
    )


def _joined(older: Receipt | None, fresh: Receipt, now: str) -> Receipt:
    """What an earlier installation began counts: this one found its entries there."""
    if older is None:
        return fresh
    return fresh._replace(
        before=older.before if older.after == now else fresh.before,
        is_blank=older.is_blank,
        was=older.was,
        made=tuple(dict.fromkeys((*older.made, *fresh.made))),
        empty=tuple({**dict(fresh.empty), **dict(older.empty)}.items()),
    )
