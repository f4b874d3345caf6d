"""Real models of the `llm` library, in a process of their own. Whatever they do, nothing is lost."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from harness.secret_examples import written

from tacit.errors import RefusedError
from tacit.model.claim import Provenance
from tacit.model.observation import PromptGiven
from tacit.text.words import estimate_tokens
from tests.support.model_desk import ROOT, Desk, Provider
from tests.support.model_talk import RULE, SUMMARY, TALK, answer, numbered, said

LATER = "2026-03-01T13:01:00+00:00"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_no_model_is_asked_where_none_is_named(desk: Desk) -> None:
    vault = desk.vault()
    assert vault.model_findings(said(), "").findings == () and desk.calls == []


def test_of_an_answer_what_can_be_believed_is_learnt(desk: Desk) -> None:
    outcome = desk.vault().model_findings(said(), "stub-misleading")
    (learnt,) = outcome.findings
    assert learnt.sentence == RULE["content"] and learnt.evidence == (numbered(1),)
    assert learnt.provenance is Provenance.MODEL
    assert outcome.problem == "" and sum(outcome.dropped.values()) == 4


def test_a_summary_that_holds_comes_with_the_claims_and_with_who_said_so(desk: Desk) -> None:
    outcome = desk.vault().model_findings(said(), "stub-summing")
    assert (outcome.summary, outcome.model) == (SUMMARY, "stub-summing")
    assert len(outcome.findings) == 1 and outcome.dropped == {}


@pytest.mark.parametrize("name", ["talkative", "poetic", "commanding", "inventing", "mute", "confused"])
def test_a_summary_that_does_not_hold_takes_no_claim_with_it(desk: Desk, name: str) -> None:
    outcome = desk.vault().model_findings(said(), f"stub-{name}")
    assert outcome.summary == "" and [one.sentence for one in outcome.findings] == [RULE["content"]]
    assert outcome.problem == "" and outcome.model == f"stub-{name}"
    assert sum(outcome.dropped.values()) == (name != "mute")


def test_a_model_that_did_not_answer_has_read_nothing(desk: Desk) -> None:
    assert desk.vault().model_findings(said(), "stub-garbage").model == ""


def test_three_failures_in_a_row_of_any_sort_close_for_an_hour(desk: Desk) -> None:
    problems = [desk.vault().model_findings(said(), f"stub-{name}").problem for name in ("garbage", "flood", "echo")]
    assert problems == [
        "stub-garbage did not answer in the form it was asked for",
        "stub-flood answered with more than 8,000 characters",
        "stub-echo did not answer in the form it was asked for",
    ]
    assert len(desk.calls) == 3
    before = desk.kept()
    for _ in range(20):
        closed = desk.vault().model_findings(said(), "stub-good")
        assert closed.findings == () and closed.tokens == 0 and "none is asked before 13:00" in closed.problem
    assert len(desk.calls) == 3
    assert desk.kept() == before
    assert len(desk.vault(LATER).model_findings(said(), "stub-good").findings) == 1
    assert desk.vault(LATER).model_budget().spent > 0


def test_the_budget_of_a_day_is_kept_and_counted_before_the_question(desk: Desk) -> None:
    once = {"TACIT_MODEL_TOKENS_PER_DAY": str(estimate_tokens(desk.vault().model_prompt(said())) + 2500)}
    vault = desk.vault(**once)
    outcome = vault.model_findings(said(), "stub-good")
    assert len(outcome.findings) == 1
    assert (
        vault.model_budget().spent
        == outcome.tokens
        == estimate_tokens(vault.model_prompt(said())) + estimate_tokens(answer(RULE))
    )
    again = vault.model_findings(said(), "stub-good")
    assert again.findings == () and "today's budget" in again.problem
    assert len(desk.calls) == 1


def test_a_model_that_hangs_is_ended_and_what_it_may_have_cost_is_counted(desk: Desk) -> None:
    vault = desk.vault(TACIT_MODEL_TIMEOUT="3")
    outcome = vault.model_findings(said(), "stub-hang")
    assert outcome.findings == () and outcome.problem == "stub-hang did not answer within 3 s"
    assert outcome.tokens == vault.model_budget().spent == estimate_tokens(vault.model_prompt(said())) + 2000
    assert not any(map(_is_running, desk.calls))


def test_who_is_killed_leaves_no_process_behind_and_has_spent_what_was_reserved(desk: Desk) -> None:
    vault = desk.vault(TACIT_MODEL_TIMEOUT="120")
    script = (
        "import os, sys; from tests.support.model_talk import said; from tacit.learn.llm.run import ModelLearning;"
        "from tacit.home.home import Home;"
        "ModelLearning(Home(sys.argv[1], cwd=sys.argv[1])).model_findings(said(), 'stub-hang')"
    )
    desk.home.mkdir()
    environment = vault._home.environment
    asking = subprocess.Popen([sys.executable, "-c", script, str(desk.home)], env=environment, cwd=ROOT)
    _wait_until(lambda: bool(desk.calls))
    asking.kill()
    asking.wait()
    (asked,) = desk.calls
    assert vault.model_budget().spent == estimate_tokens(vault.model_prompt(said())) + 2000
    _wait_until(lambda: not _is_running(asked))


def test_what_a_provider_says_of_an_error_is_shown_without_its_secrets(desk: Desk) -> None:
    problem = desk.vault().model_findings(said(), "stub-failing").problem
    assert problem.startswith("stub-failing failed: RuntimeError: the provider")
    assert "says no" in problem and "ghp_" not in problem and "\x1b" not in problem


def test_a_provider_that_refuses_for_ever_is_a_failure(desk: Desk) -> None:
    provider = Provider(429, "Rate limit reached")
    with provider.known_to(desk):
        outcome = desk.vault().model_findings(said(), "served")
    assert outcome.findings == () and "429" in outcome.problem and "Rate limit reached" in outcome.problem
    assert 1 <= len(provider.requests) <= 3  # the client of the provider tries again by itself


def test_what_is_shown_beforehand_is_exactly_what_is_sent(desk: Desk) -> None:
    token = written("ghp_<a36>")
    talk = said(*TALK, PromptGiven("claude", f"deploy with {token}"))
    vault, provider = desk.vault(), Provider(200, answer(RULE))
    with provider.known_to(desk):
        outcome = vault.model_findings(talk, "served")
    (request,) = provider.requests
    assert request["messages"] == [{"role": "user", "content": vault.model_prompt(talk)}]
    assert "json_schema" in str(request["response_format"]) and token not in str(request)
    assert len(outcome.findings) == 1
    assert outcome.tokens == 9070  # as the provider counts, where that is more


def test_a_model_that_llm_does_not_know_is_no_failure_and_costs_nothing(desk: Desk) -> None:
    vault = desk.vault()
    outcome = vault.model_findings(said(), "no-such-model")
    assert "llm knows no model no-such-model" in outcome.problem and "type: llm models" in outcome.problem
    assert vault.model_budget().spent == outcome.tokens == 0
    assert '"failures": 0' in (desk.home / ".tacit/model.json").read_text()


def test_without_the_library_a_person_is_told_what_to_type(desk: Desk, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    script = (
        "import sys; from tacit.learn.llm.run import ModelLearning; from tests.support.model_talk import said\n"
        "from tacit.home.home import Home\n"
        "vault = ModelLearning(Home(sys.argv[1], cwd=sys.argv[1]))\n"
        "print(vault.model_findings(said(), 'any').problem)\n"
        "try: vault.must_have_model('any')\n"
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
    assert len(desk.vault().model_findings(said(), "stub-good").findings) == 1
    asked = len(desk.calls)
    vault = desk.vault(TACIT_ACTOR="agent:x")
    for name, again in (("stub-good", "tacit learn"), ("other", "tacit learn --model other")):
        with pytest.raises(RefusedError) as refused:
            vault.must_have_model(name)
        assert refused.value.hint == f"ask them to type: {again}"
        assert "only a person asks a model" in vault.model_findings(said(), name).problem
    assert len(desk.calls) == asked


def test_a_variable_turns_the_model_off_and_names_no_other(desk: Desk) -> None:
    desk.home.mkdir()
    (desk.home / "tacit.toml").write_text('[model]\nname = "chosen"\n')
    assert desk.vault(TACIT_MODEL_NAME="").model_name == ""
    assert desk.vault(TACIT_MODEL_NAME="another").model_name == "chosen"


def test_where_the_cost_cannot_be_counted_nobody_is_asked(desk: Desk) -> None:
    (desk.home / ".tacit/model.json").mkdir(parents=True)
    outcome = desk.vault().model_findings(said(), "stub-good")
    assert outcome.findings == () and outcome.problem.startswith("no model was asked: ")
    assert desk.calls == []


def _is_running(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"  # nobody may have waited for it yet
    except OSError:
        return False


def _wait_until(holds: object, seconds: float = 30) -> None:
    assert callable(holds)
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.02)
