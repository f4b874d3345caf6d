"""The hook about a tool call, started as a host starts it: it says what is known of the call, or nothing at all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from harness.person import Person
from harness.transcripts import Claude, lines, name_of, place

from tacit.hooks import agent, calls
from tacit.hooks.agent import _may_matter
from tests.support.hook_session import text_in

WISH = "Let uploads be tried three times, because the proxy drops large files."
FIX = "When `./check` fails with “database kestrel is not seeded”, run `./seed` first."
FAILED = "Exit code 1\nerror: database kestrel is not seeded (5 tables)"
OLD = 1_000_000_000  # a time long ago, of a file


@pytest.fixture
def person(tmp_path: Path) -> Person:
    """Somebody with a known fix and a session that changed a file."""
    person = Person(tmp_path)
    shop = person.repository("shop", remote="git@example.org:kim/shop.git")
    person.tacit("add", FIX, "--kind", "known_fix", cwd=shop)
    teller = Claude(name_of("before"), str(shop))
    teller.ask(WISH)
    edit = {"file_path": f"{shop}/uploads.py", "old_string": "a", "new_string": "retry_count = 3"}
    for path in (edit["file_path"], f"{shop}/downloads.py"):
        teller.call("Edit", {**edit, "file_path": path})
    file = place(person.folder, "claude", teller.session)
    file.write_bytes(lines(teller.records))
    person.tacit("capture", str(file))
    return person


class Told(NamedTuple):
    """A call of a tool as a host tells a hook of it."""

    host: str
    event: str
    payload: dict[str, Any]


def edit(person: Person, name: str = "uploads.py", session: str = "now", text: str = "retry_count = 5") -> Told:
    arguments = {"file_path": str(person.folder / "shop" / name), "old_string": "x", "new_string": text}
    return Told("claude", "PreToolUse", _payload(person, session, tool_name="Edit", tool_input=arguments))


def failure(person: Person, session: str = "now", command: str = "./check", **more: object) -> Told:
    fields = {"tool_name": "Bash", "tool_input": {"command": command}, "error": FAILED, **more}
    return Told("claude", "PostToolUseFailure", _payload(person, session, **fields))


def _payload(person: Person, session: str, **fields: object) -> dict[str, Any]:
    return {"session_id": session, "cwd": str(person.folder / "shop"), **fields}


def run(person: Person, told: Told, *words: str, data: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    """Start the hook; `words` are options of the interpreter."""
    command = [sys.executable, "-I", "-S", *words, agent.__file__, told.host, "call", told.event]
    given = json.dumps(told.payload).encode() if data is None else data
    command += ["--home", str(person.home)]
    return subprocess.run(command, input=given, env=person.environment(), capture_output=True, check=False)


def hook(person: Person, told: Told, data: bytes | None = None) -> bytes:
    """What the hook prints. It ends with 0 and says nothing on standard error, whatever happens."""
    done = run(person, told, data=data)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


def answer(person: Person, told: Told, **variables: str) -> str:
    """What the worker of the hook answers, in this process: the text for the model."""
    with person.at(None, None, **variables):
        return text_in(calls.answer(told.host, told.event, json.dumps(told.payload).encode(), str(person.home)))


# What hosts are told


def of_host(person: Person) -> dict[str, tuple[Told, Told]]:
    """An edit and a failed command, as each host tells of them."""
    path = str(person.folder / "shop" / "uploads.py")
    patch = f"*** Begin Patch\n*** Update File: {path}\n@@\n-a\n+retry_count = 5\n*** End Patch"
    check = {"command": "./check"}

    def told(host: str, event: str, tool: str, arguments: object, **fields: object) -> Told:
        if host == "copilot":
            own = {"sessionId": "now", "cwd": str(person.folder / "shop"), "toolName": tool, "toolArgs": arguments}
            return Told(host, event, {**own, **fields})
        return Told(host, event, _payload(person, "now", tool_name=tool, tool_input=arguments, **fields))

    return {
        "claude": (edit(person), failure(person)),
        "codex": (
            told("codex", "PreToolUse", "apply_patch", {"command": patch}),
            told("codex", "PostToolUse", "Bash", check, tool_response=FAILED),
        ),
        "gemini": (
            told("gemini", "AfterTool", "write_file", {"file_path": path, "content": "retry_count = 5"}),
            told("gemini", "AfterTool", "run_shell_command", check, tool_response={"llmContent": FAILED}),
        ),
        "copilot": (
            told("copilot", "preToolUse", "create", {"path": path, "file_text": "retry_count = 5"}),
            told("copilot", "postToolUse", "bash", check, toolResult={"textResultForLlm": FAILED}),
        ),
        "opencode": (
            told("opencode", "tool.execute.after", "edit", {"filePath": path, "newString": "retry_count = 5"}),
            told("opencode", "tool.execute.after", "bash", check, tool_response=FAILED, exit=1),
        ),
    }


@pytest.mark.parametrize("host", ["claude", "codex", "gemini", "copilot", "opencode"])
def test_each_host_is_told_why_a_file_was_changed_and_the_fix_of_what_failed(person: Person, host: str) -> None:
    edited, failed = of_host(person)[host]
    changed, fixed = answer(person, edited), answer(person, failed)

    assert "uploads.py, last changed" in changed and WISH in changed
    assert FIX in fixed
    assert answer(person, edited) == answer(person, failed) == ""  # each once


def test_the_hook_prints_what_its_worker_answers(person: Person) -> None:
    """On a machine that stands still a worker reaches its deadline: that shows nothing, and is tried again."""
    sessions = [f"now {number}" for number in range(12)]
    changed = next(filter(None, (hook(person, edit(person, session=session)) for session in sessions)), b"")
    fixed = next(filter(None, (hook(person, failure(person, session)) for session in sessions)), b"")

    assert json.loads(changed)["hookSpecificOutput"]["hookEventName"] == "PreToolUse"
    assert WISH in text_in(changed) and FIX in text_in(fixed)


def test_an_edit_by_a_patch_within_a_command_is_one_too(person: Person) -> None:
    patch = "apply_patch <<'E'\n*** Begin Patch\n*** Update File: uploads.py\n+retry_count = 5\n*** End Patch\nE"
    fields = {"tool_name": "Bash", "tool_input": {"command": patch}}

    assert WISH in answer(person, Told("codex", "PreToolUse", _payload(person, "now", **fields)))


def test_a_command_that_is_about_to_run_has_not_failed(person: Person) -> None:
    about_to_run = failure(person)._replace(event="PreToolUse")

    assert hook(person, about_to_run) == b"" and answer(person, about_to_run) == ""


def test_a_command_that_did_not_fail_or_that_the_person_stopped_is_told_nothing(person: Person) -> None:
    codex = of_host(person)["codex"][1]
    fine = {**codex.payload, "tool_response": "the database kestrel is seeded, 5 tables"}

    assert answer(person, codex._replace(payload=fine)) == ""
    assert answer(person, failure(person, is_interrupt=True)) == ""
    assert FIX in answer(person, codex) and FIX in answer(person, failure(person))


def test_the_folder_of_a_command_says_what_holds_for_it(person: Person) -> None:
    gemini = of_host(person)["gemini"][1]
    payload = {**gemini.payload, "cwd": str(person.folder)}
    below = {**payload, "tool_input": {**payload["tool_input"], "dir_path": "shop"}}

    assert answer(person, gemini._replace(payload=payload)) == ""
    assert FIX in answer(person, gemini._replace(payload=below))


def test_cursor_which_runs_the_hooks_of_claude_code_is_told_nothing(person: Person) -> None:
    told = edit(person)

    assert answer(person, told._replace(payload={**told.payload, "cursor_version": "1.7"})) == ""
    assert answer(person, told._replace(host="cursor")) == ""
    assert WISH in answer(person, told)


# The gate


@pytest.mark.parametrize(
    ("event", "arguments"),
    [
        ("PreToolUse", {"file_path": "/a", "new_string": "x"}),
        ("PreToolUse", {"file_path": "/a", "edits": [{"old_string": "x"}]}),
        ("PreToolUse", {"file_path": "/a", "content": "x"}),
        ("PreToolUse", {"notebook_path": "/a", "new_source": "x"}),
        ("PreToolUse", {"command": "*** Begin Patch\n*** Update File: a"}),
        ("preToolUse", {"path": "/a", "file_text": "x"}),
        ("preToolUse", {"path": "/a", "new_str": "x"}),
        ("preToolUse", '{"path": "/a", "content": "x"}'),
        ("tool.execute.after", {"filePath": "/a", "newString": "x"}),
        ("AfterTool", {"file_path": "/a", "content": "x"}),
        ("PostToolUseFailure", {"command": "make"}),
        ("PostToolUse", {"command": "make"}),
        ("postToolUse", {"command": "make"}),
        ("tool.execute.after", {"command": "make"}),
        ("AfterTool", {"command": "make"}),
    ],
)
def test_edits_and_commands_that_were_run_matter(event: str, arguments: object) -> None:
    assert _may_matter(event, json.dumps({"tool_input": arguments}).encode())


@pytest.mark.parametrize(
    ("event", "arguments"),
    [
        ("PreToolUse", {"command": "make"}),
        ("preToolUse", {"command": "make"}),
        ("PreToolUse", {"file_path": "/a"}),
        ("PostToolUse", {"pattern": "x", "path": "/a"}),
        ("AfterTool", {}),
    ],
)
def test_commands_that_are_still_to_run_and_other_tools_do_not(event: str, arguments: object) -> None:
    assert not _may_matter(event, json.dumps({"tool_input": arguments}).encode())


# The hook, of which somebody notices that it starts a worker.
_WATCHED = """
import os, runpy, sys
os.fork = lambda: os.write(1, b"a worker") and os._exit(0)
sys.argv = {argv!r}
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def test_a_call_that_does_not_matter_starts_no_worker_and_imports_nothing(person: Person) -> None:
    def printed(told: Told) -> bytes:
        argv = [agent.__file__, told.host, "call", told.event, "--home", str(person.home)]
        words = [sys.executable, "-I", "-S", "-c", _WATCHED.format(argv=argv)]
        data, environment = json.dumps(told.payload).encode(), person.environment()
        return subprocess.run(words, input=data, env=environment, capture_output=True, check=True).stdout

    about_to_run = failure(person)._replace(event="PreToolUse")
    done = run(person, about_to_run, "-X", "importtime")
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}

    assert [printed(told) for told in (about_to_run, failure(person), edit(person))] == [b"", b"a worker", b"a worker"]
    assert (done.returncode, done.stdout) == (0, b"")
    assert loaded and not [name for name in loaded if name.startswith("tacit") or name in ("re", "json", "enum")]


