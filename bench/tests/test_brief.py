"""The replay of briefs: nothing of the future is known at a prompt, and only what came after it tells what bears."""

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
from bench.briefing.bearing import ERROR, FILES, RULE, Traces, error_of, memory_bears, names_one_of, session_bears
from bench.briefing.recorded import project_of
from bench.briefing.replay import Asked
from bench.briefing.scores import scores
from bench.briefing.systems import found

ROOT = Path(__file__).parents[2]
HERE = "/nowhere/shop"
PARSER = Turn("the parser drops the last line", changed="src/parser.py")
PRICES = Turn("prices lack their currency", changed="src/prices.py")
UNRELATED = "Thanks, now something else entirely"


def write(folder: Path, name: str, day: int, tell: Callable[[Claude], None], directory: str = HERE) -> str:
    """A transcript; returns the name of its session."""
    teller = Claude(name_of(name), directory, BEGAN + timedelta(days=day))
    tell(teller)
    (folder / f"{name}.jsonl").write_bytes(lines(teller.records))
    return teller.session


def turns(*several: Turn) -> Callable[[Claude], None]:
    def tell(teller: Claude) -> None:
        for turn in several:
            teller.turn(turn)

    return tell


def asked(folder: Path, *sessions: Callable[[Claude], None]) -> list[Asked]:
    """What was asked in these sessions, one a day, and in those that were written before."""
    for day, tell in enumerate(sessions):
        write(folder, f"session {day}", day, tell)
    return replayed([folder])[0]


def by_prompt(every: Sequence[Asked], beginning: str) -> Asked:
    (one,) = [one for one in every if one.prompt.startswith(beginning)]
    return one


def given(one: Asked, system: str) -> list[str]:
    return [item.line for item in one.answers[system].given.items]


def test_an_earlier_session_bears_on_a_prompt_whose_turn_changes_the_same_file(tmp_path: Path) -> None:
    every = asked(tmp_path, turns(PARSER), turns(PRICES), turns(Turn(UNRELATED, changed="src/parser.py")))
    one = by_prompt(every, UNRELATED)

    assert list(one.bearing.values()) == [{FILES}]
    assert "the parser drops" in one.known[next(iter(one.bearing))].line


def test_the_words_of_a_prompt_are_no_evidence(tmp_path: Path) -> None:
    second = Turn("the parser drops the last line of src/parser.py", changed="src/new.py")

    assert by_prompt(asked(tmp_path, turns(PARSER), turns(second)), second.asked).bearing == {}


def test_nothing_of_what_comes_later_is_known_at_a_prompt(tmp_path: Path) -> None:
    every = asked(tmp_path, turns(PARSER), turns(Turn(UNRELATED, changed="src/parser.py")))

    first = by_prompt(every, PARSER.asked)
    assert not first.sessions and not first.bearing
    assert not any(answer.given.items for answer in first.answers.values())
    assert by_prompt(every, UNRELATED).bearing


def test_a_turn_of_another_session_is_known_once_it_has_ended(tmp_path: Path) -> None:
    def long(teller: Claude) -> None:
        teller.turn(PARSER)
        teller.clock(3600)
        teller.turn(PRICES)

    write(tmp_path, "long", 0, long)
    teller = Claude(name_of("between"), HERE, BEGAN + timedelta(minutes=30))
    teller.turn(Turn("first look", changed="src/parser.py"))
    teller.turn(Turn("second look", changed="src/prices.py"))
    (tmp_path / "between.jsonl").write_bytes(lines(teller.records))
    every = asked(tmp_path)

    assert by_prompt(every, "first look").bearing
    assert not by_prompt(every, "second look").bearing  # prices are an hour away, the parser is behind


def test_what_bears_only_on_an_earlier_turn_does_not_bear_on_the_next(tmp_path: Path) -> None:
    second = turns(Turn("look at it", changed="src/parser.py"), Turn("go on", changed="src/x.py"))
    every = asked(tmp_path, turns(PARSER), second)

    assert by_prompt(every, "look at it").bearing
    assert not by_prompt(every, "go on").bearing


def test_projects_know_nothing_of_each_other(tmp_path: Path) -> None:
    write(tmp_path, "first", 0, turns(PARSER))
    write(tmp_path, "second", 1, turns(Turn(UNRELATED, changed="src/parser.py")), directory="/nowhere/other")

    assert by_prompt(asked(tmp_path), UNRELATED).sessions == frozenset()


def test_a_file_that_most_sessions_touch_tells_nothing(tmp_path: Path) -> None:
    tasks = [turns(Turn(f"task number {number}", changed="README.md")) for number in range(5)]

    assert not any(one.bearing for one in asked(tmp_path, *tasks))


def _fails(teller: Claude, text: str, error: str) -> None:
    teller.ask(text)
    teller.call("Bash", {"command": "deploy"}, error, error=True)
    teller.reply("That did not work.")


def test_the_same_error_bears_and_numbers_in_it_do_not_matter(tmp_path: Path) -> None:
    every = asked(
        tmp_path,
        lambda teller: _fails(teller, "ship it", "error: cannot reach harbour 17 at sea"),
        lambda teller: _fails(teller, UNRELATED, "error: cannot reach harbour 99 at sea"),
    )

    assert list(by_prompt(every, UNRELATED).bearing.values()) == [{ERROR}]


