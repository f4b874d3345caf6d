"""What is heard of Claude Code, case by case."""

from __future__ import annotations

import json

import pytest

from tacit.hosts.records import CaptureLimits
from tacit.model.observation import PromptKind, ReplyGiven, SessionCompacted, ToolAction, ToolOutcome, TurnInterrupted
from tests.support.transcripts import SESSION, bodies, calls, hear, lines, prompts

REJECTED = "The user doesn't want to proceed with this tool use. The tool use was rejected. "
Record = dict[str, object]


class Writer:
    """Writes records as the host does, each with a time and an id of its own."""

    def __init__(self) -> None:
        self.count = 0

    def record(self, kind: str, content: object, **more: object) -> Record:
        self.count += 1
        at = f"2026-03-02T10:{self.count // 60:02}:{self.count % 60:02}.000Z"
        own = f"{self.count:08x}-0000-4000-8000-000000000000"
        message = {"role": kind, "content": content}
        where = {"type": kind, "sessionId": SESSION, "cwd": "/w"}
        return {**where, "message": message, "uuid": own, "timestamp": at, **more}

    def user(self, content: object, **more: object) -> Record:
        return self.record("user", content, **more)

    def call(self, own: str, tool: str, **given: object) -> Record:
        return self.record("assistant", [{"type": "tool_use", "id": own, "name": tool, "input": given}])

    def result(self, own: str, content: object, **more: object) -> Record:
        block = {"type": "tool_result", "tool_use_id": own, "content": content, "is_error": more.pop("is_error", False)}
        return self.user([block], **more)

    def queue(self, operation: str, content: str = "") -> Record:
        self.count += 1
        at = f"2026-03-02T10:{self.count // 60:02}:{self.count % 60:02}.000Z"
        told: Record = {"type": "queue-operation", "operation": operation, "timestamp": at, "sessionId": SESSION}
        return {**told, "content": content} if content else told

    def reply(self, text: str) -> Record:
        return self.record("assistant", [{"type": "text", "text": text}])


@pytest.fixture
def w() -> Writer:
    return Writer()


def said(data: bytes) -> list[tuple[str, PromptKind]]:
    return [(prompt.text, prompt.how) for prompt in prompts("claude", data)]


def test_a_prompt_knows_where_it_was_given(w: Writer) -> None:
    (heard,), _ = hear("claude", lines(w.user("hello", gitBranch="main")))

    assert (heard.session, heard.directory, heard.at.isoformat()) == (SESSION, "/w", "2026-03-02T10:00:01+00:00")
    assert heard.key == "00000001-0000-4000-8000-000000000000"


# What happened, and what is heard of it: `+` marks a text that was queued while the agent worked
QUEUES = {
    "given in the middle of work": ("user go; reply on it; enqueue also b; reply more; remove", "go; +also b"),
    "becomes a prompt": ("user go; enqueue then b; reply done; dequeue; user then b; reply b done", "go; +then b"),
    "two of them": (
        "user go; enqueue b; enqueue c; reply done; dequeue; user b; reply b done; dequeue; user c; reply c done",
        "go; +b; +c",
    ),
    "a command": ("user go; enqueue /exit; reply done; dequeue; user <command-name>/exit</command-name>", "go; +/exit"),
    "taken back": ("user go; enqueue b; popAll b; user b, but better; reply ok", "go; b, but better"),
    "nothing more is told": ("user go; enqueue b; dequeue; user something else", "go; +b; something else"),
    "on the command line": ("enqueue go; dequeue; user go; reply ok", "go"),
}


@pytest.mark.parametrize(("happened", "heard"), QUEUES.values(), ids=QUEUES)
def test_a_queued_text_is_heard_once(w: Writer, happened: str, heard: str) -> None:
    records = []
    for step in happened.split("; "):
        kind, _, text = step.partition(" ")
        records.append(w.user(text) if kind == "user" else w.reply(text) if kind == "reply" else w.queue(kind, text))
    found = said(lines(*records))
    assert "; ".join(f"+{text}" if how is PromptKind.QUEUED else text for text, how in found) == heard


def test_a_prompt_of_the_command_line_has_its_own_id(w: Writer) -> None:
    data = lines(w.queue("enqueue", "go"), w.queue("dequeue"), {"type": "attachment"}, user := w.user("go"))

    assert hear("claude", data)[0][0].key == user["uuid"]


def test_the_same_words_twice_are_two_prompts(w: Writer) -> None:
    assert len(said(lines(w.user("continue"), w.reply("ok"), w.user("continue")))) == 2