GARBAGE = {
    "nothing": b"",
    "no JSON": b'"new_string" "command"',
    "no object": b'["new_string", "command"]',
    "half": b'{"tool_name": "Edit", "tool_input": {"new_string": "x',
    "deep": b'{"new_string": ' + b"[" * 200_000,
    "no text": b'{"new_string": "\xff\xfe\0", "command": 1}',
    "wrong types": b'{"session_id": 5, "cwd": [], "tool_name": {}, "tool_input": {"new_string": 1, "file_path": null}}',
    "no path": b'{"session_id": "s", "cwd": "", "tool_name": "Edit",'
    b' "tool_input": {"file_path": "", "new_string": ""}}',
    "a NUL in a path": b'{"session_id": "s", "cwd": "/", "tool_name": "Edit", "tool_input":'
    b' {"file_path": "\\u0000\\ud800", "new_string": "\\ud800"}}',
    "a strange session": b'{"session_id": "../\\ud800\\u0000", "cwd": "/", "tool_name": "Edit", "tool_input":'
    b' {"file_path": "/x", "new_string": ""}}',
    "a strange failure": b'{"session_id": "s", "cwd": "\\u0000", "tool_name": "Bash", "tool_input": {"command": "x"},'
    b' "error": "\\ud800"}',
    "arguments as bad text": b'{"session_id": "s", "toolName": "edit", "toolArgs": "{new_string"}',
    "an endless number": b'{"new_string": ' + b"9" * 1_000_000 + b"}",
}


