"""What a person saved under a name runs step by step in their own shell, and they say how to go on when one fails."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from harness.person import Person, Said
from harness.terminal import END_OF_INPUT, INTERRUPT, converse

from tests.support.workflows import new, path_of, run, runs, shown, statuses

KEYS = "q quit >"
SHELLS = ["sh", "bash", "zsh", "fish"]


def talk(person: Person, *answers: tuple[str, str], shell: str = "sh", editor: str = "false") -> Said:
    """Run it in a terminal, agree, and answer."""
    asked = [("Run it? [y/N]", "y"), *answers]
    return converse(person, "workflow", "run", "check", answers=asked, SHELL=path_of(shell), EDITOR=editor)


# Running


@pytest.mark.parametrize("shell", SHELLS)
def test_the_steps_run_in_order_in_the_persons_own_shell(person: Person, shell: str) -> None:
    told = {"sh": "echo ${BASH_VERSION:-plain}", "bash": "echo $BASH_VERSION", "zsh": "echo $ZSH_VERSION"}
    new(person, "echo first", told.get(shell, "echo $FISH_VERSION"), "-x; echo last", "echo it\\'s '$HOME' \"!\"")
    said = run(person, shell=shell, code=0)
    lines = [line for line in said.out.splitlines() if not line.startswith(("→", " ", "check", "✓"))]
    assert lines[0] == "first" and lines[2:] == ["last", "it's $HOME !"]
    assert re.fullmatch(r"plain|\d+\.\d+.*", lines[1]), lines
    assert runs(person)[0]["completed"]


def test_a_shell_that_is_none_of_ours_is_not_started(person: Person, tmp_path: Path) -> None:
    strange = tmp_path / "strange"
    strange.write_text("#!/bin/sh\necho strange\n")
    strange.chmod(0o755)
    new(person, "echo plain")
    out = person.process("workflow", "run", "check", "--yes", SHELL=str(strange)).out
    assert "\nplain\n" in out and "strange" not in out


def test_all_of_it_is_shown_before_anything_runs(person: Person) -> None:
    new(person, "touch one", "echo '\x1b[2J\u202e'\ntouch two")
    said = converse(person, "workflow", "run", "check", answers=[("Run it? [y/N]", "n")])
    before = said.out.split("Run it?")[0]
    assert "1. touch one" in before and "2. echo '<U+001B>[2J<U+202E>'" in before and "touch two" in before
    assert str(person.folder) in before
    assert said.code == 1 and not (person.folder / "one").exists()
    assert runs(person) == []


def test_nothing_runs_without_a_terminal_unless_told_to(person: Person) -> None:
    new(person, "touch one")
    said = person.process("workflow", "run", "check", code=2)
    assert "tacit workflow run check --yes" in said.err
    person.process("workflow", "run", "check", "--yes", "--dry-run")
    assert not (person.folder / "one").exists()


def test_the_first_failure_stops_it_and_its_status_is_told(person: Person) -> None:
    new(person, "echo one", "exit 3", "touch three")
    said = run(person, code=3)
    assert "tacit workflow run check --from 2" in said.out
    assert not (person.folder / "three").exists()
    (one,) = runs(person)
    assert (statuses(one), one["completed"], one["exit_status"]) == ([0, 3], False, 3)
    assert "stopped at step 2 with status 3" in person.tacit("workflow", "list").out


def test_a_step_that_is_killed_failed(person: Person) -> None:
    new(person, "kill -9 $$")
    run(person, code=137)


def test_it_runs_in_its_folder_or_where_one_stands(person: Person) -> None:
    folder, other = person.folder / "it's an $app", person.folder / "other"
    folder.mkdir()
    other.mkdir()
    person.tacit("workflow", "new", "check", "--in", str(folder), "--step", "pwd")
    assert f"\n{folder}\n" in run(person, cwd=other).out
    person.tacit("workflow", "rm", "check")
    new(person, "pwd")
    assert f"\n{other}\n" in run(person, cwd=other).out


def test_a_folder_that_is_gone_is_told(person: Person) -> None:
    folder = person.folder / "app"
    folder.mkdir()
    person.tacit("workflow", "new", "check", "--in", str(folder), "--step", "touch here")
    folder.rmdir()
    assert str(folder) in run(person, code=1).err
    assert person.tacit("workflow", "new", "x", "--in", str(folder), "--step", "ls", code=1).err


@pytest.mark.parametrize("shell", SHELLS)
def test_a_step_that_is_only_a_cd_changes_the_folder_of_those_after_it(person: Person, shell: str) -> None:
    (person.folder / "a b" / "c").mkdir(parents=True)
    new(person, "cd 'a b'", "pwd", "cd c && pwd", "pwd", "exit 1")
    out = run(person, shell=shell, code=1).out
    inner = f"{person.folder}/a b"
    assert [line for line in out.splitlines() if line.startswith("/")] == [inner, f"{inner}/c", inner]
    assert f"\n{inner}\n" in run(person, "--from", "4", shell=shell, code=1).out  # also when it goes on later


def test_a_cd_that_fails_is_a_failure(person: Person) -> None:
    new(person, "cd nowhere", "touch here")
    assert run(person, code=2, shell="sh").code
    assert not (person.folder / "here").exists()


# At a terminal


def test_a_failed_step_is_retried(person: Person) -> None:
    new(person, "test -e ok || { touch ok; exit 4; }", "echo after")
    said = talk(person, (KEYS, "r"))
    assert said.code == 0 and "\nafter\n" in said.out
    assert statuses(runs(person)[0]) == [0, 0]


def test_a_failed_step_is_skipped(person: Person) -> None:
    new(person, "exit 4", "echo after")
    said = talk(person, (KEYS, "nonsense"), (KEYS, "s"))
    assert said.code == 0 and "Skipped: step 1" in said.out
    assert (statuses(runs(person)[0]), runs(person)[0]["completed"]) == ([4, 0], True)


@pytest.mark.parametrize(("answer", "saved"), [("y", "echo 'as edited'"), ("n", "exit 4")])
def test_a_failed_step_is_edited_and_may_be_saved(person: Person, answer: str, saved: str) -> None:
    new(person, "exit 4", "echo after")
    said = talk(person, (KEYS, "e"), ("your editor) >", "echo 'as edited'"), ("Save step 1", answer))
    assert said.code == 0 and "\nas edited\n" in said.out
    assert shown(person)["steps"] == [saved, "echo after"]
    (ran,) = [body for kind, body in recorded(person) if kind == "command.ran"]
    assert (ran["command"], ran["planned"]) == ("echo 'as edited'", "exit 4")
    assert (ran["directory"], ran["shell"], ran.get("status", 0)) == (str(person.folder), "sh", 0)


def recorded(person: Person) -> list[tuple[str, dict[str, Any]]]:
    lines = [line for file in sorted((person.home / "activity").iterdir()) for line in file.read_text().splitlines()]
    return [(json.loads(line)["type"], json.loads(line)["body"]) for line in lines]


def test_a_step_is_edited_in_the_editor(person: Person) -> None:
    new(person, "exit 4")
    said = talk(
        person, (KEYS, "e"), ("your editor) >", ""), ("Save step 1", "n"), editor="sed -i 's/exit 4/echo by editor/'"
    )
    assert said.code == 0 and "\nby editor\n" in said.out


@pytest.mark.parametrize("way", ["q", END_OF_INPUT])
def test_a_run_that_was_left_is_resumed_where_it_stopped(person: Person, way: str) -> None:
    new(person, "echo one", "test -e ok", "echo three")
    said = talk(person, (KEYS, way))
    assert said.code == 1 and "--from 2" in said.out
    (person.folder / "ok").touch()
    resumed = run(person, "--resume").out
    assert "\none\n" not in resumed and "\nthree\n" in resumed
    assert [one["first_step"] for one in runs(person)] == [2, 1]
    assert "nothing to resume" in run(person, "--resume", code=1).err


@pytest.mark.parametrize("shell", SHELLS)
def test_an_interrupt_stops_the_step_and_not_tacit(person: Person, shell: str) -> None:
    # The shell waits already when this is printed: a shell that is just about to start something may miss an interrupt.
    new(person, "sh -c 'echo be\"\"gun; exec sleep 60'; true", "echo after")
    said = talk(person, ("begun", INTERRUPT), (KEYS, "q"), shell=shell)
    assert said.code == 130
    assert statuses(runs(person)[0]) == [130]


def test_a_step_that_shrugs_off_an_interrupt_failed_all_the_same(person: Person) -> None:
    new(person, "trap 'exit 0' INT; echo be''gun; while :; do sleep 0.1; done", "touch after")
    said = talk(person, ("begun", INTERRUPT), (KEYS, "q"))
    assert said.code == 130 and not (person.folder / "after").exists()


def test_an_interrupt_at_the_question_is_recorded_too(person: Person) -> None:
    new(person, "exit 4", "touch after")
    said = talk(person, (KEYS, INTERRUPT))
    assert said.code == 130
    assert statuses(runs(person)[0]) == [4]


def test_a_step_has_the_terminal(person: Person) -> None:
    new(person, 'test -t 0 && test -t 1 && printf "name? " && read name && echo "hello $name"')
    assert "hello somebody" in talk(person, ("name? ", "somebody")).out


def test_a_terminal_that_a_step_left_in_disorder_is_put_in_order(person: Person) -> None:
    new(person, "stty raw -echo; exit 4", "stty -a")
    out = talk(person, (KEYS, "s")).out
    assert " icanon" in out and " echo " in out


def test_a_step_that_is_just_being_started_ends_with_its_run(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever starts a step learns of it a moment after it runs."""
    began: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen

    def start(words: list[str], **options: Any) -> subprocess.Popen[bytes]:
        child = popen(words, **options)
        if words[-1] == "exec sleep 60":
            began.append(child)
            signal.raise_signal(signal.SIGTERM)
        return child

    new(person, "exec sleep 60")
    monkeypatch.setattr(subprocess, "Popen", start)
    with pytest.raises(SystemExit):
        person.tacit("workflow", "run", "check", "--yes", SHELL=path_of("sh"))
    assert began[0].wait(timeout=10) == -signal.SIGTERM
    assert statuses(runs(person)[0]) == [130]


def test_a_run_that_is_killed_is_recorded(person: Person) -> None:
    new(person, "touch begun; exec sleep 60", "touch after")
    started = person.start("workflow", "run", "check", "--yes", SHELL=path_of("sh"))
    while not (person.folder / "begun").exists():
        time.sleep(0.02)
    started.send_signal(signal.SIGTERM)
    started.communicate(timeout=60)
    assert started.returncode == 128 + signal.SIGTERM
    assert statuses(runs(person)[0]) == [130] and not runs(person)[0]["completed"]