def test_words_given_with_a_rejection_are_a_prompt_about_the_call(w: Writer) -> None:
    result = REJECTED + "To tell you how to proceed, the user said:\nuse uv instead"
    data = lines(w.call("toolu_1", "Bash", command="pip install x"), w.result("toolu_1", result, is_error=True))
    (prompt,) = prompts("claude", data)
    (call,) = calls("claude", data)

    assert (prompt.text, prompt.how, prompt.about) == ("use uv instead", PromptKind.REJECTION, "Bash: pip install x")
    assert (call.outcome, call.result) == (ToolOutcome.REJECTED, "")


def test_what_the_host_adds_to_a_rejection_is_not_theirs(w: Writer) -> None:
    note = "\n\nNote: The user's next message may contain a correction or preference. Pay close attention."
    clarify = 'The user wants to clarify these questions.\n    Questions asked:\n- "Which?"\n  Answer: The first\n'
    data = lines(
        w.call("toolu_1", "Edit", file_path="a"),
        w.result("toolu_1", f"{REJECTED}the user said:\nno{note}", is_error=True),
        w.call("toolu_2", "AskUserQuestion", questions=[{"question": "Which?"}]),
        w.result("toolu_2", f"{REJECTED}the user said:\n{clarify}", is_error=True),
    )

    assert said(data) == [("no", PromptKind.REJECTION), ("The first", PromptKind.ANSWER)]


def test_a_password_that_was_asked_for_is_not_kept(w: Writer) -> None:
    told = {"answers": {"What is the password of staging?": "Tr0ub4dor&3", "Which token format?": "JWT"}}
    call = w.call("toolu_1", "AskUserQuestion", questions=[{"question": "Which?"}])
    found = prompts("claude", lines(call, w.result("toolu_1", "answered", toolUseResult=told)))

    assert [one.text for one in found] == ["[redacted:password]", "JWT"]


def test_an_answer_is_a_prompt_about_the_question(w: Writer) -> None:
    told = {"questions": [{"question": "Which?"}], "answers": {"Which?": "The second", "Where?": ["a", "b"]}}
    call = w.call("toolu_1", "AskUserQuestion", questions=[{"question": "Which?"}])
    found = prompts("claude", lines(call, w.result("toolu_1", "answered", toolUseResult=told)))

    assert [(one.text, one.how, one.about) for one in found] == [
        ("The second", PromptKind.ANSWER, "Which?"),
        ("a, b", PromptKind.ANSWER, "Where?"),
    ]


@pytest.mark.parametrize(
    ("content", "more"),
    [
        ("Caveat: The messages below were generated by the user while running local commands.", {}),
        ("<task-notification>done</task-notification>\nRead the output file to retrieve the result: /x", {}),
        ("<local-command-stdout>ok</local-command-stdout>", {}),
        ("<task-notification>cut off by the host", {}),
        ("<agent-notification>done</agent-notification>\nFull transcript available at: /x", {}),
        ("A skill", {"isMeta": True}),
        ("A summary", {"isCompactSummary": True}),
        ("Find it", {"isSidechain": True}),
        ("Find it", {"agentId": "a1"}),
        ("<system-reminder>x</system-reminder>", {}),
        ("", {}),
    ],
)
def test_what_the_host_wrote_is_no_prompt(w: Writer, content: str, more: Record) -> None:
    assert said(lines(w.user(content, **more))) == []


@pytest.mark.parametrize("tag", ["task-notification", "agent-notification", "aide-session-start", "teammate-message"])
def test_words_typed_around_what_a_tool_put_there_are_kept(w: Writer, tag: str) -> None:
    put = f"<{tag}>\n<status>completed</status>\n</{tag}>"

    assert said(lines(w.user(f"{put}\nplease go on with the wiki"))) == [
        ("please go on with the wiki", PromptKind.TYPED)
    ]
    assert said(lines(w.user(f"first the docs\n{put}"))) == [("first the docs", PromptKind.TYPED)]
    assert said(lines(w.user(put))) == []


def test_what_the_person_ran_or_commanded_is_told_as_such(w: Writer) -> None:
    data = lines(
        w.user(
            "<command-message>pr</command-message>\n<command-name>/pr</command-name>\n<command-args>a b</command-args>"
        ),
        w.user("<bash-input>git log</bash-input>"),
    )

    assert said(data) == [("/pr a b", PromptKind.COMMAND), ("git log", PromptKind.SHELL)]


def test_an_interruption_is_no_prompt(w: Writer) -> None:
    assert bodies("claude", lines(w.user([{"type": "text", "text": "[Request interrupted by user]"}]))) == [
        TurnInterrupted("claude")
    ]


def test_a_picture_alone_is_named(w: Writer) -> None:
    assert said(lines(w.user([{"type": "image", "source": {}}]))) == [("[image]", PromptKind.TYPED)]


