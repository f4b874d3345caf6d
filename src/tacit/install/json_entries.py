"""A JSON file of a host with our entries in it: hooks in lists by event, and a server by its name.

Entries of others stay as they are, also beside ours. One of ours is known by the file that it starts, whatever the
path to it, so that an older installation is brought up to date where it stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from tacit.errors import RefusedError
from tacit.install.change import (
    ConfigFile,
    InstallResult,
    KeyPath,
    Receipt,
    content_hash,
    decode_text,
    encode_text,
    read_content,
    unreadable_file,
)
from tacit.install.json_edit import (
    JsonSyntaxError,
    append_item,
    blank_interior,
    find_node,
    remove_value,
    replace_interior,
    set_value,
    value_at,
)
from tacit.record import Record

# How the file of our hooks is known: where it is, and where it was before version 0.2.
HOOK_SCRIPT_PATHS = ("tacit/hooks/agent.py", "tacit/surfaces/hooks/agent.py")
_BOM = "\ufeff"
_HOOKS_KEY = "hooks"
_GROUP_KEYS = {"matcher", "hooks", "sequential"}


class HookEntry(Record):
    """What is registered for an event."""

    event: str
    value: dict[str, object]
    matcher: str = ""


class McpServerEntry(Record):
    """An MCP server, by the path of its member."""

    path: KeyPath
    value: dict[str, object]


class DesiredConfig(Record):
    """What a file is to hold of ours. `in_groups`: entries stand in groups, each with a list of its own."""

    entries: tuple[HookEntry, ...] = ()
    is_grouped: bool = True
    version: int | None = None
    server: McpServerEntry | None = None
    may_add_server: bool = True  # else it is only brought up to date where it stands
    is_owned: bool = False  # nobody else's entries are in this file


def json_config_file(path: str, wanted: DesiredConfig) -> ConfigFile:
    return ConfigFile(path, partial(_insert_entries, path, wanted), partial(_remove_entries, path, wanted))


def read_setting(path: str, steps: KeyPath) -> object:
    """A value of somebody's settings; nothing where it is not there, or cannot be read."""
    try:
        return value_at(decode_text(path, read_content(path) or b""), steps)
    except (JsonSyntaxError, RefusedError, OSError):
        return None


def _insert_entries(path: str, wanted: DesiredConfig, content: bytes | None, receipt: Receipt | None) -> InstallResult:
    before = decode_text(path, content or b"")
    is_blank = not before.lstrip(_BOM).strip()
    if is_blank and not (wanted.entries or wanted.may_add_server):
        return InstallResult(content, receipt)
    start = (_BOM if before.startswith(_BOM) else "") + "{}\n" if is_blank else before
    try:
        after = _with_our_entries(path, start, wanted)
        fresh = _make_receipt(path, content, before, after, wanted, is_blank=is_blank)
        older = receipt if receipt and not is_blank and _has_our_entries(start, wanted) else None
    except JsonSyntaxError as error:
        raise unreadable_file(path, str(error)) from None
    return InstallResult(encode_text(path, after), _merge_receipts(older, fresh, content_hash(content)))


def _remove_entries(path: str, wanted: DesiredConfig, content: bytes | None, receipt: Receipt | None) -> bytes | None:
    if content is None or not content.removeprefix(_BOM.encode()).strip():
        return content
    text = decode_text(path, content)
    try:
        if not _has_our_entries(text, wanted):
            return content
        after = _without_our_entries(text, wanted, receipt)
    except JsonSyntaxError as error:
        raise unreadable_file(path, str(error)) from None
    return None if after is None else encode_text(path, after)


# Putting in


def _with_our_entries(path: str, text: str, wanted: DesiredConfig) -> str:
    _check_containers(path, text, wanted)
    if wanted.version is not None and find_node(text, ("version",)) is None:
        text = set_value(text, ("version",), wanted.version)
    if wanted.entries:
        text = _with_hook_entries(text, wanted)
    if wanted.server and (wanted.may_add_server or find_node(text, wanted.server.path)):
        text = _with_server(text, wanted.server)
    return text


