"""Entries of ours in the settings of others: put in as the neighbours are written, and taken out exactly."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tacit.cli.install import TARGETS
from tacit.errors import RefusedError
from tacit.install import (
    FileChange,
    InstallContext,
    Receipt,
    Target,
    apply_change,
    read_receipts,
    write_receipts,
)
from tacit.install.entries import (
    HOOK_SCRIPT_PATHS,
    DesiredConfig,
    HookEntry,
    McpServerEntry,
    has_our_hook,
    json_config_file,
)
from tacit.install.json_edit import parse_json, to_python

AGENTS = [name for name, target in TARGETS.items() if target.is_agent]
IN_JSON = ["claude", "codex", "gemini", "cursor", "copilot"]
FILES = {
    "claude": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "gemini": ".gemini/settings.json",
    "cursor": ".cursor/hooks.json",
    "copilot": ".copilot/hooks/tacit.json",
}
SERVERS = {
    "claude": ".claude.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
    "cursor": ".cursor/mcp.json",
    "opencode": ".config/opencode/opencode.json",
    "copilot": ".copilot/mcp-config.json",
}
COMMAND = f"py -I -S /lib/{HOOK_SCRIPT_PATHS[0]} x capture Stop"
ENTRY = {"command": COMMAND, "timeout": 10}
STOP = DesiredConfig(entries=(HookEntry("Stop", ENTRY),))
GROUP = '{"hooks": [{"command": "mine"}]}'
BEFORE = {
    "no file": None,
    "an empty file": b"",
    "a file of white space": b" \r\n\n",
    "a byte order mark": b"\xef\xbb\xbf",
    "an empty object": b"{}",
    "an empty object with an end": b"{ }\n",
    "an empty object on two lines": b"{\n}\n",
    "only a comment": b"{ // nothing yet\n}\n",
    "only a comment within a line": b"{ /* nothing */ }",
    "one line": b'{"a":1}',
    "one airy line": b'{ "a": 1, "b": [2] }\n',
    "other settings": b'{\n  "model": "x",\n  "env": {\n    "A": "b"\n  }\n}\n',
    "tabs": b'{\n\t"model": "x"\n}',
    "four blanks and CRLF": b'{\r\n    "model": "x"\r\n}\r\n',
    "a mark, comments and commas": (
        b'\xef\xbb\xbf// mine\n{\n  "model": "x", // this one\n  /* that */ "b": [1,],\n}\n// end\n'
    ),
    "a comment behind the last": b'{\n  "a": 1 // one\n  // two\n}\n',
    "empty hooks": b'{\n  "hooks": {}\n}\n',
    "empty hooks with a blank": b'{"hooks": { }, "a": 1}\n',
    "empty hooks on two lines": b'{\n  "hooks": {\n  },\n  "a": 1\n}\n',
    "an empty event": b'{\n  "hooks": {\n    "Stop": [ ],\n    "stop": [],\n    "agentStop": [\n    ]\n  }\n}\n',
    "hooks of others": (
        b'{\n  "hooks": {\n    "Stop": [\n      {"hooks": [{"command": "mine"}]} // first\n    ],\n'
        b'    "Other": [{"matcher": "x", "hooks": []}]\n  },\n  "z": null\n}\n'
    ),
    "hooks of others on one line": b'{"hooks":{"Stop":[{"hooks":[{"command":"mine"}]}],"stop":[{"command":"m"}]}}\n',
    "hooks of others with commas": b'{\n "hooks": {\n  "Stop": [\n   {"hooks": []},\n  ],\n },\n}\n',
    "a version": b'{\n  "version": 1,\n  "hooks": {}\n}\n',
    "servers of others": b'{\n  "mcpServers": {\n    "a": {"command": "a"}\n  }\n}\n',
    "empty servers": b'{"mcpServers": {}}',
}


def apply(place: InstallContext, target: Target) -> list[FileChange]:
    changes = list(target.plan_install(place))
    write_receipts(place.home, target.name, [change.receipt for change in changes if change.receipt])
    for change in changes:
        if change.is_needed:
            apply_change(change)
    return changes


def undo(place: InstallContext, target: Target) -> None:
    for change in target.plan_removal(place):
        if change.is_needed:
            apply_change(change)


def content(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def put(path: Path, data: bytes | None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if data is not None:
        path.write_bytes(data)


def merged(before: str, wanted: DesiredConfig = STOP) -> str:
    """The file as it is with us in it; checks that it gets back."""
    part = json_config_file("settings.json", wanted)
    done = part.insert(before.encode(), None)
    assert done.content is not None
    assert part.insert(done.content, done.receipt).content == done.content
    assert part.remove(done.content, done.receipt) == before.encode()
    return done.content.decode()


@pytest.mark.parametrize("before", BEFORE.values(), ids=BEFORE.keys())
@pytest.mark.parametrize("name", IN_JSON)
def test_what_was_installed_is_taken_out_byte_for_byte(
    place: InstallContext, tmp_path: Path, name: str, before: bytes | None
) -> None:
    file, target, place = tmp_path / FILES[name], TARGETS[name], place._replace(mcp=True)
    servers = tmp_path / SERVERS[name]
    put(file, before)
    if name != "codex":
        put(servers, before)
    theirs = plain_of(before)
    apply(place, target)
    both = plain_of(file.read_bytes())
    assert is_within(theirs, both) and json.dumps(both).count(HOOK_SCRIPT_PATHS[0]) == len(ours_of(name))
    assert not any(change.is_needed for change in target.plan_install(place))
    undo(place, target)
    assert (content(file), content(servers)) == (before, before if name != "codex" else None)


def plain_of(data: bytes | None) -> object:
    text = (data or b"").decode()
    return to_python(text, parse_json(text)) if text.lstrip("\ufeff").strip() else {}


def is_within(less: object, more: object) -> bool:
    """Whether everything of the one is in the other, lists in their order."""
    if isinstance(less, dict) and isinstance(more, dict):
        return all(name in more and is_within(one, more[name]) for name, one in less.items())
    if isinstance(less, list) and isinstance(more, list):
        return all(is_within(one, other) for one, other in zip(less, more, strict=False)) and len(less) <= len(more)
    return less == more


def ours_of(name: str) -> list[str]:
    from tacit.hosts import HOSTS

    return [hook.event for hook in HOSTS[name].hooks]


def test_an_entry_is_written_as_its_neighbours_are() -> None:
    assert merged('{\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t' + GROUP + " // mine\n\t\t]\n\t}\n}\n") == (
        '{\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t' + GROUP + ", // mine\n"
        '\t\t\t{\n\t\t\t\t"hooks": [\n\t\t\t\t\t{\n'
        f'\t\t\t\t\t\t"command": "{COMMAND}",\n\t\t\t\t\t\t"timeout": 10\n'
        "\t\t\t\t\t}\n\t\t\t\t]\n\t\t\t}\n\t\t]\n\t}\n}\n"
    )


def test_a_file_on_one_line_stays_on_one_line() -> None:
    ours = json.dumps({"hooks": [ENTRY]}, separators=(",", ":"))
    assert merged('{"a":1}') == '{"a":1,"hooks":{"Stop":[' + ours + "]}}"
    airy = json.dumps({"hooks": [ENTRY]})
    assert merged('{"hooks": {"Stop": [' + GROUP + "]}}\n") == '{"hooks": {"Stop": [' + GROUP + ", " + airy + "]}}\n"


def test_an_empty_file_gets_lines() -> None:
    whole = json.dumps({"hooks": {"Stop": [{"hooks": [ENTRY]}]}}, indent=2)
    assert merged("") == merged("{}\n") == whole + "\n"
    assert merged("{\r\n}\r\n") == whole.replace("\n", "\r\n") + "\r\n"


def test_trailing_commas_and_line_ends_are_kept() -> None:
    after = merged('{\r\n    "a": 1, // one\r\n}\r\n')
    assert after.startswith('{\r\n    "a": 1, // one\r\n    "hooks": {\r\n        "Stop": [')
    assert after.endswith("\r\n    },\r\n}\r\n") and "\n" not in after.replace("\r\n", "")


def installed(before: str) -> tuple[str, Receipt | None]:
    done = json_config_file("s", STOP).insert(before.encode(), None)
    assert done.content is not None
    return done.content.decode(), done.receipt


def taken_out(text: str, receipt: Receipt | None = None) -> str:
    after = json_config_file("s", STOP).remove(text.encode(), receipt)
    assert after is not None
    return after.decode()


def test_an_older_installation_is_brought_up_to_date_where_it_stands() -> None:
    old = f'"/old/python" "/old path/{HOOK_SCRIPT_PATHS[0]}" claude stop'.replace('"', '\\"')
    before = (
        '{"hooks": {"Stop": [{"matcher": "x", "hooks": [{"command": "a"}, {"command": "' + old + '"}, '
        '{"command": "b"}]}], "Gone": [{"hooks": [{"command": "' + old + '"}]}]}}'
    )
    after, _ = installed(before)
    group = {"matcher": "x", "hooks": [{"command": "a"}, ENTRY, {"command": "b"}]}
    assert json.loads(after) == {"hooks": {"Stop": [group]}}
    group["hooks"] = [{"command": "a"}, {"command": "b"}]
    assert json.loads(taken_out(after)) == {"hooks": {"Stop": [group]}}


def test_an_entry_that_stands_twice_is_left_once() -> None:
    twice = json.dumps({"hooks": {"Stop": [{"hooks": [ENTRY]}, {"hooks": [ENTRY]}]}})
    assert json.loads(installed(twice)[0]) == {"hooks": {"Stop": [{"hooks": [ENTRY]}]}}


@pytest.mark.parametrize("before", ['{\n  "a": 1,\n  "hooks": {\n    "Other": []\n  }\n}\n', '{"a": 1}'])
def test_without_a_receipt_our_entries_go_and_what_is_empty_then(before: str) -> None:
    assert taken_out(installed(before)[0]) == before


def test_what_the_person_added_to_ours_stays() -> None:
    after, receipt = installed("")
    edited = after.replace('"hooks": {\n', '"hooks": {\n    "Mine": [], // keep\n', 1)
    assert taken_out(edited, receipt) == '{\n  "hooks": {\n    "Mine": [] // keep\n  }\n}\n'


@pytest.mark.parametrize(
    ("broken", "where"),
    [
        (b'{\n  "hooks": {\n    "Stop": [\n  }\n}', "line 4, column 3"),
        (b'{"a": 1,\n "b" 2}', "line 2, column 6"),
        (b'{"a": "\xff"}', "line 1: it is no UTF-8"),
        (b'{"hooks": []}', "hooks is not an object"),
        (b'{"hooks": {"Stop": {}}}', "hooks.Stop is not a list"),
        (b"[]", "the whole file is not an object"),
        (b"null", "the whole file is not an object"),
    ],
)
def test_a_broken_file_is_refused_with_its_place(
    place: InstallContext, tmp_path: Path, broken: bytes, where: str
) -> None:
    file = tmp_path / FILES["claude"]
    put(file, broken)
    with pytest.raises(RefusedError) as refused:
        TARGETS["claude"].plan_install(place)
    assert refused.value.message.startswith(f"{file}: ") and where in refused.value.message
    assert file.read_bytes() == broken


@pytest.mark.parametrize("name", SERVERS)
def test_the_server_is_registered_only_when_asked_for(place: InstallContext, tmp_path: Path, name: str) -> None:
    file = tmp_path / SERVERS[name]
    apply(place, TARGETS[name])
    assert b'"mcp"' not in (content(file) or b"")
    apply(place._replace(mcp=True), TARGETS[name])
    assert b"/opt/tacit/bin/tacit" in file.read_bytes() and b'"mcp"' in file.read_bytes()
    assert not any(change.is_needed for change in TARGETS[name].plan_install(place))  # it stays
    apply(place._replace(program=("/new/tacit",)), TARGETS[name])
    assert b"/new/tacit" in file.read_bytes() and b"/opt/tacit/bin/tacit" not in file.read_bytes()
    undo(place, TARGETS[name])
    assert not file.exists()


@pytest.mark.parametrize("name", ["claude", "codex"])
def test_another_server_of_that_name_is_left_alone(place: InstallContext, tmp_path: Path, name: str) -> None:
    theirs = {
        "claude": b'{"mcpServers": {"tacit": {"command": "x"}}}',
        "codex": b'[mcp_servers.tacit]\ncommand = "x"\n',
    }
    file = tmp_path / SERVERS[name]
    put(file, theirs[name])
    with pytest.raises(RefusedError, match="another server named tacit"):
        TARGETS[name].plan_install(place._replace(mcp=True))
    undo(place, TARGETS[name])
    assert file.read_bytes() == theirs[name]


@pytest.mark.parametrize("name", AGENTS)
def test_the_folders_that_were_made_go_again(place: InstallContext, tmp_path: Path, name: str) -> None:
    apply(place._replace(mcp=True), TARGETS[name])
    undo(place, TARGETS[name])
    assert [path.name for path in tmp_path.iterdir()] == [".agents"]


@pytest.mark.parametrize("name", AGENTS)
def test_a_named_home_is_carried_and_every_word_is_quoted(place: InstallContext, tmp_path: Path, name: str) -> None:
    named = place._replace(
        home=str(tmp_path / "my home"), is_home_explicit=True, interpreter="/opt/a b/python", mcp=True
    )
    after = b"".join(change.after or b"" for change in TARGETS[name].plan_install(named)).decode()
    entries = len(ours_of(name))
    if name == "opencode":
        assert after.count(f'"--home",\n    "{tmp_path}/my home"') == entries
    else:
        assert after.count(f"--home '{tmp_path}/my home'") == entries
        assert after.count("'/opt/a b/python' -I -S ") == entries
    assert f'"mcp", "--home", "{tmp_path}/my home"' in " ".join(after.split())
    assert "--home" not in "".join(str(change.after) for change in TARGETS[name].plan_install(place))


def test_the_hosts_own_variables_are_followed(place: InstallContext, tmp_path: Path) -> None:
    variables = {"CLAUDE_CONFIG_DIR": "c", "CODEX_HOME": "x", "COPILOT_HOME": "o", "XDG_CONFIG_HOME": "g"}
    named = {name: str(tmp_path / "else" / folder) for name, folder in variables.items()}
    place = place._replace(environment={**place.environment, **named}, mcp=True)
    for name in ("claude", "codex", "copilot", "opencode"):
        changes = [change for change in TARGETS[name].plan_install(place) if "/.agents/skills/" not in change.path]
        assert changes and all("/else/" in change.path for change in changes)


def test_a_receipt_of_another_life_does_no_harm(place: InstallContext, tmp_path: Path) -> None:
    """Installed into nothing, then the file was replaced by one of theirs with an empty `hooks`."""
    file, theirs = tmp_path / FILES["claude"], b'{"hooks": {}, "a": 1}'
    apply(place, TARGETS["claude"])
    file.write_bytes(theirs)
    undo(place, TARGETS["claude"])
    assert file.read_bytes() == theirs
    apply(place, TARGETS["claude"])
    undo(place, TARGETS["claude"])
    assert file.read_bytes() == theirs


@pytest.mark.parametrize(
    "damage", [b"", b"[", b"{}", b'[{"path": 1}]', b"[[]]", b"\xff", b'[{"path": "x", "before": ""}]']
)
def test_a_damaged_receipt_is_none(place: InstallContext, damage: bytes) -> None:
    apply(place, TARGETS["claude"])
    receipt = Path(place.home, ".tacit", "installed", "claude.json")
    assert receipt.stat().st_mode & 0o777 == 0o600
    receipt.write_bytes(damage)
    assert read_receipts(place.home, "claude") == {}
    undo(place, TARGETS["claude"])


def test_a_file_of_somebody_else_in_the_place_of_ours_is_left_alone(place: InstallContext, tmp_path: Path) -> None:
    file = tmp_path / ".config/opencode/plugins/tacit.js"
    put(file, b"export const Mine = 1\n")
    with pytest.raises(RefusedError, match="not from Tacit"):
        TARGETS["opencode"].plan_install(place)
    undo(place, TARGETS["opencode"])
    assert file.read_bytes() == b"export const Mine = 1\n"


def test_what_stays_of_a_killed_installation_is_cleared_away(place: InstallContext, tmp_path: Path) -> None:
    file = tmp_path / FILES["claude"]
    put(file, b"{}")
    dead, alive = (file.with_name(f".settings.json.tacit-{number}") for number in (2**22 + 7, os.getppid()))
    dead.write_bytes(b"half")
    alive.write_bytes(b"half")
    apply(place, TARGETS["claude"])
    assert not dead.exists() and alive.exists()


def test_a_server_beside_hooks_in_one_file(place: InstallContext, tmp_path: Path) -> None:
    server = McpServerEntry(("mcpServers", "tacit"), {"command": "tacit", "args": ["mcp"]})
    both = merged('{"a": 1}', STOP._replace(server=server))
    assert json.loads(both)["mcpServers"] == {"tacit": server.value} and has_our_hook(both)


@pytest.mark.parametrize(
    "around", ['{"hooks": {"Stop": [%s]}}', '{\n  "hooks": {\n    "Stop": [\n      %s\n    ]\n  }\n}\n']
)
def test_what_the_person_writes_behind_ours_moves_up(around: str) -> None:
    between = ",\n      " if "\n" in around else ", "
    text, receipt = installed(around % GROUP)
    end = text.rindex("\n    ]" if "\n" in around else "]}}")
    edited = text[:end] + between + '{"later": 1}' + text[end:]
    assert taken_out(edited, receipt) == around % (GROUP + between + '{"later": 1}')


def test_a_list_of_theirs_stays_though_they_emptied_it() -> None:
    text, receipt = installed('{"hooks": {"Stop": [' + GROUP + "]}}")
    assert taken_out(text.replace(GROUP + ", ", ""), receipt) == '{"hooks": {"Stop": []}}'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"hooks": {"Stop": [{"id": 7, "hooks": [%s]}]}}', '{"hooks": {"Stop": [{"id": 7, "hooks": []}]}}'),
        ('{"hooks": {"Stop": [ // mine\n  %s]}}', '{"hooks": {"Stop": [ // mine\n]}}'),
        ('{"hooks": {"Stop": [1, // mine\n  %s, 2]}}', '{"hooks": {"Stop": [1, // mine\n 2]}}'),
    ],
    ids=["a group that says more than we wrote", "a comment before ours", "a comment between others"],
)
def test_what_is_around_ours_stays(before: str, after: str) -> None:
    assert taken_out(before % json.dumps(ENTRY)) == after