def test_a_compaction_is_heard_and_its_summary_is_not(w: Writer) -> None:
    boundary = {**w.record("system", ""), "subtype": "compact_boundary"}

    assert bodies("claude", lines(boundary, w.user("Summary", isCompactSummary=True))) == [SessionCompacted("claude")]


def test_thoughts_are_never_heard(w: Writer) -> None:
    thought = {"type": "thinking", "thinking": "hidden", "signature": "x"}
    data = lines(w.record("assistant", [thought]), w.record("assistant", [thought, {"type": "text", "text": "shown"}]))

    assert bodies("claude", data) == [ReplyGiven("claude", "shown", "/w")]


def test_a_call_is_heard_when_its_result_is_there(w: Writer) -> None:
    call, result = w.call("toolu_1", "Bash", command="make"), w.result("toolu_1", "ok")

    assert calls("claude", lines(call)) == []
    assert [(one.act, one.input, one.result) for one in calls("claude", lines(call, result))] == [
        (ToolAction.RAN, "make", "ok")
    ]


def test_a_call_without_a_result_is_heard_when_the_person_goes_on(w: Writer) -> None:
    data = lines(w.user("go"), w.call("toolu_1", "Write", file_path="a"), w.user("and now?"))
    (call,) = calls("claude", data)

    assert (call.outcome, call.files) == (ToolOutcome.UNKNOWN, ())


def test_results_of_reading_are_not_kept(w: Writer) -> None:
    tools = {"Read": "file_path", "Glob": "pattern", "Grep": "pattern", "LS": "path"}
    records = [
        record
        for number, (tool, field) in enumerate(tools.items())
        for record in (w.call(f"toolu_{number}", tool, **{field: "x"}), w.result(f"toolu_{number}", "content"))
    ]

    assert [(call.input, call.result) for call in calls("claude", lines(*records))] == [("x", "")] * 4


def test_a_tool_that_is_named_in_the_settings_keeps_no_result(w: Writer) -> None:
    data = lines(w.call("toolu_1", "WebFetch", url="https://example.org"), w.result("toolu_1", "a page"))

    assert [call.result for call in calls("claude", data)] == ["a page"]
    assert [call.result for call in calls("claude", data, CaptureLimits(skipped_tools=frozenset({"webfetch"})))] == [""]


def test_what_tacit_answered_is_not_kept(w: Writer) -> None:
    data = lines(
        *(w.call("toolu_1", "mcp__tacit__recall", query="x"), w.result("toolu_1", "a memory")),
        *(w.call("toolu_2", "Bash", command="cd x && tacit recall y"), w.result("toolu_2", "a memory")),
        *(w.call("toolu_3", "mcp__plugin_tacit_tacit__brief"), w.result("toolu_3", "a memory")),
    )

    assert [call.result for call in calls("claude", data)] == ["", "", ""]


def test_a_line_that_takes_a_text_out_is_never_heard(w: Writer) -> None:
    data = lines(
        *(w.call("toolu_1", "Bash", command="tacit purge --text hunter2"), w.result("toolu_1", "gone")),
        w.user("<bash-input>tacit redact hunter2</bash-input>"),
    )

    assert bodies("claude", data) == []


def test_of_a_helper_only_changes_and_commands_are_heard(w: Writer) -> None:
    records = [
        w.user("Find it"),
        *(w.call("toolu_1", "Grep", pattern="x"), w.result("toolu_1", "found")),
        *(w.call("toolu_2", "Write", file_path="notes.md"), w.result("toolu_2", "ok")),
        w.reply("I found it."),
    ]
    data = lines(*({**record, "isSidechain": True} for record in records))
    (call,) = calls("claude", data)

    assert len(bodies("claude", data)) == 1
    assert (call.aside, call.files) == (True, ("notes.md",))


def test_long_texts_are_cut_where_one_can_see_it(w: Writer) -> None:
    long = "begin " + "word " * 5000 + "end"
    data = lines(
        w.user(long),
        *(w.call("toolu_1", "Bash", command=long), w.result("toolu_1", long)),
        *(w.call("toolu_2", "Bash", command="x"), w.result("toolu_2", long, is_error=True)),
    )
    (prompt,) = prompts("claude", data)
    well, failed = calls("claude", data)

    assert prompt.text == long
    assert len(well.input) <= 200 and well.input.endswith("…") and len(well.result) <= 500 and well.result.endswith("…")
    assert len(failed.result) <= 500 and failed.result.endswith("end") and "left out" in failed.result


