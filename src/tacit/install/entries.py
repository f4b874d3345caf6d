"""Our entries in a file of a host: in JSON hooks in lists by event, and an MCP server by its name; in TOML the server.

Entries of others stay as they are, also beside ours. An entry is ours if it runs our script, whatever the path to it,
so that an older installation is updated in place.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import partial

from tacit.errors import RefusedError
from tacit.install import (
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
    JsonPath,
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
from tacit.text.formats import newline_of, parse_statements, parse_toml, table_end, toml_literal

# Ends of the paths by which our script is recognised: today, and before version 0.2
HOOK_SCRIPT_PATHS = ("tacit/hooks/agent.py", "tacit/surfaces/hooks/agent.py")
_ACTIONS = ("inject", "call", "capture", "guard")
_BOM = "\ufeff"
_HOOKS_KEY = "hooks"
_INLINE_SERVERS = re.compile(r"^[ \t]*mcp_servers[ \t]*=[ \t]*\{(?=[ \t]*[^\s}])", re.MULTILINE)
_ALLOWED = ("permissions", "allow")
_GROUP_KEYS = {"matcher", "hooks", "sequential"}


class HookEntry(Record):
    """A hook for an event."""

    event: str
    value: dict[str, object]
    matcher: str = ""


class McpServerEntry(Record):
    """An MCP server and the path of its member."""

    path: KeyPath
    value: dict[str, object]


class DesiredConfig(Record):
    """Our entries in a file."""

    entries: tuple[HookEntry, ...] = ()
    is_grouped: bool = True  # an event has groups, each with a list of hooks
    version: int | None = None
    server: McpServerEntry | None = None
    may_add_server: bool = True  # else a server is only updated
    is_owned: bool = False  # the file has no entries of others
    permission: str = ""  # is allowed to be used without a question, in the settings of Claude Code


def json_config_file(path: str, desired: DesiredConfig) -> ConfigFile:
    return ConfigFile(path, partial(_insert_entries, path, desired), partial(_remove_entries, path, desired))


def read_setting(path: str, keys: KeyPath) -> object:
    """Return a value from a settings file. None if it does not exist or cannot be read."""
    try:
        return value_at(decode_text(path, read_content(path) or b""), keys)
    except (JsonSyntaxError, RefusedError, OSError):
        return None


def _insert_entries(path: str, desired: DesiredConfig, content: bytes | None, receipt: Receipt | None) -> InstallResult:
    before = decode_text(path, content or b"")
    is_blank = not before.lstrip(_BOM).strip()
    if is_blank and not (desired.entries or desired.may_add_server):
        return InstallResult(content, receipt)
    start = (_BOM if before.startswith(_BOM) else "") + "{}\n" if is_blank else before
    try:
        after = _with_our_entries(path, start, desired)
        is_installed = not is_blank and _has_our_entries(start, desired)
        if is_installed and receipt is None:  # from another home: what holds nothing else is ours
            before = _without_our_entries(start, desired, None) or ""
            if _is_empty(before):
                content, is_blank = None, True
        new = _make_receipt(path, content, before, after, desired, is_blank=is_blank)
        if is_installed and receipt:
            new = _merge_receipts(receipt, new, content_hash(content))
    except JsonSyntaxError as error:
        raise unreadable_file(path, str(error)) from None
    return InstallResult(encode_text(path, after), new)


def _remove_entries(path: str, desired: DesiredConfig, content: bytes | None, receipt: Receipt | None) -> bytes | None:
    if content is None or not content.removeprefix(_BOM.encode()).strip():
        return content
    text = decode_text(path, content)
    try:
        if not _has_our_entries(text, desired):
            return content
        after = _without_our_entries(text, desired, receipt)
    except JsonSyntaxError as error:
        raise unreadable_file(path, str(error)) from None
    return None if after is None else encode_text(path, after)


# Insertion


def _with_our_entries(path: str, text: str, desired: DesiredConfig) -> str:
    _check_containers(path, text, desired)
    if desired.version is not None and find_node(text, ("version",)) is None:
        text = set_value(text, ("version",), desired.version)
    if desired.entries:
        text = _with_hook_entries(text, desired)
    text = _with_permission(text, desired)
    server = desired.server
    if server and (desired.may_add_server or find_node(text, server.path)):
        if find_node(text, server.path[:-1]) is None:
            return set_value(text, server.path[:-1], {server.path[-1]: server.value})
        if value_at(text, server.path) != server.value:
            return set_value(text, server.path, server.value)
    return text


def _with_permission(text: str, desired: DesiredConfig) -> str:
    if not (desired.permission and desired.may_add_server) or _permission_path(text, desired):
        return text
    if find_node(text, _ALLOWED[:1]) is None:
        return set_value(text, _ALLOWED[:1], {_ALLOWED[1]: [desired.permission]})
    if find_node(text, _ALLOWED) is None:
        return set_value(text, _ALLOWED, [desired.permission])
    return append_item(text, _ALLOWED, desired.permission)


def _permission_path(text: str, desired: DesiredConfig) -> JsonPath | None:
    """Return the path of our permission, None if it is not there."""
    allowed = value_at(text, _ALLOWED)
    items = allowed if desired.permission and isinstance(allowed, list) else []
    return (*_ALLOWED, items.index(desired.permission)) if desired.permission in items else None


def _check_containers(path: str, text: str, desired: DesiredConfig) -> None:
    """Raise RefusedError if a container has the wrong type, or a server of others has our name."""
    server = desired.server
    containers: list[tuple[KeyPath, str]] = [((), "{"), ((_HOOKS_KEY,), "{")]
    containers += [((_HOOKS_KEY, entry.event), "[") for entry in desired.entries]
    containers += [(server.path[:-1], "{")] if server else []
    containers += [(_ALLOWED[:1], "{"), (_ALLOWED, "[")] if desired.permission and desired.may_add_server else []
    for keys, bracket in containers:
        node = find_node(text, keys)
        if node is not None and node.first_char != bracket:
            name = ".".join(keys) or "the whole file"
            raise unreadable_file(path, f"{name} is not {'an object' if bracket == '{' else 'a list'}")
    if server and (value := value_at(text, server.path)) is not None and not _is_our_server(value):
        raise _other_server(path, server.path[-1])


def _with_hook_entries(text: str, desired: DesiredConfig) -> str:
    events = dict.fromkeys(entry.event for entry in desired.entries)
    for path in reversed([path for path in _our_entry_paths(text) if path[1] not in events]):
        text = _prune_container(_without_entry(text, path), path[:2])
    for event in events:
        text = _with_entries_of_event(text, [entry for entry in desired.entries if entry.event == event], desired)
    return text


def _with_entries_of_event(text: str, entries: Sequence[HookEntry], desired: DesiredConfig) -> str:
    """Change what is there in its place, first by what it does; add what is missing, and remove what is too much."""
    free = {path: _entry_action(value_at(text, path)) for path in _our_entry_paths(text) if path[1] == entries[0].event}
    missing = []
    for entry in entries:
        same = next((path for path, action in free.items() if action == _entry_action(entry.value)), None)
        if same is None:
            missing.append(entry)
            continue
        del free[same]
        text = _with_entry_at(text, same, entry)
    for path in list(free)[: len(missing)]:  # of an older installation
        del free[path]
        text = _with_entry_at(text, path, missing.pop(0))
    for path in reversed(free):
        text = _without_entry(text, path)
    for entry in missing:
        text = _add_entry(text, entry, desired)
    return text


def _with_entry_at(text: str, path: JsonPath, entry: HookEntry) -> str:
    if value_at(text, path) != entry.value:
        text = set_value(text, path, entry.value)
    group, entries = path[:3], value_at(text, (*path[:3], "hooks"))
    is_grouped_alone = len(path) > len(group) and isinstance(entries, list) and len(entries) == 1
    if is_grouped_alone and (value_at(text, (*group, "matcher")) or "") != entry.matcher:
        matcher = (*group, "matcher")
        text = set_value(text, matcher, entry.matcher) if entry.matcher else remove_value(text, matcher)
    return text


def _entry_action(value: object) -> str:
    """Return what our script does in an entry: a guard and what the model is told may be at the same event."""
    commands = (value.get("command"), value.get("bash")) if isinstance(value, dict) else ()
    words = next((command.split() for command in commands if isinstance(command, str)), [])
    return next((word for word in words if word in _ACTIONS), "")


def _add_entry(text: str, entry: HookEntry, desired: DesiredConfig) -> str:
    matcher = {"matcher": entry.matcher} if entry.matcher else {}
    item: dict[str, object] = {**matcher, "hooks": [entry.value]} if desired.is_grouped else entry.value
    if find_node(text, (_HOOKS_KEY,)) is None:
        return set_value(text, (_HOOKS_KEY,), {entry.event: [item]})
    if find_node(text, (_HOOKS_KEY, entry.event)) is None:
        return set_value(text, (_HOOKS_KEY, entry.event), [item])
    return append_item(text, (_HOOKS_KEY, entry.event), item)


# Recognition of our entries


def _our_entry_paths(text: str) -> list[JsonPath]:
    """Return the paths of our entries in the order of the text."""
    hooks = value_at(text, (_HOOKS_KEY,))
    paths: list[JsonPath] = []
    for event, items in hooks.items() if isinstance(hooks, dict) else ():
        for index, item in enumerate(items if isinstance(items, list) else ()):
            path = (_HOOKS_KEY, event, index)
            entries = item.get("hooks") if isinstance(item, dict) else None
            inner = enumerate(entries if isinstance(entries, list) else ())
            paths += [path] if _is_our_entry(item) else []
            paths += [(*path, "hooks", place) for place, entry in inner if _is_our_entry(entry)]
    return paths


def has_our_hook(text: str) -> bool:
    return any(path in text for path in HOOK_SCRIPT_PATHS)


def _is_our_entry(value: object) -> bool:
    commands = (value.get("command"), value.get("bash")) if isinstance(value, dict) else ()
    return any(isinstance(command, str) and has_our_hook(command) for command in commands)


def _is_our_server(value: object) -> bool:
    words = _server_words(value) if isinstance(value, dict) else []
    return "mcp" in words and any("tacit" in word for word in words if isinstance(word, str))


def _server_words(server: Mapping[str, object]) -> list[object]:
    """Return the command of a server and its arguments."""
    command, arguments = server.get("command"), server.get("args")
    words = command if isinstance(command, list) else [command]
    return [*words, *(arguments if isinstance(arguments, list) else [])]


def _other_server(path: str, name: str) -> RefusedError:
    return RefusedError(f"{path} has another server named {name}", "give that one another name, and try again")


def _has_our_entries(text: str, desired: DesiredConfig) -> bool:
    return bool(_our_entry_paths(text)) or bool(desired.server and _is_our_server(value_at(text, desired.server.path)))


# Removal


def _without_our_entries(text: str, desired: DesiredConfig, receipt: Receipt | None) -> str | None:
    paths = _our_entry_paths(text)
    for path in reversed(paths):
        text = _without_entry(text, path)
    containers: dict[JsonPath, None] = dict.fromkeys(path[:2] for path in paths)
    if desired.server and _is_our_server(value_at(text, desired.server.path)):
        text = remove_value(text, desired.server.path)
        containers[desired.server.path[:-1]] = None
    permission = _permission_path(text, desired)
    if permission and (receipt is None or (*_ALLOWED, desired.permission) in receipt.made):
        text = remove_value(text, permission)
        containers |= dict.fromkeys((_ALLOWED, _ALLOWED[:1]))
    for container in [*containers, (_HOOKS_KEY,)] if paths else containers:
        text = _prune_container(text, container, receipt)
    return _restore_rest(text, desired, receipt)


def _without_entry(text: str, path: JsonPath) -> str:
    """Remove an entry, and its group if nothing else is in that."""
    text = remove_value(text, path)
    group = path[:3]
    if len(path) == 3 or (blank_interior(text, (*group, "hooks")) or "").strip():
        return text
    remaining = value_at(text, group)
    is_empty = isinstance(remaining, dict) and not remaining.get("hooks") and remaining.keys() <= _GROUP_KEYS
    return remove_value(text, group) if is_empty else text


def _prune_container(text: str, path: JsonPath, receipt: Receipt | None = None) -> str:
    """Remove a container that is empty again if Tacit added it; otherwise restore its white space."""
    interior = blank_interior(text, path)
    if interior is None:
        return text
    was = dict(receipt.empty).get(tuple(map(str, path))) if receipt else None
    if was is not None:
        return replace_interior(text, path, was) if was.strip() == interior.strip() else text
    is_ours = receipt is None or path in receipt.made
    return remove_value(text, path) if is_ours and not interior.strip() else text


def _restore_rest(text: str, desired: DesiredConfig, receipt: Receipt | None) -> str | None:
    """Remove what was written around our entries. Returns None if the file is to be deleted."""
    if desired.version is not None and value_at(text, ("version",)) == desired.version:
        # It is ours if Tacit added it and no hooks that others added since need it.
        has_hooks = find_node(text, (_HOOKS_KEY,)) is not None
        is_ours = desired.is_owned and not has_hooks
        if receipt is not None:
            is_ours = ("version",) in receipt.made and not (has_hooks and (_HOOKS_KEY,) in receipt.made)
        text = remove_value(text, ("version",)) if is_ours else text
    is_empty = _is_empty(text)
    if receipt is None:
        return None if is_empty and desired.is_owned else text
    if is_empty and receipt.is_blank:
        return receipt.was
    return _prune_container(text, (), receipt) if () in dict(receipt.empty) else text


def _is_empty(text: str) -> bool:
    return text.lstrip(_BOM).split() in ([], ["{}"], ["{", "}"])


# Receipts


def _make_receipt(
    path: str, content: bytes | None, before: str, after: str, desired: DesiredConfig, *, is_blank: bool
) -> Receipt:
    containers: list[KeyPath] = [(), (_HOOKS_KEY,), ("version",)]
    containers += [(_HOOKS_KEY, entry.event) for entry in desired.entries]
    containers += [desired.server.path[:-1]] if desired.server else []
    containers += [_ALLOWED[:1], _ALLOWED] if desired.permission else []
    containers = [keys for keys in containers if find_node(after, keys)]
    is_new = _permission_path(after, desired) and (is_blank or not _permission_path(before, desired))
    permission = ((*_ALLOWED, desired.permission),) if is_new else ()
    hashes = (content_hash(content), content_hash(encode_text(path, after)))
    if is_blank:
        was = before if content is not None else None
        return Receipt(path, *hashes, is_blank=True, was=was, made=(*containers[1:], *permission))
    interiors = ((keys, blank_interior(before, keys)) for keys in containers)
    return Receipt(
        path,
        *hashes,
        made=(*(keys for keys in containers if find_node(before, keys) is None), *permission),
        empty=tuple((keys, interior) for keys, interior in interiors if interior is not None),
    )


def _merge_receipts(old: Receipt, new: Receipt, current_hash: str) -> Receipt:
    """Combine receipts if the new installation found entries of an old one: the state before the old one counts."""
    return new._replace(
        before=old.before if old.after == current_hash else new.before,
        is_blank=old.is_blank,
        was=old.was,
        made=tuple(dict.fromkeys((*old.made, *new.made))),
        empty=tuple({**dict(new.empty), **dict(old.empty)}.items()),
    )


# TOML: one table of ours at the end of the file. The rest of the text is not changed. A removal is verified by parsing:
# without our tables, the file must have the same values except our server.

_TABLE_NAME = "mcp_servers.tacit"


def toml_config_file(path: str, argv: Sequence[str], *, is_new: bool) -> ConfigFile:
    """Return the change of a TOML file. With `is_new` the server is added, else only one that exists is updated."""
    return ConfigFile(path, partial(_insert_server, path, tuple(argv), is_new), partial(_remove_server, path))


def read_tables(path: str) -> dict[str, object]:
    """Return the values in a file. Returns {} if it does not exist or cannot be read."""
    try:
        return parse_toml(decode_text(path, read_content(path) or b"").removeprefix(_BOM)) or {}
    except (RefusedError, OSError):
        return {}


def _insert_server(
    path: str, argv: tuple[str, ...], is_new: bool, content: bytes | None, receipt: Receipt | None
) -> InstallResult:
    text = decode_text(path, content or b"")
    server = _find_server(_parse_toml(path, text))
    if server is None and not is_new:
        return InstallResult(content, receipt)
    if server is not None and not _is_our_server(server):
        raise _other_server(path, "tacit")
    if server is not None and _server_words(server) == [*argv]:
        return InstallResult(content, receipt)
    rest = text if server is None else _without_server(path, text, receipt)
    # An empty line before the table, and the end of a line that has none.
    lead = newline_of(text) * (1 if rest.endswith("\n") else 2) if rest else ""
    table = (f"[{_TABLE_NAME}]", f"command = {toml_literal(argv[0])}", f"args = {toml_literal(argv[1:])}")
    inline = _INLINE_SERVERS.search(rest)
    if inline:  # no table can be added to one that is written in one line
        lead, changed = "", rest[: inline.end()] + _inline_server(argv) + rest[inline.end() :]
    else:
        changed = rest + lead + "".join(line + newline_of(text) for line in table)
    after = encode_text(path, changed)
    try:
        is_added = _find_server(_parse_toml(path, after.decode())) is not None
    except RefusedError:
        is_added = False
    if not is_added:
        hint = "write each server of that file as a table of its own, such as [mcp_servers.name]"
        raise RefusedError(f"{path}: no server can be added to mcp_servers as it is written there", hint)
    is_blank = content is None or bool(server is not None and receipt and receipt.is_blank)
    return InstallResult(after, Receipt(path, content_hash(content), content_hash(after), is_blank=is_blank, lead=lead))


def _inline_server(argv: Sequence[object]) -> str:
    command, *arguments = map(str, argv)
    return f" tacit = {{ command = {toml_literal(command)}, args = {toml_literal(arguments)} }},"


def _remove_server(path: str, content: bytes | None, receipt: Receipt | None) -> bytes | None:
    if content is None:
        return None
    text = decode_text(path, content)
    server = _find_server(_parse_toml(path, text))
    if server is None or not _is_our_server(server):
        return content
    after = _without_server(path, text, receipt)
    return None if not after and receipt and receipt.is_blank else after.encode()


def _parse_toml(path: str, text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text.removeprefix(_BOM), parse_float=str)  # so that nan equals nan
    except (ValueError, RecursionError) as error:
        raise unreadable_file(path, str(error)) from None


def _find_server(tables: Mapping[str, object]) -> dict[str, object] | None:
    servers = tables.get("mcp_servers")
    server = servers.get("tacit") if isinstance(servers, dict) else None
    return server if isinstance(server, dict) else None


def _without_server(path: str, text: str, receipt: Receipt | None) -> str:
    """Remove our table, and subtables that the host or the person has added to it. All other values stay the same."""
    wanted = _parse_toml(path, text)
    rest = text
    if (inline := _INLINE_SERVERS.search(text)) and (server := _find_server(wanted)):
        rest = text[: inline.end()] + text[inline.end() :].removeprefix(_inline_server(_server_words(server)))
    statements = list(parse_statements(rest.removeprefix(_BOM)))
    headers = [header for header in statements if header.is_header and _find_server(header.values) is not None]
    for header in reversed(headers):
        first, end = header.first, table_end(statements, header.first)  # comments behind it belong to the next table
        lines = re.split(r"(?<=\n)", rest)
        head, tail = "".join(lines[:first]), "".join(lines[end:])
        lead = receipt.lead if receipt and not tail else newline_of(text)
        shorter = head.removesuffix(lead)
        # What follows must start on its own line.
        rest = (shorter if not tail or not shorter or shorter.endswith("\n") else head) + tail
    servers = wanted["mcp_servers"]
    if isinstance(servers, dict):
        del servers["tacit"]
    if {"mcp_servers": {}, **_parse_toml(path, rest)} != wanted:
        raise RefusedError(f"{path} has [{_TABLE_NAME}] in a form of its own", "take it out by hand")
    return rest
