"""Sessions of both arms of a trial are checked alike, and what was withheld counts nowhere else."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from harness.person import NOW
from harness.transcripts import Claude, Turn

from tacit.home.home import Home
from tacit.inject import AgentSession, Injector
from tacit.model.coin import is_treated
from tests.support.hook_session import Sitting
from tests.support.trials import BAD, GOOD, IDLE, OTHER, RULE, Trialist


@pytest.fixture
def kim(tmp_path: Path) -> Trialist:
    return Trialist(tmp_path / "kim")


def test_both_arms_are_checked_and_the_withheld_one_is_told_nothing_else_less(kim: Trialist) -> None:
    assert RULE in kim.work_in(GOOD, told=True)
    heard = kim.work_in(BAD, told=False)
    assert RULE not in heard and OTHER in heard
    kim.work_in(IDLE, told=False)
    report = kim.report
    told, other = report["told_sessions"], report["other_sessions"]
    assert (told["session_count"], told["applied_count"], told["bad_count"]) == (1, 1, 0)
    assert (other["session_count"], other["applied_count"], other["bad_count"], other["violated_count"]) == (2, 1, 1, 1)
    assert told["mean_turns"] == 1 and told["mean_tokens"] > 0 and other["mean_tokens"] > 0


def test_what_was_withheld_counts_as_told_violated_and_corrected_nowhere(kim: Trialist) -> None:
    for _ in range(3):
        kim.work_in(BAD, Turn(RULE), told=False)
    assert (kim.report["other_sessions"]["bad_count"], kim.report["other_sessions"]["corrected_count"]) == (3, 3)
    person = kim.person
    found = person.tacit("why", person.id_of(RULE), "--json").json["adherence"]
    assert not any(found.values())
    status = person.tacit("status", "--json", now="2026-03-03T12:00:00+00:00").json
    assert (status["week"]["violated_count"], status["ineffective_count"], status["idle_count"]) == (0, 0, 0)


def test_a_session_is_in_one_arm_whatever_happens_in_it(kim: Trialist) -> None:
    """Prompts, a compaction, a subagent and a resumed session of the same name all see the same coin."""
    for told in (True, False):
        sitting = Sitting(kim.person, kim.name(told=told), kim.work)
        texts = [sitting.start(), sitting.start("compact"), sitting.helper()]
        assert [RULE in text for text in texts] == [told] * 3
        by_prompt = Sitting(kim.person, kim.name(told=told), kim.work, "gemini")
        assert (RULE in by_prompt.ask("use npm or pnpm for zod?")) == is_treated(
            kim.started["seed"], "gemini", by_prompt.session
        )
        assert RULE not in sitting.ask("use npm or pnpm for zod?")  # it was its turn before
        assert OTHER in texts[0]
        injected = kim.person.tacit("injected", "--session", sitting.session, "--json").json
        assert [len(one["withheld"]) for one in injected] == [not told] * 2  # at the start and after the compaction


def test_a_session_whose_agent_asks_tacit_is_left_out_of_either_arm(kim: Trialist) -> None:
    kim.work_in(GOOD, Turn("what holds here?", "tacit brief"), told=True)
    kim.work_in(BAD, Turn("what holds here?", "cat docs/memory/memories.ndjson"), told=False)
    kim.work_in(BAD, Turn("note this", "tacit suggest 'tests are slow' --evidence seen"), told=False)
    session, began = kim.name(told=False), datetime.fromisoformat(NOW) + timedelta(hours=9)
    Sitting(kim.person, session, kim.work).start(TACIT_NOW=began.isoformat())
    writer = Claude(session, str(kim.work), began + timedelta(minutes=1))
    writer.ask("add zod")
    writer.call("mcp__tacit__recall", {"query": "npm"}, "…")
    kim.end(session, writer, began)
    report = kim.report
    assert report["apart"] == [{"reason": "asked", "count": 3}]
    assert (report["told_sessions"]["session_count"], report["other_sessions"]["session_count"]) == (0, 1)


def test_a_session_of_an_earlier_trial_takes_no_part_in_the_next(kim: Trialist) -> None:
    session, began = kim.name(told=False), datetime.fromisoformat(NOW) + timedelta(hours=1)
    Sitting(kim.person, session, kim.work).start(TACIT_NOW=began.isoformat())
    name, now = kim.person.id_of(RULE), (began + timedelta(minutes=10)).isoformat()
    kim.person.tacit("trial", name, "--stop", now=now)
    kim.person.tacit("trial", name, cwd=kim.work, now=now)
    writer = Claude(session, str(kim.work), began + timedelta(minutes=20))
    writer.turn(BAD)
    kim.end(session, writer, began)
    assert [report["other_sessions"]["session_count"] for report in kim.person.tacit("trial", "--json").json] == [0, 0]


def test_a_session_that_was_told_before_the_trial_or_goes_on_with_another_is_left_out(kim: Trialist) -> None:
    person, session, began = kim.person, kim.name(told=False), datetime.fromisoformat(NOW) + timedelta(hours=9)
    person.tacit("undo")  # the trial has not begun yet
    Sitting(person, session, kim.work).start(TACIT_NOW=began.isoformat())
    person.tacit("redo")
    Sitting(person, session, kim.work).start("compact", TACIT_NOW=(began + timedelta(minutes=1)).isoformat())
    writer = Claude(session, str(kim.work), began + timedelta(minutes=2))
    writer.turn(BAD)
    kim.end(session, writer, began)
    kim.work_in(BAD, told=False, source="resume")
    assert {one["reason"] for one in kim.report["apart"]} <= {"told", "resumed"}
    assert kim.report["other_sessions"]["applied_count"] == 0


def test_a_session_that_goes_on_is_checked_again_and_counts_once(kim: Trialist) -> None:
    session, began = kim.name(told=False), datetime.fromisoformat(NOW) + timedelta(hours=1)
    Sitting(kim.person, session, kim.work).start(TACIT_NOW=began.isoformat())
    writer = Claude(session, str(kim.work), began + timedelta(minutes=1))
    writer.turn(GOOD)
    kim.end(session, writer, began)
    assert kim.report["other_sessions"]["bad_count"] == 0
    writer.turn(BAD)
    kim.end(session, writer, began + timedelta(hours=1))
    other = kim.report["other_sessions"]
    assert (other["applied_count"], other["bad_count"]) == (1, 1)
    kim.person.tacit("learn", "--all")
    kim.person.tacit("doctor", "--reindex")
    assert kim.report["other_sessions"] == other


def test_of_what_calls_cannot_show_corrections_and_repeated_failures_decide(tmp_path: Path) -> None:
    rule = "always use British spelling in comments"
    kim = Trialist(tmp_path / "kim", rule)
    assert not kim.report["is_checkable"]
    kim.work_in(IDLE, told=True)
    kim.work_in(IDLE, Turn(f"{rule}."), told=False)
    for told in (True, False):
        session, began = kim.name(told=told), datetime.fromisoformat(NOW) + timedelta(hours=8 + told)
        Sitting(kim.person, session, kim.work).start(TACIT_NOW=began.isoformat())
        writer = Claude(session, str(kim.work), began + timedelta(minutes=1))
        writer.ask("run the tests")
        for _ in range(2 if told else 1):
            writer.call("Bash", {"command": "make test"}, "boom", error=True)
        kim.end(session, writer, began)
    told, other = kim.report["told_sessions"], kim.report["other_sessions"]
    assert (told["applied_count"], told["bad_count"]) == (2, 1)
    assert (other["applied_count"], other["bad_count"], other["corrected_count"]) == (2, 1, 1)


FIX = "When `./check` fails with “database kestrel is not seeded”, run `./seed` first."
FAILED = "Exit code 1\nerror: database kestrel is not seeded (5 tables)"


def test_a_known_fix_is_withheld_when_its_command_fails_and_judged_by_whether_it_fails_again(tmp_path: Path) -> None:
    kim = Trialist(tmp_path / "kim", FIX)
    for told, fails in ((True, 1), (False, 2), (False, 0)):
        session, began = kim.name(told=told), datetime.fromisoformat(NOW) + timedelta(hours=8 + fails)
        heard = ""
        if fails:
            with kim.person.at(kim.work, TACIT_NOW=began.isoformat()), Home(kim.person.home, cwd=kim.work) as home:
                heard = Injector(home).at_failure(AgentSession("claude", session), "./check", FAILED)
        assert (FIX[:20] in heard) is told
        writer = Claude(session, str(kim.work), began + timedelta(minutes=1))
        writer.ask("check it")
        for _ in range(fails - 1):
            writer.call("Bash", {"command": "./check"}, FAILED, error=True)
        writer.call("Bash", {"command": "./seed"}, "done")
        kim.end(session, writer, began)
    told_, other = kim.report["told_sessions"], kim.report["other_sessions"]
    assert (told_["applied_count"], told_["bad_count"]) == (1, 0)
    assert (other["applied_count"], other["bad_count"]) == (1, 1)


def test_a_memory_that_names_a_file_is_withheld_before_that_file_is_edited(tmp_path: Path) -> None:
    note = "the retry limits in src/upload.py are those of the proxy"
    kim = Trialist(tmp_path / "kim", note)
    for told in (True, False):
        session, files = kim.name(told=told), [str(kim.work / "src" / "upload.py")]
        with kim.person.at(kim.work), Home(kim.person.home, cwd=kim.work) as home:
            heard = Injector(home).at_edit(AgentSession("claude", session), files, "retry_limit = 5")
        assert ("those of the proxy" in heard) is told
    tried = [one for one in kim.person.tacit("injected", "--json").json if one["moment"] == "edit"]
    assert sorted(len(one["withheld"]) for one in tried) == [0, 1]


def test_the_turn_of_a_memory_comes_once_also_if_several_prompts_name_it(tmp_path: Path) -> None:
    kim = Trialist(tmp_path / "kim", "use ruff_check instead of flake8")
    sitting = Sitting(kim.person, kim.name(told=False), kim.work)
    sitting.start()
    for prompt in ("what does ruff_check say?", "run ruff_check again"):
        assert sitting.ask(prompt) == ""
    injected = kim.person.tacit("injected", "--session", sitting.session, "--json").json
    assert [len(one["withheld"]) for one in injected] == [1]