def _check_containers(path: str, text: str, wanted: DesiredConfig) -> None:
    """Containers must be what the host takes them for."""
    server = wanted.server
    containers: list[tuple[KeyPath, str]] = [((), "{"), ((_HOOKS_KEY,), "{")]
    containers += [((_HOOKS_KEY, entry.event), "[") for entry in wanted.entries]
    containers += [(server.path[:-1], "{")] if server else []
    for steps, sign in containers:
        node = find_node(text, steps)
        if node is not None and node.first_char != sign:
            name = ".".join(steps) or "the whole file"
            raise unreadable_file(path, f"{name} is not {'an object' if sign == '{' else 'a list'}")
    if server and not _is_our_server(there := value_at(text, server.path)) and there is not None:
        raise RefusedError(
            f"{path} has another server named {server.path[-1]}", "give that one another name, and try again"
        )


def _with_hook_entries(text: str, wanted: DesiredConfig) -> str:
    events = {entry.event for entry in wanted.entries}
    for place in reversed([place for place in _our_entry_paths(text) if place[1] not in events]):
        text = _prune_container(_without_entry(text, place), place[:2])
    for entry in wanted.entries:
        places = [place for place in _our_entry_paths(text) if place[1] == entry.event]
        for place in reversed(places[1:]):
            text = _without_entry(text, place)
        text = _update_entry(text, places[0], entry) if places else _add_entry(text, entry, wanted)
    return text


def _update_entry(text: str, place: _EntryPath, entry: HookEntry) -> str:
    return text if value_at(text, place) == entry.value else set_value(text, place, entry.value)


def _add_entry(text: str, entry: HookEntry, wanted: DesiredConfig) -> str:
    matcher = {"matcher": entry.matcher} if entry.matcher else {}
    item: dict[str, object] = {**matcher, "hooks": [entry.value]} if wanted.is_grouped else entry.value
    if find_node(text, (_HOOKS_KEY,)) is None:
        return set_value(text, (_HOOKS_KEY,), {entry.event: [item]})
    if find_node(text, (_HOOKS_KEY, entry.event)) is None:
        return set_value(text, (_HOOKS_KEY, entry.event), [item])
    return append_item(text, (_HOOKS_KEY, entry.event), item)


def _with_server(text: str, server: McpServerEntry) -> str:
    around = server.path[:-1]
    if value_at(text, server.path) == server.value:
        return text
    if find_node(text, around) is None:
        return set_value(text, around, {server.path[-1]: server.value})
    return set_value(text, server.path, server.value)


# Knowing again

_EntryPath = tuple[str | int, ...]


def _our_entry_paths(text: str) -> list[_EntryPath]:
    """Where our entries are, in the order of the text."""
    hooks = value_at(text, (_HOOKS_KEY,))
    events = hooks if isinstance(hooks, dict) else {}
    return [(_HOOKS_KEY, event, *place) for event, items in events.items() for place in _entry_paths_in(items)]


def _entry_paths_in(items: object) -> Iterator[_EntryPath]:
    for at, item in enumerate(items if isinstance(items, list) else ()):
        if _is_our_entry(item):
            yield (at,)
        inner = item.get("hooks") if isinstance(item, dict) else None
        for nth, one in enumerate(inner if isinstance(inner, list) else ()):
            if _is_our_entry(one):
                yield (at, "hooks", nth)


def has_our_hook(text: str) -> bool:
    return any(path in text for path in HOOK_SCRIPT_PATHS)


def _is_our_entry(value: object) -> bool:
    started = (value.get("command"), value.get("bash")) if isinstance(value, dict) else ()
    return any(isinstance(one, str) and has_our_hook(one) for one in started)


