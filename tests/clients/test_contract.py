"""What must hold for every client, with what `tacit install` puts there; and what only one of them does."""

from __future__ import annotations

import json
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar

from tacit.hosts.skill import DESCRIPTION
from tests.clients.apis import all_text
from tests.clients.desk import MEMORIES, REMOTE, RULE, SUGGESTION, Desk
from tests.clients.hosts import CLAUDE, CODEX, CODEX_TRUSTED, COPILOT, GEMINI, OPENCODE, Client
from tests.clients.script import FENCE, SUMMARY, fenced, without_fences
from tests.clients.story import COMMAND, FILE, GREET, THANK, Story, rules, strings


class ClientContract:
    """Its tests read what is left of one story, in this order; uninstalling is the last."""

    client: ClassVar[Client]

    def test_every_run_ends_well(self, story: Story) -> None:
        assert [(run.code, run.err[-2000:]) for run in story.runs if run.code] == []
        assert (story.desk.repository / FILE).read_text() == "hello\n"

    def test_the_brief_reaches_the_model(self, story: Story) -> None:
        (brief,) = fenced(story.first.asked[0], "memory")
        assert all(memory in brief for memory in MEMORIES)

    def test_the_skill_is_offered_to_the_model(self, story: Story) -> None:
        assert "/SKILL.md" in story.said
        sent = all_text(story.first.asked[0])
        assert DESCRIPTION in sent
        assert "Choose at most three statements." not in sent  # the body comes when the skill is used

    def test_the_brief_is_there_at_every_step_of_the_turn(self, story: Story) -> None:
        assert [len(fenced(body, "memory")) for body in story.first.asked] == [1, 1, 1]

    def test_a_second_turn_does_not_repeat_the_brief(self, story: Story) -> None:
        sent = strings(story.second.asked[0])
        assert [sent.count(memory) for memory in MEMORIES] == [1] * len(MEMORIES)

    def test_a_rule_that_was_said_meanwhile_comes_with_the_second_turn(self, story: Story) -> None:
        told = [text for text in fenced(story.second.asked[0], "memory") if RULE in text]
        assert told  # a host that replaces what it was told at the start may be told it there, too
        assert all("This person's standing rules." in text for text in told)
        assert RULE not in strings(story.first.asked[0])

    def test_after_a_compaction_the_rule_is_there_again(self, story: Story) -> None:
        assert RULE in strings(story.last.asked[0])

    def test_no_suggestion_and_no_notice_of_one_reaches_the_model(self, story: Story) -> None:
        sent = "".join(str(body) for run in story.runs for body in run.requests)
        assert GREET in sent
        assert SUGGESTION not in sent
        assert "suggestion waits" not in sent

    def test_a_second_turn_still_has_the_words_of_the_first(self, story: Story) -> None:
        sent = without_fences(strings(story.second.asked[0]))
        assert GREET in sent
        assert THANK in sent

    def test_compaction_took_place(self, story: Story) -> None:
        asks = story.desk.client.compacts.asks
        assert any(asks in str(body) for body in story.compacting.requests)
        assert SUMMARY in strings(story.last.asked[0])

    def test_the_checkpoint_outlives_compaction(self, story: Story) -> None:
        checkpoint = fenced(story.last.asked[0], "checkpoint")[-1]
        assert GREET in checkpoint
        assert FILE in checkpoint

    def test_the_session_was_captured_with_what_was_asked(self, story: Story, session: dict[str, Any]) -> None:
        assert session["agent"] == story.desk.client.name
        assert [text for text in session["requests"] if not text.startswith("/")] == story.prompts

    def test_the_session_belongs_to_the_project(self, session: dict[str, Any]) -> None:
        assert REMOTE.removeprefix("https://").removesuffix(".git") in session["scope"]

    def test_tools_and_files_of_the_session_are_known(self, story: Story, session: dict[str, Any]) -> None:
        assert set(session["tools"]) == set(story.desk.client.tools)
        assert [path.rsplit("/", 1)[-1] for path in session["files"]] == [FILE]
        assert COMMAND in story.desk.recorded()

    def test_nothing_that_was_injected_was_captured(self, story: Story) -> None:
        recorded = story.desk.recorded()
        assert GREET in recorded
        assert not FENCE.search(recorded)
        assert [memory for memory in (*MEMORIES, RULE) if memory in recorded] == []
        assert "suggestion waits" not in recorded

    def test_what_was_injected_is_explained(self, story: Story) -> None:
        injected = story.desk.tacit("injected", "--json").json
        assert {one["agent"] for one in injected} == {story.desk.client.name}
        first = min(injected, key=lambda one: str(one["at"]))
        assert len(first["memories"]) == len(MEMORIES)
        assert first["tokens"] > 0

    def test_uninstalling_leaves_the_settings_as_they_were(self, story: Story) -> None:
        assert story.desk.settings() != story.before
        story.desk.tacit("uninstall", story.desk.client.name, "--yes")
        assert story.desk.settings() == story.before
        assert not list(story.desk.person.folder.glob(".*/skills/tacit"))