@pytest.mark.parametrize("data", GARBAGE.values(), ids=GARBAGE)
@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUseFailure", "Nothing"])
def test_input_that_is_not_understood_is_answered_with_nothing(person: Person, data: bytes, event: str) -> None:
    assert hook(person, Told("claude", event, {}), data) == b""


@pytest.mark.parametrize(("host", "event"), [("nobody", "PreToolUse"), ("", ""), ("claude", "PreToolUse\0")])
def test_a_host_or_an_event_that_nobody_knows_is_answered_with_nothing(person: Person, host: str, event: str) -> None:
    payload = json.dumps(edit(person).payload).encode()
    with person.at():
        assert calls.answer(host, event, payload, str(person.home)) == ""


# What cannot be told


def test_what_was_switched_off_is_not_told(person: Person) -> None:
    off = {"TACIT_AUTOCAPTURE_INJECT_ON_TOOLS": "false"}
    assert answer(person, edit(person), **off) == answer(person, failure(person), **off) == ""
    person.tacit("config", "set", "autocapture.inject_on_tools", "false")
    assert answer(person, edit(person)) == answer(person, failure(person)) == ""
    person.tacit("config", "set", "autocapture.inject_on_tools", "true")

    assert WISH in answer(person, edit(person)) and FIX in answer(person, failure(person))


