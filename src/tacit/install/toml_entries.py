"""The server in a TOML file: one table of ours at its end. Nothing else of the text is touched.

Where the table ends is not guessed: without it, the file must hold what it held but for our server.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import partial

from tacit.errors import RefusedError
from tacit.install.change import (
    ConfigFile,
    InstallResult,
    Receipt,
    content_hash,
    decode_text,
    encode_text,
    read_content,
    unreadable_file,
)

_SERVER_HEADER = re.compile(r'^[ \t]*\[[ \t]*mcp_servers[ \t]*\.[ \t]*"?tacit"?[ \t]*[.\]]', re.MULTILINE)
_TABLE_START = re.compile(r"^[ \t]*\[", re.MULTILINE)
_TABLE_NAME = "mcp_servers.tacit"


def toml_config_file(path: str, words: Sequence[str], *, is_new: bool) -> ConfigFile:
    return ConfigFile(path, partial(_insert_server, path, tuple(words), is_new), partial(_remove_server, path))


def read_tables(path: str) -> dict[str, object]:
    """Somebody's settings; none where they are not there, or cannot be read."""
    try:
        return _parse_or_none(decode_text(path, read_content(path) or b"")) or {}
    except (RefusedError, OSError):
        return {}


def _insert_server(
    path: str, words: tuple[str, ...], is_new: bool, content: bytes | None, receipt: Receipt | None
) -> InstallResult:
    text = decode_text(path, content or b"")
    there = _find_server(_parse_toml(path, text))
    if there is None and not is_new:
        return InstallResult(content, receipt)
    if there is not None and not _is_our_server(there):
        raise RefusedError(f"{path} has another server named tacit", "give that one another name, and try again")
    if there is not None and [there.get("command"), *_server_args(there)] == [*words]:
        return InstallResult(content, receipt)
    bare = text if there is None else _without_server(path, text, receipt)
    lead = _leading_newlines(bare, text)
    after = encode_text(path, bare + lead + _render_table(words, text))
    _parse_toml(path, after.decode())  # a table that cannot stand at the end: theirs is written in another way
    is_blank = content is None or bool(there is not None and receipt and receipt.is_blank)
    return InstallResult(after, Receipt(path, content_hash(content), content_hash(after), is_blank=is_blank, lead=lead))


def _remove_server(path: str, content: bytes | None, receipt: Receipt | None) -> bytes | None:
    if content is None:
        return None
    text = decode_text(path, content)
    there = _find_server(_parse_toml(path, text))
    if there is None or not _is_our_server(there):
        return content
    after = _without_server(path, text, receipt)
    return None if not after and receipt and receipt.is_blank else after.encode()


def _render_table(words: tuple[str, ...], text: str) -> str:
    # JSON spells texts and lists of texts as TOML does.
    args = json.dumps(list(words[1:]), ensure_ascii=False)
    newline = _newline(text)
    lines = (f"[{_TABLE_NAME}]", f"command = {json.dumps(words[0], ensure_ascii=False)}", f"args = {args}")
    return "".join(line + newline for line in lines)


def _leading_newlines(bare: str, text: str) -> str:
    """An empty line before it, and the end of a line that had none."""
    return (_newline(text) * (1 if bare.endswith("\n") else 2)) if bare else ""


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _parse_toml(path: str, text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise unreadable_file(path, str(error)) from None


def _find_server(tables: dict[str, object]) -> dict[str, object] | None:
    servers = tables.get("mcp_servers")
    server = servers.get("tacit") if isinstance(servers, dict) else None
    return server if isinstance(server, dict) else None


def _is_our_server(server: dict[str, object]) -> bool:
    words = [server.get("command"), *_server_args(server)]
    return "mcp" in words and any("tacit" in word for word in words if isinstance(word, str))


def _server_args(server: dict[str, object]) -> list[object]:
    args = server.get("args")
    return args if isinstance(args, list) else []


def _without_server(path: str, text: str, receipt: Receipt | None) -> str:
    """Without our table, and the tables that the host or its person has put below it."""
    while _find_server(_parse_toml(path, text)) is not None:
        shorter = next(_without_one_table(text, receipt), None)
        if shorter is None:
            raise RefusedError(f"{path} has [{_TABLE_NAME}] in a form of its own", "take it out by hand")
        text = shorter
    return text


def _without_one_table(text: str, receipt: Receipt | None) -> Iterator[str]:
    """The text without one of these tables, and otherwise the same."""
    now = tomllib.loads(text.removeprefix("\ufeff"))
    for header in _SERVER_HEADER.finditer(text):
        for end in _possible_ends(text, header.start()):
            shorter = _cut_table(text, header.start(), end, receipt)
            tables = _parse_or_none(shorter)
            if (
                tables is not None
                and _other_tables(tables) == _other_tables(now)
                and _find_server(tables) != _find_server(now)
            ):
                yield shorter


def _cut_table(text: str, start: int, end: int, receipt: Receipt | None) -> str:
    first, rest = text[:start], text[end:]
    lead = receipt.lead if receipt and not rest else _newline(text)
    bare = first.removesuffix(lead)
    # What follows needs a line of its own.
    return (bare if not rest or not bare or bare.endswith("\n") else first) + rest


def _possible_ends(text: str, start: int) -> Iterator[int]:
    """Where the table may end: before the next one, without the empty lines and comments that belong to that."""
    for following in _TABLE_START.finditer(text, text.index("\n", start) if "\n" in text[start:] else len(text)):
        yield start + len(_trim_trailing_comments(text[start : following.start()]))
    yield start + len(_trim_trailing_comments(text[start:]))


def _trim_trailing_comments(table: str) -> str:
    lines = table.splitlines(keepends=True)
    while len(lines) > 1 and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
        lines.pop()
    return "".join(lines)


def _parse_or_none(text: str) -> dict[str, object] | None:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None


def _other_tables(tables: dict[str, object]) -> dict[str, object]:
    """All but our server."""
    servers = tables.get("mcp_servers")
    if not isinstance(servers, dict):
        return tables
    others = {name: one for name, one in servers.items() if name != "tacit"}
    return {name: one for name, one in {**tables, "mcp_servers": others}.items() if one or name != "mcp_servers"}
