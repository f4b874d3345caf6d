"""Recall shows what matched: the passage of a session, who said it, when, and a command that opens it there."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from harness.person import Person
from harness.terminal import converse
from harness.transcripts import Claude, lines

from tacit.home.home import Home
from tacit.model.observation import CommandRan
from tacit.shell import CapturedCommand, ShellRecorder

FILLER = "Nothing of interest happened on that day, and nobody wrote anything down about it."
FIX = "The login test was flaky because the clock of the fixture ran ahead of the cookie; it now freezes the clock."


class Talk:
    """A session with Claude Code, record by record, a second apart."""

    def __init__(self, person: Person, project: Path, name: str = "1", day: str = "2026-03-01") -> None:
        began = datetime.fromisoformat(f"{day}T10:00:00+00:00")
        self._person = person
        self._claude = Claude(f"5c2a8f6e-1111-4222-8333-{name:0>12}", str(project), began)

    def asks(self, text: str) -> Talk:
        self._claude.ask(text)
        return self

    def says(self, text: str) -> Talk:
        self._claude.reply(text)
        return self

    def runs(self, command: str, *, fails: bool = False) -> Talk:
        self._claude.call("Bash", {"command": command}, "done", error=fails)
        return self

    def capture(self) -> None:
        path = self._person.folder / "transcripts" / f"{self._claude.session}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(lines(self._claude.records))
        self._person.tacit("capture", str(path))


def found(person: Person, *words: str) -> list[dict[str, Any]]:
    hits: list[dict[str, Any]] = person.tacit("recall", *words, "--scope", "all", "--json", code=None).json
    return hits


def test_the_passage_that_matched_is_shown_with_who_said_it_and_when(person: Person, project: Path) -> None:
    Talk(person, project).asks("add a footer").says("There is a footer now.").asks("yes").says(FIX).capture()
    told = person.tacit("recall", "how did we fix the flaky login test").out

    assert FIX in told
    assert "claude said, 2026-03-01 10:00, session " in told and "“add a footer”" in told
    assert "asked: yes" in told


def test_the_command_that_is_named_opens_the_session_at_that_turn(person: Person, project: Path) -> None:
    Talk(person, project).asks("add a footer").says("There is a footer now.").asks("yes").says(FIX).capture()
    (hit,) = found(person, "flaky login test")
    assert hit["open"] == f"tacit sessions {hit['short']} --turn 2" and hit["session"] == hit["id"]
    told = person.tacit(*hit["open"].split()[1:]).out

    assert FIX in told and "There is a footer now." not in told
    assert f"tacit sessions {hit['short']}" in told
    assert "There is a footer now." in person.tacit(*hit["open"].split()[1:], "--around", "1").out
    assert "has no turn 7" in person.tacit("session", "show", hit["id"], "--turn", "7", code=1).err


def test_of_a_long_reply_the_lines_around_the_match_are_shown(person: Person, project: Path) -> None:
    long = "\n".join([FILLER] * 40 + ["The certificate of the proxy expires in March.", "Renew it before that."])
    Talk(person, project).asks("what is there to know").says(long).capture()
    (hit,) = found(person, "when does the proxy certificate expire")

    assert "The certificate of the proxy expires in March.\nRenew it before that." in hit["passage"]
    assert len(hit["passage"]) < 500


def test_a_line_without_an_end_is_cut_around_the_match(person: Person, project: Path) -> None:
    long = " ".join(["word"] * 400 + ["walrus", "otter"] + ["word"] * 400)
    Talk(person, project).asks("look").says(long).capture()
    (hit,) = found(person, "walrus otter")

    assert "walrus otter" in hit["passage"] and len(hit["passage"]) < 500
    assert hit["passage"].startswith("… ") and hit["passage"].endswith(" …")


def test_the_reply_that_answers_comes_before_the_prompt_that_asks(person: Person, project: Path) -> None:
    Talk(person, project).asks("when does the proxy certificate expire?").says(
        "The proxy certificate does expire in March."
    ).capture()
    (hit,) = found(person, "when does the proxy certificate expire")

    assert (hit["speaker"], hit["passage"]) == ("claude", "The proxy certificate does expire in March.")


def test_where_the_prompt_alone_has_the_words_the_answer_to_it_is_shown_too(person: Person, project: Path) -> None:
    Talk(person, project).asks("when does the proxy certificate expire?").says("In March.").capture()
    (hit,) = found(person, "proxy certificate expire")

    assert (hit["speaker"], hit["answer"]) == ("you", "In March.")
    assert "answer: In March." in person.tacit("recall", "proxy certificate expire").out


def test_what_i_said_is_looked_for_in_my_own_words(person: Person, project: Path) -> None:
    Talk(person, project).asks("I want the invoices in blue").says("The invoices are in blue.").capture()

    assert [hit["speaker"] for hit in found(person, "what did I say about blue invoices")] == ["you"]


def test_words_are_highlighted_on_a_terminal_and_nowhere_else(person: Person, project: Path) -> None:
    Talk(person, project).asks("yes").says("The cafe\u0301 closes; the naïve_parser stays.").capture()
    words = ("recall", "cafe parser", "--scope", "all")
    shown = converse(person, *words, answers=(), NO_COLOR="").out

    assert "\x1b[1mcafe\u0301\x1b[0m closes" in shown and "naïve_\x1b[1mparser\x1b[0m stays" in shown
    assert "\x1b" not in person.process(*words).out
    assert "\x1b" not in converse(person, *words, answers=(), NO_COLOR="1").out


@pytest.mark.parametrize(("asked", "said"), [("cafe", "café"), ("CAFÉ", "cafe"), ("lodz", "Łódź"), ("naïve", "naive")])
def test_accents_make_no_difference(person: Person, project: Path, asked: str, said: str) -> None:
    person.tacit("add", f"the {said} is closed")
    Talk(person, project).asks(f"meet at the {said}").says("Fine.").capture()

    assert {hit["kind"] for hit in found(person, asked)} >= {"session"}
    assert f"the {said} is closed" in [hit["text"] for hit in found(person, asked)]


def test_a_learned_memory_and_the_line_it_was_learned_from_are_one_answer(person: Person, project: Path) -> None:
    rule = "From now on, always run the linter before you commit."
    Talk(person, project).asks("add a footer").says("Done.").asks(rule).says("I will.").capture()
    person.tacit("learn")
    hits = found(person, "run the linter before a commit")

    assert [hit["kind"] for hit in hits] == ["rule"]
    assert "linter" in hits[0]["text"] and hits[0]["turn"] == 2 and hits[0]["speaker"] == "you"
    assert rule in person.tacit(*hits[0]["open"].split()[1:]).out
    assert "learned from what you said" in person.tacit("recall", "run the linter before a commit").out


def test_another_line_of_that_session_is_an_answer_of_its_own(person: Person, project: Path) -> None:
    rule = "From now on, always run the linter before you commit."
    Talk(person, project).asks(rule).says("I will.").asks("why red?").says(
        "The linter was red because of tabs in the parser."
    ).capture()
    person.tacit("learn")

    assert {hit["kind"] for hit in found(person, "linter red tabs parser")} == {"rule", "session"}


def test_an_accepted_memory_that_answers_comes_before_sessions_that_mention_it(person: Person, project: Path) -> None:
    for number in range(1, 8):
        talk = Talk(person, project, str(number), f"2026-02-0{number}")
        for _ in range(4):
            talk.asks("deploy the shop to staging").says(
                "Deploy of the shop to staging: shop, staging, deploy, deploy."
            )
        talk.capture()
    person.tacit("add", "deploy the shop to staging with the blue script")

    hits = found(person, "how do I deploy the shop to staging")
    assert hits[0]["text"] == "deploy the shop to staging with the blue script"
    assert [hit["text"] for hit in found(person, "how do I deploy the shop to staging", "--limit", "1")] == [
        hits[0]["text"]
    ]


def test_an_accepted_memory_is_not_pushed_out_by_those_of_other_projects(person: Person, project: Path) -> None:
    elsewhere = person.repository("elsewhere")
    with person.vault(cwd=elsewhere) as vault:
        for number in range(60):
            vault.add(f"deploy page {number} deploy")
    for number in range(1, 9):
        Talk(person, project, str(number), f"2026-02-0{number}").asks("deploy the page").says("Deploy: done.").capture()
    person.tacit("add", "deploy a page on Mondays, after the long meeting of all who are there", cwd=project)

    told = [hit["text"] for hit in person.recalled("deploy page", "--limit", "5", cwd=project)]
    assert "deploy a page on Mondays, after the long meeting of all who are there" in told


def test_a_better_session_comes_before_a_newer_one(person: Person, project: Path) -> None:
    old = "The walrus and the otter swim, and the otter dives deep."
    Talk(person, project, "1", "2026-01-01").asks("animals").says(old).says("The otter is the faster one.").capture()
    Talk(person, project, "2", "2026-02-01").asks("animals").says("The walrus and the otter swim.").capture()

    assert found(person, "walrus otter dives faster")[0]["at"].startswith("2026-01-01")


@pytest.mark.parametrize("query", ["alpha", "alpha beta", "beta gamma delta", "alpha beta gamma delta", "make beta"])
def test_a_limit_cuts_the_end_off_and_changes_nothing_else(crowd: Person, query: str) -> None:
    limits = (1, 2, 3, 5, 10, 21, 40, 90)
    answers = [found(crowd, query, "--limit", str(limit)) for limit in limits]

    assert len(answers[-1]) > 40
    for fewer, more in pairwise(answers):
        assert more[: len(fewer)] == fewer


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Person:
    """A home with many memories of every status, sessions and commands that hold the same few words."""
    somebody = Person(tmp_path_factory.mktemp("person"))
    words = ("alpha", "beta", "gamma", "delta")
    with somebody.vault() as vault:
        for number in range(70):
            told = " ".join(words[: 1 + number % 4]) + f" number {number}"
            if number % 3:
                vault.add(told)
            else:
                vault.memories.remember(told, evidence="seen")
            if number % 7 == 1 and number % 3:
                vault.memories.forget(told, reason="r", evidence="e")
    for number in range(1, 30):
        talk = Talk(somebody, somebody.folder, str(number), f"2026-01-{number:02d}")
        for turn in range(1 + number % 4):
            talk.asks(words[turn]).says(f"{words[(turn + number) % 4]} {words[turn]} number {number}")
        talk.runs(f"make {words[number % 4]} {number}").capture()
    return somebody


# Commands


def test_a_command_that_an_agent_ran_is_found_with_its_outcome_and_folder(person: Person, project: Path) -> None:
    Talk(person, project).asks("go").runs("pnpm migrate --dry", fails=True).runs("pnpm migrate").says("Done.").capture()
    hits = {hit["text"]: hit for hit in found(person, "which command did migrate with pnpm", "--kind", "command")}

    assert set(hits) == {"pnpm migrate --dry", "pnpm migrate"}
    assert (hits["pnpm migrate"]["exit_status"], hits["pnpm migrate --dry"]["exit_status"]) == (0, -2)
    assert hits["pnpm migrate"]["directory"] == str(project) and hits["pnpm migrate"]["turn"] == 1
    assert (
        "pnpm migrate" in Path(hits["pnpm migrate"]["path"]).read_text().split("\n")[hits["pnpm migrate"]["line"] - 1]
    )
    told = person.tacit("recall", "which command did migrate with pnpm").out
    assert "- $ pnpm migrate\n    claude ran this in ~/shop, 2026-03-01 10:" in told and ", exit status 0" in told


def typed(person: Person, *lines: tuple[str, int, Path]) -> None:
    """Commands that a person ran, as the recorder of a shell hands them over."""
    with person.at():
        for second, (command, status, folder) in enumerate(lines):
            at = datetime(2026, 3, 2, 11, 0, second, tzinfo=UTC)
            recorder = ShellRecorder(Home(str(person.home), cwd=str(folder)))
            recorder.capture(CapturedCommand(at, "s1", CommandRan(command, str(folder), status, 5, "zsh")))


def test_a_command_that_the_person_typed_is_found_the_moment_it_ran(person: Person, project: Path) -> None:
    person.tacit("add", "never force push")
    typed(person, ("kubectl rollout restart deploy/shop", 3, project))
    (hit,) = found(person, "kubectl restart")

    assert (hit["kind"], hit["exit_status"], hit["directory"]) == ("command", 3, str(project))
    assert "you ran this in ~/shop" in person.tacit("recall", "kubectl restart").out
    assert "failed with exit status 3" in person.tacit("recall", "kubectl restart").out


def test_a_command_is_told_as_it_went_the_last_time(person: Person, project: Path) -> None:
    typed(person, ("make walrus", 2, project), ("make walrus", 0, project))

    assert [hit["exit_status"] for hit in found(person, "walrus")] == [0]


def test_commands_belong_to_the_project_they_ran_in(person: Person, project: Path) -> None:
    typed(person, ("make walrus", 0, project), ("make otter walrus", 0, person.folder))

    assert [hit["text"] for hit in person.recalled("walrus", cwd=project)] == ["make walrus"]
    assert {hit["text"] for hit in person.recalled("walrus")} == {"make walrus", "make otter walrus"}


def test_an_agent_is_not_told_what_the_person_typed(person: Person, project: Path) -> None:
    typed(person, ("make walrus", 0, project))
    Talk(person, project).asks("go").runs("make the walrus swim").says("Done.").capture()
    told = person.tacit("recall", "walrus", "--scope", "all", "--json", TACIT_ACTOR="agent:robot").json

    assert "make walrus" not in [hit["text"] for hit in told]
    assert "make the walrus swim" in [hit["text"] for hit in told]


def test_what_a_later_turn_says_of_the_same_is_told_beside_the_passage(person: Person, project: Path) -> None:
    talk = Talk(person, project).asks("which default does the agent type have?")
    talk.says("An empty agent type gets the default `Claude Code`, as the default of the agent type in the handler.")
    talk.asks("and the footer?").says("The footer is green.")
    talk.asks("make it generic").says("The default of the agent type is now `Agent`.").capture()
    (hit,) = found(person, "default agent type")
    told = person.tacit("recall", "default agent type", "--scope", "all").out

    assert hit["turn"] == 1
    assert (hit["more"][-1]["turn"], hit["more"][-1]["passage"]) == (3, "The default of the agent type is now `Agent`.")
    assert "later, in turn 3: The default of the agent type is now `Agent`." in told
    (only,) = found(person, "footer green")
    assert only["more"] == []


def test_other_places_of_a_long_session_are_told_beside_the_best(person: Person, project: Path) -> None:
    talk = Talk(person, project).asks("look at the release")
    talk.says("The release of the formula fails: the token of the tap is missing in the release.")
    talk.asks("go on").says("A prebuilt formula is chosen, because keys are put in at build time.")
    talk.asks("and the notes?").says("The notes are written.").capture()
    (hit,) = found(person, "why is the release formula prebuilt")
    told = person.tacit("recall", "why is the release formula prebuilt", "--scope", "all").out

    assert "because keys are put in at build time" in told and "the token of the tap is missing" in told
    assert {hit["turn"], *(other["turn"] for other in hit["more"])} == {1, 2}


def test_the_command_that_followed_is_told_where_an_agent_only_says_what_it_will_do(
    person: Person, project: Path
) -> None:
    talk = Talk(person, project).asks("is the walrus test flaky?")
    talk.says("Let me run the walrus test several times:").runs("make test COUNT=5 ONLY=pinniped")
    talk.says("It passes.").capture()
    (hit,) = found(person, "run the walrus test several times")
    told = person.tacit("recall", "run the walrus test several times", "--scope", "all").out

    assert hit["ran"] == "make test COUNT=5 ONLY=pinniped"
    assert "ran: make test COUNT=5 ONLY=pinniped" in told


def test_a_question_for_a_reason_is_not_answered_by_a_command(person: Person, project: Path) -> None:
    typed(person, ("git restore walrus.lock", 0, project))
    talk = Talk(person, project).asks("go").runs("git restore walrus.lock # the walrus lock")
    talk.says("The lock of the walrus is generated, so it is not kept.").capture()
    (why,) = found(person, "why git restore walrus lock")

    assert why["kind"] == "session" and why["passage"].startswith("The lock of the walrus is generated")
    assert "command" in [hit["kind"] for hit in found(person, "git restore walrus lock")]


def test_a_command_that_nobody_asked_for_needs_most_of_the_words(person: Person, project: Path) -> None:
    typed(person, *((f"make target{number}", 0, project) for number in range(10)))
    typed(person, ("cp walrus.toml otter.toml", 0, project))

    assert [hit["kind"] for hit in found(person, "walrus otter toml")] == ["command"]
    assert found(person, "walrus otter seal") == []
    assert [hit["kind"] for hit in found(person, "command for walrus otter seal")] == ["command"]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("which colour", "The header has the color teal."),
        ("how do customers pay", "The clients are billed by card."),
        ("where is it initialised", "It is initialized in boot.py."),
    ],
)
def test_another_word_or_spelling_for_the_same_finds_it(
    person: Person, project: Path, question: str, said: str
) -> None:
    Talk(person, project, "1").asks("something else").says("Nothing of interest was told to anybody.").capture()
    Talk(person, project, "2", day="2026-03-02").asks("go on").says(said).capture()
    assert found(person, question)[0]["passage"] == said


def test_the_word_that_was_asked_for_counts_more_than_another_for_the_same(person: Person, project: Path) -> None:
    Talk(person, project, "1").asks("one").says("We remove the lantern.").capture()
    Talk(person, project, "2", day="2026-03-02").asks("two").says("We delete the lantern.").capture()
    assert found(person, "remove lantern")[0]["passage"] == "We remove the lantern."
    assert found(person, "delete lantern")[0]["passage"] == "We delete the lantern."
