"""The MCP server in a TOML file: one table of ours at its end. The rest of the text is not changed.

A removal is verified by parsing: without our tables, the file must have the same values except our server.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
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
from tacit.text.toml import newline_of, parse_statements, parse_toml, table_end, toml_literal

_BYTE_ORDER_MARK = "\ufeff"
_TABLE_NAME = "mcp_servers.tacit"


def toml_config_file(path: str, argv: Sequence[str], *, is_new: bool) -> ConfigFile:
    """Return the change of a TOML file. With `is_new` the server is added, else only one that exists is updated."""
    return ConfigFile(path, partial(_insert_server, path, tuple(argv), is_new), partial(_remove_server, path))


def read_tables(path: str) -> dict[str, object]:
    """Return the values in a file. Returns {} if it does not exist or cannot be read."""
    try:
        return parse_toml(decode_text(path, read_content(path) or b"").removeprefix(_BYTE_ORDER_MARK)) or {}
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
        raise RefusedError(f"{path} has another server named tacit", "give that one another name, and try again")
    if server is not None and _server_argv(server) == [*argv]:
        return InstallResult(content, receipt)
    rest = text if server is None else _without_server(path, text, receipt)
    # An empty line before the table, and the end of a line that has none.
    lead = newline_of(text) * (1 if rest.endswith("\n") else 2) if rest else ""
    after = encode_text(path, rest + lead + _render_table(argv, text))
    _parse_toml(path, after.decode())  # fails if `mcp_servers` is written in a form to which no table can be added
    is_blank = content is None or bool(server is not None and receipt and receipt.is_blank)
    return InstallResult(after, Receipt(path, content_hash(content), content_hash(after), is_blank=is_blank, lead=lead))


def _remove_server(path: str, content: bytes | None, receipt: Receipt | None) -> bytes | None:
    if content is None:
        return None
    text = decode_text(path, content)
    server = _find_server(_parse_toml(path, text))
    if server is None or not _is_our_server(server):
        return content
    after = _without_server(path, text, receipt)
    return None if not after and receipt and receipt.is_blank else after.encode()


def _render_table(argv: tuple[str, ...], text: str) -> str:
    lines = (f"[{_TABLE_NAME}]", f"command = {toml_literal(argv[0])}", f"args = {toml_literal(argv[1:])}")
    return "".join(line + newline_of(text) for line in lines)


def _parse_toml(path: str, text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text.removeprefix(_BYTE_ORDER_MARK), parse_float=str)  # so that nan equals nan
    except (ValueError, RecursionError) as error:
        raise unreadable_file(path, str(error)) from None


def _find_server(tables: Mapping[str, object]) -> dict[str, object] | None:
    servers = tables.get("mcp_servers")
    server = servers.get("tacit") if isinstance(servers, dict) else None
    return server if isinstance(server, dict) else None


def _is_our_server(server: dict[str, object]) -> bool:
    words = _server_argv(server)
    return "mcp" in words and any("tacit" in word for word in words if isinstance(word, str))


def _server_argv(server: dict[str, object]) -> list[object]:
    arguments = server.get("args")
    return [server.get("command"), *(arguments if isinstance(arguments, list) else [])]


def _without_server(path: str, text: str, receipt: Receipt | None) -> str:
    """Remove our table, and subtables that the host or the person has added to it. All other values stay the same."""
    wanted = _parse_toml(path, text)
    rest = text
    for first, end in reversed(list(_server_tables(text))):
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


def _server_tables(text: str) -> Iterator[tuple[int, int]]:
    """Yield the first line and the end of every table of our server. Comments behind one belong to the next table."""
    statements = list(parse_statements(text.removeprefix(_BYTE_ORDER_MARK)))
    for header in statements:
        if header.is_header and _find_server(header.values) is not None:
            yield header.first, table_end(statements, header.first)
