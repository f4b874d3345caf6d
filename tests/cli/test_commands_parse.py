"""Options in every verb: a mistyped one is an error that names the right one, `--` ends them, `-` is standard input."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from harness.person import Person

from tacit.cli.commands import SUMMARIES, Command, load_command, parse_args

VERBS: dict[str, Command] = {name: load_command(name) for name in SUMMARIES}
WITH_WORDS = sorted(name for name, command in VERBS.items() if command.usage)


def piped(person: Person, given: str, *words: str, code: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "tacit", *words],
        input=given,
        cwd=person.folder,
        env=person.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    return done.stdout


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_a_mistyped_option_is_an_error_that_names_the_right_one(person: Person, verb: str) -> None:
    for option in VERBS[verb].all_options:
        name = option.name
        for mistyped in (f"{name[:-2]}{name[-1]}{name[-2]}", name[:-1], f"{name}s", name[1:]):
            known = {other.name for other in VERBS[verb].all_options}
            if mistyped in known or len(name) < len("--tag") or len(set(name[-2:])) == 1:
                continue
            said = person.tacit(verb, mistyped, "x", code=2)
            assert f"tacit {verb} has no option {mistyped!r}" in said.err, mistyped
            assert "did you mean --" in said.err
    assert not person.home.exists()


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_an_option_that_the_verb_does_not_have_is_an_error(person: Person, verb: str) -> None:
    other = next(name for name in ("--dry-run", "--keep-both") if name not in {one.name for one in VERBS[verb].options})
    assert f"has no option {other!r}" in person.tacit(verb, other, code=2).err
    if not VERBS[verb].takes_any_text:
        assert "has no option '--walrus'" in person.tacit(verb, "walrus", "--walrus", code=2).err
    assert not person.home.exists()


@pytest.mark.parametrize("verb", sorted(name for name, command in VERBS.items() if command.subcommands))
def test_a_subcommand_is_in_the_usage_and_takes_options_of_its_command(verb: str) -> None:
    options = {option.name for option in VERBS[verb].options}
    for part in VERBS[verb].subcommands.values():
        assert part.name in VERBS[verb].usage
        assert options.issuperset(part.options or ())


@pytest.mark.parametrize(
    ("line", "error", "hint"),
    [
        ("config nonsense", "tacit config has no 'nonsense'", "one of show, get, set, unset"),
        ("config get", "tacit config get wants KEY", "tacit config get KEY"),
        ("workflow rm check --json", "--json does not belong to tacit workflow rm", "tacit workflow rm NAME"),
        ("workflow rename check", "tacit workflow rename wants OLD NEW", "tacit workflow rename OLD NEW"),
        ("guard on", "tacit guard wants [list | on ID", "for example: tacit guard on"),
        ("remote nonsense", "tacit remote has no 'nonsense'", "one of list, add"),
        ("team nonsense", "tacit team has no 'nonsense'", "one of join, leave"),
        ("team members", "tacit team members wants the address of the server", "members postgresql://HOST/DATABASE"),
        ("team leave now", "tacit team leave takes no words, but got 'now'", ""),
        ("autocapture on off", "tacit autocapture on takes no words, but got 'off'", ""),
    ],
)
def test_a_subcommand_says_which_words_it_wants(person: Person, line: str, error: str, hint: str) -> None:
    said = person.tacit(*line.split(), code=2)
    assert error in said.err and hint in said.err


@pytest.mark.parametrize("verb", WITH_WORDS)
def test_behind_two_dashes_all_are_words(verb: str) -> None:
    required = [word for one in VERBS[verb].options if one.required for word in (one.name, "x")]
    call = parse_args(VERBS[verb], [*required, "--", "--jsno", "--home", "--"])
    assert call.args == ["--jsno", "--home", "--"]


@pytest.mark.parametrize("query", ["--frozen-lockfile", "-x", "-1", "--no-verify push"])
def test_any_text_that_is_like_no_option_is_a_query(person: Person, query: str) -> None:
    person.tacit("add", "--", f"never use {query}")
    assert person.tacit("recall", query, "--json", code=None).json


@pytest.mark.parametrize(
    ("words", "query", "limit"),
    [
        (["-n", "3", "pnpm"], ["pnpm"], "3"),
        (["pnpm", "-n", "3"], ["pnpm"], "3"),
        (["grep", "-n", "pattern"], ["grep", "-n", "pattern"], None),
        (["grep", "-n"], ["grep", "-n"], None),
        (["xargs -n 1"], ["xargs -n 1"], None),
        (["--", "xargs", "-n", "1"], ["xargs", "-n", "1"], None),
        (["--kind", "-n", "3"], ["3"], None),
        (["-x", "3", "-n3"], ["-x", "3", "-n3"], None),
    ],
)
def test_n_and_a_number_are_a_limit_and_every_other_letter_is_text(
    words: list[str], query: list[str], limit: str | None
) -> None:
    call = parse_args(VERBS["recall"], words)
    assert (call.args, call.value("--limit")) == (query, limit)


def test_the_short_form_of_a_limit_works_and_is_documented(person: Person) -> None:
    for text in ("use pnpm", "pnpm is fast", "never use pnpm on Fridays"):
        person.tacit("add", text)
    assert len(person.tacit("recall", "-n", "2", "pnpm", "--json").json) == 2
    assert len(person.tacit("list", "-n", "1", "--json").json) == 1
    assert "--limit wants a whole number" in person.tacit("recall", "-n", "0", "pnpm", code=2).err
    for verb in ("recall", "list", "sessions", "review"):
        assert "-n, --limit N" in person.tacit(verb, "--help").out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("add", "-"), ("list", "--json")),
        (("add", "--text", "-"), ("list", "--json")),
        (("remember", "-", "--evidence", "e"), ("suggestions", "--json")),
        (("note", "-"), ("suggestions", "--json")),
        (("add", "sign commits", "--evidence", "-"), ("why", "sign commits")),
        (("log", "--task", "T", "--summary", "-"), ("recall", "walrus")),
        (("log", "--task", "T", "--summary", "s", "--changes", "-"), ("recall", "walrus")),
    ],
    ids=" ".join,
)
def test_a_dash_reads_the_text_from_standard_input(person: Person, words: Any, told: Any) -> None:
    piped(person, "never feed the walrus\n", *words)
    assert "walrus" in person.tacit(*told).out or person.recalled("walrus")


def test_a_query_can_come_from_standard_input(person: Person) -> None:
    person.tacit("add", "never feed the walrus")
    assert "never feed the walrus" in piped(person, "walrus\n", "recall", "-")
    assert "never feed the walrus" in piped(person, "walrus\n", "recall", "--query", "-")


def test_what_is_changed_can_come_from_standard_input(person: Person) -> None:
    person.tacit("add", "never feed the otter")
    piped(person, "never feed the walrus", "edit", person.id_of("never feed the otter"), "-")
    assert person.texts("feed") == ["never feed the walrus"]


def test_nothing_on_standard_input_is_no_text(person: Person) -> None:
    piped(person, "", "add", "-", code=2)
    assert not person.home.exists()