class TestClaude(ClientContract):
    client = CLAUDE


class TestCodex(ClientContract):
    client = CODEX


class TestGemini(ClientContract):
    client = GEMINI

    def test_the_person_is_shown_once_that_suggestions_wait(self, story: Story) -> None:
        assert "Tacit: 1 suggestion waits for you." in story.first.err
        assert "suggestion waits" not in "".join(run.err for run in story.runs[1:])


class TestCopilot(ClientContract):
    client = COPILOT


class TestOpenCode(ClientContract):
    client = OPENCODE


def test_hooks_that_nobody_has_reviewed_do_not_run_and_installing_said_so(tmp_path: Path) -> None:
    with closing(Desk(tmp_path.resolve(), CODEX)) as desk:
        said = desk.move_in()
        assert "trust" in said and "/hooks" in said
        desk.write_script(rules(desk.client, desk.repository))
        run = desk.run(GREET, without=CODEX_TRUSTED)
        assert run.code == 0
        assert GREET in str(run.asked[0])
        assert not FENCE.search(str(run.requests))
        assert desk.tacit("sessions", "--json", code=None).json == []


def test_once_they_are_reviewed_they_run_and_nothing_is_said_of_it_any_more(tmp_path: Path) -> None:
    with closing(Desk(tmp_path.resolve(), CODEX)) as desk:
        assert "until you review them" in desk.move_in()
        _review_hooks(desk)
        assert "until you review them" not in desk.tacit("install").out + desk.tacit("doctor", code=None).out
        desk.write_script(rules(desk.client, desk.repository))
        run = desk.run(GREET, without=CODEX_TRUSTED)
        assert run.code == 0 and FENCE.search(str(run.requests))


def _review_hooks(desk: Desk) -> None:
    """Trust all hooks, as the person does in a terminal of Codex."""
    process = subprocess.Popen(
        [*desk.command, "app-server"],
        cwd=desk.repository,
        env=desk.client_environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None and process.stdout is not None

    def ask(number: int, method: str, **params: object) -> Any:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps({"id": number, "method": method, "params": params}) + "\n")
        process.stdin.flush()
        answers = (json.loads(line) for line in process.stdout)
        return next(answer["result"] for answer in answers if answer.get("id") == number)

    with process:
        ask(1, "initialize", clientInfo={"name": "test", "title": "test", "version": "1"})
        (listed,) = ask(2, "hooks/list", cwds=[str(desk.repository)])["data"]
        states = {hook["key"]: {"trusted_hash": hook["currentHash"]} for hook in listed["hooks"]}
        edit = {"keyPath": "hooks.state", "value": states, "mergeStrategy": "upsert"}
        ask(3, "config/batchWrite", edits=[edit], reloadUserConfig=True)
        process.kill()
