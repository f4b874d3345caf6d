"""Cards worth reading: in their project, with the whole ritual, and no more at once than one reads."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from harness.person import Person
from harness.terminal import _ON_TERMINAL, INTERRUPTIBLE, converse

from tests.learn.habits.test_habits import cards, days, typed
from tests.support.shellwork import Line, lines
from tests.support.workflows import new, path_of, runs

ASK = "q quit > "
RELEASE = ("make lint", "make test", "git add -A", "git commit -m '{}'", "git push")


def repository(person: Person, name: str) -> Path:
    folder = person.folder / name
    (folder / ".git").mkdir(parents=True)
    return folder


def history(person: Person, text: Iterable[str], name: str = ".zsh_history") -> None:
    (person.folder / name).write_text("".join(f"{line}\n" for line in text))
    person.tacit("import", "history")


def timed(*sessions: Iterable[str]) -> list[str]:
    """Sessions of an extended zsh history, a day apart, up to the day before now."""
    first = 1_772_452_800 - 86_400 * len(sessions)
    return [
        f": {first + 86_400 * day + 60 * at}:0;{line}"
        for day, session in enumerate(sessions)
        for at, line in enumerate(session)
    ]


def kind(found: dict[str, dict[str, Any]], name: str) -> dict[str, dict[str, Any]]:
    return {key: card for key, card in found.items() if card["kind"] == name}


# Where a habit belongs


def test_a_habit_of_one_project_belongs_to_it_and_others_to_the_person(person: Person) -> None:
    app, api = str(repository(person, "app")), str(repository(person, "api"))
    own, shared = "pnpm dev --port=8080", "tilt up --stream --port=80"
    typed(person, *days(own, count=5, directory=app), *days(shared, count=5, directory=app, first=10))
    typed(person, *days(shared, count=5, directory=api, first=20))
    found = kind(cards(person), "recurring_command")
    assert found[own]["scope"] == f"project:{app}"
    assert (found[own]["run_count"], found[own]["session_count"]) == (5, 5)
    assert found[shared]["scope"] == "global"
    told = person.tacit("suggestions").out
    assert "a command with its arguments, project app" in told
    assert "   accepting tells agents in app that you run it\n" in told
    assert "   accepting tells agents that you run it\n" in told


def test_a_habit_dismissed_in_its_project_does_not_return_as_the_persons(person: Person) -> None:
    app, api = str(repository(person, "app")), str(repository(person, "api"))
    line = "pnpm dev --port=8080"
    typed(person, *days(line, count=5, directory=app))
    person.tacit("dismiss", cards(person)[line]["id"])
    typed(person, *days(line, count=9, directory=api, first=10))
    person.tacit("reindex")
    assert line not in cards(person)


def test_cd_lines_of_a_history_tell_the_project(person: Person) -> None:
    app = repository(person, "app")
    session = ["cd ~/app", "pnpm e2e --bail", "(cd /elsewhere && ls)", "cd -"]
    history(person, timed(*[session] * 5))
    assert cards(person)["pnpm e2e --bail"]["scope"] == f"project:{app}"
    assert str(app) in [place["text"] for place in person.tacit("stats", "--json").json["places"]]


# Histories without timestamps


def test_a_habit_is_dated_by_its_last_run_and_not_by_the_import(person: Person) -> None:
    history(person, timed(*[("git pull --rebase", "make lint", "make test")] * 4))
    (card,) = cards(person).values()
    assert card["said_at"].startswith("2026-03-01T12:02")
    person.tacit("accept", card["id"])
    (listed,) = person.tacit("list", "--json").json
    assert listed["said_at"] == card["said_at"] < listed["first_at"]
    assert "last run 2026-03-01 12:02, learned 2026-03-02" in person.tacit("show", card["id"]).out


def test_a_history_without_timestamps_is_labelled_as_such(person: Person) -> None:
    history(person, ["sbatch --nodes=4 job.sh"] * 6 + ["sbatch --nodes=8 job.sh"] * 5, ".bash_history")
    (card,) = person.tacit("suggestions", "--json").json
    assert (card["key"], card["has_times"]) == ("sbatch --nodes=4 job.sh", False)
    told = person.tacit("suggestions").out
    assert "based on 6 runs in a history without timestamps (sessions unknown)" in told
    assert "1 session" not in told and "the last time on" not in told
    assert "6 runs in a history without timestamps" in person.tacit("why", card["id"]).out


# Rituals


def released(*messages: str, directory: str = "/srv/app/api") -> list[Line]:
    return [
        line
        for day, message in enumerate(messages)
        for line in lines(
            f"day {day}", *(step.format(message) for step in RELEASE), start=day * 24 * 60, directory=directory
        )
    ]


def test_a_card_shows_the_whole_ritual_and_asks_for_what_varies(person: Person) -> None:
    typed(person, *released("one", "two", "three", "four"))
    (card,) = kind(cards(person), "workflow_pattern").values()
    assert card["key"] == "make lint → make test → git add → git commit → git push"
    assert card["steps"] == ["make lint", "make test", "git add -A", "git commit -m {?message}", "git push"]
    assert (card["run_count"], card["session_count"]) == (4, 4)
    told = person.tacit("suggestions").out
    assert "     4. git commit -m {?message}\n" in told
    assert "based on 4 runs in 4 sessions, confidence 0.72" in told
    name = "make-lint-test-git"
    assert f"   accepting makes the workflow {name}: tacit workflow run {name}\n" in told
    assert f"Workflow {name} in /srv/app/api:" in person.tacit("accept", card["id"]).out


def test_a_message_that_never_changed_is_no_step_either(person: Person) -> None:
    typed(person, *released("wip", "wip", "wip"))
    (card,) = kind(cards(person), "workflow_pattern").values()
    person.tacit("accept", card["id"])
    (workflow,) = person.tacit("workflow", "list", "--json").json
    assert "git commit -m {?message}" in workflow["steps"]
    assert not any("wip" in step for step in workflow["steps"])


@pytest.mark.parametrize(
    ("sessions", "last"), [(("s{}", "s{}"), ()), (("a{}", "b{}"), ("git push",))], ids=["one session", "the same end"]
)
def test_no_ritual_goes_across_projects(person: Person, sessions: tuple[str, str], last: tuple[str, ...]) -> None:
    app, api = str(repository(person, "app")), str(repository(person, "api"))
    for day in range(5):
        first, second = (session.format(day) for session in sessions)
        start = day * 24 * 60
        typed(person, *lines(first, "pnpm lint", "pnpm e2e", *last, start=start, directory=app))
        typed(person, *lines(second, "make lint", "make dist", *last, start=start + 3, directory=api))
    found = kind(cards(person), "workflow_pattern")
    assert {key: card["scope"] for key, card in found.items()} == {
        " → ".join(("pnpm lint", "pnpm e2e", *last)): f"project:{app}",
        " → ".join(("make lint", "make dist", *last)): f"project:{api}",
    }


def test_a_longer_ritual_takes_the_place_of_the_part_that_waits(person: Person) -> None:
    typed(person, *days("make lint", "make test", "make dist"))
    assert list(kind(cards(person), "workflow_pattern")) == ["make lint → make test → make dist"]
    typed(person, *days("make lint", "make test", "make dist", "make upload", count=6, first=5))
    assert list(kind(cards(person), "workflow_pattern")) == ["make lint → make test → make dist → make upload"]


# Running what asks


@pytest.mark.parametrize("shell", ["sh", "bash", "zsh", "fish"])
def test_a_run_asks_for_each_value_once_and_shows_what_it_will_do(person: Person, shell: str) -> None:
    new(person, "echo tag v{?version}", 'echo "push {?version}: {?message}"')
    answers = [("version > ", "1.5"), ("message > ", 'it\'s $(done) "`x`"'), ("Run it? [y/N] ", "y")]
    said = converse(person, "workflow", "run", "check", answers=answers, SHELL=path_of(shell))
    assert said.code == 0
    before = said.out.split("Run it?")[0]
    assert "1. echo tag v1.5" in before
    assert '\npush 1.5: it\'s $(done) "`x`"\n' in said.out
    assert person.tacit("workflow", "show", "check", "--json").json["steps"][0] == "echo tag v{?version}"
    assert runs(person)[0]["results"][0]["text"] == "echo tag v1.5"


def test_values_can_be_given_where_nobody_can_be_asked(person: Person) -> None:
    new(person, "echo tag v{?version}")
    refused = person.process("workflow", "run", "check", "--yes", code=2)
    assert "--set version=VALUE" in refused.err
    said = person.process("workflow", "run", "check", "--yes", "--set", "version=2; touch x")
    assert "tag v2; touch x" in said.out and not (person.folder / "x").exists()
    wrong = person.process("workflow", "run", "check", "--yes", "--set", "verzion=2", code=2)
    assert "it asks for version" in wrong.err
    assert "It asks for: version." in person.process("workflow", "run", "check", "--dry-run").out


# Lists


def test_lists_show_fifty_and_say_how_to_see_the_rest(person: Person) -> None:
    for number in range(53):
        person.tacit("remember", f"always check the number {number} twice", "--evidence", "said so")
    for verb, shown in (("suggestions", "── 50 of 53 ──"), ("review", "── 50 of 53 ──")):
        told = person.tacit(verb).out
        assert shown in told and "── 51 of 53 ──" not in told
        assert f"… and 3 more {'suggestions' if verb == 'suggestions' else 'candidates'}. " in told
        assert f"To see all: tacit {'list --pending' if verb == 'suggestions' else verb} --all\n" in told
    told = person.tacit("list", "--status", "pending").out
    assert told.startswith("Memories (53)\n") and told.count("\n- [") == 50
    assert "… and 3 more memories. To see all: tacit list --status pending --all\n" in told
    assert "more" not in person.tacit("list", "--status", "pending", "--limit", "53").out
    assert len(person.tacit("suggestions", "--json").json) == len(person.tacit("review", "--json").json) == 50
    for verb in ("suggestions", "review"):
        assert (
            len(person.tacit(verb, "--json", "--all").json) == person.tacit(verb, "--all").out.count(" of 53 ──") == 53
        )
    assert len(person.tacit("list", "--status", "pending", "--json", "--limit", "2").json) == 2


@pytest.mark.parametrize("verb", ["suggestions", "review", "list"])
def test_lists_are_narrowed_by_project_kind_agent_and_age(person: Person, verb: str) -> None:
    app = repository(person, "app")
    person.tacit("remember", "never build twice", "--evidence", "e", cwd=app, now="2026-01-01T12:00:00Z")
    person.tacit("remember", "use pnpm here", "--evidence", "e", now="2026-02-28T12:00:00Z")
    person.tacit("suggest", "use uv instead of pip", "--evidence", "e", TACIT_ACTOR="agent:claude-code")

    def told(*words: str) -> set[str]:
        status = ("--status", "pending", "--scope", "all") if verb == "list" else ()
        out = person.tacit(verb, *status, *words).out
        return {text for text in ("build twice", "use pnpm", "use uv") if text in out}

    assert told() == {"build twice", "use pnpm", "use uv"}
    assert told("--project", "app") == {"build twice"}
    assert told("--project", str(app / ".git")) == {"build twice"}
    assert told("--agent", "claude") == {"use uv"}
    assert told("--before", "30d") == {"build twice"}
    assert told("--since", "2026-02-01", "--before", "1d") == {"use pnpm"}
    known = {one["label"]: one["kind"] for one in person.listed("--status", "pending", "--scope", "all")}
    (one, *_) = known.values()
    assert len(told("--kind", one)) == list(known.values()).count(one)
    status = ("--status", "pending") if verb == "list" else ()
    assert "projects with memories: app" in person.tacit(verb, *status, "--project", "ap", code=1).err


# Keys typed early


def test_keys_typed_before_a_card_is_shown_decide_nothing(person: Person) -> None:
    for text in ("always squash commits", "always sign commits"):
        person.tacit("remember", text, "--evidence", "said in review")
    shown = typed_early(person, early="d\nd\na", answers=[(ASK, "s"), (ASK, "s")])
    assert "Decided 0 of 2 candidates." in shown
    assert len(person.listed("--status", "pending")) == 2


def test_keys_typed_while_one_card_is_decided_do_not_decide_the_next(person: Person) -> None:
    for text in ("always squash commits", "always sign commits", "always name the ticket"):
        person.tacit("remember", text, "--evidence", "said in review")
    shown = typed_early(person, early="", answers=[(ASK, "d\nd\nd"), (ASK, "q")])
    assert "Decided 1 of 3 candidates." in shown
    assert len(person.listed("--status", "pending")) == 2


def typed_early(person: Person, early: str, answers: list[tuple[str, str]]) -> str:
    """Review in a terminal in which somebody typed before anything was printed, then answers what is asked."""
    ours, theirs = os.openpty()
    if early:
        os.write(ours, early.encode())
        time.sleep(0.1)  # until the line discipline has it
    started = subprocess.Popen(
        [*INTERRUPTIBLE, "sh", "-c", _ON_TERMINAL, os.ttyname(theirs), sys.executable, "-m", "tacit", "review"],
        cwd=person.folder,
        env=person.environment(TERM="xterm"),
        stdin=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    shown = ""
    try:
        for prompt, answer in answers:
            while prompt not in shown:
                shown += os.read(ours, 65536).decode()
            shown = shown.replace(prompt, "(asked)", 1)
            os.write(ours, f"{answer}\n".encode())
        while more := _read(ours):
            shown += more
        started.wait(60)
    finally:
        os.close(ours)
        if started.poll() is None:
            started.kill()
    return shown.replace("\r\n", "\n")


def _read(terminal: int) -> str:
    try:
        return os.read(terminal, 65536).decode()
    except OSError:  # the other end is closed
        return ""


# All surfaces


def test_every_count_of_what_waits_is_the_same_after_a_decision_and_after_a_reindex(person: Person) -> None:
    lines_of_each = [
        "make dist",
        "./upload.sh web",
        "npm run e2e",
        "rsync -ru docs web:/srv/www",
        "dokcer ps",
        "docker ps",
    ]
    history(person, timed(*[lines_of_each, lines_of_each[2:4]] * 6))
    person.tacit("import", "history")
    for words in ((), ("dismiss",), ("accept",), ("doctor", "--reindex")):
        if words in (("dismiss",), ("accept",)):
            person.process(*words, next(iter(cards(person).values()))["id"])
        elif words:
            person.process(*words)
        waiting = person.process("status", "--json").json["pending"]
        assert waiting == person.process("stats", "--json").json["pending"] == len(cards(person)) > 0
