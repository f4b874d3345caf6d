"""Real models of the `llm` library, in a process of their own. Whatever they do, nothing is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from harness.secret_examples import written
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import RefusedError, UsageError
from tacit.learn.judge import Judge, UsageMeter, client_judge, read_meter
from tacit.model.claim import Provenance
from tacit.model.observation import PromptGiven
from tacit.text.words import estimate_tokens
from tests.support.model_desk import ROOT, Desk, Provider, is_running, wait_until
from tests.support.model_talk import LABEL, RULE, SUMMARY, TALK, answer, asked, findings, numbered

LATER = "2026-03-01T13:01:00+00:00"
COST = estimate_tokens(asked().text)
MOST = 3000  # tokens of an answer


def test_of_an_answer_what_can_be_believed_is_learnt(desk: Desk) -> None:
    reply, checked = desk.ask("stub-misleading")
    (learnt,) = findings(checked)
    assert learnt.sentence == RULE["statement"] and learnt.evidence == (numbered(1),)
    assert learnt.provenance is Provenance.MODEL
    assert checked is not None and reply.problem == "" and sum(checked.dropped.values()) == 4


def test_a_summary_that_holds_comes_with_the_memories_and_with_who_said_so(desk: Desk) -> None:
    _, checked = desk.ask("stub-summing")
    assert checked is not None and checked.dropped == {}
    judged = checked.sessions[LABEL]
    assert (judged.summary, judged.judge, len(judged.findings)) == (SUMMARY, "stub-summing", 1)


def test_a_summary_that_does_not_hold_takes_no_memory_with_it(desk: Desk) -> None:
    """Which ones do not hold is in test_answer.py."""
    _, checked = desk.ask("stub-inventing")
    assert checked is not None and checked.sessions[LABEL].summary == ""
    assert [lesson.sentence for lesson in findings(checked)] == [RULE["statement"]]
    assert sum(checked.dropped.values()) == 1


def test_an_answer_to_another_question_is_a_failure(desk: Desk) -> None:
    told = {**json.loads(answer(RULE)), "question": "0123456789abcdef"}
    reply, checked = desk.ask("stub-told", STUB_ANSWER=json.dumps(told))
    assert checked is None and reply.problem == "stub-told answered another question than the one it was asked"
    assert reply.is_failure

    told["question"] = asked().mark
    for said in (told, {**told, "question": ""}):
        assert len(findings(desk.ask("stub-told", STUB_ANSWER=json.dumps(said))[1])) == 1


def test_three_failures_in_a_row_of_any_sort_close_for_an_hour(desk: Desk) -> None:
    problems = [desk.ask(f"stub-{name}")[0].problem for name in ("garbage", "flood", "echo")]
    assert problems == [
        "stub-garbage did not answer in the form it was asked for",
        "stub-flood answered with more than 12,000 characters",
        "stub-echo did not answer in the form it was asked for",
    ]
    assert len(desk.calls) == 3
    before = desk.kept()
    for _ in range(20):
        reply, checked = desk.ask("stub-good")
        assert checked is None and reply.asked == 0 and "none is asked before 13:00" in reply.problem
    assert len(desk.calls) == 3
    assert desk.kept() == before
    assert len(findings(desk.ask("stub-good", now=LATER)[1])) == 1
    assert desk.vault(LATER).budget().spent > 0


def test_the_budget_of_a_day_is_kept_and_counted_before_the_question(desk: Desk) -> None:
    once = {"TACIT_MODEL_TOKENS_PER_DAY": str(COST + MOST + 500)}
    reply, checked = desk.ask("stub-good", **once)
    assert len(findings(checked)) == 1
    assert (reply.asked, reply.answered) == (COST, estimate_tokens(answer(RULE)))
    assert desk.vault().budget().spent == COST + estimate_tokens(answer(RULE))
    reply, checked = desk.ask("stub-good", **once)
    assert checked is None and "today's budget" in reply.problem
    assert len(desk.calls) == 1


def test_what_earlier_days_cost_is_kept_for_a_month_and_does_not_count_against_today() -> None:
    meter, day = UsageMeter(), datetime(2026, 3, 1, 12, tzinfo=UTC)
    for number in range(40):
        meter = meter.at(day + timedelta(days=number)).add(10 + number)
    last = day + timedelta(days=39)
    assert (meter.at(last).spent, len(meter.earlier)) == (49, 31)
    assert meter.spent_since((last - timedelta(days=6)).date().isoformat()) == sum(range(43, 50))
    assert meter.at(last + timedelta(days=1)).refusal(20_000, 20_000, last + timedelta(days=1)) == ""


def test_a_model_that_hangs_is_ended_and_what_it_may_have_cost_is_counted(desk: Desk) -> None:
    reply, checked = desk.ask("stub-hang", TACIT_MODEL_TIMEOUT="3")
    assert checked is None and reply.problem.startswith("stub-hang did not answer within 3 s; to wait longer: tacit ")
    assert desk.vault().budget().spent == COST + MOST
    assert not any(map(is_running, desk.calls))


def test_who_is_killed_leaves_no_process_behind_and_has_spent_what_was_reserved(desk: Desk) -> None:
    vault = desk.vault(TACIT_MODEL_TIMEOUT="120")
    script = (
        "import sys; from tests.support.model_talk import asked; from tacit.learn.judge import Judge, Judging;"
        "from tacit.home.home import Home;"
        "Judging(Home(sys.argv[1], cwd=sys.argv[1])).ask(asked(), Judge('stub-hang'))"
    )
    desk.home.mkdir()
    environment = vault._home.environment
    asking = subprocess.Popen([sys.executable, "-c", script, str(desk.home)], env=environment, cwd=ROOT)
    wait_until(lambda: bool(desk.calls))
    asking.kill()
    asking.wait()
    (model,) = desk.calls
    assert vault.budget().spent == COST + MOST
    wait_until(lambda: not is_running(model))


def test_what_a_provider_says_of_an_error_is_shown_without_its_secrets(desk: Desk) -> None:
    problem = desk.ask("stub-failing")[0].problem
    assert problem.startswith("stub-failing failed: RuntimeError: the provider")
    assert "says no" in problem and "ghp_" not in problem and "\x1b" not in problem


def test_a_provider_that_refuses_for_ever_is_a_failure(desk: Desk) -> None:
    provider = Provider(429, "Rate limit reached")
    with provider.known_to(desk):
        reply, checked = desk.ask("served")
    assert checked is None and "429" in reply.problem and "Rate limit reached" in reply.problem
    assert 1 <= len(provider.requests) <= 3  # the client of the provider tries again by itself


def test_what_is_shown_beforehand_is_exactly_what_is_sent(desk: Desk) -> None:
    token = written("ghp_<a36>")
    talk = (*TALK, PromptGiven("claude", f"deploy with {token}"))
    provider = Provider(200, answer(RULE))
    with provider.known_to(desk):
        reply, checked = desk.ask("served", *talk)
    (request,) = provider.requests
    assert request["messages"] == [{"role": "user", "content": asked(*talk).text}]
    assert "json_schema" in str(request["response_format"]) and token not in str(request)
    assert len(findings(checked)) == 1
    assert (reply.asked, reply.answered) == (9000, max(70, estimate_tokens(answer(RULE))))  # as the provider counts


def test_a_model_that_llm_does_not_know_is_no_failure_and_costs_nothing(desk: Desk) -> None:
    reply, _ = desk.ask("no-such-model")
    assert "llm knows no model no-such-model" in reply.problem and "type: llm models" in reply.problem
    assert desk.vault().budget().spent == reply.asked == 0
    assert '"failures": 0' in (desk.home / ".tacit/model.json").read_text()


def test_without_the_library_a_person_is_told_what_to_type(desk: Desk, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    script = (
        "import sys; from tacit.learn.judge import Judge, Judging; from tests.support.model_talk import asked\n"
        "from tacit.home.home import Home\n"
        "judging = Judging(Home(sys.argv[1], cwd=sys.argv[1]))\n"
        "print(judging.ask(asked(), Judge('any'))[0].problem)\n"
        "try: judging.must_be_askable(Judge('any'))\n"
        "except Exception as error: print(type(error).__name__, error.hint)"
    )
    environment = {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", "HOME": str(tmp_path)}
    told = subprocess.run(
        [tmp_path / "bare/bin/python", "-c", script, tmp_path],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.stdout.splitlines() == [
        "models are asked through the library llm, which is not installed; type: pip install 'tacit-memory[model]'",
        "RefusedError pip install 'tacit-memory[model]'",
    ], told.stderr


def test_an_agent_asks_no_model_not_even_the_one_that_the_person_chose(desk: Desk) -> None:
    desk.home.mkdir()
    (desk.home / "tacit.toml").write_text('[model]\nname = "stub-good"\n')
    assert len(findings(desk.ask("stub-good")[1])) == 1
    before = len(desk.calls)
    vault = desk.vault(TACIT_ACTOR="agent:x")
    for name, again in (("stub-good", "tacit learn"), ("other", "tacit learn --model other")):
        with pytest.raises(RefusedError) as refused:
            vault.must_be_askable(Judge(name))
        assert refused.value.hint == f"ask them to type: {again}"
        assert "only a person asks a model" in vault.ask(asked(), Judge(name))[0].problem
    assert len(desk.calls) == before


def test_an_agent_asks_only_the_client_that_the_person_chose(desk: Desk, tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("claude", "codex"):
        (programs / name).write_text("#!/bin/sh\n")
        (programs / name).chmod(0o755)
    desk.home.mkdir()
    (desk.home / "tacit.toml").write_text('[learn]\nagent = "claude"\n')
    environment = {"TACIT_ACTOR": "agent:x", "PATH": str(programs)}
    vault = desk.vault(**environment)
    vault.must_be_askable(client_judge("claude"))
    with pytest.raises(RefusedError, match="only a person asks a judge"):
        vault.must_be_askable(client_judge("codex"))
    with pytest.raises(RefusedError, match="only a person asks a judge"):  # no variable is consent
        desk.vault(**environment, TACIT_LEARN_AGENT="codex").must_be_askable(client_judge("codex"))
    with pytest.raises(RefusedError, match="a judge asks no other judge"):
        desk.vault(PATH=str(programs), TACIT_JUDGE="1").must_be_askable(client_judge("claude"))


def test_a_client_that_is_not_there_or_not_supported_is_refused_with_what_to_do(desk: Desk) -> None:
    with pytest.raises(RefusedError, match="codex is not on PATH") as refused:
        desk.vault(PATH="/nowhere").must_be_askable(client_judge("codex"))
    assert "tacit learn --show-prompt" in refused.value.hint
    with pytest.raises(UsageError, match="no such client: 'chatbot'"):
        client_judge("chatbot")


def test_a_judge_is_named_in_the_settings_and_a_variable_only_turns_it_off(desk: Desk) -> None:
    assert desk.vault().configured_judge() is None
    desk.home.mkdir()
    (desk.home / "tacit.toml").write_text('[model]\nname = "chosen"\n')
    assert desk.vault(TACIT_MODEL_NAME="").configured_judge() is None
    assert desk.vault(TACIT_MODEL_NAME="another").configured_judge() == Judge("chosen")
    (desk.home / "tacit.toml").write_text('[learn]\nagent = "claude"\n[model]\nname = "chosen"\n')
    assert desk.vault(TACIT_LEARN_AGENT="codex").configured_judge() == client_judge("claude")
    assert desk.vault(TACIT_LEARN_AGENT="").configured_judge() == Judge("chosen")


def test_where_the_cost_cannot_be_counted_nobody_is_asked(desk: Desk) -> None:
    (desk.home / ".tacit/model.json").mkdir(parents=True)
    reply, checked = desk.ask("stub-good")
    assert checked is None and reply.problem.startswith("no judge was asked: ")
    assert desk.calls == []


# The budget of a day, and the pause after three failures


NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
NEED, BUDGET = 400, 1000


def failed(times: int, meter: UsageMeter = UsageMeter()) -> UsageMeter:  # noqa: B008
    for _ in range(times):
        meter = meter.after_failure(NOON)
    return meter


@given(st.lists(st.tuples(st.integers(1, 900), st.integers(0, 900)), max_size=30))
@settings(max_examples=100, deadline=None)
def test_questions_that_cost_no_more_than_reserved_never_exceed_the_budget(costs: list[tuple[int, int]]) -> None:
    meter = UsageMeter().at(NOON)
    for most, cost in costs:
        if not meter.refusal(most, BUDGET, NOON):
            meter = meter.add(most).add(-most).add(min(cost, most))
        assert meter.spent <= BUDGET


def test_a_day_has_its_budget() -> None:
    meter = UsageMeter().at(NOON).add(NEED).add(NEED)
    assert "800 of 1,000 are spent" in meter.refusal(NEED, BUDGET, NOON)
    assert meter.refusal(2500, BUDGET, NOON).endswith("tacit config set model.tokens_per_day 4000")  # which fits
    assert meter.refusal(200, BUDGET, NOON) == meter.at(NOON + timedelta(days=1)).refusal(NEED, BUDGET, NOON) == ""


@pytest.mark.parametrize(
    ("meter", "minutes", "is_refused"),
    [
        (failed(2), 0, False),
        (failed(3), 59, True),
        (failed(3), 60, False),
        (failed(2, failed(2).after_answer()), 0, False),
        (failed(3).after_failure(NOON + timedelta(hours=2)), 120, True),
        (failed(3), -2 * 24 * 60, False),
    ],
    ids=["two", "three", "an hour later", "with an answer between", "one more after it", "a clock that was set back"],
)
def test_failures_in_a_row_close_for_an_hour(meter: UsageMeter, minutes: int, is_refused: bool) -> None:
    refusal = meter.refusal(NEED, BUDGET, NOON + timedelta(minutes=minutes))
    assert ("none is asked before" in refusal, bool(refusal)) == (is_refused, is_refused)


@pytest.mark.parametrize("text", ["", "[", "[]", "null", "7", '{"spent": "x"}', '{"spent": -5}', '{"other": 1}'])
def test_what_lies_there_and_is_no_meter_counts_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "model.json").write_text(text)
    assert read_meter(str(tmp_path / "model.json")) == UsageMeter()
    assert read_meter(str(tmp_path / "none.json")) == UsageMeter()
