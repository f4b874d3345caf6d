"""Learning from sessions: what a person said in one is suggested with its evidence, once, and only they decide."""

from __future__ import annotations

import errno
import json
import re
from pathlib import Path
from typing import Any

import pytest
from harness.person import Person, Said, tree

from tacit.home.home import Home
from tacit.inject import AgentSession, Injector
from tacit.model.event import ClaimProposed, Draft
from tacit.vault import Vault
from tests.support.model_desk import Desk
from tests.support.talking import capture, session_file

RULE = "From now on, always run the linter before you commit."
SMALL_TALK = "thanks, that looks good"
COMPARE = "please compare the branches"


def pending(person: Person) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(person.tacit("suggestions", "--json").out)
    return found


def strength(person: Person, name: str) -> int:
    return int(json.loads(person.tacit("show", name, "--json").out)["strength"])


def test_a_rule_is_suggested_with_its_words_and_nothing_else_is(person: Person, project: Path) -> None:
    capture(person, project, 1, "please add a footer to the page", RULE, SMALL_TALK)
    told = person.tacit("learn").out

    assert "always run the linter before you commit" in told.lower() and RULE in told
    (one,) = pending(person)
    assert one["status"] == "pending" and "linter" in one["label"]
    why = person.tacit("why", one["id"]).out
    assert "learner:talk" in why and RULE in why and "-agents.jsonl:" in why


def test_learning_twice_is_learning_once(person: Person, project: Path) -> None:
    capture(person, project, 1, RULE)
    person.tacit("learn")
    assert "Nothing to suggest" in person.tacit("learn").out
    person.tacit("learn", "--all")
    person.tacit("reindex")
    person.tacit("learn", "--all")

    (one,) = pending(person)
    assert strength(person, one["id"]) == 1


def test_the_same_in_other_words_in_three_sessions_is_one_memory_of_strength_three(
    person: Person, project: Path
) -> None:
    words = (RULE, "you must always run the linter before committing", "Always run the linter before a commit!")
    for day, prompt in enumerate(words, 1):
        capture(person, project, day, prompt)
    person.tacit("learn")

    (one,) = pending(person)
    assert strength(person, one["id"]) == 3


def test_what_was_dismissed_is_not_suggested_again(person: Person, project: Path) -> None:
    capture(person, project, 1, RULE)
    person.tacit("learn")
    person.tacit("dismiss", pending(person)[0]["id"])
    capture(person, project, 2, RULE)
    before = person.events.read_bytes()

    assert "Nothing to suggest" in person.tacit("learn").out
    assert pending(person) == [] and person.events.read_bytes() == before


def test_a_session_that_is_not_there_is_a_clear_error(person: Person) -> None:
    told = person.tacit("learn", "--session", "zzzz", code=1)

    assert "no session" in told.err and "tacit sessions" in told.err


def test_a_review_shows_the_words_the_session_and_why(person: Person, project: Path) -> None:
    capture(person, project, 1, RULE)
    person.tacit("learn")
    card = person.tacit("review").out

    assert f"evidence: claude, 2026-03-01, session {person.tacit('sessions', '--json').json[0]['id']}" in card
    assert "why: the form of the sentence: from now on\n" in card


def test_no_surface_quotes_an_example_of_the_learner(person: Person, project: Path) -> None:
    """Also not of what an earlier version recorded."""
    capture(person, project, 1, RULE)
    person.tacit("learn")
    (one,) = pending(person)
    with person.vault() as vault, vault.home.store.change() as change:
        body = vault.search.why(one["id"])[1][0].event.body
        assert isinstance(body, ClaimProposed)
        former = body._replace(reason="from now on, as in “from now on run the linter before you commit”")
        change.record([Draft(former, body.claim.scope)])
    for command in (("review",), ("list", "--pending"), ("why", one["id"]), ("show", one["id"]), ("review", "--json")):
        said = person.tacit(*command).out
        assert "as in" not in said and "run the linter before you commit”" not in said.replace(RULE, "")
    assert pending(person)[0]["reason"] == "from now on"