def test_a_secret_at_a_cut_is_gone_before_the_cut(w: Writer) -> None:
    secret = "ghp_" + "aB3" * 12
    for before in range(440, 510, 5):
        data = lines(
            w.call("toolu_1", "Bash", command="x"), w.result("toolu_1", "x" * before + " " + secret + " y" * 900)
        )
        (call,) = calls("claude", data)
        assert secret in call.result or not any(secret[:size] in call.result for size in range(8, len(secret)))


def test_ids_that_are_no_uuids_are_known_with_their_session(w: Writer) -> None:
    first, second = ({**w.user("hello"), "uuid": "msg-001", "sessionId": session} for session in ("a", "b"))
    heard, _ = hear("claude", lines(first, second))

    assert [one.key for one in heard] == ["a/msg-001", "b/msg-001"]


def test_a_record_without_a_time_follows_the_one_before(w: Writer) -> None:
    late = w.reply("b")
    del late["timestamp"]
    heard, _ = hear("claude", lines(w.user("a"), late))

    assert (heard[1].at - heard[0].at).total_seconds() == 0.001


def test_a_record_that_comes_again_is_heard_once(w: Writer) -> None:
    records = [w.user("a"), w.reply("b"), w.call("toolu_1", "Bash", command="x"), w.result("toolu_1", "y")]

    assert len(bodies("claude", lines(*records, *records))) == 3


def test_types_that_nobody_knows_are_counted(w: Writer) -> None:
    _, tally = hear("claude", lines({"type": "new-thing"}, {"no": "type"}, {"type": "progress", "data": {}}))

    assert tally.unknown == {"new-thing": 1, "": 1} and tally.skipped == {"progress": 1}


def test_a_type_inside_a_record_is_not_its_type(w: Writer) -> None:
    record = w.call("toolu_1", "Bash", command="x")
    data = lines({"message": record["message"], **record}, w.result("toolu_1", "y", toolUseResult={"type": "progress"}))

    assert len(calls("claude", data)) == 1


def test_the_words_behind_the_copy_of_a_result_are_heard(w: Writer) -> None:
    """The host of today writes the session behind `toolUseResult`; the glance must not cut it off."""
    result = w.result("toolu_1", "ok")
    late = {**result, "toolUseResult": {"stdout": "ok"}, "sessionId": SESSION}
    for record in (late, {**{k: v for k, v in late.items() if k != "sessionId"}, "sessionId": SESSION}):
        data = lines(w.call("toolu_1", "Bash", command="x"), record)
        assert [call.result for call in calls("claude", data)] == ["ok"]


def test_what_the_newest_host_repeats_is_passed(w: Writer) -> None:
    repeats = [{"type": kind, "content": "hello"} for kind in ("attachment", "api-request-blob", "last-prompt")]

    assert said(lines(w.user("hello"), *repeats)) == [("hello", PromptKind.TYPED)]


def test_the_settled_offset_is_where_the_last_prompt_begins(w: Writer) -> None:
    before, last = lines(w.user("a"), w.reply("b")), lines(w.user("c"), w.reply("d"))
    _, tally = hear("claude", before + last)

    assert tally.cursor == len(before)
    assert json.loads(last.splitlines()[0])["message"]["content"] == "c"


def test_what_was_noted_beside_an_answer_is_part_of_it(w: Writer) -> None:
    told = {"answers": {"Which?": "The second"}, "annotations": {"Which?": {"notes": "but only for now"}}}
    call = w.call("toolu_1", "AskUserQuestion", questions=[{"question": "Which?"}])

    assert said(lines(call, w.result("toolu_1", "x", toolUseResult=told))) == [
        ("The second\nbut only for now", PromptKind.ANSWER)
    ]


def test_an_answer_without_its_question_is_heard_all_the_same(w: Writer) -> None:
    told = {"questions": [], "answers": {"Which?": "The second"}}

    assert said(lines(w.result("toolu_1", "x", toolUseResult=told))) == [("The second", PromptKind.ANSWER)]


def test_a_command_that_was_stopped_has_no_known_end(w: Writer) -> None:
    result = w.result("toolu_1", "so far", toolUseResult={"stdout": "so far", "interrupted": True})

    assert [call.outcome for call in calls("claude", lines(w.call("toolu_1", "Bash", command="x"), result))] == [
        ToolOutcome.UNKNOWN
    ]


def test_nothing_of_an_earlier_turn_is_in_mind_when_a_prompt_comes(w: Writer) -> None:
    """Else reading on from there would not hear the same."""
    late = w.user("c")
    del late["cwd"]
    data = lines(w.user("a", gitBranch="main"), w.reply("b"), late)
    whole, tally = hear("claude", data)
    rest, _ = hear("claude", data, tally.cursor)

    assert rest == whole[-1:] and whole[-1].directory == ""
