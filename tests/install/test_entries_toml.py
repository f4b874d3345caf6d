"""The server in the settings of Codex: one table of ours in a text of somebody else's."""

from __future__ import annotations

import tomllib

import pytest

from tacit.errors import RefusedError
from tacit.install import ConfigFile, Receipt
from tacit.install.entries import toml_config_file

WORDS = ("/opt/tacit bin/tacit", "mcp", "--home", 'C:\\so "called"')
PART = toml_config_file("config.toml", WORDS, is_new=True)
BEFORE = {
    "no file": None,
    "an empty file": b"",
    "a file": b'model = "x" # mine\n\n[projects."/p"]\ntrust_level = "trusted"\n',
    "a file that does not end": b'model = "x"',
    "a file that ends twice": b'model = "x"\n\n\n',
    "CRLF": b'model = "x"\r\n[a]\r\nb = 1\r\n',
    "a table in a text": b'a = """\n[mcp_servers.tacit]\n"""\n',
    "a number that equals nothing": b"x = nan\n",
    "servers of others": b'[mcp_servers.other]\ncommand = "x"\nargs = [\n[1],\n"y",\n]\n# end',
}


def installed(before: bytes | None, part: ConfigFile = PART) -> tuple[bytes, Receipt]:
    put = part.insert(before, None)
    assert put.content is not None and put.receipt is not None
    return put.content, put.receipt


@pytest.mark.parametrize("before", BEFORE.values(), ids=BEFORE.keys())
def test_the_table_is_put_in_and_taken_out_byte_for_byte(before: bytes | None) -> None:
    after, receipt = installed(before)
    assert after.startswith(before or b"")
    server = tomllib.loads(after.decode())["mcp_servers"]["tacit"]
    assert [server["command"], *server["args"]] == [*WORDS]
    assert PART.insert(after, receipt).content == after
    assert PART.remove(after, receipt) == before
    assert PART.remove(before, receipt) == before


def test_beside_servers_in_one_line_it_is_put_into_that_line() -> None:
    before = b'a = 1\nmcp_servers = { other = { command = "x" } } # mine\n[b]\nc = 1\n'
    after, receipt = installed(before)
    servers = tomllib.loads(after.decode())["mcp_servers"]
    assert servers == {"other": {"command": "x"}, "tacit": {"command": WORDS[0], "args": [*WORDS[1:]]}}
    assert after.startswith(b"a = 1\nmcp_servers = { ") and after.endswith(b" } # mine\n[b]\nc = 1\n")
    assert PART.insert(after, receipt).content == after
    moved = toml_config_file("config.toml", ("/new/tacit", "mcp"), is_new=False).insert(after, receipt)
    assert moved.content is not None and b"/new/tacit" in moved.content and b"/opt" not in moved.content
    assert PART.remove(after, receipt) == PART.remove(after, None) == PART.remove(moved.content, None) == before


@pytest.mark.parametrize("before", [b'model = "x"\n', b'model = "x"', b""])
def test_what_the_host_writes_behind_it_stays(before: bytes) -> None:
    after, receipt = installed(before)
    below = b'[mcp_servers.tacit.tools.recall]\napproval_mode = "approve"\n'
    theirs = b'\n# trust\n[hooks.state."f:stop:0:0"]\ntrusted_hash = "h"\n'
    left = PART.remove(after + below + theirs, receipt)
    assert left is not None and left.endswith(theirs.lstrip(b"\n") if not before else theirs)
    assert tomllib.loads(left.decode()) == tomllib.loads((before + b"\n" + theirs).decode())
    assert left.startswith(before)


def test_keys_that_a_person_added_to_the_table_go_with_it() -> None:
    after, receipt = installed(b"a = 1\n")
    edited = after + b'startup_timeout_sec = 5\nenv = { A = "b" }\n\n[b]\nc = 1\n'
    assert PART.remove(edited, receipt) == b"a = 1\n\n[b]\nc = 1\n"
    assert PART.remove(after, None) == b"a = 1\n"  # found without a receipt, too


@pytest.mark.parametrize("before", BEFORE.values(), ids=BEFORE.keys())
@pytest.mark.parametrize("header", ["[mcp_servers.tacit.env]", "[ mcp_servers . 'tacit' . \"env\" ]"])
def test_with_a_table_that_the_host_added_below_ours_the_file_is_restored_as_well(
    before: bytes | None, header: str
) -> None:
    after, receipt = installed(before)
    assert PART.remove(after + f'{header}\nA = "b"\n'.encode(), receipt) == before


def test_another_path_of_ours_is_brought_up_to_date() -> None:
    after, receipt = installed(b"a = 1")
    put = toml_config_file("config.toml", ("/new/tacit", "mcp"), is_new=False).insert(after, receipt)
    assert put.content == b'a = 1\n\n[mcp_servers.tacit]\ncommand = "/new/tacit"\nargs = ["mcp"]\n'
    assert PART.remove(put.content, put.receipt) == b"a = 1"


def test_a_server_of_ours_that_is_written_in_another_way_is_left_to_the_person() -> None:
    with pytest.raises(RefusedError, match="form of its own"):
        PART.remove(b'mcp_servers = { tacit = { command = "tacit", args = ["mcp"] } }\n', None)


@pytest.mark.parametrize(
    ("before", "why"),
    [
        (b"a = \n", "line 1"),
        (b"a = 1\na = 2\n", "line 2"),
        (b"a = '\xff'\n", "no UTF-8"),
        (b"mcp_servers = {}\n", "no server can be added to mcp_servers"),
    ],
)
def test_what_cannot_be_read_or_added_to_is_refused(before: bytes, why: str) -> None:
    with pytest.raises(RefusedError) as refused:
        PART.insert(before, None)
    assert refused.value.message.startswith("config.toml: ") and why in refused.value.message