def test_lists_and_cards_show_when_it_was_said_and_details_when_it_was_learned(person: Person, project: Path) -> None:
    person.now = "2026-05-20T12:00:00+00:00"
    capture(person, project, 7, RULE)
    person.tacit("learn")
    (one,) = pending(person)
    assert one["said_at"].startswith("2026-03-07T10:") and one["first_at"].startswith("2026-05-20T12:00")
    assert ", 2026-03-07\n" in person.tacit("review").out
    person.tacit("accept", one["id"])
    for command in (("list",), ("recall", "linter"), ("brief",)):
        said = person.tacit(*command, cwd=project).out
        assert "2026-03-07" in said and "2026-05-20" not in said, command
    assert "- 2026-03-07: Always run the linter" in (person.home / "memory" / "long-term.md").read_text()
    assert re.search(r"said 2026-03-07 10:\d\d, learned 2026-05-20 12:00", person.tacit("show", one["id"]).out)
    assert "2026-05-20 12:00 learner" in person.tacit("why", one["id"]).out
    person.tacit("forget", one["id"])
    assert "2026-05-20" in person.tacit("list", "--forgotten", cwd=project).out


def test_a_suggestion_against_what_holds_says_so_and_changes_nothing(person: Person, project: Path) -> None:
    person.tacit("add", "use npm", cwd=project)
    (held,) = (one["id"] for one in person.tacit("list", "--json", cwd=project).json)
    capture(person, project, 1, "always use pnpm in this project")
    person.tacit("learn")

    assert f"may contradict {held[:6]}: use npm" in person.tacit("review").out
    assert pending(person)[0]["contradicts"] == [held]
    assert person.tacit("show", held, "--json").json["overruled_by"] is None


@pytest.mark.parametrize("is_bare", [False, True])
def test_what_is_learnt_in_one_work_tree_of_a_repository_holds_in_the_others(person: Person, is_bare: bool) -> None:
    root = person.repository("shop")
    (root / "a.txt").write_text("a")
    person.commit(root)
    if is_bare:
        person.git(person.folder, "clone", "-q", "--bare", "--no-local", str(root), "shop.git")
        root = person.folder / "shop.git"
        person.git(root, "remote", "remove", "origin")
    one, other = person.folder / "one", person.folder / "deep" / "other"
    for place in (one, other):
        person.git(root, "worktree", "add", "-q", str(place), "-b", place.name)
    capture(person, one, 1, RULE)
    capture(person, other, 2, RULE)
    person.tacit("learn")

    (card,) = pending(person)
    assert strength(person, card["id"]) == 2
    person.tacit("accept", card["id"])
    for place in (one, other, *([] if is_bare else [root])):
        assert "linter" in person.tacit("recall", "linter", cwd=place).out
        assert "linter" in person.tacit("brief", cwd=place).out


def accepting(person: Person, project: Path, *prompts: str) -> str:
    """What is told when clear words need no review."""
    person.tacit("config", "set", "learn.accept", "true")
    capture(person, project, 1, *prompts)
    return person.tacit("learn").out


def test_clear_words_of_the_person_need_no_review_where_it_is_set_so(person: Person, project: Path) -> None:
    told = accepting(person, project, RULE, "never do that to the .env file again")

    assert "(accepted): Always run the linter" in told and "1 suggestion, 1 accepted" in told
    assert [".env" in one["label"] for one in pending(person)] == [True]
    assert "linter" in person.tacit("brief", cwd=project).out or "linter" in person.tacit("list").out
    person.tacit("undo")
    assert "linter" not in person.tacit("list").out


def test_what_was_taught_in_a_folder_that_is_no_project_holds_in_it_and_nowhere_else(person: Person) -> None:
    plain = person.folder / "drafts"
    plain.mkdir()
    rules = (RULE, "Never push to the main branch on your own.", "From now on, always write the tests first.")
    capture(person, plain, 1, *rules)
    person.tacit("learn")
    for one in pending(person):
        person.tacit("accept", one["id"])

    assert "linter" in person.tacit("brief", cwd=plain).out
    assert "linter" not in person.tacit("brief").out
    with Home(person.home, cwd=plain, environment=person.environment()) as home:
        assert "linter" in Injector(home).inject(AgentSession("claude", "another"), start=True)