def test_without_a_home_nothing_is_told_and_none_is_made(person: Person) -> None:
    told = edit(person)
    person.home = person.folder / "nowhere"

    assert hook(person, told) == b"" and not person.home.exists()


def test_an_index_that_cannot_be_read_is_answered_with_nothing(person: Person) -> None:
    for path in person.home.glob("index.sqlite*"):
        path.unlink()
    (person.home / "index.sqlite").mkdir()

    assert hook(person, edit(person)) == b"" and hook(person, failure(person)) == b""


# A worker that does something else; the hook itself is the real one.
_INSTEAD = """
import os, runpy, sys, time
sys.path.append({source!r})
from tacit.hooks import calls
def answer(*_):
    {instead}
calls.answer = answer
sys.argv = {argv!r}
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.mark.parametrize(
    "instead",
    ["time.sleep(60)", "os.kill(os.getpid(), 9)", "raise SystemExit(2)", "os.closerange(0, 99); os.abort()"],
    ids=["hangs", "is killed", "gives up", "crashes"],
)
def test_of_a_worker_that_fails_nothing_is_heard(person: Person, instead: str) -> None:
    """Also not the standing rules, which are for the start of a session and for prompts."""
    person.tacit("add", "never force push to main", cwd=person.folder / "shop")
    argv = [agent.__file__, "claude", "call", "PreToolUse", "--home", str(person.home)]
    source = str(Path(agent.__file__).parents[2])
    code = _INSTEAD.format(source=source, instead=instead, argv=argv)
    data = json.dumps(edit(person).payload).encode()
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code],
        input=data,
        env=person.environment(),
        capture_output=True,
        check=False,
        timeout=30,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


# Which files a session has edited


def markers(person: Person) -> dict[str, bytes]:
    folder = person.home / ".tacit" / "edits"
    return {path.name: path.read_bytes() for path in folder.iterdir()} if folder.exists() else {}


_LOADED = """
import sys
from tacit.hooks import calls
calls.answer('claude', 'PreToolUse', {given!r}, {home!r})
print(*(name for name in sys.modules if name.startswith('tacit')))
"""


def test_a_file_that_was_edited_before_is_known_without_the_index(person: Person) -> None:
    code = _LOADED.format(given=json.dumps(edit(person).payload).encode(), home=str(person.home))

    def loaded() -> set[str]:
        words, environment = [sys.executable, "-I", "-c", code], person.environment()
        return set(subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout.split())

    assert "tacit.inject" in loaded()
    again = loaded()
    assert "tacit.hooks.calls" in again
    assert not {"tacit.inject", "tacit.home.home", "tacit.home.settings", "tacit.index.database"} & again


def test_a_file_is_marked_without_its_name(person: Person) -> None:
    answer(person, edit(person))
    answer(person, edit(person, "secret-plans.py"))
    (marked,) = markers(person).items()

    assert len(marked[1]) == 16  # a digest for each of the two
    assert b"uploads" not in marked[1] and b"secret" not in marked[1] and "now" not in marked[0]
    modes = [path.stat().st_mode & 0o777 for path in sorted((person.home / ".tacit").glob("edits/**"))]
    assert modes == [0o700] and (person.home / ".tacit" / "edits" / marked[0]).stat().st_mode & 0o777 == 0o600


def test_the_digest_of_a_file_is_another_one_in_each_session(person: Person) -> None:
    for session in ("one", "two"):
        answer(person, edit(person, session=session))

    first, second = markers(person).values()
    assert first != second and len(first) == len(second) == 8


def test_sessions_and_hosts_do_not_share_what_they_have_edited(person: Person) -> None:
    opencode = of_host(person)["opencode"][0]

    assert WISH in answer(person, edit(person))
    assert WISH in answer(person, edit(person, session="another"))
    assert WISH in answer(person, opencode)
    assert answer(person, edit(person)) == answer(person, opencode) == ""


def test_a_command_marks_nothing_and_is_told_although_its_session_edited_before(person: Person) -> None:
    assert FIX in answer(person, failure(person)) and markers(person) == {}
    answer(person, edit(person, session="another"))

    assert FIX in answer(person, failure(person, "another"))


def test_nothing_is_marked_where_nothing_may_be_told(person: Person) -> None:
    assert answer(person, edit(person), TACIT_AUTOCAPTURE_INJECT_ON_TOOLS="false") == ""
    assert markers(person) == {}


def test_a_session_of_very_many_files_is_told_no_more(person: Person) -> None:
    answer(person, edit(person))
    (name,) = markers(person)
    path = person.home / ".tacit" / "edits" / name
    path.write_bytes(b"".join(number.to_bytes(8, "big") for number in range(2000)))

    assert answer(person, edit(person)) == "" and len(path.read_bytes()) == 16_000


def test_a_damaged_marker_costs_at_most_that_something_is_said_again(person: Person) -> None:
    answer(person, edit(person))
    (name,) = markers(person)
    (person.home / ".tacit" / "edits" / name).write_bytes(b"\xff" * 13)

    assert WISH in answer(person, edit(person))


def test_a_marker_is_not_reached_through_a_link(person: Person) -> None:
    answer(person, edit(person))
    (name,) = markers(person)
    path, other = person.home / ".tacit" / "edits" / name, person.folder / "diary.txt"
    other.write_text("a private sentence\n")
    path.unlink()
    path.symlink_to(other)
    hook(person, edit(person))

    assert other.read_text() == "a private sentence\n"


def test_markers_of_sessions_that_are_long_over_are_deleted(person: Person) -> None:
    answer(person, edit(person, session="first"))
    (first,) = markers(person)
    folder = person.home / ".tacit" / "edits"
    for number in range(200):
        (folder / f"{number:032x}").write_bytes(b"12345678")
        if number % 2:
            os.utime(folder / f"{number:032x}", (OLD, OLD))
    answer(person, edit(person, session="second"))

    left = set(markers(person))
    assert len(left) == 102 and first in left
    assert f"{2:032x}" in left and f"{1:032x}" not in left
