"""Every row of the tables of programs is used for its example, and every listed name means what its list says."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tacit.commandline import programs
from tacit.commandline.names import parse_commands
from tacit.commandline.programs import WRAPPERS, program_tables

DATA = tomllib.loads((Path(programs.__file__).parent / "programs.toml").read_text("utf-8"))
TABLES = ("interpreters", "task_runners", "package_managers", "subcommands")
ROWS = [(row["example"], row["family"]) for table in TABLES for row in DATA[table].values()]
# The same row under another name: `podman -H build-1 compose up` as `docker …`.
ROWS += [
    tuple(text.replace(name, other) for text in (row["example"], row["family"]))
    for table in TABLES
    for name, row in DATA[table].items()
    for other in row.get("also", "").split()
]

WRAPPED = {
    "sudo -u web make deploy": "make deploy",
    "doas -u web make deploy": "make deploy",
    "env -u CI A=1 make test": "make test",
    "time -f %e make test": "make test",
    "nice -n 19 make test": "make test",
    "ionice -c 3 make test": "make test",
    "timeout -s KILL 60 make test": "make test",
    "flock -w 5 ci.lock make test": "make test",
    "stdbuf -o L make test": "make test",
    "caffeinate -t 60 make test": "make test",
    "exec -a name make test": "make test",
    "proxychains -f ci.conf make fetch": "make fetch",
    "xargs -n 1 git add": "xargs git add",
    "watch -n 5 kubectl get pods": "watch kubectl get",
    "parallel -j 4 gzip": "parallel gzip",
    "entr make test": "entr make test",
    "npx -p vite vite build": "npx vite build",
    "bunx -p vite vite build": "bunx vite build",
    "uvx --from build pyproject-build": "uvx pyproject-build",
    "pipx run --spec build pyproject-build": "pipx run pyproject-build",
    "uv run --with rich pytest -q": "uv run pytest",
    "uv tool run --from build pyproject-build": "uv tool run pyproject-build",
    "poetry run -C web pytest": "poetry run pytest",
    "pipenv run pytest -q": "pipenv run pytest",
    "pdm run -p web pytest": "pdm run pytest",
    "rye run pytest -q": "rye run pytest",
    "hatch run pytest -q": "hatch run pytest",
    "conda run -n ml python train.py": "conda run python train.py",
    "pnpm exec tsc -p .": "pnpm exec tsc",
    "pnpm dlx --package vite vite build": "pnpm dlx vite build",
    "yarn exec tsc -p .": "yarn exec tsc",
    "yarn dlx -p vite vite build": "yarn dlx vite build",
    "bundle exec rspec spec": "bundle exec rspec",
    "mise exec -- make test": "mise exec make test",
    "asdf exec make test": "asdf exec make test",
    "rbenv exec rspec spec": "rbenv exec rspec",
    "direnv exec . make test": "direnv exec make test",
    "dotenv run -f .env make test": "dotenv run make test",
    "op run --env-file .env make test": "op run make test",
    "doppler run -p web make test": "doppler run make test",
    "tsocks git push": "tsocks git push",
}


def test_data_files_are_read_when_a_row_of_them_is_needed() -> None:
    modules = "tacit.learn.habits, tacit.learn.sessions, tacit.learn.judge"
    code = f"import sys, {modules}; assert 'tomllib' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def family(line: str) -> str:
    (command,) = parse_commands(line)
    return command.family


LISTED = [
    *((f"{name} status now", f"{name} status") for name in DATA["words"]["one_subcommand"].split()),
    *((f"{name} status now", name) for name in DATA["words"]["without_subcommand"].split()),
    *((f"{name} make lint", "make lint") for name, wrapper in WRAPPERS.items() if not any(wrapper)),
    *(
        (f"{name} {flag} x", f"{name} {mode}")
        for name, modes in DATA["mode_flags"].items()
        for flag, mode in modes.items()
    ),
    *((f"{name} -Sx y", f"{name} -Sx") for name in DATA["words"]["flag_commands"].split()),
]


@pytest.mark.parametrize(("example", "expected"), [*ROWS, *WRAPPED.items(), *LISTED])
def test_an_example_is_of_the_family_of_its_row_or_list(example: str, expected: str) -> None:
    assert family(example) == expected


def test_every_option_of_a_row_takes_its_value_along() -> None:
    for name, row in program_tables().subcommands.items():
        for option in row.value_options if row.levels == 1 else ():
            assert family(f"{name} {option} x status") == f"{name} status"
    for name, wrapper in WRAPPERS.items():
        for option in wrapper.value_options:
            assert family(" ".join([name, option, "x", *["y"] * wrapper.positionals, "make lint"])) == "make lint"
    for name, options in program_tables().ssh.items():
        assert all(family(f"{name} {option} x build-1") == f"{name} build-1" for option in options)


def test_every_spelling_of_a_subcommand_is_one() -> None:
    for table in (program_tables().subcommands, program_tables().package_managers):
        for name, row in table.items():
            for alias, word in row.aliases.items():
                assert family(f"{name} {alias}") == family(f"{name} {word}")


@pytest.mark.parametrize(("alias", "program"), DATA["aliases"].items())
def test_another_name_is_the_program(alias: str, program: str) -> None:
    assert family(f"{alias} x.txt") == family(f"{program} x.txt")


def test_what_everybody_runs_is_named_by_its_family() -> None:
    listed = [*DATA["common"]["read_only"], *DATA["common"]["writing"]]
    typed = {line: line.replace("service ", "service nginx ") for line in listed}
    assert [line for line in listed if family(typed[line]) != line] == []
    assert set(DATA["common"]["alternatives"].split()) - program_tables().trivial <= set(listed)