def test_what_only_a_setting_accepted_is_not_in_the_file_that_a_repository_shares(
    person: Person, project: Path
) -> None:
    person.tacit("add", "build with make", cwd=project)
    accepting(person, project, RULE)
    shared = project / "docs" / "memory" / "memories.ndjson"
    (rule,) = [one for one in person.tacit("list", "--json", cwd=project).json if "linter" in one["label"]]

    assert "make" in shared.read_text() and "linter" not in shared.read_text()
    person.tacit("reindex", cwd=project)
    assert "linter" not in shared.read_text()
    person.tacit("accept", rule["id"], cwd=project)
    assert "linter" not in shared.read_text()
    person.tacit("share", rule["id"], cwd=project)
    assert "linter" in shared.read_text()


def test_what_only_a_setting_accepted_leaves_no_empty_file_in_the_repository(person: Person, project: Path) -> None:
    assert "1 accepted" in accepting(person, project, RULE)
    person.tacit("list", cwd=project)
    person.tacit("reindex", cwd=project)
    assert not (project / "docs").exists()


def test_clear_words_against_what_holds_wait_for_a_review(person: Person, project: Path) -> None:
    said = "From now on, always use pnpm in this project"
    assert "1 accepted" in accepting(person, project, said)
    person.tacit("undo")
    person.tacit("add", "always use npm", cwd=project)

    assert "accepted" not in person.tacit("learn", "--all").out


def test_what_a_setting_accepted_can_be_dismissed(person: Person, project: Path) -> None:
    accepting(person, project, RULE)
    (rule,) = person.tacit("list", "--json").json
    person.tacit("dismiss", rule["id"])

    assert person.tacit("list", "--json").json == [] and pending(person) == []


# With a model


LAST = "please add a footer to the page; the imprint is in docs/imprint.md"
SUMMARY = "A footer was added to the page, as was asked."
ANSWER = json.dumps({"memories": [], "summaries": {"LABEL": SUMMARY}})


def learn(person: Person, desk: Desk, *words: str, says: str = ANSWER, code: int = 0) -> Said:
    """`tacit learn` where there are models that answer what they are told to."""
    environment: dict[str, Any] = {**desk.models, "STUB_ANSWER": says}
    return person.tacit("learn", *words, code=code, **environment)


def outcomes(person: Person) -> list[tuple[str, str]]:
    return [(one["outcome"], one["summarized_by"]) for one in person.tacit("sessions", "--json").json]


def test_the_model_that_was_chosen_for_good_is_asked_once_about_each_session(
    person: Person, project: Path, desk: Desk
) -> None:
    person.tacit("config", "set", "model.name", "stub-told")
    capture(person, project, 1, LAST)
    assert "1 session" in learn(person, desk).out
    assert outcomes(person) == [(SUMMARY, "stub-told")]
    learn(person, desk)
    assert len(desk.calls) == 1

    person.tacit("reindex")
    learn(person, desk)
    assert len(desk.calls) == 1  # what it cost once is known from the log


def test_for_once_another_model_is_asked_or_none(person: Person, project: Path, desk: Desk) -> None:
    person.tacit("config", "set", "model.name", "stub-told")
    capture(person, project, 1, LAST)
    learn(person, desk, "--model", "")
    assert desk.calls == [] and outcomes(person) == [("It is done as you asked.", "")]
    learn(person, desk, "--model", "stub-other")
    assert outcomes(person) == [(SUMMARY, "stub-other")]
    learn(person, desk)
    assert len(desk.calls) == 2 and outcomes(person) == [(SUMMARY, "stub-told")]


def test_a_look_spends_nothing_on_a_model_that_was_not_named_for_it(person: Person, project: Path, desk: Desk) -> None:
    person.tacit("config", "set", "model.name", "stub-told")
    capture(person, project, 1, LAST, RULE)
    assert "1 suggestion would come" in learn(person, desk, "--dry-run").out
    assert LAST in learn(person, desk, "--dry-run", "--show-prompt").out
    assert desk.calls == []

    told = learn(person, desk, "--dry-run", "--model", "stub-told")
    assert len(desk.calls) == 1 and "1 suggestion would come" in told.out and SUMMARY in told.err
    assert outcomes(person) == [("It is done as you asked.", "")]


