"""`tacit learn` with a judge: a client on PATH, or answers from a file. Nothing becomes active by itself."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from harness.person import Person, Said, tree
from harness.terminal import converse

from tests.support.fake_client import FakeClient
from tests.support.talking import session_file

FOOTER = "please add a footer to the page; the imprint is in docs/imprint.md"
PLAIN = "the deploy host is called kestrel, by the way"
MEMORY = {
    "quote": "the deploy host is called kestrel",
    "statement": "The deploy host of this project is called kestrel.",
    "kind": "environment",
    "why": "it is needed for each deployment",
    "where": "project",
}
SUMMARY = "A footer was added to the page, as was asked."


@pytest.fixture
def project(person: Person) -> Path:
    folder = person.folder / "shop"
    (folder / ".git").mkdir(parents=True)
    return folder


@pytest.fixture
def client(tmp_path: Path) -> FakeClient:
    return FakeClient(tmp_path / "bin")


def answer(*memories: object) -> dict[str, object]:
    return {"memories": list(memories), "summaries": {}}


def capture(person: Person, project: Path, *prompts: str, name: str = "1") -> None:
    person.tacit("capture", str(session_file(person, project, int(name), *prompts)))


def learn(person: Person, client: FakeClient, *words: str, code: int = 0, **more: Any) -> Said:
    return person.tacit("learn", *words, code=code, PATH=f"{client.folder}{os.pathsep}{os.environ['PATH']}", **more)


def pending(person: Person) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = person.tacit("list", "--pending", "--json").json
    return found


# A client


def test_a_client_is_asked_once_about_all_sessions_and_gives_a_receipt(
    person: Person, project: Path, client: FakeClient
) -> None:
    capture(person, project, FOOTER, PLAIN)
    capture(person, project, "make the header blue, as in docs/colours.md", name="2")
    client.answers(answer(MEMORY))
    told = learn(person, client, "--agent", "claude")

    (call,) = client.calls
    assert FOOTER in call["question"] and "make the header blue, as in docs/colours.md" in call["question"]
    assert re.search(r"Asking claude about 2 sessions: about [\d,]+ tokens in 1 question", told.err)
    cost = r"about [\d,]+ tokens \(asked [\d,]+, answered \d+\)"
    assert re.search(f"claude judged 2 sessions: 1 memory for {cost}", told.err)
    assert re.search(r"today: [\d,]+ of 20,000 tokens", told.err)
    assert "1 suggestion, 0 said again, in 2 sessions: tacit review" in told.out
    assert "confidence" not in told.out + person.tacit("review").out  # a judge's would be the same for all
    (memory,) = pending(person)
    assert (memory["label"], memory["kind"], memory["status"]) == (MEMORY["statement"], "environment", "pending")
    why = person.tacit("why", memory["id"]).out
    assert "judged by claude: it is needed for each deployment" in why and str(MEMORY["quote"]) in why

    assert "in 0 sessions" in learn(person, client, "--agent", "claude").out and len(client.calls) == 1


def test_a_session_that_goes_on_is_judged_again(person: Person, project: Path, client: FakeClient) -> None:
    capture(person, project, FOOTER)
    learn(person, client, "--agent", "claude")
    capture(person, project, FOOTER, PLAIN)
    learn(person, client, "--agent", "claude")
    assert len(client.calls) == 2


def test_what_was_learned_in_the_persons_own_words_is_no_second_suggestion(
    person: Person, project: Path, client: FakeClient
) -> None:
    capture(person, project, f"From now on, always run the linter before you commit. {PLAIN}")
    learn(person, client)
    (own,) = pending(person)
    statement = "The linter has to be run prior to each commit in this project."
    linter = {"quote": "always run the linter before you commit", "statement": statement, "kind": "rule"}
    client.answers(answer({**MEMORY, **linter}, MEMORY))
    told = learn(person, client, "--agent", "claude")
    assert {memory["label"] for memory in pending(person)} == {own["label"], MEMORY["statement"]}
    assert f"already known, in other words: “{statement}”" in told.err
    assert MEMORY["statement"] not in told.err


def test_what_holds_everywhere_is_proposed_for_everywhere(person: Person, project: Path, client: FakeClient) -> None:
    capture(person, project, "I always want answers in British English, everywhere")
    said = {"quote": "I always want answers in British English", "where": "everywhere", "kind": "preference"}
    client.answers(answer({**MEMORY, **said, "statement": "Answer in British English, in all projects."}))
    learn(person, client, "--agent", "claude")
    assert "global" in {memory["scope"] for memory in pending(person)}


def test_the_wording_of_a_judge_is_never_accepted_without_a_review(
    person: Person, project: Path, client: FakeClient
) -> None:
    person.tacit("config", "set", "learn.accept", "true")
    capture(person, project, FOOTER, PLAIN)
    client.answers(answer(MEMORY))
    told = learn(person, client, "--agent", "claude")
    assert "accepted" not in told.out and [memory["status"] for memory in pending(person)] == ["pending"]


def test_an_answer_that_lies_suggests_nothing_and_is_counted(person: Person, project: Path, client: FakeClient) -> None:
    capture(person, project, FOOTER, PLAIN)
    lies = (
        {**MEMORY, "quote": "the deploy host is called albatross"},
        {**MEMORY, "statement": "The deploy host is called kestrel.evil.example now."},
        {**MEMORY, "quote": "It is done as you asked", "statement": "All of it is done as you asked."},
    )
    client.answers(answer(*lies))
    told = learn(person, client, "--agent", "claude")
    assert pending(person) == [] and "0 memories" in told.err
    assert "not believed: its quote does not occur (2), it has names that its line does not have (1)" in told.err


def test_a_client_that_fails_loses_nothing_and_the_sessions_wait(
    person: Person, project: Path, client: FakeClient
) -> None:
    capture(person, project, FOOTER, "From now on, always run the linter before you commit.")
    client.does("print('API Error: 500'); sys.exit(1)")
    told = learn(person, client, "--agent", "claude", code=1)
    assert "claude failed with exit status 1: API Error: 500" in told.err
    assert "1 session waits for claude: tacit learn --agent claude" in told.err
    assert len(pending(person)) == 1  # what was learned without it
    client.answers(answer())
    learn(person, client, "--agent", "claude")
    assert len(client.calls) == 2


def test_a_dry_run_with_a_client_changes_nothing(person: Person, project: Path, client: FakeClient) -> None:
    capture(person, project, PLAIN)
    client.answers(answer(MEMORY))
    told = learn(person, client, "--agent", "claude", "--dry-run")
    assert "1 suggestion would come" in told.out and pending(person) == []
    learn(person, client, "--agent", "claude")
    assert len(client.calls) == 2


def test_the_client_of_the_settings_is_asked_by_a_person_and_not_in_a_dry_run(
    person: Person, project: Path, client: FakeClient
) -> None:
    capture(person, project, PLAIN)
    learn(person, client)
    assert client.calls == []
    person.tacit("config", "set", "learn.agent", "claude")
    learn(person, client, "--dry-run")
    learn(person, client, CLAUDECODE="1")
    learn(person, client, "--agent", "")
    assert client.calls == []
    learn(person, client)
    assert len(client.calls) == 1


def test_an_agent_may_ask_only_the_client_of_the_settings(person: Person, project: Path, client: FakeClient) -> None:
    capture(person, project, PLAIN)
    refused = learn(person, client, "--agent", "claude", code=1, CLAUDECODE="1")
    assert "only a person asks a judge" in refused.err and "tacit learn --agent claude" in refused.err
    person.tacit("config", "set", "learn.agent", "claude")
    learn(person, client, "--agent", "claude", CLAUDECODE="1")
    assert len(client.calls) == 1


def test_json_holds_what_a_judge_found(person: Person, project: Path, client: FakeClient) -> None:
    capture(person, project, PLAIN)
    client.answers(answer(MEMORY))
    (found,) = learn(person, client, "--agent", "claude", "--json").json
    assert (found["text"], found["quote"], found["state"]) == (MEMORY["statement"], MEMORY["quote"], "new")


# The question and its answers


def test_the_question_is_printed_and_answers_from_a_file_are_believed_as_from_a_client(
    person: Person, project: Path
) -> None:
    capture(person, project, FOOTER, PLAIN)
    before = tree(person.home)
    question = person.tacit("learn", "--show-prompt").out
    assert FOOTER in question and PLAIN in question and tree(person.home) == before
    label = re.findall(r'"session": "(\w+)"', question)[0]
    mark = re.findall(r"<sessions (\w+)>", question)[0]
    file = person.folder / "answers.json"
    given = {"question": mark, "memories": [MEMORY, {**MEMORY, "quote": "x" * 20}], "summaries": {label: SUMMARY}}
    file.write_text(f"Here:\n```json\n{json.dumps(given)}\n```\n")
    told = person.tacit("learn", "--answers", str(file))

    assert "1 suggestion" in told.out and "a model that you asked judged 1 session: 1 memory, 1 summed up" in told.err
    assert f"“{MEMORY['statement']}”: its quote does not occur" in told.err
    assert "not believed: its quote does not occur (1)" in told.err
    assert [memory["label"] for memory in pending(person)] == [MEMORY["statement"]]
    assert person.tacit("sessions", "--json").json[0]["outcome"] == SUMMARY
    assert "Nothing to ask about in 0 sessions" in person.tacit("learn", "--show-prompt").err


def test_a_session_that_came_after_the_question_is_not_judged_by_its_answers(person: Person, project: Path) -> None:
    capture(person, project, FOOTER, PLAIN)
    question = person.tacit("learn", "--show-prompt").out
    mark = re.findall(r"<sessions (\w+)>", question)[0]
    capture(person, project, "make the header blue, as in docs/colours.md", name="2")
    file = person.folder / "answers.json"
    file.write_text(json.dumps({"question": mark, **answer(MEMORY)}))
    assert "judged 1 session: 1 memory" in person.tacit("learn", "--answers", str(file)).err
    again = person.tacit("learn", "--show-prompt").out
    assert "make the header blue, as in docs/colours.md" in again and FOOTER not in again


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("no idea", "these are no answers"),
        ("", "these are no answers"),
        ('{"question": "0123456789abcdef", "memories": []}', "these answers are for another question"),
    ],
)
def test_what_is_no_answer_to_this_question_is_refused(person: Person, project: Path, text: str, problem: str) -> None:
    capture(person, project, FOOTER, PLAIN)
    file = person.folder / "answers.json"
    file.write_text(text)
    told = person.tacit("learn", "--answers", str(file), code=2)
    assert problem in told.err and "tacit learn --show-prompt" in told.err
    assert PLAIN in person.tacit("learn", "--show-prompt").out


def test_more_than_one_question_is_said(person: Person, project: Path) -> None:
    for name in range(1, 9):
        prompts = [f"{at} the thing {name} {at} is {'very ' * 60} fine" for at in range(12)]
        capture(person, project, *prompts, name=str(name))
    told = person.tacit("learn", "--show-prompt")
    assert told.out.count("<sessions ") == 1 and re.search(r"\d more questions? after the answers", told.err)


# What is known already

GERMAN = "deutsch ist mir lieber, auch in antworten"
IN_GERMAN = {**MEMORY, "quote": GERMAN, "statement": "Dem Nutzer ist Deutsch lieber, auch in Antworten."}


def remembered(person: Person, project: Path, text: str) -> str:
    """The id of a memory that a person added."""
    person.tacit("add", text, cwd=project)
    listed = person.tacit("list", "--json", cwd=project).json
    return next(str(memory["id"]) for memory in listed if memory["label"] == text)


def test_a_judge_is_told_what_holds_and_waits_in_the_project_the_nearest_first(
    person: Person, project: Path, client: FakeClient
) -> None:
    other = person.repository("other")
    remembered(person, project, "Squash commits when a pull request is merged.")
    near = remembered(person, project, "The deploy host is reached over ssh only.")
    person.tacit("add", "The deploy host of the other project is heron.", cwd=other)
    gone = remembered(person, project, "The deploy host is called albatross.")
    person.tacit("forget", gone, "--reason", "old", "--evidence", "none", cwd=project)
    person.tacit("remember", "The deploy host has a backup.", "--evidence", "seen", cwd=project)
    capture(person, project, PLAIN)
    question = learn(person, client, "--show-prompt").out

    known = [json.loads(line) for line in question.split("\n") if line.startswith('{"known": ')]
    assert [one["known"] for one in known][:2] != [] and "heron" not in question and "albatross" not in question
    texts = [one["known"] for one in known]
    assert {"The deploy host is reached over ssh only.", "The deploy host has a backup."} <= set(texts)
    assert next(one["id"] for one in known if "ssh" in one["known"]) == near[:6]
    assert not texts[0].startswith("Squash")


def test_what_says_the_same_in_other_words_strengthens_the_memory_that_the_judge_names(
    person: Person, project: Path, client: FakeClient
) -> None:
    held = remembered(person, project, "Reply to me in German.")
    capture(person, project, GERMAN)
    client.answers(answer({**IN_GERMAN, "same_as": held[:6]}))
    told = learn(person, client, "--agent", "claude")

    assert "0 suggestions, 1 said again" in told.out and pending(person) == []
    memory = person.tacit("show", held, "--json").json
    assert (memory["strength"], memory["label"]) == (2, "Reply to me in German.")
    assert GERMAN in person.tacit("why", held).out


def test_what_a_judge_says_contradicts_a_memory_is_a_question(
    person: Person, project: Path, client: FakeClient
) -> None:
    held = remembered(person, project, "Every reply to me is in English.")
    capture(person, project, GERMAN)
    client.answers(answer({**IN_GERMAN, "contradicts": held[:6]}))
    told = learn(person, client, "--agent", "claude")

    assert f"may contradict {held[:6]}" in told.out
    (card,) = pending(person)
    assert card["contradicts"] == [held] and person.tacit("show", held, "--json").json["strength"] == 1
    assert f"may contradict {held[:6]}: Every reply to me is in English." in person.tacit("review").out
    person.tacit("reindex")
    assert pending(person)[0]["contradicts"] == [held]


ALWAYS_GERMAN = "bitte antworte mir immer auf deutsch"
ALWAYS_IN_GERMAN = {**IN_GERMAN, "quote": ALWAYS_GERMAN, "statement": "Dem Nutzer immer auf Deutsch antworten."}


def test_what_was_suggested_without_a_judge_becomes_part_of_the_memory_that_it_names(
    person: Person, project: Path, client: FakeClient
) -> None:
    held = remembered(person, project, "Reply to me in German.")
    capture(person, project, ALWAYS_GERMAN)
    client.answers(answer({**ALWAYS_IN_GERMAN, "same_as": held[:6]}))
    told = learn(person, client, "--agent", "claude")

    assert "0 suggestions, 1 said again" in told.out and pending(person) == []
    assert person.tacit("show", held, "--json").json["strength"] == 2
    assert ALWAYS_GERMAN in person.tacit("why", held).out
    learn(person, client, "--all", "--agent", "claude")
    assert person.tacit("show", held, "--json").json["strength"] == 2


def test_a_suggestion_made_without_a_judge_asks_about_what_the_judge_says_it_contradicts(
    person: Person, project: Path, client: FakeClient
) -> None:
    held = remembered(person, project, "The team talks English at all times.")
    capture(person, project, ALWAYS_GERMAN)
    client.answers(answer({**ALWAYS_IN_GERMAN, "contradicts": held[:6]}))
    told = learn(person, client, "--agent", "claude")

    assert "1 suggestion, 0 said again" in told.out and f"may contradict {held[:6]}" in told.out
    assert [(card["strength"], card["contradicts"]) for card in pending(person)] == [(1, [held])]


def test_what_was_learned_from_a_session_alone_is_not_sent_beside_its_own_words(
    person: Person, project: Path, client: FakeClient
) -> None:
    capture(person, project, ALWAYS_GERMAN)
    learn(person, client)
    assert len(pending(person)) == 1
    assert '\n{"known": ' not in learn(person, client, "--show-prompt").out
    client.answers(answer())
    learn(person, client, "--agent", "claude")
    capture(person, project, GERMAN, name="2")
    assert '\n{"known": ' in learn(person, client, "--show-prompt").out


@pytest.mark.parametrize("name", ["same_as", "contradicts"])
def test_an_id_that_was_not_sent_is_ignored(person: Person, project: Path, client: FakeClient, name: str) -> None:
    other = person.repository("other")
    foreign = remembered(person, other, "Reply to me in German.")
    capture(person, project, GERMAN)
    client.answers(answer({**IN_GERMAN, name: foreign[:6]}))
    learn(person, client, "--agent", "claude")

    (card,) = pending(person)
    assert (card["label"], card["contradicts"]) == (IN_GERMAN["statement"], [])
    assert person.tacit("show", foreign, "--json").json["strength"] == 1


def test_an_opposite_is_no_repetition_whatever_a_judge_says(person: Person, project: Path, client: FakeClient) -> None:
    held = remembered(person, project, "Push to main without asking.")
    capture(person, project, "never push to main without asking me")
    never = {"quote": "never push to main without asking me", "statement": "Never push to main without asking."}
    client.answers(answer({**MEMORY, **never, "kind": "constraint", "same_as": held[:6]}))
    learn(person, client, "--agent", "claude")

    assert person.tacit("show", held, "--json").json["strength"] == 1
    assert [card["contradicts"] for card in pending(person)] == [[held]]


def test_an_answer_fits_its_question_also_when_more_has_become_known(person: Person, project: Path) -> None:
    capture(person, project, GERMAN)
    mark = re.findall(r"<sessions (\w+)>", person.tacit("learn", "--show-prompt").out)[0]
    held = remembered(person, project, "Reply to me in German.")
    assert held[:6] in person.tacit("learn", "--show-prompt").out
    file = person.folder / "answers.json"
    file.write_text(json.dumps({"question": mark, **answer(IN_GERMAN)}))
    assert "judged 1 session: 1 memory" in person.tacit("learn", "--answers", str(file)).err


def test_what_nobody_accepted_of_a_repository_is_not_sent(person: Person, client: FakeClient) -> None:
    root = person.repository("cloned")
    facts = root / "docs" / "memory" / "memories.ndjson"
    facts.parent.mkdir(parents=True)
    triple = {"subject": "the deploy host", "predicate": "is", "object": "called heron"}
    fact = {"kind": "environment", "triple": triple, "canonical": "The deploy host is called heron.", "strength": 1}
    facts.write_text(json.dumps({"id": "f1", "ts": "2026-01-01T00:00:00Z", "scope": "local", **fact}) + "\n")
    capture(person, root, PLAIN)
    assert "heron" not in learn(person, client, "--show-prompt").out
    person.tacit("trust", "--yes", cwd=root)
    assert "heron" in learn(person, client, "--show-prompt").out


# What a person should compare


def test_a_card_says_that_its_wording_should_be_checked(person: Person, project: Path, client: FakeClient) -> None:
    capture(person, project, f"{PLAIN}. {GERMAN}")
    translated = {"statement": "Always reply to the user in German.", "why": "he reads German"}
    client.answers(answer(MEMORY, {**IN_GERMAN, **translated}))
    told = learn(person, client, "--agent", "claude")

    assert told.out.count("judged by claude, check the wording: he reads German") == 1
    reasons = {card["label"]: card["reason"] for card in pending(person)}
    assert reasons["Always reply to the user in German."].startswith("judged by claude, check the wording")
    assert "check the wording" not in reasons[str(MEMORY["statement"])]
    assert person.tacit("review").out.count("check the wording") == 1


# The hint in a review


def test_a_review_says_how_many_sessions_nobody_has_judged(person: Person, project: Path, client: FakeClient) -> None:
    capture(person, project, FOOTER, PLAIN)
    person.tacit("learn")
    path = f"{client.folder}{os.pathsep}{os.environ['PATH']}"
    told = " ".join(converse(person, "review", answers=[], PATH=path).out.split())
    hint = r"ask claude\? \(about [\d,]+ tokens\) Type: tacit learn --agent claude"
    assert re.search(f"1 session has not been judged yet: {hint}", told)
    learn(person, client, "--agent", "claude")
    assert "judged yet" not in converse(person, "review", answers=[], PATH=path).out
    assert "judged yet" not in person.tacit("review", PATH=path).out


# Sessions that nobody has judged


def test_whoever_has_an_agent_is_told_how_many_sessions_nobody_has_judged_and_what_to_type(
    person: Person, project: Path, client: FakeClient
) -> None:
    path = f"{client.folder}{os.pathsep}{os.environ['PATH']}"
    first = session_file(person, project, 1, PLAIN)
    imported = person.tacit("import", "transcripts", str(first), PATH=path).out
    assert "1 session has not been judged yet: ask claude?" in imported and "tacit learn --agent claude" in imported
    assert "tacit learn --agent claude" in learn(person, client).out
    for command in ("status", ""):
        shown = person.tacit(*filter(None, [command]), PATH=path).out
        assert "1 session nobody has judged: tacit learn --agent claude" in shown
    assert person.tacit("status", "--json").json["unjudged_count"] == 1

    learn(person, client, "--agent", "claude")
    for words in (["status"], [], ["learn"], ["import", "transcripts", str(first)]):
        assert "judged" not in person.tacit(*words, PATH=path).out


def test_who_has_no_agent_is_not_told_to_ask_one(person: Person, project: Path, tmp_path: Path) -> None:
    first = session_file(person, project, 1, PLAIN)
    for words in (["import", "transcripts", str(first)], ["learn"], ["status"], []):
        assert "judged" not in person.tacit(*words, PATH=str(tmp_path)).out


def test_status_says_how_the_daily_judge_stands(person: Person, project: Path, client: FakeClient) -> None:
    path = f"{client.folder}{os.pathsep}{os.environ['PATH']}"
    capture(person, project, PLAIN)
    for words in (("learn.agent", "claude"), ("learn.when", "daily")):
        person.tacit("config", "set", *words, PATH=path)
    assert "claude, once a day; 1 session nobody has judged" in person.tacit("status", PATH=path).out
    for day, word in ((2, "second"), (3, "third")):
        capture(person, project, f"the {word} host is called kestrel{day}, by the way", name=str(day))
    client.answers("no")
    learn(person, client, "--quiet", now="2026-03-20T12:00:00+00:00")
    shown = person.tacit("status", PATH=path).out
    assert "claude could not be asked what is worth remembering: claude did not answer in the form" in shown
    assert person.tacit("status", "--json").json["daily_judge"]["failed_count"] == 1