RULE_TOLD = "From now on always use pnpm instead of npm in this repository."


def test_a_rule_that_has_to_be_said_again_bears_as_a_memory_and_as_a_session(tmp_path: Path) -> None:
    every = asked(tmp_path, turns(Turn(RULE_TOLD)), turns(Turn(UNRELATED), Turn(RULE_TOLD)))
    one = by_prompt(every, UNRELATED)
    again = every[-1]

    assert sorted(name in one.sessions for name in one.bearing) == [False, True]
    assert all(reasons == {RULE} for reasons in one.bearing.values())
    assert again.prompt == RULE_TOLD and not again.bearing  # whoever says it has said it


def test_each_system_gives_a_thing_once_a_session_and_it_stays_there(tmp_path: Path) -> None:
    every = asked(tmp_path, turns(PARSER), turns(PRICES, PARSER._replace(asked="the parser again, its last line")))
    last = by_prompt(every, "the parser again")

    for system in ("Tacit", "last three sessions", "plain search"):
        assert sum(len(given(one, system)) for one in every) == 1
        assert last.answers[system].seen.intersection(last.bearing)


def test_after_a_compaction_what_was_given_is_no_longer_there(tmp_path: Path) -> None:
    def compacted(teller: Claude) -> None:
        teller.turn(PRICES)
        teller.compact()
        teller.turn(Turn(UNRELATED, changed="src/parser.py"))

    one = by_prompt(asked(tmp_path, turns(PARSER), compacted), UNRELATED)

    assert one.bearing
    assert not one.answers["plain search"].seen
    assert len(given(one, "last three sessions")) == 1


def test_the_figures_are_those_of_a_set_counted_by_hand(tmp_path: Path) -> None:
    write(tmp_path, "first", 0, turns(PARSER))
    write(tmp_path, "second", 1, turns(PRICES))
    write(tmp_path, "third", 2, turns(Turn(UNRELATED, changed="src/parser.py")))
    every, systems = replayed([tmp_path])
    found_scores = scores(every, systems)

    recent, best = found_scores["last three sessions"].object, found_scores["all that bears"].object
    assert (recent["hit_rate"], recent["recall"]) == (1.0, 1.0)
    assert recent["given_sessions"] == [1, 3]  # one at the second prompt that does not bear, two at the third
    assert recent["silent"] == 1
    assert (best["hit_rate"], best["precision"], best["given_sessions"]) == (1.0, 1.0, [1, 1])
    assert best["tokens_not_bearing"] == 0


def test_two_runs_print_the_same_and_the_object_has_every_system(tmp_path: Path) -> None:
    write(tmp_path, "first", 0, turns(PARSER, Turn(RULE_TOLD)))
    write(tmp_path, "second", 1, turns(Turn(UNRELATED, changed="src/parser.py")))

    def printed(*words: str) -> str:
        command = [sys.executable, str(ROOT / "bench/brief.py"), str(tmp_path), *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    listed = printed("--list")
    assert listed == printed("--list")
    assert "BEARS by files" in listed
    counted: Mapping[str, object] = json.loads(printed("--json"))
    systems = counted["systems"]
    assert isinstance(systems, dict)
    assert list(systems) == ["Tacit", "last three sessions", "plain search", "all that bears"]
    assert counted["prompts"] == 3 and counted["with_bearing_items"] == 1


# What bears


def test_two_sessions_that_only_read_a_file_have_little_in_common() -> None:
    reads, changes = Traces(read=frozenset({"a.py"})), Traces(changed=frozenset({"a.py"}))

    assert session_bears(reads, reads) == frozenset()
    assert session_bears(reads, changes) == session_bears(changes, reads) == {FILES}


def test_a_memory_bears_by_a_file_it_names() -> None:
    later = Traces(changed=frozenset({"src/redact/table.py"}))

    assert memory_bears("Keep `redact/table.py` sorted.", frozenset(), later) == {FILES}
    assert memory_bears("Keep tables sorted.", frozenset(), later) == frozenset()
    assert not names_one_of("e.g. this one.", ["src/one.py"])


def test_a_memory_bears_by_the_error_it_was_learned_from() -> None:
    error = frozenset({"error: no such flag"})

    assert memory_bears("Use the other flag.", error, Traces(errors=error)) == {ERROR}


def test_what_a_person_turned_down_is_no_error() -> None:
    assert error_of("The user doesn't want to proceed with this tool use. The tool use was rejected") == ""
    assert error_of("fatal: not a git repository: 12ab34cd56ef") == error_of(
        "fatal: not a git repository: 99ab34cd56ef"
    )


@pytest.mark.parametrize(
    ("folder", "project"), [("/w/shop/.worktrees/fix", "/w/shop"), ("/w/shop/api", "/w/shop/api"), ("/w/x", "/w/x")]
)
def test_a_work_tree_in_a_hidden_folder_is_of_the_project_around_it(folder: str, project: str) -> None:
    assert project_of(folder, {"/w/shop", "/w", folder}) == project


def test_plain_search_takes_any_text_and_gives_the_best_first() -> None:
    texts = {"a": "the parser of lines", "b": "prices and their currency, prices again", "c": "nothing of it"}

    assert found('prices "AND" NOT (parsers* prices', texts, 5) == ["b", "a"]
    assert found("", texts, 5) == []
    assert found('"', texts, 5) == []