def test_what_was_learned_without_a_model_is_still_read_by_one(person: Person, project: Path, desk: Desk) -> None:
    capture(person, project, 1, LAST, RULE)
    assert "1 suggestion" in learn(person, desk).out and desk.calls == []
    told = learn(person, desk, "--model", "stub-told")

    assert "Nothing to suggest in 1 session" in told.out and len(desk.calls) == 1
    assert len(pending(person)) == 1 and strength(person, pending(person)[0]["id"]) == 1
    assert outcomes(person) == [(SUMMARY, "stub-told")]


def test_a_chosen_model_that_cannot_be_asked_costs_nothing_else(person: Person, project: Path, desk: Desk) -> None:
    person.tacit("config", "set", "model.name", "no-such-model")
    for day in (1, 2, 3):
        capture(person, project, day, LAST, RULE)
    told = learn(person, desk, code=1)

    assert "1 suggestion, 2 said again, in 3 sessions" in told.out
    assert told.err.count("llm knows no model") == 1 and "3 sessions wait for no-such-model: tacit learn" in told.err


def test_the_latest_sessions_are_read_first_where_the_budget_is_small(
    person: Person, project: Path, desk: Desk
) -> None:
    for day in (1, 2):
        prompts = [f"{LAST} number {day} {at} {'and another fine thing ' * 20}" for at in range(9)]
        capture(person, project, day, *prompts)
    person.tacit("config", "set", "model.tokens_per_day", "6200")
    told = learn(person, desk, "--model", "stub-told")

    assert len(desk.calls) == 1 and "today's budget" in told.err
    assert [by for _, by in outcomes(person)] == ["stub-told", ""]


@pytest.fixture
def summed_up(person: Person, project: Path, desk: Desk) -> None:
    """A session that a model has summed up."""
    capture(person, project, 1, LAST)
    learn(person, desk, "--model", "stub-told", says=ANSWER.replace("A footer", "A fine grey footer"))
    person.wait_for_pages()


FINE = SUMMARY.replace("A footer", "A fine grey footer")


def test_a_summary_is_shown_wherever_a_session_is_told_of(person: Person, summed_up: None) -> None:
    assert f"→ {FINE} (summed up by stub-told)" in person.tacit("sessions").out
    page = person.tacit("session", "show", "last").out.splitlines()
    assert page[page.index("## Summary (by stub-told)") + 2] == f"- {FINE}"
    assert person.tacit("session", "show", "last", "--json").json["summary"] == {
        "text": FINE,
        "model": "stub-told",
        "turns_since": 0,
    }
    (hit,) = person.recalled("grey")
    assert (hit["kind"], hit["text"]) == ("session", FINE)
    line = Path(hit["path"]).read_text().splitlines()[hit["line"] - 1]
    assert line == "## Summary (by stub-told)"


def test_a_new_session_is_told_the_summary_as_data(person: Person, project: Path, summed_up: None) -> None:
    with person.at(project, now="2026-03-01T14:00:00+00:00"), Home(person.home, cwd=project) as home:
        given = Injector(home).inject(AgentSession("claude", "another", "startup"), start=True)

    told = given[given.index("<tacit-sessions ") : given.index("</tacit-sessions ")]
    assert f"→ {FINE} (" in told and "not instructions" in told


def test_a_session_that_grew_tells_its_newest_end_and_what_the_summary_does_not_know(
    person: Person, project: Path, desk: Desk, summed_up: None
) -> None:
    capture(person, project, 1, LAST, "and a header", "and a side bar")
    assert outcomes(person) == [("It is done as you asked.", "")]
    page = person.tacit("session", "show", "last").out
    assert FINE in page and "(Before the last 2 turns.)" in page
    learn(person, desk, "--model", "stub-told")

    assert len(desk.calls) == 2 and outcomes(person) == [(SUMMARY, "stub-told")]
    assert FINE not in person.tacit("session", "show", "last").out and person.recalled("grey") == []


def test_a_purge_takes_a_text_out_of_summaries_too(person: Person, summed_up: None) -> None:
    person.tacit("purge", "--text", "fine grey", "--yes")

    assert outcomes(person) == [("A [purged] footer was added to the page, as was asked.", "stub-told")]
    assert not any(b"fine grey" in data for data in tree(person.home).values())


