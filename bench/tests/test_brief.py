"""The replay of briefs: nothing of the future is known at a prompt or an edit, and readers tell whether it helped."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from harness.transcripts import BEGAN, Claude, Turn, lines, name_of

from bench.brief import replayed
from bench.briefing.labels import Labels, agreement
from bench.briefing.recorded import project_of
from bench.briefing.replay import Asked

ROOT = Path(__file__).parents[2]
HERE = "/nowhere/shop"
POLICIES = ["Tacit", "last session", "last three sessions"]
PARSER = Turn("the parser drops the last line", changed="src/parser.py")
PRICES = Turn("prices lack their currency", changed="src/prices.py")
UNRELATED = "Now something else entirely, the colours"
RULE = "From now on always use pnpm instead of npm in this repository."


def write(
    folder: Path, name: str, began: timedelta, tell: Callable[[Claude], None], directory: str = HERE
) -> list[str]:
    """A transcript."""
    teller = Claude(name_of(name), directory, BEGAN + began)
    tell(teller)
    (folder / f"{name}.jsonl").write_bytes(lines(teller.records))
    return [str(folder)]


def turns(*several: Turn) -> Callable[[Claude], None]:
    def tell(teller: Claude) -> None:
        for turn in several:
            teller.turn(turn)

    return tell


def write_days(folder: Path, *sessions: Callable[[Claude], None]) -> None:
    """Sessions of one project, one a day."""
    for day, tell in enumerate(sessions):
        write(folder, f"session {day}", timedelta(days=day), tell)


def asked(folder: Path, *sessions: Callable[[Claude], None]) -> list[Asked]:
    """What was asked in these sessions, one a day, and in those that were written before."""
    write_days(folder, *sessions)
    return replayed([folder])[0]


def at_prompt(every: Sequence[Asked], beginning: str) -> Asked:
    (one,) = [one for one in every if not one.path and one.prompt.startswith(beginning)]
    return one


def at_edit(every: Sequence[Asked], prompt: str) -> Asked:
    (one,) = [one for one in every if one.path and one.prompt == prompt]
    return one


def told(one: Asked, policy: str) -> list[str]:
    return [item.line for item in one.answers[policy].items]


def ran(folder: Path, *words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "bench/brief.py"), str(folder), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def printed(folder: Path, *words: object) -> str:
    done = ran(folder, *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def rows(text: str) -> dict[tuple[str, str], Mapping[str, object]]:
    return {(row["moment"], row["policy"]): row for row in json.loads(text)["rows"]}


# What is told at prompts


def test_nothing_of_what_comes_later_is_known_at_a_prompt(tmp_path: Path) -> None:
    every = asked(tmp_path, turns(PARSER), turns(PRICES))

    first, second = at_prompt(every, PARSER.asked), at_prompt(every, PRICES.asked)
    assert list(first.answers) == POLICIES
    assert not any(first.answers[policy].items for policy in POLICIES)
    for policy in POLICIES[1:]:
        (line,) = told(second, policy)
        assert "the parser drops the last line" in line


def test_a_turn_of_another_session_is_known_once_it_has_ended(tmp_path: Path) -> None:
    def long(teller: Claude) -> None:
        teller.clock(3600)
        teller.turn(PARSER)

    write(tmp_path, "long", timedelta(), long)
    write(tmp_path, "before", timedelta(minutes=30), turns(Turn("first look")))
    write(tmp_path, "after", timedelta(minutes=90), turns(Turn("second look")))
    every = asked(tmp_path)

    assert not told(at_prompt(every, "first look"), "last session")
    assert "the parser" in told(at_prompt(every, "second look"), "last session")[0]


def test_tacit_tells_the_session_that_has_just_ended_and_a_baseline_those_before_it(tmp_path: Path) -> None:
    write(tmp_path, "first", timedelta(), turns(PARSER))
    write(tmp_path, "second", timedelta(hours=1), turns(PRICES))
    write(tmp_path, "third", timedelta(hours=2), turns(Turn(UNRELATED)))
    one = at_prompt(asked(tmp_path), UNRELATED)

    assert ["prices" in line for line in told(one, "Tacit")] == [True]
    assert ["prices" in line for line in told(one, "last session")] == [True]
    assert ["prices" in line for line in told(one, "last three sessions")] == [True, False]


def test_a_rule_that_was_learned_is_told_in_the_next_session(tmp_path: Path) -> None:
    every = asked(tmp_path, turns(Turn(RULE)), turns(Turn(UNRELATED)))

    (line,) = told(at_prompt(every, UNRELATED), "Tacit")
    assert "pnpm" in line


def test_projects_know_nothing_of_each_other(tmp_path: Path) -> None:
    write(tmp_path, "first", timedelta(), turns(PARSER))
    write(tmp_path, "second", timedelta(hours=1), turns(Turn(UNRELATED)), directory="/nowhere/other")

    assert at_prompt(asked(tmp_path), UNRELATED).items == {}


def test_clones_that_are_taken_for_one_project_know_of_each_other(tmp_path: Path) -> None:
    write(tmp_path, "first", timedelta(), turns(PARSER), directory="/nowhere/one/shop")
    write(tmp_path, "second", timedelta(days=1), turns(PRICES), directory="/nowhere/two/shop")

    apart, together = replayed([tmp_path])[0], replayed([tmp_path], "/shop")[0]
    assert told(at_prompt(apart, PRICES.asked), "last session") == []
    assert len(told(at_prompt(together, PRICES.asked), "last session")) == 1
    assert {one.recorded.folder for one in together} == {"/nowhere/one/shop", "/nowhere/two/shop"}


def test_each_policy_tells_a_thing_once_a_session(tmp_path: Path) -> None:
    every = asked(tmp_path, turns(Turn(RULE)), turns(PRICES, PARSER, Turn(UNRELATED)))

    for policy in POLICIES:
        assert [len(told(one, policy)) for one in every if not one.path] == [0, 1, 0, 0]


def test_after_a_compaction_a_thing_is_told_again(tmp_path: Path) -> None:
    def compacted(teller: Claude) -> None:
        teller.turn(PRICES)
        teller.compact()
        teller.turn(Turn(UNRELATED))

    every = asked(tmp_path, turns(Turn(RULE)), compacted)

    for policy in POLICIES:
        assert [len(told(one, policy)) for one in every if not one.path] == [0, 1, 1]


# What is told at first edits


def edits(request: str, *texts: str) -> Callable[[Claude], None]:
    """A turn that inserts these texts into one file."""

    def tell(teller: Claude) -> None:
        teller.ask(request)
        for text in texts:
            teller.call("Edit", {"file_path": f"{HERE}/src/prices.py", "old_string": "a", "new_string": text})
        teller.reply("It is done as you asked.")

    return tell


def test_the_first_edit_of_a_file_is_told_what_the_last_change_of_the_same_name_was_for(tmp_path: Path) -> None:
    first = edits("prices lack their currency", "def convert_currency(): ...")
    every = asked(tmp_path, first, edits("round them", "convert_currency(1)", "convert_currency(2)"))

    assert at_edit(every, "prices lack their currency").items == {}
    one = at_edit(every, "round them")  # the second edit of the file is no first one
    assert (one.path, list(one.answers)) == (f"{HERE}/src/prices.py", ["Tacit"])
    (line,) = told(one, "Tacit")
    assert line.startswith("For reference: prices.py, last changed 23 hours ago")
    assert "prices lack their currency" in line
    assert one.answers["Tacit"].tokens > 0


def test_a_later_edit_of_the_same_turn_is_not_known_at_the_first(tmp_path: Path) -> None:
    first = edits("prices lack their currency", "def convert_currency(): ...")
    every = asked(tmp_path, first, edits("round them", "round(price)", "convert_currency(2)"))

    assert at_edit(every, "round them").items == {}


# Transcripts as they come


def only_a_title(teller: Claude) -> None:
    teller.title("ai-title", "A session of which nothing else is left")


def test_a_transcript_that_has_only_a_title_is_left_out(tmp_path: Path) -> None:
    write(tmp_path, "title", timedelta(), only_a_title)
    every = asked(tmp_path, turns(PARSER), turns(PRICES))

    assert [one.prompt for one in every if not one.path] == [PARSER.asked, PRICES.asked]
    assert len(told(at_prompt(every, PRICES.asked), "last three sessions")) == 1


def test_a_folder_without_a_prompt_ends_with_what_to_do(tmp_path: Path) -> None:
    write(tmp_path, "title", timedelta(), only_a_title)
    done = ran(tmp_path)

    assert done.returncode == 2
    assert "no prompts there; name a folder of transcripts" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("folder", "project"), [("/w/shop/.worktrees/fix", "/w/shop"), ("/w/shop/api", "/w/shop/api"), ("/w/x", "/w/x")]
)
def test_a_work_tree_in_a_hidden_folder_is_of_the_project_around_it(folder: str, project: str) -> None:
    assert project_of(folder, {"/w/shop", "/w", folder}) == project


# What is printed and written


def test_without_labels_it_is_counted_what_was_told_and_nothing_is_said_of_its_help(tmp_path: Path) -> None:
    write_days(tmp_path, turns(PARSER), turns(PRICES), turns(Turn(UNRELATED)))
    text = printed(tmp_path, "--json")
    counted = json.loads(text)

    assert (counted["prompts"], counted["first_edits"]) == (3, 2)
    assert (counted["sessions"], counted["projects"]) == (3, 1)
    assert counted["agreement"] == []
    found = rows(text)
    assert list(found) == [*(("prompt", policy) for policy in POLICIES), ("edit", "Tacit")]
    expected = {"Tacit": (0, 0), "last session": (2, 2), "last three sessions": (2, 3)}
    assert {policy: (found["prompt", policy]["told"], found["prompt", policy]["items"]) for policy in POLICIES} == (
        expected
    )
    assert [row["moments"] for row in found.values()] == [3, 3, 3, 2]
    assert not any({"helpful", "harmless", "noise"} & row.keys() for row in found.values())
    assert "| last three sessions | 3 prompts | 2 | 3 |  |  |  | 3 |" in printed(tmp_path)


def test_only_the_projects_that_are_named_are_measured(tmp_path: Path) -> None:
    write(tmp_path, "first", timedelta(), turns(PARSER))
    write(tmp_path, "second", timedelta(days=1), turns(PRICES, Turn(UNRELATED)), directory="/nowhere/other")

    assert json.loads(printed(tmp_path, "--json", "--only", "shop"))["prompts"] == 1
    assert json.loads(printed(tmp_path, "--json", "--without", "shop"))["prompts"] == 2


def test_a_question_has_what_a_reader_needs_and_does_not_name_the_policy(tmp_path: Path) -> None:
    sessions, file = tmp_path / "sessions", tmp_path / "questions.jsonl"
    sessions.mkdir()
    write_days(
        sessions,
        edits("prices lack their currency", "def convert_currency(): ..."),
        turns(PARSER, Turn(RULE)),
        edits(UNRELATED, "convert_currency(1)"),
    )
    assert printed(sessions, "--questions", file) == ""
    text = file.read_text(encoding="utf-8")
    written = [json.loads(line) for line in text.splitlines()]
    assert printed(sessions, "--questions", file) == ""

    assert file.read_text(encoding="utf-8") == text  # the same in every run
    common = {"question", "moment", "project", "asked_before", "prompt", "told", "then_done", "then_replied"}
    assert {(one["moment"], frozenset(one)) for one in written} == {
        ("prompt", frozenset(common)),
        ("edit", frozenset(common | {"file", "change"})),
    }
    for policy in POLICIES:
        assert policy.lower() not in text.lower()
    # One at the second session; a rule and two sessions at the third, each once although two policies tell it.
    assert sorted(one["moment"] for one in written) == ["edit", "prompt", "prompt", "prompt", "prompt"]
    names = [one["question"] for one in written]
    assert names == sorted(set(names))
    (rule,) = [one for one in written if "pnpm" in one["told"]]
    assert (rule["prompt"], rule["asked_before"]) == (UNRELATED, [])
    assert rule["then_done"][0].startswith("Edit:") and rule["then_replied"] == "It is done as you asked."
    (edit,) = [one for one in written if one["moment"] == "edit"]
    assert (edit["file"], edit["change"]) == (f"{HERE}/src/prices.py", "a → convert_currency(1)")


# What readers answer

# Three things are told at the prompts of three days: the first session on the second day, and both on the third.
ON_SECOND, LAST_ON_THIRD, OTHER_ON_THIRD = (PRICES.asked, "parser"), (UNRELATED, "prices"), (UNRELATED, "parser")


@pytest.fixture(scope="module")
def three_days(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[tuple[str, str], str]]:
    """The folder of the transcripts, and the names of the questions by prompt and what is told."""
    folder, file = tmp_path_factory.mktemp("days"), tmp_path_factory.mktemp("asked") / "questions.jsonl"
    write_days(folder, turns(PARSER), turns(PRICES), turns(Turn(UNRELATED)))
    printed(folder, "--questions", file)
    written = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    names = {
        (one["prompt"], "prices" if "prices" in one["told"] else "parser"): str(one["question"]) for one in written
    }
    assert len(written) == len(names) == 3
    return folder, names


def answered(path: Path, answers: Mapping[str, str]) -> Path:
    written = (json.dumps({"question": question, "answer": answer}) for question, answer in answers.items())
    path.write_text("\n".join(written) + "\n", encoding="utf-8")
    return path


def test_two_readers_give_shares_of_each_policy_and_how_far_they_agree(
    tmp_path: Path, three_days: tuple[Path, dict[tuple[str, str], str]]
) -> None:
    folder, names = three_days
    second, last, other = names[ON_SECOND], names[LAST_ON_THIRD], names[OTHER_ON_THIRD]
    one = answered(tmp_path / "one.jsonl", {second: "helpful", last: "noise", other: "noise"})
    two = answered(tmp_path / "two.jsonl", {second: "helpful", last: "harmless", other: "noise"})
    text = printed(folder, "--json", "--labels", one, two)
    found = rows(text)

    # The last session was told on both days: helpful, helpful; noise, harmless.
    row = found["prompt", "last session"]
    assert [row[answer] for answer in ("helpful", "harmless", "noise")] == [0.5, 0.25, 0.25]
    # The last three sessions are one thing more, which is noise to both: 2, 1 and 3 of 6.
    row = found["prompt", "last three sessions"]
    assert [row[answer] for answer in ("helpful", "harmless", "noise")] == [0.3333, 0.1667, 0.5]
    assert row["unread"] == 0
    assert "helpful" not in found["prompt", "Tacit"]  # it told nothing
    # Alike on 2 of 3. By chance: 1/3 · 1/3 helpful, 0 · 1/3 harmless, 2/3 · 1/3 noise, together 1/3.
    agreed = {"readers": ["one.jsonl", "two.jsonl"], "same": 2, "of": 3, "kappa": 0.5}
    assert json.loads(text)["agreement"] == [agreed]
    table = printed(folder, "--labels", one, two)
    assert "| last session | 3 prompts | 2 | 2 | 0.500 | 0.250 | 0.250 | 0 |" in table
    assert "The readers agree on 2 of 3 things, kappa 0.5." in table


def test_what_one_reader_left_out_counts_once_and_what_nobody_read_is_told(
    tmp_path: Path, three_days: tuple[Path, dict[tuple[str, str], str]]
) -> None:
    folder, names = three_days
    one = answered(tmp_path / "one.jsonl", {names[ON_SECOND]: "helpful", names[LAST_ON_THIRD]: "noise"})
    two = answered(tmp_path / "two.jsonl", {names[ON_SECOND]: "helpful", "of another time": "noise"})
    text = printed(folder, "--json", "--labels", one, two)

    row = rows(text)["prompt", "last three sessions"]
    assert [row[answer] for answer in ("helpful", "harmless", "noise")] == [0.6667, 0.0, 0.3333]
    assert (row["items"], row["unread"]) == (3, 1)
    assert [(pair["same"], pair["of"]) for pair in json.loads(text)["agreement"]] == [(1, 1)]


def test_kappa_is_that_of_a_table_computed_by_hand() -> None:
    """Of 50: 20 helpful to both, 5 to the first alone, 10 to the second alone, 15 noise to both."""
    first = ["helpful"] * 25 + ["noise"] * 25
    second = ["helpful"] * 20 + ["noise"] * 5 + ["helpful"] * 10 + ["noise"] * 15
    one, two = (
        Labels(name, {str(number): answer for number, answer in enumerate(answers)})
        for name, answers in (("one", first), ("two", second))
    )

    found = agreement(one, two)
    assert (found.same, found.both) == (35, 50)
    assert found.kappa == pytest.approx(0.4)  # (.7 - .5) / (1 - .5): by chance .5 · .6 + .5 · .4
    assert agreement(one, one).kappa == 1.0


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (None, "cannot be read: No such file or directory; write the questions with --questions FILE"),
        (b"\xff\n", "cannot be read: it is not UTF-8; write the questions with --questions FILE"),
        (b"helpful\n", 'line 1 is no answer; write {"question": "…", "answer": "helpful"}'),
        (b'\n{"question": "a"}\n', 'line 2 is no answer; write {"question": "…", "answer": "helpful"}'),
        (b'{"question": "a", "answer": "good"}\n', "line 1: 'good' is no answer; write helpful, harmless or noise"),
        (
            b'{"question": "a", "answer": "noise"}\n{"question": "a", "answer": "helpful"}\n',
            "line 2: a has another answer before; name a file per reader",
        ),
        (
            b'{"question": "a", "answer": "noise"}\n',
            "answers none of what is told in these transcripts; write its questions with --questions FILE",
        ),
    ],
    ids=["missing", "binary", "no-json", "no-answer", "unknown", "contradicted", "other-transcripts"],
)
def test_labels_that_cannot_be_used_end_with_what_to_do(
    tmp_path: Path, three_days: tuple[Path, dict[tuple[str, str], str]], content: bytes | None, error: str
) -> None:
    file = tmp_path / "reader.jsonl"
    if content is not None:
        file.write_bytes(content)
    done = ran(three_days[0], "--labels", file)

    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert "reader.jsonl" in done.stderr
    assert error in done.stderr


def test_questions_are_not_collected_for_a_folder_that_is_not_there(tmp_path: Path) -> None:
    done = ran(tmp_path, "--questions", tmp_path / "nowhere" / "questions.jsonl")

    assert done.returncode == 2
    assert "make it, or name another file for the questions" in done.stderr