def _is_our_server(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    command, more = value.get("command"), value.get("args")
    words = [*(command if isinstance(command, list) else [command]), *(more if isinstance(more, list) else [])]
    return "mcp" in words and any("tacit" in word for word in words if isinstance(word, str))


def _has_our_entries(text: str, wanted: DesiredConfig) -> bool:
    return bool(_our_entry_paths(text)) or bool(wanted.server and _is_our_server(value_at(text, wanted.server.path)))


# Taking out


def _without_our_entries(text: str, wanted: DesiredConfig, receipt: Receipt | None) -> str | None:
    places = _our_entry_paths(text)
    for place in reversed(places):
        text = _without_entry(text, place)
    touched: dict[_EntryPath, None] = dict.fromkeys(place[:2] for place in places)
    if wanted.server and _is_our_server(value_at(text, wanted.server.path)):
        text = remove_value(text, wanted.server.path)
        touched[wanted.server.path[:-1]] = None
    for steps in [*touched, (_HOOKS_KEY,)] if places else touched:
        text = _prune_container(text, steps, receipt)
    return _restore_rest(text, wanted, receipt)


def _without_entry(text: str, place: _EntryPath) -> str:
    text = remove_value(text, place)
    group = place[:3]
    if len(place) == 3 or (blank_interior(text, (*group, "hooks")) or "").strip():
        return text
    left = value_at(text, group)
    is_bare = isinstance(left, dict) and not left.get("hooks") and left.keys() <= _GROUP_KEYS
    return remove_value(text, group) if is_bare else text


def _prune_container(text: str, steps: _EntryPath, receipt: Receipt | None = None) -> str:
    """Without a container that is empty again: it goes where we made it, else it is as empty as it was."""
    inside = blank_interior(text, steps)
    if inside is None:
        return text
    was = dict(receipt.empty).get(tuple(map(str, steps))) if receipt else None
    if was is not None:
        return replace_interior(text, steps, was) if was.strip() == inside.strip() else text
    is_ours = receipt is None or steps in receipt.made
    return remove_value(text, steps) if is_ours and not inside.strip() else text


def _restore_rest(text: str, wanted: DesiredConfig, receipt: Receipt | None) -> str | None:
    """The rest of the file: also what we had to write around our entries."""
    if _is_version_ours(text, wanted, receipt):
        text = remove_value(text, ("version",))
    is_bare = text.lstrip(_BOM).split() in (["{}"], ["{", "}"])
    if receipt is None:
        return None if is_bare and wanted.is_owned else text
    if is_bare and receipt.is_blank:
        return receipt.was
    return _prune_container(text, (), receipt) if () in dict(receipt.empty) else text


def _is_version_ours(text: str, wanted: DesiredConfig, receipt: Receipt | None) -> bool:
    """Hooks of others that came since need it."""
    if wanted.version is None or value_at(text, ("version",)) != wanted.version:
        return False
    has_hooks = find_node(text, (_HOOKS_KEY,)) is not None
    if receipt is None:
        return wanted.is_owned and not has_hooks
    return ("version",) in receipt.made and not (has_hooks and (_HOOKS_KEY,) in receipt.made)


def _make_receipt(
    path: str, content: bytes | None, before: str, after: str, wanted: DesiredConfig, *, is_blank: bool
) -> Receipt:
    server = wanted.server
    containers: list[KeyPath] = [
        (),
        (_HOOKS_KEY,),
        ("version",),
        *((_HOOKS_KEY, entry.event) for entry in wanted.entries),
    ]
    containers += [server.path[:-1]] if server else []
    there = [steps for steps in containers if find_node(after, steps)]
    known = (content_hash(content), content_hash(encode_text(path, after)))
    if is_blank:
        was = before if content is not None else None
        return Receipt(path, *known, is_blank=True, was=was, made=tuple(there[1:]))
    insides = ((steps, blank_interior(before, steps)) for steps in there)
    return Receipt(
        path,
        *known,
        made=tuple(steps for steps in there if find_node(before, steps) is None),
        empty=tuple((steps, inside) for steps, inside in insides if inside is not None),
    )


def _merge_receipts(older: Receipt | None, fresh: Receipt, now: str) -> Receipt:
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
