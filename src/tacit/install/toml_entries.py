"""The server in a TOML file: one table of ours at its end. Nothing else of the text is touched.

Where the table ends is not guessed: without it, the file must hold what it held but for our server.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import partial

from tacit.errors import Refused
from tacit.install.change import Part, Put, Receipt, bytes_from, bytes_of, known_by, text_of, unreadable

_HEADER = re.compile(r'^[ \t]*\[[ \t]*mcp_servers[ \t]*\.[ \t]*"?tacit"?[ \t]*[.\]]', re.MULTILINE)
_TABLE = re.compile(r"^[ \t]*\[", re.MULTILINE)
_NAME = "mcp_servers.tacit"


def toml_part(path: str, words: Sequence[str], *, is_new: bool) -> Part:
    return Part(path, partial(_put_in, path, tuple(words), is_new), partial(_take_out, path))


def tables_in(path: str) -> dict[str, object]:
    """Somebody's settings; none where they are not there, or cannot be read."""
    try:
        return _tables(text_of(path, bytes_of(path) or b"")) or {}
    except (Refused, OSError):
        return {}


def _put_in(path: str, words: tuple[str, ...], is_new: bool, content: bytes | None, receipt: Receipt | None) -> Put:
    text = text_of(path, content or b"")
    there = _server(_parsed(path, text))
    if there is None and not is_new:
        return Put(content, receipt)
    if there is not None and not _is_ours(there):
        raise Refused(f"{path} has another server named tacit", "give that one another name, and try again")
    if there is not None and [there.get("command"), *_args(there)] == [*words]:
        return Put(content, receipt)
    bare = text if there is None else _without(path, text, receipt)
    lead = _lead(bare, text)
    after = bytes_from(path, bare + lead + _table(words, text))
    _parsed(path, after.decode())  # a table that cannot stand at the end: theirs is written in another way
    is_blank = content is None or bool(there is not None and receipt and receipt.is_blank)
    return Put(after, Receipt(path, known_by(content), known_by(after), is_blank=is_blank, lead=lead))


def _take_out(path: str, content: bytes | None, receipt: Receipt | None) -> bytes | None:
    if content is None:
        return None
    text = text_of(path, content)
    there = _server(_parsed(path, text))
    if there is None or not _is_ours(there):
        return content
    after = _without(path, text, receipt)
    return None if not after and receipt and receipt.is_blank else after.encode()


def _table(words: tuple[str, ...], text: str) -> str:
    # JSON spells texts and lists of texts as TOML does.
    args = json.dumps(list(words[1:]), ensure_ascii=False)
    newline = _newline(text)
    lines = (f"[{_NAME}]", f"command = {json.dumps(words[0], ensure_ascii=False)}", f"args = {args}")
    return "".join(line + newline for line in lines)


def _lead(bare: str, text: str) -> str:
    """An empty line before it, and the end of a line that had none."""
    return (_newline(text) * (1 if bare.endswith("\n") else 2)) if bare else ""


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _parsed(path: str, text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise unreadable(path, str(error)) from None


def _server(tables: dict[str, object]) -> dict[str, object] | None:
    servers = tables.get("mcp_servers")
    server = servers.get("tacit") if isinstance(servers, dict) else None
    return server if isinstance(server, dict) else None


def _is_ours(server: dict[str, object]) -> bool:
    words = [server.get("command"), *_args(server)]
    return "mcp" in words and any("tacit" in word for word in words if isinstance(word, str))


def _args(server: dict[str, object]) -> list[object]:
    args = server.get("args")
    return args if isinstance(args, list) else []


def _without(path: str, text: str, receipt: Receipt | None) -> str:
    """Without our table, and the tables that the host or its person has put below it."""
    while _server(_parsed(path, text)) is not None:
        shorter = next(_shorter(text, receipt), None)
        if shorter is None:
            raise Refused(f"{path} has [{_NAME}] in a form of its own", "take it out by hand")
        text = shorter
    return text


def _shorter(text: str, receipt: Receipt | None) -> Iterator[str]:
    """The text without one of these tables, and otherwise the same."""
    now = tomllib.loads(text.removeprefix("\ufeff"))
    for header in _HEADER.finditer(text):
        for end in _ends(text, header.start()):
            shorter = _cut(text, header.start(), end, receipt)
            tables = _tables(shorter)
            if tables is not None and _others(tables) == _others(now) and _server(tables) != _server(now):
                yield shorter


def _cut(text: str, start: int, end: int, receipt: Receipt | None) -> str:
    first, rest = text[:start], text[end:]
    lead = receipt.lead if receipt and not rest else _newline(text)
    bare = first.removesuffix(lead)
    # What follows needs a line of its own.
    return (bare if not rest or not bare or bare.endswith("\n") else first) + rest


def _ends(text: str, start: int) -> Iterator[int]:
    """Where the table may end: before the next one, without the empty lines and comments that belong to that."""
    for following in _TABLE.finditer(text, text.index("\n", start) if "\n" in text[start:] else len(text)):
        yield start + len(_body(text[start : following.start()]))
    yield start + len(_body(text[start:]))


def _body(table: str) -> str:
    lines = table.splitlines(keepends=True)
    while len(lines) > 1 and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
        lines.pop()
    return "".join(lines)


def _tables(text: str) -> dict[str, object] | None:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None


def _others(tables: dict[str, object]) -> dict[str, object]:
    """All but our server."""
    servers = tables.get("mcp_servers")
    if not isinstance(servers, dict):
        return tables
    others = {name: one for name, one in servers.items() if name != "tacit"}
    return {name: one for name, one in {**tables, "mcp_servers": others}.items() if one or name != "mcp_servers"}