def test_a_look_shows_what_two_sessions_say_as_new_once(person: Person, project: Path) -> None:
    for day in (1, 2):
        capture(person, project, day, RULE)

    assert "1 suggestion would come, 1 said again" in person.tacit("learn", "--dry-run").out
    assert pending(person) == []


def no_room(*_given: object, **_more: object) -> None:
    raise OSError(errno.ENOSPC, "no space left")


def test_a_doubtful_fix_is_suggested_once_a_second_session_shows_it(person: Person, project: Path) -> None:
    capture(person, project, 1, COMPARE, fixed=True)
    person.tacit("learn")
    assert pending(person) == []
    person.tacit("reindex")
    capture(person, project, 2, COMPARE, fixed=True)
    person.tacit("learn")

    (one,) = pending(person)
    assert "git diff main...HEAD" in one["label"]


def test_a_fix_is_found_in_an_earlier_session_that_went_on_meanwhile(person: Person, project: Path) -> None:
    with person.vault() as vault:
        vault.transcripts.capture_transcripts([str(session_file(person, project, 1, COMPARE))])
        (before,) = vault.learning.unlearned_sessions()
        assert vault.learning.learn_from_session(before) == []
        vault.transcripts.capture_transcripts(
            [str(session_file(person, project, day, COMPARE, fixed=True)) for day in (1, 2)]
        )
        second = next(row for row in vault.learning.unlearned_sessions() if row.id != before.id)
        (result,) = vault.learning.learn_from_session(second)

    assert "git diff main...HEAD" in result.claim.sentence


def test_sessions_together_teach_what_they_teach_one_by_one(person: Person, project: Path) -> None:
    """A rule, a rule that is said again, a fix that needs two sessions, and small talk before, between and after."""
    said = {1: SMALL_TALK, 2: RULE, 3: SMALL_TALK, 4: SMALL_TALK, 6: RULE, 8: SMALL_TALK}
    paths = [str(session_file(person, project, day, prompt)) for day, prompt in said.items()]
    paths += [str(session_file(person, project, day, COMPARE, fixed=True)) for day in (5, 7)]
    learned: list[list[list[tuple[str, str]]]] = []
    for home in (person.folder / "together", person.folder / "one by one"):
        with Vault(Home(str(home), cwd="/")) as vault:
            vault.transcripts.capture_transcripts(paths)
            rows = vault.learning.unlearned_sessions()
            results = (
                list(vault.learning.learn_from_sessions(rows))
                if home.name == "together"
                else [vault.learning.learn_from_session(row) for row in rows]
            )
            assert vault.learning.unlearned_sessions() == []
            learned.append([[(one.claim.sentence, one.state.value) for one in session] for session in results])

    together, one_by_one = learned
    assert together == one_by_one
    assert [len(session) for session in together] == [0, 1, 0, 0, 0, 1, 1, 0]
    assert [session[0][1] for session in together if session] == ["new", "said again", "new"]


def test_what_sessions_before_a_failed_one_taught_is_not_learned_again(
    person: Person, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [str(session_file(person, project, day, said)) for day, said in ((1, SMALL_TALK), (2, RULE))]
    with person.vault() as vault, monkeypatch.context() as patch:
        vault.transcripts.capture_transcripts(paths)
        first, second = vault.learning.unlearned_sessions()
        patch.setattr(type(vault.home.store.log), "append", no_room)
        with pytest.raises(OSError):
            list(vault.learning.learn_from_sessions([first, second]))
        assert vault.learning.unlearned_sessions() == [second]

    assert "1 suggestion" in person.tacit("learn").out


def test_what_is_to_be_remembered_everywhere_waits_as_a_global_memory(person: Person, project: Path) -> None:
    capture(
        person, project, 1, "remember this everywhere: I use fish, not bash", "add to AGENTS.md that tests need docker"
    )
    person.tacit("learn")
    assert {(one["label"], one["scope"] == "global") for one in pending(person)} == {
        ("I use fish, not bash", True),
        ("Tests need docker", False),
    }
