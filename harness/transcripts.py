"""Small transcripts of every host, written out of one story: what a test captures, cuts, grows and rewrites.

A story is a list of turns. Each host tells it in its own records; the oddities that real files have are put in by name.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import NamedTuple
from uuid import UUID, uuid5

Object = dict[str, object]
BEGAN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
CONTEXT = "<tacit-memory 0123456789abcdef0123>\n- A memory that was put there.\n</tacit-memory 0123456789abcdef0123>\n"
_NAMES = UUID("5e55a000-0000-4000-8000-00000000cafe")


class Turn(NamedTuple):
    """What was asked, what the agent ran and changed, and what it said in the end. `put` is what a hook put there."""

    asked: str
    ran: str = ""
    result: str = "ok"
    changed: str = ""
    reply: str = "It is done as you asked."
    put: str = CONTEXT


def name_of(*words: object) -> str:
    """A UUID that is always the same for the same words."""
    return str(uuid5(_NAMES, " ".join(map(str, words))))


def story(name: str, turns: int) -> list[Turn]:
    """Turns that differ from those of every other story."""
    return [
        Turn(
            f"{name}: please do task number {number} of the {name} list",
            f"make {name}-{number}",
            f"built {name} {number}",
            f"src/{name}_{number}.py",
            f"Task number {number} of {name} is finished, all of it works.",
        )
        for number in range(1, turns + 1)
    ]


class Clock:
    """Times of records, one second after another."""

    def __init__(self, began: datetime = BEGAN) -> None:
        self._at = began

    def __call__(self, seconds: int = 1) -> str:
        self._at += timedelta(seconds=seconds)
        return self._at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def claude_session(
    folder: Path, session: str, directory: str, turns: Iterable[Turn], began: datetime | None = None
) -> Path:
    """A session with Claude Code, in a file where it writes them."""
    teller = Claude(session, directory, began or BEGAN)
    for turn in turns:
        teller.turn(turn)
    file = place(folder, "claude", session)
    file.write_bytes(lines(teller.records))
    return file


def lines(records: Sequence[Object]) -> bytes:
    return b"".join(line(record) for record in records)


def line(record: Object) -> bytes:
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


# Claude Code


class Claude:
    """Writes the records of one session. `put` is what a hook said, which the host writes down in three places."""

    def __init__(self, session: str, directory: str, began: datetime = BEGAN, branch: str = "main") -> None:
        self.session, self.directory, self.branch = session, directory, branch
        self.clock, self._numbers = Clock(began), count(1)
        self.records: list[Object] = []

    def say(self, kind: str, message: Object | None = None, **more: object) -> Object:
        common: Object = {"parentUuid": None, "isSidechain": False, "userType": "external", "cwd": self.directory}
        common |= {"sessionId": self.session, "version": "2.1.40", "gitBranch": self.branch, "type": kind}
        said: Object = {"message": message} if message else {}
        stamp: Object = {"uuid": name_of(self.session, next(self._numbers)), "timestamp": self.clock()}
        record = {**common, **said, **more, **stamp}
        self.records.append(record)
        return record

    def ask(self, text: str) -> Object:
        return self.say("user", {"role": "user", "content": text})

    def reply(self, text: str) -> Object:
        return self.say("assistant", _by_model({"type": "text", "text": text}))

    def call(self, tool: str, given: Object, result: str = "ok", *, error: bool = False, aside: bool = False) -> None:
        own = f"toolu_{name_of(self.session, tool, next(self._numbers)).replace('-', '')}"
        more: Object = {"isSidechain": True} if aside else {}
        self.say("assistant", _by_model({"type": "tool_use", "id": own, "name": tool, "input": given}), **more)
        block: Object = {"tool_use_id": own, "type": "tool_result", "content": result}
        self.say("user", {"role": "user", "content": [{**block, **({"is_error": True} if error else {})}]}, **more)

    def queue(self, operation: str, text: str = "") -> None:
        content: Object = {"content": text} if text else {}
        record: Object = {"type": "queue-operation", "operation": operation, "timestamp": self.clock()}
        self.records.append({**record, "sessionId": self.session, **content})

    def compact(self) -> None:
        self.say("system", subtype="compact_boundary", content="Conversation compacted")
        summary = "This session is being continued from a previous conversation that ran out of context. A summary."
        self.say("user", {"role": "user", "content": summary}, isCompactSummary=True, isVisibleInTranscriptOnly=True)

    def put(self, event: str, text: str) -> None:
        given: Object = {"type": "hook_additional_context", "content": [text], "hookEvent": event}
        self.say("attachment", attachment=given)
        self.records.append({"type": "api-request-blob", "messages": [{"role": "system", "content": text}]})
        self.say("attachment", attachment={"type": "prompt_snapshot", "prompt": text})

    def title(self, kind: str, text: str) -> None:
        """As the host notes it: without a time."""
        field = {"custom-title": "customTitle", "ai-title": "aiTitle"}[kind]
        self.records.append({"type": kind, field: text, "sessionId": self.session})

    def turn(self, turn: Turn) -> None:
        if turn.put:
            self.put("UserPromptSubmit", turn.put)
        self.ask(turn.asked)
        self.reply("I will look into it first.")
        if turn.ran:
            self.call("Bash", {"command": turn.ran, "description": "Run"}, turn.result)
        if turn.changed:
            self.call("Edit", {"file_path": f"{self.directory}/{turn.changed}", "old_string": "a", "new_string": "b"})
        self.reply(turn.reply)
        self.say("system", subtype="turn_duration", durationMs=1)

    def helper(self, number: int) -> list[Object]:
        """The transcript of a helper that worked for this session."""
        own = Claude(self.session, self.directory, BEGAN + timedelta(minutes=1, seconds=number))
        own._numbers = count(10_000 * (number + 1))
        own.say("user", {"role": "user", "content": "You are a helper. Find every leftover."}, isSidechain=True)
        own.call("Edit", {"file_path": f"{self.directory}/helped_{number}.py"}, aside=True)
        own.say("assistant", _by_model({"type": "text", "text": "A helper's words."}), isSidechain=True)
        return [{**record, "agentId": f"a{number}"} for record in own.records]


def _by_model(block: Object) -> Object:
    return {"id": "msg_1", "role": "assistant", "model": "m", "content": [block]}


def claude(session: str, directory: str, turns: Sequence[Turn]) -> list[Object]:
    """With a text typed while the agent worked, a compaction in the middle, and titles by the host and the person."""
    teller = Claude(session, directory)
    teller.records.append({"type": "summary", "summary": "Another session", "leafUuid": "x"})
    teller.title("ai-title", "Before anything was asked")
    for number, turn in enumerate(turns, 1):
        teller.turn(turn)
        teller.title("custom-title", f"The list, part {number}")
        teller.title("ai-title", f"Lists after turn {number}")
        leaf = teller.records[-3]["uuid"]
        teller.records.append({"type": "summary", "summary": f"Summary {number}", "leafUuid": leaf})
        if number == 1:
            teller.ask(f"{turn.asked}, and more of it")
            teller.queue("enqueue", f"{turn.asked}: also the documents")
            teller.call("Bash", {"command": "false"}, "Exit code 1", error=True)
            teller.queue("remove")
            teller.compact()
    return teller.records


# Codex


def codex(session: str, directory: str, turns: Sequence[Turn]) -> list[Object]:
    clock = Clock()

    def say(kind: str, payload: Object) -> None:
        records.append({"timestamp": clock(), "type": kind, "payload": payload})

    def message(role: str, text: str, number: object, mark: str) -> None:
        part = "output_text" if role == "assistant" else "input_text"
        marks: Object = {"internal_chat_message_metadata_passthrough": {"turn_id": "t", "content_item_kinds": [mark]}}
        said: Object = {"type": "message", "id": f"msg_{name_of(session, role, number)}", "role": role}
        say("response_item", {**said, "content": [{"type": part, "text": text}], **(marks if mark else {})})

    records: list[Object] = []
    say("session_meta", {"id": session, "session_id": session, "cwd": directory, "git": {"branch": "main"}})
    for number, turn in enumerate(turns, 1):
        say("event_msg", {"type": "task_started", "turn_id": f"t{number}"})
        say("turn_context", {"turn_id": f"t{number}", "cwd": directory})
        message("developer", turn.put, number, "hooks.additional_context")
        message("user", turn.asked, number, "user.text")
        item: Object = {"type": "UserMessage", "id": f"u{number}", "content": [{"type": "text", "text": turn.asked}]}
        say("event_msg", {"type": "item_completed", "item": item})
        own = f"call_{name_of(session, 'call', number)}"
        given = json.dumps({"cmd": turn.ran})
        say("response_item", {"type": "function_call", "name": "exec_command", "call_id": own, "arguments": given})
        output = f"Process exited with code 0\nOutput:\n{turn.result}\n"
        say("response_item", {"type": "function_call_output", "call_id": own, "output": output})
        patch = f"*** Begin Patch\n*** Update File: {turn.changed}\n*** End Patch"
        own = f"call_{name_of(session, 'patch', number)}"
        say("response_item", {"type": "custom_tool_call", "name": "apply_patch", "call_id": own, "input": patch})
        say("response_item", {"type": "custom_tool_call_output", "call_id": own, "output": "Success."})
        message("assistant", turn.reply, number, "")
        if number == 1:
            say("compacted", {"message": "A summary", "replacement_history": []})
        say("event_msg", {"type": "task_complete", "turn_id": f"t{number}"})
    return records


# Gemini CLI


def gemini(session: str, directory: str, turns: Sequence[Turn]) -> list[Object]:
    """With the context of a hook in the words of the person, and messages that a resumption says again later."""
    clock = Clock()
    head: Object = {"sessionId": session, "projectHash": "h", "startTime": clock(), "kind": "main"}
    where = f"<session_context>\nThis is the Gemini CLI.\n- **Workspace Directories:**\n  - {directory}\n- **Directory"
    seed: Object = {"id": name_of(session, "seed"), "timestamp": clock(), "type": "user"}
    seed |= {"content": [{"text": f"{where} Structure:**\n</session_context>"}]}
    records: list[Object] = [head, {"$set": {"messages": [seed]}}]
    said: list[Object] = []
    for number, turn in enumerate(turns, 1):
        parts: list[Object] = [{"text": turn.asked}, {"text": f"<hook_context>{turn.put}</hook_context>"}]
        asked: Object = {"id": name_of(session, "asked", number), "timestamp": clock(), "type": "user"}
        own: Object = {"id": name_of(session, "said", number), "timestamp": clock(), "type": "gemini"}
        called = [
            _of_gemini(session, number, "run_shell_command", {"command": turn.ran}, f"Output: {turn.result}"),
            _of_gemini(session, number, "write_file", {"file_path": turn.changed, "content": "x"}, "Written."),
        ]
        told = [{**asked, "content": parts}, {**own, "content": turn.reply}]
        records += [*told, {**own, "content": turn.reply, "toolCalls": called}, {"$set": {"lastUpdated": clock()}}]
        said += told
        if number == 1:
            again: list[Object] = [{**one, "timestamp": clock(3600)} for one in said]
            records += [head, {"$set": {"messages": [seed, *again]}}]
    return records


def _of_gemini(session: str, number: int, tool: str, args: Object, output: str) -> Object:
    own = f"{tool}-{name_of(session, tool, number)}"
    response: Object = {"id": own, "name": tool, "response": {"output": output}}
    return {"id": own, "name": tool, "args": args, "result": [{"functionResponse": response}], "status": "success"}


# Copilot CLI


def copilot(session: str, directory: str, turns: Sequence[Turn]) -> list[Object]:
    clock, numbers = Clock(), count(1)

    def say(kind: str, **told: object) -> None:
        own = name_of(session, next(numbers))
        records.append({"type": kind, "data": told, "id": own, "timestamp": clock(), "parentId": None})

    def call(tool: str, given: Object, result: str) -> None:
        own = f"call_{name_of(session, tool, next(numbers))}"
        say("tool.execution_start", toolCallId=own, toolName=tool, arguments=given)
        say("tool.execution_complete", toolCallId=own, success=True, result={"content": result})

    records: list[Object] = []
    say("session.start", sessionId=session, context={"cwd": directory, "branch": "main"})
    for turn in turns:
        reminded = f"{turn.asked}\n\n<system_reminder>\n{turn.put}\n</system_reminder>"
        say("user.message", content=turn.put)
        say("user.message", content=turn.asked, transformedContent=reminded, delivery="idle")
        call("bash", {"command": turn.ran}, turn.result)
        call("edit", {"path": f"{directory}/{turn.changed}"}, "Edited.")
        say("assistant.message", content=turn.reply)
    say("session.compaction_complete", success=True, summaryContent="A summary")
    return records


# OpenCode

_SCHEMA = """
CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT NOT NULL, time_created INTEGER,
    time_updated INTEGER);
CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER,
    data TEXT);
"""


def opencode(path: Path, session: str, directory: str, turns: Sequence[Turn]) -> None:
    """A database, grown turn by turn by whoever calls this again with more turns."""
    path.parent.mkdir(parents=True, exist_ok=True)
    at = int(BEGAN.timestamp() * 1000)
    with closing(sqlite3.connect(path)) as database, database:
        if not database.execute("SELECT 1 FROM sqlite_master").fetchone():
            database.executescript(_SCHEMA)
        database.execute("INSERT OR REPLACE INTO session VALUES (?, NULL, ?, ?, ?)", (session, directory, at, at))
        for number, turn in enumerate(turns, 1):
            _put(database, session, number, turn, at + 60_000 * number)


def _put(database: sqlite3.Connection, session: str, number: int, turn: Turn, at: int) -> None:
    def say(role: str, at: int, *parts: Object) -> None:
        own = f"msg_{name_of(session, role, number)}"
        told: Object = {"role": role, "time": {"created": at, "completed": at + 5}}
        database.execute(
            "INSERT OR REPLACE INTO message VALUES (?, ?, ?, ?, ?)", (own, session, at, at, json.dumps(told))
        )
        for nth, part in enumerate(parts, 1):
            row = (f"prt_{name_of(own, nth)}", own, session, at + nth, at + nth, json.dumps(part))
            database.execute("INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?, ?, ?)", row)

    def call(tool: str, given: Object, output: str) -> Object:
        state: Object = {"status": "completed", "input": given, "output": output, "metadata": {"exit": 0}}
        return {"type": "tool", "tool": tool, "callID": f"call_{name_of(session, tool, number)}", "state": state}

    say("user", at, {"type": "text", "text": turn.asked}, {"type": "text", "text": turn.put, "synthetic": True})
    ran, changed = call("bash", {"command": turn.ran}, turn.result), call("edit", {"filePath": turn.changed}, "ok")
    say("assistant", at + 1000, ran, changed, {"type": "text", "text": turn.reply, "time": {"start": at, "end": at}})


# All of them

RECORDS: dict[str, Callable[[str, str, Sequence[Turn]], list[Object]]] = {
    "claude": claude,
    "codex": codex,
    "gemini": gemini,
    "copilot": copilot,
}
_PLACES = {
    "claude": ".claude/projects/-work/{}.jsonl",
    "codex": ".codex/sessions/2026/03/02/rollout-2026-03-02T09-00-00-{}.jsonl",
    "gemini": ".gemini/tmp/work/chats/session-2026-03-02T09-00-{}.jsonl",
    "copilot": ".copilot/session-state/{}/events.jsonl",
}


def place(folder: Path, host: str, session: str) -> Path:
    path = folder / _PLACES[host].format(session)
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def written(folder: Path, directory: str, *, turns: int = 3) -> list[Path]:
    """A transcript of every host, and of Claude Code what real folders have: a helper, a resumed file, bad lines."""
    made: list[Path] = []
    for host, tell in RECORDS.items():
        session = name_of("session", host)
        made.append(place(folder, host, session))
        made[-1].write_bytes(lines(tell(session, directory, story(host, turns))))
    made += _oddities(folder, made[0], directory)
    made.append(folder / ".local/share/opencode/opencode.db")
    opencode(made[-1], f"ses_{name_of('opencode').replace('-', '')}", directory, story("opencode", turns))
    return made


def _oddities(folder: Path, first: Path, directory: str) -> list[Path]:
    helper = first.with_suffix("") / "subagents" / "agent-a1.jsonl"
    helper.parent.mkdir(parents=True)
    helper.write_bytes(lines(Claude(first.stem, directory).helper(1)))
    resumed, later = name_of("resumed"), Claude(name_of("resumed"), directory, BEGAN + timedelta(hours=3))
    later.turn(Turn("go on where we were, with the resumed list", "make resumed", changed="src/resumed.py"))
    again = place(folder, "claude", resumed)
    again.write_bytes(first.read_bytes() + lines(later.records))
    damaged = Claude(name_of("damaged"), directory, BEGAN + timedelta(hours=5))
    for turn in story("damaged", 3):
        damaged.turn(turn)
    told = lines(damaged.records).splitlines(keepends=True)
    glued = [*told[:4], told[4].rstrip(b"\n") + told[5], b'{"type":"user","message":{"content":"cut o' + told[6]]
    bad = place(folder, "claude", damaged.session)
    bad.write_bytes(b"".join([*glued, *told[7:]]) + told[1][: len(told[1]) // 2])
    return [helper, again, bad]
